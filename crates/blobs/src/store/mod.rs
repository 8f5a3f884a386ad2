//! Where do blobs live that leave the machine?
//!
//! A store holds blobs under keys: in a folder, or in a bucket of anything that speaks S3. Both keep the same promises,
//! and `tests/store` runs the same functions on each.

mod blob;
mod error;
mod folder;
mod location;
mod options;
#[cfg(feature = "s3")]
mod s3;

use bytes::Bytes;

pub use blob::Blob;
pub use error::{ErrorKind, StoreError};
pub use location::Location;
pub use options::{Keys, Retry, Role, S3Options, WallClock};

use folder::Folder;

/// The longest key that a store takes, in bytes: what S3 allows.
const MAX_KEY_BYTES: usize = 1024;

/// A place for blobs; clones share its connections.
#[derive(Debug, Clone)]
pub struct Store {
    location: Location,
    backend: Backend,
}

#[derive(Debug, Clone)]
enum Backend {
    Folder(Folder),
    #[cfg(feature = "s3")]
    S3(s3::Bucket),
}

/// What a store says of a blob without reading it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Head {
    /// Its length.
    pub bytes: u64,
    /// The checksum that the store keeps of it: SHA-256 in base64, with `-N` behind it where it is one over `N` parts.
    pub sha256: Option<String>,
    /// The store's own name for this content: often its MD5, never to be relied on.
    pub etag: Option<String>,
}

/// A blob in a listing.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Entry {
    /// Its key.
    pub key: String,
    /// Its length.
    pub bytes: u64,
}

/// How what is stored under a key compares with a blob.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Comparison {
    /// There is nothing under that key.
    Absent,
    /// The very bytes of the blob.
    Same,
    /// Something else.
    Different,
}

impl Store {
    /// Opens a place. Nothing is asked of it before the first call.
    pub fn open(location: Location, options: S3Options) -> Result<Store, StoreError> {
        let backend = match &location {
            Location::Folder(path) => Backend::Folder(Folder::new(path)),
            Location::S3 { bucket, prefix } => open_bucket(bucket, prefix, options)?,
        };
        Ok(Store { location, backend })
    }

    /// Where the blob of a key is, for people and ledgers.
    #[must_use]
    pub fn url_of(&self, key: &str) -> String {
        self.location.join(key)
    }

    /// Writes a blob under a key, over whatever is there. Nobody ever sees a part of it.
    ///
    /// `Ok` means that the store holds it and that its checksum was compared.
    pub async fn put(&self, key: &str, blob: &Blob) -> Result<(), StoreError> {
        check_key(key)?;
        match &self.backend {
            Backend::Folder(folder) => folder.put(key, blob, true).await.map(drop),
            #[cfg(feature = "s3")]
            Backend::S3(bucket) => bucket.put(key, blob, true).await.map(drop),
        }
    }

    /// Writes a blob under a key unless there is one, and says whether it did; of several at once one does.
    ///
    /// Over a network an answer may be lost after the blob was written; then the repeated attempt meets its own work and
    /// this says `false`. [`Store::compare`] tells.
    pub async fn put_if_absent(&self, key: &str, blob: &Blob) -> Result<bool, StoreError> {
        check_key(key)?;
        match &self.backend {
            Backend::Folder(folder) => folder.put(key, blob, false).await,
            #[cfg(feature = "s3")]
            Backend::S3(bucket) => bucket.put(key, blob, false).await,
        }
    }

    /// What the store says of a key; `None` if there is nothing.
    pub async fn head(&self, key: &str) -> Result<Option<Head>, StoreError> {
        check_key(key)?;
        match &self.backend {
            Backend::Folder(folder) => folder.head(key).await,
            #[cfg(feature = "s3")]
            Backend::S3(bucket) => bucket.head(key).await,
        }
    }

    /// Reads a blob piece by piece; `None` if there is nothing.
    pub async fn get(&self, key: &str) -> Result<Option<Download>, StoreError> {
        check_key(key)?;
        match &self.backend {
            Backend::Folder(folder) => folder.get(key).await,
            #[cfg(feature = "s3")]
            Backend::S3(bucket) => bucket.get(key).await,
        }
    }

    /// The first `limit` blobs whose keys begin with `prefix` and come after `after`, in the order of their bytes.
    pub async fn list(
        &self,
        prefix: &str,
        after: Option<&str>,
        limit: usize,
    ) -> Result<Vec<Entry>, StoreError> {
        match &self.backend {
            Backend::Folder(folder) => folder.list(prefix, after, limit).await,
            #[cfg(feature = "s3")]
            Backend::S3(bucket) => bucket.list(prefix, after, limit).await,
        }
    }

    /// Deletes a blob; succeeds if it is already gone.
    pub async fn delete(&self, key: &str) -> Result<(), StoreError> {
        check_key(key)?;
        match &self.backend {
            Backend::Folder(folder) => folder.delete(key).await,
            #[cfg(feature = "s3")]
            Backend::S3(bucket) => bucket.delete(key).await,
        }
    }

    /// Compares what is stored with a blob: by the store's checksum where it has one, else by reading it.
    pub async fn compare(&self, key: &str, blob: &Blob) -> Result<Comparison, StoreError> {
        let Some(head) = self.head(key).await? else { return Ok(Comparison::Absent) };
        if head.bytes != blob.bytes() {
            return Ok(Comparison::Different);
        }
        let part_bytes = match &self.backend {
            Backend::Folder(_) => None,
            #[cfg(feature = "s3")]
            Backend::S3(bucket) => bucket.part_bytes(blob.bytes()),
        };
        match blob.is_claimed_by(&head, part_bytes).await? {
            Some(true) => return Ok(Comparison::Same),
            Some(false) => return Ok(Comparison::Different),
            None => {}
        }
        let Some(mut download) = self.get(key).await? else { return Ok(Comparison::Absent) };
        let mut hash = blob::Sha256Hash::default();
        while let Some(chunk) = download.next_chunk().await? {
            hash.update(&chunk);
        }
        Ok(if hash.finish() == *blob.sha256() { Comparison::Same } else { Comparison::Different })
    }
}

#[cfg(feature = "s3")]
fn open_bucket(bucket: &str, prefix: &str, options: S3Options) -> Result<Backend, StoreError> {
    s3::Bucket::open(bucket, prefix, options).map(Backend::S3)
}

#[cfg(not(feature = "s3"))]
fn open_bucket(bucket: &str, _: &str, _: S3Options) -> Result<Backend, StoreError> {
    let message = format!("s3://{bucket}: this canvass was built without feature `s3`");
    Err(StoreError::new(ErrorKind::NotBuilt, message))
}

/// A blob that is being read.
#[derive(Debug)]
pub struct Download {
    bytes: u64,
    from: DownloadFrom,
}

#[derive(Debug)]
enum DownloadFrom {
    Folder(folder::Reading),
    #[cfg(feature = "s3")]
    S3(s3::Reading),
}

impl Download {
    /// The length of the whole blob.
    #[must_use]
    pub fn bytes(&self) -> u64 {
        self.bytes
    }

    /// The next piece, at most some tens of kilobytes; `None` after the last. A blob that ends early is an error.
    pub async fn next_chunk(&mut self) -> Result<Option<Bytes>, StoreError> {
        match &mut self.from {
            DownloadFrom::Folder(reading) => reading.next_chunk().await,
            #[cfg(feature = "s3")]
            DownloadFrom::S3(reading) => reading.next_chunk().await,
        }
    }
}

/// A key is a relative path of plain names: then it means the same in a folder and in a bucket, and never leaves either.
fn check_key(key: &str) -> Result<(), StoreError> {
    let plain = |name: &str| !matches!(name, "" | "." | "..") && !name.ends_with(crate::TEMPORARY_SUFFIX);
    if key.len() <= MAX_KEY_BYTES && key.split('/').all(plain) && !key.contains(|c: char| c.is_control()) {
        return Ok(());
    }
    let message = format!("`{}` is no key: use names with `/` between them", key.escape_debug());
    Err(StoreError::new(ErrorKind::Configuration, message))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_can_never_leave_its_store() {
        let long = "x".repeat(1025);
        for bad in
            ["", "/a", "a/", "a//b", ".", "..", "../a", "a/../b", "a/./b", "a\nb", "a\0b", "a.tmp", &long]
        {
            assert_eq!(check_key(bad).unwrap_err().kind(), ErrorKind::Configuration, "{bad:?}");
        }
        for good in ["a", "2026/11/10/Findings.csv.gz", "ä ö/…", ".hidden", "a..b"] {
            check_key(good).unwrap();
        }
    }
}
