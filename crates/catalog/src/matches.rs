//! What was seen on which page, and how far was each segment read?
//!
//! How far and what go together: a batch moves the segment's entry in the ledger and writes its facts in one
//! transaction, so that a crash at any instant leaves neither a fact twice nor one missing.

use std::collections::BTreeSet;

use domain::Moment;

use crate::{
    Catalog, CatalogError, ErrorKind, Kind, Row, Statement, Step, Value,
    statements::{
        ADD_MATCH, ADD_PAGE, ADD_PROCESSED_MONTH, ADVANCE_SEGMENT, BEGIN_SEGMENT, COUNT_SITES_OF_PAGES,
        GET_SEGMENT, LIST_PROCESSED_MONTHS, LIST_ROUNDS_OF_MONTH, LIST_SEGMENTS,
    },
};

/// A segment, read with a rule set.
#[derive(Debug, Clone, Copy)]
pub struct SegmentId<'a> {
    /// The hash of its bytes.
    pub sha256: &'a str,
    /// The version of the rules.
    pub rule_set: i64,
    /// The round that wrote it.
    pub round: &'a str,
    /// Its number in the round.
    pub segment: i64,
}

/// How far a segment was read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Progress {
    /// How many of its records are in the catalog.
    pub records_done: i64,
    /// Whether that is all of them.
    pub finished: bool,
}

/// How one target of a list ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PageRow {
    /// The line of the list.
    pub line: i64,
    /// The key of the site that it belongs to.
    pub site: String,
    /// The normalised URL.
    pub url: String,
    /// Where the redirects led.
    pub final_url: Option<String>,
    /// When it ended.
    pub ended_at: Moment,
    /// The month of that (`2026-11`).
    pub month: String,
    /// `captured`, `excluded` or `failed`.
    pub disposition: String,
    /// The finer name of that.
    pub detail: String,
    /// The HTTP status, where there was one.
    pub status: Option<i64>,
}

/// One fingerprint seen on one page.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MatchRow {
    /// The line of the list.
    pub line: i64,
    /// The number of the fingerprint.
    pub fingerprint: i64,
    /// The key of the site that the page belongs to.
    pub site: String,
    /// The month in which the page was fetched (`2026-11`), as its page has it.
    pub month: String,
    /// When the page was fetched.
    pub found_at: Moment,
    /// How sure it is, of a hundred.
    pub confidence: i64,
    /// Where in its part it was seen, in bytes.
    pub position: i64,
    /// What stood there.
    pub snippet: String,
    /// The version that was read off.
    pub version: Option<String>,
    /// The account's id that was read off.
    pub account: Option<String>,
    /// The tracker's id that was read off.
    pub tracker: Option<String>,
    /// The number of the signal from which it only follows.
    pub implied_by: Option<i64>,
}

/// What some records of a segment say, to be written all or nothing.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Batch {
    /// How many records were done before it.
    pub from: i64,
    /// How many are done after it.
    pub to: i64,
    /// Whether these are all.
    pub last: bool,
    /// The pages of the records.
    pub pages: Vec<PageRow>,
    /// What was seen on them.
    pub matches: Vec<MatchRow>,
}

/// The entry of a segment in the ledger.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ProcessedSegment {
    /// The hash of its bytes.
    pub sha256: String,
    /// The version of the rules that it was read with.
    pub rule_set: i64,
    /// The round that wrote it.
    pub round: String,
    /// Its number in the round.
    pub segment: i64,
    /// How many of its records are in the catalog.
    pub records_done: i64,
    /// How many pages were read off it.
    pub pages: i64,
    /// How many matches were read off it.
    pub matches: i64,
    /// When the reading began.
    pub started_at: Moment,
    /// When it was whole.
    pub finished_at: Option<Moment>,
}

/// How many sites have pages in a month.
pub async fn count_sites(catalog: &Catalog, month: &str) -> Result<u64, CatalogError> {
    let done = catalog.run(COUNT_SITES_OF_PAGES, [month.into()]).await?;
    done.rows.first().map_or(Ok(0), |row| row.number("sites"))
}

/// Makes the segment's entry in the ledger if there is none, and says how far it was read.
pub async fn begin_segment(
    catalog: &Catalog,
    id: &SegmentId<'_>,
    now: Moment,
) -> Result<Progress, CatalogError> {
    let SegmentId { sha256, rule_set, round, segment } = *id;
    let key: [Value; 2] = [sha256.into(), rule_set.into()];
    let entry: [Value; 5] = [sha256.into(), rule_set.into(), round.into(), segment.into(), now.into()];
    let steps = vec![Step::once(BEGIN_SEGMENT, entry), Step::once(GET_SEGMENT, key)];
    let done = catalog.transaction(steps).await?;
    let Some(row) = done.get(1).and_then(|step| step.rows.first()) else {
        return Err(CatalogError::new(ErrorKind::Defect, "a segment began without an entry in the ledger"));
    };
    Ok(Progress {
        records_done: row.int("records_done")?,
        finished: row.moment_opt("finished_at")?.is_some(),
    })
}

/// Moves the segment's entry from `batch.from` to `batch.to` and writes what its records say, in one transaction with
/// at most `sub_batch` rows to a statement.
///
/// A conflict means that somebody else moved the entry, or that this very batch was written before a connection was
/// lost: ask [`begin_segment`] which. Rows that are there already stay as they are.
pub async fn write_batch(
    catalog: &Catalog,
    id: &SegmentId<'_>,
    batch: Batch,
    sub_batch: usize,
    now: Moment,
) -> Result<(), CatalogError> {
    let SegmentId { sha256, rule_set, round, segment } = *id;
    let Batch { from, to, last, pages, matches } = batch;
    let months: BTreeSet<&str> = pages.iter().map(|page| page.month.as_str()).collect();
    let months = months.into_iter().map(|month| vec![month.into(), round.into(), rule_set.into()]).collect();
    let fence: [Value; 7] = [
        sha256.into(),
        rule_set.into(),
        from.into(),
        to.into(),
        (pages.len() as i64).into(),
        (matches.len() as i64).into(),
        Value::optional(last.then_some(now), Kind::Time),
    ];
    let mut steps =
        vec![Step::once(ADVANCE_SEGMENT, fence).must_change(1), Step::each(ADD_PROCESSED_MONTH, months)];
    let pages = pages.into_iter().map(|page| page_values(round, page));
    push_in_sub_batches(&mut steps, ADD_PAGE, pages, sub_batch);
    let matches = matches.into_iter().map(|one| match_values(round, rule_set, one));
    push_in_sub_batches(&mut steps, ADD_MATCH, matches, sub_batch);
    match catalog.transaction(steps).await {
        Err(error) if error.kind() == ErrorKind::Conflict => {
            let what = format!(
                "segment {segment} of round {round} is not at record {from} with rule set {rule_set}"
            );
            Err(error.during(what))
        }
        other => other.map(drop),
    }
}

/// The ledger's entries of a round, by segment and rule set.
pub async fn processed(catalog: &Catalog, round: &str) -> Result<Vec<ProcessedSegment>, CatalogError> {
    catalog.run(LIST_SEGMENTS, [round.into()]).await?.rows.iter().map(segment_of).collect()
}

/// The months of which pages were read with this rule set, of one round or of all, oldest first.
pub async fn months(
    catalog: &Catalog,
    rule_set: i64,
    round: Option<&str>,
) -> Result<Vec<String>, CatalogError> {
    let done =
        catalog.run(LIST_PROCESSED_MONTHS, [rule_set.into(), round.unwrap_or_default().into()]).await?;
    done.rows.iter().map(|row| row.text("month")).collect()
}

/// The rounds of which pages ended in this month, by name.
pub async fn rounds_of_month(catalog: &Catalog, month: &str) -> Result<Vec<String>, CatalogError> {
    let done = catalog.run(LIST_ROUNDS_OF_MONTH, [month.into()]).await?;
    done.rows.iter().map(|row| row.text("round")).collect()
}

fn push_in_sub_batches(
    steps: &mut Vec<Step>,
    statement: Statement,
    mut rows: impl Iterator<Item = Vec<Value>>,
    sub_batch: usize,
) {
    loop {
        let some: Vec<_> = rows.by_ref().take(sub_batch.max(1)).collect();
        if some.is_empty() {
            return;
        }
        steps.push(Step::each(statement, some));
    }
}

fn page_values(round: &str, page: PageRow) -> Vec<Value> {
    let PageRow { line, site, url, final_url, ended_at, month, disposition, detail, status } = page;
    vec![
        round.into(),
        line.into(),
        site.into(),
        month.into(),
        url.into(),
        Value::optional(final_url, Kind::Text),
        ended_at.into(),
        disposition.into(),
        detail.into(),
        Value::optional(status, Kind::Int),
    ]
}

fn match_values(round: &str, rule_set: i64, row: MatchRow) -> Vec<Value> {
    let MatchRow {
        line,
        fingerprint,
        site,
        month,
        found_at,
        confidence,
        position,
        snippet,
        version,
        account,
        tracker,
        implied_by,
    } = row;
    vec![
        round.into(),
        line.into(),
        fingerprint.into(),
        rule_set.into(),
        site.into(),
        month.into(),
        found_at.into(),
        confidence.into(),
        position.into(),
        snippet.into(),
        Value::optional(version, Kind::Text),
        Value::optional(account, Kind::Text),
        Value::optional(tracker, Kind::Text),
        Value::optional(implied_by, Kind::Int),
    ]
}

fn segment_of(row: &Row) -> Result<ProcessedSegment, CatalogError> {
    Ok(ProcessedSegment {
        sha256: row.text("sha256")?,
        rule_set: row.int("rule_set")?,
        round: row.text("round")?,
        segment: row.int("segment")?,
        records_done: row.int("records_done")?,
        pages: row.int("pages")?,
        matches: row.int("matches")?,
        started_at: row.moment("started_at")?,
        finished_at: row.moment_opt("finished_at")?,
    })
}
