//! Which targets were not captured, and why?
//!
//! Two CSV files beside the segments. They are derived from the log: a checkpoint notes their lengths, a resumed round
//! cuts them back to those and replays the rest, so that they always say exactly what the log says.

use std::{
    fs::{File, OpenOptions},
    io::{self, BufWriter, Seek, SeekFrom},
    path::Path,
};

use domain::{Completion, Disposition, Failure};

use super::RoundFolder;

/// The targets that failed: a list that `--retry-failed` takes.
pub const FAILED_FILE: &str = "failed_urls.csv";
/// The targets that were ruled out.
pub const EXCLUDED_FILE: &str = "excluded.csv";

/// How long the two files were at a checkpoint.
pub type Lengths = (u64, u64);

/// The two files, open for appending.
pub struct Outcomes {
    failed: OutcomeFile,
    excluded: OutcomeFile,
}

/// Whether both files still hold what a checkpoint says; a file that was deleted or cut does not.
#[must_use]
pub fn still_hold(folder: &RoundFolder, lengths: Lengths) -> bool {
    let length = |name| std::fs::metadata(folder.file(name)).map_or(0, |file| file.len());
    length(FAILED_FILE) >= lengths.0 && length(EXCLUDED_FILE) >= lengths.1
}

impl Outcomes {
    /// Opens both files, cut back to `lengths`.
    pub fn open(folder: &RoundFolder, lengths: Lengths) -> io::Result<Outcomes> {
        let failed = ["website_id", "url", "line", "kind", "status", "detail"];
        let excluded = ["website_id", "url", "line", "reason"];
        Ok(Outcomes {
            failed: OutcomeFile::open(&folder.file(FAILED_FILE), &failed, lengths.0)?,
            excluded: OutcomeFile::open(&folder.file(EXCLUDED_FILE), &excluded, lengths.1)?,
        })
    }

    /// Adds the row of a completion, if it has one.
    pub fn add(&mut self, completion: &Completion) -> io::Result<()> {
        let target = &completion.target;
        let line = target.line.to_string();
        match &completion.disposition {
            Disposition::Captured => Ok(()),
            Disposition::Excluded { reason } => {
                self.excluded.add(&[&target.key, &target.url, &line, reason.name()])
            }
            Disposition::Failed(Failure { kind, status, detail }) => {
                let status = status.map(|status| status.to_string()).unwrap_or_default();
                self.failed.add(&[&target.key, &target.url, &line, kind.name(), &status, detail])
            }
        }
    }

    /// Hands everything to the system, so that another process sees it.
    pub fn flush(&mut self) -> io::Result<()> {
        self.failed.writer.flush()?;
        self.excluded.writer.flush()
    }

    /// Makes both files durable and says how long they are.
    pub fn sync(&mut self) -> io::Result<Lengths> {
        Ok((self.failed.sync()?, self.excluded.sync()?))
    }
}

struct OutcomeFile {
    writer: csv::Writer<BufWriter<File>>,
}

impl OutcomeFile {
    fn open(path: &Path, header: &[&str], length: u64) -> io::Result<OutcomeFile> {
        let mut file = OpenOptions::new().create(true).truncate(false).write(true).open(path)?;
        file.set_len(length)?;
        file.seek(SeekFrom::End(0))?;
        let mut writer = csv::Writer::from_writer(BufWriter::new(file));
        if length == 0 {
            writer.write_record(header).map_err(io::Error::other)?;
        }
        Ok(OutcomeFile { writer })
    }

    fn add(&mut self, row: &[&str]) -> io::Result<()> {
        self.writer.write_record(row).map_err(io::Error::other)
    }

    fn sync(&mut self) -> io::Result<u64> {
        self.writer.flush()?;
        let file = self.writer.get_ref().get_ref();
        file.sync_data()?;
        Ok(file.metadata()?.len())
    }
}
