//! What does the frontier know of one host?

use std::{collections::VecDeque, io, net::IpAddr, time::Duration};

use domain::{Failure, Moment};

use super::{Subject, Visit, arrivals::Arrivals};
use crate::{
    CompletionFront,
    pace::{Breaker, HostPace, HostRule},
    queue::{Queue, Run},
    robots::Rules,
};

/// With this many retries waiting, a host takes up nothing new.
const MOST_WAITING: usize = 256;

/// An active host: its work, its pace and what it has answered.
#[derive(Debug)]
pub(super) struct Host {
    pub name: String,
    pub rule: HostRule,
    pub pace: HostPace,
    pub breaker: Breaker,
    pub suspended_until: Option<Moment>,
    pub robots: Vec<OriginRobots>,
    pub address: Option<IpAddr>,
    /// How often in a row its address had enough requests under way.
    pub address_refusals: u8,
    pub in_flight: u32,
    /// The time under which it stands in the heap; other entries for it are stale.
    pub scheduled_at: Option<Moment>,
    /// Why nothing more is asked of it in this round.
    pub given_up: Option<Failure>,
    pub work: Work,
}

/// The rules of one origin of a host: `http` and `https` have their own.
#[derive(Debug)]
pub(super) struct OriginRobots {
    pub origin: String,
    pub state: RobotsState,
}

#[derive(Debug)]
pub(super) enum RobotsState {
    /// The catalog is being asked whether it remembers them.
    Recalling,
    /// They are being fetched; until then, and if they cannot be had again, the old ones hold.
    Fetching(Option<Box<Rules>>),
    /// They are known.
    Known {
        /// The rules.
        rules: Box<Rules>,
        /// Since when.
        since: Moment,
        /// Whether a page was fetched under them: otherwise a delay as long as their life would renew them for ever.
        used: bool,
    },
    /// They could not be had: nothing may be fetched.
    Unavailable(Failure),
}

impl Host {
    pub(super) fn robots_state(&mut self, origin: &str) -> Option<&mut OriginRobots> {
        self.robots.iter_mut().find(|known| known.origin == origin)
    }

    /// The longest crawl-delay of its origins: they are one machine's load.
    pub(super) fn longest_crawl_delay(&self) -> Duration {
        let delay = |known: &OriginRobots| match &known.state {
            RobotsState::Known { rules, .. } => rules.crawl_delay(),
            _ => None,
        };
        self.robots.iter().filter_map(delay).max().unwrap_or_default()
    }

    /// When it can next do something, leaving aside what it waits for.
    pub(super) fn next_step_at(&self, now: Moment) -> Option<Moment> {
        let due = self.work.due_at()?;
        Some(due.max(if self.given_up.is_some() { now } else { self.pace.next_allowed_at() }))
    }
}

/// The visits that a host still has to make.
#[derive(Debug)]
pub(super) struct Work {
    /// Requests for a robots.txt, soonest first. They pass the pages, which may be waiting for just that.
    robots: Vec<(Moment, Visit)>,
    /// Visits that were taken and could not start: they go first.
    returned: VecDeque<Visit>,
    /// Retries, soonest first.
    waiting: Vec<(Moment, Visit)>,
    arrivals: Arrivals,
    runs: Vec<Run>,
}

impl Work {
    pub(super) fn new(arrivals: Arrivals) -> Work {
        Work {
            robots: Vec::new(),
            returned: VecDeque::new(),
            waiting: Vec::new(),
            arrivals,
            runs: Vec::new(),
        }
    }

    pub(super) fn add_run(&mut self, run: Run) {
        self.runs.push(run);
    }

    pub(super) fn put_back(&mut self, visit: Visit) {
        match visit.subject {
            Subject::Page(_) => self.returned.push_front(visit),
            Subject::Robots { .. } => insert_by_time(&mut self.robots, Moment(0), visit),
        }
    }

    pub(super) fn arrive(&mut self, visit: Visit) -> io::Result<()> {
        match visit.subject {
            Subject::Page(_) => return self.arrivals.push(visit),
            Subject::Robots { .. } => insert_by_time(&mut self.robots, Moment(0), visit),
        }
        Ok(())
    }

    pub(super) fn retry_at(&mut self, at: Moment, visit: Visit) {
        match visit.subject {
            Subject::Page(_) => insert_by_time(&mut self.waiting, at, visit),
            Subject::Robots { .. } => insert_by_time(&mut self.robots, at, visit),
        }
    }

    /// When the next robots.txt may be asked for, if one is to be.
    pub(super) fn robots_due_at(&self) -> Option<Moment> {
        self.robots.first().map(|(at, _)| *at)
    }

    /// The earliest moment at which there is something to do; `None` if there is nothing.
    fn due_at(&self) -> Option<Moment> {
        let fresh = !self.arrivals.is_empty() || self.runs.iter().any(|run| !run.is_empty());
        if !self.returned.is_empty() || (fresh && self.waiting.len() < MOST_WAITING) {
            return Some(Moment(0));
        }
        let earliest = |of: &[(Moment, Visit)]| of.first().map(|(at, _)| *at);
        match (earliest(&self.robots), earliest(&self.waiting)) {
            (Some(one), Some(other)) => Some(one.min(other)),
            (one, other) => one.or(other),
        }
    }

    /// Whether there is anything left to do.
    pub(super) fn is_left(&self) -> bool {
        self.due_at().is_some()
    }

    /// Takes the next visit that is due.
    pub(super) fn take(
        &mut self,
        queue: &Queue,
        done: &CompletionFront,
        now: Moment,
    ) -> io::Result<Option<Visit>> {
        if self.robots.first().is_some_and(|(at, _)| *at <= now) {
            return Ok(Some(self.robots.remove(0).1));
        }
        if let Some(visit) = self.returned.pop_front() {
            return Ok(Some(visit));
        }
        if self.waiting.first().is_some_and(|(at, _)| *at <= now) {
            return Ok(Some(self.waiting.remove(0).1));
        }
        if self.waiting.len() >= MOST_WAITING {
            return Ok(None);
        }
        if let Some(visit) = self.arrivals.pop()? {
            return Ok(Some(visit));
        }
        while let Some(run) = self.runs.last_mut() {
            if let Some(target) = queue.next_target(run, done)? {
                return Ok(Some(Visit::page(target)));
            }
            self.runs.pop();
        }
        Ok(None)
    }

    /// Everything that is left, due or not, one at a time: for a host that is given up.
    pub(super) fn take_any(&mut self, queue: &Queue, done: &CompletionFront) -> io::Result<Option<Visit>> {
        if let Some((_, visit)) = self.waiting.pop() {
            return Ok(Some(visit));
        }
        self.take(queue, done, Moment::FAR_FUTURE)
    }
}

fn insert_by_time(into: &mut Vec<(Moment, Visit)>, at: Moment, visit: Visit) {
    let index = into.partition_point(|(other, _)| *other <= at);
    into.insert(index, (at, visit));
}
