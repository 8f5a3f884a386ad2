//! What is frozen of the rules, and in which bytes?
//!
//! JSON in a zstd frame: what a rule set of a year ago said must still be readable by a program that knows more fields,
//! and by a person with `zstd -dc`.

use std::{fmt::Write, io::Read};

use anyhow::{Context, Result, ensure};
use readers::technologies::{Fingerprint, Signal};
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

/// The most that the rules may take: fifty times a very large set.
const MAX_BYTES: u64 = 256 << 20;

/// All that decides what is seen on a page, and nothing that does not: a vendor's new name must not make a month be
/// read again, so names for people are left in the catalog.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Definition {
    /// The signals with their numbers in the catalog, without vendor, family and website.
    pub signals: Vec<(i64, Signal)>,
    /// The fingerprints with their numbers in the catalog and their versions.
    pub fingerprints: Vec<(i64, i64, Fingerprint)>,
    /// For each signal that another brings along, the number of the fingerprint that stands for that.
    pub implied: Vec<(i64, i64)>,
}

/// A definition as the catalog keeps it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Encoded {
    /// The SHA-256 of the bytes before they were compressed, in hexadecimal.
    pub digest: String,
    /// The bytes.
    pub bytes: Vec<u8>,
}

impl Definition {
    /// The same definition always gives the same digest.
    pub fn encode(&self) -> Result<Encoded> {
        let plain = serde_json::to_vec(self).context("cannot write the rules as JSON")?;
        ensure!(plain.len() as u64 <= MAX_BYTES, "the rules take {} bytes, which is too much", plain.len());
        let digest = Sha256::digest(&plain).iter().fold(String::with_capacity(64), |mut text, byte| {
            // writing to a string cannot fail
            let _ = write!(text, "{byte:02x}");
            text
        });
        let bytes = zstd::bulk::compress(&plain, 3).context("cannot compress the rules")?;
        Ok(Encoded { digest, bytes })
    }

    /// Reads what [`Definition::encode`] wrote.
    pub fn decode(bytes: &[u8]) -> Result<Definition> {
        let mut plain = Vec::new();
        zstd::Decoder::with_buffer(bytes)
            .and_then(|decoder| decoder.take(MAX_BYTES + 1).read_to_end(&mut plain))
            .context("the rules are not in zstd")?;
        ensure!(plain.len() as u64 <= MAX_BYTES, "the rules take more than {MAX_BYTES} bytes");
        serde_json::from_slice(&plain).context("the rules are not those of a rule set")
    }
}

#[cfg(test)]
mod tests {
    use readers::technologies::{Extract, ExtractKind, Implied, Part, Pattern};

    use super::*;

    fn definition() -> Definition {
        let signal = Signal {
            name: "Shop".into(),
            vendor: String::new(),
            family: String::new(),
            category: "ecommerce".into(),
            website: String::new(),
            implies: vec![Implied { signal: "PHP".into(), confidence: 80 }],
            requires: vec!["WordPress".into()],
            requires_category: vec!["cms".into()],
            excludes: vec!["Other".into()],
        };
        let fingerprint = Fingerprint {
            id: "shop-dom".into(),
            signal: "Shop".into(),
            part: Part::Dom { selector: "div.shop".into(), attribute: Some("data-v".into()) },
            pattern: Pattern::Regex(r"(\d+)".into()),
            extracts: vec![Extract { kind: ExtractKind::Version, regex: None, template: r"\1".into() }],
            confidence: 60,
        };
        Definition {
            signals: vec![(7, signal)],
            fingerprints: vec![(3, 2, fingerprint)],
            implied: vec![(7, 9)],
        }
    }

    #[test]
    fn a_definition_survives_its_bytes_and_keeps_its_digest() {
        let encoded = definition().encode().unwrap();
        assert_eq!(Definition::decode(&encoded.bytes).unwrap(), definition());
        assert_eq!(encoded, definition().encode().unwrap());
        let mut other = definition();
        other.fingerprints[0].1 += 1;
        assert_ne!(encoded.digest, other.encode().unwrap().digest);
    }

    #[test]
    fn the_digest_is_that_of_the_json_which_any_tool_can_unpack() {
        let encoded = Definition::default().encode().unwrap();
        let plain = zstd::decode_all(encoded.bytes.as_slice()).unwrap();
        assert_eq!(plain, br#"{"signals":[],"fingerprints":[],"implied":[]}"#);
        // printf '%s' '{"signals":[],"fingerprints":[],"implied":[]}' | sha256sum
        assert_eq!(encoded.digest, "ff12d510824431fb3e78b1da58a16d41ccdd24848903b14bdae9e21d269b9ed3");
    }

    #[test]
    fn damaged_bytes_are_an_error_and_no_panic() {
        let encoded = definition().encode().unwrap().bytes;
        for end in 0..encoded.len() {
            assert!(Definition::decode(&encoded[..end]).is_err(), "cut at {end}");
        }
        assert!(Definition::decode(&zstd::bulk::compress(b"[]", 3).unwrap()).is_err());
    }
}
