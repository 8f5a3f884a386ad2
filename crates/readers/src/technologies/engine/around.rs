//! What stands around a place in a document?

use std::ops::Range;

use super::{
    super::parts::{Parts, Span},
    build::{WINDOW_BEFORE, WINDOW_BEHIND},
    reading::MAX_SNIPPET_BYTES,
};

pub(super) fn split_cookie(header: &[u8]) -> Option<(String, &[u8])> {
    let at = memchr::memchr(b'=', header)?;
    let name = std::str::from_utf8(&header[..at]).ok()?.trim().to_ascii_lowercase();
    let value = header[at + 1..].split(|byte| *byte == b';').next().unwrap_or_default();
    Some((name, value))
}

/// The one of these spans, which are in order, that holds a place.
pub(super) fn span_around(spans: &[Span], at: usize) -> Option<Span> {
    let span = spans.get(spans.partition_point(|span| span.end <= at))?;
    span.contains(&at).then(|| span.clone())
}

/// The quoted address in a script that holds a place. Adds to `cost` how many bytes it looked at.
pub(super) fn quoted_around(html: &[u8], script: &Span, at: usize, cost: &mut usize) -> Option<Span> {
    let is_quote = |byte: &u8| matches!(byte, b'"' | b'\'' | b'`');
    let ends = |byte: &u8| is_quote(byte) || byte.is_ascii_whitespace();
    let from = at.saturating_sub(1_024).max(script.start);
    let found = html[from..at].iter().rposition(ends);
    let start = from + found.map_or(0, |found| found + 1);
    *cost += at - start;
    found?;
    let to = (at + 1_024).min(script.end);
    let found = html[at..to].iter().position(ends);
    let end = found.map_or(to, |found| at + found);
    *cost += end - at;
    found?;
    let (before, behind) = (html.get(start - 1)?, html.get(end)?);
    (is_quote(before) && before == behind && html[start..end].contains(&b'/')).then_some(start..end)
}

/// The text between two tags that holds a place, if a reader sees it.
pub(super) fn text_around(html: &[u8], parts: &Parts, at: usize) -> Option<Span> {
    let hidden = [&parts.inline, &parts.styles, &parts.comments];
    if hidden.iter().any(|spans| span_around(spans, at).is_some()) {
        return None;
    }
    let from = at.saturating_sub(WINDOW_BEFORE);
    let start = match memchr::memrchr2(b'<', b'>', &html[from..at]) {
        Some(mark) if html[from + mark] == b'<' => return None,
        Some(mark) => from + mark + 1,
        None => from,
    };
    let to = (at + WINDOW_BEHIND).min(html.len());
    let end = memchr::memchr(b'<', &html[at..to]).map_or(to, |mark| at + mark);
    Some(start..end)
}

pub(super) fn snippet(text: &[u8], found: &Range<usize>) -> String {
    let from = found.start.min(text.len());
    let to = found.end.min(from + MAX_SNIPPET_BYTES).min(text.len());
    String::from_utf8_lossy(&text[from..to]).into_owned()
}
