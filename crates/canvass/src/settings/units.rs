//! How is a length of time written?

use std::{borrow::Cow, time::Duration};

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Serialize};

/// A number of seconds, fractions allowed.
#[derive(Debug, Clone, Copy, PartialEq, PartialOrd, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Seconds(pub f64);

impl Seconds {
    /// The longest that a setting may say: a year. What is longer is a slip, and would overflow clocks.
    pub const MAX: f64 = 31_536_000.0;

    /// The same as a duration; what is not between zero and a year is brought there.
    #[must_use]
    pub fn duration(self) -> Duration {
        if self.0.is_nan() {
            Duration::ZERO
        } else {
            Duration::from_secs_f64(self.0.clamp(0.0, Seconds::MAX))
        }
    }
}

impl JsonSchema for Seconds {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> Cow<'static, str> {
        "Seconds".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({ "type": "number", "minimum": 0, "maximum": Seconds::MAX })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_number_of_seconds_panics() {
        for odd in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY, -1.0, f64::MAX] {
            assert!(Seconds(odd).duration() <= Duration::from_secs(31_536_000), "{odd}");
        }
        assert_eq!(Seconds(1.5).duration(), Duration::from_millis(1500));
    }
}
