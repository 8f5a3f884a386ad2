//! How does one part of the list become runs of hosts?

use std::{
    fs::{self, File},
    io::{self, BufWriter, Seek},
    path::Path,
};

use super::{
    EnlistError,
    duplicates::{Walk, find_duplicates},
    partition::{Partition, Partitions, take_record},
    write_row,
};
use crate::{
    codec::{RawTarget, RecordStream},
    queue::QueueWriter,
};

/// A part up to this size is sorted in memory.
const LOAD_BYTES: u64 = 1 << 20;

/// What is being written while the parts are settled.
pub(super) struct Settling {
    pub queue: QueueWriter,
    pub duplicates: csv::Writer<BufWriter<File>>,
    pub duplicate_count: u64,
}

impl Settling {
    /// Settles one part and removes its file.
    pub(super) fn settle(&mut self, part: Partition, folder: &Path) -> Result<(), EnlistError> {
        let path = part.path.clone();
        if part.bytes <= LOAD_BYTES {
            self.settle_loaded(&part).map_err(EnlistError::at(&path))?;
        } else if part.one_host || part.depth >= 60 {
            self.settle_giant(&part).map_err(EnlistError::at(&path))?;
        } else {
            for smaller in split(&part, folder)? {
                self.settle(smaller, folder)?;
            }
        }
        fs::remove_file(&path).map_err(EnlistError::at(&path))
    }

    fn settle_loaded(&mut self, part: &Partition) -> io::Result<()> {
        let bytes = fs::read(&part.path)?;
        let mut loaded = Loaded { bytes: &bytes };
        let duplicates = self.find_duplicates(part.records, &mut loaded)?;
        let mut order = Vec::with_capacity(part.records as usize);
        let mut rest = &bytes[..];
        for ordinal in 0..part.records {
            let at = bytes.len() - rest.len();
            let Some((host, _)) = take_record(&mut rest) else {
                return Err(io::ErrorKind::InvalidData.into());
            };
            if !duplicates.contains(ordinal) {
                order.push((host, at as u32));
            }
        }
        // by host, and within a host in the order of the list
        order.sort_unstable();
        for (_, at) in order {
            let mut rest = &bytes[at as usize..];
            let Some((_, target)) = take_record(&mut rest) else {
                return Err(io::ErrorKind::InvalidData.into());
            };
            self.queue.push(target)?;
        }
        self.queue.end_run()
    }

    fn settle_giant(&mut self, part: &Partition) -> io::Result<()> {
        let mut streamed = Streamed { file: File::open(&part.path)? };
        let duplicates = self.find_duplicates(part.records, &mut streamed)?;
        let queue = &mut self.queue;
        let mut outcome = Ok(());
        streamed.walk(&mut |ordinal, target| {
            if outcome.is_ok() && !duplicates.contains(ordinal) {
                outcome = queue.push(target);
            }
        })?;
        outcome?;
        self.queue.end_run()
    }

    fn find_duplicates(
        &mut self,
        records: u64,
        source: &mut dyn Walk,
    ) -> io::Result<roaring::RoaringTreemap> {
        let writer = &mut self.duplicates;
        let mut outcome = Ok(());
        let found = find_duplicates(records, source, &mut |target, first| {
            if outcome.is_ok() {
                let (line, first) = (target.line.to_string(), first.to_string());
                outcome = write_row(writer, &[&line, target.key, target.url, &first]);
            }
        })?;
        outcome?;
        self.duplicate_count += found.len();
        Ok(found)
    }
}

fn split(part: &Partition, folder: &Path) -> Result<Vec<Partition>, EnlistError> {
    let mut parts = Partitions::new(folder, 4, part.depth);
    let file = File::open(&part.path).map_err(EnlistError::at(&part.path))?;
    let mut records = RecordStream::new(file);
    let mut outcome = Ok(());
    let mut move_on = |bytes: &mut &[u8]| {
        let (host, target) = take_record(bytes)?;
        if outcome.is_ok() {
            outcome = parts.push(host, target);
        }
        Some(())
    };
    while records.visit(&mut move_on).map_err(EnlistError::at(&part.path))? {}
    outcome?;
    parts.finish()
}

struct Loaded<'a> {
    bytes: &'a [u8],
}

impl Walk for Loaded<'_> {
    fn walk(&mut self, visit: &mut dyn FnMut(u64, RawTarget<'_>)) -> io::Result<()> {
        let mut rest = self.bytes;
        let mut ordinal = 0;
        while let Some((_, target)) = take_record(&mut rest) {
            visit(ordinal, target);
            ordinal += 1;
        }
        if rest.is_empty() { Ok(()) } else { Err(io::ErrorKind::InvalidData.into()) }
    }
}

struct Streamed {
    file: File,
}

impl Walk for Streamed {
    fn walk(&mut self, visit: &mut dyn FnMut(u64, RawTarget<'_>)) -> io::Result<()> {
        self.file.rewind()?;
        let mut records = RecordStream::new(&mut self.file);
        let mut ordinal = 0;
        while records.visit(|bytes| take_record(bytes).map(|(_, target)| visit(ordinal, target)))? {
            ordinal += 1;
        }
        Ok(())
    }
}
