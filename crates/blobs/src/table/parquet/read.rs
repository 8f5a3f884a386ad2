//! How is a table read back?

use std::{fs::File, path::Path};

use domain::Moment;
use parquet::{
    column::reader::{ColumnReader, ColumnReaderImpl},
    data_type::{BoolType, ByteArray, ByteArrayType, DataType, DoubleType, Int32Type, Int64Type},
    errors::ParquetError,
    file::reader::{FileReader, RowGroupReader, SerializedFileReader},
};

use super::{
    super::{
        TableError,
        column::{Cell, Column, Kind},
    },
    broken, damaged, schema,
};

/// How many rows are read at once.
const READ_ROWS: usize = 4_096;

/// Reads a Parquet table with exactly these columns row by row, in bounded memory, and says how many rows there were.
///
/// `visit` may stop the reading with an error of its own.
pub fn read_parquet<E: From<TableError>>(
    path: &Path,
    columns: &[Column],
    mut visit: impl FnMut(&[Cell<'_>]) -> Result<(), E>,
) -> Result<u64, E> {
    let file = File::open(path).map_err(TableError::io(path))?;
    let reader = SerializedFileReader::new(file).map_err(broken(path))?;
    let expected = schema(columns).map_err(broken(path))?;
    let found = reader.metadata().file_metadata().schema();
    if found.get_fields() != expected.get_fields() {
        return Err(damaged(path, "it has other columns").into());
    }
    let mut rows = 0;
    for group in 0..reader.num_row_groups() {
        let group = reader.get_row_group(group).map_err(broken(path))?;
        rows += read_group(path, columns, &*group, &mut visit)?;
    }
    Ok(rows)
}

fn read_group<E: From<TableError>>(
    path: &Path,
    columns: &[Column],
    group: &dyn RowGroupReader,
    visit: &mut impl FnMut(&[Cell<'_>]) -> Result<(), E>,
) -> Result<u64, E> {
    let open = |(at, column): (usize, &Column)| ColumnRows::open(column, group.get_column_reader(at)?);
    let mut open: Vec<ColumnRows> =
        columns.iter().enumerate().map(open).collect::<Result<_, _>>().map_err(broken(path))?;
    let all = u64::try_from(group.metadata().num_rows()).unwrap_or(0);
    let mut done = 0;
    while done < all {
        let wanted = READ_ROWS.min(usize::try_from(all - done).unwrap_or(READ_ROWS));
        for column in &mut open {
            if column.fill(wanted).map_err(broken(path))? != wanted {
                return Err(damaged(path, "a column ends before the others").into());
            }
        }
        for row in 0..wanted {
            let cells: Option<Vec<Cell<'_>>> = open.iter_mut().map(|column| column.cell(row)).collect();
            visit(&cells.ok_or_else(|| damaged(path, "a text is not UTF-8, or a value is missing"))?)?;
        }
        done += wanted as u64;
    }
    Ok(done)
}

/// One column of a row group that is being read, some rows at a time.
struct ColumnRows {
    kind: Kind,
    nullable: bool,
    levels: Vec<i16>,
    /// How many values of this batch were handed out.
    taken: usize,
    reader: Reader,
}

enum Reader {
    Text(ColumnReaderImpl<ByteArrayType>, Vec<ByteArray>),
    Long(ColumnReaderImpl<Int64Type>, Vec<i64>),
    Double(ColumnReaderImpl<DoubleType>, Vec<f64>),
    Bool(ColumnReaderImpl<BoolType>, Vec<bool>),
    Days(ColumnReaderImpl<Int32Type>, Vec<i32>),
}

impl ColumnRows {
    fn open(column: &Column, reader: ColumnReader) -> Result<ColumnRows, ParquetError> {
        let reader = match reader {
            ColumnReader::ByteArrayColumnReader(reader) => Reader::Text(reader, Vec::new()),
            ColumnReader::Int64ColumnReader(reader) => Reader::Long(reader, Vec::new()),
            ColumnReader::DoubleColumnReader(reader) => Reader::Double(reader, Vec::new()),
            ColumnReader::BoolColumnReader(reader) => Reader::Bool(reader, Vec::new()),
            ColumnReader::Int32ColumnReader(reader) => Reader::Days(reader, Vec::new()),
            _ => return Err(ParquetError::General("a column of another type".to_owned())),
        };
        let Column { name: _, kind, nullable } = *column;
        Ok(ColumnRows { kind, nullable, levels: Vec::new(), taken: 0, reader })
    }

    /// Reads the next rows, in place of those before, and says how many there were.
    fn fill(&mut self, rows: usize) -> Result<usize, ParquetError> {
        self.levels.clear();
        self.taken = 0;
        match &mut self.reader {
            Reader::Text(reader, values) => fill(reader, values, &mut self.levels, rows),
            Reader::Long(reader, values) => fill(reader, values, &mut self.levels, rows),
            Reader::Double(reader, values) => fill(reader, values, &mut self.levels, rows),
            Reader::Bool(reader, values) => fill(reader, values, &mut self.levels, rows),
            Reader::Days(reader, values) => fill(reader, values, &mut self.levels, rows),
        }
    }

    /// The cell of a row of this batch; rows must be asked for in order.
    fn cell(&mut self, row: usize) -> Option<Cell<'_>> {
        if self.nullable && *self.levels.get(row)? == 0 {
            return Some(Cell::Nothing);
        }
        let at = self.taken;
        self.taken += 1;
        match &self.reader {
            Reader::Text(_, values) => std::str::from_utf8(values.get(at)?.data()).ok().map(Cell::Text),
            Reader::Long(_, values) if self.kind == Kind::Time => {
                values.get(at).map(|it| Cell::Time(Moment(*it)))
            }
            Reader::Long(_, values) => values.get(at).map(|it| Cell::Int(*it)),
            Reader::Double(_, values) => values.get(at).map(|it| Cell::Real(*it)),
            Reader::Bool(_, values) => values.get(at).map(|it| Cell::Bool(*it)),
            Reader::Days(_, values) => values.get(at).map(|it| Cell::Date(*it)),
        }
    }
}

fn fill<T: DataType>(
    reader: &mut ColumnReaderImpl<T>,
    values: &mut Vec<T::T>,
    levels: &mut Vec<i16>,
    rows: usize,
) -> Result<usize, ParquetError> {
    values.clear();
    let mut read = 0;
    while read < rows {
        let (records, _, _) = reader.read_records(rows - read, Some(levels), None, values)?;
        if records == 0 {
            break;
        }
        read += records;
    }
    Ok(read)
}
