//! Which round is this?

use std::{fmt, str::FromStr};

use serde::{Deserialize, Serialize};

/// A round's name (`2026-11-10-monthly`): the root of every directory that the round writes.
///
/// It is a plain file name by construction: letters, digits, `-`, `_` and `.`, not starting with a dot, at most 64 long.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct RoundId(String);

/// Why a text is not a round id.
#[derive(Debug, thiserror::Error)]
#[error("`{0}` is not a round id: use 1 to 64 letters, digits, `-`, `_` or `.`, not starting with `.`")]
pub struct BadRoundId(String);

impl RoundId {
    /// The id as text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl FromStr for RoundId {
    type Err = BadRoundId;

    fn from_str(text: &str) -> Result<Self, BadRoundId> {
        let plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.');
        if (1..=64).contains(&text.len()) && !text.starts_with('.') && text.chars().all(plain) {
            return Ok(RoundId(text.to_owned()));
        }
        Err(BadRoundId(text.to_owned()))
    }
}

impl TryFrom<String> for RoundId {
    type Error = BadRoundId;

    fn try_from(text: String) -> Result<Self, BadRoundId> {
        text.parse()
    }
}

impl From<RoundId> for String {
    fn from(id: RoundId) -> String {
        id.0
    }
}

impl fmt::Display for RoundId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_round_id_can_never_leave_its_folder() {
        for bad in ["", ".", "..", "../x", "a/b", "a\\b", ".hidden", "a b", "é", &"x".repeat(65)] {
            assert!(bad.parse::<RoundId>().is_err(), "{bad:?} was accepted");
        }
        assert_eq!("2026-11-10-monthly".parse::<RoundId>().unwrap().as_str(), "2026-11-10-monthly");
    }
}
