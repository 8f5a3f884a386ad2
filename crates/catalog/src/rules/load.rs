//! How does a pack become rows, and rows the pack's next edition?

use std::collections::{HashMap, HashSet};

use domain::Moment;
use serde_json::Value as Json;

use super::{CategoryRow, FingerprintRow, SignalRow, category_of, fingerprint_of, signal_of};
use crate::{
    Catalog, CatalogError, ErrorKind, Step,
    statements::{
        ADD_FINGERPRINT, ADD_SIGNAL, ADVANCE_COUNTER_FROM, CHANGE_FINGERPRINT, CHANGE_SIGNAL,
        DELETE_FINGERPRINT, DELETE_SIGNAL, LIST_CATEGORIES, LIST_FINGERPRINTS, LIST_SIGNALS, READ_COUNTER,
        REMEMBER_CATEGORY,
    },
};

// Whoever loads at the same time comes first, and each freezing loads too; more often than this is no accident.
const TRIES: usize = 50;
/// Counts the loads, so that one can tell that another came between its look and its word.
const LOADS: &str = "pack_loads";
/// What a fingerprint says of where it looks if nobody wrote it: its signal only follows from another.
const IMPLIED: &str = "implied";

/// A signal as a pack has it.
#[derive(Debug, Clone, PartialEq)]
pub struct NewSignal {
    /// Its name, which no other has.
    pub name: String,
    /// The key of its category.
    pub category: String,
    /// Who makes it.
    pub vendor: String,
    /// The line of products that it belongs to.
    pub family: String,
    /// Where its maker tells of it.
    pub website: String,
    /// Everything else that the pack says of it.
    pub definition: Json,
}

/// A fingerprint as a pack has it.
#[derive(Debug, Clone, PartialEq)]
pub struct NewFingerprint {
    /// Its name, which no other has.
    pub key: String,
    /// The name of the signal that it sees.
    pub signal: String,
    /// The part of a capture that it looks at.
    pub part: String,
    /// Everything else that the pack says of it.
    pub definition: Json,
}

/// What loading a pack did to its fingerprints.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Loaded {
    /// Those that were not known.
    pub added: u64,
    /// Those that were another and have the next version now.
    pub changed: u64,
    /// Those that were the same.
    pub kept: u64,
    /// Those that the pack no longer has.
    pub deleted: u64,
    /// Those that had been deleted and are back.
    pub revived: u64,
}

/// Makes the catalog's rows of a pack those that are given, all or nothing.
///
/// New rows are added, a fingerprint that is another gets the next version, what the pack no longer has is marked as
/// deleted, and what is back is revived; what a person disabled stays disabled. A signal that another pack has too stays
/// as that pack has it, and a fingerprint that another pack has is refused by name. A category is as it was last given.
pub async fn load_pack(
    catalog: &Catalog,
    pack: &str,
    categories: &[CategoryRow],
    signals: &[NewSignal],
    fingerprints: &[NewFingerprint],
    now: Moment,
) -> Result<Loaded, CatalogError> {
    check_unique("signal", signals.iter().map(|one| one.name.as_str()))?;
    check_unique("fingerprint", fingerprints.iter().map(|one| one.key.as_str()))?;
    let mut tries = TRIES;
    loop {
        let known = Known::read(catalog).await?;
        let mut plan = Plan { pack, now, steps: Vec::new(), loaded: Loaded::default() };
        plan.categories(&known, categories);
        let names = plan.signals(&known, signals, fingerprints);
        plan.fingerprints(&known, &names, fingerprints)?;
        let Plan { steps, loaded, .. } = plan;
        if steps.is_empty() {
            return Ok(loaded);
        }
        let fence = Step::once(ADVANCE_COUNTER_FROM, [LOADS.into(), known.loads.into()]).must_change(1);
        match catalog.transaction([vec![fence], steps].concat()).await {
            Err(error) if error.kind() == ErrorKind::Conflict && tries > 1 => tries -= 1,
            other => return other.map(|_| loaded),
        }
    }
}

/// The rows as they were at one look.
struct Known {
    loads: i64,
    categories: Vec<CategoryRow>,
    signals: Vec<SignalRow>,
    fingerprints: Vec<FingerprintRow>,
}

impl Known {
    async fn read(catalog: &Catalog) -> Result<Known, CatalogError> {
        // the count first: whatever is written behind it is noticed by the fence
        let steps = vec![
            Step::once(READ_COUNTER, [LOADS.into()]),
            Step::once(LIST_CATEGORIES, []),
            Step::once(LIST_SIGNALS, []),
            Step::once(LIST_FINGERPRINTS, []),
        ];
        let done = catalog.transaction(steps).await?;
        let [loads, categories, signals, fingerprints] = done.as_slice() else {
            return Err(CatalogError::new(ErrorKind::Defect, "four questions had not four answers"));
        };
        Ok(Known {
            loads: loads.rows.first().map_or(Ok(0), |row| row.int("value"))?,
            categories: categories.rows.iter().map(category_of).collect::<Result<_, _>>()?,
            signals: signals.rows.iter().map(signal_of).collect::<Result<_, _>>()?,
            fingerprints: fingerprints.rows.iter().map(fingerprint_of).collect::<Result<_, _>>()?,
        })
    }
}

/// What must be written so that the rows are those of the pack.
struct Plan<'a> {
    pack: &'a str,
    now: Moment,
    steps: Vec<Step>,
    loaded: Loaded,
}

impl Plan<'_> {
    fn categories(&mut self, known: &Known, categories: &[CategoryRow]) {
        for category in categories.iter().filter(|category| !known.categories.contains(category)) {
            let CategoryRow { key, title, about, exclusive } = category;
            let parameters =
                [key.as_str().into(), title.as_str().into(), about.as_str().into(), (*exclusive).into()];
            self.steps.push(Step::once(REMEMBER_CATEGORY, parameters));
        }
    }

    /// Plans the signals and gives the names of those that there will be.
    fn signals<'b>(
        &mut self,
        known: &'b Known,
        signals: &'b [NewSignal],
        fingerprints: &[NewFingerprint],
    ) -> HashSet<&'b str> {
        let by_name: HashMap<&str, &SignalRow> =
            known.signals.iter().map(|row| (row.name.as_str(), row)).collect();
        let mut next_id = known.signals.iter().map(|row| row.id).max().unwrap_or(0) + 1;
        let mut names: HashSet<&str> = signals.iter().map(|one| one.name.as_str()).collect();
        for signal in signals {
            let row = by_name.get(signal.name.as_str()).copied();
            if let Some(row) = row
                && row.deleted_at.is_none()
                && (row.pack != self.pack || is_same_signal(row, signal))
            {
                continue;
            }
            let NewSignal { name, category, vendor, family, website, definition } = signal;
            let id = row.map_or(next_id, |row| row.id);
            let parameters = vec![
                id.into(),
                name.as_str().into(),
                self.pack.into(),
                category.as_str().into(),
                vendor.as_str().into(),
                family.as_str().into(),
                website.as_str().into(),
                definition.clone().into(),
                self.now.into(),
            ];
            if row.is_none() {
                next_id += 1;
                self.steps.push(Step::once(ADD_SIGNAL, parameters));
            } else {
                self.steps.push(Step::once(CHANGE_SIGNAL, parameters).must_change(1));
            }
        }
        let used_elsewhere = self.used_elsewhere(known, fingerprints);
        for row in known.signals.iter().filter(|row| row.deleted_at.is_none()) {
            let is_gone = row.pack == self.pack
                && !names.contains(row.name.as_str())
                && !used_elsewhere.contains(row.name.as_str());
            if is_gone {
                self.steps.push(Step::once(DELETE_SIGNAL, [row.id.into(), self.now.into()]));
            } else {
                names.insert(&row.name);
            }
        }
        names
    }

    /// The signals that a fingerprint of another pack still looks for.
    fn used_elsewhere<'b>(&self, known: &'b Known, fingerprints: &[NewFingerprint]) -> HashSet<&'b str> {
        let taken: HashSet<&str> = fingerprints.iter().map(|one| one.key.as_str()).collect();
        let living = known.fingerprints.iter().filter(|row| row.deleted_at.is_none());
        living
            .filter(|row| row.pack != self.pack && row.part != IMPLIED && !taken.contains(row.key.as_str()))
            .map(|row| row.signal.as_str())
            .collect()
    }

    fn fingerprints(
        &mut self,
        known: &Known,
        names: &HashSet<&str>,
        fingerprints: &[NewFingerprint],
    ) -> Result<(), CatalogError> {
        let by_key: HashMap<&str, &FingerprintRow> =
            known.fingerprints.iter().map(|row| (row.key.as_str(), row)).collect();
        let mut next_id = known.fingerprints.iter().map(|row| row.id).max().unwrap_or(0) + 1;
        let mut added = Vec::new();
        for fingerprint in fingerprints {
            let NewFingerprint { key, signal, part, definition } = fingerprint;
            if !names.contains(signal.as_str()) {
                return Err(refused(format!("fingerprint `{key}` sees `{signal}`, which is no signal")));
            }
            let row = by_key.get(key.as_str()).copied();
            let is_deleted = row.is_some_and(|row| row.deleted_at.is_some());
            let is_same = row.is_some_and(|row| {
                row.signal == *signal && row.part == *part && row.definition == *definition
            });
            match row {
                Some(row) if !is_deleted && row.pack != self.pack => {
                    return Err(refused(format!(
                        "fingerprint `{key}` belongs to the pack `{}`: give one of them another key",
                        row.pack
                    )));
                }
                Some(_) if !is_deleted && is_same => {
                    self.loaded.kept += 1;
                    continue;
                }
                _ => {}
            }
            let parameters = vec![
                row.map_or(next_id, |row| row.id).into(),
                key.as_str().into(),
                self.pack.into(),
                signal.as_str().into(),
                part.as_str().into(),
                definition.clone().into(),
                row.map_or(1, |row| row.version + i64::from(!is_same)).into(),
                self.now.into(),
            ];
            if row.is_none() {
                next_id += 1;
                self.loaded.added += 1;
                added.push(parameters);
                continue;
            }
            if is_deleted {
                self.loaded.revived += 1
            } else {
                self.loaded.changed += 1
            }
            self.steps.push(Step::once(CHANGE_FINGERPRINT, parameters).must_change(1));
        }
        if !added.is_empty() {
            self.steps.push(Step::each(ADD_FINGERPRINT, added));
        }
        let there: HashSet<&str> = fingerprints.iter().map(|one| one.key.as_str()).collect();
        for row in known.fingerprints.iter().filter(|row| row.deleted_at.is_none()) {
            if row.pack == self.pack && !there.contains(row.key.as_str()) {
                self.loaded.deleted += 1;
                self.steps.push(Step::once(DELETE_FINGERPRINT, [row.id.into(), self.now.into()]));
            }
        }
        Ok(())
    }
}

fn is_same_signal(row: &SignalRow, signal: &NewSignal) -> bool {
    let NewSignal { name, category, vendor, family, website, definition } = signal;
    row.name == *name
        && row.category == *category
        && row.vendor == *vendor
        && row.family == *family
        && row.website == *website
        && row.definition == *definition
}

fn check_unique<'a>(what: &str, names: impl Iterator<Item = &'a str>) -> Result<(), CatalogError> {
    let mut seen = HashSet::new();
    for name in names {
        if !seen.insert(name) {
            return Err(refused(format!("{what} `{name}` is there twice")));
        }
    }
    Ok(())
}

fn refused(message: String) -> CatalogError {
    CatalogError::new(ErrorKind::Value, message)
}
