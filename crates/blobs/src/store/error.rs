//! What went wrong with a store, and is it worth another try?

use std::{io, path::Path, time::Duration};

/// A failure of a store: its kind decides what a caller does, its text tells a person what happened.
///
/// It never carries a secret key, a token or a signature.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct StoreError {
    kind: ErrorKind,
    message: String,
    retry_after: Option<Duration>,
}

/// The kinds of failure, by what a caller can do about them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum ErrorKind {
    /// The location, a key or a setting is wrong.
    Configuration,
    /// The program was built without what it would need.
    NotBuilt,
    /// The credentials are missing, wrong, or not enough.
    Denied,
    /// The bucket is not there.
    NotFound,
    /// There is a blob already, and it was not to be replaced.
    AlreadyThere,
    /// The store does not know this request.
    Unsupported,
    /// The store cannot be reached, or the connection was cut.
    Unreachable,
    /// It took too long.
    TimedOut,
    /// The store asks for patience.
    Throttled,
    /// The store failed.
    Server,
    /// What arrived is not what was sent.
    Corrupt,
    /// A file of this machine: missing, unreadable, a full disk.
    Io,
    /// The store's answer makes no sense.
    Protocol,
}

impl StoreError {
    pub(crate) fn new(kind: ErrorKind, message: impl Into<String>) -> StoreError {
        StoreError { kind, message: message.into(), retry_after: None }
    }

    pub(crate) fn io(path: &Path) -> impl FnOnce(io::Error) -> StoreError + '_ {
        move |error| StoreError::new(ErrorKind::Io, format!("{}: {error}", path.display()))
    }

    #[cfg(feature = "s3")]
    pub(crate) fn with_retry_after(mut self, wait: Option<Duration>) -> StoreError {
        self.retry_after = wait;
        self
    }

    /// What kind of failure it is.
    #[must_use]
    pub fn kind(&self) -> ErrorKind {
        self.kind
    }

    /// Whether the same call may succeed a little later. A store has tried several times before it says so.
    #[must_use]
    pub fn is_retryable(&self) -> bool {
        matches!(
            self.kind,
            ErrorKind::Unreachable
                | ErrorKind::TimedOut
                | ErrorKind::Throttled
                | ErrorKind::Server
                | ErrorKind::Corrupt
        )
    }

    /// How long the store asked to be left alone.
    #[must_use]
    pub fn retry_after(&self) -> Option<Duration> {
        self.retry_after
    }
}
