//! How is an answer put into bytes, or into misbehaviour?

use std::{borrow::Cow, time::Duration};

use bytes::Bytes;

use super::{Coding, encode};
use crate::Site;

/// An answer that was decided but not yet made.
#[derive(Debug)]
pub(crate) struct Answer {
    /// The status for the log; 0 where no response head is sent.
    pub(crate) status: u16,
    pub(crate) script: Script,
}

/// How an answer goes over the wire.
#[derive(Debug)]
pub(crate) enum Script {
    /// A response that keeps HTTP's rules.
    Reply(Reply),
    /// Step by step over an HTTP/1.1 connection, which is closed at the end.
    Steps(Vec<Step>),
}

/// One step of a script.
#[derive(Debug)]
pub(crate) enum Step {
    /// Sends these bytes.
    Send(Bytes),
    /// Sends these bytes so many times, as fast as they are taken.
    Repeat(Bytes, u64),
    /// Sends these bytes in pieces of this size with a pause after each.
    Drip { bytes: Bytes, piece: usize, every: Duration },
    /// Does nothing for a while.
    Wait(Duration),
    /// Does nothing until the client leaves or patience ends.
    Hang,
    /// Resets the connection.
    Reset,
}

/// A response that keeps HTTP's rules.
#[derive(Debug)]
pub(crate) struct Reply {
    pub(crate) status: u16,
    pub(crate) headers: Vec<(&'static str, Cow<'static, str>)>,
    pub(crate) body: Body,
    pub(crate) framing: Framing,
}

/// The body of a reply.
#[derive(Debug)]
pub(crate) enum Body {
    /// These bytes, encoded already if at all.
    Ready(Bytes),
    /// The site's page at this path, to be made and encoded when it is sent.
    Page { path: String, coding: Coding },
}

/// How the end of a body is told.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Framing {
    Length,
    Chunked,
    UntilClose,
}

impl Answer {
    pub(crate) fn reply(reply: Reply) -> Answer {
        Answer { status: reply.status, script: Script::Reply(reply) }
    }

    pub(crate) fn steps(status: u16, steps: Vec<Step>) -> Answer {
        Answer { status, script: Script::Steps(steps) }
    }
}

impl Reply {
    /// A UTF-8 page with this status.
    pub(crate) fn html(status: u16, html: impl Into<Bytes>) -> Reply {
        Reply::typed(status, "text/html; charset=utf-8", html)
    }

    pub(crate) fn typed(status: u16, content_type: &'static str, body: impl Into<Bytes>) -> Reply {
        Reply {
            status,
            headers: vec![("Content-Type", content_type.into())],
            body: Body::Ready(body.into()),
            framing: Framing::Length,
        }
    }

    pub(crate) fn redirect(status: u16, location: String) -> Reply {
        Reply::html(status, "").with("Location", location)
    }

    pub(crate) fn with(mut self, name: &'static str, value: impl Into<Cow<'static, str>>) -> Reply {
        self.headers.push((name, value.into()));
        self
    }

    /// Its body, made if it is a page.
    pub(crate) fn make_body(&self, site: &Site) -> Bytes {
        match &self.body {
            Body::Ready(bytes) => bytes.clone(),
            Body::Page { path, coding } => {
                encode(*coding, site.organisation().html(&site.name, path).into_bytes())
            }
        }
    }

    /// The whole response in HTTP/1.1, head and body.
    pub(crate) fn to_http1(&self, body: &Bytes, with_body: bool) -> Bytes {
        let mut wire = head(self.status, &self.headers);
        let bodiless = self.status == 204;
        match self.framing {
            _ if bodiless => wire.extend_from_slice(b"\r\n"),
            Framing::Length => {
                wire.extend_from_slice(format!("Content-Length: {}\r\n\r\n", body.len()).as_bytes())
            }
            Framing::Chunked => wire.extend_from_slice(b"Transfer-Encoding: chunked\r\n\r\n"),
            Framing::UntilClose => wire.extend_from_slice(b"Connection: close\r\n\r\n"),
        }
        if !with_body || bodiless {
            return wire.into();
        }
        wire.reserve(body.len() + 64);
        if self.framing == Framing::Chunked {
            // An uneven size, so that chunks end in the middle of words, tags and characters.
            for chunk in body.chunks(1_771) {
                wire.extend_from_slice(format!("{:x}\r\n", chunk.len()).as_bytes());
                wire.extend_from_slice(chunk);
                wire.extend_from_slice(b"\r\n");
            }
            wire.extend_from_slice(b"0\r\n\r\n");
        } else {
            wire.extend_from_slice(body);
        }
        wire.into()
    }
}

/// The head of an HTTP/1.1 response without its last empty line.
pub(crate) fn head(status: u16, headers: &[(&'static str, Cow<'static, str>)]) -> Vec<u8> {
    let reason =
        http::StatusCode::from_u16(status).ok().and_then(|code| code.canonical_reason()).unwrap_or("Odd");
    let mut head = format!("HTTP/1.1 {status} {reason}\r\n");
    for (name, value) in headers {
        head.push_str(name);
        head.push_str(": ");
        head.push_str(value);
        head.push_str("\r\n");
    }
    head.into_bytes()
}
