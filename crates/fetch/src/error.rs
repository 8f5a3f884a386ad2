//! What can go wrong, before a fetch and in it?

use std::{io, net::IpAddr, path::PathBuf};

use domain::Failure;

/// Why one fetch brought no response.
#[derive(Debug, thiserror::Error)]
pub enum FetchError {
    /// It was tried and did not work.
    #[error("{0}")]
    Failed(Failure),
    /// It leads to an address that is not globally routable; nothing was connected to.
    #[error("{host} leads to {address}, which is not globally routable")]
    PrivateAddress {
        /// The host of the URL.
        host: String,
        /// The first of its addresses that was refused.
        address: IpAddr,
    },
}

impl From<Failure> for FetchError {
    fn from(failure: Failure) -> FetchError {
        FetchError::Failed(failure)
    }
}

/// Why no fetcher could be made from the settings.
#[derive(Debug, thiserror::Error)]
pub enum SetupError {
    /// A file that the settings name cannot be read.
    #[error("cannot read {path}: {source}")]
    Unreadable {
        /// The file.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// A line of the hosts file makes no sense.
    #[error("{path}, line {line}: {reason}; write `ADDRESS NAME [FROM=TO …]`")]
    BadHostsLine {
        /// The file.
        path: PathBuf,
        /// The line, from 1.
        line: usize,
        /// What is wrong with it.
        reason: String,
    },
    /// The file of certificate authorities holds none that can be used.
    #[error("{path}: {reason}; give certificates in PEM form")]
    BadCertificates {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        reason: String,
    },
    /// A setting has a value that cannot work.
    #[error("`{setting}` {reason}")]
    BadSetting {
        /// The setting's name.
        setting: &'static str,
        /// What is wrong with it.
        reason: String,
    },
}
