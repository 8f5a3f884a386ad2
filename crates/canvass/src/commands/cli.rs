//! What does the command line look like?

use clap::{Parser, Subcommand};

use super::{
    accounts::AccountsCommand, aggregate::AggregateArgs, archive::ArchiveArgs, changes::ChangesArgs,
    config::ConfigCommand, crawl::CrawlArgs, deliver::DeliverArgs, demo::DemoArgs, export::ExportArgs,
    fingerprints::FingerprintsCommand, history::HistoryArgs, init::InitArgs, ledger::LedgerArgs,
    migrate::MigrateArgs, process::ProcessArgs, report::ReportArgs, robots::RobotsCommand,
    sandbox::SandboxCommand, segments::SegmentsCommand, status::StatusArgs, url::UrlCommand,
};
use crate::settings::SettingsArgs;

/// Visits every address on a known list of web sites, politely and exactly once per round.
///
/// Start with `canvass demo`: it needs no internet and no settings. Then `canvass init`, a list, and
/// `canvass crawl LIST`. A round that was stopped or killed is continued by the same command.
///
/// Exit codes: 0 done; 1 done, with failures above the threshold or findings; 2 could not run, or had to stop.
#[derive(Debug, Parser)]
#[command(name = "canvass", version, max_term_width = 80, propagate_version = true)]
pub struct Cli {
    /// Which settings it runs with.
    #[command(flatten)]
    pub settings: SettingsArgs,
    /// Live through another time than now, so that two months fit into a test
    #[arg(long, value_name = "RFC3339", global = true, hide = true)]
    pub now: Option<jiff::Timestamp>,
    /// What to do.
    #[command(subcommand)]
    pub command: Command,
}

/// The verbs.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Live through two months of a small web of its own, and compare with the truth
    Demo(DemoArgs),
    /// Write a first canvass.yaml and make the data folder and its catalog
    Init(InitArgs),
    /// Crawl a list, or continue a round that was stopped
    Crawl(CrawlArgs),
    /// Show how a round is going: stages, counts, rates, worst hosts
    Status(StatusArgs),
    /// List the runs of the past
    History(HistoryArgs),
    /// Prove that the books of a round balance, line by line
    Ledger(LedgerArgs),
    /// Read what the captures of a round show, with the active fingerprints
    Process(ProcessArgs),
    /// Fold what was matched into findings, one for each site, fingerprint and month
    Aggregate(AggregateArgs),
    /// Compare a month with the last look before it, and find second vendors
    Changes(ChangesArgs),
    /// Move single matches of old months from the catalog to Parquet files
    Archive(ArchiveArgs),
    /// Write the findings, accounts and second vendors of a month as CSV, JSON and Parquet
    Export(ExportArgs),
    /// Load, check, test and switch the fingerprints that pages are searched for
    #[command(subcommand)]
    Fingerprints(FingerprintsCommand),
    /// Load and list the organisations that sites belong to
    #[command(subcommand)]
    Accounts(AccountsCommand),
    /// Write one page of HTML about a month: second vendors, changes, products, coverage
    Report(ReportArgs),
    /// Look into the segments of a round
    #[command(subcommand)]
    Segments(SegmentsCommand),
    /// Send the files of an export to every destination, exactly once
    Deliver(DeliverArgs),
    /// Bring the catalog's schema up to date
    Migrate(MigrateArgs),
    /// Show, describe or check the settings
    #[command(subcommand)]
    Config(ConfigCommand),
    /// Ask what a robots.txt says
    #[command(subcommand)]
    Robots(RobotsCommand),
    /// Ask what becomes of a URL
    #[command(subcommand)]
    Url(UrlCommand),
    /// Serve the sandbox web, for tests and experiments
    #[command(subcommand)]
    Sandbox(SandboxCommand),
}
