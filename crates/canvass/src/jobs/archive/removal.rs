//! Which rows may leave the catalog, now that a file has them?

use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};
use blobs::table::{Cell, read_parquet};
use catalog::archives::MatchKey;
use tokio::{sync::mpsc, task::JoinHandle};

use super::file::COLUMNS;

/// How many rows leave in one transaction.
const KEYS_AT_ONCE: usize = 2_000;

/// The keys of a file's rows, some at a time, read on a thread of its own that waits for whoever takes them.
///
/// They come from the file and not from the catalog: what others added meanwhile is in no file, and must stay.
pub struct Keys {
    chunks: mpsc::Receiver<Vec<MatchKey>>,
    reader: JoinHandle<Result<()>>,
}

impl Keys {
    /// Begins to read those of a file.
    pub fn of(path: PathBuf) -> Keys {
        Keys::read_by(move |send| send_keys(&path, send))
    }

    pub(super) fn read_by(
        read: impl FnOnce(&mpsc::Sender<Vec<MatchKey>>) -> Result<()> + Send + 'static,
    ) -> Keys {
        let (send, chunks) = mpsc::channel(2);
        Keys { chunks, reader: tokio::task::spawn_blocking(move || read(&send)) }
    }

    /// The next ones; nothing when there are no more, or when reading went wrong, which [`Keys::end`] tells.
    pub async fn next(&mut self) -> Option<Vec<MatchKey>> {
        self.chunks.recv().await
    }

    /// Whether the file was read to its end, once there are no more.
    pub async fn end(self) -> Result<()> {
        self.reader.await.context("reading an archive panicked")?
    }
}

fn send_keys(path: &Path, send: &mpsc::Sender<Vec<MatchKey>>) -> Result<()> {
    let mut keys = Vec::with_capacity(KEYS_AT_ONCE);
    read_parquet::<anyhow::Error>(path, COLUMNS, |row| {
        keys.push(key_of(row)?);
        if keys.len() == KEYS_AT_ONCE {
            send.blocking_send(std::mem::take(&mut keys))?;
        }
        Ok(())
    })?;
    if !keys.is_empty() {
        send.blocking_send(keys)?;
    }
    Ok(())
}

fn key_of(row: &[Cell<'_>]) -> Result<MatchKey> {
    match row {
        [Cell::Text(round), Cell::Int(line), Cell::Int(fingerprint), Cell::Int(rule_set), ..] => {
            Ok(MatchKey {
                round: (*round).to_owned(),
                line: *line,
                fingerprint: *fingerprint,
                rule_set: *rule_set,
            })
        }
        other => bail!("a row without a key: {other:?}"),
    }
}
