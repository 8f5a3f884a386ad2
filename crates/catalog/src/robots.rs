//! What did an origin's robots.txt say, and how long ago?

use domain::Moment;

use crate::{
    Catalog, CatalogError, Row, Step,
    statements::{FORGET_OLDER_ROBOTS, RECALL_ROBOTS, REMEMBER_ROBOTS},
};

/// One origin's answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RobotsMemory {
    /// Scheme, host and port.
    pub origin: String,
    /// When it was fetched.
    pub fetched_at: Moment,
    /// The HTTP status; 0 where there was no answer.
    pub status: u16,
    /// The body, as far as it is parsed.
    pub body: Vec<u8>,
}

/// Writes the answers, all or nothing; an answer that is older than the known one changes nothing.
pub async fn remember(catalog: &Catalog, memories: &[RobotsMemory]) -> Result<(), CatalogError> {
    let mut ordered: Vec<&RobotsMemory> = memories.iter().collect();
    // two writers that lock rows in different orders would deadlock
    ordered.sort_by(|a, b| a.origin.cmp(&b.origin));
    let sets = ordered.into_iter().map(|memory| {
        let RobotsMemory { origin, fetched_at, status, body } = memory;
        vec![origin.as_str().into(), (*fetched_at).into(), (*status).into(), body.as_slice().into()]
    });
    catalog.transaction(vec![Step::each(REMEMBER_ROBOTS, sets.collect())]).await.map(drop)
}

/// The answers of these origins that were fetched after `fresh_after`, in the order of the question.
///
/// A body may have half a megabyte: ask for as many at once as memory may hold.
pub async fn recall_many(
    catalog: &Catalog,
    origins: &[&str],
    fresh_after: Moment,
) -> Result<Vec<RobotsMemory>, CatalogError> {
    let sets = origins.iter().map(|origin| vec![(*origin).into(), fresh_after.into()]).collect();
    let done = catalog.transaction(vec![Step::each(RECALL_ROBOTS, sets)]).await?;
    done.iter().flat_map(|step| &step.rows).map(memory_of).collect()
}

/// Forgets what was fetched at or before `before`, and says how many answers that were.
pub async fn forget_older(catalog: &Catalog, before: Moment) -> Result<u64, CatalogError> {
    Ok(catalog.run(FORGET_OLDER_ROBOTS, [before.into()]).await?.changed)
}

fn memory_of(row: &Row) -> Result<RobotsMemory, CatalogError> {
    Ok(RobotsMemory {
        origin: row.text("origin")?,
        fetched_at: row.moment("fetched_at")?,
        status: row.number("status")?,
        body: row.bytes("body")?,
    })
}
