//! What does a site run?
//!
//! A signal is a vendor's product; a fingerprint is one way to see it on a page. [`RuleSet`] holds both and reads pages:
//! the same page and the same rules always give the same detections, each with its evidence.

mod context;
mod engine;
mod grams;
mod literals;
mod names;
mod pack;
mod parts;
mod pattern;
pub mod rarity;
mod resolve;
mod rule;
mod selector;
#[cfg(test)]
mod tests;
pub mod wappalyzer;
#[cfg(test)]
mod work;

pub use engine::{Page, RuleError, Scratch, Sighting};
pub use grams::Grams;
pub use literals::Needles;
pub use pack::{Category, Example, Pack, PackError};
pub use parts::Parts;
pub use pattern::{MAX_EXTRACTED_BYTES, PatternError, check_regex, needles};
pub use resolve::Detection;
pub use rule::{Extract, ExtractKind, Fingerprint, Implied, Part, Pattern, Signal};
pub use selector::{Selector, SelectorError};

use engine::Engine;
use resolve::Relations;

/// Signals and fingerprints, ready to read pages with.
pub struct RuleSet {
    signals: Vec<Signal>,
    fingerprints: Vec<Fingerprint>,
    engine: Engine,
    relations: Relations,
}

impl RuleSet {
    /// Makes rules ready. Fingerprints that cannot be used are left out and named with the reason.
    #[must_use]
    pub fn new(signals: Vec<Signal>, fingerprints: Vec<Fingerprint>) -> (RuleSet, Vec<(usize, RuleError)>) {
        let (engine, refused) = Engine::new(&fingerprints);
        let relations = Relations::new(&signals, &fingerprints);
        (RuleSet { signals, fingerprints, engine, relations }, refused)
    }

    /// What a page shows, by the place of the signal.
    #[must_use]
    pub fn detect(&self, page: &Page<'_>, scratch: &mut Scratch) -> Vec<Detection> {
        self.relations.resolve(self.engine.read(page, scratch))
    }

    /// Which fingerprints are on a page, whatever follows from them.
    #[must_use]
    pub fn sightings(&self, page: &Page<'_>, scratch: &mut Scratch) -> Vec<Sighting> {
        self.engine.read(page, scratch)
    }

    /// The literals that a document is searched for, in lower case.
    pub fn literals(&self) -> impl Iterator<Item = &[u8]> {
        self.engine.literals()
    }

    /// The signals, which detections name by place.
    #[must_use]
    pub fn signals(&self) -> &[Signal] {
        &self.signals
    }

    /// The fingerprints, which sightings name by place.
    #[must_use]
    pub fn fingerprints(&self) -> &[Fingerprint] {
        &self.fingerprints
    }
}
