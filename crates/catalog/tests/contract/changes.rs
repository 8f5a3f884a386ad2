//! Is a comparison given whole sites, and is its answer kept exactly as it was last given?

use catalog::{
    Catalog,
    changes::{self, ChangeRow, DualRow, replace, replace_dual_vendors},
    matches::{MatchRow, PageRow},
};
use domain::Moment;
use serde_json::json;

use crate::{
    place::{NOW, Place},
    scene::{MONTH, ended, found, load_rules, page, write},
};

pub async fn pages_are_seen_by_whole_sites(place: Place) {
    let catalog = place.migrated().await;
    load_rules(&catalog).await;
    let failed = |line, site| ended(line, site, "failed", "http_status");
    // a's first page failed in the second round; b's page was captured only in the second; c was never captured
    let first = vec![page(1, "a"), page(2, "a"), failed(3, "b"), failed(4, "c")];
    let seen = vec![
        MatchRow { confidence: 60, ..found(1, "a", 1) },
        MatchRow { confidence: 70, implied_by: Some(2), ..found(1, "a", 2) },
        MatchRow { implied_by: Some(1), ..found(2, "a", 5) },
    ];
    write(&catalog, "r1", 1, first, seen).await;
    let late = |row: PageRow| PageRow { ended_at: Moment(NOW.0 + 900), ..row };
    let second = vec![late(failed(1, "a")), late(page(3, "b")), late(ended(4, "c", "excluded", "robots"))];
    let again = MatchRow { confidence: 90, found_at: Moment(NOW.0 + 900), ..found(3, "b", 3) };
    write(&catalog, "r2", 1, second, vec![again]).await;
    write(&catalog, "r1", 2, vec![], vec![found(2, "a", 4)]).await;

    let outcomes = async |after: Option<&str>, sites| {
        let rows = changes::page_outcomes(&catalog, MONTH, after, sites).await.unwrap();
        rows.into_iter()
            .map(|row| format!("{} {} {}", row.url, row.disposition, row.detail))
            .collect::<Vec<_>>()
    };
    let of_a = ["https://a.example/1 captured captured", "https://a.example/2 captured captured"];
    let of_bc = ["https://b.example/3 captured captured", "https://c.example/4 excluded robots"];
    assert_eq!(outcomes(None, 1).await, of_a);
    assert_eq!(outcomes(Some("a"), 2).await, of_bc);
    assert_eq!(outcomes(None, 100).await, [of_a, of_bc].concat());
    assert_eq!(outcomes(Some("c"), 100).await, [""; 0]);

    let seen = async |rule_set, after: Option<&str>, sites| {
        let rows = changes::seen(&catalog, MONTH, rule_set, after, sites).await.unwrap();
        let short = |row: changes::SeenRow| {
            let changes::SeenRow { url, signal, implied, confidence, fingerprint_key, exclusive, .. } = row;
            format!("{url} {signal} {implied} {confidence} {fingerprint_key} {exclusive}")
        };
        rows.into_iter().map(short).collect::<Vec<_>>()
    };
    // itself rather than implied, though the implied one is surer
    let of_a = [
        "https://a.example/1 Alpha false 60 alpha/a true",
        "https://a.example/2 Shop true 100 implied:Shop false",
    ];
    assert_eq!(seen(1, None, 1).await, of_a);
    assert_eq!(seen(1, Some("a"), 1).await, ["https://b.example/3 Beta false 90 beta true"]);
    assert_eq!(seen(1, Some("b"), 100).await, [""; 0]);
    assert_eq!(seen(2, None, 100).await, ["https://a.example/2 Gamma false 100 gamma true"]);
    let between = changes::seen_between(&catalog, MONTH, 1, Some("a"), "c").await.unwrap();
    assert_eq!(between.len(), 1);
    let between = changes::page_outcomes_between(&catalog, MONTH, Some("a"), "b").await.unwrap();
    assert_eq!(between.len(), 1);
}

fn change(site: &str, signal_id: i64, kind: &str) -> ChangeRow {
    ChangeRow {
        month: MONTH.into(),
        previous: (kind != "unknown").then(|| "2023-10".into()),
        site: site.into(),
        signal_id,
        kind: kind.into(),
        certainty: "likely".into(),
        reason: "because".into(),
        since: (kind == "kept").then_some(NOW),
        rule_set: 1,
        evidence: json!({ "url": "https://a.example/", "nested": [1, null] }),
    }
}

async fn listed(catalog: &Catalog) -> Vec<ChangeRow> {
    let mut rows: Vec<changes::ListedChange> = Vec::new();
    loop {
        let last = rows.last().cloned();
        let after = last.as_ref().map(|row| (&*row.change.site, &*row.signal));
        let some = changes::list_changes(catalog, MONTH, after, 2).await.unwrap();
        if some.is_empty() {
            return rows.into_iter().map(|row| row.change).collect();
        }
        assert!(some.iter().all(|row| row.vendor == format!("{} Inc.", row.signal)));
        rows.extend(some);
    }
}

pub async fn a_stretch_of_sites_is_replaced_as_a_whole(place: Place) {
    let catalog = place.migrated().await;
    load_rules(&catalog).await;
    let mut all = vec![
        change("", 1, "kept"),
        change("Z", 1, "added"),
        change("a", 1, "kept"),
        change("a", 2, "dropped"),
        change("b", 3, "unknown"),
    ];
    for _ in 0..2 {
        replace(&catalog, MONTH, None, Some("a"), &all[..4]).await.unwrap();
        replace(&catalog, MONTH, Some("a"), None, &all[4..]).await.unwrap();
        assert_eq!(listed(&catalog).await, all);
    }
    // another month is another matter
    replace(&catalog, "2023-12", None, None, &[]).await.unwrap();
    assert_eq!(listed(&catalog).await, all);
    replace(&catalog, MONTH, Some(""), Some("a"), &[change("a", 1, "dropped")]).await.unwrap();
    all.splice(1..4, [change("a", 1, "dropped")]);
    assert_eq!(listed(&catalog).await, all);
    replace(&catalog, MONTH, None, None, &[]).await.unwrap();
    assert_eq!(listed(&catalog).await, []);
    let wrong = ChangeRow { kind: "perhaps".into(), ..change("a", 1, "kept") };
    let error = replace(&catalog, MONTH, None, None, &[wrong]).await.unwrap_err();
    assert_eq!(error.kind(), catalog::ErrorKind::Conflict);
}

pub async fn dual_vendors_are_replaced_and_listed_with_names(place: Place) {
    let catalog = place.migrated().await;
    load_rules(&catalog).await;
    let account =
        catalog::accounts::AccountRow { id: "A2".into(), name: "Church".into(), ..Default::default() };
    catalog::accounts::load(&catalog, &[account], NOW).await.unwrap();
    let dual = |account: &str, first_signal, second_signal| DualRow {
        month: MONTH.into(),
        account: account.into(),
        category: "chat".into(),
        first_signal,
        second_signal,
        first_since: NOW,
        second_since: Moment(NOW.0 + 1),
        is_new: second_signal == 3,
        certainty: "certain".into(),
        evidence: json!({ "first": {}, "second": {} }),
        rule_set: 1,
    };
    let all = [dual("A1", 2, 1), dual("A2", 1, 2), dual("A2", 1, 3), dual("site:x", 2, 3)];
    for _ in 0..2 {
        replace_dual_vendors(&catalog, MONTH, None, None, &all).await.unwrap();
    }
    let first = changes::list_dual_vendors(&catalog, MONTH, None, 2).await.unwrap();
    let after = ("A2", "chat", &*first[1].second);
    let rest = changes::list_dual_vendors(&catalog, MONTH, Some(after), 9).await.unwrap();
    let listed = [first, rest].concat();
    assert_eq!(listed.iter().map(|row| row.dual.clone()).collect::<Vec<_>>(), all);
    let names: Vec<_> = listed
        .iter()
        .map(|row| (&*row.account_name, &*row.first, &*row.second, &*row.second_vendor))
        .collect();
    assert_eq!(names[1], ("Church", "Alpha", "Beta", "Beta Inc."));
    assert_eq!(names[3], ("", "Beta", "Gamma", "Gamma Inc."));
    assert_eq!(listed[0].category_title, "The chats");
    replace_dual_vendors(&catalog, MONTH, Some("A1"), Some("A2"), &[]).await.unwrap();
    let left = changes::list_dual_vendors(&catalog, MONTH, None, 9).await.unwrap();
    assert_eq!(left.iter().map(|row| &*row.dual.account).collect::<Vec<_>>(), ["A1", "site:x"]);
}
