//! How is a target kept on disk, compactly?

use std::io::{self, Read};

/// A target before it has a place: borrowed from a buffer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct RawTarget<'a> {
    pub line: u64,
    pub key: &'a str,
    pub url: &'a str,
}

/// No field is longer than a line of a list may be; a larger number means a damaged file.
const MAX_FIELD_BYTES: usize = 1 << 20;

pub(crate) fn push_number(out: &mut Vec<u8>, mut number: u64) {
    while number >= 0x80 {
        out.push(number as u8 | 0x80);
        number >>= 7;
    }
    out.push(number as u8);
}

pub(crate) fn push_text(out: &mut Vec<u8>, text: &str) {
    push_number(out, text.len() as u64);
    out.extend_from_slice(text.as_bytes());
}

pub(crate) fn push_target(out: &mut Vec<u8>, target: RawTarget<'_>) {
    push_number(out, target.line);
    push_text(out, target.key);
    push_text(out, target.url);
}

pub(crate) fn take_number(bytes: &mut &[u8]) -> Option<u64> {
    let mut number = 0;
    for shift in (0..64).step_by(7) {
        let (byte, rest) = bytes.split_first()?;
        *bytes = rest;
        number |= u64::from(byte & 0x7f) << shift;
        if byte & 0x80 == 0 {
            return Some(number);
        }
    }
    None
}

pub(crate) fn take_text<'a>(bytes: &mut &'a [u8]) -> Option<&'a str> {
    let length = usize::try_from(take_number(bytes)?).ok().filter(|length| *length <= MAX_FIELD_BYTES)?;
    let (text, rest) = bytes.split_at_checked(length)?;
    *bytes = rest;
    std::str::from_utf8(text).ok()
}

/// The next target of a buffer; `None`, with the buffer as it was, if it does not hold a whole one.
pub(crate) fn take_target<'a>(bytes: &mut &'a [u8]) -> Option<RawTarget<'a>> {
    let mut rest = *bytes;
    let target =
        RawTarget { line: take_number(&mut rest)?, key: take_text(&mut rest)?, url: take_text(&mut rest)? };
    *bytes = rest;
    Some(target)
}

/// Reads a file of length-prefixed records through one reused buffer.
pub(crate) struct RecordStream<R> {
    file: R,
    buffer: Vec<u8>,
    start: usize,
    ended: bool,
}

impl<R: Read> RecordStream<R> {
    pub(crate) fn new(file: R) -> RecordStream<R> {
        RecordStream { file, buffer: Vec::with_capacity(CHUNK), start: 0, ended: false }
    }

    /// Lets `take` have the next whole record, reading more until there is one. False at the end of the file.
    ///
    /// `take` returns `None`, without effect, while what is buffered is not a whole record.
    pub(crate) fn visit(&mut self, mut take: impl FnMut(&mut &[u8]) -> Option<()>) -> io::Result<bool> {
        loop {
            let mut rest = &self.buffer[self.start..];
            let before = rest.len();
            if take(&mut rest).is_some() {
                self.start += before - rest.len();
                return Ok(true);
            }
            if self.ended {
                return if before == 0 { Ok(false) } else { Err(io::ErrorKind::UnexpectedEof.into()) };
            }
            self.fill()?;
        }
    }

    fn fill(&mut self) -> io::Result<()> {
        self.buffer.drain(..self.start);
        self.start = 0;
        if self.buffer.len() > 4 * MAX_FIELD_BYTES {
            return Err(io::Error::new(io::ErrorKind::InvalidData, "a record of the queue is damaged"));
        }
        self.ended = self.file.by_ref().take(CHUNK as u64).read_to_end(&mut self.buffer)? == 0;
        Ok(())
    }
}

const CHUNK: usize = 64 << 10;

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn targets_survive_the_codec_and_a_cut_one_is_not_read(
            rows in prop::collection::vec((any::<u64>(), ".{0,12}", ".{0,40}"), 0..20), cut in any::<prop::sample::Index>(),
        ) {
            let mut bytes = Vec::new();
            for (line, key, url) in &rows {
                push_target(&mut bytes, RawTarget { line: *line, key, url });
            }
            let mut rest = &bytes[..];
            for (line, key, url) in &rows {
                prop_assert_eq!(take_target(&mut rest), Some(RawTarget { line: *line, key, url }));
            }
            prop_assert!(rest.is_empty());
            let mut short = &bytes[..cut.index(bytes.len() + 1)];
            let mut count = 0;
            while take_target(&mut short).is_some() {
                count += 1;
            }
            prop_assert!(count <= rows.len());
        }

        #[test]
        fn random_bytes_are_never_a_panic(bytes in prop::collection::vec(any::<u8>(), 0..100)) {
            let mut rest = &bytes[..];
            while take_target(&mut rest).is_some() {}
        }
    }
}
