//! Which open connection can be used again?

use std::{
    borrow::Borrow,
    collections::{HashMap, VecDeque},
    hash::{Hash, Hasher},
    sync::{Arc, Mutex, PoisonError},
    time::Duration,
};

use tokio::time::Instant;

use crate::{connect::Connection, destination::Origin};

/// How many connections that were taken again may stand in the order of waiting before they are cleared out of it.
const TAKEN_IN_ORDER: usize = 256;

/// Idle connections by origin, bounded in number (the one unused for longest goes first) and in age.
pub(crate) struct Pool {
    shelf: Mutex<Shelf>,
    max_idle: usize,
    max_age: Duration,
}

#[derive(Default)]
struct Shelf {
    /// An origin stays for as long as it stands in the order, so that taking and putting back makes nothing anew.
    by_origin: HashMap<ByName, Vec<Idle>>,
    /// In the order in which they came; one whose ticket is no more on the shelf was taken.
    order: VecDeque<(u64, Instant, Arc<Origin>)>,
    idle: usize,
    next_ticket: u64,
}

struct Idle {
    ticket: u64,
    origin: Arc<Origin>,
    connection: Connection,
}

/// An origin that is found by its name, which a request has before it has an origin.
struct ByName(Arc<Origin>);

impl Borrow<str> for ByName {
    fn borrow(&self) -> &str {
        &self.0.name
    }
}

impl PartialEq for ByName {
    fn eq(&self, other: &ByName) -> bool {
        self.0.name == other.0.name
    }
}

impl Eq for ByName {}

impl Hash for ByName {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.0.name.hash(state);
    }
}

impl Pool {
    pub(crate) fn new(max_idle: usize, max_age: Duration) -> Pool {
        Pool { shelf: Mutex::default(), max_idle, max_age }
    }

    /// The connection to the origin of this name that was used last; one that can be shared stays available to others.
    pub(crate) fn take(&self, origin: &str, now: Instant) -> Option<(Arc<Origin>, Connection)> {
        let mut shelf = self.shelf.lock().unwrap_or_else(PoisonError::into_inner);
        shelf.drop_older_than(self.max_age, now);
        loop {
            let (origin, connection) = shelf.take_latest(origin)?;
            if connection.is_closed() {
                continue;
            }
            if let Some(shared) = connection.share() {
                shelf.put(Arc::clone(&origin), shared, now);
            }
            return Some((origin, connection));
        }
    }

    /// Keeps a connection whose last response was read to its end.
    pub(crate) fn put(&self, origin: &Arc<Origin>, connection: Connection, now: Instant) {
        if connection.is_closed() {
            return;
        }
        let mut shelf = self.shelf.lock().unwrap_or_else(PoisonError::into_inner);
        shelf.drop_older_than(self.max_age, now);
        shelf.put(Arc::clone(origin), connection, now);
        while shelf.idle > self.max_idle {
            shelf.drop_first();
        }
    }
}

impl Shelf {
    fn put(&mut self, origin: Arc<Origin>, connection: Connection, now: Instant) {
        if connection.share().is_some() {
            // One shared connection to an origin is enough, and the new one is the livelier.
            self.idle -= self.by_origin.remove(&*origin.name).map_or(0, |gone| gone.len());
        }
        if self.order.len() > 2 * self.idle + TAKEN_IN_ORDER {
            self.forget_taken();
        }
        let ticket = self.next_ticket;
        self.next_ticket += 1;
        self.idle += 1;
        self.order.push_back((ticket, now, Arc::clone(&origin)));
        let idle = Idle { ticket, origin: Arc::clone(&origin), connection };
        self.by_origin.entry(ByName(origin)).or_default().push(idle);
    }

    fn take_latest(&mut self, origin: &str) -> Option<(Arc<Origin>, Connection)> {
        let Idle { origin, connection, .. } = self.by_origin.get_mut(origin)?.pop()?;
        self.idle -= 1;
        Some((origin, connection))
    }

    fn forget_taken(&mut self) {
        let Shelf { by_origin, order, .. } = self;
        by_origin.retain(|_, waiting| !waiting.is_empty());
        order.retain(|(ticket, _, origin)| {
            by_origin
                .get(&*origin.name)
                .is_some_and(|waiting| waiting.binary_search_by_key(ticket, |idle| idle.ticket).is_ok())
        });
    }

    fn drop_older_than(&mut self, age: Duration, now: Instant) {
        while let Some((_, since, _)) = self.order.front()
            && now.saturating_duration_since(*since) > age
        {
            self.drop_first();
        }
    }

    /// Drops the first in the order, if nobody has taken it.
    fn drop_first(&mut self) {
        let Some((first, _, origin)) = self.order.pop_front() else { return };
        let Some(waiting) = self.by_origin.get_mut(&*origin.name) else { return };
        // the first in the order is the first of its origin, too
        if waiting.first().is_some_and(|idle| idle.ticket == first) {
            waiting.remove(0);
            self.idle -= 1;
        }
        if waiting.is_empty() {
            self.by_origin.remove(&*origin.name);
        }
    }
}
