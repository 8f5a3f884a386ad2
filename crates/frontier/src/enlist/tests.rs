use std::collections::{BTreeMap, HashSet};

use proptest::prelude::*;

use super::*;
use crate::{CompletionFront, queue::host_of, walk_open_targets};

fn enlist(lines: &[(u64, String)]) -> (tempfile::TempDir, Enlisted) {
    let folder = tempfile::tempdir().unwrap();
    let mut enlister = Enlister::create(&folder.path().join("frontier"), folder.path()).unwrap();
    for (line, url) in lines {
        enlister.accept(*line, &format!("k{line}"), url, host_of(url)).unwrap();
    }
    let enlisted = enlister.finish(folder.path(), |_| ()).unwrap();
    (folder, enlisted)
}

fn queued(folder: &tempfile::TempDir) -> Vec<domain::Target> {
    let mut found = Vec::new();
    walk_open_targets(&folder.path().join("frontier"), &CompletionFront::default(), |t| found.push(t))
        .unwrap();
    found
}

#[test]
fn hosts_stand_together_largest_first_and_places_are_dense() {
    let lines: Vec<_> = (1..=60u64).map(|i| (i, format!("https://h{}.example/{i}", i % 7 % 4))).collect();
    let (folder, enlisted) = enlist(&lines);
    assert_eq!((enlisted.lines, enlisted.targets, enlisted.hosts), (60, 60, 4));
    let targets = queued(&folder);
    assert_eq!(targets.iter().map(|t| t.place).collect::<Vec<_>>(), (0..60).collect::<Vec<_>>());
    let mut hosts: Vec<&str> = targets.iter().map(|t| host_of(&t.url)).collect();
    hosts.dedup();
    assert_eq!(hosts.len(), 4, "each host is one run: {hosts:?}");
    assert_eq!(hosts[3], "h3.example", "the smallest comes last");
}

#[test]
fn a_giant_host_is_streamed_and_its_duplicates_found() {
    let url = |i: u64| format!("https://giant.example/a/long/enough/path/to/fill/the/partition/quickly/{i}");
    let lines: Vec<_> = (0..90_000u64).map(|i| (i + 2, url(i % 80_000))).collect();
    let (folder, enlisted) = enlist(&lines);
    assert_eq!((enlisted.targets, enlisted.duplicates, enlisted.hosts), (80_000, 10_000, 1));
    let lines: Vec<u64> = queued(&folder).iter().map(|t| t.line).collect();
    assert_eq!(lines, (2..80_002).collect::<Vec<_>>(), "the first of each stays, in order");
}

#[test]
fn a_part_with_many_hosts_that_is_too_large_is_split() {
    let lines: Vec<_> = (0..120_000u64)
        .map(|i| (i + 1, format!("https://h{}.example/{}", i % 3, "x".repeat(150) + &i.to_string())))
        .collect();
    let (folder, enlisted) = enlist(&lines);
    assert_eq!((enlisted.targets, enlisted.hosts), (120_000, 3));
    let seen: HashSet<u64> = queued(&folder).iter().map(|t| t.line).collect();
    assert_eq!(seen.len(), 120_000);
    let left: Vec<_> = fs::read_dir(folder.path().join("frontier")).unwrap().flatten().collect();
    assert!(left.iter().all(|f| !f.file_name().to_string_lossy().starts_with("part")), "{left:?}");
}

#[test]
fn rejected_lines_are_named_with_their_reason() {
    let folder = tempfile::tempdir().unwrap();
    let mut enlister = Enlister::create(&folder.path().join("frontier"), folder.path()).unwrap();
    enlister.reject(7, "k", "ht!tp://a,b", "bad_host", "not a host").unwrap();
    let enlisted = enlister.finish(folder.path(), |_| ()).unwrap();
    assert_eq!((enlisted.lines, enlisted.rejected, enlisted.targets), (1, 1, 0));
    let text = fs::read_to_string(folder.path().join(REJECTED_FILE)).unwrap();
    assert_eq!(text, "line,website_id,url,reason,detail\n7,k,\"ht!tp://a,b\",bad_host,not a host\n");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn every_line_is_a_target_or_a_named_duplicate(picks in prop::collection::vec((0u32..40, 0u32..12), 0..300)) {
        let lines: Vec<_> = picks
            .iter()
            .zip(1u64..)
            .map(|((host, page), line)| (line, format!("https://h{host}.example/{page}")))
            .collect();
        let (folder, enlisted) = enlist(&lines);
        let mut first: BTreeMap<&str, u64> = BTreeMap::new();
        let mut expected = BTreeMap::new();
        for (line, url) in &lines {
            match first.get(url.as_str()) {
                Some(earlier) => { expected.insert(*line, *earlier); }
                None => { first.insert(url, *line); }
            }
        }
        let mut duplicates = BTreeMap::new();
        let mut rows = csv::Reader::from_path(folder.path().join(DUPLICATES_FILE)).unwrap();
        for row in rows.records() {
            let row = row.unwrap();
            duplicates.insert(row[0].parse::<u64>().unwrap(), row[3].parse::<u64>().unwrap());
        }
        prop_assert_eq!(&duplicates, &expected);
        let targets: BTreeMap<u64, String> = queued(&folder).into_iter().map(|t| (t.line, t.url)).collect();
        let kept: BTreeMap<u64, String> = first.iter().map(|(url, line)| (*line, (*url).to_owned())).collect();
        prop_assert_eq!(targets, kept);
        prop_assert_eq!(enlisted.lines, enlisted.targets + enlisted.rejected + enlisted.duplicates);
    }
}
