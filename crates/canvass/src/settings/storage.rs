//! Where do state and bytes live, and how long?

use std::path::PathBuf;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Seconds, SecretUrl, section};

section! {
    /// How captures are written to the segment log.
    Segments {
        /// A segment is closed when it has grown to this size.
        #[schemars(range(min = 4096, max = 17179869184u64))]
        max_bytes: u64 = 268_435_456,
        /// A segment is closed when it holds this many records.
        #[schemars(range(min = 1, max = 100000000))]
        max_rows: u64 = 50_000,
        /// The log is synced to the disk after this many records …
        #[schemars(range(min = 1, max = 1000000))]
        commit_every_records: u32 = 2_000,
        /// … or after this long, whichever comes first.
        #[schemars(range(min = 0.001))]
        commit_every_seconds: Seconds = Seconds(1.0),
        /// How often the index into the log is written; a resume reads what came after it.
        #[schemars(range(min = 0.01))]
        checkpoint_every_seconds: Seconds = Seconds(5.0),
        /// How hard records are compressed; bodies mostly arrive compressed, so a low level loses little.
        #[schemars(range(min = 1, max = 19))]
        zstd_level: i32 = 1,
    }
}

section! {
    /// Where state and bytes live, and how long.
    Storage {
        /// The folder of rounds, logs and, by default, the catalog.
        data_dir: PathBuf = PathBuf::from("data"),
        /// The catalog: `sqlite:PATH` or `postgres://…`; not set: `canvass.db` in the data folder.
        metadata_db_url: Option<SecretUrl> = None,
        /// The PostgreSQL schema; not set: the role's own.
        schema: Option<String> = None,
        /// Connections to the catalog at once.
        #[schemars(range(min = 1, max = 1000))]
        max_connections: u32 = 4,
        /// The longest that one statement may take.
        #[schemars(range(min = 0.001))]
        statement_timeout_seconds: Seconds = Seconds(30.0),
        /// The longest wait for another's lock.
        #[schemars(range(min = 0.001))]
        lock_timeout_seconds: Seconds = Seconds(5.0),
        /// The bucket for raw pages, as `s3://NAME` or `gs://NAME`; not set: the data folder.
        html_bucket: Option<String> = None,
        /// The region of that bucket.
        html_bucket_region: String = "us-east-1".to_owned(),
        /// The cache of answers on demand, as `redis://…`; not set: none.
        cache_url: Option<SecretUrl> = None,
        /// How long such an answer is kept.
        cache_ttl_seconds: Seconds = Seconds(3600.0),
        /// How long things are kept.
        retention: Retention = Retention::default(),
    }
}

impl Storage {
    /// Where the catalog is, its default filled in.
    #[must_use]
    pub fn catalog_url(&self) -> SecretUrl {
        match &self.metadata_db_url {
            Some(url) => url.clone(),
            None => SecretUrl::new(format!("sqlite:{}", self.default_catalog().display())),
        }
    }

    /// The file that is the catalog where `metadata_db_url` names none.
    #[must_use]
    pub fn default_catalog(&self) -> PathBuf {
        self.data_dir.join("canvass.db")
    }
}

section! {
    /// How long things are kept.
    Retention {
        /// Page metadata.
        #[schemars(range(min = 1, max = 1200))]
        metadata_months: u32 = 18,
        /// Raw pages.
        #[schemars(range(min = 1, max = 1200))]
        raw_months: u32 = 12,
        /// Raw pages move to cold storage after this long.
        #[schemars(range(min = 1, max = 36500))]
        raw_cold_after_days: u32 = 90,
        /// Single matches of fingerprints; what they add up to stays.
        #[schemars(range(min = 1, max = 36500))]
        match_rows_days: u32 = 180,
    }
}

section! {
    /// What is logged, and how much of it is kept.
    Logs {
        /// The least important lines that are written.
        level: LogLevel = LogLevel::Info,
        /// A log file is closed and a new one begun at this size.
        #[schemars(range(min = 4096, max = 17179869184u64))]
        max_bytes: u64 = 52_428_800,
        /// How many closed log files of a stage are kept.
        #[schemars(range(max = 10000))]
        keep: u32 = 10,
    }
}

/// How important a line must be to be logged.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum LogLevel {
    /// What went wrong.
    Error,
    /// And what may go wrong.
    Warn,
    /// And what happened.
    Info,
    /// And how.
    Debug,
    /// And every step.
    Trace,
}

impl LogLevel {
    /// Its name, as filters spell it.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            LogLevel::Error => "error",
            LogLevel::Warn => "warn",
            LogLevel::Info => "info",
            LogLevel::Debug => "debug",
            LogLevel::Trace => "trace",
        }
    }
}
