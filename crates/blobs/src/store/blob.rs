//! What is known of the bytes that are to be stored?

use std::{
    fs::File,
    io::{self, Read, Seek, SeekFrom},
    path::{Path, PathBuf},
};

use base64::{Engine, prelude::BASE64_STANDARD};
use md5::Md5;
use sha2::{Digest, Sha256};

use super::{Head, StoreError};

/// Bytes that are read at once from a file.
const CHUNK: usize = 64 * 1024;

/// A file that is to be stored, with its length and hashes. It must not change while it is used.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Blob {
    path: PathBuf,
    bytes: u64,
    sha256: [u8; 32],
    md5: [u8; 16],
}

/// Both hashes of one stretch of a file.
pub(super) struct Hashes {
    pub(super) bytes: u64,
    pub(super) sha256: [u8; 32],
    pub(super) md5: [u8; 16],
}

impl Blob {
    /// Reads the file once, for its length and its hashes.
    pub async fn of_file(path: impl Into<PathBuf>) -> Result<Blob, StoreError> {
        let path = path.into();
        let Hashes { bytes, sha256, md5 } = hash_stretch(&path, 0, u64::MAX).await?;
        Ok(Blob { path, bytes, sha256, md5 })
    }

    /// The file.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Its length.
    #[must_use]
    pub fn bytes(&self) -> u64 {
        self.bytes
    }

    /// Its SHA-256.
    #[must_use]
    pub fn sha256(&self) -> &[u8; 32] {
        &self.sha256
    }

    /// Whether a store claims to hold these bytes: by its SHA-256, or by an ETag that is an MD5. `None` if what it says
    /// decides nothing: an ETag may be anything, and parts may have been cut elsewhere.
    pub(super) async fn is_claimed_by(
        &self,
        head: &Head,
        part_bytes: Option<u64>,
    ) -> Result<Option<bool>, StoreError> {
        match (&head.sha256, &head.etag) {
            (Some(sum), _) if !sum.contains('-') => Ok(Some(*sum == BASE64_STANDARD.encode(self.sha256))),
            (_, Some(etag)) if *etag == hex(&self.md5) => Ok(Some(true)),
            (sum, etag) => {
                let Some(part_bytes) = part_bytes else { return Ok(None) };
                let sum_of_parts = sum.is_some() || etag.as_ref().is_some_and(|etag| etag.contains('-'));
                if !sum_of_parts {
                    return Ok(None);
                }
                let parts = self.hash_parts(part_bytes).await?;
                let same = sum.as_ref() == Some(&sha256_of_parts(parts.iter()))
                    || sum.is_none() && etag.as_ref() == Some(&md5_of_parts(&parts));
                Ok(same.then_some(true))
            }
        }
    }

    async fn hash_parts(&self, part_bytes: u64) -> Result<Vec<Hashes>, StoreError> {
        let mut parts = Vec::new();
        let mut offset = 0;
        while offset < self.bytes {
            parts.push(hash_stretch(&self.path, offset, part_bytes).await?);
            offset += part_bytes;
        }
        Ok(parts)
    }
}

/// What S3 calls the checksum of an upload in parts: the hash of their hashes, and how many there are.
pub(super) fn sha256_of_parts<'a>(parts: impl ExactSizeIterator<Item = &'a Hashes>) -> String {
    let count = parts.len();
    let mut all = Sha256::new();
    for part in parts {
        all.update(part.sha256);
    }
    format!("{}-{count}", BASE64_STANDARD.encode(all.finalize()))
}

fn md5_of_parts(parts: &[Hashes]) -> String {
    let mut all = Md5::new();
    for part in parts {
        all.update(part.md5);
    }
    format!("{}-{}", hex(&all.finalize()), parts.len())
}

/// Hashes up to `length` bytes of a file from `offset` on.
pub(super) async fn hash_stretch(path: &Path, offset: u64, length: u64) -> Result<Hashes, StoreError> {
    let path = path.to_owned();
    in_background(move || {
        let read = || -> io::Result<Hashes> {
            let mut file = File::open(&path)?;
            file.seek(SeekFrom::Start(offset))?;
            let mut file = file.take(length);
            let (mut sha256, mut md5, mut bytes) = (Sha256::new(), Md5::new(), 0);
            let mut chunk = vec![0; CHUNK];
            loop {
                let read = file.read(&mut chunk)?;
                if read == 0 {
                    break;
                }
                sha256.update(&chunk[..read]);
                md5.update(&chunk[..read]);
                bytes += read as u64;
            }
            Ok(Hashes { bytes, sha256: sha256.finalize().into(), md5: md5.finalize().into() })
        };
        read().map_err(StoreError::io(&path))
    })
    .await
}

/// Does what waits for a disk on a thread that may wait.
pub(super) async fn in_background<T: Send + 'static>(
    work: impl FnOnce() -> Result<T, StoreError> + Send + 'static,
) -> Result<T, StoreError> {
    match tokio::task::spawn_blocking(work).await {
        Ok(done) => done,
        Err(error) => match error.try_into_panic() {
            Ok(panic) => std::panic::resume_unwind(panic),
            Err(error) => Err(StoreError::new(super::ErrorKind::Io, error.to_string())),
        },
    }
}

/// A SHA-256 that grows with a download.
#[derive(Default)]
pub(super) struct Sha256Hash(Sha256);

impl Sha256Hash {
    pub(super) fn update(&mut self, bytes: &[u8]) {
        self.0.update(bytes);
    }

    pub(super) fn finish(self) -> [u8; 32] {
        self.0.finalize().into()
    }
}

/// Bytes as lower-case hexadecimal digits.
pub(super) fn hex(bytes: &[u8]) -> String {
    use std::fmt::Write;
    bytes.iter().fold(String::with_capacity(bytes.len() * 2), |mut text, byte| {
        // writing to a string cannot fail
        let _ = write!(text, "{byte:02x}");
        text
    })
}
