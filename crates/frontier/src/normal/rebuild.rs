//! How is any URL brought into its normal form?

use std::fmt::Write;

use url::{Host, ParseError, Url};

use super::{
    NormalRules, NormalUrl, NotAUrl, TrailingSlash,
    percent::{Plain, append_normal},
    query::append_query,
};

/// What stands for itself in a path: RFC 3986's `pchar` and the slash.
pub(super) const PLAIN_IN_PATH: Plain = Plain::unreserved_and(b"!$&'()*+,;=:@/");

/// The longest name that DNS carries, and the longest label.
pub(super) const MAX_NAME: usize = 253;
pub(super) const MAX_LABEL: usize = 63;

/// The normal form of a text that has a scheme: parsed as a browser would, then written by our rules.
pub(super) fn rebuild(rules: &NormalRules, text: &str) -> Result<NormalUrl, NotAUrl> {
    let parsed = Url::parse(text).map_err(|error| refusal(error, rules))?;
    if !parsed.username().is_empty() || parsed.password().is_some() {
        return Err(NotAUrl::HasCredentials);
    }
    if parsed.port() == Some(0) {
        return Err(NotAUrl::BadPort);
    }
    let (scheme, port) = scheme_and_port(rules, &parsed)?;

    let mut out = String::with_capacity(text.len() + 8);
    out.push_str(scheme);
    out.push_str("://");
    let host_start = out.len();
    out.push_str(host(&parsed)?);
    let host_end = out.len();
    if let Some(port) = port {
        write!(out, ":{port}").expect("writing to a String cannot fail");
    }

    let path_start = out.len();
    append_normal(&mut out, parsed.path().as_bytes(), &PLAIN_IN_PATH);
    if rules.trailing_slash == TrailingSlash::Strip {
        let kept = out.trim_end_matches('/').len().max(path_start + 1);
        out.truncate(kept);
    }
    append_query(&mut out, parsed.query().unwrap_or_default(), rules);

    if out.len() > rules.max_length {
        return Err(NotAUrl::TooLong { limit: rules.max_length });
    }
    Ok(NormalUrl { text: out, host_start, host_end })
}

/// The scheme to write and the port, if it is not the scheme's own.
fn scheme_and_port(rules: &NormalRules, parsed: &Url) -> Result<(&'static str, Option<u16>), NotAUrl> {
    match (parsed.scheme(), parsed.port()) {
        ("https", port) => Ok(("https", port)),
        ("http", None | Some(443)) if rules.upgrade_to_https => Ok(("https", None)),
        ("http", port) => Ok(("http", port)),
        _ => Err(NotAUrl::SchemeNotHttp),
    }
}

/// The host as the parser wrote it, less a final dot; stricter than the parser, which lets pass what DNS cannot carry.
fn host(parsed: &Url) -> Result<&str, NotAUrl> {
    let written = parsed.host_str().ok_or(NotAUrl::NoHost)?;
    let Some(Host::Domain(_)) = parsed.host() else { return Ok(written) };
    let name = written.strip_suffix('.').unwrap_or(written);
    let fits = name.len() <= MAX_NAME
        && name.split('.').all(|label| (1..=MAX_LABEL).contains(&label.len()))
        && name.bytes().all(|octet| is_in_name(octet) || octet == b'.');
    if fits { Ok(name) } else { Err(NotAUrl::BadHost) }
}

/// The underscore is no hostname character by RFC 1123, but hosts with one exist and resolve.
pub(super) fn is_in_name(octet: u8) -> bool {
    octet.is_ascii_lowercase() || octet.is_ascii_digit() || matches!(octet, b'-' | b'_')
}

fn refusal(error: ParseError, rules: &NormalRules) -> NotAUrl {
    match error {
        ParseError::EmptyHost => NotAUrl::NoHost,
        ParseError::InvalidPort => NotAUrl::BadPort,
        ParseError::RelativeUrlWithoutBase | ParseError::RelativeUrlWithCannotBeABaseBase => {
            NotAUrl::NoScheme
        }
        ParseError::Overflow => NotAUrl::TooLong { limit: rules.max_length },
        _ => NotAUrl::BadHost,
    }
}
