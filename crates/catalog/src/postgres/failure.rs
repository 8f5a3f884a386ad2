//! What does an error of PostgreSQL, of PgBouncer or of the way to them mean?

use std::error::Error as _;

use deadpool_postgres::{PoolError, TimeoutType};
use tokio_postgres::{Error, error::SqlState};

use crate::error::{CatalogError, ErrorKind};

pub(super) fn sql_error(error: &Error) -> CatalogError {
    let Some(server) = error.as_db_error() else {
        let why = error.source().map_or_else(String::new, |source| format!(": {source}"));
        return CatalogError::new(kind_of_local(error), format!("{error}{why}"));
    };
    let mut text = server.message().to_owned();
    if let Some(detail) = server.detail() {
        text.push_str(": ");
        text.push_str(detail);
    }
    let kind = kind_of(server.code());
    if kind == ErrorKind::Schema {
        text.push_str("; run `canvass migrate`");
    }
    CatalogError::new(kind, format!("{text} (SQLSTATE {})", server.code().code()))
}

/// The kind of an error that no server sent. The library keeps its own kinds private, so their texts must do.
fn kind_of_local(error: &Error) -> ErrorKind {
    let by_network = error.is_closed() || error.source().is_some_and(|source| source.is::<std::io::Error>());
    match error.to_string().as_str() {
        _ if by_network => ErrorKind::Unreachable,
        "error connecting to server" | "timeout waiting for server" => ErrorKind::Unreachable,
        "authentication error" | "invalid configuration" => ErrorKind::Configuration,
        _ => ErrorKind::Defect,
    }
}

/// The kind of a server's error by its code: the classes are those of the SQL standard and PostgreSQL's appendix A.
fn kind_of(code: &SqlState) -> ErrorKind {
    match code.code() {
        "57014" => ErrorKind::TimedOut,
        "57P01" | "57P02" | "57P03" | "57P04" | "57P05" | "25P03" => ErrorKind::Unreachable,
        "40001" | "40P01" | "55P03" | "53300" => ErrorKind::Busy,
        "42P01" | "42703" | "3F000" => ErrorKind::Schema,
        "3D000" | "42501" => ErrorKind::Configuration,
        other => match other.get(..2) {
            // PgBouncer reports its own troubles (no server, waited too long) in class 08
            Some("08") => ErrorKind::Unreachable,
            Some("22") => ErrorKind::Value,
            Some("23") | Some("40") => ErrorKind::Conflict,
            Some("28") => ErrorKind::Configuration,
            Some("53") | Some("58") | Some("XX") => ErrorKind::Storage,
            _ => ErrorKind::Defect,
        },
    }
}

pub(super) fn connect_error(error: &Error, shown: &str) -> CatalogError {
    let why = error.source().map_or_else(|| error.to_string(), ToString::to_string);
    CatalogError::new(ErrorKind::Configuration, format!("the database URL `{shown}` cannot be used: {why}"))
}

pub(super) fn pool_error(error: PoolError) -> CatalogError {
    match error {
        PoolError::Backend(error) => sql_error(&error),
        PoolError::Timeout(TimeoutType::Wait) => CatalogError::new(
            ErrorKind::Busy,
            "every connection is in use; raise max_connections or try again later",
        ),
        PoolError::Timeout(_) => {
            CatalogError::new(ErrorKind::Unreachable, "the server did not answer within connect_timeout")
        }
        other => CatalogError::new(ErrorKind::Defect, other.to_string()),
    }
}
