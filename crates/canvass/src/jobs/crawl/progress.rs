//! How is the crawl going?

use std::{collections::HashMap, path::Path, time::Duration};

use domain::{Completion, Disposition, Moment, RoundId};
use frontier::host_of;
use serde::{Deserialize, Serialize};

use crate::round::Tally;

/// How many hosts' failures are counted; more are not worst.
const HOSTS_COUNTED: usize = 4_096;
/// How many of the worst are named.
const WORST: usize = 10;
/// Rates are taken over this many seconds.
const RATE_SECONDS: usize = 30;

/// The state of a running crawl, as `status.json` carries it.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Status {
    /// The round.
    pub round: Option<RoundId>,
    /// The stage that is under way.
    pub stage: String,
    /// When this was written.
    pub at: Moment,
    /// Targets of the round, once known.
    pub targets: u64,
    /// How they ended so far.
    pub tally: Tally,
    /// Targets a second over the last half minute.
    pub targets_per_second: f64,
    /// Body bytes a second over the last half minute.
    pub bytes_per_second: f64,
    /// Seconds to go at this rate; `None` before there is a rate.
    pub eta_seconds: Option<u64>,
    /// Requests under way, and how many may be.
    pub in_flight: usize,
    /// How many requests may be under way.
    pub window: usize,
    /// Hosts with work in memory.
    pub active_hosts: usize,
    /// The hosts with the most failures.
    pub worst_hosts: Vec<WorstHost>,
    /// Hosts that are suspended or given up, by name, the newest last; at most ten.
    pub suspended: Vec<String>,
}

/// A host that fails.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct WorstHost {
    /// The host.
    pub host: String,
    /// Its failed targets.
    pub failed: u64,
    /// The kind of the last failure.
    pub last: String,
}

impl Status {
    /// Reads `status.json` of a round, if it is there.
    pub fn read(path: &Path) -> Option<Status> {
        serde_json::from_slice(&std::fs::read(path).ok()?).ok()
    }
}

/// Keeps the numbers of a running crawl.
#[derive(Debug)]
pub struct Progress {
    targets: u64,
    tally: Tally,
    failures: HashMap<String, (u64, &'static str)>,
    suspended: Vec<String>,
    history: Vec<(Moment, u64, u64)>,
}

impl Progress {
    /// Starts from what an earlier run left.
    #[must_use]
    pub fn new(targets: u64, tally: Tally, now: Moment) -> Progress {
        let history = vec![(now, tally.ended(), tally.wire_bytes)];
        Progress { targets, tally, failures: HashMap::new(), suspended: Vec::new(), history }
    }

    /// Counts a completion.
    pub fn count(&mut self, completion: &Completion, body_bytes: u64) {
        self.tally.count(completion, body_bytes);
        let Disposition::Failed(failure) = &completion.disposition else { return };
        let host = host_of(&completion.target.url);
        if let Some(known) = self.failures.get_mut(host) {
            *known = (known.0 + 1, failure.kind.name());
        } else if self.failures.len() < HOSTS_COUNTED {
            self.failures.insert(host.to_owned(), (1, failure.kind.name()));
        }
    }

    /// Notes that a host is left alone.
    pub fn note_suspended(&mut self, host: &str) {
        self.suspended.retain(|known| known != host);
        self.suspended.push(host.to_owned());
        if self.suspended.len() > WORST {
            self.suspended.remove(0);
        }
    }

    /// The counts.
    #[must_use]
    pub fn tally(&self) -> &Tally {
        &self.tally
    }

    /// Takes a reading; call it about once a second.
    pub fn reading(&mut self, now: Moment) -> Status {
        self.history.push((now, self.tally.ended(), self.tally.wire_bytes));
        if self.history.len() > RATE_SECONDS {
            self.history.remove(0);
        }
        let (then, ended, bytes) = self.history[0];
        let seconds = now.since(then).max(Duration::from_millis(1)).as_secs_f64();
        let targets_per_second = (self.tally.ended() - ended) as f64 / seconds;
        let left = self.targets.saturating_sub(self.tally.ended());
        let eta_seconds =
            (targets_per_second > 0.0).then(|| (left as f64 / targets_per_second).ceil() as u64);
        let mut worst: Vec<_> = self.failures.iter().collect();
        worst.sort_by(|a, b| b.1.0.cmp(&a.1.0).then(a.0.cmp(b.0)));
        let worst = worst.into_iter().take(WORST);
        Status {
            at: now,
            targets: self.targets,
            tally: self.tally.clone(),
            targets_per_second,
            bytes_per_second: (self.tally.wire_bytes - bytes) as f64 / seconds,
            eta_seconds,
            worst_hosts: worst
                .map(|(host, (failed, last))| WorstHost {
                    host: host.clone(),
                    failed: *failed,
                    last: (*last).to_owned(),
                })
                .collect(),
            suspended: self.suspended.clone(),
            ..Status::default()
        }
    }
}
