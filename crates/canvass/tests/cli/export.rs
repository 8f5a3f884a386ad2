//! Do the files say what was found, and nothing but that, however often they are written?

use std::{collections::BTreeMap, fs};

use blobs::table::csv::restore;
use catalog::{
    Catalog, OpenOptions,
    accounts::{self, AccountRow, AccountSite},
    changes::{self, ChangeRow, DualRow},
    findings,
    matches::{Batch, MatchRow, PageRow, SegmentId, begin_segment, write_batch},
    rules::{CategoryRow, NewFingerprint, NewSignal, load_pack},
};
use domain::Moment;
use insta::assert_snapshot;
use serde_json::{Value as Json, json};

use crate::program::{Home, assert_fits};

/// Noon on the fifth of October and of November 2026.
const OCTOBER: Moment = Moment(1_791_201_600_000);
const NOVEMBER: Moment = Moment(1_793_880_000_000);

/// Two months of three sites, of which two belong to accounts: written as the stages before would have.
async fn fill(catalog: &Catalog) {
    let signal = |name: &str| NewSignal {
        name: name.into(),
        category: "chat".into(),
        vendor: format!("{name} Inc."),
        family: name.to_lowercase(),
        website: String::new(),
        definition: json!({}),
    };
    let fingerprint = |key: &str, signal: &str| NewFingerprint {
        key: key.into(),
        signal: signal.into(),
        part: "script".into(),
        definition: json!({}),
    };
    let category =
        CategoryRow { key: "chat".into(), title: "Live chat".into(), about: String::new(), exclusive: true };
    let signals = [signal("Alpha"), signal("Beta")];
    let fingerprints = [fingerprint("alpha", "Alpha"), fingerprint("beta", "Beta")];
    load_pack(catalog, "test", &[category], &signals, &fingerprints, OCTOBER).await.unwrap();
    for (round, month, at, seen) in [
        ("oct", "2026-10", OCTOBER, vec![("a", 1), ("c", 2)]),
        ("may", "2026-11", NOVEMBER, vec![("a", 1), ("a", 2), ("b", 1)]),
    ] {
        let id = SegmentId { sha256: round, rule_set: 1, round, segment: 1 };
        begin_segment(catalog, &id, at).await.unwrap();
        let pages = ["a", "b", "c"].iter().zip(1..).map(|(site, line)| page(site, line, month, at)).collect();
        let matches = seen.iter().map(|(site, fingerprint)| found(site, *fingerprint, month, at)).collect();
        let batch = Batch { from: 0, to: 3, last: true, pages, matches };
        write_batch(catalog, &id, batch, 100, at).await.unwrap();
        findings::aggregate(catalog, month, 1, at).await.unwrap();
    }
    let account = |id: &str, name: &str, street: &str| AccountRow {
        id: id.into(),
        name: name.into(),
        street: street.into(),
        city: "st. louis".into(),
        region: "Missouri".into(),
        postcode: "63101".into(),
        country: "usa".into(),
        ..AccountRow::default()
    };
    let rows = [
        account("A1", "=First, \"Church\"", "1 North Main Street, Suite 5"),
        account("A2", "Two", "PO Box 7"),
    ];
    accounts::load(catalog, &rows, NOVEMBER).await.unwrap();
    let link = |account: &str, site: &str| AccountSite {
        account: account.into(),
        site: site.into(),
        source: "test".into(),
        confidence: 100,
    };
    let links = [link("A1", "a"), link("A2", "a"), link("A2", "c")];
    accounts::link(catalog, &links, NOVEMBER).await.unwrap();
    compare(catalog).await;
}

fn page(site: &str, line: i64, month: &str, at: Moment) -> PageRow {
    let failed = (site, month) == ("b", "2026-10");
    let ending = if failed { "failed" } else { "captured" };
    PageRow {
        line,
        site: site.into(),
        url: format!("https://{site}.example/"),
        final_url: None,
        ended_at: at,
        month: month.into(),
        disposition: ending.into(),
        detail: ending.into(),
        status: None,
    }
}

fn found(site: &str, fingerprint: i64, month: &str, at: Moment) -> MatchRow {
    MatchRow {
        line: i64::from(site.as_bytes()[0] - b'a') + 1,
        fingerprint,
        site: site.into(),
        month: month.into(),
        found_at: at,
        confidence: 90,
        position: 12,
        snippet: if fingerprint == 2 {
            "@SUM(1+1)*cmd|' /C calc'!A0".into()
        } else {
            "<script src=\"alpha\">,".into()
        },
        version: (fingerprint == 1).then(|| "-5".into()),
        account: None,
        tracker: None,
        implied_by: None,
    }
}

async fn compare(catalog: &Catalog) {
    let change = |site: &str, signal_id, kind: &str, certainty: &str| ChangeRow {
        month: "2026-11".into(),
        previous: Some("2026-10".into()),
        site: site.into(),
        signal_id,
        kind: kind.into(),
        certainty: certainty.into(),
        reason: String::new(),
        since: Some(OCTOBER),
        rule_set: 1,
        evidence: json!({}),
    };
    let rows = [
        change("a", 1, "kept", "certain"),
        change("a", 2, "added", "certain"),
        change("b", 1, "unknown", "unknown"),
        change("c", 2, "dropped", "likely"),
    ];
    changes::replace(catalog, "2026-11", None, None, &rows).await.unwrap();
    let sighting = |url: &str| json!({ "url": url, "fingerprint": "f", "snippet": "+1", "found_at": "", "confidence": 90 });
    let dual = DualRow {
        month: "2026-11".into(),
        account: "A1".into(),
        category: "chat".into(),
        first_signal: 1,
        second_signal: 2,
        first_since: OCTOBER,
        second_since: NOVEMBER,
        is_new: true,
        certainty: "certain".into(),
        evidence: json!({ "first": sighting("https://a.example/1"), "second": sighting("https://a.example/2") }),
        rule_set: 1,
    };
    changes::replace_dual_vendors(catalog, "2026-11", None, None, &[dual]).await.unwrap();
}

fn filled() -> Home {
    let home = Home::with_round();
    let url = format!("sqlite:{}", home.path("data/canvass.db").display());
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    runtime.block_on(async {
        let catalog = Catalog::open(&url, OpenOptions::default()).await.unwrap();
        fill(&catalog).await;
    });
    home
}

fn read(home: &Home, name: &str) -> String {
    fs::read_to_string(home.path("data/rounds/may/export").join(name)).unwrap()
}

/// Every file of the export with its bytes.
fn files(home: &Home) -> BTreeMap<String, Vec<u8>> {
    let folder = home.path("data/rounds/may/export");
    fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap())
        .map(|entry| (entry.file_name().into_string().unwrap(), fs::read(entry.path()).unwrap()))
        .collect()
}

const EXPORT: [&str; 6] = ["export", "--round", "may", "--month", "2026-11", "--quiet"];

#[test]
fn the_tables_have_a_row_for_each_finding_product_and_second_vendor() {
    let home = filled();
    let told = home.run(&EXPORT);
    assert_fits(&told);
    assert!(told.ends_with("[exit 0]\n"), "{told}");
    assert_snapshot!(read(&home, "TechnicalFindings_2026-11.csv"), @r#"
    month,site,url,accounts,account_ids,signal,vendor,family,category,category_title,fingerprint,part,confidence,version,account,tracker,implied_by,first_seen_at,last_seen_at,match_count,rule_set,evidence_position,evidence_snippet,site_targets,site_captured,site_coverage
    2026-11,a,https://a.example/,2,A1;A2,Alpha,Alpha Inc.,alpha,chat,Live chat,alpha,script,90,'-5,,,,2026-11-05T12:00:00.000Z,2026-11-05T12:00:00.000Z,1,1,12,"<script src=""alpha"">,",1,1,1
    2026-11,a,https://a.example/,2,A1;A2,Beta,Beta Inc.,beta,chat,Live chat,beta,script,90,,,,,2026-11-05T12:00:00.000Z,2026-11-05T12:00:00.000Z,1,1,12,'@SUM(1+1)*cmd|' /C calc'!A0,1,1,1
    2026-11,b,https://b.example/,0,,Alpha,Alpha Inc.,alpha,chat,Live chat,alpha,script,90,'-5,,,,2026-11-05T12:00:00.000Z,2026-11-05T12:00:00.000Z,1,1,12,"<script src=""alpha"">,",1,1,1
    "#);
    assert_snapshot!(read(&home, "AccountDelivery.csv"), @r#"
    month,account_id,account_name,website,street,city,region,postcode,country,signal,vendor,category,category_title,sites,site,confidence,implied,first_seen,last_seen,change,certainty
    2026-11,A1,"'=First, ""Church""","",1 N MAIN ST STE 5,SAINT LOUIS,MO,63101,US,Alpha,Alpha Inc.,chat,Live chat,1,a,90,false,2026-10-05,2026-11-05,kept,certain
    2026-11,A1,"'=First, ""Church""","",1 N MAIN ST STE 5,SAINT LOUIS,MO,63101,US,Beta,Beta Inc.,chat,Live chat,1,a,90,false,2026-11-05,2026-11-05,added,certain
    2026-11,A2,Two,"",PO BOX 7,SAINT LOUIS,MO,63101,US,Alpha,Alpha Inc.,chat,Live chat,1,a,90,false,2026-10-05,2026-11-05,kept,certain
    2026-11,A2,Two,"",PO BOX 7,SAINT LOUIS,MO,63101,US,Beta,Beta Inc.,chat,Live chat,1,a,90,false,2026-10-05,2026-11-05,kept,likely
    "#);
    assert_snapshot!(read(&home, "DualVendor_2026-11.csv"), @r#"
    month,account_id,account_name,category,category_title,first_vendor,first_product,first_since,first_url,first_fingerprint,first_snippet,second_vendor,second_product,second_since,second_url,second_fingerprint,second_snippet,is_new,certainty,rule_set
    2026-11,A1,"'=First, ""Church""",chat,Live chat,Alpha Inc.,Alpha,2026-10-05T12:00:00.000Z,https://a.example/1,f,'+1,Beta Inc.,Beta,2026-11-05T12:00:00.000Z,https://a.example/2,f,'+1,true,certain,1
    "#);
    for name in ["TechnicalFindings_2026-11", "AccountDelivery", "DualVendor_2026-11"] {
        assert_same_rows(&home, name);
    }
}

/// The CSV and the JSON file have the same cells, but for what is done to text in CSV.
fn assert_same_rows(home: &Home, name: &str) {
    let json: Vec<Json> = serde_json::from_str(&read(home, &format!("{name}.json"))).unwrap();
    let text = read(home, &format!("{name}.csv"));
    let mut csv = csv::Reader::from_reader(text.as_bytes());
    let header = csv.headers().unwrap().clone();
    let rows: Vec<_> = csv.records().map(Result::unwrap).collect();
    assert_eq!(rows.len(), json.len());
    for (row, object) in rows.iter().zip(&json) {
        for (column, cell) in header.iter().zip(row) {
            let spelled = match &object[column] {
                Json::Null => String::new(),
                Json::String(text) => text.clone(),
                Json::Number(number) if number.is_f64() => number.as_f64().unwrap().to_string(),
                other => other.to_string(),
            };
            assert_eq!(restore(cell), spelled, "{name}, {column}");
        }
    }
}

#[test]
fn exporting_again_changes_no_byte_and_what_a_kill_left_is_cleared_away() {
    let home = filled();
    let first = home.json(&[&EXPORT[..], &["--json"]].concat());
    let before = files(&home);
    assert_eq!(before.len(), 10);
    home.write("data/rounds/may/export/AccountDelivery.csv.tmp", "half a");
    let second = home.json(&[&EXPORT[..], &["--json"]].concat());
    assert_eq!(first, second, "even the manifest is the one from before");
    assert_eq!(files(&home), before);
    // killed when the files had changed and before the manifest was written: tables of another month or format are left
    fs::remove_file(home.path("data/rounds/may/export/manifest.json")).unwrap();
    for name in ["TechnicalFindings_2026-10.csv", "DualVendor_2026-10.parquet"] {
        home.write(&format!("data/rounds/may/export/{name}"), "of October");
    }
    let of_others = ["notes.csv", "TechnicalFindings_mine.csv", "AccountDelivery.xlsx"];
    for name in of_others {
        home.write(&format!("data/rounds/may/export/{name}"), "somebody's own");
    }
    home.run(&EXPORT);
    let mut after = files(&home);
    for name in of_others {
        assert_eq!(after.remove(name).unwrap(), b"somebody's own");
    }
    assert_eq!(after.len(), before.len(), "{:?}", after.keys());
    let made_at = |bytes: &[u8]| serde_json::from_slice::<Json>(bytes).unwrap()["made_at"].take();
    let (old, new) = (&before["manifest.json"], after.remove("manifest.json").unwrap());
    assert_ne!(made_at(old), made_at(&new));
    assert!(after.iter().all(|(name, bytes)| before[name] == *bytes));
}

#[test]
fn the_manifest_tells_of_exactly_the_files_that_are_there() {
    let home = filled();
    home.run(&EXPORT);
    let told = home.json(&[&EXPORT[..], &["--format", "csv,json", "--json"]].concat());
    let manifest: Json = serde_json::from_str(&read(&home, "manifest.json")).unwrap();
    assert_eq!(told["manifest"], manifest);
    assert_eq!((&manifest["schema_version"], &manifest["rule_set"]), (&json!(1), &json!(1)));
    assert_eq!((&manifest["round"], &manifest["month"]), (&json!("may"), &json!("2026-11")));
    assert_eq!(manifest["coverage"], json!({ "sites": 3, "targets": 3, "captured": 3 }));
    let mut there = files(&home);
    there.remove("manifest.json");
    let listed: Vec<&str> =
        manifest["files"].as_array().unwrap().iter().map(|file| file["name"].as_str().unwrap()).collect();
    assert_eq!(listed.len(), 6, "{listed:?}");
    for file in manifest["files"].as_array().unwrap() {
        use sha2::Digest;
        let bytes = there.remove(file["name"].as_str().unwrap()).unwrap();
        let hash: String = sha2::Sha256::digest(&bytes).iter().map(|byte| format!("{byte:02x}")).collect();
        assert_eq!(
            (file["bytes"].as_u64(), file["sha256"].as_str()),
            (Some(bytes.len() as u64), Some(&*hash))
        );
    }
    assert!(there.is_empty(), "not in the manifest: {:?}", there.keys());
}

#[test]
fn a_month_or_a_format_that_is_not_there_is_named() {
    let home = Home::with_round();
    assert_snapshot!(home.run(&["export"]), @"
    ! error: there are no findings yet: run `canvass process`, then `canvass aggregate`
    [exit 2]
    ");
    let home = filled();
    assert_snapshot!(home.run(&["export", "--month", "2026-12"]), @"
    ! error: there are no findings of 2026-12, but of 2026-10, 2026-11
    [exit 2]
    ");
    assert_snapshot!(home.run(&["export", "--format", "xlsx"]), @"
    ! error: invalid value 'xlsx' for '--format <FORMAT>': `xlsx` is no format: use csv, json or parquet
    !
    ! For more information, try '--help'.
    [exit 2]
    ");
    assert_snapshot!(home.run(&["archive", "--dry-run", "--now", "2027-05-15T00:00:00Z"]), @"
    2026-10: 2 matches would leave the catalog
    nothing was moved
    [exit 0]
    ");
    let archived = home.json(&["archive", "--now", "2027-05-15T00:00:00Z", "--json"]);
    assert_eq!(archived["counts"]["removed"], 2);
    assert_snapshot!(home.run(&["archive", "--now", "2027-05-15T00:00:00Z"]), @"
    no month with matches ended more than 180 days ago (done)
    [exit 0]
    ");
}

#[test]
fn a_round_without_findings_of_its_own_month_is_not_given_those_of_another() {
    let home = filled();
    home.run(&["crawl", "list.csv", "--round", "late", "--now", "2026-12-05T12:00:00Z", "--quiet"]);
    assert_snapshot!(home.run(&["export", "--round", "late"]), @"
    ! error: there are no findings of 2026-12, in which round late began, but of 2026-10, 2026-11: run `canvass process` and `canvass aggregate`, or choose a month with `--month`
    [exit 2]
    ");
    assert!(!home.path("data/rounds/late/export").exists());
    let told = home.run(&["export", "--round", "late", "--month", "2026-10", "--quiet"]);
    assert!(told.contains("2026-10: 9 files") && told.ends_with("[exit 0]\n"), "{told}");
}

#[test]
fn whoever_exports_a_month_before_its_changes_are_known_is_warned() {
    let home = filled();
    assert!(!home.run(&EXPORT).contains("warning"), "they are known");
    let first = home.run(&["export", "--round", "may", "--month", "2026-10", "--quiet"]);
    assert!(!first.contains("warning"), "nothing came before: {first}");
    let url = format!("sqlite:{}", home.path("data/canvass.db").display());
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    runtime.block_on(async {
        let catalog = Catalog::open(&url, OpenOptions::default()).await.unwrap();
        changes::replace(&catalog, "2026-11", None, None, &[]).await.unwrap();
    });
    let told = home.run(&EXPORT);
    let warned: String = told.lines().filter(|line| line.contains("warning")).collect();
    assert_snapshot!(warned, @"! warning: no changes from 2026-10 to 2026-11 are known: unless `canvass changes` was run and found none, run it and export again");
    assert!(told.ends_with("[exit 0]\n"), "{told}");
}
