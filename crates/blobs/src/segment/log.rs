//! How does a completion become durable?

use std::{
    fs::{self, File, OpenOptions, TryLockError},
    io::{IoSlice, Seek, SeekFrom, Write},
    path::{Path, PathBuf},
};

use sha2::{Digest, Sha256};

use super::{
    Position, Record, SegmentError,
    block::{Batch, KEPT_BYTES},
    closed_path, hash_path, list, open_path,
    reader::{SegmentReader, hash_prefix, hex},
};
use crate::{sync_folder, write_atomically};

/// When a segment is full, and how it is compressed.
#[derive(Debug, Clone, Copy)]
pub struct Limits {
    /// A segment is closed when its file has reached this size.
    pub max_bytes: u64,
    /// A segment is closed when it has this many records.
    pub max_rows: u64,
    /// The zstd level; bodies mostly arrive compressed, so a low one loses little.
    pub zstd_level: i32,
}

impl Default for Limits {
    fn default() -> Limits {
        Limits { max_bytes: 256 << 20, max_rows: 100_000, zstd_level: 1 }
    }
}

/// The append-only log of a round: the truth about what is done.
///
/// A record is safe from a crash of the process once [`write`](Self::write) has returned, and from a crash of the
/// machine once [`sync`](Self::sync) has. A folder has one log at a time: it is locked for as long as the log is open.
pub struct SegmentLog {
    folder: PathBuf,
    /// The system frees it when the process ends, however it ends.
    _lock: File,
    limits: Limits,
    compressor: zstd::bulk::Compressor<'static>,
    sealed: Vec<u8>,
    open: OpenSegment,
}

struct OpenSegment {
    number: u32,
    path: PathBuf,
    file: File,
    bytes: u64,
    rows: u64,
    hash: Sha256,
}

impl SegmentLog {
    /// Opens the log in `folder`, replays to `visit` each record past `checkpoint`, drops a torn last block, and is
    /// ready to append.
    ///
    /// `checkpoint` must have been synced before it was noted: damage before it is an error, not a torn end.
    pub fn open(
        folder: &Path,
        limits: Limits,
        checkpoint: Position,
        mut visit: impl FnMut(Record<'_>),
    ) -> Result<SegmentLog, SegmentError> {
        fs::create_dir_all(folder).map_err(SegmentError::io(folder))?;
        let lock = lock(folder)?;
        let segments = list(folder)?;
        let has_checkpoint = segments.iter().any(|segment| segment.number == checkpoint.segment);
        if checkpoint.offset > 0 && !has_checkpoint {
            let path = closed_path(folder, checkpoint.segment);
            return Err(SegmentError::Damaged {
                path,
                offset: 0,
                what: "the checkpoint names it and it is gone",
            });
        }
        let mut last_open = None;
        let mut next_number = checkpoint.segment.max(1);
        for segment in segments {
            next_number = segment.number + 1;
            if segment.number < checkpoint.segment {
                continue;
            }
            let from = if segment.number == checkpoint.segment { checkpoint.offset } else { 0 };
            let (end, clean) = replay(&segment.path, from, &mut visit)?;
            if segment.closed {
                clean?;
                continue;
            }
            last_open = Some(OpenSegment::resume(segment.number, &segment.path, end)?);
        }
        let open = match last_open {
            // an open segment that is not the last cannot be: the next is made only after the rename
            Some(open) if open.number + 1 == next_number => open,
            _ => OpenSegment::create(folder, next_number)?,
        };
        let mut compressor =
            zstd::bulk::Compressor::new(limits.zstd_level).map_err(SegmentError::io(folder))?;
        compressor.include_checksum(true).map_err(SegmentError::io(folder))?;
        Ok(SegmentLog {
            folder: folder.to_owned(),
            _lock: lock,
            limits,
            compressor,
            sealed: Vec::new(),
            open,
        })
    }

    /// Writes a batch as one block, empties it, and closes the segment if it is full. Returns where the log now ends.
    pub fn write(&mut self, batch: &mut Batch) -> Result<Position, SegmentError> {
        if batch.records() > 0 {
            self.write_block(batch)?;
        }
        if self.open.bytes >= self.limits.max_bytes || self.open.rows >= self.limits.max_rows {
            self.rotate()?;
        }
        Ok(self.end())
    }

    fn write_block(&mut self, batch: &mut Batch) -> Result<(), SegmentError> {
        let open = &mut self.open;
        let stored =
            batch.seal(&mut self.compressor, &mut self.sealed).map_err(SegmentError::io(&open.path))?;
        write_both(&mut open.file, &self.sealed, stored).map_err(SegmentError::io(&open.path))?;
        open.hash.update(&self.sealed);
        open.hash.update(stored);
        open.bytes += (self.sealed.len() + stored.len()) as u64;
        open.rows += batch.records();
        batch.clear();
        self.sealed.clear();
        self.sealed.shrink_to(KEPT_BYTES);
        Ok(())
    }

    /// Makes everything written so far safe from a crash of the machine.
    pub fn sync(&mut self) -> Result<Position, SegmentError> {
        self.open.file.sync_data().map_err(SegmentError::io(&self.open.path))?;
        Ok(self.end())
    }

    /// The file to sync elsewhere, for who must not wait: a full segment is synced when it is closed anyway.
    pub fn file_to_sync(&self) -> Result<File, SegmentError> {
        self.open.file.try_clone().map_err(SegmentError::io(&self.open.path))
    }

    /// Where the log ends.
    #[must_use]
    pub fn end(&self) -> Position {
        Position { segment: self.open.number, offset: self.open.bytes }
    }

    fn rotate(&mut self) -> Result<(), SegmentError> {
        self.open.close(&self.folder)?;
        self.open = OpenSegment::create(&self.folder, self.open.number + 1)?;
        Ok(())
    }

    /// Closes the last segment; one without a record is removed instead.
    pub fn close(mut self) -> Result<(), SegmentError> {
        if self.open.bytes == 0 {
            return fs::remove_file(&self.open.path).map_err(SegmentError::io(&self.open.path));
        }
        self.open.close(&self.folder)
    }
}

impl OpenSegment {
    fn create(folder: &Path, number: u32) -> Result<OpenSegment, SegmentError> {
        let path = open_path(folder, number);
        let file =
            OpenOptions::new().create_new(true).append(true).open(&path).map_err(SegmentError::io(&path))?;
        sync_folder(folder).map_err(SegmentError::io(folder))?;
        Ok(OpenSegment { number, path, file, bytes: 0, rows: 0, hash: Sha256::new() })
    }

    /// Takes up an open segment at its last whole block; what is torn behind it is cut off.
    ///
    /// All before `end` is read once more: the segment will be closed with a hash, and damage must not be sealed.
    fn resume(number: u32, path: &Path, end: u64) -> Result<OpenSegment, SegmentError> {
        let rows = count_rows(path, end)?;
        let mut file =
            OpenOptions::new().read(true).write(true).open(path).map_err(SegmentError::io(path))?;
        let torn = file.metadata().map_err(SegmentError::io(path))?.len().saturating_sub(end);
        if torn > 0 {
            tracing::warn!(path = %path.display(), offset = end, bytes = torn, "a torn end of the log is cut off");
            file.set_len(end).map_err(SegmentError::io(path))?;
        }
        let hash = hash_prefix(&mut file, end).map_err(SegmentError::io(path))?;
        file.seek(SeekFrom::Start(end)).map_err(SegmentError::io(path))?;
        Ok(OpenSegment { number, path: path.to_owned(), file, bytes: end, rows, hash })
    }

    fn close(&mut self, folder: &Path) -> Result<(), SegmentError> {
        self.file.sync_all().map_err(SegmentError::io(&self.path))?;
        let closed = closed_path(folder, self.number);
        let name = closed.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let line = format!("{}  {name}\n", hex(&std::mem::take(&mut self.hash).finalize()));
        let beside = hash_path(folder, self.number);
        // the hash first: a closed segment always has one
        write_atomically(&beside, line.as_bytes()).map_err(SegmentError::io(&beside))?;
        fs::rename(&self.path, &closed).map_err(SegmentError::io(&closed))?;
        sync_folder(folder).map_err(SegmentError::io(folder))
    }
}

/// Locks a folder against a second log.
fn lock(folder: &Path) -> Result<File, SegmentError> {
    let file = File::open(folder).map_err(SegmentError::io(folder))?;
    match file.try_lock() {
        Ok(()) => Ok(file),
        Err(TryLockError::WouldBlock) => Err(SegmentError::InUse { path: folder.to_owned() }),
        Err(TryLockError::Error(error)) => {
            // some network file systems have no locks; the catalog's lock is there all the same
            tracing::warn!(folder = %folder.display(), %error, "the folder cannot be locked");
            Ok(file)
        }
    }
}

/// Writes one after the other, in one call to the system where it takes both.
fn write_both(file: &mut File, first: &[u8], second: &[u8]) -> std::io::Result<()> {
    let mut written = 0;
    while written < first.len() {
        match file.write_vectored(&[IoSlice::new(&first[written..]), IoSlice::new(second)]) {
            Ok(0) => return Err(std::io::ErrorKind::WriteZero.into()),
            Ok(count) => written += count,
            Err(error) if error.kind() == std::io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    file.write_all(&second[written - first.len()..])
}

/// Visits the records from `from` on; returns the end of the last whole block, and whether the file ends there.
fn replay(
    path: &Path,
    from: u64,
    visit: &mut impl FnMut(Record<'_>),
) -> Result<(u64, Result<(), SegmentError>), SegmentError> {
    let length = fs::metadata(path).map_err(SegmentError::io(path))?.len();
    if length < from {
        let what = "it is shorter than the checkpoint says";
        return Err(SegmentError::Damaged { path: path.to_owned(), offset: length, what });
    }
    let mut reader = SegmentReader::open(path, from)?;
    while let Some(record) = reader.next_record()? {
        visit(record);
    }
    Ok((reader.block_end(), reader.expect_clean_end()))
}

/// How many records stand before `end`, which must be the end of a whole block.
fn count_rows(path: &Path, end: u64) -> Result<u64, SegmentError> {
    let mut reader = SegmentReader::open(path, 0)?;
    let mut rows = 0;
    while reader.block_end() < end || reader.has_more_in_block() {
        if reader.next_record()?.is_none() {
            break;
        }
        rows += 1;
    }
    if reader.block_end() == end {
        return Ok(rows);
    }
    let what = reader.torn().unwrap_or("it ends before the log does");
    Err(SegmentError::Damaged { path: path.to_owned(), offset: reader.block_end(), what })
}
