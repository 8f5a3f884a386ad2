//! What did the server compress, and how is it read within bounds?
//!
//! Pure and synchronous: later stages decode stored bodies with the same [`decode`]. A whole gzip or deflate body, which
//! is nearly every body there is, costs one call of libdeflate; all else goes through [`stream`], whose output and
//! window are bounded whatever the input claims.

mod spare;
mod stream;
mod whole;

pub(crate) use spare::{lend_decoded, lend_wire, take_for_wire};

use std::fmt;

pub(crate) use stream::StreamDecoder;

/// More codings than this on one body serve nobody but an attacker.
const MAX_CODINGS: usize = 3;

/// How the bytes of a body are encoded.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum ContentEncoding {
    /// As they are.
    #[default]
    Identity,
    /// RFC 1952, one member or several.
    Gzip,
    /// RFC 7932.
    Br,
    /// RFC 8878.
    Zstd,
    /// RFC 1950, or the bare RFC 1951 that some servers send under the same name.
    Deflate,
}

impl ContentEncoding {
    /// The name in a `Content-Encoding` header and in a stored capture.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            ContentEncoding::Identity => "identity",
            ContentEncoding::Gzip => "gzip",
            ContentEncoding::Br => "br",
            ContentEncoding::Zstd => "zstd",
            ContentEncoding::Deflate => "deflate",
        }
    }

    /// The coding of this name, in any case; `x-gzip` is gzip.
    #[must_use]
    pub fn by_name(name: &str) -> Option<ContentEncoding> {
        const NAMES: [(&str, ContentEncoding); 7] = [
            ("identity", ContentEncoding::Identity),
            ("gzip", ContentEncoding::Gzip),
            ("x-gzip", ContentEncoding::Gzip),
            ("br", ContentEncoding::Br),
            ("zstd", ContentEncoding::Zstd),
            ("deflate", ContentEncoding::Deflate),
            ("none", ContentEncoding::Identity),
        ];
        NAMES.iter().find(|(known, _)| name.eq_ignore_ascii_case(known)).map(|(_, coding)| *coding)
    }
}

impl fmt::Display for ContentEncoding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// A body after decoding.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Decoded {
    /// The bytes, at most as many as the limit.
    pub bytes: Vec<u8>,
    /// Whether that is all of them; otherwise they were cut at the limit.
    pub complete: bool,
}

/// Why a body cannot be decoded.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum BadEncoding {
    /// A coding that we do not offer.
    #[error("unknown content encoding")]
    Unknown,
    /// Too long a list of codings.
    #[error("more than {MAX_CODINGS} content encodings")]
    TooMany,
    /// The bytes are not what the coding prescribes, or a checksum does not hold.
    #[error("corrupt {0} data")]
    Corrupt(ContentEncoding),
    /// The bytes stop before the coding's own end.
    #[error("{0} data ends early")]
    EndsEarly(ContentEncoding),
}

/// Decodes a whole body, keeping at most `limit` bytes.
///
/// # Errors
/// Where the bytes are corrupt or end early. What lies past the limit is not looked at, so it cannot fail.
pub fn decode(wire: &[u8], coding: ContentEncoding, limit: usize) -> Result<Decoded, BadEncoding> {
    let quick = match coding {
        ContentEncoding::Identity => {
            let kept = &wire[..wire.len().min(limit)];
            return Ok(Decoded { bytes: kept.to_vec(), complete: kept.len() == wire.len() });
        }
        ContentEncoding::Gzip => whole::gunzip(wire, limit),
        ContentEncoding::Deflate => whole::inflate(wire, limit),
        ContentEncoding::Br | ContentEncoding::Zstd => None,
    };
    match quick {
        Some(bytes) => Ok(Decoded { bytes, complete: true }),
        None => stream::decode_at_once(wire, &[coding], limit),
    }
}

/// The codings of a body in the order in which they must be undone.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct Codings(Vec<ContentEncoding>);

impl Codings {
    /// Reads `Content-Encoding` headers: each a comma-separated list, in the order in which the codings were applied.
    pub(crate) fn from_headers<'a>(values: impl Iterator<Item = &'a [u8]>) -> Result<Codings, BadEncoding> {
        let mut applied = Vec::new();
        for value in values {
            let value = std::str::from_utf8(value).map_err(|_| BadEncoding::Unknown)?;
            for name in value.split(',').map(str::trim).filter(|name| !name.is_empty()) {
                match ContentEncoding::by_name(name).ok_or(BadEncoding::Unknown)? {
                    ContentEncoding::Identity => {}
                    _ if applied.len() == MAX_CODINGS => return Err(BadEncoding::TooMany),
                    coding => applied.push(coding),
                }
            }
        }
        applied.reverse();
        Ok(Codings(applied))
    }

    /// The codings that a body starting with these bytes really has: many a misconfigured server labels plain text as
    /// gzip, and browsers show it.
    pub(crate) fn believed_for(self, wire: &[u8]) -> Codings {
        let mislabelled = self.0 == [ContentEncoding::Gzip] && !wire.starts_with(&whole::GZIP_MAGIC[..2]);
        if wire.is_empty() || mislabelled { Codings::default() } else { self }
    }

    pub(crate) fn is_identity(&self) -> bool {
        self.0.is_empty()
    }

    /// The coding under which the wire bytes can be stored; a body with several is stored decoded.
    pub(crate) fn single(&self) -> Option<ContentEncoding> {
        match self.0[..] {
            [coding] => Some(coding),
            _ => None,
        }
    }

    /// The decoded body where it is whole within `limit` and takes little memory besides. All else, be it large or
    /// corrupt, is for [`Codings::decode`] to judge, which may take as much as a window of 16 MiB.
    pub(crate) fn decode_if_small(&self, wire: &[u8], limit: usize) -> Option<Vec<u8>> {
        match self.0[..] {
            [ContentEncoding::Gzip] => whole::gunzip(wire, limit),
            [ContentEncoding::Deflate] => whole::inflate(wire, limit),
            _ => stream::decode_if_small(wire, &self.0, limit),
        }
    }

    pub(crate) fn decode(&self, wire: &[u8], limit: usize) -> Result<Decoded, BadEncoding> {
        match self.0[..] {
            [] => decode(wire, ContentEncoding::Identity, limit),
            [coding] => decode(wire, coding, limit),
            _ => stream::decode_at_once(wire, &self.0, limit),
        }
    }

    pub(crate) fn stream(&self, limit: usize) -> Result<StreamDecoder, BadEncoding> {
        StreamDecoder::new(&self.0, limit)
    }
}

#[cfg(test)]
mod tests;
