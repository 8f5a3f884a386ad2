//! What do the settings mean to the frontier, the fetcher and the log?

use std::{collections::HashMap, time::Duration};

use anyhow::{Context, Result};
use blobs::segment::Limits;
use fetch::{Cidr, FetchSettings, RedirectRules, RetrySettings};
use frontier::{
    normal::{NormalRules, TrailingSlash},
    pace::{BreakerRules, DomainRule, HostRule, PacePolicy, WindowRules},
    schedule::Politeness,
    source::{Format, SourceOptions},
};

use super::{verdict::Rules, writer::CommitRules};
use crate::settings::{self, AllowPrivate, ListFormat, Settings};

/// How the list is read.
pub fn source_options(settings: &settings::Source) -> Result<SourceOptions> {
    let settings::Source { format, key_column, url_column, delimiter, max_line_bytes } = settings;
    let delimiter = match delimiter.as_deref() {
        None => None,
        Some("\\t" | "\t") => Some(b'\t'),
        Some(text) => match text.as_bytes() {
            [one] => Some(*one),
            _ => anyhow::bail!("`source.delimiter` must be one character, not `{text}`"),
        },
    };
    Ok(SourceOptions {
        format: match format {
            ListFormat::Auto => None,
            ListFormat::Csv => Some(Format::Csv),
            ListFormat::Text => Some(Format::Text),
        },
        key_column: key_column.clone(),
        url_column: url_column.clone(),
        delimiter,
        max_line_bytes: *max_line_bytes as usize,
    })
}

/// What makes two URLs the same.
#[must_use]
pub fn normal_rules(settings: &settings::Normalise) -> NormalRules {
    let settings::Normalise { tracking_parameters, trailing_slash, upgrade_to_https, max_url_length } =
        settings;
    NormalRules {
        tracking_parameters: tracking_parameters.clone(),
        trailing_slash: match trailing_slash {
            settings::TrailingSlash::Strip => TrailingSlash::Strip,
            settings::TrailingSlash::Keep => TrailingSlash::Keep,
        },
        upgrade_to_https: *upgrade_to_https,
        max_length: *max_url_length as usize,
    }
}

/// How requests are sent.
pub fn fetch_settings(settings: &Settings) -> Result<FetchSettings> {
    let (crawl, network) = (&settings.crawl, &settings.network);
    let allow_private = match &network.allow_private {
        AllowPrivate::Any(false) => fetch::AllowPrivate::None,
        AllowPrivate::Any(true) => fetch::AllowPrivate::All,
        AllowPrivate::Networks(networks) => {
            let parse = |text: &String| {
                text.parse::<Cidr>().with_context(|| format!("`network.allow_private` holds `{text}`"))
            };
            fetch::AllowPrivate::Networks(networks.iter().map(parse).collect::<Result<_>>()?)
        }
    };
    let nameserver = |text: &String| {
        text.parse()
            .or_else(|_| text.parse().map(|ip: std::net::IpAddr| (ip, 53).into()))
            .with_context(|| format!("`network.nameservers` holds `{text}`: write ADDRESS or ADDRESS:PORT"))
    };
    Ok(FetchSettings {
        user_agent: crawl.user_agent.clone(),
        accept_language: crawl.accept_language.clone(),
        resolve_timeout: crawl.resolve_timeout_seconds.duration(),
        connect_timeout: crawl.connect_timeout_seconds.duration(),
        tls_timeout: crawl.tls_timeout_seconds.duration(),
        first_byte_timeout: crawl.fetch_timeout_seconds.duration(),
        body_idle_timeout: crawl.body_idle_timeout_seconds.duration(),
        total_timeout: crawl.total_timeout_seconds.duration(),
        max_body_bytes: crawl.max_content_bytes as usize,
        max_headers: crawl.max_headers as usize,
        max_header_bytes: crawl.max_header_bytes as usize,
        accept_content_types: crawl.content_types.clone(),
        allow_private,
        hosts_file: network.hosts_file.clone(),
        nameservers: network.nameservers.iter().map(nameserver).collect::<Result<_>>()?,
        extra_ca_file: network.extra_ca_file.clone(),
        max_idle_connections: crawl.max_idle_connections as usize,
        idle_connection_timeout: crawl.idle_connection_timeout_seconds.duration(),
        http2: crawl.http2,
        large_bodies_at_once: crawl.large_bodies_at_once as usize,
    })
}

/// What follows from an answer.
#[must_use]
pub fn verdict_rules(settings: &settings::Crawl) -> Rules {
    let settings::Retry {
        throttle_first_wait_seconds,
        throttle_retries,
        server_error_wait_seconds,
        server_error_retries,
        connect_timeout_wait_seconds,
        connect_timeout_retries,
        transient_wait_seconds,
        transient_retries,
        max_wait_seconds,
    } = &settings.retry;
    let most = settings.max_retries;
    Rules {
        retry: RetrySettings {
            throttle_first_wait: throttle_first_wait_seconds.duration(),
            throttle_retries: (*throttle_retries).min(most),
            server_error_wait: server_error_wait_seconds.duration(),
            server_error_retries: (*server_error_retries).min(most),
            connect_timeout_wait: connect_timeout_wait_seconds.duration(),
            connect_timeout_retries: (*connect_timeout_retries).min(most),
            transient_wait: transient_wait_seconds.duration(),
            transient_retries: (*transient_retries).min(most),
            max_wait: max_wait_seconds.duration(),
        },
        redirects: RedirectRules {
            limit: settings.max_redirects as usize,
            allow_downgrade: settings.allow_downgrade,
        },
        scope: settings.redirect_scope,
    }
}

/// How hosts are treated.
#[must_use]
pub fn politeness(settings: &Settings) -> Politeness {
    let concurrency = settings.crawl.concurrency as usize;
    let settings::Politeness {
        enabled,
        respect_robots,
        robots_agent,
        robots_cache_ttl_hours,
        classes,
        domain_overrides,
        per_host_concurrency,
        per_ip_concurrency,
        per_ip_delay_seconds,
        latency_factor,
        jitter_percent,
        max_requests_per_second,
        burst,
        window,
        breaker,
    } = &settings.politeness;
    let settings::Window {
        min,
        decrease,
        slo_multiplier,
        max_throttle_ratio,
        eval_interval_seconds,
        cool_off_seconds,
    } = window;
    let general = HostRule {
        delay: if *enabled { settings.crawl.default_crawl_delay_seconds.duration() } else { Duration::ZERO },
        concurrency: *per_host_concurrency,
        latency_factor: if *enabled { *latency_factor } else { 0.0 },
    };
    let mut domains: HashMap<String, DomainRule> = HashMap::new();
    for class in classes.values().filter(|_| *enabled) {
        for domain in &class.domains {
            let delay = Some(class.crawl_delay_seconds.duration());
            domains.insert(domain.to_ascii_lowercase(), DomainRule { delay, concurrency: None });
        }
    }
    for (domain, over) in domain_overrides.iter().filter(|_| *enabled) {
        let rule = domains.entry(domain.to_ascii_lowercase()).or_default();
        // a rate is a delay by another name; the longer of the two is meant
        let by_rate = over.max_requests_per_second.map(|rate| Duration::from_secs_f64(1.0 / rate));
        let delay = over.crawl_delay_seconds.map(|seconds| seconds.duration()).max(by_rate);
        rule.delay = delay.or(rule.delay);
        rule.concurrency = over.concurrency.or(rule.concurrency);
    }
    Politeness {
        policy: PacePolicy::new(general, domains),
        respect_robots: *enabled && *respect_robots,
        robots_agent: robots_agent.clone(),
        robots_ttl: Duration::from_secs_f64(robots_cache_ttl_hours * 3_600.0),
        jitter: if *enabled { jitter_percent / 100.0 } else { 0.0 },
        max_requests_per_second: *max_requests_per_second,
        burst: f64::from(*burst),
        window: WindowRules {
            min: (*min as usize).min(concurrency),
            max: concurrency,
            decrease: *decrease,
            slo_multiplier: *slo_multiplier,
            max_throttle_ratio: *max_throttle_ratio,
            eval_interval: eval_interval_seconds.duration(),
            cool_off: cool_off_seconds.duration(),
        },
        adaptive: *enabled,
        breaker: enabled.then(|| breaker_rules(breaker)),
        per_address: if *enabled { *per_ip_concurrency as usize } else { 0 },
        per_address_gap: per_ip_delay_seconds.duration(),
    }
}

fn breaker_rules(settings: &settings::Breaker) -> BreakerRules {
    let settings::Breaker {
        error_percent,
        window_seconds,
        minimum_requests,
        suspend_seconds,
        max_suspend_seconds,
        give_up_after_suspensions,
        forgive_after_quiet_seconds,
    } = settings;
    BreakerRules {
        error_ratio: error_percent / 100.0,
        window: window_seconds.duration(),
        minimum_requests: *minimum_requests,
        suspend: suspend_seconds.duration(),
        max_suspend: max_suspend_seconds.duration(),
        give_up_after: *give_up_after_suspensions,
        forgive_after: forgive_after_quiet_seconds.duration(),
    }
}

/// When segments are full, synced and checkpointed.
#[must_use]
pub fn segment_rules(settings: &settings::Segments) -> (Limits, CommitRules) {
    let settings::Segments {
        max_bytes,
        max_rows,
        commit_every_records,
        commit_every_seconds,
        checkpoint_every_seconds,
        zstd_level,
    } = settings;
    let limits = Limits { max_bytes: *max_bytes, max_rows: *max_rows, zstd_level: *zstd_level };
    let commit = CommitRules {
        records: *commit_every_records,
        every: commit_every_seconds.duration(),
        checkpoint_every: checkpoint_every_seconds.duration(),
    };
    (limits, commit)
}
