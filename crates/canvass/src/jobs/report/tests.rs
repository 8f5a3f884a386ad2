//! Is the page whole, small and harmless?

use std::collections::BTreeMap;

use catalog::{
    changes::{DualRow, ListedDual},
    statistics::{Coverage, DualVendorCount, EndingCount, RuleSetUse},
};
use domain::Moment;
use serde_json::json;

use super::{
    gather::{CategoryFigures, Figures, MonthFigures, Mover, ProductFigures},
    render,
};

const HOSTILE: &str = "</code><script>alert(1)</script><img src=x onerror=alert(2)> \"quoted\" 'and' & more";

fn coverage(month: &str) -> Coverage {
    Coverage {
        month: month.into(),
        sites: 500_000,
        covered: 471_233,
        targets: 1_250_000,
        captured: 1_190_112,
        failed: 48_102,
        excluded: 11_786,
    }
}

fn dual(number: usize) -> ListedDual {
    let sighting =
        json!({ "url": format!("https://a{number}.example/{HOSTILE}"), "snippet": HOSTILE.repeat(9) });
    ListedDual {
        dual: DualRow {
            month: "2026-11".into(),
            account: if number.is_multiple_of(7) {
                format!("site:{number}")
            } else {
                format!("ACC-{number:05}")
            },
            category: "live-chat".into(),
            first_signal: 1,
            second_signal: 2,
            first_since: Moment(1_790_000_000_000),
            second_since: Moment(1_793_000_000_000),
            is_new: number.is_multiple_of(2),
            certainty: "likely".into(),
            evidence: json!({ "first": sighting, "second": sighting }),
            rule_set: 3,
        },
        account_name: HOSTILE.into(),
        category_title: "Live chat".into(),
        first: HOSTILE.into(),
        first_vendor: HOSTILE.into(),
        second: "Tidio".into(),
        second_vendor: "Tidio".into(),
    }
}

/// A year of everything that the shipped packs know, on half a million sites.
fn figures() -> Figures {
    let months: Vec<MonthFigures> = (1..=12)
        .map(|month| MonthFigures {
            coverage: coverage(&format!("2026-{month:02}")),
            rule_sets: vec![RuleSetUse {
                version: 3,
                findings: 9_400_000,
                activated_at: Moment(0),
                signals: 1_900,
                fingerprints: 3_900,
            }],
        })
        .collect();
    let product = |name: String| ProductFigures {
        name,
        vendor: HOSTILE.into(),
        shown: 120_000,
        implied: 3_000,
        shares: (0..12).map(|month| 20.0 + f64::from(month)).collect(),
    };
    let category = |number: usize| CategoryFigures {
        key: format!("category-{number}"),
        title: format!("Category {number} {HOSTILE}"),
        exclusive: number.is_multiple_of(3),
        products: (0..40).map(|one| product(format!("Product {one} {HOSTILE}"))).collect(),
    };
    let mover = |number: u64| Mover {
        name: format!("Product {number} {HOSTILE}"),
        category: HOSTILE.into(),
        added: (number * 30, number),
        dropped: (300, 2),
    };
    let kinds = ["added", "dropped", "kept", "unknown"].map(|kind| ((kind.into(), "certain".into()), 12_345));
    Figures {
        month: "2026-12".into(),
        made_at: Moment(1_795_000_000_000),
        months,
        categories: (0..75).map(category).collect(),
        movers: (0..2_000).map(mover).collect(),
        changes: BTreeMap::from(kinds),
        dual_counts: vec![DualVendorCount {
            category: "live-chat".into(),
            category_title: HOSTILE.into(),
            accounts: 4_000,
            new_accounts: 310,
        }],
        duals: (0..100).map(dual).collect(),
        more_duals: true,
        endings: ["connect_timeout", "http_status", HOSTILE]
            .map(|detail| EndingCount { disposition: "failed".into(), detail: detail.into(), pages: 9_000 })
            .into(),
    }
}

/// The tags of a document, as a scanner sees them that knows nothing of how it was made.
fn tags(html: &str) -> Vec<String> {
    let inside = |piece: &str| piece.split('>').next().unwrap_or_default().to_owned();
    html.split('<').skip(1).map(inside).collect()
}

/// A tag without what stands in its quotes.
fn unquoted(tag: &str) -> String {
    tag.split('"').step_by(2).collect()
}

#[test]
fn what_pages_and_files_say_stays_text() {
    let html = render(&figures());
    for tag in tags(&html) {
        let name = tag.split([' ', '\n']).next().unwrap_or_default().to_lowercase();
        assert!(
            !matches!(name.as_str(), "script" | "/script" | "img" | "iframe" | "link" | "object"),
            "<{tag}>"
        );
        assert!(!unquoted(&tag).to_lowercase().contains("onerror"), "<{tag}>");
        assert_eq!(tag.matches('"').count() % 2, 0, "<{tag}>");
    }
    assert!(html.contains("&lt;script&gt;"));
}

#[test]
fn every_tag_that_is_opened_is_closed() {
    let html = render(&figures());
    let mut open: Vec<String> = Vec::new();
    for tag in tags(&html).into_iter().skip(1) {
        let name = tag
            .trim_end_matches('/')
            .split([' ', '\n', '/'])
            .find(|part| !part.is_empty())
            .unwrap_or_default();
        if tag.starts_with('/') {
            assert_eq!(open.pop().as_deref(), Some(name), "</{name}> in {open:?}");
        } else if !tag.ends_with('/') && !matches!(name, "meta" | "br") {
            open.push(name.to_owned());
        }
    }
    assert_eq!(open, Vec::<String>::new());
}

#[test]
fn nothing_is_fetched_from_anywhere() {
    let html = render(&figures());
    for tag in tags(&html) {
        for attribute in ["src=", "srcset=", "action=", "data=", "@import", "url("] {
            assert!(!unquoted(&tag).contains(attribute), "<{tag}>");
        }
        if let Some(to) = tag.split("href=\"").nth(1) {
            assert!(to.starts_with('#'), "<{tag}>");
        }
    }
    assert!(!include_str!("style.css").contains("url(") && !include_str!("style.css").contains("@import"));
    assert!(html.contains("default-src 'none'"));
}

#[test]
fn a_year_of_half_a_million_sites_is_a_small_page() {
    let html = render(&figures());
    assert!(html.len() < 1 << 20, "{} bytes", html.len());
}

#[test]
fn a_first_month_says_that_there_is_nothing_to_compare_with() {
    let mut first = figures();
    first.months.drain(..11);
    first.changes.clear();
    first.duals.clear();
    first.more_duals = false;
    first.dual_counts.clear();
    let html = render(&first);
    assert!(html.contains("no earlier month"), "{html}");
    assert!(html.contains("No account shows two vendors"), "{html}");
    assert!(!html.contains("id=\"adoption\""));
}

#[test]
fn months_are_called_by_their_names() {
    assert_eq!(super::page::month_name("2026-11"), "November 2026");
    assert_eq!(super::page::month_name("<b>"), "&lt;b&gt;");
}
