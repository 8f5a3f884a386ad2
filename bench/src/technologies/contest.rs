//! How fast does canvass read, and how fast would a bare search for the same literals be?

use std::{
    hint::black_box,
    time::{Duration, Instant},
};

use aho_corasick::{AhoCorasick, AhoCorasickKind, MatchKind};
use anyhow::Result;
use readers::technologies::{Grams, Page, RuleSet, Scratch};

use super::{pages::Captures, peers::Round};

/// Something that reads a document in this process.
pub trait Reads {
    /// Reads one; the number of things found, so that nothing can be left out.
    fn read(&mut self, url: &str, body: &[u8]) -> usize;
}

/// canvass itself.
pub struct Whole<'a> {
    rules: &'a RuleSet,
    scratch: Scratch,
}

impl<'a> Whole<'a> {
    /// With these rules.
    #[must_use]
    pub fn new(rules: &'a RuleSet) -> Whole<'a> {
        Whole { rules, scratch: Scratch::default() }
    }
}

impl Reads for Whole<'_> {
    fn read(&mut self, url: &str, body: &[u8]) -> usize {
        self.rules.detect(&Page { url, headers: &[], body, robots: None }, &mut self.scratch).len()
    }
}

/// The index of canvass by itself: one pass that counts where the literals stand, and does nothing about it.
pub struct BareGrams(Grams);

impl BareGrams {
    /// Over the literals that these rules are searched by.
    #[must_use]
    pub fn new(rules: &RuleSet) -> BareGrams {
        BareGrams(Grams::new(rules.literals().map(Into::into).collect()))
    }
}

impl Reads for BareGrams {
    fn read(&mut self, _: &str, body: &[u8]) -> usize {
        let mut hits = 0;
        self.0.scan(body, |_, _| {
            hits += 1;
            true
        });
        hits
    }
}

/// A single automaton over the same literals, as the `aho-corasick` crate builds its fastest.
pub struct BareAutomaton(AhoCorasick);

impl BareAutomaton {
    /// Over the literals that these rules are searched by.
    ///
    /// # Errors
    /// If they are too many for it.
    pub fn new(rules: &RuleSet) -> Result<BareAutomaton> {
        let automaton = AhoCorasick::builder()
            .ascii_case_insensitive(true)
            .match_kind(MatchKind::Standard)
            .kind(Some(AhoCorasickKind::DFA))
            .build(rules.literals())?;
        Ok(BareAutomaton(automaton))
    }
}

impl Reads for BareAutomaton {
    fn read(&mut self, _: &str, body: &[u8]) -> usize {
        self.0.find_overlapping_iter(body).count()
    }
}

/// Reads all pages once.
pub fn time(reader: &mut dyn Reads, captures: &Captures) -> Round {
    let mut worst = Duration::ZERO;
    let (started, cpu) = (Instant::now(), cpu_seconds());
    for page in &captures.pages {
        let began = Instant::now();
        black_box(reader.read(&page.url, &page.body));
        worst = worst.max(began.elapsed());
    }
    Round {
        pages: captures.pages.len() as u64,
        bytes: captures.bytes(),
        seconds: cpu_seconds()
            .zip(cpu)
            .map_or_else(|| started.elapsed().as_secs_f64(), |(now, then)| now - then),
        worst_ms: worst.as_secs_f64() * 1e3,
    }
}

/// The CPU time of this thread, in which nobody else's work counts.
fn cpu_seconds() -> Option<f64> {
    let text = std::fs::read_to_string("/proc/thread-self/schedstat").ok()?;
    Some(text.split(' ').next()?.parse::<f64>().ok()? / 1e9)
}
