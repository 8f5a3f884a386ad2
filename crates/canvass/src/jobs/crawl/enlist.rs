//! How does the list become the round's queue?

use std::{
    fs::File,
    io::{self, Read},
    path::Path,
};

use anyhow::{Context, Result};
use frontier::{
    enlist::{Enlisted, Enlister},
    source::{Line, Source, SourceOptions},
};

use super::wiring;
use crate::{
    round::{FAILED_FILE, RoundFolder},
    settings::Settings,
};

/// The file into which standard input is copied, so that a killed round can be continued.
const SPOOL: &str = "list";

/// What enlisting tells while it runs.
pub struct EnlistProgress {
    /// Lines read.
    pub lines: u64,
    /// Bytes of the list read, and all of them where known.
    pub bytes: (u64, Option<u64>),
    /// Accepted lines that have found their place in the queue.
    pub settled: u64,
}

/// Copies standard input beside the round, whole or not at all.
pub fn spool(mut input: impl Read, folder: &RoundFolder) -> Result<()> {
    let path = folder.file(SPOOL);
    let temporary = folder.file("list.tmp");
    let mut copy = || -> io::Result<()> {
        let mut file = File::create(&temporary)?;
        io::copy(&mut input, &mut file)?;
        file.sync_all()?;
        std::fs::rename(&temporary, &path)?;
        blobs::sync_folder(folder.path())
    };
    copy().with_context(|| format!("cannot copy standard input to {}", path.display()))
}

/// Reads the list and writes the queue; `None` if it was told to stop. Nothing of it counts before the round notes what
/// is returned: a list that was stopped is read again.
pub fn enlist(
    list: &str,
    folder: &RoundFolder,
    settings: &Settings,
    mut progress: impl FnMut(EnlistProgress),
    stopped: impl Fn() -> bool,
) -> Result<Option<Enlisted>> {
    // our own file has our own columns, whatever the user's lists look like
    let ours = Path::new(list).file_name().is_some_and(|name| name == FAILED_FILE);
    let options = if ours { SourceOptions::default() } else { wiring::source_options(&settings.source)? };
    let rules = wiring::normal_rules(&settings.normalise);
    let mut source = if list == "-" {
        let file = folder.file(SPOOL);
        let open = File::open(&file).with_context(|| format!("cannot read {}", file.display()))?;
        Source::from_reader(Box::new(open), "standard input", &options)?
    } else {
        frontier::source::open(Path::new(list), &options)?
    };
    let mut enlister = Enlister::create(&folder.queue(), folder.path())?;
    let mut line = Line::default();
    let mut lines = 0;
    while source.next(&mut line)? {
        lines += 1;
        take_line(&mut enlister, &rules, &line)?;
        if lines % 10_000 == 0 {
            if stopped() {
                return Ok(None);
            }
            progress(EnlistProgress {
                lines,
                bytes: (source.bytes_read(), source.total_bytes()),
                settled: 0,
            });
        }
    }
    let bytes = (source.bytes_read(), source.total_bytes());
    let enlisted =
        enlister.finish(folder.path(), |settled| progress(EnlistProgress { lines, bytes, settled }))?;
    Ok(Some(enlisted))
}

fn take_line(enlister: &mut Enlister, rules: &frontier::normal::NormalRules, line: &Line) -> Result<()> {
    let Line { number, key, url, problem } = line;
    if let Some(problem) = problem {
        enlister.reject(*number, key, url, problem.name(), &problem.to_string())?;
        return Ok(());
    }
    match rules.normalise(url) {
        Ok(normal) => enlister.accept(*number, key, normal.as_str(), normal.host())?,
        Err(problem) => enlister.reject(*number, key, url, problem.name(), &problem.to_string())?,
    }
    Ok(())
}
