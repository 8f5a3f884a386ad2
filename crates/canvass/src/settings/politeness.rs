//! How gently are hosts asked?

use std::collections::BTreeMap;

use super::{BrowserMode, Seconds, section};

section! {
    /// How gently hosts are asked. Reloaded on SIGHUP.
    Politeness {
        /// Whether hosts are paced at all; off is for benchmarks on machines of your own.
        enabled: bool = true,
        /// Whether robots.txt is asked for and obeyed; off is for sites of your own.
        respect_robots: bool = true,
        /// The name by which robots.txt may address this crawler.
        robots_agent: String = "canvass".to_owned(),
        /// How long an answer to robots.txt holds.
        #[schemars(range(min = 0, max = 8760))]
        robots_cache_ttl_hours: f64 = 24.0,
        /// Pauses by kind of site. A site that is in no class has `crawl.default_crawl_delay_seconds`.
        classes: BTreeMap<String, SiteClass> = default_classes(),
        /// What one domain and its subdomains have of their own; the most specific domain counts.
        domain_overrides: BTreeMap<String, DomainOverride> = BTreeMap::new(),
        /// Requests to one host at once.
        #[schemars(range(min = 1, max = 1000))]
        per_host_concurrency: u32 = 1,
        /// Requests to one address at once, over all the hosts that live there.
        #[schemars(range(min = 1, max = 10000))]
        per_ip_concurrency: u32 = 8,
        /// The pause between two requests to one address, over all the hosts that live there.
        per_ip_delay_seconds: Seconds = Seconds(0.0),
        /// The pause is at least this many times as long as the host's last answer took.
        #[schemars(range(min = 0, max = 1000))]
        latency_factor: f64 = 1.0,
        /// A pause is made longer by up to this share, by chance.
        #[schemars(range(min = 0, max = 100))]
        jitter_percent: f64 = 10.0,
        /// Requests a second over all hosts; 0: no limit.
        #[schemars(range(min = 0, max = 1000000))]
        max_requests_per_second: f64 = 0.0,
        /// How many requests may come at once before that limit holds them back.
        #[schemars(range(min = 1, max = 1000000))]
        burst: u32 = 1,
        /// How the number of fetches at once follows what the network bears.
        window: Window = Window::default(),
        /// When a failing host is left alone.
        breaker: Breaker = Breaker::default(),
    }
}

fn default_classes() -> BTreeMap<String, SiteClass> {
    let class = |seconds| SiteClass { crawl_delay_seconds: Seconds(seconds), domains: Vec::new() };
    BTreeMap::from([("ecommerce".to_owned(), class(5.0)), ("news".to_owned(), class(3.0))])
}

section! {
    /// A kind of site with a pause of its own.
    SiteClass {
        /// The pause between two requests to a site of this class.
        crawl_delay_seconds: Seconds = Seconds(2.0),
        /// The domains of this class; each covers its subdomains.
        domains: Vec<String> = Vec::new(),
    }
}

section! {
    /// What one domain has of its own.
    DomainOverride {
        /// The pause between two requests; a longer Crawl-delay of its robots.txt still holds.
        crawl_delay_seconds: Option<Seconds> = None,
        /// Requests at once.
        #[schemars(range(min = 1, max = 1000))]
        concurrency: Option<u32> = None,
        /// Requests a second to each of its hosts.
        #[schemars(range(min = 0.000001, max = 1000000))]
        max_requests_per_second: Option<f64> = None,
        /// Whether its pages are fetched with a browser.
        render: Option<BrowserMode> = None,
    }
}

section! {
    /// How the number of fetches at once follows what the network bears: it grows by steps up to `crawl.concurrency` and shrinks by a factor.
    Window {
        /// It never shrinks below this.
        #[schemars(range(min = 1, max = 10000))]
        min: u32 = 1,
        /// What it is multiplied by when answers are too slow or too often throttled.
        #[schemars(range(min = 0.01, max = 0.99))]
        decrease: f64 = 0.70,
        /// Answers are too slow when their 95th percentile exceeds the learned one this many times.
        #[schemars(range(min = 1, max = 1000))]
        slo_multiplier: f64 = 2.0,
        /// Answers are too often throttled above this share of 429 and 503, as a fraction.
        #[schemars(range(min = 0, max = 1))]
        max_throttle_ratio: f64 = 0.05,
        /// How often it is judged.
        #[schemars(range(min = 0.01))]
        eval_interval_seconds: Seconds = Seconds(5.0),
        /// How long it stays where it is after it shrank.
        cool_off_seconds: Seconds = Seconds(15.0),
    }
}

section! {
    /// When a failing host is left alone.
    Breaker {
        /// Above this share of errors within the window a host is suspended.
        #[schemars(range(min = 0, max = 100))]
        error_percent: f64 = 50.0,
        /// How far back errors count.
        #[schemars(range(min = 1))]
        window_seconds: Seconds = Seconds(300.0),
        /// Nothing is judged before this many requests within the window.
        #[schemars(range(min = 1, max = 1000000))]
        minimum_requests: u32 = 10,
        /// The first suspension; each further one is twice as long.
        #[schemars(range(min = 0.01))]
        suspend_seconds: Seconds = Seconds(60.0),
        /// No suspension is longer than this.
        #[schemars(range(min = 0.01))]
        max_suspend_seconds: Seconds = Seconds(86_400.0),
        /// After this many suspensions the rest of the host's targets fail for this round.
        #[schemars(range(min = 1, max = 1000))]
        give_up_after_suspensions: u32 = 3,
        /// After this long without an error the suspensions are forgotten.
        forgive_after_quiet_seconds: Seconds = Seconds(1800.0),
    }
}
