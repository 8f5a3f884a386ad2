//! Does the catalog keep its promises on every engine, and through PgBouncer in transaction mode?
//!
//! Each test runs once per backend. `./test` starts the services and names them in the environment; where one is
//! missing its tests show as ignored with the reason, or fail if `REQUIRE_SERVICES=1`.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

mod archives;
mod changes;
mod cuts;
mod exports;
mod findings;
mod holdings;
mod locks;
mod matches;
mod memory;
mod migrations;
mod partners;
mod place;
mod rules;
mod runs;
mod scene;
mod sessions;
mod statistics;
mod values;

use std::{future::Future, pin::Pin};

use libtest_mimic::{Arguments, Completion, Trial};

use place::{Backend, Place};

type Test = fn(Place) -> Pin<Box<dyn Future<Output = ()> + Send>>;

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
        archives::old_matches_are_read_whole_and_in_the_order_of_their_keys,
        archives::only_noted_rows_leave_and_others_stay,
        changes::a_stretch_of_sites_is_replaced_as_a_whole,
        changes::dual_vendors_are_replaced_and_listed_with_names,
        changes::pages_are_seen_by_whole_sites,
        exports::an_account_runs_what_its_sites_run_together,
        exports::what_changed_is_counted_by_account_and_read_stretch_by_stretch,
        findings::a_month_of_many_sites_is_folded_in_parts,
        findings::aggregating_again_changes_nothing,
        findings::findings_are_what_a_count_by_hand_gives,
        findings::findings_outlive_their_matches,
        findings::first_seen_only_moves_back_and_last_seen_only_forward,
        findings::since_is_the_earliest_of_all_months,
        findings::what_only_other_rules_saw_goes_once_all_was_read_again,
        holdings::a_site_without_an_account_stands_for_itself,
        holdings::an_account_holds_what_its_sites_hold_of_exclusive_categories,
        holdings::holdings_are_read_in_pages_without_a_gap,
        locks::a_dead_holder_of_this_machine_is_taken_over_by_exactly_one,
        locks::a_holder_that_is_alive_on_this_machine_keeps_its_lock_beyond_its_lease,
        locks::a_holder_that_may_live_is_left_alone,
        locks::a_late_holder_can_neither_renew_nor_release,
        locks::a_lock_ends_by_expiry_or_release_and_its_fence_grows,
        locks::of_sixteen_that_ask_at_once_exactly_one_gets_the_lock,
        locks::whoever_is_refused_is_told_who_holds_it,
        matches::a_batch_is_written_once_however_often_it_is_sent,
        matches::another_rule_set_reads_a_segment_anew,
        matches::rows_that_are_there_stay_as_they_are,
        matches::the_ledger_and_the_facts_are_one_transaction,
        memory::a_host_is_forgotten_only_when_nothing_is_promised,
        memory::an_older_robots_answer_changes_nothing,
        memory::promises_to_hosts_never_move_back,
        memory::robots_are_recalled_while_fresh,
        memory::ten_thousand_hosts_are_remembered_at_once,
        memory::two_writers_of_the_same_hosts_do_not_stop_each_other,
        migrations::a_catalog_of_another_program_is_refused_with_the_reason,
        migrations::a_migration_that_fails_leaves_no_trace,
        migrations::migrating_eight_times_at_once_applies_each_migration_once,
        migrations::migrating_is_explicit_and_repeatable,
        partners::accounts_are_as_they_were_last_sent,
        partners::sites_belong_to_accounts_and_are_read_either_way,
        partners::the_same_content_is_delivered_once,
        rules::an_edition_of_a_pack_adds_changes_deletes_and_revives,
        rules::packs_share_signals_and_no_fingerprints,
        rules::packs_that_load_at_once_each_load_whole,
        rules::rules_that_come_back_get_their_old_version,
        rules::the_same_pack_again_changes_nothing,
        rules::what_a_person_disabled_stays_disabled,
        runs::a_run_ends_once_and_takes_its_stages_along,
        runs::a_run_goes_through_its_stages,
        runs::a_silent_run_elsewhere_is_interrupted_only_after_its_time,
        runs::a_stage_that_is_not_there_is_named,
        runs::runs_are_listed_newest_first_by_round_and_job,
        runs::runs_of_dead_processes_are_interrupted,
        runs::runs_that_start_at_once_get_numbers_in_a_row,
        sessions::a_broken_rule_is_a_conflict_that_no_retry_mends,
        sessions::a_failed_step_takes_the_whole_transaction_back,
        sessions::a_missing_table_says_what_to_do,
        sessions::a_step_that_must_change_rows_guards_those_after_it,
        sessions::answers_come_in_the_order_of_the_parameter_sets,
        sessions::the_wrong_number_of_parameters_is_a_defect,
        sessions::thousands_of_queries_at_once_each_get_their_own_rows,
        statistics::changes_and_second_vendors_are_counted_by_what_they_are,
        statistics::sites_pages_and_products_are_counted_once,
        statistics::the_rules_that_were_put_in_force_last_come_first,
        values::each_type_comes_back_as_it_went,
        values::nothing_comes_back_as_nothing,
        values::parameters_are_bound_by_their_number,
        values::what_cannot_be_stored_is_refused_by_name,
    ];
    // behind PgBouncer a server's process belongs to nobody, and ending one that is idle would hit another test
    let directly = tests![cuts::a_connection_that_died_while_idle_is_replaced_unseen];
    let on_servers = tests![
        cuts::a_cut_connection_is_worth_a_retry_and_the_next_call_works,
        cuts::a_query_that_nobody_waits_for_harms_no_other,
        cuts::a_slow_statement_times_out,
        cuts::settings_of_a_transaction_do_not_outlive_it,
        migrations::text_that_is_paged_over_is_in_byte_order,
    ];
    let on_files = tests![
        cuts::a_file_that_another_process_writes_is_waited_for,
        cuts::a_folder_that_is_not_there_is_named,
        cuts::a_file_that_is_no_catalog_is_refused,
    ];
    let mut trials = Vec::new();
    for backend in Backend::ALL {
        let own: &[&[(&str, Test)]] = match backend {
            Backend::Sqlite => &[&on_files],
            Backend::Postgres => &[&on_servers, &directly],
            Backend::PgBouncer => &[&on_servers],
        };
        for (name, test) in everywhere.iter().chain(own.iter().copied().flatten()) {
            trials.push(trial(backend, name, *test));
        }
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
            Err(format!("REQUIRE_SERVICES=1 and {reason}").into())
        }
        Err(reason) => Ok(Completion::ignored_with(reason)),
    })
}
