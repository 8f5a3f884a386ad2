//! Who else can crawl a list, how is it asked to, and did it?

use std::{
    ffi::OsString,
    io::{BufRead, BufReader, Read},
    path::{Path, PathBuf},
};

use anyhow::{Context, Result, bail, ensure};
use serde::{Deserialize, Serialize};

use crate::{
    arena::Arena,
    measure::{Cost, Line, run},
};

/// What a client brought home.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Haul {
    /// Pages that came whole.
    pub pages: u64,
    /// Their bytes after decoding.
    pub decoded_bytes: u64,
}

/// What a client is in the comparison.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Role {
    /// It neither decodes nor keeps anything: what server and kernel can do.
    Limit,
    /// The bare loop with the same decoder.
    Reference,
    /// A library that a crawler could be built on.
    Library,
    /// A crawler or downloader of lists.
    Crawler,
}

/// One client: its name, its part, and how it is run and checked.
#[derive(Debug)]
pub struct Client {
    /// Its name in the table.
    pub name: &'static str,
    /// What it is in the comparison.
    pub role: Role,
    line: fn(&Arena, &Programs) -> Option<Line>,
    /// How many pages it fetched, if that is all of them.
    check: fn(&Arena, &Programs, &mut Cost) -> Result<u64>,
}

/// Where the programs are.
#[derive(Debug, Clone)]
pub struct Programs {
    /// The benchmark itself.
    pub own: PathBuf,
    /// Where `bench/peers/install` put what it built.
    pub peers: PathBuf,
    /// The folder of this crate, for the scripts in it.
    pub bench: PathBuf,
    /// The core of the clients.
    pub core: usize,
}

/// Every client but canvass, in the order of the table.
pub const CLIENTS: &[Client] = &[
    Client { name: "wrk", role: Role::Limit, line: wrk, check: check_wrk },
    Client { name: "bare", role: Role::Reference, line: bare, check: check_haul },
    Client { name: "reqwest", role: Role::Library, line: reqwest, check: check_haul },
    Client { name: "spider", role: Role::Crawler, line: spider, check: check_haul },
    Client { name: "scrapy", role: Role::Crawler, line: scrapy, check: check_haul },
    Client { name: "wget2", role: Role::Crawler, line: wget2, check: check_wget2 },
    Client { name: "curl", role: Role::Crawler, line: curl, check: check_curl },
];

impl Client {
    /// Whether its program is there.
    #[must_use]
    pub fn is_available(&self, arena: &Arena, programs: &Programs) -> bool {
        (self.line)(arena, programs).is_some()
    }

    /// Runs it once and checks what it did: its cost, and how many pages it fetched.
    ///
    /// # Errors
    /// If it fails, or did not bring every page whole.
    pub fn run(&self, arena: &Arena, programs: &Programs) -> Result<(Cost, u64)> {
        let line = (self.line)(arena, programs).context("not available")?;
        let mut cost = run(&line, programs.core)?;
        let pages = (self.check)(arena, programs, &mut cost)?;
        Ok((cost, pages))
    }
}

/// A program that was built beside the benchmark, if it is there.
pub(crate) fn built(path: PathBuf) -> Option<PathBuf> {
    path.is_file().then_some(path)
}

/// A program on the path, if it is there.
fn installed(name: &str) -> Option<PathBuf> {
    std::env::split_paths(&std::env::var_os("PATH")?)
        .map(|folder| folder.join(name))
        .find(|path| path.is_file())
}

fn urls_and_connections(arena: &Arena) -> [OsString; 2] {
    [arena.urls().into(), arena.course.connections.to_string().into()]
}

fn bare(arena: &Arena, programs: &Programs) -> Option<Line> {
    let [urls, connections] = urls_and_connections(arena);
    Some(Line::new(&programs.own, ["bare".into(), urls, connections]))
}

fn reqwest(arena: &Arena, programs: &Programs) -> Option<Line> {
    Some(Line::new(built(programs.peers.join("release/reqwest-loop"))?, urls_and_connections(arena)))
}

fn spider(arena: &Arena, programs: &Programs) -> Option<Line> {
    Some(Line::new(built(programs.peers.join("release/spider-pages"))?, urls_and_connections(arena)))
}

fn scrapy(arena: &Arena, programs: &Programs) -> Option<Line> {
    built(programs.peers.join("scrapy/bin/scrapy"))?;
    let script = programs.bench.join("peers/scrapy/pages.py").into();
    let [urls, connections] = urls_and_connections(arena);
    Some(Line::new(programs.peers.join("scrapy/bin/python"), [script, urls, connections]))
}

/// The clients that were written for this benchmark say what they brought.
fn check_haul(arena: &Arena, _: &Programs, cost: &mut Cost) -> Result<u64> {
    let mut words = String::new();
    cost.output.read_to_string(&mut words)?;
    let haul: Haul = serde_json::from_str(&words).with_context(|| format!("it said `{words}`"))?;
    let expected = Haul { pages: arena.targets, decoded_bytes: arena.decoded_bytes() };
    ensure!(haul == expected, "it brought {haul:?} instead of {expected:?}");
    Ok(haul.pages)
}

const WGET2_STATS: &str = "wget2.csv";

fn wget2(arena: &Arena, _: &Programs) -> Option<Line> {
    let mut line = Line::new(
        installed("wget2")?,
        [
            "--no-config",
            "--quiet",
            "--no-robots",
            "--no-hsts",
            "--tries=1",
            "--compression=gzip",
            "-O/dev/null",
        ],
    );
    line.arguments.push(format!("--max-threads={}", arena.course.connections).into());
    line.arguments.push(format!("--stats-site=csv:{}", arena.path(WGET2_STATS).display()).into());
    line.arguments.push(format!("--input-file={}", arena.urls().display()).into());
    Some(line)
}

/// Its statistics have a row for each page with its status and its size before and after decoding.
fn check_wget2(arena: &Arena, _: &Programs, _: &mut Cost) -> Result<u64> {
    let path = arena.path(WGET2_STATS);
    let mut rows = BufReader::new(std::fs::File::open(&path)?).lines();
    let header = rows.next().context("no statistics")??;
    let column = |name: &str| {
        header.split(',').position(|title| title == name).with_context(|| format!("no `{name}` in {header}"))
    };
    let (status, size) = (column("Status")?, column("SizeDecompressed")?);
    let mut haul = Haul::default();
    for row in rows {
        let row = row?;
        let field = |index| row.split(',').nth(index).unwrap_or_default();
        if field(status) == "200" {
            haul.pages += 1;
            haul.decoded_bytes += field(size).parse::<u64>().with_context(|| row.clone())?;
        }
    }
    std::fs::remove_file(&path)?;
    let expected = Haul { pages: arena.targets, decoded_bytes: arena.decoded_bytes() };
    ensure!(haul == expected, "it brought {haul:?} instead of {expected:?}");
    Ok(haul.pages)
}

const CURL: [&str; 6] = ["--disable", "--silent", "--show-error", "--fail", "--compressed", "--noproxy"];

fn curl(arena: &Arena, _: &Programs) -> Option<Line> {
    let mut line = Line::new(installed("curl")?, CURL);
    line.arguments.extend(["*", "--parallel", "--parallel-max"].map(Into::into));
    line.arguments.push(arena.course.connections.to_string().into());
    line.arguments.extend(["--write-out", "%{http_code} %{size_download}\\n", "--config"].map(Into::into));
    line.arguments.push(arena.curl_urls().into());
    Some(line)
}

/// It says for each page what came over the wire; that it decodes is seen on one page that it writes.
fn check_curl(arena: &Arena, programs: &Programs, cost: &mut Cost) -> Result<u64> {
    let expected = format!("200 {}", arena.wire_bytes);
    let mut pages = 0;
    for line in BufReader::new(&mut cost.output).lines() {
        let line = line?;
        ensure!(line == expected, "a page came as `{line}` instead of `{expected}`");
        pages += 1;
    }
    ensure!(pages == arena.targets, "it brought {pages} of {} pages", arena.targets);
    let mut one = Line::new(installed("curl").context("curl has gone")?, CURL);
    one.arguments.extend(["*".into(), OsString::from(&arena.first_url)]);
    let length = run(&one, programs.core)?.output.metadata()?.len();
    ensure!(length == arena.course.page_bytes as u64, "it decoded a page to {length} bytes");
    Ok(pages)
}

fn wrk(arena: &Arena, _: &Programs) -> Option<Line> {
    let connections = format!("-c{}", arena.course.connections);
    let arguments = ["-t1", &connections, "-d3s", "-H", "Accept-Encoding: gzip", &arena.first_url];
    Some(Line::new(installed("wrk")?, arguments))
}

/// It fetches for a time and not for a number of pages.
fn check_wrk(arena: &Arena, _: &Programs, cost: &mut Cost) -> Result<u64> {
    let mut words = String::new();
    cost.output.read_to_string(&mut words)?;
    if words.contains("Non-2xx") || words.contains("Socket errors") {
        bail!("it had errors: {words}");
    }
    let pages = words
        .lines()
        .find_map(|line| line.trim().split_once(" requests in "))
        .and_then(|(count, _)| count.parse().ok())
        .with_context(|| format!("it said `{words}`"))?;
    ensure!(pages > arena.targets / 100, "it brought {pages} pages");
    Ok(pages)
}

impl Programs {
    /// The programs beside the benchmark, whose own path is `own`.
    #[must_use]
    pub fn beside(own: &Path, core: usize) -> Programs {
        // target/release/crawl and target/peers
        let target = own.parent().and_then(Path::parent).unwrap_or(Path::new("target"));
        Programs {
            own: own.to_owned(),
            peers: target.join("peers"),
            bench: PathBuf::from(env!("CARGO_MANIFEST_DIR")),
            core,
        }
    }
}
