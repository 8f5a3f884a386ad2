//! Does a store keep its promises, whether it is a folder or a bucket of a real server?
//!
//! `./test` starts the server and names it in the environment; where it is missing its tests show as ignored with the
//! reason, or fail if `REQUIRE_SERVICES=1`. What a real server does only on a bad day is played by one of our own.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

mod badly;
mod contract;
mod place;
mod server;

use std::{future::Future, pin::Pin};

use libtest_mimic::{Arguments, Completion, Failed, Trial};

use place::{Backend, Place};

type Test = fn(Place) -> Pin<Box<dyn Future<Output = ()>>>;

/// Names each test once; one that is left out is dead code, which the lints refuse.
macro_rules! tests {
    ($($module:ident :: $name:ident),* $(,)?) => {
        vec![$((
            concat!(stringify!($module), "::", stringify!($name)),
            (|place| Box::pin($module::$name(place))) as Test,
        )),*]
    };
}

fn main() {
    let everywhere = tests![
        contract::what_was_put_comes_back_and_is_known_to_be_the_same,
        contract::nothing_comes_back_as_nothing,
        contract::a_second_put_replaces_the_first,
        contract::a_blob_that_is_there_is_not_replaced_unless_asked,
        contract::of_eight_that_write_a_key_at_once_exactly_one_does,
        contract::a_listing_is_in_the_order_of_bytes_page_by_page,
        contract::a_deleted_blob_is_gone_and_may_be_deleted_again,
        contract::keys_with_odd_characters_are_keys,
        contract::an_empty_blob_is_a_blob,
        contract::a_blob_of_many_parts_is_whole,
        contract::a_file_that_is_not_there_or_shorter_is_not_put,
    ];
    let in_folders = tests![
        contract::a_folder_holds_plain_files_and_no_leftovers,
        contract::a_folder_that_cannot_be_written_is_named,
    ];
    let in_buckets = tests![
        contract::a_wrong_key_is_denied_and_never_shown,
        contract::a_bucket_that_is_not_there_is_an_error_and_not_an_absence,
        contract::a_role_is_assumed_and_its_keys_are_used,
        contract::an_upload_that_a_crash_left_is_aborted_by_the_next,
    ];
    let mut trials = Vec::new();
    for backend in Backend::ALL {
        let own = match backend {
            Backend::Folder => &in_folders,
            Backend::S3 => &in_buckets,
        };
        for (name, test) in everywhere.iter().chain(own) {
            trials.push(trial(backend, name, *test));
        }
    }
    for (name, test) in [
        ("a_server_that_fails_is_asked_again_and_not_for_ever", badly::failing as fn()),
        ("a_server_that_asks_for_patience_gets_it", badly::throttling),
        ("a_cut_connection_is_no_end", badly::cutting),
        ("what_a_retry_cannot_mend_is_not_retried", badly::denying),
        ("a_checksum_that_differs_is_noticed", badly::corrupting),
        ("a_role_is_asked_for_with_its_external_id_and_renewed_before_its_end", badly::renewing),
        ("keys_that_the_server_calls_expired_are_renewed_once", badly::expiring),
        ("an_answer_without_end_is_not_read_to_its_end", badly::flooding),
        ("every_request_with_an_acl_signs_it", badly::signing_the_acl),
        ("a_join_that_fails_after_its_status_is_a_failure", badly::joining),
    ] {
        trials.push(Trial::test(format!("badly::{name}"), move || {
            test();
            Ok(())
        }));
    }
    libtest_mimic::run(&Arguments::from_args(), trials).exit();
}

fn trial(backend: Backend, name: &str, test: Test) -> Trial {
    Trial::ignorable_test(format!("{}::{name}", backend.name()), move || match backend.place() {
        Ok(place) => {
            place.run(test);
            Ok(Completion::Completed)
        }
        Err(reason) if std::env::var("REQUIRE_SERVICES").as_deref() == Ok("1") => {
            Err(Failed::from(format!("REQUIRE_SERVICES=1 and {reason}")))
        }
        Err(reason) => Ok(Completion::ignored_with(reason)),
    })
}
