//! What does a segment hold?

use std::{
    fs::File,
    io::{BufReader, Read, Seek, SeekFrom},
    path::{Path, PathBuf},
};

use sha2::{Digest, Sha256};

use super::{
    SegmentError,
    block::{Blocks, Found},
};

/// One record of a segment.
#[derive(Debug, Clone, Copy)]
pub struct Record<'a> {
    /// The head, as it was appended.
    pub head: &'a [u8],
    /// The body, as it was appended.
    pub body: &'a [u8],
}

/// Reads the records of a segment, open or closed, one block in memory at a time.
pub struct SegmentReader {
    path: PathBuf,
    file: BufReader<File>,
    blocks: Blocks,
    /// The end of the last whole block that was read.
    block_end: u64,
    torn: Option<&'static str>,
}

impl SegmentReader {
    /// Opens a segment at the start of a block: 0, or a position that the log gave.
    pub fn open(path: &Path, offset: u64) -> Result<SegmentReader, SegmentError> {
        let mut file = File::open(path).map_err(SegmentError::io(path))?;
        file.seek(SeekFrom::Start(offset)).map_err(SegmentError::io(path))?;
        Ok(SegmentReader {
            path: path.to_owned(),
            file: BufReader::with_capacity(256 << 10, file),
            blocks: Blocks::new().map_err(SegmentError::io(path))?,
            block_end: offset,
            torn: None,
        })
    }

    /// The next record, or `None` at the end. A torn last block is the end: ask [`Self::torn`] whether there was one.
    pub fn next_record(&mut self) -> Result<Option<Record<'_>>, SegmentError> {
        while self.blocks.is_read() {
            if !self.read_block()? {
                return Ok(None);
            }
        }
        let damaged = SegmentError::Damaged {
            path: self.path.clone(),
            offset: self.block_end,
            what: "the block before here holds a broken record",
        };
        let (head, body) = self.blocks.next_record().ok_or(damaged)?;
        Ok(Some(Record { head, body }))
    }

    fn read_block(&mut self) -> Result<bool, SegmentError> {
        if self.torn.is_some() {
            return Ok(false);
        }
        match self.blocks.read(&mut self.file).map_err(SegmentError::io(&self.path))? {
            Found::Block(bytes) => {
                self.block_end += bytes;
                Ok(true)
            }
            Found::End => Ok(false),
            Found::Torn(what) => {
                self.torn = Some(what);
                Ok(false)
            }
        }
    }

    /// Whether the block that was read last has records that were not.
    #[must_use]
    pub fn has_more_in_block(&self) -> bool {
        !self.blocks.is_read()
    }

    /// The end of the last whole block that was read.
    #[must_use]
    pub fn block_end(&self) -> u64 {
        self.block_end
    }

    /// What is wrong behind the last whole block, if something is.
    #[must_use]
    pub fn torn(&self) -> Option<&'static str> {
        self.torn
    }

    /// An error if the segment did not end cleanly: a closed one must.
    pub fn expect_clean_end(&self) -> Result<(), SegmentError> {
        match self.torn {
            None => Ok(()),
            Some(what) => {
                Err(SegmentError::Damaged { path: self.path.clone(), offset: self.block_end, what })
            }
        }
    }
}

/// Checks a closed segment against the hash beside it, and returns the hash.
pub fn verify_hash(path: &Path) -> Result<String, SegmentError> {
    let beside = super::hash_file(path);
    let noted = std::fs::read_to_string(&beside).map_err(SegmentError::io(&beside))?;
    let expected = noted.split_whitespace().next().unwrap_or_default().to_owned();
    let mut file = File::open(path).map_err(SegmentError::io(path))?;
    let found = hex(&hash_prefix(&mut file, u64::MAX).map_err(SegmentError::io(path))?.finalize());
    if found == expected {
        return Ok(found);
    }
    Err(SegmentError::WrongHash { path: path.to_owned(), expected, found })
}

/// The hash state after the first `length` bytes of a file.
pub(super) fn hash_prefix(file: &mut File, length: u64) -> std::io::Result<Sha256> {
    let mut hash = Sha256::new();
    let mut rest = file.take(length);
    let mut buffer = vec![0; 256 << 10];
    loop {
        match rest.read(&mut buffer)? {
            0 => return Ok(hash),
            count => hash.update(&buffer[..count]),
        }
    }
}

pub(super) fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}
