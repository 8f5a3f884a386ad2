//! Where do the fields of a CSV record begin and end? (RFC 4180, read leniently)

use std::io;

use memchr::memchr;

use super::window::{Physical, Window};

/// What was found at the beginning of the view; offsets are into it.
pub(super) enum Scan {
    /// The end of the list.
    End,
    /// A line of white space.
    Blank { next: usize },
    /// A physical line beyond the limit.
    TooLong,
    /// A quote that is not closed where a field ends. Only the first physical line is to blame: the text after it up
    /// to `scanned` was searched for the other quote.
    OpenQuote { content: usize, next: usize, scanned: usize },
    /// A whole record of so many fields and physical lines; its first line's content ends at `content`.
    Record { fields: usize, content: usize, next: usize, lines: u64 },
}

/// Scans one record and hands out the content of its fields, piece by piece; whatever was handed out counts only if a
/// record was found. With `may_span` false, a quoted field ends on its line.
pub(super) fn scan_record(
    window: &mut Window,
    delimiter: u8,
    may_span: bool,
    mut append: impl FnMut(usize, &[u8]),
) -> io::Result<Scan> {
    let (first_content, first_next) = match window.physical_line(0)? {
        Physical::End => return Ok(Scan::End),
        Physical::TooLong => return Ok(Scan::TooLong),
        Physical::Line { content, next } => (content, next),
    };
    let is_blank = |octet: &u8| octet.is_ascii_whitespace() && *octet != delimiter;
    if window.bytes()[..first_content].iter().all(is_blank) {
        return Ok(Scan::Blank { next: first_next });
    }

    let open_quote = |scanned| Ok(Scan::OpenQuote { content: first_content, next: first_next, scanned });
    let mut splitter = Splitter { delimiter, state: State::FieldStart, field: 0, field_spans: false };
    let (mut begin, mut content, mut next, mut lines) = (0, first_content, first_next, 1);
    loop {
        splitter.take_line(&window.bytes()[begin..content], &mut append);
        match splitter.state {
            State::Broken => return open_quote(next),
            State::Quoted if !may_span => return open_quote(next),
            State::Quoted => {}
            State::FieldStart | State::Plain | State::AfterQuote => {
                let fields = splitter.field + 1;
                return Ok(Scan::Record { fields, content: first_content, next, lines });
            }
        }
        let line_end = content..next;
        begin = next;
        (content, next) = match window.physical_line(begin)? {
            Physical::End | Physical::TooLong => return open_quote(window.bytes().len()),
            Physical::Line { content, next } => (content, next),
        };
        append(splitter.field, &window.bytes()[line_end]);
        splitter.field_spans = true;
        lines += 1;
    }
}

struct Splitter {
    delimiter: u8,
    state: State,
    field: usize,
    /// Whether the field began on an earlier physical line.
    field_spans: bool,
}

enum State {
    FieldStart,
    Plain,
    Quoted,
    /// After a quote within quotes: the end of the field, or half of a doubled quote.
    AfterQuote,
    /// Text right after a quoted field that ran over lines: the quotes do not pair as they should.
    Broken,
}

impl Splitter {
    fn take_line(&mut self, line: &[u8], append: &mut impl FnMut(usize, &[u8])) {
        let mut rest = line;
        while !rest.is_empty() {
            match self.state {
                State::Broken => return,
                State::FieldStart => {
                    self.field_spans = false;
                    self.state = State::Plain;
                    if let Some(after) = rest.strip_prefix(b"\"") {
                        self.state = State::Quoted;
                        rest = after;
                    }
                }
                State::Plain => {
                    let end = memchr(self.delimiter, rest).unwrap_or(rest.len());
                    append(self.field, &rest[..end]);
                    rest = self.after_delimiter(&rest[end..]);
                }
                State::Quoted => {
                    let end = memchr(b'"', rest).unwrap_or(rest.len());
                    append(self.field, &rest[..end]);
                    rest = &rest[end..];
                    if let Some(after) = rest.strip_prefix(b"\"") {
                        self.state = State::AfterQuote;
                        rest = after;
                    }
                }
                State::AfterQuote => {
                    if let Some(after) = rest.strip_prefix(b"\"") {
                        append(self.field, b"\"");
                        self.state = State::Quoted;
                        rest = after;
                    } else if rest[0] == self.delimiter {
                        rest = self.after_delimiter(rest);
                    } else {
                        self.state = if self.field_spans { State::Broken } else { State::Plain };
                    }
                }
            }
        }
    }

    /// What follows the delimiter at the beginning of `rest`, if one is there.
    fn after_delimiter<'a>(&mut self, rest: &'a [u8]) -> &'a [u8] {
        let Some((_, after)) = rest.split_first() else { return rest };
        self.field += 1;
        self.state = State::FieldStart;
        after
    }
}
