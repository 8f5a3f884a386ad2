//! How is a blob sent that is too long for one request?
//!
//! In parts, some at once, each with its own checksum. Nobody sees anything of it before the last step; what a crash
//! leaves behind is aborted by the next upload of the same key.

use std::fmt::Write;

use base64::{Engine, prelude::BASE64_STANDARD};
use http::{Method, header::IF_NONE_MATCH};
use tokio::task::JoinSet;

use super::{ACL, Bucket, CHECKSUM, CHECKSUM_ALGORITHM, MAX_ANSWER_BYTES, payload::Payload, xml};
use crate::store::{
    Blob, ErrorKind, StoreError,
    blob::{Hashes, hash_stretch, sha256_of_parts},
};

/// S3 takes no shorter part but the last.
pub(super) const SMALLEST_PART: u64 = 5 * 1024 * 1024;
/// S3 takes no more parts.
const MOST_PARTS: u64 = 10_000;
const MEBIBYTE: u64 = 1024 * 1024;

/// The length of the parts of a blob: as wished, or as much longer as it takes. It follows from the blob's length, so
/// that the checksum over the parts can be computed again later.
pub(super) fn part_bytes(bytes: u64, wished: u64) -> u64 {
    wished.max(bytes.div_ceil(MOST_PARTS).next_multiple_of(MEBIBYTE))
}

/// A part that is there.
struct Part {
    hashes: Hashes,
    etag: String,
}

impl Bucket {
    pub(super) async fn put_in_parts(
        &self,
        key: &str,
        blob: &Blob,
        part_bytes: u64,
        over: bool,
    ) -> Result<(), StoreError> {
        self.abort_leftovers(key).await?;
        let upload = self.begin(key).await?;
        let done = match self.send_parts(key, blob, part_bytes, &upload).await {
            Ok(parts) => self.complete(key, &upload, &parts, over).await,
            Err(error) => Err(error),
        };
        if done.is_err()
            && let Err(error) = self.abort(key, &upload).await
        {
            tracing::warn!(%error, key, "the parts of a failed upload stay until the next one");
        }
        done
    }

    async fn begin(&self, key: &str) -> Result<String, StoreError> {
        let mut headers = vec![(CHECKSUM_ALGORITHM, "SHA256".to_owned())];
        headers.extend(self.inner.acl.clone().map(|acl| (ACL, acl)));
        let answer = self.ask(Method::POST, key, &[("uploads", "")], headers, Payload::empty()).await?;
        let body = answer.read(MAX_ANSWER_BYTES).await?;
        xml::text_of(&body, "UploadId")?.ok_or_else(|| {
            let message = format!("{}: no UploadId in the answer", self.what(&Method::POST, key));
            StoreError::new(ErrorKind::Protocol, message)
        })
    }

    async fn send_parts(
        &self,
        key: &str,
        blob: &Blob,
        part_bytes: u64,
        upload: &str,
    ) -> Result<Vec<Part>, StoreError> {
        let count = usize::try_from(blob.bytes().div_ceil(part_bytes)).unwrap_or(usize::MAX);
        let mut parts: Vec<Option<Part>> = Vec::new();
        parts.resize_with(count, || None);
        let mut under_way = JoinSet::new();
        let mut next = 0;
        loop {
            while next < count && under_way.len() < self.inner.parts_at_once {
                let (bucket, key, upload) = (self.clone(), key.to_owned(), upload.to_owned());
                let (blob, at) = (blob.clone(), next);
                under_way.spawn(async move {
                    let part = bucket.send_part(&key, &blob, part_bytes, at, &upload).await?;
                    Ok::<_, StoreError>((at, part))
                });
                next += 1;
            }
            match under_way.join_next().await {
                None => break,
                Some(Ok(sent)) => {
                    let (at, part) = sent?;
                    parts[at] = Some(part);
                }
                Some(Err(error)) => return Err(StoreError::new(ErrorKind::Io, error.to_string())),
            }
        }
        Ok(parts.into_iter().flatten().collect())
    }

    async fn send_part(
        &self,
        key: &str,
        blob: &Blob,
        part_bytes: u64,
        at: usize,
        upload: &str,
    ) -> Result<Part, StoreError> {
        let offset = at as u64 * part_bytes;
        let hashes = hash_stretch(blob.path(), offset, part_bytes).await?;
        let payload = Payload::File {
            path: blob.path().to_owned(),
            offset,
            bytes: hashes.bytes,
            sha256: hashes.sha256,
        };
        let headers = vec![(CHECKSUM, BASE64_STANDARD.encode(hashes.sha256))];
        let number = (at + 1).to_string();
        let query = [("partNumber", number.as_str()), ("uploadId", upload)];
        let answer = self.ask(Method::PUT, key, &query, headers, payload).await?;
        let told = answer.header(CHECKSUM.as_str());
        if told.is_some_and(|told| told != BASE64_STANDARD.encode(hashes.sha256)) {
            return Err(self.corrupt(key));
        }
        let etag = answer.header("etag").ok_or_else(|| {
            let message = format!("{}: no ETag of a part in the answer", self.what(&Method::PUT, key));
            StoreError::new(ErrorKind::Protocol, message)
        })?;
        Ok(Part { hashes, etag: etag.to_owned() })
    }

    async fn complete(&self, key: &str, upload: &str, parts: &[Part], over: bool) -> Result<(), StoreError> {
        let mut form =
            "<CompleteMultipartUpload xmlns=\"http://s3.amazonaws.com/doc/2006-03-01/\">".to_owned();
        for (number, Part { hashes, etag }) in (1..).zip(parts) {
            let (etag, sum) = (quick_xml::escape::escape(etag), BASE64_STANDARD.encode(hashes.sha256));
            // writing to a string cannot fail
            let _ = write!(
                form,
                "<Part><PartNumber>{number}</PartNumber><ETag>{etag}</ETag>\
                 <ChecksumSHA256>{sum}</ChecksumSHA256></Part>"
            );
        }
        form.push_str("</CompleteMultipartUpload>");
        let headers = if over { Vec::new() } else { vec![(IF_NONE_MATCH, "*".to_owned())] };
        let payload = Payload::Bytes(form.into());
        let answer = self.ask(Method::POST, key, &[("uploadId", upload)], headers, payload).await?;
        let body = answer.read(MAX_ANSWER_BYTES).await?;
        // the status goes out before the parts are joined, so a failure comes as a body
        if let Some(code) = xml::text_of(&body, "Code")? {
            let message = format!("{}: the parts were not joined: {code}", self.what(&Method::POST, key));
            return Err(StoreError::new(ErrorKind::Server, message));
        }
        let hashes = parts.iter().map(|part| &part.hashes);
        match xml::text_of(&body, "ChecksumSHA256")? {
            Some(told) if told.contains('-') && told != sha256_of_parts(hashes) => Err(self.corrupt(key)),
            _ => Ok(()),
        }
    }

    async fn abort(&self, key: &str, upload: &str) -> Result<(), StoreError> {
        let query = [("uploadId", upload)];
        super::unless_absent(self.ask(Method::DELETE, key, &query, Vec::new(), Payload::empty()).await)
            .map(drop)
    }

    /// Aborts the uploads of this very key that a crash left behind; whoever may not list them leaves them.
    async fn abort_leftovers(&self, key: &str) -> Result<(), StoreError> {
        let whole = format!("{}{key}", self.inner.prefix);
        let query = [("max-uploads", "1000"), ("prefix", whole.as_str()), ("uploads", "")];
        let answer = match self.ask(Method::GET, "", &query, Vec::new(), Payload::empty()).await {
            Ok(answer) => answer,
            Err(error) if matches!(error.kind(), ErrorKind::Denied | ErrorKind::Unsupported) => {
                tracing::info!(%error, "uploads under way cannot be listed");
                return Ok(());
            }
            Err(error) => return Err(error),
        };
        let (mut leftovers, mut of, mut id) = (Vec::new(), None, None);
        xml::visit_elements(&answer.read(MAX_ANSWER_BYTES).await?, |path, text| match path {
            ["Upload", "Key"] => of = Some(text.to_owned()),
            ["Upload", "UploadId"] => id = Some(text.to_owned()),
            ["Upload"] => leftovers.extend(of.take().zip(id.take())),
            _ => {}
        })?;
        for (_, upload) in leftovers.iter().filter(|(of, _)| *of == whole) {
            self.abort(key, upload).await?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_blob_has_too_many_parts() {
        let wished = 16 * MEBIBYTE;
        assert_eq!(part_bytes(17 * MEBIBYTE, wished), wished);
        // the longest object that S3 takes
        let longest = 5 * 1024 * 1024 * MEBIBYTE;
        assert!(longest.div_ceil(part_bytes(longest, wished)) <= MOST_PARTS);
    }
}
