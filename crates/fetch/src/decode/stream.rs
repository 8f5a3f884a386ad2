//! How is a body of any size and any coding decoded in bounded memory?
//!
//! Bytes are pushed in as they come; each coding is a layer that hands its output to the next, and the last layer's
//! output stops at the limit.

use brotli_decompressor::{Allocator, BrotliDecompressStream, BrotliResult, BrotliState, StandardAlloc};
use flate2::{Decompress, FlushDecompress, Status};
use zstd::{
    stream::raw::{DParameter, Decoder as ZstdDecoder, InBuffer, Operation, OutBuffer},
    zstd_safe,
};

use super::{BadEncoding, ContentEncoding, Decoded, whole};

/// What one layer hands to the next at a time.
const STEP_BYTES: usize = 32 * 1024;
/// 8 MiB: what RFC 8878 asks a decoder to support and what browsers allow.
const ZSTD_WINDOW_LOG_MAX: u32 = 23;
/// The largest window that RFC 7932 knows, 16 MiB and some slack. A bomb fills it before its first byte comes out.
const BROTLI_LARGEST_RING: usize = 17 * 1024 * 1024;
/// What a body of half a mebibyte needs.
const BROTLI_SMALL_RING: usize = 1024 * 1024 + 64 * 1024;
/// A body of a million empty members would cost time without ever reaching the output limit.
const MAX_GZIP_MEMBERS: u32 = 1024;
/// An inner layer may see this many times the limit: more is a bomb whose outermost output never comes.
const INNER_LIMIT_FACTOR: usize = 4;

/// Decodes what is pushed into it, up to a limit.
pub(crate) struct StreamDecoder {
    layers: Vec<Layer>,
    sink: Sink,
}

impl StreamDecoder {
    /// A decoder for these codings, the one to undo first at the front.
    pub(crate) fn new(codings: &[ContentEncoding], limit: usize) -> Result<StreamDecoder, BadEncoding> {
        StreamDecoder::with_brotli_ring(codings, limit, BROTLI_LARGEST_RING)
    }

    fn with_brotli_ring(
        codings: &[ContentEncoding],
        limit: usize,
        ring: usize,
    ) -> Result<StreamDecoder, BadEncoding> {
        let layers = codings.iter().map(|coding| Layer::new(*coding, ring)).collect::<Result<_, _>>()?;
        Ok(StreamDecoder { layers, sink: Sink { bytes: Vec::new(), limit, overflowed: false } })
    }

    /// Takes the next bytes; once the limit is passed, none are looked at any more.
    pub(crate) fn push(&mut self, input: &[u8]) -> Result<(), BadEncoding> {
        push_through(&mut self.layers, input, &mut self.sink)
    }

    /// Whether there was more than the limit.
    pub(crate) fn overflowed(&self) -> bool {
        self.sink.overflowed
    }

    /// The body, all of whose bytes were pushed.
    pub(crate) fn finish(self) -> Result<Decoded, BadEncoding> {
        if self.sink.overflowed {
            return Ok(self.into_prefix());
        }
        match self.layers.iter().find(|layer| !layer.codec.may_end_here()) {
            Some(layer) => Err(BadEncoding::EndsEarly(layer.coding)),
            None => Ok(Decoded { bytes: self.sink.bytes, complete: true }),
        }
    }

    /// What was decoded so far of a body that was not pushed to its end.
    pub(crate) fn into_prefix(self) -> Decoded {
        Decoded { bytes: self.sink.bytes, complete: false }
    }
}

/// Decodes a body that is here as a whole.
pub(super) fn decode_at_once(
    wire: &[u8],
    codings: &[ContentEncoding],
    limit: usize,
) -> Result<Decoded, BadEncoding> {
    let mut decoder = StreamDecoder::new(codings, limit)?;
    decoder.push(wire)?;
    decoder.finish()
}

/// Likewise for a body that is whole within the limit and needs no large window; nothing for any other.
pub(super) fn decode_if_small(wire: &[u8], codings: &[ContentEncoding], limit: usize) -> Option<Vec<u8>> {
    let mut decoder = StreamDecoder::with_brotli_ring(codings, limit, BROTLI_SMALL_RING).ok()?;
    decoder.push(wire).ok()?;
    decoder.finish().ok().filter(|decoded| decoded.complete).map(|decoded| decoded.bytes)
}

/// The decoded bytes, which stop at the limit.
struct Sink {
    bytes: Vec<u8>,
    limit: usize,
    overflowed: bool,
}

impl Sink {
    fn take(&mut self, input: &[u8]) {
        let room = self.limit - self.bytes.len();
        let kept = &input[..input.len().min(room)];
        self.overflowed = kept.len() < input.len();
        let needed = self.bytes.len() + kept.len();
        if needed > self.bytes.capacity() {
            // Doubling, but never past the limit: a bomb must not cost twice its cap.
            let goal = (self.bytes.capacity() * 2).max(needed).min(self.limit);
            self.bytes.reserve_exact(goal - self.bytes.len());
        }
        self.bytes.extend_from_slice(kept);
    }
}

struct Layer {
    coding: ContentEncoding,
    codec: Codec,
    scratch: Box<[u8]>,
    handed_on: usize,
}

impl Layer {
    fn new(coding: ContentEncoding, brotli_ring: usize) -> Result<Layer, BadEncoding> {
        let codec = Codec::new(coding, brotli_ring)?;
        Ok(Layer { coding, codec, scratch: vec![0; STEP_BYTES].into_boxed_slice(), handed_on: 0 })
    }
}

fn push_through(layers: &mut [Layer], mut input: &[u8], sink: &mut Sink) -> Result<(), BadEncoding> {
    let Some((layer, inner)) = layers.split_first_mut() else {
        sink.take(input);
        return Ok(());
    };
    while !sink.overflowed {
        let (read, written) =
            layer.codec.step(input, &mut layer.scratch).ok_or(BadEncoding::Corrupt(layer.coding))?;
        input = &input[read..];
        if written > 0 {
            push_through(inner, &layer.scratch[..written], sink)?;
            layer.handed_on = layer.handed_on.saturating_add(written);
            if !inner.is_empty() && layer.handed_on / INNER_LIMIT_FACTOR > sink.limit {
                sink.overflowed = true;
            }
        }
        let starved = input.is_empty() && written < layer.scratch.len();
        if starved || (read == 0 && written == 0) {
            break;
        }
    }
    Ok(())
}

type Brotli = BrotliState<BoundedAlloc, StandardAlloc, StandardAlloc>;

/// Refuses large pieces of memory, of which a brotli decoder wants only one: its window.
struct BoundedAlloc {
    largest: usize,
}

impl Allocator<u8> for BoundedAlloc {
    type AllocatedMemory = <StandardAlloc as Allocator<u8>>::AllocatedMemory;

    fn alloc_cell(&mut self, bytes: usize) -> Self::AllocatedMemory {
        // The decoder takes an empty piece for "no memory" and gives up with an error.
        if bytes > self.largest {
            Self::AllocatedMemory::default()
        } else {
            StandardAlloc::default().alloc_cell(bytes)
        }
    }

    fn free_cell(&mut self, _: Self::AllocatedMemory) {}
}

/// One coding's decoder, as its library gives it, and whether its stream has ended.
enum Codec {
    Gzip {
        member: Decompress,
        members: u32,
        ended: bool,
    },
    /// Which of the two deflate formats it is shows in the first two bytes, which may come one at a time.
    UnknownDeflate {
        held: Vec<u8>,
    },
    Deflate {
        stream: Decompress,
        ended: bool,
    },
    Brotli {
        state: Box<Brotli>,
        ended: bool,
    },
    Zstd {
        stream: Box<ZstdDecoder<'static>>,
        ended: bool,
    },
}

impl Codec {
    fn new(coding: ContentEncoding, brotli_ring: usize) -> Result<Codec, BadEncoding> {
        Ok(match coding {
            ContentEncoding::Identity => return Err(BadEncoding::Unknown),
            ContentEncoding::Gzip => {
                Codec::Gzip { member: Decompress::new_gzip(15), members: 1, ended: false }
            }
            ContentEncoding::Deflate => Codec::UnknownDeflate { held: Vec::new() },
            ContentEncoding::Br => {
                // Strict: no "large window", whose gigabyte an attacker would gladly have us allocate.
                let state = BrotliState::new_strict(
                    BoundedAlloc { largest: brotli_ring },
                    StandardAlloc::default(),
                    StandardAlloc::default(),
                );
                Codec::Brotli { state: Box::new(state), ended: false }
            }
            ContentEncoding::Zstd => {
                let refused = |_| BadEncoding::Corrupt(coding);
                let mut stream = ZstdDecoder::new().map_err(refused)?;
                stream.set_parameter(DParameter::WindowLogMax(ZSTD_WINDOW_LOG_MAX)).map_err(refused)?;
                Codec::Zstd { stream: Box::new(stream), ended: false }
            }
        })
    }

    /// Whether a body may stop after the bytes that were seen.
    fn may_end_here(&self) -> bool {
        match self {
            Codec::UnknownDeflate { .. } => false,
            Codec::Gzip { ended, .. }
            | Codec::Deflate { ended, .. }
            | Codec::Brotli { ended, .. }
            | Codec::Zstd { ended, .. } => *ended,
        }
    }

    /// Reads some input and writes some output: how much of each, or nothing where the input is corrupt. Bytes after
    /// the stream's end are passed over, as browsers do.
    fn step(&mut self, input: &[u8], output: &mut [u8]) -> Option<(usize, usize)> {
        match self {
            Codec::Gzip { member, members, ended } => {
                if *ended {
                    let magic = &whole::GZIP_MAGIC[..input.len().min(2)];
                    if input.is_empty() || !input.starts_with(magic) {
                        return Some((input.len(), 0));
                    }
                    *members += 1;
                    if *members > MAX_GZIP_MEMBERS {
                        return None;
                    }
                    *member = Decompress::new_gzip(15);
                    *ended = false;
                }
                step_deflate(member, ended, input, output)
            }
            Codec::UnknownDeflate { held } => {
                let taken = input.len().min(2 - held.len());
                held.extend_from_slice(&input[..taken]);
                if held.len() < 2 {
                    return Some((taken, 0));
                }
                let mut stream = Decompress::new(whole::has_zlib_header(held));
                let mut ended = false;
                // Two bytes hold no more than one block's header, so they are always read whole.
                let (_, written) = step_deflate(&mut stream, &mut ended, held, output)?;
                *self = Codec::Deflate { stream, ended };
                Some((taken, written))
            }
            Codec::Deflate { ended: true, .. } | Codec::Brotli { ended: true, .. } => Some((input.len(), 0)),
            Codec::Deflate { stream, ended } => step_deflate(stream, ended, input, output),
            Codec::Brotli { state, ended } => step_brotli(state, ended, input, output),
            // A further frame starts with 28, one to be skipped with 50 to 5F.
            Codec::Zstd { ended: true, .. } if !matches!(input, [0x28 | 0x50..=0x5f, ..]) => {
                Some((input.len(), 0))
            }
            Codec::Zstd { stream, ended } => step_zstd(stream, ended, input, output),
        }
    }
}

fn step_deflate(
    stream: &mut Decompress,
    ended: &mut bool,
    input: &[u8],
    output: &mut [u8],
) -> Option<(usize, usize)> {
    let (read_before, written_before) = (stream.total_in(), stream.total_out());
    let status = stream.decompress(input, output, FlushDecompress::None).ok()?;
    *ended = status == Status::StreamEnd;
    let read = usize::try_from(stream.total_in() - read_before).ok()?;
    let written = usize::try_from(stream.total_out() - written_before).ok()?;
    Some((read, written))
}

fn step_brotli(
    state: &mut Brotli,
    ended: &mut bool,
    input: &[u8],
    output: &mut [u8],
) -> Option<(usize, usize)> {
    let (mut input_left, mut read, mut output_left, mut written, mut total) =
        (input.len(), 0, output.len(), 0, 0);
    let result = BrotliDecompressStream(
        &mut input_left,
        &mut read,
        input,
        &mut output_left,
        &mut written,
        output,
        &mut total,
        state,
    );
    match result {
        BrotliResult::ResultFailure => return None,
        BrotliResult::ResultSuccess => *ended = true,
        BrotliResult::NeedsMoreInput | BrotliResult::NeedsMoreOutput => {}
    }
    Some((read, written))
}

fn step_zstd(
    stream: &mut ZstdDecoder<'static>,
    ended: &mut bool,
    input: &[u8],
    output: &mut [u8],
) -> Option<(usize, usize)> {
    let mut from = InBuffer { src: input, pos: 0 };
    let mut to: OutBuffer<'_, [u8]> = zstd_safe::OutBuffer::around(output);
    let still_expected = stream.run(&mut from, &mut to).ok()?;
    *ended = still_expected == 0;
    Some((from.pos, to.pos()))
}
