//! How does one file serve every task of a process?
//!
//! One thread owns the connection and takes transactions from a bounded queue, so that nothing in the process ever
//! waits for a lock that another of its own tasks holds, and a blocking disk never blocks the runtime.

use std::{path::Path, sync::Arc, thread, time::Duration};

use rusqlite::{Connection, ErrorCode, TransactionBehavior, types::ValueRef};
use tokio::sync::{mpsc, oneshot};

use crate::{
    error::{CatalogError, ErrorKind},
    row::Row,
    session::{Done, Step, Work},
    statements::Statement,
    value::{Value, within_calendar},
};

// Enough to keep the thread busy; more would only hide that it cannot keep up.
const QUEUE: usize = 64;
const CACHED_STATEMENTS: usize = 128;
// 32 MiB of log before its pages move into the file: pages that many transactions touch move once, and the wait for the
// disk that comes with it is rarer. Writing a million matches took a quarter less of the processor than with 4 MiB.
const CHECKPOINT_PAGES: u32 = 8_000;
// More than a month; SQLite takes the wait as a 32-bit number of milliseconds.
const LONGEST_WAIT: Duration = Duration::from_millis(i32::MAX as u64);

/// A way to the thread that owns the file; the file is closed when the last one is dropped.
#[derive(Debug, Clone)]
pub struct SqliteSession {
    queue: mpsc::Sender<Request>,
}

#[derive(Debug)]
struct Request {
    steps: Vec<Step>,
    reply: oneshot::Sender<Result<Vec<Done>, CatalogError>>,
}

impl SqliteSession {
    /// Opens the file, or makes it, and waits at most `busy_timeout` for other processes' locks from then on.
    pub(crate) async fn open(path: &Path, busy_timeout: Duration) -> Result<SqliteSession, CatalogError> {
        let (queue, requests) = mpsc::channel(QUEUE);
        let (opened, is_open) = oneshot::channel();
        let path = path.to_owned();
        let owner = move || match connect(&path, busy_timeout) {
            Ok(connection) => {
                if opened.send(Ok(())).is_ok() {
                    serve(connection, requests);
                }
            }
            Err(error) => {
                let place = format!("the catalog `{}` cannot be opened", path.display());
                // the caller may have given up waiting, and then there is nobody to tell
                let _ = opened.send(Err(sql_error(&error).during(place)));
            }
        };
        thread::Builder::new().name("catalog".into()).spawn(owner).map_err(|error| {
            CatalogError::new(ErrorKind::Storage, format!("the catalog's thread cannot be started: {error}"))
        })?;
        is_open.await.map_err(|_| thread_is_gone())??;
        Ok(SqliteSession { queue })
    }

    pub(crate) async fn run(&self, steps: Vec<Step>) -> Result<Vec<Done>, CatalogError> {
        let (reply, answer) = oneshot::channel();
        self.queue.send(Request { steps, reply }).await.map_err(|_| thread_is_gone())?;
        answer.await.map_err(|_| thread_is_gone())?
    }
}

fn thread_is_gone() -> CatalogError {
    CatalogError::new(ErrorKind::Defect, "the thread that owns the catalog's file has ended")
}

fn connect(path: &Path, busy_timeout: Duration) -> rusqlite::Result<Connection> {
    let connection = Connection::open(path)?;
    connection.busy_timeout(busy_timeout.min(LONGEST_WAIT))?;
    // NORMAL syncs at checkpoints: a power cut may lose the last commits, never the file's consistency
    connection.execute_batch(&format!(
        "PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL; PRAGMA foreign_keys = ON;
         PRAGMA wal_autocheckpoint = {CHECKPOINT_PAGES};"
    ))?;
    connection.set_prepared_statement_cache_capacity(CACHED_STATEMENTS);
    Ok(connection)
}

fn serve(mut connection: Connection, mut requests: mpsc::Receiver<Request>) {
    while let Some(Request { steps, reply }) = requests.blocking_recv() {
        if reply.is_closed() {
            continue;
        }
        // whoever asked may be gone by now; what was committed stays
        let _ = reply.send(run(&mut connection, &steps));
    }
}

fn run(connection: &mut Connection, steps: &[Step]) -> Result<Vec<Done>, CatalogError> {
    // a transaction that begins by reading and then writes can fail where waiting would have helped
    let behaviour = if reads_only(connection, steps) {
        TransactionBehavior::Deferred
    } else {
        TransactionBehavior::Immediate
    };
    let transaction = connection.transaction_with_behavior(behaviour).map_err(|error| sql_error(&error))?;
    let mut all = Vec::with_capacity(steps.len());
    for step in steps {
        let done = match &step.work {
            Work::Statement(statement, sets) => run_statement(&transaction, *statement, sets),
            Work::Script(text) => transaction.execute_batch(text).map(|()| Done::default()),
        };
        let done = done.map_err(|error| sql_error(&error).during(format!("statement {}", step.name())))?;
        step.check_done(&done)?;
        all.push(done);
    }
    transaction.commit().map_err(|error| sql_error(&error))?;
    Ok(all)
}

fn reads_only(connection: &Connection, steps: &[Step]) -> bool {
    steps.iter().all(|step| match &step.work {
        Work::Statement(statement, _) => {
            connection.prepare_cached(statement.for_sqlite()).is_ok_and(|prepared| prepared.readonly())
        }
        Work::Script(_) => false,
    })
}

fn run_statement(
    connection: &Connection,
    statement: Statement,
    sets: &[Vec<Value>],
) -> rusqlite::Result<Done> {
    let mut prepared = connection.prepare_cached(statement.for_sqlite())?;
    let columns: Arc<[String]> = prepared.column_names().map(str::to_owned).collect();
    let reads = prepared.readonly();
    // SQLite numbers `$1` by first appearance, not by its digits, so each is looked up by its name
    let indexes: Vec<Option<usize>> = (1..=statement.parameters())
        .map(|number| prepared.parameter_index(&format!("${number}")))
        .collect::<Result<_, _>>()?;
    let mut done = Done::default();
    for set in sets {
        for (index, value) in indexes.iter().zip(set) {
            if let Some(index) = *index {
                bind(&mut prepared, index, value)?;
            }
        }
        let written_before = connection.total_changes();
        let rows_before = done.rows.len();
        let mut rows = prepared.raw_query();
        while let Some(row) = rows.next()? {
            let cells = (0..columns.len()).map(|at| row.get_ref(at).map(cell)).collect::<Result<_, _>>()?;
            done.rows.push(Row::new(statement.name, Arc::clone(&columns), cells));
        }
        drop(rows);
        done.changed += if reads {
            (done.rows.len() - rows_before) as u64
        } else if connection.total_changes() == written_before {
            0
        } else {
            connection.changes()
        };
    }
    Ok(done)
}

fn bind(prepared: &mut rusqlite::Statement<'_>, index: usize, value: &Value) -> rusqlite::Result<()> {
    match value {
        Value::Null(_) => prepared.raw_bind_parameter(index, rusqlite::types::Null),
        Value::Bool(it) => prepared.raw_bind_parameter(index, *it),
        Value::Int(it) => prepared.raw_bind_parameter(index, *it),
        Value::Real(it) => prepared.raw_bind_parameter(index, *it),
        Value::Text(it) => prepared.raw_bind_parameter(index, it.as_str()),
        Value::Bytes(it) => prepared.raw_bind_parameter(index, it.as_slice()),
        Value::Time(it) => prepared.raw_bind_parameter(index, within_calendar(*it).0),
        Value::Json(it) => prepared.raw_bind_parameter(index, it.to_string()),
    }
}

fn cell(value: ValueRef<'_>) -> Option<Value> {
    match value {
        ValueRef::Null => None,
        ValueRef::Integer(it) => Some(Value::Int(it)),
        ValueRef::Real(it) => Some(Value::Real(it)),
        // only this crate writes text, and always as UTF-8; a damaged file must still not stop the program
        ValueRef::Text(it) => Some(Value::Text(String::from_utf8_lossy(it).into_owned())),
        ValueRef::Blob(it) => Some(Value::Bytes(it.to_vec())),
    }
}

fn sql_error(error: &rusqlite::Error) -> CatalogError {
    let text = error.to_string();
    let kind = match error.sqlite_error_code() {
        Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked) => ErrorKind::Busy,
        Some(ErrorCode::ConstraintViolation) => ErrorKind::Conflict,
        Some(ErrorCode::TooBig | ErrorCode::TypeMismatch) => ErrorKind::Value,
        Some(ErrorCode::CannotOpen | ErrorCode::NotADatabase | ErrorCode::PermissionDenied) => {
            ErrorKind::Configuration
        }
        Some(
            ErrorCode::DiskFull
            | ErrorCode::ReadOnly
            | ErrorCode::SystemIoFailure
            | ErrorCode::DatabaseCorrupt
            | ErrorCode::FileLockingProtocolFailed,
        ) => ErrorKind::Storage,
        _ if text.contains("no such table") || text.contains("no such column") => {
            return CatalogError::new(ErrorKind::Schema, format!("{text}; run `canvass migrate`"));
        }
        _ => ErrorKind::Defect,
    };
    CatalogError::new(kind, text)
}
