//! How do completions reach the log, many at a time?
//!
//! One thread owns the books. It takes whatever has been gathered, writes it as one block, and only then tells the
//! dispatcher: a completion goes back when it is durable, never before.

use std::{
    fs::File,
    sync::{Arc, Mutex, PoisonError, mpsc as mpsc_std},
    thread::{self, JoinHandle},
    time::{Duration, Instant},
};

use anyhow::{Context, Result, anyhow};
use blobs::segment::Batch;
use domain::Completion;
use frontier::schedule::Report;
use tokio::sync::mpsc;

use super::{
    Message,
    gather::{Expected, Gathering},
    verdict::StoredBody,
};
use crate::{explain::explain, round::Books};

/// When the log is synced and checkpointed.
#[derive(Debug, Clone, Copy)]
pub struct CommitRules {
    /// Sync after this many records.
    pub records: u32,
    /// Sync after this time.
    pub every: Duration,
    /// Checkpoint after this time.
    pub checkpoint_every: Duration,
}

/// The way to the log.
#[derive(Clone)]
pub struct Writer(Arc<WriterInner>);

struct WriterInner {
    gathering: Arc<Gathering>,
    messages: mpsc::UnboundedSender<Message>,
}

impl Drop for WriterInner {
    fn drop(&mut self) {
        self.gathering.close();
    }
}

impl Writer {
    /// Starts the thread that owns the books. It ends when every `Writer` is dropped, and gives the books back.
    pub fn start(
        books: Books,
        rules: CommitRules,
        messages: mpsc::UnboundedSender<Message>,
    ) -> Result<(Writer, JoinHandle<Result<Books>>)> {
        let gathering = Arc::new(Gathering::default());
        let writer =
            Writer(Arc::new(WriterInner { gathering: Arc::clone(&gathering), messages: messages.clone() }));
        let run = move || {
            let end = LastWord { gathering, messages };
            let outcome = write_all(books, rules, &end.gathering, &end.messages);
            if let Err(error) = &outcome {
                let _ = end.messages.send(Message::WriterFailed(explain(error)));
            }
            outcome
        };
        let thread = thread::Builder::new()
            .name("log".to_owned())
            .spawn(run)
            .context("cannot start the log's thread")?;
        Ok((writer, thread))
    }

    /// Announces that a completion may come soon.
    pub fn expect_one(&self) -> Expected<'_> {
        self.0.gathering.expect_one()
    }

    /// Hands over a completion, with the report that the dispatcher gets once it is durable; waits while the log is
    /// behind.
    pub async fn send(&self, completion: Completion, body: StoredBody, report: Option<Report>) {
        if let Err(error) = self.0.gathering.add(completion, body, report).await {
            // a thread that ended with an error told it first
            let _ = self.0.messages.send(Message::WriterFailed(error.to_string()));
        }
    }
}

/// Lets nobody wait for a thread that has ended, however it ended.
struct LastWord {
    gathering: Arc<Gathering>,
    messages: mpsc::UnboundedSender<Message>,
}

impl Drop for LastWord {
    fn drop(&mut self) {
        self.gathering.abandon();
        if thread::panicking() {
            let words = "its thread panicked: this is a defect of canvass".to_owned();
            let _ = self.messages.send(Message::WriterFailed(words));
        }
    }
}

/// Takes the books back when the thread has ended.
pub fn join(thread: JoinHandle<Result<Books>>) -> Result<Books> {
    thread.join().map_err(|_| anyhow!("the log's thread panicked: this is a defect of canvass"))?
}

fn write_all(
    mut books: Books,
    rules: CommitRules,
    gathering: &Gathering,
    messages: &mpsc::UnboundedSender<Message>,
) -> Result<Books> {
    let syncer = Syncer::start()?;
    let (mut synced_at, mut checkpointed_at) = (Instant::now(), Instant::now());
    let mut unsynced = 0;
    let mut batch = Batch::default();
    let patience = rules.every.min(rules.checkpoint_every);
    while let Some(ended) = gathering.take(&mut batch, patience) {
        syncer.check()?;
        if !ended.is_empty() {
            books.write(&mut batch, ended.iter().map(|one| (&one.completion, one.body_bytes)))?;
            unsynced += ended.len() as u32;
            let _ = messages.send(Message::Ended(ended));
        }
        if unsynced > 0 && (unsynced >= rules.records || synced_at.elapsed() >= rules.every) {
            syncer.sync(books.file_to_sync()?)?;
            (unsynced, synced_at) = (0, Instant::now());
        }
        if checkpointed_at.elapsed() >= rules.checkpoint_every {
            books.checkpoint()?;
            checkpointed_at = Instant::now();
        }
    }
    syncer.finish()?;
    Ok(books)
}

/// Syncs files on a thread of its own: a disk may take long, and completions need not wait for it.
struct Syncer {
    files: mpsc_std::SyncSender<File>,
    failed: Arc<Mutex<Option<std::io::Error>>>,
    thread: JoinHandle<()>,
}

impl Syncer {
    fn start() -> Result<Syncer> {
        let (files, to_sync) = mpsc_std::sync_channel::<File>(1);
        let failed = Arc::new(Mutex::new(None));
        let tell = Arc::clone(&failed);
        let run = move || {
            for file in to_sync {
                if let Err(error) = file.sync_data() {
                    *tell.lock().unwrap_or_else(PoisonError::into_inner) = Some(error);
                }
            }
        };
        let thread = thread::Builder::new()
            .name("sync".to_owned())
            .spawn(run)
            .context("cannot start the thread that syncs the log")?;
        Ok(Syncer { files, failed, thread })
    }

    /// Has a file synced soon; waits only if the one before last is not synced yet.
    fn sync(&self, file: File) -> Result<()> {
        self.files.send(file).context("the log's sync thread has ended")
    }

    /// An error if a sync has failed. The system tells of it once, so nobody else will hear of it.
    fn check(&self) -> Result<()> {
        take_failure(&self.failed)
    }

    /// Waits for what is under way.
    fn finish(self) -> Result<()> {
        let Syncer { files, failed, thread } = self;
        drop(files);
        thread.join().map_err(|_| anyhow!("the log's sync thread panicked: this is a defect of canvass"))?;
        take_failure(&failed)
    }
}

fn take_failure(failed: &Mutex<Option<std::io::Error>>) -> Result<()> {
    match failed.lock().unwrap_or_else(PoisonError::into_inner).take() {
        Some(error) => Err(error).context("cannot sync the segment log"),
        None => Ok(()),
    }
}
