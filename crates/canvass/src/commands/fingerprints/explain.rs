//! canvass fingerprints explain: what does a fingerprint look for, and what follows from it?

use std::{collections::HashMap, io::Write};

use anyhow::Result;
use catalog::rules::{FingerprintRow, SignalRow};
use readers::technologies::{Example, Extract, Fingerprint, Part, Pattern, Selector, Signal, needles};
use serde_json::{Value as Json, json};

use super::{
    known::{Known, Meant, fingerprint_of},
    list::state,
};
use crate::{
    commands::print_json,
    exit::Exit,
    rules::{IMPLIED_PART, shipped, signal_of},
    settings::{Settings, wrapped},
};

/// What `canvass fingerprints explain` is asked for.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  canvass fingerprints explain google-analytics-gtag
  canvass fingerprints explain 'Google Analytics'")]
pub struct ExplainArgs {
    /// A fingerprint's key or a signal's name
    #[arg(value_name = "KEY_OR_SIGNAL")]
    pub name: String,
    /// Print it as JSON
    #[arg(long)]
    pub json: bool,
}

/// Says everything about a fingerprint, or about a signal and how it is seen.
pub(super) async fn explain(args: &ExplainArgs, settings: &Settings, out: &mut dyn Write) -> Result<Exit> {
    let known = Known::anywhere(settings).await?;
    let (signal, fingerprints): (Option<&SignalRow>, Vec<&FingerprintRow>) = match known.find(&args.name)? {
        Meant::Fingerprint(row) => (known.signals.iter().find(|signal| signal.name == row.signal), vec![row]),
        Meant::Signal(row) => {
            (Some(row), known.fingerprints.iter().filter(|other| other.signal == row.name).collect())
        }
    };
    let examples = shipped_examples(&fingerprints);
    if args.json {
        let rows = fingerprints.iter().map(|row| fingerprint_json(row, examples.get(&row.key)));
        let rows: Vec<Json> = rows.collect::<Result<_>>()?;
        print_json(
            out,
            &json!({ "signal": signal.map(|row| signal_json(&known, row)), "fingerprints": rows }),
        )?;
        return Ok(Exit::Done);
    }
    if let Some(row) = signal {
        write_signal(&known, row, out)?;
    }
    for row in fingerprints {
        write_fingerprint(row, examples.get(&row.key), out)?;
    }
    writeln!(out, "\n{}", known.origin())?;
    Ok(Exit::Done)
}

fn signal_json(known: &Known, row: &SignalRow) -> Json {
    let SignalRow { id: _, name, category, vendor, family, website, definition, enabled, deleted_at, pack } =
        row;
    json!({
        "name": name, "vendor": vendor, "family": family, "category": category, "website": website,
        "exclusive": known.category(category).map(|row| row.exclusive), "definition": definition,
        "implied_by": implied_by(known, name), "enabled": enabled,
        "deleted_at": deleted_at.map(|at| at.to_string()), "pack": pack,
    })
}

fn implied_by<'a>(known: &'a Known, name: &str) -> Vec<&'a str> {
    let implies = |row: &&SignalRow| {
        let signal = signal_of(row);
        row.deleted_at.is_none()
            && signal.is_ok_and(|signal| signal.implies.iter().any(|one| one.signal == name))
    };
    known.signals.iter().filter(implies).map(|row| row.name.as_str()).collect()
}

fn write_signal(known: &Known, row: &SignalRow, out: &mut dyn Write) -> Result<()> {
    let Signal { name, vendor, family, category, website, implies, requires, requires_category, excludes } =
        signal_of(row)?;
    let mut head = format!("{name} by {vendor}");
    if row.deleted_at.is_some() {
        head += " (deleted)";
    } else if !row.enabled {
        head += " (disabled)";
    }
    writeln!(out, "{head}")?;
    if family != vendor {
        line(out, "family", &family)?;
    }
    if let Some(row) = known.category(&category) {
        let normal = if row.exclusive {
            "normally one to an organisation, so a second vendor is news"
        } else {
            "several side by side are normal"
        };
        line(out, "category", &format!("{} ({category}): {normal}", row.title))?;
    }
    line(out, "website", &website)?;
    let implied = implies.iter().map(|one| match one.confidence {
        100 => one.signal.clone(),
        confidence => format!("{} ({confidence} % sure)", one.signal),
    });
    line(out, "implies", &implied.collect::<Vec<_>>().join(", "))?;
    line(out, "implied by", &implied_by(known, &name).join(", "))?;
    let needed =
        requires.into_iter().chain(requires_category.iter().map(|key| format!("any of category {key}")));
    line(out, "requires", &needed.collect::<Vec<_>>().join(" or "))?;
    line(out, "excludes", &excludes.join(", "))?;
    line(out, "pack", &row.pack)
}

fn write_fingerprint(row: &FingerprintRow, example: Option<&Example>, out: &mut dyn Write) -> Result<()> {
    if row.part == IMPLIED_PART {
        writeln!(out, "\n{}", row.key)?;
        return line(out, "stands for", "what another signal brings along; nothing is searched for");
    }
    let fingerprint = fingerprint_of(row)?;
    writeln!(out, "\n{}", row.key)?;
    line(out, "looks at", &place(&fingerprint.part))?;
    match &fingerprint.pattern {
        Pattern::Exists => line(out, "for", "anything: it is enough that it is there")?,
        Pattern::Text(text) => line(out, "for the text", text)?,
        Pattern::Regex(regex) => line(out, "for", regex)?,
    }
    line(out, "tried near", &literals(&fingerprint).join("   "))?;
    for Extract { kind, regex, template } in &fingerprint.extracts {
        let source = regex.as_ref().map_or_else(|| format!("{template} of the same"), Clone::clone);
        line(out, &format!("reads {}", kind.word()), &source)?;
    }
    if fingerprint.confidence < 100 {
        line(out, "confidence", &format!("{} of 100; several add up", fingerprint.confidence))?;
    }
    if let Some(example) = example {
        line(out, "example", &told_example(example))?;
    }
    let state = match state(row) {
        "" => "in use",
        "off" => "disabled",
        other => other,
    };
    let changed = match row.updated_at.0 {
        0 => String::new(),
        _ => format!(", changed {}", row.updated_at.timestamp().strftime("%Y-%m-%d %H:%M UTC")),
    };
    line(out, "state", &format!("{state}, version {}, pack {}{changed}", row.version, row.pack))
}

/// A labelled value, wrapped; nothing where the value is empty.
fn line(out: &mut dyn Write, label: &str, value: &str) -> Result<()> {
    if !value.is_empty() {
        writeln!(out, "  {label:<13} {}", wrapped(value, 64).join(&format!("\n{:16}", "")))?;
    }
    Ok(())
}

fn fingerprint_json(row: &FingerprintRow, example: Option<&Example>) -> Result<Json> {
    let needles = if row.part == IMPLIED_PART { Vec::new() } else { literals(&fingerprint_of(row)?) };
    Ok(json!({
        "key": row.key, "signal": row.signal, "part": row.part, "definition": row.definition, "needles": needles,
        "example": example.map(told_example), "version": row.version,
        "enabled": row.enabled, "deleted_at": row.deleted_at.map(|at| at.to_string()), "pack": row.pack,
    }))
}

/// Where a part is, in words.
fn place(part: &Part) -> String {
    match part {
        Part::Body => "the document as it came".to_owned(),
        Part::Text => "what a reader sees of the document".to_owned(),
        Part::Header(name) => format!("the response header {name}"),
        Part::Cookie(name) => format!("the cookie {name} that the response sets"),
        Part::Script => "each script's address, and addresses within scripts".to_owned(),
        Part::Inline => "the scripts in the document".to_owned(),
        Part::Style => "the style sheets in the document".to_owned(),
        Part::Meta(name) => format!("the meta element {name}"),
        Part::Link => "each address of a link element".to_owned(),
        Part::Image => "each address of an image or frame".to_owned(),
        Part::Dom { selector, attribute: Some(attribute) } => format!("{attribute} of elements {selector}"),
        Part::Dom { selector, attribute: None } => format!("elements {selector}"),
        Part::Url => "the address where the redirects ended".to_owned(),
        Part::Robots => "the site's robots.txt".to_owned(),
    }
}

/// The literals of which one must stand where the pattern is tried.
fn literals(fingerprint: &Fingerprint) -> Vec<String> {
    let found: Vec<Vec<u8>> = match &fingerprint.part {
        Part::Dom { selector, .. } => {
            let selectors = Selector::parse_list(selector).unwrap_or_default();
            selectors.iter().map(Selector::needle).collect()
        }
        // they are tried wherever their name is
        Part::Header(_) | Part::Cookie(_) | Part::Meta(_) => Vec::new(),
        _ => needles(&fingerprint.pattern).ok().flatten().map(|found| found.literals).unwrap_or_default(),
    };
    found.iter().map(|needle| String::from_utf8_lossy(needle).into_owned()).collect()
}

/// The examples of fingerprints of the shipped pack, by key: examples stay in their files.
fn shipped_examples(rows: &[&FingerprintRow]) -> HashMap<String, Example> {
    if !rows.iter().any(|row| row.pack == shipped::PACK) {
        return HashMap::new();
    }
    let examples = shipped::packs().into_iter().flat_map(|pack| {
        let keys = pack.fingerprints.into_iter().map(|fingerprint| fingerprint.id);
        keys.zip(pack.examples).collect::<Vec<_>>()
    });
    examples.filter(|(key, _)| rows.iter().any(|row| row.pack == shipped::PACK && row.key == *key)).collect()
}

fn told_example(example: &Example) -> String {
    let Example { html, headers: _, cookies: _, url, robots, expected } = example;
    let headers = example.response_headers().into_iter().map(|(name, value)| format!("{name}: {value}"));
    let texts = [html.trim(), url.trim(), robots.trim()].into_iter().filter(|text| !text.is_empty());
    let mut told = headers.chain(texts.map(str::to_owned)).collect::<Vec<_>>().join("  ");
    for (kind, value) in expected {
        told += &format!("  → {} {value}", kind.word());
    }
    told
}
