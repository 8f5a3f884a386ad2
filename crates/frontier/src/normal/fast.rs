//! Is this URL normal as it stands?
//!
//! Most lines of most lists are. For them one pass over the bytes saves the parser: where this answers at all, it
//! answers what [`super::rebuild`] would, and a property test holds the two together.

use super::{
    NormalRules, NormalUrl, TrailingSlash,
    query::PLAIN_IN_QUERY,
    rebuild::{MAX_LABEL, MAX_NAME, PLAIN_IN_PATH, is_in_name},
};

/// The normal form, if only an empty path, a fragment or trailing slashes keep `text` from it; `None` if unsure.
pub(super) fn already_normal(rules: &NormalRules, text: &str) -> Option<NormalUrl> {
    if text.len() >= rules.max_length {
        return None;
    }
    let bytes = text.as_bytes();
    let host_start = if bytes.starts_with(b"https://") {
        8
    } else if bytes.starts_with(b"http://") && !rules.upgrade_to_https {
        7
    } else {
        return None;
    };
    let host_end = host_start + plain_name_length(&bytes[host_start..])?;
    if host_end == bytes.len() {
        return Some(NormalUrl { text: format!("{text}/"), host_start, host_end });
    }
    if bytes[host_end] != b'/' {
        return None;
    }

    let path_length = plain_path_length(&bytes[host_end..])?;
    let path_end = host_end + path_length;
    let path_kept = match rules.trailing_slash {
        TrailingSlash::Keep => path_end,
        TrailingSlash::Strip => text[..path_end].trim_end_matches('/').len().max(host_end + 1),
    };
    let query =
        if bytes.get(path_end) == Some(&b'?') { plain_query(rules, &text[path_end + 1..])? } else { "" };

    let mut normal = String::with_capacity(path_kept + 1 + query.len());
    normal.push_str(&text[..path_kept]);
    if !query.is_empty() {
        normal.push('?');
        normal.push_str(query);
    }
    Some(NormalUrl { text: normal, host_start, host_end })
}

/// The length of the name at the beginning, if it is one that neither IDNA nor the address rules could change.
fn plain_name_length(bytes: &[u8]) -> Option<usize> {
    let length = bytes.iter().position(|&octet| !is_in_name(octet) && octet != b'.').unwrap_or(bytes.len());
    let name = &bytes[..length];
    if length > MAX_NAME {
        return None;
    }
    let mut last: &[u8] = b"";
    for label in name.split(|&octet| octet == b'.') {
        if label.is_empty() || label.len() > MAX_LABEL || label.starts_with(b"xn--") {
            return None;
        }
        last = label;
    }
    // a last label of digits or hex digits makes the whole host an IPv4 address
    last.first()?.is_ascii_lowercase().then_some(length)
}

/// The length of the path at the beginning, if nothing in it needs decoding, encoding or resolving.
fn plain_path_length(bytes: &[u8]) -> Option<usize> {
    let mut before = b'/';
    for (at, &octet) in bytes.iter().enumerate() {
        if matches!(octet, b'?' | b'#') {
            return Some(at);
        }
        if !PLAIN_IN_PATH.has(octet) || (octet == b'.' && before == b'/') {
            return None;
        }
        before = octet;
    }
    Some(bytes.len())
}

/// The query up to the fragment, if nothing in it needs decoding, encoding or removing.
fn plain_query<'a>(rules: &NormalRules, after_mark: &'a str) -> Option<&'a str> {
    let query = after_mark.split('#').next().unwrap_or(after_mark);
    if !query.bytes().all(|octet| PLAIN_IN_QUERY.has(octet)) || query.bytes().all(|octet| octet == b'&') {
        return None;
    }
    let tracked = query.split('&').any(|piece| {
        let name = piece.split('=').next().unwrap_or(piece);
        rules.is_tracking(name.as_bytes())
    });
    (!tracked).then_some(query)
}
