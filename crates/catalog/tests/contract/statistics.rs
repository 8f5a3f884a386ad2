//! Are the sums for people those that a count by hand gives?

use catalog::{
    changes::{ChangeRow, DualRow, replace, replace_dual_vendors},
    findings::aggregate,
    matches::{MatchRow, PageRow},
    rules::activate,
    statistics::{self, Adoption, ChangeCount, Coverage, DualVendorCount, EndingCount},
};
use domain::Moment;
use serde_json::json;

use crate::{
    place::{NOW, Place},
    scene::{MONTH, ended, found, load_rules, page, write},
};

fn adoption(signal: &str, category: &str, exclusive: bool, shown: u64, sites: u64) -> Adoption {
    Adoption {
        signal: signal.into(),
        vendor: format!("{signal} Inc."),
        category: category.into(),
        category_title: format!("The {category}s"),
        exclusive,
        shown,
        sites,
    }
}

fn ending(disposition: &str, detail: &str, pages: u64) -> EndingCount {
    EndingCount { disposition: disposition.into(), detail: detail.into(), pages }
}

pub async fn sites_pages_and_products_are_counted_once(place: Place) {
    let catalog = place.migrated().await;
    load_rules(&catalog).await;
    let failed = |line, site| ended(line, site, "failed", "http_status");
    // a shows Alpha twice on two pages and Shop by implication on one; b shows Beta, and Shop itself; c only failed
    let pages = vec![page(1, "a"), page(2, "a"), failed(3, "a"), page(4, "b"), failed(5, "c")];
    let shop = |line, site| MatchRow { implied_by: Some(1), ..found(line, site, 5) };
    let matches = vec![
        found(1, "a", 1),
        found(1, "a", 2),
        found(2, "a", 1),
        shop(1, "a"),
        found(4, "b", 3),
        found(4, "b", 5),
        shop(2, "a"),
    ];
    write(&catalog, "r1", 1, pages, matches).await;
    // a later round reads what had failed
    let late = PageRow { ended_at: Moment(NOW.0 + 500), ..page(3, "a") };
    write(&catalog, "r2", 1, vec![late, ended(6, "d", "excluded", "robots")], vec![]).await;
    aggregate(&catalog, MONTH, 1, NOW).await.unwrap();
    let coverage = Coverage {
        month: MONTH.into(),
        sites: 4,
        covered: 2,
        targets: 6,
        captured: 4,
        failed: 1,
        excluded: 1,
    };
    assert_eq!(statistics::coverage(&catalog).await.unwrap(), [coverage]);
    assert_eq!(
        statistics::endings(&catalog, MONTH).await.unwrap(),
        [
            ending("captured", "captured", 4),
            ending("excluded", "robots", 1),
            ending("failed", "http_status", 1)
        ]
    );
    assert_eq!(
        statistics::adoption(&catalog, MONTH, 1).await.unwrap(),
        [
            adoption("Alpha", "chat", true, 1, 1),
            adoption("Beta", "chat", true, 1, 1),
            adoption("Shop", "shop", false, 1, 2),
        ]
    );
    assert_eq!(statistics::adoption(&catalog, MONTH, 2).await.unwrap(), []);
    assert_eq!(statistics::adoption(&catalog, "2023-10", 1).await.unwrap(), []);
}

pub async fn the_rules_that_were_put_in_force_last_come_first(place: Place) {
    let catalog = place.migrated().await;
    load_rules(&catalog).await;
    for (digest, at) in [("one", 0), ("two", 10), ("one", 20)] {
        activate(&catalog, digest, b"", 4, 5, "a test", Moment(NOW.0 + at)).await.unwrap();
    }
    write(&catalog, "r1", 1, vec![page(1, "a")], vec![found(1, "a", 1)]).await;
    write(&catalog, "r2", 2, vec![page(2, "b")], vec![found(2, "b", 1), found(2, "b", 3)]).await;
    for rule_set in [1, 2] {
        aggregate(&catalog, MONTH, rule_set, NOW).await.unwrap();
    }
    let used = statistics::rule_sets(&catalog, MONTH).await.unwrap();
    let short: Vec<_> =
        used.iter().map(|one| (one.version, one.findings, one.activated_at.0 - NOW.0)).collect();
    assert_eq!(short, [(1, 1, 20), (2, 2, 10)]);
    assert_eq!((used[0].signals, used[0].fingerprints), (4, 5));
}

pub async fn changes_and_second_vendors_are_counted_by_what_they_are(place: Place) {
    let catalog = place.migrated().await;
    load_rules(&catalog).await;
    let change = |site: &str, signal_id, kind: &str, certainty: &str| ChangeRow {
        month: MONTH.into(),
        previous: Some("2023-10".into()),
        site: site.into(),
        signal_id,
        kind: kind.into(),
        certainty: certainty.into(),
        reason: String::new(),
        since: Some(NOW),
        rule_set: 1,
        evidence: json!({}),
    };
    let rows = [
        change("a", 1, "added", "certain"),
        change("b", 1, "added", "certain"),
        change("c", 1, "added", "likely"),
        change("a", 4, "dropped", "certain"),
    ];
    replace(&catalog, MONTH, None, None, &rows).await.unwrap();
    let count = |signal: &str, category: &str, kind: &str, certainty: &str, sites| ChangeCount {
        signal: signal.into(),
        category: category.into(),
        category_title: format!("The {category}s"),
        kind: kind.into(),
        certainty: certainty.into(),
        sites,
    };
    assert_eq!(
        statistics::changes(&catalog, MONTH).await.unwrap(),
        [
            count("Alpha", "chat", "added", "certain", 2),
            count("Alpha", "chat", "added", "likely", 1),
            count("Shop", "shop", "dropped", "certain", 1),
        ]
    );
    let dual = |account: &str, second_signal, is_new| DualRow {
        month: MONTH.into(),
        account: account.into(),
        category: "chat".into(),
        first_signal: 1,
        second_signal,
        first_since: NOW,
        second_since: NOW,
        is_new,
        certainty: "certain".into(),
        evidence: json!({}),
        rule_set: 1,
    };
    // one account has three vendors, and counts once
    let rows = [dual("A", 2, true), dual("A", 3, true), dual("B", 2, false)];
    replace_dual_vendors(&catalog, MONTH, None, None, &rows).await.unwrap();
    let counted = DualVendorCount {
        category: "chat".into(),
        category_title: "The chats".into(),
        accounts: 2,
        new_accounts: 1,
    };
    assert_eq!(statistics::dual_vendors(&catalog, MONTH).await.unwrap(), [counted]);
    assert_eq!(statistics::dual_vendors(&catalog, "2023-10").await.unwrap(), []);
}
