//! How does a long listing become a table in several formats at once?

use std::path::Path;

use anyhow::{Context, Result};
use blobs::table::{Cell, Closed, Column, Format, TableError, TableWriter};
use catalog::findings::MonthRow;
use serde_json::json;

use crate::jobs::{bar::Bar, patience::Patience};

/// The rows of a table, some at a time and in their order.
pub trait Source {
    /// The columns.
    const COLUMNS: &'static [Column];
    /// One row.
    type Row: Send + 'static;

    /// The next rows; none after the last.
    async fn next_rows(&mut self) -> Result<Vec<Self::Row>>;

    /// The row's cells, one for each column.
    fn cells(row: &Self::Row) -> Vec<Cell<'_>>;
}

/// How far the export is.
pub struct Progress {
    bar: Bar,
    rows: u64,
    expected: u64,
}

impl Progress {
    /// Nothing yet of a month.
    #[must_use]
    pub fn new(bar: Bar, extent: &MonthRow) -> Progress {
        Progress { bar, rows: 0, expected: u64::try_from(extent.findings).unwrap_or(0) }
    }

    fn add(&mut self, rows: usize, table: &Path, patience: &Patience) {
        self.rows += rows as u64;
        self.expected = self.expected.max(self.rows);
        patience.handle().note_counts(json!({ "rows": self.rows }));
        let name = table.file_name().unwrap_or_default().to_string_lossy();
        self.bar.show(self.rows, self.expected, || format!("rows, now {name}"));
    }
}

/// Writes the rows of a source in every format, under temporary names, and says so; `None` if the job is to stop before
/// the last row. The next rows are asked for while the last are written.
pub async fn write_sheet<S: Source>(
    mut source: S,
    path: &Path,
    formats: &[Format],
    patience: &Patience,
    progress: &mut Progress,
) -> Result<Option<Vec<Closed>>> {
    let create = |format: &Format| {
        let mut name = path.as_os_str().to_owned();
        name.push(".");
        name.push(format.name());
        TableWriter::create(Path::new(&name), *format, S::COLUMNS)
    };
    if patience.is_stopped() {
        return Ok(None);
    }
    let mut tables: Vec<TableWriter> = formats.iter().map(create).collect::<Result<_, _>>()?;
    let mut rows = source.next_rows().await?;
    while !rows.is_empty() {
        if patience.is_stopped() {
            return Ok(None);
        }
        let count = rows.len();
        let writing = tokio::task::spawn_blocking(move || write_rows::<S>(tables, &rows));
        let (written, next) = tokio::join!(writing, source.next_rows());
        tables = written.context("writing a table panicked")??;
        rows = next?;
        progress.add(count, path, patience);
    }
    let close = move || tables.into_iter().map(TableWriter::close).collect::<Result<Vec<_>, _>>();
    Ok(Some(tokio::task::spawn_blocking(close).await.context("closing a table panicked")??))
}

fn write_rows<S: Source>(
    mut tables: Vec<TableWriter>,
    rows: &[S::Row],
) -> Result<Vec<TableWriter>, TableError> {
    for row in rows {
        let cells = S::cells(row);
        for table in &mut tables {
            table.write(&cells)?;
        }
    }
    Ok(tables)
}
