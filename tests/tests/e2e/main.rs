//! Does the whole program keep its promises?
//!
//! The program under test is the real binary as a child process; the web that it crawls is served by this process, so
//! that it survives every `kill -9` and its log can be read. What needs a service that is not there shows as ignored
//! with the reason, or fails if `REQUIRE_SERVICES=1`.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

mod addresses;
mod bombs;
mod crash;
mod databases;
mod deliveries;
mod demo;
mod exports;
mod politeness;
mod rounds;
mod stopping;
mod support;
mod technographics;
mod technographics_crash;
mod technographics_outages;
mod truth;

use libtest_mimic::{Arguments, Trial};

/// Names each test once, in the order in which they start; one that is left out is dead code, which the lints refuse.
macro_rules! tests {
    ($($module:ident :: $name:ident),* $(,)?) => {
        vec![$(Trial::test(concat!(stringify!($module), "::", stringify!($name)), || {
            $module::$name();
            Ok(())
        })),*]
    };
}

fn main() {
    let arguments = Arguments::from_args();
    // a sandbox listens on two ports for each of hundreds of sites
    rlimit::increase_nofile_limit(u64::MAX).expect("the limit of open files can be raised to its most");
    if !arguments.list {
        support::program::program();
    }
    let mut trials = tests![
        rounds::a_list_may_be_plain_gzip_zstd_or_standard_input,
        rounds::retrying_takes_only_what_failed,
        rounds::a_dry_run_checks_everything_and_does_nothing,
        rounds::what_makes_no_sense_is_refused_with_the_reason,
        rounds::the_ledger_notices_what_was_damaged_by_hand,
        rounds::status_history_and_ledger_say_the_same_in_json,
        rounds::a_deadline_stops_a_round_that_can_be_continued,
        rounds::too_many_failures_abort_a_round_and_many_are_told,
        stopping::sigint_stops_in_good_order_and_nothing_is_fetched_twice,
        stopping::sigterm_stops_in_good_order_and_nothing_is_fetched_twice,
        stopping::a_second_signal_ends_it_at_once_and_the_round_goes_on_all_the_same,
        stopping::a_second_crawl_is_told_who_runs_and_a_dead_one_is_succeeded_at_once,
        politeness::no_more_requests_than_the_cap_are_under_way_to_one_address,
        politeness::a_request_that_breaks_its_connection_is_not_repeated_without_a_pause,
        politeness::new_pauses_hold_within_seconds_of_a_hangup_signal,
        politeness::three_hundred_hosts_are_asked_gently_and_only_for_what_they_allow,
        addresses::no_spelling_of_a_private_address_is_connected_to,
        addresses::no_name_or_redirect_leads_to_a_private_address,
        addresses::a_name_whose_address_changes_is_checked_anew,
        bombs::a_bomb_of_any_size_takes_little_memory,
        demo::a_demo_finds_what_the_truth_says_in_two_months_and_names_the_second_vendors,
        truth::every_line_of_the_sandbox_ends_as_its_truth_says,
        crash::a_round_that_is_killed_while_it_enlists_ends_like_one_that_is_not,
        crash::a_round_that_is_killed_as_it_closes_ends_like_one_that_is_not,
        crash::a_round_that_is_killed_while_it_crawls_ends_like_one_that_is_not,
        technographics::two_months_are_found_as_they_were_planted,
        technographics::a_new_rule_is_no_new_product,
        technographics_crash::the_same_segment_under_another_name_or_in_another_round_changes_nothing,
        technographics_crash::reading_again_with_other_rules_adds_to_what_the_old_ones_saw_and_takes_nothing_away,
        technographics_crash::commands_that_are_killed_leave_what_undisturbed_ones_do,
    ];
    trials.extend(databases::trials());
    trials.extend(deliveries::trials());
    trials.extend(exports::trials());
    trials.extend(technographics_outages::trials());
    libtest_mimic::run(&arguments, trials).exit();
}
