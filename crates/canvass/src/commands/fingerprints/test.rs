//! canvass fingerprints test: what is seen on a page, and by what?

use std::{
    borrow::Cow,
    collections::{HashMap, HashSet},
    fs::File,
    io::{self, Read, Write},
    path::{Path, PathBuf},
};

use anyhow::{Context, Result, bail};
use catalog::rules;
use readers::{
    technologies::{Detection, ExtractKind, Page, RuleSet, Scratch, Sighting},
    text::{decode_text, detect_charset},
};
use serde_json::{Value as Json, json};

use super::known::existing_catalog;
use crate::{
    commands::{
        print_json,
        table::{counted, cut},
    },
    exit::Exit,
    rules::{ActiveRules, lint, read_bounded, read_packs, shipped},
    settings::Settings,
};

/// What is read of a page; the engine itself looks at no more.
const MAX_PAGE_BYTES: u64 = 8 << 20;
/// The most header lines of a file.
const MAX_HEADERS: usize = 1_000;

/// What `canvass fingerprints test` is asked for.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  canvass fingerprints test page.html --url https://www.example.com/
  curl -sD headers.txt https://example.com/ -o page.html
  canvass fingerprints test page.html --headers headers.txt --json
  canvass fingerprints test page.html --pack mine.yaml")]
pub struct TestArgs {
    /// The page; `-` is standard input
    pub file: PathBuf,
    /// The response's header lines, as `curl -D` writes them
    #[arg(long, value_name = "FILE")]
    pub headers: Option<PathBuf>,
    /// The page's address
    #[arg(long, value_name = "URL", default_value = "")]
    pub url: String,
    /// The site's robots.txt
    #[arg(long, value_name = "FILE")]
    pub robots: Option<PathBuf>,
    /// Read with these pack files or folders instead; may be repeated
    #[arg(long, value_name = "PATH")]
    pub pack: Vec<PathBuf>,
    /// Print what is seen as JSON
    #[arg(long)]
    pub json: bool,
}

/// Reads a page with the rules in force and says what is there.
pub(super) async fn test(args: &TestArgs, settings: &Settings, out: &mut dyn Write) -> Result<Exit> {
    let headers = match &args.headers {
        Some(file) => header_lines(&String::from_utf8_lossy(&read_bounded(file)?))
            .with_context(|| format!("{} holds no header lines", file.display()))?,
        None => Vec::new(),
    };
    let robots = args.robots.as_deref().map(read_bounded).transpose()?;
    let body = read_page(&args.file).with_context(|| format!("cannot read {}", args.file.display()))?;
    let bench = Bench::choose(args, settings).await?;
    let content_type =
        headers.iter().find(|(name, _)| name == "content-type").map(|(_, value)| value.as_str());
    let charset = detect_charset(content_type, &body);
    // the engine reads any encoding in which ASCII is ASCII
    let body = match charset.starts_with("UTF-16") {
        true => Cow::Owned(decode_text(&body, charset).into_owned().into_bytes()),
        false => Cow::Borrowed(body.as_slice()),
    };
    let page = Page { url: &args.url, headers: &headers, body: &body, robots: robots.as_deref() };
    let detections = bench.set.detect(&page, &mut Scratch::default());
    if args.json {
        let seen: Vec<Json> = detections.iter().map(|detection| bench.json(detection)).collect();
        print_json(out, &json!({ "rules": bench.rules, "url": args.url, "seen": seen }))?;
        return Ok(Exit::Done);
    }
    for detection in &detections {
        bench.write(detection, out)?;
    }
    writeln!(out, "{} seen with {}", counted(detections.len() as u64, "signal"), bench.name)?;
    Ok(Exit::Done)
}

/// The start of a page, as much of it as is ever looked at.
fn read_page(file: &Path) -> io::Result<Vec<u8>> {
    let mut body = Vec::new();
    if file == Path::new("-") {
        io::stdin().lock().take(MAX_PAGE_BYTES).read_to_end(&mut body)?;
    } else {
        File::open(file)?.take(MAX_PAGE_BYTES).read_to_end(&mut body)?;
    }
    Ok(body)
}

/// The headers of the last response of a file: with redirects, `curl -D` writes one after the other.
fn header_lines(text: &str) -> Result<Vec<(String, String)>> {
    let mut headers: Vec<(String, String)> = Vec::new();
    for (number, line) in (1..).zip(text.lines()) {
        if line.starts_with("HTTP/") {
            headers.clear();
        } else if line.starts_with([' ', '\t'])
            && let Some((_, value)) = headers.last_mut()
        {
            value.push(' ');
            value.push_str(line.trim());
        } else if !line.trim().is_empty() {
            let header = line.split_once(':').filter(|(name, _)| is_header_name(name));
            let Some((name, value)) = header else {
                bail!("line {number} is not `name: value`: {}", cut(line, 60));
            };
            headers.push((name.to_ascii_lowercase(), value.trim().to_owned()));
        }
        if headers.len() > MAX_HEADERS {
            bail!("more than {MAX_HEADERS} headers");
        }
    }
    Ok(headers)
}

/// Whether a header may have this name. HTTP/2's own, such as `:status`, are none of the response's.
fn is_header_name(name: &str) -> bool {
    let letter = |byte: u8| byte.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(&byte);
    !name.is_empty() && name.bytes().all(letter)
}

/// The rules that a page is put to, with what people call things.
struct Bench {
    set: RuleSet,
    /// Which rules these are, in words.
    name: String,
    rules: Json,
    /// The version of each fingerprint, where the catalog has given it one.
    versions: Vec<i64>,
    vendors: HashMap<String, String>,
    titles: HashMap<String, String>,
}

impl Bench {
    async fn choose(args: &TestArgs, settings: &Settings) -> Result<Bench> {
        if !args.pack.is_empty() {
            let checked = lint::check(&read_packs(&args.pack)?, &[], &shipped::signal_names());
            if let Some(finding) = checked.findings.first() {
                bail!("{finding}; `canvass fingerprints lint` says everything");
            }
            let names =
                args.pack.iter().map(|path| path.display().to_string()).collect::<Vec<_>>().join(", ");
            return Ok(Bench::of_packs(checked, names.clone(), json!({ "pack": names })));
        }
        if let Some(catalog) = existing_catalog(&settings.storage).await?
            && let Some(active) = ActiveRules::load(&catalog).await?
        {
            let signals = rules::signals(&catalog).await?.into_iter().map(|row| (row.name, row.vendor));
            let categories = rules::categories(&catalog).await?.into_iter().map(|row| (row.key, row.title));
            return Ok(Bench {
                name: format!("rule set {}", active.version),
                rules: json!({ "rule_set": active.version, "digest": active.digest }),
                versions: active.fingerprint_versions,
                vendors: signals.collect(),
                titles: categories.collect(),
                set: active.set,
            });
        }
        let checked = lint::check(&shipped::files(), &[], &HashSet::new());
        let name = "the pack that canvass brings along".to_owned();
        Ok(Bench::of_packs(checked, name, json!({ "pack": shipped::PACK })))
    }

    fn of_packs(checked: lint::Checked, name: String, rules: Json) -> Bench {
        let lint::Checked { categories, set, .. } = checked;
        Bench {
            name,
            rules,
            versions: Vec::new(),
            vendors: set.signals().iter().map(|one| (one.name.clone(), one.vendor.clone())).collect(),
            titles: categories.into_iter().map(|one| (one.key, one.title)).collect(),
            set,
        }
    }

    fn write(&self, detection: &Detection, out: &mut dyn Write) -> Result<()> {
        let signal = &self.set.signals()[detection.signal];
        let title = self.titles.get(&signal.category).unwrap_or(&signal.category);
        let mut head = signal.name.clone();
        if let Some(version) = detection.extracted(ExtractKind::Version) {
            head += &format!(" {version}");
        }
        let sure = match detection.confidence {
            100 => String::new(),
            confidence => format!(", {confidence} % sure"),
        };
        writeln!(out, "{} ({}{sure})", cut(&head, 48), cut(title, 30))?;
        if let Some(by) = detection.implied_by {
            writeln!(out, "  implied by {}", self.set.signals()[by].name)?;
        }
        for sighting in &detection.sightings {
            let fingerprint = &self.set.fingerprints()[sighting.fingerprint];
            let part = fingerprint.part.word();
            writeln!(out, "  {} in {part} at {}", fingerprint.id, sighting.offset)?;
            writeln!(out, "    {}", cut(&sighting.snippet, 76))?;
            for (kind, value) in &sighting.extracted {
                writeln!(out, "    {} {}", kind.word(), cut(value, 68))?;
            }
        }
        Ok(())
    }

    fn json(&self, detection: &Detection) -> Json {
        let signal = &self.set.signals()[detection.signal];
        let evidence = |sighting: &Sighting| {
            let fingerprint = &self.set.fingerprints()[sighting.fingerprint];
            let extracted: HashMap<&str, &str> =
                sighting.extracted.iter().map(|(kind, value)| (kind.word(), value.as_str())).collect();
            json!({
                "fingerprint": fingerprint.id, "version": self.versions.get(sighting.fingerprint),
                "part": fingerprint.part.word(), "offset": sighting.offset, "snippet": sighting.snippet,
                "extracted": extracted,
            })
        };
        json!({
            "signal": signal.name, "vendor": self.vendors.get(&signal.name), "category": signal.category,
            "confidence": detection.confidence,
            "implied_by": detection.implied_by.map(|by| &self.set.signals()[by].name),
            "version": detection.extracted(ExtractKind::Version),
            "account": detection.extracted(ExtractKind::Account),
            "tracker": detection.extracted(ExtractKind::Tracker),
            "evidence": detection.sightings.iter().map(evidence).collect::<Vec<_>>(),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn of_several_responses_the_headers_of_the_last_one_count() {
        let text = "HTTP/1.1 301 Moved\r\nLocation: /a\r\nServer: one\r\n\r\nHTTP/2 200\r\nServer: two\r\n\
                    X-Long: first\r\n  second\r\nSet-Cookie: a=1: b\r\n\r\n";
        let headers = header_lines(text).unwrap();
        let headers: Vec<(&str, &str)> = headers.iter().map(|(name, value)| (&**name, &**value)).collect();
        assert_eq!(headers, [("server", "two"), ("x-long", "first second"), ("set-cookie", "a=1: b")]);
    }

    #[test]
    fn a_line_that_is_no_header_is_told_by_its_number() {
        let told = header_lines("Server: one\n<html>\n").unwrap_err().to_string();
        assert_eq!(told, "line 2 is not `name: value`: <html>");
        assert!(header_lines(&"a: b\n".repeat(1_001)).is_err());
    }
}
