//! What if the catalog is away for a while?

use std::time::Duration;

use anyhow::Result;
use catalog::{Catalog, CatalogError};

use super::JobHandle;
use crate::settings::Process;

/// Asks the catalog again and again while it cannot be reached, as often as `process.retries` says.
#[derive(Clone)]
pub struct Patience {
    handle: JobHandle,
    retries: u32,
    first_wait: Duration,
    max_wait: Duration,
}

impl Patience {
    /// As patient as the settings say, until the job is to stop.
    #[must_use]
    pub fn new(handle: JobHandle, settings: &Process) -> Patience {
        let Process { retries, first_wait_seconds, max_wait_seconds, .. } = settings;
        Patience {
            handle,
            retries: *retries,
            first_wait: first_wait_seconds.duration(),
            max_wait: max_wait_seconds.duration(),
        }
    }

    /// The job.
    #[must_use]
    pub fn handle(&self) -> &JobHandle {
        &self.handle
    }

    /// Whether the job is to stop.
    #[must_use]
    pub fn is_stopped(&self) -> bool {
        self.handle.stop_signal().borrow().is_some()
    }

    /// Does what may be done twice: a connection that is cut during a commit leaves open whether it happened.
    pub async fn ask<T>(&self, work: impl AsyncFn(&Catalog) -> Result<T, CatalogError>) -> Result<T> {
        let (mut left, mut wait) = (self.retries, self.first_wait);
        loop {
            match work(self.handle.catalog()).await {
                Err(error) if error.is_retryable() && left > 0 && !self.is_stopped() => {
                    tracing::warn!(%error, wait_ms = wait.as_millis() as u64, "the catalog is away");
                    let mut stop = self.handle.stop_signal();
                    // waits, but not for longer than until the job is to stop
                    let _ = tokio::time::timeout(wait, stop.wait_for(Option::is_some)).await;
                    left -= 1;
                    wait = (wait * 2).min(self.max_wait);
                }
                other => return Ok(other?),
            }
        }
    }
}
