//! What do we know?
//!
//! The catalog is SQL state on SQLite (one file, the default) or PostgreSQL (for a team). Statements are files under
//! `sql/`, written once for both engines; a `.postgres.sql` beside one is the visible exception. Rules and row mapping
//! stand above [`Session`] in the areas, and never ask which engine runs: [`runs`] and [`locks`] of jobs, [`hosts`] and
//! [`robots`] of politeness, and what sites run: [`rules`], [`mod@matches`], [`findings`], [`changes`], [`accounts`],
//! [`deliveries`] and [`archives`].

#![cfg_attr(test, allow(clippy::unwrap_used, reason = "a test that cannot go on has failed"))]

mod error;
mod migrate;
mod paging;
mod postgres;
mod process;
mod row;
mod session;
mod sqlite;
mod statements;
mod value;

pub mod accounts;
pub mod archives;
pub mod changes;
pub mod deliveries;
pub mod exports;
pub mod findings;
pub mod holdings;
pub mod hosts;
pub mod locks;
pub mod matches;
pub mod robots;
pub mod rules;
pub mod runs;
pub mod statistics;

use std::{path::PathBuf, time::Duration};

pub use error::{CatalogError, ErrorKind, redact};
pub use migrate::SchemaProblem;
pub use postgres::PostgresSession;
pub use process::{Liveness, Process, ThisMachine};
pub use row::Row;
pub use session::{Done, Session, Step};
pub use sqlite::SqliteSession;
pub use statements::Statement;
pub use value::{Kind, Value};

use session::Patience;

/// How a catalog is opened.
#[derive(Debug, Clone)]
pub struct OpenOptions {
    /// The most connections to PostgreSQL at once; SQLite has one.
    pub max_connections: usize,
    /// The longest a statement may take on PostgreSQL, and the longest SQLite waits for another process's lock.
    pub statement_timeout: Duration,
    /// The longest a statement may wait for another's lock on PostgreSQL.
    pub lock_timeout: Duration,
    /// The longest that connecting may take.
    pub connect_timeout: Duration,
    /// The PostgreSQL schema that holds the tables; the server's default where it is `None`.
    pub schema: Option<String>,
}

impl Default for OpenOptions {
    fn default() -> OpenOptions {
        OpenOptions {
            max_connections: 8,
            statement_timeout: Duration::from_secs(30),
            lock_timeout: Duration::from_secs(5),
            connect_timeout: Duration::from_secs(10),
            schema: None,
        }
    }
}

/// What we know, opened; clones share the file or the pool.
#[derive(Debug, Clone)]
pub struct Catalog {
    session: Session,
}

impl Catalog {
    /// Opens `sqlite:PATH`, a plain path, or `postgres://…`; makes the SQLite file if there is none.
    ///
    /// It changes no tables: ask [`Catalog::check_schema`] before use, and [`Catalog::migrate`] only when told to.
    pub async fn open(url: &str, options: OpenOptions) -> Result<Catalog, CatalogError> {
        let session = match engine_of(url)? {
            Engine::Sqlite(path) => {
                Session::Sqlite(SqliteSession::open(&path, options.statement_timeout).await?)
            }
            Engine::Postgres => Session::Postgres(PostgresSession::open(url, &options).await?),
        };
        Ok(Catalog { session })
    }

    /// The engine behind it.
    #[must_use]
    pub fn session(&self) -> &Session {
        &self.session
    }

    /// Runs one statement once, in a transaction of its own.
    pub async fn run(
        &self,
        statement: Statement,
        parameters: impl Into<Vec<Value>>,
    ) -> Result<Done, CatalogError> {
        let done = self.transaction(vec![Step::once(statement, parameters)]).await?;
        Ok(done.into_iter().next().unwrap_or_default())
    }

    /// Runs the steps in order in one transaction: all of them happened, or none did. One answer per step.
    pub async fn transaction(&self, steps: Vec<Step>) -> Result<Vec<Done>, CatalogError> {
        self.session.run(steps, Patience::Statement).await
    }
}

enum Engine {
    Sqlite(PathBuf),
    Postgres,
}

fn engine_of(url: &str) -> Result<Engine, CatalogError> {
    let wrong = |message: String| Err(CatalogError::new(ErrorKind::Configuration, message));
    if url.starts_with("postgres://") || url.starts_with("postgresql://") {
        return Ok(Engine::Postgres);
    }
    let path = match url.strip_prefix("sqlite:") {
        Some(path) => path.strip_prefix("//").unwrap_or(path),
        None if url.contains("://") => {
            return wrong(format!(
                "the catalog `{}` is of no known kind: use `sqlite:PATH` or `postgres://…`",
                redact(url)
            ));
        }
        None => url,
    };
    if path.is_empty() {
        return wrong("the catalog has no path: use `sqlite:PATH` or `postgres://…`".to_owned());
    }
    Ok(Engine::Sqlite(path.into()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_catalog_is_named_by_a_path_or_a_url() {
        for (url, path) in [
            ("data/catalog.db", "data/catalog.db"),
            ("sqlite:data/catalog.db", "data/catalog.db"),
            ("sqlite:///tmp/catalog.db", "/tmp/catalog.db"),
        ] {
            assert!(matches!(engine_of(url), Ok(Engine::Sqlite(found)) if found == *path), "{url}");
        }
        for url in ["postgres://db/x", "postgresql://db/x"] {
            assert!(matches!(engine_of(url), Ok(Engine::Postgres)), "{url}");
        }
    }

    #[test]
    fn another_kind_of_database_is_refused_without_showing_its_password() {
        let error = engine_of("mysql://ann:s3cret@db/x").err().unwrap();
        assert_eq!(error.kind(), ErrorKind::Configuration);
        assert_eq!(
            error.to_string(),
            "the catalog `mysql://ann:***@db/x` is of no known kind: use `sqlite:PATH` or `postgres://…`"
        );
        assert!(engine_of("sqlite:").is_err());
    }
}
