//! Which jobs ran, with what, and how did they end?

use std::time::Duration;

use domain::{Moment, RoundId};
use serde_json::{Value as Json, json};

use crate::{
    Catalog, CatalogError, ErrorKind, Kind, Liveness, Process, Row, Step, Value,
    locks::process_of,
    statements::{
        ADVANCE_COUNTER, BEAT_RUN, END_STAGE, FAIL_RUNNING_STAGES, FINISH_RUN, GET_RUN, INTERRUPT_RUN,
        LIST_RUNNING, LIST_RUNS, LIST_STAGES, PLAN_STAGE, START_RUN, START_STAGE,
    },
};

/// Declares a status with its stable name.
macro_rules! status {
    ($(#[$meta:meta])* $name:ident { $($(#[$vmeta:meta])* $variant:ident = $text:literal),* $(,)? }) => {
        $(#[$meta])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, serde::Serialize)]
        pub enum $name { $($(#[$vmeta])* #[serde(rename = $text)] $variant),* }

        impl $name {
            /// Its stable name, as the table has it.
            #[must_use]
            pub fn name(self) -> &'static str {
                match self { $($name::$variant => $text),* }
            }

            fn from_name(name: &str) -> Option<$name> {
                match name { $($text => Some($name::$variant),)* _ => None }
            }
        }
    };
}

status! {
    /// How a run stands.
    RunStatus {
        /// Its process is at work, as far as is known.
        Running = "running",
        /// It did its work, perhaps with failures below the threshold.
        Done = "done",
        /// It ended with an error.
        Failed = "failed",
        /// It stopped itself: a deadline, a threshold, a signal.
        Aborted = "aborted",
        /// Its process went away without a word.
        Interrupted = "interrupted",
    }
}

status! {
    /// How a stage of a run stands.
    StageStatus {
        /// It has not begun.
        Pending = "pending",
        /// It is being worked on.
        Running = "running",
        /// It is complete.
        Done = "done",
        /// It ended with an error, or with its run.
        Failed = "failed",
    }
}

/// A run that is about to start.
#[derive(Debug, Clone)]
pub struct NewRun {
    /// The round it works on, where it works on one.
    pub round: Option<RoundId>,
    /// The job's name.
    pub job: String,
    /// What it was told to do.
    pub parameters: Json,
    /// The process that runs it.
    pub process: Process,
    /// The names of its stages, in order.
    pub stages: Vec<String>,
}

/// One run.
#[derive(Debug, Clone, PartialEq)]
pub struct Run {
    /// Its number, one higher than that of the run before it.
    pub id: i64,
    /// The round it works on, where it works on one.
    pub round: Option<RoundId>,
    /// The job's name.
    pub job: String,
    /// How it stands.
    pub status: RunStatus,
    /// What it was told to do.
    pub parameters: Json,
    /// What it has counted so far.
    pub counts: Json,
    /// How it ended, in words.
    pub outcome: Option<String>,
    /// The process's exit code.
    pub exit_code: Option<i64>,
    /// The process that runs or ran it.
    pub process: Process,
    /// When it started.
    pub started_at: Moment,
    /// When it last gave a sign of life.
    pub heartbeat_at: Moment,
    /// When it ended.
    pub ended_at: Option<Moment>,
}

/// One stage of a run.
#[derive(Debug, Clone, PartialEq)]
pub struct Stage {
    /// Its name in the pipeline.
    pub stage: String,
    /// Its place in the run, from 0.
    pub position: i64,
    /// How it stands.
    pub status: StageStatus,
    /// What it counted.
    pub counts: Json,
    /// When it began.
    pub started_at: Option<Moment>,
    /// When it ended.
    pub ended_at: Option<Moment>,
}

/// How a run ended.
#[derive(Debug, Clone)]
pub struct Ending {
    /// Anything but `Running`.
    pub status: RunStatus,
    /// How it ended, in words.
    pub outcome: String,
    /// The process's exit code.
    pub exit_code: i64,
    /// What it counted.
    pub counts: Json,
}

/// Which runs are asked for; an empty filter asks for all.
#[derive(Debug, Clone, Copy, Default)]
pub struct Filter<'a> {
    /// Only runs of this round.
    pub round: Option<&'a RoundId>,
    /// Only runs of this job.
    pub job: Option<&'a str>,
}

/// Writes the run as running and its stages as pending, and gives its number.
pub async fn start(catalog: &Catalog, run: &NewRun, now: Moment) -> Result<i64, CatalogError> {
    let NewRun { round, job, parameters, process, stages } = run;
    let Process { host, boot_id, pid, pid_started } = process;
    let parameters: [Value; 9] = [
        Value::optional(round.as_ref().map(RoundId::as_str), Kind::Text),
        job.as_str().into(),
        parameters.clone().into(),
        json!({}).into(),
        host.as_str().into(),
        boot_id.as_str().into(),
        (*pid).into(),
        (*pid_started).into(),
        now.into(),
    ];
    let planned = (0_i64..).zip(stages);
    let planned = planned.map(|(at, stage)| vec![stage.as_str().into(), at.into(), json!({}).into()]);
    let done = catalog
        .transaction(vec![
            Step::once(ADVANCE_COUNTER, ["runs".into()]),
            Step::once(START_RUN, parameters).must_change(1),
            Step::each(PLAN_STAGE, planned.collect()),
        ])
        .await?;
    let started = done.get(1).and_then(|step| step.rows.first());
    started.ok_or_else(|| CatalogError::new(ErrorKind::Defect, "a run started without a number"))?.int("id")
}

/// Marks a stage as running; a stage that ran before runs again.
pub async fn stage_started(
    catalog: &Catalog,
    run: i64,
    stage: &str,
    now: Moment,
) -> Result<(), CatalogError> {
    let done = catalog.run(START_STAGE, [run.into(), stage.into(), now.into()]).await?;
    expect_one(done.changed, || format!("run {run} has no stage `{stage}`"))
}

/// Marks a running stage as done or failed, with what it counted.
pub async fn stage_ended(
    catalog: &Catalog,
    run: i64,
    stage: &str,
    status: StageStatus,
    counts: &Json,
    now: Moment,
) -> Result<(), CatalogError> {
    let parameters = [run.into(), stage.into(), status.name().into(), counts.clone().into(), now.into()];
    let done = catalog.run(END_STAGE, parameters).await?;
    expect_one(done.changed, || format!("stage `{stage}` of run {run} is not running"))
}

/// Writes a sign of life and what was counted so far; `false` if the run has been ended by somebody else.
pub async fn heartbeat(
    catalog: &Catalog,
    run: i64,
    counts: &Json,
    now: Moment,
) -> Result<bool, CatalogError> {
    let done = catalog.run(BEAT_RUN, [run.into(), now.into(), counts.clone().into()]).await?;
    Ok(done.changed == 1)
}

/// Ends a running run; a stage that is still running has failed with it. Refused if the run has ended already.
pub async fn finish(catalog: &Catalog, run: i64, ending: &Ending, now: Moment) -> Result<(), CatalogError> {
    let Ending { status, outcome, exit_code, counts } = ending;
    let parameters: [Value; 6] = [
        run.into(),
        status.name().into(),
        outcome.as_str().into(),
        (*exit_code).into(),
        counts.clone().into(),
        now.into(),
    ];
    let steps = vec![
        Step::once(FINISH_RUN, parameters).must_change(1),
        Step::once(FAIL_RUNNING_STAGES, [run.into(), now.into()]),
    ];
    match catalog.transaction(steps).await {
        Err(error) if error.kind() == ErrorKind::Conflict => {
            Err(error.during(format!("run {run} is not running and cannot be ended as {}", status.name())))
        }
        other => other.map(drop),
    }
}

/// The newest run that fits.
pub async fn latest(catalog: &Catalog, filter: Filter<'_>) -> Result<Option<Run>, CatalogError> {
    Ok(list(catalog, filter, 1).await?.into_iter().next())
}

/// The runs that fit, newest first, at most `limit`.
pub async fn list(catalog: &Catalog, filter: Filter<'_>, limit: u32) -> Result<Vec<Run>, CatalogError> {
    let Filter { round, job } = filter;
    let parameters = [
        Value::optional(round.map(RoundId::as_str), Kind::Text),
        Value::optional(job, Kind::Text),
        limit.into(),
    ];
    catalog.run(LIST_RUNS, parameters).await?.rows.iter().map(run_of).collect()
}

/// The run of this number.
pub async fn get(catalog: &Catalog, run: i64) -> Result<Option<Run>, CatalogError> {
    catalog.run(GET_RUN, [run.into()]).await?.rows.first().map(run_of).transpose()
}

/// A run's stages, in order.
pub async fn stages(catalog: &Catalog, run: i64) -> Result<Vec<Stage>, CatalogError> {
    catalog.run(LIST_STAGES, [run.into()]).await?.rows.iter().map(stage_of).collect()
}

/// Ends as interrupted the runs whose process is gone, and gives them as they were.
///
/// On this machine the process table decides; a run elsewhere is gone when it was silent for longer than
/// `silent_for`. A run that gives a sign of life meanwhile stays.
pub async fn mark_interrupted(
    catalog: &Catalog,
    here: &Process,
    liveness: &dyn Liveness,
    silent_for: Duration,
    now: Moment,
) -> Result<Vec<Run>, CatalogError> {
    let running = catalog.run(LIST_RUNNING, []).await?;
    let mut interrupted = Vec::new();
    for row in &running.rows {
        let run = run_of(row)?;
        let outcome = if here.shares_ids_with(&run.process) {
            if !liveness.is_gone(&run.process) {
                continue;
            }
            format!("process {} on {} ended without a word", run.process.pid, run.process.host)
        } else if now.since(run.heartbeat_at) > silent_for {
            format!("no sign of life from {} since {}", run.process.host, run.heartbeat_at)
        } else {
            continue;
        };
        let parameters = [run.id.into(), run.heartbeat_at.into(), outcome.into(), now.into()];
        let steps = vec![
            Step::once(INTERRUPT_RUN, parameters).must_change(1),
            Step::once(FAIL_RUNNING_STAGES, [run.id.into(), now.into()]),
        ];
        match catalog.transaction(steps).await {
            Ok(_) => interrupted.push(run),
            // it gave a sign of life or ended since it was looked at
            Err(error) if error.kind() == ErrorKind::Conflict => {}
            Err(error) => return Err(error),
        }
    }
    Ok(interrupted)
}

fn expect_one(changed: u64, otherwise: impl Fn() -> String) -> Result<(), CatalogError> {
    if changed == 1 { Ok(()) } else { Err(CatalogError::new(ErrorKind::Conflict, otherwise())) }
}

fn run_of(row: &Row) -> Result<Run, CatalogError> {
    let round = row.text_opt("round")?.map(|round| round.parse::<RoundId>());
    Ok(Run {
        id: row.int("id")?,
        round: round.transpose().map_err(|error| CatalogError::new(ErrorKind::Storage, error.to_string()))?,
        job: row.text("job")?,
        status: row.word("status", RunStatus::from_name)?,
        parameters: row.json("parameters")?,
        counts: row.json("counts")?,
        outcome: row.text_opt("outcome")?,
        exit_code: row.int_opt("exit_code")?,
        process: process_of(row)?,
        started_at: row.moment("started_at")?,
        heartbeat_at: row.moment("heartbeat_at")?,
        ended_at: row.moment_opt("ended_at")?,
    })
}

fn stage_of(row: &Row) -> Result<Stage, CatalogError> {
    Ok(Stage {
        stage: row.text("stage")?,
        position: row.int("position")?,
        status: row.word("status", StageStatus::from_name)?,
        counts: row.json("counts")?,
        started_at: row.moment_opt("started_at")?,
        ended_at: row.moment_opt("ended_at")?,
    })
}
