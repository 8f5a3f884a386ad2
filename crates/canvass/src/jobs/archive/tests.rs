use std::{collections::BTreeSet, fs, path::Path};

use blobs::table::{Cell, TableError, read_parquet};
use catalog::{
    OpenOptions,
    archives::MatchKey,
    matches::{Batch, MatchRow, SegmentId, begin_segment, write_batch},
};

use super::*;

const MONTH: &str = "2026-01";
/// A moment of that month, and one from which it is long past.
const THEN: Moment = Moment(1_768_000_000_000);
const NOW: Moment = Moment(1_795_000_000_000);

/// A catalog with matches of January and February 2026, and an archiver that has its job.
struct Scene {
    data: tempfile::TempDir,
    job: Job,
    archiver: Archiver,
}

/// How many rows of January there are.
const ROWS: i64 = 12_000;

impl Scene {
    async fn new() -> Scene {
        let data = tempfile::tempdir().unwrap();
        let url = format!("sqlite:{}", data.path().join("canvass.db").display());
        let catalog = Catalog::open(&url, OpenOptions::default()).await.unwrap();
        catalog.migrate(THEN).await.unwrap();
        add_matches(&catalog, "r1", 1, MONTH, ROWS).await;
        add_matches(&catalog, "r2", 1, "2026-02", 10).await;
        let clock = Clock::at(NOW);
        let job = Job::start(catalog, clock, "archive", &"r2".parse().unwrap(), &["archive"], json!({}))
            .await
            .unwrap();
        let archiver = Archiver {
            data_dir: data.path().to_owned(),
            patience: Patience::new(job.handle(), &Settings::default().process),
            clock,
            counts: Counts::default(),
            bar: Bar::new("archive", true),
            expected: 0,
        };
        Scene { data, job, archiver }
    }

    fn catalog(&self) -> Catalog {
        self.job.handle().catalog().clone()
    }

    /// The file of January as far as a run gets before it is noted.
    async fn written(&self) -> file::Verified {
        file::make_folder(self.data.path(), MONTH).unwrap();
        file::write(self.data.path(), MONTH, &self.archiver.patience, |_| ()).await.unwrap().unwrap()
    }

    async fn note(&self, written: &file::Verified) {
        let file::Verified { path, rows, bytes: _, sha256 } = written;
        archives::note(&self.catalog(), path, MONTH, *rows as i64, sha256, NOW).await.unwrap();
    }

    /// What is left in the catalog of a month.
    async fn left(&self, month: &str) -> Vec<MatchKey> {
        let rows = archives::read(&self.catalog(), month, None, 1_000_000).await.unwrap();
        rows.into_iter().map(|row| row.key).collect()
    }

    /// Every row of January is in a noted file or in the catalog, exactly once, and every file is noted.
    async fn check_nothing_is_lost_or_doubled(&self, rows: i64) {
        let noted = archives::list(&self.catalog()).await.unwrap();
        let mut keys = self.left(MONTH).await;
        for ArchiveRow { path, row_count, .. } in &noted {
            let found = keys_in(&self.data.path().join(path));
            assert_eq!(found.len() as i64, *row_count);
            keys.extend(found);
        }
        assert_eq!(keys.len() as i64, rows, "doubled or lost");
        assert_eq!(keys.iter().collect::<BTreeSet<_>>().len() as i64, rows, "doubled");
        let files: BTreeSet<String> = fs::read_dir(self.data.path().join(file::FOLDER).join(MONTH))
            .unwrap()
            .map(|entry| format!("{}/{MONTH}/{}", file::FOLDER, entry.unwrap().file_name().to_str().unwrap()))
            .collect();
        assert_eq!(files, noted.into_iter().map(|archive| archive.path).collect());
        assert_eq!(self.left("2026-02").await.len(), 10, "a month that is not asked for stays");
    }
}

async fn add_matches(catalog: &Catalog, round: &str, rule_set: i64, month: &str, rows: i64) {
    let sha256 = format!("hash of {round}");
    let id = SegmentId { sha256: &sha256, rule_set, round, segment: 1 };
    begin_segment(catalog, &id, THEN).await.unwrap();
    let row = |number: i64| MatchRow {
        line: number / 3 + 1,
        fingerprint: number % 3 + 1,
        site: format!("site {}", number / 100),
        month: month.to_owned(),
        found_at: Moment(THEN.0 + number),
        confidence: number % 101,
        position: number,
        snippet: format!("<script>é{number}"),
        version: (number % 2 == 0).then(|| "1.2".to_owned()),
        account: (number % 5 == 0).then(String::new),
        tracker: (number % 7 == 0).then(|| format!("UA-{number}")),
        implied_by: (number % 11 == 0).then_some(number),
    };
    let batch = Batch { from: 0, to: 1, last: true, pages: vec![], matches: (0..rows).map(row).collect() };
    write_batch(catalog, &id, batch, 500, THEN).await.unwrap();
}

fn keys_in(path: &Path) -> Vec<MatchKey> {
    let mut keys = Vec::new();
    read_parquet::<TableError>(path, file::COLUMNS, |row| {
        let [Cell::Text(round), Cell::Int(line), Cell::Int(fingerprint), Cell::Int(rule_set), ..] = row
        else {
            panic!("{row:?}")
        };
        keys.push(MatchKey {
            round: (*round).to_owned(),
            line: *line,
            fingerprint: *fingerprint,
            rule_set: *rule_set,
        });
        Ok(())
    })
    .unwrap();
    keys
}

/// Archives what is older than so many days; January is, and February is not.
const DAYS: u32 = 280;

#[tokio::test]
async fn only_months_that_are_old_from_their_first_day_to_their_last_leave() {
    let scene = Scene::new().await;
    let catalog = scene.catalog();
    let day =
        |text: &str| -> Moment { format!("{text}T12:00:00Z").parse::<jiff::Timestamp>().unwrap().into() };
    for (now, days, months) in [
        ("2026-02-01", 1, vec![]),
        ("2026-02-02", 1, vec!["2026-01"]),
        ("2026-07-30", 180, vec![]),
        ("2026-08-01", 180, vec!["2026-01"]),
        ("2026-08-30", 180, vec!["2026-01", "2026-02"]),
        ("2026-08-30", 36_500, vec![]),
    ] {
        let found = old_months(&catalog, days, day(now)).await.unwrap();
        let found: Vec<&str> = found.iter().map(|(month, _)| month.as_str()).collect();
        assert_eq!(found, months, "{now}, {days} days");
    }
}

#[tokio::test]
async fn a_month_moves_to_a_file_cell_by_cell_and_again_nothing_happens() {
    let mut scene = Scene::new().await;
    let before = archives::read(&scene.catalog(), MONTH, None, 1_000_000).await.unwrap();
    scene.archiver.archive(DAYS).await.unwrap();
    assert_eq!((scene.archiver.counts.files, scene.archiver.counts.removed), (1, ROWS as u64));
    scene.check_nothing_is_lost_or_doubled(ROWS).await;
    let archive = archives::list(&scene.catalog()).await.unwrap().remove(0);
    assert!(archive.removed_at.is_some());
    let mut at = 0;
    read_parquet::<TableError>(&scene.data.path().join(&archive.path), file::COLUMNS, |row| {
        assert_eq!(row, file::cells(&before[at]));
        at += 1;
        Ok(())
    })
    .unwrap();
    scene.archiver.archive(DAYS).await.unwrap();
    assert_eq!(archives::list(&scene.catalog()).await.unwrap(), [archive]);
    scene.check_nothing_is_lost_or_doubled(ROWS).await;
}

#[tokio::test]
async fn a_run_goes_on_from_every_step_at_which_another_may_have_died() {
    for step in 0..5 {
        let mut scene = Scene::new().await;
        let written = scene.written().await;
        let file = scene.data.path().join(&written.path);
        if step >= 1 {
            scene.note(&written).await;
        }
        if step >= 2 {
            file::settle(scene.data.path(), &written.path, MONTH, &written.sha256).await.unwrap();
        }
        if step >= 3 {
            let keys = keys_in(&file);
            let some = if step == 3 { &keys[..ROWS as usize / 2] } else { &keys };
            archives::delete(&scene.catalog(), &written.path, some).await.unwrap();
        }
        scene.archiver.archive(DAYS).await.unwrap();
        scene.check_nothing_is_lost_or_doubled(ROWS).await;
        let noted = archives::list(&scene.catalog()).await.unwrap();
        assert_eq!(noted.len(), 1, "step {step}");
        assert_eq!((&noted[0].path, &noted[0].sha256), (&written.path, &written.sha256), "step {step}");
        assert!(noted[0].removed_at.is_some(), "step {step}");
        assert!(scene.left(MONTH).await.is_empty(), "step {step}");
    }
}

#[tokio::test]
async fn rows_that_come_while_a_file_is_removed_stay_until_they_are_in_one_too() {
    let mut scene = Scene::new().await;
    let written = scene.written().await;
    scene.note(&written).await;
    // the month is read again with other rules: keys between those of the file
    add_matches(&scene.catalog(), "r1", 2, MONTH, 300).await;
    scene.archiver.finish_what_was_begun().await.unwrap();
    assert_eq!(scene.left(MONTH).await.len(), 300);
    scene.check_nothing_is_lost_or_doubled(ROWS + 300).await;
    scene.archiver.archive(DAYS).await.unwrap();
    assert_eq!(archives::list(&scene.catalog()).await.unwrap().len(), 2);
    scene.check_nothing_is_lost_or_doubled(ROWS + 300).await;
}

#[tokio::test]
async fn no_row_leaves_for_a_file_that_is_damaged_or_gone() {
    let mut scene = Scene::new().await;
    let written = scene.written().await;
    scene.note(&written).await;
    file::settle(scene.data.path(), &written.path, MONTH, &written.sha256).await.unwrap();
    let file = scene.data.path().join(&written.path);
    let mut bytes = fs::read(&file).unwrap();
    let middle = bytes.len() / 2;
    bytes[middle] ^= 1;
    fs::write(&file, &bytes).unwrap();
    let error = scene.archiver.archive(DAYS).await.unwrap_err().to_string();
    assert!(error.contains("is not the file whose rows were to leave the catalog"), "{error}");
    fs::remove_file(&file).unwrap();
    let error = scene.archiver.archive(DAYS).await.unwrap_err().to_string();
    assert!(error.contains("cannot be read: restore it"), "{error}");
    assert_eq!(scene.left(MONTH).await.len() as i64, ROWS);
}

#[tokio::test]
async fn a_file_is_done_with_only_when_as_many_keys_were_read_from_it_as_were_noted() {
    let mut scene = Scene::new().await;
    let written = scene.written().await;
    scene.note(&written).await;
    file::settle(scene.data.path(), &written.path, MONTH, &written.sha256).await.unwrap();
    let some = keys_in(&scene.data.path().join(&written.path))[..100].to_vec();
    let panicking = some.clone();
    let dies = Keys::read_by(move |send| {
        send.blocking_send(panicking)?;
        panic!("a defect of the reader")
    });
    let fails = Keys::read_by(|_| bail!("the disk is gone"));
    let ends_early = Keys::read_by(move |send| Ok(send.blocking_send(some)?));
    for (keys, expected) in [
        (dies, "reading an archive panicked"),
        (fails, "the disk is gone"),
        (ends_early, "has 100 rows, and 12000 were noted"),
    ] {
        let removed = scene.archiver.remove_rows(&written.path, MONTH, written.rows, keys).await;
        let error = format!("{:#}", removed.unwrap_err());
        assert!(error.contains(expected), "{error}");
        assert!(archives::list(&scene.catalog()).await.unwrap()[0].removed_at.is_none(), "{expected}");
    }
    scene.archiver.archive(DAYS).await.unwrap();
    scene.check_nothing_is_lost_or_doubled(ROWS).await;
    assert!(scene.left(MONTH).await.is_empty());
}

#[tokio::test]
async fn a_run_that_is_to_stop_leaves_what_the_next_one_finishes() {
    let mut scene = Scene::new().await;
    let written = scene.written().await;
    scene.note(&written).await;
    scene.job.handle().request_stop(crate::jobs::kernel::Stop::Deadline);
    scene.archiver.archive(DAYS).await.unwrap();
    assert_eq!(scene.left(MONTH).await.len() as i64, ROWS);
}
