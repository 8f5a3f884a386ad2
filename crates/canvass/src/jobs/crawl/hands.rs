//! Who carries the leases out?
//!
//! As many tasks as were ever needed at once, each with one lease after the other: a task's state takes kilobytes, and
//! making and moving it anew for each lease would cost more than the whole frontier does.

use std::sync::Arc;

use frontier::schedule::Assignment;
use tokio::sync::{Mutex, mpsc};

use super::visit::Visitor;

/// The tasks. They end when this is dropped and what it was given is carried out.
pub struct Hands {
    visitor: Arc<Visitor>,
    assignments: mpsc::UnboundedSender<Assignment>,
    waiting: Arc<Mutex<mpsc::UnboundedReceiver<Assignment>>>,
    tasks: usize,
}

impl Hands {
    /// No tasks yet.
    #[must_use]
    pub fn new(visitor: Arc<Visitor>) -> Hands {
        let (assignments, waiting) = mpsc::unbounded_channel();
        Hands { visitor, assignments, waiting: Arc::new(Mutex::new(waiting)), tasks: 0 }
    }

    /// Starts an assignment; `under_way` are all that have not come back, with this one.
    pub fn start(&mut self, assignment: Assignment, under_way: usize) {
        if self.tasks < under_way {
            self.tasks += 1;
            tokio::spawn(work(Arc::clone(&self.visitor), Arc::clone(&self.waiting)));
        }
        // the receiver lives as long as this does
        let _ = self.assignments.send(assignment);
    }
}

async fn work(visitor: Arc<Visitor>, waiting: Arc<Mutex<mpsc::UnboundedReceiver<Assignment>>>) {
    loop {
        let next = waiting.lock().await.recv().await;
        let Some(assignment) = next else { return };
        visitor.carry_out(assignment).await;
    }
}
