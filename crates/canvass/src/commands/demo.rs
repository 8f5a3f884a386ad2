//! canvass demo: what does all this look like when it runs?

use std::{
    collections::BTreeMap,
    fs,
    io::Write,
    path::{Path, PathBuf},
};

use anyhow::{Context, Result, bail};
use domain::Completion;
use sandbox::{Plan, TruthLine, World};
use serde_json::json;

use super::{
    crawl::print_report,
    print_json,
    sandbox::{SandboxFiles, lay_out},
    table::grouped,
};
use crate::{
    clock::Clock,
    exit::Exit,
    jobs::{
        connect_catalog,
        crawl::{self, CrawlPlan, CrawlReport},
    },
    round::{RoundFolder, for_each_completion},
    settings::Settings,
};

/// What `canvass demo` is asked for.
#[derive(Debug, clap::Args)]
pub struct DemoArgs {
    /// The folder to work in; an earlier demo in it is replaced
    #[arg(long, default_value = "canvass-demo")]
    pub dir: PathBuf,
    /// How many sites
    #[arg(long, value_name = "N", default_value_t = 300)]
    pub sites: usize,
    /// Where all chance comes from: the same seed makes the same web
    #[arg(long, value_name = "N", default_value_t = 1)]
    pub seed: u64,
    /// Print the result as JSON
    #[arg(long)]
    pub json: bool,
    /// No progress on standard error
    #[arg(long)]
    pub quiet: bool,
}

/// Marks a folder as ours to replace.
const MARK: &str = ".canvass-demo";

/// Serves the sandbox, crawls it, and compares what was found with what is true.
pub async fn demo(args: &DemoArgs, overrides: Vec<(String, String)>, out: &mut dyn Write) -> Result<Exit> {
    make_room(&args.dir)?;
    let plan = Plan { seed: args.seed, sites: args.sites, ..Plan::default() };
    let (server, files, world) = lay_out(&args.dir, &plan).await?;
    if !args.quiet && !args.json {
        writeln!(
            out,
            "Serving {} sites on loopback, some badly behaved; crawling {} lines.",
            grouped(world.sites().len() as u64),
            grouped(world.truth_lines().count() as u64)
        )?;
        out.flush()?;
    }
    let env = |name: &str| std::env::var(name).ok();
    let load = move |path: &Path| Settings::load(Some(path), &overrides, &env);
    let mut settings = load(&files.settings)?.settings;
    // a demo is full of sites that must fail
    settings.crawl.thresholds.high_failure_percent = 100.0;
    settings.crawl.thresholds.abort_failure_percent = 100.0;
    let catalog = connect_catalog(&settings.storage).await?;
    let clock = Clock::start();
    catalog.migrate(clock.now()).await?;
    let folder = RoundFolder::new(&settings.storage.data_dir, "demo".parse()?);
    let list = files.list.display().to_string();
    let again = files.settings.clone();
    let plan = CrawlPlan {
        folder: folder.clone(),
        list,
        settings,
        reload: Box::new(move || Ok(load(&again)?.settings)),
        quiet: args.quiet,
    };
    let report = crawl::run(plan, catalog, clock).await?;
    server.stop().await;
    if report.ledger.is_none() {
        print_report(&report, args.json, out)?;
        return Ok(report.outcome.exit);
    }
    let comparison = compare(&world, &folder)?;
    print_comparison(args, &report, &comparison, &files, out)?;
    let right = comparison.wrong.is_empty() && report.outcome.exit == Exit::Done;
    Ok(if right { Exit::Done } else { Exit::Findings })
}

fn make_room(dir: &Path) -> Result<()> {
    if dir.exists() {
        if !dir.join(MARK).exists() && fs::read_dir(dir)?.next().is_some() {
            bail!("{} is there and is not an earlier demo; choose another with `--dir`", dir.display());
        }
        fs::remove_dir_all(dir).with_context(|| format!("cannot replace {}", dir.display()))?;
    }
    fs::create_dir_all(dir).with_context(|| format!("cannot make {}", dir.display()))?;
    fs::write(dir.join(MARK), "made by `canvass demo`; it may be deleted\n")?;
    Ok(())
}

/// What was found beside what is true.
pub struct Comparison {
    /// By disposition and detail: lines that should end so, and lines that did.
    pub counts: BTreeMap<(String, String), (u64, u64)>,
    /// Lines that ended otherwise than they should, in words.
    pub wrong: Vec<String>,
}

/// Compares a finished round with the truth, line by line.
pub fn compare(world: &World, folder: &RoundFolder) -> Result<Comparison> {
    let mut found: BTreeMap<u64, (String, String)> = BTreeMap::new();
    for_each_completion(folder, |completion: &Completion, _| {
        let names =
            (completion.disposition.name().to_owned(), completion.disposition.detail_name().to_owned());
        found.insert(completion.target.line, names);
    })?;
    for (file, name, column) in [("rejected.csv", "rejected", Some(3)), ("duplicates.csv", "duplicate", None)]
    {
        let mut rows = csv::Reader::from_path(folder.file(file))?;
        for row in rows.records() {
            let row = row?;
            let detail = column.map_or(name, |column: usize| &row[column]).to_owned();
            found.insert(row[0].parse()?, (name.to_owned(), detail));
        }
    }
    let mut comparison = Comparison { counts: BTreeMap::new(), wrong: Vec::new() };
    for TruthLine { line, url, disposition, detail, behaviour, .. } in world.truth_lines() {
        let expected = (disposition, detail);
        comparison.counts.entry(expected.clone()).or_default().0 += 1;
        let actual = found.remove(&line).unwrap_or_else(|| ("missing".to_owned(), String::new()));
        comparison.counts.entry(actual.clone()).or_default().1 += 1;
        if actual != expected {
            let kind = behaviour.map_or("", sandbox::Behaviour::name);
            let ((should, because), (is, why)) = (expected, actual);
            comparison
                .wrong
                .push(format!("line {line} {url} ({kind}) should be {should}/{because} and is {is}/{why}"));
        }
    }
    for (line, (name, detail)) in found {
        comparison.wrong.push(format!("line {line} is {name}/{detail}, but the list has no such line"));
    }
    Ok(comparison)
}

fn print_comparison(
    args: &DemoArgs,
    report: &CrawlReport,
    comparison: &Comparison,
    files: &SandboxFiles,
    out: &mut dyn Write,
) -> Result<()> {
    let Comparison { counts, wrong } = comparison;
    if args.json {
        let rows: Vec<_> = counts
            .iter()
            .map(|((name, detail), (should, is))| {
                json!({ "disposition": name, "detail": detail, "truth": should, "found": is })
            })
            .collect();
        return print_json(
            out,
            &json!({
                "sites": args.sites, "round": report.round, "folder": report.folder, "ledger": report.ledger,
                "counts": rows, "wrong": wrong, "equal_to_truth": wrong.is_empty(),
            }),
        );
    }
    print_report(report, false, out)?;
    writeln!(out, "\n  {:<11} {:<20} {:>8} {:>8}", "ended", "as", "truth", "found")?;
    for ((name, detail), (should, is)) in counts {
        let mark = if should == is { "✓" } else { "✗" };
        writeln!(out, "{mark} {name:<11} {detail:<20} {:>8} {:>8}", grouped(*should), grouped(*is))?;
    }
    for line in wrong.iter().take(20) {
        writeln!(out, "✗ {line}")?;
    }
    let (sites, truth) = (grouped(args.sites as u64), files.truth.display());
    match wrong.len() {
        0 => writeln!(out, "\n✓ all {sites} sites: every line ended as {truth} says")?,
        number => writeln!(out, "\n✗ {number} lines ended otherwise than {truth} says")?,
    }
    let settings = files.settings.display();
    writeln!(out, "\nLook around:\n  canvass --config {settings} status   # or ledger, segments list")?;
    Ok(())
}
