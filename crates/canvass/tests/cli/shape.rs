//! Do all commands keep the same habits?

use std::{collections::BTreeSet, fs, path::Path};

use canvass::{commands::Cli, pipeline::STAGES};
use clap::CommandFactory;
use insta::assert_snapshot;

use crate::program::Home;

/// Every command without subcommands, as it is typed.
pub fn leaves() -> Vec<(String, clap::Command)> {
    every_command().into_iter().filter(|(_, command)| !command.has_subcommands()).collect()
}

/// Every command, as it is typed, the program itself first.
pub fn every_command() -> Vec<(String, clap::Command)> {
    let mut found = Vec::new();
    walk("canvass".to_owned(), Cli::command(), &mut found);
    found
}

fn walk(typed: String, command: clap::Command, found: &mut Vec<(String, clap::Command)>) {
    let below: Vec<_> = command.get_subcommands().cloned().collect();
    found.push((typed.clone(), command));
    for command in below {
        walk(format!("{typed} {}", command.get_name()), command, found);
    }
}

#[test]
fn every_command_that_prints_results_can_print_them_as_json() {
    let without: Vec<_> = leaves()
        .into_iter()
        .filter(|(_, command)| !command.get_arguments().any(|argument| argument.get_long() == Some("json")))
        .map(|(typed, _)| typed)
        .collect();
    // the first writes bytes as they were fetched, the others print nothing but JSON
    assert_eq!(without, ["canvass segments cat", "canvass segments body", "canvass config schema"]);
}

#[test]
fn every_command_and_argument_says_what_it_is() {
    for (typed, command) in every_command() {
        assert!(command.get_about().is_some(), "{typed} says nothing");
        for argument in command.get_arguments() {
            assert!(argument.get_help().is_some(), "{typed} says nothing of {}", argument.get_id());
        }
    }
}

#[test]
fn every_stage_is_run_by_a_command_of_its_verb() {
    let commands: BTreeSet<String> = leaves().into_iter().map(|(typed, _)| typed).collect();
    for stage in STAGES {
        assert!(commands.contains(&format!("canvass {}", stage.verb)), "no command runs {}", stage.name);
    }
}

#[test]
fn the_job_runs_the_stages_of_the_table_in_their_order() {
    let jobs = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/jobs");
    let mut verbs: Vec<&str> = STAGES.iter().map(|stage| stage.verb).collect();
    verbs.dedup();
    let mut run = Vec::new();
    for verb in verbs {
        // the ledger is a stage of the crawl, and a command that is no job
        let files = [jobs.join(verb).join("mod.rs"), jobs.join(format!("{verb}.rs"))];
        let Some(job) = files.iter().find_map(|file| fs::read_to_string(file).ok()) else { continue };
        run.extend(job.split(".stage(\"").skip(1).map(|after| after.split('"').next().unwrap().to_owned()));
    }
    let planned: Vec<&str> = STAGES.iter().map(|stage| stage.name).collect();
    assert_eq!(run, planned);
}

#[test]
fn a_slip_is_answered_with_what_was_meant() {
    let home = Home::empty();
    assert_snapshot!(home.run(&["crwal", "list.csv"]), @"
    ! error: unrecognized subcommand 'crwal'
    !
    !   tip: a similar subcommand exists: 'crawl'
    !
    ! Usage: canvass [OPTIONS] <COMMAND>
    !
    ! For more information, try '--help'.
    [exit 2]
    ");
    assert_snapshot!(home.run(&["crawl", "--rond", "may"]), @"
    ! error: unexpected argument '--rond' found
    !
    !   tip: a similar argument exists: '--round'
    !
    ! Usage: canvass crawl --round <ID> [LIST]
    !
    ! For more information, try '--help'.
    [exit 2]
    ");
    assert_snapshot!(home.run(&["crawl", "--round", "../up"]), @"
    ! error: invalid value '../up' for '--round <ID>': `../up` is not a round id: use 1 to 64 letters, digits, `-`, `_` or `.`, not starting with `.`
    !
    ! For more information, try '--help'.
    [exit 2]
    ");
    assert_snapshot!(home.run(&["crawl", "list.csv", "--retry-failed"]), @"
    ! error: the argument '[LIST]' cannot be used with '--retry-failed'
    !
    ! Usage: canvass crawl <LIST>
    !
    ! For more information, try '--help'.
    [exit 2]
    ");
}

#[test]
fn settings_that_a_command_does_not_read_are_refused_and_not_passed_over() {
    let home = Home::empty();
    assert_snapshot!(home.run(&["--config", "mine.yaml", "demo"]), @"
    ! error: `canvass demo` writes settings of its own: leave out `--config`
    [exit 2]
    ");
    assert_snapshot!(home.run(&["init", "--set", "crawl.concurrency=8"]), @"
    ! error: `canvass init` reads no settings: leave out `--set`
    [exit 2]
    ");
    assert_snapshot!(home.run(&["sandbox", "serve", "web", "--config", "mine.yaml"]), @"
    ! error: `canvass sandbox` writes settings of its own: leave out `--config`
    [exit 2]
    ");
    assert!(home.names().is_empty(), "{:?}", home.names());
}
