//! How are pages fetched?

use fetch::FetchSettings;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Seconds, section};

section! {
    /// How pages are fetched: identity, limits, timeouts, retries.
    Crawl {
        /// The pause between two requests to a site that is in no class and has no override.
        default_crawl_delay_seconds: Seconds = Seconds(2.0),
        /// At most this many fetches at once; the adaptive window moves below it.
        #[schemars(range(min = 1, max = 10000))]
        concurrency: u32 = 64,
        /// No target is retried more often than this, whatever `crawl.retry` allows its failures.
        #[schemars(range(max = 20))]
        max_retries: u32 = 3,
        /// Who asks: name, version and a page that says what this crawler is and how to stop it. Put your own page here.
        user_agent: String =
            concat!("canvass/", env!("CARGO_PKG_VERSION"), " (+https://example.org/canvass-bot)").to_owned(),
        /// The Accept-Language header.
        accept_language: String = "en, *;q=0.5".to_owned(),
        /// The content types that are kept; `*` stands for any rest. Other answers are excluded before their body is read.
        content_types: Vec<String> = FetchSettings::default().accept_content_types,
        /// A decoded body is cut here, and marked as cut.
        #[schemars(range(min = 1024, max = 134217728))]
        max_content_bytes: u64 = 5_242_880,
        /// More headers than this make an answer a header flood.
        #[schemars(range(min = 16, max = 10000))]
        max_headers: u32 = 256,
        /// A larger response head than this is a header flood.
        #[schemars(range(min = 8192, max = 16777216))]
        max_header_bytes: u64 = 65_536,
        /// At most this many bodies over 512 KiB are held at once, so that memory stays bounded.
        #[schemars(range(min = 1, max = 10000))]
        large_bodies_at_once: u32 = 8,
        /// The longest wait for a name to be looked up.
        #[schemars(range(min = 0.001))]
        resolve_timeout_seconds: Seconds = Seconds(5.0),
        /// The longest wait for a connection.
        #[schemars(range(min = 0.001))]
        connect_timeout_seconds: Seconds = Seconds(10.0),
        /// The longest wait for a TLS handshake.
        #[schemars(range(min = 0.001))]
        tls_timeout_seconds: Seconds = Seconds(10.0),
        /// The longest wait from the request to the response head.
        #[schemars(range(min = 0.001))]
        fetch_timeout_seconds: Seconds = Seconds(15.0),
        /// The longest silence within a body.
        #[schemars(range(min = 0.001))]
        body_idle_timeout_seconds: Seconds = Seconds(10.0),
        /// The longest that one request may take, all phases together.
        #[schemars(range(min = 0.001))]
        total_timeout_seconds: Seconds = Seconds(45.0),
        /// Connections that are kept open for the next request, over all hosts.
        #[schemars(range(max = 100000))]
        max_idle_connections: u32 = 1024,
        /// How long an unused connection is kept.
        idle_connection_timeout_seconds: Seconds = Seconds(20.0),
        /// Whether HTTP/2 is offered to servers that speak TLS.
        http2: bool = true,
        /// The longest chain of redirects that is followed.
        #[schemars(range(max = 50))]
        max_redirects: u32 = 10,
        /// How far a redirect may lead; what goes farther is excluded as out of scope.
        redirect_scope: RedirectScope = RedirectScope::Any,
        /// Whether a redirect may lead from https to http.
        allow_downgrade: bool = true,
        /// The round stops in good order after this long and can be continued; not set: no deadline.
        #[schemars(range(min = 0.001, max = 8760))]
        deadline_hours: Option<f64> = None,
        /// How often, and after how long, a failure is tried again.
        retry: Retry = Retry::default(),
        /// When a round has failed too much.
        thresholds: Thresholds = Thresholds::default(),
    }
}

/// How far a redirect may lead.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum RedirectScope {
    /// Anywhere.
    Any,
    /// Within the target's registrable domain.
    SameSite,
    /// Within the target's host name.
    SameHost,
}

section! {
    /// How often, and after how long, a failure is tried again. 404, 403, 410, 451 and a 500 with next to no body never are.
    Retry {
        /// The first wait after 429 or 503; it doubles each time, and a Retry-After is a floor.
        throttle_first_wait_seconds: Seconds = Seconds(30.0),
        /// Retries after 429 or 503.
        #[schemars(range(max = 20))]
        throttle_retries: u32 = 3,
        /// The wait after another 5xx.
        server_error_wait_seconds: Seconds = Seconds(10.0),
        /// Retries after another 5xx.
        #[schemars(range(max = 20))]
        server_error_retries: u32 = 2,
        /// The wait after a connection timeout.
        connect_timeout_wait_seconds: Seconds = Seconds(15.0),
        /// Retries after a connection timeout.
        #[schemars(range(max = 20))]
        connect_timeout_retries: u32 = 1,
        /// The wait after a broken connection or another passing network error.
        transient_wait_seconds: Seconds = Seconds(5.0),
        /// Retries after a broken connection or another passing network error.
        #[schemars(range(max = 20))]
        transient_retries: u32 = 3,
        /// No wait is longer than this, whatever a Retry-After says.
        max_wait_seconds: Seconds = Seconds(86_400.0),
    }
}

section! {
    /// When a round has failed too much.
    Thresholds {
        /// From this share of failures on, a round ends with exit code 1.
        #[schemars(range(min = 0, max = 100))]
        high_failure_percent: f64 = 15.0,
        /// From this share of failures on, a round is aborted.
        #[schemars(range(min = 0, max = 100))]
        abort_failure_percent: f64 = 50.0,
        /// Nothing is judged before this many targets have ended.
        minimum_targets: u64 = 100,
    }
}
