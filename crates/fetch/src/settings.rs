//! What may a fetch cost, and how does it introduce itself?

use std::{net::SocketAddr, path::PathBuf, time::Duration};

use crate::AllowPrivate;

/// Every knob of a fetch; each has a default that suits a polite crawler.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FetchSettings {
    /// The `User-Agent`: who asks, and where to complain.
    pub user_agent: String,
    /// The `Accept-Language`; none is sent where it is empty.
    pub accept_language: String,
    /// How long looking up a name may take.
    pub resolve_timeout: Duration,
    /// How long connecting may take, all addresses of a name together.
    pub connect_timeout: Duration,
    /// How long the TLS handshake may take.
    pub tls_timeout: Duration,
    /// How long after the request the response head must be there.
    pub first_byte_timeout: Duration,
    /// How long a body may pause.
    pub body_idle_timeout: Duration,
    /// How long a fetch may take from connecting to the body's last byte.
    pub total_timeout: Duration,
    /// Where a body is cut: both its wire bytes and its decoded bytes.
    pub max_body_bytes: usize,
    /// How many header lines a response may have.
    pub max_headers: usize,
    /// How many bytes of head a response may have; at least 8 KiB.
    pub max_header_bytes: usize,
    /// The content types whose bodies are downloaded, `*` standing for any characters.
    pub accept_content_types: Vec<String>,
    /// Which addresses may be asked although they are not globally routable.
    pub allow_private: AllowPrivate,
    /// Names with fixed addresses, looked at before DNS: see [`HostsFile`](crate::HostsFile).
    pub hosts_file: Option<PathBuf>,
    /// The name servers to ask; the system's where empty.
    pub nameservers: Vec<SocketAddr>,
    /// Certificate authorities (PEM) to trust beside the public ones.
    pub extra_ca_file: Option<PathBuf>,
    /// How many idle connections are kept, all origins together.
    pub max_idle_connections: usize,
    /// How long an idle connection is kept.
    pub idle_connection_timeout: Duration,
    /// Whether HTTP/2 is offered over TLS.
    pub http2: bool,
    /// How many bodies over 512 KiB may be held at a time: this bounds memory, whatever the sites send.
    pub large_bodies_at_once: usize,
}

impl Default for FetchSettings {
    fn default() -> FetchSettings {
        FetchSettings {
            user_agent: concat!("canvass/", env!("CARGO_PKG_VERSION")).to_owned(),
            accept_language: "en;q=0.9, *;q=0.5".to_owned(),
            resolve_timeout: Duration::from_secs(5),
            connect_timeout: Duration::from_secs(10),
            tls_timeout: Duration::from_secs(10),
            first_byte_timeout: Duration::from_secs(15),
            body_idle_timeout: Duration::from_secs(10),
            total_timeout: Duration::from_secs(45),
            max_body_bytes: 5 * 1024 * 1024,
            max_headers: 256,
            max_header_bytes: 64 * 1024,
            accept_content_types: [
                "text/html",
                "application/xhtml+xml",
                "text/plain",
                "application/json",
                "application/ld+json",
                "application/xml",
                "text/xml",
                "application/rss+xml",
                "application/atom+xml",
            ]
            .map(str::to_owned)
            .to_vec(),
            allow_private: AllowPrivate::None,
            hosts_file: None,
            nameservers: Vec::new(),
            extra_ca_file: None,
            max_idle_connections: 1024,
            idle_connection_timeout: Duration::from_secs(20),
            http2: true,
            large_bodies_at_once: 8,
        }
    }
}
