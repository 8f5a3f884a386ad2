//! How is PostgreSQL used so that PgBouncer may give every transaction another connection?
//!
//! Each run is one transaction. Whatever it needs of the session (search path, timeout) is `SET LOCAL` inside it, and
//! statements go with their parameters' types, so that none is ever prepared under a name.

mod address;
mod convert;
mod failure;

use std::{
    collections::VecDeque,
    future::{Future, poll_fn},
    pin::{Pin, pin},
    sync::Arc,
    task::Poll,
    time::Duration,
};

use deadpool_postgres::{Client, Manager, ManagerConfig, Object, Pool, RecyclingMethod, Runtime, Timeouts};
use futures_util::{TryStreamExt, future::MaybeDone, future::maybe_done};
use tokio_postgres::{
    NoTls,
    types::{ToSql, Type},
};

use self::{
    address::{check_schema_name, read_url},
    convert::{cells, transpose, typed},
    failure::{pool_error, sql_error},
};
use crate::{
    OpenOptions,
    error::{CatalogError, ErrorKind, redact},
    row::Row,
    session::{Done, Patience, Step, Work},
    statements::Statement,
    value::Value,
};

// How many parameter sets are on the wire at once: enough to hide the round trip, few enough to bound what is buffered.
const WINDOW: usize = 64;
// How many sets go into one statement that takes arrays.
const LONGEST_ARRAY: usize = 1_000;
// The server's own timeout gives the better message, so it gets the first chance.
const GRACE: Duration = Duration::from_secs(5);
// A migration may take its time, but does not wait for ever for another that hangs.
const LONGEST_LOCK: Duration = Duration::from_secs(600);

type Sql<T> = Result<T, tokio_postgres::Error>;

/// A pool of connections to one server and one schema.
#[derive(Clone)]
pub struct PostgresSession {
    pool: Pool,
    schema: Option<String>,
    statement_timeout: Duration,
    lock_timeout: Duration,
}

// Written by hand: the pool's own form would show the password.
impl std::fmt::Debug for PostgresSession {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("PostgresSession").field("schema", &self.schema).finish_non_exhaustive()
    }
}

impl PostgresSession {
    /// Makes the pool and one connection, so that a wrong address is known now and not in the middle of a job.
    pub(crate) async fn open(url: &str, options: &OpenOptions) -> Result<PostgresSession, CatalogError> {
        let OpenOptions { max_connections, statement_timeout, lock_timeout, connect_timeout, schema } =
            options;
        let mut config = read_url(url)?;
        config.connect_timeout(*connect_timeout);
        if config.get_application_name().is_none() {
            config.application_name("canvass");
        }
        if let Some(schema) = schema {
            check_schema_name(schema)?;
        }
        let recycling = ManagerConfig { recycling_method: RecyclingMethod::Fast };
        let pool = Pool::builder(Manager::from_config(config, NoTls, recycling))
            .max_size((*max_connections).max(1))
            .runtime(Runtime::Tokio1)
            .timeouts(Timeouts {
                wait: Some(*statement_timeout),
                create: Some(*connect_timeout),
                recycle: Some(*connect_timeout),
            })
            .build()
            .map_err(|error| CatalogError::new(ErrorKind::Configuration, error.to_string()))?;
        let (schema, statement_timeout, lock_timeout) = (schema.clone(), *statement_timeout, *lock_timeout);
        let session = PostgresSession { pool, schema, statement_timeout, lock_timeout };
        let place = || format!("the catalog `{}` cannot be opened", redact(url));
        session.begin(Patience::Statement).await.map_err(|error| error.during(place()))?.commit().await?;
        Ok(session)
    }

    /// The statement that makes the schema, where one is set.
    pub(crate) fn create_schema(&self) -> Option<String> {
        // `CREATE SCHEMA IF NOT EXISTS` asks for the right to create even where nothing is to be created
        self.schema.as_ref().map(|schema| {
            format!(
                "DO $$ BEGIN IF to_regnamespace('{schema}') IS NULL THEN CREATE SCHEMA \"{schema}\"; \
                 END IF; END $$"
            )
        })
    }

    pub(crate) async fn run(&self, steps: &[Step], patience: Patience) -> Result<Vec<Done>, CatalogError> {
        let transaction = self.begin(patience).await?;
        let mut all = Vec::with_capacity(steps.len());
        for step in steps {
            let done = match &step.work {
                Work::Statement(statement, sets) => transaction.run_statement(*statement, sets).await,
                Work::Script(text) => transaction
                    .within(transaction.client().batch_execute(text))
                    .await
                    .map(|()| Done::default()),
            };
            let done = done
                .map_err(|error| error.during(format!("statement {}", step.name())))
                .and_then(|done| step.check_done(&done).map(|()| done));
            match done {
                Ok(done) => all.push(done),
                Err(error) => {
                    transaction.roll_back().await;
                    return Err(error);
                }
            }
        }
        transaction.commit().await?;
        Ok(all)
    }

    async fn begin(&self, patience: Patience) -> Result<Transaction, CatalogError> {
        let limit = match patience {
            Patience::Statement => Some(self.statement_timeout),
            Patience::Migration => None,
        };
        let statement_limit = limit.map_or(0, |limit| limit.as_millis());
        let lock_limit = limit.map_or(LONGEST_LOCK, |_| self.lock_timeout).as_millis();
        let mut prelude = format!(
            "BEGIN; SET LOCAL statement_timeout = {statement_limit}; SET LOCAL lock_timeout = {lock_limit}"
        );
        if let Some(schema) = &self.schema {
            prelude.push_str(&format!("; SET LOCAL search_path = \"{schema}\""));
        }
        let mut idle_ones = self.pool.status().size;
        loop {
            let connection = self.pool.get().await.map_err(pool_error)?;
            let transaction = Transaction { connection: Some(connection), limit };
            match transaction.within(transaction.client().batch_execute(&prelude)).await {
                Ok(()) => return Ok(transaction),
                // a pooled connection may have died unseen; nothing was asked of it yet, so another may be tried
                Err(error) if error.kind() == ErrorKind::Unreachable && idle_ones > 0 => idle_ones -= 1,
                Err(error) => return Err(error),
            }
        }
    }
}

/// A transaction that has begun. A connection whose transaction did not end in plain sight is closed, never pooled.
struct Transaction {
    connection: Option<Client>,
    limit: Option<Duration>,
}

impl Transaction {
    fn client(&self) -> &tokio_postgres::Client {
        self.connection.as_ref().expect("the connection leaves only when the transaction is consumed")
    }

    async fn commit(mut self) -> Result<(), CatalogError> {
        self.within(self.client().batch_execute("COMMIT")).await.map_err(|error| error.during("commit"))?;
        drop(self.connection.take());
        Ok(())
    }

    async fn roll_back(mut self) {
        if self.within(self.client().batch_execute("ROLLBACK")).await.is_ok() {
            drop(self.connection.take());
        }
    }

    async fn within<T>(&self, asked: impl Future<Output = Sql<T>>) -> Result<T, CatalogError> {
        let Some(limit) = self.limit else { return asked.await.map_err(|error| sql_error(&error)) };
        match tokio::time::timeout(limit + GRACE, asked).await {
            Ok(answer) => answer.map_err(|error| sql_error(&error)),
            Err(_) => Err(CatalogError::new(
                ErrorKind::TimedOut,
                format!("no answer from the server within {} s", (limit + GRACE).as_secs()),
            )),
        }
    }

    async fn run_statement(&self, statement: Statement, sets: &[Vec<Value>]) -> Result<Done, CatalogError> {
        let text = statement.for_postgres();
        if !statement.takes_arrays() {
            return self
                .pipeline(statement, sets.iter().map(|set| ask(self.client(), text, typed(set))))
                .await;
        }
        let chunks = sets.chunks(LONGEST_ARRAY);
        self.pipeline(statement, chunks.map(|sets| ask(self.client(), text, transpose(sets)))).await
    }

    /// Sends the requests in order without waiting for each answer.
    async fn pipeline<F: Future<Output = Sql<Answer>>>(
        &self,
        statement: Statement,
        requests: impl Iterator<Item = F>,
    ) -> Result<Done, CatalogError> {
        let mut done = Done::default();
        let mut sent = VecDeque::with_capacity(WINDOW);
        for request in requests {
            if sent.len() == WINDOW {
                self.receive(statement, &mut sent, &mut done).await?;
            }
            let mut asked = Box::pin(maybe_done(request));
            // the first poll puts it on the wire, so polling in order sends in order
            poll_fn(|context| Poll::Ready(asked.as_mut().poll(context).is_ready())).await;
            sent.push_back(asked);
        }
        while !sent.is_empty() {
            self.receive(statement, &mut sent, &mut done).await?;
        }
        Ok(done)
    }

    async fn receive<F: Future<Output = Sql<Answer>>>(
        &self,
        statement: Statement,
        sent: &mut VecDeque<Pin<Box<MaybeDone<F>>>>,
        done: &mut Done,
    ) -> Result<(), CatalogError> {
        let Some(mut oldest) = sent.pop_front() else { return Ok(()) };
        let answer = self
            .within(async {
                oldest.as_mut().await;
                oldest.as_mut().take_output().expect("awaited just above, and taken once")
            })
            .await?;
        done.changed += answer.changed;
        let Some(first) = answer.rows.first() else { return Ok(()) };
        let columns: Arc<[String]> = first.columns().iter().map(|column| column.name().to_owned()).collect();
        for row in &answer.rows {
            done.rows.push(Row::new(statement.name, Arc::clone(&columns), cells(row)?));
        }
        Ok(())
    }
}

impl Drop for Transaction {
    fn drop(&mut self) {
        if let Some(connection) = self.connection.take() {
            drop(Object::take(connection));
        }
    }
}

struct Answer {
    rows: Vec<tokio_postgres::Row>,
    changed: u64,
}

async fn ask<P: ToSql>(
    client: &tokio_postgres::Client,
    text: &str,
    parameters: Vec<(P, Type)>,
) -> Sql<Answer> {
    let mut stream = pin!(client.query_typed_raw(text, parameters).await?);
    let mut rows = Vec::new();
    while let Some(row) = stream.try_next().await? {
        rows.push(row);
    }
    Ok(Answer { rows, changed: stream.rows_affected().unwrap_or(0) })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn a_server_that_is_not_there_is_named_and_worth_a_retry() {
        let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
        let port = listener.local_addr().unwrap().port();
        drop(listener);
        let url = format!("postgres://ann:s3cret@127.0.0.1:{port}/x");
        let error = PostgresSession::open(&url, &OpenOptions::default()).await.unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Unreachable);
        assert!(error.is_retryable());
        let begins = format!("the catalog `postgres://ann:***@127.0.0.1:{port}/x` cannot be opened: ");
        assert!(error.to_string().starts_with(&begins), "{error}");
    }

    #[tokio::test]
    async fn a_server_that_accepts_and_never_answers_is_given_up() {
        let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
        let port = listener.local_addr().unwrap().port();
        let options = OpenOptions { connect_timeout: Duration::from_millis(100), ..OpenOptions::default() };
        let url = format!("postgres://ann@127.0.0.1:{port}/x");
        let error = PostgresSession::open(&url, &options).await.unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Unreachable, "{error}");
    }
}
