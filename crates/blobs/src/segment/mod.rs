//! What is the contract between crawl and process?
//!
//! A segment is a file of records, each a head (JSON) and a body (bytes). While it is written it is called
//! `segment-000001.open`; closed, `segment-000001.zst` with its SHA-256 beside it in the format of `sha256sum`.
//!
//! On disk it is a sequence of blocks. A block is one commit: a zstd *skippable* frame that says how long the next
//! frames are, then one or two zstd frames with checksums. So a segment is an ordinary `.zst` file to any other tool, it
//! is compressed once while it is written (closing it is a hash and a rename, not a second pass over the disk), and a
//! torn last block is noticed and dropped whole.

mod block;
mod log;
mod reader;

use std::{
    io,
    path::{Path, PathBuf},
};

use serde::{Deserialize, Serialize};

pub use block::Batch;
pub use log::{Limits, SegmentLog};
pub use reader::{Record, SegmentReader, verify_hash};

/// Where something stands in the log: a segment's number and a byte offset in its file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default, Serialize, Deserialize)]
pub struct Position {
    /// The segment's number, from 1; 0 is before the first.
    pub segment: u32,
    /// The offset in the segment's file.
    pub offset: u64,
}

/// Whether a body is worth compressing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Packing {
    /// It is plain: compress it.
    Compress,
    /// It is compressed already: keep it as it is.
    Store,
}

/// What can go wrong with a segment.
#[derive(Debug, thiserror::Error)]
pub enum SegmentError {
    /// The file could not be read or written.
    #[error("{}: {source}", path.display())]
    Io {
        /// The file or folder.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// Another process writes the log.
    #[error("{}: another process writes it: wait for it, or end it", path.display())]
    InUse {
        /// The segments' folder.
        path: PathBuf,
    },
    /// A block before the durable end of the log is not what was written.
    #[error(
        "{}: damaged at byte {offset}: {what}; restore the file from a copy, or move the round aside and start it again",
        path.display()
    )]
    Damaged {
        /// The segment's file.
        path: PathBuf,
        /// Where the damage begins.
        offset: u64,
        /// What is wrong there.
        what: &'static str,
    },
    /// A closed segment does not have the hash beside it.
    #[error("{}: its SHA-256 is {found}, but {expected} was written when it was closed", path.display())]
    WrongHash {
        /// The segment's file.
        path: PathBuf,
        /// The hash written on closing.
        expected: String,
        /// The hash of what is there.
        found: String,
    },
}

impl SegmentError {
    fn io(path: &Path) -> impl FnOnce(io::Error) -> SegmentError + '_ {
        move |source| SegmentError::Io { path: path.to_owned(), source }
    }
}

/// One segment in a folder, and whether it is closed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SegmentFile {
    /// Its number, from 1.
    pub number: u32,
    /// Its file.
    pub path: PathBuf,
    /// Whether it is closed: compressed, hashed, renamed, never to change again.
    pub closed: bool,
}

/// The segments in a folder, in order. A folder that does not exist has none.
pub fn list(folder: &Path) -> Result<Vec<SegmentFile>, SegmentError> {
    let entries = match std::fs::read_dir(folder) {
        Ok(entries) => entries,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
        Err(error) => return Err(SegmentError::io(folder)(error)),
    };
    let mut found = Vec::new();
    for entry in entries {
        let path = entry.map_err(SegmentError::io(folder))?.path();
        let Some((number, closed)) = path.file_name().and_then(|name| parse_name(name.to_str()?)) else {
            continue;
        };
        found.push(SegmentFile { number, path, closed });
    }
    found.sort_by_key(|segment| segment.number);
    Ok(found)
}

fn parse_name(name: &str) -> Option<(u32, bool)> {
    let (number, kind) = name.strip_prefix("segment-")?.split_once('.')?;
    match kind {
        "zst" => Some((number.parse().ok()?, true)),
        "open" => Some((number.parse().ok()?, false)),
        _ => None,
    }
}

fn open_path(folder: &Path, number: u32) -> PathBuf {
    folder.join(format!("segment-{number:06}.open"))
}

fn closed_path(folder: &Path, number: u32) -> PathBuf {
    folder.join(format!("segment-{number:06}.zst"))
}

/// The file with the hash of a closed segment, which stands beside it.
#[must_use]
pub fn hash_file(segment: &Path) -> PathBuf {
    segment.with_extension("zst.sha256")
}

fn hash_path(folder: &Path, number: u32) -> PathBuf {
    folder.join(format!("segment-{number:06}.zst.sha256"))
}

#[cfg(test)]
mod tests;
