//! How is a list crawled, politely and exactly once?

mod dispatch;
mod enlist;
mod gather;
mod hands;
mod progress;
mod robots_notes;
mod show;
mod verdict;
mod visit;
mod wiring;
mod writer;

use std::{io::IsTerminal, path::PathBuf, sync::Arc};

use anyhow::{Context, Result, bail};
use catalog::{Catalog, robots::RobotsMemory, runs::RunStatus};
use domain::{Moment, RoundId};
use fetch::Fetcher;
use frontier::{
    enlist::Enlisted,
    schedule::{Frontier, Politeness, Report, RobotsAnswer},
};
use serde_json::json;
use tokio::sync::{mpsc, watch};

pub use progress::{Progress, Status, WorstHost};
pub use wiring::{fetch_settings, normal_rules, politeness, source_options};

use super::{Job, JobOutcome, kernel::Stop, start_logging};
use crate::{
    clock::Clock,
    exit::Exit,
    explain::explain,
    round::{Books, Checkpoint, Ledger, RoundFolder, Tally, prove},
    settings::{Settings, Thresholds},
};
use dispatch::{Dispatcher, recall_hosts};
use gather::Ended;
use hands::Hands;
use robots_notes::RobotsNotes;
use show::Show;
use visit::Visitor;
use writer::Writer;

/// No delay is longer: a crawl-delay is capped at a day.
const LONGEST_DELAY: std::time::Duration = std::time::Duration::from_secs(25 * 3_600);

/// The file that says how a running crawl goes.
pub const STATUS_FILE: &str = "status.json";

/// What comes back to the dispatcher.
pub enum Message {
    /// A request was answered and its target has not ended; a robots.txt may be worth remembering.
    Reported(Box<Report>, Option<RobotsMemory>),
    /// These completions are in the log.
    Ended(Vec<Ended>),
    /// What the catalog remembers of robots.txt.
    Recalled(Vec<(String, Option<(RobotsAnswer, Moment)>)>),
    /// The log cannot be written any more.
    WriterFailed(String),
}

/// What is to be crawled, and how.
pub struct CrawlPlan {
    /// The round.
    pub folder: RoundFolder,
    /// The list: a path, or `-`.
    pub list: String,
    /// The settings.
    pub settings: Settings,
    /// Reads the settings again, on SIGHUP.
    pub reload: Box<dyn Fn() -> Result<Settings> + Send>,
    /// Whether to draw a progress bar; otherwise a line now and then.
    pub quiet: bool,
}

/// What a crawl came to.
#[derive(Debug)]
pub struct CrawlReport {
    /// The round.
    pub round: RoundId,
    /// The round's folder.
    pub folder: PathBuf,
    /// What the list held.
    pub enlisted: Enlisted,
    /// How the targets ended.
    pub tally: Tally,
    /// The proof, if the round was finished.
    pub ledger: Option<Ledger>,
    /// How the job ended.
    pub outcome: JobOutcome,
}

/// Runs the stages of a round from wherever it stands to its end, or until it is stopped.
pub async fn run(plan: CrawlPlan, catalog: Catalog, clock: Clock) -> Result<CrawlReport> {
    let CrawlPlan { folder, list, settings, reload, quiet } = plan;
    raise_file_limit();
    let parameters = json!({ "list": list, "round": folder.round });
    let mut job =
        Job::start(catalog, clock, "crawl", &folder.round, &["enlist", "crawl", "ledger"], parameters)
            .await?;
    if let Some(hours) = settings.crawl.deadline_hours {
        job.stop_after(std::time::Duration::from_secs_f64(hours * 3_600.0));
    }
    // from the start: a SIGHUP that nobody listens for ends a process
    let reloads = listen_for_reload(reload)?;
    // the folder is touched only by who holds the lock
    let show = Show::new(&folder, std::io::stderr().is_terminal() && !quiet, quiet);
    let worked = work(&job, &folder, &list, &settings, reloads, clock, show).await;
    match worked {
        Ok((enlisted, tally, ledger)) => {
            let outcome = outcome_of(&tally, ledger.as_ref(), job.stopped(), &settings.crawl.thresholds);
            job.finish(&outcome).await?;
            tracing::info!(outcome = outcome.words, "crawl ended");
            let (round, folder) = (folder.round.clone(), folder.path().to_owned());
            Ok(CrawlReport { round, folder, enlisted, tally, ledger, outcome })
        }
        Err(error) => {
            let words = explain(&error);
            tracing::error!(error = words, "crawl failed");
            let failed =
                JobOutcome { status: RunStatus::Failed, exit: Exit::CouldNotRun, words, counts: json!({}) };
            // the first error is the one to show
            let _ = job.finish(&failed).await;
            Err(error)
        }
    }
}

async fn work(
    job: &Job,
    folder: &RoundFolder,
    list: &str,
    settings: &Settings,
    reloads: watch::Receiver<Option<Politeness>>,
    clock: Clock,
    mut show: Show,
) -> Result<(Enlisted, Tally, Option<Ledger>)> {
    begin(folder, list, clock.now())?;
    let enlisted = job.stage("enlist", run_enlist(job, folder, list, settings, &mut show)).await?;
    if job.stopped().is_some() {
        return Ok((enlisted, Tally::default(), None));
    }
    start_logging(&folder.logs(), "crawl", &settings.logs)?;
    let crawl = run_crawl(job, folder, &enlisted, settings, reloads, clock, show);
    let (tally, mut show) = job.stage("crawl", crawl).await?;
    if tally.ended() < enlisted.targets {
        return Ok((enlisted, tally, None));
    }
    start_logging(&folder.logs(), "ledger", &settings.logs)?;
    let ledger = job.stage("ledger", run_ledger(folder, &mut show)).await?;
    folder.note_ledger(&ledger)?;
    Ok((enlisted, tally, Some(ledger)))
}

async fn run_enlist(
    job: &Job,
    folder: &RoundFolder,
    list: &str,
    settings: &Settings,
    show: &mut Show,
) -> Result<(Enlisted, serde_json::Value)> {
    start_logging(&folder.logs(), "enlist", &settings.logs)?;
    let enlisted = match folder.enlisted()? {
        Some(enlisted) => enlisted,
        None => {
            let (bar, stop) = (show.enlisting(), job.handle().stop_signal());
            let (list, folder, settings) = (list.to_owned(), folder.clone(), settings.clone());
            let enlisting = move || -> Result<Enlisted> {
                let stopped = || stop.borrow().is_some();
                let enlisted = enlist::enlist(&list, &folder, &settings, |now| bar.show(&now), stopped)?;
                if let Some(enlisted) = &enlisted {
                    folder.note_enlisted(enlisted)?;
                }
                Ok(enlisted.unwrap_or_default())
            };
            tokio::task::spawn_blocking(enlisting).await.context("enlisting panicked")??
        }
    };
    let counts = serde_json::to_value(&enlisted)?;
    tracing::info!(%counts, "list enlisted");
    Ok((enlisted, counts))
}

async fn run_crawl(
    job: &Job,
    folder: &RoundFolder,
    enlisted: &Enlisted,
    settings: &Settings,
    reloads: watch::Receiver<Option<Politeness>>,
    clock: Clock,
    show: Show,
) -> Result<((Tally, Show), serde_json::Value)> {
    // only a finished round's segments are put away, and then there is nothing left to crawl
    if !blobs::segment::list(&folder.processed())?.is_empty() {
        let tally = Checkpoint::read(folder)?.map(|checkpoint| checkpoint.tally).unwrap_or_default();
        let counts = serde_json::to_value(&tally)?;
        return Ok(((tally, show), counts));
    }
    let now = clock.now();
    let (limits, commit) = wiring::segment_rules(&settings.segments);
    let books = Books::open(folder, limits)?;
    let politeness = wiring::politeness(settings);
    let robots_ttl = politeness.robots_ttl;
    let handle = job.handle();
    forget_what_is_old(handle.catalog(), robots_ttl, now).await?;
    let memories = recall_hosts(handle.catalog(), now).await?;
    let queue = folder.queue();
    let frontier = Frontier::open(&queue, books.front().clone(), politeness, memories, now, now.0 as u64)
        .with_context(|| format!("cannot open {}", queue.display()))?;
    let progress = Progress::new(enlisted.targets, books.tally().clone(), now);
    let (messages, arriving) = mpsc::unbounded_channel();
    let (writer, log_thread) = Writer::start(books, commit, messages.clone())?;
    let robots = Arc::new(RobotsNotes::default());
    let visitor = Arc::new(Visitor {
        fetcher: Fetcher::new(wiring::fetch_settings(settings)?)?,
        gate: frontier.address_gate(),
        rules: wiring::verdict_rules(&settings.crawl),
        writer: writer.clone(),
        robots: Arc::clone(&robots),
        messages: messages.clone(),
        clock,
    });
    let dispatcher = Dispatcher {
        frontier,
        robots,
        hands: Hands::new(visitor),
        writer,
        own_messages: messages,
        messages: arriving,
        job: handle,
        progress,
        thresholds: settings.crawl.thresholds.clone(),
        robots_ttl,
        clock,
        reloads,
        queue,
        settling: 0,
        to_remember: Vec::new(),
        warned: false,
    };
    // on a worker: the main thread would have to be woken for each message
    let dispatched = tokio::spawn(dispatcher.run(show)).await.context("the dispatcher panicked");
    // the dispatcher and its hands held the last ways to the log, so its thread has ended or is about to; nothing may
    // be written any more when the lock is given back, however the crawl went
    let logged = tokio::task::spawn_blocking(|| writer::join(log_thread)).await.context("the log panicked");
    let (progress, mut show) = dispatched??;
    let books = logged??;
    show.done();
    let finished = progress.tally().ended() == enlisted.targets;
    let tally = if finished { books.close()? } else { books.leave()? };
    let counts = serde_json::to_value(&tally)?;
    Ok(((tally, show), counts))
}

async fn run_ledger(folder: &RoundFolder, show: &mut Show) -> Result<(Ledger, serde_json::Value)> {
    let (folder, bar) = (folder.clone(), show.proving());
    let proving = move || prove(&folder, |read, all| bar.segments(read, all));
    let ledger = tokio::task::spawn_blocking(proving).await.context("the ledger panicked")??;
    let counts =
        json!({ "lines": ledger.lines, "explained": ledger.explained(), "balanced": ledger.balanced });
    Ok((ledger, counts))
}

async fn forget_what_is_old(catalog: &Catalog, robots_ttl: std::time::Duration, now: Moment) -> Result<()> {
    let before =
        |age: std::time::Duration| Moment(now.0 - i64::try_from(age.as_millis()).unwrap_or(i64::MAX));
    catalog::robots::forget_older(catalog, before(robots_ttl)).await?;
    // a request that was under way at a crash is remembered for as long as any delay may last
    catalog::hosts::forget_expired(catalog, before(LONGEST_DELAY)).await?;
    Ok(())
}

fn listen_for_reload(
    reload: Box<dyn Fn() -> Result<Settings> + Send>,
) -> Result<watch::Receiver<Option<Politeness>>> {
    use tokio::signal::unix::{SignalKind, signal};
    let mut hangups = signal(SignalKind::hangup()).context("cannot listen for SIGHUP")?;
    let (tell, told) = watch::channel(None);
    tokio::spawn(async move {
        while hangups.recv().await.is_some() {
            match reload() {
                Ok(settings) => {
                    if tell.send(Some(wiring::politeness(&settings))).is_err() {
                        return;
                    }
                }
                Err(error) => tracing::error!(error = explain(&error), "the old politeness stays"),
            }
        }
    });
    Ok(told)
}

fn outcome_of(
    tally: &Tally,
    ledger: Option<&Ledger>,
    stopped: Option<Stop>,
    thresholds: &Thresholds,
) -> JobOutcome {
    let counts = serde_json::to_value(tally).unwrap_or_default();
    let percent = tally.failure_percent();
    let high = tally.ended() >= thresholds.minimum_targets && percent >= thresholds.high_failure_percent;
    let (status, exit, words) = match (ledger, stopped) {
        (Some(ledger), _) if !ledger.balanced => {
            let words = format!("the books do not balance: {}", ledger.problems.join("; "));
            (RunStatus::Failed, Exit::Findings, words)
        }
        (Some(_), _) if high => {
            let words = format!("done, but {percent:.1} % of the targets failed");
            (RunStatus::Done, Exit::Findings, words)
        }
        (Some(_), _) => (RunStatus::Done, Exit::Done, "done".to_owned()),
        (None, Some(stop @ Stop::Threshold(_))) => (RunStatus::Aborted, Exit::Findings, stop.to_string()),
        (None, Some(stop @ Stop::Deadline)) => (RunStatus::Interrupted, Exit::Findings, stop.to_string()),
        (None, Some(stop)) => (RunStatus::Interrupted, Exit::CouldNotRun, stop.to_string()),
        (None, None) => {
            let words = "ended before its targets did: this is a defect of canvass".to_owned();
            (RunStatus::Failed, Exit::CouldNotRun, words)
        }
    };
    JobOutcome { status, exit, words, counts }
}

/// Thousands of connections need thousands of descriptors; the soft limit is often 1,024.
fn raise_file_limit() {
    if let Err(error) = rlimit::increase_nofile_limit(u64::MAX) {
        tracing::warn!(%error, "the limit of open files stays as it is");
    }
}

/// Refuses a list that is needed and not there, before anything is made or locked.
pub fn check_list(folder: &RoundFolder, list: &str) -> Result<()> {
    // once it is enlisted the queue is the list, and the file may be gone
    let needed = list != "-" && folder.enlisted()?.is_none();
    if needed && !std::path::Path::new(list).is_file() {
        bail!("no list at `{list}`: give a CSV or text file, or `-` for standard input");
    }
    Ok(())
}

/// Makes the round's folder ready for its list: standard input is copied, so that the round can be continued.
fn begin(folder: &RoundFolder, list: &str, now: Moment) -> Result<()> {
    if folder.origin()?.is_some() {
        return Ok(());
    }
    std::fs::create_dir_all(folder.path())
        .with_context(|| format!("cannot make {}", folder.path().display()))?;
    if list == "-" {
        enlist::spool(std::io::stdin().lock(), folder)?;
    }
    folder.begin(list, now)?;
    Ok(())
}
