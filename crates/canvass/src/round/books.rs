//! What has ended so far, and does each target end once?

use std::{collections::BTreeMap, fs::File, path::Path};

use anyhow::{Context, Result, bail};
use blobs::segment::{Batch, Limits, SegmentLog};
use domain::Completion;
use frontier::CompletionFront;
use serde::{Deserialize, Serialize};

use super::{
    Checkpoint, RoundFolder,
    outcomes::{Outcomes, still_hold},
};

/// Targets by how they ended.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Tally {
    /// Targets with a capture.
    pub captured: u64,
    /// Targets that were ruled out, by reason.
    pub excluded: BTreeMap<String, u64>,
    /// Targets that failed, by kind.
    pub failed: BTreeMap<String, u64>,
    /// Body bytes as they came over the wire.
    pub wire_bytes: u64,
}

impl Tally {
    /// Counts a completion whose stored body has `body_bytes`.
    pub fn count(&mut self, completion: &Completion, body_bytes: u64) {
        self.wire_bytes += body_bytes;
        let group = match completion.disposition.name() {
            "captured" => {
                self.captured += 1;
                return;
            }
            "excluded" => &mut self.excluded,
            _ => &mut self.failed,
        };
        match group.get_mut(completion.disposition.detail_name()) {
            Some(count) => *count += 1,
            None => {
                group.insert(completion.disposition.detail_name().to_owned(), 1);
            }
        }
    }

    /// All that were ruled out.
    #[must_use]
    pub fn all_excluded(&self) -> u64 {
        self.excluded.values().sum()
    }

    /// All that failed.
    #[must_use]
    pub fn all_failed(&self) -> u64 {
        self.failed.values().sum()
    }

    /// All that ended.
    #[must_use]
    pub fn ended(&self) -> u64 {
        self.captured + self.all_excluded() + self.all_failed()
    }

    /// How many in a hundred failed, of those that ended.
    #[must_use]
    pub fn failure_percent(&self) -> f64 {
        if self.ended() == 0 { 0.0 } else { self.all_failed() as f64 * 100.0 / self.ended() as f64 }
    }
}

/// The log and everything that follows from it: what is done, the counts, the outcome files.
pub struct Books {
    folder: RoundFolder,
    log: SegmentLog,
    front: CompletionFront,
    tally: Tally,
    outcomes: Outcomes,
}

impl Books {
    /// Takes up the books of a round where they stand: reads the checkpoint, then the log's tail past it.
    pub fn open(folder: &RoundFolder, limits: Limits) -> Result<Books> {
        // without a checkpoint, or with one whose files were touched, the whole log is read: slower, and as right
        let checkpoint = Checkpoint::read(folder)?.filter(|known| still_hold(folder, known.outcomes));
        let Checkpoint { position, mut front, mut tally, outcomes } = checkpoint.unwrap_or_default();
        let mut outcomes = Outcomes::open(folder, outcomes)
            .with_context(|| in_folder("open the outcome files", folder.path()))?;
        let mut problem = Ok(());
        let log = SegmentLog::open(&folder.segments(), limits, position, |record| {
            if problem.is_ok() {
                problem = replay(record, &mut front, &mut tally, &mut outcomes);
            }
        })?;
        problem?;
        outcomes.flush()?;
        Ok(Books { folder: folder.clone(), log, front, tally, outcomes })
    }

    /// What is done.
    #[must_use]
    pub fn front(&self) -> &CompletionFront {
        &self.front
    }

    /// The counts.
    #[must_use]
    pub fn tally(&self) -> &Tally {
        &self.tally
    }

    /// Writes a batch of records into the log, with the completions that it holds and the sizes of their bodies: from
    /// then on they survive a crash of the process.
    pub fn write<'a>(
        &mut self,
        batch: &mut Batch,
        completions: impl Iterator<Item = (&'a Completion, u64)>,
    ) -> Result<()> {
        for (completion, body_bytes) in completions {
            if !self.front.complete(completion.target.place) {
                bail!("line {} was about to end twice: this is a defect of canvass", completion.target.line);
            }
            self.tally.count(completion, body_bytes);
            self.outcomes
                .add(completion)
                .with_context(|| in_folder("write the outcome files", self.folder.path()))?;
        }
        self.log.write(batch)?;
        Ok(())
    }

    /// The log's file, to be made safe from a crash of the machine beside the work.
    pub fn file_to_sync(&self) -> Result<File> {
        Ok(self.log.file_to_sync()?)
    }

    /// Writes a checkpoint of what is in the log.
    pub fn checkpoint(&mut self) -> Result<()> {
        let position = self.log.sync()?;
        let outcomes = self.outcomes.sync()?;
        let checkpoint =
            Checkpoint { position, front: self.front.clone(), tally: self.tally.clone(), outcomes };
        checkpoint.write(&self.folder)
    }

    /// Checkpoints and leaves the log open for the next run.
    pub fn leave(mut self) -> Result<Tally> {
        self.checkpoint()?;
        Ok(self.tally)
    }

    /// Checkpoints and closes the last segment: the round's crawl is complete.
    pub fn close(mut self) -> Result<Tally> {
        self.checkpoint()?;
        self.log.close()?;
        Ok(self.tally)
    }
}

fn replay(
    record: blobs::segment::Record<'_>,
    front: &mut CompletionFront,
    tally: &mut Tally,
    outcomes: &mut Outcomes,
) -> Result<()> {
    let completion: Completion = serde_json::from_slice(record.head)
        .context("a record of the segment log is not a completion: was it written by a newer canvass?")?;
    if !front.complete(completion.target.place) {
        bail!("line {} stands twice in the segment log: this is a defect of canvass", completion.target.line);
    }
    tally.count(&completion, record.body.len() as u64);
    Ok(outcomes.add(&completion)?)
}

fn in_folder(doing: &str, folder: &Path) -> String {
    format!("cannot {doing} in {}", folder.display())
}
