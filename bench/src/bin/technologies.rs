//! How fast are technologies read off pages, beside the peers and beside a bare search?

use std::path::PathBuf;

use anyhow::Result;
use canvass_bench::technologies::{
    compare::{self, CompareArgs},
    whole::{self, RaceArgs},
};
use clap::{Parser, Subcommand};

/// Reads technologies off pages with canvass, with its peers and with a bare search, and compares them
#[derive(Debug, Parser)]
#[command(args_conflicts_with_subcommands = true)]
struct Args {
    #[command(subcommand)]
    what: Option<What>,
    #[command(flatten)]
    race: RaceArgs,
}

#[derive(Debug, Subcommand)]
enum What {
    /// Compare page by page what canvass and a peer see with the same fingerprints
    Compare(CompareArgs),
}

fn main() -> Result<()> {
    let own = std::env::current_exe().unwrap_or_else(|_| PathBuf::from("technologies"));
    let Args { what, race } = Args::parse();
    match what {
        None => whole::run(&race, &own),
        Some(What::Compare(args)) => compare::run(&args, &own),
    }
}
