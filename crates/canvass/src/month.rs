//! Which month is meant?

use std::{fmt, str::FromStr};

/// A month as people and keys write it: `2026-11`.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Month(String);

impl Month {
    /// The month as text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl FromStr for Month {
    type Err = String;

    fn from_str(text: &str) -> Result<Month, String> {
        let plain = matches!(text.as_bytes(), [a, b, c, d, b'-', e, f]
            if [a, b, c, d, e, f].iter().all(|byte| byte.is_ascii_digit()));
        let number = text.get(5..).and_then(|month| month.parse().ok()).unwrap_or(0);
        if plain && (1..=12).contains(&number) {
            return Ok(Month(text.to_owned()));
        }
        Err(format!("`{text}` is not a month: write it as 2026-11"))
    }
}

impl fmt::Display for Month {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_month_is_a_month() {
        assert_eq!("2026-11".parse::<Month>().unwrap().as_str(), "2026-11");
        for bad in ["", "2026", "2026-1", "2026-13", "2026-00", "11-2026", "2026-11-01", "２026-11"] {
            assert!(bad.parse::<Month>().is_err(), "{bad}");
        }
    }
}
