//! Who may be asked for what, now?
//!
//! The frontier keeps a small head of each active host in memory and a heap of hosts by the time they may next be asked.
//! A host becomes active when there is room for a request and nobody else is due, so memory follows the concurrency and
//! the delays, never the list. Every request, for a page, a redirect's next hop or a robots.txt, passes through here and
//! is charged to its host: politeness is a property of the structure.

mod address;
mod arrivals;
mod host;
mod lease;
mod report;
mod visit;

use std::{
    cmp::Reverse,
    collections::{BinaryHeap, HashMap, HashSet},
    io,
    path::{Path, PathBuf},
    sync::Arc,
    time::Duration,
};

use domain::{Disposition, Failure, Lease, Moment, Target, host_hash};

use crate::{
    CompletionFront,
    pace::{AdaptiveWindow, Breaker, BreakerRules, HostPace, PacePolicy, TokenBucket, WindowRules},
    queue::Queue,
};
pub use address::AddressGate;
use arrivals::Arrivals;
use host::{Host, RobotsState, Work};
pub use report::{Outcome, Report, RobotsAnswer};
pub use visit::{Subject, Visit, origin_of, path_of};

/// A host's number while it is active.
pub type HostId = usize;

/// What the frontier needs to know of politeness. It can be changed while a round runs.
#[derive(Debug, Clone)]
pub struct Politeness {
    /// The delays by class and domain.
    pub policy: PacePolicy,
    /// Whether robots.txt is asked and obeyed.
    pub respect_robots: bool,
    /// The product token that robots.txt groups are matched against.
    pub robots_agent: String,
    /// How long a robots.txt is good for.
    pub robots_ttl: Duration,
    /// Up to this share is added to each delay at random.
    pub jitter: f64,
    /// Requests a second for the whole job; zero for no limit.
    pub max_requests_per_second: f64,
    /// How many of those may be saved up.
    pub burst: f64,
    /// The adaptive window.
    pub window: WindowRules,
    /// Whether the window adapts, or is simply its most.
    pub adaptive: bool,
    /// The breaker; `None` for none.
    pub breaker: Option<BreakerRules>,
    /// Requests under way to one address; zero for no limit.
    pub per_address: usize,
    /// The least gap between two requests to one address while others are under way.
    pub per_address_gap: Duration,
}

/// What is remembered of a host from one run to the next.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HostMemory {
    /// The host's name.
    pub host: String,
    /// When it was last asked.
    pub last_request_at: Moment,
    /// When it may next be asked; equal to `last_request_at` while a request is under way.
    pub next_allowed_at: Moment,
    /// The gap that applied.
    pub delay: Duration,
    /// Until when it is suspended.
    pub suspended_until: Option<Moment>,
    /// How often it has been suspended.
    pub strikes: u32,
}

/// What the frontier says when asked for work.
#[derive(Debug)]
pub enum Next {
    /// Send this request.
    Go(Assignment),
    /// This target ends without a request.
    Settle {
        /// The target.
        target: Target,
        /// How it ends.
        disposition: Disposition,
        /// Requests that it took before.
        requests: u32,
    },
    /// Nothing is due before then.
    WaitUntil(Moment),
    /// Nothing more can start until something that is under way ends.
    Busy,
    /// Everything has been handed out and has come back.
    Drained,
}

/// A request to send: the right to send it and what it is for.
#[derive(Debug)]
pub struct Assignment {
    /// The right to send one request.
    pub lease: Lease,
    /// What it is for.
    pub visit: Visit,
    /// The host that is charged.
    pub host: HostId,
    /// The address for which a request is already reserved.
    pub reserved: Option<std::net::IpAddr>,
}

/// Something a person should hear of.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Event {
    /// A host failed too often and is left alone.
    HostSuspended {
        /// The host.
        host: String,
        /// Until when.
        until: Moment,
    },
    /// A host was suspended so often that its remaining targets fail.
    HostGivenUp {
        /// The host.
        host: String,
    },
}

/// Decides which target may be fetched next, and when.
pub struct Frontier {
    politeness: Politeness,
    queue: Queue,
    queue_ended: bool,
    /// What was done when this began: within a process each target is handed out once.
    done: CompletionFront,
    spill_folder: PathBuf,
    hosts: Vec<Option<Host>>,
    free: Vec<HostId>,
    by_name: HashMap<String, HostId>,
    due: BinaryHeap<Reverse<(Moment, HostId)>>,
    /// What is remembered of hosts that are not active and may not be asked yet.
    resting: HashMap<u64, HostMemory>,
    resting_swept_at: Moment,
    window: AdaptiveWindow,
    bucket: TokenBucket,
    gate: Arc<AddressGate>,
    in_flight: usize,
    next_lease: u64,
    random: u64,
    to_recall: Vec<String>,
    /// Origins whose robots.txt the catalog is being asked for.
    recalling: usize,
    /// Hosts that were given up in this round.
    given_up: HashSet<u64>,
    to_remember: Vec<HostMemory>,
    events: Vec<Event>,
}

impl Frontier {
    /// Opens the queue in `folder` where `done` left it. `memories` are the hosts' paces from earlier runs, `seed` makes
    /// the jitter repeatable.
    pub fn open(
        folder: &Path,
        done: CompletionFront,
        politeness: Politeness,
        memories: impl IntoIterator<Item = HostMemory>,
        now: Moment,
        seed: u64,
    ) -> io::Result<Frontier> {
        let spill_folder = folder.join("spill");
        std::fs::create_dir_all(&spill_folder)?;
        let resting = memories
            .into_iter()
            .map(|memory| (host_hash(&memory.host), after_a_crash(memory, now)))
            .collect();
        Ok(Frontier {
            queue: Queue::open(folder)?,
            queue_ended: false,
            done,
            spill_folder,
            hosts: Vec::new(),
            free: Vec::new(),
            by_name: HashMap::new(),
            due: BinaryHeap::new(),
            resting,
            resting_swept_at: now,
            window: AdaptiveWindow::new(politeness.window.clone(), now),
            bucket: TokenBucket::new(politeness.max_requests_per_second, politeness.burst, now),
            gate: Arc::new(AddressGate::new(politeness.per_address, politeness.per_address_gap)),
            in_flight: 0,
            next_lease: 0,
            random: seed | 1,
            to_recall: Vec::new(),
            recalling: 0,
            given_up: HashSet::new(),
            to_remember: Vec::new(),
            events: Vec::new(),
            politeness,
        })
    }

    /// The gate that fetch tasks ask when they learn a host's address.
    #[must_use]
    pub fn address_gate(&self) -> Arc<AddressGate> {
        Arc::clone(&self.gate)
    }

    /// Requests under way.
    #[must_use]
    pub fn in_flight(&self) -> usize {
        self.in_flight
    }

    /// Hosts with work in memory.
    #[must_use]
    pub fn active_hosts(&self) -> usize {
        self.by_name.len()
    }

    /// How many requests may be under way.
    #[must_use]
    pub fn window(&self) -> usize {
        if self.politeness.adaptive { self.window.size() } else { self.politeness.window.max }
    }

    /// Takes new politeness; hosts that are active feel it with their next request.
    pub fn set_politeness(&mut self, politeness: Politeness, now: Moment) {
        self.window.set_rules(politeness.window.clone());
        self.gate.set_limits(politeness.per_address, politeness.per_address_gap);
        self.bucket = TokenBucket::new(politeness.max_requests_per_second, politeness.burst, now);
        let new_agent = politeness.robots_agent != self.politeness.robots_agent;
        self.politeness = politeness;
        for id in 0..self.hosts.len() {
            let Some(host) = &mut self.hosts[id] else { continue };
            host.rule = self.politeness.policy.rule_for(&host.name);
            host.pace.reconsider(&host.rule, host.suspended_until);
            if new_agent {
                // another agent may have other rules: ask again before the next page
                host.robots.retain(|known| !matches!(known.state, RobotsState::Known { .. }));
            }
            self.schedule(id, now);
        }
    }

    /// The origins whose robots.txt an earlier run may have left in the catalog; answer with
    /// [`robots_recalled`](Self::robots_recalled).
    pub fn take_recalls(&mut self) -> Vec<String> {
        std::mem::take(&mut self.to_recall)
    }

    /// What must be remembered of hosts before the requests that were handed out are sent: one memory a host, the
    /// newest.
    pub fn take_memories(&mut self) -> Vec<HostMemory> {
        let mut newest: HashMap<String, HostMemory> = HashMap::with_capacity(self.to_remember.len());
        for memory in self.to_remember.drain(..) {
            newest.insert(memory.host.clone(), memory);
        }
        newest.into_values().collect()
    }

    /// What a person should hear of.
    pub fn take_events(&mut self) -> Vec<Event> {
        std::mem::take(&mut self.events)
    }

    fn host(&mut self, id: HostId) -> &mut Host {
        self.hosts[id].as_mut().expect("a host with work or a request under way is active")
    }

    /// The active host of that name, made active if it is not.
    fn activate(&mut self, name: &str) -> HostId {
        if let Some(id) = self.by_name.get(name) {
            return *id;
        }
        let hash = host_hash(name);
        let memory = self.resting.remove(&hash);
        if memory.as_ref().is_some_and(|known| self.was_given_up(known)) {
            self.given_up.insert(hash);
        }
        let (pace, breaker, suspended_until) = match &memory {
            Some(known) => (
                HostPace::remembered(known.last_request_at, known.next_allowed_at),
                Breaker::remembered(known.strikes, known.last_request_at),
                known.suspended_until,
            ),
            None => (HostPace::default(), Breaker::default(), None),
        };
        let spill = self.spill_folder.join(format!("{hash:016x}"));
        let given_up = self.given_up.contains(&hash).then(|| given_up_failure(name));
        let host = Host {
            name: name.to_owned(),
            rule: self.politeness.policy.rule_for(name),
            pace,
            breaker,
            suspended_until,
            robots: Vec::new(),
            address: None,
            address_refusals: 0,
            in_flight: 0,
            scheduled_at: None,
            given_up,
            work: Work::new(Arrivals::new(spill)),
        };
        let id = self.free.pop().unwrap_or_else(|| {
            self.hosts.push(None);
            self.hosts.len() - 1
        });
        self.hosts[id] = Some(host);
        self.by_name.insert(name.to_owned(), id);
        id
    }

    /// Whether an earlier process of this round gave the host up, not long ago.
    fn was_given_up(&self, memory: &HostMemory) -> bool {
        let most = self.politeness.breaker.as_ref().map(|rules| rules.give_up_after);
        memory.suspended_until.is_some() && most.is_some_and(|most| memory.strikes >= most)
    }

    /// Forgets a host that has nothing left to do; its pace is kept until it no longer matters.
    fn retire(&mut self, id: HostId, now: Moment) {
        let Some(host) = self.hosts[id].take() else { return };
        self.by_name.remove(&host.name);
        self.free.push(id);
        if host.pace.next_allowed_at() > now {
            self.resting.insert(host_hash(&host.name), memory_of(&host));
        }
        if now.since(self.resting_swept_at) > Duration::from_secs(10) {
            self.resting.retain(|_, memory| memory.next_allowed_at > now);
            self.resting_swept_at = now;
        }
    }

    /// Puts a host into the heap for its next step, if it has one and may take it.
    fn schedule(&mut self, id: HostId, now: Moment) {
        let Some(host) = self.hosts[id].as_mut() else { return };
        if host.in_flight >= host.rule.concurrency.max(1) {
            return;
        }
        match host.next_step_at(now) {
            Some(at) => self.schedule_at(id, at.max(now)),
            None if host.in_flight == 0 => self.retire(id, now),
            None => {}
        }
    }

    fn schedule_at(&mut self, id: HostId, at: Moment) {
        if self.host(id).scheduled_at == Some(at) {
            return;
        }
        self.host(id).scheduled_at = Some(at);
        self.due.push(Reverse((at, id)));
    }

    fn remember(&mut self, id: HostId) {
        let memory = memory_of(self.host(id));
        // a host without a delay has nothing worth remembering
        if memory.delay > Duration::ZERO || memory.suspended_until.is_some() {
            self.to_remember.push(memory);
        }
    }

    /// 1.0 up to 1.0 plus the jitter.
    fn stretch(&mut self) -> f64 {
        self.random ^= self.random << 13;
        self.random ^= self.random >> 7;
        self.random ^= self.random << 17;
        1.0 + self.politeness.jitter * (self.random >> 11) as f64 / (1u64 << 53) as f64
    }
}

fn memory_of(host: &Host) -> HostMemory {
    HostMemory {
        host: host.name.clone(),
        last_request_at: host.pace.last_request_at(),
        next_allowed_at: host.pace.next_allowed_at(),
        delay: host.pace.delay(&host.rule),
        suspended_until: host.suspended_until,
        strikes: host.breaker.strikes(),
    }
}

/// A host whose request was under way when the process died may have seen it at any moment until now.
fn after_a_crash(mut memory: HostMemory, now: Moment) -> HostMemory {
    if memory.next_allowed_at <= memory.last_request_at {
        memory.next_allowed_at = now.after(memory.delay);
    }
    if let Some(until) = memory.suspended_until {
        memory.next_allowed_at = memory.next_allowed_at.max(until);
    }
    memory
}

fn given_up_failure(host: &str) -> Failure {
    Failure::new(domain::FailureKind::HostSuspended, format!("{host} failed too often and was given up"))
}

#[cfg(test)]
mod tests;
