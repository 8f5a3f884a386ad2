//! What do sites run in these tests? Small packs, pages and matches, written through the front door.

use catalog::{
    Catalog,
    matches::{Batch, MatchRow, PageRow, SegmentId, begin_segment, write_batch},
    rules::{CategoryRow, NewFingerprint, NewSignal, load_pack},
};
use domain::Moment;
use serde_json::json;

use crate::place::NOW;

pub const MONTH: &str = "2023-11";

pub fn category(key: &str, exclusive: bool) -> CategoryRow {
    CategoryRow { key: key.into(), title: format!("The {key}s"), about: "Some products.".into(), exclusive }
}

pub fn signal(name: &str, category: &str) -> NewSignal {
    NewSignal {
        name: name.into(),
        category: category.into(),
        vendor: format!("{name} Inc."),
        family: name.to_lowercase(),
        website: format!("https://{}.example/", name.to_lowercase()),
        definition: json!({ "implies": [] }),
    }
}

pub fn fingerprint(key: &str, signal: &str) -> NewFingerprint {
    NewFingerprint {
        key: key.into(),
        signal: signal.into(),
        part: "body".into(),
        definition: json!({ "literal": key, "confidence": 100 }),
    }
}

/// Three chats and a shop; their fingerprints have the numbers 1 to 5, their signals 1 to 4.
pub async fn load_rules(catalog: &Catalog) {
    let categories = [category("chat", true), category("shop", false)];
    let signals =
        [signal("Alpha", "chat"), signal("Beta", "chat"), signal("Gamma", "chat"), signal("Shop", "shop")];
    let keys = [
        ("alpha/a", "Alpha"),
        ("alpha/b", "Alpha"),
        ("beta", "Beta"),
        ("gamma", "Gamma"),
        ("implied:Shop", "Shop"),
    ];
    let fingerprints = keys.map(|(key, signal)| fingerprint(key, signal));
    load_pack(catalog, "test", &categories, &signals, &fingerprints, NOW).await.unwrap();
}

pub fn page(line: i64, site: &str) -> PageRow {
    PageRow {
        line,
        site: site.into(),
        url: format!("https://{site}.example/{line}"),
        final_url: None,
        ended_at: Moment(NOW.0 + line),
        month: MONTH.into(),
        disposition: "captured".into(),
        detail: "captured".into(),
        status: Some(200),
    }
}

pub fn ended(line: i64, site: &str, disposition: &str, detail: &str) -> PageRow {
    PageRow { disposition: disposition.into(), detail: detail.into(), status: None, ..page(line, site) }
}

pub fn found(line: i64, site: &str, fingerprint: i64) -> MatchRow {
    MatchRow {
        line,
        fingerprint,
        site: site.into(),
        month: MONTH.into(),
        found_at: Moment(NOW.0 + line),
        confidence: 100,
        position: 10 * line,
        snippet: format!("snippet {line}/{fingerprint}"),
        version: None,
        account: None,
        tracker: None,
        implied_by: None,
    }
}

/// Writes a whole segment; its hash is made of its round, so that each round has one.
pub async fn write(
    catalog: &Catalog,
    round: &str,
    rule_set: i64,
    pages: Vec<PageRow>,
    matches: Vec<MatchRow>,
) {
    let sha256 = format!("hash of {round}");
    let id = SegmentId { sha256: &sha256, rule_set, round, segment: 1 };
    let progress = begin_segment(catalog, &id, NOW).await.unwrap();
    assert_eq!((progress.records_done, progress.finished), (0, false));
    let batch = Batch { from: 0, to: pages.len() as i64, last: true, pages, matches };
    write_batch(catalog, &id, batch, 1_000, NOW).await.unwrap();
}
