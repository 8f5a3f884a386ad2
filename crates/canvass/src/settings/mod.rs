//! Which knobs are there, what are they set to, and who set them?
//!
//! The structs of this module are the one table: a field's name, doc comment, limits and default yield the reader of
//! `canvass.yaml`, its error messages, `canvass config show`, the JSON Schema and docs/SETTINGS.md.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

mod args;
mod check;
mod convert;
mod crawl;
mod delivery;
mod docs;
mod expand;
mod export;
mod later;
mod load;
mod matching;
mod network;
mod politeness;
mod problem;
mod rules;
mod secret;
mod shape;
mod source;
mod storage;
mod suggest;
mod units;
mod write;
mod yaml;

#[cfg(test)]
mod tests;

pub use args::SettingsArgs;
pub use check::Violation;
pub use crawl::{Crawl, RedirectScope, Retry, Thresholds};
pub use delivery::{Delivery, Destination, PLACEHOLDERS};
pub use docs::{published_schema, settings_markdown};
pub use export::{Export, ExportFormat};
pub use later::{
    Backup, Browser, BrowserMode, Ingest, Kafka, KafkaTopics, Listings, Metrics, NOT_READ_YET, Notify,
    Process, Schedule, Search, Serve, Topics, Workers,
};
pub use load::{Loaded, Origins};
pub use matching::{Forest, Matching};
pub use network::{AllowPrivate, Network};
pub use politeness::{Breaker, DomainOverride, Politeness, SiteClass, Window};
pub use problem::{Origin, Problem, SettingsProblems};
pub use secret::{Secret, SecretUrl};
pub use source::{ListFormat, Normalise, Source, TrailingSlash};
pub use storage::{LogLevel, Logs, Retention, Segments, Storage};
pub use units::Seconds;

pub(crate) use shape::field_at;
pub(crate) use suggest::nearest;
pub(crate) use write::{Printout, flat_values, key_lines, wrapped};

/// The file that is read when none is named.
pub const DEFAULT_FILE: &str = "canvass.yaml";

/// Declares one section: each field's doc comment, limits, type and default stand together.
macro_rules! section {
    ($(#[$meta:meta])* $name:ident {
        $($(#[$field_meta:meta])* $field:ident: $type:ty = $default:expr,)*
    }) => {
        $(#[$meta])*
        #[derive(Debug, Clone, PartialEq, serde::Serialize, serde::Deserialize, schemars::JsonSchema)]
        #[serde(deny_unknown_fields, default)]
        pub struct $name { $($(#[$field_meta])* pub $field: $type,)* }

        impl Default for $name {
            fn default() -> Self {
                $name { $($field: $default,)* }
            }
        }
    };
}
use section;

/// Every setting of canvass: one YAML file in which every key is optional.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Settings {
    /// How pages are fetched: identity, limits, timeouts, retries.
    pub crawl: Crawl,
    /// How a list of targets is read.
    pub source: Source,
    /// What makes two URLs the same.
    pub normalise: Normalise,
    /// How gently hosts are asked. Reloaded on SIGHUP.
    pub politeness: Politeness,
    /// Which addresses may be reached, and how names are looked up.
    pub network: Network,
    /// How captures are written to the segment log.
    pub segments: Segments,
    /// Where state and bytes live, and how long.
    pub storage: Storage,
    /// What is logged, and how much of it is kept.
    pub logs: Logs,
    /// Lists that come from a database or in very large files.
    pub ingest: Ingest,
    /// The fleet of workers when a list outgrows one machine.
    pub workers: Workers,
    /// Pages that need a real browser.
    pub browser: Browser,
    /// How segments are read into facts.
    pub process: Process,
    /// Which words say what a page is about.
    pub topics: Topics,
    /// Which client account is which organisation.
    pub matching: Matching,
    /// The queue between machines.
    pub kafka: Kafka,
    /// The search index that follows the catalog.
    pub search: Search,
    /// The life of marketplace listings.
    pub listings: Listings,
    /// Who is told when something happens.
    pub notify: Notify,
    /// How findings are written for others.
    pub export: Export,
    /// Where findings are delivered.
    pub delivery: Delivery,
    /// When a round starts by itself.
    pub schedule: Schedule,
    /// Copies of the catalog.
    pub backup: Backup,
    /// What monitoring sees.
    pub metrics: Metrics,
    /// The HTTP interface.
    pub serve: Serve,
}
