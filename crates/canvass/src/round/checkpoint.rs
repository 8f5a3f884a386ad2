//! How does a resumed round know where it stood?

use std::{fs, io};

use anyhow::{Context, Result};
use blobs::segment::Position;
use frontier::CompletionFront;
use serde::{Deserialize, Serialize};

use super::{RoundFolder, Tally, outcomes::Lengths};

const FILE: &str = "checkpoint";

/// An index into the segment log: what was done when the log had reached a position.
///
/// It is written only after the log is synced up to there, so it never claims what the log does not hold. Without one,
/// the whole log is replayed: slower, and just as right.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Checkpoint {
    /// How far the log was read into this.
    pub position: Position,
    /// What was done.
    pub front: CompletionFront,
    /// The counts by disposition.
    pub tally: Tally,
    /// The lengths of the outcome files.
    pub outcomes: Lengths,
}

#[derive(Serialize, Deserialize)]
struct Head {
    position: Position,
    tally: Tally,
    outcomes: Lengths,
}

impl Checkpoint {
    /// Reads the round's checkpoint, if it has one.
    pub fn read(folder: &RoundFolder) -> Result<Option<Checkpoint>> {
        let path = folder.file(FILE);
        let bytes = match fs::read(&path) {
            Ok(bytes) => bytes,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(error).with_context(|| format!("cannot read {}", path.display())),
        };
        let parsed = parse(&bytes).with_context(|| {
            format!("{} is damaged; delete it and the whole log is replayed instead", path.display())
        })?;
        Ok(Some(parsed))
    }

    /// Replaces the round's checkpoint, whole or not at all.
    pub fn write(&self, folder: &RoundFolder) -> Result<()> {
        let Checkpoint { position, front, tally, outcomes } = self;
        let head = Head { position: *position, tally: tally.clone(), outcomes: *outcomes };
        // one line of JSON for people, then the front for us
        let mut bytes = serde_json::to_vec(&head)?;
        bytes.push(b'\n');
        bytes.extend_from_slice(&front.to_bytes());
        let path = folder.file(FILE);
        blobs::write_atomically(&path, &bytes).with_context(|| format!("cannot write {}", path.display()))
    }
}

fn parse(bytes: &[u8]) -> Result<Checkpoint> {
    let end = bytes.iter().position(|byte| *byte == b'\n').context("its first line is cut off")?;
    let Head { position, tally, outcomes } = serde_json::from_slice(&bytes[..end])?;
    Ok(Checkpoint { position, front: CompletionFront::from_bytes(&bytes[end + 1..])?, tally, outcomes })
}
