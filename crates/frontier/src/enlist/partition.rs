//! How is a list cut into parts that fit in memory, with each host whole in one part?

use std::{
    fs::File,
    io::{BufWriter, Write},
    path::{Path, PathBuf},
};

use super::EnlistError;
use crate::codec::{RawTarget, push_target, take_target};

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
    parts: Vec<OpenPart>,
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
    /// Opens `2^bits` parts that look at the host hash from bit `depth` on.
    pub(super) fn create(folder: &Path, bits: u32, depth: u32) -> Result<Partitions, EnlistError> {
        let part = |index: u32| {
            let path = folder.join(format!("part-{depth:02}-{index:03}"));
            let file = File::create(&path).map_err(EnlistError::at(&path))?;
            let writer = BufWriter::with_capacity(16 << 10, file);
            Ok(OpenPart { path, writer, bytes: 0, records: 0, first_host: 0, one_host: true })
        };
        let parts = (0..1 << bits).map(part).collect::<Result<_, EnlistError>>()?;
        Ok(Partitions { parts, bits, depth, record: Vec::new() })
    }

    pub(super) fn push(&mut self, host: u64, target: RawTarget<'_>) -> Result<(), EnlistError> {
        let part = &mut self.parts[(host << self.depth >> (64 - self.bits)) as usize];
        if part.records == 0 {
            part.first_host = host;
        }
        part.one_host &= part.first_host == host;
        self.record.clear();
        self.record.extend_from_slice(&host.to_le_bytes());
        push_target(&mut self.record, target);
        part.bytes += self.record.len() as u64;
        part.records += 1;
        part.writer.write_all(&self.record).map_err(EnlistError::at(&part.path))
    }

    /// Closes the parts; empty ones are removed.
    pub(super) fn finish(self) -> Result<Vec<Partition>, EnlistError> {
        let depth = self.depth + self.bits;
        let mut closed = Vec::new();
        for mut part in self.parts {
            part.writer.flush().map_err(EnlistError::at(&part.path))?;
            if part.records == 0 {
                std::fs::remove_file(&part.path).map_err(EnlistError::at(&part.path))?;
                continue;
            }
            let OpenPart { path, bytes, records, one_host, .. } = part;
            closed.push(Partition { path, bytes, records, one_host, depth });
        }
        Ok(closed)
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
