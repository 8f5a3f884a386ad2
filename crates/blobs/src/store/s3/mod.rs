//! How is a bucket a store?
//!
//! Requests are signed with Amazon's own signer (`aws-sigv4`) and sent over the HTTP and TLS that the rest of canvass
//! uses. Every upload carries its SHA-256 twice: in the signature, so that the server refuses what was damaged on the
//! way, and as the checksum that the server keeps.

mod address;
mod multipart;
mod payload;
mod session;
mod sign;
mod transport;
mod xml;

use std::{sync::Arc, time::Duration};

use base64::{Engine, prelude::BASE64_STANDARD};
use bytes::Bytes;
use http::{HeaderName, Method, header::IF_NONE_MATCH};
use http_body_util::BodyExt;
use hyper::body::Incoming;
use tokio::time::timeout;

use super::{Blob, Download, DownloadFrom, Entry, ErrorKind, Head, S3Options, StoreError};
use address::Address;
use payload::Payload;
use session::Session;
use transport::{Answer, Ask, Transport, timed_out, unreachable};

const ACL: HeaderName = HeaderName::from_static("x-amz-acl");
const CHECKSUM: HeaderName = HeaderName::from_static("x-amz-checksum-sha256");
const CHECKSUM_ALGORITHM: HeaderName = HeaderName::from_static("x-amz-checksum-algorithm");
const CHECKSUM_MODE: HeaderName = HeaderName::from_static("x-amz-checksum-mode");

/// The longest answer that is read: a listing of a thousand keys of a thousand bytes, each byte escaped.
const MAX_ANSWER_BYTES: usize = 8 * 1024 * 1024;
/// The most keys that a listing has at once.
const PAGE: usize = 1000;

/// A bucket, or the part of one below a prefix; clones share its connections.
#[derive(Debug, Clone)]
pub(super) struct Bucket {
    inner: Arc<Inner>,
}

#[derive(Debug)]
struct Inner {
    name: String,
    /// Empty, or ends with a slash.
    prefix: String,
    address: Address,
    region: String,
    acl: Option<String>,
    part_bytes: u64,
    parts_at_once: usize,
    patience: Duration,
    transport: Transport,
    session: Session,
}

impl Bucket {
    pub(super) fn open(name: &str, prefix: &str, options: S3Options) -> Result<Bucket, StoreError> {
        let transport = Transport::new(&options)?;
        let session = Session::new(&options, &transport)?;
        let S3Options { region, endpoint_url, path_style, acl, part_bytes, parts_at_once, patience, .. } =
            options;
        let address = Address::of_bucket(name, &region, endpoint_url.as_deref(), path_style)?;
        let inner = Inner {
            name: name.to_owned(),
            prefix: if prefix.is_empty() { String::new() } else { format!("{prefix}/") },
            address,
            region,
            acl,
            part_bytes: part_bytes.max(multipart::SMALLEST_PART),
            parts_at_once: parts_at_once.max(1),
            patience,
            transport,
            session,
        };
        Ok(Bucket { inner: Arc::new(inner) })
    }

    /// The length of the parts of a blob, where it is so long that it is sent in parts.
    pub(super) fn part_bytes(&self, bytes: u64) -> Option<u64> {
        (bytes > self.inner.part_bytes).then(|| multipart::part_bytes(bytes, self.inner.part_bytes))
    }

    /// Uploads a blob; `false` if there is one already and it must stay.
    pub(super) async fn put(&self, key: &str, blob: &Blob, over: bool) -> Result<bool, StoreError> {
        let done = match self.part_bytes(blob.bytes()) {
            Some(part_bytes) => self.put_in_parts(key, blob, part_bytes, over).await,
            None => self.put_at_once(key, blob, over).await,
        };
        match done {
            Ok(()) => Ok(true),
            Err(error) if error.kind() == ErrorKind::AlreadyThere && !over => Ok(false),
            Err(error) => Err(error),
        }
    }

    async fn put_at_once(&self, key: &str, blob: &Blob, over: bool) -> Result<(), StoreError> {
        let mut headers = vec![(CHECKSUM, BASE64_STANDARD.encode(blob.sha256()))];
        headers.extend(self.inner.acl.clone().map(|acl| (ACL, acl)));
        headers.extend((!over).then(|| (IF_NONE_MATCH, "*".to_owned())));
        let payload = Payload::File {
            path: blob.path().to_owned(),
            offset: 0,
            bytes: blob.bytes(),
            sha256: *blob.sha256(),
        };
        let answer = self.ask(Method::PUT, key, &[], headers, payload).await?;
        let told = Head { bytes: blob.bytes(), ..head_of(&answer) };
        // the signature covers the content, so an answer that says nothing more is still a confirmation
        match blob.is_claimed_by(&told, None).await? {
            Some(false) => Err(self.corrupt(key)),
            _ => Ok(()),
        }
    }

    pub(super) async fn head(&self, key: &str) -> Result<Option<Head>, StoreError> {
        let headers = vec![(CHECKSUM_MODE, "ENABLED".to_owned())];
        let asked = self.ask(Method::HEAD, key, &[], headers, Payload::empty()).await;
        let Some(answer) = unless_absent(asked)? else { return Ok(None) };
        Ok(Some(Head { bytes: self.length_of(&answer, key)?, ..head_of(&answer) }))
    }

    pub(super) async fn get(&self, key: &str) -> Result<Option<Download>, StoreError> {
        let asked = self.ask(Method::GET, key, &[], Vec::new(), Payload::empty()).await;
        let Some(answer) = unless_absent(asked)? else { return Ok(None) };
        let bytes = self.length_of(&answer, key)?;
        let what = self.what(&Method::GET, key);
        let reading = Reading { what, body: answer.body, left: bytes, patience: self.inner.patience };
        Ok(Some(Download { bytes, from: DownloadFrom::S3(reading) }))
    }

    pub(super) async fn list(
        &self,
        prefix: &str,
        after: Option<&str>,
        limit: usize,
    ) -> Result<Vec<Entry>, StoreError> {
        let whole = format!("{}{prefix}", self.inner.prefix);
        let mut found = Vec::new();
        let mut after = after.map(|after| format!("{}{after}", self.inner.prefix));
        while found.len() < limit {
            let wanted = PAGE.min(limit - found.len());
            let count = wanted.to_string();
            let mut query =
                vec![("list-type", "2"), ("max-keys", count.as_str()), ("prefix", whole.as_str())];
            query.extend(after.as_deref().map(|after| ("start-after", after)));
            let answer = self.ask(Method::GET, "", &query, Vec::new(), Payload::empty()).await?;
            let page = self.page_of(&answer.read(MAX_ANSWER_BYTES).await?)?;
            let (read, last) = (page.len(), page.last().map(|(key, _)| key.clone()));
            let own = |(key, bytes): (String, u64)| {
                Some(Entry { key: key.strip_prefix(&self.inner.prefix)?.to_owned(), bytes })
            };
            found.extend(page.into_iter().filter_map(own));
            if read < wanted || last <= after {
                break;
            }
            after = last;
        }
        Ok(found)
    }

    fn page_of(&self, xml: &[u8]) -> Result<Vec<(String, u64)>, StoreError> {
        let (mut page, mut key, mut bytes) = (Vec::new(), None, None);
        xml::visit_elements(xml, |path, text| match path {
            ["Contents", "Key"] => key = Some(text.to_owned()),
            ["Contents", "Size"] => bytes = text.trim().parse().ok(),
            ["Contents"] => page.extend(key.take().zip(bytes.take())),
            _ => {}
        })?;
        Ok(page)
    }

    pub(super) async fn delete(&self, key: &str) -> Result<(), StoreError> {
        unless_absent(self.ask(Method::DELETE, key, &[], Vec::new(), Payload::empty()).await).map(drop)
    }

    /// Sends a request about a key, or about the bucket where the key is empty.
    async fn ask(
        &self,
        method: Method,
        key: &str,
        query: &[(&str, &str)],
        headers: Vec<(HeaderName, String)>,
        payload: Payload,
    ) -> Result<Answer, StoreError> {
        let Inner { prefix, address, region, transport, session, .. } = &*self.inner;
        let uri = match key {
            "" => address.uri("", query)?,
            key => address.uri(&format!("{prefix}{key}"), query)?,
        };
        let ask = Ask { what: self.what(&method, key), method, uri, headers, payload };
        transport.send(&ask, ("s3", region), session).await
    }

    fn what(&self, method: &Method, key: &str) -> String {
        let Inner { name, prefix, .. } = &*self.inner;
        format!("{method} s3://{name}/{prefix}{key}")
    }

    fn corrupt(&self, key: &str) -> StoreError {
        let message = format!("{}: the server's checksum is another", self.what(&Method::PUT, key));
        StoreError::new(ErrorKind::Corrupt, message)
    }

    fn length_of(&self, answer: &Answer, key: &str) -> Result<u64, StoreError> {
        answer.header("content-length").and_then(|text| text.parse().ok()).ok_or_else(|| {
            let message = format!("{}: the answer has no length", self.what(&Method::GET, key));
            StoreError::new(ErrorKind::Protocol, message)
        })
    }
}

/// What the headers of an answer say of a blob, besides its length.
fn head_of(answer: &Answer) -> Head {
    let etag = answer.header("etag").map(|etag| etag.trim_matches('"').to_owned());
    Head { bytes: 0, sha256: answer.header(CHECKSUM.as_str()).map(str::to_owned), etag }
}

fn unless_absent(asked: Result<Answer, StoreError>) -> Result<Option<Answer>, StoreError> {
    match asked {
        Ok(answer) => Ok(Some(answer)),
        // a bucket that is not there is told as such, and answers nothing but that
        Err(error) if error.kind() == ErrorKind::NotFound && !error.to_string().contains("NoSuchBucket") => {
            Ok(None)
        }
        Err(error) => Err(error),
    }
}

/// A body that is being read.
#[derive(Debug)]
pub(super) struct Reading {
    what: String,
    body: Incoming,
    left: u64,
    patience: Duration,
}

impl Reading {
    pub(super) async fn next_chunk(&mut self) -> Result<Option<Bytes>, StoreError> {
        loop {
            let frame = timeout(self.patience, self.body.frame())
                .await
                .map_err(|_| timed_out(&self.what, self.patience))?;
            match frame {
                Some(Ok(frame)) => {
                    let Ok(data) = frame.into_data() else { continue };
                    self.left = self.left.saturating_sub(data.len() as u64);
                    return Ok(Some(data));
                }
                Some(Err(error)) => return Err(unreachable(&self.what, &error)),
                None if self.left > 0 => {
                    let message = format!("{}: ends {} bytes early", self.what, self.left);
                    return Err(StoreError::new(ErrorKind::Corrupt, message));
                }
                None => return Ok(None),
            }
        }
    }
}
