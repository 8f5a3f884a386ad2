//! Which accounts use a second vendor where one is the rule?
//!
//! Both are seen this month, each by itself: what only follows from another product, what was seen last month and what a
//! page that failed might have shown do not count. A vendor that took another's place is a switch and no second vendor.

#[cfg(test)]
mod tests;

use std::collections::BTreeMap;

use domain::Moment;

use super::{
    answer::{Certainty, Kind},
    evidence::{Evidence, Sighting},
};
use crate::jobs::process::month_of;

/// Less sure than this, of a hundred, a signal does not make a second vendor.
const SURE_ENOUGH: i64 = 50;

/// A product of a category in which one vendor is the rule.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Product {
    /// The signal.
    pub signal: i64,
    /// Its name.
    pub name: String,
    /// Who sells it.
    pub vendor: String,
    /// Products of one family are one choice.
    pub family: String,
    /// The category's key.
    pub category: String,
}

impl Product {
    fn is_another_choice_than(&self, other: &Product) -> bool {
        self.vendor != other.vendor && self.family != other.family
    }
}

/// What became of a product on one site of an account.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Holding {
    /// The product.
    pub product: Product,
    /// What became of it.
    pub kind: Kind,
    /// How sure that is.
    pub certainty: Certainty,
    /// When it was first seen on the site.
    pub since: Moment,
    /// What shows it.
    pub evidence: Evidence,
}

/// Two vendors of one category on one account.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DualVendor {
    /// The one that was there first.
    pub first: Vendor,
    /// The one that came to it.
    pub second: Vendor,
    /// Whether the second was added this month.
    pub is_new: bool,
    /// How sure it is which was first; that both are in use was seen.
    pub certainty: Certainty,
}

/// One of the two.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Vendor {
    /// Its product.
    pub product: Product,
    /// When it was first seen on the account.
    pub since: Moment,
    /// What shows it this month.
    pub sighting: Sighting,
}

/// What one account holds, over all its sites.
#[derive(Debug, Default)]
pub struct Account {
    held: BTreeMap<i64, Held>,
}

impl Account {
    /// Notes what became of a product on one of its sites.
    pub fn add(&mut self, holding: Holding) {
        let Holding { product, kind, certainty, since, evidence } = holding;
        let held = self.held.entry(product.signal).or_insert_with(|| Held::new(product, since));
        held.since = held.since.min(since);
        if evidence.before.is_some() {
            let sure = if kind == Kind::Kept { certainty } else { Certainty::Certain };
            held.had = held.had.max(Some(sure));
        }
        if kind == Kind::Added {
            held.added = Some(held.added.map_or(certainty, |known| known.min(certainty)));
        }
        let Some(seen) = evidence.now else { return };
        held.unexplained |= kind == Kind::Unknown;
        if !seen.implied && seen.confidence >= SURE_ENOUGH {
            held.sighting = Some(match held.sighting.take() {
                Some(known) if rank(&known) <= rank(&seen) => known,
                _ => seen,
            });
        }
    }

    /// The second vendors, by category and by when they came.
    #[must_use]
    pub fn dual_vendors(self) -> Vec<DualVendor> {
        let mut categories = BTreeMap::<String, (Vec<Product>, Vec<Rival>)>::new();
        for held in self.held.into_values() {
            let (had, rivals) = categories.entry(held.product.category.clone()).or_default();
            if held.had.is_some() {
                had.push(held.product.clone());
            }
            rivals.extend(held.into_rival());
        }
        categories.into_values().flat_map(|(had, rivals)| pair_up(&had, rivals)).collect()
    }
}

/// One product over all sites of an account.
#[derive(Debug)]
struct Held {
    product: Product,
    since: Moment,
    /// How sure it is that the account had it before, if it had it.
    had: Option<Certainty>,
    /// How sure it is that sites did not have it before which have it now: as sure as the least sure.
    added: Option<Certainty>,
    /// Whether a site has it now of which it is not known what it had before.
    unexplained: bool,
    sighting: Option<Sighting>,
}

impl Held {
    fn new(product: Product, since: Moment) -> Held {
        Held { product, since, had: None, added: None, unexplained: false, sighting: None }
    }

    fn into_rival(self) -> Option<Rival> {
        let Held { product, since, had, added, unexplained, sighting } = self;
        let standing = match (had, added) {
            (Some(sure), _) => Standing::Had(sure),
            (None, Some(sure)) if unexplained => Standing::Added(sure.min(Certainty::Likely)),
            (None, Some(sure)) => Standing::Added(sure),
            (None, None) => Standing::Unknown,
        };
        Some(Rival {
            month: month_of(since),
            standing,
            vendor: Vendor { product, since, sighting: sighting? },
        })
    }
}

/// What an account had of a product before.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Standing {
    Had(Certainty),
    Unknown,
    Added(Certainty),
}

impl Standing {
    fn is_added(self) -> bool {
        matches!(self, Standing::Added(_))
    }

    fn is_unknown(self) -> bool {
        self == Standing::Unknown
    }

    fn certainty(self) -> Certainty {
        match self {
            Standing::Had(sure) | Standing::Added(sure) => sure,
            Standing::Unknown => Certainty::Unknown,
        }
    }
}

/// A product that is in use this month.
#[derive(Debug)]
struct Rival {
    /// The month in which it was first seen: times within one only tell in which order pages were asked for.
    month: String,
    standing: Standing,
    vendor: Vendor,
}

/// The pairs of one category: each product with the earliest other choice. Of several products of one choice only the
/// first is told, and none is new where the account `had` another of them: they are no new vendor.
fn pair_up(had: &[Product], mut rivals: Vec<Rival>) -> Vec<DualVendor> {
    rivals.sort_by(|a, b| order(a).cmp(&order(b)));
    let mut told: Vec<&Product> = Vec::new();
    let mut pairs = Vec::new();
    for (at, second) in rivals.iter().enumerate() {
        let product = &second.vendor.product;
        let another = |rival: &&Rival| product.is_another_choice_than(&rival.vendor.product);
        let Some(first) = rivals[..at].iter().find(another) else { continue };
        if !told.iter().all(|known| product.is_another_choice_than(known)) {
            continue;
        }
        told.extend([&first.vendor.product, product]);
        let is_new =
            second.standing.is_added() && had.iter().all(|known| product.is_another_choice_than(known));
        pairs.push(DualVendor {
            first: first.vendor.clone(),
            second: second.vendor.clone(),
            is_new,
            certainty: first.standing.certainty().min(second.standing.certainty()),
        });
    }
    pairs
}

/// In the order in which they are taken to have come: what was added this month last, even if it was there long ago and
/// gone in between; else by the month, and within one what the account is known to have had first.
fn order(rival: &Rival) -> (bool, &str, bool, &str, i64) {
    let Rival { month, standing, vendor } = rival;
    let Product { signal, name, .. } = &vendor.product;
    (standing.is_added(), month, standing.is_unknown(), name, *signal)
}

/// The better evidence is the lesser.
fn rank(sighting: &Sighting) -> (i64, Moment, &str, &str) {
    (-sighting.confidence, sighting.found_at, &sighting.url, &sighting.fingerprint)
}
