use std::{path::Path, sync::Arc};

use blobs::segment::{Limits, Packing, Position, SegmentLog};
use domain::{Capture, Completion, Disposition, Failure, FailureKind, FetchedWith, Moment, Target, Timings};
use readers::technologies::{
    Extract, ExtractKind, Fingerprint, Implied, Part, Pattern, RuleSet, Scratch, Signal,
};

use super::{facts::facts_of, reading::Reading};
use crate::rules::ActiveRules;

fn signal(name: &str, implies: &[&str]) -> Signal {
    Signal {
        name: name.into(),
        vendor: name.into(),
        family: name.into(),
        category: "c".into(),
        website: String::new(),
        implies: implies.iter().map(|one| Implied { signal: (*one).into(), confidence: 90 }).collect(),
        requires: Vec::new(),
        requires_category: Vec::new(),
        excludes: Vec::new(),
    }
}

fn fingerprint(id: &str, signal: &str, part: Part, pattern: &str, version: bool) -> Fingerprint {
    let extract = Extract { kind: ExtractKind::Version, regex: None, template: r"\1".into() };
    Fingerprint {
        id: id.into(),
        signal: signal.into(),
        part,
        pattern: Pattern::Regex(pattern.into()),
        extracts: if version { vec![extract] } else { Vec::new() },
        confidence: 100,
    }
}

/// WordPress (10) by its generator (1) or its robots.txt (2); it brings PHP (11), which stands for itself as 3.
fn rules() -> Arc<ActiveRules> {
    let fingerprints = vec![
        fingerprint("wp-meta", "WordPress", Part::Meta("generator".into()), r"WordPress ?([\d.]+)?", true),
        fingerprint("wp-robots", "WordPress", Part::Robots, "Disallow: /wp-admin/", false),
    ];
    let (set, refused) = RuleSet::new(vec![signal("WordPress", &["PHP"]), signal("PHP", &[])], fingerprints);
    assert!(refused.is_empty(), "{refused:?}");
    Arc::new(ActiveRules {
        version: 7,
        digest: String::new(),
        set,
        fingerprint_ids: vec![1, 2],
        fingerprint_versions: vec![1, 1],
        signal_ids: vec![10, 11],
        implied_ids: vec![None, Some(3)],
    })
}

fn completion(line: u64, disposition: Disposition, capture: Option<Capture>) -> Completion {
    let target =
        Target { place: line, line, key: format!("site-{line}"), url: format!("https://{line}.example/") };
    // 30 November 2026, a second before midnight UTC
    let ended_at = Moment(1_796_083_199_000);
    Completion { target, disposition, requests: 1, ended_at, capture }
}

fn capture(charset: &str, robots: Option<&str>) -> Capture {
    Capture {
        final_url: "https://www.example/".into(),
        redirects: Vec::new(),
        status: 200,
        http_version: "HTTP/1.1".into(),
        headers: Vec::new(),
        body_encoding: "identity".into(),
        decoded_bytes: 1 << 20,
        truncated: false,
        charset: charset.into(),
        robots: robots.map(Into::into),
        fetched_with: FetchedWith::Http,
        fetched_at: Moment(0),
        remote_address: "192.0.2.1:443".into(),
        timings: Timings::default(),
    }
}

const PAGE: &str = r#"<html><head><meta name="generator" content="WordPress 6.4.2"></head></html>"#;

fn read(completion: &Completion, body: &[u8]) -> super::facts::Facts {
    let head = serde_json::to_vec(completion).unwrap();
    facts_of(&head, body, &rules(), &mut Scratch::default()).unwrap()
}

#[test]
fn what_a_page_shows_and_what_that_brings_along_are_matches() {
    let facts = read(&completion(5, Disposition::Captured, Some(capture("UTF-8", None))), PAGE.as_bytes());
    assert_eq!((facts.page.line, facts.page.site.as_str(), facts.page.status), (5, "site-5", Some(200)));
    assert_eq!(facts.page.month, "2026-11");
    let [seen, implied] = &facts.matches[..] else { panic!("{:?}", facts.matches) };
    assert_eq!((seen.fingerprint, seen.version.as_deref(), seen.implied_by), (1, Some("6.4.2"), None));
    assert_eq!(&PAGE[seen.position as usize..][..9], "WordPress");
    assert_eq!((implied.fingerprint, implied.implied_by), (3, Some(10)));
}

#[test]
fn a_robots_txt_that_a_capture_carries_is_read() {
    let robots = "User-agent: *\nDisallow: /wp-admin/\n";
    let facts = read(&completion(1, Disposition::Captured, Some(capture("UTF-8", Some(robots)))), b"");
    assert_eq!(facts.matches.iter().map(|one| one.fingerprint).collect::<Vec<_>>(), [2, 3]);
}

#[test]
fn a_page_in_utf_16_is_read_as_text() {
    let body: Vec<u8> = PAGE.encode_utf16().flat_map(u16::to_le_bytes).collect();
    let facts = read(&completion(1, Disposition::Captured, Some(capture("UTF-16LE", None))), &body);
    assert_eq!(facts.matches.len(), 2);
}

#[test]
fn a_nul_in_what_a_page_says_becomes_storable() {
    let page = "<meta name=generator content=\"WordPress \0\">";
    let mut hostile = completion(1, Disposition::Captured, Some(capture("UTF-8", None)));
    hostile.target.key = "a\0b".into();
    let facts = read(&hostile, page.as_bytes());
    assert_eq!(facts.page.site, "a\u{fffd}b");
    assert!(facts.matches.iter().all(|one| !one.snippet.contains('\0') && !one.site.contains('\0')));
}

#[test]
fn a_page_that_was_cut_is_known_to_be_read_in_part() {
    let mut cut = completion(1, Disposition::Captured, Some(capture("UTF-8", None)));
    assert_eq!(read(&cut, PAGE.as_bytes()).page.detail, "captured");
    cut.capture.as_mut().unwrap().truncated = true;
    let facts = read(&cut, PAGE.as_bytes());
    assert_eq!(
        (facts.page.disposition.as_str(), facts.page.detail.as_str()),
        ("captured", super::PARTLY_READ)
    );
    assert_eq!(facts.matches.len(), 2);
}

#[test]
fn a_target_that_failed_is_a_page_without_matches() {
    let failed = Disposition::Failed(Failure::by_status(FailureKind::HttpStatus, 404));
    let facts = read(&completion(9, failed, None), b"");
    assert_eq!((facts.page.disposition.as_str(), facts.page.detail.as_str()), ("failed", "http_status"));
    assert_eq!((facts.page.status, facts.matches.len()), (Some(404), 0));
}

#[test]
fn a_record_that_is_none_names_what_is_wrong() {
    let error = facts_of(b"{}", b"", &rules(), &mut Scratch::default()).unwrap_err();
    assert!(format!("{error:#}").starts_with("a record is not a completion: "), "{error:#}");
    let mut odd = completion(3, Disposition::Captured, Some(capture("UTF-8", None)));
    odd.capture.as_mut().unwrap().body_encoding = "lzma".into();
    let head = serde_json::to_vec(&odd).unwrap();
    let error = facts_of(&head, b"", &rules(), &mut Scratch::default()).unwrap_err();
    assert!(
        format!("{error:#}").starts_with("line 3 (https://3.example/): `lzma` is no encoding"),
        "{error:#}"
    );
}

fn write_segment(folder: &Path, records: u64) -> std::path::PathBuf {
    let mut log = SegmentLog::open(folder, Limits::default(), Position::default(), |_| {}).unwrap();
    let mut batch = blobs::segment::Batch::default();
    for line in 0..records {
        let one = completion(line, Disposition::Captured, Some(capture("UTF-8", None)));
        let head = |buffer: &mut Vec<u8>| serde_json::to_writer(buffer, &one).unwrap();
        batch.push(head, PAGE.as_bytes(), Packing::Compress).unwrap();
    }
    log.write(&mut batch).unwrap();
    log.close().unwrap();
    blobs::segment::list(folder).unwrap().remove(0).path
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn records_come_in_order_whatever_the_number_of_threads_and_from_wherever_one_begins() {
    let home = tempfile::tempdir().unwrap();
    let path = write_segment(home.path(), 1_000);
    for (threads, from) in [(1, 0), (4, 0), (4, 1), (3, 33), (2, 999), (2, 1_000)] {
        let mut reading = Reading::start(&path, from, &rules(), threads).unwrap();
        let mut lines = Vec::new();
        while let Some(chunk) = reading.next().await.unwrap() {
            lines.extend(chunk.facts.iter().map(|facts| facts.page.line as u64));
        }
        assert_eq!(lines, (from..1_000).collect::<Vec<_>>(), "{threads} threads from {from}");
    }
}

#[tokio::test]
async fn a_ledger_that_claims_more_than_the_segment_has_is_an_error() {
    let home = tempfile::tempdir().unwrap();
    let path = write_segment(home.path(), 3);
    assert!(Reading::start(&path, 4, &rules(), 2).is_err());
}

#[tokio::test]
async fn a_reading_that_is_dropped_ends_its_threads() {
    let home = tempfile::tempdir().unwrap();
    let path = write_segment(home.path(), 1_000);
    let rules = rules();
    let mut reading = Reading::start(&path, 0, &rules, 4).unwrap();
    reading.next().await.unwrap();
    drop(reading);
    // each thread holds the rules until it ends
    for _ in 0..500 {
        if Arc::strong_count(&rules) == 1 {
            return;
        }
        tokio::time::sleep(std::time::Duration::from_millis(10)).await;
    }
    panic!("{} threads are still there", Arc::strong_count(&rules) - 1);
}
