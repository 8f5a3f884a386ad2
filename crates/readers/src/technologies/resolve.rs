//! Which signals follow from the fingerprints that were seen?

use std::collections::{BTreeMap, HashMap};

use super::{
    engine::Sighting,
    rule::{ExtractKind, Fingerprint, Signal},
};

/// A signal below this is not told.
const SURE_ENOUGH: u8 = 50;

/// A signal that is on a page.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Detection {
    /// Its place among the signals of the set.
    pub signal: usize,
    /// How sure that is, of a hundred.
    pub confidence: u8,
    /// What showed it; empty where it is only implied.
    pub sightings: Vec<Sighting>,
    /// The signal that implies it, where nothing showed it.
    pub implied_by: Option<usize>,
}

impl Detection {
    /// The best value of a kind: the longest, as `3.7.1` says more than `3`.
    #[must_use]
    pub fn extracted(&self, kind: ExtractKind) -> Option<&str> {
        let values = self.sightings.iter().flat_map(|sighting| &sighting.extracted);
        values
            .filter(|(found, _)| *found == kind)
            .map(|(_, value)| value.as_str())
            .max_by(|one, other| one.len().cmp(&other.len()).then(other.cmp(one)))
    }
}

/// How signals depend on each other, by their places.
pub(super) struct Relations {
    /// The signal of each fingerprint.
    signal_of: Vec<Option<usize>>,
    implies: Vec<Vec<(usize, u8)>>,
    requires: Vec<Option<Vec<usize>>>,
    excludes: Vec<Vec<usize>>,
    confidence: Vec<u8>,
}

impl Relations {
    pub(super) fn new(signals: &[Signal], fingerprints: &[Fingerprint]) -> Relations {
        let by_name: HashMap<&str, usize> =
            signals.iter().enumerate().map(|(place, signal)| (signal.name.as_str(), place)).collect();
        let places =
            |names: &[String]| names.iter().filter_map(|name| by_name.get(name.as_str()).copied()).collect();
        let requires = |signal: &Signal| {
            if signal.requires.is_empty() && signal.requires_category.is_empty() {
                return None;
            }
            let mut wanted: Vec<usize> = places(&signal.requires);
            let in_category = |other: &&Signal| signal.requires_category.contains(&other.category);
            wanted.extend(
                signals.iter().filter(in_category).filter_map(|other| by_name.get(other.name.as_str())),
            );
            Some(wanted)
        };
        let implied = |signal: &Signal| {
            let place = |implied: &super::rule::Implied| {
                Some((*by_name.get(implied.signal.as_str())?, implied.confidence))
            };
            signal.implies.iter().filter_map(place).collect()
        };
        Relations {
            signal_of: fingerprints.iter().map(|one| by_name.get(one.signal.as_str()).copied()).collect(),
            implies: signals.iter().map(implied).collect(),
            requires: signals.iter().map(requires).collect(),
            excludes: signals.iter().map(|signal| places(&signal.excludes)).collect(),
            confidence: fingerprints.iter().map(|one| one.confidence).collect(),
        }
    }

    /// The signals, by place.
    pub(super) fn resolve(&self, sightings: Vec<Sighting>) -> Vec<Detection> {
        let mut found = BTreeMap::<usize, Detection>::new();
        for sighting in sightings {
            let Some(signal) = self.signal_of[sighting.fingerprint] else { continue };
            let confidence = self.confidence[sighting.fingerprint];
            let detection = found.entry(signal).or_insert_with(|| Detection {
                signal,
                confidence: 0,
                sightings: Vec::new(),
                implied_by: None,
            });
            detection.confidence = detection.confidence.saturating_add(confidence).min(100);
            detection.sightings.push(sighting);
        }
        self.drop_unfounded(&mut found);
        self.add_implied(&mut found);
        // what was only implied may found another, and the other way about: once more is enough for any real pack
        self.drop_unfounded(&mut found);
        let excluded: Vec<usize> = found.keys().flat_map(|signal| &self.excludes[*signal]).copied().collect();
        for signal in excluded {
            found.remove(&signal);
        }
        found.into_values().filter(|detection| detection.confidence >= SURE_ENOUGH).collect()
    }

    /// Drops what requires something that is not there.
    fn drop_unfounded(&self, found: &mut BTreeMap<usize, Detection>) {
        loop {
            let unfounded: Vec<usize> = found
                .keys()
                .copied()
                .filter(|signal| {
                    let wanted = &self.requires[*signal];
                    wanted
                        .as_ref()
                        .is_some_and(|wanted| !wanted.iter().any(|other| found.contains_key(other)))
                })
                .collect();
            if unfounded.is_empty() {
                return;
            }
            for signal in unfounded {
                found.remove(&signal);
            }
        }
    }

    fn add_implied(&self, found: &mut BTreeMap<usize, Detection>) {
        let mut open: Vec<(usize, usize, u8)> = Vec::new();
        let implied_by = |by: usize, confidence: u8| {
            self.implies[by].iter().map(move |(signal, sure)| (*signal, by, confidence.min(*sure)))
        };
        for detection in found.values() {
            open.extend(implied_by(detection.signal, detection.confidence));
        }
        while let Some((signal, by, confidence)) = open.pop() {
            match found.get_mut(&signal) {
                // seen, or implied as surely before
                Some(known) if known.implied_by.is_none() || known.confidence >= confidence => continue,
                Some(known) => (known.confidence, known.implied_by) = (confidence, Some(by)),
                None => {
                    let implied_by = Some(by);
                    found.insert(signal, Detection { signal, confidence, sightings: Vec::new(), implied_by });
                }
            }
            open.extend(implied_by(signal, confidence));
        }
    }
}
