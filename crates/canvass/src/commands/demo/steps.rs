//! Which commands does the demo give, and what does each say?

use std::{
    io::Write,
    path::{Path, PathBuf},
    time::Instant,
};

use anyhow::{Context, Result, bail};
use clap::Parser;
use domain::Moment;
use sandbox::World;
use serde_json::Value as Json;

use super::DemoArgs;
use crate::{
    commands::{Cli, sandbox::SandboxFiles, table::grouped},
    exit::Exit,
};

/// A demo is full of sites that must fail.
const SETS: [&str; 4] = [
    "--set",
    "crawl.thresholds.high_failure_percent=100",
    "--set",
    "crawl.thresholds.abort_failure_percent=100",
];

/// The commands of one month.
pub(super) struct Steps<'a> {
    /// What every command is given.
    common: Vec<String>,
    list: &'a Path,
    accounts: Option<&'a Path>,
    told: bool,
    quiet: bool,
    out: &'a mut dyn Write,
}

impl<'a> Steps<'a> {
    pub(super) fn new(
        args: &DemoArgs,
        overrides: &[(String, String)],
        files: &'a SandboxFiles,
        at: Moment,
        out: &'a mut dyn Write,
    ) -> Steps<'a> {
        let mut common = vec!["--now".to_owned(), at.to_string(), "--config".to_owned()];
        common.push(files.settings.display().to_string());
        common.extend(SETS.map(str::to_owned));
        for (key, value) in overrides {
            common.extend(["--set".to_owned(), format!("{key}={value}")]);
        }
        Steps {
            common,
            list: &files.list,
            accounts: files.accounts.as_deref(),
            told: !args.quiet && !args.json,
            quiet: args.quiet || args.json,
            out,
        }
    }

    pub(super) fn say_month(&mut self, date: &str, world: &World) -> Result<()> {
        let (sites, lines) = (world.sites().len() as u64, world.truth_lines().count() as u64);
        self.say(format_args!(
            "\n{date}: {} sites on loopback, some badly behaved; a list of {} lines",
            grouped(sites),
            grouped(lines)
        ))
    }

    /// Makes the catalog, and loads what it needs before a first round.
    pub(super) fn prepare(&mut self) -> Result<()> {
        self.run(&["migrate"])?;
        let loaded = self.run(&["fingerprints", "load"])?;
        let rules = loaded["rule_set"]["fingerprints"].as_u64().or_else(|| loaded["fingerprints"].as_u64());
        let rules = rules.map_or_else(String::new, |rules| format!("{} fingerprints", grouped(rules)));
        self.tell("fingerprints", &rules)?;
        if let Some(accounts) = self.accounts {
            let loaded = self.run(&["accounts", "load", &accounts.display().to_string()])?;
            let lines = grouped(number(&loaded["lines"]));
            self.tell("accounts", &format!("{lines} lines of organisations and their sites"))?;
        }
        Ok(())
    }

    /// Crawls the list; answers with its ledger.
    pub(super) fn crawl(&mut self, round: &str) -> Result<Json> {
        let mut crawl = vec!["crawl", "--round", round];
        crawl.extend(self.quiet.then_some("--quiet"));
        let list = self.list.display().to_string();
        crawl.push(&list);
        let start = Instant::now();
        let mut report = self.run(&crawl)?;
        let sum = |of: &Json| of.as_object().map_or(0, |kinds| kinds.values().map(number).sum());
        let tally = &report["tally"];
        let (captured, failed, excluded) =
            (number(&tally["captured"]), sum(&tally["failed"]), sum(&tally["excluded"]));
        let words = format!(
            "{} pages, {} failed, {} ruled out, in {:.0} s",
            grouped(captured),
            grouped(failed),
            grouped(excluded),
            start.elapsed().as_secs_f64()
        );
        self.tell("crawl", &words)?;
        Ok(report["ledger"].take())
    }

    /// Goes from the segments to the report; answers with the folder of the export and the page.
    pub(super) fn process_to_report(&mut self, round: &str) -> Result<(PathBuf, PathBuf)> {
        let processed = self.run(&["process", "--quiet", "--round", round])?;
        let counts = &processed["rounds"][0]["counts"];
        let (matches, pages) = (grouped(number(&counts["matches"])), grouped(number(&counts["pages"])));
        self.tell("process", &format!("{matches} matches on {pages} targets"))?;
        let aggregated = self.run(&["aggregate", "--quiet"])?;
        let counts = &aggregated["months"][0];
        let (findings, sites) = (grouped(number(&counts["findings"])), grouped(number(&counts["sites"])));
        self.tell("aggregate", &format!("{findings} findings on {sites} sites"))?;
        let changed = self.run(&["changes", "--quiet"])?;
        self.tell("changes", &changes_in_words(&changed["counts"]))?;
        let exported = self.run(&["export", "--quiet", "--round", round])?;
        let files = exported["manifest"]["files"].as_array().map_or(0, Vec::len);
        self.tell("export", &format!("{files} files: CSV, JSON and Parquet"))?;
        let reported = self.run(&["report", "--round", round])?;
        let path = |value: &Json, what: &str| {
            value.as_str().map(PathBuf::from).with_context(|| format!("no {what}"))
        };
        let (export, report) = (path(&exported["folder"], "export")?, path(&reported["path"], "report")?);
        self.tell("report", &report.display().to_string())?;
        Ok((export, report))
    }

    /// Gives a command as a person would, and reads what it answers.
    fn run(&mut self, command: &[&str]) -> Result<Json> {
        let line = ["canvass"].iter().chain(command).chain(&["--json"]).map(|word| (*word).to_owned());
        let cli = Cli::try_parse_from(line.chain(self.common.iter().cloned()))
            .with_context(|| format!("`canvass {}` is not a command", command.join(" ")))?;
        let mut answer = Vec::new();
        let exit = crate::commands::run(cli, &mut answer)?;
        if exit != Exit::Done {
            let answer = String::from_utf8_lossy(&answer).into_owned();
            bail!("`canvass {}` did not end well: {}", command.join(" "), answer.trim());
        }
        serde_json::from_slice(&answer)
            .with_context(|| format!("`canvass {}` gave no JSON", command.join(" ")))
    }

    fn tell(&mut self, command: &str, words: &str) -> Result<()> {
        self.say(format_args!("  {command:<13}{words}"))
    }

    fn say(&mut self, words: std::fmt::Arguments<'_>) -> Result<()> {
        if self.told {
            writeln!(self.out, "{words}")?;
            self.out.flush()?;
        }
        Ok(())
    }
}

fn number(value: &Json) -> u64 {
    value.as_u64().unwrap_or(0)
}

fn changes_in_words(counts: &Json) -> String {
    let sure = |kind: &str| number(&counts[kind]["certain"]) + number(&counts[kind]["likely"]);
    let [added, dropped] = [sure("added"), sure("dropped")].map(grouped);
    let [kept, unknown] = [number(&counts["kept"]), number(&counts["unknown"])].map(grouped);
    format!("{added} added, {dropped} dropped, {kept} kept, {unknown} that nobody can know")
}
