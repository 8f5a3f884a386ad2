//! How do rows become columns in Parquet, and rows again?

mod read;
mod write;

use std::{path::Path, sync::Arc};

use parquet::{
    basic::{LogicalType, Repetition, TimeUnit, Type as Physical},
    errors::ParquetError,
    schema::types::{Type, TypePtr},
};

pub use read::read_parquet;
pub(super) use write::Encoder;

use super::{
    TableError,
    column::{Column, Kind},
};

fn schema(columns: &[Column]) -> Result<TypePtr, ParquetError> {
    let field = |column: &Column| {
        let (physical, logical) = types(column.kind);
        let repetition = if column.nullable { Repetition::OPTIONAL } else { Repetition::REQUIRED };
        let field = Type::primitive_type_builder(column.name, physical)
            .with_repetition(repetition)
            .with_logical_type(logical);
        Ok(Arc::new(field.build()?))
    };
    let fields = columns.iter().map(field).collect::<Result<_, ParquetError>>()?;
    Ok(Arc::new(Type::group_type_builder("table").with_fields(fields).build()?))
}

fn types(kind: Kind) -> (Physical, Option<LogicalType>) {
    match kind {
        Kind::Text => (Physical::BYTE_ARRAY, Some(LogicalType::String)),
        Kind::Int => (Physical::INT64, None),
        Kind::Real => (Physical::DOUBLE, None),
        Kind::Bool => (Physical::BOOLEAN, None),
        Kind::Time => (Physical::INT64, Some(LogicalType::timestamp(true, TimeUnit::MILLIS))),
        Kind::Date => (Physical::INT32, Some(LogicalType::Date)),
    }
}

fn damaged(path: &Path, what: &str) -> TableError {
    TableError::Damaged { path: path.to_owned(), what: what.to_owned() }
}

/// The library's errors do not leave this crate: what the system said stays what it was, the rest becomes words.
fn broken(path: &Path) -> impl Fn(ParquetError) -> TableError + '_ {
    move |error| match error {
        ParquetError::External(source) => match source.downcast::<std::io::Error>() {
            Ok(source) => TableError::io(path)(*source),
            Err(source) => damaged(path, &source.to_string()),
        },
        error => damaged(path, &error.to_string()),
    }
}
