//! canvass fingerprints load: how does a pack come into force?

use std::{collections::HashMap, io::Write, path::PathBuf};

use anyhow::{Context, Result, bail};
use catalog::{
    Catalog,
    rules::{self, CategoryRow, FingerprintRow, Loaded, NewFingerprint, NewSignal},
};
use serde_json::{Value as Json, json};

use super::{
    known::{Known, category_row, pack_name},
    lint::negatives,
};
use crate::{
    clock::Clock,
    commands::{
        print_json,
        table::{counted, grouped},
    },
    exit::Exit,
    jobs::open_catalog,
    rules::{
        Frozen, PackFile, freeze,
        lint::{Checked, check},
        new_fingerprint, new_signal, read_packs, shipped,
    },
    settings::Settings,
};

/// What `canvass fingerprints load` is asked for.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  canvass fingerprints load                     the pack that canvass brings along
  canvass fingerprints load mine.yaml           a file of your own, as pack `mine`
  canvass fingerprints load packs/ --pack ours --dry-run")]
pub struct LoadArgs {
    /// Pack files, or folders of them [default: what canvass brings along]
    pub paths: Vec<PathBuf>,
    /// The pack's name in the catalog [default: canvass, or the name of the one file or folder]
    #[arg(long, value_name = "NAME")]
    pub pack: Option<String>,
    /// Say what would change, and change nothing
    #[arg(long)]
    pub dry_run: bool,
    /// Print what changed as JSON
    #[arg(long)]
    pub json: bool,
}

/// Checks packs, loads them and puts them in force.
pub(super) async fn load(args: &LoadArgs, settings: &Settings, out: &mut dyn Write) -> Result<Exit> {
    let (pack, files) = named_files(args)?;
    let catalog = open_catalog(&settings.storage).await?;
    let known = Known::of_catalog(&catalog).await?;
    let mut names = known.signal_names();
    if !args.paths.is_empty() {
        names.extend(shipped::signal_names());
    }
    let Checked { categories, set, findings, .. } = check(&files, &negatives(&args.paths)?, &names);
    if !findings.is_empty() {
        if args.json {
            print_json(out, &json!({ "findings": findings }))?;
        } else {
            for finding in &findings {
                writeln!(out, "{finding}")?;
            }
        }
        bail!("{} in the pack, so nothing was loaded", counted(findings.len() as u64, "problem"));
    }
    let deposit = Deposit {
        pack,
        categories: categories.iter().map(category_row).collect(),
        signals: set.signals().iter().map(new_signal).collect::<Result<_>>()?,
        fingerprints: set.fingerprints().iter().map(new_fingerprint).collect::<Result<_>>()?,
    };
    let outcome = deposit.bring_in(&catalog, &known, args.dry_run).await?;
    if args.json {
        print_json(out, &outcome.json())?;
    } else {
        outcome.write(out)?;
    }
    Ok(Exit::Done)
}

/// The files that are meant, and the name of their pack.
fn named_files(args: &LoadArgs) -> Result<(String, Vec<PackFile>)> {
    let files = if args.paths.is_empty() { shipped::files() } else { read_packs(&args.paths)? };
    let name = match (&args.pack, args.paths.as_slice()) {
        (Some(name), _) => name.clone(),
        (None, []) => shipped::PACK.to_owned(),
        (None, [path]) => {
            // `packs/..` has a name only when it is resolved
            let path = path.canonicalize().with_context(|| format!("cannot read {}", path.display()))?;
            path.file_stem().map(|stem| stem.to_string_lossy().into_owned()).unwrap_or_default()
        }
        (None, _) => bail!("several paths are one pack: say its name with `--pack NAME`"),
    };
    Ok((pack_name(&name)?.to_owned(), files))
}

/// A pack on its way into the catalog.
pub(super) struct Deposit {
    pub(super) pack: String,
    pub(super) categories: Vec<CategoryRow>,
    pub(super) signals: Vec<NewSignal>,
    pub(super) fingerprints: Vec<NewFingerprint>,
}

impl Deposit {
    /// Loads it and freezes what is enabled then; or only says what that would do.
    pub(super) async fn bring_in(self, catalog: &Catalog, known: &Known, dry_run: bool) -> Result<Outcome> {
        self.refuse_what_others_have(known)?;
        let Deposit { pack, categories, signals, fingerprints } = &self;
        let (loaded, frozen) = if dry_run {
            (foresee(pack, fingerprints, &known.fingerprints), None)
        } else {
            let now = Clock::start().now();
            let loaded = rules::load_pack(catalog, pack, categories, signals, fingerprints, now).await?;
            let frozen = freeze(catalog, &format!("loaded pack {pack}"), now).await?;
            (loaded, Some(frozen))
        };
        Ok(Outcome {
            signals: signals.len() as u64,
            fingerprints: fingerprints.len() as u64,
            categories: categories.len() as u64,
            pack: self.pack,
            loaded,
            frozen,
        })
    }

    fn refuse_what_others_have(&self, known: &Known) -> Result<()> {
        let owners: HashMap<&str, &str> = known
            .fingerprints
            .iter()
            .filter(|row| row.deleted_at.is_none() && row.pack != self.pack)
            .map(|row| (row.key.as_str(), row.pack.as_str()))
            .collect();
        let mut taken = self.fingerprints.iter().filter_map(|new| Some((&new.key, owners.get(&*new.key)?)));
        let Some((key, owner)) = taken.next() else { return Ok(()) };
        let more = match taken.count() {
            0 => String::new(),
            more => format!(" and {} more", grouped(more as u64)),
        };
        bail!(
            "pack `{owner}` has `{key}`{more} already, so nothing was loaded: give them other ids, or replace that \
             pack with `--pack {owner}`"
        );
    }
}

/// What loading would do, as [`rules::load_pack`] does it.
fn foresee(pack: &str, fingerprints: &[NewFingerprint], rows: &[FingerprintRow]) -> Loaded {
    let by_key: HashMap<&str, &FingerprintRow> = rows.iter().map(|row| (row.key.as_str(), row)).collect();
    let mut loaded = Loaded::default();
    for NewFingerprint { key, signal, part, definition } in fingerprints {
        let count = match by_key.get(key.as_str()) {
            None => &mut loaded.added,
            Some(row) if row.deleted_at.is_some() => &mut loaded.revived,
            Some(row) if row.signal == *signal && row.part == *part && row.definition == *definition => {
                &mut loaded.kept
            }
            Some(_) => &mut loaded.changed,
        };
        *count += 1;
    }
    let of_pack = rows.iter().filter(|row| row.pack == pack && row.deleted_at.is_none()).count() as u64;
    loaded.deleted = of_pack.saturating_sub(loaded.kept + loaded.changed);
    loaded
}

/// What loading did, or would do.
pub(super) struct Outcome {
    pack: String,
    signals: u64,
    fingerprints: u64,
    categories: u64,
    loaded: Loaded,
    /// `None` where nothing was changed.
    frozen: Option<Frozen>,
}

impl Outcome {
    pub(super) fn write(&self, out: &mut dyn Write) -> Result<()> {
        let Outcome { pack, signals, fingerprints, categories, loaded, frozen } = self;
        let (signals, fingerprints) = (counted(*signals, "signal"), counted(*fingerprints, "fingerprint"));
        let categories = if *categories == 1 {
            "1 category".to_owned()
        } else {
            format!("{} categories", grouped(*categories))
        };
        writeln!(out, "pack {pack}: {fingerprints} for {signals} in {categories}")?;
        let Loaded { added, changed, kept, deleted, revived } = *loaded;
        for (word, count) in [
            ("added", added),
            ("changed", changed),
            ("kept", kept),
            ("deleted", deleted),
            ("revived", revived),
        ] {
            writeln!(out, "  {word:<8} {:>8}", grouped(count))?;
        }
        match frozen {
            None => writeln!(out, "a dry run: nothing was changed")?,
            Some(frozen) => write_frozen(out, frozen)?,
        }
        Ok(())
    }

    pub(super) fn json(&self) -> Json {
        let Outcome { pack, signals, fingerprints, categories, loaded, frozen } = self;
        let Loaded { added, changed, kept, deleted, revived } = loaded;
        json!({
            "pack": pack, "signals": signals, "fingerprints": fingerprints, "categories": categories,
            "added": added, "changed": changed, "kept": kept, "deleted": deleted, "revived": revived,
            "rule_set": frozen.as_ref().map(frozen_json),
        })
    }
}

/// Says which rules are in force now.
pub(super) fn write_frozen(out: &mut dyn Write, frozen: &Frozen) -> Result<()> {
    let Frozen { rule_set, before } = frozen;
    let change = match before {
        Some(before) if *before == rule_set.version => "as before".to_owned(),
        Some(before) => format!("before: {before}"),
        None => "the first".to_owned(),
    };
    let fingerprints = counted(rule_set.fingerprints.unsigned_abs(), "fingerprint");
    writeln!(out, "rule set {} is in force ({change}): {fingerprints}", rule_set.version)?;
    Ok(())
}

pub(super) fn frozen_json(frozen: &Frozen) -> Json {
    let Frozen { rule_set, before } = frozen;
    json!({
        "version": rule_set.version, "before": before, "digest": rule_set.digest,
        "signals": rule_set.signals, "fingerprints": rule_set.fingerprints,
    })
}
