//! canvass demo: what does all this look like when it runs?
//!
//! Two months in a small web of our own, by the commands that a person would give, and each result beside the truth.

mod compare;
mod show;
mod steps;

use std::{
    fs,
    io::Write,
    path::{Path, PathBuf},
};

use anyhow::{Context, Result, bail};
use domain::Moment;
use jiff::{ToSpan, tz::TimeZone};
use sandbox::Plan;
use serde_json::Value as Json;

use super::sandbox::{SandboxFiles, lay_out};
use crate::{clock::Clock, exit::Exit, round::RoundFolder, settings::Settings};
use compare::{DualVendor, Lines, Products, compare_dual_vendors, compare_lines, compare_products};
use steps::Steps;

/// What `canvass demo` is asked for.
///
/// Crawls two months of a web that the program serves to itself, in which organisations take up, give up and change
/// products and some pages fail in one of the months; finds out what they run, what changed and who has a second
/// vendor; exports and reports it, and compares everything with the truth.
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

/// A month that was lived through.
struct Lived {
    month: String,
    round: String,
    folder: PathBuf,
    ledger: Json,
    lines: Lines,
    products: Products,
    dual_vendors: Vec<DualVendor>,
    dual_vendors_wrong: Vec<String>,
    truth: PathBuf,
    dual_vendors_truth: PathBuf,
    export: PathBuf,
    report: PathBuf,
}

impl Lived {
    fn is_right(&self) -> bool {
        self.lines.wrong.is_empty() && self.products.wrong.is_empty() && self.dual_vendors_wrong.is_empty()
    }
}

/// Lives through two months and compares what was found with what is true.
pub fn demo(args: &DemoArgs, overrides: &[(String, String)], out: &mut dyn Write) -> Result<Exit> {
    make_room(&args.dir)?;
    let mut lived = Vec::new();
    for (number, at) in two_months(Clock::start().now()).into_iter().enumerate() {
        lived.push(live_through(args, overrides, u32::try_from(number)?, at, out)?);
    }
    if args.json {
        show::print_as_json(args, &lived, out)?;
    } else {
        show::print_comparison(&args.dir, &lived, out)?;
    }
    Ok(if lived.iter().all(Lived::is_right) { Exit::Done } else { Exit::Findings })
}

/// This time of last month, and of this one, but no moment so late that the month could end before the demo does.
fn two_months(now: Moment) -> [Moment; 2] {
    let month_of = |at: jiff::Timestamp| at.to_zoned(TimeZone::UTC).strftime("%Y-%m").to_string();
    let now = now.timestamp();
    let soon = now.saturating_add(1.hour()).unwrap_or(now);
    let now = if month_of(now) == month_of(soon) { now } else { now.saturating_sub(1.hour()).unwrap_or(now) };
    let today = now.to_zoned(TimeZone::UTC);
    let before = today.checked_sub(1.month()).map_or(now, |before| before.timestamp());
    [before.into(), now.into()]
}

fn live_through(
    args: &DemoArgs,
    overrides: &[(String, String)],
    number: u32,
    at: Moment,
    out: &mut dyn Write,
) -> Result<Lived> {
    let date = at.timestamp().strftime("%Y-%m-%d").to_string();
    let month = date[..7].to_owned();
    let round = format!("{date}-demo");
    let plan = Plan { seed: args.seed, ..Plan::technographics(args.sites, number) };
    let web = tokio::runtime::Runtime::new().context("cannot start the runtime")?;
    let (server, files, world) = web.block_on(lay_out(&args.dir, &plan))?;
    let mut steps = Steps::new(args, overrides, &files, at, out);
    steps.say_month(&date, &world)?;
    if number == 0 {
        steps.prepare()?;
    }
    let ledger = steps.crawl(&round)?;
    web.block_on(server.stop());
    let (export, report) = steps.process_to_report(&round)?;
    let folder = RoundFolder::new(&settings(&files, overrides)?.storage.data_dir, round.parse()?);
    let (dual_vendors, dual_vendors_wrong) = compare_dual_vendors(&world, &export, &month)?;
    Ok(Lived {
        lines: compare_lines(&world, &folder)?,
        products: compare_products(&world, &export, &month)?,
        dual_vendors,
        dual_vendors_wrong,
        truth: put_aside(&files.truth, &month)?,
        dual_vendors_truth: put_aside(&args.dir.join("dual_vendors.json"), &month)?,
        folder: folder.path().to_owned(),
        ledger,
        export,
        report,
        month,
        round,
    })
}

fn settings(files: &SandboxFiles, overrides: &[(String, String)]) -> Result<Settings> {
    let env = |name: &str| std::env::var(name).ok();
    Ok(Settings::load(Some(&files.settings), overrides, &env)?.settings)
}

/// Names a file after its month, before the next month writes its own.
fn put_aside(path: &Path, month: &str) -> Result<PathBuf> {
    let stem = path.file_stem().unwrap_or_default().to_string_lossy();
    let extension = path.extension().unwrap_or_default().to_string_lossy();
    let aside = path.with_file_name(format!("{stem}-{month}.{extension}"));
    fs::rename(path, &aside).with_context(|| format!("cannot rename {}", path.display()))?;
    Ok(aside)
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_two_months_follow_each_other_and_do_not_end_during_the_demo() {
        for (now, months) in [
            ("2026-11-16T08:00:00Z", ["2026-10-16T08:00:00Z", "2026-11-16T08:00:00Z"]),
            ("2026-01-05T00:00:00Z", ["2025-12-05T00:00:00Z", "2026-01-05T00:00:00Z"]),
            ("2026-03-31T12:00:00Z", ["2026-02-28T12:00:00Z", "2026-03-31T12:00:00Z"]),
            ("2026-10-31T23:59:00Z", ["2026-09-30T22:59:00Z", "2026-10-31T22:59:00Z"]),
        ] {
            let moment = |text: &str| Moment::from(text.parse::<jiff::Timestamp>().unwrap());
            assert_eq!(two_months(moment(now)), months.map(moment), "{now}");
        }
    }
}
