//! canvass aggregate: what did each site show in a month?

use std::io::Write;

use anyhow::{Result, bail};
use serde_json::json;

use super::table::grouped;
use crate::{
    clock::Clock,
    exit::Exit,
    jobs::{
        aggregate::{self, AggregateReport},
        open_catalog,
    },
    month::Month,
    round::find_round,
    settings::Settings,
};

/// What `canvass aggregate` is asked for.
///
/// Folds what was matched on pages into findings: one for each site, fingerprint and month. Run it again whenever you
/// like: a finding is replaced by the same finding, and `first seen` only ever moves back.
#[derive(Debug, Clone, Default, clap::Args)]
pub struct AggregateArgs {
    /// The month (`2026-11`) [default: the months of the newest round]
    #[arg(long, value_name = "YYYY-MM", conflicts_with = "all")]
    pub month: Option<Month>,
    /// Every month that was read with the rules in force
    #[arg(long)]
    pub all: bool,
    /// Print the result as JSON
    #[arg(long)]
    pub json: bool,
    /// No progress on standard error
    #[arg(long)]
    pub quiet: bool,
}

/// Aggregates matches.
pub async fn aggregate(args: &AggregateArgs, settings: Settings, out: &mut dyn Write) -> Result<Exit> {
    let clock = Clock::start();
    let catalog = open_catalog(&settings.storage).await?;
    let Some((rules, _)) = catalog::rules::active(&catalog).await? else {
        bail!("there are no fingerprints yet: run `canvass fingerprints load`");
    };
    let folder = find_round(&settings.storage.data_dir, None)?;
    // a round may begin in one month and end in the next
    let round = (!args.all && args.month.is_none()).then_some(folder.round.as_str());
    let mut months = catalog::matches::months(&catalog, rules.version, round).await?;
    if let Some(month) = &args.month {
        months.retain(|known| known == month.as_str());
    }
    if months.is_empty() {
        let of = args.month.as_ref().map_or_else(|| format!("round {}", folder.round), ToString::to_string);
        bail!("nothing of {of} was read with rule set {} yet: run `canvass process`", rules.version);
    }
    let report =
        aggregate::run(&folder, &settings, &months, rules.version, catalog, clock, args.quiet).await?;
    print_report(&report, args.json, out)?;
    Ok(report.outcome.exit)
}

/// Prints how aggregating went.
pub fn print_report(report: &AggregateReport, as_json: bool, out: &mut dyn Write) -> Result<()> {
    let AggregateReport { months, rule_set, outcome } = report;
    if as_json {
        let months: Vec<_> = months
            .iter()
            .map(|(month, one)| json!({ "month": month, "findings": one.findings, "sites": one.sites }))
            .collect();
        let value = json!({
            "rule_set": rule_set, "months": months, "status": outcome.status.name(),
            "outcome": outcome.words, "exit_code": outcome.exit as u8,
        });
        return super::print_json(out, &value);
    }
    for (month, one) in months {
        let (findings, sites) = (grouped(one.findings), grouped(one.sites));
        writeln!(out, "{month}: {findings} findings on {sites} sites with rule set {rule_set}")?;
    }
    Ok(())
}
