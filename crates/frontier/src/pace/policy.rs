//! What do the settings say of this host?

use std::{collections::HashMap, time::Duration};

/// What applies to one host.
#[derive(Debug, Clone, PartialEq)]
pub struct HostRule {
    /// The least gap between two requests.
    pub delay: Duration,
    /// How many requests may be under way at once.
    pub concurrency: u32,
    /// The gap is at least this many times the last fetch time.
    pub latency_factor: f64,
}

impl Default for HostRule {
    fn default() -> HostRule {
        HostRule { delay: Duration::from_secs(2), concurrency: 1, latency_factor: 1.0 }
    }
}

/// What the settings say of a domain and everything below it.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct DomainRule {
    /// The least gap, where the settings name one.
    pub delay: Option<Duration>,
    /// The concurrency, where the settings name one.
    pub concurrency: Option<u32>,
}

/// The delays by class and by domain.
#[derive(Debug, Clone, Default)]
pub struct PacePolicy {
    general: HostRule,
    domains: HashMap<String, DomainRule>,
}

impl PacePolicy {
    /// A policy with a rule for all hosts and exceptions by domain.
    #[must_use]
    pub fn new(general: HostRule, domains: HashMap<String, DomainRule>) -> PacePolicy {
        PacePolicy { general, domains }
    }

    /// What applies to a host: of the domains that cover it, the nearest one that names a value.
    #[must_use]
    pub fn rule_for(&self, host: &str) -> HostRule {
        let mut rule = self.general.clone();
        let (mut delay, mut concurrency) = (None, None);
        let mut domain = Some(host);
        while let Some(name) = domain.filter(|_| !self.domains.is_empty()) {
            if let Some(found) = self.domains.get(name) {
                delay = delay.or(found.delay);
                concurrency = concurrency.or(found.concurrency);
            }
            domain = name.split_once('.').map(|(_, parent)| parent);
        }
        rule.delay = delay.unwrap_or(rule.delay);
        rule.concurrency = concurrency.unwrap_or(rule.concurrency);
        rule
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_nearest_domain_wins_and_covers_its_subdomains() {
        let seconds = |s| DomainRule { delay: Some(Duration::from_secs(s)), concurrency: None };
        let four = DomainRule { delay: None, concurrency: Some(4) };
        let domains = [("shop.example", seconds(5)), ("fast.shop.example", seconds(1)), ("example", four)];
        let domains = domains.map(|(name, rule)| (name.to_owned(), rule)).into();
        let policy = PacePolicy::new(HostRule::default(), domains);
        let delay = |host| policy.rule_for(host).delay.as_secs();
        assert_eq!(delay("shop.example"), 5);
        assert_eq!(delay("www.shop.example"), 5);
        assert_eq!(delay("a.fast.shop.example"), 1);
        assert_eq!(delay("workshop.example"), 2);
        assert_eq!(policy.rule_for("www.shop.example").concurrency, 4);
        assert_eq!(policy.rule_for("other.test").concurrency, 1);
    }
}
