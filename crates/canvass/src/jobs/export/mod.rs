//! Which files tell others what was found in a month?
//!
//! Three tables, each as CSV, JSON and Parquet, and a manifest. All of them are written under temporary names first, so a
//! half-written file never has its name; the manifest is written last and tells of nothing else. The same data give the
//! same bytes, whichever engine the catalog has.

mod accounts;
mod duals;
mod findings;
mod manifest;
mod sheet;

use std::{fs, path::Path};

use anyhow::{Context, Result};
use blobs::table::{Closed, Format, TableError, Written};
use catalog::{Catalog, findings::MonthRow, runs::RunStatus};
use serde_json::json;

use super::{Job, JobOutcome, bar::Bar, patience::Patience, start_logging};
use crate::{
    clock::Clock, exit::Exit, explain::explain, month::Month, round::RoundFolder, settings::Settings,
};
use accounts::AccountDelivery;
use duals::DualVendors;
use findings::TechnicalFindings;
use sheet::{Progress, write_sheet};

pub use manifest::{Coverage, ExportedFile, MANIFEST_FILE, Manifest, SCHEMA_VERSION};

/// What the tables are called; the first and the last have their month behind it.
const FINDINGS: &str = "TechnicalFindings";
const ACCOUNTS: &str = "AccountDelivery";
const DUALS: &str = "DualVendor";

/// What is to be exported.
pub struct ExportPlan {
    /// The round in whose folder the files are put.
    pub folder: RoundFolder,
    /// The month, and what is known of it.
    pub month: Month,
    /// How much of it there is.
    pub extent: MonthRow,
    /// How each table is written.
    pub formats: Vec<Format>,
    /// The settings.
    pub settings: Settings,
    /// No progress on standard error.
    pub quiet: bool,
}

/// How exporting went.
#[derive(Debug)]
pub struct ExportReport {
    /// What was written; nothing if the job was stopped.
    pub manifest: Option<Manifest>,
    /// How it ended.
    pub outcome: JobOutcome,
}

/// Writes the tables of a month.
pub async fn run(plan: ExportPlan, catalog: Catalog, clock: Clock) -> Result<ExportReport> {
    let ExportPlan { folder, month, extent, formats, settings, quiet } = plan;
    start_logging(&folder.logs(), "export", &settings.logs)?;
    let names: Vec<&str> = formats.iter().map(|format| format.name()).collect();
    let parameters = json!({ "round": folder.round, "month": month.as_str(), "formats": names });
    let job = Job::start(catalog, clock, "export", &folder.round, &["export"], parameters).await?;
    let made_at = clock.now();
    let exported = job
        .stage("export", async {
            let patience = Patience::new(job.handle(), &settings.process);
            let path = folder.export();
            let tables = write_tables(&path, &month, &extent, &formats, patience, quiet).await?;
            let Some(tables) = tables else { return Ok((None, json!({}))) };
            let manifest = Manifest::new(&folder.round, &month, made_at, &extent, &tables);
            let manifest = manifest::publish(&path, manifest, tables)?;
            let rows: u64 = manifest.files.iter().map(|file| file.rows).sum();
            let counts = json!({ "files": manifest.files.len(), "rows": rows });
            Ok((Some(manifest), counts))
        })
        .await;
    let (status, exit, words) = match (&exported, job.stopped()) {
        (Err(error), _) => (RunStatus::Failed, Exit::CouldNotRun, explain(error)),
        (Ok(None), Some(stop)) => (RunStatus::Aborted, Exit::CouldNotRun, stop.to_string()),
        (Ok(_), _) => (RunStatus::Done, Exit::Done, "done".to_owned()),
    };
    let outcome = JobOutcome { status, exit, words, counts: json!({}) };
    let finished = job.finish(&outcome).await;
    // the first error is the one to show
    let manifest = exported?;
    finished?;
    Ok(ExportReport { manifest, outcome })
}

/// Writes every table under its temporary name; `None` if the job is to stop before all are written.
async fn write_tables(
    folder: &Path,
    month: &Month,
    extent: &MonthRow,
    formats: &[Format],
    patience: Patience,
    quiet: bool,
) -> Result<Option<Vec<Closed>>> {
    fs::create_dir_all(folder).with_context(|| format!("cannot make {}", folder.display()))?;
    remove_leftovers(folder)?;
    let mut progress = Progress::new(Bar::new("export", quiet), extent);
    let mut tables = Vec::new();
    let source = TechnicalFindings::new(patience.clone(), month);
    let path = folder.join(format!("{FINDINGS}_{month}"));
    tables.extend(write_sheet(source, &path, formats, &patience, &mut progress).await?);
    let source = AccountDelivery::new(patience.clone(), month);
    let path = folder.join(ACCOUNTS);
    tables.extend(write_sheet(source, &path, formats, &patience, &mut progress).await?);
    let source = DualVendors::new(patience.clone(), month);
    let path = folder.join(format!("{DUALS}_{month}"));
    tables.extend(write_sheet(source, &path, formats, &patience, &mut progress).await?);
    // a job that is to stop leaves tables out
    if tables.len() == 3 {
        return Ok(Some(tables.into_iter().flatten().collect()));
    }
    drop(tables);
    remove_leftovers(folder)?;
    Ok(None)
}

/// Deletes what a killed export left half-written.
fn remove_leftovers(folder: &Path) -> Result<()> {
    let entries = fs::read_dir(folder).with_context(|| format!("cannot read {}", folder.display()))?;
    for entry in entries {
        let path = entry?.path();
        if path.to_string_lossy().ends_with(blobs::TEMPORARY_SUFFIX) {
            fs::remove_file(&path).with_context(|| format!("cannot delete {}", path.display()))?;
        }
    }
    Ok(())
}

impl ExportedFile {
    fn of(table: &Closed) -> ExportedFile {
        let Written { rows, bytes, sha256 } = table.written().clone();
        let name = table.path().file_name().unwrap_or_default().to_string_lossy().into_owned();
        ExportedFile { name, rows, bytes, sha256 }
    }
}

/// Whether a file of this name is a table that an export writes, of whatever month and in whatever format.
fn is_table(name: &str) -> bool {
    let Some((stem, ending)) = name.rsplit_once('.') else { return false };
    let month = [FINDINGS, DUALS]
        .iter()
        .find_map(|table| stem.strip_prefix(table)?.strip_prefix('_')?.parse::<Month>().ok());
    ending.parse::<Format>().is_ok() && (stem == ACCOUNTS || month.is_some())
}

fn publish_table(table: Closed) -> Result<(), TableError> {
    table.publish().map(drop)
}
