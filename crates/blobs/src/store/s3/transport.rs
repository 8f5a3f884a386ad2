//! How does a request reach a server, and how often is it tried?

use std::{path::Path, sync::Arc, time::Duration, time::SystemTime};

use bytes::{Bytes, BytesMut};
use http::{
    HeaderMap, HeaderName, HeaderValue, Method, Request, StatusCode, Uri,
    header::{HOST, RETRY_AFTER, USER_AGENT},
};
use http_body_util::BodyExt;
use hyper::body::Incoming;
use hyper_rustls::{HttpsConnector, HttpsConnectorBuilder};
use hyper_util::{
    client::legacy::{Client, connect::HttpConnector},
    rt::{TokioExecutor, TokioTimer},
};
use rustls::{
    ClientConfig, RootCertStore,
    pki_types::{CertificateDer, pem::PemObject},
};
use tokio::time::timeout;

use super::{
    payload::{Payload, PayloadBody},
    sign::sign_request,
    xml::text_of,
};
use crate::store::{ErrorKind, Keys, Retry, S3Options, StoreError, WallClock};

const CONNECT_TIMEOUT: Duration = Duration::from_secs(10);
const IDLE_TIMEOUT: Duration = Duration::from_secs(20);
/// The slowest line on which an upload is not given up.
const SLOWEST_BYTES_PER_SECOND: u64 = 32 * 1024;
/// How much of an answer that is an error is read.
const MAX_ERROR_BYTES: usize = 64 * 1024;

/// Connections to servers; clones share them.
#[derive(Debug, Clone)]
pub(super) struct Transport {
    client: Client<HttpsConnector<HttpConnector>, PayloadBody>,
    patience: Duration,
    retry: Retry,
    clock: WallClock,
}

/// Who signs requests.
pub(super) trait Signer: Sync {
    /// The keys for an attempt that is made now; `None` for an anonymous one.
    fn keys(&self) -> impl Future<Output = Result<Option<Keys>, StoreError>> + Send;

    /// Forgets keys that a server called expired, and says whether there are others to be had.
    fn forget(&self) -> impl Future<Output = bool> + Send;
}

/// Keys that never change.
impl Signer for Keys {
    async fn keys(&self) -> Result<Option<Keys>, StoreError> {
        Ok(Some(self.clone()))
    }

    async fn forget(&self) -> bool {
        false
    }
}

/// A request, in a form that can be sent again.
pub(super) struct Ask {
    /// What is being done, for messages.
    pub(super) what: String,
    pub(super) method: Method,
    pub(super) uri: Uri,
    pub(super) headers: Vec<(HeaderName, String)>,
    pub(super) payload: Payload,
}

/// An answer that is no error, its body not read yet.
pub(super) struct Answer {
    pub(super) headers: HeaderMap,
    pub(super) body: Incoming,
    what: String,
    patience: Duration,
}

/// A failed attempt.
struct Attempt {
    error: StoreError,
    /// Whether the server called the keys expired.
    keys_expired: bool,
}

impl From<StoreError> for Attempt {
    fn from(error: StoreError) -> Attempt {
        Attempt { error, keys_expired: false }
    }
}

impl Transport {
    pub(super) fn new(options: &S3Options) -> Result<Transport, StoreError> {
        let mut http = HttpConnector::new();
        http.enforce_http(false);
        http.set_connect_timeout(Some(CONNECT_TIMEOUT));
        http.set_nodelay(true);
        let connector = HttpsConnectorBuilder::new()
            .with_tls_config(tls_config(options.extra_ca_file.as_deref())?)
            .https_or_http()
            .enable_http1()
            .wrap_connector(http);
        let client = Client::builder(TokioExecutor::new())
            .pool_timer(TokioTimer::new())
            .pool_idle_timeout(IDLE_TIMEOUT)
            .build(connector);
        let S3Options { patience, retry, clock, .. } = options;
        Ok(Transport { client, patience: *patience, retry: *retry, clock: clock.clone() })
    }

    pub(super) fn now(&self) -> SystemTime {
        self.clock.now()
    }

    /// Sends a request until it is answered, or until it is not worth another try.
    pub(super) async fn send(
        &self,
        ask: &Ask,
        scope: (&str, &str),
        signer: &impl Signer,
    ) -> Result<Answer, StoreError> {
        let mut attempt = 1;
        let mut renewed = false;
        loop {
            let failed = match self.once(ask, scope, signer.keys().await?).await {
                Ok(answer) => return Ok(answer),
                Err(failed) => failed,
            };
            if failed.keys_expired && !renewed && signer.forget().await {
                renewed = true;
                continue;
            }
            if !failed.error.is_retryable() || attempt >= self.retry.attempts {
                return Err(failed.error);
            }
            let wait = self.retry.wait(attempt, failed.error.retry_after());
            let wait_ms = u64::try_from(wait.as_millis()).unwrap_or(u64::MAX);
            tracing::warn!(error = %failed.error, attempt, wait_ms, "a request is tried again");
            tokio::time::sleep(wait).await;
            attempt += 1;
        }
    }

    async fn once(&self, ask: &Ask, scope: (&str, &str), keys: Option<Keys>) -> Result<Answer, Attempt> {
        let Ask { what, method, uri, headers, payload } = ask;
        let mut request = Request::new(payload.open().await?);
        *request.method_mut() = method.clone();
        *request.uri_mut() = uri.clone();
        let all = request.headers_mut();
        let host = uri.authority().map(|authority| authority.as_str()).unwrap_or_default();
        all.insert(HOST, header_value(host)?);
        for (name, value) in headers {
            all.insert(name.clone(), header_value(value)?);
        }
        if let Some(keys) = keys {
            sign_request(&mut request, &keys, scope, &payload.sha256(), self.clock.now())?;
        }
        let agent = concat!("canvass/", env!("CARGO_PKG_VERSION"));
        request.headers_mut().insert(USER_AGENT, HeaderValue::from_static(agent));
        let patience = self.patience + Duration::from_secs(payload.bytes() / SLOWEST_BYTES_PER_SECOND);
        let response = match timeout(patience, self.client.request(request)).await {
            Ok(Ok(response)) => response,
            Ok(Err(error)) => return Err(unreachable(what, &error).into()),
            Err(_) => return Err(timed_out(what, patience).into()),
        };
        let (parts, body) = response.into_parts();
        let answer = Answer { headers: parts.headers, body, what: what.clone(), patience: self.patience };
        if parts.status.is_success() {
            return Ok(answer);
        }
        Err(answer.into_failure(parts.status).await)
    }
}

impl Answer {
    /// A header as text.
    pub(super) fn header(&self, name: &str) -> Option<&str> {
        self.headers.get(name)?.to_str().ok()
    }

    /// The whole body, which must not be longer than `most`.
    pub(super) async fn read(self, most: usize) -> Result<Bytes, StoreError> {
        let Answer { headers: _, mut body, what, patience } = self;
        let mut whole = BytesMut::new();
        let read = async {
            while let Some(frame) = body.frame().await {
                let frame = frame.map_err(|error| unreachable(&what, &error))?;
                let Some(data) = frame.data_ref() else { continue };
                if whole.len() + data.len() > most {
                    return Err(StoreError::new(
                        ErrorKind::Protocol,
                        format!("{what}: the answer is too long"),
                    ));
                }
                whole.extend_from_slice(data);
            }
            Ok(())
        };
        timeout(patience, read).await.unwrap_or_else(|_| Err(timed_out(&what, patience)))?;
        Ok(whole.freeze())
    }

    async fn into_failure(self, status: StatusCode) -> Attempt {
        let what = self.what.clone();
        let wait = self.header(RETRY_AFTER.as_str()).and_then(|text| text.trim().parse().ok());
        let region = self.header("x-amz-bucket-region").map(one_line);
        // an answer to HEAD has no body, and a broken one says no more than its status
        let body = self.read(MAX_ERROR_BYTES).await.unwrap_or_default();
        let code = text_of(&body, "Code").ok().flatten().unwrap_or_default();
        let told = text_of(&body, "Message").ok().flatten().unwrap_or_default();
        let mut message = format!("{what}: the server says {}", status.as_u16());
        for part in [&code, &told] {
            if !part.is_empty() {
                message.push_str(if part == &code { " " } else { ": " });
                message.push_str(&one_line(part));
            }
        }
        if let (StatusCode::MOVED_PERMANENTLY | StatusCode::BAD_REQUEST, Some(region)) = (status, region) {
            message.push_str(&format!("; the bucket is in the region `{region}`"));
        }
        let error =
            StoreError::new(kind_of(status, &code), message).with_retry_after(wait.map(Duration::from_secs));
        Attempt { error, keys_expired: matches!(code.as_str(), "ExpiredToken" | "ExpiredTokenException") }
    }
}

fn kind_of(status: StatusCode, code: &str) -> ErrorKind {
    match (status.as_u16(), code) {
        (_, "SlowDown" | "Throttling" | "ThrottlingException" | "RequestLimitExceeded") | (429, _) => {
            ErrorKind::Throttled
        }
        (_, "BadDigest" | "XAmzContentSHA256Mismatch" | "InvalidDigest") => ErrorKind::Corrupt,
        (_, "RequestTimeout") | (408, _) => ErrorKind::TimedOut,
        (_, "NotImplemented") | (501, _) => ErrorKind::Unsupported,
        (401 | 403, _) => ErrorKind::Denied,
        (404, _) => ErrorKind::NotFound,
        // two writers of one key at once: the loser asks again and is told that it is there
        (_, "ConditionalRequestConflict" | "OperationAborted") => ErrorKind::Server,
        (412, _) => ErrorKind::AlreadyThere,
        (500..=599, _) => ErrorKind::Server,
        _ => ErrorKind::Configuration,
    }
}

fn header_value(text: &str) -> Result<HeaderValue, StoreError> {
    HeaderValue::from_str(text).map_err(|_| {
        let message = format!("`{}` cannot be sent as a header", text.escape_debug());
        StoreError::new(ErrorKind::Configuration, message)
    })
}

pub(super) fn unreachable(what: &str, error: &dyn std::error::Error) -> StoreError {
    let mut message = format!("{what}: {error}");
    let mut cause = error.source();
    while let Some(inner) = cause {
        let told = inner.to_string();
        if !message.contains(&told) {
            message.push_str(": ");
            message.push_str(&told);
        }
        cause = inner.source();
    }
    StoreError::new(ErrorKind::Unreachable, message)
}

pub(super) fn timed_out(what: &str, patience: Duration) -> StoreError {
    StoreError::new(ErrorKind::TimedOut, format!("{what}: no answer within {} s", patience.as_secs()))
}

/// A server's words, without line ends and not too many of them.
fn one_line(text: &str) -> String {
    text.chars().map(|c| if c.is_control() { ' ' } else { c }).take(300).collect()
}

/// The public certificate authorities and those of the file.
fn tls_config(extra_ca_file: Option<&Path>) -> Result<ClientConfig, StoreError> {
    let mut roots = RootCertStore::from_iter(webpki_roots::TLS_SERVER_ROOTS.iter().cloned());
    if let Some(path) = extra_ca_file {
        let bad = |reason: String| {
            StoreError::new(ErrorKind::Configuration, format!("{}: {reason}", path.display()))
        };
        let pem = std::fs::read(path).map_err(StoreError::io(path))?;
        for certificate in CertificateDer::pem_slice_iter(&pem) {
            let certificate = certificate.map_err(|error| bad(error.to_string()))?;
            roots.add(certificate).map_err(|error| bad(error.to_string()))?;
        }
    }
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    Ok(ClientConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .expect("ring offers the cipher suites of the default versions")
        .with_root_certificates(roots)
        .with_no_client_auth())
}
