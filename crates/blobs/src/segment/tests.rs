use std::{fs, path::Path};

use proptest::prelude::*;

use super::*;

type Rows = Vec<(Vec<u8>, Vec<u8>)>;

fn small() -> Limits {
    Limits { max_bytes: 4_000, max_rows: 50, zstd_level: 1 }
}

/// Writes records as one block; compresses some bodies and stores others.
fn write<H: AsRef<[u8]>, B: AsRef<[u8]>>(log: &mut SegmentLog, records: &[(H, B)]) -> Position {
    let mut batch = Batch::default();
    for (head, body) in records {
        let body = body.as_ref();
        let packing = if body.len().is_multiple_of(2) { Packing::Store } else { Packing::Compress };
        batch.push(|buffer| buffer.extend_from_slice(head.as_ref()), body, packing).unwrap();
    }
    log.write(&mut batch).unwrap()
}

fn reopen(folder: &Path, limits: Limits) -> (SegmentLog, Rows) {
    let mut seen = Vec::new();
    let log = SegmentLog::open(folder, limits, Position::default(), |record| {
        seen.push((record.head.to_vec(), record.body.to_vec()));
    })
    .unwrap();
    (log, seen)
}

fn records(count: usize) -> Rows {
    (0..count).map(|i| (format!("head {i}").into_bytes(), vec![i as u8; i * 7 % 501])).collect()
}

#[test]
fn what_was_committed_is_read_back_in_order_over_many_segments() {
    let folder = tempfile::tempdir().unwrap();
    let written = records(400);
    let (mut log, _) = reopen(folder.path(), small());
    for chunk in written.chunks(3) {
        write(&mut log, chunk);
    }
    log.close().unwrap();
    let segments = list(folder.path()).unwrap();
    assert!(segments.len() > 4 && segments.iter().all(|s| s.closed), "{segments:?}");
    let (_, seen) = reopen(folder.path(), small());
    assert_eq!(seen, written);
    for segment in segments {
        verify_hash(&segment.path).unwrap();
    }
}

#[test]
fn a_folder_has_one_log_at_a_time() {
    let folder = tempfile::tempdir().unwrap();
    let (log, _) = reopen(folder.path(), Limits::default());
    let second = SegmentLog::open(folder.path(), Limits::default(), Position::default(), |_| ()).err();
    assert!(matches!(second, Some(SegmentError::InUse { .. })), "{second:?}");
    drop(log);
    reopen(folder.path(), Limits::default());
}

#[test]
fn a_closed_segment_is_an_ordinary_zstd_file() {
    let folder = tempfile::tempdir().unwrap();
    let (mut log, _) = reopen(folder.path(), Limits::default());
    write(&mut log, &[(b"head", b"body")]);
    write(&mut log, &[(b"more", b"")]);
    log.close().unwrap();
    let file = fs::read(closed_path(folder.path(), 1)).unwrap();
    let plain = zstd::stream::decode_all(&file[..]).unwrap();
    assert!(plain.windows(4).any(|w| w == b"more") && plain.windows(4).any(|w| w == b"body"));
}

#[test]
fn a_log_cut_at_any_byte_keeps_exactly_its_whole_blocks() {
    let folder = tempfile::tempdir().unwrap();
    let (mut log, _) = reopen(folder.path(), Limits::default());
    let written = records(12);
    let mut ends = vec![0];
    for chunk in written.chunks(2) {
        ends.push(write(&mut log, chunk).offset);
    }
    drop(log);
    let whole = fs::read(open_path(folder.path(), 1)).unwrap();
    for cut in 0..=whole.len() {
        let copy = tempfile::tempdir().unwrap();
        fs::write(open_path(copy.path(), 1), &whole[..cut]).unwrap();
        let (mut log, seen) = reopen(copy.path(), Limits::default());
        let blocks = ends.iter().filter(|end| **end <= cut as u64).count() - 1;
        assert_eq!(seen, written[..blocks * 2], "cut at {cut}");
        write(&mut log, &[(b"after", b"the crash")]);
        log.close().unwrap();
        let (_, seen) = reopen(copy.path(), Limits::default());
        assert_eq!(seen.len(), blocks * 2 + 1);
        verify_hash(&closed_path(copy.path(), 1)).unwrap();
    }
}

#[test]
fn only_what_is_past_the_checkpoint_is_replayed() {
    let folder = tempfile::tempdir().unwrap();
    let (mut log, _) = reopen(folder.path(), small());
    let written = records(200);
    write(&mut log, &written[..120]);
    let checkpoint = log.sync().unwrap();
    write(&mut log, &written[120..]);
    drop(log);
    let mut seen = 0;
    SegmentLog::open(folder.path(), small(), checkpoint, |_| seen += 1).unwrap();
    assert_eq!(seen, 80);
}

#[test]
fn damage_before_the_checkpoint_is_an_error_and_never_a_silent_loss() {
    let folder = tempfile::tempdir().unwrap();
    let (mut log, _) = reopen(folder.path(), Limits::default());
    write(&mut log, &records(40));
    let checkpoint = log.sync().unwrap();
    drop(log);
    let path = open_path(folder.path(), 1);
    fs::write(&path, &fs::read(&path).unwrap()[..20]).unwrap();
    let error = SegmentLog::open(folder.path(), Limits::default(), checkpoint, |_| ()).err().unwrap();
    assert!(matches!(error, SegmentError::Damaged { .. }), "{error}");
    assert!(error.to_string().contains("segment-000001.open"), "{error}");
}

#[test]
fn a_changed_byte_before_the_checkpoint_is_an_error_and_is_not_sealed_with_a_hash() {
    let folder = tempfile::tempdir().unwrap();
    let (mut log, _) = reopen(folder.path(), Limits::default());
    for chunk in records(40).chunks(8) {
        write(&mut log, chunk);
    }
    let checkpoint = log.sync().unwrap();
    drop(log);
    let path = open_path(folder.path(), 1);
    let good = fs::read(&path).unwrap();
    for at in (0..good.len()).step_by(7) {
        let mut bad = good.clone();
        bad[at] ^= 0x40;
        fs::write(&path, &bad).unwrap();
        let error = SegmentLog::open(folder.path(), Limits::default(), checkpoint, |_| ()).err();
        assert!(matches!(error, Some(SegmentError::Damaged { .. })), "byte {at}: {error:?}");
        assert_eq!(fs::read(&path).unwrap(), bad, "nothing is cut off");
    }
}

#[test]
fn a_changed_byte_in_a_closed_segment_is_noticed() {
    let folder = tempfile::tempdir().unwrap();
    let (mut log, _) = reopen(folder.path(), Limits::default());
    write(&mut log, &[(b"head", &[7; 300])]);
    log.close().unwrap();
    let path = closed_path(folder.path(), 1);
    let good = fs::read(&path).unwrap();
    for at in 0..good.len() {
        let mut bad = good.clone();
        bad[at] ^= 0x40;
        fs::write(&path, &bad).unwrap();
        assert!(matches!(verify_hash(&path), Err(SegmentError::WrongHash { .. })));
    }
}

#[test]
fn a_crash_between_the_hash_and_the_rename_is_mended_on_the_next_start() {
    let folder = tempfile::tempdir().unwrap();
    let (mut log, _) = reopen(folder.path(), Limits::default());
    write(&mut log, &[(b"head", b"body")]);
    drop(log);
    fs::write(hash_path(folder.path(), 1), "0000  segment-000001.zst\n").unwrap();
    let (mut log, seen) = reopen(folder.path(), Limits::default());
    assert_eq!(seen.len(), 1);
    write(&mut log, &[(b"two", b"")]);
    log.close().unwrap();
    verify_hash(&closed_path(folder.path(), 1)).unwrap();
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn any_records_in_any_batches_survive(
        rows in prop::collection::vec((prop::collection::vec(any::<u8>(), 0..40), prop::collection::vec(any::<u8>(), 0..900)), 0..60),
        batch in 1usize..9,
    ) {
        let folder = tempfile::tempdir().unwrap();
        let (mut log, _) = reopen(folder.path(), small());
        for chunk in rows.chunks(batch) {
            write(&mut log, chunk);
        }
        drop(log);
        let (_, seen) = reopen(folder.path(), small());
        prop_assert_eq!(seen, rows);
    }

    #[test]
    fn random_bytes_are_never_a_panic(bytes in prop::collection::vec(any::<u8>(), 0..2_000)) {
        let folder = tempfile::tempdir().unwrap();
        fs::write(open_path(folder.path(), 1), &bytes).unwrap();
        let _ = SegmentLog::open(folder.path(), small(), Position::default(), |_| ());
    }
}
