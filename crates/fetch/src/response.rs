//! What did one request bring?

use std::{net::SocketAddr, time::Duration};

use bytes::Bytes;
use domain::{Header, Moment, Timings};
use http::{HeaderMap, header};
use tokio::sync::OwnedSemaphorePermit;

use crate::{ContentEncoding, parse_retry_after};

/// The answer to one request, its body read and decoded within the limits.
#[derive(Debug)]
pub struct Response {
    /// The HTTP status.
    pub status: u16,
    /// `HTTP/1.0`, `HTTP/1.1` or `HTTP/2.0`.
    pub http_version: &'static str,
    /// The headers, in the order in which each name first came.
    pub headers: HeaderMap,
    /// The body for storing: as it came over the wire, empty where it was cut.
    pub wire_body: Bytes,
    /// How `wire_body` is encoded.
    pub wire_encoding: ContentEncoding,
    /// The body for reading: decoded, cut at the limit. It shares its memory with `wire_body` where nothing was encoded.
    pub body: Bytes,
    /// Whether the body was cut, at the limit or because the rest of an error page did not come.
    pub truncated: bool,
    /// Whether the body was left on the wire because its content type is not wanted.
    pub skipped_body: bool,
    /// The address that answered.
    pub remote: SocketAddr,
    /// How long each phase took.
    pub timings: Timings,
    /// A large body's place among the few that memory is reckoned for; keep it for as long as the body.
    pub place: Option<BodyPlace>,
}

/// The right to hold one of the few large bodies that memory is reckoned for; it ends when it is dropped.
#[derive(Debug)]
pub struct BodyPlace {
    pub(crate) _permit: OwnedSemaphorePermit,
}

impl Response {
    /// The headers as a capture carries them: names in lower case, values as text.
    #[must_use]
    pub fn header_lines(&self) -> Vec<Header> {
        let text = |value: &http::HeaderValue| String::from_utf8_lossy(value.as_bytes()).into_owned();
        self.headers.iter().map(|(name, value)| (name.as_str().to_owned(), text(value))).collect()
    }

    /// The `Content-Type`, where it is text.
    #[must_use]
    pub fn content_type(&self) -> Option<&str> {
        self.headers.get(header::CONTENT_TYPE)?.to_str().ok()
    }

    /// Where a redirect leads, as the server wrote it.
    #[must_use]
    pub fn location(&self) -> Option<&[u8]> {
        self.headers.get(header::LOCATION).map(http::HeaderValue::as_bytes)
    }

    /// How long the server asks to be left alone.
    #[must_use]
    pub fn retry_after(&self, now: Moment) -> Option<Duration> {
        parse_retry_after(self.headers.get(header::RETRY_AFTER)?.as_bytes(), now)
    }
}
