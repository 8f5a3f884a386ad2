//! Do match rows leave the catalog only when they are noted elsewhere, and only those?

use catalog::{
    Catalog, ErrorKind,
    archives::{self, MatchKey, OldMatch},
    matches::{MatchRow, PageRow},
};

use crate::{
    place::{NOW, Place},
    scene::{MONTH, found, page, write},
};

const PATH: &str = "archive/matches/2023-11/1.parquet";

async fn read_all(catalog: &Catalog, month: &str, limit: i64) -> Vec<OldMatch> {
    let mut rows: Vec<OldMatch> = Vec::new();
    loop {
        let some = archives::read(catalog, month, rows.last().map(|row| &row.key), limit).await.unwrap();
        if some.is_empty() {
            return rows;
        }
        assert!(some.len() as i64 <= limit);
        rows.extend(some);
    }
}

/// Two rounds of a month and one of the next, with all cells filled in some rows.
async fn fill(catalog: &Catalog) {
    for round in ["r10", "r9"] {
        let matches = (1..=20).flat_map(|line| {
            (1..=3).map(move |fingerprint| MatchRow {
                version: (line % 2 == 0).then(|| "1.2".into()),
                account: (line % 3 == 0).then(|| "ACC".into()),
                tracker: (line % 5 == 0).then(|| "UA-1".into()),
                implied_by: (fingerprint == 3).then_some(1),
                ..found(line, "site", fingerprint)
            })
        });
        write(catalog, round, 1, (1..=20).map(|line| page(line, "site")).collect(), matches.collect()).await;
    }
    let next = PageRow { month: "2023-12".into(), ..page(1, "site") };
    write(catalog, "s", 1, vec![next], vec![MatchRow { month: "2023-12".into(), ..found(1, "site", 1) }])
        .await;
}

pub async fn old_matches_are_read_whole_and_in_the_order_of_their_keys(place: Place) {
    let catalog = place.migrated().await;
    fill(&catalog).await;
    let by_month = archives::months_before(&catalog, "2024-01").await.unwrap();
    assert_eq!(by_month, [(MONTH.to_owned(), 120), ("2023-12".to_owned(), 1)]);
    assert_eq!(archives::months_before(&catalog, "2023-12").await.unwrap(), [(MONTH.to_owned(), 120)]);
    assert_eq!(archives::months_before(&catalog, MONTH).await.unwrap(), []);
    let rows = read_all(&catalog, MONTH, 7).await;
    assert_eq!(rows.len(), 120);
    assert!(rows.is_sorted_by(|a, b| a.key < b.key));
    let row = rows.iter().find(|row| row.key.line == 15 && row.key.fingerprint == 3).unwrap();
    let expected = OldMatch {
        key: MatchKey { round: "r10".into(), line: 15, fingerprint: 3, rule_set: 1 },
        site: "site".into(),
        month: MONTH.into(),
        found_at: domain::Moment(NOW.0 + 15),
        confidence: 100,
        position: 150,
        snippet: "snippet 15/3".into(),
        version: None,
        account: Some("ACC".into()),
        tracker: Some("UA-1".into()),
        implied_by: Some(1),
    };
    assert_eq!(*row, expected);
}

pub async fn only_noted_rows_leave_and_others_stay(place: Place) {
    let catalog = place.migrated().await;
    fill(&catalog).await;
    let rows = read_all(&catalog, MONTH, 1_000).await;
    let keys: Vec<MatchKey> = rows.iter().map(|row| row.key.clone()).collect();
    let error = archives::delete(&catalog, PATH, &keys).await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Conflict, "deleted what is nowhere else");
    for _ in 0..2 {
        archives::note(&catalog, PATH, MONTH, 120, "abc", NOW).await.unwrap();
    }
    let error = archives::note(&catalog, PATH, MONTH, 120, "other", NOW).await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Conflict, "one path with two contents");

    // half of them, then a crash; meanwhile the month is read anew with other rules
    assert_eq!(archives::delete(&catalog, PATH, &keys[..50]).await.unwrap(), 50);
    write(&catalog, "r9", 2, vec![], vec![found(1, "site", 1)]).await;
    assert_eq!(archives::delete(&catalog, PATH, &keys).await.unwrap(), 70, "those that were left");
    let unfinished = archives::list(&catalog).await.unwrap();
    assert_eq!((unfinished.len(), unfinished[0].removed_at), (1, None));
    for later in 0..2 {
        archives::mark_removed(&catalog, PATH, domain::Moment(NOW.0 + later)).await.unwrap();
    }
    let finished = archives::list(&catalog).await.unwrap().remove(0);
    assert_eq!((finished.path.as_str(), finished.month.as_str(), finished.row_count), (PATH, MONTH, 120));
    assert_eq!((finished.sha256.as_str(), finished.created_at, finished.removed_at), ("abc", NOW, Some(NOW)));
    let error = archives::delete(&catalog, PATH, &keys).await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Conflict, "it had been done with");
    let left = read_all(&catalog, MONTH, 1_000).await;
    assert_eq!(left.iter().map(|row| row.key.rule_set).collect::<Vec<_>>(), [2]);
    assert_eq!(read_all(&catalog, "2023-12", 1_000).await.len(), 1);
}
