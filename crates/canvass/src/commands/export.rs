//! canvass export: which files tell others what was found in a month?

use std::io::Write;

use anyhow::{Context, Result, bail};
use blobs::table::Format;
use catalog::{
    Catalog, changes,
    findings::{self, MonthRow},
};
use domain::RoundId;
use indicatif::HumanBytes;
use serde_json::json;

use super::table::{counted, grouped};
use crate::{
    clock::Clock,
    exit::Exit,
    jobs::{
        export::{self, Coverage, ExportPlan, ExportReport, MANIFEST_FILE, Manifest},
        open_catalog,
        process::month_of,
    },
    month::Month,
    round::{RoundFolder, find_round},
    settings::Settings,
};

/// What `canvass export` is asked for.
///
/// Writes three tables into the folder `export` of a round: TechnicalFindings (a row for each finding, with its evidence
/// and the coverage of its site), AccountDelivery (a row for each account and product, with what changed) and DualVendor
/// (a row for each second vendor). Text that a spreadsheet would run as a formula has a `'` before it in CSV.
///
/// manifest.json is written last and has the rows, size and SHA-256 of each file. The same data give the same bytes.
#[derive(Debug, Clone, Default, clap::Args)]
pub struct ExportArgs {
    /// The round in whose folder the files are put [default: the newest]
    #[arg(long, value_name = "ID")]
    pub round: Option<RoundId>,
    /// The month (`2026-11`) [default: the one in which the round began]
    #[arg(long, value_name = "YYYY-MM")]
    pub month: Option<Month>,
    /// How each table is written: csv, json, parquet [default: `export.formats`]
    #[arg(long, value_name = "FORMAT", value_delimiter = ',')]
    pub format: Vec<Format>,
    /// Print the result as JSON
    #[arg(long)]
    pub json: bool,
    /// No progress on standard error
    #[arg(long)]
    pub quiet: bool,
}

/// Exports a month.
pub async fn export(args: &ExportArgs, settings: Settings, out: &mut dyn Write) -> Result<Exit> {
    let clock = Clock::start();
    let folder = find_round(&settings.storage.data_dir, args.round.as_ref())?;
    let catalog = open_catalog(&settings.storage).await?;
    let (month, extent) = choose_month(&catalog, args.month.as_ref(), &folder).await?;
    let mut formats = if args.format.is_empty() { settings.export.formats() } else { args.format.clone() };
    formats.sort_unstable();
    formats.dedup();
    let (path, quiet) = (folder.export(), args.quiet);
    let plan = ExportPlan { folder, month, extent, formats, settings, quiet };
    let report = export::run(plan, catalog, clock).await?;
    if args.json {
        let ExportReport { manifest, outcome } = &report;
        let value = json!({
            "folder": path, "manifest": manifest, "status": outcome.status.name(), "outcome": outcome.words,
            "exit_code": outcome.exit as u8,
        });
        super::print_json(out, &value)?;
    } else {
        print_report(&report, &path.display().to_string(), out)?;
    }
    Ok(report.outcome.exit)
}

/// The month that was asked for, or that of the round, if there are findings of it. Another month is never taken instead:
/// it would be delivered as news.
async fn choose_month(
    catalog: &Catalog,
    asked: Option<&Month>,
    folder: &RoundFolder,
) -> Result<(Month, MonthRow)> {
    let mut months = findings::months(catalog).await?;
    months.retain(|row| row.findings > 0);
    let known: Vec<&str> = months.iter().map(|row| row.month.as_str()).collect();
    if known.is_empty() {
        bail!("there are no findings yet: run `canvass process`, then `canvass aggregate`");
    }
    let begun = folder.origin()?.map(|origin| month_of(origin.begun_at));
    let round = &folder.round;
    let wanted = asked.map(Month::to_string).or(begun).with_context(|| {
        format!(
            "it is not known when round {round} began: say which month with `--month` ({})",
            known.join(", ")
        )
    })?;
    let Some(at) = known.iter().position(|month| *month == wanted) else {
        let known = known.join(", ");
        match asked {
            Some(month) => bail!("there are no findings of {month}, but of {known}"),
            None => bail!(
                "there are no findings of {wanted}, in which round {round} began, but of {known}: run `canvass process` \
                 and `canvass aggregate`, or choose a month with `--month`"
            ),
        }
    };
    if let Some(before) = at.checked_sub(1).and_then(|before| known.get(before))
        && changes::list_changes(catalog, &wanted, None, 1).await?.is_empty()
    {
        eprintln!(
            "warning: no changes from {before} to {wanted} are known: unless `canvass changes` was run and found none, \
             run it and export again"
        );
    }
    let row = months.swap_remove(at);
    Ok((row.month.parse().map_err(anyhow::Error::msg)?, row))
}

/// Prints how exporting went.
pub fn print_report(report: &ExportReport, folder: &str, out: &mut dyn Write) -> Result<()> {
    let ExportReport { manifest, outcome } = report;
    let Some(manifest) = manifest else {
        writeln!(out, "nothing was exported: {}", outcome.words)?;
        return Ok(());
    };
    let Manifest { month, files, coverage, .. } = manifest;
    writeln!(out, "{month}: {} under {folder}", counted(files.len() as u64, "file"))?;
    for file in files {
        writeln!(
            out,
            "  {:<33} {:>10} rows {:>10}  {}…",
            file.name,
            grouped(file.rows),
            HumanBytes(file.bytes).to_string(),
            file.sha256.get(..8).unwrap_or_default()
        )?;
    }
    writeln!(out, "  {MANIFEST_FILE}")?;
    let Coverage { sites, targets, captured } = coverage;
    let [sites, targets, captured] = [sites, targets, captured].map(|count| grouped(count.unsigned_abs()));
    writeln!(out, "{captured} of {targets} targets of {sites} sites were captured")?;
    Ok(())
}
