//! How do rows become a file that other tools read?
//!
//! A table is a list of [`Column`]s and a stream of rows. CSV, JSON and Parquet are written from the same cells, one row
//! at a time, in bounded memory, under a temporary name; the file gets its own name only when it is whole and on the disk.
//! The same rows give the same bytes: nothing of the clock, the machine or the path is inside.
//!
//! - **CSV**: RFC 4180 with line feeds, UTF-8, a header. Nothing is an empty cell, an empty text is `""`. Text that a
//!   spreadsheet would take for a formula is neutralised, see [`csv`].
//! - **JSON**: one array, an object per line, every column in every object; nothing is `null`.
//! - **Parquet**: zstd, row groups of at most 50,000 rows or 16 MiB of text; times are UTC milliseconds.

mod column;
pub mod csv;
mod digest;
mod json;
mod output;
#[cfg(feature = "parquet")]
mod parquet;

#[cfg(test)]
#[cfg(feature = "parquet")]
mod tests;

use std::{
    fs, io,
    path::{Path, PathBuf},
    str::FromStr,
};

#[cfg(feature = "parquet")]
pub use self::parquet::read_parquet;
pub use column::{Cell, Column, Kind};
pub use digest::CellDigest;

use output::Output;

/// How a table is written down.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Format {
    /// Comma-separated values.
    Csv,
    /// One JSON array.
    Json,
    /// Apache Parquet.
    Parquet,
}

impl Format {
    /// Every format.
    pub const ALL: [Format; 3] = [Format::Csv, Format::Json, Format::Parquet];

    /// Its name, which is also how its files end.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Format::Csv => "csv",
            Format::Json => "json",
            Format::Parquet => "parquet",
        }
    }
}

impl FromStr for Format {
    type Err = String;

    fn from_str(text: &str) -> Result<Format, String> {
        let known = Format::ALL.into_iter().find(|format| format.name() == text);
        known.ok_or_else(|| format!("`{text}` is no format: use csv, json or parquet"))
    }
}

/// What can go wrong with a table.
#[derive(Debug, thiserror::Error)]
pub enum TableError {
    /// The file could not be read or written.
    #[error("{}: {source}", path.display())]
    Io {
        /// The file.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// A row does not fit its columns: a defect of whoever made the row.
    #[error("{}: row {row} does not fit its columns: {what}", path.display())]
    Misfit {
        /// The file.
        path: PathBuf,
        /// The row, from 1.
        row: u64,
        /// Which cell, and why.
        what: String,
    },
    /// A file is not the table that it should be.
    #[error("{}: not the table that was written: {what}", path.display())]
    Damaged {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        what: String,
    },
    /// The format is not compiled in.
    #[error("{}: built without feature `parquet`", path.display())]
    NotCompiledIn {
        /// The file that was asked for.
        path: PathBuf,
    },
}

impl TableError {
    fn io(path: &Path) -> impl FnOnce(io::Error) -> TableError + '_ {
        move |source| TableError::Io { path: path.to_owned(), source }
    }
}

/// What was written: enough to know the file again.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Written {
    /// Rows, the header not counted.
    pub rows: u64,
    /// The file's size.
    pub bytes: u64,
    /// The file's SHA-256, in hex.
    pub sha256: String,
}

/// Writes one table into one file.
pub struct TableWriter {
    path: PathBuf,
    columns: &'static [Column],
    rows: u64,
    encoder: Encoder,
}

enum Encoder {
    Csv(Lines),
    Json(Lines),
    #[cfg(feature = "parquet")]
    Parquet(Box<parquet::Encoder>),
}

impl TableWriter {
    /// Begins the table that will be called `path`; until it is published it has [`crate::TEMPORARY_SUFFIX`] behind its
    /// name, and replaces what an earlier attempt left there.
    pub fn create(
        path: &Path,
        format: Format,
        columns: &'static [Column],
    ) -> Result<TableWriter, TableError> {
        let temporary = temporary_name(path);
        let open = || Output::create(&temporary).map_err(TableError::io(&temporary));
        let encoder = match format {
            Format::Csv => Encoder::Csv(Lines { line: csv::header(columns), output: open()? }),
            Format::Json => Encoder::Json(Lines { line: b"[".to_vec(), output: open()? }),
            #[cfg(feature = "parquet")]
            Format::Parquet => {
                Encoder::Parquet(Box::new(parquet::Encoder::new(open()?, columns, &temporary)?))
            }
            #[cfg(not(feature = "parquet"))]
            Format::Parquet => return Err(TableError::NotCompiledIn { path: path.to_owned() }),
        };
        Ok(TableWriter { path: path.to_owned(), columns, rows: 0, encoder })
    }

    /// Adds a row: a cell for each column, of the column's kind.
    pub fn write(&mut self, row: &[Cell<'_>]) -> Result<(), TableError> {
        if let Some(what) = column::misfit(self.columns, row) {
            return Err(TableError::Misfit { path: self.path.clone(), row: self.rows + 1, what });
        }
        match &mut self.encoder {
            Encoder::Csv(lines) => {
                csv::encode(row, &mut lines.line);
                lines.flush().map_err(TableError::io(&self.path))?;
            }
            Encoder::Json(lines) => {
                json::encode(self.columns, row, self.rows == 0, &mut lines.line);
                lines.flush().map_err(TableError::io(&self.path))?;
            }
            #[cfg(feature = "parquet")]
            Encoder::Parquet(encoder) => encoder.write(row)?,
        }
        self.rows += 1;
        Ok(())
    }

    /// Ends the table and makes it durable, still under its temporary name.
    pub fn close(self) -> Result<Closed, TableError> {
        let TableWriter { path, columns: _, rows, encoder } = self;
        let output = match encoder {
            Encoder::Csv(lines) => lines.end().map_err(TableError::io(&path))?,
            Encoder::Json(mut lines) => {
                json::end(rows, &mut lines.line);
                lines.end().map_err(TableError::io(&path))?
            }
            #[cfg(feature = "parquet")]
            Encoder::Parquet(encoder) => encoder.close()?,
        };
        let (bytes, sha256) = output.finish().map_err(TableError::io(&path))?;
        Ok(Closed { path, written: Written { rows, bytes, sha256 } })
    }
}

/// A line that is being made, and where it goes.
struct Lines {
    line: Vec<u8>,
    output: Output,
}

impl Lines {
    fn flush(&mut self) -> io::Result<()> {
        self.output.write_whole(&self.line)?;
        self.line.clear();
        Ok(())
    }

    fn end(mut self) -> io::Result<Output> {
        self.flush()?;
        Ok(self.output)
    }
}

/// A table that is whole and on the disk, but does not have its name yet.
#[derive(Debug)]
#[must_use = "a table without its name is a leftover"]
pub struct Closed {
    path: PathBuf,
    written: Written,
}

impl Closed {
    /// What was written.
    #[must_use]
    pub fn written(&self) -> &Written {
        &self.written
    }

    /// What it will be called.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Where it is now.
    #[must_use]
    pub fn temporary(&self) -> PathBuf {
        temporary_name(&self.path)
    }

    /// Gives it its name, in place of what had it before.
    pub fn publish(self) -> Result<Written, TableError> {
        publish(&self.temporary(), &self.path)?;
        Ok(self.written)
    }
}

/// Gives a table that was closed under a temporary name the name `path`, durably, in place of what had it before.
pub fn publish(temporary: &Path, path: &Path) -> Result<(), TableError> {
    fs::rename(temporary, path).map_err(TableError::io(temporary))?;
    crate::sync_folder(path.parent().unwrap_or(Path::new("."))).map_err(TableError::io(path))
}

/// Says that Parquet is not compiled in.
#[cfg(not(feature = "parquet"))]
pub fn read_parquet<E: From<TableError>>(
    path: &Path,
    _columns: &[Column],
    _visit: impl FnMut(&[Cell<'_>]) -> Result<(), E>,
) -> Result<u64, E> {
    Err(TableError::NotCompiledIn { path: path.to_owned() }.into())
}

/// What the table `path` is called until it is published.
#[must_use]
pub fn temporary_name(path: &Path) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(crate::TEMPORARY_SUFFIX);
    name.into()
}
