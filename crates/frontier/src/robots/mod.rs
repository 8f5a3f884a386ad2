//! What does a site's robots.txt allow us? (RFC 9309)
//!
//! A body is parsed for one product token, and only the rules of the group that speaks to it are kept: thousands of
//! hosts hold one [`Rules`] each. Parsing and matching take linear time in the bytes they are given, whatever these are.

mod glob;
mod lines;
mod octets;
mod parse;
#[cfg(test)]
mod tests;

use std::time::Duration;

/// Only this much of a robots.txt is parsed, the least that RFC 9309 §2.5 demands; a line that the limit cuts is dropped.
pub const MAX_BODY_BYTES: usize = 500 * 1024;

/// A rule whose pattern is longer than this, in its normal spelling, is ignored: no URL of a round is that long.
pub const MAX_PATTERN_BYTES: usize = 2048;

/// Rules beyond so many for one agent are ignored, in the order of the file.
pub const MAX_RULES: usize = 10_000;

/// A longer `Crawl-delay` counts as this one: a caller that sees exactly this may say that it was capped.
pub const MAX_CRAWL_DELAY: Duration = Duration::from_secs(24 * 60 * 60);

/// What one robots.txt says to one crawler.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Rules {
    /// The patterns, one behind the other.
    patterns: Box<str>,
    /// The most specific first, and of equals the allowing first: the first that matches decides.
    rules: Box<[Rule]>,
    crawl_delay: Option<Duration>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Rule {
    start: u32,
    length: u16,
    allow: bool,
    shape: Shape,
    /// The physical line, from 1; 0 where no file said it.
    line: u32,
}

/// How much work a pattern is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Shape {
    /// A plain beginning of a path.
    Beginning,
    /// One with `*` or a final `$`.
    Glob,
    /// One that names a `?`, so that what follows it is compared as a query.
    QueryGlob,
}

/// What the rules say about one path.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Verdict<'a> {
    /// Whether the path may be fetched.
    pub allowed: bool,
    /// The physical line of the rule that decided, from 1; `None` where no rule matched.
    pub line: Option<u32>,
    /// The pattern of the rule that decided, in its normal spelling; whether it was an `Allow` or a `Disallow` is
    /// what `allowed` says.
    pub rule: Option<&'a str>,
}

impl Verdict<'_> {
    const BY_DEFAULT: Verdict<'static> = Verdict { allowed: true, line: None, rule: None };
}

impl Rules {
    /// The rules for the crawler whose product token begins `agent` (`canvass`, or `canvass/1.0 (+https://…)`).
    ///
    /// Lines that cannot be understood are skipped, so every body has rules; a page of HTML has none.
    #[must_use]
    pub fn parse(body: &[u8], agent: &str) -> Rules {
        parse::parse(body, agent)
    }

    /// Everything is allowed, as where there is no robots.txt.
    #[must_use]
    pub fn allow_all() -> Rules {
        Rules { patterns: Box::default(), rules: Box::default(), crawl_delay: None }
    }

    /// Nothing is allowed but robots.txt itself, as where it could not be had.
    #[must_use]
    pub fn disallow_all() -> Rules {
        let all = Rule { start: 0, length: 1, allow: false, shape: Shape::Beginning, line: 0 };
        Rules { patterns: "/".into(), rules: Box::new([all]), crawl_delay: None }
    }

    /// Whether a path with its query may be fetched, and which line says so.
    ///
    /// The longest pattern that matches wins; of equally long ones, one that allows. `/robots.txt` is always allowed.
    #[must_use]
    pub fn decide(&self, path_and_query: &str) -> Verdict<'_> {
        let path = path_and_query.split('#').next().unwrap_or(path_and_query);
        if path == "/robots.txt" || self.rules.is_empty() {
            return Verdict::BY_DEFAULT;
        }
        let path = octets::NormalPath::new(path);
        let decider = self.rules.iter().find(|rule| {
            let pattern = self.pattern(rule).as_bytes();
            match rule.shape {
                Shape::Beginning => path.as_written().starts_with(pattern),
                Shape::Glob => glob::matches(pattern, path.as_written()),
                Shape::QueryGlob => glob::matches(pattern, path.with_query_slashes()),
            }
        });
        let Some(rule) = decider else { return Verdict::BY_DEFAULT };
        let line = (rule.line > 0).then_some(rule.line);
        Verdict { allowed: rule.allow, line, rule: Some(self.pattern(rule)) }
    }

    /// The pause that the site asks for between two requests, at most [`MAX_CRAWL_DELAY`]; the longest if it names
    /// several.
    #[must_use]
    pub fn crawl_delay(&self) -> Option<Duration> {
        self.crawl_delay
    }

    /// The memory that the rules hold beyond their own size.
    #[must_use]
    pub fn heap_bytes(&self) -> usize {
        self.patterns.len() + size_of_val(&*self.rules)
    }

    fn pattern(&self, rule: &Rule) -> &str {
        &self.patterns[rule.start as usize..][..usize::from(rule.length)]
    }
}
