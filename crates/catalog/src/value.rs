//! What may stand in a column?

use domain::Moment;
use serde_json::Value as Json;

use crate::error::{CatalogError, ErrorKind};

/// The types that both engines store and give back unchanged.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Kind {
    /// `boolean`; 0 or 1 on SQLite.
    Bool,
    /// `bigint`.
    Int,
    /// `double precision`.
    Real,
    /// `text`.
    Text,
    /// `bytea`.
    Bytes,
    /// `timestamptz`; milliseconds since 1970 (UTC) on SQLite.
    Time,
    /// `jsonb`; text on SQLite.
    Json,
}

/// One parameter of a statement, or one cell of a row.
#[derive(Debug, Clone, PartialEq)]
pub enum Value {
    /// No value. PostgreSQL is told each parameter's type, so even nothing has one.
    Null(Kind),
    /// Yes or no.
    Bool(bool),
    /// A whole number.
    Int(i64),
    /// A finite number.
    Real(f64),
    /// Text without a NUL character.
    Text(String),
    /// Any bytes.
    Bytes(Vec<u8>),
    /// An instant; one before the year 1 or after the year 9999 is kept as the first or the last that there is.
    Time(Moment),
    /// JSON whose texts have no NUL character.
    Json(Json),
}

impl Value {
    /// Which type it has.
    #[must_use]
    pub fn kind(&self) -> Kind {
        match self {
            Value::Null(kind) => *kind,
            Value::Bool(_) => Kind::Bool,
            Value::Int(_) => Kind::Int,
            Value::Real(_) => Kind::Real,
            Value::Text(_) => Kind::Text,
            Value::Bytes(_) => Kind::Bytes,
            Value::Time(_) => Kind::Time,
            Value::Json(_) => Kind::Json,
        }
    }

    /// `Some` as itself, `None` as a typed nothing.
    pub fn optional<T: Into<Value>>(value: Option<T>, kind: Kind) -> Value {
        value.map_or(Value::Null(kind), Into::into)
    }

    /// Refuses on both engines what only one of them would refuse: PostgreSQL has no NUL in text and JSON, SQLite
    /// turns a NaN into NULL without a word.
    pub(crate) fn check(&self) -> Result<(), CatalogError> {
        let problem = match self {
            Value::Text(text) if text.contains('\0') => "text with a NUL character cannot be stored",
            Value::Json(json) if has_nul(json) => "JSON with a NUL character cannot be stored",
            Value::Real(real) if !real.is_finite() => "a number that is not finite cannot be stored",
            _ => return Ok(()),
        };
        Err(CatalogError::new(ErrorKind::Value, problem))
    }
}

// serde_json refuses to parse deeper than 128 levels, and our own values are flat, so that recursion is bounded.
fn has_nul(json: &Json) -> bool {
    match json {
        Json::Null | Json::Bool(_) | Json::Number(_) => false,
        Json::String(text) => text.contains('\0'),
        Json::Array(items) => items.iter().any(has_nul),
        Json::Object(fields) => fields.iter().any(|(key, value)| key.contains('\0') || has_nul(value)),
    }
}

// What PostgreSQL, SQLite and the time library can all hold: from the year 1 to the last hours of the year 9999.
const FIRST: Moment = Moment(-62_135_596_800_000);
const LAST: Moment = Moment(253_402_207_200_000);

/// The moment as both engines can hold it.
pub(crate) fn within_calendar(moment: Moment) -> Moment {
    moment.clamp(FIRST, LAST)
}

macro_rules! value_from {
    ($($from:ty => $variant:ident),* $(,)?) => {
        $(impl From<$from> for Value {
            fn from(value: $from) -> Value { Value::$variant(value.into()) }
        })*
    };
}

value_from! {
    bool => Bool, i64 => Int, i32 => Int, u32 => Int, u16 => Int, f64 => Real, String => Text, &str => Text,
    Vec<u8> => Bytes, &[u8] => Bytes, Moment => Time, Json => Json,
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn what_one_engine_would_refuse_is_refused_before_either_is_asked() {
        for bad in [
            Value::from("a\0b"),
            Value::from(json!({"a": ["b\0"]})),
            Value::from(json!({"a\0": 1})),
            Value::Real(f64::NAN),
            Value::Real(f64::INFINITY),
        ] {
            assert_eq!(bad.check().unwrap_err().kind(), ErrorKind::Value, "{bad:?}");
        }
        for good in [Value::from("ab"), Value::from(json!({"a": [1, "b"]})), Value::from(&b"\0"[..])] {
            good.check().unwrap();
        }
    }
}
