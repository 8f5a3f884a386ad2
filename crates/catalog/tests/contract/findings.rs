//! Does folding matches give what counting them by hand gives, again and again, and never take anything back?

use std::collections::{BTreeMap, BTreeSet};

use catalog::{
    Catalog,
    findings::{self, Aggregated, FindingRow, MonthRow, Since, SiteMonth, aggregate},
    matches::{MatchRow, PageRow},
};
use domain::Moment;

use crate::{
    place::{NOW, Place, sql},
    scene::{MONTH, ended, found, load_rules, page, write},
};

const LATER: Moment = Moment(NOW.0 + 60_000);

async fn all(catalog: &Catalog, month: &str) -> Vec<FindingRow> {
    let mut rows: Vec<FindingRow> = Vec::new();
    loop {
        let after = rows.last().cloned();
        let after = after.as_ref().map(|row| (&*row.site, &*row.signal, &*row.fingerprint_key));
        let some = findings::list(catalog, month, after, 3).await.unwrap();
        if some.is_empty() {
            return rows;
        }
        assert!(some.len() <= 3);
        rows.extend(some);
    }
}

/// Every cell of every row, so that "nothing changed" means all of them.
async fn everything(catalog: &Catalog) -> Vec<String> {
    let mut cells = Vec::new();
    for text in [
        "SELECT * FROM findings ORDER BY site, fingerprint, month",
        "SELECT * FROM site_months ORDER BY site, month",
    ] {
        cells.extend(catalog.run(sql(text), []).await.unwrap().rows.iter().map(|row| format!("{row:?}")));
    }
    cells
}

/// The same numbers on every run and every machine.
struct Dice(u64);

impl Dice {
    fn below(&mut self, limit: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % limit
    }
}

struct Visit {
    round: &'static str,
    page: PageRow,
    matches: Vec<MatchRow>,
}

/// Three rounds of one month over the same pages of sites whose names sort differently in most languages than in bytes.
fn visits() -> Vec<Visit> {
    let mut dice = Dice(7);
    let mut visits = Vec::new();
    for round in ["r1", "r2", "r3"] {
        for (line, site) in (1..).zip(["", "Z", "a", "a b", "a-b", "ab", "é"].repeat(3)) {
            let (disposition, detail) = match dice.below(5) {
                0 => ("failed", ["http_status", "dns_failed"][dice.below(2) as usize]),
                1 => ("excluded", "robots"),
                _ => ("captured", "captured"),
            };
            let at = Moment(NOW.0 + dice.below(1_000) as i64);
            let page = PageRow { ended_at: at, ..ended(line, site, disposition, detail) };
            let shown = if disposition == "captured" { 5 } else { 0 };
            let mut matches = Vec::new();
            for fingerprint in 1..=shown {
                if dice.below(2) == 0 {
                    let confidence = 50 + 10 * dice.below(3) as i64;
                    let version = (dice.below(2) == 0).then(|| format!("{round}.{line}"));
                    let implied_by = (fingerprint == 5).then_some(1);
                    let seen = found(line, site, fingerprint);
                    matches.push(MatchRow { found_at: at, confidence, version, implied_by, ..seen });
                }
            }
            visits.push(Visit { round, page, matches });
        }
    }
    visits
}

pub async fn findings_are_what_a_count_by_hand_gives(place: Place) {
    let catalog = place.migrated().await;
    load_rules(&catalog).await;
    let visits = visits();
    for round in ["r1", "r2", "r3"] {
        let of_round = || visits.iter().filter(|visit| visit.round == round);
        let pages = of_round().map(|visit| visit.page.clone()).collect();
        let matches = of_round().flat_map(|visit| visit.matches.clone()).collect();
        write(&catalog, round, 1, pages, matches).await;
    }
    let mut by_key: BTreeMap<(String, i64), Vec<(&Visit, &MatchRow)>> = BTreeMap::new();
    for visit in &visits {
        for one in &visit.matches {
            by_key.entry((one.site.clone(), one.fingerprint)).or_default().push((visit, one));
        }
    }
    let aggregated = aggregate(&catalog, MONTH, 1, NOW).await.unwrap();
    let (findings, sites) = (by_key.len() as u64, 7);
    assert_eq!(aggregated, Aggregated { findings, sites, changed: findings + sites });

    let listed = all(&catalog, MONTH).await;
    assert_eq!(listed.len(), by_key.len());
    let order: Vec<_> = listed.iter().map(|row| (&row.site, &row.signal, &row.fingerprint_key)).collect();
    assert!(order.is_sorted(), "{order:?}");
    for row in &listed {
        let seen = &by_key[&(row.site.clone(), row.fingerprint)];
        let (visit, best) = seen
            .iter()
            .min_by_key(|(visit, one)| (-one.confidence, one.found_at, visit.round, one.line))
            .unwrap();
        assert_eq!(row.match_count, seen.len() as i64);
        assert_eq!(row.first_seen_at, seen.iter().map(|(_, one)| one.found_at).min().unwrap());
        assert_eq!(row.last_seen_at, seen.iter().map(|(_, one)| one.found_at).max().unwrap());
        let evidence = (&row.url, &row.snippet, row.position, row.confidence, &row.version);
        assert_eq!(evidence, (&visit.page.url, &best.snippet, best.position, best.confidence, &best.version));
        assert_eq!(row.implied_by.as_deref(), (row.fingerprint == 5).then_some("Alpha"));
        assert_eq!(row.exclusive, row.category == "chat");
        assert_eq!(row.category_title, format!("The {}s", row.category));
        assert_eq!(row.vendor, format!("{} Inc.", row.signal));
    }
    coverage_is_right(&catalog, &visits).await;
    months_are_counted(&catalog).await;
}

/// What is kept of each month is what a count of its rows gives.
async fn months_are_counted(catalog: &Catalog) {
    let count = async |text: &str| catalog.run(sql(text), []).await.unwrap().rows[0].int("n").unwrap();
    let months = findings::months(catalog).await.unwrap();
    let sum = |value: fn(&MonthRow) -> i64| months.iter().map(value).sum::<i64>();
    assert_eq!(sum(|month| month.findings), count("SELECT count(*) AS n FROM findings").await);
    assert_eq!(sum(|month| month.sites), count("SELECT count(*) AS n FROM site_months").await);
    for (value, column) in
        [(sum(|month| month.targets), "targets"), (sum(|month| month.captured), "captured")]
    {
        assert_eq!(
            value,
            count(&format!("SELECT CAST(sum({column}) AS bigint) AS n FROM site_months")).await
        );
    }
    for month in &months {
        for rule_set in &month.rule_sets {
            let text = format!(
                "SELECT count(*) AS n FROM findings WHERE month = '{}' AND rule_set = {rule_set}",
                month.month
            );
            assert!(count(&text).await > 0);
        }
    }
}

async fn coverage_is_right(catalog: &Catalog, visits: &[Visit]) {
    let mut by_page: BTreeMap<(&str, &str), Vec<&PageRow>> = BTreeMap::new();
    for visit in visits {
        by_page.entry((&visit.page.site, &visit.page.url)).or_default().push(&visit.page);
    }
    let mut expected: BTreeMap<&str, SiteMonth> = BTreeMap::new();
    let mut details: BTreeMap<&str, BTreeMap<&str, i64>> = BTreeMap::new();
    for ((site, _), pages) in by_page {
        let row = expected.entry(site).or_insert_with(|| SiteMonth {
            site: site.into(),
            month: MONTH.into(),
            targets: 0,
            captured: 0,
            failed: 0,
            excluded: 0,
            main_detail: None,
        });
        row.targets += 1;
        let last = pages.iter().max_by_key(|page| page.ended_at).unwrap();
        if pages.iter().any(|page| page.disposition == "captured") {
            row.captured += 1;
            continue;
        }
        if last.disposition == "failed" {
            row.failed += 1
        } else {
            row.excluded += 1
        }
        *details.entry(site).or_default().entry(&last.detail).or_default() += 1;
    }
    for (site, details) in details {
        let most = details.values().max().copied();
        let main = details.iter().find(|(_, count)| Some(**count) == most).map(|(detail, _)| *detail);
        expected.get_mut(site).unwrap().main_detail = main.map(str::to_owned);
    }
    let first = findings::site_months(catalog, MONTH, None, 4).await.unwrap();
    let rest = findings::site_months(catalog, MONTH, Some(&first[3].site), 4).await.unwrap();
    assert_eq!([first, rest].concat(), expected.into_values().collect::<Vec<_>>());
}

pub async fn aggregating_again_changes_nothing(place: Place) {
    let catalog = place.migrated().await;
    load_rules(&catalog).await;
    let pages = vec![page(1, "a"), page(2, "b"), ended(3, "b", "failed", "dns_failed")];
    write(&catalog, "r", 1, pages, vec![found(1, "a", 1), found(2, "b", 1), found(2, "b", 3)]).await;
    let first = aggregate(&catalog, MONTH, 1, NOW).await.unwrap();
    assert_eq!(first, Aggregated { findings: 3, sites: 2, changed: 5 });
    let before = everything(&catalog).await;
    let second = aggregate(&catalog, MONTH, 1, LATER).await.unwrap();
    assert_eq!(second, Aggregated { changed: 0, ..first });
    assert_eq!(everything(&catalog).await, before, "not even the time of the last change");
    months_are_counted(&catalog).await;
    assert_eq!(aggregate(&catalog, "2023-10", 1, LATER).await.unwrap(), Aggregated::default());
}

pub async fn first_seen_only_moves_back_and_last_seen_only_forward(place: Place) {
    let catalog = place.migrated().await;
    load_rules(&catalog).await;
    let times = async || {
        let row = all(&catalog, MONTH).await.remove(0);
        (row.first_seen_at.0 - NOW.0, row.last_seen_at.0 - NOW.0, row.rule_set, row.match_count)
    };
    let steps = [(1, 500, (500, 500, 1, 1)), (2, 700, (500, 700, 2, 1)), (3, 100, (100, 700, 3, 1))];
    for (rule_set, at, expected) in steps {
        let seen = MatchRow { found_at: Moment(NOW.0 + at), ..found(1, "a", 1) };
        write(&catalog, "r", rule_set, vec![page(1, "a")], vec![seen]).await;
        aggregate(&catalog, MONTH, rule_set, NOW).await.unwrap();
        assert_eq!(times().await, expected);
    }
    // the first rules again: their finding is back, but what is known of the times stays
    aggregate(&catalog, MONTH, 1, NOW).await.unwrap();
    assert_eq!(times().await, (100, 700, 1, 1));
}

pub async fn what_only_other_rules_saw_goes_once_all_was_read_again(place: Place) {
    let catalog = place.migrated().await;
    load_rules(&catalog).await;
    write(&catalog, "r", 1, vec![page(1, "a")], vec![found(1, "a", 1), found(1, "a", 3)]).await;
    write(&catalog, "s", 1, vec![page(1, "b")], vec![found(1, "b", 1)]).await;
    write(&catalog, "r", 2, vec![page(1, "a")], vec![found(1, "a", 3), found(1, "a", 4)]).await;
    for rule_set in [1, 2] {
        aggregate(&catalog, MONTH, rule_set, NOW).await.unwrap();
    }
    let made_by = async || -> Vec<(String, i64, i64)> {
        let rows = all(&catalog, MONTH).await;
        rows.into_iter().map(|row| (row.site, row.fingerprint, row.rule_set)).collect()
    };
    let row = |site: &str, fingerprint, rule_set| (site.to_owned(), fingerprint, rule_set);
    // a round of the month was not read with the second rules yet
    assert_eq!(made_by().await, [row("a", 1, 1), row("a", 3, 2), row("a", 4, 2), row("b", 1, 1)]);
    let months = findings::months(&catalog).await.unwrap();
    assert_eq!(months.len(), 1);
    assert_eq!((&*months[0].month, &*months[0].rule_sets), (MONTH, &[1, 2][..]));
    assert_eq!((months[0].findings, months[0].sites, months[0].targets, months[0].captured), (4, 2, 2, 2));
    months_are_counted(&catalog).await;
    write(&catalog, "s", 2, vec![page(1, "b")], vec![]).await;
    aggregate(&catalog, MONTH, 2, NOW).await.unwrap();
    assert_eq!(made_by().await, [row("a", 3, 2), row("a", 4, 2)]);
    assert_eq!(findings::months(&catalog).await.unwrap()[0].rule_sets, [2]);
    months_are_counted(&catalog).await;
}

pub async fn findings_outlive_their_matches(place: Place) {
    let catalog = place.migrated().await;
    load_rules(&catalog).await;
    let matches = (1..=4).map(|line| found(line, "a", 1)).collect();
    write(&catalog, "r", 1, (1..=4).map(|line| page(line, "a")).collect(), matches).await;
    aggregate(&catalog, MONTH, 1, NOW).await.unwrap();
    let before = everything(&catalog).await;
    // an archiver that died half way, and one that did not
    for gone in ["line <= 2", "TRUE"] {
        catalog.run(sql(format!("DELETE FROM matches WHERE {gone}")), []).await.unwrap();
        aggregate(&catalog, MONTH, 1, LATER).await.unwrap();
        assert_eq!(everything(&catalog).await, before, "after {gone} was gone");
    }
}

pub async fn since_is_the_earliest_of_all_months(place: Place) {
    let catalog = place.migrated().await;
    load_rules(&catalog).await;
    let months = [("2023-09", 10), ("2023-10", 20), ("2023-11", 30), ("2023-12", 5)];
    for (month, at) in months {
        let in_month = |row: PageRow| PageRow { month: month.into(), ..row };
        let mut pages = vec![in_month(page(1, "a")), in_month(page(2, "b"))];
        if month == "2023-10" {
            pages[1].disposition = "failed".into();
        }
        // the second fingerprint of Alpha is the older way to see it
        let fingerprint = if month == "2023-09" { 2 } else { 1 };
        let seen = MatchRow { month: month.into(), found_at: Moment(at), ..found(1, "a", fingerprint) };
        write(&catalog, month, 1, pages, vec![seen]).await;
        aggregate(&catalog, month, 1, NOW).await.unwrap();
    }
    let since = |at: i64| vec![Since { site: "a".into(), signal_id: 1, since: Moment(at) }];
    assert_eq!(findings::since(&catalog, "2023-11", None, 10).await.unwrap(), since(10));
    assert_eq!(findings::since(&catalog, "2023-12", None, 10).await.unwrap(), since(5));
    assert_eq!(findings::since(&catalog, "2023-11", Some("a"), 10).await.unwrap(), []);
    assert_eq!(findings::since(&catalog, "2024-01", None, 10).await.unwrap(), [], "nobody was visited then");
    assert_eq!(findings::since_between(&catalog, "2024-01", None, "b").await.unwrap(), since(5));
    let covered = findings::last_covered(&catalog, "2023-11", None, "b").await.unwrap();
    let covered: Vec<_> = covered.iter().map(|(site, month)| (&**site, &**month)).collect();
    assert_eq!(covered, [("a", "2023-10"), ("b", "2023-09")]);
    assert_eq!(findings::last_covered(&catalog, "2023-09", None, "b").await.unwrap(), []);
    months_are_counted(&catalog).await;
}

pub async fn a_month_of_many_sites_is_folded_in_parts(place: Place) {
    let catalog = place.migrated().await;
    load_rules(&catalog).await;
    let sites = 5_000;
    let name = |line: i64| format!("s{:04}", line % sites);
    let pages = (0..sites).map(|line| page(line, &name(line))).collect();
    let matches = (0..sites).map(|line| found(line, &name(line), 1 + line % 3)).collect();
    write(&catalog, "r", 1, pages, matches).await;
    let mut parts = BTreeSet::new();
    let mut after = None;
    while let Some(part) = findings::aggregate_part(&catalog, MONTH, 1, after.as_deref(), NOW).await.unwrap()
    {
        assert_eq!(part.aggregated.findings, part.aggregated.sites);
        assert!(parts.insert(part.upto.clone()), "the parts go round in circles");
        after = Some(part.upto);
    }
    assert!(parts.len() > 1);
    let expected = Aggregated { findings: 5_000, sites: 5_000, changed: 0 };
    assert_eq!(aggregate(&catalog, MONTH, 1, NOW).await.unwrap(), expected);
    months_are_counted(&catalog).await;
}
