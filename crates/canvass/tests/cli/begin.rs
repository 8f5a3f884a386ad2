//! How does somebody begin, and what is said before anything has run?

use insta::assert_snapshot;

use crate::program::Home;

#[test]
fn beginning_makes_settings_and_catalog_and_beginning_again_changes_nothing() {
    let home = Home::empty();
    assert_snapshot!(home.run(&["init"]), @"");
    assert_snapshot!(home.run(&["init"]), @"");
    assert_snapshot!(home.run(&["config", "check"]), @"");
    assert_snapshot!(home.run(&["migrate"]), @"");
    let paths = Home::empty().json(&["init", "new", "--json"]);
    assert_eq!(paths["settings"], "new/canvass.yaml");
}

#[test]
fn migrating_is_told_before_it_is_done_and_done_once() {
    let home = Home::empty();
    assert_snapshot!(home.run(&["migrate", "--dry-run"]), @"");
    assert_snapshot!(home.run(&["migrate"]), @"");
    assert_snapshot!(home.run(&["migrate"]), @"");
    assert_snapshot!(home.run(&["migrate", "--json"]), @"");
}

#[test]
fn without_a_catalog_a_command_that_reads_says_what_to_do_and_makes_nothing() {
    let home = Home::empty();
    assert_snapshot!(home.run(&["status"]), @"");
    assert_snapshot!(home.run(&["history"]), @"");
    assert_snapshot!(home.run(&["ledger"]), @"");
    assert_snapshot!(home.run(&["segments", "list"]), @"");
    assert!(home.names().is_empty(), "{:?}", home.names());
    home.write("list.csv", "url\n");
    assert_snapshot!(home.run(&["crawl", "list.csv"]), @"");
    assert_eq!(home.names(), ["list.csv"]);
}

#[test]
fn a_catalog_without_tables_says_what_to_do() {
    let home = Home::empty();
    home.write("empty.db", "");
    let url = ["--set", "storage.metadata_db_url=sqlite:empty.db"];
    assert_snapshot!(home.run(&[&["history"], &url[..]].concat()), @"");
}

#[test]
fn an_empty_catalog_says_how_to_start() {
    let home = Home::begun();
    assert_snapshot!(home.run(&["status"]), @"");
    assert_snapshot!(home.run(&["status", "may"]), @"");
    assert_snapshot!(home.run(&["history"]), @"");
    assert_eq!(home.json(&["status", "--json"])["run"], serde_json::Value::Null);
    assert_eq!(home.json(&["history", "--json"]), serde_json::json!([]));
}
