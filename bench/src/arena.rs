//! Where do the clients meet?

use std::{
    io::{BufRead, BufReader, Read, Write},
    net::TcpStream,
    path::{Path, PathBuf},
    process::{Child, Stdio},
    time::Duration,
};

use anyhow::{Context, Result, ensure};
use tempfile::TempDir;

use crate::{
    measure::Line,
    serve::{CURL_FILE, HOSTS_FILE, LIST_FILE, Ready, URLS_FILE},
};

/// Which cores server and clients have to themselves.
#[derive(Debug, Clone, clap::Args)]
pub struct Cores {
    /// The core of the server
    #[arg(long, default_value_t = 0)]
    pub server_core: usize,
    /// The core of the clients, which run one after the other
    #[arg(long, default_value_t = 1)]
    pub client_core: usize,
}

/// What is served.
#[derive(Debug, Clone)]
pub struct Course {
    /// How many sites.
    pub sites: usize,
    /// How many pages on each.
    pub pages_per_site: usize,
    /// How large a page is when decoded.
    pub page_bytes: usize,
    /// Whether pages go over the wire as gzip.
    pub gzip: bool,
    /// How many requests a client may have under way.
    pub connections: usize,
}

/// A server in a process of its own, the lists of its pages, and a folder that goes away with it.
#[derive(Debug)]
pub struct Arena {
    /// What is served.
    pub course: Course,
    /// The first URL of the lists.
    pub first_url: String,
    /// How many pages the lists have.
    pub targets: u64,
    /// How many bytes of a page's body go over the wire.
    pub wire_bytes: u64,
    server: Child,
    folder: TempDir,
}

impl Arena {
    /// Starts the server, which is `own` with other arguments, under `root`.
    ///
    /// # Errors
    /// If it does not come up.
    pub fn open(course: Course, own: &Path, core: usize, root: &Path) -> Result<Arena> {
        let folder = tempfile::Builder::new()
            .prefix("canvass-bench-")
            .tempdir_in(root)
            .with_context(|| format!("cannot make a folder in {}", root.display()))?;
        let mut server = server_line(own, &course, folder.path())
            .on_core(core)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .context("cannot start the server")?;
        let mut hello = String::new();
        let output = server.stdout.take().context("the server has no output")?;
        BufReader::new(output).read_line(&mut hello)?;
        let ready: Ready = serde_json::from_str(&hello).context("the server did not come up")?;
        let Ready { address, port, targets } = ready;
        let first_url = format!("http://{address}:{port}/p/0");
        let wire_bytes = length_on_the_wire(&format!("{address}:{port}"))?;
        ensure!(course.gzip == (wire_bytes < course.page_bytes as u64), "a page has {wire_bytes} bytes");
        Ok(Arena { course, first_url, targets, wire_bytes, server, folder })
    }

    /// How many bytes all pages have together when decoded.
    #[must_use]
    pub fn decoded_bytes(&self) -> u64 {
        self.targets * self.course.page_bytes as u64
    }

    /// A file or folder of this arena.
    #[must_use]
    pub fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// The list by names.
    #[must_use]
    pub fn list(&self) -> PathBuf {
        self.path(LIST_FILE)
    }

    /// Where those names lead.
    #[must_use]
    pub fn hosts(&self) -> PathBuf {
        self.path(HOSTS_FILE)
    }

    /// As many URLs of one address.
    #[must_use]
    pub fn urls(&self) -> PathBuf {
        self.path(URLS_FILE)
    }

    /// The same as curl takes them.
    #[must_use]
    pub fn curl_urls(&self) -> PathBuf {
        self.path(CURL_FILE)
    }
}

impl Drop for Arena {
    fn drop(&mut self) {
        // It ends by itself when its input does; a server that will not is not worth waiting for.
        drop(self.server.stdin.take());
        let _ = self.server.kill();
        let _ = self.server.wait();
    }
}

fn server_line(own: &Path, course: &Course, folder: &Path) -> Line {
    let Course { sites, pages_per_site, page_bytes, gzip, connections: _ } = course;
    let mut line = Line::new(own, ["serve"]);
    line.arguments.push(folder.into());
    for (name, value) in [("--sites", sites), ("--pages", pages_per_site), ("--page-bytes", page_bytes)] {
        line.arguments.extend([name.into(), value.to_string().into()]);
    }
    if !gzip {
        line.arguments.push("--plain".into());
    }
    line
}

/// The length of the first page's body for a client that takes gzip, asked for without any library.
fn length_on_the_wire(authority: &str) -> Result<u64> {
    let mut stream = TcpStream::connect(authority)?;
    stream.set_read_timeout(Some(Duration::from_secs(10)))?;
    let request = format!(
        "GET /p/0 HTTP/1.1\r\nHost: {authority}\r\nAccept-Encoding: gzip\r\nConnection: close\r\n\r\n"
    );
    stream.write_all(request.as_bytes())?;
    let mut answer = Vec::new();
    stream.read_to_end(&mut answer)?;
    ensure!(answer.starts_with(b"HTTP/1.1 200"), "the server did not serve a page");
    let head = answer.windows(4).position(|bytes| bytes == b"\r\n\r\n").context("no end of head")? + 4;
    Ok((answer.len() - head) as u64)
}
