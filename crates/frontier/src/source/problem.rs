//! What can be wrong with a list, and with one of its lines?

use std::io;

/// Why a list cannot be read, or not to its end.
#[derive(Debug, thiserror::Error)]
pub enum SourceError {
    /// There is no such file, or it is not ours to read.
    #[error("cannot open the list {name}: {source}")]
    CannotOpen {
        /// The list.
        name: String,
        /// What the system said.
        source: io::Error,
    },
    /// The stream broke off, or its compression is corrupt.
    #[error(
        "cannot read the list {name} after line {line} (byte {byte} of the file): {source}; \
         if it is compressed, it may be cut or corrupt"
    )]
    CannotRead {
        /// The list.
        name: String,
        /// The last physical line that was read whole; 0 if none was.
        line: u64,
        /// How far the file was read, compressed as it is.
        byte: u64,
        /// What the system or the decoder said.
        source: io::Error,
    },
    /// The text is UTF-16.
    #[error(
        "the list {name} is UTF-16 text: convert it to UTF-8, for example with `iconv -f UTF-16 -t UTF-8`"
    )]
    Utf16 {
        /// The list.
        name: String,
    },
    /// A CSV file without a line.
    #[error("the list {name} is empty: a CSV file starts with a header that names the column `{url_column}`")]
    NoHeader {
        /// The list.
        name: String,
        /// The column that was looked for.
        url_column: String,
    },
    /// A CSV file whose first record cannot be a header.
    #[error("line {line} of the list {name} cannot be its header: {problem}")]
    BadHeader {
        /// The list.
        name: String,
        /// The physical line of the header.
        line: u64,
        /// What is wrong with it.
        problem: LineProblem,
    },
    /// The header lacks a column that is needed.
    #[error("the list {name} has no column `{wanted}`: its header (line {line}) has {columns}{hint}")]
    NoColumn {
        /// The list.
        name: String,
        /// The physical line of the header.
        line: u64,
        /// The column that was looked for.
        wanted: String,
        /// The columns that were found, for people.
        columns: String,
        /// The nearest column and the setting to change, for people.
        hint: String,
    },
}

/// What is wrong with one line; the others are not touched by it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, thiserror::Error)]
pub enum LineProblem {
    /// More or fewer fields than the header.
    #[error("{found} fields where the header has {expected}")]
    WrongFieldCount {
        /// What the header has.
        expected: usize,
        /// What the line has.
        found: usize,
    },
    /// The key or the URL is not UTF-8.
    #[error("not UTF-8 text")]
    NotUtf8,
    /// Longer than the options allow.
    #[error("longer than {limit} bytes")]
    TooLong {
        /// What the options allow.
        limit: usize,
    },
    /// The key is longer than a database can look up.
    #[error("its key is longer than {limit} bytes")]
    KeyTooLong {
        /// What a key may have.
        limit: usize,
    },
    /// A quote is opened and not closed where a field ends.
    #[error("a quote is opened and never closed")]
    UnterminatedQuote,
}

impl LineProblem {
    /// Its stable name, as `rejected.csv` and the counts carry it.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            LineProblem::WrongFieldCount { .. } => "wrong_field_count",
            LineProblem::NotUtf8 => "not_utf8",
            LineProblem::TooLong { .. } => "too_long",
            LineProblem::KeyTooLong { .. } => "key_too_long",
            LineProblem::UnterminatedQuote => "unterminated_quote",
        }
    }
}
