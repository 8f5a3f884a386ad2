//! How do the rules in force become ready to read pages with?

use std::collections::HashMap;

use anyhow::{Context, Result};
use catalog::{
    Catalog,
    rules::{self, RuleSetRow},
};
use readers::technologies::RuleSet;

use super::Definition;

/// A rule set that is ready to read pages with. The lists go by the places that detections and sightings name.
pub struct ActiveRules {
    /// Its version, which every match and finding carries.
    pub version: i64,
    /// The SHA-256 of its definition.
    pub digest: String,
    /// The rules.
    pub set: RuleSet,
    /// The number of each fingerprint in the catalog.
    pub fingerprint_ids: Vec<i64>,
    /// The version of each fingerprint, which moves when its definition does.
    pub fingerprint_versions: Vec<i64>,
    /// The number of each signal in the catalog.
    pub signal_ids: Vec<i64>,
    /// The fingerprint that stands for "another signal brings it along", for each signal of which that is said.
    pub implied_ids: Vec<Option<i64>>,
}

impl ActiveRules {
    /// The rules in force; `None` where none were ever loaded.
    pub async fn load(catalog: &Catalog) -> Result<Option<ActiveRules>> {
        let found = rules::active(catalog).await?;
        found.map(|(row, definition)| ActiveRules::ready(row, &definition)).transpose()
    }

    /// The rules of a version; `None` where there is no such version.
    pub async fn load_version(catalog: &Catalog, version: i64) -> Result<Option<ActiveRules>> {
        let found = rules::rule_set(catalog, version).await?;
        found.map(|(row, definition)| ActiveRules::ready(row, &definition)).transpose()
    }

    fn ready(row: RuleSetRow, definition: &[u8]) -> Result<ActiveRules> {
        let RuleSetRow { version, digest, .. } = row;
        let Definition { signals, fingerprints, implied } =
            Definition::decode(definition).with_context(|| format!("rule set {version} cannot be read"))?;
        let implied: HashMap<i64, i64> = implied.into_iter().collect();
        let (signal_ids, signals): (Vec<i64>, Vec<_>) = signals.into_iter().unzip();
        let implied_ids = signal_ids.iter().map(|id| implied.get(id).copied()).collect();
        let mut fingerprint_ids = Vec::with_capacity(fingerprints.len());
        let mut fingerprint_versions = Vec::with_capacity(fingerprints.len());
        let mut bare = Vec::with_capacity(fingerprints.len());
        for (id, version, fingerprint) in fingerprints {
            fingerprint_ids.push(id);
            fingerprint_versions.push(version);
            bare.push(fingerprint);
        }
        let (set, refused) = RuleSet::new(signals, bare);
        // they were tried when they were loaded, so only a program with other limits meets this
        if let Some((place, error)) = refused.first() {
            let key = &set.fingerprints()[*place].id;
            tracing::warn!(rule_set = version, refused = refused.len(), first = %key, %error, "fingerprints left out");
        }
        Ok(ActiveRules {
            version,
            digest,
            set,
            fingerprint_ids,
            fingerprint_versions,
            signal_ids,
            implied_ids,
        })
    }
}
