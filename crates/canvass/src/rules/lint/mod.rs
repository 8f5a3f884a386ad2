//! What is wrong with a pack?
//!
//! Everything is told at once, with the file and the key to look for. A pack with a finding is not loaded: a fingerprint
//! that does not see its own example sees nothing on the web either, and nobody would notice.

mod examples;
mod relations;
#[cfg(test)]
mod tests;

use std::{
    collections::{HashMap, HashSet},
    fmt,
};

use readers::technologies::{
    Category, Example, Fingerprint, Pack, PackError, Part, Pattern, RuleSet, Signal, check_regex,
};
use serde::Serialize;
use serde_json::Value as Json;

use super::PackFile;

/// A name that is longer than this is no name.
const MAX_NAME: usize = 100;
const HOLDS_NUL: &str = "it holds a NUL character, which no catalog stores";

/// One thing that is wrong.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Finding {
    /// The file.
    pub file: String,
    /// The fingerprint, signal or category in it; empty where the file as a whole is meant.
    pub key: String,
    /// What is wrong, and what would be right.
    pub problem: String,
}

impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Finding { file, key, problem } = self;
        let gap = if key.is_empty() { "" } else { ": " };
        write!(f, "{file}: {key}{gap}{problem}")
    }
}

/// The rules of all files together.
pub struct Checked {
    /// The categories, each once.
    pub categories: Vec<Category>,
    /// Signals and fingerprints, ready to read pages with.
    pub set: RuleSet,
    /// What each fingerprint must see, in the same order.
    pub examples: Vec<Example>,
    /// What is wrong, by file.
    pub findings: Vec<Finding>,
}

/// Reads and checks files. `negatives` are pages on which nothing may be seen; `known` are signals of other packs, of
/// which these files may speak.
#[must_use]
pub fn check(files: &[PackFile], negatives: &[(String, Vec<u8>)], known: &HashSet<String>) -> Checked {
    let mut lint = Lint { files, ..Lint::default() };
    for (place, file) in files.iter().enumerate() {
        match Pack::parse(&file.text) {
            Ok(pack) => lint.take(place, pack),
            Err(error) => lint.refuse_file(place, &error),
        }
    }
    lint.check_signals();
    lint.check_fingerprints();
    lint.check_relations(known);
    let Lint { categories, signals, fingerprints, examples, mut findings, origins, .. } = lint;
    let (set, refused) = RuleSet::new(signals, fingerprints);
    for (place, error) in &refused {
        let fingerprint = &set.fingerprints()[*place];
        // an expression that does not compile was told already
        if bad_regex(fingerprint).is_none() {
            let file = &files[origins.fingerprints[*place]];
            findings.push(Finding {
                file: file.name.clone(),
                key: fingerprint.id.clone(),
                problem: error.to_string(),
            });
        }
    }
    let refused: HashSet<usize> = refused.into_iter().map(|(place, _)| place).collect();
    let file_of = |place: usize| files[origins.fingerprints[place]].name.clone();
    examples::check(&set, &examples, &refused, &file_of, &mut findings);
    examples::check_negatives(&set, negatives, &file_of, &mut findings);
    findings.sort_by(|one, other| one.file.cmp(&other.file));
    Checked { categories, set, examples, findings }
}

#[derive(Default)]
struct Lint<'a> {
    files: &'a [PackFile],
    categories: Vec<Category>,
    signals: Vec<Signal>,
    fingerprints: Vec<Fingerprint>,
    examples: Vec<Example>,
    origins: Origins,
    unread: bool,
    findings: Vec<Finding>,
}

/// The file that each of them comes from, by place.
#[derive(Default)]
struct Origins {
    signals: Vec<usize>,
    fingerprints: Vec<usize>,
}

impl Lint<'_> {
    fn tell(&mut self, file: usize, key: &str, problem: impl Into<String>) {
        let file = self.files[file].name.clone();
        self.findings.push(Finding { file, key: key.to_owned(), problem: problem.into() });
    }

    fn refuse_file(&mut self, file: usize, error: &PackError) {
        self.unread = true;
        match error {
            // the lines behind the first draw a picture of the place, which the first has named
            PackError::Yaml(what) => {
                let what = what.lines().next().unwrap_or_default();
                self.tell(file, "", what.strip_prefix("error: ").unwrap_or(what));
            }
            PackError::Fingerprint { id, what } => self.tell(file, id, what),
        }
    }

    fn take(&mut self, file: usize, pack: Pack) {
        let Pack { category, signals, fingerprints, examples } = pack;
        self.origins.signals.extend(signals.iter().map(|_| file));
        self.origins.fingerprints.extend(fingerprints.iter().map(|_| file));
        self.signals.extend(signals);
        self.fingerprints.extend(fingerprints);
        self.examples.extend(examples);
        let key = category.key.clone();
        if !is_kebab(&key) {
            self.tell(file, &key, "a category's key is lower-case words joined by dashes, as in `live-chat`");
        }
        for (field, text) in [("title", &category.title), ("about", &category.about)] {
            if text.trim().is_empty() {
                self.tell(file, &key, format!("the category has no `{field}`"));
            }
        }
        match self.categories.iter().find(|known| known.key == key) {
            None => self.categories.push(category),
            Some(known) if *known == category => {}
            Some(_) => self.tell(file, &key, "another file describes this category in other words"),
        }
    }

    fn check_signals(&mut self) {
        let mut named = HashMap::<String, usize>::new();
        let mut findings = Vec::new();
        for (place, signal) in self.signals.iter().enumerate() {
            let file = self.origins.signals[place];
            let Signal { name, vendor, website, .. } = signal;
            let mut tell = |problem: String| findings.push((file, name.clone(), problem));
            if name.trim().is_empty() || name.len() > MAX_NAME || name.chars().any(char::is_control) {
                tell(format!("a signal's name has 1 to {MAX_NAME} printable letters"));
            }
            if vendor.trim().is_empty() {
                tell("the signal has no `vendor`".to_owned());
            }
            if !(website.starts_with("https://") || website.starts_with("http://")) {
                tell("the signal's `website` is no http or https address".to_owned());
            }
            if holds_nul(signal) {
                tell(HOLDS_NUL.to_owned());
            }
            if let Some(first) = named.insert(name.to_lowercase(), file) {
                tell(format!("the signal is in {} too", self.files[first].name));
            }
        }
        for (file, key, problem) in findings {
            self.tell(file, &key, problem);
        }
    }

    fn check_fingerprints(&mut self) {
        let mut named = HashMap::<&str, usize>::new();
        let mut findings = Vec::new();
        for (place, fingerprint) in self.fingerprints.iter().enumerate() {
            let file = self.origins.fingerprints[place];
            let mut tell = |problem: String| findings.push((file, fingerprint.id.clone(), problem));
            if !is_kebab(&fingerprint.id) || fingerprint.id.len() > MAX_NAME {
                tell("an id is lower-case words joined by dashes, as in `google-analytics-gtag`".to_owned());
            }
            if holds_nul(fingerprint) {
                tell(HOLDS_NUL.to_owned());
            }
            if let Some(first) = named.insert(&fingerprint.id, file) {
                tell(format!("the id is in {} too", self.files[first].name));
            }
            if let Some(problem) = bad_regex(fingerprint) {
                tell(problem);
            }
            if let (Part::Body, Pattern::Text(text)) = (&fingerprint.part, &fingerprint.pattern)
                && is_bare_domain(text)
            {
                tell(format!(
                    "`{text}` in the body is on every page that links there: look at a script or link"
                ));
            }
        }
        for (file, key, problem) in findings {
            self.tell(file, &key, problem);
        }
    }
}

/// What is wrong with the first expression of a fingerprint that does not compile.
fn bad_regex(fingerprint: &Fingerprint) -> Option<String> {
    let own = match &fingerprint.pattern {
        Pattern::Regex(regex) => Some(("regex".to_owned(), regex)),
        Pattern::Text(_) | Pattern::Exists => None,
    };
    let extracts = fingerprint.extracts.iter().filter_map(|extract| {
        let regex = extract.regex.as_ref()?;
        Some((format!("extract.{}", extract.kind.word()), regex))
    });
    let mut all = own.into_iter().chain(extracts);
    all.find_map(|(field, regex)| check_regex(regex).err().map(|error| format!("`{field}` is {error}")))
}

/// Whether a NUL character is anywhere in it.
fn holds_nul(anything: &impl Serialize) -> bool {
    fn within(value: &Json) -> bool {
        match value {
            Json::String(text) => text.contains('\0'),
            Json::Array(values) => values.iter().any(within),
            Json::Object(fields) => fields.values().any(within),
            _ => false,
        }
    }
    serde_json::to_value(anything).is_ok_and(|value| within(&value))
}

fn is_kebab(text: &str) -> bool {
    let word = |word: &str| {
        !word.is_empty() && word.bytes().all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit())
    };
    text.split('-').all(word)
}

fn is_bare_domain(text: &str) -> bool {
    let host = text.strip_suffix('/').unwrap_or(text);
    let letters = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'-');
    host.contains('.') && !host.starts_with('.') && !host.ends_with('.') && host.bytes().all(letters)
}
