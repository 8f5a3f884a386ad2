//! What must hold between values, and of their form, beyond their limits?
//!
//! A limit of one number stands at its field; here is what needs more than a number to say.

use std::{
    collections::BTreeMap,
    net::{IpAddr, SocketAddr},
};

use super::{
    AllowPrivate, Breaker, Crawl, Kafka, Matching, Network, Normalise, Politeness, Process, Schedule,
    Settings, Source, Storage, Thresholds, Topics, Window, Workers,
};

/// Tells what is wrong with the first of some keys, as the rest of a sentence; the others have a part in it.
type Tell<'a> = &'a mut dyn FnMut(&[&str], String);

pub(super) fn apply(settings: &Settings, tell: Tell) {
    crawl(&settings.crawl, tell);
    source(&settings.source, tell);
    normalise(&settings.normalise, tell);
    politeness(&settings.politeness, settings.crawl.concurrency, tell);
    network(&settings.network, tell);
    storage(&settings.storage, tell);
    settings.delivery.check(tell);
    later(settings, tell);
}

fn crawl(crawl: &Crawl, tell: Tell) {
    let Crawl { user_agent, accept_language, content_types, thresholds, .. } = crawl;
    for (key, text) in [("crawl.user_agent", user_agent), ("crawl.accept_language", accept_language)] {
        if text.trim().is_empty()
            || text.len() > 512
            || !text.bytes().all(|byte| (b' '..=b'~').contains(&byte))
        {
            tell(&[key], "must be 1 to 512 printable ASCII characters, as it becomes a header".to_owned());
        }
    }
    for name in content_types {
        let well_formed = name == "*"
            || name.split_once('/').is_some_and(|(kind, rest)| {
                !kind.is_empty() && !rest.is_empty() && !name.contains([' ', ';', ','])
            });
        if !well_formed {
            tell(
                &["crawl.content_types"],
                format!("has `{name}`; a content type looks like `text/html` or `text/*`"),
            );
        }
    }
    let Thresholds { high_failure_percent, abort_failure_percent, minimum_targets: _ } = thresholds;
    if high_failure_percent > abort_failure_percent {
        let message = format!("must not exceed `abort_failure_percent`, which is {abort_failure_percent}");
        tell(&["crawl.thresholds.high_failure_percent", "crawl.thresholds.abort_failure_percent"], message);
    }
}

fn source(source: &Source, tell: Tell) {
    let Source { key_column, url_column, delimiter, .. } = source;
    if url_column.is_empty() {
        tell(&["source.url_column"], "must name a column".to_owned());
    }
    if !key_column.is_empty() && key_column == url_column {
        tell(
            &["source.key_column", "source.url_column"],
            "must be another column than `source.url_column`".to_owned(),
        );
    }
    if let Some(delimiter) = delimiter {
        let usable = matches!(delimiter.as_bytes(), [byte] if byte.is_ascii() && !b"\"\r\n".contains(byte));
        if !usable {
            tell(
                &["source.delimiter"],
                "must be one ASCII character that is neither a quote nor a line end".to_owned(),
            );
        }
    }
}

fn normalise(normalise: &Normalise, tell: Tell) {
    let Normalise { tracking_parameters, trailing_slash: _, upgrade_to_https: _, max_url_length: _ } =
        normalise;
    for name in tracking_parameters {
        let stem = name.strip_suffix('*').unwrap_or(name);
        if stem.is_empty() || stem.contains('*') {
            let message = format!("has `{name}`; write a name, or the start of one and `*`");
            tell(&["normalise.tracking_parameters"], message);
        }
    }
}

fn politeness(politeness: &Politeness, concurrency: u32, tell: Tell) {
    let Politeness { robots_agent, classes, domain_overrides, window, breaker, .. } = politeness;
    let token = |c: char| c.is_ascii_alphabetic() || c == '-' || c == '_';
    if robots_agent.is_empty() || !robots_agent.chars().all(token) {
        tell(
            &["politeness.robots_agent"],
            "may have letters, `-` and `_` only, as in `User-agent: canvass`".to_owned(),
        );
    }
    let mut seen: BTreeMap<&str, &str> = BTreeMap::new();
    for (class, settings) in classes {
        let key = format!("politeness.classes.{class}.domains");
        if class == "general" {
            let key = format!("politeness.classes.{class}");
            tell(&[&key], "is for sites in no class: set `crawl.default_crawl_delay_seconds`".to_owned());
        }
        for domain in &settings.domains {
            if let Some(wrong) = not_a_domain(domain) {
                tell(&[&key], format!("has `{domain}`, {wrong}"));
            }
            if let Some(other) = seen.insert(domain, class) {
                tell(&[&key], format!("has `{domain}`, which is in class `{other}` too"));
            }
        }
    }
    for domain in domain_overrides.keys() {
        if let Some(wrong) = not_a_domain(domain) {
            tell(&[&format!("politeness.domain_overrides.{domain}")], format!("names no domain: {wrong}"));
        }
    }
    let Window { min, .. } = window;
    if *min > concurrency {
        tell(
            &["politeness.window.min", "crawl.concurrency"],
            format!("must not exceed `crawl.concurrency`, which is {concurrency}"),
        );
    }
    let Breaker { suspend_seconds, max_suspend_seconds, .. } = breaker;
    if suspend_seconds > max_suspend_seconds {
        let message = format!("must not exceed `max_suspend_seconds`, which is {}", max_suspend_seconds.0);
        tell(&["politeness.breaker.suspend_seconds", "politeness.breaker.max_suspend_seconds"], message);
    }
}

fn not_a_domain(name: &str) -> Option<&'static str> {
    if name.contains("://") || name.contains('/') {
        return Some("a domain is written without scheme and path: `example.com`");
    }
    if name.chars().any(char::is_uppercase) {
        return Some("a domain is written in lower case");
    }
    if name.starts_with("*.") {
        return Some("a domain covers its subdomains, leave out the `*.`");
    }
    let bad = name.is_empty()
        || name.len() > 253
        || name.split('.').any(str::is_empty)
        || name.contains(|c: char| c.is_whitespace() || c.is_control() || "*:@?#[]\\".contains(c));
    bad.then_some("which is not a domain such as `example.com`")
}

fn network(network: &Network, tell: Tell) {
    let Network { allow_private, hosts_file: _, nameservers, extra_ca_file: _ } = network;
    if let AllowPrivate::Networks(networks) = allow_private {
        for name in networks.iter().filter(|name| !is_network(name)) {
            tell(
                &["network.allow_private"],
                format!("has `{name}`; a network looks like `127.0.0.0/8` or `fd00::/8`"),
            );
        }
    }
    for name in nameservers {
        if name.parse::<IpAddr>().is_err() && name.parse::<SocketAddr>().is_err() {
            let message = format!("has `{name}`; a name server is an address, with or without `:PORT`");
            tell(&["network.nameservers"], message);
        }
    }
}

fn is_network(name: &str) -> bool {
    let Some((address, prefix)) = name.split_once('/') else { return false };
    let most = match address.parse() {
        Ok(IpAddr::V4(_)) => 32,
        Ok(IpAddr::V6(_)) => 128,
        Err(_) => return false,
    };
    prefix.bytes().all(|byte| byte.is_ascii_digit())
        && prefix.parse::<u8>().is_ok_and(|prefix| prefix <= most)
}

fn storage(storage: &Storage, tell: Tell) {
    let Storage { data_dir, metadata_db_url, schema, .. } = storage;
    if data_dir.as_os_str().is_empty() {
        tell(&["storage.data_dir"], "must name a folder".to_owned());
    }
    if let Some(url) = metadata_db_url {
        let known = ["sqlite:", "postgres://", "postgresql://"];
        if !known.iter().any(|start| url.expose().strip_prefix(start).is_some_and(|rest| !rest.is_empty())) {
            tell(
                &["storage.metadata_db_url"],
                "must be `sqlite:PATH` or `postgres://USER@HOST/DATABASE`".to_owned(),
            );
        }
    }
    if let Some(schema) = schema {
        let plain = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_';
        let usable = (1..=63).contains(&schema.len())
            && !schema.starts_with(|c: char| c.is_ascii_digit())
            && schema.chars().all(plain);
        if !usable {
            tell(&["storage.schema"], "must be 1 to 63 lower-case letters, digits and `_`".to_owned());
        }
    }
}

fn later(settings: &Settings, tell: Tell) {
    let Workers { pod_count_min, pod_count_max, .. } = &settings.workers;
    if pod_count_min > pod_count_max {
        tell(
            &["workers.pod_count_min", "workers.pod_count_max"],
            format!("must not exceed `pod_count_max`, which is {pod_count_max}"),
        );
    }
    let Process { batch_records, sub_batch_records, .. } = &settings.process;
    if sub_batch_records > batch_records {
        tell(
            &["process.sub_batch_records", "process.batch_records"],
            format!("must not exceed `batch_records`, which is {batch_records}"),
        );
    }
    let Topics { top_n: _, ngram_range: [fewest, most] } = settings.topics;
    if fewest > most {
        tell(&["topics.ngram_range"], "must have the smaller number first".to_owned());
    }
    let Matching { strategies, .. } = &settings.matching;
    let known = Matching::default().strategies;
    for name in strategies.iter().filter(|name| !known.contains(name)) {
        tell(&["matching.strategies"], format!("has `{name}`; there are `{}`", known.join("`, `")));
    }
    let Kafka { brokers, .. } = &settings.kafka;
    for name in brokers {
        let well_formed = name
            .rsplit_once(':')
            .is_some_and(|(host, port)| !host.is_empty() && port.parse::<u16>().is_ok_and(|port| port > 0));
        if !well_formed {
            tell(&["kafka.brokers"], format!("has `{name}`; a broker is `HOST:PORT`"));
        }
    }
    let Schedule { cron, list: _ } = &settings.schedule;
    if cron.split_whitespace().count() != 5 {
        tell(&["schedule.cron"], "must have five fields, as in `0 2 10 * *`".to_owned());
    }
    if settings.serve.address.parse::<SocketAddr>().is_err() {
        tell(&["serve.address"], "must be an address and a port, as in `127.0.0.1:8080`".to_owned());
    }
}
