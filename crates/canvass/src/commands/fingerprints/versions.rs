//! canvass fingerprints versions: which rule sets were there?

use std::io::Write;

use anyhow::Result;
use catalog::rules::{self, RuleSetRow};
use serde_json::json;

use crate::{
    commands::{
        print_json,
        table::{cut, grouped},
    },
    exit::Exit,
    jobs::open_catalog,
    settings::Settings,
};

/// What `canvass fingerprints versions` is asked for.
#[derive(Debug, clap::Args)]
pub struct VersionsArgs {
    /// Print the rule sets as JSON
    #[arg(long)]
    pub json: bool,
}

/// Lists the rule sets, oldest first.
pub(super) async fn versions(args: &VersionsArgs, settings: &Settings, out: &mut dyn Write) -> Result<Exit> {
    let catalog = open_catalog(&settings.storage).await?;
    let in_force = rules::active(&catalog).await?.map(|(row, _)| row.version);
    let rows = rules::rule_sets(&catalog).await?;
    if args.json {
        let row_json = |row: &RuleSetRow| {
            let RuleSetRow { version, digest, created_at, activated_at, reason, signals, fingerprints } = row;
            json!({
                "version": version, "in_force": in_force == Some(*version), "digest": digest,
                "created_at": created_at.to_string(), "activated_at": activated_at.to_string(), "reason": reason,
                "signals": signals, "fingerprints": fingerprints,
            })
        };
        print_json(out, &rows.iter().map(row_json).collect::<Vec<_>>())?;
        return Ok(Exit::Done);
    }
    if rows.is_empty() {
        writeln!(out, "no rule set yet; make the first with `canvass fingerprints load`")?;
        return Ok(Exit::Done);
    }
    writeln!(
        out,
        "{:>7} {:<16} {:<12} {:>12}  reason",
        "version", "in force (UTC)", "sha256", "fingerprints"
    )?;
    for row in &rows {
        let mark = if in_force == Some(row.version) { "*" } else { " " };
        writeln!(
            out,
            "{mark}{:>6} {} {:<12} {:>12}  {}",
            row.version,
            row.activated_at.timestamp().strftime("%Y-%m-%d %H:%M"),
            cut(&row.digest, 12),
            grouped(row.fingerprints.unsigned_abs()),
            cut(&row.reason, 26)
        )?;
    }
    Ok(Exit::Done)
}
