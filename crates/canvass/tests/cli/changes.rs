//! Is what changed told as it was, whatever failed on the way? Rounds written by hand, read by the program.

use blobs::segment::{Batch, Limits, Packing};
use canvass::round::{Books, RoundFolder};
use catalog::{
    Catalog, OpenOptions,
    changes::{self, ChangeRow, DualRow},
};
use domain::{
    Capture, Completion, Disposition, Exclusion, Failure, FailureKind, FetchedWith, Moment, Target,
};
use insta::assert_snapshot;

use crate::program::{Home, assert_fits};

const PACK: &str = "
category: live-chat
title: Live chat
about: Lets visitors write to people in a chat window.
exclusive: true
signals:
  - name: Alpha
    vendor: Alpha Inc.
    website: https://alpha.example/
    fingerprints:
      - id: alpha-script
        in: script
        text: cdn.alpha.example/chat.js
        example: '<script src=\"https://cdn.alpha.example/chat.js\"></script>'
";
const BETA: &str = "
  - name: Beta
    vendor: Beta Ltd.
    website: https://beta.example/
    fingerprints:
      - id: beta-script
        in: script
        text: cdn.beta.example/talk.js
        example: '<script src=\"https://cdn.beta.example/talk.js\"></script>'
";
const ACCOUNTS: &str =
    "account_id,name,website_id\nA1,First Church,added\nA2,Two Sites,pair-1\nA2,Two Sites,pair-2\n";

/// How a page ended, and which chats it shows.
#[derive(Clone, Copy)]
enum Page {
    Shows(&'static [&'static str]),
    Fails,
    Forbidden,
}

use Page::{Fails, Forbidden, Shows};

/// The site, the path of the page, and the page in September, October and November.
type Line = (&'static str, &'static str, [Page; 3]);

const NONE: &[&str] = &[];
const ALPHA: &[&str] = &["cdn.alpha.example/chat.js"];
const BOTH: &[&str] = &["cdn.alpha.example/chat.js", "cdn.beta.example/talk.js"];
const ONLY_BETA: &[&str] = &["cdn.beta.example/talk.js"];

const WORLD: &[Line] = &[
    ("added", "", [Shows(ALPHA), Shows(ALPHA), Shows(BOTH)]),
    ("all-along", "", [Shows(BOTH), Shows(BOTH), Shows(BOTH)]),
    ("failed-before", "", [Shows(ALPHA), Shows(ALPHA), Shows(ALPHA)]),
    ("failed-before", "contact", [Fails, Fails, Shows(ONLY_BETA)]),
    ("failed-now", "", [Shows(BOTH), Shows(BOTH), Fails]),
    ("forbidden-now", "", [Shows(ALPHA), Shows(ALPHA), Forbidden]),
    ("gap", "", [Shows(ALPHA), Fails, Shows(ALPHA)]),
    ("never-before", "", [Fails, Fails, Shows(BOTH)]),
    ("pair-1", "", [Shows(ALPHA), Shows(ALPHA), Shows(ALPHA)]),
    ("pair-2", "", [Shows(NONE), Shows(NONE), Shows(ONLY_BETA)]),
    ("switched", "", [Shows(ALPHA), Shows(ALPHA), Shows(ONLY_BETA)]),
];

const MONTHS: [(&str, &str); 3] =
    [("sep", "2026-09-05T12:00:00Z"), ("oct", "2026-10-05T12:00:00Z"), ("nov", "2026-11-05T12:00:00Z")];

fn folder_of(home: &Home, month: usize) -> RoundFolder {
    RoundFolder::new(&home.path("data"), MONTHS[month].0.parse().unwrap())
}

/// Writes the round of a month as a crawl would have: every page ends at noon on the fifth.
fn write_round(home: &Home, month: usize) {
    let folder = folder_of(home, month);
    let ended_at: Moment = MONTHS[month].1.parse::<jiff::Timestamp>().unwrap().into();
    folder.begin("list.csv", ended_at).unwrap();
    let mut books = Books::open(&folder, Limits::default()).unwrap();
    let mut batch = Batch::default();
    let mut completions = Vec::new();
    for (place, (site, path, pages)) in (0..).zip(WORLD) {
        let url = format!("https://{site}.example/{path}");
        let target = Target { place, line: place + 2, key: (*site).to_owned(), url: url.clone() };
        let (disposition, body) = match pages[month] {
            Shows(scripts) => (Disposition::Captured, page_with(scripts)),
            Fails => {
                let failure = Failure::new(FailureKind::ConnectTimeout, "");
                (Disposition::Failed(failure), String::new())
            }
            Forbidden => (Disposition::Excluded { reason: Exclusion::Robots }, String::new()),
        };
        let capture = (disposition == Disposition::Captured).then(|| capture(&url, body.len(), ended_at));
        let completion = Completion { target, disposition, requests: 1, ended_at, capture };
        let head = serde_json::to_vec(&completion).unwrap();
        batch.push(|buffer| buffer.extend_from_slice(&head), body.as_bytes(), Packing::Compress).unwrap();
        completions.push((completion, body.len() as u64));
    }
    books.write(&mut batch, completions.iter().map(|(completion, bytes)| (completion, *bytes))).unwrap();
    books.close().unwrap();
}

fn page_with(scripts: &[&str]) -> String {
    let scripts: String =
        scripts.iter().map(|address| format!("<script src=\"https://{address}\"></script>")).collect();
    format!("<!doctype html><html><head>{scripts}</head><body>A page.</body></html>")
}

fn capture(url: &str, bytes: usize, fetched_at: Moment) -> Capture {
    Capture {
        final_url: url.to_owned(),
        redirects: Vec::new(),
        status: 200,
        http_version: "HTTP/1.1".to_owned(),
        headers: vec![("content-type".to_owned(), "text/html".to_owned())],
        body_encoding: "identity".to_owned(),
        decoded_bytes: bytes as u64,
        truncated: false,
        charset: "UTF-8".to_owned(),
        robots: None,
        fetched_with: FetchedWith::Http,
        fetched_at,
        remote_address: "192.0.2.1:443".to_owned(),
        timings: domain::Timings::default(),
    }
}

/// A command that must end well.
fn done(home: &Home, arguments: &[&str]) -> String {
    let told = home.run(arguments);
    assert!(told.ends_with("[exit 0]\n"), "{arguments:?}\n{told}");
    told
}

fn load_pack(home: &Home, pack: &str) {
    home.write("chat.yaml", pack);
    done(home, &["fingerprints", "load", "chat.yaml"]);
}

/// A home in which the rounds of these months were processed and aggregated with both chats in the rules.
fn home_with(months: std::ops::Range<usize>) -> Home {
    let home = Home::begun();
    load_pack(&home, &format!("{PACK}{}", &BETA[1..]));
    home.write("accounts.csv", ACCOUNTS);
    done(&home, &["accounts", "load", "accounts.csv"]);
    for month in months {
        write_round(&home, month);
    }
    done(&home, &["process", "--quiet"]);
    done(&home, &["aggregate", "--all"]);
    home
}

/// All changes of November as `site signal kind certainty`, with the rows themselves.
fn changes_of(home: &Home) -> (Vec<String>, Vec<ChangeRow>) {
    let found = with_catalog(home, async |catalog| {
        changes::list_changes(&catalog, "2026-11", None, 1_000).await.unwrap()
    });
    let told = found.iter().map(|row| {
        let ChangeRow { site, kind, certainty, .. } = &row.change;
        format!("{site} {} {kind} {certainty}", row.signal)
    });
    (told.collect(), found.iter().map(|row| row.change.clone()).collect())
}

fn duals_of(home: &Home) -> Vec<DualRow> {
    with_catalog(home, async |catalog| {
        let found = changes::list_dual_vendors(&catalog, "2026-11", None, 1_000).await.unwrap();
        found.into_iter().map(|row| row.dual).collect()
    })
}

fn with_catalog<T>(home: &Home, work: impl AsyncFnOnce(Catalog) -> T) -> T {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    runtime.block_on(async {
        let file = home.path("data/canvass.db");
        let catalog = Catalog::open(file.to_str().unwrap(), OpenOptions::default()).await.unwrap();
        work(catalog).await
    })
}

#[test]
fn every_site_is_compared_with_the_last_month_in_which_it_was_covered() {
    let home = home_with(0..3);
    let summary = done(&home, &["changes", "--quiet"]);
    assert_fits(&summary);
    assert_snapshot!(summary, @"
    2026-11, read with rule set 1: done
      sites                10, 2 of them not captured, 1 for the first time
      kept                  6
      added                 3  certain 3, likely 0
      dropped               1  certain 1, likely 0
      unknown               6

    Second vendors where one is the rule: 5, of which 2 are new

      First Church (A1)
        Live chat: added this month
        first  Alpha                                    since 2026-09-05
               https://added.example/
               alpha-script: cdn.alpha.example/chat.js
        second Beta                                     since 2026-11-05
               https://added.example/
               beta-script: cdn.beta.example/talk.js

      Two Sites (A2)
        Live chat: added this month
        first  Alpha                                    since 2026-09-05
               https://pair-1.example/
               alpha-script: cdn.alpha.example/chat.js
        second Beta                                     since 2026-11-05
               https://pair-2.example/
               beta-script: cdn.beta.example/talk.js

      site:all-along
        Live chat: both were there before
        first  Alpha                                    since 2026-09-05
               https://all-along.example/
               alpha-script: cdn.alpha.example/chat.js
        second Beta                                     since 2026-09-05
               https://all-along.example/
               beta-script: cdn.beta.example/talk.js

      site:failed-before
        Live chat: who was first is unknown
        first  Alpha                                    since 2026-09-05
               https://failed-before.example/
               alpha-script: cdn.alpha.example/chat.js
        second Beta                                     since 2026-11-05
               https://failed-before.example/contact
               beta-script: cdn.beta.example/talk.js

      site:never-before
        Live chat: who was first is unknown
        first  Alpha                                    since 2026-11-05
               https://never-before.example/
               alpha-script: cdn.alpha.example/chat.js
        second Beta                                     since 2026-11-05
               https://never-before.example/
               beta-script: cdn.beta.example/talk.js
    [exit 0]
    ");
    let (told, rows) = changes_of(&home);
    assert_snapshot!(told.join("\n"), @"
    added Alpha kept certain
    added Beta added certain
    all-along Alpha kept certain
    all-along Beta kept certain
    failed-before Alpha kept certain
    failed-before Beta unknown unknown
    failed-now Alpha unknown unknown
    failed-now Beta unknown unknown
    forbidden-now Alpha unknown unknown
    gap Alpha kept certain
    never-before Alpha unknown unknown
    never-before Beta unknown unknown
    pair-1 Alpha kept certain
    pair-2 Beta added certain
    switched Alpha dropped certain
    switched Beta added certain
    ");
    let of = |site: &str| rows.iter().find(|row| row.site == site).unwrap();
    assert_eq!(of("gap").previous.as_deref(), Some("2026-09"));
    assert_eq!(of("gap").since.unwrap().to_string(), "2026-09-05T12:00:00.000Z");
    assert_eq!(of("added").previous.as_deref(), Some("2026-10"));
    assert_eq!(of("never-before").previous, None);
    assert_eq!(of("never-before").reason, "no earlier look");
    assert_eq!(of("forbidden-now").reason, "no page that showed it was captured this month (robots 1)");
}

#[test]
fn second_vendors_are_listed_with_their_evidence() {
    let home = home_with(0..3);
    let report = home.json(&["changes", "--quiet", "--json"]);
    assert_eq!(report["month"], "2026-11");
    assert_eq!(report["counts"]["dual_vendors"], 5);
    assert_eq!(report["counts"]["new_dual_vendors"], 2);
    let listed = home.json(&["changes", "--dual", "--json"]);
    assert_eq!(listed["dual_vendors"], report["dual_vendors"]);
    let first = &listed["dual_vendors"][0];
    assert_eq!((&first["account"], &first["account_name"]), (&"A1".into(), &"First Church".into()));
    assert_eq!((&first["is_new"], &first["certainty"]), (&true.into(), &"certain".into()));
    assert_eq!(first["first"]["signal"], "Alpha");
    assert_eq!(first["first"]["since"], "2026-09-05T12:00:00.000Z");
    assert_eq!(first["second"]["evidence"]["url"], "https://added.example/");
    assert_eq!(first["second"]["evidence"]["fingerprint"], "beta-script");
    let list = done(&home, &["changes", "--dual"]);
    assert_fits(&list);
    assert!(list.ends_with("2026-11: 5 second vendors\n[exit 0]\n"), "{list}");
}

#[test]
fn comparing_again_changes_nothing_and_removes_what_is_no_more() {
    let home = home_with(0..3);
    done(&home, &["changes", "--quiet"]);
    let (before, duals) = (changes_of(&home).1, duals_of(&home));
    with_catalog(&home, async |catalog| {
        for site in ["a-site-that-vanished", "zz-another"] {
            let stale = ChangeRow { site: site.to_owned(), ..before[0].clone() };
            changes::replace(&catalog, "2026-11", Some(site), Some(&format!("{site}!")), &[]).await.unwrap();
            let under = site[..site.len() - 1].to_owned();
            changes::replace(&catalog, "2026-11", Some(&under), Some(site), &[stale]).await.unwrap();
        }
        let stale = DualRow { account: "Z9".to_owned(), ..duals[0].clone() };
        changes::replace_dual_vendors(&catalog, "2026-11", Some("Z"), Some("Z9"), &[stale]).await.unwrap();
    });
    assert_eq!(changes_of(&home).1.len(), before.len() + 2);
    done(&home, &["changes", "--quiet"]);
    assert_eq!((changes_of(&home).1, duals_of(&home)), (before, duals));
}

#[test]
fn a_changed_rule_is_not_a_changed_site() {
    let home = Home::begun();
    load_pack(&home, PACK);
    for month in 0..2 {
        write_round(&home, month);
    }
    done(&home, &["process", "--quiet"]);
    done(&home, &["aggregate", "--all"]);
    load_pack(&home, &format!("{PACK}{}", &BETA[1..]));
    write_round(&home, 2);
    done(&home, &["process", "--quiet"]);
    done(&home, &["aggregate"]);
    done(&home, &["changes", "--quiet"]);
    let (with_new_rules, _) = changes_of(&home);
    let known_before = home_with(0..3);
    done(&known_before, &["changes", "--quiet"]);
    assert_eq!(with_new_rules, changes_of(&known_before).0);
}

#[test]
fn where_the_segments_are_gone_a_changed_rule_leaves_it_unknown() {
    let home = Home::begun();
    load_pack(&home, PACK);
    write_round(&home, 1);
    done(&home, &["process", "--quiet"]);
    done(&home, &["aggregate"]);
    for file in std::fs::read_dir(folder_of(&home, 1).segments()).unwrap() {
        std::fs::remove_file(file.unwrap().path()).unwrap();
    }
    load_pack(&home, &format!("{PACK}{}", &BETA[1..]));
    write_round(&home, 2);
    done(&home, &["process", "--quiet"]);
    done(&home, &["aggregate"]);
    done(&home, &["changes", "--quiet"]);
    let (told, rows) = changes_of(&home);
    assert!(told.contains(&"added Alpha kept likely".to_owned()), "{told:?}");
    assert!(told.contains(&"switched Alpha dropped likely".to_owned()), "{told:?}");
    assert!(told.contains(&"all-along Beta unknown unknown".to_owned()), "{told:?}");
    let reason = "rules changed since and the segments are gone";
    assert!(rows[0].reason.ends_with(reason), "{}", rows[0].reason);
    assert!(duals_of(&home).iter().all(|dual| !dual.is_new));
}

#[test]
fn a_month_whose_matches_are_archived_is_compared_by_its_findings() {
    let home = home_with(0..3);
    done(&home, &["changes", "--quiet"]);
    let (whole, _) = changes_of(&home);
    let then = ["--now", "2026-11-20T00:00:00Z", "--quiet"];
    done(&home, &[&["archive", "--older-than-days", "15"], &then[..]].concat());
    done(&home, &["changes", "--quiet"]);
    let (told, rows) = changes_of(&home);
    let as_likely: Vec<String> = whole.iter().map(|row| row.replace(" certain", " likely")).collect();
    assert_eq!(told, as_likely);
    let reason = "seen in both months; the matches of one month are archived";
    assert!(rows.iter().any(|row| row.site == "gap" && row.reason == reason), "{rows:?}");
}

#[test]
fn what_is_missing_is_said_with_what_to_do() {
    let home = Home::begun();
    assert_snapshot!(home.run(&["changes"]), @"
    ! error: there are no findings yet: run `canvass process`, then `canvass aggregate`
    [exit 2]
    ");
    let home = home_with(2..3);
    assert_snapshot!(home.run(&["changes", "--month", "2026-10"]), @"
    ! error: there are no findings of 2026-10, but of 2026-11
    [exit 2]
    ");
    assert_snapshot!(home.run(&["changes", "--month", "10-2026"]), @"
    ! error: invalid value '10-2026' for '--month <YYYY-MM>': `10-2026` is not a month: write it as 2026-11
    !
    ! For more information, try '--help'.
    [exit 2]
    ");
    assert_snapshot!(home.run(&["changes", "--dual"]), @"
    2026-11: no account uses a second vendor, or nothing was compared yet
    [exit 0]
    ");
}
