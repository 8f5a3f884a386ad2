//! How does a list become a queue, when it is too long to hold in memory?
//!
//! Lines are accepted or rejected as they stream by. An accepted line goes to one of a few hundred partition files by
//! its host's hash. Then each partition is read on its own, small enough for memory: duplicates are found, and what is
//! left is written as one contiguous run per host. A partition that is too large is split further; one that is a single
//! giant host is streamed. Memory depends on the partition size, never on the list.
//!
//! The result is deterministic, so a crash before the program has noted [`Enlisted`] just means: enlist again.

mod bloom;
mod duplicates;
mod partition;
mod settle;

use std::{
    fs::{self, File},
    io::{self, BufWriter},
    path::{Path, PathBuf},
};

use domain::host_hash;
use serde::{Deserialize, Serialize};

use crate::{codec::RawTarget, queue::QueueWriter};
use partition::Partitions;

/// The file that names each line that is not a target, and why.
pub const REJECTED_FILE: &str = "rejected.csv";
/// The file that names each line that repeats an earlier one.
pub const DUPLICATES_FILE: &str = "duplicates.csv";

/// What a list turned out to hold. Its numbers are the first half of the books.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Enlisted {
    /// Lines of input: header and blank lines are not.
    pub lines: u64,
    /// Targets: lines that will be visited.
    pub targets: u64,
    /// Lines in `rejected.csv`.
    pub rejected: u64,
    /// Lines in `duplicates.csv`.
    pub duplicates: u64,
    /// Runs of targets of one host.
    pub hosts: u64,
    /// The most targets that one host has.
    pub largest_host: u64,
}

/// A file that could not be read or written while enlisting.
#[derive(Debug, thiserror::Error)]
#[error("{}: {source}", path.display())]
pub struct EnlistError {
    path: PathBuf,
    source: io::Error,
}

impl EnlistError {
    fn at(path: &Path) -> impl FnOnce(io::Error) -> EnlistError + '_ {
        move |source| EnlistError { path: path.to_owned(), source }
    }
}

/// Takes the lines of a list and leaves a queue.
pub struct Enlister {
    folder: PathBuf,
    partitions: Partitions,
    rejected: csv::Writer<BufWriter<File>>,
    counts: Enlisted,
}

impl Enlister {
    /// Starts a list afresh: the queue goes to `queue_folder`, the two CSV files to `report_folder`.
    pub fn create(queue_folder: &Path, report_folder: &Path) -> Result<Enlister, EnlistError> {
        // leftovers of an enlisting that did not end
        match fs::remove_dir_all(queue_folder) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => {
                return Err(EnlistError::at(queue_folder)(error));
            }
            _ => {}
        }
        fs::create_dir_all(queue_folder).map_err(EnlistError::at(queue_folder))?;
        Ok(Enlister {
            folder: queue_folder.to_owned(),
            partitions: Partitions::new(queue_folder, 8, 0),
            rejected: create_csv(
                &report_folder.join(REJECTED_FILE),
                &["line", "website_id", "url", "reason", "detail"],
            )?,
            counts: Enlisted::default(),
        })
    }

    /// Takes a line whose URL is normal and whose host is `host`.
    pub fn accept(&mut self, line: u64, key: &str, url: &str, host: &str) -> Result<(), EnlistError> {
        self.counts.lines += 1;
        self.partitions.push(host_hash(host), RawTarget { line, key, url })
    }

    /// Notes a line that is not a target.
    pub fn reject(
        &mut self,
        line: u64,
        key: &str,
        url: &str,
        reason: &str,
        detail: &str,
    ) -> Result<(), EnlistError> {
        self.counts.lines += 1;
        self.counts.rejected += 1;
        let number = line.to_string();
        write_row(&mut self.rejected, &[&number, key, url, reason, detail])
            .map_err(EnlistError::at(Path::new(REJECTED_FILE)))
    }

    /// Finds the duplicates and writes the queue. `progress` hears how many accepted lines are settled.
    pub fn finish(
        mut self,
        report_folder: &Path,
        mut progress: impl FnMut(u64),
    ) -> Result<Enlisted, EnlistError> {
        finish_csv(self.rejected, REJECTED_FILE)?;
        let duplicates = report_folder.join(DUPLICATES_FILE);
        let mut settling = settle::Settling {
            queue: QueueWriter::create(&self.folder).map_err(EnlistError::at(&self.folder))?,
            duplicates: create_csv(&duplicates, &["line", "website_id", "url", "duplicate_of_line"])?,
            duplicate_count: 0,
        };
        let mut settled = 0;
        for partition in self.partitions.finish()? {
            settled += partition.records;
            settling.settle(partition, &self.folder)?;
            progress(settled);
        }
        finish_csv(settling.duplicates, DUPLICATES_FILE)?;
        let written = settling.queue.finish().map_err(EnlistError::at(&self.folder))?;
        self.counts.duplicates = settling.duplicate_count;
        self.counts.targets = written.targets;
        self.counts.hosts = written.runs;
        self.counts.largest_host = written.largest_run;
        Ok(self.counts)
    }
}

fn create_csv(path: &Path, header: &[&str]) -> Result<csv::Writer<BufWriter<File>>, EnlistError> {
    let file = File::create(path).map_err(EnlistError::at(path))?;
    let mut writer = csv::Writer::from_writer(BufWriter::new(file));
    write_row(&mut writer, header).map_err(EnlistError::at(path))?;
    Ok(writer)
}

fn write_row(writer: &mut csv::Writer<BufWriter<File>>, row: &[&str]) -> io::Result<()> {
    writer.write_record(row).map_err(io::Error::other)
}

fn finish_csv(mut writer: csv::Writer<BufWriter<File>>, name: &str) -> Result<(), EnlistError> {
    writer
        .flush()
        .and_then(|()| writer.get_ref().get_ref().sync_all())
        .map_err(EnlistError::at(Path::new(name)))
}

#[cfg(test)]
mod tests;
