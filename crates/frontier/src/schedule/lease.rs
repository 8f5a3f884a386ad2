//! What can be started now?

use std::{cmp::Reverse, io, time::Duration};

use domain::{Disposition, Exclusion, Lease, Moment, Purpose};

use super::{
    Assignment, Frontier, HostId, Next, RobotsAnswer, Subject, Visit,
    host::{OriginRobots, RobotsState},
    origin_of, path_of,
};
use crate::{queue::host_of, robots::Rules};

/// The most hosts that are active at once: bounds memory where thousands of hosts must wait for something.
const MOST_ACTIVE_HOSTS: usize = 65_536;
/// How long a host first waits for an address that has enough requests under way.
const FIRST_ADDRESS_WAIT: Duration = Duration::from_millis(100);

/// What robots.txt says of a visit.
enum Permission {
    Granted,
    /// Not known yet; the host sleeps until it is.
    Asked,
    Refused(Disposition),
}

impl Frontier {
    /// Hands out the next request, or says why there is none now.
    pub fn lease(&mut self, now: Moment) -> io::Result<Next> {
        if self.in_flight >= self.window() {
            return Ok(Next::Busy);
        }
        loop {
            if let Some(id) = self.pop_due(now) {
                if let Some(next) = self.step(id, now)? {
                    return Ok(next);
                }
            } else if !self.activate_next_run(now)? {
                return Ok(self.nothing_due());
            }
        }
    }

    fn pop_due(&mut self, now: Moment) -> Option<HostId> {
        while let Some(Reverse((at, id))) = self.due.peek().copied() {
            let current = self.hosts[id].as_ref().is_some_and(|host| host.scheduled_at == Some(at));
            if current && at > now {
                return None;
            }
            self.due.pop();
            if current {
                self.host(id).scheduled_at = None;
                return Some(id);
            }
        }
        None
    }

    fn nothing_due(&self) -> Next {
        match self.due.peek() {
            Some(Reverse((at, _))) => Next::WaitUntil(*at),
            None if self.in_flight > 0 || !self.by_name.is_empty() => Next::Busy,
            None => Next::Drained,
        }
    }

    /// Makes the host of the next run active; false if there is no further run or no room.
    fn activate_next_run(&mut self, now: Moment) -> io::Result<bool> {
        // a host that is being recalled will want a request: count it as one, or a start would activate the whole list
        let wanted = self.in_flight + self.recalling;
        if self.queue_ended || self.by_name.len() >= MOST_ACTIVE_HOSTS || wanted >= 2 * self.window() {
            return Ok(false);
        }
        let Some(mut run) = self.queue.next_run(&self.done)? else {
            self.queue_ended = true;
            return Ok(false);
        };
        let Some(first) = self.queue.next_target(&mut run, &self.done)? else { return Ok(true) };
        let id = self.activate(host_of(&first.url));
        let host = self.host(id);
        host.work.put_back(Visit::page(first));
        host.work.add_run(run);
        self.schedule(id, now);
        Ok(true)
    }

    /// Takes one step with a host that is due.
    fn step(&mut self, id: HostId, now: Moment) -> io::Result<Option<Next>> {
        let host = self.hosts[id].as_mut().expect("only active hosts are due");
        if let Some(failure) = host.given_up.clone() {
            let visit = host.work.take_any(&self.queue, &self.done)?;
            self.schedule(id, now);
            return Ok(visit.and_then(|visit| self.settle(visit, Disposition::Failed(failure), now)));
        }
        let Some(visit) = host.work.take(&self.queue, &self.done, now)? else {
            self.schedule(id, now);
            return Ok(None);
        };
        match self.permission(id, &visit, now) {
            Permission::Granted => Ok(self.start(id, visit, now)),
            Permission::Asked => {
                let host = self.host(id);
                host.work.put_back(visit);
                // its pages sleep until the answer; its own requests for robots.txt do not
                if let Some(at) = host.work.robots_due_at() {
                    let at = at.max(host.pace.next_allowed_at());
                    self.schedule_at(id, at);
                }
                Ok(None)
            }
            Permission::Refused(disposition) => {
                // no request, so nothing to wait for
                self.schedule_at(id, now);
                Ok(self.settle(visit, disposition, now))
            }
        }
    }

    fn permission(&mut self, id: HostId, visit: &Visit, now: Moment) -> Permission {
        if !self.politeness.respect_robots || matches!(visit.subject, Subject::Robots { .. }) {
            return Permission::Granted;
        }
        let ttl = self.politeness.robots_ttl;
        let origin = origin_of(visit.url());
        let host = self.hosts[id].as_mut().expect("only active hosts are due");
        let Some(known) = host.robots_state(origin) else {
            host.robots.push(OriginRobots { origin: origin.to_owned(), state: RobotsState::Recalling });
            self.to_recall.push(origin.to_owned());
            self.recalling += 1;
            return Permission::Asked;
        };
        match &mut known.state {
            RobotsState::Recalling | RobotsState::Fetching(_) => Permission::Asked,
            RobotsState::Known { rules, since, used: true } if now.since(*since) > ttl => {
                let old = std::mem::replace(rules, Box::new(Rules::disallow_all()));
                known.state = RobotsState::Fetching(Some(old));
                host.work.put_back(Visit::robots(origin.to_owned()));
                Permission::Asked
            }
            RobotsState::Known { rules, used, .. } if rules.decide(path_of(visit.url())).allowed => {
                *used = true;
                Permission::Granted
            }
            RobotsState::Known { .. } => {
                Permission::Refused(Disposition::Excluded { reason: Exclusion::Robots })
            }
            RobotsState::Unavailable(failure) => Permission::Refused(Disposition::Failed(failure.clone())),
        }
    }

    /// Charges the host and hands out the lease, if its pace, its address and the job's rate allow it.
    fn start(&mut self, id: HostId, visit: Visit, now: Moment) -> Option<Next> {
        let host = self.hosts[id].as_mut().expect("only active hosts are due");
        let allowed_at = host.pace.next_allowed_at();
        if allowed_at > now {
            host.work.put_back(visit);
            self.schedule_at(id, allowed_at);
            return None;
        }
        if let Err(later) = self.bucket.take(now) {
            host.work.put_back(visit);
            self.schedule_at(id, later);
            return Some(Next::WaitUntil(later));
        }
        if host.address.is_some_and(|address| !self.gate.try_enter(address, now)) {
            host.work.put_back(visit);
            self.bucket.give_back();
            self.wait_for_address(id, now);
            return None;
        }
        let reserved = host.address;
        let purpose = match visit.subject {
            Subject::Page(_) => Purpose::Page,
            Subject::Robots { .. } => Purpose::Robots,
        };
        let lease = Lease {
            id: self.next_lease,
            purpose,
            url: visit.url().to_owned(),
            host: host.name.clone(),
            more_to_come: host.work.is_left(),
        };
        self.next_lease += 1;
        let stretch = self.stretch();
        let host = self.host(id);
        host.in_flight += 1;
        host.address_refusals = 0;
        host.pace.charge(&host.rule, now, stretch);
        self.in_flight += 1;
        self.remember_in_flight(id);
        self.schedule(id, now);
        Some(Next::Go(Assignment { lease, visit, host: id, reserved }))
    }

    fn remember_in_flight(&mut self, id: HostId) {
        let before = self.to_remember.len();
        self.remember(id);
        if let Some(memory) = self.to_remember.get_mut(before) {
            memory.next_allowed_at = memory.last_request_at;
        }
    }

    /// Lets a host wait for its address, longer each time: thousands of names may share one.
    pub(super) fn wait_for_address(&mut self, id: HostId, now: Moment) {
        let host = self.host(id);
        let wait = FIRST_ADDRESS_WAIT * (1 << host.address_refusals.min(6));
        host.address_refusals = host.address_refusals.saturating_add(1);
        let stretch = self.stretch();
        self.schedule_at(id, now.after(wait.mul_f64(stretch)));
    }

    /// Ends a visit without a request. A robots.txt that cannot be asked for is an answer to its origin instead.
    fn settle(&mut self, visit: Visit, disposition: Disposition, now: Moment) -> Option<Next> {
        match visit.subject {
            Subject::Page(target) => Some(Next::Settle { target, disposition, requests: visit.requests }),
            Subject::Robots { origin } => {
                if let Disposition::Failed(failure) = disposition {
                    self.robots_answered(&origin, RobotsAnswer::Unavailable(failure), now);
                }
                None
            }
        }
    }
}
