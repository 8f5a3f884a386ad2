//! How was each host treated, as the server saw it?

use std::{collections::HashMap, fmt, time::Duration};

use sandbox::{Request, World};

use super::web::is_robots;

/// The gaps between requests to the same host, against what they had to be.
#[derive(Debug)]
pub struct Gaps {
    pub hosts: usize,
    pub requests: usize,
    pub measured: usize,
    /// By how much the tightest gap exceeds its host's delay, in microseconds; negative if it falls short.
    pub tightest_us: i64,
    /// Gaps that are shorter than the host's delay, in words.
    pub short: Vec<String>,
}

impl Gaps {
    /// Measures the gaps of a log. The delay of a host is `delay`, or what its robots.txt asks for if that is longer.
    pub fn measure(world: &World, requests: &[Request], delay: Duration) -> Gaps {
        let mut by_host: HashMap<&str, Vec<&Request>> = HashMap::new();
        for request in requests {
            by_host.entry(&request.host).or_default().push(request);
        }
        let mut gaps = Gaps {
            hosts: by_host.len(),
            requests: requests.len(),
            measured: 0,
            tightest_us: i64::MAX,
            short: Vec::new(),
        };
        for (host, asked) in by_host {
            let crawl_delay = world.site_at(host).and_then(sandbox::Site::crawl_delay).unwrap_or_default();
            for pair in asked.windows(2) {
                // whoever dies before it has read a robots.txt asks for it again without knowing what it says
                let known = !(is_robots(&pair[0].path) && is_robots(&pair[1].path));
                let least = if known { delay.max(crawl_delay) } else { delay };
                gaps.judge(host, pair[0], pair[1], least);
            }
        }
        gaps
    }

    fn judge(&mut self, host: &str, first: &Request, second: &Request, least: Duration) {
        self.measured += 1;
        let microseconds = |time: u64| i64::try_from(time).expect("a log is not that long");
        let gap_us = microseconds(second.at_us) - microseconds(first.at_us);
        let spare = gap_us - i64::try_from(least.as_micros()).expect("a delay is not that long");
        self.tightest_us = self.tightest_us.min(spare);
        if spare < 0 {
            let (first, second) = (&first.path, &second.path);
            self.short.push(format!("{host}: {gap_us} µs from {first} to {second}, not {least:?}"));
        }
    }
}

impl fmt::Display for Gaps {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Gaps { hosts, requests, measured, tightest_us, short } = self;
        write!(
            f,
            "{requests} requests to {hosts} hosts, {measured} gaps, {} too short; the tightest is {:.1} ms over its delay",
            short.len(),
            *tightest_us as f64 / 1_000.0
        )
    }
}
