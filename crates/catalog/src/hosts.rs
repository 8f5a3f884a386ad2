//! When may a host be asked again, after a restart?

use domain::Moment;

use crate::{
    Catalog, CatalogError, Kind, Row, Step, Value,
    statements::{FORGET_EXPIRED_HOSTS, RECALL_HOST, RECALL_RESTING_HOSTS, REMEMBER_HOST},
};

/// What must not be forgotten about a host.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HostMemory {
    /// The host's name, as the frontier spells it.
    pub host: String,
    /// When it was last asked.
    pub last_request_at: Moment,
    /// Before when it must not be asked.
    pub next_allowed_at: Moment,
    /// The delay between two requests that was in force.
    pub delay_ms: i64,
    /// Until when nothing may be asked of it at all.
    pub suspended_until: Option<Moment>,
    /// How often in a row it asked us to slow down or failed.
    pub strikes: i64,
}

/// Writes what is known about the hosts, all or nothing.
///
/// `last_request_at`, `next_allowed_at` and `suspended_until` never move back: two crawlers may report out of order,
/// and the later promise is the polite one. The delay and the strikes are those of the later request.
pub async fn remember(catalog: &Catalog, memories: &[HostMemory], now: Moment) -> Result<(), CatalogError> {
    let mut ordered: Vec<&HostMemory> = memories.iter().collect();
    // two writers that lock rows in different orders would deadlock
    ordered.sort_by(|a, b| a.host.cmp(&b.host));
    let mut waves: Vec<Vec<Vec<Value>>> = Vec::new();
    let mut same_host = 0;
    for (at, memory) in ordered.iter().enumerate() {
        let HostMemory { host, last_request_at, next_allowed_at, delay_ms, suspended_until, strikes } =
            memory;
        // a statement may touch a row once, so a host that is reported twice goes into a second one
        same_host = if at > 0 && ordered[at - 1].host == *host { same_host + 1 } else { 0 };
        if waves.len() == same_host {
            waves.push(Vec::new());
        }
        waves[same_host].push(vec![
            host.as_str().into(),
            (*last_request_at).into(),
            (*next_allowed_at).into(),
            (*delay_ms).into(),
            Value::optional(*suspended_until, Kind::Time),
            (*strikes).into(),
            now.into(),
        ]);
    }
    let steps = waves.into_iter().map(|sets| Step::each(REMEMBER_HOST, sets));
    catalog.transaction(steps.collect()).await.map(drop)
}

/// What is known about one host.
pub async fn recall(catalog: &Catalog, host: &str) -> Result<Option<HostMemory>, CatalogError> {
    let done = catalog.run(RECALL_HOST, [host.into()]).await?;
    done.rows.first().map(memory_of).transpose()
}

/// What is known about these hosts, in the order of the question; a host that is not known is left out.
pub async fn recall_many(catalog: &Catalog, hosts: &[&str]) -> Result<Vec<HostMemory>, CatalogError> {
    let sets = hosts.iter().map(|host| vec![(*host).into()]).collect();
    let done = catalog.transaction(vec![Step::each(RECALL_HOST, sets)]).await?;
    done.iter().flat_map(|step| &step.rows).map(memory_of).collect()
}

/// The hosts that may not be asked at `now`, and those with a request under way when they were last written: what a
/// crawl must know before its first request. Few: a host rests for seconds, or for a day at the most.
pub async fn recall_resting(catalog: &Catalog, now: Moment) -> Result<Vec<HostMemory>, CatalogError> {
    catalog.run(RECALL_RESTING_HOSTS, [now.into()]).await?.rows.iter().map(memory_of).collect()
}

/// Forgets the hosts whose last request and promises all lie at or before `before`, and says how many.
pub async fn forget_expired(catalog: &Catalog, before: Moment) -> Result<u64, CatalogError> {
    Ok(catalog.run(FORGET_EXPIRED_HOSTS, [before.into()]).await?.changed)
}

fn memory_of(row: &Row) -> Result<HostMemory, CatalogError> {
    Ok(HostMemory {
        host: row.text("host")?,
        last_request_at: row.moment("last_request_at")?,
        next_allowed_at: row.moment("next_allowed_at")?,
        delay_ms: row.int("delay_ms")?,
        suspended_until: row.moment_opt("suspended_until")?,
        strikes: row.int("strikes")?,
    })
}
