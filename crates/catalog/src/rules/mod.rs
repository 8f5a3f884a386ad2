//! Which technologies are known, and how are they seen?
//!
//! Rows come from packs and are never deleted, only marked, so that what was found with them keeps its name. The
//! enabled ones, frozen, are a rule set.

mod load;
mod sets;

use domain::Moment;
use serde_json::Value as Json;

use crate::{
    Catalog, CatalogError, Row, Step,
    statements::{
        LIST_CATEGORIES, LIST_FINGERPRINTS, LIST_SIGNALS, SET_FINGERPRINTS_ENABLED, SET_SIGNAL_ENABLED,
    },
};

pub use load::{Loaded, NewFingerprint, NewSignal, load_pack};
pub use sets::{RuleSetRow, activate, active, rule_set, rule_sets};

/// A category of products.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CategoryRow {
    /// Its name in packs and files (`live-chat`).
    pub key: String,
    /// Its name for people.
    pub title: String,
    /// What belongs to it.
    pub about: String,
    /// Whether an organisation has need of one product of it, so that a second is news.
    pub exclusive: bool,
}

/// A vendor's product.
#[derive(Debug, Clone, PartialEq)]
pub struct SignalRow {
    /// Its number, for ever.
    pub id: i64,
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
    /// Everything else that its pack says of it.
    pub definition: Json,
    /// Whether it may be looked for.
    pub enabled: bool,
    /// Since when it is no longer in its pack.
    pub deleted_at: Option<Moment>,
    /// The pack that it came with.
    pub pack: String,
}

/// One way to see a product on a page.
#[derive(Debug, Clone, PartialEq)]
pub struct FingerprintRow {
    /// Its number, for ever.
    pub id: i64,
    /// Its name, which no other has.
    pub key: String,
    /// The name of the signal that it sees.
    pub signal: String,
    /// The part of a capture that it looks at.
    pub part: String,
    /// Everything else that its pack says of it.
    pub definition: Json,
    /// How often its signal, part or definition was another, plus one.
    pub version: i64,
    /// Whether it may be used.
    pub enabled: bool,
    /// Since when it is no longer in its pack.
    pub deleted_at: Option<Moment>,
    /// The pack that it came with.
    pub pack: String,
    /// When it was last changed in any way.
    pub updated_at: Moment,
}

/// The categories, by key.
pub async fn categories(catalog: &Catalog) -> Result<Vec<CategoryRow>, CatalogError> {
    catalog.run(LIST_CATEGORIES, []).await?.rows.iter().map(category_of).collect()
}

/// The signals, deleted ones too, by number.
pub async fn signals(catalog: &Catalog) -> Result<Vec<SignalRow>, CatalogError> {
    catalog.run(LIST_SIGNALS, []).await?.rows.iter().map(signal_of).collect()
}

/// The fingerprints, deleted ones too, by number.
pub async fn fingerprints(catalog: &Catalog) -> Result<Vec<FingerprintRow>, CatalogError> {
    catalog.run(LIST_FINGERPRINTS, []).await?.rows.iter().map(fingerprint_of).collect()
}

/// Enables or disables the fingerprint with this key or, if there is none, the signal with this name and all of its
/// fingerprints; says how many fingerprints changed. A signal whose fingerprint is enabled is enabled with it.
pub async fn set_enabled(
    catalog: &Catalog,
    key_or_signal: &str,
    enabled: bool,
    now: Moment,
) -> Result<u64, CatalogError> {
    let parameters = [key_or_signal.into(), enabled.into(), now.into()];
    let steps = vec![
        Step::once(SET_SIGNAL_ENABLED, parameters.clone()),
        Step::once(SET_FINGERPRINTS_ENABLED, parameters),
    ];
    let done = catalog.transaction(steps).await?;
    Ok(done.last().map_or(0, |step| step.changed))
}

fn category_of(row: &Row) -> Result<CategoryRow, CatalogError> {
    Ok(CategoryRow {
        key: row.text("key")?,
        title: row.text("title")?,
        about: row.text("about")?,
        exclusive: row.bool("exclusive")?,
    })
}

fn signal_of(row: &Row) -> Result<SignalRow, CatalogError> {
    Ok(SignalRow {
        id: row.int("id")?,
        name: row.text("name")?,
        category: row.text("category")?,
        vendor: row.text("vendor")?,
        family: row.text("family")?,
        website: row.text("website")?,
        definition: row.json("definition")?,
        enabled: row.bool("enabled")?,
        deleted_at: row.moment_opt("deleted_at")?,
        pack: row.text("pack")?,
    })
}

fn fingerprint_of(row: &Row) -> Result<FingerprintRow, CatalogError> {
    Ok(FingerprintRow {
        id: row.int("id")?,
        key: row.text("key")?,
        signal: row.text("signal")?,
        part: row.text("part")?,
        definition: row.json("definition")?,
        version: row.int("version")?,
        enabled: row.bool("enabled")?,
        deleted_at: row.moment_opt("deleted_at")?,
        pack: row.text("pack")?,
        updated_at: row.moment("updated_at")?,
    })
}
