//! What shows that a signal was there?

use domain::Moment;
use serde::{Deserialize, Serialize};

/// One look at a signal: the page, what on it was seen, and when.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Sighting {
    /// The page.
    pub url: String,
    /// The key of the fingerprint that saw it.
    pub fingerprint: String,
    /// What it saw.
    pub snippet: String,
    /// When the page was captured.
    #[serde(with = "as_time")]
    pub found_at: Moment,
    /// How sure that is, of a hundred.
    pub confidence: i64,
    /// Whether it only follows from another signal.
    pub implied: bool,
}

/// The evidence of a change: the best sighting of each of the two months.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Evidence {
    /// Of the month in question.
    pub now: Option<Sighting>,
    /// Of the month that it is compared with.
    pub before: Option<Sighting>,
}

/// A sighting where it was found, before it is worth keeping.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Seen<'a> {
    /// The page.
    pub url: &'a str,
    /// The signal.
    pub signal: i64,
    /// The key of the fingerprint that saw it.
    pub fingerprint: &'a str,
    /// What it saw.
    pub snippet: &'a str,
    /// When the page was captured.
    pub found_at: Moment,
    /// How sure that is, of a hundred.
    pub confidence: i64,
    /// Whether it only follows from another signal.
    pub implied: bool,
}

impl<'a> Seen<'a> {
    /// The better evidence of the two: seen itself, then surer, then earlier, then by name, so that the order in which
    /// pages are read does not matter.
    pub(super) fn or_better(self, other: Seen<'a>) -> Seen<'a> {
        let rank = |seen: &Seen<'a>| {
            (seen.implied, -seen.confidence, seen.found_at, seen.url, seen.fingerprint, seen.snippet)
        };
        if rank(&other) < rank(&self) { other } else { self }
    }

    pub(super) fn keep(&self) -> Sighting {
        let Seen { url, signal: _, fingerprint, snippet, found_at, confidence, implied } = *self;
        Sighting {
            url: url.to_owned(),
            fingerprint: fingerprint.to_owned(),
            snippet: snippet.to_owned(),
            found_at,
            confidence,
            implied,
        }
    }
}

mod as_time {
    use domain::Moment;
    use serde::{Deserialize, Deserializer, Serializer, de::Error};

    pub fn serialize<S: Serializer>(moment: &Moment, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(moment)
    }

    pub fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Moment, D::Error> {
        let text = String::deserialize(deserializer)?;
        text.parse::<jiff::Timestamp>().map(Moment::from).map_err(D::Error::custom)
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn evidence_is_written_for_people_and_read_back_as_it_was() {
        let seen = Seen {
            url: "https://a.example/",
            signal: 7,
            fingerprint: "acme.script",
            snippet: "acme.js",
            found_at: Moment(1_762_300_800_000),
            confidence: 100,
            implied: false,
        };
        let evidence = Evidence { now: Some(seen.keep()), before: None };
        let written = serde_json::to_value(&evidence).unwrap();
        let now = json!({
            "url": "https://a.example/", "fingerprint": "acme.script", "snippet": "acme.js",
            "found_at": "2025-11-05T00:00:00.000Z", "confidence": 100, "implied": false,
        });
        assert_eq!(written, json!({ "now": now, "before": null }));
        assert_eq!(serde_json::from_value::<Evidence>(written).unwrap(), evidence);
    }

    #[test]
    fn what_was_seen_itself_is_better_evidence_than_what_follows() {
        let own = Seen {
            url: "b",
            signal: 1,
            fingerprint: "f",
            snippet: "",
            found_at: Moment(9),
            confidence: 50,
            implied: false,
        };
        let implied = Seen { url: "a", confidence: 100, implied: true, ..own };
        assert_eq!(own.or_better(implied), own);
        assert_eq!(implied.or_better(own), own);
        let surer = Seen { url: "c", confidence: 75, ..own };
        assert_eq!(own.or_better(surer), surer);
    }
}
