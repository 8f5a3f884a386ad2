//! How is a connection to a checked address made, and what can be asked through it?

use std::{net::SocketAddr, sync::Arc, time::Duration};

use bytes::Bytes;
use domain::{Failure, FailureKind, Timings};
use http::{HeaderMap, Request, Response, header::HOST};
use http_body_util::Empty;
use hyper::{
    body::Incoming,
    client::conn::{http1, http2},
    rt::{Read, Write},
};
use hyper_util::rt::{TokioExecutor, TokioIo};
use rustls::pki_types::ServerName;
use tokio::{
    net::TcpStream,
    task::AbortHandle,
    time::{Instant, timeout_at},
};
use tokio_rustls::TlsConnector;
use url::Host;

use crate::{
    FetchSettings,
    destination::{Destination, Origin},
    failure::{self, HeadFailure},
};

/// hyper refuses a smaller buffer.
const SMALLEST_HEAD_BUFFER: usize = 8 * 1024;
const HTTP2_STREAM_WINDOW: u32 = 256 * 1024;
const HTTP2_CONNECTION_WINDOW: u32 = 1024 * 1024;
const HTTP2_HEADER_SLACK: u32 = 4;

/// Makes connections.
pub(crate) struct Connector {
    tls: TlsConnector,
    http1: http1::Builder,
    http2: http2::Builder<TokioExecutor>,
    connect_timeout: Duration,
    tls_timeout: Duration,
}

impl Connector {
    pub(crate) fn new(settings: &FetchSettings, tls: Arc<rustls::ClientConfig>) -> Connector {
        let mut http1 = http1::Builder::new();
        http1
            .max_headers(settings.max_headers)
            .max_header_size(settings.max_header_bytes)
            .max_buf_size(settings.max_header_bytes.max(SMALLEST_HEAD_BUFFER))
            // What browsers forgive, a crawler of real sites has to forgive too.
            .allow_spaces_after_header_name_in_responses(true)
            .allow_obsolete_multiline_headers_in_responses(true)
            .ignore_invalid_headers_in_responses(true);
        let mut http2 = http2::Builder::new(TokioExecutor::new());
        http2
            .initial_stream_window_size(HTTP2_STREAM_WINDOW)
            .initial_connection_window_size(HTTP2_CONNECTION_WINDOW)
            // h2 reports a list over its limit like any other breach of protocol, so the limit proper is ours to check.
            .max_header_list_size(
                u32::try_from(settings.max_header_bytes)
                    .unwrap_or(u32::MAX)
                    .saturating_mul(HTTP2_HEADER_SLACK),
            );
        Connector {
            tls: TlsConnector::from(tls),
            http1,
            http2,
            connect_timeout: settings.connect_timeout,
            tls_timeout: settings.tls_timeout,
        }
    }

    /// A connection to the first of these addresses that answers; they must have been checked.
    pub(crate) async fn connect(
        &self,
        origin: &Origin,
        addresses: &[SocketAddr],
        deadline: Instant,
        timings: &mut Timings,
    ) -> Result<Connection, Failure> {
        let started = Instant::now();
        let (tcp, remote) = self.connect_tcp(addresses, deadline).await?;
        timings.connect_us = micros_since(started);
        if !origin.https {
            return self.handshake_http1(TokioIo::new(tcp), remote).await;
        }
        let started = Instant::now();
        let name = server_name(&origin.host)?;
        let until = deadline.min(started + self.tls_timeout);
        let tls = timeout_at(until, self.tls.connect(name, tcp))
            .await
            .map_err(|_| Failure::new(FailureKind::TlsHandshake, "no end of the handshake in time"))?
            .map_err(|error| failure::of_tls(&error))?;
        timings.tls_us = micros_since(started);
        let speaks_http2 = tls.get_ref().1.alpn_protocol() == Some(b"h2");
        let io = TokioIo::new(tls);
        if speaks_http2 {
            self.handshake_http2(io, remote, until).await
        } else {
            self.handshake_http1(io, remote).await
        }
    }

    /// Each address gets an equal share of what is left of the time, so that a dead first one does not use it up.
    async fn connect_tcp(
        &self,
        addresses: &[SocketAddr],
        deadline: Instant,
    ) -> Result<(TcpStream, SocketAddr), Failure> {
        let deadline = deadline.min(Instant::now() + self.connect_timeout);
        let mut last_failure = Failure::new(FailureKind::ConnectUnreachable, "no address to connect to");
        for (tried, address) in addresses.iter().enumerate() {
            let shares = u32::try_from(addresses.len() - tried).unwrap_or(u32::MAX);
            let now = Instant::now();
            let until = now + deadline.saturating_duration_since(now) / shares;
            match timeout_at(until, TcpStream::connect(address)).await {
                Ok(Ok(stream)) => {
                    // A request is one small write: waiting to fill a packet would only delay it.
                    let _ = stream.set_nodelay(true);
                    return Ok((stream, *address));
                }
                Ok(Err(error)) => last_failure = failure::of_connect(&error),
                Err(_) => last_failure = Failure::new(FailureKind::ConnectTimeout, "no connection in time"),
            }
        }
        Err(last_failure)
    }

    async fn handshake_http1<T>(&self, io: T, remote: SocketAddr) -> Result<Connection, Failure>
    where
        T: Read + Write + Unpin + Send + 'static,
    {
        let (sender, connection) =
            self.http1.handshake(io).await.map_err(|error| failure::of_head(&error).failure)?;
        Ok(Connection { remote, sender: Sender::Http1(sender), driver: Driver::spawn(connection) })
    }

    async fn handshake_http2<T>(
        &self,
        io: T,
        remote: SocketAddr,
        until: Instant,
    ) -> Result<Connection, Failure>
    where
        T: Read + Write + Unpin + Send + 'static,
    {
        let (sender, connection) = timeout_at(until, self.http2.handshake(io))
            .await
            .map_err(|_| Failure::new(FailureKind::TlsHandshake, "no HTTP/2 in time"))?
            .map_err(|error| failure::of_head(&error).failure)?;
        Ok(Connection { remote, sender: Sender::Http2(sender), driver: Driver::spawn(connection) })
    }
}

fn server_name(host: &Host) -> Result<ServerName<'static>, Failure> {
    match host {
        Host::Ipv4(ip) => Ok(ServerName::from(std::net::IpAddr::V4(*ip))),
        Host::Ipv6(ip) => Ok(ServerName::from(std::net::IpAddr::V6(*ip))),
        Host::Domain(name) => ServerName::try_from(name.strip_suffix('.').unwrap_or(name).to_owned())
            .map_err(|_| {
                Failure::new(FailureKind::TlsCertificate, "no certificate can hold this host's name")
            }),
    }
}

pub(crate) fn micros_since(started: Instant) -> u64 {
    u64::try_from(started.elapsed().as_micros()).unwrap_or(u64::MAX)
}

/// An open connection.
pub(crate) struct Connection {
    /// The address at its other end, which was checked before it was made.
    pub(crate) remote: SocketAddr,
    sender: Sender,
    driver: Arc<Driver>,
}

enum Sender {
    Http1(http1::SendRequest<Empty<Bytes>>),
    Http2(http2::SendRequest<Empty<Bytes>>),
}

impl Connection {
    /// Whether the other end is known to have closed it.
    pub(crate) fn is_closed(&self) -> bool {
        match &self.sender {
            Sender::Http1(sender) => sender.is_closed(),
            Sender::Http2(sender) => sender.is_closed(),
        }
    }

    /// A second handle on a connection that carries several requests at a time; HTTP/1 has none.
    pub(crate) fn share(&self) -> Option<Connection> {
        match &self.sender {
            Sender::Http1(_) => None,
            Sender::Http2(sender) => Some(Connection {
                remote: self.remote,
                sender: Sender::Http2(sender.clone()),
                driver: Arc::clone(&self.driver),
            }),
        }
    }

    /// Asks for the destination and waits for the response head.
    pub(crate) async fn ask(
        &mut self,
        destination: &Destination,
        headers: &HeaderMap,
    ) -> Result<Response<Incoming>, HeadFailure> {
        let mut request = Request::new(Empty::new());
        headers.clone_into(request.headers_mut());
        let answer = match &mut self.sender {
            Sender::Http1(sender) => {
                *request.uri_mut() = destination.origin_form();
                request.headers_mut().insert(HOST, destination.origin.authority.clone());
                match sender.ready().await {
                    Ok(()) => sender.send_request(request).await,
                    Err(error) => Err(error),
                }
            }
            Sender::Http2(sender) => {
                *request.uri_mut() = destination
                    .absolute_form()
                    .map_err(|error| Failure::new(FailureKind::BadRedirect, failure::one_line(&error)))?;
                match sender.ready().await {
                    Ok(()) => sender.send_request(request).await,
                    Err(error) => Err(error),
                }
            }
        };
        answer.map_err(|error| failure::of_head(&error))
    }
}

/// The task that moves a connection's bytes; it ends with the last handle, whatever the other end does.
struct Driver(AbortHandle);

impl Driver {
    fn spawn(connection: impl Future<Output = Result<(), hyper::Error>> + Send + 'static) -> Arc<Driver> {
        let task = tokio::spawn(async move {
            if let Err(error) = connection.await {
                tracing::debug!(error = failure::one_line(&error), "connection ended with an error");
            }
        });
        Arc::new(Driver(task.abort_handle()))
    }
}

impl Drop for Driver {
    fn drop(&mut self) {
        self.0.abort();
    }
}
