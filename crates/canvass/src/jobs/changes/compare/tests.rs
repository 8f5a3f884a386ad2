use std::collections::BTreeSet;

use proptest::prelude::*;

use super::{
    super::simulated::{
        MONTHS, Page, SimulatedEnd, Site, URLS, any_site, any_site_with_failures, captured, changes_of, fold,
        missed, not_listed, notes, page,
    },
    *,
};

fn told(site: &Site) -> Vec<(i64, &'static str, &'static str, String)> {
    let tell = |change: Change| (change.signal, change.kind.name(), change.certainty.name(), change.reason);
    changes_of(site).into_iter().map(tell).collect()
}

fn one(now: &[Page], before: &[Page]) -> (&'static str, &'static str, String) {
    let site: Site =
        now.iter().cloned().zip(before.iter().cloned()).map(|(now, before)| [now, before]).collect();
    let mut told = told(&site);
    assert_eq!(told.len(), 1, "{told:?}");
    let (_, kind, certainty, reason) = told.remove(0);
    (kind, certainty, reason)
}

#[test]
fn what_two_complete_months_show_is_certain() {
    let two = |shows: &[i64]| [captured(shows), captured(&[])];
    let seen = |now: &[i64], before: &[i64]| one(&two(now), &two(before));
    assert_eq!(seen(&[1], &[1]), ("kept", "certain", "seen in both months".into()));
    assert_eq!(
        seen(&[1], &[]),
        ("added", "certain", "the page that shows it was captured in 2026-10 and did not".into())
    );
    assert_eq!(
        seen(&[], &[1]),
        ("dropped", "certain", "the page that showed it was captured this month and does not".into())
    );
}

#[test]
fn a_technology_is_not_dropped_because_its_page_failed_this_month() {
    let (kind, certainty, reason) = one(&[captured(&[]), missed()], &[captured(&[]), captured(&[1])]);
    assert_eq!((kind, certainty), ("unknown", "unknown"));
    assert_eq!(reason, "no page that showed it was captured this month (connect_timeout 1)");
}

#[test]
fn a_technology_is_not_added_because_its_page_failed_last_month() {
    let (kind, certainty, reason) = one(&[captured(&[]), captured(&[1])], &[captured(&[]), missed()]);
    assert_eq!((kind, certainty), ("unknown", "unknown"));
    assert_eq!(reason, "no page that shows it was captured in 2026-10 (connect_timeout 1)");
}

#[test]
fn a_page_that_is_new_on_the_list_or_excluded_says_nothing_of_before() {
    let robots = page(SimulatedEnd::Missed("robots"), &[]);
    for (before, word) in [(not_listed(), "not on the list 1"), (robots, "robots 1")] {
        let (kind, _, reason) = one(&[captured(&[]), captured(&[1])], &[captured(&[]), before]);
        assert_eq!(kind, "unknown");
        assert!(reason.ends_with(&format!("({word})")), "{reason}");
    }
}

#[test]
fn a_change_that_some_pages_show_and_others_cannot_is_likely() {
    let both = [captured(&[1]), captured(&[1])];
    assert_eq!(
        one(&both, &[captured(&[]), missed()]),
        ("added", "likely", "1 of 2 pages that show it was captured in 2026-10 and did not".into())
    );
    assert_eq!(
        one(&[captured(&[]), missed()], &both),
        ("dropped", "likely", "1 of 2 pages that showed it was captured this month and does not".into())
    );
    let (kind, certainty, reason) = one(&[captured(&[1]), captured(&[])], &[captured(&[]), missed()]);
    assert_eq!((kind, certainty), ("added", "likely"));
    assert!(reason.ends_with("; other pages of the site were missed"), "{reason}");
}

#[test]
fn a_site_that_was_never_covered_has_added_nothing() {
    for before in [not_listed(), missed()] {
        assert_eq!(one(&[captured(&[1])], &[before]), ("unknown", "unknown", "no earlier look".into()));
    }
}

#[test]
fn a_site_that_failed_this_month_keeps_what_it_had_as_unknown() {
    let site = vec![[missed(), captured(&[1, 2])], [missed(), captured(&[2])]];
    let told = told(&site);
    assert_eq!(told.len(), 2);
    for (signal, kind, _, reason) in told {
        assert_eq!(kind, "unknown");
        let count = if signal == 1 { 1 } else { 2 };
        assert_eq!(
            reason,
            format!("no page that showed it was captured this month (connect_timeout {count})")
        );
    }
}

#[test]
fn a_page_that_was_captured_once_in_a_month_is_captured() {
    let mut comparison = Comparison::default();
    for (disposition, detail) in [("failed", "throttled"), ("captured", "captured"), ("excluded", "robots")] {
        comparison.page(When::Now, URLS[0], disposition, detail);
    }
    assert!(comparison.is_covered(When::Now));
    assert!(!comparison.is_covered(When::Before));
}

#[test]
fn a_doubt_makes_an_answer_likely_at_most_and_unknown_where_the_rules_were_others() {
    let site = vec![[captured(&[1, 2, 4]), captured(&[1, 3])]];
    let doubt = Doubt { reason: "rules changed", other_rules: BTreeSet::from([1, 4]) };
    let against = Against { previous: Some("2026-10"), doubt: Some(&doubt) };
    let changes = fold(&notes(&site)).changes(against, |_| None);
    let told: Vec<_> = changes.iter().map(|change| (change.kind, change.certainty)).collect();
    let likely = |kind: Kind| (kind, Certainty::Likely);
    let unknown = (Kind::Unknown, Certainty::Unknown);
    assert_eq!(told, [likely(Kind::Kept), likely(Kind::Added), likely(Kind::Dropped), unknown]);
    assert!(changes.iter().all(|change| change.reason.ends_with("; rules changed")), "{changes:?}");
}

#[test]
fn the_earliest_time_of_any_month_is_since_when() {
    let site = vec![[captured(&[1, 2]), captured(&[1])]];
    let comparison = fold(&notes(&site));
    let since = |known: Option<Moment>| -> Vec<Moment> {
        comparison.changes(Against::default(), |_| known).iter().map(|change| change.since).collect()
    };
    assert_eq!(since(None), [MONTHS[1], MONTHS[0]]);
    assert_eq!(since(Some(Moment(5))), [Moment(5), Moment(5)]);
    assert_eq!(since(Some(Moment::FAR_FUTURE)), [MONTHS[1], MONTHS[0]]);
}

fn find(changes: &[Change], signal: i64) -> Option<(Kind, Certainty)> {
    changes.iter().find(|change| change.signal == signal).map(|change| (change.kind, change.certainty))
}

/// Whether a page that was captured in both months shows a signal only in that one.
fn changed_on_a_page(site: &Site, signal: i64, when: When) -> bool {
    site.iter().any(|months| {
        let both = months.iter().all(|month| month.end == SimulatedEnd::Captured);
        let shows = |when: When| months[when as usize].shows.contains(&signal);
        both && shows(when) && !shows(when.other())
    })
}

proptest! {
    #[test]
    fn a_month_compared_with_itself_gives_only_kept(site in any_site()) {
        let same: Site = site.into_iter().map(|[now, _]| [now.clone(), now]).collect();
        for change in changes_of(&same) {
            prop_assert_eq!((change.kind, change.certainty), (Kind::Kept, Certainty::Certain));
        }
    }

    #[test]
    fn the_order_of_pages_does_not_matter(site in any_site(), turn in 0_usize..8) {
        let mut turned = notes(&site);
        let by = turn % turned.len();
        turned.rotate_left(by);
        let back: Vec<_> = turned.iter().rev().cloned().collect();
        let against = Against { previous: Some("2026-10"), doubt: None };
        prop_assert_eq!(fold(&turned).changes(against, |_| None), changes_of(&site));
        prop_assert_eq!(fold(&back).changes(against, |_| None), changes_of(&site));
    }

    /// Whatever is told in spite of failures would be told without them, or would be told as kept: failures make an
    /// answer weaker and never another.
    #[test]
    fn a_page_that_fails_never_makes_a_change((site, failed) in any_site_with_failures()) {
        let truth = changes_of(&site);
        for change in changes_of(&failed) {
            let was = find(&truth, change.signal).map(|(kind, _)| kind);
            match (change.kind, change.certainty) {
                (Kind::Unknown, _) => {}
                (Kind::Kept, _) => prop_assert_eq!(was, Some(Kind::Kept)),
                (kind, Certainty::Certain) => {
                    prop_assert_eq!(find(&truth, change.signal), Some((kind, Certainty::Certain)));
                }
                (kind, _) => {
                    prop_assert!(was == Some(kind) || was == Some(Kind::Kept), "{was:?} became {kind:?}");
                    let when = if kind == Kind::Added { When::Now } else { When::Before };
                    prop_assert!(changed_on_a_page(&site, change.signal, when));
                }
            }
        }
    }
}
