//! How is one row read, without asking which engine it came from?

use std::sync::Arc;

use domain::Moment;
use serde_json::Value as Json;

use crate::{
    error::{CatalogError, ErrorKind},
    value::Value,
};

/// One row of an answer, read by column name.
///
/// SQLite has neither booleans, times nor JSON of its own, so a getter takes what the engine had and gives what was
/// asked for; what cannot be that is a defect whose message names the statement and the column.
#[derive(Debug, Clone)]
pub struct Row {
    statement: &'static str,
    columns: Arc<[String]>,
    cells: Vec<Option<Value>>,
}

impl Row {
    pub(crate) fn new(statement: &'static str, columns: Arc<[String]>, cells: Vec<Option<Value>>) -> Row {
        Row { statement, columns, cells }
    }

    /// A `boolean` that is there.
    pub fn bool(&self, column: &str) -> Result<bool, CatalogError> {
        self.required(column, as_bool)
    }

    /// A `bigint` that is there.
    pub fn int(&self, column: &str) -> Result<i64, CatalogError> {
        self.required(column, as_int)
    }

    /// A `bigint`, or nothing.
    pub fn int_opt(&self, column: &str) -> Result<Option<i64>, CatalogError> {
        self.optional(column, as_int)
    }

    /// A whole number of a smaller type; one that does not fit is an error, never cut.
    pub fn number<T: TryFrom<i64>>(&self, column: &str) -> Result<T, CatalogError> {
        let wide = self.int(column)?;
        T::try_from(wide).map_err(|_| self.wrong(column, &format!("{wide}, which is out of range")))
    }

    /// A `double precision` that is there.
    pub fn real(&self, column: &str) -> Result<f64, CatalogError> {
        self.required(column, as_real)
    }

    /// A `text` that is there.
    pub fn text(&self, column: &str) -> Result<String, CatalogError> {
        self.required(column, as_text)
    }

    /// A `text`, or nothing.
    pub fn text_opt(&self, column: &str) -> Result<Option<String>, CatalogError> {
        self.optional(column, as_text)
    }

    /// A `bytea` that is there.
    pub fn bytes(&self, column: &str) -> Result<Vec<u8>, CatalogError> {
        self.required(column, as_bytes)
    }

    /// A `timestamptz` that is there.
    pub fn moment(&self, column: &str) -> Result<Moment, CatalogError> {
        self.required(column, as_moment)
    }

    /// A `timestamptz`, or nothing.
    pub fn moment_opt(&self, column: &str) -> Result<Option<Moment>, CatalogError> {
        self.optional(column, as_moment)
    }

    /// A `jsonb` that is there.
    pub fn json(&self, column: &str) -> Result<Json, CatalogError> {
        self.required(column, as_json)
    }

    /// A word from a closed list, such as a status.
    pub fn word<T>(&self, column: &str, parse: impl Fn(&str) -> Option<T>) -> Result<T, CatalogError> {
        let text = self.text(column)?;
        parse(&text)
            .ok_or_else(|| self.wrong(column, &format!("`{text}`, a word this program does not know")))
    }

    fn required<T>(&self, column: &str, read: fn(&Value) -> Option<T>) -> Result<T, CatalogError> {
        self.optional(column, read)?.ok_or_else(|| self.wrong(column, "no value"))
    }

    fn optional<T>(&self, column: &str, read: fn(&Value) -> Option<T>) -> Result<Option<T>, CatalogError> {
        let at = self.columns.iter().position(|name| name == column);
        let Some(cell) = at.and_then(|at| self.cells.get(at)) else {
            let message = format!("statement {} has no column `{column}` in its answer", self.statement);
            return Err(CatalogError::new(ErrorKind::Defect, message));
        };
        let Some(value) = cell else { return Ok(None) };
        read(value).map(Some).ok_or_else(|| {
            self.wrong(column, &format!("a {:?} where another type was asked for", value.kind()))
        })
    }

    fn wrong(&self, column: &str, found: &str) -> CatalogError {
        let message = format!("statement {}, column `{column}`: found {found}", self.statement);
        CatalogError::new(ErrorKind::Defect, message)
    }
}

fn as_bool(value: &Value) -> Option<bool> {
    match value {
        Value::Bool(it) => Some(*it),
        Value::Int(0) => Some(false),
        Value::Int(1) => Some(true),
        _ => None,
    }
}

fn as_int(value: &Value) -> Option<i64> {
    match value {
        Value::Int(it) => Some(*it),
        _ => None,
    }
}

fn as_real(value: &Value) -> Option<f64> {
    match value {
        Value::Real(it) => Some(*it),
        _ => None,
    }
}

fn as_text(value: &Value) -> Option<String> {
    match value {
        Value::Text(it) => Some(it.clone()),
        _ => None,
    }
}

fn as_bytes(value: &Value) -> Option<Vec<u8>> {
    match value {
        Value::Bytes(it) => Some(it.clone()),
        _ => None,
    }
}

fn as_moment(value: &Value) -> Option<Moment> {
    match value {
        Value::Time(it) => Some(*it),
        Value::Int(it) => Some(Moment(*it)),
        _ => None,
    }
}

fn as_json(value: &Value) -> Option<Json> {
    match value {
        Value::Json(it) => Some(it.clone()),
        Value::Text(it) => serde_json::from_str(it).ok(),
        // SQLite turns a text that is one number into that number, in any column it does not know the type of
        Value::Int(it) => Some(Json::from(*it)),
        Value::Real(it) => Some(Json::from(*it)),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(value: Option<Value>) -> Row {
        Row::new("runs/get", Arc::from(["x".to_owned()]), vec![value])
    }

    #[test]
    fn a_wrong_read_names_the_statement_and_the_column() {
        let missing = row(None).int("y").unwrap_err();
        assert_eq!(missing.to_string(), "statement runs/get has no column `y` in its answer");
        let absent = row(None).int("x").unwrap_err();
        assert_eq!(absent.to_string(), "statement runs/get, column `x`: found no value");
        let other = row(Some(Value::from("text"))).int("x").unwrap_err();
        assert_eq!(
            other.to_string(),
            "statement runs/get, column `x`: found a Text where another type was asked for"
        );
        let large = row(Some(Value::Int(70_000))).number::<u16>("x").unwrap_err();
        assert_eq!(large.to_string(), "statement runs/get, column `x`: found 70000, which is out of range");
    }

    #[test]
    fn what_sqlite_keeps_as_numbers_and_text_reads_as_what_it_is() {
        assert!(row(Some(Value::Int(1))).bool("x").unwrap());
        assert!(row(Some(Value::Int(2))).bool("x").is_err());
        assert_eq!(row(Some(Value::Int(7))).moment("x").unwrap(), Moment(7));
        assert_eq!(row(Some(Value::from("[1]"))).json("x").unwrap(), serde_json::json!([1]));
        assert!(row(Some(Value::from("[1"))).json("x").is_err());
    }
}
