//! canvass deliver: do those who wait for the findings have them?

use std::io::Write;

use anyhow::Result;
use domain::RoundId;
use serde_json::json;

use super::env;
use crate::{
    clock::Clock,
    exit::Exit,
    jobs::{
        deliver::{self, DeliverPlan, DeliverReport, DestinationReport, Fate},
        open_catalog,
    },
    round::find_round,
    settings::{Settings, wrapped},
};

/// What `canvass deliver` is asked for.
///
/// Sends the files of a round's export to every destination of `delivery` in the settings, compressed, a manifest last.
/// What was delivered is in a ledger and is never sent again: after a failure or a crash, run it again.
#[derive(Debug, Clone, Default, clap::Args)]
pub struct DeliverArgs {
    /// The round [default: the newest]
    #[arg(long, value_name = "ID")]
    pub round: Option<RoundId>,
    /// Deliver to this destination only
    #[arg(long, value_name = "NAME")]
    pub destination: Option<String>,
    /// Say what would be sent, and send nothing
    #[arg(long)]
    pub dry_run: bool,
    /// Replace files at the destination that no earlier delivery of this round left there
    #[arg(long)]
    pub overwrite: bool,
    /// Print the result as JSON
    #[arg(long)]
    pub json: bool,
    /// No progress on standard error
    #[arg(long)]
    pub quiet: bool,
}

/// Delivers an export.
pub async fn deliver(args: &DeliverArgs, settings: Settings, out: &mut dyn Write) -> Result<Exit> {
    let clock = Clock::start();
    let folder = find_round(&settings.storage.data_dir, args.round.as_ref())?;
    let storage = settings.storage.clone();
    let plan = DeliverPlan::new(folder, settings, args.destination.as_deref(), args.overwrite, &env)?;
    let catalog = open_catalog(&storage).await?;
    if args.dry_run {
        let round = plan.round().clone();
        let destinations = plan.preview(&catalog).await?;
        if args.json {
            super::print_json(
                out,
                &json!({ "round": round, "destinations": destinations, "dry_run": true }),
            )?;
        } else {
            print_destinations(&destinations, out)?;
            writeln!(out, "nothing was sent")?;
        }
        let refused = destinations.iter().any(|one| one.error.is_some());
        return Ok(if refused { Exit::Findings } else { Exit::Done });
    }
    let report = deliver::run(plan, catalog, clock, args.quiet).await?;
    print_report(&report, args.json, out)?;
    Ok(report.outcome.exit)
}

/// Prints how a delivery went.
pub fn print_report(report: &DeliverReport, as_json: bool, out: &mut dyn Write) -> Result<()> {
    let DeliverReport { round, destinations, outcome } = report;
    if as_json {
        let value = json!({
            "round": round, "destinations": destinations, "status": outcome.status.name(),
            "outcome": outcome.words, "exit_code": outcome.exit as u8,
        });
        return super::print_json(out, &value);
    }
    print_destinations(destinations, out)?;
    writeln!(out, "round {round}: {}", outcome.words)?;
    Ok(())
}

fn print_destinations(destinations: &[DestinationReport], out: &mut dyn Write) -> Result<()> {
    for DestinationReport { destination, files, error } in destinations {
        writeln!(out, "{destination}")?;
        for file in files {
            let mark = if file.fate.is_some() { '✓' } else { '○' };
            writeln!(out, "  {mark} {}", file.path)?;
            writeln!(out, "    {}", file.fate.map_or("would be sent", Fate::words))?;
        }
        if let Some(error) = error {
            let told = wrapped(&format!("✗ {error}"), 74);
            writeln!(out, "  {}", told.join("\n    "))?;
        }
    }
    Ok(())
}
