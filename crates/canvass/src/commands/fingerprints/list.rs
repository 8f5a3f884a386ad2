//! canvass fingerprints list: what is there?

use std::{collections::BTreeMap, io::Write};

use anyhow::Result;
use catalog::rules::{FingerprintRow, SignalRow};
use serde_json::json;

use super::known::{Known, unknown};
use crate::{
    commands::{
        print_json,
        table::{counted, cut, grouped},
    },
    exit::Exit,
    rules::IMPLIED_PART,
    settings::Settings,
};

/// The words for the parts of a capture, as `--part` takes them.
const PARTS: [&str; 13] = [
    "body", "text", "header", "cookie", "script", "inline", "style", "meta", "link", "image", "dom", "url",
    "robots",
];

/// What `canvass fingerprints list` is asked for.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  canvass fingerprints list
  canvass fingerprints list --category live-chat
  canvass fingerprints list --signal Shopify --json
  canvass fingerprints list --disabled")]
pub struct ListArgs {
    /// The fingerprints of a category, by its key
    #[arg(long, value_name = "KEY")]
    pub category: Option<String>,
    /// The fingerprints of a signal, by its name
    #[arg(long, value_name = "NAME")]
    pub signal: Option<String>,
    /// The fingerprints that look at this part of a page
    #[arg(long, value_name = "PART")]
    pub part: Option<String>,
    /// The fingerprints that are disabled
    #[arg(long)]
    pub disabled: bool,
    /// The fingerprints that their pack no longer has
    #[arg(long)]
    pub deleted: bool,
    /// Every fingerprint, instead of the categories
    #[arg(long)]
    pub all: bool,
    /// Print the fingerprints as JSON
    #[arg(long)]
    pub json: bool,
}

/// Lists categories or, if anything is asked for, fingerprints.
pub(super) async fn list(args: &ListArgs, settings: &Settings, out: &mut dyn Write) -> Result<Exit> {
    let known = Known::anywhere(settings).await?;
    let ListArgs { category, signal, part, disabled, deleted, all, json: as_json } = args;
    if let Some(key) = category
        && known.category(key).is_none()
    {
        return unknown("category", key, known.categories.iter().map(|row| row.key.as_str()));
    }
    let is_signal = |row: &SignalRow, name: &str| row.name.eq_ignore_ascii_case(name);
    if let Some(name) = signal
        && !known.signals.iter().any(|row| is_signal(row, name))
    {
        return unknown("signal", name, known.signals.iter().map(|row| row.name.as_str()));
    }
    if let Some(word) = part
        && !PARTS.contains(&word.as_str())
    {
        return unknown("part", word, PARTS.into_iter());
    }
    let asked = *all || category.is_some() || signal.is_some() || part.is_some() || *disabled || *deleted;
    if !asked && !as_json {
        return list_categories(&known, out);
    }
    let signals: BTreeMap<&str, &SignalRow> =
        known.signals.iter().map(|row| (row.name.as_str(), row)).collect();
    let fits = |row: &&FingerprintRow| {
        let of_signal = signals.get(row.signal.as_str());
        row.part != IMPLIED_PART
            && row.deleted_at.is_some() == *deleted
            && (!disabled || !row.enabled)
            && category.as_ref().is_none_or(|key| of_signal.is_some_and(|signal| signal.category == *key))
            && signal.as_ref().is_none_or(|name| row.signal.eq_ignore_ascii_case(name))
            && part.as_ref().is_none_or(|word| row.part == *word)
    };
    let mut rows: Vec<&FingerprintRow> = known.fingerprints.iter().filter(fits).collect();
    rows.sort_by(|one, other| (&one.signal, &one.key).cmp(&(&other.signal, &other.key)));
    if *as_json {
        let row_json = |row: &&FingerprintRow| {
            let of_signal = signals.get(row.signal.as_str());
            json!({
                "key": row.key, "signal": row.signal, "category": of_signal.map(|signal| &signal.category),
                "vendor": of_signal.map(|signal| &signal.vendor), "part": row.part, "version": row.version,
                "enabled": row.enabled, "deleted_at": row.deleted_at.map(|at| at.to_string()), "pack": row.pack,
                "definition": row.definition,
            })
        };
        print_json(out, &rows.iter().map(row_json).collect::<Vec<_>>())?;
        return Ok(Exit::Done);
    }
    writeln!(out, "{:<24} {:<36} {:<6} {:>3} state", "signal", "fingerprint", "part", "v")?;
    let mut last = "";
    for row in &rows {
        // the signal once: the eye finds the next one more easily
        let name = if row.signal == last { String::new() } else { cut(&row.signal, 24) };
        last = &row.signal;
        let line =
            format!("{name:<24} {:<36} {:<6} {:>3} {}", cut(&row.key, 36), row.part, row.version, state(row));
        writeln!(out, "{}", line.trim_end())?;
    }
    writeln!(out, "{}", counted(rows.len() as u64, "fingerprint"))?;
    writeln!(out, "{}", known.origin())?;
    Ok(Exit::Done)
}

fn list_categories(known: &Known, out: &mut dyn Write) -> Result<Exit> {
    let mut counts: BTreeMap<&str, (u64, u64)> = BTreeMap::new();
    let mut categories: BTreeMap<&str, &str> = BTreeMap::new();
    for row in known.signals.iter().filter(|row| row.deleted_at.is_none()) {
        counts.entry(&row.category).or_default().0 += 1;
        categories.insert(&row.name, &row.category);
    }
    let live = known.fingerprints.iter().filter(|row| row.deleted_at.is_none() && row.part != IMPLIED_PART);
    for category in live.filter_map(|row| categories.get(row.signal.as_str())) {
        counts.entry(category).or_default().1 += 1;
    }
    writeln!(out, "{:<30} {:<28} {:>7} {:>12}", "category", "title", "signals", "fingerprints")?;
    let (mut signals, mut fingerprints) = (0, 0);
    for (key, (of_signals, of_fingerprints)) in counts {
        let row = known.category(key);
        let title = row.map_or("", |row| row.title.as_str());
        let mark = if row.is_some_and(|row| row.exclusive) { "*" } else { "" };
        let key = format!("{}{mark}", cut(key, 29));
        let (told, seen) = (grouped(of_signals), grouped(of_fingerprints));
        writeln!(out, "{key:<30} {:<28} {told:>7} {seen:>12}", cut(title, 28))?;
        signals += of_signals;
        fingerprints += of_fingerprints;
    }
    writeln!(out, "{:<30} {:<28} {:>7} {:>12}", "", "", grouped(signals), grouped(fingerprints))?;
    writeln!(out, "* an organisation normally runs one such product, so a second vendor is news")?;
    writeln!(out, "`--category KEY` lists the fingerprints of one, `--all` those of all")?;
    writeln!(out, "{}", known.origin())?;
    Ok(Exit::Done)
}

/// Whether a fingerprint is used, in a word; nothing where it is.
pub(super) fn state(row: &FingerprintRow) -> &'static str {
    match row {
        FingerprintRow { deleted_at: Some(_), .. } => "deleted",
        FingerprintRow { enabled: false, .. } => "off",
        _ => "",
    }
}
