//! What should have become of every line of the list?

use std::io::{self, Write};

use serde::{Deserialize, Serialize};

use crate::{Behaviour, Plan, World, content::PageTruth, world::WORLD_VERSION};

/// The truth about one line of the list.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct TruthLine {
    /// The physical line of the list, from 1; the header is line 1.
    pub line: u64,
    /// The line's key (`website_id`).
    pub key: String,
    /// The URL in normal form, or as it is written where the line is to be rejected.
    pub url: String,
    /// The URL as the list writes it, where that differs from the normal form.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub written: Option<String>,
    /// The name of the site; empty for a bad line.
    pub site: String,
    /// How the site behaves; none for a bad line.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub behaviour: Option<Behaviour>,
    /// `captured`, `excluded`, `failed`, `rejected` or `duplicate`.
    pub disposition: String,
    /// The finer name, as `domain::Disposition::detail_name` has it; for a bad line, the reason.
    pub detail: String,
    /// The HTTP status that was received last, for a capture or a failure that received one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub status: Option<u16>,
    /// Where the redirects end, where there are any.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub final_url: Option<String>,
    /// The charset that should be found, by its WHATWG name.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub charset: Option<String>,
    /// Whether the body is to be cut at the cap.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub truncated: bool,
    /// Whether the page shows its text only in a browser.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub needs_browser: bool,
    /// The line that this one repeats.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub duplicate_of: Option<u64>,
    /// What the captured page says.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub page: Option<PageTruth>,
    /// Which products the captured page shows, in a world of accounts.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub products: Option<ProductTruth>,
}

/// Which products a page shows, by the names of the shipped fingerprint packs, sorted.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ProductTruth {
    /// Those with a trace of their own.
    pub shown: Vec<String>,
    /// Those that only follow from others.
    pub implied: Vec<String>,
}

/// The first line of a truth file: how it was made, and what a client must be set to for it to hold.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct TruthHeader {
    /// The program that wrote it.
    pub made_by: String,
    /// [`WORLD_VERSION`].
    pub world_version: u32,
    /// The plan that makes the same world again.
    pub plan: Plan,
    /// What is assumed of the client.
    pub assumes: Vec<String>,
}

/// What is assumed of a client, in words; the crate's documentation explains each.
pub const ASSUMPTIONS: &[&str] = &[
    "of the addresses that are not globally routable, only 127.0.0.0/8 is allowed",
    "a decoded body is cut at 5 MiB",
    "no response head for 2 s or more is a response timeout",
    "no body byte for 2 s or more, or no end of the body within 6 s, is a body timeout",
    "a redirect chain has at most 10 hops",
    "the robots agent is canvass, and robots.txt is asked for before the pages of each host and scheme",
    "429 and 503 are retried at least once, other 5xx at least once, robots.txt that fails at least once",
    "an origin that cannot be reached (name, connection, TLS) fails by that cause, not by its missing robots.txt",
];

impl World {
    /// Writes the truth file: a [`TruthHeader`], then a [`TruthLine`] for each line of the list that is not blank.
    ///
    /// # Errors
    /// Whatever `to` says.
    pub fn write_truth(&self, to: &mut impl Write) -> io::Result<()> {
        let header = TruthHeader {
            made_by: concat!("canvass sandbox ", env!("CARGO_PKG_VERSION")).to_owned(),
            world_version: WORLD_VERSION,
            plan: self.plan().clone(),
            assumes: ASSUMPTIONS.iter().map(|text| (*text).to_owned()).collect(),
        };
        serde_json::to_writer(&mut *to, &header)?;
        to.write_all(b"\n")?;
        for line in self.truth_lines() {
            serde_json::to_writer(&mut *to, &line)?;
            to.write_all(b"\n")?;
        }
        Ok(())
    }
}
