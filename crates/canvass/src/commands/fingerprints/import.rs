//! canvass fingerprints import: what can be taken over from another program's fingerprints?

use std::{
    cmp::Reverse,
    collections::{BTreeMap, HashMap, HashSet},
    io::Write,
    path::{Path, PathBuf},
};

use anyhow::{Context, Result, bail};
use catalog::rules::CategoryRow;
use readers::technologies::{
    Category, Fingerprint, Pattern, RuleSet, Signal,
    wappalyzer::{CategoryKeys, Import, Refused},
};
use serde_json::json;

use super::{
    known::{Known, category_row, pack_name},
    load::Deposit,
};
use crate::{
    commands::{
        print_json,
        table::{counted, grouped},
    },
    exit::Exit,
    jobs::open_catalog,
    rules::{files_in, new_fingerprint, new_signal, read_bounded, shipped},
    settings::{Settings, wrapped},
};

/// The formats that can be read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub enum Format {
    /// categories.json and a file or a folder of technologies
    Wappalyzer,
}

/// What `canvass fingerprints import` is asked for.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  canvass fingerprints import --format wappalyzer src/
  canvass fingerprints import --format wappalyzer src/ --report refused.csv --dry-run")]
pub struct ImportArgs {
    /// How the fingerprints are written
    #[arg(long, value_name = "FORMAT")]
    pub format: Format,
    /// The folder with categories.json and technologies/*.json or technologies.json
    pub dir: PathBuf,
    /// The pack's name in the catalog
    #[arg(long, value_name = "NAME", default_value = "wappalyzer")]
    pub pack: String,
    /// Write every pattern that was left out to this CSV file, with the reason
    #[arg(long, value_name = "FILE")]
    pub report: Option<PathBuf>,
    /// Say what would change, and change nothing
    #[arg(long)]
    pub dry_run: bool,
    /// Print what changed as JSON
    #[arg(long)]
    pub json: bool,
}

/// Reads fingerprints of another format, loads what can be used, and names what cannot.
pub(super) async fn import(args: &ImportArgs, settings: &Settings, out: &mut dyn Write) -> Result<Exit> {
    let ImportArgs { format: Format::Wappalyzer, dir, pack, report, dry_run, json: as_json } = args;
    let pack = pack_name(pack)?;
    let catalog = open_catalog(&settings.storage).await?;
    let Taken { deposit, refused } = take(pack, read_wappalyzer(dir)?)?;
    if let Some(file) = report {
        write_report(file, &refused).with_context(|| format!("cannot write {}", file.display()))?;
    }
    let known = Known::of_catalog(&catalog).await?;
    let outcome = deposit.bring_in(&catalog, &known, *dry_run).await?;
    let reasons = by_reason(&refused);
    if *as_json {
        let mut told = outcome.json();
        told["refused"] = json!(refused.len());
        told["reasons"] =
            reasons.iter().map(|(why, count)| json!({ "why": why, "patterns": count })).collect();
        print_json(out, &told)?;
        return Ok(Exit::Done);
    }
    outcome.write(out)?;
    writeln!(out, "\n{} left out:", counted(refused.len() as u64, "pattern"))?;
    for (why, count) in reasons {
        writeln!(out, "{:>7}  {}", grouped(count), wrapped(&why, 70).join("\n         "))?;
    }
    match report {
        Some(file) => writeln!(out, "each one is in {}", file.display())?,
        None if refused.is_empty() => {}
        None => writeln!(out, "`--report FILE` names each one")?,
    }
    Ok(Exit::Done)
}

fn read_wappalyzer(dir: &Path) -> Result<Import> {
    let mut import = Import::default();
    let read = |path: &Path| -> Result<String> {
        String::from_utf8(read_bounded(path)?).with_context(|| format!("{} is not UTF-8", path.display()))
    };
    let categories = dir.join("categories.json");
    if !categories.is_file() {
        bail!("there is no categories.json in {}: name the folder that holds it", dir.display());
    }
    let wrong = |path: &Path| format!("{} is not of the format", path.display());
    let keys: CategoryKeys =
        import.read_categories(&read(&categories)?).with_context(|| wrong(&categories))?;
    let folder = dir.join("technologies");
    let files =
        if folder.is_dir() { files_in(&folder, &["json"])? } else { vec![dir.join("technologies.json")] };
    for file in files {
        import.read_technologies(&read(&file)?, &keys).with_context(|| wrong(&file))?;
    }
    Ok(import)
}

/// What can be used of an import, and what cannot.
struct Taken {
    deposit: Deposit,
    refused: Vec<Refused>,
}

fn take(pack: &str, import: Import) -> Result<Taken> {
    let Import { categories, signals, fingerprints, mut refused } = import;
    let (set, unusable) = RuleSet::new(signals, fingerprints);
    let mut left_out = HashSet::new();
    for (place, error) in unusable {
        let Fingerprint { signal, part, pattern, .. } = &set.fingerprints()[place];
        refused.push(Refused {
            technology: signal.clone(),
            field: part.word().to_owned(),
            pattern: match pattern {
                Pattern::Exists => String::new(),
                Pattern::Text(text) => text.clone(),
                Pattern::Regex(regex) => regex.clone(),
            },
            why: error.to_string(),
        });
        left_out.insert(place);
    }
    let (mut fingerprints, mut taken) = (Vec::new(), HashSet::new());
    for (place, fingerprint) in set.fingerprints().iter().enumerate() {
        if left_out.contains(&place) {
            continue;
        }
        // an id of theirs may be one of ours, and two of their names may differ in nothing that an id keeps
        let mut id = format!("{pack}:{}", fingerprint.id);
        while !taken.insert(id.clone()) {
            id.push('+');
        }
        fingerprints.push(new_fingerprint(&Fingerprint { id, ..fingerprint.clone() })?);
    }
    let described = Described::by_shipped();
    let deposit = Deposit {
        pack: pack.to_owned(),
        categories: categories.iter().map(|category| described.category(category)).collect(),
        signals: set
            .signals()
            .iter()
            .map(|signal| new_signal(&described.signal(signal)))
            .collect::<Result<_>>()?,
        fingerprints,
    };
    Ok(Taken { deposit, refused })
}

/// What the shipped pack says of products and categories: it knows vendors, families and what is exclusive.
struct Described {
    signals: HashMap<String, Signal>,
    categories: HashMap<String, Category>,
}

impl Described {
    fn by_shipped() -> Described {
        let packs = shipped::packs();
        let signals = packs.iter().flat_map(|pack| &pack.signals);
        Described {
            signals: signals.map(|signal| (signal.name.clone(), signal.clone())).collect(),
            categories: packs.iter().map(|pack| (pack.category.key.clone(), pack.category.clone())).collect(),
        }
    }

    fn category(&self, theirs: &Category) -> CategoryRow {
        category_row(self.categories.get(&theirs.key).unwrap_or(theirs))
    }

    /// Their signal; what it implies, requires and excludes stays theirs, as their patterns were written for it.
    fn signal(&self, theirs: &Signal) -> Signal {
        let Some(Signal { vendor, family, category, website, .. }) = self.signals.get(&theirs.name).cloned()
        else {
            return theirs.clone();
        };
        Signal { vendor, family, category, website, ..theirs.clone() }
    }
}

/// How many patterns were left out for each reason, the most frequent first.
fn by_reason(refused: &[Refused]) -> Vec<(String, u64)> {
    let mut counts = BTreeMap::<String, u64>::new();
    for Refused { why, .. } in refused {
        *counts.entry(reason(why)).or_default() += 1;
    }
    let mut reasons: Vec<(String, u64)> = counts.into_iter().collect();
    reasons.sort_by_key(|(_, count)| Reverse(*count));
    reasons
}

/// The reason without what is particular to one pattern: what is quoted, and what the parser said of it.
fn reason(why: &str) -> String {
    let general = why.split_once(": ").map_or(why, |(general, _)| general);
    let mut quotes = general.split('`');
    let mut told = quotes.next().unwrap_or_default().to_owned();
    while let (Some(_), rest) = (quotes.next(), quotes.next()) {
        told += "`…`";
        told += rest.unwrap_or_default();
    }
    told
}

fn write_report(file: &Path, refused: &[Refused]) -> Result<()> {
    let mut rows = csv::Writer::from_path(file)?;
    rows.write_record(["technology", "field", "pattern", "why"])?;
    for Refused { technology, field, pattern, why } in refused {
        rows.write_record([technology, field, pattern, why])?;
    }
    rows.flush()?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reasons_are_told_without_what_is_particular_to_one_pattern() {
        assert_eq!(reason("not a regular expression: unclosed group"), "not a regular expression");
        assert_eq!(
            reason("`a > b` has no word of at least 4 letters"),
            "`…` has no word of at least 4 letters"
        );
        assert_eq!(reason("`:has(a)` and `:is(b)` need a browser"), "`…` and `…` need a browser");
        assert_eq!(reason("plain"), "plain");
    }
}
