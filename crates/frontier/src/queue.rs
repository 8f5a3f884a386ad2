//! How do millions of targets wait on disk, each host's together?
//!
//! `queue.dat` holds the targets, one contiguous run per host. `runs-NN` name the runs with 2^NN up to 2^(NN+1) targets.
//! They are read from the largest down, because the host with the most targets decides how long a round takes: it must
//! start first. A target's place is its position in that order, so the places of a finished round of any size collapse
//! into one front.

use std::{
    collections::VecDeque,
    fs::File,
    io::{self, BufReader, BufWriter, Read, Write},
    os::unix::fs::FileExt,
    path::{Path, PathBuf},
};

use domain::Target;

use crate::{
    CompletionFront,
    codec::{RawTarget, push_target, take_target},
};

const QUEUE_FILE: &str = "queue.dat";
const ENTRY_BYTES: usize = 24;
/// What is read of a host's run at once: most hosts have one or two targets, and thousands of hosts are active.
const HEAD_BYTES: u64 = 2 << 10;

fn runs_path(folder: &Path, size_class: u32) -> PathBuf {
    folder.join(format!("runs-{size_class:02}"))
}

/// Writes the queue: runs in any order, the targets of a run in the list's order.
pub(crate) struct QueueWriter {
    folder: PathBuf,
    queue: BufWriter<File>,
    runs: [Option<BufWriter<File>>; 64],
    record: Vec<u8>,
    offset: u64,
    run: OpenRun,
    written: Written,
}

#[derive(Default)]
struct OpenRun {
    host: String,
    start: u64,
    count: u64,
}

/// What a queue holds.
#[derive(Debug, Default, Clone, Copy)]
pub(crate) struct Written {
    pub targets: u64,
    pub runs: u64,
    pub largest_run: u64,
}

impl QueueWriter {
    pub(crate) fn create(folder: &Path) -> io::Result<QueueWriter> {
        Ok(QueueWriter {
            folder: folder.to_owned(),
            queue: BufWriter::with_capacity(256 << 10, File::create(folder.join(QUEUE_FILE))?),
            runs: [const { None }; 64],
            record: Vec::new(),
            offset: 0,
            run: OpenRun::default(),
            written: Written::default(),
        })
    }

    /// Adds a target; a new host begins a new run.
    pub(crate) fn push(&mut self, target: RawTarget<'_>) -> io::Result<()> {
        let host = host_of(target.url);
        if self.run.count == 0 || self.run.host != host {
            self.end_run()?;
            self.run.host.clear();
            self.run.host.push_str(host);
        }
        self.record.clear();
        push_target(&mut self.record, target);
        self.queue.write_all(&self.record)?;
        self.offset += self.record.len() as u64;
        self.run.count += 1;
        Ok(())
    }

    pub(crate) fn end_run(&mut self) -> io::Result<()> {
        let OpenRun { start, count, .. } = self.run;
        self.run.start = self.offset;
        self.run.count = 0;
        if count == 0 {
            return Ok(());
        }
        let size_class = count.ilog2();
        let slot = &mut self.runs[size_class as usize];
        let index = match slot {
            Some(index) => index,
            None => slot.insert(BufWriter::new(File::create(runs_path(&self.folder, size_class))?)),
        };
        for number in [start, self.offset - start, count] {
            index.write_all(&number.to_le_bytes())?;
        }
        self.written.targets += count;
        self.written.runs += 1;
        self.written.largest_run = self.written.largest_run.max(count);
        Ok(())
    }

    /// Ends the queue and makes it durable.
    pub(crate) fn finish(mut self) -> io::Result<Written> {
        self.end_run()?;
        for mut file in self.runs.into_iter().flatten().chain([self.queue]) {
            file.flush()?;
            file.get_ref().sync_all()?;
        }
        // the names too: whoever notes that the list is enlisted relies on them
        File::open(&self.folder)?.sync_all()?;
        Ok(self.written)
    }
}

/// The host of a normalised URL, without its port.
#[must_use]
pub fn host_of(url: &str) -> &str {
    let authority = url.split_once("://").map_or(url, |(_, rest)| rest);
    let authority = &authority[..authority.find(['/', '?', '#']).unwrap_or(authority.len())];
    match authority.rfind(':') {
        // the colons of an IPv6 address stand inside brackets
        Some(colon) if !authority[colon..].contains(']') => &authority[..colon],
        _ => authority,
    }
}

/// The runs of a queue, largest first, and their places.
pub(crate) struct Queue {
    folder: PathBuf,
    targets: File,
    size_class: u32,
    index: Option<BufReader<File>>,
    next_place: u64,
}

impl Queue {
    pub(crate) fn open(folder: &Path) -> io::Result<Queue> {
        let targets = File::open(folder.join(QUEUE_FILE))?;
        Ok(Queue { folder: folder.to_owned(), targets, size_class: 64, index: None, next_place: 0 })
    }

    /// The next run that is not wholly done.
    pub(crate) fn next_run(&mut self, done: &CompletionFront) -> io::Result<Option<Run>> {
        loop {
            let Some(run) = self.next_of_index()? else { return Ok(None) };
            if done.done_within(run.place, run.left) < run.left {
                return Ok(Some(run));
            }
        }
    }

    fn next_of_index(&mut self) -> io::Result<Option<Run>> {
        loop {
            if let Some(index) = &mut self.index {
                let mut entry = [0; ENTRY_BYTES];
                match index.read_exact(&mut entry) {
                    Ok(()) => return Ok(Some(self.run_of(&entry))),
                    Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => self.index = None,
                    Err(error) => return Err(error),
                }
            }
            if self.size_class == 0 {
                return Ok(None);
            }
            self.size_class -= 1;
            match File::open(runs_path(&self.folder, self.size_class)) {
                Ok(file) => self.index = Some(BufReader::new(file)),
                Err(error) if error.kind() == io::ErrorKind::NotFound => {}
                Err(error) => return Err(error),
            }
        }
    }

    fn run_of(&mut self, entry: &[u8; ENTRY_BYTES]) -> Run {
        let number = |at: usize| u64::from_le_bytes(std::array::from_fn(|i| entry[at + i]));
        let (offset, bytes, left) = (number(0), number(8), number(16));
        let place = self.next_place;
        self.next_place += left;
        Run { place, left, offset, bytes, head: VecDeque::new() }
    }

    /// The next target of a run that is not done.
    pub(crate) fn next_target(&self, run: &mut Run, done: &CompletionFront) -> io::Result<Option<Target>> {
        loop {
            if let Some(target) = run.head.pop_front() {
                return Ok(Some(target));
            }
            if run.left == 0 {
                return Ok(None);
            }
            self.read_head(run, done)?;
        }
    }

    fn read_head(&self, run: &mut Run, done: &CompletionFront) -> io::Result<()> {
        let mut want = HEAD_BYTES;
        loop {
            let mut bytes = vec![0; want.min(run.bytes) as usize];
            self.targets.read_exact_at(&mut bytes, run.offset)?;
            let mut rest = &bytes[..];
            let before = run.left;
            while let Some(RawTarget { line, key, url }) = take_target(&mut rest) {
                if !done.is_done(run.place) {
                    let (key, url) = (key.to_owned(), url.to_owned());
                    run.head.push_back(Target { place: run.place, line, key, url });
                }
                run.place += 1;
                run.left = run.left.saturating_sub(1);
            }
            let read = (bytes.len() - rest.len()) as u64;
            run.offset += read;
            run.bytes -= read;
            if run.left < before {
                return Ok(());
            }
            if want >= run.bytes {
                return Err(io::Error::new(io::ErrorKind::InvalidData, "the queue is damaged"));
            }
            want *= 4;
        }
    }
}

/// The rest of one host's run.
#[derive(Debug)]
pub(crate) struct Run {
    place: u64,
    left: u64,
    offset: u64,
    bytes: u64,
    head: VecDeque<Target>,
}

impl Run {
    /// Whether nothing is left of it.
    pub(crate) fn is_empty(&self) -> bool {
        self.left == 0 && self.head.is_empty()
    }
}

/// Walks every target of a queue that is not in `done`, in the order of places: for the books.
pub fn walk_open_targets(
    folder: &Path,
    done: &CompletionFront,
    mut visit: impl FnMut(Target),
) -> io::Result<()> {
    let mut queue = Queue::open(folder)?;
    while let Some(mut run) = queue.next_run(done)? {
        while let Some(target) = queue.next_target(&mut run, done)? {
            visit(target);
        }
    }
    Ok(())
}
