//! How are rows gathered into row groups?

use std::{
    path::{Path, PathBuf},
    sync::Arc,
};

use bytes::Bytes;
use domain::Moment;
use parquet::{
    basic::{Compression, ZstdLevel},
    data_type::{BoolType, ByteArray, ByteArrayType, DoubleType, Int32Type, Int64Type},
    errors::ParquetError,
    file::{
        properties::WriterProperties,
        writer::{SerializedFileWriter, SerializedRowGroupWriter},
    },
};

use super::{
    super::{
        TableError,
        column::{Cell, Column, Kind},
        output::Output,
    },
    broken, schema,
};

/// A row group is written when it has so many rows …
const GROUP_ROWS: usize = 50_000;
/// … or so much text.
const GROUP_TEXT: usize = 16 << 20;

/// Gathers a row group column by column, and writes it when it is large enough.
pub(in crate::table) struct Encoder {
    writer: SerializedFileWriter<Output>,
    gathered: Vec<Gathered>,
    rows: usize,
    text: usize,
    path: PathBuf,
}

/// The values of one column of the row group that is being gathered.
struct Gathered {
    nullable: bool,
    /// 1 where there is a value, 0 where there is none; as many as rows.
    levels: Vec<i16>,
    values: Values,
}

enum Values {
    /// All texts one after another, and where each ends.
    Text(Vec<u8>, Vec<usize>),
    Long(Vec<i64>),
    Double(Vec<f64>),
    Bool(Vec<bool>),
    Days(Vec<i32>),
}

impl Encoder {
    pub(in crate::table) fn new(
        output: Output,
        columns: &[Column],
        path: &Path,
    ) -> Result<Encoder, TableError> {
        let properties = WriterProperties::builder()
            .set_compression(Compression::ZSTD(ZstdLevel::default()))
            // the same rows are the same bytes, whichever release of the library wrote them
            .set_created_by("canvass".to_owned())
            .build();
        let writer =
            SerializedFileWriter::new(output, schema(columns).map_err(broken(path))?, Arc::new(properties))
                .map_err(broken(path))?;
        let gathered = columns.iter().map(Gathered::new).collect();
        Ok(Encoder { writer, gathered, rows: 0, text: 0, path: path.to_owned() })
    }

    pub(in crate::table) fn write(&mut self, row: &[Cell<'_>]) -> Result<(), TableError> {
        for (column, cell) in self.gathered.iter_mut().zip(row) {
            self.text += column.push(cell);
        }
        self.rows += 1;
        if self.rows >= GROUP_ROWS || self.text >= GROUP_TEXT {
            self.write_group()?;
        }
        Ok(())
    }

    pub(in crate::table) fn close(mut self) -> Result<Output, TableError> {
        if self.rows > 0 {
            self.write_group()?;
        }
        self.writer.into_inner().map_err(broken(&self.path))
    }

    fn write_group(&mut self) -> Result<(), TableError> {
        (self.rows, self.text) = (0, 0);
        let mut write = || {
            let mut group = self.writer.next_row_group()?;
            for column in &mut self.gathered {
                column.write(&mut group)?;
            }
            group.close()
        };
        write().map(drop).map_err(broken(&self.path))
    }
}

impl Gathered {
    fn new(column: &Column) -> Gathered {
        let values = match column.kind {
            Kind::Text => Values::Text(Vec::new(), Vec::new()),
            Kind::Int | Kind::Time => Values::Long(Vec::new()),
            Kind::Real => Values::Double(Vec::new()),
            Kind::Bool => Values::Bool(Vec::new()),
            Kind::Date => Values::Days(Vec::new()),
        };
        Gathered { nullable: column.nullable, levels: Vec::new(), values }
    }

    /// Takes a cell of the column's kind, and says how much text it added.
    fn push(&mut self, cell: &Cell<'_>) -> usize {
        if self.nullable {
            self.levels.push(i16::from(*cell != Cell::Nothing));
        }
        match (&mut self.values, cell) {
            (Values::Text(text, ends), Cell::Text(it)) => {
                text.extend_from_slice(it.as_bytes());
                ends.push(text.len());
                return it.len();
            }
            (Values::Long(values), Cell::Int(it) | Cell::Time(Moment(it))) => values.push(*it),
            (Values::Double(values), Cell::Real(it)) => values.push(*it),
            (Values::Bool(values), Cell::Bool(it)) => values.push(*it),
            (Values::Days(values), Cell::Date(it)) => values.push(*it),
            (_, cell) => debug_assert!(*cell == Cell::Nothing, "the row was checked against its columns"),
        }
        0
    }

    fn write(&mut self, group: &mut SerializedRowGroupWriter<'_, Output>) -> Result<(), ParquetError> {
        let Some(mut column) = group.next_column()? else {
            return Err(ParquetError::General("a column too many".to_owned()));
        };
        let levels = self.nullable.then_some(self.levels.as_slice());
        match &mut self.values {
            Values::Text(text, ends) => {
                let text = Bytes::from(std::mem::take(text));
                let mut start = 0;
                let cut = |end: usize| ByteArray::from(text.slice(std::mem::replace(&mut start, end)..end));
                let texts: Vec<ByteArray> = ends.drain(..).map(cut).collect();
                column.typed::<ByteArrayType>().write_batch(&texts, levels, None)?;
            }
            Values::Long(values) => {
                column.typed::<Int64Type>().write_batch(values, levels, None)?;
                values.clear();
            }
            Values::Double(values) => {
                column.typed::<DoubleType>().write_batch(values, levels, None)?;
                values.clear();
            }
            Values::Bool(values) => {
                column.typed::<BoolType>().write_batch(values, levels, None)?;
                values.clear();
            }
            Values::Days(values) => {
                column.typed::<Int32Type>().write_batch(values, levels, None)?;
                values.clear();
            }
        }
        self.levels.clear();
        column.close()
    }
}
