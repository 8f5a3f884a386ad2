//! What are the jobs, and what do they have in common?

pub mod aggregate;
pub mod archive;
mod bar;
pub mod changes;
pub mod crawl;
pub mod deliver;
pub mod export;
mod kernel;
mod logs;
mod patience;
pub mod process;
pub mod report;

pub use kernel::{Job, JobHandle, JobOutcome, connect_catalog, open_catalog};
pub use logs::start_logging;
