//! How does a list of statements become one transaction, on either engine?

use std::borrow::Cow;

use crate::{
    error::{CatalogError, ErrorKind},
    postgres::PostgresSession,
    row::Row,
    sqlite::SqliteSession,
    statements::Statement,
    value::Value,
};

/// The engine behind a catalog. The set is ours, so it is closed.
#[derive(Debug, Clone)]
pub enum Session {
    /// A file on this machine, owned by one thread.
    Sqlite(SqliteSession),
    /// A server, reached directly or through PgBouncer in transaction mode.
    Postgres(PostgresSession),
}

/// How long the engine may take over a transaction.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Patience {
    /// `statement_timeout` for each statement.
    Statement,
    /// As long as it takes: a migration of a large table is slow, and stopping it half way helps nobody.
    Migration,
}

impl Session {
    /// Runs the steps in order in one transaction: all of them happened, or none did.
    pub(crate) async fn run(&self, steps: Vec<Step>, patience: Patience) -> Result<Vec<Done>, CatalogError> {
        for step in &steps {
            step.check()?;
        }
        match self {
            Session::Sqlite(session) => session.run(steps).await,
            Session::Postgres(session) => session.run(&steps, patience).await,
        }
    }

    /// What must be done in a migration's transaction before its tables can be made.
    pub(crate) fn make_room(&self) -> Option<Step> {
        match self {
            Session::Sqlite(_) => None,
            Session::Postgres(session) => session.create_schema().map(Step::script),
        }
    }
}

/// One step of a transaction: a statement with one or many sets of parameters.
#[derive(Debug, Clone)]
pub struct Step {
    pub(crate) work: Work,
    must_change: Option<u64>,
}

#[derive(Debug, Clone)]
pub(crate) enum Work {
    /// The statement once for each set, in order.
    Statement(Statement, Vec<Vec<Value>>),
    /// Many statements without parameters: a migration.
    Script(Cow<'static, str>),
}

/// What a step did.
#[derive(Debug, Clone, Default)]
pub struct Done {
    /// The rows it answered with, in the order of its parameter sets.
    pub rows: Vec<Row>,
    /// How many rows it wrote; for a statement that only reads, how many it read.
    pub changed: u64,
}

impl Step {
    /// The statement once.
    pub fn once(statement: Statement, parameters: impl Into<Vec<Value>>) -> Step {
        Step::each(statement, vec![parameters.into()])
    }

    /// The statement once for each set of parameters, in order.
    #[must_use]
    pub fn each(statement: Statement, sets: Vec<Vec<Value>>) -> Step {
        Step { work: Work::Statement(statement, sets), must_change: None }
    }

    pub(crate) fn script(text: impl Into<Cow<'static, str>>) -> Step {
        Step { work: Work::Script(text.into()), must_change: None }
    }

    /// Rolls the whole transaction back, as a conflict, unless this step changes exactly `rows` rows: so that a fence
    /// or a ledger entry can guard what follows it.
    #[must_use]
    pub fn must_change(mut self, rows: u64) -> Step {
        self.must_change = Some(rows);
        self
    }

    pub(crate) fn name(&self) -> &'static str {
        match &self.work {
            Work::Statement(statement, _) => statement.name,
            Work::Script(_) => "migration",
        }
    }

    fn check(&self) -> Result<(), CatalogError> {
        let Work::Statement(statement, sets) = &self.work else { return Ok(()) };
        let wanted = statement.parameters();
        for set in sets {
            if set.len() != wanted {
                let given = set.len();
                let message = format!(
                    "statement {}: {given} parameters were given where {wanted} are needed",
                    statement.name
                );
                return Err(CatalogError::new(ErrorKind::Defect, message));
            }
            for (at, value) in set.iter().enumerate() {
                value
                    .check()
                    .map_err(|error| error.during(format!("statement {}, ${}", statement.name, at + 1)))?;
            }
        }
        Ok(())
    }

    pub(crate) fn check_done(&self, done: &Done) -> Result<(), CatalogError> {
        match self.must_change {
            Some(rows) if rows != done.changed => Err(CatalogError::new(
                ErrorKind::Conflict,
                format!("statement {} changed {} rows where {rows} had to change", self.name(), done.changed),
            )),
            _ => Ok(()),
        }
    }
}
