//! canvass crawl: what do the pages of this list say?

use std::{io::Write, path::Path};

use anyhow::{Context, Result, bail};
use domain::{Moment, RoundId};
use serde_json::json;

use super::{env, table::Summary};
use crate::{
    clock::Clock,
    exit::Exit,
    explain::explain,
    jobs::{
        crawl::{self, CrawlPlan, CrawlReport, fetch_settings, source_options},
        open_catalog,
    },
    round::{FAILED_FILE, RoundFolder, list_rounds},
    settings::{Settings, SettingsArgs, wrapped},
};

/// What `canvass crawl` is asked for.
#[derive(Debug, Clone, Default, clap::Args)]
pub struct CrawlArgs {
    /// The list: a CSV or text file, plain, gzip or zstd; `-` for standard input
    ///
    /// Without one, the newest round that is not finished is continued.
    pub list: Option<String>,
    /// The round's id [default: an unfinished round of this list, else today's date and `-monthly`]
    #[arg(long, value_name = "ID")]
    pub round: Option<RoundId>,
    /// Take the failed targets of the newest finished round as the list
    #[arg(long, conflicts_with = "list")]
    pub retry_failed: bool,
    /// Check everything that the crawl needs, and run nothing
    #[arg(long)]
    pub dry_run: bool,
    /// Print the result as JSON
    #[arg(long)]
    pub json: bool,
    /// No progress on standard error
    #[arg(long)]
    pub quiet: bool,
}

/// The round to work on, and its list.
struct Choice {
    folder: RoundFolder,
    list: String,
    continued: bool,
}

/// Crawls a list.
pub async fn crawl(args: &CrawlArgs, settings_args: &SettingsArgs, out: &mut dyn Write) -> Result<Exit> {
    let settings = settings_args.load(&env)?.settings;
    let clock = Clock::start();
    let choice = choose(args, &settings, clock.now())?;
    if args.dry_run {
        return dry_run(&choice, &settings, args.json, out).await;
    }
    crawl::check_list(&choice.folder, &choice.list)?;
    let catalog = open_catalog(&settings.storage).await?;
    if choice.continued && !args.quiet {
        eprintln!("continuing round {} of `{}`", choice.folder.round, choice.list);
    }
    let again = settings_args.clone();
    let plan = CrawlPlan {
        folder: choice.folder,
        list: choice.list,
        settings,
        reload: Box::new(move || Ok(again.load(&env)?.settings)),
        quiet: args.quiet,
    };
    let report = crawl::run(plan, catalog, clock).await?;
    print_report(&report, args.json, out)?;
    Ok(report.outcome.exit)
}

/// Prints how a crawl went.
pub fn print_report(report: &CrawlReport, as_json: bool, out: &mut dyn Write) -> Result<()> {
    if as_json {
        let CrawlReport { round, folder, enlisted, tally, ledger, outcome } = report;
        return super::print_json(
            out,
            &json!({
                "round": round, "folder": folder, "enlisted": enlisted, "tally": tally, "ledger": ledger,
                "status": outcome.status.name(), "outcome": outcome.words, "exit_code": outcome.exit as u8,
            }),
        );
    }
    write!(out, "{}", Summary::of(report))?;
    Ok(())
}

fn choose(args: &CrawlArgs, settings: &Settings, now: Moment) -> Result<Choice> {
    let data_dir = &settings.storage.data_dir;
    let rounds = list_rounds(data_dir)?;
    if args.retry_failed {
        return choose_retry(args, settings, now);
    }
    if let Some(round) = &args.round {
        return choose_named(data_dir, round, args.list.as_ref());
    }
    for (folder, origin) in rounds {
        let meant = args.list.as_ref().is_none_or(|list| *list == origin.list && list != "-");
        if meant && !folder.is_finished()? {
            return Ok(Choice { folder, list: origin.list, continued: true });
        }
    }
    match &args.list {
        Some(list) => Ok(Choice { folder: new_round(settings, now)?, list: list.clone(), continued: false }),
        None => bail!("there is no unfinished round; give a list: `canvass crawl LIST`"),
    }
}

fn choose_retry(args: &CrawlArgs, settings: &Settings, now: Moment) -> Result<Choice> {
    let data_dir = &settings.storage.data_dir;
    let rounds = list_rounds(data_dir)?;
    let mut previous = None;
    for (folder, _) in &rounds {
        if args.round.as_ref() != Some(&folder.round) && folder.is_finished()? {
            previous = Some(folder);
            break;
        }
    }
    let Some(previous) = previous else {
        bail!("no finished round under {}, so there is nothing to retry", data_dir.join("rounds").display());
    };
    let list = previous.file(FAILED_FILE).display().to_string();
    if let Some(round) = &args.round {
        return choose_named(data_dir, round, Some(&list));
    }
    for (folder, origin) in &rounds {
        if origin.list == list && !folder.is_finished()? {
            return Ok(Choice { folder: folder.clone(), list, continued: true });
        }
    }
    Ok(Choice { folder: new_round(settings, now)?, list, continued: false })
}

/// The round that was named, begun or continued with the list that was given.
fn choose_named(data_dir: &Path, round: &RoundId, list: Option<&String>) -> Result<Choice> {
    let folder = RoundFolder::new(data_dir, round.clone());
    match (folder.origin()?, list) {
        (Some(origin), None) => Ok(Choice { folder, list: origin.list, continued: true }),
        (Some(origin), Some(list)) if origin.list == *list => {
            Ok(Choice { folder, list: origin.list, continued: true })
        }
        (Some(origin), Some(_)) => bail!(
            "round {round} was begun with `{}`; leave the list out to continue it, or choose another `--round`",
            origin.list
        ),
        (None, Some(list)) => Ok(Choice { folder, list: list.clone(), continued: false }),
        (None, None) => bail!("there is no round {round} to continue; give a list to begin it"),
    }
}

/// Today's date and `-monthly`, numbered if that is taken.
fn new_round(settings: &Settings, now: Moment) -> Result<RoundFolder> {
    let date = now.timestamp().strftime("%Y-%m-%d").to_string();
    for number in 1..10_000 {
        let suffix = if number == 1 { String::new() } else { format!("-{number}") };
        let id: RoundId = format!("{date}-monthly{suffix}").parse()?;
        let folder = RoundFolder::new(&settings.storage.data_dir, id);
        if !folder.exists() {
            return Ok(folder);
        }
    }
    bail!("there are ten thousand rounds of {date}; name this one with `--round`")
}

/// Checks every prerequisite and says what it found.
async fn dry_run(choice: &Choice, settings: &Settings, as_json: bool, out: &mut dyn Write) -> Result<Exit> {
    let mut checks: Vec<(&str, Result<String>)> = Vec::new();
    checks.push(("settings", Ok("read and valid".to_owned())));
    let fetcher = fetch_settings(settings).and_then(|settings| Ok(fetch::Fetcher::new(settings)?));
    checks.push(("fetcher", fetcher.map(|_| "ready".to_owned())));
    checks.push(("list", check_list(choice, settings)));
    checks.push(("data folder", check_writable(&settings.storage.data_dir)));
    checks.push(("catalog", check_catalog(settings).await));
    let good = checks.iter().all(|(_, check)| check.is_ok());
    if as_json {
        let rows: Vec<_> = checks
            .iter()
            .map(|(name, check)| {
                let word = check.as_ref().map_or_else(explain, Clone::clone);
                json!({ "check": name, "ok": check.is_ok(), "detail": word })
            })
            .collect();
        super::print_json(out, &json!({ "ready": good, "round": choice.folder.round, "checks": rows }))?;
    } else {
        for (name, check) in &checks {
            match check {
                Ok(words) => writeln!(out, "✓ {name}: {words}")?,
                Err(error) => {
                    let words = wrapped(&format!("✗ {name}: {}", explain(error)), 78);
                    writeln!(out, "{}", words.join("\n  "))?;
                }
            }
        }
        let verdict = if good { "would run" } else { "cannot run" };
        writeln!(out, "round {} {verdict}; nothing was done", choice.folder.round)?;
    }
    Ok(if good { Exit::Done } else { Exit::CouldNotRun })
}

async fn check_catalog(settings: &Settings) -> Result<String> {
    let catalog = open_catalog(&settings.storage).await?;
    match catalog::locks::find(&catalog, "crawl").await? {
        Some(by) if !catalog::Liveness::is_gone(&catalog::ThisMachine, &by.process) => bail!("{by}"),
        _ => Ok("reached, schema up to date, nobody crawls".to_owned()),
    }
}

fn check_list(choice: &Choice, settings: &Settings) -> Result<String> {
    let Choice { folder, list, .. } = choice;
    if folder.enlisted()?.is_some() {
        return Ok(format!("`{list}` is enlisted already"));
    }
    if list == "-" {
        return Ok("standard input".to_owned());
    }
    let mut source = frontier::source::open(Path::new(list), &source_options(&settings.source)?)?;
    let mut line = frontier::source::Line::default();
    let any = source.next(&mut line)?;
    Ok(format!("`{list}` can be read{}", if any { "" } else { ", and is empty" }))
}

fn check_writable(folder: &Path) -> Result<String> {
    // the nearest folder that is there decides
    let there = folder.ancestors().find(|path| path.is_dir()).unwrap_or(Path::new("."));
    tempfile_in(there).with_context(|| format!("cannot write in {}", there.display()))?;
    Ok(format!("{} can be written", folder.display()))
}

fn tempfile_in(folder: &Path) -> std::io::Result<()> {
    let probe = folder.join(format!(".canvass-probe-{}", std::process::id()));
    std::fs::write(&probe, b"")?;
    std::fs::remove_file(&probe)
}
