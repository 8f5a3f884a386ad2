//! What does every job do, whatever it does?
//!
//! It never overlaps itself, it leaves a row in `runs` with its stages, it gives signs of life, it can be asked to stop,
//! and it says how it ended.

use std::{sync::Arc, time::Duration};

use anyhow::{Context, Result, bail};
use catalog::{
    Catalog, OpenOptions, Process, ThisMachine,
    locks::{self, AcquireError, Claim, Held},
    runs::{self, Ending, NewRun, RunStatus, StageStatus},
};
use domain::{Moment, RoundId};
use serde_json::Value as Json;
use tokio::{
    sync::watch,
    task::JoinHandle,
    time::{MissedTickBehavior, interval},
};

use crate::{clock::Clock, exit::Exit, explain::explain, settings::Storage};

/// A lock that is not renewed for this long is free: long enough for a database to restart.
const LOCK_TTL: Duration = Duration::from_secs(120);
const BEAT: Duration = Duration::from_secs(5);

/// Opens the catalog of the settings, and refuses one whose schema is not this program's. It makes nothing.
pub async fn open_catalog(storage: &Storage) -> Result<Catalog> {
    let file = storage.default_catalog();
    if storage.metadata_db_url.is_none() && !file.exists() {
        bail!("there is no catalog at {} yet: run `canvass migrate`", file.display());
    }
    let catalog = connect_catalog(storage).await?;
    catalog.check_schema().await?;
    Ok(catalog)
}

/// Opens the catalog of the settings, whatever its schema; makes it if there is none.
pub async fn connect_catalog(storage: &Storage) -> Result<Catalog> {
    let data_dir = &storage.data_dir;
    std::fs::create_dir_all(data_dir).with_context(|| format!("cannot make {}", data_dir.display()))?;
    let url = storage.catalog_url();
    let options = OpenOptions {
        max_connections: storage.max_connections as usize,
        statement_timeout: storage.statement_timeout_seconds.duration(),
        lock_timeout: storage.lock_timeout_seconds.duration(),
        schema: storage.schema.clone(),
        ..OpenOptions::default()
    };
    Catalog::open(url.expose(), options).await.context("cannot open the catalog (`storage.metadata_db_url`)")
}

/// Why a job is to stop before its end.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Stop {
    /// A person or a supervisor asked.
    Signal(&'static str),
    /// Its time was up.
    Deadline,
    /// Somebody else holds its lock.
    LockLost,
    /// Too much failed.
    Threshold(String),
}

impl std::fmt::Display for Stop {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Stop::Signal(name) => write!(f, "stopped by {name}"),
            Stop::Deadline => f.write_str("stopped at its deadline"),
            Stop::LockLost => f.write_str("stopped because another process took its lock"),
            Stop::Threshold(what) => write!(f, "aborted: {what}"),
        }
    }
}

/// A job that is running.
pub struct Job {
    catalog: Catalog,
    clock: Clock,
    run: i64,
    held: Held,
    counts: Arc<watch::Sender<Json>>,
    stop: Arc<watch::Sender<Option<Stop>>>,
    background: Vec<JoinHandle<()>>,
}

/// What the work of a job may ask and tell; it can be sent to where the work is done.
#[derive(Clone)]
pub struct JobHandle {
    catalog: Catalog,
    counts: Arc<watch::Sender<Json>>,
    stop: Arc<watch::Sender<Option<Stop>>>,
}

impl JobHandle {
    /// The catalog.
    #[must_use]
    pub fn catalog(&self) -> &Catalog {
        &self.catalog
    }

    /// Hears when the job is to stop.
    #[must_use]
    pub fn stop_signal(&self) -> watch::Receiver<Option<Stop>> {
        self.stop.subscribe()
    }

    /// Asks the job to stop; the first reason stays.
    pub fn request_stop(&self, reason: Stop) {
        request(&self.stop, reason);
    }

    /// Says what was counted; the next sign of life carries it.
    pub fn note_counts(&self, counts: Json) {
        self.counts.send_replace(counts);
    }
}

/// How a job ended.
#[derive(Debug, Clone)]
pub struct JobOutcome {
    /// What `runs` says.
    pub status: RunStatus,
    /// The exit code.
    pub exit: Exit,
    /// In words.
    pub words: String,
    /// What was counted.
    pub counts: Json,
}

impl Job {
    /// Takes the job's lock and starts its run. Fails if it is running already, naming who runs it and since when.
    pub async fn start(
        catalog: Catalog,
        clock: Clock,
        name: &str,
        round: &RoundId,
        stages: &[&str],
        parameters: Json,
    ) -> Result<Job> {
        let process = Process::current();
        let now = clock.now();
        for gone in runs::mark_interrupted(&catalog, &process, &ThisMachine, LOCK_TTL, now).await? {
            tracing::warn!(run = gone.id, "an earlier run ended without a word");
        }
        let holder = format!("canvass {name} of round {round}");
        let claim = Claim { name, holder: &holder, process: &process, ttl: LOCK_TTL };
        let held = match locks::acquire(&catalog, claim, now, &ThisMachine).await {
            Ok(held) => held,
            Err(AcquireError::HeldBy(by)) => bail!("{by}"),
            Err(AcquireError::Catalog(error)) => return Err(error.into()),
        };
        let new = NewRun {
            round: Some(round.clone()),
            job: name.to_owned(),
            parameters,
            process,
            stages: stages.iter().map(|&stage| stage.to_owned()).collect(),
        };
        let run = runs::start(&catalog, &new, now).await?;
        let mut job = Job {
            catalog,
            clock,
            run,
            held,
            counts: Arc::new(watch::Sender::new(Json::Object(Default::default()))),
            stop: Arc::new(watch::Sender::new(None)),
            background: Vec::new(),
        };
        job.background.push(tokio::spawn(job.beat()));
        job.background.push(tokio::spawn(listen_for_signals(Arc::clone(&job.stop))?));
        Ok(job)
    }

    /// The run's number.
    #[must_use]
    pub fn run(&self) -> i64 {
        self.run
    }

    /// What the job's work may ask and tell, wherever it runs.
    #[must_use]
    pub fn handle(&self) -> JobHandle {
        JobHandle {
            catalog: self.catalog.clone(),
            counts: Arc::clone(&self.counts),
            stop: Arc::clone(&self.stop),
        }
    }

    /// Why the job was asked to stop, if it was.
    #[must_use]
    pub fn stopped(&self) -> Option<Stop> {
        self.stop.borrow().clone()
    }

    /// Stops the job when `deadline` has passed.
    pub fn stop_after(&mut self, deadline: Duration) {
        let stop = Arc::clone(&self.stop);
        self.background.push(tokio::spawn(async move {
            tokio::time::sleep(deadline).await;
            request(&stop, Stop::Deadline);
        }));
    }

    /// Runs one stage between its two marks in the catalog.
    pub async fn stage<T>(
        &self,
        name: &'static str,
        work: impl Future<Output = Result<(T, Json)>>,
    ) -> Result<T> {
        runs::stage_started(&self.catalog, self.run, name, self.clock.now()).await?;
        let outcome = work.await;
        let (status, counts) = match &outcome {
            Ok((_, counts)) if self.stopped().is_none() => (StageStatus::Done, counts.clone()),
            Ok((_, counts)) => (StageStatus::Failed, counts.clone()),
            Err(_) => (StageStatus::Failed, Json::Object(Default::default())),
        };
        let noted = runs::stage_ended(&self.catalog, self.run, name, status, &counts, self.clock.now()).await;
        let (value, _) = outcome?;
        noted?;
        Ok(value)
    }

    /// Ends the run by what its work came to. `tell` has words for a person where there is something to tell in the end.
    pub async fn conclude<T>(
        self,
        worked: Result<T>,
        counts: Json,
        tell: impl FnOnce(&T) -> Option<String>,
    ) -> Result<(T, JobOutcome)> {
        let (status, exit, words) = match (&worked, self.stopped()) {
            (Err(error), _) => (RunStatus::Failed, Exit::CouldNotRun, explain(error)),
            (Ok(_), Some(stop)) => (RunStatus::Aborted, Exit::CouldNotRun, stop.to_string()),
            (Ok(done), None) => match tell(done) {
                Some(words) => (RunStatus::Done, Exit::Findings, words),
                None => (RunStatus::Done, Exit::Done, "done".to_owned()),
            },
        };
        let outcome = JobOutcome { status, exit, words, counts };
        let finished = self.finish(&outcome).await;
        // the first error is the one to show
        let done = worked?;
        finished?;
        Ok((done, outcome))
    }

    /// Ends the run and gives the lock back.
    pub async fn finish(self, outcome: &JobOutcome) -> Result<()> {
        for task in &self.background {
            task.abort();
        }
        let JobOutcome { status, exit, words, counts } = outcome;
        let ending = Ending {
            status: *status,
            outcome: words.clone(),
            exit_code: *exit as i64,
            counts: counts.clone(),
        };
        let ended = runs::finish(&self.catalog, self.run, &ending, self.clock.now()).await;
        // the lock is given back even if the row could not be written
        locks::release(&self.catalog, &self.held).await?;
        ended?;
        Ok(())
    }

    /// Renews the lock and the sign of life until the job ends.
    fn beat(&self) -> impl Future<Output = ()> + use<> {
        let (catalog, clock, run, held) = (self.catalog.clone(), self.clock, self.run, self.held.clone());
        let (counts, stop) = (Arc::clone(&self.counts), Arc::clone(&self.stop));
        async move {
            let mut ticks = interval(BEAT);
            ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
            let mut renewed_at: Moment = clock.now();
            loop {
                ticks.tick().await;
                let now = clock.now();
                match locks::renew(&catalog, &held, now, LOCK_TTL).await {
                    Ok(true) => renewed_at = now,
                    Ok(false) => return request(&stop, Stop::LockLost),
                    Err(error) if now.since(renewed_at) < LOCK_TTL => {
                        tracing::warn!(%error, "the catalog does not answer");
                        continue;
                    }
                    Err(_) => return request(&stop, Stop::LockLost),
                }
                let seen = counts.borrow().clone();
                if let Err(error) = runs::heartbeat(&catalog, run, &seen, now).await {
                    tracing::warn!(%error, "no sign of life could be written");
                }
            }
        }
    }
}

fn request(stop: &watch::Sender<Option<Stop>>, reason: Stop) {
    stop.send_if_modified(|current| {
        let first = current.is_none();
        if first {
            tracing::info!(%reason, "stopping");
            *current = Some(reason);
        }
        first
    });
}

/// The first signal asks for a graceful stop; a second one ends the process at once, which loses nothing either.
fn listen_for_signals(stop: Arc<watch::Sender<Option<Stop>>>) -> Result<impl Future<Output = ()>> {
    use tokio::signal::unix::{SignalKind, signal};
    let mut interrupt = signal(SignalKind::interrupt()).context("cannot listen for SIGINT")?;
    let mut terminate = signal(SignalKind::terminate()).context("cannot listen for SIGTERM")?;
    Ok(async move {
        loop {
            let name = tokio::select! {
                _ = interrupt.recv() => "SIGINT",
                _ = terminate.recv() => "SIGTERM",
            };
            if stop.borrow().is_some() {
                std::process::exit(Exit::CouldNotRun as i32);
            }
            request(&stop, Stop::Signal(name));
        }
    })
}
