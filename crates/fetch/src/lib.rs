//! How does one URL become an HTTP answer?
//!
//! One hop at a time: [`Fetcher::route`] finds out where a lease's request would go, checking every address on the way,
//! and [`Fetcher::fetch`] sends it and reads the response within its limits. What follows from a response is decided by
//! pure functions: [`classify`] its status, [`RedirectRules::next_hop`] where it leads, [`RetrySettings::next_attempt`]
//! when to ask again. Pace and robots.txt are the frontier's business: nothing is sent without its lease.

#![cfg_attr(test, allow(clippy::unwrap_used, reason = "a test that cannot go on has failed"))]

mod address;
mod body;
mod connect;
mod content_type;
mod decode;
mod destination;
mod error;
mod failure;
mod fetcher;
mod hosts;
mod pool;
mod redirect;
mod resolve;
mod response;
mod retry;
mod settings;
mod status;
mod tls;

pub use address::{AllowPrivate, BadCidr, Cidr, is_globally_routable};
pub use decode::{BadEncoding, ContentEncoding, Decoded, decode};
pub use error::{FetchError, SetupError};
pub use fetcher::{Fetcher, Route};
pub use hosts::HostsFile;
pub use redirect::{RedirectRules, is_redirect};
pub use response::{BodyPlace, Response};
pub use retry::RetrySettings;
pub use settings::FetchSettings;
pub use status::{classify, parse_retry_after};
