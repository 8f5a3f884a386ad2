//! What kind of list is this, and which column holds what?

use std::io;

use super::{
    Format, Layout, LineProblem, Source, SourceError, SourceOptions,
    record::{Scan, scan_record},
};

/// What may separate fields where nobody says.
const DELIMITERS: &[u8] = b",\t;|";

/// How many columns an error names.
const COLUMNS_SHOWN: usize = 20;

/// Where the fields of interest stand in a record.
#[derive(Debug, Clone, Copy)]
pub(super) struct Columns {
    pub(super) url: usize,
    pub(super) key: Option<usize>,
    pub(super) count: usize,
}

impl Source {
    /// Drops a UTF-8 byte order mark; UTF-16 is refused, by its mark or by the zeros that it puts between letters.
    pub(super) fn refuse_utf16(&mut self) -> Result<(), SourceError> {
        while self.window.bytes().len() < 4
            && self.window.see_more().map_err(|error| self.cannot_read(error))?
        {}
        match self.window.bytes() {
            [0xff, 0xfe, ..] | [0xfe, 0xff, ..] => Err(SourceError::Utf16 { name: self.name.clone() }),
            &[a, b, c, d, ..] if (a == 0) != (b == 0) && (a == 0, b == 0) == (c == 0, d == 0) => {
                Err(SourceError::Utf16 { name: self.name.clone() })
            }
            [0xef, 0xbb, 0xbf, ..] => {
                self.window.consume(3, 0);
                Ok(())
            }
            _ => Ok(()),
        }
    }

    /// The layout by the options, by the name, or by the first line; reads past a header.
    pub(super) fn find_layout(&mut self, options: &SourceOptions) -> Result<Layout, SourceError> {
        let (named_format, named_delimiter) = by_extension(&self.name);
        let format = options.format.or(named_format);
        if format == Some(Format::Text) {
            return Ok(Layout::Text);
        }
        let given = options.delimiter.or(named_delimiter);
        let candidates = given.as_ref().map_or(DELIMITERS, std::slice::from_ref);
        let header = self.read_header(candidates, &options.url_column).map_err(|e| self.cannot_read(e))?;
        let is_csv = format.is_some() || header.has_column(&options.url_column);
        if !is_csv {
            return Ok(Layout::Text);
        }
        self.accept_header(header, options)
    }

    /// The first record under the delimiter that shows the URL column, or else under the one that splits it most; it
    /// stays in view.
    fn read_header(&mut self, candidates: &[u8], url_column: &str) -> io::Result<Header> {
        let mut best: Option<Header> = None;
        for &delimiter in candidates {
            let mut names: Vec<Vec<u8>> = Vec::new();
            let scan = loop {
                names.clear();
                let scan = scan_record(&mut self.window, delimiter, true, |field, bytes| {
                    names.resize_with(names.len().max(field + 1), Vec::new);
                    names[field].extend_from_slice(bytes);
                })?;
                match scan {
                    Scan::Blank { next } => self.window.consume(next, 1),
                    other => break other,
                }
            };
            let header = Header { delimiter, scan, names: names.iter().map(|name| readable(name)).collect() };
            if header.has_column(url_column) {
                return Ok(header);
            }
            if best.as_ref().is_none_or(|best| header.names.len() > best.names.len()) {
                best = Some(header);
            }
        }
        Ok(best.unwrap_or(Header { delimiter: b',', scan: Scan::End, names: Vec::new() }))
    }

    fn accept_header(&mut self, header: Header, options: &SourceOptions) -> Result<Layout, SourceError> {
        let line = self.window.line();
        let bad = |problem| SourceError::BadHeader { name: self.name.clone(), line, problem };
        let (count, next, lines) = match header.scan {
            Scan::End | Scan::Blank { .. } => {
                let url_column = options.url_column.clone();
                return Err(SourceError::NoHeader { name: self.name.clone(), url_column });
            }
            Scan::TooLong => return Err(bad(LineProblem::TooLong { limit: options.max_line_bytes })),
            Scan::OpenQuote { .. } => return Err(bad(LineProblem::UnterminatedQuote)),
            Scan::Record { fields, next, lines, .. } => (fields, next, lines),
        };
        let no_column = |wanted: &str, setting: &str| SourceError::NoColumn {
            name: self.name.clone(),
            line,
            wanted: wanted.to_owned(),
            columns: header.listed(),
            hint: header.hint(wanted, setting),
        };
        let url = header
            .position(&options.url_column)
            .ok_or_else(|| no_column(&options.url_column, "source.url_column"))?;
        let key = header.position(&options.key_column);
        let key_optional =
            options.key_column.is_empty() || options.key_column == SourceOptions::DEFAULT_KEY_COLUMN;
        if key.is_none() && !key_optional {
            return Err(no_column(&options.key_column, "source.key_column"));
        }
        self.window.consume(next, lines);
        Ok(Layout::Csv { delimiter: header.delimiter, columns: Columns { url, key, count } })
    }
}

/// The first record of a list, split by one delimiter.
struct Header {
    delimiter: u8,
    scan: Scan,
    names: Vec<String>,
}

impl Header {
    /// Where a column stands: by its exact name, or else by one that differs in case only.
    fn position(&self, wanted: &str) -> Option<usize> {
        let exact = self.names.iter().position(|name| name == wanted);
        exact.or_else(|| self.names.iter().position(|name| name.eq_ignore_ascii_case(wanted)))
    }

    fn has_column(&self, wanted: &str) -> bool {
        matches!(self.scan, Scan::Record { .. }) && self.position(wanted).is_some()
    }

    fn listed(&self) -> String {
        let mut shown: Vec<String> =
            self.names.iter().take(COLUMNS_SHOWN).map(|name| format!("`{name:.40}`")).collect();
        if self.names.len() > COLUMNS_SHOWN {
            shown.push(format!("{} more", self.names.len() - COLUMNS_SHOWN));
        }
        shown.join(", ")
    }

    fn hint(&self, wanted: &str, setting: &str) -> String {
        let nearest = self
            .names
            .iter()
            .filter(|name| !name.is_empty() && name.len() <= 64)
            .min_by_key(|name| distance(wanted, name));
        match nearest {
            Some(name) => format!("; if `{name}` is meant, set `{setting}` to it"),
            None => format!("; set `{setting}` to the one that is meant"),
        }
    }
}

/// A column's name without the white space around it.
fn readable(name: &[u8]) -> String {
    String::from_utf8_lossy(name.trim_ascii()).into_owned()
}

/// The format and the delimiter that a file's name tells, whatever it is packed in.
fn by_extension(name: &str) -> (Option<Format>, Option<u8>) {
    let lower = name.to_ascii_lowercase();
    let unpacked = [".gz", ".gzip", ".zst", ".zstd"].iter().find_map(|packed| lower.strip_suffix(packed));
    match unpacked.unwrap_or(&lower).rsplit_once('.') {
        Some((_, "csv")) => (Some(Format::Csv), None),
        Some((_, "tsv")) => (Some(Format::Csv), Some(b'\t')),
        Some((_, "txt")) => (Some(Format::Text), None),
        _ => (None, None),
    }
}

/// How many letters must be changed, added or dropped, case aside; containing the wanted name counts as near.
fn distance(wanted: &str, name: &str) -> usize {
    let (wanted, name) = (wanted.to_lowercase(), name.to_lowercase());
    if name.contains(&wanted) || wanted.contains(&name) {
        return 1;
    }
    let name: Vec<char> = name.chars().collect();
    let mut row: Vec<usize> = (0..=name.len()).collect();
    for (index, letter) in wanted.chars().enumerate() {
        let mut diagonal = std::mem::replace(&mut row[0], index + 1);
        for (column, other) in name.iter().enumerate() {
            let changed = diagonal + usize::from(letter != *other);
            diagonal = row[column + 1];
            row[column + 1] = changed.min(diagonal + 1).min(row[column] + 1);
        }
    }
    row[name.len()]
}
