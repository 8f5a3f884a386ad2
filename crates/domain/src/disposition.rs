//! How did a target end?

use std::fmt;

use serde::{Deserialize, Serialize};

/// The one way in which a target ended.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "disposition", rename_all = "snake_case")]
pub enum Disposition {
    /// A capture was written.
    Captured,
    /// It was not ours to fetch or to keep.
    Excluded {
        /// What ruled it out.
        reason: Exclusion,
    },
    /// It was tried and did not work.
    Failed(Failure),
}

impl Disposition {
    /// `captured`, `excluded` or `failed`: the name in the books.
    #[must_use]
    pub fn name(&self) -> &'static str {
        match self {
            Disposition::Captured => "captured",
            Disposition::Excluded { .. } => "excluded",
            Disposition::Failed(_) => "failed",
        }
    }

    /// The finer name: `captured`, the exclusion's or the failure kind's (`robots`, `connect_timeout`, …).
    #[must_use]
    pub fn detail_name(&self) -> &'static str {
        match self {
            Disposition::Captured => "captured",
            Disposition::Excluded { reason } => reason.name(),
            Disposition::Failed(failure) => failure.kind.name(),
        }
    }
}

/// What a failure was.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Failure {
    /// Its kind, from the closed list.
    pub kind: FailureKind,
    /// The HTTP status, where one was received.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub status: Option<u16>,
    /// What was seen, for a person; never a secret, never longer than a line.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub detail: String,
}

impl Failure {
    /// A failure without a status.
    #[must_use]
    pub fn new(kind: FailureKind, detail: impl Into<String>) -> Failure {
        Failure { kind, status: None, detail: detail.into() }
    }

    /// A failure by an answer's status.
    #[must_use]
    pub fn by_status(kind: FailureKind, status: u16) -> Failure {
        Failure { kind, status: Some(status), detail: String::new() }
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.kind.name())?;
        if let Some(status) = self.status {
            write!(f, " {status}")?;
        }
        if !self.detail.is_empty() {
            write!(f, ": {}", self.detail)?;
        }
        Ok(())
    }
}

/// Declares an enum whose variants have a stable name and whose whole list can be walked.
macro_rules! named {
    ($(#[$meta:meta])* $name:ident { $($(#[$vmeta:meta])* $variant:ident = $text:literal),* $(,)? }) => {
        $(#[$meta])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
        pub enum $name { $($(#[$vmeta])* #[serde(rename = $text)] $variant),* }

        impl $name {
            /// Every one there is.
            pub const ALL: &'static [$name] = &[$($name::$variant),*];

            /// Its stable name, as files, tables and metrics carry it.
            #[must_use]
            pub fn name(self) -> &'static str {
                match self { $($name::$variant => $text),* }
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(self.name())
            }
        }
    };
}

named! {
    /// Why a target was ruled out.
    Exclusion {
        /// robots.txt forbids it, for the target or for a hop of its redirects.
        Robots = "robots",
        /// A redirect left the scope that the settings allow.
        Scope = "scope",
        /// The answer is of a type that the settings do not keep.
        ContentType = "content_type",
        /// It leads to an address that is not globally routable.
        PrivateAddress = "private_address",
    }
}

named! {
    /// The kinds of failure: a closed list, each with a retry class.
    FailureKind {
        /// The name does not exist.
        DnsNotFound = "dns_not_found",
        /// The name could not be looked up.
        DnsFailed = "dns_failed",
        /// The address answered: nobody listens there.
        ConnectRefused = "connect_refused",
        /// No answer to the connection request in time.
        ConnectTimeout = "connect_timeout",
        /// No way to the address.
        ConnectUnreachable = "connect_unreachable",
        /// The certificate is not valid for this name and time.
        TlsCertificate = "tls_certificate",
        /// The TLS handshake failed in another way.
        TlsHandshake = "tls_handshake",
        /// Connected, but no response head in time.
        ResponseTimeout = "response_timeout",
        /// The body stopped coming, or did not end in time.
        BodyTimeout = "body_timeout",
        /// The connection was reset or closed before the response was whole.
        ConnectionLost = "connection_lost",
        /// The body ended before its declared length.
        TruncatedBody = "truncated_body",
        /// The chunked framing is broken.
        BrokenChunking = "broken_chunking",
        /// The response head is not HTTP.
        BadResponse = "bad_response",
        /// More or longer headers than the limits allow.
        HeaderFlood = "header_flood",
        /// The content encoding is unknown or corrupt.
        BadEncoding = "bad_encoding",
        /// The redirects come back to where they were.
        RedirectLoop = "redirect_loop",
        /// More redirects than the limit.
        TooManyRedirects = "too_many_redirects",
        /// A redirect without a usable location.
        BadRedirect = "bad_redirect",
        /// The server asked to slow down (429, 503) more often than we retry.
        Throttled = "throttled",
        /// Another 5xx.
        ServerError = "server_error",
        /// A 500 with next to no body: broken, not busy.
        BrokenServer = "broken_server",
        /// A status that will not change by asking again (4xx but 429).
        HttpStatus = "http_status",
        /// robots.txt answered with an error or not at all, so nothing may be fetched.
        RobotsUnavailable = "robots_unavailable",
        /// The host failed so often that it was given up for this round.
        HostSuspended = "host_suspended",
        /// canvass itself failed on it: a defect to report, with the log's line about it.
        Defect = "defect",
    }
}

/// How a failure is to be retried within a round.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RetryClass {
    /// Asking again changes nothing.
    Never,
    /// 429 and 503: wait long, doubling.
    Throttle,
    /// Other 5xx: a short wait.
    ServerError,
    /// Connection timeout: once.
    ConnectTimeout,
    /// The network or the connection broke.
    Transient,
}

impl FailureKind {
    /// The retry class of this kind; the counts and waits of a class are settings.
    #[must_use]
    pub fn retry_class(self) -> RetryClass {
        use FailureKind as K;
        match self {
            K::Throttled => RetryClass::Throttle,
            K::ServerError => RetryClass::ServerError,
            K::ConnectTimeout => RetryClass::ConnectTimeout,
            K::DnsFailed
            | K::ConnectRefused
            | K::ConnectUnreachable
            | K::ResponseTimeout
            | K::BodyTimeout
            | K::ConnectionLost
            | K::TruncatedBody => RetryClass::Transient,
            K::DnsNotFound
            | K::TlsCertificate
            | K::TlsHandshake
            | K::BrokenChunking
            | K::BadResponse
            | K::HeaderFlood
            | K::BadEncoding
            | K::RedirectLoop
            | K::TooManyRedirects
            | K::BadRedirect
            | K::BrokenServer
            | K::HttpStatus
            | K::RobotsUnavailable
            | K::HostSuspended
            | K::Defect => RetryClass::Never,
        }
    }

    /// Whether it speaks of the host's health rather than of one page: such errors trip the host's breaker.
    #[must_use]
    pub fn counts_against_host(self) -> bool {
        use FailureKind as K;
        !matches!(
            self,
            K::HttpStatus
                | K::RedirectLoop
                | K::TooManyRedirects
                | K::BadRedirect
                | K::HostSuspended
                | K::Defect
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_name_is_unique_and_survives_json() {
        let mut names: Vec<_> = FailureKind::ALL.iter().map(|k| k.name()).collect();
        names.extend(Exclusion::ALL.iter().map(|e| e.name()));
        let count = names.len();
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), count);
        for kind in FailureKind::ALL {
            let text = serde_json::to_string(kind).unwrap();
            assert_eq!(text, format!("\"{}\"", kind.name()));
            assert_eq!(serde_json::from_str::<FailureKind>(&text).unwrap(), *kind);
        }
    }

    #[test]
    fn a_disposition_is_one_flat_object() {
        let failed = Disposition::Failed(Failure::by_status(FailureKind::Throttled, 429));
        let text = serde_json::to_string(&failed).unwrap();
        assert_eq!(text, r#"{"disposition":"failed","kind":"throttled","status":429}"#);
        assert_eq!(serde_json::from_str::<Disposition>(&text).unwrap(), failed);
    }
}
