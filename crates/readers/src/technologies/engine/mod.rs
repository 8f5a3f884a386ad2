//! Which fingerprints are on a page, in one pass?
//!
//! The document is split into its parts. Short values (addresses of scripts, links and images, the URL) are put side by
//! side and searched for literals at once; so is the document itself, once for everything that looks into it. A pattern
//! is tried only where one of its literals stands, and only on the value or on a window around it. What a page may cost
//! is bounded in bytes tried, whatever is on it.

mod around;
mod build;
mod element;
mod reading;

use super::{
    grams::SHORTEST,
    names::Names,
    pattern::PatternError,
    rule::{ExtractKind, Fingerprint},
    selector::SelectorError,
};
use build::{Builder, Index, Rule};
#[cfg(test)]
pub(super) use reading::MAX_TRIED_BYTES;
use reading::Reading;
pub use reading::Scratch;

/// How much of a document is read.
const MAX_BODY_BYTES: usize = 8 << 20;

/// What is read.
#[derive(Debug, Clone, Copy)]
pub struct Page<'a> {
    /// Where the redirects ended.
    pub url: &'a str,
    /// The response's headers, names in lower case.
    pub headers: &'a [(String, String)],
    /// The document, decoded; any encoding in which ASCII is ASCII will do.
    pub body: &'a [u8],
    /// The site's robots.txt, where it is known.
    pub robots: Option<&'a [u8]>,
}

/// A fingerprint that was seen.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Sighting {
    /// Its place among the fingerprints of the set.
    pub fingerprint: usize,
    /// Where in its part: an offset into the document or the value.
    pub offset: usize,
    /// What stands there.
    pub snippet: String,
    /// What was read off.
    pub extracted: Vec<(ExtractKind, String)>,
}

/// Why a fingerprint cannot be used.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum RuleError {
    /// Its pattern.
    #[error(transparent)]
    Pattern(#[from] PatternError),
    /// Its selector.
    #[error(transparent)]
    Selector(#[from] SelectorError),
    /// Its selector could be anywhere.
    #[error("`{0}` has no word of at least {SHORTEST} letters to search for")]
    NoWord(String),
}

/// Fingerprints, ready to be searched for.
pub struct Engine {
    rules: Vec<Rule>,
    headers: Names,
    cookies: Names,
    metas: Names,
    values: Index,
    body: Index,
    robots: Vec<u32>,
}

impl Engine {
    /// Makes fingerprints ready. Those that cannot be used are left out and named with the reason.
    #[must_use]
    pub fn new(fingerprints: &[Fingerprint]) -> (Engine, Vec<(usize, RuleError)>) {
        let mut builder = Builder::default();
        let mut refused = Vec::new();
        for (number, fingerprint) in fingerprints.iter().enumerate() {
            if let Err(error) = builder.add(number as u32, fingerprint) {
                refused.push((number, error));
                builder.rules.push(Rule::dead());
            }
        }
        let Builder { rules, headers, cookies, metas, values, body, robots } = builder;
        let engine = Engine {
            rules,
            headers,
            cookies,
            metas,
            values: Index::new(values),
            body: Index::new(body),
            robots,
        };
        (engine, refused)
    }

    /// The literals that a document is searched for.
    pub fn literals(&self) -> impl Iterator<Item = &[u8]> {
        self.body.grams.literals()
    }

    /// What is on a page, in the order of the fingerprints.
    #[must_use]
    pub fn read(&self, page: &Page<'_>, scratch: &mut Scratch) -> Vec<Sighting> {
        let html = &page.body[..page.body.len().min(MAX_BODY_BYTES)];
        scratch.begin(self.rules.len());
        scratch.parts.scan(html);
        let mut reading = Reading { engine: self, html, tried: 0, seen: Vec::new(), state: scratch };
        reading.read_named(page);
        reading.read_values(page);
        reading.read_body();
        let Reading { mut seen, tried, state, .. } = reading;
        state.end(page, tried);
        seen.sort_by_key(|sighting| sighting.fingerprint);
        seen
    }
}
