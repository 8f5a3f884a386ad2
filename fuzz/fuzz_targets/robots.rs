//! Does any body give rules, and do they answer for any path?
#![no_main]

use frontier::robots::{MAX_CRAWL_DELAY, Rules};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|input: (&str, &str, &[u8])| {
    let (agent, path, body) = input;
    for agent in [agent, "canvass"] {
        let rules = Rules::parse(body, agent);
        let verdict = rules.decide(path);
        assert!(verdict.allowed || verdict.rule.is_some());
        assert!(rules.decide("/robots.txt").allowed);
        assert!(rules.crawl_delay().is_none_or(|delay| delay <= MAX_CRAWL_DELAY));
    }
});
