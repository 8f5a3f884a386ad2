//! Which fingerprints are the pages read with?

use std::{
    fs,
    path::{Path, PathBuf},
    time::{Duration, Instant},
};

use anyhow::{Context, Result, ensure};
use readers::technologies::{Example, Fingerprint, Pack, Part, RuleSet, Signal, wappalyzer::Import};

use super::pages::unpack;

/// Signals and fingerprints, as they are written down.
#[derive(Debug, Clone, Default)]
pub struct Definition {
    /// The signals.
    pub signals: Vec<Signal>,
    /// Their fingerprints.
    pub fingerprints: Vec<Fingerprint>,
}

/// Rules that are ready, and how long that took.
pub struct Loaded {
    /// The rules.
    pub rules: RuleSet,
    /// How long it took to read the definition as a program keeps it, which is JSON.
    pub read: Duration,
    /// How long it took to make it ready.
    pub prepare: Duration,
}

/// The parts that the fastest peer looks at too, so that both can be asked for the same.
#[must_use]
pub fn peer_sees(part: &Part) -> bool {
    matches!(part, Part::Body | Part::Script | Part::Meta(_) | Part::Header(_) | Part::Cookie(_) | Part::Url)
}

impl Definition {
    /// Our own pack, with what its fingerprints must see.
    ///
    /// # Errors
    /// If a file of it cannot be read.
    pub fn own() -> Result<(Definition, Vec<Example>)> {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../fingerprints");
        let (mut all, mut examples) = (Definition::default(), Vec::new());
        for path in files(&folder, "yaml")? {
            let pack = Pack::parse(&fs::read_to_string(&path)?)
                .with_context(|| format!("cannot read {}", path.display()))?;
            all.signals.extend(pack.signals);
            all.fingerprints.extend(pack.fingerprints);
            examples.extend(pack.examples);
        }
        Ok((all, examples))
    }

    /// What a folder in the open Wappalyzer format holds.
    ///
    /// # Errors
    /// If a file is missing or is not in that format.
    pub fn imported(folder: &Path) -> Result<Definition> {
        let mut import = Import::default();
        let categories = fs::read_to_string(folder.join("categories.json"))
            .with_context(|| format!("no categories.json in {}", folder.display()))?;
        let keys = import.read_categories(&categories)?;
        for path in files(&folder.join("technologies"), "json")? {
            import
                .read_technologies(&fs::read_to_string(&path)?, &keys)
                .with_context(|| format!("cannot read {}", path.display()))?;
        }
        eprintln!(
            "imported {} technologies with {} patterns; {} patterns were refused",
            import.signals.len(),
            import.fingerprints.len(),
            import.refused.len()
        );
        Ok(Definition { signals: import.signals, fingerprints: import.fingerprints })
    }

    /// Only the fingerprints that look at a part that `keep` names.
    #[must_use]
    pub fn only(&self, keep: fn(&Part) -> bool) -> Definition {
        let fingerprints = self.fingerprints.iter().filter(|one| keep(&one.part)).cloned().collect();
        Definition { signals: self.signals.clone(), fingerprints }
    }

    /// Reads it from JSON and makes it ready, as a program does when it starts.
    ///
    /// # Errors
    /// If it does not come back from JSON as it went.
    pub fn load(&self) -> Result<Loaded> {
        let json = serde_json::to_vec(&(&self.signals, &self.fingerprints))?;
        let started = Instant::now();
        let (signals, fingerprints) = serde_json::from_slice(&json)?;
        let read = started.elapsed();
        let (rules, _) = RuleSet::new(signals, fingerprints);
        Ok(Loaded { rules, read, prepare: started.elapsed() - read })
    }
}

/// The folder in the open Wappalyzer format that a path names: itself, or what its archive holds.
///
/// # Errors
/// If there is none.
pub fn wappalyzer_folder(path: &Path, work: &Path) -> Result<PathBuf> {
    let root = if path.is_file() {
        let unpacked = work.join("wappalyzer");
        unpack(path, &unpacked)?;
        unpacked
    } else {
        path.to_owned()
    };
    let mut open = vec![root];
    while let Some(folder) = open.pop() {
        if folder.join("technologies").is_dir() && folder.join("categories.json").is_file() {
            return Ok(folder);
        }
        let inner = fs::read_dir(&folder)?.filter_map(Result::ok).map(|entry| entry.path());
        open.extend(inner.filter(|path| path.is_dir()));
    }
    anyhow::bail!("{} holds no categories.json beside a folder technologies", path.display())
}

fn files(folder: &Path, extension: &str) -> Result<Vec<PathBuf>> {
    let entries = fs::read_dir(folder).with_context(|| format!("cannot read {}", folder.display()))?;
    let mut files: Vec<PathBuf> =
        entries.map(|entry| entry.map(|entry| entry.path())).collect::<Result<_, _>>()?;
    files.retain(|path| path.extension().is_some_and(|found| found == extension));
    files.sort();
    ensure!(!files.is_empty(), "there is no .{extension} in {}", folder.display());
    Ok(files)
}
