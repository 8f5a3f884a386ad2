//! canvass migrate: is the catalog's schema this program's?

use std::io::Write;

use anyhow::Result;
use serde_json::json;

use super::print_json;
use crate::{clock::Clock, exit::Exit, jobs::connect_catalog, settings::Settings};

/// What `canvass migrate` is asked for.
#[derive(Debug, clap::Args)]
pub struct MigrateArgs {
    /// Name what would be applied, and apply nothing
    #[arg(long)]
    pub dry_run: bool,
    /// Print the names as JSON
    #[arg(long)]
    pub json: bool,
}

/// Applies what is pending, in order; running it again changes nothing.
pub async fn migrate(args: &MigrateArgs, settings: Settings, out: &mut dyn Write) -> Result<Exit> {
    let catalog = connect_catalog(&settings.storage).await?;
    let (verb, names) = if args.dry_run {
        ("would apply", catalog.pending().await?)
    } else {
        ("applied", catalog.migrate(Clock::start().now()).await?)
    };
    if args.json {
        print_json(out, &json!({ "applied": !args.dry_run, "migrations": names }))?;
    } else if names.is_empty() {
        writeln!(out, "the catalog is up to date")?;
    } else {
        for name in names {
            writeln!(out, "{verb} {name}")?;
        }
    }
    Ok(Exit::Done)
}
