//! Which signals and fingerprints are known here?

use std::collections::HashSet;

use anyhow::{Context, Result, bail};
use catalog::{
    Catalog,
    rules::{self, CategoryRow, FingerprintRow, RuleSetRow, SignalRow},
};
use domain::Moment;
use readers::technologies::{Category, Pack};

use crate::{
    jobs::open_catalog,
    rules::{new_fingerprint, new_signal, shipped},
    settings::{Settings, Storage, nearest},
};

/// The rows of the catalog or, where nothing is loaded, what the shipped pack would make of them.
pub(super) struct Known {
    /// The rule set in force; `None` where nothing is loaded.
    pub(super) rule_set: Option<RuleSetRow>,
    pub(super) categories: Vec<CategoryRow>,
    pub(super) signals: Vec<SignalRow>,
    pub(super) fingerprints: Vec<FingerprintRow>,
}

impl Known {
    /// What is known, wherever that is from.
    pub(super) async fn anywhere(settings: &Settings) -> Result<Known> {
        if let Some(catalog) = existing_catalog(&settings.storage).await? {
            let known = Known::of_catalog(&catalog).await?;
            if !known.fingerprints.is_empty() {
                return Ok(known);
            }
        }
        Known::of_shipped()
    }

    /// What the catalog knows.
    pub(super) async fn of_catalog(catalog: &Catalog) -> Result<Known> {
        Ok(Known {
            rule_set: rules::active(catalog).await?.map(|(row, _)| row),
            categories: rules::categories(catalog).await?,
            signals: rules::signals(catalog).await?,
            fingerprints: rules::fingerprints(catalog).await?,
        })
    }

    fn of_shipped() -> Result<Known> {
        let (mut categories, mut signals, mut fingerprints) = (Vec::new(), Vec::new(), Vec::new());
        for pack in shipped::packs() {
            let Pack { category, signals: of_file, fingerprints: seen_by, .. } = pack;
            categories.push(category_row(&category));
            for signal in &of_file {
                let rules::NewSignal { name, category, vendor, family, website, definition } =
                    new_signal(signal)?;
                let (id, pack) = (signals.len() as i64 + 1, shipped::PACK.to_owned());
                let (enabled, deleted_at) = (true, None);
                signals.push(SignalRow {
                    id,
                    name,
                    category,
                    vendor,
                    family,
                    website,
                    definition,
                    enabled,
                    deleted_at,
                    pack,
                });
            }
            for fingerprint in &seen_by {
                let rules::NewFingerprint { key, signal, part, definition } = new_fingerprint(fingerprint)?;
                let (id, pack) = (fingerprints.len() as i64 + 1, shipped::PACK.to_owned());
                let (version, enabled, deleted_at, updated_at) = (1, true, None, Moment(0));
                fingerprints.push(FingerprintRow {
                    id,
                    key,
                    signal,
                    part,
                    definition,
                    version,
                    enabled,
                    deleted_at,
                    pack,
                    updated_at,
                });
            }
        }
        Ok(Known { rule_set: None, categories, signals, fingerprints })
    }

    /// Where it is from, in words.
    pub(super) fn origin(&self) -> String {
        match &self.rule_set {
            Some(rule_set) => format!("rule set {} is in force", rule_set.version),
            None => {
                "the pack that canvass brings along; `canvass fingerprints load` puts it in force".to_owned()
            }
        }
    }

    pub(super) fn category(&self, key: &str) -> Option<&CategoryRow> {
        self.categories.iter().find(|row| row.key == key)
    }

    /// The names of the signals that are not deleted.
    pub(super) fn signal_names(&self) -> HashSet<String> {
        self.signals.iter().filter(|row| row.deleted_at.is_none()).map(|row| row.name.clone()).collect()
    }

    /// What a word means: a fingerprint's key or a signal's name, whose case does not matter.
    pub(super) fn find(&self, word: &str) -> Result<Meant<'_>> {
        if let Some(row) = self.fingerprints.iter().find(|row| row.key == word) {
            return Ok(Meant::Fingerprint(row));
        }
        if let Some(row) = self.signals.iter().find(|row| row.name.eq_ignore_ascii_case(word)) {
            return Ok(Meant::Signal(row));
        }
        let names = self.signals.iter().map(|row| row.name.as_str());
        let keys = self.fingerprints.iter().map(|row| row.key.as_str());
        unknown("fingerprint or signal", word, names.chain(keys))
    }
}

/// What a word on the command line means.
pub(super) enum Meant<'a> {
    Fingerprint(&'a FingerprintRow),
    Signal(&'a SignalRow),
}

/// The error for a name that nobody has, with the one that was probably meant.
pub(super) fn unknown<'a, T>(what: &str, word: &str, names: impl Iterator<Item = &'a str>) -> Result<T> {
    match nearest(word, names) {
        Some(meant) => bail!("there is no {what} `{word}`; did you mean `{meant}`?"),
        None => bail!("there is no {what} `{word}`: `canvass fingerprints list` shows what there is"),
    }
}

/// The catalog, if there is one.
pub(super) async fn existing_catalog(storage: &Storage) -> Result<Option<Catalog>> {
    if storage.metadata_db_url.is_none() && !storage.default_catalog().exists() {
        return Ok(None);
    }
    open_catalog(storage).await.map(Some)
}

pub(super) fn category_row(category: &Category) -> CategoryRow {
    let Category { key, title, about, exclusive } = category.clone();
    CategoryRow { key, title, about, exclusive }
}

/// The name of a pack in the catalog.
pub(super) fn pack_name(name: &str) -> Result<&str> {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'.');
    if !(1..=64).contains(&name.len()) || !name.bytes().all(plain) {
        bail!(
            "`{name}` is no name for a pack: use 1 to 64 letters, digits, `-`, `_` or `.`, as in `--pack mine`"
        );
    }
    if name == crate::rules::IMPLIED_PACK {
        bail!("`{name}` is the name of the pack that canvass makes itself: use another");
    }
    Ok(name)
}

/// A row's definition as the type that reads pages.
pub(super) fn fingerprint_of(row: &FingerprintRow) -> Result<readers::technologies::Fingerprint> {
    serde_json::from_value(row.definition.clone())
        .with_context(|| format!("the fingerprint `{}` cannot be read: load its pack again", row.key))
}
