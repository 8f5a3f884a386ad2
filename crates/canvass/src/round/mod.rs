//! What is in a round's folder?
//!
//! Files are the state: everything about a round lies under `<data_dir>/rounds/<round>/`, and can be looked at with
//! `ls` and `cat`.

mod books;
mod checkpoint;
mod ledger;
mod outcomes;

use std::{
    fs, io,
    path::{Path, PathBuf},
};

use anyhow::{Context, Result, bail};
use blobs::segment::{self, SegmentFile};
use domain::{Moment, RoundId};
use frontier::enlist::Enlisted;
use serde::{Deserialize, Serialize, de::DeserializeOwned};

pub use books::{Books, Tally};
pub use checkpoint::Checkpoint;
pub use ledger::{Ledger, for_each_completion, prove};
pub use outcomes::{EXCLUDED_FILE, FAILED_FILE};

/// The proof of a finished round.
const LEDGER_FILE: &str = "ledger.json";

/// A round's folder and the names in it.
#[derive(Debug, Clone)]
pub struct RoundFolder {
    /// The round.
    pub round: RoundId,
    path: PathBuf,
}

/// Where a round came from; written once, when it begins.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Origin {
    /// The round's id, so that a copied folder still says what it is.
    pub round: RoundId,
    /// The list as the user named it; `-` for standard input.
    pub list: String,
    /// When the round began.
    pub begun_at: Moment,
    /// The version of canvass that began it.
    pub version: String,
}

impl RoundFolder {
    /// The folder of a round, which need not exist.
    #[must_use]
    pub fn new(data_dir: &Path, round: RoundId) -> RoundFolder {
        let path = data_dir.join("rounds").join(round.as_str());
        RoundFolder { round, path }
    }

    /// The folder itself.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Whether the round has begun.
    #[must_use]
    pub fn exists(&self) -> bool {
        self.file("round.json").exists()
    }

    /// A file of the round.
    #[must_use]
    pub fn file(&self, name: &str) -> PathBuf {
        self.path.join(name)
    }

    /// The frontier's queue.
    #[must_use]
    pub fn queue(&self) -> PathBuf {
        self.path.join("frontier")
    }

    /// The segments.
    #[must_use]
    pub fn segments(&self) -> PathBuf {
        self.path.join("segments")
    }

    /// The segments that were processed.
    #[must_use]
    pub fn processed(&self) -> PathBuf {
        self.path.join("processed")
    }

    /// All segments, processed or not, in order.
    pub fn all_segments(&self) -> Result<Vec<SegmentFile>> {
        let mut segments = segment::list(&self.segments())?;
        segments.extend(segment::list(&self.processed())?);
        segments.sort_by_key(|segment| segment.number);
        Ok(segments)
    }

    /// The tables that tell others what was found, and their manifest.
    #[must_use]
    pub fn export(&self) -> PathBuf {
        self.path.join("export")
    }

    /// The logs.
    #[must_use]
    pub fn logs(&self) -> PathBuf {
        self.path.join("logs")
    }

    /// Begins the round: makes the folder and notes where it came from.
    pub fn begin(&self, list: &str, now: Moment) -> Result<Origin> {
        fs::create_dir_all(&self.path).with_context(|| format!("cannot make {}", self.path.display()))?;
        let version = env!("CARGO_PKG_VERSION").to_owned();
        let origin = Origin { round: self.round.clone(), list: list.to_owned(), begun_at: now, version };
        self.write_json("round.json", &origin)?;
        Ok(origin)
    }

    /// Where the round came from.
    pub fn origin(&self) -> Result<Option<Origin>> {
        self.read_json("round.json")
    }

    /// What the list held, once it is enlisted.
    pub fn enlisted(&self) -> Result<Option<Enlisted>> {
        self.read_json("enlist.json")
    }

    /// Notes that the list is enlisted: from now on the queue is the list.
    pub fn note_enlisted(&self, enlisted: &Enlisted) -> Result<()> {
        self.write_json("enlist.json", enlisted)
    }

    /// Notes the proof: from now on the round is finished.
    pub fn note_ledger(&self, ledger: &Ledger) -> Result<()> {
        self.write_json(LEDGER_FILE, ledger)
    }

    /// Whether every target has ended, the last segment is closed and the books were looked at.
    pub fn is_finished(&self) -> Result<bool> {
        if !self.file(LEDGER_FILE).exists() {
            return Ok(false);
        }
        let (Some(enlisted), Some(checkpoint)) = (self.enlisted()?, Checkpoint::read(self)?) else {
            return Ok(false);
        };
        let open = segment::list(&self.segments())?.iter().any(|segment| !segment.closed);
        Ok(!open && checkpoint.tally.ended() == enlisted.targets)
    }

    fn write_json(&self, name: &str, value: &impl Serialize) -> Result<()> {
        let path = self.file(name);
        let mut text = serde_json::to_vec_pretty(value)?;
        text.push(b'\n');
        blobs::write_atomically(&path, &text).with_context(|| format!("cannot write {}", path.display()))
    }

    fn read_json<T: DeserializeOwned>(&self, name: &str) -> Result<Option<T>> {
        let path = self.file(name);
        let text = match fs::read(&path) {
            Ok(text) => text,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(error).with_context(|| format!("cannot read {}", path.display())),
        };
        let value = serde_json::from_slice(&text)
            .with_context(|| format!("{} is damaged; restore it or move the round aside", path.display()))?;
        Ok(Some(value))
    }
}

/// The rounds of a data folder, newest first by when they began.
pub fn list_rounds(data_dir: &Path) -> Result<Vec<(RoundFolder, Origin)>> {
    let folder = data_dir.join("rounds");
    let entries = match fs::read_dir(&folder) {
        Ok(entries) => entries,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
        Err(error) => return Err(error).with_context(|| format!("cannot read {}", folder.display())),
    };
    let mut rounds = Vec::new();
    for entry in entries {
        let name = entry?.file_name();
        let Some(round) = name.to_str().and_then(|name| name.parse::<RoundId>().ok()) else { continue };
        let round = RoundFolder::new(data_dir, round);
        if let Some(origin) = round.origin()? {
            rounds.push((round, origin));
        }
    }
    rounds.sort_by_key(|(_, origin)| std::cmp::Reverse(origin.begun_at));
    Ok(rounds)
}

/// The round that a command is about: the one named, or the newest.
pub fn find_round(data_dir: &Path, named: Option<&RoundId>) -> Result<RoundFolder> {
    if let Some(round) = named {
        let folder = RoundFolder::new(data_dir, round.clone());
        if folder.exists() {
            return Ok(folder);
        }
        let known: Vec<_> =
            list_rounds(data_dir)?.into_iter().map(|(round, _)| round.round.to_string()).collect();
        let known = if known.is_empty() { "there is none yet".to_owned() } else { known.join(", ") };
        bail!("no round `{round}` under {} (rounds: {known})", data_dir.join("rounds").display());
    }
    match list_rounds(data_dir)?.into_iter().next() {
        Some((round, _)) => Ok(round),
        None => bail!(
            "no round yet under {}; start one with `canvass crawl LIST`",
            data_dir.join("rounds").display()
        ),
    }
}
