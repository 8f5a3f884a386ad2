//! What may stand in a cell?

use domain::Moment;

/// What a column holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// Any text.
    Text,
    /// A whole number of 64 bits.
    Int,
    /// A finite number.
    Real,
    /// Yes or no.
    Bool,
    /// An instant, to the millisecond, in UTC.
    Time,
    /// A day, in UTC.
    Date,
}

/// One column of a table.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Column {
    /// Its name.
    pub name: &'static str,
    /// What it holds.
    pub kind: Kind,
    /// Whether it may hold nothing.
    pub nullable: bool,
}

impl Column {
    /// A column that always holds something.
    #[must_use]
    pub const fn new(name: &'static str, kind: Kind) -> Column {
        Column { name, kind, nullable: false }
    }

    /// A column that may hold nothing.
    #[must_use]
    pub const fn nullable(name: &'static str, kind: Kind) -> Column {
        Column { name, kind, nullable: true }
    }
}

/// One cell of a row.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Cell<'a> {
    /// No value.
    Nothing,
    /// A text.
    Text(&'a str),
    /// A whole number.
    Int(i64),
    /// A number.
    Real(f64),
    /// Yes or no.
    Bool(bool),
    /// An instant.
    Time(Moment),
    /// Days since 1970-01-01.
    Date(i32),
}

const DAY_MS: i64 = 86_400_000;

impl Cell<'_> {
    /// The day of an instant, in UTC.
    #[must_use]
    pub fn date_of(at: Moment) -> Cell<'static> {
        let days = at.0.div_euclid(DAY_MS);
        Cell::Date(i32::try_from(days).unwrap_or(if days < 0 { i32::MIN } else { i32::MAX }))
    }

    fn kind(&self) -> Option<Kind> {
        match self {
            Cell::Nothing => None,
            Cell::Text(_) => Some(Kind::Text),
            Cell::Int(_) => Some(Kind::Int),
            Cell::Real(_) => Some(Kind::Real),
            Cell::Bool(_) => Some(Kind::Bool),
            Cell::Time(_) => Some(Kind::Time),
            Cell::Date(_) => Some(Kind::Date),
        }
    }
}

impl<'a> From<&'a str> for Cell<'a> {
    fn from(text: &'a str) -> Cell<'a> {
        Cell::Text(text)
    }
}

impl<'a> From<&'a String> for Cell<'a> {
    fn from(text: &'a String) -> Cell<'a> {
        Cell::Text(text)
    }
}

impl From<i64> for Cell<'_> {
    fn from(number: i64) -> Self {
        Cell::Int(number)
    }
}

impl From<bool> for Cell<'_> {
    fn from(it: bool) -> Self {
        Cell::Bool(it)
    }
}

impl From<Moment> for Cell<'_> {
    fn from(at: Moment) -> Self {
        Cell::Time(at)
    }
}

impl<'a, T: Into<Cell<'a>>> From<Option<T>> for Cell<'a> {
    fn from(value: Option<T>) -> Cell<'a> {
        value.map_or(Cell::Nothing, Into::into)
    }
}

/// Why a row is none of these columns; nothing if it is one.
pub(super) fn misfit(columns: &[Column], row: &[Cell<'_>]) -> Option<String> {
    if row.len() != columns.len() {
        return Some(format!("{} cells for {} columns", row.len(), columns.len()));
    }
    columns.iter().zip(row).find_map(|(Column { name, kind, nullable }, cell)| match cell.kind() {
        None if *nullable => None,
        None => Some(format!("`{name}` holds nothing")),
        Some(found) if found != *kind => Some(format!("`{name}` holds {found:?} where it takes {kind:?}")),
        // neither JSON nor most readers of CSV have a word for them
        Some(_) if matches!(cell, Cell::Real(number) if !number.is_finite()) => {
            Some(format!("`{name}` holds a number that is not finite"))
        }
        Some(_) => None,
    })
}

/// Writes a cell that is not text, as CSV and JSON both spell it: RFC 3339 for times and days.
pub(super) fn write_plain(cell: &Cell<'_>, out: &mut Vec<u8>) {
    use std::io::Write;
    let written = match cell {
        Cell::Nothing | Cell::Text(_) => Ok(()),
        Cell::Int(number) => write!(out, "{number}"),
        Cell::Real(number) => write!(out, "{number}"),
        Cell::Bool(it) => write!(out, "{it}"),
        Cell::Time(at) => write!(out, "{at}"),
        Cell::Date(days) => {
            let at = Moment(i64::from(*days) * DAY_MS).to_string();
            out.write_all(at.split('T').next().unwrap_or_default().as_bytes())
        }
    };
    debug_assert!(written.is_ok(), "writing to memory cannot fail");
}
