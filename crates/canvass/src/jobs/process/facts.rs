//! What does one record say? Pure: the same record and the same rules, the same facts.

use std::borrow::Cow;

use anyhow::{Context, Result};
use catalog::matches::{MatchRow, PageRow};
use domain::{Capture, Completion, Disposition, Moment};
use readers::{
    technologies::{Detection, ExtractKind, Page, Scratch, Sighting},
    text::decode_text,
};

use crate::rules::ActiveRules;

/// The detail of a page that was captured and not read to its end.
pub const PARTLY_READ: &str = "captured_partly";

/// What one record says.
#[derive(Debug, Clone, PartialEq)]
pub struct Facts {
    /// How the target ended.
    pub page: PageRow,
    /// What its page shows.
    pub matches: Vec<MatchRow>,
}

/// Reads a record: its head as JSON, its body as it was stored.
pub fn facts_of(head: &[u8], stored: &[u8], rules: &ActiveRules, scratch: &mut Scratch) -> Result<Facts> {
    let completion = completion_of(head)?;
    let page = page_of(&completion);
    let Some(capture) = &completion.capture else { return Ok(Facts { page, matches: Vec::new() }) };
    let matches = matches_of(&completion, capture, stored, rules, scratch)
        .with_context(|| format!("line {} ({})", completion.target.line, completion.target.url))?;
    let whole = !capture.truncated && scratch.read_whole();
    let page = if whole { page } else { partly_read(page) };
    Ok(Facts { page, matches })
}

/// The head of a record.
pub fn completion_of(head: &[u8]) -> Result<Completion> {
    serde_json::from_slice(head).context("a record is not a completion")
}

/// A page that was captured and not read to its end: what is not seen on it may be there all the same.
#[must_use]
pub fn partly_read(page: PageRow) -> PageRow {
    PageRow { detail: PARTLY_READ.to_owned(), ..page }
}

/// The page of a record, whatever it shows.
#[must_use]
pub fn page_of(completion: &Completion) -> PageRow {
    let Completion { target, disposition, ended_at, capture, .. } = completion;
    let status = match (disposition, capture) {
        (_, Some(capture)) => Some(capture.status),
        (Disposition::Failed(failure), None) => failure.status,
        _ => None,
    };
    PageRow {
        line: number(target.line),
        site: storable(&target.key),
        url: storable(&target.url),
        final_url: capture.as_ref().map(|capture| storable(&capture.final_url)),
        ended_at: *ended_at,
        month: month_of(*ended_at),
        disposition: disposition.name().to_owned(),
        detail: disposition.detail_name().to_owned(),
        status: status.map(i64::from),
    }
}

fn matches_of(
    completion: &Completion,
    capture: &Capture,
    stored: &[u8],
    rules: &ActiveRules,
    scratch: &mut Scratch,
) -> Result<Vec<MatchRow>> {
    let body = decoded(capture, stored)?;
    let page = Page {
        url: &capture.final_url,
        headers: &capture.headers,
        body: &body,
        robots: capture.robots.as_deref().map(str::as_bytes),
    };
    let row = |detection: &Detection, fingerprint, sighting: Option<&Sighting>| {
        let read_off = |kind| {
            let values = &sighting?.extracted;
            values.iter().find(|(found, _)| *found == kind).map(|(_, value)| storable(value))
        };
        MatchRow {
            line: number(completion.target.line),
            fingerprint,
            site: storable(&completion.target.key),
            month: month_of(completion.ended_at),
            found_at: completion.ended_at,
            confidence: i64::from(detection.confidence),
            position: sighting.map_or(0, |sighting| number(sighting.offset as u64)),
            snippet: sighting.map(|sighting| storable(&sighting.snippet)).unwrap_or_default(),
            version: read_off(ExtractKind::Version),
            account: read_off(ExtractKind::Account),
            tracker: read_off(ExtractKind::Tracker),
            implied_by: detection.implied_by.map(|signal| rules.signal_ids[signal]),
        }
    };
    let mut rows = Vec::new();
    for detection in rules.set.detect(&page, scratch) {
        for sighting in &detection.sightings {
            rows.push(row(&detection, rules.fingerprint_ids[sighting.fingerprint], Some(sighting)));
        }
        if detection.sightings.is_empty()
            && let Some(implied) = rules.implied_ids[detection.signal]
        {
            rows.push(row(&detection, implied, None));
        }
    }
    Ok(rows)
}

/// The body as the engine reads it: in an encoding in which ASCII is ASCII.
fn decoded<'a>(capture: &Capture, stored: &'a [u8]) -> Result<Cow<'a, [u8]>> {
    let encoding = fetch::ContentEncoding::by_name(&capture.body_encoding)
        .with_context(|| format!("`{}` is no encoding that this canvass knows", capture.body_encoding))?;
    let body = match encoding {
        fetch::ContentEncoding::Identity => Cow::Borrowed(stored),
        _ => Cow::Owned(fetch::decode(stored, encoding, usize::try_from(capture.decoded_bytes)?)?.bytes),
    };
    if !capture.charset.starts_with("UTF-16") {
        return Ok(body);
    }
    Ok(Cow::Owned(decode_text(&body, &capture.charset).into_owned().into_bytes()))
}

/// The month of a moment, as a key (`2026-11`).
#[must_use]
pub fn month_of(moment: Moment) -> String {
    moment.timestamp().strftime("%Y-%m").to_string()
}

/// Pages say anything; a database takes no NUL character.
fn storable(text: &str) -> String {
    text.replace('\0', "\u{fffd}")
}

fn number(number: u64) -> i64 {
    i64::try_from(number).unwrap_or(i64::MAX)
}
