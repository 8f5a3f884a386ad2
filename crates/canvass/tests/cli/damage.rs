//! Is a file that was damaged named, and is it said what to do?

use std::fs;

use insta::assert_snapshot;

use crate::program::{Home, assert_fits};

/// What a command says of a round whose file `name` is broken, without what the parser says of it.
fn told_of_broken(name: &str, command: &str) -> String {
    let home = Home::with_round();
    home.write(&format!("data/rounds/may/{name}"), "{");
    let told = home.run(&[command]);
    assert!(told.ends_with("[exit 2]\n"), "{told}");
    told.rsplit_once(": ").unwrap().0.to_owned()
}

#[test]
fn a_damaged_file_of_a_round_is_named_with_what_to_do() {
    assert_snapshot!(told_of_broken("round.json", "ledger"), @"! error: data/rounds/may/round.json is damaged; restore it or move the round aside");
    assert_snapshot!(told_of_broken("enlist.json", "ledger"), @"! error: data/rounds/may/enlist.json is damaged; restore it or move the round aside");
    assert_snapshot!(told_of_broken("checkpoint", "crawl"), @"! error: data/rounds/may/checkpoint is damaged; delete it and the whole log is replayed instead");
}

#[test]
fn a_changed_byte_in_a_closed_segment_is_found() {
    let home = Home::with_round();
    let name = "data/rounds/may/segments/segment-000001.zst";
    let mut bytes = fs::read(home.path(name)).unwrap();
    let middle = bytes.len() / 2;
    bytes[middle] ^= 1;
    home.write(name, bytes);
    let told = home.run(&["ledger"]);
    assert!(told.starts_with(&format!("! error: {name}: its SHA-256 is ")), "{told}");
    assert!(told.ends_with("[exit 2]\n"), "{told}");
}

#[test]
fn a_row_that_was_taken_away_is_missed_and_put_back() {
    let home = Home::with_round();
    home.write("data/rounds/may/excluded.csv", "website_id,url,line,reason\n");
    let told = home.run(&["ledger"]);
    assert_fits(&told);
    assert_snapshot!(told, @"
    Round may
      lines                 5
      captured              0
      excluded              2  private_address 2
      failed                0
      rejected              2  empty 1, scheme_not_http 1
      duplicates            1
      ✗ excluded.csv has 0 rows and the segments 2, or they name different lines;
        delete it, and `canvass crawl --round may` writes it anew from the log
      ✗ the books do not balance
    [exit 1]
    ");
    fs::remove_file(home.path("data/rounds/may/excluded.csv")).unwrap();
    home.run(&["crawl", "--round", "may", "--quiet"]);
    assert!(home.run(&["ledger"]).contains("✓ the books balance"));
}

#[test]
fn a_segment_that_was_taken_away_leaves_its_lines_unexplained_by_number() {
    let home = Home::with_round();
    fs::remove_file(home.path("data/rounds/may/segments/segment-000001.zst")).unwrap();
    let told = home.run(&["ledger"]);
    assert_fits(&told);
    assert_snapshot!(told, @"
    Round may
      lines                 5
      captured              0
      excluded              0
      failed                0
      rejected              2  empty 1, scheme_not_http 1
      duplicates            1
      not ended             2  lines 2, 3
      ✗ excluded.csv has 2 rows and the segments 0, or they name different lines;
        delete it, and `canvass crawl --round may` writes it anew from the log
      ✗ 3 of 5 lines are explained
    [exit 1]
    ");
}
