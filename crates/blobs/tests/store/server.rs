//! How does a server behave on a bad day? As a test scripts it.

use std::{
    collections::HashMap,
    io::{BufRead, BufReader, Write},
    net::{TcpListener, TcpStream},
    process::Command,
    sync::{Arc, Mutex},
    thread,
};

use blobs::store::{Location, S3Options};

/// A request as it came.
#[derive(Debug, Clone)]
pub struct Request {
    pub method: String,
    pub path: String,
    pub headers: HashMap<String, String>,
    pub body: Vec<u8>,
}

/// What the server does with a request.
pub enum Reply {
    Answer {
        status: u16,
        headers: Vec<(&'static str, String)>,
        body: String,
    },
    /// Closes the connection without a word.
    Cut,
    /// Sends a body that never ends.
    Flood,
}

impl Reply {
    pub fn ok() -> Reply {
        Reply::Answer { status: 200, headers: Vec::new(), body: String::new() }
    }

    pub fn error(status: u16, code: &str) -> Reply {
        let body = format!("<Error><Code>{code}</Code><Message>so it is</Message></Error>");
        Reply::Answer { status, headers: Vec::new(), body }
    }
}

/// A server on loopback, for as long as the process lives.
pub struct Server {
    pub url: String,
    seen: Arc<Mutex<Vec<Request>>>,
}

impl Server {
    /// Serves; `reply` gets the number of the request, from 0, and the request.
    pub fn start(reply: impl Fn(usize, &Request) -> Reply + Send + Sync + 'static) -> Server {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let url = format!("http://{}", listener.local_addr().unwrap());
        let seen: Arc<Mutex<Vec<Request>>> = Arc::default();
        let (reply, log) = (Arc::new(reply), Arc::clone(&seen));
        thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let (reply, log) = (Arc::clone(&reply), Arc::clone(&log));
                thread::spawn(move || serve(stream, &*reply, &log));
            }
        });
        Server { url, seen }
    }

    pub fn seen(&self) -> Vec<Request> {
        self.seen.lock().unwrap().clone()
    }
}

fn serve(stream: TcpStream, reply: &dyn Fn(usize, &Request) -> Reply, log: &Mutex<Vec<Request>>) {
    let mut writer = stream.try_clone().unwrap();
    let mut reader = BufReader::new(stream);
    while let Some(request) = read(&mut reader) {
        let number = {
            let mut log = log.lock().unwrap();
            log.push(request.clone());
            log.len() - 1
        };
        let sent = match reply(number, &request) {
            Reply::Cut => return,
            Reply::Flood => {
                let begun = writer.write_all(b"HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n");
                let chunk = [b"10000\r\n".as_slice(), &[b'x'; 0x10000], b"\r\n"].concat();
                if begun.is_ok() {
                    while writer.write_all(&chunk).is_ok() {}
                }
                return;
            }
            Reply::Answer { status, headers, body } => {
                let mut head = format!("HTTP/1.1 {status} x\r\ncontent-length: {}\r\n", body.len());
                for (name, value) in headers {
                    head.push_str(&format!("{name}: {value}\r\n"));
                }
                writer.write_all(format!("{head}\r\n{body}").as_bytes())
            }
        };
        if sent.is_err() {
            return;
        }
    }
}

fn read(reader: &mut impl BufRead) -> Option<Request> {
    let mut line = String::new();
    reader.read_line(&mut line).ok().filter(|read| *read > 0)?;
    let mut words = line.split_whitespace().map(str::to_owned);
    let (method, path) = (words.next()?, words.next()?);
    let mut headers = HashMap::new();
    loop {
        let mut line = String::new();
        reader.read_line(&mut line).ok()?;
        let Some((name, value)) = line.trim_end().split_once(':') else { break };
        headers.insert(name.to_ascii_lowercase(), value.trim().to_owned());
    }
    let length = headers.get("content-length").map_or(0, |text| text.parse().unwrap());
    let mut body = vec![0; length];
    reader.read_exact(&mut body).ok()?;
    Some(Request { method, path, headers, body })
}

/// How many uploads in parts are open below a place, as another client sees it.
pub async fn uploads_under_way(location: &Location, options: &S3Options) -> usize {
    let Location::S3 { bucket, prefix } = location else { unreachable!() };
    let keys = options.keys.as_ref().unwrap();
    // MinIO lists the uploads of a whole key only
    let prefix = format!("{prefix}/k").replace('/', "%2F");
    let url = format!("{}/{bucket}?prefix={prefix}&uploads=", options.endpoint_url.as_ref().unwrap());
    let listed = Command::new("curl")
        .args(["--silent", "--show-error", "--fail", "--aws-sigv4", "aws:amz:us-east-1:s3", "--user"])
        .arg(format!("{}:{}", keys.access_key_id, keys.secret_access_key))
        .arg(url)
        .output()
        .expect("curl is installed");
    let told = String::from_utf8_lossy(&listed.stdout).into_owned();
    assert!(
        told.contains("ListMultipartUploadsResult"),
        "{told} {}",
        String::from_utf8_lossy(&listed.stderr)
    );
    told.matches("<UploadId>").count()
}
