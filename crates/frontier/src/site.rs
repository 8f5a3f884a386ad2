//! Which site does a URL belong to, and under which key is it known?

use std::net::Ipv4Addr;

use serde::Serialize;

use crate::normal::NormalUrl;

/// The part of a host that somebody registered (`shop.example.co.uk` → `example.co.uk`), by the Public Suffix List.
///
/// `None` for an address and for a name that is itself a public suffix. The host is as [`NormalUrl::host`] gives it.
#[must_use]
pub fn registrable_domain(host: &str) -> Option<&str> {
    if host.starts_with('[') || host.parse::<Ipv4Addr>().is_ok() {
        return None;
    }
    psl::domain_str(host)
}

/// What identifies a URL, for files, tables and people.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct UrlKey {
    /// The normalised URL.
    pub url: String,
    /// Its host.
    pub host: String,
    /// The registrable domain of the host, where it has one.
    pub registrable_domain: Option<String>,
    /// The first 16 hex digits of the URL's SHA-256.
    pub hash: String,
}

impl From<&NormalUrl> for UrlKey {
    fn from(url: &NormalUrl) -> UrlKey {
        UrlKey {
            url: url.as_str().to_owned(),
            host: url.host().to_owned(),
            registrable_domain: registrable_domain(url.host()).map(str::to_owned),
            hash: domain::url_hash_hex(url.as_str()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::normal::NormalRules;

    #[test]
    fn the_registrable_domain_is_one_label_more_than_the_public_suffix() {
        for (host, expected) in [
            ("example.com", Some("example.com")),
            ("www.example.com", Some("example.com")),
            ("a.b.c.example.co.uk", Some("example.co.uk")),
            ("co.uk", None),
            ("com", None),
            ("localhost", None),
            ("someone.github.io", Some("someone.github.io")),
            ("www.city.kobe.jp", Some("city.kobe.jp")),
            ("xn--bcher-kva.example", Some("xn--bcher-kva.example")),
            ("127.0.0.1", None),
            ("[2001:db8::1]", None),
        ] {
            assert_eq!(registrable_domain(host), expected, "{host}");
        }
    }

    #[test]
    fn a_key_holds_the_normal_url_and_the_hash_that_sha256sum_makes() {
        let url = NormalRules::default().normalise("HTTPS://Example.com:443/?utm_source=x").unwrap();
        let key = UrlKey::from(&url);
        assert_eq!(key.url, "https://example.com/");
        assert_eq!(key.host, "example.com");
        assert_eq!(key.registrable_domain.as_deref(), Some("example.com"));
        assert_eq!(key.hash, "0f115db062b7c0dd");
    }
}
