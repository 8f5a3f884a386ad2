//! How fast does canvass crawl, beside its peers?

use std::path::PathBuf;

use anyhow::Result;
use canvass_bench::{
    bare::{self, BareArgs},
    memory::{self, MemoryArgs},
    race::{self, RaceArgs},
    serve::{self, ServeArgs},
};
use clap::{Parser, Subcommand};

/// Crawls pages of the sandbox with canvass and with its peers, one after the other, and compares them
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
    /// Measure the memory of canvass over lists of growing length
    Memory(MemoryArgs),
    /// Serve the pages until standard input ends (the benchmark starts this itself)
    #[command(hide = true)]
    Serve(ServeArgs),
    /// Fetch URLs in a bare loop (the benchmark starts this itself)
    #[command(hide = true)]
    Bare(BareArgs),
}

fn main() -> Result<()> {
    let own = std::env::current_exe().unwrap_or_else(|_| PathBuf::from("crawl"));
    let Args { what, race } = Args::parse();
    match what {
        None => race::run(&race, &own),
        Some(What::Memory(args)) => memory::run(&args, &own),
        Some(What::Serve(args)) => serve::serve(&args),
        Some(What::Bare(args)) => bare::fetch_all(&args),
    }
}
