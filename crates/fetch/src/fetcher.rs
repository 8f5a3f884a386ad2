//! How does a lease become one request and one response?

use std::{
    net::{IpAddr, SocketAddr},
    sync::Arc,
};

use domain::{Failure, FailureKind, Lease, Purpose, Timings};
use http::{HeaderMap, HeaderValue, StatusCode, Version, header};
use hyper::body::Incoming;
use tokio::{
    sync::Semaphore,
    time::{Duration, Instant, timeout_at},
};

use crate::{
    BodyPlace, FetchError, FetchSettings, Response, SetupError,
    body::{self, BodyRules, ReadBody},
    connect::{Connection, Connector, micros_since},
    content_type::WantedTypes,
    destination::{Destination, Origin, Split},
    failure::HeadFailure,
    is_redirect,
    pool::Pool,
    resolve::Resolver,
    tls,
};

/// What RFC 9309 asks a crawler to parse at least, and all that we read of a robots.txt.
const MAX_ROBOTS_BYTES: usize = 500 * 1024;
/// Nobody reads a redirect's body; a little of it is read so that the connection can be used again.
const MAX_REDIRECT_BYTES: usize = 16 * 1024;
const MAX_REDIRECT_WAIT: Duration = Duration::from_secs(1);

/// Sends requests. Cloning it is cheap and shares the connections.
#[derive(Clone)]
pub struct Fetcher(Arc<Inner>);

struct Inner {
    resolver: Resolver,
    connector: Connector,
    pool: Pool,
    wanted_types: WantedTypes,
    headers: HeaderMap,
    large_places: Arc<Semaphore>,
    settings: FetchSettings,
}

/// Where a request will go: over an open connection, or to addresses that were resolved and checked.
pub struct Route {
    lease_id: u64,
    destination: Destination,
    way: Way,
    resolve_us: u64,
    fetcher: Fetcher,
}

enum Way {
    /// Taken for another request, or given back to the pool when the route is dropped.
    Open(Option<Connection>, SocketAddr),
    Addresses(Vec<SocketAddr>),
}

impl Route {
    /// The address that will be asked first.
    #[must_use]
    pub fn address(&self) -> IpAddr {
        match &self.way {
            Way::Open(_, remote) => remote.ip(),
            Way::Addresses(addresses) => addresses[0].ip(),
        }
    }
}

impl Drop for Route {
    fn drop(&mut self) {
        if let Way::Open(connection, _) = &mut self.way
            && let Some(connection) = connection.take()
        {
            self.fetcher.0.pool.put(&self.destination.origin, connection, Instant::now());
        }
    }
}

impl Fetcher {
    /// A fetcher with these settings.
    ///
    /// # Errors
    /// Names the file, line or setting that cannot be used.
    pub fn new(settings: FetchSettings) -> Result<Fetcher, SetupError> {
        let tls = tls::client_config(&settings)?;
        Ok(Fetcher(Arc::new(Inner {
            resolver: Resolver::new(&settings)?,
            connector: Connector::new(&settings, tls),
            pool: Pool::new(settings.max_idle_connections, settings.idle_connection_timeout),
            wanted_types: WantedTypes::new(&settings.accept_content_types),
            headers: request_headers(&settings)?,
            large_places: Arc::new(Semaphore::new(settings.large_bodies_at_once.max(1))),
            settings,
        })))
    }

    /// Finds out where the lease's request would go. Nothing is sent but a DNS query.
    ///
    /// # Errors
    /// `PrivateAddress` where any of the host's addresses is not globally routable and not allowed.
    pub async fn route(&self, lease: &Lease) -> Result<Route, FetchError> {
        let started = Instant::now();
        let Split { origin, path } = Split::of(&lease.url)?;
        // An open connection leads to an address that was checked when it was made.
        let (origin, way, resolve_us) = match self.0.pool.take(&origin, started) {
            Some((origin, connection)) => {
                let remote = connection.remote;
                (origin, Way::Open(Some(connection), remote), 0)
            }
            None => {
                let origin = Arc::new(Origin::named(&origin)?);
                let addresses = self.0.resolver.resolve(&origin).await?;
                (origin, Way::Addresses(addresses), micros_since(started))
            }
        };
        let destination = Destination { origin, path };
        Ok(Route { lease_id: lease.id, destination, way, resolve_us, fetcher: self.clone() })
    }

    /// Sends one request on the route made for the lease and reads its response within the limits.
    ///
    /// # Errors
    /// With the kind of what went wrong; an HTTP error status is a response, not an error.
    pub async fn fetch(&self, lease: &Lease, mut route: Route) -> Result<Response, FetchError> {
        debug_assert_eq!(lease.id, route.lease_id, "a route is for the lease that it was made for");
        let started = Instant::now();
        let deadline = started + self.0.settings.total_timeout;
        let mut timings = Timings { resolve_us: route.resolve_us, ..Timings::default() };
        let (connection, head) = self.exchange(&mut route, deadline, &mut timings).await?;
        let response = self.receive(lease, &route.destination, connection, head, deadline).await?;
        timings.total_us = timings.resolve_us.saturating_add(micros_since(started));
        Ok(Response { timings, ..response })
    }

    /// The request and the response's head, over the open connection or a new one.
    async fn exchange(
        &self,
        route: &mut Route,
        deadline: Instant,
        timings: &mut Timings,
    ) -> Result<(Connection, http::Response<Incoming>), Failure> {
        let destination = &route.destination;
        let addresses = match &mut route.way {
            Way::Addresses(addresses) => std::mem::take(addresses),
            Way::Open(open, remote) => {
                let mut connection = open.take().expect("a route is fetched once");
                match self.ask(&mut connection, destination, deadline, timings).await {
                    Ok(head) => return Ok((connection, head)),
                    // The server closed it while it was idle and saw nothing of this: ask the same, already checked
                    // address anew.
                    Err(lost) if lost.unseen => vec![*remote],
                    Err(other) => return Err(other.failure),
                }
            }
        };
        let origin = &destination.origin;
        let mut connection = self.0.connector.connect(origin, &addresses, deadline, timings).await?;
        if let Some(shared) = connection.share() {
            self.0.pool.put(origin, shared, Instant::now());
        }
        let answer = self.ask(&mut connection, destination, deadline, timings).await;
        answer.map(|head| (connection, head)).map_err(|error| error.failure)
    }

    async fn ask(
        &self,
        connection: &mut Connection,
        destination: &Destination,
        deadline: Instant,
        timings: &mut Timings,
    ) -> Result<http::Response<Incoming>, HeadFailure> {
        let started = Instant::now();
        let until = deadline.min(started + self.0.settings.first_byte_timeout);
        let head = timeout_at(until, connection.ask(destination, &self.0.headers))
            .await
            .map_err(|_| Failure::new(FailureKind::ResponseTimeout, "no response head in time"))??;
        timings.first_byte_us = micros_since(started);
        if is_flood(head.headers(), &self.0.settings) {
            return Err(Failure::new(FailureKind::HeaderFlood, "more headers than the limits allow").into());
        }
        Ok(head)
    }

    async fn receive(
        &self,
        lease: &Lease,
        destination: &Destination,
        connection: Connection,
        head: http::Response<Incoming>,
        deadline: Instant,
    ) -> Result<Response, Failure> {
        let (head, incoming) = head.into_parts();
        let remote = connection.remote;
        let wanted = lease.purpose == Purpose::Robots
            || !head.status.is_success()
            || self.0.wanted_types.accept(head.headers.get(header::CONTENT_TYPE).map(HeaderValue::as_bytes));
        let mut body = ReadBody::default();
        if wanted {
            let rules = self.body_rules(lease, head.status, deadline);
            match body::read(incoming, &head.headers, head.version, &rules).await {
                Ok(read) => body = read,
                Err(failure) if body_decides(head.status) => {
                    return Err(Failure { status: Some(head.status.as_u16()), ..failure });
                }
                Err(_) => body.truncated = true,
            }
            if lease.more_to_come && !body.truncated && may_stay_open(&head.headers, head.version) {
                self.0.pool.put(&destination.origin, connection, Instant::now());
            }
        }
        Ok(Response {
            status: head.status.as_u16(),
            http_version: version_name(head.version),
            headers: head.headers,
            wire_body: body.wire,
            wire_encoding: body.wire_encoding,
            body: body.decoded,
            truncated: body.truncated,
            skipped_body: !wanted,
            remote,
            timings: Timings::default(),
            place: body.place.map(|permit| BodyPlace { _permit: permit }),
        })
    }

    fn body_rules(&self, lease: &Lease, status: StatusCode, deadline: Instant) -> BodyRules {
        let settings = &self.0.settings;
        let mut rules = BodyRules {
            limit: settings.max_body_bytes,
            idle_timeout: settings.body_idle_timeout,
            deadline,
            large_places: Arc::clone(&self.0.large_places),
        };
        if is_redirect(status.as_u16()) {
            rules.limit = MAX_REDIRECT_BYTES;
            rules.deadline = deadline.min(Instant::now() + MAX_REDIRECT_WAIT);
        } else if lease.purpose == Purpose::Robots {
            rules.limit = MAX_ROBOTS_BYTES;
        }
        rules
    }
}

/// HTTP/1 heads are bounded while they are parsed; this is for those of HTTP/2, which come compressed.
fn is_flood(headers: &HeaderMap, settings: &FetchSettings) -> bool {
    let bytes: usize = headers.iter().map(|(name, value)| name.as_str().len() + value.len()).sum();
    headers.len() > settings.max_headers || bytes > settings.max_header_bytes
}

/// Whether a body that cannot be read makes the fetch fail: a page's does, and a bare 500 is judged by its body's
/// length. Any other status has said it all.
fn body_decides(status: StatusCode) -> bool {
    status.is_success() || status == StatusCode::INTERNAL_SERVER_ERROR
}

fn may_stay_open(headers: &HeaderMap, version: Version) -> bool {
    let says_close = |value: &HeaderValue| {
        value
            .as_bytes()
            .split(|byte| *byte == b',')
            .any(|word| word.trim_ascii().eq_ignore_ascii_case(b"close"))
    };
    version >= Version::HTTP_11 && !headers.get_all(header::CONNECTION).iter().any(says_close)
}

fn version_name(version: Version) -> &'static str {
    match version {
        Version::HTTP_2 => "HTTP/2.0",
        Version::HTTP_10 => "HTTP/1.0",
        _ => "HTTP/1.1",
    }
}

fn request_headers(settings: &FetchSettings) -> Result<HeaderMap, SetupError> {
    let value = |setting, text: &str| {
        HeaderValue::from_str(text).map_err(|_| SetupError::BadSetting {
            setting,
            reason: "holds characters that no header may have".to_owned(),
        })
    };
    if settings.user_agent.trim().is_empty() {
        let reason = "is empty; say who is asking".to_owned();
        return Err(SetupError::BadSetting { setting: "user_agent", reason });
    }
    let mut headers = HeaderMap::with_capacity(8);
    headers.insert(header::USER_AGENT, value("user_agent", &settings.user_agent)?);
    headers.insert(
        header::ACCEPT,
        HeaderValue::from_static("text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8"),
    );
    headers.insert(header::ACCEPT_ENCODING, HeaderValue::from_static("gzip, br, zstd, deflate"));
    if !settings.accept_language.is_empty() {
        headers.insert(header::ACCEPT_LANGUAGE, value("accept_language", &settings.accept_language)?);
    }
    Ok(headers)
}
