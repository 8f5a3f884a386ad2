//! canvass process: what do the captures show?

use std::{io::Write, sync::Arc};

use anyhow::{Result, bail};
use domain::RoundId;
use serde_json::json;

use super::table::grouped;
use crate::{
    clock::Clock,
    exit::Exit,
    jobs::{
        open_catalog,
        process::{self, ProcessPlan, ProcessReport},
    },
    round::{RoundFolder, find_round, list_rounds},
    rules::ActiveRules,
    settings::Settings,
};

/// What `canvass process` is asked for.
///
/// Reads the closed segments of a round with the active rule set and writes down what each page shows. A segment is
/// read once with each rule set, whatever happens on the way: run it again after a crash and it goes on.
#[derive(Debug, Clone, Default, clap::Args)]
pub struct ProcessArgs {
    /// The round [default: every round with segments that were not processed]
    #[arg(long, value_name = "ID")]
    pub round: Option<RoundId>,
    /// Read the round's segments again with the rules of today
    #[arg(long)]
    pub reprocess: bool,
    /// Print the result as JSON
    #[arg(long)]
    pub json: bool,
    /// No progress on standard error
    #[arg(long)]
    pub quiet: bool,
}

/// Processes segments.
pub async fn process(args: &ProcessArgs, settings: Settings, out: &mut dyn Write) -> Result<Exit> {
    let clock = Clock::start();
    let rounds = choose(args, &settings)?;
    let catalog = open_catalog(&settings.storage).await?;
    let mut reports = Vec::new();
    if !rounds.is_empty() {
        let Some(rules) = ActiveRules::load(&catalog).await? else {
            bail!("there are no fingerprints yet: run `canvass fingerprints load`");
        };
        let rules = Arc::new(rules);
        for folder in rounds {
            let plan = ProcessPlan {
                folder,
                reprocess: args.reprocess,
                settings: settings.clone(),
                quiet: args.quiet,
            };
            let report = process::run(plan, Arc::clone(&rules), catalog.clone(), clock).await?;
            let exit = report.outcome.exit;
            reports.push(report);
            if exit == Exit::CouldNotRun {
                break;
            }
        }
    }
    print_reports(&reports, args.json, out)?;
    Ok(reports.iter().map(|report| report.outcome.exit).max_by_key(|exit| *exit as u8).unwrap_or(Exit::Done))
}

/// The rounds to work on, oldest first.
fn choose(args: &ProcessArgs, settings: &Settings) -> Result<Vec<RoundFolder>> {
    let data_dir = &settings.storage.data_dir;
    if args.round.is_some() || args.reprocess {
        return Ok(vec![find_round(data_dir, args.round.as_ref())?]);
    }
    let mut rounds = Vec::new();
    for (folder, _) in list_rounds(data_dir)?.into_iter().rev() {
        if process::has_work(&folder)? {
            rounds.push(folder);
        }
    }
    Ok(rounds)
}

/// Prints how the rounds went.
pub fn print_reports(reports: &[ProcessReport], as_json: bool, out: &mut dyn Write) -> Result<()> {
    if as_json {
        let rounds: Vec<_> = reports
            .iter()
            .map(|ProcessReport { round, rule_set, counts, outcome }| {
                json!({
                    "round": round, "rule_set": rule_set, "counts": counts, "status": outcome.status.name(),
                    "outcome": outcome.words, "exit_code": outcome.exit as u8,
                })
            })
            .collect();
        return super::print_json(out, &json!({ "rounds": rounds }));
    }
    if reports.is_empty() {
        writeln!(out, "no segment waits to be processed")?;
    }
    for ProcessReport { round, rule_set, counts, outcome } in reports {
        writeln!(
            out,
            "round {round}: {} segments, {} pages, {} matches with rule set {rule_set} ({})",
            grouped(counts.segments),
            grouped(counts.pages),
            grouped(counts.matches),
            outcome.words
        )?;
        if counts.known_segments > 0 {
            writeln!(out, "  {} segments had been read before", grouped(counts.known_segments))?;
        }
    }
    Ok(())
}
