//! How does a file reach its destination once, whatever happens on the way?
//!
//! The ledger says what was delivered. Between an upload and its note in the ledger a crash may come: then the
//! destination itself is asked, and a checksum decides.

use std::collections::HashMap;

use anyhow::{Context, Result, bail};
use blobs::store::{Blob, Comparison, ErrorKind, StoreError};
use catalog::{
    Catalog,
    deliveries::{self, Delivery},
};
use domain::{Moment, RoundId};
use serde::Serialize;

use super::addressee::Addressee;
use crate::jobs::patience::Patience;

/// How far back the ledger is read: some hundred files in each of many years of months.
const LEDGER_ROWS: i64 = 50_000;

/// What became of a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Fate {
    /// It was sent.
    Sent,
    /// It was sent, over an earlier delivery with other content.
    Replaced,
    /// It was there already, whole, though no note said so: an earlier delivery was cut off before its note.
    Found,
    /// The ledger says that it was delivered before.
    Known,
}

impl Fate {
    /// In words.
    #[must_use]
    pub fn words(self) -> &'static str {
        match self {
            Fate::Sent => "sent",
            Fate::Replaced => "sent, in place of what was delivered before",
            Fate::Found => "found there, whole",
            Fate::Known => "delivered before",
        }
    }
}

/// What was delivered so far: the newest content under each name at each destination.
#[derive(Debug, Default)]
pub struct Ledger(HashMap<(String, String), String>);

impl Ledger {
    /// Reads it from the catalog.
    pub async fn read(catalog: &Catalog) -> Result<Ledger> {
        let mut newest = HashMap::new();
        for delivery in deliveries::list(catalog, None, LEDGER_ROWS).await? {
            let Delivery { destination, path, sha256, .. } = delivery;
            // the newest come first
            newest.entry((destination, path)).or_insert(sha256);
        }
        Ok(Ledger(newest))
    }

    /// Whether this content was the last one that was delivered there.
    #[must_use]
    pub fn knows(&self, item: &Item<'_>) -> bool {
        self.0.get(&item.at()).is_some_and(|known| known == item.sha256)
    }
}

/// A file on its way to one destination.
pub struct Item<'a> {
    /// Where it goes.
    pub addressee: &'a Addressee,
    /// What it is called there.
    pub name: &'a str,
    /// The SHA-256 of its content before it is compressed.
    pub sha256: &'a str,
}

impl Item<'_> {
    /// The whole address of the file.
    #[must_use]
    pub fn path(&self) -> String {
        self.addressee.store.url_of(&self.addressee.key(self.name))
    }

    fn at(&self) -> (String, String) {
        (self.addressee.name.clone(), self.path())
    }

    /// Brings the file there, compares what arrived, and notes it in the ledger.
    pub async fn deliver(
        &self,
        blob: &Blob,
        ledger: &Ledger,
        overwrite: bool,
        note: Note<'_>,
    ) -> Result<Fate> {
        let may_replace = overwrite || ledger.0.contains_key(&self.at());
        let fate = self.upload(blob, may_replace).await?;
        let Note { patience, round, now } = note;
        let delivery = Delivery {
            destination: self.addressee.name.clone(),
            file: self.addressee.key(self.name),
            sha256: self.sha256.to_owned(),
            path: self.path(),
            bytes: i64::try_from(blob.bytes())?,
            round: round.to_string(),
            delivered_at: now,
        };
        patience
            .ask(async |catalog| deliveries::note(catalog, &delivery).await)
            .await
            .with_context(|| format!("{} is there, but could not be noted in the ledger", self.path()))?;
        Ok(fate)
    }

    async fn upload(&self, blob: &Blob, may_replace: bool) -> Result<Fate> {
        let (store, key) = (&self.addressee.store, self.addressee.key(self.name));
        let there = store.compare(&key, blob).await;
        // whoever may only write is refused a look
        let there = if is_denied(&there) { None } else { Some(there?) };
        match there {
            Some(Comparison::Same) => return Ok(Fate::Found),
            Some(Comparison::Different) => return self.replace(blob, may_replace).await,
            Some(Comparison::Absent) | None => {}
        }
        match store.put_if_absent(&key, blob).await {
            Ok(true) => {}
            // somebody was quicker, or it is our own request of which no answer came
            Ok(false) => match store.compare(&key, blob).await {
                Ok(Comparison::Same) => return Ok(Fate::Sent),
                there if is_denied(&there) => return self.replace(blob, may_replace).await,
                Ok(Comparison::Different) => return self.replace(blob, may_replace).await,
                Ok(Comparison::Absent) => bail!("{}: it was there and is gone again", self.path()),
                Err(error) => return Err(error.into()),
            },
            // a server that knows no conditions; that nothing is there was seen above
            Err(error) if error.kind() == ErrorKind::Unsupported && there.is_some() => {
                store.put(&key, blob).await?;
            }
            Err(error) => return Err(error.into()),
        }
        self.confirm(blob).await?;
        Ok(Fate::Sent)
    }

    async fn replace(&self, blob: &Blob, may_replace: bool) -> Result<Fate> {
        if !may_replace {
            bail!(
                "{} is there already and is not ours: no delivery in this catalog's ledger left it; \
                 look at it, then move it away or give `--overwrite`",
                self.path()
            );
        }
        self.addressee.store.put(&self.addressee.key(self.name), blob).await?;
        self.confirm(blob).await?;
        Ok(Fate::Replaced)
    }

    /// Asks the destination once more: what is there now must be what was sent.
    async fn confirm(&self, blob: &Blob) -> Result<()> {
        match self.addressee.store.compare(&self.addressee.key(self.name), blob).await {
            Ok(Comparison::Same) => Ok(()),
            // then the checksum in the answer to the upload has to do
            there if is_denied(&there) => Ok(()),
            Ok(_) => bail!("{}: what is there now is not what was sent", self.path()),
            Err(error) => Err(error.into()),
        }
    }
}

/// What a note in the ledger takes.
#[derive(Clone, Copy)]
pub struct Note<'a> {
    /// How the catalog with the ledger is asked.
    pub patience: &'a Patience,
    /// The round that is delivered.
    pub round: &'a RoundId,
    /// The time.
    pub now: Moment,
}

fn is_denied(asked: &Result<Comparison, StoreError>) -> bool {
    asked.as_ref().is_err_and(|error| error.kind() == ErrorKind::Denied)
}
