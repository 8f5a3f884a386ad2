//! What do the tests stand on?

use std::{
    net::SocketAddr,
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
    time::Duration,
};

use domain::{FailureKind, Lease, Purpose};
use fetch::{AllowPrivate, FetchError, FetchSettings, Fetcher, Response};
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::{TcpListener, TcpStream},
};

pub fn lease(url: &str) -> Lease {
    Lease { id: 1, purpose: Purpose::Page, url: url.to_owned(), host: String::new(), more_to_come: true }
}

pub fn robots_lease(url: &str) -> Lease {
    Lease { purpose: Purpose::Robots, ..lease(url) }
}

/// Settings for loopback, patient enough for a busy machine.
pub fn loopback_settings() -> FetchSettings {
    FetchSettings { allow_private: AllowPrivate::All, ..FetchSettings::default() }
}

/// For tests of a timeout: short enough to be waited for.
pub fn hasty_settings() -> FetchSettings {
    FetchSettings {
        first_byte_timeout: Duration::from_millis(300),
        body_idle_timeout: Duration::from_millis(300),
        tls_timeout: Duration::from_millis(300),
        ..loopback_settings()
    }
}

pub fn loopback_fetcher() -> Fetcher {
    Fetcher::new(loopback_settings()).unwrap()
}

pub async fn get(fetcher: &Fetcher, url: &str) -> Result<Response, FetchError> {
    get_with(fetcher, &lease(url)).await
}

pub async fn get_with(fetcher: &Fetcher, lease: &Lease) -> Result<Response, FetchError> {
    let route = fetcher.route(lease).await?;
    fetcher.fetch(lease, route).await
}

/// The kind of failure that a fetch ends in.
pub async fn failure_of(fetcher: &Fetcher, url: &str) -> FailureKind {
    match get(fetcher, url).await {
        Err(FetchError::Failed(failure)) => failure.kind,
        other => panic!("{url} should have failed: {other:?}"),
    }
}

/// A server that counts its connections.
pub struct Server {
    pub address: SocketAddr,
    connections: Arc<AtomicUsize>,
}

impl Server {
    /// Runs `serve` with each connection and its number, from 1.
    pub async fn start<F>(serve: impl Fn(TcpStream, usize) -> F + Send + 'static) -> Server
    where
        F: Future<Output = ()> + Send + 'static,
    {
        Server::start_at("127.0.0.1:0", serve).await
    }

    pub async fn start_at<F>(at: &str, serve: impl Fn(TcpStream, usize) -> F + Send + 'static) -> Server
    where
        F: Future<Output = ()> + Send + 'static,
    {
        let listener = TcpListener::bind(at).await.unwrap();
        let address = listener.local_addr().unwrap();
        let connections = Arc::new(AtomicUsize::new(0));
        let counter = Arc::clone(&connections);
        tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                let number = counter.fetch_add(1, Ordering::SeqCst) + 1;
                tokio::spawn(serve(stream, number));
            }
        });
        Server { address, connections }
    }

    /// Answers every request on every connection with these bytes and keeps the connection open.
    pub async fn saying(answer: impl Into<Vec<u8>>) -> Server {
        let answer: Arc<[u8]> = answer.into().into();
        Server::start(move |mut stream, _| {
            let answer = Arc::clone(&answer);
            async move {
                while read_request(&mut stream).await.is_some() {
                    if stream.write_all(&answer).await.is_err() {
                        return;
                    }
                }
            }
        })
        .await
    }

    /// Answers one request with these bytes and closes the connection.
    pub async fn saying_once(answer: impl Into<Vec<u8>>) -> Server {
        let answer: Arc<[u8]> = answer.into().into();
        Server::start(move |mut stream, _| {
            let answer = Arc::clone(&answer);
            async move {
                read_request(&mut stream).await;
                let _ = stream.write_all(&answer).await;
                let _ = stream.shutdown().await;
                // Closing with unread input would reset the connection and may destroy what was just sent.
                let _ = stream.read_to_end(&mut Vec::new()).await;
            }
        })
        .await
    }

    pub fn url(&self, path: &str) -> String {
        format!("http://{}{path}", self.address)
    }

    pub fn connections(&self) -> usize {
        self.connections.load(Ordering::SeqCst)
    }
}

/// The next request's head, or nothing where the connection has ended.
pub async fn read_request(stream: &mut TcpStream) -> Option<String> {
    let mut head = Vec::new();
    while !head.ends_with(b"\r\n\r\n") {
        head.push(stream.read_u8().await.ok()?);
    }
    Some(String::from_utf8(head).unwrap())
}

/// A whole response with a declared length.
pub fn response(head: &str, body: &[u8]) -> Vec<u8> {
    let mut bytes = format!("HTTP/1.1 {head}\r\nContent-Length: {}\r\n\r\n", body.len()).into_bytes();
    bytes.extend_from_slice(body);
    bytes
}
