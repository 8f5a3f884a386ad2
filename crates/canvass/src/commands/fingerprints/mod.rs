//! canvass fingerprints: what are pages searched for, and how is that changed?

mod explain;
mod import;
mod known;
mod lint;
mod list;
mod load;
mod switch;
mod test;
mod versions;

use std::io::Write;

use anyhow::Result;

use crate::{exit::Exit, settings::Settings};

/// The `fingerprints` commands.
#[derive(Debug, clap::Subcommand)]
pub enum FingerprintsCommand {
    /// Load packs of fingerprints into the catalog and put them in force
    ///
    /// Without a path it loads the pack that canvass brings along. Everything is checked first, as `lint` does, and
    /// nothing is loaded if anything is wrong. What a pack no longer has is marked as deleted, what is disabled stays
    /// disabled, and what is enabled becomes the rule set that pages are read with from now on.
    Load(load::LoadArgs),
    /// Say everything that is wrong with packs of fingerprints
    ///
    /// Every fingerprint must see its own example, read off what the example says, and see nothing on pages that run
    /// nothing: those that canvass brings along and the .html files of a folder `negatives` beside the pack.
    /// Exits with 0 if all is well, with 1 if not.
    Lint(lint::LintArgs),
    /// Say what is seen on a page, and by what
    ///
    /// It reads with the rule set in force, or with the pack that canvass brings along if nothing is loaded.
    Test(test::TestArgs),
    /// List categories, or fingerprints by category, signal or part
    List(list::ListArgs),
    /// Say everything about a fingerprint or a signal
    Explain(explain::ExplainArgs),
    /// Use fingerprints again that were disabled
    Enable(switch::SwitchArgs),
    /// Stop using fingerprints, without forgetting what they found
    Disable(switch::SwitchArgs),
    /// Load fingerprints that were written for another program
    ///
    /// Patterns that a fetched page cannot answer, or that would have to be tried on every page whole, are left out
    /// and named with the reason. Products that canvass knows itself keep its category, vendor and family.
    Import(import::ImportArgs),
    /// List the rule sets that pages were or are read with
    Versions(versions::VersionsArgs),
}

/// Runs one of the `fingerprints` commands.
pub async fn fingerprints(
    command: &FingerprintsCommand,
    settings: Settings,
    out: &mut dyn Write,
) -> Result<Exit> {
    // thousands of lines through an unbuffered standard output are slow
    let mut out = std::io::BufWriter::new(out);
    let exit = match command {
        FingerprintsCommand::Load(args) => load::load(args, &settings, &mut out).await,
        FingerprintsCommand::Lint(args) => lint::lint(args, &mut out),
        FingerprintsCommand::Test(args) => test::test(args, &settings, &mut out).await,
        FingerprintsCommand::List(args) => list::list(args, &settings, &mut out).await,
        FingerprintsCommand::Explain(args) => explain::explain(args, &settings, &mut out).await,
        FingerprintsCommand::Enable(args) => switch::switch(args, true, &settings, &mut out).await,
        FingerprintsCommand::Disable(args) => switch::switch(args, false, &settings, &mut out).await,
        FingerprintsCommand::Import(args) => import::import(args, &settings, &mut out).await,
        FingerprintsCommand::Versions(args) => versions::versions(args, &settings, &mut out).await,
    };
    // what was found wrong is printed before the error that it leads to
    out.flush()?;
    exit
}
