//! canvass segments: what is in the segments?

use std::io::Write;

use anyhow::{Context, Result};
use blobs::segment::{self, SegmentReader};
use domain::{Completion, RoundId};
use serde_json::json;

use super::{print_json, table::grouped};
use crate::{
    exit::Exit,
    round::{find_round, for_each_completion},
    settings::Settings,
};

/// The `segments` commands.
#[derive(Debug, clap::Subcommand)]
pub enum SegmentsCommand {
    /// List the segments of a round
    List(ListArgs),
    /// Print the head of every record as a JSON line, without bodies
    Cat(CatArgs),
    /// Write the decoded body of one target to standard output
    Body(BodyArgs),
}

/// What `canvass segments list` is asked for.
#[derive(Debug, clap::Args)]
pub struct ListArgs {
    /// The round [default: the newest]
    pub round: Option<RoundId>,
    /// Print the list as JSON
    #[arg(long)]
    pub json: bool,
}

/// What `canvass segments cat` is asked for.
#[derive(Debug, clap::Args)]
pub struct CatArgs {
    /// The round [default: the newest]
    pub round: Option<RoundId>,
}

/// What `canvass segments body` is asked for.
#[derive(Debug, clap::Args)]
pub struct BodyArgs {
    /// The target's line in the list
    pub line: u64,
    /// The round [default: the newest]
    pub round: Option<RoundId>,
}

/// Runs one of the `segments` commands.
pub fn segments(command: &SegmentsCommand, settings: &Settings, out: &mut dyn Write) -> Result<Exit> {
    let data_dir = &settings.storage.data_dir;
    match command {
        SegmentsCommand::List(args) => list(&find_round(data_dir, args.round.as_ref())?, args.json, out),
        SegmentsCommand::Cat(args) => {
            let mut out = std::io::BufWriter::new(out);
            let mut written = Ok(());
            for_each_completion(&find_round(data_dir, args.round.as_ref())?, |completion, _| {
                if written.is_ok() {
                    written = serde_json::to_writer(&mut out, completion)
                        .map_err(std::io::Error::from)
                        .and_then(|()| out.write_all(b"\n"));
                }
            })?;
            written?;
            out.flush()?;
            Ok(Exit::Done)
        }
        SegmentsCommand::Body(args) => body(&find_round(data_dir, args.round.as_ref())?, args.line, out),
    }
}

fn list(folder: &crate::round::RoundFolder, as_json: bool, out: &mut dyn Write) -> Result<Exit> {
    let mut rows = Vec::new();
    for file in folder.all_segments()? {
        let mut reader = SegmentReader::open(&file.path, 0)?;
        let mut records = 0u64;
        while reader.next_record()?.is_some() {
            records += 1;
        }
        let hash = if file.closed { Some(segment::verify_hash(&file.path)?) } else { None };
        rows.push((file.path, records, reader.block_end(), hash));
    }
    if as_json {
        let rows: Vec<_> = rows
            .iter()
            .map(|(path, records, bytes, hash)| json!({ "path": path, "records": records, "bytes": bytes, "sha256": hash }))
            .collect();
        print_json(out, &rows)?;
        return Ok(Exit::Done);
    }
    for (path, records, bytes, hash) in rows {
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let state = hash.map_or("open".to_owned(), |hash| format!("sha256 {}…", &hash[..12]));
        writeln!(
            out,
            "{name:<24} {:>10} records {:>10}  {state}",
            grouped(records),
            indicatif::HumanBytes(bytes)
        )?;
    }
    Ok(Exit::Done)
}

fn body(folder: &crate::round::RoundFolder, line: u64, out: &mut dyn Write) -> Result<Exit> {
    let mut found: Option<(Completion, Vec<u8>)> = None;
    for_each_completion(folder, |completion, body| {
        if completion.target.line == line {
            found = Some((completion.clone(), body.to_vec()));
        }
    })?;
    let (completion, stored) =
        found.with_context(|| format!("line {line} of round {} has not ended", folder.round))?;
    let capture = completion
        .capture
        .with_context(|| format!("line {line} was not captured: {}", completion.disposition.detail_name()))?;
    let encoding = fetch::ContentEncoding::by_name(&capture.body_encoding)
        .with_context(|| format!("`{}` is no encoding that this canvass knows", capture.body_encoding))?;
    let decoded = fetch::decode(&stored, encoding, usize::try_from(capture.decoded_bytes)?)?;
    out.write_all(&decoded.bytes)?;
    Ok(Exit::Done)
}
