//! How is one lease carried out?

use std::{
    net::IpAddr,
    panic::AssertUnwindSafe,
    pin::pin,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use catalog::robots::RobotsMemory;
use domain::{Failure, FailureKind};
use fetch::{FetchError, Fetcher, Response};
use frontier::schedule::{AddressGate, Assignment, Outcome, Report, Visit, origin_of};
use futures_util::FutureExt;
use tokio::sync::mpsc;

use super::{
    Message,
    robots_notes::RobotsNotes,
    verdict::{Rules, Verdict},
    writer::Writer,
};
use crate::clock::Clock;

/// What a visit needs.
pub struct Visitor {
    /// Sends requests.
    pub fetcher: Fetcher,
    /// Counts requests per address.
    pub gate: Arc<AddressGate>,
    /// Decides what follows.
    pub rules: Rules,
    /// Where completions go.
    pub writer: Writer,
    /// What captures still have to tell of their sites' robots.txt.
    pub robots: Arc<RobotsNotes>,
    /// Where everything else goes.
    pub messages: mpsc::UnboundedSender<Message>,
    /// The time.
    pub clock: Clock,
}

impl Visitor {
    /// Sends one request and hands on what follows from it: exactly one message, or one completion, per lease.
    ///
    /// A panic on the way ends the target as a defect: the frontier would wait for its answer for ever.
    pub async fn carry_out(&self, assignment: Assignment) {
        let _expected = self.writer.expect_one();
        let (host, visit, started) = (assignment.host, assignment.visit.clone(), self.clock.now());
        // pinned where it is made: its state is large, and wrapping it would move it
        let entered = Mutex::new(assignment.reserved);
        let attempt = pin!(self.attempt(assignment, &entered, started));
        if AssertUnwindSafe(attempt).catch_unwind().await.is_err() {
            tracing::error!(url = visit.url(), "a fetch panicked: this is a defect of canvass");
            let defect = Failure::new(FailureKind::Defect, "canvass panicked on it");
            // its place at the address must be given back, or the address is full one day
            let entered = *place(&entered);
            self.hand_on(host, entered, visit, Err(FetchError::Failed(defect)), started).await;
        }
    }

    async fn attempt(
        &self,
        assignment: Assignment,
        entered: &Mutex<Option<IpAddr>>,
        started: domain::Moment,
    ) {
        let Assignment { lease, visit, host, reserved: _ } = assignment;
        let answer = match self.fetcher.route(&lease).await {
            Err(error) => Err(error),
            Ok(route) => {
                let address = route.address();
                if *place(entered) != Some(address) {
                    if let Some(other) = place(entered).take() {
                        self.gate.leave(other);
                    }
                    if !self.gate.try_enter(address, self.clock.now()) {
                        drop(route);
                        let outcome = Outcome::AddressBusy(visit);
                        let now = self.clock.now();
                        let report = Report {
                            host,
                            address: Some(address),
                            answered_at: now,
                            took: now.since(started),
                            retry_after: None,
                            outcome,
                        };
                        self.tell(Message::Reported(Box::new(report), None));
                        return;
                    }
                    *place(entered) = Some(address);
                }
                self.fetcher.fetch(&lease, route).await
            }
        };
        let entered = *place(entered);
        self.hand_on(host, entered, visit, answer, started).await;
    }

    async fn hand_on(
        &self,
        host: usize,
        address: Option<IpAddr>,
        visit: Visit,
        answer: Result<Response, FetchError>,
        started: domain::Moment,
    ) {
        let now = self.clock.now();
        let retry_after = asked_patience(&answer, now).map(|wait| wait.min(self.rules.retry.max_wait));
        let took = now.since(started);
        let report = |outcome| Report { host, address, answered_at: now, took, retry_after, outcome };
        match self.rules.judge(visit, answer, now) {
            Verdict::Ended(mut completion, body) => {
                if let Some(capture) = &mut completion.capture {
                    capture.robots = self.robots.take(origin_of(&capture.final_url));
                }
                let failure = match &completion.disposition {
                    domain::Disposition::Failed(failure) => Some(failure.kind),
                    _ => None,
                };
                let report = Some(report(Outcome::Ended(failure)));
                self.writer.send(*completion, body, report).await;
            }
            Verdict::GoesOn(outcome) => self.tell(Message::Reported(Box::new(report(outcome)), None)),
            Verdict::Robots(outcome, memory) => {
                if let Some(RobotsMemory { origin, body, .. }) = &memory {
                    self.robots.note(origin, body);
                }
                self.tell(Message::Reported(Box::new(report(outcome)), memory))
            }
        }
    }

    fn tell(&self, message: Message) {
        // the dispatcher is gone only when the round has failed, and then nobody waits for this
        let _ = self.messages.send(message);
    }
}

/// The address at which a visit has a place; nobody else touches it, so it is never waited for.
fn place(entered: &Mutex<Option<IpAddr>>) -> MutexGuard<'_, Option<IpAddr>> {
    entered.lock().unwrap_or_else(PoisonError::into_inner)
}

/// How long a server that is overrun asks to be left alone.
fn asked_patience(answer: &Result<Response, FetchError>, now: domain::Moment) -> Option<Duration> {
    let response = answer.as_ref().ok().filter(|response| matches!(response.status, 429 | 503))?;
    response.retry_after(now)
}
