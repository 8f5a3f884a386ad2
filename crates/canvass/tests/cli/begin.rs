//! How does somebody begin, and what is said before anything has run?

use insta::assert_snapshot;

use crate::program::Home;

#[test]
fn beginning_makes_settings_and_catalog_and_beginning_again_changes_nothing() {
    let home = Home::empty();
    assert_snapshot!(home.run(&["init"]), @"
    settings  ./canvass.yaml
    data      ./data

    next: `canvass config show`, then `canvass crawl LIST`
    [exit 0]
    ");
    assert_snapshot!(home.run(&["init"]), @"
    ! error: ./canvass.yaml is there already; --force writes it anew and keeps the old one
    [exit 2]
    ");
    assert_snapshot!(home.run(&["config", "check"]), @"
    canvass.yaml: no problems, 0 values set
    [exit 0]
    ");
    assert_snapshot!(home.run(&["migrate"]), @"
    the catalog is up to date
    [exit 0]
    ");
    let paths = Home::empty().json(&["init", "new", "--json"]);
    assert_eq!(paths["settings"], "new/canvass.yaml");
}

#[test]
fn migrating_is_told_before_it_is_done_and_done_once() {
    let home = Home::empty();
    assert_snapshot!(home.run(&["migrate", "--dry-run"]), @"
    would apply 0001_runs
    would apply 0002_locks
    would apply 0003_politeness
    would apply 0004_technographics
    would apply 0005_byte_order
    [exit 0]
    ");
    assert_snapshot!(home.run(&["migrate"]), @"
    applied 0001_runs
    applied 0002_locks
    applied 0003_politeness
    applied 0004_technographics
    applied 0005_byte_order
    [exit 0]
    ");
    assert_snapshot!(home.run(&["migrate"]), @"
    the catalog is up to date
    [exit 0]
    ");
    assert_snapshot!(home.run(&["migrate", "--json"]), @r#"
    {
      "applied": true,
      "migrations": []
    }
    [exit 0]
    "#);
}

#[test]
fn without_a_catalog_a_command_that_reads_says_what_to_do_and_makes_nothing() {
    let home = Home::empty();
    assert_snapshot!(home.run(&["status"]), @"
    ! error: there is no catalog at data/canvass.db yet: run `canvass migrate`
    [exit 2]
    ");
    assert_snapshot!(home.run(&["history"]), @"
    ! error: there is no catalog at data/canvass.db yet: run `canvass migrate`
    [exit 2]
    ");
    assert_snapshot!(home.run(&["ledger"]), @"
    ! error: no round yet under data/rounds; start one with `canvass crawl LIST`
    [exit 2]
    ");
    assert_snapshot!(home.run(&["segments", "list"]), @"
    ! error: no round yet under data/rounds; start one with `canvass crawl LIST`
    [exit 2]
    ");
    assert!(home.names().is_empty(), "{:?}", home.names());
    home.write("list.csv", "url\n");
    assert_snapshot!(home.run(&["crawl", "list.csv"]), @"
    ! error: there is no catalog at data/canvass.db yet: run `canvass migrate`
    [exit 2]
    ");
    assert_eq!(home.names(), ["list.csv"]);
}

#[test]
fn a_catalog_without_tables_says_what_to_do() {
    let home = Home::empty();
    home.write("empty.db", "");
    let url = ["--set", "storage.metadata_db_url=sqlite:empty.db"];
    assert_snapshot!(home.run(&[&["history"], &url[..]].concat()), @"
    ! error: the catalog has no tables yet: run `canvass migrate`
    [exit 2]
    ");
}

#[test]
fn an_empty_catalog_says_how_to_start() {
    let home = Home::begun();
    assert_snapshot!(home.run(&["status"]), @"
    nothing has run yet; start with `canvass crawl LIST`
    [exit 0]
    ");
    assert_snapshot!(home.run(&["status", "may"]), @"
    no run of round may; `canvass history` lists the runs
    [exit 0]
    ");
    assert_snapshot!(home.run(&["history"]), @"
    nothing has run yet; start with `canvass crawl LIST`
    [exit 0]
    ");
    assert_eq!(home.json(&["status", "--json"])["run"], serde_json::Value::Null);
    assert_eq!(home.json(&["history", "--json"]), serde_json::json!([]));
}
