//! How is a whole body inflated with one call?

use std::cell::RefCell;

use libdeflater::{DecompressionError, Decompressor};
use memchr::memmem;

use super::spare;

/// What every gzip member starts with: the two identifying bytes and the only method there is.
pub(super) const GZIP_MAGIC: [u8; 3] = [0x1f, 0x8b, 8];
/// A header without options and a trailer.
const GZIP_SHORTEST: usize = 18;
/// Deflate cannot expand by more, so a size beyond it is a lie.
const DEFLATE_MAX_RATIO: usize = 1032;
/// A buffer up to this size may be larger than what is in it: it will be used again.
const MAX_SLACK: usize = 256 << 10;

thread_local! {
    // Its tables are 11 KB; making them anew for each page shows in a profile.
    static INFLATER: RefCell<Decompressor> = RefCell::new(Decompressor::new());
}

/// The size that a gzip body claims in its last four bytes, where it is possible at all.
pub(super) fn claimed_size(wire: &[u8]) -> Option<usize> {
    if wire.len() < GZIP_SHORTEST {
        return None;
    }
    let size = u32::from_le_bytes(*wire.last_chunk()?) as usize;
    (size <= wire.len().saturating_mul(DEFLATE_MAX_RATIO)).then_some(size)
}

/// The decoded body, or nothing where only the streaming decoder can tell: several members, a wrong size, more than the
/// limit, corrupt data.
pub(super) fn gunzip(wire: &[u8], limit: usize) -> Option<Vec<u8>> {
    let size = claimed_size(wire).filter(|size| *size <= limit)?;
    // libdeflate stops at the first member's end without saying where that was.
    if memmem::find(&wire[GZIP_SHORTEST..], &GZIP_MAGIC).is_some() {
        return None;
    }
    inflate_into(size, |inflater, out| inflater.gzip_decompress(wire, out)).ok()
}

/// Likewise for a deflate body, with its zlib header or without; it does not claim a size.
pub(super) fn inflate(wire: &[u8], limit: usize) -> Option<Vec<u8>> {
    let usual = wire.len().saturating_mul(8).max(4096).min(limit);
    for size in [usual, limit] {
        let result = inflate_into(size, |inflater, out| {
            if has_zlib_header(wire) {
                inflater.zlib_decompress(wire, out)
            } else {
                inflater.deflate_decompress(wire, out)
            }
        });
        match result {
            Ok(bytes) => return Some(bytes),
            Err(DecompressionError::InsufficientSpace) => {}
            Err(DecompressionError::BadData) => return None,
        }
    }
    None
}

/// Whether these bytes start as RFC 1950 prescribes: deflate, and a checksum over both bytes.
pub(super) fn has_zlib_header(wire: &[u8]) -> bool {
    matches!(wire, [cmf, flags, ..] if cmf & 0x0f == 8 && u16::from_be_bytes([*cmf, *flags]) % 31 == 0)
}

fn inflate_into(
    size: usize,
    inflate: impl FnOnce(&mut Decompressor, &mut [u8]) -> Result<usize, DecompressionError>,
) -> Result<Vec<u8>, DecompressionError> {
    let mut out = spare::take_for_decoded(size);
    let written = INFLATER.with_borrow_mut(|inflater| inflate(inflater, &mut out))?;
    out.truncate(written);
    if out.capacity() > MAX_SLACK.max(written / 3 * 4) {
        out.shrink_to_fit();
    }
    Ok(out)
}
