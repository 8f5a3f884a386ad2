//! Does a round go the same way with its catalog on PostgreSQL, and through PgBouncer in transaction mode?

use std::time::Duration;

use catalog::{Catalog, OpenOptions, Statement};
use libtest_mimic::{Completion, Trial};
use sandbox::Plan;
use tokio::runtime::Runtime;

use crate::support::{
    found::{check_books, compare_with_truth, endings},
    home::{Home, text},
    pace::Gaps,
    web::Web,
};

const DELAY: Duration = Duration::from_millis(500);

/// A trial for each way to a database; ignored with the reason where there is none.
pub fn trials() -> Vec<Trial> {
    let ways = [("postgres", "CANVASS_TEST_POSTGRES"), ("pgbouncer", "CANVASS_TEST_PGBOUNCER")];
    ways.map(|(way, variable)| {
        let name = format!("databases::a_round_that_is_killed_keeps_its_promises_on_{way}");
        Trial::ignorable_test(name, move || match std::env::var(variable) {
            Ok(url) => {
                in_a_schema(&url, way, |schema| a_round_that_is_killed_keeps_its_promises(&url, schema));
                Ok(Completion::Completed)
            }
            Err(_) => {
                let reason = format!("{variable} is not set: run ./test");
                if std::env::var("REQUIRE_SERVICES").as_deref() == Ok("1") {
                    return Err(format!("REQUIRE_SERVICES=1 and {reason}").into());
                }
                Ok(Completion::ignored_with(reason))
            }
        })
    })
    .into()
}

/// Makes a schema, which is dropped after the test unless it fails.
pub fn in_a_schema(url: &str, way: &str, test: impl FnOnce(&str)) {
    let schema = format!("e2e_{way}_{}", std::process::id());
    let runtime = Runtime::new().unwrap();
    let administer = |command: String| {
        let catalog = runtime.block_on(Catalog::open(url, OpenOptions::default())).unwrap();
        runtime.block_on(catalog.run(Statement::ad_hoc("test/schema", command.leak()), [])).unwrap();
    };
    administer(format!("CREATE SCHEMA {schema}"));
    test(&schema);
    administer(format!("DROP SCHEMA {schema} CASCADE"));
}

fn a_round_that_is_killed_keeps_its_promises(url: &str, schema: &str) {
    let web = Web::serve(&Plan::polite(66));
    let sets = [format!("storage.metadata_db_url={url}"), format!("storage.schema={schema}")];
    let sets = sets.each_ref().map(String::as_str);
    let home = Home::migrated(&web.settings(DELAY.as_secs_f64()), &sets);
    let args = ["crawl", "--quiet", "--round", "r", text(&web.list)];
    for pages in [5, 25, 25] {
        let enough = web.page_requests().len() + pages;
        let crawl = home.start_until(&args, "pages", || web.page_requests().len() >= enough);
        let refused = home.run(&args);
        assert!(refused.err.contains("is locked by canvass crawl of round r"), "{refused:?}");
        refused.expect(2);
        assert!(crawl.kill().is_none());
        web.wait_until_quiet();
    }
    home.run(&args).expect(0);
    let found = endings(&home, "r");
    let wrong = compare_with_truth(&web.world, &found);
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    check_books(&home, "r", &found);
    let gaps = Gaps::measure(&web.world, &web.requests(), DELAY);
    eprintln!("databases: {gaps}");
    assert!(gaps.short.is_empty(), "{gaps}\n{}", gaps.short.join("\n"));
    let history = home.json(&["history", "--json"], 0);
    let statuses: Vec<_> =
        history.as_array().unwrap().iter().map(|run| run["status"].as_str().unwrap()).collect();
    assert_eq!(statuses, ["done", "interrupted", "interrupted", "interrupted"]);
}
