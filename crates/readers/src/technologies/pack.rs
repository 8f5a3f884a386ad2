//! How are signals and fingerprints written down?
//!
//! A pack is a YAML file for each category, written by people. Each fingerprint carries an example that it must see; an
//! example is read in the same way as a page is.

use std::collections::BTreeMap;

use serde::Deserialize;

use super::rule::{Extract, ExtractKind, Fingerprint, Implied, Part, Pattern, Signal};

/// A category of signals.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Category {
    /// Its key (`live-chat`).
    pub key: String,
    /// Its name for people.
    pub title: String,
    /// What its products do.
    pub about: String,
    /// Whether an organisation normally runs one such product, so that a second vendor is news.
    pub exclusive: bool,
}

/// What a fingerprint must see.
#[derive(Debug, Clone, PartialEq, Eq, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Example {
    /// A piece of a document.
    #[serde(default)]
    pub html: String,
    /// Response headers.
    #[serde(default)]
    pub headers: BTreeMap<String, String>,
    /// Cookies that the response sets.
    #[serde(default)]
    pub cookies: BTreeMap<String, String>,
    /// The final address.
    #[serde(default)]
    pub url: String,
    /// The site's robots.txt.
    #[serde(default)]
    pub robots: String,
    /// What must be read off.
    #[serde(skip)]
    pub expected: Vec<(ExtractKind, String)>,
}

impl Example {
    /// The headers that a page like this comes with, cookies included.
    #[must_use]
    pub fn response_headers(&self) -> Vec<(String, String)> {
        let headers = self.headers.iter().map(|(name, value)| (name.to_ascii_lowercase(), value.clone()));
        let cookies = self
            .cookies
            .iter()
            .map(|(name, value)| ("set-cookie".to_owned(), format!("{name}={value}; Path=/")));
        headers.chain(cookies).collect()
    }
}

/// The content of one pack file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Pack {
    /// The category.
    pub category: Category,
    /// Its signals.
    pub signals: Vec<Signal>,
    /// Their fingerprints.
    pub fingerprints: Vec<Fingerprint>,
    /// What each of them must see, in the same order.
    pub examples: Vec<Example>,
}

/// Why a pack cannot be read.
#[derive(Debug, thiserror::Error)]
pub enum PackError {
    /// Not YAML, or not of the shape of a pack.
    #[error("{0}")]
    Yaml(String),
    /// A fingerprint that contradicts itself.
    #[error("fingerprint `{id}`: {what}")]
    Fingerprint {
        /// Its id.
        id: String,
        /// What is wrong with it.
        what: String,
    },
}

impl Pack {
    /// Reads a pack.
    ///
    /// # Errors
    /// With the line or the fingerprint that is wrong.
    pub fn parse(yaml: &str) -> Result<Pack, PackError> {
        let file: PackFile =
            serde_saphyr::from_str(yaml).map_err(|error| PackError::Yaml(error.to_string()))?;
        let PackFile { category, title, about, exclusive, signals } = file;
        let mut pack = Pack {
            category: Category { key: category, title, about, exclusive },
            signals: Vec::new(),
            fingerprints: Vec::new(),
            examples: Vec::new(),
        };
        for entry in signals {
            pack.add_signal(entry)?;
        }
        Ok(pack)
    }

    fn add_signal(&mut self, entry: SignalEntry) -> Result<(), PackError> {
        let SignalEntry { name, vendor, family, website, implies, requires, excludes, fingerprints } = entry;
        for fingerprint in fingerprints {
            let (fingerprint, example) = fingerprint.resolve(&name)?;
            self.fingerprints.push(fingerprint);
            self.examples.push(example);
        }
        self.signals.push(Signal {
            name,
            family: family.unwrap_or_else(|| vendor.clone()),
            vendor,
            category: self.category.key.clone(),
            website,
            implies: implies.into_iter().map(|signal| Implied { signal, confidence: 100 }).collect(),
            requires,
            requires_category: Vec::new(),
            excludes,
        });
        Ok(())
    }
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct PackFile {
    category: String,
    title: String,
    about: String,
    exclusive: bool,
    signals: Vec<SignalEntry>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct SignalEntry {
    name: String,
    vendor: String,
    #[serde(default)]
    family: Option<String>,
    website: String,
    #[serde(default)]
    implies: Vec<String>,
    #[serde(default)]
    requires: Vec<String>,
    #[serde(default)]
    excludes: Vec<String>,
    fingerprints: Vec<FingerprintEntry>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct FingerprintEntry {
    id: String,
    #[serde(rename = "in")]
    part: String,
    #[serde(default)]
    name: Option<String>,
    #[serde(default)]
    text: Option<String>,
    #[serde(default)]
    regex: Option<String>,
    #[serde(default)]
    selector: Option<String>,
    #[serde(default)]
    attribute: Option<String>,
    #[serde(default)]
    extract: BTreeMap<ExtractKind, String>,
    #[serde(default = "certain")]
    confidence: u8,
    example: ExampleEntry,
    #[serde(default)]
    expect: BTreeMap<ExtractKind, String>,
}

fn certain() -> u8 {
    100
}

/// HTML alone, or more than that.
#[derive(Deserialize)]
#[serde(untagged)]
enum ExampleEntry {
    Html(String),
    Whole(Example),
}

impl FingerprintEntry {
    fn resolve(self, signal: &str) -> Result<(Fingerprint, Example), PackError> {
        let wrong = |what: String| PackError::Fingerprint { id: self.id.clone(), what };
        let named = |part: fn(String) -> Part| {
            let name =
                self.name.clone().ok_or_else(|| wrong(format!("`in: {}` needs a `name`", self.part)))?;
            Ok::<Part, PackError>(part(name.to_ascii_lowercase()))
        };
        let part = match self.part.as_str() {
            "body" => Part::Body,
            "text" => Part::Text,
            "script" => Part::Script,
            "inline" => Part::Inline,
            "style" => Part::Style,
            "link" => Part::Link,
            "image" => Part::Image,
            "url" => Part::Url,
            "robots" => Part::Robots,
            "header" => named(Part::Header)?,
            "cookie" => named(Part::Cookie)?,
            "meta" => named(Part::Meta)?,
            "dom" => {
                let selector =
                    self.selector.clone().ok_or_else(|| wrong("`in: dom` needs a `selector`".to_owned()))?;
                Part::Dom { selector, attribute: self.attribute.clone() }
            }
            other => return Err(wrong(format!("there is no part `{other}`"))),
        };
        let may_only_exist =
            matches!(part, Part::Header(_) | Part::Cookie(_) | Part::Meta(_) | Part::Dom { .. });
        let pattern = match (&self.text, &self.regex) {
            (Some(_), Some(_)) => return Err(wrong("it has both `text` and `regex`".to_owned())),
            (Some(text), None) => Pattern::Text(text.clone()),
            (None, Some(regex)) => Pattern::Regex(regex.clone()),
            (None, None) if may_only_exist => Pattern::Exists,
            (None, None) => return Err(wrong("it has neither `text` nor `regex`".to_owned())),
        };
        if !(1..=100).contains(&self.confidence) {
            return Err(wrong("its confidence is not from 1 to 100".to_owned()));
        }
        let FingerprintEntry { id, extract, confidence, example, expect, .. } = self;
        let extracts = extract
            .into_iter()
            .map(|(kind, regex)| Extract { kind, regex: Some(regex), template: r"\1".to_owned() })
            .collect();
        let mut example = match example {
            ExampleEntry::Html(html) => Example { html, ..Example::default() },
            ExampleEntry::Whole(example) => example,
        };
        example.expected = expect.into_iter().collect();
        let fingerprint = Fingerprint { id, signal: signal.to_owned(), part, pattern, extracts, confidence };
        Ok((fingerprint, example))
    }
}
