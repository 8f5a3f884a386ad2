//! What is written when a target has ended?

use serde::{Deserialize, Serialize};

use crate::{Capture, Disposition, Moment, Target};

/// The head of one record of the segment log: a target, how it ended, and what was captured.
///
/// Its body bytes follow it in the same frame, so that a completion is in the log whole or not at all.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Completion {
    /// The target that ended.
    #[serde(flatten)]
    pub target: Target,
    /// How it ended.
    #[serde(flatten)]
    pub disposition: Disposition,
    /// How many requests it took, redirects and retries included.
    pub requests: u32,
    /// When it ended.
    pub ended_at: Moment,
    /// What was captured, where something was.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub capture: Option<Capture>,
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Exclusion, Failure, FailureKind};

    #[test]
    fn a_completion_survives_json_with_any_disposition() {
        let target = Target { place: 3, line: 7, key: "42".into(), url: "https://example.com/".into() };
        for disposition in [
            Disposition::Captured,
            Disposition::Excluded { reason: Exclusion::Robots },
            Disposition::Failed(Failure::new(FailureKind::BadEncoding, "x")),
        ] {
            let one = Completion {
                target: target.clone(),
                disposition,
                requests: 2,
                ended_at: Moment(5),
                capture: None,
            };
            let text = serde_json::to_string(&one).unwrap();
            assert_eq!(serde_json::from_str::<Completion>(&text).unwrap(), one, "{text}");
        }
    }
}
