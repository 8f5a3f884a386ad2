//! What is learned from an answer?

use std::{io, net::IpAddr, time::Duration};

use domain::{Failure, FailureKind, Moment, host_hash};

use super::{Event, Frontier, HostId, Visit, given_up_failure, host::RobotsState};
use crate::{pace::Verdict, queue::host_of, robots::Rules};

/// What became of a request.
#[derive(Debug)]
pub struct Report {
    /// The host that was charged.
    pub host: HostId,
    /// The address that was reserved or reached.
    pub address: Option<IpAddr>,
    /// When the answer's head arrived, or the failure was known.
    pub answered_at: Moment,
    /// How long the fetch took.
    pub took: Duration,
    /// How long the server asked to be left alone.
    pub retry_after: Option<Duration>,
    /// What follows from it.
    pub outcome: Outcome,
}

/// What follows from a request.
#[derive(Debug)]
pub enum Outcome {
    /// The target has ended and its completion is in the log; the failure, if it failed.
    Ended(Option<FailureKind>),
    /// The visit goes on at another URL.
    Redirected(Visit),
    /// The visit is to be tried again after a wait.
    Retry {
        /// The visit.
        visit: Visit,
        /// Why.
        failure: FailureKind,
        /// The least wait.
        wait: Duration,
    },
    /// An origin's robots.txt is settled.
    Robots {
        /// The origin.
        origin: String,
        /// What it says.
        answer: RobotsAnswer,
    },
    /// The address has enough requests under way; nothing was sent.
    AddressBusy(Visit),
}

/// What an origin's robots.txt amounts to.
#[derive(Debug)]
pub enum RobotsAnswer {
    /// These bytes.
    Body(Vec<u8>),
    /// There is none: everything is allowed.
    AllowAll,
    /// It could not be had: nothing may be fetched.
    Unavailable(Failure),
}

impl Frontier {
    /// Takes the answer to a lease: the host's pace, breaker and address learn from it, and the visit goes on or ends.
    pub fn report(&mut self, report: Report, now: Moment) -> io::Result<()> {
        let Report { host: id, address, answered_at, took, retry_after, outcome } = report;
        self.in_flight -= 1;
        self.host(id).in_flight -= 1;
        if let Outcome::AddressBusy(visit) = outcome {
            let host = self.host(id);
            host.address = address;
            host.work.put_back(visit);
            self.bucket.give_back();
            self.wait_for_address(id, now);
            return Ok(());
        }
        if let Some(address) = address {
            self.host(id).address = Some(address);
            self.gate.leave(address);
        }
        self.learn(id, &outcome, answered_at, took, retry_after, now);
        self.remember(id);
        match outcome {
            Outcome::Ended(_) | Outcome::AddressBusy(_) => {}
            Outcome::Redirected(visit) => self.deliver(visit, now)?,
            Outcome::Retry { visit, wait, .. } => self.host(id).work.retry_at(now.after(wait), visit),
            Outcome::Robots { origin, answer } => self.robots_answered(&origin, answer, now),
        }
        self.schedule(id, now);
        Ok(())
    }

    fn learn(
        &mut self,
        id: HostId,
        outcome: &Outcome,
        answered_at: Moment,
        took: Duration,
        retry_after: Option<Duration>,
        now: Moment,
    ) {
        let failure = match outcome {
            Outcome::Ended(failure) => *failure,
            Outcome::Retry { failure, .. } => Some(*failure),
            Outcome::Robots { answer: RobotsAnswer::Unavailable(failure), .. } => Some(failure.kind),
            Outcome::Redirected(_) | Outcome::Robots { .. } | Outcome::AddressBusy(_) => None,
        };
        let throttled = failure == Some(FailureKind::Throttled);
        self.window.record(took, throttled, now);
        let stretch = self.stretch();
        let rules = self.politeness.breaker.clone();
        let host = self.host(id);
        host.pace.answered(&host.rule, answered_at, took, failure.is_none(), stretch);
        if throttled || retry_after.is_some() {
            // whatever becomes of this visit, the host asked for patience
            let wait = if let Outcome::Retry { wait, .. } = outcome { *wait } else { Duration::ZERO };
            host.pace.throttled(&host.rule, now, wait.max(retry_after.unwrap_or_default()));
        }
        let Some(rules) = rules else { return };
        let against = failure.is_some_and(FailureKind::counts_against_host);
        let name = host.name.clone();
        match host.breaker.record(&rules, against, now) {
            Verdict::GoOn => {}
            Verdict::SuspendUntil(until) => {
                host.suspended_until = Some(until);
                host.pace.not_before(until);
                self.events.push(Event::HostSuspended { host: name, until });
            }
            Verdict::GiveUp => {
                // remembered as a suspension, so that a restart does not begin with it anew
                let until = now.after(rules.forgive_after);
                host.suspended_until = Some(until);
                host.pace.not_before(until);
                host.given_up = Some(given_up_failure(&name));
                self.given_up.insert(host_hash(&name));
                self.events.push(Event::HostGivenUp { host: name });
            }
        }
    }

    /// Hands a redirected visit to the host that it now leads to.
    fn deliver(&mut self, visit: Visit, now: Moment) -> io::Result<()> {
        let id = self.activate(host_of(visit.url()));
        self.host(id).work.arrive(visit)?;
        self.schedule(id, now);
        Ok(())
    }

    /// Answers [`take_recalls`](Self::take_recalls): the robots.txt that the catalog still had, and since when.
    pub fn robots_recalled(&mut self, origin: &str, remembered: Option<(RobotsAnswer, Moment)>, now: Moment) {
        self.recalling = self.recalling.saturating_sub(1);
        match remembered {
            Some((answer, since)) => self.settle_robots(origin, answer, since, now),
            None => {
                let Some(&id) = self.by_name.get(host_of(origin)) else { return };
                let host = self.host(id);
                if let Some(known) = host.robots_state(origin) {
                    known.state = RobotsState::Fetching(None);
                    host.work.put_back(Visit::robots(origin.to_owned()));
                    self.schedule(id, now);
                }
            }
        }
    }

    pub(super) fn robots_answered(&mut self, origin: &str, answer: RobotsAnswer, now: Moment) {
        self.settle_robots(origin, answer, now, now);
    }

    fn settle_robots(&mut self, origin: &str, answer: RobotsAnswer, since: Moment, now: Moment) {
        let Some(&id) = self.by_name.get(host_of(origin)) else { return };
        let agent = self.politeness.robots_agent.clone();
        let host = self.host(id);
        let Some(known) = host.robots_state(origin) else { return };
        let old = match &mut known.state {
            RobotsState::Fetching(old) => old.take(),
            _ => None,
        };
        let rules = match (answer, old) {
            (RobotsAnswer::Body(body), _) => Ok(Box::new(Rules::parse(&body, &agent))),
            (RobotsAnswer::AllowAll, _) => Ok(Box::new(Rules::allow_all())),
            // a site that is down for a moment has not changed its rules
            (RobotsAnswer::Unavailable(_), Some(old)) => Ok(old),
            (RobotsAnswer::Unavailable(failure), None) => Err(failure),
        };
        known.state = match rules {
            Ok(rules) => RobotsState::Known { rules, since, used: false },
            Err(failure) => RobotsState::Unavailable(failure),
        };
        host.pace.set_crawl_delay(host.longest_crawl_delay());
        self.remember(id);
        self.schedule(id, now);
    }
}
