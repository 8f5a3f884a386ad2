//! What did each site show in a month, and how much of it was looked at?

use std::collections::BTreeMap;

use domain::Moment;

use crate::{
    Catalog, CatalogError, Done, ErrorKind, Row, Step, Value,
    changes::last_of_next_sites,
    paging::behind,
    statements::{
        AGGREGATE_FINDINGS, AGGREGATE_SITE_MONTHS, COUNT_FINDINGS_BETWEEN, COUNT_SITES_BETWEEN,
        DROP_SUPERSEDED_FINDINGS, LAST_COVERED, LAST_SITE_OF_PAGES, LIST_COVERAGE_OF_MONTHS, LIST_FINDINGS,
        LIST_FINDINGS_OF_MONTHS, LIST_SITE_MONTHS, SINCE, TALLY_FINDINGS, TALLY_SITE_MONTHS,
    },
};

// One transaction's worth: a fraction of a second, so that neither a heartbeat nor another's write waits for long.
const PAGES_AT_ONCE: i64 = 2_000;

/// What aggregating came to.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Aggregated {
    /// The findings of the rule set.
    pub findings: u64,
    /// The sites that were visited, whether or not they could be.
    pub sites: u64,
    /// The rows that are new or another than they were.
    pub changed: u64,
}

impl Aggregated {
    /// Adds what other sites came to.
    pub fn add(&mut self, other: Aggregated) {
        let Aggregated { findings, sites, changed } = other;
        self.findings += findings;
        self.sites += sites;
        self.changed += changed;
    }
}

/// What aggregating some sites came to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Part {
    /// The last of the sites: the next part begins after it.
    pub upto: String,
    /// What it came to.
    pub aggregated: Aggregated,
}

/// Folds the matches of one month, made with one rule set, into findings, and its pages into what was looked at.
///
/// It may be repeated: `first_seen_at` only moves back, `last_seen_at` only forward, and without anything new no row
/// changes. Findings that only another rule set made go when every segment of the month was read with this one; until
/// then they stay as they are, and so do those whose matches were archived.
pub async fn aggregate(
    catalog: &Catalog,
    month: &str,
    rule_set: i64,
    now: Moment,
) -> Result<Aggregated, CatalogError> {
    let mut total = Aggregated::default();
    let mut after = None;
    while let Some(part) = aggregate_part(catalog, month, rule_set, after.as_deref(), now).await? {
        total.add(part.aggregated);
        after = Some(part.upto);
    }
    Ok(total)
}

/// The same for the next few sites after `after`, in one transaction; `None` when there are no more.
pub async fn aggregate_part(
    catalog: &Catalog,
    month: &str,
    rule_set: i64,
    after: Option<&str>,
    now: Moment,
) -> Result<Option<Part>, CatalogError> {
    let done = catalog.run(LAST_SITE_OF_PAGES, [month.into(), behind(after), PAGES_AT_ONCE.into()]).await?;
    let Some(upto) = done.rows.first().map(|row| row.text_opt("site")).transpose()?.flatten() else {
        return Ok(None);
    };
    let sites: [Value; 3] = [month.into(), behind(after), upto.as_str().into()];
    let with = |more: &[Value]| [&sites, more].concat();
    let tally =
        |sign: i64| [TALLY_FINDINGS, TALLY_SITE_MONTHS].map(|tally| Step::once(tally, with(&[sign.into()])));
    let fold = [
        Step::once(AGGREGATE_FINDINGS, with(&[rule_set.into(), now.into()])),
        Step::once(DROP_SUPERSEDED_FINDINGS, with(&[rule_set.into()])),
        Step::once(AGGREGATE_SITE_MONTHS, with(&[now.into()])),
    ];
    let count = [
        Step::once(COUNT_FINDINGS_BETWEEN, with(&[rule_set.into()])),
        Step::once(COUNT_SITES_BETWEEN, sites.clone()),
    ];
    let steps = tally(-1).into_iter().chain(fold).chain(tally(1)).chain(count).collect();
    let done = catalog.transaction(steps).await?;
    let [_, _, findings, dropped, site_months, _, _, counted_findings, counted_sites] = done.as_slice()
    else {
        return Err(CatalogError::new(ErrorKind::Defect, "nine steps had not nine answers"));
    };
    let count = |step: &Done, column| step.rows.first().map_or(Ok(0), |row| row.number::<u64>(column));
    let aggregated = Aggregated {
        findings: count(counted_findings, "findings")?,
        sites: count(counted_sites, "sites")?,
        changed: findings.changed + dropped.changed + site_months.changed,
    };
    Ok(Some(Part { upto, aggregated }))
}

/// A month that was aggregated.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct MonthRow {
    /// The month (`2026-11`).
    pub month: String,
    /// The versions of the rules that its findings were made with.
    pub rule_sets: Vec<i64>,
    /// How many findings it has.
    pub findings: i64,
    /// How many sites were visited.
    pub sites: i64,
    /// How many pages were to be captured.
    pub targets: i64,
    /// How many were.
    pub captured: i64,
}

/// The months that were aggregated, oldest first.
pub async fn months(catalog: &Catalog) -> Result<Vec<MonthRow>, CatalogError> {
    let steps = vec![Step::once(LIST_COVERAGE_OF_MONTHS, []), Step::once(LIST_FINDINGS_OF_MONTHS, [])];
    let done = catalog.transaction(steps).await?;
    let rows = |at: usize| done.get(at).map_or(&[][..], |step| step.rows.as_slice());
    let mut months: BTreeMap<String, MonthRow> = BTreeMap::new();
    for row in rows(0) {
        let month = months.entry(row.text("month")?).or_default();
        month.sites = row.int("sites")?;
        month.targets = row.int("targets")?;
        month.captured = row.int("captured")?;
    }
    for row in rows(1) {
        let month = months.entry(row.text("month")?).or_default();
        month.rule_sets.push(row.int("rule_set")?);
        month.findings += row.int("findings")?;
    }
    Ok(months.into_iter().map(|(month, row)| MonthRow { month, ..row }).collect())
}

/// One fingerprint seen on one site in one month, with the names of what it shows.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FindingRow {
    /// The key of the site.
    pub site: String,
    /// The month (`2026-11`).
    pub month: String,
    /// The number of the fingerprint.
    pub fingerprint: i64,
    /// The fingerprint's name.
    pub fingerprint_key: String,
    /// The part of a capture that it looks at.
    pub part: String,
    /// The number of the signal.
    pub signal_id: i64,
    /// The product's name.
    pub signal: String,
    /// Who makes it.
    pub vendor: String,
    /// The line of products that it belongs to.
    pub family: String,
    /// The key of its category.
    pub category: String,
    /// The category's name for people.
    pub category_title: String,
    /// Whether an organisation has need of one product of the category.
    pub exclusive: bool,
    /// The version of the rules that saw it.
    pub rule_set: i64,
    /// How often it was seen: once for each page and round.
    pub match_count: i64,
    /// When it was first seen in the month.
    pub first_seen_at: Moment,
    /// When it was last seen in the month.
    pub last_seen_at: Moment,
    /// How sure the best match is, of a hundred.
    pub confidence: i64,
    /// The version of the product that was read off.
    pub version: Option<String>,
    /// The account's id that was read off.
    pub account: Option<String>,
    /// The tracker's id that was read off.
    pub tracker: Option<String>,
    /// The page of the best match.
    pub url: String,
    /// Where in its part the best match stood, in bytes.
    pub position: i64,
    /// What stood there.
    pub snippet: String,
    /// The name of the signal from which it only follows.
    pub implied_by: Option<String>,
}

/// The findings of a month in the order of site, signal and fingerprint key, behind those three, at most `limit`.
pub async fn list(
    catalog: &Catalog,
    month: &str,
    after: Option<(&str, &str, &str)>,
    limit: i64,
) -> Result<Vec<FindingRow>, CatalogError> {
    let (site, signal, key) = after.unwrap_or_default();
    let parameters: [Value; 5] = [month.into(), site.into(), signal.into(), key.into(), limit.into()];
    catalog.run(LIST_FINDINGS, parameters).await?.rows.iter().map(finding_of).collect()
}

/// How much of a site was looked at in a month.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SiteMonth {
    /// The key of the site.
    pub site: String,
    /// The month (`2026-11`).
    pub month: String,
    /// How many of its pages were on a list.
    pub targets: i64,
    /// How many were captured, in any round of the month.
    pub captured: i64,
    /// How many failed in the last round that tried.
    pub failed: i64,
    /// How many were excluded in the last round that tried.
    pub excluded: i64,
    /// How most of those that were not captured ended.
    pub main_detail: Option<String>,
}

/// How much of each site was looked at in a month, by site, behind `after`, at most `limit`.
pub async fn site_months(
    catalog: &Catalog,
    month: &str,
    after: Option<&str>,
    limit: i64,
) -> Result<Vec<SiteMonth>, CatalogError> {
    let done = catalog.run(LIST_SITE_MONTHS, [month.into(), behind(after), limit.into()]).await?;
    done.rows.iter().map(site_month_of).collect()
}

/// Since when a site shows a signal.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Since {
    /// The key of the site.
    pub site: String,
    /// The number of the signal.
    pub signal_id: i64,
    /// When it was first seen in any month.
    pub since: Moment,
}

/// When each signal was first seen, in `month` or before it, on the next `sites` sites after `after` that were visited in
/// `month`; by site and signal number.
pub async fn since(
    catalog: &Catalog,
    month: &str,
    after: Option<&str>,
    sites: i64,
) -> Result<Vec<Since>, CatalogError> {
    match last_of_next_sites(catalog, month, after, sites).await? {
        Some(upto) => since_between(catalog, month, after, &upto).await,
        None => Ok(Vec::new()),
    }
}

/// When each signal was first seen, in `month` or before it, on every site after `after` up to `upto`.
pub async fn since_between(
    catalog: &Catalog,
    month: &str,
    after: Option<&str>,
    upto: &str,
) -> Result<Vec<Since>, CatalogError> {
    let done = catalog.run(SINCE, [month.into(), behind(after), upto.into()]).await?;
    let since_of = |row: &Row| {
        let (site, signal_id) = (row.text("site")?, row.int("signal_id")?);
        Ok(Since { site, signal_id, since: row.moment("since")? })
    };
    done.rows.iter().map(since_of).collect()
}

/// The latest month before `month` in which a page of the site was captured, for every site after `after` up to `upto`
/// that has one; by site.
pub async fn last_covered(
    catalog: &Catalog,
    month: &str,
    after: Option<&str>,
    upto: &str,
) -> Result<Vec<(String, String)>, CatalogError> {
    let done = catalog.run(LAST_COVERED, [month.into(), behind(after), upto.into()]).await?;
    done.rows.iter().map(|row| Ok((row.text("site")?, row.text("month")?))).collect()
}

fn finding_of(row: &Row) -> Result<FindingRow, CatalogError> {
    Ok(FindingRow {
        site: row.text("site")?,
        month: row.text("month")?,
        fingerprint: row.int("fingerprint")?,
        fingerprint_key: row.text("fingerprint_key")?,
        part: row.text("part")?,
        signal_id: row.int("signal_id")?,
        signal: row.text("signal")?,
        vendor: row.text("vendor")?,
        family: row.text("family")?,
        category: row.text("category")?,
        category_title: row.text("category_title")?,
        exclusive: row.bool("exclusive")?,
        rule_set: row.int("rule_set")?,
        match_count: row.int("match_count")?,
        first_seen_at: row.moment("first_seen_at")?,
        last_seen_at: row.moment("last_seen_at")?,
        confidence: row.int("confidence")?,
        version: row.text_opt("version")?,
        account: row.text_opt("account")?,
        tracker: row.text_opt("tracker")?,
        url: row.text("url")?,
        position: row.int("position")?,
        snippet: row.text("snippet")?,
        implied_by: row.text_opt("implied_by")?,
    })
}

fn site_month_of(row: &Row) -> Result<SiteMonth, CatalogError> {
    Ok(SiteMonth {
        site: row.text("site")?,
        month: row.text("month")?,
        targets: row.int("targets")?,
        captured: row.int("captured")?,
        failed: row.int("failed")?,
        excluded: row.int("excluded")?,
        main_detail: row.text_opt("main_detail")?,
    })
}
