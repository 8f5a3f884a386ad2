//! How do match rows become a file that can be trusted with them?

use std::{
    fs::{self, File},
    io::{self, Read},
    path::{Path, PathBuf},
};

use anyhow::{Context, Result, bail};
use blobs::table::{
    Cell, CellDigest, Closed, Column, Format, Kind, TableError, TableWriter, publish, read_parquet,
    temporary_name,
};
use catalog::archives::{self, MatchKey, OldMatch};
use sha2::{Digest, Sha256};

use crate::jobs::patience::Patience;

/// Where the files of all months are, below the data folder.
pub const FOLDER: &str = "archive/matches";

const ROWS_AT_ONCE: i64 = 5_000;
/// A file has at most this many rows, so that nothing is held up by one for long.
const ROWS_PER_FILE: u64 = 1_000_000;

/// Every column of the table `matches`, its key first.
pub const COLUMNS: &[Column] = &[
    Column::new("round", Kind::Text),
    Column::new("line", Kind::Int),
    Column::new("fingerprint", Kind::Int),
    Column::new("rule_set", Kind::Int),
    Column::new("month", Kind::Text),
    Column::new("site", Kind::Text),
    Column::new("found_at", Kind::Time),
    Column::new("confidence", Kind::Int),
    Column::new("position", Kind::Int),
    Column::new("snippet", Kind::Text),
    Column::nullable("version", Kind::Text),
    Column::nullable("account", Kind::Text),
    Column::nullable("tracker", Kind::Text),
    Column::nullable("implied_by", Kind::Int),
];

/// A file that holds what the catalog holds, and is still under its temporary name.
pub struct Verified {
    /// Its name to be, below the data folder.
    pub path: String,
    /// Its rows.
    pub rows: u64,
    /// Its size.
    pub bytes: u64,
    /// Its SHA-256, in hex.
    pub sha256: String,
}

/// Where a month's file is while it is written. There is one at a time.
fn unnamed(data_dir: &Path, month: &str) -> PathBuf {
    data_dir.join(FOLDER).join(month).join("matches.parquet")
}

/// A file's name follows from its content: the same rows are the same file, other rows are never in its place.
fn named(month: &str, sha256: &str) -> String {
    format!("{FOLDER}/{month}/matches-{}.parquet", sha256.get(..16).unwrap_or(sha256))
}

/// Makes the folder of a month, durably: a file that is noted must still be there after a power cut.
pub fn make_folder(data_dir: &Path, month: &str) -> Result<()> {
    let folder = data_dir.join(FOLDER).join(month);
    let make = || -> io::Result<()> {
        fs::create_dir_all(&folder)?;
        folder
            .ancestors()
            .skip(1)
            .take_while(|above| above.starts_with(data_dir))
            .try_for_each(blobs::sync_folder)
    };
    make().with_context(|| format!("cannot make {}", folder.display()))
}

/// Writes the first rows of a month to a file, reads it back and compares; `None` if there are no rows, or the job is to
/// stop. `progress` hears how many rows are written.
pub async fn write(
    data_dir: &Path,
    month: &str,
    patience: &Patience,
    mut progress: impl FnMut(u64),
) -> Result<Option<Verified>> {
    let path = unnamed(data_dir, month);
    let mut draft =
        Draft { table: TableWriter::create(&path, Format::Parquet, COLUMNS)?, digest: CellDigest::default() };
    let mut last: Option<MatchKey> = None;
    while draft.digest.rows() < ROWS_PER_FILE {
        if patience.is_stopped() {
            return Ok(None);
        }
        let after = &last;
        let read = async |catalog: &_| archives::read(catalog, month, after.as_ref(), ROWS_AT_ONCE).await;
        let rows = patience.ask(read).await?;
        let Some(row) = rows.last() else { break };
        last = Some(row.key.clone());
        draft =
            tokio::task::spawn_blocking(move || draft.with(&rows)).await.context("writing panicked")??;
        progress(draft.digest.rows());
    }
    if draft.digest.rows() == 0 {
        drop(draft);
        fs::remove_file(temporary_name(&path))
            .with_context(|| format!("cannot delete {}", path.display()))?;
        return Ok(None);
    }
    let closed = tokio::task::spawn_blocking(move || draft.close()).await.context("verifying panicked")??;
    let written = closed.written();
    Ok(Some(Verified {
        path: named(month, &written.sha256),
        rows: written.rows,
        bytes: written.bytes,
        sha256: written.sha256.clone(),
    }))
}

/// A file that is being written, and a hash over every cell that went into it.
struct Draft {
    table: TableWriter,
    digest: CellDigest,
}

impl Draft {
    fn with(mut self, rows: &[OldMatch]) -> Result<Draft, TableError> {
        for row in rows {
            let cells = cells(row);
            self.digest.add(&cells);
            self.table.write(&cells)?;
        }
        Ok(self)
    }

    /// Ends the file and compares what can be read from it with what went into it.
    fn close(self) -> Result<Closed> {
        let closed = self.table.close()?;
        let folder = closed.path().parent().unwrap_or(Path::new("."));
        blobs::sync_folder(folder).with_context(|| format!("cannot write {}", folder.display()))?;
        let mut found = CellDigest::default();
        let path = closed.temporary();
        read_parquet::<TableError>(&path, COLUMNS, |row| {
            found.add(row);
            Ok(())
        })?;
        if found.rows() != self.digest.rows() || found.finish() != self.digest.finish() {
            bail!(
                "{} does not give back what was written: nothing was removed from the catalog",
                path.display()
            );
        }
        Ok(closed)
    }
}

/// The cells of a row, in the order of the columns.
pub fn cells(row: &OldMatch) -> [Cell<'_>; 14] {
    let OldMatch {
        key: MatchKey { round, line, fingerprint, rule_set },
        site,
        month,
        found_at,
        confidence,
        position,
        snippet,
        version,
        account,
        tracker,
        implied_by,
    } = row;
    [
        round.into(),
        (*line).into(),
        (*fingerprint).into(),
        (*rule_set).into(),
        month.into(),
        site.into(),
        (*found_at).into(),
        (*confidence).into(),
        (*position).into(),
        snippet.into(),
        version.as_ref().into(),
        account.as_ref().into(),
        tracker.as_ref().into(),
        (*implied_by).into(),
    ]
}

/// Gives a noted file its name if it does not have it yet, and checks that its content is what was noted.
pub async fn settle(data_dir: &Path, path: &str, month: &str, sha256: &str) -> Result<()> {
    let file = data_dir.join(path);
    let temporary = temporary_name(&unnamed(data_dir, month));
    let sha256 = sha256.to_owned();
    let settling = move || -> Result<()> {
        let has_name = file.exists();
        let here = if has_name { &file } else { &temporary };
        let found = hash_of(here).with_context(|| {
            format!(
                "{} holds matches that may have left the catalog, and cannot be read: restore it",
                file.display()
            )
        })?;
        if found != sha256 {
            bail!(
                "{} is not the file whose rows were to leave the catalog (SHA-256 {found}, noted {sha256}): restore it \
                 from a copy",
                here.display()
            );
        }
        if !has_name {
            publish(here, &file)?;
        }
        Ok(())
    };
    tokio::task::spawn_blocking(settling).await.context("naming an archive panicked")?
}

fn hash_of(path: &Path) -> io::Result<String> {
    let mut file = File::open(path)?;
    let (mut hash, mut buffer) = (Sha256::new(), vec![0; 1 << 16]);
    loop {
        match file.read(&mut buffer)? {
            0 => break,
            read => hash.update(&buffer[..read]),
        }
    }
    Ok(hash.finalize().iter().map(|byte| format!("{byte:02x}")).collect())
}
