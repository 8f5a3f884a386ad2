//! How do completions reach the log, many at a time?
//!
//! One thread owns the books. It takes whatever has arrived, commits it as one block, and only then tells the
//! dispatcher: a completion goes back when it is durable, never before.

use std::{
    fs::File,
    sync::{Arc, Mutex, PoisonError, mpsc as mpsc_std},
    thread::{self, JoinHandle},
    time::{Duration, Instant},
};

use anyhow::{Context, Result, anyhow};
use domain::Completion;
use frontier::schedule::Report;
use tokio::{runtime::Handle, sync::mpsc, time::timeout};

use super::{Message, verdict::StoredBody};
use crate::{explain::explain, round::Books};

/// How many completions may wait for the log before fetching waits too.
const QUEUE: usize = 64;
/// The most completions of one block.
const BATCH: usize = 128;
/// How long the first completion of a block waits for company.
const LINGER: Duration = Duration::from_millis(2);

/// A completion on its way to the log.
pub struct Entry {
    completion: Completion,
    head: Vec<u8>,
    body: StoredBody,
    report: Option<Report>,
}

impl Entry {
    /// Packs a completion, with the report that the dispatcher gets once it is durable.
    #[must_use]
    pub fn new(mut completion: Completion, body: StoredBody, report: Option<Report>) -> Entry {
        let head = serde_json::to_vec(&completion).expect("a completion has only plain fields");
        // it is in the head now, and the rest of the way needs only the disposition
        completion.capture = None;
        Entry { completion, head, body, report }
    }
}

/// What became durable.
#[derive(Debug)]
pub struct Ended {
    /// The target and its disposition.
    pub completion: Completion,
    /// The size of the body that was stored.
    pub body_bytes: u64,
    /// What the host's pace learns from it; `None` where no request was sent.
    pub report: Option<Report>,
}

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
pub struct Writer {
    entries: mpsc::Sender<Entry>,
    messages: mpsc::UnboundedSender<Message>,
}

impl Writer {
    /// Starts the thread that owns the books. It ends when every `Writer` is dropped, and gives the books back.
    pub fn start(
        books: Books,
        rules: CommitRules,
        messages: mpsc::UnboundedSender<Message>,
    ) -> Result<(Writer, JoinHandle<Result<Books>>)> {
        let (entries, arriving) = mpsc::channel(QUEUE);
        let writer = Writer { entries, messages: messages.clone() };
        let runtime = Handle::current();
        let run = move || {
            let outcome = write_all(books, rules, arriving, &messages, &runtime);
            if let Err(error) = &outcome {
                let _ = messages.send(Message::WriterFailed(explain(error)));
            }
            outcome
        };
        let thread = thread::Builder::new()
            .name("log".to_owned())
            .spawn(run)
            .context("cannot start the log's thread")?;
        Ok((writer, thread))
    }

    /// Hands over a completion; waits while the log is behind.
    pub async fn send(&self, entry: Entry) {
        if self.entries.send(entry).await.is_err() {
            // it has ended with an error, which it told first, or with a panic
            let _ = self.messages.send(Message::WriterFailed("its thread has ended".to_owned()));
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
    mut arriving: mpsc::Receiver<Entry>,
    messages: &mpsc::UnboundedSender<Message>,
    runtime: &Handle,
) -> Result<Books> {
    let syncer = Syncer::start()?;
    let (mut synced_at, mut checkpointed_at) = (Instant::now(), Instant::now());
    let mut unsynced = 0;
    loop {
        let wait = rules.every.min(rules.checkpoint_every);
        match runtime.block_on(async { timeout(wait, arriving.recv()).await }) {
            Ok(None) => return Ok(books),
            Ok(Some(first)) => {
                // a moment's wait gathers a batch: fewer and larger writes, fewer wake-ups
                if arriving.len() < BATCH / 4 {
                    thread::sleep(LINGER);
                }
                unsynced += write_batch(&mut books, first, &mut arriving, messages)?;
            }
            Err(_) => {}
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
}

/// Syncs files on a thread of its own: a disk may take long, and completions need not wait for it.
struct Syncer {
    files: mpsc_std::SyncSender<File>,
    failed: Arc<Mutex<Option<std::io::Error>>>,
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
        thread::Builder::new().name("sync".to_owned()).spawn(run).context("cannot start the log's thread")?;
        Ok(Syncer { files, failed })
    }

    /// Has a file synced soon; waits only if the one before last is not synced yet.
    fn sync(&self, file: File) -> Result<()> {
        if let Some(error) = self.failed.lock().unwrap_or_else(PoisonError::into_inner).take() {
            return Err(error).context("cannot sync the segment log");
        }
        self.files.send(file).context("the log's sync thread has ended")
    }
}

fn write_batch(
    books: &mut Books,
    first: Entry,
    arriving: &mut mpsc::Receiver<Entry>,
    messages: &mpsc::UnboundedSender<Message>,
) -> Result<u32> {
    let mut batch = Vec::with_capacity(BATCH);
    let mut next = Some(first);
    while let Some(Entry { completion, head, body, report }) = next {
        let StoredBody { bytes, packing, place } = body;
        books.add(&completion, &head, &bytes, packing)?;
        // it is in the batch now, and another large body may have its place
        drop(place);
        batch.push(Ended { completion, body_bytes: bytes.len() as u64, report });
        next = if batch.len() < BATCH { arriving.try_recv().ok() } else { None };
    }
    books.commit()?;
    let count = batch.len() as u32;
    let _ = messages.send(Message::Ended(batch));
    Ok(count)
}
