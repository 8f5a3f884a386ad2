//! How does a small answer become a large one?
//!
//! Each bomb is a stream of one unit, repeated: it takes no memory here however large it decodes.

use std::io::Write;

use bytes::Bytes;

use super::{Answer, Ask, Coding, Step, reply::head};
use crate::{
    Behaviour, Site,
    site::{Expect, Promises},
};

/// What one unit decodes to: a mebibyte of spaces.
const UNIT_BYTES: usize = 1 << 20;
const MEMORY: &str = "a vector takes all that is written to it";

pub(super) fn promise(site: &Site) -> Promises {
    let mut promises = Promises::default();
    promises.target(site, "/", Expect { truncated: true, ..Expect::captured() });
    promises
}

pub(super) fn answer(site: &Site, ask: Ask<'_>) -> Answer {
    let coding = match site.behaviour {
        Behaviour::GzipBomb => Coding::Gzip,
        Behaviour::DeflateBomb => Coding::Deflate,
        Behaviour::BrotliBomb => Coding::Brotli,
        Behaviour::ZstdBomb => Coding::Zstd,
        _ => return infinite(),
    };
    let Bomb { prefix, unit, times, tail } = bomb(coding, ask.bomb_bytes);
    let length = prefix.len() as u64 + unit.len() as u64 * times + tail.len() as u64;
    let mut start = head(
        200,
        &[
            ("Content-Type", "text/html; charset=utf-8".into()),
            ("Content-Encoding", coding.name().into()),
            ("Content-Length", length.to_string().into()),
            ("Connection", "close".into()),
        ],
    );
    start.extend_from_slice(b"\r\n");
    start.extend_from_slice(&prefix);
    Answer::steps(200, vec![Step::Send(start.into()), Step::Repeat(unit, times), Step::Send(tail)])
}

fn infinite() -> Answer {
    let mut start = head(200, &[("Content-Type", "text/html; charset=utf-8".into())]);
    start.extend_from_slice(b"Transfer-Encoding: chunked\r\n\r\n");
    let mut chunk = b"10000\r\n".to_vec();
    chunk.extend(b"<p>and so on, and so on, </p>\r\n\r\n".iter().cycle().take(0x10000));
    chunk.extend_from_slice(b"\r\n");
    Answer::steps(200, vec![Step::Send(start.into()), Step::Repeat(chunk.into(), u64::MAX)])
}

/// A stream that is valid to its end: `prefix`, so many times `unit`, `tail`.
pub(super) struct Bomb {
    pub(super) prefix: Bytes,
    pub(super) unit: Bytes,
    pub(super) times: u64,
    pub(super) tail: Bytes,
}

/// A bomb that decodes to `bytes` spaces, rounded down to whole units; at least one.
pub(super) fn bomb(coding: Coding, bytes: u64) -> Bomb {
    let units = (bytes / UNIT_BYTES as u64).max(1);
    match coding {
        Coding::Brotli => brotli_bomb(units),
        Coding::Zstd => zstd_bomb(units),
        Coding::Deflate => {
            let tail = [DEFLATE_END, &adler32_of_spaces(units * UNIT_BYTES as u64).to_be_bytes()].concat();
            Bomb {
                prefix: Bytes::from_static(b"\x78\x9c"),
                unit: deflate_unit(),
                times: units,
                tail: tail.into(),
            }
        }
        Coding::Gzip | Coding::Identity => {
            let mut of_unit = flate2::Crc::new();
            of_unit.update(&vec![b' '; UNIT_BYTES]);
            let mut crc = flate2::Crc::new();
            (0..units).for_each(|_| crc.combine(&of_unit));
            let size = (units * UNIT_BYTES as u64) as u32;
            let tail = [DEFLATE_END, &crc.sum().to_le_bytes(), &size.to_le_bytes()].concat();
            let prefix = Bytes::from_static(b"\x1f\x8b\x08\x00\x00\x00\x00\x00\x00\xff");
            Bomb { prefix, unit: deflate_unit(), times: units, tail: tail.into() }
        }
    }
}

/// An empty last block of deflate with fixed codes.
const DEFLATE_END: &[u8] = b"\x03\x00";

/// A unit that a full flush ends: it refers to nothing before it, so it can be repeated.
fn deflate_unit() -> Bytes {
    let mut deflate = flate2::Compress::new(flate2::Compression::best(), false);
    let mut unit = Vec::with_capacity(1 << 16);
    deflate.compress_vec(&vec![b' '; UNIT_BYTES], &mut unit, flate2::FlushCompress::Full).expect(MEMORY);
    unit.into()
}

fn adler32_of_spaces(count: u64) -> u32 {
    const BASE: u128 = 65_521;
    let count = u128::from(count);
    let space = u128::from(b' ');
    let low = (1 + space * count) % BASE;
    let high = (count + space * count * (count + 1) / 2) % BASE;
    ((high << 16) | low) as u32
}

/// Run-length blocks are four bytes each in zstd; the frame is written by hand, because an encoder would want the data.
fn zstd_bomb(units: u64) -> Bomb {
    const BLOCK_BYTES: u32 = 128 << 10;
    const RUN_LENGTH: u32 = 1 << 1;
    // Magic number, no frame flags, a window of 128 KiB.
    let prefix = Bytes::from_static(b"\x28\xb5\x2f\xfd\x00\x38");
    let header = ((BLOCK_BYTES << 3) | RUN_LENGTH).to_le_bytes();
    let block = [header[0], header[1], header[2], b' '];
    let unit = block.repeat(UNIT_BYTES / BLOCK_BYTES as usize);
    // A last raw block of no bytes.
    Bomb { prefix, unit: unit.into(), times: units, tail: Bytes::from_static(b"\x01\x00\x00") }
}

/// After its first unit, brotli's encoder says the same about each further one: a copy from the last distance.
fn brotli_bomb(units: u64) -> Bomb {
    let mut wire = Vec::new();
    let mut ends = [0; 3];
    {
        let mut encoder = brotli::CompressorWriter::new(&mut wire, 1 << 16, 5, 18);
        for end in &mut ends {
            encoder.write_all(&vec![b' '; UNIT_BYTES]).expect(MEMORY);
            encoder.flush().expect(MEMORY);
            *end = encoder.get_ref().len();
        }
    }
    let tail = Bytes::copy_from_slice(&wire[ends[2]..]);
    let prefix = Bytes::copy_from_slice(&wire[..ends[0]]);
    let unit = Bytes::copy_from_slice(&wire[ends[1]..ends[2]]);
    Bomb { prefix, unit, times: units - 1, tail }
}

#[cfg(test)]
mod tests {
    use std::io::Read;

    use super::*;

    #[test]
    fn every_bomb_is_a_valid_stream_of_the_promised_length() {
        for coding in [Coding::Gzip, Coding::Deflate, Coding::Brotli, Coding::Zstd] {
            for units in [1, 2, 9] {
                let Bomb { prefix, unit, times, tail } = bomb(coding, units << 20);
                let mut wire = prefix.to_vec();
                (0..times).for_each(|_| wire.extend_from_slice(&unit));
                wire.extend_from_slice(&tail);
                let mut plain = Vec::new();
                match coding {
                    Coding::Gzip => flate2::read::GzDecoder::new(&wire[..])
                        .read_to_end(&mut plain)
                        .expect("a valid stream"),
                    Coding::Deflate => flate2::read::ZlibDecoder::new(&wire[..])
                        .read_to_end(&mut plain)
                        .expect("a valid stream"),
                    Coding::Brotli => brotli::Decompressor::new(&wire[..], 4096)
                        .read_to_end(&mut plain)
                        .expect("a valid stream"),
                    _ => zstd::stream::read::Decoder::new(&wire[..])
                        .expect("a valid stream")
                        .read_to_end(&mut plain)
                        .expect("a valid stream"),
                };
                assert_eq!(plain.len() as u64, units << 20, "{coding:?}");
                assert!(plain.iter().all(|byte| *byte == b' '), "{coding:?}");
                assert!((wire.len() as u64) < (units << 20) / 500, "{coding:?}: {} bytes", wire.len());
            }
        }
    }
}
