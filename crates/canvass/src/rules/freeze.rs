//! How do the rows of the catalog become a rule set, and rules become rows?

use std::collections::{BTreeSet, HashMap, HashSet};

use anyhow::{Context, Result, bail};
use catalog::{
    Catalog,
    rules::{self, FingerprintRow, NewFingerprint, NewSignal, RuleSetRow, SignalRow},
};
use domain::Moment;
use readers::technologies::{Fingerprint, Signal};
use serde_json::{Value as Json, json};

use super::{Definition, Encoded};

/// The pack of the fingerprints that nobody wrote: one for each signal that another brings along.
pub const IMPLIED_PACK: &str = "implied";
/// What such a fingerprint says of where it looks.
pub const IMPLIED_PART: &str = "implied";
/// How often the rows may change under the hands of one who freezes them.
const TRIES: usize = 50;

/// A rule set that was made from the rows as they are.
#[derive(Debug, Clone)]
pub struct Frozen {
    /// The rule set, which is in force now.
    pub rule_set: RuleSetRow,
    /// The version that was in force before, if there was one.
    pub before: Option<i64>,
}

/// Freezes what is enabled and puts it in force. Rules that were in force before get their old version back.
pub async fn freeze(catalog: &Catalog, reason: &str, now: Moment) -> Result<Frozen> {
    let before = rules::active(catalog).await?.map(|(row, _)| row.version);
    let mut encoded = frozen_rows(catalog, now).await?;
    for _ in 0..TRIES {
        let (Encoded { digest, bytes }, signals, fingerprints) = &encoded;
        let rule_set = rules::activate(catalog, digest, bytes, *signals, *fingerprints, reason, now).await?;
        // another may have loaded a pack between our look and our word: then the later word must hold its rows too
        let again = frozen_rows(catalog, now).await?;
        if again.0.digest == *digest {
            return Ok(Frozen { rule_set, before });
        }
        encoded = again;
    }
    bail!("the fingerprints change faster than they can be frozen: run it again when nobody else loads any")
}

async fn frozen_rows(catalog: &Catalog, now: Moment) -> Result<(Encoded, i64, i64)> {
    let signals = rules::signals(catalog).await?;
    let mut fingerprints = rules::fingerprints(catalog).await?;
    if keep_implied(catalog, &signals, &fingerprints, now).await? {
        fingerprints = rules::fingerprints(catalog).await?;
    }
    let definition = definition_of(&signals, &fingerprints)?;
    let counts = (definition.signals.len() as i64, definition.fingerprints.len() as i64);
    Ok((definition.encode()?, counts.0, counts.1))
}

/// Makes the fingerprints that stand for what is implied; says whether any had to be made or taken away.
async fn keep_implied(
    catalog: &Catalog,
    signals: &[SignalRow],
    fingerprints: &[FingerprintRow],
    now: Moment,
) -> Result<bool> {
    let mut wanted = BTreeSet::new();
    let live: HashSet<&str> =
        signals.iter().filter(|row| is_live(row)).map(|row| row.name.as_str()).collect();
    for row in signals.iter().filter(|row| is_live(row)) {
        let implied = signal_of(row)?.implies;
        wanted
            .extend(implied.into_iter().map(|implied| implied.signal).filter(|name| live.contains(&**name)));
    }
    let there: BTreeSet<String> = fingerprints
        .iter()
        .filter(|row| row.pack == IMPLIED_PACK && row.deleted_at.is_none())
        .map(|row| row.signal.clone())
        .collect();
    if wanted == there {
        return Ok(false);
    }
    let rows: Vec<NewFingerprint> = wanted
        .into_iter()
        .map(|signal| NewFingerprint {
            key: format!("{IMPLIED_PACK}:{signal}"),
            part: IMPLIED_PART.to_owned(),
            definition: json!({}),
            signal,
        })
        .collect();
    rules::load_pack(catalog, IMPLIED_PACK, &[], &[], &rows, now).await?;
    Ok(true)
}

fn is_live(row: &SignalRow) -> bool {
    row.deleted_at.is_none()
}

fn definition_of(signals: &[SignalRow], fingerprints: &[FingerprintRow]) -> Result<Definition> {
    let mut definition = Definition::default();
    let mut numbers = HashMap::new();
    for row in signals.iter().filter(|row| row.enabled && is_live(row)) {
        let signal = signal_of(row)?;
        numbers.insert(row.name.as_str(), row.id);
        let (vendor, family, website) = Default::default();
        definition.signals.push((row.id, Signal { vendor, family, website, ..signal }));
    }
    for row in fingerprints.iter().filter(|row| row.enabled && row.deleted_at.is_none()) {
        let Some(signal) = numbers.get(row.signal.as_str()) else { continue };
        if row.part == IMPLIED_PART {
            definition.implied.push((*signal, row.id));
            continue;
        }
        let fingerprint: Fingerprint = serde_json::from_value(row.definition.clone()).with_context(|| {
            format!("the catalog's fingerprint `{}` cannot be read: load its pack again", row.key)
        })?;
        definition.fingerprints.push((row.id, row.version, fingerprint));
    }
    // the same rows in another order are the same rules
    definition.signals.sort_by_key(|(id, _)| *id);
    definition.fingerprints.sort_by_key(|(id, ..)| *id);
    definition.implied.sort_unstable();
    Ok(definition)
}

/// The fields of a signal that the catalog has columns for.
const COLUMNS: [&str; 5] = ["name", "category", "vendor", "family", "website"];

/// A signal as the catalog takes it.
pub fn new_signal(signal: &Signal) -> Result<NewSignal> {
    let Signal { name, vendor, family, category, website, .. } = signal.clone();
    let mut definition = serde_json::to_value(signal).context("cannot write a signal as JSON")?;
    if let Json::Object(fields) = &mut definition {
        fields.retain(|field, _| !COLUMNS.contains(&field.as_str()));
    }
    Ok(NewSignal { name, category, vendor, family, website, definition })
}

/// The signal of a row.
pub fn signal_of(row: &SignalRow) -> Result<Signal> {
    let mut definition = row.definition.clone();
    if let Json::Object(fields) = &mut definition {
        let values = [&row.name, &row.category, &row.vendor, &row.family, &row.website];
        fields.extend(COLUMNS.into_iter().map(str::to_owned).zip(values.map(|value| value.as_str().into())));
    }
    serde_json::from_value(definition)
        .with_context(|| format!("the catalog's signal `{}` cannot be read: load its pack again", row.name))
}

/// A fingerprint as the catalog takes it.
pub fn new_fingerprint(fingerprint: &Fingerprint) -> Result<NewFingerprint> {
    Ok(NewFingerprint {
        key: fingerprint.id.clone(),
        signal: fingerprint.signal.clone(),
        part: fingerprint.part.word().to_owned(),
        definition: serde_json::to_value(fingerprint).context("cannot write a fingerprint as JSON")?,
    })
}
