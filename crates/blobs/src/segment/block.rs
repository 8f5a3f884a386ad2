//! How is one commit laid out on disk, so that a torn one is noticed?
//!
//! A block is a zstd skippable frame that tells the lengths of what follows, a zstd frame with the heads and the bodies
//! that are worth compressing, and, where there are any, a second zstd frame that holds the other bodies as they are:
//! most pages arrive compressed, and compressing them again costs time and gains nothing.

use std::io::{self, Read};

use xxhash_rust::xxh64::Xxh64;

use super::Packing;

/// A zstd skippable frame's magic; decoders pass over such frames.
const SKIPPABLE_MAGIC: u32 = 0x184D_2A5C;
/// A zstd frame's magic.
const FRAME_MAGIC: u32 = 0xFD2F_B528;
/// One segment, a content size of four bytes, a checksum.
const FRAME_DESCRIPTOR: u8 = 0b1010_0100;
/// Magic, descriptor, content size.
const FRAME_HEADER_BYTES: usize = 9;
/// The most that one block of a zstd frame may hold.
const STORED_CHUNK: usize = 128 << 10;
/// The lengths of a record's head and body.
const RECORD_HEADER_BYTES: usize = 8;
/// What an emptied buffer may keep.
pub(super) const KEPT_BYTES: usize = 2 << 20;
/// Magic and payload length, then the payload: the lengths of the packed frame, of its content, of the stored frame and
/// of its content.
const HEADER_BYTES: usize = 24;
/// No block is larger than this when plain: one record over the batch size, with room to spare.
const MAX_PLAIN_BYTES: usize = 256 << 20;
/// In a record's body length: the body is in the stored frame.
const STORED_FLAG: u32 = 1 << 31;

/// The records of one block, gathered anywhere and written by [`SegmentLog::write`](super::SegmentLog::write).
///
/// It copies what it is given: a body is then free where it came in, and the memory it came in can take the next one.
pub struct Batch {
    packed: Vec<u8>,
    stored: StoredFrame,
    records: u64,
}

impl Default for Batch {
    fn default() -> Batch {
        Batch { packed: Vec::new(), stored: StoredFrame::new(), records: 0 }
    }
}

impl Batch {
    /// How many records it holds.
    #[must_use]
    pub fn records(&self) -> u64 {
        self.records
    }

    /// How many bytes it holds.
    #[must_use]
    pub fn bytes(&self) -> usize {
        self.packed.len() + self.stored.bytes.len()
    }

    /// Adds a record. `head` is asked to append the head to the buffer that it is given, and to nothing else in it.
    pub fn push(&mut self, head: impl FnOnce(&mut Vec<u8>), body: &[u8], packing: Packing) -> io::Result<()> {
        let flag = if packing == Packing::Store { STORED_FLAG } else { 0 };
        let body_length = length(body.len())? | flag;
        let at = self.packed.len();
        self.packed.extend_from_slice(&[0; 4]);
        self.packed.extend_from_slice(&body_length.to_le_bytes());
        head(&mut self.packed);
        // one that cannot be written leaves nothing behind
        let head_length =
            length(self.packed.len() - at - RECORD_HEADER_BYTES).inspect_err(|_| self.packed.truncate(at))?;
        self.packed[at..at + 4].copy_from_slice(&head_length.to_le_bytes());
        match packing {
            Packing::Compress => self.packed.extend_from_slice(body),
            Packing::Store => self.stored.push(body),
        }
        self.records += 1;
        Ok(())
    }

    /// Seals the block: what must be written is `head`, then what is returned.
    pub(super) fn seal<'a>(
        &'a mut self,
        compressor: &mut zstd::bulk::Compressor<'static>,
        head: &mut Vec<u8>,
    ) -> io::Result<&'a [u8]> {
        let (stored_plain, stored) = self.stored.finish()?;
        head.clear();
        head.resize(HEADER_BYTES, 0);
        // room that is reserved and not filled costs no memory, and most of it is never needed
        head.reserve(zstd::zstd_safe::compress_bound(self.packed.len()));
        let mut behind_header = io::Cursor::new(&mut *head);
        behind_header.set_position(HEADER_BYTES as u64);
        let packed = compressor.compress_to_buffer(&self.packed, &mut behind_header)?;
        let lengths = [packed, self.packed.len(), stored.len(), stored_plain];
        head[0..4].copy_from_slice(&SKIPPABLE_MAGIC.to_le_bytes());
        head[4..8].copy_from_slice(&16u32.to_le_bytes());
        for (at, bytes) in (8..).step_by(4).zip(lengths) {
            head[at..at + 4].copy_from_slice(&length(bytes)?.to_le_bytes());
        }
        Ok(stored)
    }

    /// Empties it, keeping a little memory: one giant page must not keep its own for the rest of the round.
    pub(super) fn clear(&mut self) {
        self.packed.clear();
        self.packed.shrink_to(KEPT_BYTES);
        self.stored.clear(KEPT_BYTES);
        self.records = 0;
    }
}

/// A zstd frame whose blocks hold their content as it is.
struct StoredFrame {
    bytes: Vec<u8>,
    plain: usize,
    last_block: usize,
    hash: Xxh64,
}

impl StoredFrame {
    fn new() -> StoredFrame {
        StoredFrame { bytes: Vec::new(), plain: 0, last_block: 0, hash: Xxh64::new(0) }
    }

    fn push(&mut self, body: &[u8]) {
        if self.bytes.is_empty() {
            self.bytes.extend_from_slice(&FRAME_MAGIC.to_le_bytes());
            self.bytes.push(FRAME_DESCRIPTOR);
            self.bytes.extend_from_slice(&[0; 4]);
        }
        for chunk in body.chunks(STORED_CHUNK) {
            self.last_block = self.bytes.len();
            // three bytes: not the last, of the kind "raw", this long
            self.bytes.extend_from_slice(&((chunk.len() as u32) << 3).to_le_bytes()[..3]);
            self.bytes.extend_from_slice(chunk);
        }
        self.plain += body.len();
        self.hash.update(body);
    }

    /// The whole frame and the length of its content; nothing where nothing was stored.
    fn finish(&mut self) -> io::Result<(usize, &[u8])> {
        if self.plain == 0 {
            self.bytes.clear();
            return Ok((0, &[]));
        }
        self.bytes[self.last_block] |= 1;
        let size = length(self.plain)?.to_le_bytes();
        self.bytes[FRAME_HEADER_BYTES - 4..FRAME_HEADER_BYTES].copy_from_slice(&size);
        self.bytes.extend_from_slice(&self.hash.digest().to_le_bytes()[..4]);
        Ok((self.plain, &self.bytes))
    }

    fn clear(&mut self, bytes: usize) {
        self.bytes.clear();
        self.bytes.shrink_to(bytes);
        self.plain = 0;
        self.hash = Xxh64::new(0);
    }
}

fn length(bytes: usize) -> io::Result<u32> {
    u32::try_from(bytes).ok().filter(|_| bytes <= MAX_PLAIN_BYTES).ok_or_else(|| {
        io::Error::new(io::ErrorKind::InvalidInput, format!("a block of {bytes} bytes is too large"))
    })
}

/// What was found where a block should begin.
pub(super) enum Found {
    /// A whole block of this many bytes on disk; its records can be read.
    Block(u64),
    /// The end of the file.
    End,
    /// Not a whole block: torn or damaged.
    Torn(&'static str),
}

/// Reads blocks one after the other, reusing its buffers.
pub(super) struct Blocks {
    decompressor: zstd::bulk::Decompressor<'static>,
    frame: Vec<u8>,
    packed: Vec<u8>,
    stored: Vec<u8>,
    next: usize,
    next_stored: usize,
}

impl Blocks {
    pub(super) fn new() -> io::Result<Blocks> {
        let decompressor = zstd::bulk::Decompressor::new()?;
        let (frame, packed, stored) = (Vec::new(), Vec::new(), Vec::new());
        Ok(Blocks { decompressor, frame, packed, stored, next: 0, next_stored: 0 })
    }

    /// Reads the next block of `file`.
    pub(super) fn read(&mut self, file: &mut impl Read) -> io::Result<Found> {
        (self.next, self.next_stored) = (0, 0);
        self.packed.clear();
        self.stored.clear();
        let mut header = [0; HEADER_BYTES];
        match read_up_to(file, &mut header)? {
            0 => return Ok(Found::End),
            HEADER_BYTES => {}
            _ => return Ok(Found::Torn("the block's header is cut off")),
        }
        let field =
            |at: usize| u32::from_le_bytes([header[at], header[at + 1], header[at + 2], header[at + 3]]);
        if field(0) != SKIPPABLE_MAGIC || field(4) != 16 {
            return Ok(Found::Torn("no block begins here"));
        }
        let lengths = [field(8), field(12), field(16), field(20)].map(|length| length as usize);
        if lengths.iter().any(|length| *length > zstd::zstd_safe::compress_bound(MAX_PLAIN_BYTES)) {
            return Ok(Found::Torn("the block's length is impossible"));
        }
        let [packed, packed_plain, stored, stored_plain] = lengths;
        let Blocks { decompressor, frame, packed: heads, stored: bodies, .. } = self;
        let mut torn = read_frame(decompressor, frame, file, packed, packed_plain, heads)?;
        if torn.is_none() {
            torn = read_frame(decompressor, frame, file, stored, stored_plain, bodies)?;
        }
        if let Some(what) = torn {
            heads.clear();
            return Ok(Found::Torn(what));
        }
        Ok(Found::Block((HEADER_BYTES + packed + stored) as u64))
    }

    /// Whether every record of the block was read.
    pub(super) fn is_read(&self) -> bool {
        self.next >= self.packed.len()
    }

    /// The next record of the block: its head and its body; `None` if there is no whole one.
    pub(super) fn next_record(&mut self) -> Option<(&[u8], &[u8])> {
        let (head_length, rest) = self.packed.get(self.next..)?.split_first_chunk::<4>()?;
        let (body_length, rest) = rest.split_first_chunk::<4>()?;
        let head_length = u32::from_le_bytes(*head_length) as usize;
        let body_length = u32::from_le_bytes(*body_length);
        let is_stored = body_length & STORED_FLAG != 0;
        let body_length = (body_length & !STORED_FLAG) as usize;
        let head = rest.get(..head_length)?;
        self.next += RECORD_HEADER_BYTES + head_length;
        let body = if is_stored {
            let body = self.stored.get(self.next_stored..)?.get(..body_length)?;
            self.next_stored += body_length;
            body
        } else {
            let body = rest[head_length..].get(..body_length)?;
            self.next += body_length;
            body
        };
        Some((head, body))
    }
}

/// Reads a frame of `bytes` bytes and its content; what is wrong with it, if something is.
fn read_frame(
    decompressor: &mut zstd::bulk::Decompressor<'static>,
    frame: &mut Vec<u8>,
    file: &mut impl Read,
    bytes: usize,
    plain: usize,
    content: &mut Vec<u8>,
) -> io::Result<Option<&'static str>> {
    frame.clear();
    // take() grows the buffer by what is there, not by what a damaged header claims
    if file.by_ref().take(bytes as u64).read_to_end(frame)? < bytes {
        return Ok(Some("the block is cut off"));
    }
    if bytes == 0 && plain == 0 {
        return Ok(None);
    }
    content.reserve(plain);
    let whole = decompressor.decompress_to_buffer(&frame[..], content).ok() == Some(plain);
    Ok((!whole).then_some("the block's checksum is wrong"))
}

fn read_up_to(file: &mut impl Read, buffer: &mut [u8]) -> io::Result<usize> {
    let mut filled = 0;
    while filled < buffer.len() {
        match file.read(&mut buffer[filled..]) {
            Ok(0) => break,
            Ok(count) => filled += count,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    Ok(filled)
}
