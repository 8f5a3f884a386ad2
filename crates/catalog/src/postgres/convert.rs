//! How do our values travel as PostgreSQL's own types?

use std::error::Error;

use bytes::BytesMut;
use domain::Moment;
use jiff::Timestamp;
use tokio_postgres::{
    Row,
    types::{IsNull, ToSql, Type, to_sql_checked},
};

use crate::{
    error::{CatalogError, ErrorKind},
    value::{Kind, Value, within_calendar},
};

fn type_of(kind: Kind) -> Type {
    match kind {
        Kind::Bool => Type::BOOL,
        Kind::Int => Type::INT8,
        Kind::Real => Type::FLOAT8,
        Kind::Text => Type::TEXT,
        Kind::Bytes => Type::BYTEA,
        Kind::Time => Type::TIMESTAMPTZ,
        Kind::Json => Type::JSONB,
    }
}

fn array_of(kind: Kind) -> Type {
    match kind {
        Kind::Bool => Type::BOOL_ARRAY,
        Kind::Int => Type::INT8_ARRAY,
        Kind::Real => Type::FLOAT8_ARRAY,
        Kind::Text => Type::TEXT_ARRAY,
        Kind::Bytes => Type::BYTEA_ARRAY,
        Kind::Time => Type::TIMESTAMPTZ_ARRAY,
        Kind::Json => Type::JSONB_ARRAY,
    }
}

/// One set of parameters, each with its type.
pub(super) fn typed(set: &[Value]) -> Vec<(Parameter<'_>, Type)> {
    set.iter().map(|value| (Parameter(value), type_of(value.kind()))).collect()
}

/// One array per parameter from many sets of parameters; the first set decides the types.
pub(super) fn transpose(sets: &[Vec<Value>]) -> Vec<(Vec<Parameter<'_>>, Type)> {
    let Some(first) = sets.first() else { return Vec::new() };
    let column = |at: usize| sets.iter().filter_map(|set| set.get(at)).map(Parameter).collect();
    first.iter().enumerate().map(|(at, value)| (column(at), array_of(value.kind()))).collect()
}

#[derive(Debug)]
pub(super) struct Parameter<'a>(&'a Value);

impl ToSql for Parameter<'_> {
    fn to_sql(&self, ty: &Type, out: &mut BytesMut) -> Result<IsNull, Box<dyn Error + Sync + Send>> {
        match self.0 {
            Value::Null(_) => Ok(IsNull::Yes),
            Value::Bool(it) => it.to_sql(ty, out),
            Value::Int(it) => it.to_sql(ty, out),
            Value::Real(it) => it.to_sql(ty, out),
            Value::Text(it) => it.to_sql(ty, out),
            Value::Bytes(it) => it.to_sql(ty, out),
            Value::Time(it) => within_calendar(*it).timestamp().to_sql(ty, out),
            Value::Json(it) => it.to_sql(ty, out),
        }
    }

    // the type always comes from the value itself, by `type_of`
    fn accepts(_: &Type) -> bool {
        true
    }

    to_sql_checked!();
}

/// The row's cells as our values; a type that the catalog does not use is a defect of the statement.
pub(super) fn cells(row: &Row) -> Result<Vec<Option<Value>>, CatalogError> {
    (0..row.len()).map(|at| cell(row, at)).collect()
}

fn cell(row: &Row, at: usize) -> Result<Option<Value>, CatalogError> {
    let column = &row.columns()[at];
    let value = match *column.type_() {
        Type::BOOL => row.try_get::<_, Option<bool>>(at).map(|it| it.map(Value::Bool)),
        Type::INT8 => row.try_get::<_, Option<i64>>(at).map(|it| it.map(Value::Int)),
        Type::INT4 => row.try_get::<_, Option<i32>>(at).map(|it| it.map(Value::from)),
        Type::FLOAT8 => row.try_get::<_, Option<f64>>(at).map(|it| it.map(Value::Real)),
        Type::TEXT | Type::VARCHAR | Type::NAME => {
            row.try_get::<_, Option<String>>(at).map(|it| it.map(Value::Text))
        }
        Type::BYTEA => row.try_get::<_, Option<Vec<u8>>>(at).map(|it| it.map(Value::Bytes)),
        Type::TIMESTAMPTZ => {
            row.try_get::<_, Option<Timestamp>>(at).map(|it| it.map(|it| Value::Time(Moment::from(it))))
        }
        Type::JSONB | Type::JSON => row.try_get::<_, Option<_>>(at).map(|it| it.map(Value::Json)),
        ref other => {
            let message = format!(
                "column `{}` is of type {}, which the catalog does not read: cast it in the statement",
                column.name(),
                other.name()
            );
            return Err(CatalogError::new(ErrorKind::Defect, message));
        }
    };
    value.map_err(|error| {
        let why = error.source().map_or_else(String::new, |source| format!(": {source}"));
        CatalogError::new(ErrorKind::Defect, format!("column `{}` cannot be read{why}", column.name()))
    })
}
