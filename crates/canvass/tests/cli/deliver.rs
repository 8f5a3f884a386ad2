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
    let told = home.run(&["crawl", "list.csv", "--round", ROUND, "--quiet"]);
    assert!(told.ends_with("[exit 0]\n"), "{told}");
    export(&home, files);
    home
}

fn export(home: &Home, files: &[(&str, &str)]) {
    let folder = home.path(&format!("data/rounds/{ROUND}/export"));
    fs::create_dir_all(&folder).unwrap();
    let mut rows = Vec::new();
    for (name, content) in files {
        fs::write(folder.join(name), content).unwrap();
        let sha256: String = Sha256::digest(content).iter().map(|byte| format!("{byte:02x}")).collect();
        rows.push(json!({ "name": name, "rows": 1, "bytes": content.len(), "sha256": sha256 }));
    }
    let manifest = json!({
        "schema_version": 1, "round": ROUND, "month": "2026-11", "made_at": "2026-11-10T05:00:00.000Z", "files": rows,
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
    let fates = |told: Value| -> Vec<String> {
        let files = told["destinations"][0]["files"].as_array().unwrap().clone();
        files.iter().map(|file| file["fate"].as_str().unwrap().to_owned()).collect()
    };
    assert_eq!(fates(home.json(&deliver)), ["sent", "sent", "sent"]);
    export(&home, &[("a.csv", "two"), ("b.csv", "same")]);
    assert_eq!(fates(home.json(&deliver)), ["replaced", "known", "replaced"]);
    // and back again: the ledger has seen this content before, but something else is there now
    export(&home, &[("a.csv", "one"), ("b.csv", "same")]);
    assert_eq!(fates(home.json(&deliver)), ["replaced", "known", "replaced"]);
    assert_eq!(unzipped(&home, "lake/2026/11/10/a.csv.gz"), "one");

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
