//! Does a round do what the command line says, and do the books notice what is wrong?

use std::{
    fs,
    io::Write,
    path::{Path, PathBuf},
};

use sandbox::{Behaviour, Mix, Plan};
use serde_json::Value;

use crate::support::{
    found::{Endings, check_books, compare_with_truth, endings, rows},
    home::{Home, text},
    web::Web,
};

fn good_and_bad(sites: usize) -> Plan {
    use Behaviour as B;
    let mix = vec![B::StaticPlain, B::Status404, B::StaticGzip, B::BrokenServer, B::RobotsDisallowAll];
    Plan { sites, mix: Mix::Only(mix), ..Plan::default() }
}

fn assert_true(web: &Web, found: &Endings) {
    let wrong = compare_with_truth(&web.world, found);
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

fn count(found: &Endings, disposition: &str) -> usize {
    found.values().filter(|ending| ending.disposition == disposition).count()
}

pub fn a_list_may_be_plain_gzip_zstd_or_standard_input() {
    let web = Web::serve(&good_and_bad(10));
    let home = web.home(0.05, &[]);
    let plain = fs::read(&web.list).unwrap();
    let mut gzip = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::default());
    gzip.write_all(&plain).unwrap();
    let gzip = home.write("list.csv.gz", &gzip.finish().unwrap());
    let zstd = home.write("list.csv.zst", &zstd::encode_all(&plain[..], 3).unwrap());
    for (round, list) in [("plain", &web.list), ("gzip", &gzip), ("zstd", &zstd)] {
        home.crawl(round, list).expect(0);
        assert_true(&web, &endings(&home, round));
    }
    for (round, input) in [("in", &web.list), ("in-gzip", &gzip)] {
        home.run_with(&["crawl", "--quiet", "--round", round, "-"], input).expect(0);
        let found = endings(&home, round);
        assert_true(&web, &found);
        check_books(&home, round, &found);
    }
}

pub fn retrying_takes_only_what_failed() {
    let web = Web::serve(&good_and_bad(20));
    let home = web.home(0.05, &[]);
    home.run(&["crawl", "--retry-failed"]).expect(2);
    home.crawl("first", &web.list).expect(0);
    let failed = rows(&home.round("first", "failed_urls.csv"));
    assert!(!failed.is_empty() && failed.len() == count(&endings(&home, "first"), "failed"));
    web.forget();
    home.run(&["crawl", "--quiet", "--retry-failed", "--round", "again"]).expect(0);
    let again = endings(&home, "again");
    assert_eq!(again.len(), failed.len());
    assert_eq!(count(&again, "failed"), failed.len());
    check_books(&home, "again", &again);
    let urls = |round: &str| {
        let mut urls: Vec<_> = rows(&home.round(round, "failed_urls.csv"))
            .iter()
            .map(|row| (row[0].to_owned(), row[1].to_owned()))
            .collect();
        urls.sort();
        urls
    };
    assert_eq!(urls("first"), urls("again"), "key and URL go along");
    let asked: Vec<_> = web.page_requests().into_iter().filter(|asked| asked.status == 200).collect();
    assert!(asked.is_empty(), "good pages were asked for again: {asked:?}");
}

pub fn a_dry_run_checks_everything_and_does_nothing() {
    let web = Web::serve(&good_and_bad(5));
    let home = web.home(0.05, &[]);
    let said = home.run(&["crawl", "--dry-run", text(&web.list)]).expect(0);
    assert!(said.contains("nothing was done"), "{said}");
    let report = home.json(&["crawl", "--dry-run", "--json", text(&web.list)], 0);
    assert_eq!(report["ready"], true, "{report}");
    assert!(web.requests().is_empty());
    assert!(!home.path("data/rounds").exists());

    let bare = Home::new(&web.settings(0.05), &[]);
    let report = bare.json(&["crawl", "--dry-run", "--json", "nowhere.csv"], 2);
    let failing: Vec<&str> = report["checks"]
        .as_array()
        .unwrap()
        .iter()
        .filter(|check| check["ok"] == false)
        .map(|check| check["check"].as_str().unwrap())
        .collect();
    assert_eq!(failing, ["list", "catalog"], "{report}");
    assert!(
        report.to_string().contains("nowhere.csv") && report.to_string().contains("canvass migrate"),
        "{report}"
    );
    assert!(web.requests().is_empty());
}

pub fn too_many_failures_abort_a_round_and_many_are_told() {
    use Behaviour as B;
    // 50 targets that fail at once and 60 that are captured one after the other
    let mix =
        Mix::Only(vec![B::Status404, B::Status404, B::Status404, B::Status404, B::Status404, B::StaticPlain]);
    let web = Web::serve(&Plan { sites: 60, pages_per_site: 6..=6, mix, noise: false, ..Plan::default() });
    let thresholds = |high, abort| {
        [
            format!("crawl.thresholds.high_failure_percent={high}"),
            format!("crawl.thresholds.abort_failure_percent={abort}"),
            "crawl.thresholds.minimum_targets=20".to_owned(),
        ]
    };
    let home = |sets: [String; 3], delay| web.home(delay, &sets.each_ref().map(String::as_str));
    let pages = web.world.target_count();
    let aborting = home(thresholds(15, 50), 0.7);
    let ended = aborting.crawl("r", &web.list);
    assert!(ended.out.contains("aborted") && ended.out.contains("thresholds"), "{}", ended.out);
    ended.expect(1);
    let history = aborting.json(&["history", "--json"], 0);
    assert_eq!(history[0]["status"], "aborted", "{history}");
    let ledger = aborting.json(&["ledger", "--json", "r"], 1);
    let open = ledger["open_targets"].as_u64().unwrap();
    assert!(open > 0 && open < pages, "{ledger}");

    let telling = home(thresholds(15, 100), 0.05);
    let ended = telling.crawl("r", &web.list);
    assert!(ended.out.contains("45.5 % of the targets failed"), "{}", ended.out);
    ended.expect(1);
    let found = endings(&telling, "r");
    assert_true(&web, &found);
    check_books(&telling, "r", &found);
}

pub fn a_deadline_stops_a_round_that_can_be_continued() {
    let web = Web::serve(&Plan { sites: 12, pages_per_site: 4..=4, mix: Mix::StaticOnly, ..Plan::default() });
    // 3.6 s, the least that the settings take
    let home = web.home(2.0, &["crawl.deadline_hours=0.001"]);
    let ended = home.crawl("r", &web.list);
    assert!(ended.out.contains("deadline"), "{}", ended.out);
    ended.expect(1);
    let ledger = home.json(&["ledger", "--json", "r"], 1);
    assert!(ledger["open_targets"].as_u64().unwrap() > 0, "{ledger}");
    let patient = ["crawl", "--quiet", "--round", "r", "--set", "crawl.deadline_hours=1"];
    home.run(&[&patient[..], &["--set", "crawl.default_crawl_delay_seconds=0.05"]].concat()).expect(0);
    let found = endings(&home, "r");
    assert_true(&web, &found);
    check_books(&home, "r", &found);
}

pub fn status_history_and_ledger_say_the_same_in_json() {
    let web = Web::serve(&good_and_bad(25));
    let home = web.home(0.05, &[]);
    let report = home.json(&["crawl", "--quiet", "--json", "--round", "r", text(&web.list)], 0);
    let found = endings(&home, "r");
    let truth = web.world.truth();
    let of = |name: &str| truth.iter().filter(|line| line.disposition == name).count() as u64;
    let sum =
        |value: &Value| value.as_object().unwrap().values().map(|count| count.as_u64().unwrap()).sum::<u64>();
    let ledger = home.json(&["ledger", "--json"], 0);
    assert_eq!(ledger["lines"], truth.len(), "{ledger}");
    assert_eq!(ledger["duplicates"], of("duplicate"), "{ledger}");
    assert_eq!(sum(&ledger["rejected"]), of("rejected"), "{ledger}");
    let status = home.json(&["status", "--json"], 0);
    let history = home.json(&["history", "--json"], 0);
    for tally in [&report["tally"], &ledger, &history[0]["counts"], &status["stages"][1]["counts"]] {
        assert_eq!(tally["captured"], of("captured"), "{tally}");
        assert_eq!(sum(&tally["excluded"]), of("excluded"), "{tally}");
        assert_eq!(sum(&tally["failed"]), of("failed"), "{tally}");
    }
    assert_eq!(history[0]["round"], "r");
    assert_eq!((&history[0]["status"], &history[0]["exit_code"]), (&Value::from("done"), &Value::from(0)));
    let stages: Vec<_> = status["stages"].as_array().unwrap().iter().map(|stage| &stage["status"]).collect();
    assert_eq!(stages, ["done", "done", "done"], "{status}");
    assert_eq!(found.len(), truth.len());
}

/// A finished round, a copy of which is damaged by each of the tests below.
fn finished_round() -> (Web, Home) {
    let web = Web::serve(&good_and_bad(25));
    let home = web.home(0.05, &["segments.max_rows=10"]);
    home.crawl("r", &web.list).expect(0);
    (web, home)
}

pub fn the_ledger_notices_what_was_damaged_by_hand() {
    let (_web, home) = finished_round();
    home.run(&["ledger", "r"]).expect(0);
    type Damage = fn(&Home);
    let damages: [(&str, &str, Damage); 7] = [
        ("a segment is gone", "line", |home| fs::remove_file(segment(home, "zst")).unwrap()),
        ("a segment is cut", "SHA-256", |home| cut(&segment(home, "zst"))),
        ("a byte of a segment is another", "SHA-256", |home| flip(&segment(home, "zst"))),
        ("a row of failed_urls.csv is gone", "failed_urls.csv", |home| {
            drop_last_row(&home.round("r", "failed_urls.csv"))
        }),
        ("a row of excluded.csv is gone", "excluded.csv", |home| {
            drop_last_row(&home.round("r", "excluded.csv"))
        }),
        ("a row of rejected.csv is gone", "rejected.csv", |home| {
            drop_last_row(&home.round("r", "rejected.csv"))
        }),
        ("duplicates.csv is gone", "duplicates.csv", |home| {
            fs::remove_file(home.round("r", "duplicates.csv")).unwrap()
        }),
    ];
    let (whole, spare) = (home.path("data/rounds/r"), home.path("spare"));
    copy_folder(&whole, &spare);
    for (what, named, damage) in damages {
        damage(&home);
        let noticed = home.run(&["ledger", "r"]);
        assert!(matches!(noticed.code, Some(1 | 2)), "{what}, and it says {noticed:?}");
        let said = format!("{}{}", noticed.out, noticed.err);
        assert!(said.contains(named), "{what}, and `{named}` is not in: {said}");
        fs::remove_dir_all(&whole).unwrap();
        copy_folder(&spare, &whole);
    }
    home.run(&["ledger", "r"]).expect(0);
}

/// The first segment's file of that kind.
fn segment(home: &Home, extension: &str) -> PathBuf {
    home.round("r", "segments").join(format!("segment-000001.{extension}"))
}

fn cut(path: &Path) {
    let content = fs::read(path).unwrap();
    fs::write(path, &content[..content.len() / 2]).unwrap();
}

fn flip(path: &Path) {
    let mut content = fs::read(path).unwrap();
    let middle = content.len() / 2;
    content[middle] ^= 0x40;
    fs::write(path, content).unwrap();
}

fn drop_last_row(path: &Path) {
    let content = fs::read_to_string(path).unwrap();
    let kept: Vec<&str> = content.lines().collect();
    fs::write(path, kept[..kept.len() - 1].join("\n") + "\n").unwrap();
}

fn copy_folder(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    for entry in fs::read_dir(from).unwrap() {
        let entry = entry.unwrap();
        let target = to.join(entry.file_name());
        if entry.file_type().unwrap().is_dir() {
            copy_folder(&entry.path(), &target);
        } else {
            fs::copy(entry.path(), target).unwrap();
        }
    }
}

pub fn what_makes_no_sense_is_refused_with_the_reason() {
    let web = Web::serve(&good_and_bad(5));
    let bare = Home::new(&web.settings(0.05), &[]);
    let said = |home: &Home, args: &[&str]| {
        let ended = home.run(args);
        assert_eq!(ended.code, Some(2), "{args:?}: {ended:?}");
        ended.err
    };
    assert!(said(&bare, &["crawl", text(&web.list)]).contains("canvass migrate"));
    bare.run(&["migrate"]).expect(0);
    assert!(said(&bare, &["crawl", "nowhere.csv"]).contains("nowhere.csv"));
    assert!(said(&bare, &["crawl"]).contains("no unfinished round"));
    assert!(said(&bare, &["ledger", "never"]).contains("never"));
    assert!(said(&bare, &["crawl", "--set", "crawl.concurency=8"]).contains("did you mean `concurrency`"));
    bare.crawl("r", &web.list).expect(0);
    let other = bare.write("other.txt", b"http://other.test/\n");
    assert!(said(&bare, &["crawl", "--round", "r", text(&other)]).contains("was begun with"));
}
