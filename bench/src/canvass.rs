//! What does a crawl with canvass cost, as a whole and by stage?

use std::{
    fs,
    io::{BufRead, BufReader, Read},
    path::{Path, PathBuf},
    process::Stdio,
    time::Duration,
};

use anyhow::{Context, Result, ensure};
use jiff::Timestamp;
use serde::Deserialize;

use crate::{
    arena::Arena,
    measure::{Cost, Line, run},
};

/// A crawl whose books were checked.
#[derive(Debug)]
pub struct Crawl {
    /// What the whole process cost, from its start to its end.
    pub cost: Cost,
    /// What each stage cost.
    pub stages: Vec<StageCost>,
}

/// What one stage of a crawl cost.
#[derive(Debug)]
pub struct StageCost {
    /// Its name.
    pub name: String,
    /// How long it took.
    pub wall: Duration,
    /// User and system time, to within two looks at the process.
    pub cpu: Duration,
    /// The most memory that was seen to be resident; none where the stage was over before anybody looked.
    pub peak_rss: Option<u64>,
}

/// The program to measure: the one that was named, or the one beside the benchmark.
///
/// # Errors
/// If it is not there.
pub fn find(named: Option<&Path>, own: &Path) -> Result<PathBuf> {
    let path = named.map_or_else(|| own.with_file_name("canvass"), Path::to_owned);
    ensure!(
        path.is_file(),
        "no canvass at {}; build it with `cargo build --release -p canvass`, or name it with `--canvass`",
        path.display()
    );
    Ok(path)
}

/// Crawls the arena's list once and checks what was written.
///
/// # Errors
/// If a page is missing, a byte is missing, or the books do not balance.
pub fn crawl(program: &Path, arena: &Arena, core: usize) -> Result<Crawl> {
    let data = arena.path("data");
    let config = arena.path("canvass.yaml");
    fs::write(&config, settings(arena, &data))?;
    let line = |arguments: &[&str]| {
        let mut line = Line::new(program, ["--config"]);
        line.arguments.push(config.clone().into());
        line.arguments.extend(arguments.iter().map(Into::into));
        line
    };
    run(&line(&["migrate"]), core)?;
    let list = arena.list();
    let list = list.to_str().context("the path of the list is not UTF-8")?;
    let mut cost = run(&line(&["crawl", list, "--round", "bench", "--json", "--quiet"]), core)?;
    check_report(arena, &mut cost)?;
    let status: Status = read_json(&mut run(&line(&["status", "--json"]), core)?)?;
    check_segments(arena, &line(&["segments", "cat"]), core)?;
    fs::remove_dir_all(&data)?;
    let stages = status.stages.iter().map(|span| span.cost(&cost)).collect::<Result<_>>()?;
    Ok(Crawl { cost, stages })
}

fn settings(arena: &Arena, data: &Path) -> String {
    // as many connections as the others have, spread over the hosts
    let per_host = (arena.course.connections / arena.course.sites).max(1);
    // JSON is YAML, and no path needs quoting by hand.
    serde_json::json!({
        "crawl": { "concurrency": arena.course.connections },
        "politeness": { "enabled": false, "per_host_concurrency": per_host },
        "network": { "allow_private": ["127.0.0.0/8"], "hosts_file": arena.hosts() },
        "storage": { "data_dir": data },
    })
    .to_string()
}

#[derive(Deserialize)]
struct Report {
    tally: Tally,
    ledger: Option<Ledger>,
}

#[derive(Deserialize)]
struct Tally {
    captured: u64,
    wire_bytes: u64,
}

#[derive(Deserialize)]
struct Ledger {
    balanced: bool,
}

fn check_report(arena: &Arena, cost: &mut Cost) -> Result<()> {
    let Report { tally: Tally { captured, wire_bytes }, ledger } = read_json(cost)?;
    ensure!(captured == arena.targets, "it captured {captured} of {} pages", arena.targets);
    let expected = arena.targets * arena.wire_bytes;
    ensure!(wire_bytes == expected, "it stored {wire_bytes} bytes of bodies instead of {expected}");
    ensure!(ledger.is_some_and(|ledger| ledger.balanced), "its books do not balance");
    Ok(())
}

#[derive(Deserialize)]
struct Record {
    capture: Capture,
}

#[derive(Deserialize)]
struct Capture {
    status: u16,
    decoded_bytes: u64,
}

/// Reads every record back from the segments, which is not part of the measured time.
fn check_segments(arena: &Arena, cat: &Line, core: usize) -> Result<()> {
    // Ten million heads are gigabytes, so they are read as they come.
    let mut reading = cat.on_core(core).stdin(Stdio::null()).stdout(Stdio::piped()).spawn()?;
    let output = reading.stdout.take().context("no output")?;
    let (mut pages, mut decoded) = (0, 0);
    for line in BufReader::new(output).lines() {
        let Record { capture } = serde_json::from_str(&line?)?;
        ensure!(capture.status == 200, "a page came with status {}", capture.status);
        pages += 1;
        decoded += capture.decoded_bytes;
    }
    ensure!(reading.wait()?.success(), "the segments cannot be read back");
    ensure!(
        (pages, decoded) == (arena.targets, arena.decoded_bytes()),
        "the segments hold {pages} pages of {decoded} bytes"
    );
    Ok(())
}

/// What a process said, as JSON.
///
/// # Errors
/// If it is something else.
pub fn read_json<T: serde::de::DeserializeOwned>(cost: &mut Cost) -> Result<T> {
    let mut words = String::new();
    cost.output.read_to_string(&mut words)?;
    serde_json::from_str(&words).with_context(|| format!("it said `{words}`"))
}

#[derive(Deserialize)]
struct Status {
    stages: Vec<Span>,
}

#[derive(Deserialize)]
struct Span {
    stage: String,
    started_at: String,
    ended_at: String,
}

impl Span {
    fn cost(&self, whole: &Cost) -> Result<StageCost> {
        let (start, end): (Timestamp, Timestamp) = (self.started_at.parse()?, self.ended_at.parse()?);
        let cpu_until =
            |at| whole.looks.iter().rev().find(|look| look.at <= at).map_or(Duration::ZERO, |look| look.cpu);
        let within = whole.looks.iter().filter(|look| (start..=end).contains(&look.at));
        Ok(StageCost {
            name: self.stage.clone(),
            wall: end.duration_since(start).unsigned_abs(),
            cpu: cpu_until(end).saturating_sub(cpu_until(start)),
            peak_rss: within.map(|look| look.rss).max(),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::measure::Look;

    #[test]
    fn a_stage_costs_what_was_used_between_its_start_and_its_end() {
        let at = |ms| Timestamp::from_millisecond(ms).unwrap();
        let look = |ms, rss, cpu| Look { at: at(ms), rss, cpu: Duration::from_millis(cpu) };
        let cost = Cost {
            wall: Duration::from_secs(1),
            cpu: Duration::from_secs(1),
            peak_rss: 0,
            output: tempfile::tempfile().unwrap(),
            looks: vec![look(100, 9, 50), look(200, 5, 90), look(300, 7, 150), look(400, 8, 170)],
        };
        let span =
            Span { stage: "crawl".into(), started_at: at(150).to_string(), ended_at: at(350).to_string() };
        let StageCost { name, wall, cpu, peak_rss } = span.cost(&cost).unwrap();
        assert_eq!(
            (name.as_str(), wall.as_millis(), cpu.as_millis(), peak_rss),
            ("crawl", 200, 100, Some(7))
        );
    }
}
