//! canvass history: what ran, and how did it end?

use std::io::Write;

use anyhow::Result;
use catalog::runs::{self, Filter, Run};
use serde_json::json;

use super::{print_json, table::grouped};
use crate::{
    exit::Exit,
    jobs::open_catalog,
    round::Tally,
    settings::{Settings, wrapped},
};

/// What `canvass history` is asked for.
#[derive(Debug, clap::Args)]
pub struct HistoryArgs {
    /// How many runs, newest first
    #[arg(long, short = 'n', value_name = "N", default_value_t = 20)]
    pub last: u32,
    /// Print the runs as JSON
    #[arg(long)]
    pub json: bool,
}

/// Lists the newest runs.
pub async fn history(args: &HistoryArgs, settings: Settings, out: &mut dyn Write) -> Result<Exit> {
    let catalog = open_catalog(&settings.storage).await?;
    let found = runs::list(&catalog, Filter::default(), args.last).await?;
    if args.json {
        let rows: Vec<_> = found.iter().map(run_json).collect();
        print_json(out, &rows)?;
        return Ok(Exit::Done);
    }
    if found.is_empty() {
        writeln!(out, "nothing has run yet; start with `canvass crawl LIST`")?;
        return Ok(Exit::Done);
    }
    writeln!(
        out,
        "{:>4} {:<16} {:<9} {:<20} {:<11} {:>9} {:>6}",
        "run", "started (UTC)", "job", "round", "status", "ended", "failed"
    )?;
    for run in &found {
        let tally: Option<Tally> =
            serde_json::from_value(run.counts.clone()).ok().filter(|_| run.job == "crawl");
        let numbers = tally.map_or_else(String::new, |tally| {
            format!("{:>9} {:>4.1} %", grouped(tally.ended()), tally.failure_percent())
        });
        let round = run.round.as_ref().map_or("-", |round| round.as_str());
        writeln!(
            out,
            "{:>4} {} {:<9} {round:<20} {:<11} {numbers}",
            run.id,
            run.started_at.timestamp().strftime("%Y-%m-%d %H:%M"),
            run.job,
            run.status.name(),
        )?;
        if let Some(outcome) = run.outcome.as_deref().filter(|outcome| *outcome != "done") {
            writeln!(out, "     {}", wrapped(outcome, 75).join("\n     "))?;
        }
    }
    Ok(Exit::Done)
}

/// A run as JSON.
pub fn run_json(run: &Run) -> serde_json::Value {
    json!({
        "id": run.id, "round": run.round, "job": run.job, "status": run.status.name(), "outcome": run.outcome,
        "exit_code": run.exit_code, "started_at": run.started_at.to_string(),
        "ended_at": run.ended_at.map(|at| at.to_string()), "host": run.process.host, "pid": run.process.pid,
        "parameters": run.parameters, "counts": run.counts,
    })
}
