//! Where does each physical line begin and end, in a stream of any length?

use std::io::{self, Read};

use memchr::memchr2;

const CHUNK: usize = 64 * 1024;

/// A bounded view of a stream, from the beginning of the record that is being read.
///
/// Offsets are relative to that beginning, so they stay true when the buffer is filled up.
pub(super) struct Window {
    input: Box<dyn Read + Send>,
    buffer: Vec<u8>,
    start: usize,
    end: usize,
    ended: bool,
    limit: usize,
    line: u64,
    offset: u64,
}

/// What lies ahead.
pub(super) enum Physical {
    /// A line whose content ends at one offset, and after which the next begins at another.
    Line { content: usize, next: usize },
    /// No end of line within the limit, counted from the beginning of the record.
    TooLong,
    /// Nothing.
    End,
}

impl Window {
    pub(super) fn new(input: Box<dyn Read + Send>, limit: usize) -> Window {
        Window {
            input,
            buffer: vec![0; 2 * CHUNK],
            start: 0,
            end: 0,
            ended: false,
            limit,
            line: 1,
            offset: 0,
        }
    }

    /// What is in view.
    pub(super) fn bytes(&self) -> &[u8] {
        &self.buffer[self.start..self.end]
    }

    /// The number of the physical line that begins the view, from 1.
    pub(super) fn line(&self) -> u64 {
        self.line
    }

    /// How many bytes of text lie before the view.
    pub(super) fn offset(&self) -> u64 {
        self.offset
    }

    /// The longest record that fits.
    pub(super) fn limit(&self) -> usize {
        self.limit
    }

    /// How much memory the view may take as it stands.
    #[cfg(test)]
    pub(super) fn capacity(&self) -> usize {
        self.buffer.capacity()
    }

    /// Leaves `count` bytes and `lines` physical lines behind.
    pub(super) fn consume(&mut self, count: usize, lines: u64) {
        self.start += count;
        self.offset += count as u64;
        self.line += lines;
    }

    /// The physical line that begins at `from`, ended by LF, CR or both together, or by the end of the stream.
    pub(super) fn physical_line(&mut self, from: usize) -> io::Result<Physical> {
        let mut scanned = from;
        loop {
            let view = self.bytes();
            if let Some(found) = memchr2(b'\n', b'\r', &view[scanned..]) {
                let content = scanned + found;
                if content > self.limit {
                    return Ok(Physical::TooLong);
                }
                let is_cr = view[content] == b'\r';
                // only the byte after a CR tells whether it ends the line alone
                if is_cr && content + 1 == view.len() && self.see_more()? {
                    scanned = content;
                    continue;
                }
                let pair = is_cr && self.bytes().get(content + 1) == Some(&b'\n');
                return Ok(Physical::Line { content, next: content + if pair { 2 } else { 1 } });
            }
            scanned = view.len();
            if scanned > self.limit {
                return Ok(Physical::TooLong);
            }
            if !self.see_more()? {
                let at_end = scanned == from;
                return Ok(if at_end {
                    Physical::End
                } else {
                    Physical::Line { content: scanned, next: scanned }
                });
            }
        }
    }

    /// Passes over the rest of the physical line in view, however long it is.
    pub(super) fn skip_line(&mut self) -> io::Result<()> {
        loop {
            let view = self.bytes();
            match memchr2(b'\n', b'\r', view) {
                None => {
                    self.consume(view.len(), 0);
                    if !self.see_more()? {
                        self.line += 1;
                        return Ok(());
                    }
                }
                Some(end) => {
                    let is_cr = view[end] == b'\r';
                    self.consume(end + 1, 1);
                    if is_cr && (!self.bytes().is_empty() || self.see_more()?) && self.bytes()[0] == b'\n' {
                        self.consume(1, 0);
                    }
                    return Ok(());
                }
            }
        }
    }

    /// Brings more of the stream into view; `false` at its end.
    pub(super) fn see_more(&mut self) -> io::Result<bool> {
        if self.ended {
            return Ok(false);
        }
        if self.end == self.buffer.len() {
            if self.start > 0 {
                self.buffer.copy_within(self.start..self.end, 0);
                self.end -= self.start;
                self.start = 0;
            } else {
                let more = self.buffer.len().min(self.limit + CHUNK).max(CHUNK);
                self.buffer.resize(self.buffer.len() + more, 0);
            }
        }
        let count = loop {
            match self.input.read(&mut self.buffer[self.end..]) {
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                other => break other?,
            }
        };
        self.end += count;
        self.ended = count == 0;
        Ok(count > 0)
    }
}
