//! How fast is `canvass process`, as a whole?

use std::{
    fs,
    path::{Path, PathBuf},
    time::Duration,
};

use anyhow::{Context, Result, ensure};
use tempfile::TempDir;

use super::{
    home::{Counts, Home, Schema},
    limits::Done,
    prepare::{Prepared, RECORDS_OF_A_SEGMENT, segments_folder},
    start::Starts,
};
use crate::{
    canvass::{self, read_json},
    machine,
    measure::{Cost, Line, run_anywhere},
    table::{Sample, grouped, markdown, mebibytes, median},
    technologies::rules::wappalyzer_folder,
};

/// What the benchmark is asked for.
#[derive(Debug, Clone, clap::Args)]
pub struct ProcessArgs {
    /// How many pages are processed
    #[arg(long, default_value_t = 40_000)]
    pub pages: u64,
    /// How many times as many, for the look at memory
    #[arg(long, default_value_t = 4)]
    pub times: u64,
    /// How large a page is when decoded
    #[arg(long, default_value_t = 50_000)]
    pub page_bytes: usize,
    /// How many sites the world has from which the pages come
    #[arg(long, default_value_t = 600)]
    pub sites: usize,
    /// How often each is run
    #[arg(long, default_value_t = 3)]
    pub repetitions: usize,
    /// How often it is started to see how long that takes
    #[arg(long, default_value_t = 20)]
    pub starts: usize,
    /// A PostgreSQL to write to, in schemas of its own [default: what BENCH_POSTGRES says]
    #[arg(long, value_name = "URL")]
    pub postgres: Option<String>,
    /// Fingerprints in the open Wappalyzer format to start with: a folder, or a .tar.zst that holds one
    #[arg(long, value_name = "PATH")]
    pub wappalyzer: Option<PathBuf>,
    /// The canvass to measure [default: the one beside this program]
    #[arg(long, value_name = "FILE")]
    pub canvass: Option<PathBuf>,
    /// Where segments and catalogs go [default: the system's folder for temporary files]
    #[arg(long, value_name = "DIR")]
    pub dir: Option<PathBuf>,
}

const READ: &str = "read, verify and decode only";
const DETECT: &str = "the same, and detect";
const SQLITE: &str = "canvass process, SQLite";
const POSTGRES: &str = "canvass process, PostgreSQL";

/// Measures everything and prints it.
///
/// # Errors
/// If something fails, or does not find what the others found.
pub fn run(args: &ProcessArgs, own: &Path) -> Result<()> {
    let program = canvass::find(args.canvass.as_deref(), own)?;
    let root = args.dir.clone().unwrap_or_else(std::env::temp_dir);
    let work = tempfile::Builder::new().prefix("canvass-bench-").tempdir_in(&root)?;
    println!(
        "{}- canvass: {}",
        machine::lines(&root, "bench/process"),
        machine::first_line(&program, "--version")
    );
    let mut bench = Bench::prepare(args, own, program, work)?;
    let Prepared { different, stored_bytes, decoded_bytes } = bench.prepared;
    let all = args.pages * args.times;
    println!(
        "\n### {} pages of {} bytes, {} stored, {} different ones, median of {}\n",
        grouped(args.pages),
        grouped(decoded_bytes / all),
        grouped(stored_bytes / all),
        grouped(different as u64),
        args.repetitions
    );
    print!("{}", bench.race()?);
    println!("\n{}", bench.verdict());
    println!("\n### memory, into SQLite\n");
    print!("{}", bench.memory()?);
    println!("\n### start, median of {}\n", args.starts);
    print!("{}", bench.starts()?);
    Ok(())
}

struct Bench<'a> {
    postgres: Option<String>,
    args: &'a ProcessArgs,
    own: &'a Path,
    program: PathBuf,
    work: TempDir,
    prepared: Prepared,
    segments: Vec<PathBuf>,
    rows: Vec<(&'static str, Vec<Sample>)>,
    found: Option<Counts>,
    homes: usize,
}

impl<'a> Bench<'a> {
    fn prepare(args: &'a ProcessArgs, own: &'a Path, program: PathBuf, work: TempDir) -> Result<Bench<'a>> {
        ensure!(args.pages > 0 && args.times > 0 && args.repetitions > 0, "there is nothing to measure");
        let dir = work.path();
        eprintln!("making {} pages", grouped(args.pages * args.times));
        let mut line = Line::new(own, ["prepare"]);
        line.arguments.extend([dir.into(), "--canvass".into(), program.clone().into()]);
        let numbers = [
            ("--sites", args.sites as u64),
            ("--pages", args.pages * args.times),
            ("--page-bytes", args.page_bytes as u64),
        ];
        for (name, number) in numbers {
            line.arguments.extend([name.into(), number.to_string().into()]);
        }
        let prepared = read_json(&mut run_anywhere(&line)?)?;
        let segments = blobs::segment::list(&segments_folder(dir))?;
        let segments = segments.into_iter().map(|segment| segment.path).collect();
        // the script starts a server for each run, and its address would only litter the command in the results
        let postgres = args.postgres.clone().or_else(|| std::env::var("BENCH_POSTGRES").ok());
        Ok(Bench {
            postgres,
            args,
            own,
            program,
            work,
            prepared,
            segments,
            rows: Vec::new(),
            found: None,
            homes: 0,
        })
    }

    /// The first segments, with as many pages as are processed at once.
    fn some(&self) -> &[PathBuf] {
        let count = self.args.pages.div_ceil(RECORDS_OF_A_SEGMENT) as usize;
        &self.segments[..count.min(self.segments.len())]
    }

    /// One run of each after the other, then again: what slows the machine for a while slows them all.
    fn race(&mut self) -> Result<String> {
        for repetition in 1..=self.args.repetitions {
            for (label, depth) in [(READ, "read"), (DETECT, "detect")] {
                eprintln!("{label} ({repetition} of {})", self.args.repetitions);
                let mut line = Line::new(self.own, ["limit", "--depth", depth]);
                line.arguments.extend(self.some().iter().map(Into::into));
                let mut cost = run_anywhere(&line)?;
                let done: Done = read_json(&mut cost)?;
                self.note(label, &cost, done.pages);
            }
            eprintln!("{SQLITE} ({repetition} of {})", self.args.repetitions);
            let some = self.some().to_vec();
            let (cost, counts) = self.process(&some, false)?;
            self.note(SQLITE, &cost, counts.pages);
            if self.postgres.is_some() {
                eprintln!("{POSTGRES} ({repetition} of {})", self.args.repetitions);
                let (cost, counts) = self.process(&some, true)?;
                self.note(POSTGRES, &cost, counts.pages);
            }
        }
        Ok(self.table())
    }

    /// Processes segments into a new catalog, and checks that the same was found as before.
    fn process(&mut self, segments: &[PathBuf], into_postgres: bool) -> Result<(Cost, Counts)> {
        self.homes += 1;
        let dir = self.work.path().join(format!("home-{}", self.homes));
        let schema = self.postgres.as_ref().filter(|_| into_postgres).map(|url| Schema {
            url: url.clone(),
            name: format!("bench_{}_{}", std::process::id(), self.homes),
        });
        let home = Home::open(&self.program, &dir, schema.as_ref())?;
        home.migrate()?;
        home.load_rules(None)?;
        home.put_round(self.work.path(), segments)?;
        // what preparing has left to write would be written during the measurement
        let _ = std::process::Command::new("sync").status();
        let (cost, counts) = home.process()?;
        fs::remove_dir_all(&dir)?;
        if segments.len() == self.some().len() {
            let found = *self.found.get_or_insert(counts);
            ensure!(counts == found && counts.matches > 0, "it found {counts:?}, and before {found:?}");
        }
        Ok((cost, counts))
    }

    fn note(&mut self, label: &'static str, cost: &Cost, pages: u64) {
        let sample = Sample { pages, wall: cost.wall, cpu: cost.cpu, peak_rss: Some(cost.peak_rss) };
        match self.rows.iter_mut().find(|(known, _)| *known == label) {
            Some((_, samples)) => samples.push(sample),
            None => self.rows.push((label, vec![sample])),
        }
    }

    fn rate(&self, label: &str) -> Option<f64> {
        let (_, samples) = self.rows.iter().find(|(known, _)| *known == label)?;
        median(samples.iter().map(Sample::rate))
    }

    fn table(&self) -> String {
        let page_bytes = self.prepared.decoded_bytes as f64 / (self.args.pages * self.args.times) as f64;
        let header = [
            "what",
            "pages/s",
            "min – max",
            "MB/s",
            "CPU s/1,000",
            "peak MiB",
            "× read only",
            "× detect only",
        ];
        let or_dash = |value: Option<String>| value.unwrap_or_else(|| "–".to_owned());
        let lines: Vec<Vec<String>> = self
            .rows
            .iter()
            .map(|(label, samples)| {
                let rate = self.rate(label);
                let rates = || samples.iter().map(Sample::rate);
                let (low, high) = (rates().fold(f64::MAX, f64::min), rates().fold(0.0, f64::max));
                let cpu = median(samples.iter().map(Sample::cpu_per_thousand));
                let peak = median(samples.iter().filter_map(|one| one.peak_rss).map(|bytes| bytes as f64));
                let over =
                    |limit| or_dash(rate.zip(self.rate(limit)).map(|(one, of)| format!("{:.2}", one / of)));
                vec![
                    (*label).to_owned(),
                    or_dash(rate.map(|rate| grouped(rate as u64))),
                    format!("{} – {}", grouped(low as u64), grouped(high as u64)),
                    or_dash(rate.map(|rate| format!("{:.0}", rate * page_bytes / 1e6))),
                    or_dash(cpu.map(|cpu| format!("{cpu:.3}"))),
                    or_dash(peak.map(|bytes| mebibytes(bytes as u64))),
                    over(READ),
                    over(DETECT),
                ]
            })
            .collect();
        markdown(&header, &lines)
    }

    fn verdict(&self) -> String {
        let Counts { pages, matches } = self.found.unwrap_or_default();
        format!(
            "{} matches were written, {:.1} for a page; each run found the same.",
            grouped(matches),
            matches as f64 / pages as f64
        )
    }

    fn memory(&mut self) -> Result<String> {
        let mut lines = Vec::new();
        let mut peaks = Vec::new();
        for segments in [self.some().to_vec(), self.segments.clone()] {
            let (cost, counts) = self.process(&segments, false)?;
            peaks.push(cost.peak_rss as f64);
            lines.push(vec![
                grouped(counts.pages),
                seconds(cost.wall),
                grouped((counts.pages as f64 / cost.wall.as_secs_f64()) as u64),
                mebibytes(cost.peak_rss),
            ]);
        }
        let ratio = peaks.last().zip(peaks.first()).map_or(0.0, |(last, first)| last / first);
        let table = markdown(&["pages", "seconds", "pages/s", "peak MiB"], &lines);
        Ok(format!("{table}\n{} × the pages took {ratio:.2} × the memory.\n", self.args.times))
    }

    fn starts(&self) -> Result<String> {
        let work = self.work.path().join("starts");
        fs::create_dir_all(&work)?;
        let folder =
            self.args.wappalyzer.as_deref().map(|path| wappalyzer_folder(path, &work)).transpose()?;
        Starts {
            program: &self.program,
            prepared: self.work.path(),
            work,
            wappalyzer: folder.as_deref(),
            times: self.args.starts,
        }
        .measure()
        .context("cannot start it again and again")
    }
}

fn seconds(time: Duration) -> String {
    format!("{:.1}", time.as_secs_f64())
}
