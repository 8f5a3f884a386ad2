//! Which URL does a key have?

use http::Uri;
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};

use crate::store::{ErrorKind, StoreError};

/// What stays as it is in a signed path or query: the unreserved characters of RFC 3986, and nothing else.
const UNRESERVED: AsciiSet = NON_ALPHANUMERIC.remove(b'-').remove(b'.').remove(b'_').remove(b'~');

/// A server, and what stands before each path on it.
#[derive(Debug, Clone)]
pub(super) struct Address {
    /// `https://HOST[:PORT]`.
    origin: String,
    /// Empty, or `/BUCKET`.
    root: String,
}

impl Address {
    /// The address of a bucket.
    pub(super) fn of_bucket(
        bucket: &str,
        region: &str,
        endpoint_url: Option<&str>,
        path_style: Option<bool>,
    ) -> Result<Address, StoreError> {
        let in_path = path_style.unwrap_or(endpoint_url.is_some());
        let (scheme, host) = match endpoint_url {
            Some(url) => split_origin(url)?,
            None => ("https", format!("s3.{}", amazon_domain(region))),
        };
        // a certificate for *.HOST covers no name with a further dot in it
        let in_path = in_path || bucket.contains('.') && scheme == "https";
        Ok(match in_path {
            true => Address { origin: format!("{scheme}://{host}"), root: format!("/{bucket}") },
            false => Address { origin: format!("{scheme}://{bucket}.{host}"), root: String::new() },
        })
    }

    /// The address of STS.
    pub(super) fn of_sts(region: &str, endpoint_url: Option<&str>) -> Result<Address, StoreError> {
        let (scheme, host) = match endpoint_url {
            Some(url) => split_origin(url)?,
            None => ("https", format!("sts.{}", amazon_domain(region))),
        };
        Ok(Address { origin: format!("{scheme}://{host}"), root: String::new() })
    }

    /// The URL of a key, or of the bucket itself, with parameters.
    pub(super) fn uri(&self, key: &str, query: &[(&str, &str)]) -> Result<Uri, StoreError> {
        let mut uri = format!("{}{}/", self.origin, self.root);
        for (at, name) in key.split('/').enumerate() {
            if at > 0 {
                uri.push('/');
            }
            uri.extend(utf8_percent_encode(name, &UNRESERVED));
        }
        for (at, (name, value)) in query.iter().enumerate() {
            uri.push(if at == 0 { '?' } else { '&' });
            uri.push_str(name);
            uri.push('=');
            uri.extend(utf8_percent_encode(value, &UNRESERVED));
        }
        uri.parse().map_err(|_| {
            StoreError::new(ErrorKind::Configuration, format!("`{}` makes no URL with {key}", self.origin))
        })
    }
}

fn amazon_domain(region: &str) -> String {
    let suffix = if region.starts_with("cn-") { "amazonaws.com.cn" } else { "amazonaws.com" };
    format!("{region}.{suffix}")
}

fn split_origin(url: &str) -> Result<(&'static str, String), StoreError> {
    let (scheme, host) = match (url.strip_prefix("https://"), url.strip_prefix("http://")) {
        (Some(host), _) => ("https", host),
        (_, Some(host)) => ("http", host),
        _ => ("", ""),
    };
    let host = host.trim_end_matches('/');
    let plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '.' | ':' | '[' | ']' | '_');
    if host.is_empty() || !host.chars().all(plain) {
        let message = "an endpoint is written as `https://HOST` or `http://HOST:PORT`";
        return Err(StoreError::new(ErrorKind::Configuration, message));
    }
    Ok((scheme, host.to_owned()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn uri(bucket: &str, endpoint: Option<&str>, path_style: Option<bool>, key: &str) -> String {
        let address = Address::of_bucket(bucket, "eu-west-1", endpoint, path_style).unwrap();
        address.uri(key, &[]).unwrap().to_string()
    }

    #[test]
    fn a_bucket_is_in_the_hosts_name_or_in_the_path() {
        for (bucket, endpoint, path_style, expected) in [
            ("drop", None, None, "https://drop.s3.eu-west-1.amazonaws.com/a/b"),
            ("drop", None, Some(true), "https://s3.eu-west-1.amazonaws.com/drop/a/b"),
            ("dr.op", None, None, "https://s3.eu-west-1.amazonaws.com/dr.op/a/b"),
            ("drop", Some("http://127.0.0.1:9000/"), None, "http://127.0.0.1:9000/drop/a/b"),
            ("drop", Some("http://s3.test:9000"), Some(false), "http://drop.s3.test:9000/a/b"),
        ] {
            assert_eq!(uri(bucket, endpoint, path_style, "a/b"), expected);
        }
        let china = Address::of_bucket("drop", "cn-north-1", None, None).unwrap().uri("k", &[]).unwrap();
        assert_eq!(china, "https://drop.s3.cn-north-1.amazonaws.com.cn/k");
    }

    #[test]
    fn a_key_is_encoded_once_and_keeps_its_slashes() {
        assert_eq!(
            uri("drop", Some("http://h"), None, "a b/ü+=&?#%20/~x"),
            "http://h/drop/a%20b/%C3%BC%2B%3D%26%3F%23%2520/~x"
        );
        let address = Address::of_bucket("drop", "x", Some("http://h"), None).unwrap();
        let listing = address.uri("", &[("list-type", "2"), ("prefix", "a/b c")]).unwrap();
        assert_eq!(listing, "http://h/drop/?list-type=2&prefix=a%2Fb%20c");
    }

    #[test]
    fn what_is_no_endpoint_is_refused_without_being_repeated() {
        for bad in ["", "host", "ftp://host", "https://", "https://u:hunter2@host", "https://host/path"] {
            let error = Address::of_bucket("drop", "x", Some(bad), None).unwrap_err();
            assert!(!error.to_string().contains("hunter2"), "{error}");
        }
    }
}
