//! Do the tables come to be exactly once, and is a wrong set of tables noticed?

use catalog::SchemaProblem;

use crate::place::{NOW, Place, sql};

const ALL: [&str; 5] =
    ["0001_runs", "0002_locks", "0003_politeness", "0004_technographics", "0005_byte_order"];

pub async fn migrating_is_explicit_and_repeatable(place: Place) {
    let catalog = place.open().await;
    assert_eq!(catalog.check_schema().await.unwrap_err(), SchemaProblem::Missing);
    assert_eq!(catalog.pending().await.unwrap(), ALL);
    assert_eq!(
        catalog.check_schema().await.unwrap_err(),
        SchemaProblem::Missing,
        "pending changed something"
    );
    assert_eq!(catalog.migrate(NOW).await.unwrap(), ALL);
    catalog.check_schema().await.unwrap();
    assert!(catalog.pending().await.unwrap().is_empty());
    assert!(catalog.migrate(NOW).await.unwrap().is_empty());
    place.open().await.check_schema().await.unwrap();
}

pub async fn migrating_eight_times_at_once_applies_each_migration_once(place: Place) {
    let mut tasks = Vec::new();
    for _ in 0..8 {
        let catalog = place.open().await;
        tasks.push(tokio::spawn(async move { catalog.migrate(NOW).await.unwrap() }));
    }
    let mut applied = Vec::new();
    for task in tasks {
        applied.extend(task.await.unwrap());
    }
    applied.sort_unstable();
    assert_eq!(applied, ALL);
    place.open().await.check_schema().await.unwrap();
}

pub async fn a_catalog_of_another_program_is_refused_with_the_reason(place: Place) {
    let catalog = place.migrated().await;
    let change = async |text: &str| assert_eq!(catalog.run(sql(text), []).await.unwrap().changed, 1);
    let refused = async || {
        let problem = catalog.check_schema().await.unwrap_err();
        if !matches!(problem, SchemaProblem::Older { .. }) {
            assert_eq!(catalog.migrate(NOW).await.unwrap_err(), problem, "migrate went on");
        }
        problem.to_string()
    };

    change("DELETE FROM schema_migrations WHERE name = '0005_byte_order'").await;
    assert_eq!(
        refused().await,
        "the catalog is at `0004_technographics` and this program needs `0005_byte_order`: run `canvass migrate`"
    );

    change("UPDATE schema_migrations SET checksum = 'x' WHERE name = '0001_runs'").await;
    let text = refused().await;
    assert!(text.starts_with("migration `0001_runs` was applied to the catalog with another text"), "{text}");

    for name in &ALL[..3] {
        change(&format!("DELETE FROM schema_migrations WHERE name = '{name}'")).await;
    }
    change("UPDATE schema_migrations SET name = '9999_tomorrow' WHERE name = '0004_technographics'").await;
    let text = refused().await;
    assert!(
        text.starts_with("this program is older than the catalog: the catalog is at `9999_tomorrow`"),
        "{text}"
    );
}

pub async fn a_migration_that_fails_leaves_no_trace(place: Place) {
    let catalog = place.open().await;
    catalog.run(sql("CREATE TABLE robots (x bigint)"), []).await.unwrap();
    let problem = catalog.migrate(NOW).await.unwrap_err().to_string();
    assert!(problem.starts_with("migration `0003_politeness`: ") && problem.contains("robots"), "{problem}");
    assert_eq!(catalog.pending().await.unwrap(), ALL[2..]);
    // `hosts` comes before `robots` in the same migration, and must be gone again
    assert!(catalog.run(sql("SELECT count(*) AS n FROM hosts"), []).await.is_err());
    catalog.run(sql("DROP TABLE robots"), []).await.unwrap();
    assert_eq!(catalog.migrate(NOW).await.unwrap(), ALL[2..]);
}

/// The server of the tests would sort by bytes anyway, so its own word on each column is asked.
pub async fn text_that_is_paged_over_is_in_byte_order(place: Place) {
    let catalog = place.migrated().await;
    let text = "SELECT table_name || '.' || column_name AS name, coalesce(collation_name, '') AS collation \
                FROM information_schema.columns \
                WHERE table_schema = current_schema() AND data_type = 'text' AND table_name NOT IN \
                      ('schema_migrations', 'counters', 'runs', 'run_stages', 'locks', 'hosts', 'robots')";
    let done = catalog.run(sql(text), []).await.unwrap();
    assert!(done.rows.len() > 50);
    for row in &done.rows {
        assert_eq!(row.text("collation").unwrap(), "C", "{}", row.text("name").unwrap());
    }
}
