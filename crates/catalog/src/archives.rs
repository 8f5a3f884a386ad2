//! Which match rows left the catalog, and where are they?
//!
//! A file is noted before the first of its rows is deleted, and rows are deleted by their own keys: whatever instant the
//! archiver dies, each row is in the catalog or in a noted file, and what others add meanwhile stays.

use domain::Moment;

use crate::{
    Catalog, CatalogError, ErrorKind, Row, Step, Value,
    statements::{
        COUNT_MATCHES_BY_MONTH_BEFORE, DELETE_MATCH, GET_ARCHIVE, LIST_ARCHIVES, MARK_ARCHIVE_REMOVED,
        NOTE_ARCHIVE, READ_MATCHES, TOUCH_ARCHIVE,
    },
};

/// What tells a match from every other of its month.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct MatchKey {
    /// The round.
    pub round: String,
    /// The line of its list.
    pub line: i64,
    /// The number of the fingerprint.
    pub fingerprint: i64,
    /// The version of the rules.
    pub rule_set: i64,
}

/// A match, whole.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OldMatch {
    /// What tells it from the others.
    pub key: MatchKey,
    /// The key of the site that the page belongs to.
    pub site: String,
    /// The month in which the page was fetched (`2026-11`).
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

/// A file with match rows of a month.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ArchiveRow {
    /// Where it is in the blob store.
    pub path: String,
    /// The month of its rows (`2026-11`).
    pub month: String,
    /// How many rows it has.
    pub row_count: i64,
    /// The hash of its bytes.
    pub sha256: String,
    /// When it was noted.
    pub created_at: Moment,
    /// Since when none of its rows is in the catalog.
    pub removed_at: Option<Moment>,
}

/// The months before `before` (`2026-11`) that have match rows, oldest first, with how many.
pub async fn months_before(catalog: &Catalog, before: &str) -> Result<Vec<(String, i64)>, CatalogError> {
    let done = catalog.run(COUNT_MATCHES_BY_MONTH_BEFORE, [before.into()]).await?;
    done.rows.iter().map(|row| Ok((row.text("month")?, row.int("matches")?))).collect()
}

/// The match rows of a month in the order of their keys, behind `after`, at most `limit`.
pub async fn read(
    catalog: &Catalog,
    month: &str,
    after: Option<&MatchKey>,
    limit: i64,
) -> Result<Vec<OldMatch>, CatalogError> {
    // a round has a name, so nothing stands before the empty one
    let nothing = MatchKey { round: String::new(), line: 0, fingerprint: 0, rule_set: 0 };
    let MatchKey { round, line, fingerprint, rule_set } = after.unwrap_or(&nothing);
    let parameters: [Value; 6] = [
        month.into(),
        round.as_str().into(),
        (*line).into(),
        (*fingerprint).into(),
        (*rule_set).into(),
        limit.into(),
    ];
    catalog.run(READ_MATCHES, parameters).await?.rows.iter().map(match_of).collect()
}

/// Notes a file before the first of its rows is deleted. The same again changes nothing; the same path with another
/// content is a conflict.
pub async fn note(
    catalog: &Catalog,
    path: &str,
    month: &str,
    row_count: i64,
    sha256: &str,
    now: Moment,
) -> Result<(), CatalogError> {
    let parameters: [Value; 5] = [path.into(), month.into(), row_count.into(), sha256.into(), now.into()];
    let steps = vec![Step::once(NOTE_ARCHIVE, parameters), Step::once(GET_ARCHIVE, [path.into()])];
    let done = catalog.transaction(steps).await?;
    let noted = done.get(1).and_then(|step| step.rows.first()).map(archive_of).transpose()?;
    match noted {
        Some(noted) if noted.month == month && noted.row_count == row_count && noted.sha256 == sha256 => {
            Ok(())
        }
        _ => Err(CatalogError::new(
            ErrorKind::Conflict,
            format!("the archive `{path}` is noted with another content"),
        )),
    }
}

/// Deletes these rows of a noted file from the catalog in one transaction, and says how many there were; those that are
/// gone already are no error. A file that is not noted, or whose rows were all removed, is a conflict.
pub async fn delete(catalog: &Catalog, path: &str, keys: &[MatchKey]) -> Result<u64, CatalogError> {
    let sets = keys.iter().map(|key| {
        let MatchKey { round, line, fingerprint, rule_set } = key;
        vec![path.into(), round.as_str().into(), (*line).into(), (*fingerprint).into(), (*rule_set).into()]
    });
    let steps = vec![
        Step::once(TOUCH_ARCHIVE, [path.into()]).must_change(1),
        Step::each(DELETE_MATCH, sets.collect()),
    ];
    let done = catalog.transaction(steps).await?;
    Ok(done.get(1).map_or(0, |step| step.changed))
}

/// Notes that none of the file's rows is in the catalog any more; once noted, the time stays.
pub async fn mark_removed(catalog: &Catalog, path: &str, now: Moment) -> Result<(), CatalogError> {
    catalog.run(MARK_ARCHIVE_REMOVED, [path.into(), now.into()]).await.map(drop)
}

/// Every file, by path.
pub async fn list(catalog: &Catalog) -> Result<Vec<ArchiveRow>, CatalogError> {
    catalog.run(LIST_ARCHIVES, []).await?.rows.iter().map(archive_of).collect()
}

fn match_of(row: &Row) -> Result<OldMatch, CatalogError> {
    Ok(OldMatch {
        key: MatchKey {
            round: row.text("round")?,
            line: row.int("line")?,
            fingerprint: row.int("fingerprint")?,
            rule_set: row.int("rule_set")?,
        },
        site: row.text("site")?,
        month: row.text("month")?,
        found_at: row.moment("found_at")?,
        confidence: row.int("confidence")?,
        position: row.int("position")?,
        snippet: row.text("snippet")?,
        version: row.text_opt("version")?,
        account: row.text_opt("account")?,
        tracker: row.text_opt("tracker")?,
        implied_by: row.int_opt("implied_by")?,
    })
}

fn archive_of(row: &Row) -> Result<ArchiveRow, CatalogError> {
    Ok(ArchiveRow {
        path: row.text("path")?,
        month: row.text("month")?,
        row_count: row.int("row_count")?,
        sha256: row.text("sha256")?,
        created_at: row.moment("created_at")?,
        removed_at: row.moment_opt("removed_at")?,
    })
}
