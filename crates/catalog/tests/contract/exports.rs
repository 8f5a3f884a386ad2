//! What does each account run, all of its sites together?

use catalog::{
    Catalog,
    accounts::{self, AccountSite},
    changes::{self, ChangeRow},
    exports::{self, AccountSignal},
    findings,
    matches::{MatchRow, PageRow},
};
use domain::Moment;
use serde_json::json;

use crate::{
    place::{NOW, Place},
    scene::{MONTH, found, load_rules, page, write},
};

const BEFORE: &str = "2023-10";
const LONG_AGO: Moment = Moment(NOW.0 - 30 * 86_400_000);

/// Account `Z` has the sites `a` and `b`, account `é` has `b` alone. Before, `a` showed Alpha and Beta; now `a` shows
/// Alpha, `b` shows Alpha and a shop that only follows from it.
async fn scene(place: &Place) -> Catalog {
    let catalog = place.migrated().await;
    load_rules(&catalog).await;
    let earlier =
        |fingerprint| MatchRow { month: BEFORE.into(), found_at: LONG_AGO, ..found(1, "a", fingerprint) };
    let page_before = PageRow { month: BEFORE.into(), ended_at: LONG_AGO, ..page(1, "a") };
    write(&catalog, "october", 1, vec![page_before], vec![earlier(1), earlier(3)]).await;
    let implied = MatchRow { implied_by: Some(1), confidence: 40, ..found(2, "b", 5) };
    let now = vec![found(1, "a", 1), found(2, "b", 1), found(2, "b", 2), implied];
    write(&catalog, "november", 1, vec![page(1, "a"), page(2, "b")], now).await;
    for month in [BEFORE, MONTH] {
        findings::aggregate(&catalog, month, 1, NOW).await.unwrap();
    }
    let change = |site: &str, signal_id, kind: &str, certainty: &str| ChangeRow {
        month: MONTH.into(),
        previous: Some(BEFORE.into()),
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
        change("a", 1, "kept", "certain"),
        change("a", 2, "dropped", "certain"),
        change("b", 1, "added", "likely"),
    ];
    changes::replace(&catalog, MONTH, None, None, &rows).await.unwrap();
    let link = |account: &str, site: &str| AccountSite {
        account: account.into(),
        site: site.into(),
        source: "test".into(),
        confidence: 100,
    };
    let links = [link("Z", "a"), link("Z", "b"), link("é", "b"), link("m", "nowhere")];
    accounts::link(&catalog, &links, NOW).await.unwrap();
    catalog
}

fn told(row: &AccountSignal) -> (&str, &str, i64, Option<&str>, bool) {
    (&row.account, &row.signal, row.sites, row.site.as_deref(), row.implied)
}

pub async fn an_account_runs_what_its_sites_run_together(place: Place) {
    let catalog = scene(&place).await;
    let all = exports::account_signals(&catalog, MONTH, None, "\u{10ffff}").await.unwrap();
    let rows: Vec<_> = all.iter().map(told).collect();
    let expected = [
        ("Z", "Alpha", 2, Some("a"), false),
        ("Z", "Beta", 0, None, false),
        ("Z", "Shop", 1, Some("b"), true),
        ("é", "Alpha", 1, Some("b"), false),
        ("é", "Shop", 1, Some("b"), true),
    ];
    assert_eq!(rows, expected);
    let [alpha, beta, shop, ..] = all.as_slice() else { panic!("{all:?}") };
    assert_eq!((alpha.first_seen_at, alpha.last_seen_at), (LONG_AGO, Moment(NOW.0 + 2)));
    assert_eq!((beta.first_seen_at, beta.last_seen_at, beta.confidence), (LONG_AGO, LONG_AGO, None));
    assert_eq!((shop.vendor.as_str(), shop.category_title.as_str()), ("Shop Inc.", "The shops"));
    assert_eq!((alpha.confidence, shop.confidence), (Some(100), Some(40)));

    let then = exports::account_signals(&catalog, BEFORE, None, "\u{10ffff}").await.unwrap();
    let rows: Vec<_> = then.iter().map(told).collect();
    assert_eq!(rows, [("Z", "Alpha", 1, Some("a"), false), ("Z", "Beta", 1, Some("a"), false)]);
}

pub async fn what_changed_is_counted_by_account_and_read_stretch_by_stretch(place: Place) {
    let catalog = scene(&place).await;
    let all = exports::account_changes(&catalog, MONTH, None, "\u{10ffff}").await.unwrap();
    let told: Vec<_> = all
        .iter()
        .map(|row| {
            (row.account.as_str(), row.signal.as_str(), row.kind.as_str(), row.certainty.as_str(), row.sites)
        })
        .collect();
    let expected = [
        ("Z", "Alpha", "added", "likely", 1),
        ("Z", "Alpha", "kept", "certain", 1),
        ("Z", "Beta", "dropped", "certain", 1),
        ("é", "Alpha", "added", "likely", 1),
    ];
    assert_eq!(told, expected);
    let (mut signals, mut changes) = (Vec::new(), Vec::new());
    for (after, upto) in [(None, "Z"), (Some("Z"), "m"), (Some("m"), "é")] {
        signals.extend(exports::account_signals(&catalog, MONTH, after, upto).await.unwrap());
        changes.extend(exports::account_changes(&catalog, MONTH, after, upto).await.unwrap());
    }
    assert_eq!(signals, exports::account_signals(&catalog, MONTH, None, "\u{10ffff}").await.unwrap());
    assert_eq!(changes, all);
}
