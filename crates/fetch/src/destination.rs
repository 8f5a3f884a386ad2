//! Which server does a URL mean, and what is asked of it?

use std::sync::Arc;

use domain::{Failure, FailureKind};
use http::{HeaderValue, Uri, uri::PathAndQuery};
use url::{Host, Url};

/// What a connection can be reused for: one scheme, host and port.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) struct Origin {
    pub(crate) https: bool,
    pub(crate) host: Host,
    pub(crate) port: u16,
}

/// A URL taken apart for a request.
#[derive(Debug)]
pub(crate) struct Destination {
    pub(crate) origin: Arc<Origin>,
    /// Host and, where it is not the scheme's own, port: the `Host` header and HTTP/2's `:authority`.
    pub(crate) authority: HeaderValue,
    pub(crate) path: PathAndQuery,
}

impl Destination {
    /// Takes a URL apart; credentials in it are never sent.
    pub(crate) fn of(url: &str) -> Result<Destination, Failure> {
        let bad = |detail: &str| Failure::new(FailureKind::BadRedirect, detail);
        let url = Url::parse(url).map_err(|_| bad("not a URL"))?;
        let https = match url.scheme() {
            "https" => true,
            "http" => false,
            _ => return Err(bad("neither http nor https")),
        };
        let host = url.host().ok_or_else(|| bad("no host"))?.to_owned();
        let port = url.port_or_known_default().filter(|port| *port != 0).ok_or_else(|| bad("no port"))?;
        let authority = match url.port() {
            Some(port) => format!("{host}:{port}"),
            None => host.to_string(),
        };
        let authority = HeaderValue::try_from(authority).map_err(|_| bad("the host is not a name"))?;
        let path = &url[url::Position::BeforePath..url::Position::AfterQuery];
        // All that the `url` crate leaves unescaped is valid here, so only the length can be wrong.
        let path = PathAndQuery::try_from(path).map_err(|_| bad("the path is too long"))?;
        Ok(Destination { origin: Arc::new(Origin { https, host, port }), authority, path })
    }

    /// The request target of HTTP/1.
    pub(crate) fn origin_form(&self) -> Uri {
        Uri::from(self.path.clone())
    }

    /// The request target from which HTTP/2 takes its pseudo headers; only made for https.
    pub(crate) fn absolute_form(&self) -> Result<Uri, http::Error> {
        Uri::builder()
            .scheme("https")
            .authority(self.authority.as_bytes())
            .path_and_query(self.path.clone())
            .build()
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

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
            let destination = Destination::of(url).unwrap();
            assert_eq!(destination.authority, authority, "{url}");
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
            let failure = Destination::of(url).unwrap_err();
            assert_eq!(failure.kind, FailureKind::BadRedirect, "{url}");
            assert!(!failure.to_string().contains("secret"), "{failure}");
        }
    }

    proptest! {
        #[test]
        fn whatever_parses_as_a_url_can_be_asked_for(path in "\\PC{0,60}", query in "\\PC{0,60}") {
            let url = format!("https://a.test/{path}?{query}");
            let destination = Destination::of(&url);
            prop_assert!(destination.is_ok(), "{:?}", destination);
            prop_assert!(destination.unwrap().absolute_form().is_ok());
        }
    }
}
