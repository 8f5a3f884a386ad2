//! What stands on the list, line by line?
//!
//! A list is a CSV file with a header or a text file with a URL a line, plain or compressed, from a path or from
//! standard input. It is read as a stream: memory does not grow with the list, nor with a line that never ends. A bad
//! line is told as such and the reading goes on; an error means that the list as a whole cannot be read.

mod header;
mod input;
mod problem;
mod record;
#[cfg(test)]
mod tests;
mod window;

use std::{
    fs::File,
    io::{self, Read},
    path::Path,
};

use serde::{Deserialize, Serialize};

pub use problem::{LineProblem, SourceError};

use header::Columns;
use input::Input;
use record::{Scan, scan_record};
use window::{Physical, Window};

/// A longer key identifies nothing, and PostgreSQL could not index it.
const MAX_KEY_BYTES: usize = 512;
/// How much of a bad line is shown.
const EXCERPT_BYTES: usize = 256;

/// How a list is to be read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SourceOptions {
    /// The format; by name or by content where not given.
    pub format: Option<Format>,
    /// The column that holds the key. The default (`website_id`) and an empty name may be missing from the header; any
    /// other was asked for and must be there.
    pub key_column: String,
    /// The column that holds the URL.
    pub url_column: String,
    /// What separates fields; found from the header where not given (`,`, tab, `;` or `|`).
    pub delimiter: Option<u8>,
    /// The longest record that is accepted, in bytes; a longer one is a bad line.
    pub max_line_bytes: usize,
}

impl SourceOptions {
    const DEFAULT_KEY_COLUMN: &str = "website_id";
}

impl Default for SourceOptions {
    fn default() -> SourceOptions {
        SourceOptions {
            format: None,
            key_column: SourceOptions::DEFAULT_KEY_COLUMN.into(),
            url_column: "url".into(),
            delimiter: None,
            max_line_bytes: 64 * 1024,
        }
    }
}

/// What a list is made of.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Format {
    /// A header, then a record a line; quoted fields may hold delimiters, quotes and line ends.
    Csv,
    /// A URL a line.
    Text,
}

/// One line of a list; reused from line to line.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Line {
    /// The physical line on which it starts, from 1; header and blank lines count.
    pub number: u64,
    /// The key; empty where the list has none.
    pub key: String,
    /// The URL as it was written; where there is a problem, the beginning of the line instead, for people to see.
    pub url: String,
    /// What is wrong with the line, if something is.
    pub problem: Option<LineProblem>,
}

/// A list that is being read.
pub struct Source {
    name: String,
    input: Input,
    window: Window,
    layout: Layout,
    /// No quoted field is believed to run on past its line before this byte: an open quote was found in vain here.
    doubted_until: u64,
}

enum Layout {
    Text,
    Csv { delimiter: u8, columns: Columns },
}

/// Opens a list by its path; compression is seen from the content, the format from the name or else from the content.
///
/// # Errors
/// Where the file cannot be opened, is not text, or has no column for the URL.
pub fn open(path: &Path, options: &SourceOptions) -> Result<Source, SourceError> {
    let name = path.display().to_string();
    let cannot_open = |source: io::Error| SourceError::CannotOpen { name: name.clone(), source };
    let file = File::open(path).map_err(cannot_open)?;
    let metadata = file.metadata().map_err(cannot_open)?;
    let total = metadata.is_file().then_some(metadata.len());
    Source::start(Box::new(file), &name, total, options)
}

impl Source {
    /// Reads a list from any stream; `name` is what errors call it, and its extension tells the format if it has one.
    ///
    /// # Errors
    /// As [`open`].
    pub fn from_reader(
        reader: Box<dyn Read + Send>,
        name: &str,
        options: &SourceOptions,
    ) -> Result<Source, SourceError> {
        Source::start(reader, name, None, options)
    }

    fn start(
        reader: Box<dyn Read + Send>,
        name: &str,
        total_bytes: Option<u64>,
        options: &SourceOptions,
    ) -> Result<Source, SourceError> {
        let (input, text) = Input::open(reader, total_bytes).map_err(|source| SourceError::CannotRead {
            name: name.to_owned(),
            line: 0,
            byte: 0,
            source,
        })?;
        let window = Window::new(text, options.max_line_bytes);
        let layout = Layout::Text;
        let mut source = Source { name: name.to_owned(), input, window, layout, doubted_until: 0 };
        source.refuse_utf16()?;
        source.layout = source.find_layout(options)?;
        Ok(source)
    }

    /// Fills `line` with the next line that is not blank; `false` at the end of the list.
    ///
    /// # Errors
    /// Where the stream cannot be read on: the lines before it were good.
    pub fn next(&mut self, line: &mut Line) -> Result<bool, SourceError> {
        let found = match self.layout {
            Layout::Text => self.next_text(line),
            Layout::Csv { delimiter, columns } => self.next_record(line, delimiter, columns),
        };
        found.map_err(|source| self.cannot_read(source))
    }

    /// What the list turned out to be.
    #[must_use]
    pub fn format(&self) -> Format {
        match self.layout {
            Layout::Text => Format::Text,
            Layout::Csv { .. } => Format::Csv,
        }
    }

    /// How many bytes of the file were read so far, compressed as they are: for progress.
    #[must_use]
    pub fn bytes_read(&self) -> u64 {
        self.input.bytes_read()
    }

    /// How many bytes the file has, where it is one.
    #[must_use]
    pub fn total_bytes(&self) -> Option<u64> {
        self.input.total_bytes
    }

    fn next_text(&mut self, line: &mut Line) -> io::Result<bool> {
        loop {
            let (content, next) = match self.window.physical_line(0)? {
                Physical::End => return Ok(false),
                Physical::TooLong => return self.tell_too_long(line),
                Physical::Line { content, next } => (content, next),
            };
            let text = self.window.bytes()[..content].trim_ascii();
            if !text.is_empty() {
                line.begin(self.window.line());
                match std::str::from_utf8(text) {
                    Ok(url) => line.url.push_str(url),
                    Err(_) => line.tell(LineProblem::NotUtf8, text),
                }
            }
            let blank = text.is_empty();
            self.window.consume(next, 1);
            if !blank {
                return Ok(true);
            }
        }
    }

    fn next_record(&mut self, line: &mut Line, delimiter: u8, columns: Columns) -> io::Result<bool> {
        loop {
            let may_span = self.window.offset() >= self.doubted_until;
            line.begin(self.window.line());
            let mut key = std::mem::take(&mut line.key).into_bytes();
            let mut url = std::mem::take(&mut line.url).into_bytes();
            let scan = scan_record(&mut self.window, delimiter, may_span, |field, bytes| {
                if field == columns.url {
                    url.extend_from_slice(bytes);
                }
                if Some(field) == columns.key {
                    key.extend_from_slice(bytes);
                }
            })?;
            match scan {
                Scan::End => return Ok(false),
                Scan::TooLong => return self.tell_too_long(line),
                Scan::Blank { next } => {
                    self.window.consume(next, 1);
                    (line.key, line.url) = (reusable(key), reusable(url));
                }
                Scan::OpenQuote { content, next, scanned } => {
                    self.doubted_until = self.window.offset() + scanned as u64;
                    line.tell(LineProblem::UnterminatedQuote, &self.window.bytes()[..content]);
                    self.window.consume(next, 1);
                    return Ok(true);
                }
                Scan::Record { fields, content, next, lines } => {
                    let raw = &self.window.bytes()[..content];
                    line.fill(key, url, raw);
                    if fields != columns.count {
                        let problem = LineProblem::WrongFieldCount { expected: columns.count, found: fields };
                        line.tell(problem, raw);
                    }
                    self.window.consume(next, lines);
                    return Ok(true);
                }
            }
        }
    }

    fn tell_too_long(&mut self, line: &mut Line) -> io::Result<bool> {
        line.begin(self.window.line());
        line.tell(LineProblem::TooLong { limit: self.window.limit() }, self.window.bytes());
        self.window.skip_line()?;
        Ok(true)
    }

    fn cannot_read(&self, source: io::Error) -> SourceError {
        let line = self.window.line() - 1;
        SourceError::CannotRead { name: self.name.clone(), line, byte: self.bytes_read(), source }
    }
}

impl Line {
    fn begin(&mut self, number: u64) {
        self.number = number;
        self.key.clear();
        self.url.clear();
        self.problem = None;
    }

    fn fill(&mut self, key: Vec<u8>, url: Vec<u8>, raw: &[u8]) {
        let key_bytes = key.len();
        match (String::from_utf8(key), String::from_utf8(url)) {
            (Ok(_), _) if key_bytes > MAX_KEY_BYTES => {
                self.tell(LineProblem::KeyTooLong { limit: MAX_KEY_BYTES }, raw);
            }
            (Ok(key), Ok(url)) => (self.key, self.url) = (key, url),
            (key, _) => {
                self.key = key.unwrap_or_default();
                self.tell(LineProblem::NotUtf8, raw);
            }
        }
    }

    fn tell(&mut self, problem: LineProblem, raw: &[u8]) {
        let raw = raw.trim_ascii_start();
        self.url = String::from_utf8_lossy(&raw[..raw.len().min(EXCERPT_BYTES)]).into_owned();
        self.problem = Some(problem);
    }
}

/// The buffer of a field that got nothing, for the next line.
fn reusable(mut field: Vec<u8>) -> String {
    field.clear();
    String::from_utf8(field).unwrap_or_default()
}
