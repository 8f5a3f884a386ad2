//! How is a bucket reached, and as whom?

use std::{fmt, path::PathBuf, sync::Arc, time::Duration, time::SystemTime};

/// Asks for the present time: a signature carries it, and borrowed credentials end.
#[derive(Clone)]
pub struct WallClock(Arc<dyn Fn() -> SystemTime + Send + Sync>);

impl WallClock {
    /// A clock that asks this.
    pub fn new(ask: impl Fn() -> SystemTime + Send + Sync + 'static) -> WallClock {
        WallClock(Arc::new(ask))
    }

    /// The time.
    #[must_use]
    pub fn now(&self) -> SystemTime {
        (self.0)()
    }
}

impl fmt::Debug for WallClock {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("WallClock")
    }
}

/// Everything about S3 that its URL does not say.
#[derive(Debug, Clone)]
pub struct S3Options {
    /// The region that requests are signed for.
    pub region: String,
    /// The server, as `http(s)://HOST[:PORT]`; Amazon's own of the region where it is `None`.
    pub endpoint_url: Option<String>,
    /// Whether the bucket is part of the path and not of the host's name; where `None`, it is with an endpoint.
    pub path_style: Option<bool>,
    /// Who asks; anonymous where it is `None`.
    pub keys: Option<Keys>,
    /// The role that is assumed with those keys.
    pub role: Option<Role>,
    /// The canned ACL of what is written, such as `bucket-owner-full-control`.
    pub acl: Option<String>,
    /// A blob that is longer is sent in parts of this length, at least 5 MiB.
    pub part_bytes: u64,
    /// Parts of one blob that are under way at once.
    pub parts_at_once: usize,
    /// How long a request may take, besides its bytes.
    pub patience: Duration,
    /// How a failed request is repeated.
    pub retry: Retry,
    /// Certificate authorities (PEM) to trust beside the public ones.
    pub extra_ca_file: Option<PathBuf>,
    /// The time.
    pub clock: WallClock,
}

impl S3Options {
    /// The usual options, with this clock.
    #[must_use]
    pub fn new(clock: WallClock) -> S3Options {
        S3Options {
            region: "us-east-1".to_owned(),
            endpoint_url: None,
            path_style: None,
            keys: None,
            role: None,
            acl: None,
            part_bytes: 16 * 1024 * 1024,
            parts_at_once: 4,
            patience: Duration::from_secs(60),
            retry: Retry::default(),
            extra_ca_file: None,
            clock,
        }
    }
}

/// How a request that failed is repeated: each wait is twice the one before.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Retry {
    /// How often it is tried in all.
    pub attempts: u32,
    /// The wait before the second attempt.
    pub first_wait: Duration,
    /// No wait is longer, whatever the server asks.
    pub max_wait: Duration,
}

impl Default for Retry {
    fn default() -> Retry {
        Retry { attempts: 6, first_wait: Duration::from_millis(500), max_wait: Duration::from_secs(20) }
    }
}

impl Retry {
    /// The wait after the attempt of this number, from 1, where the server asked for `asked`.
    #[must_use]
    pub fn wait(&self, attempt: u32, asked: Option<Duration>) -> Duration {
        let doubled = self.first_wait.saturating_mul(1u32 << attempt.saturating_sub(1).min(20));
        doubled.max(asked.unwrap_or_default()).min(self.max_wait)
    }
}

/// Credentials; `Debug` hides what is secret.
#[derive(Clone, PartialEq, Eq)]
pub struct Keys {
    /// The public half.
    pub access_key_id: String,
    /// The secret half.
    pub secret_access_key: String,
    /// What comes with borrowed keys.
    pub session_token: Option<String>,
}

impl fmt::Debug for Keys {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Keys { access_key_id, secret_access_key: _, session_token: _ } = self;
        f.debug_struct("Keys").field("access_key_id", access_key_id).finish_non_exhaustive()
    }
}

/// A role that is assumed through STS.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Role {
    /// Its ARN.
    pub arn: String,
    /// The id by which its owner knows us.
    pub external_id: Option<String>,
    /// What the owner's logs call the session.
    pub session_name: String,
    /// STS, as `http(s)://HOST[:PORT]`; Amazon's own of the region where it is `None`.
    pub endpoint_url: Option<String>,
    /// How long a session lasts; it is renewed before its end.
    pub duration: Duration,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn waits_double_up_to_their_most_and_a_server_may_ask_for_longer() {
        let retry =
            Retry { attempts: 9, first_wait: Duration::from_secs(1), max_wait: Duration::from_secs(20) };
        let waits: Vec<u64> = (1..=6).map(|attempt| retry.wait(attempt, None).as_secs()).collect();
        assert_eq!(waits, [1, 2, 4, 8, 16, 20]);
        assert_eq!(retry.wait(1, Some(Duration::from_secs(7))).as_secs(), 7);
        assert_eq!(retry.wait(1, Some(Duration::from_secs(7_000))).as_secs(), 20);
        assert_eq!(retry.wait(u32::MAX, None).as_secs(), 20);
    }

    #[test]
    fn secret_keys_are_never_shown() {
        let keys = Keys {
            access_key_id: "AKIDEXAMPLE".to_owned(),
            secret_access_key: "hunter2".to_owned(),
            session_token: Some("hunter3".to_owned()),
        };
        let shown = format!("{keys:?}");
        assert!(shown.contains("AKIDEXAMPLE") && !shown.contains("hunter"), "{shown}");
    }
}
