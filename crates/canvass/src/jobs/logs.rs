//! Where do log lines go?
//!
//! JSON lines, a file per stage in the round's `logs/`, rotated by size: `crawl.log`, `crawl.log.1` (the one before), …

use std::{
    fs::{self, File, OpenOptions},
    io::{self, Write},
    path::{Path, PathBuf},
    sync::{Arc, Mutex, OnceLock, PoisonError},
};

use tracing_subscriber::{EnvFilter, fmt::MakeWriter};

use crate::settings::Logs;

static CURRENT: OnceLock<StageLog> = OnceLock::new();

/// Sends log lines to `<folder>/<stage>.log` from now on. The first call sets the level; `CANVASS_LOG` overrides it.
pub fn start_logging(folder: &Path, stage: &str, logs: &Logs) -> io::Result<()> {
    fs::create_dir_all(folder)?;
    let file = RotatingFile::open(folder.join(format!("{stage}.log")), logs.max_bytes, logs.keep)?;
    if let Some(current) = CURRENT.get() {
        *current.lock() = file;
        return Ok(());
    }
    let log = StageLog(Arc::new(Mutex::new(file)));
    let filter = EnvFilter::try_from_env("CANVASS_LOG").unwrap_or_else(|_| EnvFilter::new(logs.level.name()));
    let started =
        tracing_subscriber::fmt().json().with_env_filter(filter).with_writer(log.clone()).try_init();
    // a test may have set up logging of its own; that is fine
    if started.is_ok() {
        let _ = CURRENT.set(log);
    }
    Ok(())
}

#[derive(Clone)]
struct StageLog(Arc<Mutex<RotatingFile>>);

impl StageLog {
    fn lock(&self) -> std::sync::MutexGuard<'_, RotatingFile> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl<'a> MakeWriter<'a> for StageLog {
    type Writer = StageLog;

    fn make_writer(&'a self) -> StageLog {
        self.clone()
    }
}

impl Write for StageLog {
    fn write(&mut self, line: &[u8]) -> io::Result<usize> {
        self.lock().write(line)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// A file that is renamed aside when it is full.
struct RotatingFile {
    path: PathBuf,
    file: File,
    bytes: u64,
    max_bytes: u64,
    keep: u32,
}

impl RotatingFile {
    fn open(path: PathBuf, max_bytes: u64, keep: u32) -> io::Result<RotatingFile> {
        let file = OpenOptions::new().create(true).append(true).open(&path)?;
        let bytes = file.metadata()?.len();
        Ok(RotatingFile { path, file, bytes, max_bytes, keep })
    }

    fn write(&mut self, line: &[u8]) -> io::Result<usize> {
        if self.bytes > 0 && self.bytes + line.len() as u64 > self.max_bytes {
            self.rotate()?;
        }
        self.bytes += line.len() as u64;
        self.file.write_all(line)?;
        Ok(line.len())
    }

    fn rotate(&mut self) -> io::Result<()> {
        let aside = |number: u32| PathBuf::from(format!("{}.{number}", self.path.display()));
        if self.keep == 0 {
            fs::remove_file(&self.path)?;
        }
        for number in (1..self.keep).rev() {
            if aside(number).exists() {
                fs::rename(aside(number), aside(number + 1))?;
            }
        }
        if self.keep > 0 {
            fs::rename(&self.path, aside(1))?;
        }
        *self = RotatingFile::open(self.path.clone(), self.max_bytes, self.keep)?;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_full_log_moves_aside_and_only_so_many_are_kept() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("crawl.log");
        let mut log = RotatingFile::open(path.clone(), 20, 2).unwrap();
        for number in 0..9 {
            log.write(format!("line number {number}\n").as_bytes()).unwrap();
        }
        assert_eq!(fs::read_to_string(&path).unwrap(), "line number 8\n");
        assert_eq!(fs::read_to_string(folder.path().join("crawl.log.1")).unwrap(), "line number 7\n");
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 3);
    }
}
