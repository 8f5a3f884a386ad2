//! How is one commit laid out on disk, so that a torn one is noticed?

use std::io::{self, Read};

/// A zstd skippable frame's magic; decoders pass over such frames.
const SKIPPABLE_MAGIC: u32 = 0x184D_2A5C;
/// Magic, payload length (8), then the payload: compressed and plain length.
pub(super) const HEADER_BYTES: usize = 16;
/// No block is larger than this when plain: one record over the batch size, with room to spare.
pub(super) const MAX_PLAIN_BYTES: usize = 256 << 20;

/// Compresses `plain` into `out` as one block, replacing what was there.
pub(super) fn seal(
    compressor: &mut zstd::bulk::Compressor<'static>,
    plain: &[u8],
    out: &mut Vec<u8>,
) -> io::Result<()> {
    out.clear();
    out.resize(HEADER_BYTES + zstd::zstd_safe::compress_bound(plain.len()), 0);
    let written = compressor.compress_to_buffer(plain, &mut out[HEADER_BYTES..])?;
    out.truncate(HEADER_BYTES + written);
    out[0..4].copy_from_slice(&SKIPPABLE_MAGIC.to_le_bytes());
    out[4..8].copy_from_slice(&8u32.to_le_bytes());
    out[8..12].copy_from_slice(&length(written)?.to_le_bytes());
    out[12..16].copy_from_slice(&length(plain.len())?.to_le_bytes());
    Ok(())
}

fn length(bytes: usize) -> io::Result<u32> {
    u32::try_from(bytes).ok().filter(|_| bytes <= MAX_PLAIN_BYTES).ok_or_else(|| {
        io::Error::new(io::ErrorKind::InvalidInput, format!("a block of {bytes} bytes is too large"))
    })
}

/// What was found where a block should begin.
pub(super) enum Found {
    /// A whole block of this many bytes on disk; its records are in the buffer.
    Block(u64),
    /// The end of the file.
    End,
    /// Not a whole block: torn or damaged.
    Torn(&'static str),
}

/// Reads blocks one after the other, reusing its buffers.
pub(super) struct Blocks {
    decompressor: zstd::bulk::Decompressor<'static>,
    packed: Vec<u8>,
}

impl Blocks {
    pub(super) fn new() -> io::Result<Blocks> {
        Ok(Blocks { decompressor: zstd::bulk::Decompressor::new()?, packed: Vec::new() })
    }

    /// Reads the next block of `file` into `plain`.
    pub(super) fn read(&mut self, file: &mut impl Read, plain: &mut Vec<u8>) -> io::Result<Found> {
        let mut header = [0; HEADER_BYTES];
        match read_up_to(file, &mut header)? {
            0 => return Ok(Found::End),
            HEADER_BYTES => {}
            _ => return Ok(Found::Torn("the block's header is cut off")),
        }
        let field =
            |at: usize| u32::from_le_bytes([header[at], header[at + 1], header[at + 2], header[at + 3]]);
        if field(0) != SKIPPABLE_MAGIC || field(4) != 8 {
            return Ok(Found::Torn("no block begins here"));
        }
        let (packed_length, plain_length) = (field(8) as usize, field(12) as usize);
        if plain_length > MAX_PLAIN_BYTES || packed_length > zstd::zstd_safe::compress_bound(MAX_PLAIN_BYTES)
        {
            return Ok(Found::Torn("the block's length is impossible"));
        }
        self.packed.clear();
        // take() grows the buffer by what is there, not by what a damaged header claims
        if file.by_ref().take(packed_length as u64).read_to_end(&mut self.packed)? < packed_length {
            return Ok(Found::Torn("the block is cut off"));
        }
        plain.clear();
        plain.reserve(plain_length);
        match self.decompressor.decompress_to_buffer(&self.packed, plain) {
            Ok(length) if length == plain_length => Ok(Found::Block((HEADER_BYTES + packed_length) as u64)),
            _ => Ok(Found::Torn("the block's checksum is wrong")),
        }
    }
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

/// Adds one record to a plain block.
pub(super) fn push_record(plain: &mut Vec<u8>, head: &[u8], body: &[u8]) -> io::Result<()> {
    plain.extend_from_slice(&length(head.len())?.to_le_bytes());
    plain.extend_from_slice(&length(body.len())?.to_le_bytes());
    plain.extend_from_slice(head);
    plain.extend_from_slice(body);
    Ok(())
}

/// The record that begins at `at` of a plain block: its head, its body and where the next one begins.
pub(super) fn record_at(plain: &[u8], at: usize) -> Option<(&[u8], &[u8], usize)> {
    let (head_length, rest) = plain.get(at..)?.split_first_chunk::<4>()?;
    let (body_length, rest) = rest.split_first_chunk::<4>()?;
    let head_length = u32::from_le_bytes(*head_length) as usize;
    let body_length = u32::from_le_bytes(*body_length) as usize;
    let head = rest.get(..head_length)?;
    let body = rest[head_length..].get(..body_length)?;
    Some((head, body, at + 8 + head_length + body_length))
}
