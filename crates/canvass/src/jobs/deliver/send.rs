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
use crate::jobs::{export::MANIFEST_FILE, patience::Patience};

/// How far back the ledger is read: some hundred files in each of many years of months.
const LEDGER_ROWS: i64 = 50_000;

/// What the ledger has in place of a hash for a manifest that was taken back.
const WITHDRAWN: &str = "withdrawn";

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

/// What was delivered so far: the newest content under each path at each destination.
#[derive(Debug, Default)]
pub struct Ledger(HashMap<(String, String), Entry>);

/// What was delivered last under a path.
#[derive(Debug)]
struct Entry {
    sha256: String,
    round: String,
    delivered_at: Moment,
}

impl Ledger {
    /// Reads it from the catalog.
    pub async fn read(catalog: &Catalog) -> Result<Ledger> {
        let mut newest = HashMap::new();
        for delivery in deliveries::list(catalog, None, LEDGER_ROWS).await? {
            let Delivery { destination, path, sha256, round, delivered_at, .. } = delivery;
            // the newest come first
            newest.entry((destination, path)).or_insert(Entry { sha256, round, delivered_at });
        }
        Ok(Ledger(newest))
    }

    /// Whether this content was the last one that was delivered there.
    #[must_use]
    pub fn knows(&self, item: &Item<'_>) -> bool {
        self.0.get(&item.at()).is_some_and(|known| known.sha256 == item.sha256)
    }

    /// Whether other content was delivered there last.
    #[must_use]
    pub fn knows_other(&self, item: &Item<'_>) -> bool {
        self.0.get(&item.at()).is_some_and(|known| known.sha256 != item.sha256)
    }

    /// Refuses what would overwrite the delivery of another round: whoever reads there would lose it unasked.
    pub fn check_round(&self, item: &Item<'_>, round: &RoundId) -> Result<()> {
        match self.0.get(&item.at()) {
            Some(known) if known.sha256 != item.sha256 && known.round != round.as_str() => bail!(
                "{} was delivered by round {}, and this is round {round}: put `{{round}}` into `delivery.path` \
                 (or the destination's own `path`), or give `--overwrite`",
                item.path(),
                known.round
            ),
            _ => Ok(()),
        }
    }

    /// Takes back our own manifest at a destination before a file under it changes: whoever sees a manifest sees what it
    /// tells of.
    pub async fn withdraw_manifest(&mut self, addressee: &Addressee, note: Note<'_>) -> Result<()> {
        let item = Item { addressee, name: MANIFEST_FILE, sha256: WITHDRAWN };
        if !self.0.contains_key(&item.at()) {
            return Ok(());
        }
        if !self.knows(&item) {
            // noted first: after a crash in between, the manifest is sent again rather than missing for good
            let entry = item.note(0, self, note).await?;
            self.0.insert(item.at(), entry);
        }
        match addressee.store.delete(&addressee.key(MANIFEST_FILE)).await {
            Err(error) if error.kind() == ErrorKind::Denied => {
                tracing::warn!(path = item.path(), %error, "the old manifest stays until the new one is sent");
                Ok(())
            }
            done => Ok(done?),
        }
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
        self.note(blob.bytes(), ledger, note)
            .await
            .with_context(|| format!("{} is there, but could not be noted in the ledger", self.path()))?;
        Ok(fate)
    }

    /// Notes in the catalog that this content is there now.
    async fn note(&self, bytes: u64, ledger: &Ledger, note: Note<'_>) -> Result<Entry> {
        let Note { patience, round, now } = note;
        // the ledger is read by time: a clock that was set back must not hide what came last
        let before = ledger.0.get(&self.at()).map(|known| Moment(known.delivered_at.0.saturating_add(1)));
        let delivery = Delivery {
            destination: self.addressee.name.clone(),
            file: self.addressee.key(self.name),
            sha256: self.sha256.to_owned(),
            path: self.path(),
            bytes: i64::try_from(bytes)?,
            round: round.to_string(),
            delivered_at: before.map_or(now, |before| now.max(before)),
        };
        patience.ask(async |catalog| deliveries::note(catalog, &delivery).await).await?;
        let Delivery { sha256, round, delivered_at, .. } = delivery;
        Ok(Entry { sha256, round, delivered_at })
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
