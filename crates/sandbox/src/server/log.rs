//! Who asked for what, and when?

use std::{
    fs::File,
    io::Write,
    net::Ipv4Addr,
    path::Path,
    sync::{Mutex, MutexGuard, PoisonError},
    time::{SystemTime, UNIX_EPOCH},
};

use serde::{Deserialize, Serialize};

use super::SandboxError;

/// One request, as the server saw it when its head had been read.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Request {
    /// When its head had been read, in microseconds since 1970.
    pub at_us: u64,
    /// The number of the connection within the server.
    pub connection_id: u64,
    /// The server's address that was asked.
    pub address: Ipv4Addr,
    /// `http` or `https`.
    pub scheme: String,
    /// `HTTP/1.1` or `HTTP/2.0`.
    pub http_version: String,
    /// The host that was asked for, in lower case, without a port.
    pub host: String,
    /// The method.
    pub method: String,
    /// The path with its query.
    pub path: String,
    /// The status of the answer; 0 where no response head is sent.
    pub status: u16,
    /// What the client calls itself.
    pub user_agent: String,
}

/// The record of all requests; off, it costs nothing.
#[derive(Debug)]
pub(super) struct Log {
    on: bool,
    records: Mutex<Records>,
}

#[derive(Debug)]
struct Records {
    requests: Vec<Request>,
    file: Option<File>,
    line: Vec<u8>,
}

impl Log {
    pub(super) fn new(on: bool, file: Option<&Path>) -> Result<Log, SandboxError> {
        let file = file
            .map(|path| {
                File::create(path).map_err(|source| SandboxError::LogFile { path: path.to_owned(), source })
            })
            .transpose()?;
        Ok(Log { on, records: Mutex::new(Records { requests: Vec::new(), file, line: Vec::new() }) })
    }

    /// The time to write beside a request whose head was just read; `None` if nothing is recorded.
    ///
    /// It is taken before anything is done about the request: what is late in the record makes a crawler look impolite.
    pub(super) fn stamp(&self) -> Option<u64> {
        let since_1970 = || SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        self.on.then(|| u64::try_from(since_1970().as_micros()).unwrap_or(u64::MAX))
    }

    /// Records a request.
    pub(super) fn record(&self, request: Request) {
        let mut records = self.records();
        let Records { requests, file, line } = &mut *records;
        if let Some(to) = file {
            line.clear();
            let written =
                serde_json::to_writer(&mut *line, &request).map_err(std::io::Error::from).and_then(|()| {
                    line.push(b'\n');
                    // One write for a whole line, at once: a reader never sees half of one, nor misses one after a kill.
                    to.write_all(line)
                });
            if let Err(error) = written {
                tracing::warn!(%error, "the sandbox's log file cannot be written; it ends here");
                *file = None;
            }
        }
        requests.push(request);
    }

    pub(super) fn requests(&self) -> Vec<Request> {
        self.records().requests.clone()
    }

    pub(super) fn clear(&self) {
        self.records().requests.clear();
    }

    fn records(&self) -> MutexGuard<'_, Records> {
        // A record is pushed whole or not at all, so one who panicked left nothing half done.
        self.records.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
