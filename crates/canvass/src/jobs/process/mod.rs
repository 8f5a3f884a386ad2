//! What do the captures of a round show?
//!
//! Closed segments become rows: a page for each record, a match for each fingerprint that was seen. A batch of rows and
//! the place in the segment's ledger up to which it was read are one transaction, so that a crash, a second run or the
//! same segment twice change nothing.

mod facts;
mod reading;
mod shelf;
#[cfg(test)]
mod tests;
mod writing;

use std::{cell::Cell, sync::Arc, thread};

use anyhow::{Context, Result};
use blobs::segment::{self, SegmentFile};
use catalog::{
    Catalog,
    matches::{self, SegmentId},
};
use serde::Serialize;
use serde_json::json;

pub use facts::{PARTLY_READ, month_of};

use super::{Job, JobHandle, JobOutcome, aggregate::fold, bar::Bar, patience::Patience, start_logging};
use crate::{
    clock::Clock,
    round::RoundFolder,
    rules::ActiveRules,
    settings::{Process, Settings},
};
use writing::Gathered;

/// What was read.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct Counts {
    /// Segments that were read to their end.
    pub segments: u64,
    /// Segments that had been read with these rules before.
    pub known_segments: u64,
    /// Records, each a target that ended.
    pub pages: u64,
    /// Fingerprints that were seen.
    pub matches: u64,
    /// Pages that could not be read because of a defect.
    pub defects: u64,
}

/// How the processing of a round went.
#[derive(Debug, Clone)]
pub struct ProcessReport {
    /// The round.
    pub round: String,
    /// The rule set that was used.
    pub rule_set: i64,
    /// What was read.
    pub counts: Counts,
    /// How it ended.
    pub outcome: JobOutcome,
}

/// What is to be read.
pub struct ProcessPlan {
    /// The round.
    pub folder: RoundFolder,
    /// Whether segments that were put away are read again with the rules of today.
    pub reprocess: bool,
    /// The settings.
    pub settings: Settings,
    /// No progress on standard error.
    pub quiet: bool,
}

/// Whether a round has segments that wait to be read.
pub fn has_work(folder: &RoundFolder) -> Result<bool> {
    Ok(!shelf::waiting(folder)?.is_empty())
}

/// Reads the segments of a round.
pub async fn run(
    plan: ProcessPlan,
    rules: Arc<ActiveRules>,
    catalog: Catalog,
    clock: Clock,
) -> Result<ProcessReport> {
    let ProcessPlan { folder, reprocess, settings, quiet } = plan;
    start_logging(&folder.logs(), "process", &settings.logs)?;
    let parameters = json!({ "rule_set": rules.version, "reprocess": reprocess });
    let job = Job::start(catalog, clock, "process", &folder.round, &["process"], parameters).await?;
    let counted = job
        .stage("process", async {
            let segments = if reprocess { shelf::all(&folder)? } else { shelf::waiting(&folder)? };
            let mut reader = Reader::new(job.handle(), clock, &settings.process, rules.clone(), quiet);
            reader.read_all(&folder, &segments).await?;
            let counts = serde_json::to_value(&reader.counts)?;
            Ok((reader.counts, counts))
        })
        .await;
    let told = counted.as_ref().ok().and_then(|counts| serde_json::to_value(counts).ok());
    let unread = |counts: &Counts| {
        (counts.defects > 0).then(|| format!("{} pages could not be read; see process.log", counts.defects))
    };
    let (counts, outcome) = job.conclude(counted, told.unwrap_or_else(|| json!({})), unread).await?;
    Ok(ProcessReport { round: folder.round.to_string(), rule_set: rules.version, counts, outcome })
}

/// How the earlier reading of a month was repeated.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Reread {
    /// Every segment of the month was read with the rules.
    Done,
    /// Segments of these rounds are gone, so that the month stays as it is.
    SegmentsGone {
        /// The rounds.
        rounds: Vec<String>,
    },
}

/// Reads the segments of every round of a month with a rule set, and folds them into findings.
pub async fn reread_month(
    handle: &JobHandle,
    clock: Clock,
    settings: &Settings,
    month: &str,
    rules: &Arc<ActiveRules>,
    quiet: bool,
) -> Result<Reread> {
    let patience = Patience::new(handle.clone(), &settings.process);
    let (mut work, mut gone) = (Vec::new(), Vec::new());
    for round in patience.ask(async |catalog| matches::rounds_of_month(catalog, month).await).await? {
        let folder = RoundFolder::new(&settings.storage.data_dir, round.parse()?);
        let there = shelf::all(&folder)?;
        let known = patience.ask(async |catalog| matches::processed(catalog, &round).await).await?;
        let is_there = |number: i64| there.iter().any(|segment| i64::from(segment.number) == number);
        if known.iter().all(|one| is_there(one.segment)) {
            work.push((folder, there))
        } else {
            gone.push(round)
        }
    }
    if !gone.is_empty() {
        return Ok(Reread::SegmentsGone { rounds: gone });
    }
    for (folder, segments) in work {
        let mut reader = Reader::new(handle.clone(), clock, &settings.process, Arc::clone(rules), quiet);
        reader.read_all(&folder, &segments).await?;
    }
    fold(&patience, month, rules.version, clock, &mut Bar::new("aggregate", quiet)).await?;
    Ok(Reread::Done)
}

/// Reads segments, one after the other, each on all cores.
struct Reader {
    patience: Patience,
    clock: Clock,
    settings: Process,
    rules: Arc<ActiveRules>,
    threads: usize,
    bar: Bar,
    counts: Counts,
}

impl Reader {
    fn new(
        handle: JobHandle,
        clock: Clock,
        settings: &Process,
        rules: Arc<ActiveRules>,
        quiet: bool,
    ) -> Reader {
        let threads = thread::available_parallelism().map_or(1, usize::from);
        let (patience, bar) = (Patience::new(handle, settings), Bar::new("process", quiet));
        Reader { patience, clock, settings: settings.clone(), rules, threads, bar, counts: Counts::default() }
    }

    async fn read_all(&mut self, folder: &RoundFolder, segments: &[SegmentFile]) -> Result<()> {
        for (number, segment) in segments.iter().enumerate() {
            if self.patience.is_stopped() {
                return Ok(());
            }
            self.read(folder, segment, (number as u64, segments.len() as u64)).await?;
            // a crawl that goes on finds its place by what stands in its folder
            if !self.patience.is_stopped() && folder.is_finished()? {
                shelf::put_away(folder, segment)?;
            }
        }
        Ok(())
    }

    async fn read(&mut self, folder: &RoundFolder, segment: &SegmentFile, place: (u64, u64)) -> Result<()> {
        let path = segment.path.clone();
        let sha256 = tokio::task::spawn_blocking(move || segment::verify_hash(&path)).await??;
        let id = SegmentId {
            sha256: &sha256,
            rule_set: self.rules.version,
            round: folder.round.as_str(),
            segment: i64::from(segment.number),
        };
        let progress = self
            .patience
            .ask(async |catalog| matches::begin_segment(catalog, &id, self.clock.now()).await)
            .await
            .with_context(|| format!("cannot begin {}", segment.path.display()))?;
        if progress.finished {
            self.counts.known_segments += 1;
            return Ok(());
        }
        let from = u64::try_from(progress.records_done).context("the ledger holds a negative number")?;
        let named = || format!("cannot process {}", segment.path.display());
        let mut reading =
            reading::Reading::start(&segment.path, from, &self.rules, self.threads).with_context(named)?;
        let mut gathered = Gathered::new(progress.records_done);
        while let Some(chunk) = reading.next().await.with_context(named)? {
            self.counts.defects += chunk.defects;
            gathered.add(chunk);
            if gathered.is_worth_writing(&self.settings) {
                self.write(&id, gathered.take(false)).await.with_context(named)?;
                self.show(place);
                if self.patience.is_stopped() {
                    return Ok(());
                }
            }
        }
        self.write(&id, gathered.take(true)).await.with_context(named)?;
        self.counts.segments += 1;
        self.show(place);
        Ok(())
    }

    /// Writes a batch, waiting for a database that is away.
    async fn write(&mut self, id: &SegmentId<'_>, batch: matches::Batch) -> Result<()> {
        let (pages, found) = (batch.pages.len() as u64, batch.matches.len() as u64);
        let (to, last) = (batch.to, batch.last);
        let sub_batch = self.settings.sub_batch_records as usize;
        let tried = Cell::new(false);
        self.patience
            .ask(async |catalog| {
                // a commit whose answer was lost has happened: the ledger knows. The last batch may be empty, and then
                // only the end tells
                if tried.replace(true) {
                    let known = matches::begin_segment(catalog, id, self.clock.now()).await?;
                    if known.records_done == to && (known.finished || !last) {
                        return Ok(());
                    }
                }
                matches::write_batch(catalog, id, batch.clone(), sub_batch, self.clock.now()).await
            })
            .await?;
        self.counts.pages += pages;
        self.counts.matches += found;
        self.patience.handle().note_counts(serde_json::to_value(&self.counts)?);
        Ok(())
    }

    fn show(&mut self, (number, all): (u64, u64)) {
        let Counts { pages, matches, .. } = self.counts;
        self.bar.show(number, all, || format!("segments, {pages} pages, {matches} matches"));
    }
}
