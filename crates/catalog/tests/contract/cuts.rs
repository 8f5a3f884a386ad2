//! What happens when the way to the database breaks, or somebody is in the way?

use std::time::{Duration, Instant};

use catalog::{Catalog, ErrorKind, OpenOptions, Value};

use crate::place::{Place, sql};

/// Ends every server process that runs or last ran a text with this mark, and says how many there were.
async fn terminate(place: &Place, mark: &str) -> usize {
    let killer = place.open().await;
    let text = "SELECT pg_terminate_backend(pid) AS ended FROM pg_stat_activity \
                WHERE query LIKE '%' || $1 || '%' AND pid <> pg_backend_pid()";
    for _ in 0..200 {
        let done = killer.run(sql(text), [mark.into()]).await.unwrap();
        if !done.rows.is_empty() {
            return done.rows.len();
        }
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    0
}

async fn answers(catalog: &Catalog) -> bool {
    catalog.run(sql("SELECT $1 AS a"), [Value::Int(1)]).await.is_ok_and(|done| done.rows.len() == 1)
}

/// Differs from test to test and from run to run, so that no test ends another's connection.
fn mark() -> String {
    let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap();
    format!("mark_{}_{}", std::process::id(), now.as_nanos())
}

pub async fn a_cut_connection_is_worth_a_retry_and_the_next_call_works(place: Place) {
    let catalog = place.try_open(OpenOptions { max_connections: 1, ..place.options() }).await.unwrap();
    let mark = mark();
    let slow = sql(format!("SELECT pg_sleep(20) IS NULL AS slept /* {mark} */"));
    let asked = tokio::spawn({
        let catalog = catalog.clone();
        async move { catalog.run(slow, []).await }
    });
    // the killer's own query has the mark only as a parameter
    assert_eq!(terminate(&place, &mark).await, 1);
    let error = asked.await.unwrap().unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Unreachable, "{error}");
    assert!(error.is_retryable());
    assert!(answers(&catalog).await);
}

pub async fn a_connection_that_died_while_idle_is_replaced_unseen(place: Place) {
    let catalog = place.try_open(OpenOptions { max_connections: 1, ..place.options() }).await.unwrap();
    let killer = place.open().await;
    for _ in 0..20 {
        let own = catalog.run(sql("SELECT pg_backend_pid() AS pid"), []).await.unwrap();
        let own = own.rows[0].int("pid").unwrap();
        let ended = killer.run(sql("SELECT pg_terminate_backend($1::int) AS ended"), [own.into()]).await;
        assert!(ended.unwrap().rows[0].bool("ended").unwrap());
        assert!(answers(&catalog).await);
    }
}

pub async fn a_slow_statement_times_out(place: Place) {
    let options = OpenOptions { statement_timeout: Duration::from_millis(200), ..place.options() };
    let catalog = place.try_open(options).await.unwrap();
    let began = Instant::now();
    let error = catalog.run(sql("SELECT pg_sleep(20) IS NULL AS slept"), []).await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::TimedOut, "{error}");
    assert!(began.elapsed() < Duration::from_secs(4));
    assert!(answers(&catalog).await);
}

pub async fn a_query_that_nobody_waits_for_harms_no_other(place: Place) {
    let catalog = place.try_open(OpenOptions { max_connections: 2, ..place.options() }).await.unwrap();
    catalog.run(sql("CREATE TABLE things (id bigint PRIMARY KEY)"), []).await.unwrap();
    for id in 0..10_i64 {
        let text = "INSERT INTO things (id) SELECT $1 FROM pg_sleep(0.05) RETURNING id";
        let asked = catalog.run(sql(text), [id.into()]);
        // given up while the statement runs: its transaction must not be found open by the next
        assert!(tokio::time::timeout(Duration::from_millis(10), asked).await.is_err());
        assert!(answers(&catalog).await);
    }
    tokio::time::sleep(Duration::from_millis(200)).await;
    let done = catalog.run(sql("SELECT count(*) AS n FROM things"), []).await.unwrap();
    assert_eq!(done.rows[0].int("n").unwrap(), 0, "a transaction without its commit was kept");
}

pub async fn settings_of_a_transaction_do_not_outlive_it(place: Place) {
    let catalog = place.open().await;
    let own = "SELECT current_setting('search_path') AS path, current_setting('statement_timeout') AS limit";
    let inside = catalog.run(sql(own), []).await.unwrap();
    assert_eq!(inside.rows[0].text("limit").unwrap(), "30s");
    // many at once, so that through PgBouncer every server connection is seen
    let plain = Catalog::open(&place.url, OpenOptions::default()).await.unwrap();
    let asked: Vec<_> = (0..16)
        .map(|_| {
            let plain = plain.clone();
            tokio::spawn(async move { plain.run(sql(own), []).await.unwrap() })
        })
        .collect();
    for one in asked {
        let outside = one.await.unwrap();
        assert_eq!(outside.rows[0].text("path").unwrap(), "\"$user\", public");
    }
}

pub async fn a_file_that_another_process_writes_is_waited_for(place: Place) {
    let catalog = place.migrated().await;
    let other = rusqlite_writer(&place);
    other.execute_batch("BEGIN IMMEDIATE").unwrap();
    let options = OpenOptions { statement_timeout: Duration::from_millis(50), ..place.options() };
    let hasty = place.try_open(options).await.unwrap();
    let write = "INSERT INTO counters (name, value) VALUES ($1, 1)";
    let error = hasty.run(sql(write), ["a".into()]).await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Busy, "{error}");
    assert!(error.is_retryable());
    // reading goes on beside the writer
    assert!(hasty.check_schema().await.is_ok());
    let waiting = tokio::spawn(async move { catalog.run(sql(write), ["b".into()]).await });
    tokio::time::sleep(Duration::from_millis(100)).await;
    other.execute_batch("COMMIT").unwrap();
    assert_eq!(waiting.await.unwrap().unwrap().changed, 1);
}

fn rusqlite_writer(place: &Place) -> rusqlite::Connection {
    rusqlite::Connection::open(place.file()).unwrap()
}

pub async fn a_folder_that_is_not_there_is_named(place: Place) {
    let path = place.file().with_file_name("nowhere").join("catalog.db");
    let error = Catalog::open(path.to_str().unwrap(), OpenOptions::default()).await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Configuration);
    let begins = format!("the catalog `{}` cannot be opened: ", path.display());
    assert!(error.to_string().starts_with(&begins), "{error}");
}

pub async fn a_file_that_is_no_catalog_is_refused(place: Place) {
    std::fs::write(place.file(), "website_id,url\n".repeat(1_000)).unwrap();
    let error = place.try_open(place.options()).await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Configuration, "{error}");
    assert!(error.to_string().contains("file is not a database"), "{error}");
}
