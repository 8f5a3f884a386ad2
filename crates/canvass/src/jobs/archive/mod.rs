//! Where do old match rows go?
//!
//! What single matches add up to stays in the catalog; the rows themselves leave it for Parquet files when their month is
//! old enough. Whole months leave and no parts of them, so that whoever folds or compares a month sees all of its matches
//! or none.
//!
//! Each row is in the catalog or in a file that the catalog knows, whatever instant the process dies:
//! 1. rows are written to a file under a temporary name, which is then read back and compared cell by cell;
//! 2. the file is noted in the catalog with its hash, and gets its name, which follows from its content;
//! 3. its rows are read from it once more, and exactly these leave the catalog, some at a time;
//! 4. the catalog notes that they are gone.
//!
//! A run begins with what an earlier one left between 2 and 4.

mod file;
mod removal;
#[cfg(test)]
mod tests;

use std::path::PathBuf;

use anyhow::{Context, Result, bail};
use catalog::{
    Catalog,
    archives::{self, ArchiveRow},
};
use domain::Moment;
use serde::Serialize;
use serde_json::json;

use super::{Job, JobOutcome, bar::Bar, patience::Patience, process::month_of, start_logging};
use crate::{clock::Clock, round::RoundFolder, settings::Settings};
use removal::Keys;

/// What is to be archived.
pub struct ArchivePlan {
    /// The newest round: the run and its log are its.
    pub folder: RoundFolder,
    /// A month leaves when all of it is older than this many days.
    pub older_than_days: u32,
    /// The settings.
    pub settings: Settings,
    /// No progress on standard error.
    pub quiet: bool,
}

/// What left the catalog.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct Counts {
    /// Files that were written.
    pub files: u64,
    /// Rows in them.
    pub rows: u64,
    /// Their bytes.
    pub bytes: u64,
    /// Rows that left the catalog, those of an earlier run included.
    pub removed: u64,
}

/// How archiving went.
#[derive(Debug)]
pub struct ArchiveReport {
    /// What left.
    pub counts: Counts,
    /// Where it went.
    pub folder: PathBuf,
    /// How it ended.
    pub outcome: JobOutcome,
}

/// The months whose match rows are all older than so many days, and how many rows each has.
pub async fn old_months(catalog: &Catalog, older_than_days: u32, now: Moment) -> Result<Vec<(String, u64)>> {
    let limit = Moment(now.0.saturating_sub(i64::from(older_than_days) * 86_400_000));
    // the limit lies in this month, so those before it are old from their first day to their last
    let months = archives::months_before(catalog, &month_of(limit)).await?;
    Ok(months.into_iter().map(|(month, rows)| (month, u64::try_from(rows).unwrap_or(0))).collect())
}

/// Moves the match rows of old months to files.
pub async fn run(plan: ArchivePlan, catalog: Catalog, clock: Clock) -> Result<ArchiveReport> {
    let ArchivePlan { folder, older_than_days, settings, quiet } = plan;
    start_logging(&folder.logs(), "archive", &settings.logs)?;
    let parameters = json!({ "older_than_days": older_than_days });
    let job = Job::start(catalog, clock, "archive", &folder.round, &["archive"], parameters).await?;
    let mut archiver = Archiver {
        data_dir: settings.storage.data_dir.clone(),
        patience: Patience::new(job.handle(), &settings.process),
        clock,
        counts: Counts::default(),
        bar: Bar::new("archive", quiet),
        expected: 0,
    };
    let archived = job
        .stage("archive", async {
            archiver.archive(older_than_days).await?;
            Ok(((), serde_json::to_value(&archiver.counts)?))
        })
        .await;
    let counts = archiver.counts.clone();
    let ((), outcome) = job.conclude(archived, serde_json::to_value(&counts)?, |()| None).await?;
    Ok(ArchiveReport { counts, folder: archiver.data_dir.join(file::FOLDER), outcome })
}

/// Moves rows to files, one file at a time.
struct Archiver {
    data_dir: PathBuf,
    patience: Patience,
    clock: Clock,
    counts: Counts,
    bar: Bar,
    /// Rows that are to be written or removed, as far as that is known.
    expected: u64,
}

impl Archiver {
    async fn archive(&mut self, older_than_days: u32) -> Result<()> {
        self.finish_what_was_begun().await?;
        let now = self.clock.now();
        let months = old_months(self.patience.handle().catalog(), older_than_days, now).await?;
        // each of them is written and removed
        self.expected = self.counts.removed + 2 * months.iter().map(|(_, rows)| rows).sum::<u64>();
        for (month, _) in months {
            file::make_folder(&self.data_dir, &month)?;
            while !self.patience.is_stopped() && self.archive_file(&month).await? {}
        }
        Ok(())
    }

    /// Moves the next rows of a month to a file; false if there are none left, or the job is to stop.
    async fn archive_file(&mut self, month: &str) -> Result<bool> {
        let Archiver { data_dir, patience, bar, counts, expected, .. } = self;
        let written = file::write(data_dir, month, patience, |rows| {
            let done = counts.rows + counts.removed + rows;
            bar.show(done, (*expected).max(done), || format!("matches of {month} written"));
        });
        let Some(written) = written.await? else { return Ok(false) };
        let now = self.clock.now();
        let rows = i64::try_from(written.rows).context("a file with more rows than can be counted")?;
        self.patience
            .ask(async |catalog| {
                archives::note(catalog, &written.path, month, rows, &written.sha256, now).await
            })
            .await?;
        tracing::info!(path = written.path, rows, "old matches written, verified and noted");
        self.counts.files += 1;
        self.counts.rows += written.rows;
        self.counts.bytes += written.bytes;
        file::settle(&self.data_dir, &written.path, month, &written.sha256).await?;
        let keys = Keys::of(self.data_dir.join(&written.path));
        self.remove_rows(&written.path, month, written.rows, keys).await
    }

    /// Removes the rows of files that were noted and not done with when an earlier run ended.
    async fn finish_what_was_begun(&mut self) -> Result<()> {
        let noted = self.patience.ask(async |catalog| archives::list(catalog).await).await?;
        for archive in noted.into_iter().filter(|archive| archive.removed_at.is_none()) {
            if self.patience.is_stopped() {
                break;
            }
            tracing::info!(path = archive.path, "an earlier run had not removed all rows of a file");
            let ArchiveRow { path, month, row_count, sha256, .. } = &archive;
            let rows = u64::try_from(*row_count).context("a file with less than no rows")?;
            self.expected += rows;
            file::settle(&self.data_dir, path, month, sha256).await?;
            self.remove_rows(path, month, rows, Keys::of(self.data_dir.join(path))).await?;
        }
        Ok(())
    }

    /// Removes the rows of a settled file from the catalog, all `rows` of them; false if the job is to stop before the
    /// last.
    async fn remove_rows(&mut self, path: &str, month: &str, rows: u64, mut keys: Keys) -> Result<bool> {
        let mut read = 0;
        while let Some(chunk) = keys.next().await {
            if self.patience.is_stopped() {
                return Ok(false);
            }
            read += chunk.len() as u64;
            self.counts.removed +=
                self.patience.ask(async |catalog| archives::delete(catalog, path, &chunk).await).await?;
            self.patience.handle().note_counts(serde_json::to_value(&self.counts)?);
            let done = self.counts.rows + self.counts.removed;
            self.bar.show(done, self.expected.max(done), || format!("matches of {month} removed"));
        }
        keys.end().await.with_context(|| format!("the archive {path} cannot be read"))?;
        if read != rows {
            bail!("the archive {path} has {read} rows, and {rows} were noted: restore it from a copy");
        }
        let now = self.clock.now();
        self.patience.ask(async |catalog| archives::mark_removed(catalog, path, now).await).await?;
        Ok(true)
    }
}
