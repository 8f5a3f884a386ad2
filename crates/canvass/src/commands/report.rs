//! canvass report: what does a month look like?

use std::{io::Write, path::PathBuf};

use anyhow::Result;
use domain::RoundId;
use indicatif::HumanBytes;
use serde_json::json;

use crate::{
    clock::Clock,
    exit::Exit,
    jobs::{
        open_catalog,
        report::{self, ReportDone, ReportPlan},
    },
    month::Month,
    round::find_round,
    settings::Settings,
};

/// What `canvass report` is asked for.
///
/// Writes one page of HTML that needs nothing else: accounts with a second vendor, what was gained and lost, products by
/// category, adoption over the months, coverage and failures. It holds sums, so it stays small; `canvass export` writes
/// everything.
#[derive(Debug, Clone, Default, clap::Args)]
pub struct ReportArgs {
    /// The round whose folder the page goes to [default: the newest]
    #[arg(long, value_name = "ID")]
    pub round: Option<RoundId>,
    /// The month (`2026-11`) [default: the newest that was aggregated]
    #[arg(long, value_name = "YYYY-MM")]
    pub month: Option<Month>,
    /// Where to write the page [default: report.html in the round's folder]
    #[arg(long, value_name = "FILE")]
    pub out: Option<PathBuf>,
    /// Print the result as JSON
    #[arg(long)]
    pub json: bool,
}

/// Writes the page.
pub async fn report(args: &ReportArgs, settings: Settings, out: &mut dyn Write) -> Result<Exit> {
    let clock = Clock::start();
    let folder = find_round(&settings.storage.data_dir, args.round.as_ref())?;
    let catalog = open_catalog(&settings.storage).await?;
    let plan = ReportPlan { folder, month: args.month.clone(), out: args.out.clone(), settings };
    let ReportDone { month, path, bytes, outcome } = report::run(plan, catalog, clock).await?;
    if args.json {
        super::print_json(out, &json!({ "month": month, "path": path, "bytes": bytes }))?;
    } else {
        writeln!(out, "{month}: {} ({})", path.display(), HumanBytes(bytes as u64))?;
    }
    Ok(outcome.exit)
}
