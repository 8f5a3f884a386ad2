//! When are an octet of a pattern and an octet of a path the same? (RFC 9309 §2.2.2)
//!
//! Both sides are brought into one spelling: unreserved characters are decoded, everything else is encoded in upper
//! case, so `é` meets `%c3%a9`, `%7E` meets `~` and `:` meets `%3A`. What gives a URL its structure (`/ ? & = +`) stays
//! different from its encoding, with one exception that the RFC's table demands: within a query, `%2F` is a slash.

use std::borrow::Cow;

use crate::normal::percent::{Plain, append_normal};

const PLAIN_IN_PATH: Plain = Plain::unreserved_and(b"/?&=+");

/// In a pattern, `*` is a wildcard; `$` is one only at the end, and is looked at there.
const PLAIN_IN_PATTERN: Plain = Plain::unreserved_and(b"/?&=+*");

/// A path with its query, in the spelling in which patterns are compared with it.
pub(super) struct NormalPath<'a> {
    as_written: Cow<'a, str>,
    with_query_slashes: Option<String>,
}

impl<'a> NormalPath<'a> {
    pub(super) fn new(path: &'a str) -> NormalPath<'a> {
        let rooted = path.starts_with('/');
        let as_written = if rooted && path.bytes().all(|octet| PLAIN_IN_PATH.has(octet)) {
            Cow::Borrowed(path)
        } else {
            let mut normal = String::with_capacity(path.len() + 16);
            if !rooted {
                normal.push('/');
            }
            append_normal(&mut normal, path.as_bytes(), &PLAIN_IN_PATH);
            Cow::Owned(normal)
        };
        let with_query_slashes = with_query_slashes(&as_written);
        NormalPath { as_written, with_query_slashes }
    }

    pub(super) fn as_written(&self) -> &[u8] {
        self.as_written.as_bytes()
    }

    /// The same with every `%2F` of the query decoded, for patterns that name a query.
    pub(super) fn with_query_slashes(&self) -> &[u8] {
        self.with_query_slashes.as_ref().map_or(self.as_written(), String::as_bytes)
    }
}

/// Appends a pattern in its normal spelling; whether it names a query decides what `%2F` means after the `?`.
pub(super) fn append_pattern(out: &mut String, pattern: &[u8]) {
    let (body, anchored) = match pattern.strip_suffix(b"$") {
        Some(body) => (body, true),
        None => (pattern, false),
    };
    let begin = out.len();
    append_normal(out, body, &PLAIN_IN_PATTERN);
    if let Some(decoded) = with_query_slashes(&out[begin..]) {
        out.truncate(begin);
        out.push_str(&decoded);
    }
    if anchored {
        out.push('$');
    }
}

/// The text with `%2F` decoded behind its first `?`, if there is one to decode.
fn with_query_slashes(normal: &str) -> Option<String> {
    let query_start = normal.find('?')?;
    let (path, query) = normal.split_at(query_start);
    query.contains("%2F").then(|| format!("{path}{}", query.replace("%2F", "/")))
}
