//! When is what was read worth a transaction?

use catalog::matches;

use super::reading::Chunk;
use crate::settings::Process;

/// A batch without many matches is written after this many pages.
const ENOUGH_PAGES: usize = 500;

/// What was read and not yet written.
pub struct Gathered(matches::Batch);

impl Gathered {
    /// Nothing, from the record with this number on.
    pub fn new(from: i64) -> Gathered {
        Gathered(matches::Batch { from, to: from, ..matches::Batch::default() })
    }

    /// Adds what some records say.
    pub fn add(&mut self, chunk: Chunk) {
        for facts in chunk.facts {
            self.0.to += 1;
            self.0.pages.push(facts.page);
            self.0.matches.extend(facts.matches);
        }
    }

    /// Whether there is enough for a transaction.
    pub fn is_worth_writing(&self, settings: &Process) -> bool {
        self.0.matches.len() >= settings.batch_records as usize || self.0.pages.len() >= ENOUGH_PAGES
    }

    /// Takes what is there.
    pub fn take(&mut self, last: bool) -> matches::Batch {
        let Gathered(empty) = Gathered::new(self.0.to);
        matches::Batch { last, ..std::mem::replace(&mut self.0, empty) }
    }
}
