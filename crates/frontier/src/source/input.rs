//! Which bytes does a file hold, whatever it is packed in?

use std::{
    io::{self, BufReader, Read},
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
};

use flate2::bufread::MultiGzDecoder;

const CHUNK: usize = 64 * 1024;

/// How far the packed bytes were read.
pub(super) struct Input {
    read: Arc<AtomicU64>,
    pub(super) total_bytes: Option<u64>,
}

impl Input {
    /// The unpacked text of a stream, and the means to ask how much of it was read.
    pub(super) fn open(
        reader: Box<dyn Read + Send>,
        total_bytes: Option<u64>,
    ) -> io::Result<(Input, Box<dyn Read + Send>)> {
        let read = Arc::new(AtomicU64::new(0));
        let mut counted = Counted { reader, read: Arc::clone(&read) };
        let mut magic = Vec::with_capacity(4);
        counted.by_ref().take(4).read_to_end(&mut magic)?;
        let packing = Packing::of(&magic);
        let whole = io::Cursor::new(magic).chain(counted);
        let text: Box<dyn Read + Send> = match packing {
            Packing::None => Box::new(whole),
            Packing::Gzip => Box::new(MultiGzDecoder::new(BufReader::with_capacity(CHUNK, whole))),
            Packing::Zstd => {
                Box::new(zstd::stream::read::Decoder::with_buffer(BufReader::with_capacity(CHUNK, whole))?)
            }
        };
        Ok((Input { read, total_bytes }, text))
    }

    pub(super) fn bytes_read(&self) -> u64 {
        self.read.load(Ordering::Relaxed)
    }
}

enum Packing {
    None,
    Gzip,
    Zstd,
}

impl Packing {
    /// By the first bytes: a name may lie, and standard input has none.
    fn of(magic: &[u8]) -> Packing {
        match magic {
            [0x1f, 0x8b, ..] => Packing::Gzip,
            // a frame, or a skippable frame before it
            [0x28, 0xb5, 0x2f, 0xfd] | [0x50..=0x5f, 0x2a, 0x4d, 0x18] => Packing::Zstd,
            _ => Packing::None,
        }
    }
}

struct Counted {
    reader: Box<dyn Read + Send>,
    read: Arc<AtomicU64>,
}

impl Read for Counted {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let count = self.reader.read(buffer)?;
        self.read.fetch_add(count as u64, Ordering::Relaxed);
        Ok(count)
    }
}
