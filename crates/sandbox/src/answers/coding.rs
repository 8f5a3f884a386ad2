//! How is a body encoded?

use std::io::Write;

use bytes::Bytes;

/// A content encoding.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum Coding {
    Identity,
    Gzip,
    Deflate,
    Brotli,
    Zstd,
}

impl Coding {
    /// Its name in headers.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Coding::Identity => "identity",
            Coding::Gzip => "gzip",
            Coding::Deflate => "deflate",
            Coding::Brotli => "br",
            Coding::Zstd => "zstd",
        }
    }

    /// This coding if the client takes it, otherwise none at all.
    pub(crate) fn if_accepted(self, accept_encoding: &str) -> Coding {
        let mut offers = accept_encoding.split(',').map(|offer| offer.split(';').next().unwrap_or("").trim());
        if offers.any(|offer| offer.eq_ignore_ascii_case(self.name())) { self } else { Coding::Identity }
    }
}

const MEMORY: &str = "a vector takes all that is written to it";

/// `plain` in this coding.
pub(crate) fn encode(coding: Coding, plain: Vec<u8>) -> Bytes {
    let mut wire = Vec::with_capacity(plain.len() / 2);
    match coding {
        Coding::Identity => return plain.into(),
        Coding::Gzip => {
            let mut encoder = flate2::write::GzEncoder::new(&mut wire, flate2::Compression::new(6));
            encoder.write_all(&plain).expect(MEMORY);
            encoder.finish().expect(MEMORY);
        }
        Coding::Deflate => {
            let mut encoder = flate2::write::ZlibEncoder::new(&mut wire, flate2::Compression::new(6));
            encoder.write_all(&plain).expect(MEMORY);
            encoder.finish().expect(MEMORY);
        }
        Coding::Brotli => {
            let mut encoder = brotli::CompressorWriter::new(&mut wire, 4096, 5, 20);
            encoder.write_all(&plain).expect(MEMORY);
            encoder.flush().expect(MEMORY);
        }
        Coding::Zstd => wire = zstd::bulk::compress(&plain, 3).expect(MEMORY),
    }
    wire.into()
}
