//! canvass archive: where do old match rows go?

use std::io::Write;

use anyhow::Result;
use indicatif::HumanBytes;
use serde_json::json;

use super::table::{counted, grouped};
use crate::{
    clock::Clock,
    exit::Exit,
    jobs::{
        archive::{self, ArchivePlan, ArchiveReport, Counts},
        open_catalog,
    },
    round::find_round,
    settings::Settings,
};

/// What `canvass archive` is asked for.
///
/// Moves single matches of fingerprints out of the catalog into Parquet files under `archive/matches` in the data folder;
/// what they add up to stays. A month leaves as a whole, when its last day is older than the limit. Each file is read
/// back and compared before a row is removed; run it again after a crash and it goes on.
#[derive(Debug, Clone, Default, clap::Args)]
pub struct ArchiveArgs {
    /// How old the last day of a month must be [default: `storage.retention.match_rows_days`]
    #[arg(long, value_name = "DAYS", value_parser = clap::value_parser!(u32).range(1..=36_500))]
    pub older_than_days: Option<u32>,
    /// Say which months would leave, and move nothing
    #[arg(long)]
    pub dry_run: bool,
    /// Print the result as JSON
    #[arg(long)]
    pub json: bool,
    /// No progress on standard error
    #[arg(long)]
    pub quiet: bool,
}

/// Archives old matches.
pub async fn archive(args: &ArchiveArgs, settings: Settings, out: &mut dyn Write) -> Result<Exit> {
    let clock = Clock::start();
    let catalog = open_catalog(&settings.storage).await?;
    let older_than_days = args.older_than_days.unwrap_or(settings.storage.retention.match_rows_days);
    if args.dry_run {
        let months = archive::old_months(&catalog, older_than_days, clock.now()).await?;
        print_months(&months, older_than_days, args.json, out)?;
        return Ok(Exit::Done);
    }
    let folder = find_round(&settings.storage.data_dir, None)?;
    let plan = ArchivePlan { folder, older_than_days, settings, quiet: args.quiet };
    let report = archive::run(plan, catalog, clock).await?;
    print_report(&report, older_than_days, args.json, out)?;
    Ok(report.outcome.exit)
}

fn print_months(months: &[(String, u64)], days: u32, as_json: bool, out: &mut dyn Write) -> Result<()> {
    if as_json {
        let months: Vec<_> =
            months.iter().map(|(month, rows)| json!({ "month": month, "rows": rows })).collect();
        return super::print_json(out, &json!({ "older_than_days": days, "months": months }));
    }
    if months.is_empty() {
        writeln!(out, "no month with matches ended more than {days} days ago")?;
        return Ok(());
    }
    for (month, rows) in months {
        writeln!(out, "{month}: {} would leave the catalog", counted_matches(*rows))?;
    }
    writeln!(out, "nothing was moved")?;
    Ok(())
}

/// Prints how archiving went.
pub fn print_report(report: &ArchiveReport, days: u32, as_json: bool, out: &mut dyn Write) -> Result<()> {
    let ArchiveReport { counts, folder, outcome } = report;
    if as_json {
        let value = json!({
            "older_than_days": days, "counts": counts, "folder": folder, "status": outcome.status.name(),
            "outcome": outcome.words, "exit_code": outcome.exit as u8,
        });
        return super::print_json(out, &value);
    }
    let Counts { files, rows, bytes, removed } = counts;
    if *files == 0 && *removed == 0 {
        writeln!(out, "no month with matches ended more than {days} days ago ({})", outcome.words)?;
        return Ok(());
    }
    writeln!(
        out,
        "{} written to {} ({}) under {}",
        counted_matches(*rows),
        counted(*files, "file"),
        HumanBytes(*bytes),
        folder.display()
    )?;
    writeln!(out, "{} removed from the catalog ({})", counted_matches(*removed), outcome.words)?;
    Ok(())
}

fn counted_matches(rows: u64) -> String {
    format!("{} {}", grouped(rows), if rows == 1 { "match" } else { "matches" })
}
