//! What does a status say about a fetch, and when may one ask again?

use std::time::{Duration, UNIX_EPOCH};

use domain::{Failure, FailureKind, Moment};

/// A 500 with less than this is a broken site, not a busy one.
const BROKEN_BODY_BYTES: usize = 100;

/// The failure that an answer's status means, or nothing where it is a page or a redirect.
#[must_use]
pub fn classify(status: u16, decoded_body_len: usize) -> Option<Failure> {
    let kind = match status {
        200..=399 => return None,
        429 | 503 => FailureKind::Throttled,
        400..=499 => FailureKind::HttpStatus,
        500 if decoded_body_len < BROKEN_BODY_BYTES => FailureKind::BrokenServer,
        500..=599 => FailureKind::ServerError,
        _ => FailureKind::BadResponse,
    };
    Some(Failure::by_status(kind, status))
}

/// How long a `Retry-After` header asks to wait from `now` on: seconds or an HTTP date; one in the past is no wait.
#[must_use]
pub fn parse_retry_after(value: &[u8], now: Moment) -> Option<Duration> {
    let value = std::str::from_utf8(value).ok()?.trim();
    if !value.is_empty() && value.bytes().all(|byte| byte.is_ascii_digit()) {
        // More digits than a u64 holds still mean "very long".
        return Some(Duration::from_secs(value.parse().unwrap_or(u64::MAX)));
    }
    let at = httpdate::parse_http_date(value).ok()?.duration_since(UNIX_EPOCH).ok()?;
    Some(Moment(i64::try_from(at.as_millis()).ok()?).since(now))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_status_has_the_kind_of_its_table() {
        use FailureKind as K;
        for (statuses, body, kind) in [
            (vec![200, 201, 204, 206, 299, 300, 301, 302, 304, 308, 399], 0, None),
            (vec![400, 401, 403, 404, 405, 408, 410, 418, 451, 499], 5_000, Some(K::HttpStatus)),
            (vec![429, 503], 0, Some(K::Throttled)),
            (vec![500], 99, Some(K::BrokenServer)),
            (vec![500], 100, Some(K::ServerError)),
            (vec![501, 502, 504, 520, 599], 0, Some(K::ServerError)),
            (vec![0, 100, 101, 199, 600, 999], 0, Some(K::BadResponse)),
        ] {
            for status in statuses {
                let failure = classify(status, body);
                assert_eq!(failure.as_ref().map(|f| f.kind), kind, "{status}");
                assert!(failure.is_none_or(|f| f.status == Some(status)));
            }
        }
    }

    #[test]
    fn retry_after_is_read_as_seconds_or_as_a_date() {
        // 2015-10-21 07:28:00 UTC, as `date -d` prints it in seconds.
        let now = Moment(1_445_412_480_000);
        for (value, seconds) in [
            ("120", Some(120)),
            (" 7 ", Some(7)),
            ("0", Some(0)),
            ("Wed, 21 Oct 2015 07:28:30 GMT", Some(30)),
            ("Wednesday, 21-Oct-15 07:29:00 GMT", Some(60)),
            ("Wed Oct 21 07:30:00 2015", Some(120)),
            ("Wed, 21 Oct 2015 07:27:00 GMT", Some(0)),
            ("99999999999999999999999", Some(u64::MAX)),
            ("", None),
            ("-1", None),
            ("1.5", None),
            ("soon", None),
            ("Wed, 99 Oct 2015 07:28:00 GMT", None),
        ] {
            assert_eq!(parse_retry_after(value.as_bytes(), now), seconds.map(Duration::from_secs), "{value}");
        }
        assert_eq!(parse_retry_after(b"\xff\xfe", now), None);
    }
}
