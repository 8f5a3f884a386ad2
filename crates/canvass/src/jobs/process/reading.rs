//! How is a segment read on every core, in order, within bounded memory?
//!
//! Each thread takes the next few records from the reader that they share, reads them, and hands its facts on. What is
//! ahead of what was handed on in order is bounded, so that one slow page holds up the others rather than memory.

use std::{
    collections::BTreeMap,
    panic::{AssertUnwindSafe, catch_unwind},
    path::Path,
    sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError},
    thread,
};

use anyhow::{Context, Result, anyhow};
use blobs::segment::SegmentReader;
use readers::technologies::Scratch;
use tokio::sync::mpsc;

use super::facts::{Facts, completion_of, facts_of, page_of, partly_read};
use crate::{explain::explain, rules::ActiveRules};

/// A thread takes this many records at once, or as many as this many bytes hold.
const CHUNK_RECORDS: usize = 32;
const CHUNK_BYTES: usize = 2 << 20;
/// How many chunks for each thread may be ahead of the first that is not handed on.
const AHEAD: u64 = 4;

/// What a few consecutive records say.
#[derive(Debug, Default)]
pub struct Chunk {
    /// One for each record, in order.
    pub facts: Vec<Facts>,
    /// Records that could not be read: their page is known, and what it shows is not.
    pub defects: u64,
}

/// Reads a segment's records from the number `from` on, in order.
pub struct Reading {
    chunks: mpsc::Receiver<Result<(u64, Chunk)>>,
    early: BTreeMap<u64, Chunk>,
    next: u64,
    shared: Arc<Shared>,
}

struct Shared {
    source: Mutex<Source>,
    handed_on: Condvar,
    threads: u64,
}

struct Source {
    reader: SegmentReader,
    next_chunk: u64,
    /// The number of the first chunk that was not handed on.
    wanted: u64,
    ended: bool,
}

impl Reading {
    /// Starts `threads` threads; they end when this is dropped.
    pub fn start(path: &Path, from: u64, rules: &Arc<ActiveRules>, threads: usize) -> Result<Reading> {
        let mut reader = SegmentReader::open(path, 0)?;
        for _ in 0..from {
            reader.next_record()?.context("the segment is shorter than it was when it was read before")?;
        }
        let source = Source { reader, next_chunk: 0, wanted: 0, ended: false };
        let shared = Arc::new(Shared {
            source: Mutex::new(source),
            handed_on: Condvar::new(),
            threads: threads as u64,
        });
        let (sender, chunks) = mpsc::channel(threads);
        for _ in 0..threads {
            let (shared, rules, sender) = (Arc::clone(&shared), Arc::clone(rules), sender.clone());
            thread::Builder::new()
                .name("process".to_owned())
                .spawn(move || read_chunks(&shared, &rules, &sender))
                .context("cannot start a thread")?;
        }
        Ok(Reading { chunks, early: BTreeMap::new(), next: 0, shared })
    }

    /// The next chunk in order; `None` at the segment's end.
    pub async fn next(&mut self) -> Result<Option<Chunk>> {
        loop {
            if let Some(chunk) = self.early.remove(&self.next) {
                self.next += 1;
                self.shared.lock().wanted = self.next;
                self.shared.handed_on.notify_all();
                return Ok(Some(chunk));
            }
            match self.chunks.recv().await {
                Some(Ok((number, chunk))) => drop(self.early.insert(number, chunk)),
                Some(Err(error)) => return Err(error),
                None if self.early.is_empty() => return Ok(None),
                None => return Err(anyhow!("a thread ended without its chunk: this is a defect of canvass")),
            }
        }
    }
}

impl Drop for Reading {
    fn drop(&mut self) {
        self.shared.lock().ended = true;
        self.shared.handed_on.notify_all();
    }
}

impl Shared {
    fn lock(&self) -> MutexGuard<'_, Source> {
        self.source.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Copies the next records into `records` and says which chunk they are; `None` at the end.
    fn take(&self, records: &mut Records) -> Result<Option<u64>> {
        let mut source = self.lock();
        while !source.ended && source.next_chunk >= source.wanted + AHEAD * self.threads {
            source = self.handed_on.wait(source).unwrap_or_else(PoisonError::into_inner);
        }
        records.clear();
        while !source.ended && records.spans.len() < CHUNK_RECORDS && records.bytes.len() < CHUNK_BYTES {
            match source.reader.next_record() {
                Ok(Some(record)) => records.push(record.head, record.body),
                Ok(None) => {
                    source.ended = true;
                    source.reader.expect_clean_end()?;
                }
                // nobody else may go on behind what could not be read
                Err(error) => {
                    source.ended = true;
                    return Err(error.into());
                }
            }
        }
        if records.spans.is_empty() {
            return Ok(None);
        }
        source.next_chunk += 1;
        Ok(Some(source.next_chunk - 1))
    }
}

/// Records side by side in one buffer that is used again.
#[derive(Default)]
struct Records {
    bytes: Vec<u8>,
    /// The lengths of each head and body.
    spans: Vec<(usize, usize)>,
}

impl Records {
    fn clear(&mut self) {
        self.bytes.clear();
        self.spans.clear();
    }

    fn push(&mut self, head: &[u8], body: &[u8]) {
        self.bytes.extend_from_slice(head);
        self.bytes.extend_from_slice(body);
        self.spans.push((head.len(), body.len()));
    }

    fn iter(&self) -> impl Iterator<Item = (&[u8], &[u8])> {
        let mut rest = &self.bytes[..];
        self.spans.iter().map(move |&(head, body)| {
            let (record, behind) = rest.split_at(head + body);
            rest = behind;
            record.split_at(head)
        })
    }
}

fn read_chunks(shared: &Shared, rules: &ActiveRules, sender: &mpsc::Sender<Result<(u64, Chunk)>>) {
    let (mut records, mut scratch) = (Records::default(), Scratch::default());
    loop {
        let chunk = match shared.take(&mut records) {
            Ok(Some(number)) => read_chunk(&records, rules, &mut scratch).map(|chunk| (number, chunk)),
            Ok(None) => return,
            Err(error) => Err(error),
        };
        let failed = chunk.is_err();
        // nobody receives any more when the reading was dropped
        if sender.blocking_send(chunk).is_err() || failed {
            return;
        }
    }
}

fn read_chunk(records: &Records, rules: &ActiveRules, scratch: &mut Scratch) -> Result<Chunk> {
    let mut chunk = Chunk::default();
    for (head, body) in records.iter() {
        let read = catch_unwind(AssertUnwindSafe(|| facts_of(head, body, rules, scratch)));
        let problem = match read {
            Ok(Ok(facts)) => {
                chunk.facts.push(facts);
                continue;
            }
            Ok(Err(error)) => explain(&error),
            Err(_) => "it made the reader panic".to_owned(),
        };
        // without its head a record cannot be told from any other, so that one is not passed over
        let completion = completion_of(head)?;
        tracing::error!(
            line = completion.target.line,
            problem,
            "a page cannot be read: this is a defect of canvass"
        );
        // what the page left in the scratch is not trusted
        *scratch = Scratch::default();
        chunk.facts.push(Facts { page: partly_read(page_of(&completion)), matches: Vec::new() });
        chunk.defects += 1;
    }
    Ok(chunk)
}
