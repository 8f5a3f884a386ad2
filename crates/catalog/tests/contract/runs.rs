//! Is every run accounted for, even one whose process died?

use std::time::Duration;

use catalog::{
    Catalog, ErrorKind, Process,
    runs::{self, Ending, Filter, NewRun, RunStatus, StageStatus},
};
use domain::RoundId;
use serde_json::json;

use crate::place::{NOW, Place};

const MINUTE: Duration = Duration::from_secs(60);

fn process(boot_id: &str, pid: i64) -> Process {
    Process { host: "north".into(), boot_id: boot_id.into(), pid, pid_started: 5 }
}

fn new_run(round: Option<&str>, job: &str, process: Process) -> NewRun {
    NewRun {
        round: round.map(|round| round.parse::<RoundId>().unwrap()),
        job: job.into(),
        parameters: json!({"list": "sites.csv", "limit": null}),
        process,
        stages: vec!["enlist".into(), "crawl".into()],
    }
}

fn ending(status: RunStatus) -> Ending {
    Ending { status, outcome: "as told".into(), exit_code: 1, counts: json!({"captured": 9}) }
}

async fn start(catalog: &Catalog, round: Option<&str>, job: &str) -> i64 {
    runs::start(catalog, &new_run(round, job, process("boot 1", 1)), NOW).await.unwrap()
}

async fn stage_statuses(catalog: &Catalog, run: i64) -> Vec<(String, StageStatus)> {
    runs::stages(catalog, run).await.unwrap().into_iter().map(|stage| (stage.stage, stage.status)).collect()
}

pub async fn a_run_goes_through_its_stages(place: Place) {
    let catalog = place.migrated().await;
    let run = start(&catalog, Some("2026-11"), "crawl").await;
    let at = |minutes: u32| NOW.after(MINUTE * minutes);
    runs::stage_started(&catalog, run, "enlist", at(1)).await.unwrap();
    runs::stage_ended(&catalog, run, "enlist", StageStatus::Done, &json!({"lines": 5}), at(2)).await.unwrap();
    runs::stage_started(&catalog, run, "crawl", at(3)).await.unwrap();
    assert!(runs::heartbeat(&catalog, run, &json!({"captured": 3}), at(4)).await.unwrap());

    let found = runs::get(&catalog, run).await.unwrap().unwrap();
    assert_eq!((found.id, found.job.as_str(), found.status), (1, "crawl", RunStatus::Running));
    assert_eq!(found.round, Some("2026-11".parse().unwrap()));
    assert_eq!(found.parameters, json!({"list": "sites.csv", "limit": null}));
    assert_eq!(found.counts, json!({"captured": 3}));
    assert_eq!(found.process, process("boot 1", 1));
    assert_eq!((found.started_at, found.heartbeat_at, found.ended_at), (NOW, at(4), None));

    let stages = runs::stages(&catalog, run).await.unwrap();
    assert_eq!(
        (stages[0].position, stages[0].stage.as_str(), stages[0].status),
        (0, "enlist", StageStatus::Done)
    );
    assert_eq!(stages[0].counts, json!({"lines": 5}));
    assert_eq!((stages[0].started_at, stages[0].ended_at), (Some(at(1)), Some(at(2))));
    assert_eq!(
        (stages[1].position, stages[1].stage.as_str(), stages[1].status),
        (1, "crawl", StageStatus::Running)
    );
    assert_eq!(runs::get(&catalog, 77).await.unwrap(), None);
}

pub async fn a_run_ends_once_and_takes_its_stages_along(place: Place) {
    let catalog = place.migrated().await;
    let run = start(&catalog, None, "crawl").await;
    runs::stage_started(&catalog, run, "enlist", NOW).await.unwrap();
    runs::finish(&catalog, run, &ending(RunStatus::Aborted), NOW.after(MINUTE)).await.unwrap();
    let found = runs::get(&catalog, run).await.unwrap().unwrap();
    assert_eq!((found.status, found.exit_code), (RunStatus::Aborted, Some(1)));
    assert_eq!((found.outcome.as_deref(), found.counts), (Some("as told"), json!({"captured": 9})));
    assert_eq!(found.ended_at, Some(NOW.after(MINUTE)));
    let stages = [("enlist".to_owned(), StageStatus::Failed), ("crawl".to_owned(), StageStatus::Pending)];
    assert_eq!(stage_statuses(&catalog, run).await, stages);

    let again = runs::finish(&catalog, run, &ending(RunStatus::Done), NOW).await.unwrap_err();
    assert_eq!(again.kind(), ErrorKind::Conflict);
    assert!(again.to_string().starts_with("run 1 is not running and cannot be ended as done"), "{again}");
    assert!(!runs::heartbeat(&catalog, run, &json!({}), NOW).await.unwrap());
    assert_eq!(runs::get(&catalog, run).await.unwrap().unwrap().status, RunStatus::Aborted);
    let next = start(&catalog, None, "crawl").await;
    let unending = runs::finish(&catalog, next, &ending(RunStatus::Running), NOW).await;
    assert_eq!(unending.unwrap_err().kind(), ErrorKind::Conflict, "a run ended as running");
}

pub async fn a_stage_that_is_not_there_is_named(place: Place) {
    let catalog = place.migrated().await;
    let run = start(&catalog, None, "crawl").await;
    let error = runs::stage_started(&catalog, run, "export", NOW).await.unwrap_err();
    assert_eq!(error.to_string(), "run 1 has no stage `export`");
    let error =
        runs::stage_ended(&catalog, run, "crawl", StageStatus::Done, &json!({}), NOW).await.unwrap_err();
    assert_eq!(error.to_string(), "stage `crawl` of run 1 is not running");
}

pub async fn runs_that_start_at_once_get_numbers_in_a_row(place: Place) {
    place.migrated().await;
    let mut tasks = Vec::new();
    for _ in 0..16 {
        let catalog = place.open().await;
        tasks.push(tokio::spawn(async move { start(&catalog, None, "crawl").await }));
    }
    let mut numbers = Vec::new();
    for task in tasks {
        numbers.push(task.await.unwrap());
    }
    numbers.sort_unstable();
    assert_eq!(numbers, (1..=16).collect::<Vec<_>>());
}

pub async fn runs_are_listed_newest_first_by_round_and_job(place: Place) {
    let catalog = place.migrated().await;
    for (round, job) in [(Some("a"), "crawl"), (Some("b"), "crawl"), (Some("a"), "export"), (None, "crawl")] {
        start(&catalog, round, job).await;
    }
    let a: RoundId = "a".parse().unwrap();
    let listed = async |filter: Filter<'_>, limit: u32| {
        let found = runs::list(&catalog, filter, limit).await.unwrap();
        found.iter().map(|run| run.id).collect::<Vec<_>>()
    };
    assert_eq!(listed(Filter::default(), 9).await, [4, 3, 2, 1]);
    assert_eq!(listed(Filter::default(), 2).await, [4, 3]);
    assert_eq!(listed(Filter { round: Some(&a), job: None }, 9).await, [3, 1]);
    assert_eq!(listed(Filter { round: None, job: Some("crawl") }, 9).await, [4, 2, 1]);
    let one = runs::latest(&catalog, Filter { round: Some(&a), job: Some("crawl") }).await.unwrap().unwrap();
    assert_eq!(one.id, 1);
    let none = runs::latest(&catalog, Filter { round: Some(&a), job: Some("demo") }).await.unwrap();
    assert_eq!(none, None);
}

pub async fn runs_of_dead_processes_are_interrupted(place: Place) {
    let catalog = place.migrated().await;
    for pid in 1..=3 {
        let run = new_run(None, "crawl", process("boot 1", pid));
        let run = runs::start(&catalog, &run, NOW).await.unwrap();
        runs::stage_started(&catalog, run, "enlist", NOW).await.unwrap();
    }
    runs::finish(&catalog, 3, &ending(RunStatus::Done), NOW).await.unwrap();
    let here = process("boot 1", 9);
    let all_but_one = |process: &Process| process.pid != 1;
    let long_after = NOW.after(MINUTE * 600);
    let marked = runs::mark_interrupted(&catalog, &here, &all_but_one, MINUTE, long_after).await.unwrap();
    assert_eq!(marked.iter().map(|run| run.id).collect::<Vec<_>>(), [2]);
    let interrupted = runs::get(&catalog, 2).await.unwrap().unwrap();
    assert_eq!((interrupted.status, interrupted.ended_at), (RunStatus::Interrupted, Some(long_after)));
    assert_eq!(interrupted.outcome.as_deref(), Some("process 2 on north ended without a word"));
    assert_eq!(stage_statuses(&catalog, 2).await[0].1, StageStatus::Failed);
    for (run, status) in [(1, RunStatus::Running), (3, RunStatus::Done)] {
        assert_eq!(runs::get(&catalog, run).await.unwrap().unwrap().status, status);
    }
    let again = runs::mark_interrupted(&catalog, &here, &all_but_one, MINUTE, long_after).await.unwrap();
    assert!(again.is_empty());
}

pub async fn a_silent_run_elsewhere_is_interrupted_only_after_its_time(place: Place) {
    let catalog = place.migrated().await;
    let elsewhere = new_run(None, "crawl", process("boot 2", 1));
    let run = runs::start(&catalog, &elsewhere, NOW).await.unwrap();
    assert!(runs::heartbeat(&catalog, run, &json!({}), NOW.after(MINUTE)).await.unwrap());
    let here = process("boot 1", 9);
    let dead = |_: &Process| true;
    for (minutes, interrupted) in [(2, 0), (4, 0), (5, 1)] {
        let now = NOW.after(MINUTE * minutes);
        let marked = runs::mark_interrupted(&catalog, &here, &dead, MINUTE * 3, now).await.unwrap();
        assert_eq!(marked.len(), interrupted, "after {minutes} minutes");
    }
    let outcome = runs::get(&catalog, run).await.unwrap().unwrap().outcome.unwrap();
    assert_eq!(outcome, "no sign of life from north since 2023-11-14T22:14:20.000Z");
    assert!(!runs::heartbeat(&catalog, run, &json!({}), NOW).await.unwrap(), "an interrupted run beat again");
}
