//! What are the jobs, and what do they have in common?

pub mod crawl;
mod kernel;
mod logs;

pub use kernel::{Job, JobHandle, JobOutcome, connect_catalog, open_catalog};
pub use logs::start_logging;
