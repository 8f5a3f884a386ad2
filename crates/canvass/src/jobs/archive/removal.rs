//! Which rows may leave the catalog, now that a file has them?

use std::path::{Path, PathBuf};

use anyhow::{Result, bail};
use blobs::table::{Cell, read_parquet};
use catalog::archives::MatchKey;
use tokio::sync::mpsc;

use super::file::COLUMNS;

/// How many rows leave in one transaction.
const KEYS_AT_ONCE: usize = 2_000;

/// The keys of a file's rows, some at a time, read on a thread of its own that waits for whoever takes them.
///
/// They come from the file and not from the catalog: what others added meanwhile is in no file, and must stay.
pub fn read_keys(path: PathBuf) -> mpsc::Receiver<Result<Vec<MatchKey>>> {
    let (send, receive) = mpsc::channel(2);
    tokio::task::spawn_blocking(move || {
        if let Err(error) = send_keys(&path, &send) {
            // whoever does not listen any more does not want to know
            let _ = send.blocking_send(Err(error));
        }
    });
    receive
}

fn send_keys(path: &Path, send: &mpsc::Sender<Result<Vec<MatchKey>>>) -> Result<()> {
    let mut keys = Vec::with_capacity(KEYS_AT_ONCE);
    read_parquet::<anyhow::Error>(path, COLUMNS, |row| {
        keys.push(key_of(row)?);
        if keys.len() == KEYS_AT_ONCE {
            send.blocking_send(Ok(std::mem::take(&mut keys)))?;
        }
        Ok(())
    })?;
    if !keys.is_empty() {
        send.blocking_send(Ok(keys))?;
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
