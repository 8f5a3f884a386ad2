//! How is a list cut into parts that fit in memory, with each host whole in one part?

use std::{
    fs::File,
    io::{BufWriter, Write},
    path::{Path, PathBuf},
};

use super::EnlistError;
use crate::codec::{RawTarget, push_target, take_target};

/// What a part gathers before it is written; there are hundreds of parts, so that this is most of what enlisting takes.
const BUFFER_BYTES: usize = 4 << 10;

/// One closed part of the list.
pub(super) struct Partition {
    pub path: PathBuf,
    pub bytes: u64,
    pub records: u64,
    /// Whether every record has the same host hash.
    pub one_host: bool,
    /// How many leading bits of the host hash its records share.
    pub depth: u32,
}

/// The open parts of a list, by the next bits of the host's hash.
pub(super) struct Partitions {
    folder: PathBuf,
    /// Made when their first record comes: a short list needs few files.
    parts: Vec<Option<OpenPart>>,
    bits: u32,
    depth: u32,
    record: Vec<u8>,
}

struct OpenPart {
    path: PathBuf,
    writer: BufWriter<File>,
    bytes: u64,
    records: u64,
    first_host: u64,
    one_host: bool,
}

impl Partitions {
    /// `2^bits` parts that look at the host hash from bit `depth` on.
    pub(super) fn new(folder: &Path, bits: u32, depth: u32) -> Partitions {
        let parts = (0..1 << bits).map(|_| None).collect();
        Partitions { folder: folder.to_owned(), parts, bits, depth, record: Vec::new() }
    }

    pub(super) fn push(&mut self, host: u64, target: RawTarget<'_>) -> Result<(), EnlistError> {
        let index = (host << self.depth >> (64 - self.bits)) as usize;
        let slot = &mut self.parts[index];
        let part = match slot {
            Some(part) => part,
            None => {
                let path = self.folder.join(format!("part-{:02}-{index:03}", self.depth));
                slot.insert(OpenPart::create(path, host)?)
            }
        };
        part.one_host &= part.first_host == host;
        self.record.clear();
        self.record.extend_from_slice(&host.to_le_bytes());
        push_target(&mut self.record, target);
        part.bytes += self.record.len() as u64;
        part.records += 1;
        part.writer.write_all(&self.record).map_err(EnlistError::at(&part.path))
    }

    /// Closes the parts.
    pub(super) fn finish(self) -> Result<Vec<Partition>, EnlistError> {
        let depth = self.depth + self.bits;
        let mut closed = Vec::new();
        for mut part in self.parts.into_iter().flatten() {
            part.writer.flush().map_err(EnlistError::at(&part.path))?;
            let OpenPart { path, bytes, records, one_host, .. } = part;
            closed.push(Partition { path, bytes, records, one_host, depth });
        }
        Ok(closed)
    }
}

impl OpenPart {
    fn create(path: PathBuf, first_host: u64) -> Result<OpenPart, EnlistError> {
        let file = File::create(&path).map_err(EnlistError::at(&path))?;
        let writer = BufWriter::with_capacity(BUFFER_BYTES, file);
        Ok(OpenPart { path, writer, bytes: 0, records: 0, first_host, one_host: true })
    }
}

/// The next record of a partition's bytes: the host's hash and the target.
pub(super) fn take_record<'a>(bytes: &mut &'a [u8]) -> Option<(u64, RawTarget<'a>)> {
    let mut rest = *bytes;
    let (host, after) = rest.split_first_chunk::<8>()?;
    rest = after;
    let target = take_target(&mut rest)?;
    *bytes = rest;
    Some((u64::from_le_bytes(*host), target))
}
