//! Who may run this job now?
//!
//! A lock is a row with a lease: it ends by release, by expiry, or when its holder is provably dead. Every holding has
//! a higher fencing number than the one before it, so that what a late holder still writes can be told apart.

use std::{fmt, time::Duration};

use domain::Moment;

use crate::{
    Catalog, CatalogError, Liveness, Process, Row,
    statements::{ACQUIRE_LOCK, FIND_LOCK, RELEASE_LOCK, RENEW_LOCK},
    value::Value,
};

// Between a refusal and the look at who holds it the lock may change hands; more often than this is no accident.
const TRIES: usize = 5;

/// What a holder asks for.
#[derive(Debug, Clone, Copy)]
pub struct Claim<'a> {
    /// The lock's name.
    pub name: &'a str,
    /// Who asks, in words for whoever is refused.
    pub holder: &'a str,
    /// The process that asks.
    pub process: &'a Process,
    /// How long it holds without being renewed. Machines compare it with their own clocks: make it minutes.
    pub ttl: Duration,
}

/// A lock that is ours until it is released, lost or left to expire.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Held {
    /// The lock's name.
    pub name: String,
    /// The number of this holding: higher than that of any before it.
    pub fence: i64,
}

/// Who has the lock that was asked for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HeldBy {
    /// The lock's name.
    pub name: String,
    /// Who holds it, in its own words.
    pub holder: String,
    /// The holder's process.
    pub process: Process,
    /// Since when.
    pub since: Moment,
    /// Until when, if it is not renewed.
    pub expires_at: Moment,
    fence: i64,
}

impl fmt::Display for HeldBy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let HeldBy { name, holder, process: Process { host, pid, .. }, since, expires_at, .. } = self;
        write!(
            f,
            "`{name}` is locked by {holder} (process {pid} on {host}) since {since}; the lock ends at {expires_at} \
             unless it is renewed"
        )
    }
}

/// Why a lock was not acquired.
#[derive(Debug, thiserror::Error)]
pub enum AcquireError {
    /// Somebody else has it.
    #[error("{0}")]
    HeldBy(Box<HeldBy>),
    /// The catalog could not be asked.
    #[error(transparent)]
    Catalog(#[from] CatalogError),
}

/// Takes the lock if it is free, if its holder is a process of this machine that has ended, or if its holder is on
/// another machine and its lease is over. A process of this machine that is only stopped goes on one day, so it keeps it.
///
/// Of any number that ask at once, exactly one gets it.
pub async fn acquire(
    catalog: &Catalog,
    claim: Claim<'_>,
    now: Moment,
    liveness: &dyn Liveness,
) -> Result<Held, AcquireError> {
    let mut found_dead = 0;
    let mut last_seen = None;
    for _ in 0..TRIES {
        let other = find(catalog, claim.name).await?;
        if let Some(other) = other {
            let near = claim.process.shares_ids_with(&other.process);
            if near && liveness.is_gone(&other.process) {
                tracing::warn!(
                    lock = claim.name,
                    pid = other.process.pid,
                    "lock taken over from a dead process"
                );
                found_dead = other.fence;
            } else if near || other.expires_at > now {
                // one that is here and alive was only stopped or is slow, and goes on where it was: no lease is over for it
                return Err(AcquireError::HeldBy(Box::new(other)));
            }
            last_seen = Some(other);
        }
        if let Some(held) = try_acquire(catalog, claim, now, found_dead).await? {
            return Ok(held);
        }
    }
    Err(match last_seen {
        Some(other) => AcquireError::HeldBy(Box::new(other)),
        None => CatalogError::new(
            crate::ErrorKind::Busy,
            format!("lock `{}` changed hands {TRIES} times while it was asked for", claim.name),
        )
        .into(),
    })
}

/// Moves the end of the lease to `ttl` after `now`; `false` if the lock is no longer ours.
pub async fn renew(catalog: &Catalog, held: &Held, now: Moment, ttl: Duration) -> Result<bool, CatalogError> {
    let Held { name, fence } = held;
    let done =
        catalog.run(RENEW_LOCK, [name.as_str().into(), (*fence).into(), now.after(ttl).into()]).await?;
    Ok(done.changed == 1)
}

/// Gives the lock back; `false` if it was no longer ours, and then nothing changes.
pub async fn release(catalog: &Catalog, held: &Held) -> Result<bool, CatalogError> {
    let Held { name, fence } = held;
    let done = catalog.run(RELEASE_LOCK, [name.as_str().into(), (*fence).into()]).await?;
    Ok(done.changed == 1)
}

async fn try_acquire(
    catalog: &Catalog,
    claim: Claim<'_>,
    now: Moment,
    found_dead: i64,
) -> Result<Option<Held>, CatalogError> {
    let Claim { name, holder, process, ttl } = claim;
    let Process { host, boot_id, pid, pid_started } = process;
    let parameters: [Value; 9] = [
        name.into(),
        holder.into(),
        host.as_str().into(),
        boot_id.as_str().into(),
        (*pid).into(),
        (*pid_started).into(),
        now.into(),
        now.after(ttl).into(),
        found_dead.into(),
    ];
    let done = catalog.run(ACQUIRE_LOCK, parameters).await?;
    let Some(row) = done.rows.first() else { return Ok(None) };
    Ok(Some(Held { name: name.to_owned(), fence: row.int("fence")? }))
}

/// Who holds the lock, if anyone does.
pub async fn find(catalog: &Catalog, name: &str) -> Result<Option<HeldBy>, CatalogError> {
    let done = catalog.run(FIND_LOCK, [name.into()]).await?;
    let Some(row) = done.rows.first() else { return Ok(None) };
    let Some(holder) = row.text_opt("holder")? else { return Ok(None) };
    Ok(Some(HeldBy {
        name: name.to_owned(),
        holder,
        process: process_of(row)?,
        since: row.moment("since")?,
        expires_at: row.moment("expires_at")?,
        fence: row.int("fence")?,
    }))
}

pub(crate) fn process_of(row: &Row) -> Result<Process, CatalogError> {
    Ok(Process {
        host: row.text("host")?,
        boot_id: row.text("boot_id")?,
        pid: row.int("pid")?,
        pid_started: row.int("pid_started")?,
    })
}
