//! What is under way with one target?

use domain::{RetryClass, Target};
use serde::{Deserialize, Serialize};

/// What a visit is for.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum Subject {
    /// A target of the list.
    Page(Target),
    /// The robots.txt of an origin (`https://example.com`), asked for before its pages.
    Robots {
        /// The origin whose rules it will be.
        origin: String,
    },
}

/// A subject on its way: which hop it is at and what it has cost so far.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Visit {
    /// What it is for.
    pub subject: Subject,
    /// Where the redirects have led to; `None` before the first.
    pub hop: Option<String>,
    /// The URLs that redirected, in order.
    pub passed: Vec<String>,
    /// Requests sent so far.
    pub requests: u32,
    failures: [u8; 5],
}

impl Visit {
    /// The first visit of a target.
    #[must_use]
    pub fn page(target: Target) -> Visit {
        Visit { subject: Subject::Page(target), hop: None, passed: Vec::new(), requests: 0, failures: [0; 5] }
    }

    pub(super) fn robots(origin: String) -> Visit {
        let url = format!("{origin}/robots.txt");
        let subject = Subject::Robots { origin };
        Visit { subject, hop: Some(url), passed: Vec::new(), requests: 0, failures: [0; 5] }
    }

    /// What to ask for next.
    #[must_use]
    pub fn url(&self) -> &str {
        match (&self.hop, &self.subject) {
            (Some(hop), _) => hop,
            (None, Subject::Page(target)) => &target.url,
            (None, Subject::Robots { origin }) => origin,
        }
    }

    /// The visit one redirect further.
    #[must_use]
    pub fn redirected_to(mut self, url: String) -> Visit {
        let from = self.url().to_owned();
        self.passed.push(from);
        self.hop = Some(url);
        self
    }

    /// Counts a failure of a class, and says how many of that class there have been.
    pub fn count_failure(&mut self, class: RetryClass) -> u32 {
        let index = match class {
            RetryClass::Never => 0,
            RetryClass::Throttle => 1,
            RetryClass::ServerError => 2,
            RetryClass::ConnectTimeout => 3,
            RetryClass::Transient => 4,
        };
        self.failures[index] = self.failures[index].saturating_add(1);
        u32::from(self.failures[index])
    }
}

/// The scheme and authority of a normalised URL.
#[must_use]
pub fn origin_of(url: &str) -> &str {
    let start = url.find("://").map_or(0, |at| at + 3);
    let end = url[start..].find(['/', '?', '#']).map_or(url.len(), |at| start + at);
    &url[..end]
}

/// The path and query of a normalised URL, as robots.txt rules see it.
#[must_use]
pub fn path_of(url: &str) -> &str {
    let path = &url[origin_of(url).len()..];
    let path = path.split('#').next().unwrap_or(path);
    if path.is_empty() { "/" } else { path }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_url_falls_into_origin_and_path() {
        assert_eq!(origin_of("https://a.example:8443/x?y=/z"), "https://a.example:8443");
        assert_eq!(path_of("https://a.example:8443/x?y=/z"), "/x?y=/z");
        assert_eq!(path_of("https://a.example"), "/");
        assert_eq!(origin_of("https://a.example?q"), "https://a.example");
    }

    #[test]
    fn failures_are_counted_by_class() {
        let mut visit = Visit::robots("https://a.example".into());
        assert_eq!(visit.url(), "https://a.example/robots.txt");
        assert_eq!(visit.count_failure(RetryClass::Throttle), 1);
        assert_eq!(visit.count_failure(RetryClass::Transient), 1);
        assert_eq!(visit.count_failure(RetryClass::Throttle), 2);
    }
}
