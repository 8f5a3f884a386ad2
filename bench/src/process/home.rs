//! Where does the measured canvass live?

use std::{
    ffi::OsString,
    fs,
    path::{Path, PathBuf},
};

use anyhow::{Context, Result};
use serde::Deserialize;
use serde_json::json;

use super::prepare::round_folder;
use crate::{
    canvass::read_json,
    measure::{Cost, Line, run_anywhere},
};

/// The round that is processed.
pub const ROUND: &str = "bench";
/// The files that say that a round is finished, so that its segments may be put away.
const FILES_OF_A_ROUND: [&str; 4] = ["round.json", "enlist.json", "checkpoint", "ledger.json"];

/// A schema of a PostgreSQL.
#[derive(Debug, Clone)]
pub struct Schema {
    /// The database.
    pub url: String,
    /// The schema in it.
    pub name: String,
}

/// A folder with settings and data of its own.
#[derive(Debug)]
pub struct Home {
    program: PathBuf,
    dir: PathBuf,
}

/// What `canvass process --json` says.
#[derive(Debug, Deserialize)]
struct Report {
    rounds: Vec<RoundReport>,
}

#[derive(Debug, Deserialize)]
struct RoundReport {
    counts: Counts,
}

#[derive(Debug, Deserialize)]
struct Version {
    in_force: bool,
    fingerprints: u64,
}

/// What was processed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize)]
pub struct Counts {
    /// How many pages.
    pub pages: u64,
    /// How many matches.
    pub matches: u64,
}

impl Home {
    /// A home with its catalog in a file, or in a schema.
    ///
    /// # Errors
    /// If its settings cannot be written.
    pub fn open(program: &Path, dir: &Path, schema: Option<&Schema>) -> Result<Home> {
        let mut storage = json!({ "data_dir": dir.join("data") });
        if let Some(Schema { url, name }) = schema {
            storage["metadata_db_url"] = url.as_str().into();
            storage["schema"] = name.as_str().into();
        }
        fs::create_dir_all(dir).with_context(|| format!("cannot make {}", dir.display()))?;
        // JSON is YAML, and no path needs quoting by hand.
        fs::write(dir.join("canvass.yaml"), json!({ "storage": storage }).to_string())?;
        Ok(Home { program: program.to_owned(), dir: dir.to_owned() })
    }

    /// A command with the settings of this home.
    #[must_use]
    pub fn line(&self, arguments: &[&str]) -> Line {
        let mut line = Line::new(&self.program, ["--config"]);
        line.arguments.push(self.dir.join("canvass.yaml").into());
        line.arguments.extend(arguments.iter().map(OsString::from));
        line
    }

    /// Makes the tables.
    ///
    /// # Errors
    /// If they cannot be made.
    pub fn migrate(&self) -> Result<()> {
        run_anywhere(&self.line(&["migrate"])).map(drop)
    }

    /// Loads the pack that canvass brings along, or imports a folder in the open Wappalyzer format.
    ///
    /// # Errors
    /// If they cannot be loaded.
    pub fn load_rules(&self, wappalyzer: Option<&Path>) -> Result<()> {
        let load = match wappalyzer {
            None => self.line(&["fingerprints", "load"]),
            Some(folder) => {
                let mut import = self.line(&["fingerprints", "import", "--format", "wappalyzer"]);
                import.arguments.push(folder.into());
                import
            }
        };
        run_anywhere(&load).map(drop)
    }

    /// Puts a finished round with these segments into the home. They are linked, so that it takes neither time nor room.
    ///
    /// # Errors
    /// If a file cannot be copied or linked.
    pub fn put_round(&self, prepared: &Path, segments: &[PathBuf]) -> Result<()> {
        let round = self.dir.join("data/rounds").join(ROUND);
        fs::create_dir_all(round.join("segments"))?;
        for name in FILES_OF_A_ROUND {
            let from = round_folder(prepared).join(name);
            fs::copy(&from, round.join(name)).with_context(|| format!("cannot copy {}", from.display()))?;
        }
        for segment in segments {
            for file in [segment.clone(), blobs::segment::hash_file(segment)] {
                let name = file.file_name().context("a segment without a name")?;
                fs::hard_link(&file, round.join("segments").join(name))
                    .with_context(|| format!("cannot link {}", file.display()))?;
            }
        }
        Ok(())
    }

    /// Another home with a copy of this one's catalog.
    ///
    /// # Errors
    /// If it cannot be copied.
    pub fn copy_to(&self, dir: &Path) -> Result<Home> {
        let copy = Home::open(&self.program, dir, None)?;
        fs::create_dir_all(dir.join("data"))?;
        for entry in fs::read_dir(self.dir.join("data"))? {
            let entry = entry?;
            if entry.file_type()?.is_file() {
                fs::copy(entry.path(), dir.join("data").join(entry.file_name()))?;
            }
        }
        Ok(copy)
    }

    /// How many fingerprints are in force.
    ///
    /// # Errors
    /// If canvass does not say.
    pub fn fingerprints(&self) -> Result<u64> {
        let mut said = run_anywhere(&self.line(&["fingerprints", "versions", "--json"]))?;
        let versions: Vec<Version> = read_json(&mut said)?;
        let in_force = versions.iter().find(|version| version.in_force);
        Ok(in_force.context("no rules are in force")?.fingerprints)
    }

    /// Processes whatever waits.
    ///
    /// # Errors
    /// If it fails.
    pub fn process(&self) -> Result<(Cost, Counts)> {
        let mut cost = run_anywhere(&self.line(&["process", "--quiet", "--json"]))?;
        let report: Report = read_json(&mut cost)?;
        Ok((cost, report.rounds.first().map(|round| round.counts).unwrap_or_default()))
    }
}
