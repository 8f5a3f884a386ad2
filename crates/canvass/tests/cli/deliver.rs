//! What does a person see of a delivery?

use std::{fs, io::Read};

use flate2::read::GzDecoder;
use insta::assert_snapshot;
use serde_json::{Value, json};
use sha2::{Digest, Sha256};

use crate::program::{Home, assert_fits};

const ROUND: &str = "2026-11-10-monthly";

/// A folder with a round whose export has these files, as `canvass export` leaves it.
fn exported(files: &[(&str, &str)]) -> Home {
    let home = Home::begun();
    crawl(&home, ROUND);
    export(&home, files);
    home
}

fn crawl(home: &Home, round: &str) {
    let told = home.run(&["crawl", "list.csv", "--round", round, "--quiet"]);
    assert!(told.ends_with("[exit 0]\n"), "{told}");
}

fn export(home: &Home, files: &[(&str, &str)]) {
    export_of(home, ROUND, files);
}

fn export_of(home: &Home, round: &str, files: &[(&str, &str)]) {
    let folder = home.path(&format!("data/rounds/{round}/export"));
    fs::create_dir_all(&folder).unwrap();
    let mut rows = Vec::new();
    for (name, content) in files {
        fs::write(folder.join(name), content).unwrap();
        let sha256: String = Sha256::digest(content).iter().map(|byte| format!("{byte:02x}")).collect();
        rows.push(json!({ "name": name, "rows": 1, "bytes": content.len(), "sha256": sha256 }));
    }
    let manifest = json!({
        "schema_version": 1, "round": round, "month": "2026-11", "made_at": "2026-11-10T05:00:00.000Z", "files": rows,
    });
    fs::write(folder.join("manifest.json"), manifest.to_string()).unwrap();
}

fn to(yaml: &str) -> String {
    format!("delivery.destinations={yaml}")
}

fn unzipped(home: &Home, path: &str) -> String {
    let mut text = String::new();
    GzDecoder::new(fs::File::open(home.path(path)).unwrap()).read_to_string(&mut text).unwrap();
    text
}

/// What became of each file at the first destination.
fn fates(told: &Value) -> Vec<String> {
    let files = told["destinations"][0]["files"].as_array().unwrap();
    files.iter().map(|file| file["fate"].as_str().unwrap().to_owned()).collect()
}

#[test]
fn an_export_is_delivered_once_and_its_manifest_tells_what_there_is() {
    let home = exported(&[("Findings.csv", "a,b\n1,2\n"), ("Findings.json", "[]\n")]);
    let lake = to("{lake: {url: lake}, partner: {url: partner, files: ['*.csv'], path: 'in'}}");
    let deliver = ["deliver", "--quiet", "--set", &lake];
    assert_snapshot!(home.run(&["deliver", "--dry-run", "--set", &lake]), @"
    lake
      ○ lake/2026/11/10/Findings.csv.gz
        would be sent
      ○ lake/2026/11/10/Findings.json.gz
        would be sent
      ○ lake/2026/11/10/manifest.json
        would be sent
    partner
      ○ partner/in/Findings.csv.gz
        would be sent
      ○ partner/in/manifest.json
        would be sent
    nothing was sent
    [exit 0]
    ");
    assert!(!home.path("lake").exists());
    let told = home.run(&deliver);
    assert_fits(&told);
    assert_snapshot!(told, @"
    lake
      ✓ lake/2026/11/10/Findings.csv.gz
        sent
      ✓ lake/2026/11/10/Findings.json.gz
        sent
      ✓ lake/2026/11/10/manifest.json
        sent
    partner
      ✓ partner/in/Findings.csv.gz
        sent
      ✓ partner/in/manifest.json
        sent
    round 2026-11-10-monthly: done
    [exit 0]
    ");
    assert_eq!(unzipped(&home, "lake/2026/11/10/Findings.csv.gz"), "a,b\n1,2\n");
    let manifest: Value =
        serde_json::from_slice(&fs::read(home.path("partner/in/manifest.json")).unwrap()).unwrap();
    assert_eq!(manifest["files"].as_array().unwrap().len(), 1);
    assert_eq!(manifest["files"][0]["delivered_as"], "Findings.csv.gz");
    assert!(manifest.get("made_at").is_none());
    // the one who has it may do with it what he likes
    fs::remove_file(home.path("partner/in/Findings.csv.gz")).unwrap();
    let again = home.json(&["deliver", "--quiet", "--json", "--set", &lake]);
    assert_eq!((&again["status"], &again["exit_code"]), (&json!("done"), &json!(0)));
    for file in
        again["destinations"].as_array().unwrap().iter().flat_map(|to| to["files"].as_array().unwrap())
    {
        assert_eq!(file["fate"], "known", "{file}");
    }
    assert!(!home.path("partner/in/Findings.csv.gz").exists());
    assert!(!home.path(&format!("data/rounds/{ROUND}/spool")).exists());
}

#[test]
fn a_new_export_replaces_what_was_delivered_and_nothing_else() {
    let home = exported(&[("a.csv", "one"), ("b.csv", "same")]);
    let lake = to("{lake: {url: lake}}");
    let deliver = ["deliver", "--quiet", "--json", "--set", lake.as_str()];
    assert_eq!(fates(&home.json(&deliver)), ["sent", "sent", "sent"]);
    // and back again, and again: the ledger has seen each content before, but the other one is there now
    for content in ["two", "one", "two", "one"] {
        export(&home, &[("a.csv", content), ("b.csv", "same")]);
        assert_eq!(fates(&home.json(&deliver)), ["replaced", "known", "sent"], "{content}");
        assert_eq!(unzipped(&home, "lake/2026/11/10/a.csv.gz"), content);
        assert_eq!(fates(&home.json(&deliver)), ["known", "known", "known"], "{content}");
    }
    // a destination that moved has nothing yet, and is known from then on
    let moved = to("{lake: {url: moved}}");
    let deliver = ["deliver", "--quiet", "--json", "--set", moved.as_str()];
    for fate in ["sent", "known"] {
        assert_eq!(fates(&home.json(&deliver)), [fate; 3]);
    }
    assert_eq!(unzipped(&home, "moved/2026/11/10/a.csv.gz"), "one");

    let home = exported(&[("a.csv", "one")]);
    fs::create_dir_all(home.path("lake/2026/11/10")).unwrap();
    home.write("lake/2026/11/10/a.csv.gz", "somebody else's");
    let told = home.run(&["deliver", "--quiet", "--set", &lake]);
    assert_fits(&told);
    assert_snapshot!(told, @"
    lake
      ✗ lake/2026/11/10/a.csv.gz is there already and is not ours: no delivery
        in this catalog's ledger left it; look at it, then move it away or give
        `--overwrite`
    round 2026-11-10-monthly: not complete: lake
    [exit 2]
    ");
    assert_eq!(fs::read(home.path("lake/2026/11/10/a.csv.gz")).unwrap(), b"somebody else's");
    assert!(home.run(&["deliver", "--quiet", "--overwrite", "--set", &lake]).ends_with("[exit 0]\n"));
    assert_eq!(unzipped(&home, "lake/2026/11/10/a.csv.gz"), "one");
}

#[test]
fn no_manifest_is_seen_over_files_that_changed() {
    let home = exported(&[("a.csv", "one"), ("b.csv", "same")]);
    let lake = to("{lake: {url: lake}}");
    let deliver = ["deliver", "--quiet", "--json", "--set", lake.as_str()];
    assert_eq!(home.json(&deliver)["exit_code"], 0);
    // this delivery ends in the middle, at a file that is not ours
    home.write("lake/2026/11/10/c.csv.gz", "somebody else's");
    export(&home, &[("a.csv", "two"), ("b.csv", "same"), ("c.csv", "new")]);
    assert!(home.run(&["deliver", "--quiet", "--set", &lake]).ends_with("[exit 2]\n"));
    assert_eq!(unzipped(&home, "lake/2026/11/10/a.csv.gz"), "two");
    assert!(!home.path("lake/2026/11/10/manifest.json").exists());
    // the first export has a manifest that was delivered before, and it comes back
    export(&home, &[("a.csv", "one"), ("b.csv", "same")]);
    assert_eq!(fates(&home.json(&deliver)), ["replaced", "known", "sent"]);
    assert!(home.path("lake/2026/11/10/manifest.json").exists());
}

#[test]
fn a_round_does_not_overwrite_what_another_delivered() {
    let home = exported(&[("a.csv", "one"), ("b.csv", "same")]);
    let lake = to("{lake: {url: lake}}");
    assert!(home.run(&["deliver", "--quiet", "--set", &lake]).ends_with("[exit 0]\n"));
    let other = "2026-11-10-other";
    crawl(&home, other);
    export_of(&home, other, &[("a.csv", "two"), ("b.csv", "same"), ("new.csv", "new")]);
    let deliver = ["deliver", "--round", other, "--quiet", "--set", &lake];
    let told = home.run(&deliver);
    assert_fits(&told);
    assert_snapshot!(told, @"
    lake
      ✗ lake/2026/11/10/manifest.json was delivered by round 2026-11-10-monthly,
        and this is round 2026-11-10-other: put `{round}` into `delivery.path` (or
        the destination's own `path`), or give `--overwrite`
    round 2026-11-10-other: not complete: lake
    [exit 2]
    ");
    assert!(home.run(&[&deliver[..], &["--dry-run"]].concat()).contains("put `{round}`"));
    assert_eq!(unzipped(&home, "lake/2026/11/10/a.csv.gz"), "one");
    assert!(!home.path("lake/2026/11/10/new.csv.gz").exists());
    let apart = to("{lake: {url: lake, path: '{YYYY}/{MM}/{DD}/{round}'}}");
    let told = home.run(&["deliver", "--round", other, "--quiet", "--set", &apart]);
    assert!(told.ends_with("[exit 0]\n"), "{told}");
    assert_eq!(unzipped(&home, "lake/2026/11/10/2026-11-10-other/a.csv.gz"), "two");
    let told = home.run(&[&deliver[..], &["--overwrite"]].concat());
    assert!(told.ends_with("[exit 0]\n"), "{told}");
    assert_eq!(unzipped(&home, "lake/2026/11/10/a.csv.gz"), "two");
}

#[test]
fn what_arrived_without_a_note_is_recognised_and_not_sent_again() {
    let home = exported(&[("a.csv", "one"), ("b.csv", "two")]);
    let lake = to("{lake: {url: lake}}");
    let deliver = ["deliver", "--quiet", "--json", "--set", lake.as_str()];
    assert_eq!(home.json(&deliver)["exit_code"], 0);
    let made = fs::metadata(home.path("lake/2026/11/10/a.csv.gz")).unwrap().modified().unwrap();
    // the ledger is lost: as after a crash between each upload and its note
    fs::remove_file(home.path("data/canvass.db")).unwrap();
    home.run(&["migrate"]);
    for fate in ["found", "known"] {
        let told = home.json(&deliver);
        let files = told["destinations"][0]["files"].as_array().unwrap();
        assert_eq!(files.len(), 3);
        assert!(files.iter().all(|file| file["fate"] == fate), "{told}");
    }
    assert_eq!(fs::metadata(home.path("lake/2026/11/10/a.csv.gz")).unwrap().modified().unwrap(), made);
}

#[test]
fn a_destination_that_fails_holds_up_no_other() {
    let home = exported(&[("a.csv", "one"), ("b.csv", "two")]);
    home.write("broken", "a file where the folder should be");
    let both = to("{broken: {url: broken}, lake: {url: lake}}");
    let told = home.run(&["deliver", "--quiet", "--set", &both]);
    assert_snapshot!(told, @"
    broken
      ✗ broken/2026/11/10: Not a directory (os error 20)
    lake
      ✓ lake/2026/11/10/a.csv.gz
        sent
      ✓ lake/2026/11/10/b.csv.gz
        sent
      ✓ lake/2026/11/10/manifest.json
        sent
    round 2026-11-10-monthly: not complete: broken
    [exit 1]
    ");
    fs::remove_file(home.path("broken")).unwrap();
    let again = home.json(&["deliver", "--quiet", "--json", "--set", &both]);
    assert_eq!(again["destinations"][0]["files"][0]["fate"], "sent");
    assert_eq!(again["destinations"][1]["files"][0]["fate"], "known");
}

#[test]
fn what_cannot_be_delivered_is_told_with_what_to_do() {
    let home = Home::with_round();
    assert_snapshot!(home.run(&["deliver"]), @"
    ! error: there is nowhere to deliver to: set `delivery.destinations` (see docs/SETTINGS.md)
    [exit 2]
    ");
    let lake = to("{lake: {url: lake}}");
    assert_snapshot!(home.run(&["deliver", "--set", &lake]), @"
    ! error: there is no export at data/rounds/may/export/manifest.json: run `canvass export`
    [exit 2]
    ");
    assert_snapshot!(home.run(&["deliver", "--destination", "partner", "--set", &lake]), @"
    ! error: there is no destination `partner` in the settings (there are: lake)
    [exit 2]
    ");
    let home = exported(&[("a.csv", "one")]);
    home.write(&format!("data/rounds/{ROUND}/export/a.csv"), "changed by hand");
    assert_snapshot!(home.run(&["deliver", "--quiet", "--set", &lake]), @"
    ! error: cannot compress data/rounds/2026-11-10-monthly/export/a.csv: it is not the file that the manifest tells of: run `canvass export` again
    [exit 2]
    ");
    assert!(!home.path("lake").exists());
}
