//! canvass status: how is it going?

use std::{
    fmt::Write as _,
    io::{IsTerminal, Write},
    time::Duration,
};

use anyhow::Result;
use catalog::{
    Catalog, Process, ThisMachine,
    runs::{self, Filter, Run, RunStatus, Stage, StageStatus},
};
use domain::{Moment, RoundId};
use frontier::enlist::Enlisted;
use indicatif::HumanBytes;
use serde_json::json;

use super::{
    history::run_json,
    print_json,
    table::{counted, grouped},
};
use crate::{
    clock::Clock,
    exit::Exit,
    jobs::{
        crawl::{STATUS_FILE, Status},
        open_catalog,
    },
    round::{RoundFolder, Tally},
    settings::{Settings, wrapped},
};

/// What `canvass status` is asked for.
#[derive(Debug, clap::Args)]
pub struct StatusArgs {
    /// The round [default: that of the newest run]
    pub round: Option<RoundId>,
    /// Draw it again every second until the run ends
    #[arg(long)]
    pub watch: bool,
    /// Print the status as JSON
    #[arg(long)]
    pub json: bool,
}

/// A run, its stages, and what the running crawl says of itself.
struct Picture {
    run: Run,
    stages: Vec<Stage>,
    live: Option<Status>,
    now: Moment,
}

/// Shows the newest run, or that of a round.
pub async fn status(args: &StatusArgs, settings: Settings, out: &mut dyn Write) -> Result<Exit> {
    let catalog = open_catalog(&settings.storage).await?;
    let clock = Clock::start();
    loop {
        let Some(picture) = look(&catalog, args.round.as_ref(), &settings, clock.now()).await? else {
            return nothing_ran(args, out);
        };
        if args.json {
            print_json(out, &as_json(&picture))?;
        } else {
            if args.watch && std::io::stdout().is_terminal() {
                // home and clear, so that the picture stays in place
                write!(out, "\x1b[H\x1b[2J")?;
            }
            write!(out, "{}", draw(&picture))?;
        }
        out.flush()?;
        if !args.watch || picture.run.status != RunStatus::Running {
            return Ok(Exit::Done);
        }
        tokio::time::sleep(Duration::from_secs(1)).await;
    }
}

fn nothing_ran(args: &StatusArgs, out: &mut dyn Write) -> Result<Exit> {
    if args.json {
        print_json(out, &json!({ "run": null, "stages": [], "live": null }))?;
    } else if let Some(round) = &args.round {
        writeln!(out, "no run of round {round}; `canvass history` lists the runs")?;
    } else {
        writeln!(out, "nothing has run yet; start with `canvass crawl LIST`")?;
    }
    Ok(Exit::Done)
}

async fn look(
    catalog: &Catalog,
    round: Option<&RoundId>,
    settings: &Settings,
    now: Moment,
) -> Result<Option<Picture>> {
    // a run whose process is gone is not running, whatever its row says
    let silence = Duration::from_secs(120);
    runs::mark_interrupted(catalog, &Process::current(), &ThisMachine, silence, now).await?;
    let Some(run) = runs::latest(catalog, Filter { round, job: None }).await? else { return Ok(None) };
    let stages = runs::stages(catalog, run.id).await?;
    let live = run.round.as_ref().and_then(|round| {
        let folder = RoundFolder::new(&settings.storage.data_dir, round.clone());
        Status::read(&folder.file(STATUS_FILE)).filter(|status| status.at >= run.started_at)
    });
    Ok(Some(Picture { run, stages, live, now }))
}

fn as_json(picture: &Picture) -> serde_json::Value {
    let stages: Vec<_> = picture
        .stages
        .iter()
        .map(|stage| {
            json!({
                "stage": stage.stage, "status": stage.status.name(), "counts": stage.counts,
                "started_at": stage.started_at.map(|at| at.to_string()),
                "ended_at": stage.ended_at.map(|at| at.to_string()),
            })
        })
        .collect();
    json!({ "run": run_json(&picture.run), "stages": stages, "live": picture.live })
}

fn draw(picture: &Picture) -> String {
    let Picture { run, stages, live, now } = picture;
    let rule = "═".repeat(72);
    let mut text = format!("{rule}\n");
    let round = run.round.as_ref().map_or("-", |round| round.as_str());
    let _ = writeln!(text, "  Round    {round}   (run {}, {})", run.id, run.status.name());
    let _ = writeln!(text, "  Started  {}", run.started_at.timestamp().strftime("%Y-%m-%d %H:%M:%S UTC"));
    let running = stages.iter().position(|stage| stage.status == StageStatus::Running);
    match (running, &run.outcome) {
        (Some(at), _) => {
            let _ = writeln!(text, "  Current  {} ({} of {})", stages[at].stage, at + 1, stages.len());
        }
        (None, Some(outcome)) => {
            let _ = writeln!(text, "  Outcome  {}", wrapped(outcome, 69).join("\n           "));
        }
        (None, None) => {}
    }
    let _ = writeln!(text, "{rule}");
    for stage in stages {
        draw_stage(&mut text, stage, live.as_ref(), *now);
    }
    if let Some(live) = live.as_ref().filter(|_| run.status == RunStatus::Running) {
        draw_live(&mut text, live);
    }
    if let Some(live) = live {
        draw_worst(&mut text, live);
    }
    text
}

fn draw_stage(text: &mut String, stage: &Stage, live: Option<&Status>, now: Moment) {
    let badge = match stage.status {
        StageStatus::Pending => '○',
        StageStatus::Running => '⟳',
        StageStatus::Done => '✓',
        StageStatus::Failed => '✗',
    };
    let _ = write!(text, "  [{badge}] {:<8}", stage.stage);
    if let Some(started) = stage.started_at {
        let seconds = stage.ended_at.unwrap_or(now).since(started).as_secs();
        let _ = write!(text, " {}h{:02}m{:02}s", seconds / 3_600, seconds / 60 % 60, seconds % 60);
    }
    let running = stage.status == StageStatus::Running;
    match stage.stage.as_str() {
        "enlist" => {
            if let Ok(enlisted) = serde_json::from_value::<Enlisted>(stage.counts.clone()) {
                let Enlisted { lines, targets, hosts, .. } = enlisted;
                let [lines, targets, hosts] =
                    [(lines, "line"), (targets, "target"), (hosts, "host")].map(|(n, word)| counted(n, word));
                let _ = write!(text, " · {lines} · {targets} · {hosts}");
            }
        }
        "crawl" => {
            let tally = if running { live.map(|live| live.tally.clone()) } else { None };
            let tally = tally.or_else(|| serde_json::from_value::<Tally>(stage.counts.clone()).ok());
            if let Some(tally) = tally.filter(|tally| tally.ended() > 0) {
                let _ = write!(
                    text,
                    " · {} ended · {} captured · {:.1} % failed",
                    grouped(tally.ended()),
                    grouped(tally.captured),
                    tally.failure_percent()
                );
            }
        }
        "deliver" => {
            for (name, words) in [("sent", "sent"), ("already_there", "already there")] {
                if let Some(count) = stage.counts.get(name).and_then(serde_json::Value::as_u64) {
                    let _ = write!(text, " · {} {words}", grouped(count));
                }
            }
        }
        _ => {
            if let Some(balanced) = stage.counts.get("balanced").and_then(serde_json::Value::as_bool) {
                text.push_str(if balanced {
                    " · the books balance"
                } else {
                    " · the books do not balance"
                });
            }
        }
    }
    text.push('\n');
}

fn draw_live(text: &mut String, live: &Status) {
    let left = live.eta_seconds.map_or("…".to_owned(), |seconds| {
        indicatif::HumanDuration(Duration::from_secs(seconds)).to_string()
    });
    let _ = writeln!(
        text,
        "\n  {} of {} targets · {:.1}/s · {}/s · {left} left",
        grouped(live.tally.ended()),
        grouped(live.targets),
        live.targets_per_second,
        HumanBytes(live.bytes_per_second as u64)
    );
    let _ = writeln!(
        text,
        "  {} of {} requests under way · {} active",
        live.in_flight,
        live.window,
        counted(live.active_hosts as u64, "host")
    );
}

fn draw_worst(text: &mut String, live: &Status) {
    if !live.worst_hosts.is_empty() {
        text.push_str("\n  Worst hosts\n");
    }
    for worst in live.worst_hosts.iter().take(5) {
        let _ = writeln!(text, "    {:<38} {:>8} failed  {}", worst.host, grouped(worst.failed), worst.last);
    }
    if !live.suspended.is_empty() {
        let names = wrapped(&live.suspended.join(", "), 66).join("\n             ");
        let _ = writeln!(text, "  Suspended: {names}");
    }
}
