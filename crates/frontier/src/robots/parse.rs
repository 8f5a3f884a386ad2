//! Which group of a robots.txt speaks to us, and what does it say?

use std::time::Duration;

use super::{
    MAX_BODY_BYTES, MAX_CRAWL_DELAY, MAX_PATTERN_BYTES, MAX_RULES, Rule, Rules, Shape,
    lines::{Directive, directive, physical_lines},
    octets::append_pattern,
};

/// Reads a body for one agent: the groups that name it, merged, or else the groups for `*`.
pub(super) fn parse(body: &[u8], agent: &str) -> Rules {
    let token = product_token(agent.as_bytes());
    let (mut ours, mut everyones) = (Group::default(), Group::default());
    let mut group_has_rules = false;
    let (mut to_us, mut to_everyone) = (false, false);

    for (number, line) in (1..).zip(physical_lines(whole_lines(body))) {
        let Some((directive, value)) = directive(line) else { continue };
        match directive {
            Directive::UserAgent => {
                if group_has_rules {
                    (group_has_rules, to_us, to_everyone) = (false, false, false);
                }
                to_us |= !token.is_empty() && product_token(value).eq_ignore_ascii_case(token);
                to_everyone |= is_everyone(value);
                ours.named |= to_us;
            }
            // RFC 9309 §2.2.4: other records do not interfere, so a delay ends no list of agents; it counts for those
            // named before it
            Directive::CrawlDelay => {
                let delay = crawl_delay(value);
                if to_us {
                    ours.crawl_delay = ours.crawl_delay.max(delay);
                }
                if to_everyone {
                    everyones.crawl_delay = everyones.crawl_delay.max(delay);
                }
            }
            Directive::Allow | Directive::Disallow => {
                group_has_rules = true;
                let allow = directive == Directive::Allow;
                if to_us {
                    ours.add(allow, value, number);
                }
                if to_everyone && !ours.named {
                    everyones.add(allow, value, number);
                }
            }
        }
    }
    if ours.named { ours.into_rules() } else { everyones.into_rules() }
}

/// As much of the body as is parsed: up to the last line that the limit leaves whole.
fn whole_lines(body: &[u8]) -> &[u8] {
    let Some(head) = body.get(..MAX_BODY_BYTES) else { return body };
    if body.len() == MAX_BODY_BYTES {
        return body;
    }
    &head[..memchr::memrchr2(b'\n', b'\r', head).unwrap_or(0)]
}

/// RFC 9309 §2.2.1: letters, `_` and `-`; a version or a remark behind them does not count.
fn product_token(text: &[u8]) -> &[u8] {
    let in_token = |octet: &u8| octet.is_ascii_alphabetic() || matches!(octet, b'_' | b'-');
    &text[..text.iter().position(|octet| !in_token(octet)).unwrap_or(text.len())]
}

fn is_everyone(value: &[u8]) -> bool {
    value.strip_prefix(b"*").is_some_and(|after| after.first().is_none_or(u8::is_ascii_whitespace))
}

/// A number of seconds, perhaps with a fraction; anything else is no delay.
fn crawl_delay(value: &[u8]) -> Option<Duration> {
    let text = std::str::from_utf8(value).ok()?;
    let is_number = text.bytes().all(|octet| octet.is_ascii_digit() || octet == b'.');
    let seconds: f64 = if is_number { text.parse().ok()? } else { return None };
    Some(Duration::try_from_secs_f64(seconds).unwrap_or(MAX_CRAWL_DELAY).min(MAX_CRAWL_DELAY))
}

/// The merged groups of one agent while the body is read.
#[derive(Default)]
struct Group {
    named: bool,
    patterns: String,
    rules: Vec<Rule>,
    crawl_delay: Option<Duration>,
}

impl Group {
    /// Adds a rule; an empty pattern matches nothing and so needs no place.
    fn add(&mut self, allow: bool, pattern: &[u8], line: u32) {
        if pattern.is_empty() || pattern.len() > 3 * MAX_PATTERN_BYTES || self.rules.len() == MAX_RULES {
            return;
        }
        let begin = self.patterns.len();
        append_pattern(&mut self.patterns, pattern);
        let normal = &self.patterns[begin..];
        let shape = if normal.contains('?') {
            Shape::QueryGlob
        } else if normal.contains('*') || normal.ends_with('$') {
            Shape::Glob
        } else {
            Shape::Beginning
        };
        match (u32::try_from(begin), u16::try_from(normal.len())) {
            (Ok(start), Ok(length)) if usize::from(length) <= MAX_PATTERN_BYTES => {
                self.rules.push(Rule { start, length, allow, shape, line });
            }
            _ => self.patterns.truncate(begin),
        }
    }

    fn into_rules(mut self) -> Rules {
        self.rules.sort_by_key(|rule| (std::cmp::Reverse(rule.length), !rule.allow));
        Rules {
            patterns: self.patterns.into_boxed_str(),
            rules: self.rules.into_boxed_slice(),
            crawl_delay: self.crawl_delay,
        }
    }
}
