//! How does a test ask without trusting any HTTP library?

use std::{io::Read, sync::Arc, time::Duration};

use sandbox::{Behaviour, Plan, ServeOptions, Server, Site, World};
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::TcpStream,
    time::timeout,
};

/// A world of these behaviours, one site each, being served.
pub struct Sandbox {
    pub world: Arc<World>,
    pub server: Server,
}

pub async fn serve(plan: &Plan) -> Sandbox {
    serve_with(plan, ServeOptions::default()).await
}

pub async fn serve_with(plan: &Plan, options: ServeOptions) -> Sandbox {
    let world = Arc::new(World::build(plan));
    let server = Server::start(Arc::clone(&world), options).await.expect("the sandbox starts");
    Sandbox { world, server }
}

/// What came over the wire.
#[derive(Debug)]
pub struct Seen {
    pub bytes: Vec<u8>,
    /// Whether the connection ended by a reset.
    pub reset: bool,
    /// Whether the connection ended at all.
    pub ended: bool,
}

impl Sandbox {
    pub fn site(&self, behaviour: Behaviour) -> &Site {
        self.world
            .sites()
            .iter()
            .find(|site| site.behaviour == behaviour)
            .expect("the plan has this behaviour")
    }

    pub async fn connect(&self, site: &Site) -> TcpStream {
        let address = site.address.expect("the site has an address");
        TcpStream::connect((address, self.server.http_port())).await.expect("somebody listens")
    }

    /// Asks for `path` with `Connection: close`, and reads until the connection ends, patience ends or `most` bytes came.
    pub async fn see(&self, host: &str, path: &str, accept: &str, most: usize) -> Seen {
        let site = self.world.site_at(host).expect("the world has this host");
        let mut stream = self.connect(site).await;
        let request = format!(
            "GET {path} HTTP/1.1\r\nHost: {host}\r\nUser-Agent: test/1\r\nAccept-Encoding: {accept}\r\nConnection: close\r\n\r\n"
        );
        stream.write_all(request.as_bytes()).await.expect("the request is taken");
        read_until(&mut stream, most).await
    }

    pub async fn get(&self, host: &str, path: &str, accept: &str) -> Response {
        let seen = self.see(host, path, accept, usize::MAX).await;
        parse(&seen.bytes)
            .unwrap_or_else(|| panic!("{host}{path}: {:?}", String::from_utf8_lossy(&seen.bytes)))
    }

    /// The first target of the site that behaves so.
    pub async fn get_target(&self, behaviour: Behaviour) -> Response {
        let (host, path) = self.target(behaviour);
        self.get(&host, &path, "gzip, deflate, br, zstd").await
    }

    pub async fn see_target(&self, behaviour: Behaviour) -> Seen {
        let (host, path) = self.target(behaviour);
        self.see(&host, &path, "", 32 << 20).await
    }

    fn target(&self, behaviour: Behaviour) -> (String, String) {
        let truth = self.world.truth_lines().find(|line| line.behaviour == Some(behaviour));
        let url = truth.expect("every site has a target").url;
        let (host, path) = host_and_path(&url);
        (host.to_owned(), path.to_owned())
    }
}

pub fn host_and_path(url: &str) -> (&str, &str) {
    let rest = url.split_once("://").expect("an absolute URL").1;
    rest.split_at(rest.find('/').expect("a path"))
}

pub async fn read_until(stream: &mut TcpStream, most: usize) -> Seen {
    let mut seen = Seen { bytes: Vec::new(), reset: false, ended: false };
    let mut piece = vec![0; 64 << 10];
    while seen.bytes.len() < most {
        match timeout(Duration::from_secs(2), stream.read(&mut piece)).await {
            Err(_) => break,
            Ok(Ok(0)) => {
                seen.ended = true;
                break;
            }
            Ok(Ok(count)) => seen.bytes.extend_from_slice(&piece[..count]),
            Ok(Err(error)) => {
                seen.ended = true;
                seen.reset = error.kind() == std::io::ErrorKind::ConnectionReset;
                break;
            }
        }
    }
    seen
}

#[derive(Debug)]
pub struct Response {
    pub status: u16,
    pub headers: Vec<(String, String)>,
    /// Without chunks, still encoded.
    pub body: Vec<u8>,
}

impl Response {
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers
            .iter()
            .find(|(other, _)| other.eq_ignore_ascii_case(name))
            .map(|(_, value)| value.as_str())
    }

    pub fn decoded(&self) -> Vec<u8> {
        let body = &self.body[..];
        let mut plain = Vec::new();
        match self.header("content-encoding") {
            Some("gzip") => flate2::read::GzDecoder::new(body).read_to_end(&mut plain),
            Some("deflate") => flate2::read::ZlibDecoder::new(body).read_to_end(&mut plain),
            Some("br") => brotli::Decompressor::new(body, 4096).read_to_end(&mut plain),
            Some("zstd") => {
                zstd::stream::read::Decoder::new(body).and_then(|mut d| d.read_to_end(&mut plain))
            }
            _ => return body.to_vec(),
        }
        .expect("the body decodes");
        plain
    }

    pub fn text(&self) -> String {
        String::from_utf8(self.decoded()).expect("UTF-8")
    }
}

/// Reads one response that ends where `bytes` end, by its framing.
pub fn parse(bytes: &[u8]) -> Option<Response> {
    let end = bytes.windows(4).position(|window| window == b"\r\n\r\n")?;
    let head = std::str::from_utf8(&bytes[..end]).ok()?;
    let mut lines = head.split("\r\n");
    let status = lines.next()?.strip_prefix("HTTP/1.1 ")?.split(' ').next()?.parse().ok()?;
    let headers = lines
        .map(|line| line.split_once(": ").map(|(name, value)| (name.to_owned(), value.to_owned())))
        .collect::<Option<Vec<_>>>()?;
    let mut response = Response { status, headers, body: bytes[end + 4..].to_vec() };
    if response.header("transfer-encoding") == Some("chunked") {
        response.body = unchunk(&response.body)?;
    }
    Some(response)
}

fn unchunk(mut bytes: &[u8]) -> Option<Vec<u8>> {
    let mut body = Vec::new();
    loop {
        let end = bytes.windows(2).position(|window| window == b"\r\n")?;
        let size = usize::from_str_radix(std::str::from_utf8(&bytes[..end]).ok()?, 16).ok()?;
        bytes = &bytes[end + 2..];
        if size == 0 {
            return (bytes == b"\r\n").then_some(body);
        }
        body.extend_from_slice(bytes.get(..size)?);
        bytes = bytes.get(size..)?.strip_prefix(b"\r\n")?;
    }
}
