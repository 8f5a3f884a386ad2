//! Who takes which URL, and how many came back?

use std::{
    fs::File,
    io::{self, BufRead, BufReader, Lines},
    path::PathBuf,
    sync::{Arc, Mutex, PoisonError},
};

/// The URLs of a file, each given out once, to whoever asks next.
#[derive(Debug, Clone)]
pub struct Urls(Arc<Mutex<Lines<BufReader<File>>>>);

impl Urls {
    /// The URLs of the file that the first argument names, and the number of connections in the second.
    ///
    /// # Errors
    /// If an argument is missing or the file cannot be opened.
    pub fn from_args() -> io::Result<(Urls, usize)> {
        let mut args = std::env::args().skip(1);
        let (Some(path), Some(connections)) = (args.next(), args.next().and_then(|text| text.parse().ok()))
        else {
            return Err(io::Error::other("usage: PROGRAM URLS CONNECTIONS"));
        };
        let file = BufReader::new(File::open(PathBuf::from(path))?);
        Ok((Urls(Arc::new(Mutex::new(file.lines()))), connections))
    }

    /// The next URL; none when all are given out or the file cannot be read on, which the count of pages shows.
    #[must_use]
    pub fn next(&self) -> Option<String> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).next()?.ok()
    }
}

/// What a client brought home.
#[derive(Debug, Clone, Copy, Default)]
pub struct Haul {
    /// Pages that came with status 200.
    pub pages: u64,
    /// Their bytes after decoding.
    pub decoded_bytes: u64,
}

impl Haul {
    /// Counts a page of this many bytes.
    pub fn add(&mut self, decoded_bytes: usize) {
        self.pages += 1;
        self.decoded_bytes += decoded_bytes as u64;
    }

    /// Adds what another brought.
    pub fn merge(&mut self, other: Haul) {
        self.pages += other.pages;
        self.decoded_bytes += other.decoded_bytes;
    }

    /// The line that the benchmark reads.
    #[must_use]
    pub fn to_json(self) -> String {
        format!(r#"{{"pages":{},"decoded_bytes":{}}}"#, self.pages, self.decoded_bytes)
    }
}
