//! When did it happen?

use std::{fmt, time::Duration};

use serde::{Deserialize, Serialize};

/// An instant as milliseconds since 1970 (UTC).
///
/// Code that decides something takes the moment as an argument, so that a test needs no sleep and a month can be
/// replayed; only the program asks the clock.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Moment(pub i64);

impl Moment {
    /// The latest moment there is: "never".
    pub const FAR_FUTURE: Moment = Moment(i64::MAX);

    /// This moment moved later by `wait`, saturating.
    #[must_use]
    pub fn after(self, wait: Duration) -> Moment {
        Moment(self.0.saturating_add(i64::try_from(wait.as_millis()).unwrap_or(i64::MAX)))
    }

    /// How long after `earlier` this is; zero if it is not after it.
    #[must_use]
    pub fn since(self, earlier: Moment) -> Duration {
        Duration::from_millis(u64::try_from(self.0.saturating_sub(earlier.0)).unwrap_or(0))
    }
}

impl From<jiff::Timestamp> for Moment {
    fn from(at: jiff::Timestamp) -> Moment {
        Moment(at.as_millisecond())
    }
}

impl Moment {
    /// The same instant as a timestamp, clamped to what a calendar can say.
    #[must_use]
    pub fn timestamp(self) -> jiff::Timestamp {
        jiff::Timestamp::from_millisecond(self.0).unwrap_or(if self.0 < 0 {
            jiff::Timestamp::MIN
        } else {
            jiff::Timestamp::MAX
        })
    }
}

/// RFC 3339, UTC, whole milliseconds.
impl fmt::Display for Moment {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:.3}", self.timestamp())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_wait_moves_a_moment_and_since_measures_it_back() {
        let at = Moment(1_000);
        assert_eq!(at.after(Duration::from_secs(2)), Moment(3_000));
        assert_eq!(Moment(3_000).since(at), Duration::from_secs(2));
        assert_eq!(at.since(Moment(3_000)), Duration::ZERO);
    }

    #[test]
    fn the_far_future_neither_overflows_nor_panics() {
        assert_eq!(Moment::FAR_FUTURE.after(Duration::from_secs(9)), Moment::FAR_FUTURE);
        assert!(Moment::FAR_FUTURE.to_string().starts_with("9999-12-30"));
        assert_eq!(Moment(0).to_string(), "1970-01-01T00:00:00.000Z");
    }
}
