//! Does a pattern match a whole part of a page, tried by itself?
//!
//! Nothing of the engine is used but the places of the parts: no index, no windows, no limits on tries.

use std::collections::HashMap;

use readers::technologies::{Fingerprint, Part, Parts, Pattern};

use super::pages::Capture;

/// A page and its parts as texts.
pub struct Document<'a> {
    url: &'a str,
    body: String,
    scripts: Vec<String>,
    metas: Vec<(String, String)>,
}

impl<'a> Document<'a> {
    /// Takes a page apart.
    #[must_use]
    pub fn new(capture: &'a Capture) -> Document<'a> {
        let html = &capture.body;
        let mut parts = Parts::default();
        parts.scan(html);
        let text = |span: &std::ops::Range<usize>| {
            String::from_utf8_lossy(&html[span.clone()]).replace("&quot;", "\"").replace("&amp;", "&")
        };
        Document {
            url: &capture.url,
            body: String::from_utf8_lossy(html).into_owned(),
            scripts: parts.scripts.iter().map(text).collect(),
            metas: parts
                .metas
                .iter()
                .map(|(name, content)| (text(name).trim().to_ascii_lowercase(), text(content)))
                .collect(),
        }
    }

    /// Whether there is a meta element of the name that a part asks for.
    #[must_use]
    pub fn has_name(&self, part: &Part) -> bool {
        matches!(part, Part::Meta(wanted) if self.metas.iter().any(|(name, _)| name == wanted))
    }
}

/// Tries patterns, and keeps those that it has compiled.
#[derive(Default)]
pub struct Oracle {
    compiled: HashMap<String, Option<fancy_regex::Regex>>,
}

impl Oracle {
    /// Whether a fingerprint is in its part.
    pub fn is_in(&mut self, document: &Document<'_>, fingerprint: &Fingerprint) -> bool {
        let texts: Vec<&str> = match &fingerprint.part {
            Part::Body => vec![&document.body],
            Part::Script => document.scripts.iter().map(String::as_str).collect(),
            Part::Url => vec![document.url],
            Part::Meta(wanted) => {
                let named = document.metas.iter().filter(|(name, _)| name == wanted);
                named.map(|(_, content)| content.as_str()).collect()
            }
            _ => Vec::new(),
        };
        texts.iter().any(|text| self.matches(&fingerprint.pattern, text))
    }

    /// Whether a pattern is in all script addresses, put one behind the other.
    pub fn is_in_joined_addresses(&mut self, document: &Document<'_>, fingerprint: &Fingerprint) -> bool {
        let of_scripts = matches!(fingerprint.part, Part::Script | Part::Inline);
        let joined = || [" ", "\n", ""].map(|between| document.scripts.join(between));
        of_scripts && joined().iter().any(|text| self.matches(&fingerprint.pattern, text))
    }

    /// Whether a pattern for an address or a script is anywhere in the page.
    pub fn is_anywhere(&mut self, document: &Document<'_>, fingerprint: &Fingerprint) -> bool {
        matches!(fingerprint.part, Part::Script | Part::Inline | Part::Url)
            && self.matches(&fingerprint.pattern, &document.body)
    }

    /// Whether the longest word of a pattern is anywhere in the page.
    #[must_use]
    pub fn has_word(document: &Document<'_>, fingerprint: &Fingerprint) -> bool {
        let (Pattern::Text(source) | Pattern::Regex(source)) = &fingerprint.pattern else { return false };
        let words = source.split(|letter: char| !letter.is_ascii_alphanumeric());
        let longest = words.max_by_key(|word| word.len()).unwrap_or_default().to_ascii_lowercase();
        longest.len() > 2 && document.body.to_ascii_lowercase().contains(&longest)
    }

    /// Whether a fingerprint's expression looks around.
    #[must_use]
    pub fn looks_around(fingerprint: &Fingerprint) -> bool {
        let marks = ["(?=", "(?!", "(?<=", "(?<!"];
        matches!(&fingerprint.pattern, Pattern::Regex(regex) if marks.iter().any(|mark| regex.contains(mark)))
    }

    fn matches(&mut self, pattern: &Pattern, text: &str) -> bool {
        match pattern {
            Pattern::Exists => true,
            Pattern::Text(wanted) => text.to_ascii_lowercase().contains(&wanted.to_ascii_lowercase()),
            Pattern::Regex(source) => {
                let compile = || fancy_regex::RegexBuilder::new(source).case_insensitive(true).build().ok();
                let regex = self.compiled.entry(source.clone()).or_insert_with(compile);
                regex.as_ref().is_some_and(|regex| regex.is_match(text).unwrap_or(false))
            }
        }
    }
}
