//! Which open connection can be used again?

use std::{
    collections::{BTreeMap, HashMap},
    sync::{Arc, Mutex, PoisonError},
    time::Duration,
};

use tokio::time::Instant;

use crate::{connect::Connection, destination::Origin};

/// Idle connections by origin, bounded in number (the one unused for longest goes first) and in age.
pub(crate) struct Pool {
    shelf: Mutex<Shelf>,
    max_idle: usize,
    max_age: Duration,
}

#[derive(Default)]
struct Shelf {
    by_origin: HashMap<Arc<Origin>, Vec<Idle>>,
    /// Tickets are dense in time, so the first is the one that has waited longest.
    by_ticket: BTreeMap<u64, (Instant, Arc<Origin>)>,
    next_ticket: u64,
}

struct Idle {
    ticket: u64,
    connection: Connection,
}

impl Pool {
    pub(crate) fn new(max_idle: usize, max_age: Duration) -> Pool {
        Pool { shelf: Mutex::default(), max_idle, max_age }
    }

    /// The connection to this origin that was used last; one that can be shared stays available to others.
    pub(crate) fn take(&self, origin: &Origin, now: Instant) -> Option<Connection> {
        let mut shelf = self.shelf.lock().unwrap_or_else(PoisonError::into_inner);
        shelf.drop_older_than(self.max_age, now);
        loop {
            let (origin, connection) = shelf.take_latest(origin)?;
            if connection.is_closed() {
                continue;
            }
            if let Some(shared) = connection.share() {
                shelf.put(origin, shared, now);
            }
            return Some(connection);
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
        while shelf.by_ticket.len() > self.max_idle {
            shelf.drop_oldest();
        }
    }
}

impl Shelf {
    fn put(&mut self, origin: Arc<Origin>, connection: Connection, now: Instant) {
        if connection.share().is_some() {
            // One shared connection to an origin is enough, and the new one is the livelier.
            self.forget_all(&origin);
        }
        let ticket = self.next_ticket;
        self.next_ticket += 1;
        self.by_ticket.insert(ticket, (now, Arc::clone(&origin)));
        self.by_origin.entry(origin).or_default().push(Idle { ticket, connection });
    }

    fn take_latest(&mut self, origin: &Origin) -> Option<(Arc<Origin>, Connection)> {
        let waiting = self.by_origin.get_mut(origin)?;
        let idle = waiting.pop()?;
        if waiting.is_empty() {
            self.by_origin.remove(origin);
        }
        let (_, origin) = self.by_ticket.remove(&idle.ticket)?;
        Some((origin, idle.connection))
    }

    fn forget_all(&mut self, origin: &Origin) {
        for idle in self.by_origin.remove(origin).unwrap_or_default() {
            self.by_ticket.remove(&idle.ticket);
        }
    }

    fn drop_older_than(&mut self, age: Duration, now: Instant) {
        while let Some((_, (since, _))) = self.by_ticket.first_key_value()
            && now.saturating_duration_since(*since) > age
        {
            self.drop_oldest();
        }
    }

    fn drop_oldest(&mut self) {
        let Some((oldest, (_, origin))) = self.by_ticket.pop_first() else { return };
        if let Some(waiting) = self.by_origin.get_mut(&origin) {
            waiting.retain(|idle| idle.ticket != oldest);
            if waiting.is_empty() {
                self.by_origin.remove(&origin);
            }
        }
    }
}
