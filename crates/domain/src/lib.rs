//! What are the words of canvass, as types?
//!
//! No I/O, few dependencies, changes rarely. Every other crate speaks in these types; GLOSSARY.md explains the words.

mod capture;
mod completion;
mod disposition;
mod lease;
mod moment;
mod round;
mod target;

pub use capture::{Capture, FetchedWith, Header, Timings};
pub use completion::Completion;
pub use disposition::{Disposition, Exclusion, Failure, FailureKind, RetryClass};
pub use lease::{Lease, Purpose};
pub use moment::Moment;
pub use round::{BadRoundId, RoundId};
pub use target::{Target, host_hash, url_hash, url_hash_hex};
