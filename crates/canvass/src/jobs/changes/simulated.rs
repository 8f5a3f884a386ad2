//! What may two months of a site look like? Sites for the tests, small enough to think about.

use domain::Moment;
use proptest::prelude::*;

use super::{
    answer::Change,
    compare::{Against, Comparison, When},
    evidence::Seen,
};

/// How a page of a simulated site stood in one month, and the signals that it shows if it is captured.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Page {
    pub end: SimulatedEnd,
    pub shows: Vec<i64>,
}

/// How it stood.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SimulatedEnd {
    NotListed,
    Missed(&'static str),
    Captured,
}

/// A simulated site: each of its pages now and before.
pub type Site = Vec<[Page; 2]>;

pub const URLS: [&str; 4] =
    ["https://a.example/", "https://a.example/b", "https://a.example/c", "https://a.example/d"];
/// When pages are captured, now and before.
pub const MONTHS: [Moment; 2] = [Moment(1_793_500_000_000), Moment(1_791_000_000_000)];

pub fn page(end: SimulatedEnd, shows: &[i64]) -> Page {
    Page { end, shows: shows.to_vec() }
}

pub fn captured(shows: &[i64]) -> Page {
    page(SimulatedEnd::Captured, shows)
}

pub fn missed() -> Page {
    page(SimulatedEnd::Missed("connect_timeout"), &[])
}

pub fn not_listed() -> Page {
    page(SimulatedEnd::NotListed, &[])
}

/// How one page ended in one month, and what is seen on it.
pub type Note = (When, &'static str, SimulatedEnd, Vec<Seen<'static>>);

/// The rows of a site, as the catalog would give them: nothing is seen on a page that was not captured.
pub fn notes(site: &Site) -> Vec<Note> {
    let mut notes = Vec::new();
    for (url, months) in URLS.iter().zip(site) {
        for (when, month) in [When::Now, When::Before].into_iter().zip(months) {
            let seen = |signal: &i64| Seen {
                url,
                signal: *signal,
                fingerprint: "f",
                snippet: "s",
                found_at: MONTHS[when as usize],
                confidence: 100,
                implied: false,
            };
            let captured = month.end == SimulatedEnd::Captured;
            let seen = if captured { month.shows.iter().map(seen).collect() } else { Vec::new() };
            notes.push((when, *url, month.end, seen));
        }
    }
    notes
}

pub fn fold(notes: &[Note]) -> Comparison<'static> {
    let mut comparison = Comparison::default();
    for (when, url, end, seen) in notes {
        match end {
            SimulatedEnd::NotListed => {}
            SimulatedEnd::Missed(detail) => comparison.page(*when, url, "failed", detail),
            SimulatedEnd::Captured => comparison.page(*when, url, "captured", "captured"),
        }
        for seen in seen {
            comparison.saw(*when, *seen);
        }
    }
    comparison
}

pub fn changes_of(site: &Site) -> Vec<Change> {
    fold(&notes(site)).changes(Against { previous: Some("2026-10"), doubt: None }, |_| None)
}

pub fn any_site() -> impl Strategy<Value = Site> {
    let end = prop_oneof![
        1 => Just(SimulatedEnd::NotListed),
        1 => Just(SimulatedEnd::Missed("robots")),
        4 => Just(SimulatedEnd::Captured),
    ];
    let shows = proptest::collection::vec(1_i64..=4, 0..4);
    let month = (end, shows).prop_map(|(end, shows)| Page { end, shows });
    proptest::collection::vec([month.clone(), month], 1..=URLS.len())
}

/// A site, and the same with some of its pages failed in either month.
pub fn any_site_with_failures() -> impl Strategy<Value = (Site, Site)> {
    any_site().prop_flat_map(|site| {
        let pages = site.len();
        let fails = proptest::collection::vec(proptest::array::uniform2(any::<bool>()), pages);
        (Just(site), fails).prop_map(|(site, fails)| {
            let mut failed = site.clone();
            for (months, fails) in failed.iter_mut().zip(fails) {
                for (month, fails) in months.iter_mut().zip(fails) {
                    if fails && month.end != SimulatedEnd::NotListed {
                        month.end = SimulatedEnd::Missed("connection_lost");
                    }
                }
            }
            (site, failed)
        })
    })
}
