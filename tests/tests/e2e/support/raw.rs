//! How can a test answer a crawler by hand?

use std::{
    io::{BufRead, BufReader, Write},
    net::{IpAddr, SocketAddr, TcpListener, TcpStream},
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
    thread,
    time::Duration,
};

/// What decides over the answer: from the request's host and path to a whole response.
type Answer = dyn Fn(&str, &str) -> String + Send + Sync;

/// A server that answers each request with what a function makes, and counts.
pub struct RawServer {
    pub address: SocketAddr,
    counts: Arc<Counts>,
}

#[derive(Debug, Default)]
struct Counts {
    connections: AtomicUsize,
    under_way: AtomicUsize,
    most_at_once: AtomicUsize,
}

impl RawServer {
    /// Listens on a free port of `ip` until this process ends.
    pub fn start(ip: IpAddr, answer: impl Fn(&str, &str) -> String + Send + Sync + 'static) -> RawServer {
        RawServer::listen(TcpListener::bind((ip, 0)).expect("loopback has a free port"), answer)
    }

    /// Takes over a listener until this process ends.
    pub fn listen(
        listener: TcpListener,
        answer: impl Fn(&str, &str) -> String + Send + Sync + 'static,
    ) -> RawServer {
        let address = listener.local_addr().expect("a listener has an address");
        let counts = Arc::new(Counts::default());
        let (answer, shared): (Arc<Answer>, _) = (Arc::new(answer), Arc::clone(&counts));
        thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                shared.connections.fetch_add(1, Ordering::SeqCst);
                let (answer, counts) = (Arc::clone(&answer), Arc::clone(&shared));
                thread::spawn(move || serve(stream, &*answer, &counts));
            }
        });
        RawServer { address, counts }
    }

    /// Connections so far.
    pub fn connections(&self) -> usize {
        self.counts.connections.load(Ordering::SeqCst)
    }

    /// The most requests that were under way at one time.
    pub fn most_at_once(&self) -> usize {
        self.counts.most_at_once.load(Ordering::SeqCst)
    }
}

/// Answers one request and closes; whatever goes wrong is the client's business.
fn serve(stream: TcpStream, answer: &Answer, counts: &Counts) {
    let _ = stream.set_read_timeout(Some(Duration::from_secs(10)));
    let mut lines = BufReader::new(&stream).lines();
    let Some(Ok(request)) = lines.next() else { return };
    let mut host = String::new();
    for line in lines {
        let Ok(line) = line else { return };
        if line.is_empty() {
            break;
        }
        if let Some((name, value)) = line.split_once(':')
            && name.eq_ignore_ascii_case("host")
        {
            value.trim().clone_into(&mut host);
        }
    }
    let now = counts.under_way.fetch_add(1, Ordering::SeqCst) + 1;
    counts.most_at_once.fetch_max(now, Ordering::SeqCst);
    let response = answer(&host, request.split(' ').nth(1).unwrap_or("/"));
    // before the answer, or the client's next request may be counted beside this one
    counts.under_way.fetch_sub(1, Ordering::SeqCst);
    let _ = (&stream).write_all(response.as_bytes());
}

/// A page.
pub fn page(body: &str) -> String {
    let length = body.len();
    format!(
        "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: {length}\r\nConnection: close\r\n\r\n{body}"
    )
}

/// Nothing there.
pub fn not_found() -> String {
    "HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\nConnection: close\r\n\r\n".to_owned()
}

/// The page has moved.
pub fn redirect(to: &str) -> String {
    format!("HTTP/1.1 302 Found\r\nLocation: {to}\r\nContent-Length: 0\r\nConnection: close\r\n\r\n")
}
