//! How is a place for blobs written?

use std::{fmt, path::PathBuf, str::FromStr};

use super::{ErrorKind, StoreError};

/// A place for blobs: a folder, or a bucket and what all its keys begin with.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Location {
    /// A folder, which need not exist.
    Folder(PathBuf),
    /// A bucket of anything that speaks S3.
    S3 {
        /// The bucket's name.
        bucket: String,
        /// What keys begin with, without slashes at its ends; may be empty.
        prefix: String,
    },
}

impl Location {
    /// The place of one key.
    #[must_use]
    pub fn join(&self, key: &str) -> String {
        match self {
            Location::Folder(path) => path.join(key).display().to_string(),
            Location::S3 { .. } => format!("{self}/{key}"),
        }
    }
}

impl FromStr for Location {
    type Err = StoreError;

    /// Reads `s3://BUCKET/PREFIX` or the path of a folder.
    fn from_str(text: &str) -> Result<Location, StoreError> {
        let wrong = |what: &str| Err(StoreError::new(ErrorKind::Configuration, format!("`{text}` {what}")));
        let Some(rest) = text.strip_prefix("s3://") else {
            if text.is_empty() {
                return wrong("is no place: use `s3://BUCKET/PREFIX` or a folder");
            }
            if text.starts_with("gs://") {
                return wrong(
                    "is reached as `s3://BUCKET/PREFIX` with `endpoint_url: https://storage.googleapis.com`",
                );
            }
            if text.contains("://") {
                return wrong("is of no known kind: use `s3://BUCKET/PREFIX` or a folder");
            }
            return Ok(Location::Folder(text.into()));
        };
        let (bucket, prefix) = rest.split_once('/').unwrap_or((rest, ""));
        let plain = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || matches!(c, '-' | '.' | '_');
        let ends = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit();
        let named = (3..=63).contains(&bucket.len())
            && bucket.chars().all(plain)
            && bucket.starts_with(ends)
            && bucket.ends_with(ends)
            && !bucket.contains("..");
        if !named {
            return wrong(
                "names no bucket: a bucket's name has 3 to 63 lower-case letters, digits, `-` and `.`",
            );
        }
        let prefix = prefix.trim_matches('/');
        if !prefix.is_empty() && super::check_key(prefix).is_err() {
            return wrong("has a prefix with an empty or dotted name in it");
        }
        Ok(Location::S3 { bucket: bucket.to_owned(), prefix: prefix.to_owned() })
    }
}

impl fmt::Display for Location {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Location::Folder(path) => path.display().fmt(f),
            Location::S3 { bucket, prefix } if prefix.is_empty() => write!(f, "s3://{bucket}"),
            Location::S3 { bucket, prefix } => write!(f, "s3://{bucket}/{prefix}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_place_is_a_folder_or_a_bucket_with_a_prefix() {
        for (text, shown, joined) in [
            ("s3://drop", "s3://drop", "s3://drop/a/b"),
            ("s3://drop/", "s3://drop", "s3://drop/a/b"),
            (
                "s3://drop.example/in/coming/",
                "s3://drop.example/in/coming",
                "s3://drop.example/in/coming/a/b",
            ),
            ("out/lake", "out/lake", "out/lake/a/b"),
            ("/srv/drop", "/srv/drop", "/srv/drop/a/b"),
        ] {
            let location: Location = text.parse().unwrap();
            assert_eq!((location.to_string(), location.join("a/b")), (shown.to_owned(), joined.to_owned()));
        }
    }

    #[test]
    fn what_is_no_place_is_refused_with_what_to_write() {
        for text in
            ["", "s3://", "s3:///x", "s3://UPPER/x", "s3://a_b-/x", "s3://ab", "s3://drop/../x", "ftp://x/y"]
        {
            let error = text.parse::<Location>().unwrap_err();
            assert_eq!(error.kind(), ErrorKind::Configuration, "{text}");
        }
        let google = "gs://drop/x".parse::<Location>().unwrap_err();
        assert!(google.to_string().contains("endpoint_url"), "{google}");
    }
}
