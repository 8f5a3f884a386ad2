//! Which knobs wait for a stage that is not built yet?
//!
//! They are here with their numbers, so that a file written today stays valid; `NOT_READ_YET` says which they are.

use std::path::PathBuf;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Seconds, Secret, SecretUrl, section};

/// The keys that nothing reads yet, each with the stage that will. A `*` stands for one name; a key covers those below it.
pub const NOT_READ_YET: &[(&str, &str)] = &[
    ("politeness.domain_overrides.*.render", "fetching with a browser"),
    ("storage.html_bucket", "raw pages on object storage"),
    ("storage.html_bucket_region", "raw pages on object storage"),
    ("storage.cache_url", "one URL on demand"),
    ("storage.cache_ttl_seconds", "one URL on demand"),
    ("storage.retention.metadata_months", "the page reader"),
    ("storage.retention.raw_months", "raw pages on object storage"),
    ("storage.retention.raw_cold_after_days", "raw pages on object storage"),
    ("ingest", "lists from MySQL and object storage"),
    ("workers", "workers on many machines"),
    ("browser", "fetching with a browser"),
    ("topics", "the page reader"),
    ("matching", "the account matcher"),
    ("kafka", "workers on many machines"),
    ("search", "the search index"),
    ("listings", "the listing jobs"),
    ("notify", "notifications"),
    ("schedule", "`canvass schedule`"),
    ("backup", "`canvass backup`"),
    ("metrics", "metrics"),
    ("serve", "`canvass serve`"),
];

/// The stage that will read `key`, where nothing does yet.
pub(crate) fn not_read_yet(key: &str) -> Option<&'static str> {
    NOT_READ_YET.iter().find(|(pattern, _)| covers(pattern, key)).map(|&(_, stage)| stage)
}

fn covers(pattern: &str, key: &str) -> bool {
    let Some((before, after)) = pattern.split_once(".*.") else {
        return key.strip_prefix(pattern).is_some_and(|rest| rest.is_empty() || rest.starts_with('.'));
    };
    // A name in the middle may be a domain and have dots of its own, so only the two ends are compared.
    key.strip_prefix(before).is_some_and(|rest| rest.starts_with('.'))
        && key.strip_suffix(after).is_some_and(|rest| rest.ends_with('.') && rest.len() > before.len() + 1)
}

section! {
    /// Lists that come from a database or in very large files.
    Ingest {
        /// URLs that are read at once.
        #[schemars(range(min = 1, max = 10000000))]
        chunk_urls: u32 = 100_000,
        /// The MySQL server that holds the list, as `mysql://…`.
        mysql_url: Option<SecretUrl> = None,
        /// Its table.
        mysql_table: String = "url_queue".to_owned(),
        /// A URL that was crawled within this many days is skipped; 0: none is.
        #[schemars(range(max = 36500))]
        recrawl_after_days: u32 = 0,
    }
}

section! {
    /// The fleet of workers when a list outgrows one machine.
    Workers {
        /// Fetches at once in one worker.
        #[schemars(range(min = 1, max = 10000))]
        concurrency_per_pod: u32 = 50,
        /// The smallest fleet.
        #[schemars(range(min = 1, max = 100000))]
        pod_count_min: u32 = 10,
        /// The largest fleet.
        #[schemars(range(min = 1, max = 100000))]
        pod_count_max: u32 = 200,
        /// Records that are written to the catalog together.
        #[schemars(range(min = 1, max = 100000))]
        write_batch_records: u32 = 500,
    }
}

section! {
    /// Pages that need a real browser.
    Browser {
        /// When a page is fetched with a browser.
        mode: BrowserMode = BrowserMode::Auto,
        /// The browser's program; not set: the first known one on the path.
        path: Option<PathBuf> = None,
        /// Workers at once.
        #[schemars(range(min = 1, max = 1000))]
        concurrency: u32 = 20,
        /// Pages of one worker at once, each isolated from the others.
        #[schemars(range(min = 1, max = 100))]
        tabs_per_worker: u32 = 1,
        /// The longest that a page may take.
        #[schemars(range(min = 0.001))]
        page_timeout_seconds: Seconds = Seconds(45.0),
        /// The longest that closing a page may take before it is abandoned.
        #[schemars(range(min = 0.001))]
        close_timeout_seconds: Seconds = Seconds(5.0),
        /// A browser process larger than this is ended.
        #[schemars(range(min = 64, max = 1048576))]
        memory_limit_mb: u32 = 2048,
        /// A round stops when the browser had to be restarted more often.
        #[schemars(range(max = 1000))]
        max_restarts: u32 = 3,
        /// This many crashes within the window pause every page …
        #[schemars(range(min = 1, max = 10000))]
        breaker_crashes: u32 = 12,
        /// … where this is the window …
        #[schemars(range(min = 1))]
        breaker_window_seconds: Seconds = Seconds(30.0),
        /// … and this the pause.
        breaker_cooldown_seconds: Seconds = Seconds(20.0),
    }
}

/// When a page is fetched with a browser.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum BrowserMode {
    /// Never.
    Never,
    /// When its plain HTML is an empty shell.
    Auto,
    /// Always.
    Always,
}

section! {
    /// How segments are read into facts.
    Process {
        /// Matches that are written together.
        #[schemars(range(min = 1, max = 100000))]
        batch_records: u32 = 600,
        /// Matches in one statement.
        #[schemars(range(min = 1, max = 7000))]
        sub_batch_records: u32 = 600,
        /// Retries of a write that failed.
        #[schemars(range(max = 20))]
        retries: u32 = 3,
        /// The first wait before a retry; it doubles each time.
        first_wait_seconds: Seconds = Seconds(5.0),
        /// No wait is longer than this.
        max_wait_seconds: Seconds = Seconds(45.0),
    }
}

section! {
    /// Which words say what a page is about.
    Topics {
        /// Terms that are kept for a page.
        #[schemars(range(min = 1, max = 1000))]
        top_n: u32 = 15,
        /// The fewest and the most words in a term.
        #[schemars(inner(range(min = 1, max = 5)))]
        ngram_range: [u32; 2] = [1, 2],
    }
}

section! {
    /// The queue between machines.
    Kafka {
        /// Brokers as `HOST:PORT`; empty: no Kafka.
        brokers: Vec<String> = Vec::new(),
        /// The consumer group of the workers.
        group: String = "canvass".to_owned(),
        /// What the topics are called.
        topics: KafkaTopics = KafkaTopics::default(),
        /// How long queued URLs are kept.
        #[schemars(range(min = 1, max = 3650))]
        queue_retention_days: u32 = 7,
        /// How long results are kept.
        #[schemars(range(min = 1, max = 3650))]
        results_retention_days: u32 = 30,
    }
}

section! {
    /// What the topics are called.
    KafkaTopics {
        /// URLs as they came.
        ingest: String = "url_ingest".to_owned(),
        /// URLs whose turn it is, by domain.
        scheduled: String = "url_scheduled".to_owned(),
        /// What was found.
        results: String = "crawl_results".to_owned(),
        /// What failed or was excluded.
        failures: String = "crawl_failures".to_owned(),
        /// Domains whose robots.txt must be asked for again.
        robots: String = "robots_cache_miss".to_owned(),
    }
}

section! {
    /// The search index that follows the catalog.
    Search {
        /// The server, as `https://…`; not set: no index.
        url: Option<SecretUrl> = None,
        /// The index.
        index: String = "crawl_metadata".to_owned(),
    }
}

section! {
    /// The life of marketplace listings.
    Listings {
        /// Probes at once.
        #[schemars(range(min = 1, max = 10000))]
        workers: u32 = 64,
        /// Requests a second.
        #[schemars(range(min = 0.001, max = 1000000))]
        max_requests_per_second: f64 = 30.0,
        /// A live listing that was not edited for this long is stale.
        #[schemars(range(min = 1, max = 36500))]
        stale_days: u32 = 21,
        /// A listing is audited again after this long.
        #[schemars(range(min = 1, max = 36500))]
        sanity_days: u32 = 30,
        /// A sold listing is looked at again only after this long.
        #[schemars(range(min = 1, max = 36500))]
        embargo_days: u32 = 7,
        /// The minute after midnight UTC that keys a day's baseline.
        #[schemars(range(max = 1439))]
        baseline_minute: u32 = 5,
        /// Whether a page is asked for with HEAD before GET.
        head_first: bool = true,
        /// Whether an audit may call a sold or removed listing live again.
        allow_revival: bool = false,
        /// The longest that a discovery sweep may take.
        #[schemars(range(min = 1, max = 100000))]
        discovery_timeout_minutes: u32 = 30,
        /// The longest that a sweep over live listings may take.
        #[schemars(range(min = 1, max = 100000))]
        monitor_timeout_minutes: u32 = 60,
        /// The longest that an audit may take.
        #[schemars(range(min = 1, max = 100000))]
        audit_timeout_minutes: u32 = 120,
        /// How far back a backfill goes.
        #[schemars(range(min = 1, max = 36500))]
        backfill_since_days: u32 = 365,
        /// Listings that a backfill works on at once.
        #[schemars(range(min = 1, max = 1000))]
        backfill_concurrency: u32 = 12,
    }
}

section! {
    /// Who is told when something happens.
    Notify {
        /// Whether anybody is told.
        enabled: bool = true,
        /// The application's token at Pushover, best as `${PUSHOVER_APP_TOKEN}`.
        pushover_app_token: Option<Secret> = None,
        /// The user's key at Pushover, best as `${PUSHOVER_USER_KEY}`.
        pushover_user_key: Option<Secret> = None,
        /// An emergency is told again after this long …
        #[schemars(range(min = 30))]
        retry_seconds: Seconds = Seconds(60.0),
        /// … until it is acknowledged, or for this long.
        #[schemars(range(min = 30, max = 10800))]
        expire_seconds: Seconds = Seconds(3600.0),
    }
}

section! {
    /// When a round starts by itself.
    Schedule {
        /// Minute, hour, day of the month, month, day of the week.
        cron: String = "0 2 10 * *".to_owned(),
        /// The list that it visits.
        list: Option<PathBuf> = None,
    }
}

section! {
    /// Copies of the catalog.
    Backup {
        /// Where copies go; not set: `backups` in the data folder.
        folder: Option<PathBuf> = None,
        /// How long a copy is kept.
        #[schemars(range(min = 1, max = 36500))]
        keep_days: u32 = 14,
        /// A table that must exist before a copy is made, so that an empty database never replaces a full one.
        canary_table: String = "runs".to_owned(),
    }
}

section! {
    /// What monitoring sees.
    Metrics {
        /// Where a job leaves its numbers when it ends; not set: nowhere.
        pushgateway_url: Option<SecretUrl> = None,
        /// The share of requests that are traced.
        #[schemars(range(min = 0, max = 100))]
        trace_sample_percent: f64 = 5.0,
    }
}

section! {
    /// The HTTP interface.
    Serve {
        /// Where it listens.
        address: String = "127.0.0.1:8080".to_owned(),
        /// The longest that crawling one URL on demand may take.
        #[schemars(range(min = 0.001))]
        crawl_timeout_seconds: Seconds = Seconds(10.0),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::settings::{Settings, flat_values};

    #[test]
    fn a_key_below_an_unread_one_is_unread_and_its_neighbour_is_not() {
        assert_eq!(not_read_yet("browser.mode"), Some("fetching with a browser"));
        assert_eq!(
            not_read_yet("politeness.domain_overrides.a.example.com.render"),
            Some("fetching with a browser")
        );
        assert_eq!(not_read_yet("politeness.domain_overrides.a.example.com.concurrency"), None);
        assert_eq!(not_read_yet("storage.data_dir"), None);
        assert_eq!(not_read_yet("storage.retention.raw_months"), Some("raw pages on object storage"));
        assert_eq!(not_read_yet("storage.retention.match_rows_days"), None);
        assert_eq!(not_read_yet("storage.html_bucket_region"), Some("raw pages on object storage"));
    }

    #[test]
    fn every_unread_entry_names_a_key_that_exists() {
        let keys: Vec<String> = flat_values(&Settings::default()).into_iter().map(|(key, _)| key).collect();
        for (pattern, _) in NOT_READ_YET.iter().filter(|(pattern, _)| !pattern.contains('*')) {
            assert!(keys.iter().any(|key| covers(pattern, key)), "{pattern} names nothing");
        }
    }
}
