//! What is said of a round, and of one that is not there?

use insta::{Settings, assert_snapshot};

use crate::program::{Home, assert_fits};

/// Times change from run to run; what is said around them does not.
fn without_times(test: impl FnOnce()) {
    let mut settings = Settings::clone_current();
    settings.add_filter(r"\d{4}-\d\d-\d\d \d\d:\d\d(:\d\d UTC)?", "[time]");
    settings.add_filter(r"\d{4}-\d\d-\d\d-monthly", "[today]-monthly");
    settings.add_filter(r"\d+h\d\dm\d\ds", "[took]");
    settings.add_filter(r" +\d+(\.\d+)? (B|KiB)  sha256 [0-9a-f]{12}…", " [size]  sha256 [hash]…");
    settings.bind(test);
}

#[test]
fn a_crawl_without_a_list_or_with_a_wrong_one_says_what_to_give() {
    let home = Home::begun();
    home.write("columns.csv", "site,address\n1,http://127.0.0.1/\n");
    without_times(|| {
        assert_snapshot!(home.run(&["crawl"]), @"");
        assert_snapshot!(home.run(&["crawl", "absent.csv"]), @"");
        assert_snapshot!(home.run(&["crawl", "--round", "may"]), @"");
        assert_snapshot!(home.run(&["crawl", "--retry-failed"]), @"");
        assert_snapshot!(home.run(&["crawl", "columns.csv", "--round", "may"]), @"");
    });
    assert!(!home.path("data/rounds/absent").exists());
}

#[test]
fn a_dry_run_names_every_check_and_makes_no_round() {
    let home = Home::begun();
    without_times(|| {
        assert_snapshot!(home.run(&["crawl", "list.csv", "--dry-run"]), @"");
        assert_snapshot!(home.run(&["crawl", "absent.csv", "--dry-run"]), @"");
    });
    assert_eq!(home.json(&["crawl", "list.csv", "--dry-run", "--json"])["ready"], true);
    assert!(!home.path("data/rounds").exists());
}

#[test]
fn a_round_ends_with_a_summary_whose_lines_add_up() {
    let home = Home::begun();
    let summary = home.run(&["crawl", "list.csv", "--round", "may", "--quiet"]);
    assert_fits(&summary);
    assert_snapshot!(summary, @"");
    assert_snapshot!(home.run(&["ledger"]), @"");
    assert_snapshot!(home.run(&["ledger", "june"]), @"");
    without_times(|| {
        assert_snapshot!(home.run(&["status"]), @"");
        assert_snapshot!(home.run(&["history"]), @"");
        assert_snapshot!(home.run(&["segments", "list"]), @"");
    });
    assert_snapshot!(home.run(&["segments", "body", "2"]), @"");
    assert_snapshot!(home.run(&["segments", "body", "99"]), @"");
    assert_snapshot!(home.run(&["crawl"]), @"");
    assert_snapshot!(home.run(&["crawl", "other.csv", "--round", "may"]), @"");
}

#[test]
fn every_result_as_json_is_json_and_carries_the_same_numbers() {
    let home = Home::begun();
    let crawl = home.json(&["crawl", "list.csv", "--round", "may", "--quiet", "--json"]);
    assert_eq!((&crawl["status"], &crawl["exit_code"]), (&"done".into(), &0.into()));
    let ledger = home.json(&["ledger", "--json"]);
    assert_eq!((&ledger["lines"], &ledger["balanced"]), (&5.into(), &true.into()));
    assert_eq!(crawl["ledger"], ledger);
    assert_eq!(home.json(&["status", "--json"])["run"]["status"], "done");
    assert_eq!(home.json(&["history", "--json"])[0]["round"], "may");
    assert_eq!(home.json(&["segments", "list", "--json"])[0]["records"], 2);
    let heads = home.run(&["segments", "cat"]);
    assert_eq!(heads.matches("\"private_address\"").count(), 2, "{heads}");
}
