//! What does an export say of itself, and when may it be believed?

use std::{fs, io, path::Path};

use anyhow::{Context, Result};
use blobs::table::Closed;
use catalog::findings::MonthRow;
use domain::{Moment, RoundId};
use serde::{Deserialize, Serialize};

use super::{is_table, publish_table};
use crate::month::Month;

/// The file that tells of the others; it is written last.
pub const MANIFEST_FILE: &str = "manifest.json";

/// The version of the manifest and of the tables that it tells of.
pub const SCHEMA_VERSION: u32 = 1;

/// What an export says of itself.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Manifest {
    /// The version of this file's own form and of the tables' columns.
    pub schema_version: u32,
    /// The round in whose folder it is.
    pub round: RoundId,
    /// The month that the tables tell of.
    pub month: String,
    /// When this content was first made (RFC 3339); making the same again does not change it.
    pub made_at: String,
    /// The newest rules that findings of the month were made with.
    pub rule_set: Option<i64>,
    /// The tables.
    pub files: Vec<ExportedFile>,
    /// How much of the month's targets was seen.
    pub coverage: Coverage,
}

/// One table of an export.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ExportedFile {
    /// Its name in the folder.
    pub name: String,
    /// Its rows.
    pub rows: u64,
    /// Its size.
    pub bytes: u64,
    /// Its SHA-256, in hex.
    pub sha256: String,
}

/// How much of a month's targets was seen.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Coverage {
    /// Sites that were visited.
    pub sites: i64,
    /// Their targets.
    pub targets: i64,
    /// Those of them that were captured.
    pub captured: i64,
}

impl Manifest {
    /// What is to be said of these tables.
    #[must_use]
    pub fn new(
        round: &RoundId,
        month: &Month,
        made_at: Moment,
        extent: &MonthRow,
        tables: &[Closed],
    ) -> Manifest {
        let MonthRow { month: _, rule_sets, findings: _, sites, targets, captured } = extent;
        Manifest {
            schema_version: SCHEMA_VERSION,
            round: round.clone(),
            month: month.to_string(),
            made_at: made_at.to_string(),
            rule_set: rule_sets.iter().max().copied(),
            files: tables.iter().map(ExportedFile::of).collect(),
            coverage: Coverage { sites: *sites, targets: *targets, captured: *captured },
        }
    }

    /// Reads the manifest of a folder; nothing if there is none, or none that this program understands.
    pub fn read(folder: &Path) -> Result<Option<Manifest>> {
        let path = folder.join(MANIFEST_FILE);
        match fs::read(&path) {
            Ok(text) => Ok(serde_json::from_slice(&text).ok()),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
            Err(error) => Err(error).with_context(|| format!("cannot read {}", path.display())),
        }
    }
}

/// Gives the tables their names, and says so in the manifest.
///
/// While files change there is no manifest, so whoever finds one finds exactly the files that it tells of. An export that
/// came out as it was keeps its manifest, so that it is not delivered again.
pub fn publish(folder: &Path, manifest: Manifest, tables: Vec<Closed>) -> Result<Manifest> {
    let before = Manifest::read(folder)?;
    let unchanged =
        before.filter(|before| Manifest { made_at: manifest.made_at.clone(), ..before.clone() } == manifest);
    if let Some(before) = unchanged {
        for table in tables {
            publish_table(table)?;
        }
        remove_stale(folder, &before)?;
        return Ok(before);
    }
    remove(&folder.join(MANIFEST_FILE))?;
    blobs::sync_folder(folder).with_context(|| format!("cannot write {}", folder.display()))?;
    for table in tables {
        publish_table(table)?;
    }
    remove_stale(folder, &manifest)?;
    let path = folder.join(MANIFEST_FILE);
    let mut text = serde_json::to_vec_pretty(&manifest)?;
    text.push(b'\n');
    blobs::write_atomically(&path, &text).with_context(|| format!("cannot write {}", path.display()))?;
    Ok(manifest)
}

/// Deletes the tables that the manifest does not tell of: those of another month or in another format.
///
/// They are known by their names and not from the manifest before, which a killed export may have removed already.
fn remove_stale(folder: &Path, manifest: &Manifest) -> Result<()> {
    let entries = fs::read_dir(folder).with_context(|| format!("cannot read {}", folder.display()))?;
    for entry in entries {
        let entry = entry.with_context(|| format!("cannot read {}", folder.display()))?;
        let name = entry.file_name();
        let Some(name) = name.to_str() else { continue };
        if is_table(name) && !manifest.files.iter().any(|file| file.name == name) {
            remove(&entry.path())?;
        }
    }
    Ok(())
}

fn remove(path: &Path) -> Result<()> {
    match fs::remove_file(path) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => {
            Err(error).with_context(|| format!("cannot delete {}", path.display()))
        }
        _ => Ok(()),
    }
}
