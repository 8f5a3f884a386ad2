//! May a failed request be tried again, and after how long?

use std::time::Duration;

use domain::{FailureKind, RetryClass};

/// How often and after what wait each class of failure is retried.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RetrySettings {
    /// The wait before the first retry of a 429 or 503; it doubles with each further one.
    pub throttle_first_wait: Duration,
    /// How many times a 429 or 503 is retried.
    pub throttle_retries: u32,
    /// The wait before a retry of another 5xx.
    pub server_error_wait: Duration,
    /// How many times another 5xx is retried.
    pub server_error_retries: u32,
    /// The wait before a retry of a connection that timed out.
    pub connect_timeout_wait: Duration,
    /// How many times a connection that timed out is retried.
    pub connect_timeout_retries: u32,
    /// The wait before a retry of a broken connection.
    pub transient_wait: Duration,
    /// How many times a broken connection is retried.
    pub transient_retries: u32,
    /// The longest wait that a server's `Retry-After` can bring about.
    pub max_wait: Duration,
}

impl Default for RetrySettings {
    fn default() -> RetrySettings {
        RetrySettings {
            throttle_first_wait: Duration::from_secs(30),
            throttle_retries: 3,
            server_error_wait: Duration::from_secs(10),
            server_error_retries: 2,
            connect_timeout_wait: Duration::from_secs(15),
            connect_timeout_retries: 1,
            transient_wait: Duration::from_secs(5),
            transient_retries: 3,
            max_wait: Duration::from_secs(86_400),
        }
    }
}

impl RetrySettings {
    /// How long to wait before asking again, or nothing where the failure is final.
    ///
    /// `failures_so_far` counts the failures of this kind's class, this one included. A server's `Retry-After` makes
    /// the wait longer, never shorter.
    #[must_use]
    pub fn next_attempt(
        &self,
        kind: FailureKind,
        failures_so_far: u32,
        retry_after: Option<Duration>,
    ) -> Option<Duration> {
        let doublings = failures_so_far.saturating_sub(1);
        let (retries, wait) = match kind.retry_class() {
            RetryClass::Never => return None,
            RetryClass::Throttle => {
                let factor = 2_u32.checked_pow(doublings).unwrap_or(u32::MAX);
                (self.throttle_retries, self.throttle_first_wait.saturating_mul(factor))
            }
            RetryClass::ServerError => (self.server_error_retries, self.server_error_wait),
            RetryClass::ConnectTimeout => (self.connect_timeout_retries, self.connect_timeout_wait),
            RetryClass::Transient => (self.transient_retries, self.transient_wait),
        };
        if failures_so_far > retries {
            return None;
        }
        Some(wait.max(retry_after.unwrap_or_default()).min(self.max_wait))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The waits in seconds that a kind gets, one failure after another, until it is final.
    fn waits(kind: FailureKind, retry_after: Option<u64>) -> Vec<u64> {
        let settings = RetrySettings::default();
        (1..)
            .map_while(|failures| settings.next_attempt(kind, failures, retry_after.map(Duration::from_secs)))
            .map(|wait| wait.as_secs())
            .collect()
    }

    #[test]
    fn each_class_is_retried_as_often_and_as_late_as_its_table_says() {
        use FailureKind as K;
        for (kind, expected) in [
            (K::Throttled, vec![30, 60, 120]),
            (K::ServerError, vec![10, 10]),
            (K::ConnectTimeout, vec![15]),
            (K::ConnectionLost, vec![5, 5, 5]),
            (K::ResponseTimeout, vec![5, 5, 5]),
            (K::DnsFailed, vec![5, 5, 5]),
            (K::HttpStatus, vec![]),
            (K::BrokenServer, vec![]),
            (K::DnsNotFound, vec![]),
            (K::TlsCertificate, vec![]),
            (K::BadEncoding, vec![]),
        ] {
            assert_eq!(waits(kind, None), expected, "{kind}");
        }
    }

    #[test]
    fn retry_after_lengthens_a_wait_but_never_shortens_it_or_passes_a_day() {
        assert_eq!(waits(FailureKind::Throttled, Some(45)), [45, 60, 120]);
        assert_eq!(waits(FailureKind::Throttled, Some(1)), [30, 60, 120]);
        assert_eq!(waits(FailureKind::ServerError, Some(u64::MAX)), [86_400, 86_400]);
        assert_eq!(waits(FailureKind::HttpStatus, Some(5)), [0; 0]);
    }

    #[test]
    fn any_number_of_failures_is_answered_without_overflow() {
        let settings = RetrySettings { throttle_retries: u32::MAX, ..RetrySettings::default() };
        let wait = settings.next_attempt(FailureKind::Throttled, u32::MAX, None);
        assert_eq!(wait, Some(settings.max_wait));
    }
}
