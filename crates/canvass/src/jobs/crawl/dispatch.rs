//! How does the frontier's work reach the network and come back?
//!
//! One task owns the frontier, so nothing in it is locked. It hands out what is due, waits for what comes back, and
//! before any request leaves it makes durable what must not be forgotten about the host.

use std::{path::PathBuf, sync::Arc, time::Duration};

use anyhow::{Context, Result, bail};
use catalog::{Catalog, hosts, robots};
use domain::{Completion, Moment};
use frontier::schedule::{Event, Frontier, HostMemory, Next, Politeness, Report, RobotsAnswer};
use tokio::{
    sync::{mpsc, watch},
    time::{Instant, MissedTickBehavior, interval, sleep, sleep_until},
};

use super::{
    Message, gather::Ended, hands::Hands, progress::Progress, robots_notes::RobotsNotes, verdict::StoredBody,
    writer::Writer,
};
use crate::{
    clock::Clock,
    jobs::kernel::{JobHandle, Stop},
    settings::Thresholds,
};

/// How many targets may be settled without a request before anything else gets a turn.
const SETTLED_AT_ONCE: usize = 512;
/// How many robots.txt go to or come from the catalog at once: each may have half a megabyte.
const RECALLED_AT_ONCE: usize = 64;
/// How long the catalog may be gone before a crawl that must not forget gives up.
const CATALOG_WAITS: [u64; 4] = [1, 5, 10, 20];

/// What the crawl tells the world about once a second.
pub trait Watcher: Send + 'static {
    /// Takes a reading.
    fn watch(&mut self, progress: &mut Progress, frontier: &Frontier, now: Moment);
    /// Hears of a host that is left alone.
    fn event(&mut self, event: &Event);
    /// Hears of something that a person should look at.
    fn warn(&mut self, words: &str);
}

/// Owns the frontier while a round is crawled.
pub struct Dispatcher {
    /// Decides what is next.
    pub frontier: Frontier,
    /// Carry leases out.
    pub hands: Hands,
    /// What captures still have to tell of their sites' robots.txt.
    pub robots: Arc<RobotsNotes>,
    /// The way to the log, for what ends without a request.
    pub writer: Writer,
    /// The way to itself, for what is asked beside the crawl.
    pub own_messages: mpsc::UnboundedSender<Message>,
    /// What comes back.
    pub messages: mpsc::UnboundedReceiver<Message>,
    /// The job, which may be asked to stop.
    pub job: JobHandle,
    /// The numbers.
    pub progress: Progress,
    /// When too much has failed.
    pub thresholds: Thresholds,
    /// How long a robots.txt is good for.
    pub robots_ttl: Duration,
    /// The time.
    pub clock: Clock,
    /// New politeness, when the settings are read again.
    pub reloads: watch::Receiver<Option<Politeness>>,
    /// Where the queue lies, for messages.
    pub queue: PathBuf,
    /// Completions that are on their way to the log without a request.
    pub settling: usize,
    /// Robots.txt to remember.
    pub to_remember: Vec<robots::RobotsMemory>,
    /// Whether it was said that many targets fail.
    pub warned: bool,
}

impl Dispatcher {
    /// Runs until everything has ended or the job is stopped; then nothing is under way any more.
    pub async fn run<W: Watcher>(mut self, mut watcher: W) -> Result<(Progress, W)> {
        let mut stop = self.job.stop_signal();
        let mut ticks = interval(Duration::from_secs(1));
        ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
        loop {
            let stopping = stop.borrow().is_some();
            let wake = if stopping { None } else { self.hand_out().await? };
            if self.frontier.in_flight() == 0
                && self.settling == 0
                && (stopping || wake == Some(Wake::Drained))
            {
                break;
            }
            let until = match wake {
                Some(Wake::At(at)) => Instant::now() + at.since(self.clock.now()),
                Some(Wake::Now) => Instant::now(),
                _ => Instant::now() + Duration::from_secs(3_600),
            };
            tokio::select! {
                message = self.messages.recv() => {
                    self.take(message.context("the crawl lost its own messages")?)?;
                    while let Ok(message) = self.messages.try_recv() {
                        self.take(message)?;
                    }
                }
                () = sleep_until(until) => {}
                _ = ticks.tick() => {
                    self.tick(&mut watcher).await?;
                    // only here: a round that has ended has nothing left to abort
                    self.judge_failures(&mut watcher);
                }
                _ = stop.changed(), if !stopping => {}
                Ok(()) = self.reloads.changed() => self.reload(),
            }
        }
        self.remember_hosts().await?;
        self.remember_robots().await?;
        self.tick(&mut watcher).await?;
        Ok((self.progress, watcher))
    }

    /// Starts everything that is due.
    async fn hand_out(&mut self) -> Result<Option<Wake>> {
        let mut assignments = Vec::new();
        let mut settled = 0;
        let wake = loop {
            let now = self.clock.now();
            let next =
                self.frontier.lease(now).with_context(|| format!("cannot read {}", self.queue.display()))?;
            match next {
                Next::Go(assignment) => assignments.push(assignment),
                Next::Settle { target, disposition, requests } => {
                    let completion =
                        Completion { target, disposition, requests, ended_at: now, capture: None };
                    self.settling += 1;
                    settled += 1;
                    self.writer.send(completion, StoredBody::none(), None).await;
                    if settled >= SETTLED_AT_ONCE {
                        break Some(Wake::Now);
                    }
                }
                Next::WaitUntil(at) => break Some(Wake::At(at)),
                Next::Busy => break None,
                Next::Drained => break Some(Wake::Drained),
            }
        };
        // a request may leave only when its host's memory would survive our death
        self.remember_hosts().await?;
        if self.to_remember.len() >= RECALLED_AT_ONCE {
            self.remember_robots().await?;
        }
        for assignment in assignments {
            self.hands.start(assignment, self.frontier.in_flight());
        }
        self.recall_robots();
        Ok(wake)
    }

    fn take(&mut self, message: Message) -> Result<()> {
        match message {
            Message::Reported(report, memory) => {
                self.to_remember.extend(memory);
                self.report(*report)
            }
            Message::Ended(batch) => {
                for Ended { completion, body_bytes, report } in batch {
                    self.progress.count(&completion, body_bytes);
                    match report {
                        Some(report) => self.report(report)?,
                        None => self.settling -= 1,
                    }
                }
                Ok(())
            }
            Message::Recalled(answers) => {
                let now = self.clock.now();
                for (origin, answer) in answers {
                    if let Some((RobotsAnswer::Body(body), _)) = &answer {
                        self.robots.note(&origin, body);
                    }
                    self.frontier.robots_recalled(&origin, answer, now);
                }
                Ok(())
            }
            Message::WriterFailed(error) => bail!("the segment log cannot be written: {error}"),
        }
    }

    fn report(&mut self, report: Report) -> Result<()> {
        let now = self.clock.now();
        self.frontier.report(report, now).context("cannot spill redirected targets")
    }

    async fn tick(&mut self, watcher: &mut impl Watcher) -> Result<()> {
        self.remember_hosts().await?;
        self.remember_robots().await?;
        for event in self.frontier.take_events() {
            match &event {
                Event::HostSuspended { host, until } => {
                    tracing::warn!(host, %until, "host suspended: over the error threshold");
                    self.progress.note_suspended(host);
                }
                Event::HostGivenUp { host } => {
                    tracing::warn!(host, "host given up for this round");
                    self.progress.note_suspended(host);
                }
            }
            watcher.event(&event);
        }
        let tally = self.progress.tally();
        self.job.note_counts(serde_json::to_value(tally)?);
        watcher.watch(&mut self.progress, &self.frontier, self.clock.now());
        Ok(())
    }

    fn judge_failures(&mut self, watcher: &mut impl Watcher) {
        let Thresholds { high_failure_percent, abort_failure_percent, minimum_targets } = &self.thresholds;
        let tally = self.progress.tally();
        let percent = tally.failure_percent();
        if tally.ended() < *minimum_targets {
            return;
        }
        let what = format!("{percent:.1} % of {} targets failed (`crawl.thresholds`)", tally.ended());
        if percent >= *abort_failure_percent {
            self.job.request_stop(Stop::Threshold(what));
        } else if percent >= *high_failure_percent && !self.warned {
            self.warned = true;
            tracing::warn!(percent, "many targets fail");
            watcher.warn(&format!("high: {what}"));
        }
    }

    fn reload(&mut self) {
        let Some(politeness) = self.reloads.borrow_and_update().clone() else { return };
        self.robots_ttl = politeness.robots_ttl;
        self.frontier.set_politeness(politeness, self.clock.now());
        tracing::info!("politeness reloaded");
    }

    async fn remember_hosts(&mut self) -> Result<()> {
        let memories = self.frontier.take_memories();
        if memories.is_empty() {
            return Ok(());
        }
        let memories: Vec<_> = memories.into_iter().map(to_catalog).collect();
        let catalog = self.job.catalog().clone();
        let now = self.clock.now();
        patiently(|| hosts::remember(&catalog, &memories, now)).await
    }

    async fn remember_robots(&mut self) -> Result<()> {
        if self.to_remember.is_empty() {
            return Ok(());
        }
        let memories = std::mem::take(&mut self.to_remember);
        let catalog = self.job.catalog().clone();
        patiently(|| robots::remember(&catalog, &memories)).await
    }

    /// Asks the catalog, beside the crawl, what it remembers of the robots.txt that are wanted.
    fn recall_robots(&mut self) {
        let origins = self.frontier.take_recalls();
        if origins.is_empty() {
            return;
        }
        let fresh_after =
            Moment(self.clock.now().0 - i64::try_from(self.robots_ttl.as_millis()).unwrap_or(i64::MAX));
        let (catalog, messages) = (self.job.catalog().clone(), self.own_messages.clone());
        tokio::spawn(async move {
            for some in origins.chunks(RECALLED_AT_ONCE) {
                let answers = recall(&catalog, some, fresh_after).await;
                let _ = messages.send(Message::Recalled(answers));
            }
        });
    }
}

/// When the dispatcher next has something to do by itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Wake {
    At(Moment),
    Now,
    Drained,
}

async fn recall(
    catalog: &Catalog,
    origins: &[String],
    fresh_after: Moment,
) -> Vec<(String, Option<(RobotsAnswer, Moment)>)> {
    let names: Vec<&str> = origins.iter().map(String::as_str).collect();
    let known = robots::recall_many(catalog, &names, fresh_after).await.unwrap_or_else(|error| {
        // asking the site again is polite too
        tracing::warn!(%error, "the catalog does not say what it remembers of robots.txt");
        Vec::new()
    });
    let mut known: std::collections::HashMap<_, _> =
        known.into_iter().map(|memory| (memory.origin.clone(), memory)).collect();
    let answer = |memory: robots::RobotsMemory| {
        let found = (200..300).contains(&memory.status);
        let answer = if found { RobotsAnswer::Body(memory.body) } else { RobotsAnswer::AllowAll };
        (answer, memory.fetched_at)
    };
    origins.iter().map(|origin| (origin.clone(), known.remove(origin).map(answer))).collect()
}

/// Tries a write to the catalog again while it is only away.
async fn patiently<T, F>(write: impl Fn() -> F) -> Result<T>
where
    F: Future<Output = Result<T, catalog::CatalogError>>,
{
    for seconds in CATALOG_WAITS {
        match write().await {
            Err(error) if error.is_retryable() => {
                tracing::warn!(%error, wait_seconds = seconds, "the catalog does not answer; fetching waits");
                sleep(Duration::from_secs(seconds)).await;
            }
            outcome => return outcome.context("cannot write to the catalog"),
        }
    }
    write().await.context("cannot write to the catalog")
}

fn to_catalog(memory: HostMemory) -> hosts::HostMemory {
    let HostMemory { host, last_request_at, next_allowed_at, delay, suspended_until, strikes } = memory;
    hosts::HostMemory {
        host,
        last_request_at,
        next_allowed_at,
        delay_ms: i64::try_from(delay.as_millis()).unwrap_or(i64::MAX),
        suspended_until,
        strikes: i64::from(strikes),
    }
}

/// What the catalog remembers of hosts that may not be asked yet.
pub async fn recall_hosts(catalog: &Catalog, now: Moment) -> Result<Vec<HostMemory>> {
    let known = hosts::recall_resting(catalog, now).await.context("cannot read the hosts' paces")?;
    let memory = |memory: hosts::HostMemory| HostMemory {
        host: memory.host,
        last_request_at: memory.last_request_at,
        next_allowed_at: memory.next_allowed_at,
        delay: Duration::from_millis(u64::try_from(memory.delay_ms).unwrap_or(0)),
        suspended_until: memory.suspended_until,
        strikes: u32::try_from(memory.strikes).unwrap_or(u32::MAX),
    };
    Ok(known.into_iter().map(memory).collect())
}
