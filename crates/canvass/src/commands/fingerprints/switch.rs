//! canvass fingerprints enable, disable: which of them are used?

use std::io::Write;

use anyhow::Result;
use catalog::rules;
use serde_json::json;

use super::{
    known::{Known, Meant},
    load::{frozen_json, write_frozen},
};
use crate::{
    clock::Clock,
    commands::{print_json, table::counted},
    exit::Exit,
    jobs::open_catalog,
    rules::{IMPLIED_PART, freeze},
    settings::Settings,
};

/// What `canvass fingerprints enable` and `disable` are asked for.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  canvass fingerprints disable google-analytics-google-tag
  canvass fingerprints disable 'Google Fonts' jQuery
  canvass fingerprints enable jQuery")]
pub struct SwitchArgs {
    /// Keys of fingerprints, or names of signals with all of theirs
    #[arg(required = true, value_name = "KEY_OR_SIGNAL")]
    pub names: Vec<String>,
    /// Print what changed as JSON
    #[arg(long)]
    pub json: bool,
}

/// Switches fingerprints on or off and freezes what is on then.
pub(super) async fn switch(
    args: &SwitchArgs,
    enabled: bool,
    settings: &Settings,
    out: &mut dyn Write,
) -> Result<Exit> {
    let catalog = open_catalog(&settings.storage).await?;
    let known = Known::of_catalog(&catalog).await?;
    // a slip in the last name must not leave the first ones switched
    let exact = |name: &String| {
        Ok(match known.find(name)? {
            Meant::Fingerprint(row) => row.key.as_str(),
            Meant::Signal(row) => row.name.as_str(),
        })
    };
    let names: Vec<&str> = args.names.iter().map(exact).collect::<Result<_>>()?;
    let now = Clock::start().now();
    for name in &names {
        rules::set_enabled(&catalog, name, enabled, now).await?;
    }
    // those that nobody wrote are switched with their signal and would only puzzle whoever counts
    let changed = known.fingerprints.iter().filter(|row| {
        let meant = names.iter().any(|name| row.key == *name || row.signal == *name);
        meant && row.enabled != enabled && row.deleted_at.is_none() && row.part != IMPLIED_PART
    });
    let changed = changed.count() as u64;
    let word = if enabled { "enabled" } else { "disabled" };
    let frozen = freeze(&catalog, &format!("{word} {}", names.join(", ")), now).await?;
    if args.json {
        print_json(
            out,
            &json!({ "changed": changed, "enabled": enabled, "rule_set": frozen_json(&frozen) }),
        )?;
        return Ok(Exit::Done);
    }
    writeln!(out, "{} {word}", counted(changed, "fingerprint"))?;
    write_frozen(out, &frozen)?;
    Ok(Exit::Done)
}
