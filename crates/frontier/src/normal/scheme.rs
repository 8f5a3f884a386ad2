//! Is there a scheme, and if not, may `https` be meant?

use std::borrow::Cow;

use super::NotAUrl;

/// The full stops of UTS 46, any of which separates the labels of a name.
const FULL_STOPS: [char; 4] = ['.', '。', '．', '｡'];

/// The text with a scheme that can be fetched: its own, or `https` before what looks like a host.
pub(super) fn with_scheme(text: &str) -> Result<Cow<'_, str>, NotAUrl> {
    if let Some(after) = text.strip_prefix("//") {
        return Ok(Cow::Owned(format!("https://{after}")));
    }
    let head = &text[..text.find([':', '/', '?', '#', '\\']).unwrap_or(text.len())];
    if text[head.len()..].starts_with(':') && is_scheme(head) {
        let fetched = head.eq_ignore_ascii_case("http") || head.eq_ignore_ascii_case("https");
        return if fetched { Ok(Cow::Borrowed(text)) } else { Err(NotAUrl::SchemeNotHttp) };
    }
    if text.starts_with('[') || looks_like_host(head) {
        return Ok(Cow::Owned(format!("https://{text}")));
    }
    Err(NotAUrl::NoScheme)
}

/// RFC 3986 allows a dot in a scheme, but no scheme in use has one: `example.com:8080` is a host and a port.
fn is_scheme(head: &str) -> bool {
    head.starts_with(|c: char| c.is_ascii_alphabetic())
        && head.bytes().all(|octet| octet.is_ascii_alphanumeric() || matches!(octet, b'+' | b'-'))
}

fn looks_like_host(head: &str) -> bool {
    head.contains(FULL_STOPS) && !head.starts_with(FULL_STOPS)
}
