//! Which kind of failure is an error of the network?
//!
//! The libraries' own predicates and the kinds of `io::Error` decide; their wording, which may change, is only quoted.

use std::{error::Error, io};

use domain::{Failure, FailureKind};

/// A detail is for a person's eye, on one line.
const MAX_DETAIL_CHARS: usize = 160;

/// How the end of a body is told.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Framing {
    /// By a declared length.
    Length,
    /// By chunks, or by HTTP/2's own frames.
    Chunked,
    /// By the connection's end.
    UntilClose,
}

/// An error and its sources on one line of bounded length, free of control characters.
pub(crate) fn one_line(error: &(dyn Error + 'static)) -> String {
    let mut text = error.to_string();
    let mut source = error.source();
    while let Some(error) = source {
        let deeper = error.to_string();
        if !text.contains(&deeper) {
            text.push_str(": ");
            text.push_str(&deeper);
        }
        source = error.source();
    }
    text.chars().map(|c| if c.is_control() { ' ' } else { c }).take(MAX_DETAIL_CHARS).collect()
}

pub(crate) fn of_connect(error: &io::Error) -> Failure {
    use io::ErrorKind as E;
    let kind = match error.kind() {
        E::ConnectionRefused => FailureKind::ConnectRefused,
        E::TimedOut => FailureKind::ConnectTimeout,
        E::ConnectionReset | E::ConnectionAborted => FailureKind::ConnectionLost,
        _ => FailureKind::ConnectUnreachable,
    };
    Failure::new(kind, one_line(error))
}

pub(crate) fn of_tls(error: &io::Error) -> Failure {
    let kind = match error.get_ref().and_then(|inner| inner.downcast_ref::<rustls::Error>()) {
        Some(rustls::Error::InvalidCertificate(_) | rustls::Error::NoCertificatesPresented) => {
            FailureKind::TlsCertificate
        }
        _ => FailureKind::TlsHandshake,
    };
    Failure::new(kind, one_line(error))
}

/// An error between the request and the end of the response head.
pub(crate) struct HeadFailure {
    pub(crate) failure: Failure,
    /// Whether the connection was gone, so that the server may never have seen the request.
    pub(crate) unseen: bool,
}

impl From<Failure> for HeadFailure {
    fn from(failure: Failure) -> HeadFailure {
        HeadFailure { failure, unseen: false }
    }
}

pub(crate) fn of_head(error: &hyper::Error) -> HeadFailure {
    let in_http2 = find_source::<h2::Error>(error);
    let breach = in_http2.filter(|error| error.is_library()).and_then(h2::Error::reason);
    let kind = match breach {
        _ if error.is_parse_too_large() => FailureKind::HeaderFlood,
        _ if error.is_parse() => FailureKind::BadResponse,
        // What h2 says of header frames without an end.
        Some(h2::Reason::ENHANCE_YOUR_CALM) => FailureKind::HeaderFlood,
        Some(_) => FailureKind::BadResponse,
        None => FailureKind::ConnectionLost,
    };
    // Only what the server cannot have seen may be sent again at once: a second request would break its pace.
    let refused = in_http2.is_some_and(|error| error.reason() == Some(h2::Reason::REFUSED_STREAM));
    let unseen = error.is_canceled() || refused;
    HeadFailure { failure: Failure::new(kind, one_line(error)), unseen }
}

/// An error within the body; nothing where the body simply ended, as one without a length does.
pub(crate) fn of_body(error: &hyper::Error, framing: Framing) -> Option<Failure> {
    use io::ErrorKind as E;
    let io_error = find_source::<io::Error>(error);
    // A TLS record that does not decrypt is a broken connection, not a broken chunk.
    let in_tls = io_error.and_then(io::Error::get_ref).is_some_and(|inner| inner.is::<rustls::Error>());
    let ended =
        error.is_incomplete_message() || io_error.is_some_and(|error| error.kind() == E::UnexpectedEof);
    let kind = match (io_error.map(io::Error::kind), framing) {
        // Many servers close without TLS's goodbye; where the close is all that marks the end, it must do.
        _ if ended && framing == Framing::UntilClose => return None,
        _ if ended && framing == Framing::Length => FailureKind::TruncatedBody,
        (Some(E::InvalidData | E::InvalidInput), Framing::Chunked) if !in_tls => FailureKind::BrokenChunking,
        _ => FailureKind::ConnectionLost,
    };
    Some(Failure::new(kind, one_line(error)))
}

fn find_source<E: Error + 'static>(error: &hyper::Error) -> Option<&E> {
    let mut source = error.source();
    while let Some(error) = source {
        if let Some(found) = error.downcast_ref() {
            return Some(found);
        }
        source = error.source();
    }
    None
}
