//! Does a pattern match, and what does it read off?

use std::{ops::Range, sync::OnceLock};

use regex_automata::{
    Anchored, Input,
    meta::{BuildError, Regex},
    util::syntax,
};
use regex_syntax::{ParserBuilder, hir::Hir};

use super::{
    grams::SHORTEST,
    literals::{Needles, needles_of, without_look_around},
    rule::{Extract, Pattern},
};

/// How much a compiled expression may take.
const MAX_COMPILED_BYTES: usize = 1 << 20;
/// How many steps back an expression with look-around may take on one window.
const MAX_BACKTRACKS: usize = 20_000;
/// What is kept of an extracted value.
pub const MAX_EXTRACTED_BYTES: usize = 120;

/// Why a pattern cannot be used.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum PatternError {
    /// No expression.
    #[error("not a regular expression: {0}")]
    Bad(String),
    /// It would have to be tried everywhere.
    #[error(
        "it has no text of at least {SHORTEST} letters that must be there, so it would have to be tried on every page whole"
    )]
    NoNeedle,
}

/// The literals of which one must be there; `None` where anything will do.
///
/// # Errors
/// If it is no expression, or has no literal that is long enough.
pub fn needles(pattern: &Pattern) -> Result<Option<Needles>, PatternError> {
    needles_of_at_least(SHORTEST, pattern)
}

/// The same with a length of one's own.
pub(super) fn needles_of_at_least(bytes: usize, pattern: &Pattern) -> Result<Option<Needles>, PatternError> {
    match pattern {
        Pattern::Exists => Ok(None),
        Pattern::Text(text) if text.len() < bytes => Err(PatternError::NoNeedle),
        Pattern::Text(text) => Ok(Some(Needles::of_text(text.as_bytes()))),
        Pattern::Regex(regex) => {
            let found = match parse(regex) {
                Ok(hir) => needles_of(&hir, bytes),
                // look-around may reach anywhere
                Err(_) => needles_of(&parse(&without_look_around(regex))?, bytes).map(|found| Needles {
                    before: None,
                    behind: None,
                    ..found
                }),
            };
            found.map(Some).ok_or(PatternError::NoNeedle)
        }
    }
}

fn parse(regex: &str) -> Result<Hir, PatternError> {
    ParserBuilder::new()
        .utf8(false)
        .unicode(false)
        .build()
        .parse(regex)
        .map_err(|error| PatternError::Bad(one_line(&error.to_string())))
}

fn one_line(text: &str) -> String {
    text.lines().last().unwrap_or_default().trim().to_owned()
}

/// Checks that an expression compiles, with or without look-around.
pub fn check_regex(regex: &str) -> Result<(), PatternError> {
    Engine::new(regex).map(|_| ())
}

/// A compiled pattern.
#[derive(Debug)]
pub(super) enum Matcher {
    Anything,
    /// In lower case.
    Text(Box<[u8]>),
    Regex(LazyRegex),
}

impl Matcher {
    pub(super) fn new(pattern: &Pattern) -> Matcher {
        match pattern {
            Pattern::Exists => Matcher::Anything,
            Pattern::Text(text) => Matcher::Text(text.as_bytes().to_ascii_lowercase().into()),
            Pattern::Regex(regex) => Matcher::Regex(LazyRegex::new(regex)),
        }
    }

    /// Where it matches first within a window of a text. What stands around the window counts: a window's edge is
    /// neither a start nor the edge of a word.
    /// With `anchored`, only a match that begins with the window counts.
    pub(super) fn find(&self, text: &[u8], window: Range<usize>, anchored: bool) -> Option<Range<usize>> {
        match self {
            Matcher::Anything => Some(window),
            Matcher::Text(wanted) => {
                let mut places = text[window.clone()].windows(wanted.len());
                let at = window.start + places.position(|here| here.eq_ignore_ascii_case(wanted))?;
                Some(at..at + wanted.len())
            }
            Matcher::Regex(regex) => regex.find(text, window, anchored),
        }
    }
}

/// A regular expression that is compiled when it is first needed: most never are.
#[derive(Debug)]
pub(super) struct LazyRegex {
    source: Box<str>,
    engine: OnceLock<Option<Engine>>,
}

#[derive(Debug)]
enum Engine {
    Linear(Regex),
    /// With look-around, which the linear engine does not have.
    Backtracking(Box<fancy_regex::Regex>),
}

impl Engine {
    fn new(source: &str) -> Result<Engine, PatternError> {
        // bytes unless it speaks of letters beyond ASCII
        let error = match linear(source, false).or_else(|error| linear(source, true).map_err(|_| error)) {
            Ok(regex) => return Ok(Engine::Linear(regex)),
            Err(error) => error,
        };
        if error.syntax_error().is_none() {
            return Err(PatternError::Bad(one_line(&error.to_string())));
        }
        fancy_regex::RegexBuilder::new(source)
            .case_insensitive(true)
            .backtrack_limit(MAX_BACKTRACKS)
            .delegate_size_limit(MAX_COMPILED_BYTES)
            .build()
            .map(|regex| Engine::Backtracking(Box::new(regex)))
            .map_err(|error| PatternError::Bad(one_line(&error.to_string())))
    }
}

fn linear(source: &str, unicode: bool) -> Result<Regex, Box<BuildError>> {
    let syntax = syntax::Config::new().case_insensitive(true).utf8(false).unicode(unicode);
    let limits = Regex::config().utf8_empty(false).nfa_size_limit(Some(MAX_COMPILED_BYTES));
    Regex::builder().configure(limits).syntax(syntax).build(source).map_err(Box::new)
}

impl LazyRegex {
    pub(super) fn new(source: &str) -> LazyRegex {
        LazyRegex { source: source.into(), engine: OnceLock::new() }
    }

    fn engine(&self) -> Option<&Engine> {
        // it was checked when it was loaded; one that does not compile all the same never matches
        self.engine.get_or_init(|| Engine::new(&self.source).ok()).as_ref()
    }

    fn find(&self, text: &[u8], window: Range<usize>, anchored: bool) -> Option<Range<usize>> {
        match self.engine()? {
            Engine::Linear(regex) => {
                let anchored = if anchored { Anchored::Yes } else { Anchored::No };
                regex.find(Input::new(text).range(window).anchored(anchored)).map(|found| found.range())
            }
            Engine::Backtracking(regex) => {
                let start = window.start;
                let text = String::from_utf8_lossy(&text[window]);
                regex.find(&text).ok()?.map(|found| start + found.start()..start + found.end())
            }
        }
    }

    /// The groups of the first match.
    fn groups(&self, text: &[u8], window: Range<usize>) -> Option<Vec<Option<String>>> {
        match self.engine()? {
            Engine::Linear(regex) => {
                let mut groups = regex.create_captures();
                regex.search_captures(&Input::new(text).range(window), &mut groups);
                let lossy =
                    |span: regex_automata::Span| String::from_utf8_lossy(&text[span.range()]).into_owned();
                groups.is_match().then(|| groups.iter().map(|group| group.map(lossy)).collect())
            }
            Engine::Backtracking(regex) => {
                let text = String::from_utf8_lossy(&text[window]);
                let groups = regex.captures(&text).ok()??;
                Some(groups.iter().map(|group| group.map(|found| found.as_str().to_owned())).collect())
            }
        }
    }
}

/// Reads a value off a text that matched.
#[derive(Debug)]
pub(super) struct Extractor {
    pub(super) kind: super::rule::ExtractKind,
    regex: Option<LazyRegex>,
    template: Box<str>,
}

impl Extractor {
    pub(super) fn new(extract: &Extract) -> Extractor {
        Extractor {
            kind: extract.kind,
            regex: extract.regex.as_deref().map(LazyRegex::new),
            template: extract.template.as_str().into(),
        }
    }

    /// The value, if there is one; `own` is the fingerprint's pattern, which matched within `window`.
    pub(super) fn extract(
        &self,
        own: &Matcher,
        text: &[u8],
        window: Range<usize>,
        around: Range<usize>,
    ) -> Option<String> {
        let groups = match (&self.regex, own) {
            (Some(regex), _) => regex.groups(text, around)?,
            (None, Matcher::Regex(regex)) => regex.groups(text, window)?,
            _ => return None,
        };
        let value = expand(&self.template, &groups);
        let value = value.trim();
        let end =
            (0..=value.len().min(MAX_EXTRACTED_BYTES)).rev().find(|end| value.is_char_boundary(*end))?;
        (end > 0).then(|| value[..end].to_owned())
    }
}

/// Fills a template: `\1` is the first group, `\1?a:b` is `a` if it matched something and `b` if not.
fn expand(template: &str, groups: &[Option<String>]) -> String {
    let group =
        |digit: u8| groups.get(usize::from(digit - b'0')).and_then(Option::as_deref).unwrap_or_default();
    let mut filled = String::new();
    let mut rest = template;
    while let Some(at) = rest.find('\\') {
        filled.push_str(&rest[..at]);
        let Some(digit) = rest.as_bytes().get(at + 1).copied().filter(u8::is_ascii_digit) else {
            filled.push('\\');
            rest = &rest[at + 1..];
            continue;
        };
        rest = &rest[at + 2..];
        match rest.strip_prefix('?').and_then(|choice| choice.split_once(':')) {
            Some((yes, no)) => {
                let chosen = if group(digit).is_empty() { no } else { yes };
                filled.push_str(&expand(chosen, groups));
                return filled;
            }
            None => filled.push_str(group(digit)),
        }
    }
    filled.push_str(rest);
    filled
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn templates_choose_by_whether_a_group_matched() {
        let groups = |first: Option<&str>| vec![Some("all".to_owned()), first.map(str::to_owned)];
        assert_eq!(expand(r"\1", &groups(Some("3.1"))), "3.1");
        assert_eq!(expand(r"v\1-x", &groups(Some("3"))), "v3-x");
        assert_eq!(expand(r"\1?new:old", &groups(Some("3"))), "new");
        assert_eq!(expand(r"\1?new:old", &groups(None)), "old");
        assert_eq!(expand(r"\1?\1:", &groups(None)), "");
        assert_eq!(expand("Enterprise", &groups(None)), "Enterprise");
    }

    #[test]
    fn needles_stand_in_every_match() {
        for (regex, expected) in [
            (r"jquery[.-](\d+\.\d+)\.js", vec!["jquery-", "jquery."]),
            (r"(?:cdn|static)\.example\.com", vec!["cdn.example.com", "static.example.com"]),
            (r"^https?://[^/]+\.myshop\.io", vec![".myshop.io"]),
            (r"(?i)WordPress", vec!["wordpress"]),
            (r"(?<!-)\bUPS\b", vec!["ups"]),
            (r"foo(?=bar)\.js", vec!["foo.js"]),
        ] {
            let mut found = needles(&Pattern::Regex(regex.to_owned())).unwrap().unwrap().literals;
            found.sort();
            let found: Vec<_> = found.iter().map(|needle| String::from_utf8_lossy(needle)).collect();
            assert_eq!(found, expected, "{regex}");
        }
        let reach = |regex: &str| {
            let found = needles(&Pattern::Regex(regex.to_owned())).unwrap().unwrap();
            (found.before, found.behind)
        };
        assert_eq!(reach(r"x{0,3}jquery\d{1,2}"), (Some(3), Some(8)));
        assert_eq!(reach(r"<[^>]+jquery"), (None, Some(6)));
        assert_eq!(reach(r"(?:cdn|static)\.example\.com"), (Some(0), Some(18)));
        assert_eq!(needles(&Pattern::Regex(r"\d+".into())), Err(PatternError::NoNeedle));
        assert!(matches!(needles(&Pattern::Regex("(".into())), Err(PatternError::Bad(_))));
    }
}
