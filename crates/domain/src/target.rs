//! What is one line of the list?

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use xxhash_rust::xxh3::{xxh3_64, xxh3_128};

/// One line of the list that is to be visited: accepted, normalised and not a duplicate.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Target {
    /// Where it stands in the round's queue, dense from 0. Completion is counted in places.
    pub place: u64,
    /// The physical line of the list on which it starts, from 1. People are told lines.
    pub line: u64,
    /// The key of the site or account that it belongs to (`website_id`); empty where the list has none.
    pub key: String,
    /// The normalised URL.
    pub url: String,
}

/// The identity of a normalised URL within a round: 128 bits, so that two URLs of a billion do not meet by chance.
#[must_use]
pub fn url_hash(url: &str) -> u128 {
    xxh3_128(url.as_bytes())
}

/// The first 16 hex digits of a normalised URL's SHA-256, as file names and tables carry it: any tool can make it again.
#[must_use]
pub fn url_hash_hex(url: &str) -> String {
    Sha256::digest(url.as_bytes()).iter().take(8).map(|byte| format!("{byte:02x}")).collect()
}

/// The identity of a host name.
#[must_use]
pub fn host_hash(host: &str) -> u64 {
    xxh3_64(host.as_bytes())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_hash_of_a_url_is_what_sha256sum_prints() {
        assert_eq!(url_hash_hex("https://example.com/"), "0f115db062b7c0dd");
        assert_eq!(url_hash_hex("https://example.com/").len(), 16);
        assert_ne!(url_hash_hex("https://example.com/"), url_hash_hex("https://example.com/a"));
    }
}
