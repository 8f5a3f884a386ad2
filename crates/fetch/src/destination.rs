//! Which server does a URL mean, and what is asked of it?

use std::{borrow::Cow, sync::Arc};

use domain::{Failure, FailureKind};
use http::{HeaderValue, Uri, uri::PathAndQuery};
use url::{Host, Position, Url};

/// What a connection can be reused for: one scheme, host and port.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Origin {
    /// `https://example.com:8443`; the port stands there only where it is not the scheme's own.
    pub(crate) name: Box<str>,
    pub(crate) https: bool,
    pub(crate) host: Host,
    pub(crate) port: u16,
    /// The name behind its `//`: the `Host` header and HTTP/2's `:authority`.
    pub(crate) authority: HeaderValue,
}

impl Origin {
    /// The origin of a name that a URL was split into.
    pub(crate) fn named(name: &str) -> Result<Origin, Failure> {
        let url = Url::parse(name).map_err(|_| bad("not a URL"))?;
        let host = url.host().ok_or_else(|| bad("no host"))?.to_owned();
        let port = url.port_or_known_default().filter(|port| *port != 0).ok_or_else(|| bad("no port"))?;
        let authority = &url[Position::BeforeHost..Position::AfterPort];
        let authority = HeaderValue::try_from(authority).map_err(|_| bad("the host is not a name"))?;
        Ok(Origin { name: name.into(), https: url.scheme() == "https", host, port, authority })
    }
}

/// A URL where its origin's name and what is asked there are told apart; credentials in it are never sent.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Split<'u> {
    pub(crate) origin: Cow<'u, str>,
    pub(crate) path: PathAndQuery,
}

impl Split<'_> {
    pub(crate) fn of(url: &str) -> Result<Split<'_>, Failure> {
        let (origin, path) = match split_plain(url) {
            Some((origin, path)) => (Cow::Borrowed(origin), Cow::Borrowed(path)),
            None => split_any(url)?,
        };
        // All that the `url` crate leaves unescaped is valid here, so only the length can be wrong.
        let path = PathAndQuery::try_from(&*path).map_err(|_| bad("the path is too long"))?;
        Ok(Split { origin, path })
    }
}

/// Splits a URL that is written as nearly all of a list are: parsing it would give it back as it is.
fn split_plain(url: &str) -> Option<(&str, &str)> {
    let (rest, own_port) = match url.strip_prefix("https://") {
        Some(rest) => (rest, "443"),
        None => (url.strip_prefix("http://")?, "80"),
    };
    let (authority, path) = rest.split_at(rest.find('/')?);
    let (host, port) = authority.split_once(':').unwrap_or((authority, "8080"));
    let is_label = |label: &str| {
        let plain = |byte: u8| matches!(byte, b'a'..=b'z' | b'0'..=b'9' | b'-');
        !label.is_empty() && label.bytes().all(plain) && !label.starts_with("xn--")
    };
    // a last label that starts with a letter cannot be part of an IPv4 address
    let is_name = host.split('.').all(is_label)
        && host.rsplit('.').next()?.starts_with(|c: char| c.is_ascii_lowercase());
    let is_port =
        port != own_port && !port.starts_with('0') && port.bytes().all(|byte| byte.is_ascii_digit());
    let is_unchanged = |byte: u8| matches!(byte, b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'/' | b'?' | b'=' | b'&' | b'-' | b'_' | b'.' | b'~' | b'+' | b',' | b':' | b';' | b'@');
    let plain = is_name && is_port && port.parse::<u16>().is_ok() && path.bytes().all(is_unchanged);
    // dots may be segments that lead up
    (plain && !path.contains("/.")).then(|| (&url[..url.len() - path.len()], path))
}

/// Splits any URL, as a browser would.
fn split_any(url: &str) -> Result<(Cow<'static, str>, Cow<'static, str>), Failure> {
    let url = Url::parse(url).map_err(|_| bad("not a URL"))?;
    if !matches!(url.scheme(), "https" | "http") {
        return Err(bad("neither http nor https"));
    }
    let origin = format!("{}://{}", url.scheme(), &url[Position::BeforeHost..Position::AfterPort]);
    Ok((origin.into(), url[Position::BeforePath..Position::AfterQuery].to_owned().into()))
}

fn bad(detail: &str) -> Failure {
    Failure::new(FailureKind::BadRedirect, detail)
}

/// Where a request goes and what is asked there.
#[derive(Debug)]
pub(crate) struct Destination {
    pub(crate) origin: Arc<Origin>,
    pub(crate) path: PathAndQuery,
}

impl Destination {
    /// The request target of HTTP/1.
    pub(crate) fn origin_form(&self) -> Uri {
        Uri::from(self.path.clone())
    }

    /// The request target from which HTTP/2 takes its pseudo headers; only made for https.
    pub(crate) fn absolute_form(&self) -> Result<Uri, http::Error> {
        Uri::builder()
            .scheme("https")
            .authority(self.origin.authority.as_bytes())
            .path_and_query(self.path.clone())
            .build()
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn destination(url: &str) -> Result<Destination, Failure> {
        let Split { origin, path } = Split::of(url)?;
        Ok(Destination { origin: Arc::new(Origin::named(&origin)?), path })
    }

    #[test]
    fn a_url_is_taken_apart_as_a_browser_would() {
        for (url, authority, path, port) in [
            ("http://a.test", "a.test", "/", 80),
            ("https://A.test:443/x?y#z", "a.test", "/x?y", 443),
            ("https://a.test:8443/", "a.test:8443", "/", 8443),
            ("http://user:secret@a.test/", "a.test", "/", 80),
            ("http://[::1]:81/", "[::1]:81", "/", 81),
            ("http://2130706433/", "127.0.0.1", "/", 80),
            ("http://a.test/{x}?a=`b`&c=d^e|f\\g", "a.test", "/%7Bx%7D?a=`b`&c=d^e|f\\g", 80),
            ("http://münchen.test/ä", "xn--mnchen-3ya.test", "/%C3%A4", 80),
        ] {
            let destination = destination(url).unwrap();
            assert_eq!(destination.origin.authority, authority, "{url}");
            assert_eq!(destination.path.as_str(), path, "{url}");
            assert_eq!(destination.origin.port, port, "{url}");
        }
    }

    #[test]
    fn what_cannot_be_asked_is_refused_without_repeating_it() {
        let long = format!("http://secret.test/{}", "x".repeat(70_000));
        for url in
            ["", "secret", "ftp://secret.test/", "http://", "http://secret.test:0/", "data:secret", &long]
        {
            let failure = destination(url).unwrap_err();
            assert_eq!(failure.kind, FailureKind::BadRedirect, "{url}");
            assert!(!failure.to_string().contains("secret"), "{failure}");
        }
    }

    proptest! {
        #[test]
        fn whatever_parses_as_a_url_can_be_asked_for(path in "\\PC{0,60}", query in "\\PC{0,60}") {
            let url = format!("https://a.test/{path}?{query}");
            let destination = destination(&url);
            prop_assert!(destination.is_ok(), "{:?}", destination);
            prop_assert!(destination.unwrap().absolute_form().is_ok());
        }

        #[test]
        fn a_plain_url_is_split_as_any_other(
            url in "https?://([a-z0-9-]{1,4}[.]){0,2}(x?[a-z0-9]{1,3}|xn--[a-z]{2})(:[0-9]{1,5})?(/[.%a-zA-Z0-9~+@;:'-]{0,3}){0,3}([?#]{1,2}[=&/.']{0,3})?"
        ) {
            if let Some((origin, path)) = split_plain(&url) {
                prop_assert_eq!(split_any(&url), Ok((origin.to_owned().into(), path.to_owned().into())));
            }
        }
    }

    #[test]
    fn the_urls_of_a_list_are_plain() {
        for url in ["http://site-7.example.org:8080/p/1?x=y&z", "https://example.com/a/b.html"] {
            assert!(split_plain(url).is_some(), "{url}");
        }
    }
}
