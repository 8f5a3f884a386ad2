//! Who carries the leases out?
//!
//! As many tasks as were ever needed at once, each with one lease after the other: a task's state takes kilobytes, and
//! making and moving it anew for each lease would cost more than the whole frontier does.

use std::{
    collections::VecDeque,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use frontier::schedule::Assignment;
use tokio::sync::Notify;

use super::visit::Visitor;

/// The tasks. They end when this is dropped and what it was given is carried out.
pub struct Hands {
    visitor: Arc<Visitor>,
    work: Arc<Work>,
    tasks: usize,
}

/// What is to be done.
#[derive(Default)]
struct Work {
    waiting: Mutex<Waiting>,
    more: Notify,
}

#[derive(Default)]
struct Waiting {
    assignments: VecDeque<Assignment>,
    /// Nothing more will come.
    closed: bool,
}

impl Hands {
    /// No tasks yet.
    #[must_use]
    pub fn new(visitor: Arc<Visitor>) -> Hands {
        Hands { visitor, work: Arc::default(), tasks: 0 }
    }

    /// Starts an assignment; `under_way` are all that have not come back, with this one.
    pub fn start(&mut self, assignment: Assignment, under_way: usize) {
        self.work.lock().assignments.push_back(assignment);
        if self.tasks < under_way {
            self.tasks += 1;
            tokio::spawn(carry_out_all(Arc::clone(&self.visitor), Arc::clone(&self.work)));
        } else {
            // who has waited least still has its state in the processor's caches
            self.work.more.notify_last();
        }
    }
}

impl Drop for Hands {
    fn drop(&mut self) {
        self.work.lock().closed = true;
        self.work.more.notify_waiters();
    }
}

impl Work {
    fn lock(&self) -> MutexGuard<'_, Waiting> {
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The next assignment; `None` when there will be none.
    async fn next(&self) -> Option<Assignment> {
        loop {
            // before the look, or a wake-up between the two is lost
            let more = self.more.notified();
            {
                let mut waiting = self.lock();
                if let Some(assignment) = waiting.assignments.pop_front() {
                    return Some(assignment);
                }
                if waiting.closed {
                    return None;
                }
            }
            more.await;
        }
    }
}

async fn carry_out_all(visitor: Arc<Visitor>, work: Arc<Work>) {
    while let Some(assignment) = work.next().await {
        visitor.carry_out(assignment).await;
    }
}
