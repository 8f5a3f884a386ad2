//! What does each account hold of the categories in which one vendor is the rule?

use catalog::{
    Catalog,
    accounts::{self, AccountSite},
    changes::{self, ChangeRow},
    holdings::{self, HoldingRow},
};
use serde_json::json;

use crate::{
    place::{NOW, Place},
    scene::{MONTH, load_rules},
};

fn change(site: &str, signal_id: i64) -> ChangeRow {
    ChangeRow {
        month: MONTH.into(),
        previous: Some("2023-10".into()),
        site: site.into(),
        signal_id,
        kind: "kept".into(),
        certainty: "certain".into(),
        reason: "seen in both months".into(),
        since: Some(NOW),
        rule_set: 1,
        evidence: json!({ "now": null, "before": null }),
    }
}

fn link(account: &str, site: &str) -> AccountSite {
    AccountSite { account: account.into(), site: site.into(), source: "test".into(), confidence: 100 }
}

/// Sites `a` to `d` with signals 1 (a chat) and 4 (a shop), `b` with another chat; `B` of two sites, `b` of two accounts.
async fn scene(place: &Place) -> Catalog {
    let catalog = place.migrated().await;
    load_rules(&catalog).await;
    let mut rows: Vec<ChangeRow> =
        ["a", "b", "c", "d"].iter().flat_map(|site| [1, 4].map(|signal| change(site, signal))).collect();
    rows.push(change("b", 2));
    changes::replace(&catalog, MONTH, None, None, &rows).await.unwrap();
    let links = [link("B", "b"), link("B", "a"), link("A", "b"), link("Z", "not visited")];
    accounts::link(&catalog, &links, NOW).await.unwrap();
    catalog
}

fn keys(rows: &[HoldingRow]) -> Vec<(&str, &str, i64)> {
    rows.iter().map(HoldingRow::key).collect()
}

pub async fn an_account_holds_what_its_sites_hold_of_exclusive_categories(place: Place) {
    let catalog = scene(&place).await;
    let all = holdings::linked(&catalog, MONTH, None, 100).await.unwrap();
    assert_eq!(keys(&all), [("A", "b", 1), ("A", "b", 2), ("B", "a", 1), ("B", "b", 1), ("B", "b", 2)]);
    assert_eq!((all[0].signal.as_str(), all[0].vendor.as_str()), ("Alpha", "Alpha Inc."));
    assert_eq!((all[0].family.as_str(), all[0].category.as_str()), ("alpha", "chat"));
    assert_eq!((all[0].kind.as_str(), all[0].certainty.as_str()), ("kept", "certain"));
    assert_eq!((all[0].since, &all[0].evidence), (Some(NOW), &json!({ "now": null, "before": null })));
    assert!(holdings::linked(&catalog, "2023-10", None, 100).await.unwrap().is_empty());
}

pub async fn a_site_without_an_account_stands_for_itself(place: Place) {
    let catalog = scene(&place).await;
    let all = holdings::unlinked(&catalog, MONTH, None, 100).await.unwrap();
    assert_eq!(keys(&all), [("site:c", "c", 1), ("site:d", "d", 1)]);
}

pub async fn holdings_are_read_in_pages_without_a_gap(place: Place) {
    let catalog = scene(&place).await;
    let (mut linked, mut unlinked) = (Vec::<HoldingRow>::new(), Vec::<HoldingRow>::new());
    loop {
        let page = holdings::linked(&catalog, MONTH, linked.last().map(HoldingRow::key), 2).await.unwrap();
        if page.is_empty() {
            break;
        }
        linked.extend(page);
    }
    loop {
        let after = unlinked.last().map(|row| (row.site.as_str(), row.signal_id));
        let page = holdings::unlinked(&catalog, MONTH, after, 1).await.unwrap();
        if page.is_empty() {
            break;
        }
        unlinked.extend(page);
    }
    assert_eq!(linked, holdings::linked(&catalog, MONTH, None, 100).await.unwrap());
    assert_eq!(unlinked, holdings::unlinked(&catalog, MONTH, None, 100).await.unwrap());
}
