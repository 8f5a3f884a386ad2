//! canvass ledger: do the books balance?

use std::io::Write;

use anyhow::Result;
use domain::RoundId;

use super::{print_json, table::Balance};
use crate::{
    exit::Exit,
    round::{find_round, prove},
    settings::Settings,
};

/// What `canvass ledger` is asked for.
#[derive(Debug, clap::Args)]
pub struct LedgerArgs {
    /// The round [default: the newest]
    pub round: Option<RoundId>,
    /// Print the balance as JSON
    #[arg(long)]
    pub json: bool,
}

/// Reads every record and proves the balance. Exits with 1 if a line is unexplained.
pub fn ledger(args: &LedgerArgs, settings: &Settings, out: &mut dyn Write) -> Result<Exit> {
    let folder = find_round(&settings.storage.data_dir, args.round.as_ref())?;
    let ledger = prove(&folder, |_, _| ())?;
    if args.json {
        print_json(out, &ledger)?;
    } else {
        writeln!(out, "Round {}", folder.round)?;
        write!(out, "{}", Balance(&ledger))?;
    }
    Ok(if ledger.balanced { Exit::Done } else { Exit::Findings })
}
