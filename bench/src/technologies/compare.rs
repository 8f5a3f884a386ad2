//! Where do canvass and a peer differ with the same fingerprints on the same pages, and why?
//!
//! Only the parts that both look at are compared. Each technology that one sees and the other does not is put down to a
//! reason that is checked: the pattern is tried by itself on the whole part, without index, windows or limits.

use std::{
    collections::{BTreeMap, BTreeSet, HashMap},
    path::{Path, PathBuf},
};

use anyhow::{Context, Result};
use readers::technologies::{Detection, Page, Part, RuleSet, Scratch};

use super::{
    oracle::{Document, Oracle},
    pages::{Capture, Captures},
    peers::PEERS,
    rules::{Definition, peer_sees, wappalyzer_folder},
};
use crate::{clients::Programs, table::markdown};

/// What the comparison is asked for.
#[derive(Debug, Clone, clap::Args)]
pub struct CompareArgs {
    /// Real pages: a folder or a `.tar.zst` [default: pages made of our own examples]
    #[arg(long, value_name = "PATH")]
    pub pages: Option<PathBuf>,
    /// Fingerprints in the open Wappalyzer format: a folder or a `.tar.zst`
    #[arg(long, value_name = "PATH")]
    pub wappalyzer: PathBuf,
    /// How many of the differences that should not be are listed
    #[arg(long, default_value_t = 50)]
    pub list: usize,
    /// The core to run on
    #[arg(long, default_value_t = 0)]
    pub core: usize,
}

/// Which of the two sees it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Only {
    Canvass,
    Peer,
}

const UNEXPLAINED: &str = "unexplained";
const BOUNDED: &str = "the pattern matches by itself: canvass bounds its windows";

/// Compares canvass with the fastest peer and prints every reason with its count.
///
/// # Errors
/// If pages or fingerprints cannot be read, or the peer fails.
pub fn run(args: &CompareArgs, own: &Path) -> Result<()> {
    let work = tempfile::tempdir()?;
    let (_, examples) = Definition::own()?;
    let captures = Captures::open(args.pages.as_deref(), &examples, work.path())?;
    let folder = wappalyzer_folder(&args.wappalyzer, work.path())?;
    let all = Definition::imported(&folder)?;
    let peer = PEERS.first().context("there is a peer")?;
    let theirs = peer.see(&Programs::beside(own, args.core), &folder, &captures)?.seen;
    let rules = all.only(peer_sees).load()?.rules;
    let mut judge = Judge::new(&rules, &all);
    let (mut reasons, mut unexplained, mut both) = (BTreeMap::<(Only, &str), usize>::new(), Vec::new(), 0);
    let mut scratch = Scratch::default();
    for capture in &captures.pages {
        let page = Page { url: &capture.url, headers: &[], body: &capture.body, robots: None };
        let found = rules.detect(&page, &mut scratch);
        let their = &theirs[&capture.file];
        let seen = Seen::new(&rules, &found, their);
        both += seen.ours.keys().filter(|name| their.contains(**name)).count();
        for (only, name, why) in judge.differences(capture, &page, &seen, &mut scratch) {
            *reasons.entry((only, why)).or_default() += 1;
            if [UNEXPLAINED, BOUNDED].contains(&why) {
                unexplained.push(format!("{}, only {only:?}: {name}: {why}", capture.file));
            }
        }
    }
    println!(
        "{both} technologies on {} pages are seen by both canvass and {}.\n",
        captures.pages.len(),
        peer.name
    );
    let rows: Vec<Vec<String>> = reasons
        .iter()
        .map(|((only, why), count)| {
            let only = if *only == Only::Canvass { "canvass" } else { peer.name };
            vec![format!("only {only}: {why}"), count.to_string()]
        })
        .collect();
    print!("{}", markdown(&["difference", "count"], &rows));
    for line in unexplained.iter().take(args.list) {
        println!("- {line}");
    }
    Ok(())
}

/// What both see on a page.
struct Seen<'a> {
    ours: BTreeMap<&'a str, &'a Detection>,
    theirs: &'a BTreeSet<String>,
}

impl<'a> Seen<'a> {
    fn new(rules: &'a RuleSet, found: &'a [Detection], theirs: &'a BTreeSet<String>) -> Seen<'a> {
        let named = |one: &'a Detection| (rules.signals()[one.signal].name.as_str(), one);
        Seen { ours: found.iter().map(named).collect(), theirs }
    }
}

/// Finds reasons.
struct Judge<'a> {
    rules: &'a RuleSet,
    by_name: HashMap<&'a str, usize>,
    /// Every pattern of a technology, those for other parts too.
    patterns: HashMap<&'a str, Vec<&'a readers::technologies::Fingerprint>>,
    oracle: Oracle,
}

impl<'a> Judge<'a> {
    fn new(rules: &'a RuleSet, all: &'a Definition) -> Judge<'a> {
        let mut patterns = HashMap::<&str, Vec<_>>::new();
        for fingerprint in &all.fingerprints {
            patterns.entry(&fingerprint.signal).or_default().push(fingerprint);
        }
        let by_name =
            rules.signals().iter().enumerate().map(|(place, one)| (one.name.as_str(), place)).collect();
        Judge { rules, by_name, patterns, oracle: Oracle::default() }
    }

    /// The differences on one page.
    fn differences<'n>(
        &mut self,
        capture: &Capture,
        page: &Page<'_>,
        seen: &Seen<'n>,
        scratch: &mut Scratch,
    ) -> Vec<(Only, &'n str, &'static str)> {
        let document = Document::new(capture);
        let mut found = Vec::new();
        for (name, detection) in &seen.ours {
            if !seen.theirs.contains(*name) {
                found.push((Only::Canvass, *name, self.why_only_ours(&document, detection, seen)));
            }
        }
        let sighted: BTreeSet<&str> = self
            .rules
            .sightings(page, scratch)
            .iter()
            .map(|one| self.rules.fingerprints()[one.fingerprint].signal.as_str())
            .collect();
        for name in seen.theirs {
            if !seen.ours.contains_key(name.as_str()) {
                let was_sighted = sighted.contains(name.as_str());
                found.push((Only::Peer, name, self.why_only_theirs(&document, name, was_sighted, seen)));
            }
        }
        found
    }

    fn why_only_ours(
        &mut self,
        document: &Document<'_>,
        detection: &Detection,
        seen: &Seen<'_>,
    ) -> &'static str {
        if let Some(by) = detection.implied_by {
            return if seen.theirs.contains(&self.rules.signals()[by].name) {
                "implied by what both see; the peer follows one step, and none that has a confidence"
            } else {
                "implied by what only canvass sees"
            };
        }
        let mut why = UNEXPLAINED;
        for sighting in &detection.sightings {
            let fingerprint = &self.rules.fingerprints()[sighting.fingerprint];
            if fingerprint.part == Part::Script && !self.oracle.is_in(document, fingerprint) {
                why = "an address that a script in the page loads";
                continue;
            }
            if !self.oracle.is_in(document, fingerprint) {
                return UNEXPLAINED;
            }
            if Oracle::looks_around(fingerprint) {
                return "look-around, which the peer strips or drops";
            }
            why = "the pattern matches by itself; the peer's index or its cleaning misses it";
        }
        why
    }

    fn why_only_theirs(
        &mut self,
        document: &Document<'_>,
        name: &str,
        was_sighted: bool,
        seen: &Seen<'_>,
    ) -> &'static str {
        let Some(signal) = self.by_name.get(name).map(|place| &self.rules.signals()[*place]) else {
            return "a name that the set does not have";
        };
        if was_sighted {
            return if signal.requires.is_empty() && signal.requires_category.is_empty() {
                "seen here with a confidence below 50, or excluded by another; the peer knows neither"
            } else {
                "requires another technology, which the peer does not ask for"
            };
        }
        let patterns = self.patterns.get(name).cloned().unwrap_or_default();
        let (same, other): (Vec<_>, Vec<_>) = patterns.into_iter().partition(|one| peer_sees(&one.part));
        if same.iter().any(|one| self.oracle.is_in(document, one)) {
            return BOUNDED;
        }
        let implies = |by: &&String| {
            let by = self.by_name.get(by.as_str()).map(|place| &self.rules.signals()[*place]);
            by.is_some_and(|by| by.implies.iter().any(|one| one.signal == name))
        };
        if seen.theirs.iter().any(|by| implies(&by)) {
            return "implied by what canvass does not see, or not surely enough";
        }
        if same.iter().any(|one| Oracle::looks_around(one)) {
            return "look-around, which the peer strips";
        }
        if same.iter().any(|one| self.oracle.is_in_joined_addresses(document, one)) {
            return "matches across script addresses, which the peer joins into one text";
        }
        if other.iter().any(|one| self.oracle.is_in_joined_addresses(document, one)) {
            return "a pattern for the content of scripts, which the peer tries on their addresses";
        }
        if same.iter().chain(&other).any(|one| self.oracle.is_anywhere(document, one)) {
            return "a pattern for addresses or scripts, which the peer finds anywhere in the page";
        }
        if same.iter().any(|one| document.has_name(&one.part)) {
            return "a meta of that name is there; the peer does not ask what it says";
        }
        if same.iter().chain(&other).any(|one| Oracle::has_word(document, one)) {
            return "a word of the pattern is in the page, which is enough for the peer";
        }
        UNEXPLAINED
    }
}
