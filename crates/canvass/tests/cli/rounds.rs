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
        assert_snapshot!(home.run(&["crawl"]), @"
        ! error: there is no unfinished round; give a list: `canvass crawl LIST`
        [exit 2]
        ");
        assert_snapshot!(home.run(&["crawl", "absent.csv"]), @"
        ! error: no list at `absent.csv`: give a CSV or text file, or `-` for standard input
        [exit 2]
        ");
        assert_snapshot!(home.run(&["crawl", "--round", "may"]), @"
        ! error: there is no round may to continue; give a list to begin it
        [exit 2]
        ");
        assert_snapshot!(home.run(&["crawl", "--retry-failed"]), @"
        ! error: no finished round under data/rounds, so there is nothing to retry
        [exit 2]
        ");
        assert_snapshot!(home.run(&["crawl", "columns.csv", "--round", "may"]), @"
        ! error: the list columns.csv has no column `url`: its header (line 1) has `site`, `address`; if `site` is meant, set `source.url_column` to it
        [exit 2]
        ");
    });
    let made: Vec<_> = std::fs::read_dir(home.path("data/rounds")).unwrap().collect();
    assert_eq!(made.len(), 1, "only `may` has begun: {made:?}");
}

#[test]
fn a_round_whose_list_is_gone_goes_on_once_it_is_enlisted() {
    let home = Home::with_round();
    std::fs::remove_file(home.path("list.csv")).unwrap();
    let told = home.run(&["crawl", "--round", "may", "--quiet"]);
    assert!(told.ends_with("[exit 0]\n"), "{told}");
}

#[test]
fn a_dry_run_names_every_check_and_makes_no_round() {
    let home = Home::begun();
    without_times(|| {
        assert_snapshot!(home.run(&["crawl", "list.csv", "--dry-run"]), @"
        ✓ settings: read and valid
        ✓ fetcher: ready
        ✓ list: `list.csv` can be read
        ✓ data folder: data can be written
        ✓ catalog: reached, schema up to date, nobody crawls
        round [today]-monthly would run; nothing was done
        [exit 0]
        ");
        assert_snapshot!(home.run(&["crawl", "absent.csv", "--dry-run"]), @"
        ✓ settings: read and valid
        ✓ fetcher: ready
        ✗ list: cannot open the list absent.csv: No such file or directory (os error
          2)
        ✓ data folder: data can be written
        ✓ catalog: reached, schema up to date, nobody crawls
        round [today]-monthly cannot run; nothing was done
        [exit 2]
        ");
    });
    assert_eq!(home.json(&["crawl", "list.csv", "--dry-run", "--json"])["ready"], true);
    assert!(!home.path("data/rounds").exists());
}

#[test]
fn a_round_ends_with_a_summary_whose_lines_add_up() {
    let home = Home::begun();
    let summary = home.run(&["crawl", "list.csv", "--round", "may", "--quiet"]);
    assert_fits(&summary);
    assert_snapshot!(summary, @"

    Round may: done
      lines                 5
      captured              0
      excluded              2  private_address 2
      failed                0
      rejected              2  empty 1, scheme_not_http 1
      duplicates            1
      ✓ the books balance: each line ended in exactly one way
        (1 segment read, 1 SHA-256 checked)

    0 B of bodies, under data/rounds/may
      segments/        the captures: `canvass segments list`
      failed_urls.csv  what failed: `canvass crawl --retry-failed`
      excluded.csv     what was ruled out, and why
      rejected.csv     lines that are no targets, and why
      duplicates.csv   lines that repeat an earlier one
      logs/            a log per stage
    [exit 0]
    ");
    assert_snapshot!(home.run(&["ledger"]), @"
    Round may
      lines                 5
      captured              0
      excluded              2  private_address 2
      failed                0
      rejected              2  empty 1, scheme_not_http 1
      duplicates            1
      ✓ the books balance: each line ended in exactly one way
        (1 segment read, 1 SHA-256 checked)
    [exit 0]
    ");
    assert_snapshot!(home.run(&["ledger", "june"]), @"
    ! error: no round `june` under data/rounds (rounds: may)
    [exit 2]
    ");
    without_times(|| {
        assert_snapshot!(home.run(&["status"]), @"
        ════════════════════════════════════════════════════════════════════════
          Round    may   (run 1, done)
          Started  [time]
          Outcome  done
        ════════════════════════════════════════════════════════════════════════
          [✓] enlist   [took] · 5 lines · 2 targets · 2 hosts
          [✓] crawl    [took] · 2 ended · 0 captured · 0.0 % failed
          [✓] ledger   [took] · the books balance
        [exit 0]
        ");
        assert_snapshot!(home.run(&["history"]), @"
         run started (UTC)    job       round                status          ended failed
           1 [time] crawl     may                  done                2  0.0 %
        [exit 0]
        ");
        assert_snapshot!(home.run(&["segments", "list"]), @"
        segment-000001.zst                2 records [size]  sha256 [hash]…
        [exit 0]
        ");
    });
    assert_snapshot!(home.run(&["segments", "body", "2"]), @"
    ! error: line 2 was not captured: private_address
    [exit 2]
    ");
    assert_snapshot!(home.run(&["segments", "body", "99"]), @"
    ! error: line 99 of round may has not ended
    [exit 2]
    ");
    assert_snapshot!(home.run(&["crawl"]), @"
    ! error: there is no unfinished round; give a list: `canvass crawl LIST`
    [exit 2]
    ");
    assert_snapshot!(home.run(&["crawl", "other.csv", "--round", "may"]), @"
    ! error: round may was begun with `list.csv`; leave the list out to continue it, or choose another `--round`
    [exit 2]
    ");
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
