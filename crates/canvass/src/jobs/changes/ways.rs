//! Which signals do two rule sets look for in different ways?

use std::collections::{BTreeMap, BTreeSet};

use anyhow::{Context, Result};
use catalog::rules;
use readers::technologies::Signal;

use crate::{jobs::patience::Patience, rules::Definition};

/// How a rule set looks for each signal: what the signal brings along and needs, and its fingerprints with their versions.
type Way = BTreeMap<i64, (Signal, BTreeSet<(i64, i64)>)>;

/// The ways of the rule sets that were asked for.
#[derive(Debug, Default)]
pub struct Ways(BTreeMap<i64, Way>);

impl Ways {
    /// The signals that these rule sets do not all look for in the same way.
    pub async fn differ_in(
        &mut self,
        patience: &Patience,
        rule_sets: &BTreeSet<i64>,
    ) -> Result<BTreeSet<i64>> {
        for rule_set in rule_sets {
            if !self.0.contains_key(rule_set) {
                self.0.insert(*rule_set, way_of(patience, *rule_set).await?);
            }
        }
        let asked: Vec<&Way> = rule_sets.iter().filter_map(|rule_set| self.0.get(rule_set)).collect();
        Ok(differing(&asked))
    }
}

async fn way_of(patience: &Patience, rule_set: i64) -> Result<Way> {
    let found = patience.ask(async |catalog| rules::rule_set(catalog, rule_set).await).await?;
    let (_, definition) = found.with_context(|| format!("rule set {rule_set} is gone"))?;
    let Definition { signals, fingerprints, implied: _ } =
        Definition::decode(&definition).with_context(|| format!("rule set {rule_set} cannot be read"))?;
    let mut by_name = BTreeMap::<String, BTreeSet<(i64, i64)>>::new();
    for (id, version, fingerprint) in fingerprints {
        by_name.entry(fingerprint.signal).or_default().insert((id, version));
    }
    let mut way = Way::new();
    for (id, signal) in signals {
        let fingerprints = by_name.remove(&signal.name).unwrap_or_default();
        way.insert(id, (signal, fingerprints));
    }
    Ok(way)
}

fn differing(ways: &[&Way]) -> BTreeSet<i64> {
    let signals: BTreeSet<i64> = ways.iter().flat_map(|way| way.keys().copied()).collect();
    let differs = |signal: &i64| ways.windows(2).any(|two| two[0].get(signal) != two[1].get(signal));
    signals.into_iter().filter(differs).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn way(requires: &[&str], fingerprints: &[(i64, i64)]) -> (Signal, BTreeSet<(i64, i64)>) {
        let signal = Signal {
            name: "Alpha".into(),
            vendor: String::new(),
            family: String::new(),
            category: "chat".into(),
            website: String::new(),
            implies: Vec::new(),
            requires: requires.iter().map(|&name| name.to_owned()).collect(),
            requires_category: Vec::new(),
            excludes: Vec::new(),
        };
        (signal, fingerprints.iter().copied().collect())
    }

    #[test]
    fn a_signal_is_looked_for_differently_if_its_fingerprints_or_its_needs_changed() {
        let one = Way::from([(1, way(&[], &[(1, 1)])), (2, way(&[], &[(2, 1)])), (3, way(&[], &[]))]);
        let other = Way::from([
            (1, way(&[], &[(1, 1)])),
            (2, way(&[], &[(2, 2)])),
            (3, way(&["Beta"], &[])),
            (4, way(&[], &[(9, 1)])),
        ]);
        assert_eq!(differing(&[&one, &one]), BTreeSet::new());
        assert_eq!(differing(&[&one, &other]), BTreeSet::from([2, 3, 4]));
        assert_eq!(differing(&[&one, &one, &other]), BTreeSet::from([2, 3, 4]));
    }
}
