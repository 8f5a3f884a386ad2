//! Is what was read of a segment written exactly once, whoever dies and whoever else reads it?

use catalog::{
    Catalog, ErrorKind,
    matches::{self, Batch, MatchRow, PageRow, SegmentId, begin_segment, write_batch},
};

use crate::{
    place::{NOW, Place, sql},
    scene::{MONTH, found, page, write},
};

const SEGMENT: SegmentId<'_> = SegmentId { sha256: "abc", rule_set: 1, round: "r", segment: 7 };

async fn count(catalog: &Catalog, table: &str) -> i64 {
    let done = catalog.run(sql(format!("SELECT count(*) AS n FROM {table}")), []).await.unwrap();
    done.rows[0].int("n").unwrap()
}

/// One page for each record, and three matches on each page but the first.
fn batch(from: i64, to: i64, last: bool) -> Batch {
    let pages: Vec<PageRow> = (from..to).map(|line| page(line, "site")).collect();
    let matches: Vec<MatchRow> =
        (from.max(1)..to).flat_map(|line| (1..=3).map(move |n| found(line, "site", n))).collect();
    Batch { from, to, last, pages, matches }
}

pub async fn the_ledger_and_the_facts_are_one_transaction(place: Place) {
    let catalog = place.migrated().await;
    begin_segment(&catalog, &SEGMENT, NOW).await.unwrap();
    write_batch(&catalog, &SEGMENT, batch(0, 10, false), 4, NOW).await.unwrap();
    // the last match cannot be stored, so nothing of its batch is, not even how far it was read
    let mut bad = batch(10, 20, false);
    bad.matches.last_mut().unwrap().snippet = "a\0b".into();
    let error = write_batch(&catalog, &SEGMENT, bad, 4, NOW).await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Value);
    // and one that only the engine refuses, after the rest of the batch was sent
    let refuse = sql("CREATE UNIQUE INDEX one_of_line_15 ON matches (line) WHERE line = 15");
    catalog.run(refuse, []).await.unwrap();
    let error = write_batch(&catalog, &SEGMENT, batch(10, 20, false), 4, NOW).await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Conflict);
    let progress = begin_segment(&catalog, &SEGMENT, NOW).await.unwrap();
    assert_eq!((progress.records_done, progress.finished), (10, false));
    assert_eq!((count(&catalog, "pages").await, count(&catalog, "matches").await), (10, 27));
}

pub async fn a_batch_is_written_once_however_often_it_is_sent(place: Place) {
    let catalog = place.migrated().await;
    let mut tasks = Vec::new();
    for _ in 0..8 {
        let catalog = place.open().await;
        tasks.push(tokio::spawn(async move {
            begin_segment(&catalog, &SEGMENT, NOW).await.unwrap();
            write_batch(&catalog, &SEGMENT, batch(0, 50, false), 20, NOW).await
        }));
    }
    let mut written = 0;
    for task in tasks {
        match task.await.unwrap() {
            Ok(()) => written += 1,
            Err(error) => {
                assert_eq!(error.kind(), ErrorKind::Conflict, "{error}");
                let begins = "segment 7 of round r is not at record 0 with rule set 1: ";
                assert!(error.to_string().starts_with(begins), "{error}");
            }
        }
    }
    assert_eq!(written, 1);
    let progress = begin_segment(&catalog, &SEGMENT, NOW).await.unwrap();
    assert_eq!((progress.records_done, progress.finished), (50, false));
    write_batch(&catalog, &SEGMENT, batch(50, 60, true), 20, NOW).await.unwrap();
    assert!(begin_segment(&catalog, &SEGMENT, NOW).await.unwrap().finished);
    let more = write_batch(&catalog, &SEGMENT, batch(60, 61, true), 20, NOW).await.unwrap_err();
    assert_eq!(more.kind(), ErrorKind::Conflict, "a finished segment took more");
    assert_eq!((count(&catalog, "pages").await, count(&catalog, "matches").await), (60, 59 * 3));
    let ledger = matches::processed(&catalog, "r").await.unwrap();
    assert_eq!(ledger.len(), 1);
    assert_eq!((ledger[0].records_done, ledger[0].pages, ledger[0].matches), (60, 60, 59 * 3));
    assert_eq!((ledger[0].segment, ledger[0].finished_at), (7, Some(NOW)));
}

pub async fn rows_that_are_there_stay_as_they_are(place: Place) {
    let catalog = place.migrated().await;
    write(&catalog, "r", 1, vec![page(1, "site")], vec![found(1, "site", 1)]).await;
    let other = SegmentId { sha256: "other bytes", ..SEGMENT };
    begin_segment(&catalog, &other, NOW).await.unwrap();
    let again = PageRow { url: "https://other.example/".into(), ..page(1, "site") };
    let seen = MatchRow { snippet: "other".into(), ..found(1, "site", 1) };
    let both = Batch {
        to: 2,
        pages: vec![again, page(2, "site")],
        matches: vec![seen, found(2, "site", 1)],
        ..Batch::default()
    };
    write_batch(&catalog, &other, both, 1_000, NOW).await.unwrap();
    assert_eq!((count(&catalog, "pages").await, count(&catalog, "matches").await), (2, 2));
    let done = catalog.run(sql("SELECT url FROM pages WHERE line = 1"), []).await.unwrap();
    assert_eq!(done.rows[0].text("url").unwrap(), "https://site.example/1");
}

pub async fn another_rule_set_reads_a_segment_anew(place: Place) {
    let catalog = place.migrated().await;
    for rule_set in [1, 2] {
        write(&catalog, "r", rule_set, vec![page(1, "site")], vec![found(1, "site", 1)]).await;
    }
    assert_eq!((count(&catalog, "pages").await, count(&catalog, "matches").await), (1, 2));
    let next = PageRow { month: "2023-12".into(), ..page(2, "site") };
    write(&catalog, "s", 2, vec![page(1, "site"), next], vec![found(1, "site", 1)]).await;
    let months = async |rule_set, round| matches::months(&catalog, rule_set, round).await.unwrap();
    assert_eq!(months(1, None).await, [MONTH]);
    // nothing was matched in the other month, and that is an answer too
    assert_eq!(months(2, None).await, [MONTH, "2023-12"]);
    assert_eq!(months(2, Some("r")).await, [MONTH]);
    assert_eq!(months(3, None).await, [""; 0]);
    assert_eq!(matches::rounds_of_month(&catalog, MONTH).await.unwrap(), ["r", "s"]);
    assert_eq!(matches::rounds_of_month(&catalog, "2023-12").await.unwrap(), ["s"]);
    let ledger = matches::processed(&catalog, "r").await.unwrap();
    assert_eq!(ledger.iter().map(|one| one.rule_set).collect::<Vec<_>>(), [1, 2]);
}
