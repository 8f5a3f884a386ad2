//! How is a world served?

mod connection;
mod h2;
mod head;
mod listeners;
mod log;
mod shared;
mod tls;

use std::{io, net::Ipv4Addr, path::PathBuf, sync::Arc, time::Duration};

use tokio::{net::TcpListener, task::JoinSet};
use tokio_rustls::LazyConfigAcceptor;

use crate::{Behaviour, World};
use listeners::Listeners;
pub use log::Request;
use shared::Shared;
use tls::Authority;

/// How a world is to be served.
#[derive(Debug, Clone)]
pub struct ServeOptions {
    /// The port for HTTP on every address; 0 for any that is free on all of them.
    pub http_port: u16,
    /// The port for TLS on every address; 0 for any that is free on all of them.
    pub https_port: u16,
    /// Whether requests are recorded; a record costs about 250 bytes of memory and a microsecond.
    pub record: bool,
    /// Where records are also written as they come, one JSON object a line, so that another process can read them.
    pub log_file: Option<PathBuf>,
    /// How slow the slow behaviours are.
    pub pace: Pace,
    /// Whether the pages of a benchmark go out as gzip to a client that accepts it.
    pub gzip_uniform_pages: bool,
}

impl Default for ServeOptions {
    fn default() -> ServeOptions {
        ServeOptions {
            http_port: 0,
            https_port: 0,
            record: true,
            log_file: None,
            pace: Pace::default(),
            gzip_uniform_pages: true,
        }
    }
}

/// How slow the slow behaviours are. The defaults suit a client that waits 2 s for a head, 2 s for the next byte and 6 s
/// for the whole.
#[derive(Debug, Clone)]
pub struct Pace {
    /// After how long a hanging answer, an idle connection or a script is given up.
    pub patience: Duration,
    /// How long a drip takes that ends.
    pub drip_total: Duration,
    /// How long an endless drip waits between two bytes.
    pub endless_drip_every: Duration,
    /// How long a slow robots.txt takes.
    pub slow_robots: Duration,
    /// What `Retry-After` says.
    pub retry_after_seconds: u32,
}

impl Default for Pace {
    fn default() -> Pace {
        Pace {
            patience: Duration::from_secs(120),
            drip_total: Duration::from_millis(1_500),
            endless_drip_every: Duration::from_millis(500),
            slow_robots: Duration::from_secs(1),
            retry_after_seconds: 1,
        }
    }
}

/// Why a world could not be served.
#[derive(Debug, thiserror::Error)]
pub enum SandboxError {
    /// An address and port could not be listened on.
    #[error("cannot listen on {address}:{port}")]
    Listen {
        /// The address.
        address: Ipv4Addr,
        /// The port.
        port: u16,
        /// What the system said.
        source: io::Error,
    },
    /// No port was free on all addresses.
    #[error("no port from {first} to {last} is free on all {addresses} addresses; name one that is")]
    NoFreePort {
        /// The first port that was tried.
        first: u16,
        /// The last port that was tried.
        last: u16,
        /// On how many addresses it had to be free.
        addresses: usize,
    },
    /// A certificate could not be made.
    #[error("cannot make a certificate: {0}")]
    Certificate(String),
    /// The log file could not be created.
    #[error("cannot create the log file {}", path.display())]
    LogFile {
        /// Its path.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
}

/// A world on loopback; it goes away with this value.
#[derive(Debug)]
pub struct Server {
    shared: Arc<Shared>,
    ca_pem: String,
    http_port: u16,
    https_port: u16,
    /// One task for each listener, which owns the tasks of its connections: ending it ends them.
    listening: JoinSet<()>,
}

impl Server {
    /// Serves `world` until it is stopped.
    ///
    /// # Errors
    /// If a port is taken, a certificate cannot be made or the log file cannot be created.
    pub async fn start(world: Arc<World>, options: ServeOptions) -> Result<Server, SandboxError> {
        let Listeners { http, http_port, https, https_port } =
            Listeners::bind(&world, options.http_port, options.https_port)?;
        let authority = Authority::for_world(&world)?;
        let ca_pem = authority.ca_pem.clone();
        let shared = Arc::new(Shared::new(world, options)?);
        let authority = Arc::new(authority);
        let mut listening = JoinSet::new();
        for (address, listener) in http {
            listening.spawn(accept(listener, Arc::clone(&shared), address, None));
        }
        for (address, listener) in https {
            let broken = shared
                .world
                .sites()
                .iter()
                .any(|site| site.behaviour == Behaviour::TlsPlainText && site.address == Some(address));
            let tls = (!broken).then(|| Arc::clone(&authority));
            listening.spawn(accept(listener, Arc::clone(&shared), address, tls));
        }
        tracing::debug!(http_port, https_port, listeners = listening.len(), "serving the sandbox");
        Ok(Server { shared, ca_pem, http_port, https_port, listening })
    }

    /// The hosts file of this world: `ADDRESS NAME 80=PORT 443=PORT`, a line for each name.
    #[must_use]
    pub fn hosts_file(&self) -> String {
        let mut text = String::from(
            "# the hosts of the sandbox: ADDRESS NAME FROM=TO (the port of a URL and the real one)\n",
        );
        for site in self.shared.world.sites() {
            let Some(address) = site.address else { continue };
            for name in site.names() {
                text.push_str(&format!("{address} {name} 80={} 443={}\n", self.http_port, self.https_port));
            }
        }
        text
    }

    /// The certificate of the authority that signed the good certificates.
    #[must_use]
    pub fn ca_pem(&self) -> &str {
        &self.ca_pem
    }

    /// The port for HTTP, the same on every address.
    #[must_use]
    pub fn http_port(&self) -> u16 {
        self.http_port
    }

    /// The port for TLS, the same on every address.
    #[must_use]
    pub fn https_port(&self) -> u16 {
        self.https_port
    }

    /// Every request so far, in the order in which their heads had been read.
    #[must_use]
    pub fn requests(&self) -> Vec<Request> {
        self.shared.log.requests()
    }

    /// Forgets the requests in memory; the log file keeps them.
    pub fn clear_log(&self) {
        self.shared.log.clear();
    }

    /// Makes every "once, then fine" behaviour start over.
    pub fn forget_visits(&self) {
        self.shared.forget_visits();
    }

    /// Closes every listener and connection, and returns when they are closed.
    pub async fn stop(mut self) {
        self.listening.shutdown().await;
    }
}

/// Takes the connections of one listener; with an authority, over TLS.
async fn accept(listener: TcpListener, shared: Arc<Shared>, address: Ipv4Addr, tls: Option<Arc<Authority>>) {
    let mut connections = JoinSet::new();
    loop {
        let accepted = tokio::select! {
            accepted = listener.accept() => accepted,
            Some(_) = connections.join_next() => continue,
        };
        let Ok((stream, _)) = accepted else {
            // Out of descriptors, most likely: others must end first.
            tokio::time::sleep(Duration::from_millis(20)).await;
            continue;
        };
        // A failure only costs speed.
        let _ = stream.set_nodelay(true);
        let shared = Arc::clone(&shared);
        match &tls {
            None => connections.spawn(connection::serve(stream, shared, address, false)),
            Some(authority) => connections.spawn(accept_tls(stream, shared, address, Arc::clone(authority))),
        };
    }
}

async fn accept_tls(
    stream: tokio::net::TcpStream,
    shared: Arc<Shared>,
    address: Ipv4Addr,
    authority: Arc<Authority>,
) {
    let patience = shared.options.pace.patience;
    let handshake = async {
        let start = LazyConfigAcceptor::new(rustls::server::Acceptor::default(), stream).await?;
        let config = authority.config_for(start.client_hello().server_name().unwrap_or_default());
        start.into_stream(config).await
    };
    let Ok(Ok(stream)) = tokio::time::timeout(patience, handshake).await else {
        return;
    };
    if stream.get_ref().1.alpn_protocol() == Some(b"h2") {
        h2::serve(stream, shared, address).await;
    } else {
        connection::serve(stream, shared, address, true).await;
    }
}
