//! How do findings reach those who wait for them, exactly once?
//!
//! Each file of an export goes to each destination that wants it, compressed; a manifest goes last, so that whoever sees
//! it sees all of it. Nothing is ever visible in part, and what was delivered is in a ledger.

mod addressee;
mod manifest;
mod send;
mod spool;

use std::{cell::OnceCell, collections::BTreeMap};

use anyhow::{Context, Result, bail};
use blobs::store::Blob;
use catalog::{Catalog, runs::RunStatus};
use domain::RoundId;
use serde::Serialize;
use serde_json::{Value as Json, json};
use sha2::{Digest, Sha256};

use super::{Job, JobHandle, JobOutcome, bar::Bar, patience::Patience, start_logging};
use crate::{
    clock::Clock,
    exit::Exit,
    explain::explain,
    jobs::export::{ExportedFile, MANIFEST_FILE},
    round::RoundFolder,
    settings::{Destination, Settings},
};
use addressee::{Addressee, Occasion};
use manifest::{Manifest, delivered_name, fits};
pub use send::Fate;
use send::{Item, Ledger, Note};
use spool::{Spool, hex};

/// What is to be delivered, and where to.
pub struct DeliverPlan {
    folder: RoundFolder,
    settings: Settings,
    manifest: Manifest,
    addressees: Vec<Addressee>,
    overwrite: bool,
}

/// What happened to one file at one destination.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct DeliveredFile {
    /// Its name there.
    pub file: String,
    /// Where it is.
    pub path: String,
    /// What became of it; `None` if it would be sent.
    pub fate: Option<Fate>,
    /// Its length before it was compressed.
    pub bytes: u64,
}

/// How the delivery to one destination went.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct DestinationReport {
    /// Its name in the settings.
    pub destination: String,
    /// The files, the manifest last.
    pub files: Vec<DeliveredFile>,
    /// Why it is not complete.
    pub error: Option<String>,
}

/// How a delivery went.
#[derive(Debug, Clone)]
pub struct DeliverReport {
    /// The round.
    pub round: RoundId,
    /// Each destination.
    pub destinations: Vec<DestinationReport>,
    /// How it ended.
    pub outcome: JobOutcome,
}

impl DeliverPlan {
    /// Finds out what is to be delivered, and checks all that can be checked without asking anybody.
    pub fn new(
        folder: RoundFolder,
        settings: Settings,
        only: Option<&str>,
        overwrite: bool,
        env: &dyn Fn(&str) -> Option<String>,
    ) -> Result<DeliverPlan> {
        let destinations = choose(settings.delivery.resolved(), only)?;
        let manifest = Manifest::read(&folder.export())?;
        if manifest.round != folder.round.as_str() {
            bail!("{} is of round {}", folder.export().join(MANIFEST_FILE).display(), manifest.round);
        }
        let origin = folder.origin()?.with_context(|| format!("round {} has not begun", folder.round))?;
        let occasion = Occasion { round: &folder.round, begun_at: origin.begun_at, month: &manifest.month };
        let (delivery, network) = (&settings.delivery, &settings.network);
        let addressees = destinations
            .into_iter()
            .map(|destination| Addressee::open(destination, delivery, network, &occasion, env))
            .collect::<Result<Vec<Addressee>>>()?;
        Ok(DeliverPlan { folder, settings, manifest, addressees, overwrite })
    }

    /// The files that a destination wants.
    fn wanted(&self, addressee: &Addressee) -> Vec<&ExportedFile> {
        let wants = |file: &&ExportedFile| addressee.files.iter().any(|pattern| fits(&file.name, pattern));
        self.manifest.files.iter().filter(wants).collect()
    }

    /// What a delivery would do, by the ledger; no destination is asked.
    pub async fn preview(&self, catalog: &Catalog) -> Result<Vec<DestinationReport>> {
        let ledger = Ledger::read(catalog).await?;
        let mut reports = Vec::new();
        for addressee in &self.addressees {
            let wanted = self.wanted(addressee);
            let manifest = self.manifest.of_delivery(&wanted)?;
            let own_hash = hex(&Sha256::digest(&manifest));
            let names =
                wanted.iter().map(|file| (delivered_name(&file.name), file.sha256.as_str(), file.bytes));
            let last = (MANIFEST_FILE.to_owned(), own_hash.as_str(), manifest.len() as u64);
            let error = self.refusal(&ledger, addressee)?;
            let files = names
                .chain([last])
                .map(|(name, sha256, bytes)| {
                    let item = Item { addressee, name: &name, sha256 };
                    let fate = ledger.knows(&item).then_some(Fate::Known);
                    DeliveredFile { path: item.path(), fate, bytes, file: name }
                })
                .collect();
            let files = if error.is_some() { Vec::new() } else { files };
            reports.push(DestinationReport { destination: addressee.name.clone(), files, error });
        }
        Ok(reports)
    }

    /// Why nothing may be sent to a destination: another round's delivery is where this one would be. The manifest tells,
    /// because no two rounds have the same.
    fn refusal(&self, ledger: &Ledger, addressee: &Addressee) -> Result<Option<String>> {
        if self.overwrite {
            return Ok(None);
        }
        let manifest = self.manifest.of_delivery(&self.wanted(addressee))?;
        let sha256 = hex(&Sha256::digest(&manifest));
        let item = Item { addressee, name: MANIFEST_FILE, sha256: &sha256 };
        Ok(ledger.check_round(&item, &self.folder.round).err().map(|error| explain(&error)))
    }

    /// The round.
    #[must_use]
    pub fn round(&self) -> &RoundId {
        &self.folder.round
    }
}

fn choose(
    mut all: BTreeMap<String, Destination>,
    only: Option<&str>,
) -> Result<BTreeMap<String, Destination>> {
    if all.is_empty() {
        bail!("there is nowhere to deliver to: set `delivery.destinations` (see docs/SETTINGS.md)");
    }
    let Some(name) = only else { return Ok(all) };
    match all.remove_entry(name) {
        Some(one) => Ok(BTreeMap::from([one])),
        None => {
            let known: Vec<&str> = all.keys().map(String::as_str).collect();
            bail!("there is no destination `{name}` in the settings (there are: {})", known.join(", "));
        }
    }
}

/// Delivers an export.
pub async fn run(plan: DeliverPlan, catalog: Catalog, clock: Clock, quiet: bool) -> Result<DeliverReport> {
    let folder = &plan.folder;
    start_logging(&folder.logs(), "deliver", &plan.settings.logs)?;
    let names: Vec<&str> = plan.addressees.iter().map(|addressee| addressee.name.as_str()).collect();
    let parameters =
        json!({ "destinations": names, "month": plan.manifest.month, "overwrite": plan.overwrite });
    let job = Job::start(catalog, clock, "deliver", &folder.round, &["deliver"], parameters).await?;
    let handle = job.handle();
    let delivered = job
        .stage("deliver", async {
            let reports = Delivering::new(&plan, &handle, clock, quiet).await?.run().await?;
            let counts = counts_of(&reports);
            Ok((reports, counts))
        })
        .await;
    let failed: Vec<&str> = delivered
        .iter()
        .flatten()
        .filter(|one| one.error.is_some())
        .map(|one| one.destination.as_str())
        .collect();
    let (status, exit, words) = match (&delivered, job.stopped()) {
        (Err(error), _) => (RunStatus::Failed, Exit::CouldNotRun, explain(error)),
        (Ok(_), Some(stop)) => (RunStatus::Interrupted, Exit::CouldNotRun, stop.to_string()),
        (Ok(_), None) if failed.is_empty() => (RunStatus::Done, Exit::Done, "done".to_owned()),
        (Ok(all), None) => {
            // a destination that has everything is a result, though another has not
            let exit = if failed.len() < all.len() { Exit::Findings } else { Exit::CouldNotRun };
            (RunStatus::Failed, exit, format!("not complete: {}", failed.join(", ")))
        }
    };
    let counts = delivered.as_ref().map_or_else(|_| json!({}), |reports| counts_of(reports));
    let outcome = JobOutcome { status, exit, words, counts };
    let finished = job.finish(&outcome).await;
    // the first error is the one to show
    let destinations = delivered?;
    finished?;
    Ok(DeliverReport { round: folder.round.clone(), destinations, outcome })
}

fn counts_of(reports: &[DestinationReport]) -> Json {
    let files = || reports.iter().flat_map(|report| &report.files);
    let count =
        |fates: &[Fate]| files().filter(|file| file.fate.is_some_and(|fate| fates.contains(&fate))).count();
    json!({
        "destinations": reports.len(),
        "failed": reports.iter().filter(|report| report.error.is_some()).count(),
        "sent": count(&[Fate::Sent, Fate::Replaced]),
        "already_there": count(&[Fate::Found, Fate::Known]),
    })
}

/// A delivery under way.
struct Delivering<'a> {
    plan: &'a DeliverPlan,
    handle: &'a JobHandle,
    patience: Patience,
    clock: Clock,
    ledger: Ledger,
    spool: Spool,
    bar: Bar,
    reports: Vec<DestinationReport>,
    done: u64,
    all: u64,
}

impl<'a> Delivering<'a> {
    async fn new(
        plan: &'a DeliverPlan,
        handle: &'a JobHandle,
        clock: Clock,
        quiet: bool,
    ) -> Result<Delivering<'a>> {
        let ledger = Ledger::read(handle.catalog()).await?;
        let report = |addressee: &Addressee| {
            let error = plan.refusal(&ledger, addressee)?;
            Ok(DestinationReport { destination: addressee.name.clone(), files: Vec::new(), error })
        };
        let reports = plan.addressees.iter().map(report).collect::<Result<_>>()?;
        Ok(Delivering {
            plan,
            handle,
            patience: Patience::new(handle.clone(), &plan.settings.process),
            clock,
            ledger,
            spool: Spool::new(plan.folder.file("spool"))?,
            bar: Bar::new("deliver", quiet),
            reports,
            done: 0,
            all: plan.addressees.iter().map(|addressee| plan.wanted(addressee).len() as u64 + 1).sum(),
        })
    }

    /// File by file, so that each is compressed once however many destinations there are; the manifests last.
    async fn run(mut self) -> Result<Vec<DestinationReport>> {
        let plan = self.plan;
        for file in &plan.manifest.files {
            let compressed = OnceCell::new();
            for (at, addressee) in plan.addressees.iter().enumerate() {
                if !plan.wanted(addressee).contains(&file) {
                    continue;
                }
                let name = delivered_name(&file.name);
                let item = Item { addressee, name: &name, sha256: &file.sha256 };
                if !self.ledger.knows(&item) && self.goes_on(at) && compressed.get().is_none() {
                    // the cell is empty, so this sets it
                    let _ = compressed.set(self.spool.compress(&plan.folder.export(), file).await?);
                }
                self.bring(at, &item, file.bytes, compressed.get()).await;
            }
            if let Some(blob) = compressed.get() {
                self.spool.drop_blob(blob);
            }
        }
        for (at, addressee) in plan.addressees.iter().enumerate() {
            let manifest = plan.manifest.of_delivery(&plan.wanted(addressee))?;
            let sha256 = hex(&Sha256::digest(&manifest));
            let item = Item { addressee, name: MANIFEST_FILE, sha256: &sha256 };
            let blob = self.spool.keep(MANIFEST_FILE, &manifest).await?;
            self.bring(at, &item, blob.bytes(), Some(&blob)).await;
        }
        Ok(self.reports)
    }

    /// Whether a destination still gets files.
    fn goes_on(&self, at: usize) -> bool {
        self.reports[at].error.is_none() && self.handle.stop_signal().borrow().is_none()
    }

    /// Brings one file to one destination; a failure ends the delivery there, and there only.
    async fn bring(&mut self, at: usize, item: &Item<'_>, bytes: u64, blob: Option<&Blob>) {
        if !self.goes_on(at) {
            if self.reports[at].error.is_none() {
                self.reports[at].error = Some("stopped before its end; run it again to go on".to_owned());
            }
            return;
        }
        let path = item.path();
        let fate = match blob {
            _ if self.ledger.knows(item) => Ok(Fate::Known),
            Some(blob) => self.send(item, blob).await,
            None => Err(anyhow::anyhow!("{path} was not compressed")),
        };
        match fate {
            Ok(fate) => {
                tracing::info!(
                    destination = item.addressee.name,
                    path,
                    bytes,
                    fate = fate.words(),
                    "delivered a file"
                );
                let file = DeliveredFile { file: item.name.to_owned(), path, fate: Some(fate), bytes };
                self.reports[at].files.push(file);
            }
            Err(error) => {
                let told = explain(&error);
                tracing::error!(
                    destination = item.addressee.name,
                    path,
                    error = told,
                    "a file was not delivered"
                );
                self.bar.say(&format!("{}: {told}", item.addressee.name));
                self.reports[at].error = Some(told);
            }
        }
        self.done += 1;
        let (done, all) = (self.done, self.all);
        self.bar.show(done, all, || format!("files, {}", item.addressee.name));
        self.handle.note_counts(counts_of(&self.reports));
    }

    /// Sends a file unless the job is to stop; what is half sent then is seen by nobody.
    async fn send(&mut self, item: &Item<'_>, blob: &Blob) -> Result<Fate> {
        let mut stop = self.handle.stop_signal();
        let note = Note { patience: &self.patience, round: &self.plan.folder.round, now: self.clock.now() };
        if !self.plan.overwrite {
            self.ledger.check_round(item, note.round)?;
        }
        if item.name != MANIFEST_FILE && self.ledger.knows_other(item) {
            self.ledger.withdraw_manifest(item.addressee, note).await?;
        }
        tokio::select! {
            done = item.deliver(blob, &self.ledger, self.plan.overwrite, note) => done,
            _ = stop.wait_for(Option::is_some) => bail!("stopped before its end; run it again to go on"),
        }
    }
}
