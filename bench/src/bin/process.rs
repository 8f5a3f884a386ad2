//! How fast are segments processed?

use std::path::PathBuf;

use anyhow::Result;
use canvass_bench::process::{
    limits::{self, LimitArgs},
    prepare::{self, PrepareArgs},
    whole::{self, ProcessArgs},
};
use clap::{Parser, Subcommand};

/// Processes segments of the sandbox's pages into SQLite and PostgreSQL, and compares with what is possible at all
#[derive(Debug, Parser)]
#[command(args_conflicts_with_subcommands = true)]
struct Args {
    #[command(subcommand)]
    what: Option<What>,
    #[command(flatten)]
    process: ProcessArgs,
}

#[derive(Debug, Subcommand)]
enum What {
    /// Make the segments (the benchmark starts this itself)
    #[command(hide = true)]
    Prepare(PrepareArgs),
    /// Read segments without writing anything (the benchmark starts this itself)
    #[command(hide = true)]
    Limit(LimitArgs),
}

fn main() -> Result<()> {
    let own = std::env::current_exe().unwrap_or_else(|_| PathBuf::from("process"));
    let Args { what, process } = Args::parse();
    match what {
        None => whole::run(&process, &own),
        Some(What::Prepare(args)) => prepare::prepare(&args),
        Some(What::Limit(args)) => limits::approach(&args),
    }
}
