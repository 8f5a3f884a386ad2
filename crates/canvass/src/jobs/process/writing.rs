//! When is what was read worth a transaction, and what if the database is away?

use std::time::Duration;

use anyhow::Result;
use catalog::{CatalogError, matches};

use super::{Reader, reading::Chunk};
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

impl Reader {
    /// Does something with the catalog, again and again while it cannot be reached, as often as the settings say.
    pub(super) async fn patiently<T>(
        &self,
        mut work: impl AsyncFnMut() -> Result<T, CatalogError>,
    ) -> Result<T> {
        let Process { retries, first_wait_seconds, max_wait_seconds, .. } = &self.settings;
        let (mut left, mut wait) = (*retries, first_wait_seconds.duration());
        loop {
            match work().await {
                Err(error) if error.is_retryable() && left > 0 && !self.is_stopped() => {
                    tracing::warn!(%error, wait_ms = wait.as_millis() as u64, "the catalog is away");
                    self.bar
                        .say(&format!("the catalog is away ({error}); trying again in {} s", wait.as_secs()));
                    self.pause(wait).await;
                    left -= 1;
                    wait = (wait * 2).min(max_wait_seconds.duration());
                }
                other => return Ok(other?),
            }
        }
    }

    /// Waits, but not for longer than until the job is to stop.
    async fn pause(&self, wait: Duration) {
        let mut stop = self.handle.stop_signal();
        let _ = tokio::time::timeout(wait, stop.wait_for(Option::is_some)).await;
    }
}
