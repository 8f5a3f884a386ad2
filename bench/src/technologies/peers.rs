//! Who else reads technologies off pages, and how is it asked to?
//!
//! A peer is a program of its own under `bench/peers`. It is told where the fingerprints and the pages are, how often to
//! read them and which of the pages, and writes a line of JSON when it is ready, one for each time round, and, where that
//! is asked for, one for each page.

use std::{
    collections::{BTreeMap, BTreeSet},
    io::{BufRead, BufReader},
    path::Path,
};

use anyhow::{Context, Result, ensure};
use serde::Deserialize;

use super::pages::Captures;
use crate::{
    clients::{Programs, built},
    measure::{Line, run},
};

/// A program that reads technologies.
#[derive(Debug)]
pub struct Peer {
    /// Its name in the table.
    pub name: &'static str,
    /// What it is read with: the same fingerprints, or its own.
    pub data: &'static str,
    /// It reads one page of this many: the slow ones would take all day.
    pub stride: usize,
    line: fn(&Programs) -> Option<Line>,
}

/// Every peer, the fastest first.
pub const PEERS: &[Peer] = &[
    Peer { name: "rswappalyzer", data: "the same", stride: 1, line: rswappalyzer },
    Peer { name: "wapalyzer-core", data: "the same", stride: 8, line: wapalyzer },
    Peer { name: "python-Wappalyzer", data: "the same", stride: 16, line: python },
    Peer { name: "wappalyzergo", data: "its own", stride: 16, line: go },
];

/// What a peer did.
#[derive(Debug, Default)]
pub struct Run {
    /// How long it took until it could read a page, in milliseconds.
    pub load_ms: f64,
    /// Each time round.
    pub rounds: Vec<Round>,
    /// What it saw on each page, where that was asked for.
    pub seen: BTreeMap<String, BTreeSet<String>>,
}

/// One time round all pages.
#[derive(Debug, Clone, Copy, Deserialize)]
pub struct Round {
    /// How many pages it read.
    pub pages: u64,
    /// Their bytes.
    pub bytes: u64,
    /// In how much CPU time of its own.
    pub seconds: f64,
    /// The slowest page, in milliseconds.
    pub worst_ms: f64,
}

/// A line of what a peer says.
#[derive(Deserialize)]
#[serde(untagged)]
enum Word {
    Ready { load_ms: f64 },
    Round(Round),
    Page { page: String, technologies: BTreeSet<String> },
}

impl Peer {
    /// Whether its program is there.
    #[must_use]
    pub fn is_available(&self, programs: &Programs) -> bool {
        (self.line)(programs).is_some()
    }

    /// Lets it read the pages `rounds` times, after a first time that does not count.
    ///
    /// # Errors
    /// If it fails, or did not read every page that it should.
    pub fn read(&self, programs: &Programs, rules: &Path, captures: &Captures, rounds: usize) -> Result<Run> {
        let run =
            self.ask(programs, rules, captures, &["time", &rounds.to_string(), &self.stride.to_string()])?;
        let expected = captures.pages.iter().step_by(self.stride);
        let (pages, bytes) =
            expected.fold((0, 0), |(pages, bytes), page| (pages + 1, bytes + page.body.len() as u64));
        ensure!(run.rounds.len() == rounds, "it went {} times round, not {rounds}", run.rounds.len());
        for round in &run.rounds {
            ensure!(
                round.pages == pages && round.bytes == bytes,
                "it read {round:?} instead of {pages} pages of {bytes} bytes"
            );
        }
        Ok(run)
    }

    /// What it sees on every page.
    ///
    /// # Errors
    /// If it fails, or leaves a page out.
    pub fn see(&self, programs: &Programs, rules: &Path, captures: &Captures) -> Result<Run> {
        let run = self.ask(programs, rules, captures, &["see", "1", "1"])?;
        ensure!(
            run.seen.len() == captures.pages.len(),
            "it told of {} pages of {}",
            run.seen.len(),
            captures.pages.len()
        );
        Ok(run)
    }

    fn ask(&self, programs: &Programs, rules: &Path, captures: &Captures, how: &[&str]) -> Result<Run> {
        let mut line = (self.line)(programs).context("not available")?;
        line.arguments.extend([rules.into(), captures.folder.clone().into()]);
        line.arguments.extend(how.iter().map(Into::into));
        let cost = run(&line, programs.core).with_context(|| self.name)?;
        let mut said = Run::default();
        for line in BufReader::new(cost.output).lines() {
            let line = line?;
            match serde_json::from_str(&line).with_context(|| format!("{} said `{line}`", self.name))? {
                Word::Ready { load_ms } => said.load_ms = load_ms,
                Word::Round(round) => said.rounds.push(round),
                Word::Page { page, technologies } => {
                    said.seen.insert(page, technologies);
                }
            }
        }
        Ok(said)
    }
}

fn rswappalyzer(programs: &Programs) -> Option<Line> {
    Some(Line::new(built(programs.peers.join("release/rswappalyzer-pages"))?, [""; 0]))
}

fn wapalyzer(programs: &Programs) -> Option<Line> {
    let folder = programs.peers.join("wapalyzer");
    built(folder.join("node_modules/wapalyzer-core/package.json"))?;
    Some(Line::new("node", [built(folder.join("pages.js"))?]))
}

fn python(programs: &Programs) -> Option<Line> {
    let python = built(programs.peers.join("python-wappalyzer/bin/python"))?;
    Some(Line::new(python, [programs.bench.join("peers/python-wappalyzer/pages.py")]))
}

fn go(programs: &Programs) -> Option<Line> {
    Some(Line::new(built(programs.peers.join("wappalyzergo-pages"))?, [""; 0]))
}
