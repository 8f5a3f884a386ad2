//! What did one fetch bring?

use serde::{Deserialize, Serialize};

use crate::Moment;

/// What one fetch brought, without its body: the body's bytes travel beside it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Capture {
    /// Where the redirects ended.
    pub final_url: String,
    /// The addresses that were passed on the way, first the target's own; empty without a redirect.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub redirects: Vec<String>,
    /// The HTTP status of the final answer.
    pub status: u16,
    /// `HTTP/1.1` or `HTTP/2.0`.
    pub http_version: String,
    /// The headers of the final answer, in order, names in lower case.
    pub headers: Vec<Header>,
    /// How the stored body bytes are encoded: `gzip`, `br`, `zstd`, `deflate`, or `identity`.
    ///
    /// A whole body is kept as it came over the wire; one that was cut at the cap is kept decoded.
    pub body_encoding: String,
    /// The size of the body when decoded.
    pub decoded_bytes: u64,
    /// Whether the body was cut at the cap.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub truncated: bool,
    /// The character set of the text, as detected; empty where the body is not text.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub charset: String,
    /// The robots.txt of the final URL's origin; with the first capture since it was read, and with no other.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub robots: Option<String>,
    /// Which way it was fetched.
    pub fetched_with: FetchedWith,
    /// When the request for the final answer was sent.
    pub fetched_at: Moment,
    /// The address that answered.
    pub remote_address: String,
    /// How long each phase took.
    pub timings: Timings,
}

/// One header line.
pub type Header = (String, String);

/// Which way a capture was fetched.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum FetchedWith {
    /// One HTTP exchange.
    Http,
}

/// How long each phase of a fetch took, in microseconds; zero where a phase did not happen.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Timings {
    /// Looking up the name.
    pub resolve_us: u64,
    /// Connecting.
    pub connect_us: u64,
    /// The TLS handshake.
    pub tls_us: u64,
    /// From the request to the response head.
    pub first_byte_us: u64,
    /// All of it.
    pub total_us: u64,
}
