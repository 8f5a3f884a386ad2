//! Where do the segments come from?
//!
//! canvass crawls a small world of the sandbox, so that the round and the heads of its records are real. Then each page is
//! grown to its size, and all of them are written again and again, as other lines of other sites, until there are enough.

use std::{
    fs::{self, File},
    io::{BufWriter, Write},
    path::{Path, PathBuf},
    sync::Arc,
};

use anyhow::{Context, Result, ensure};
use blobs::segment::{self, Batch, Limits, Packing, Position, SegmentLog, SegmentReader};
use domain::Completion;
use libdeflater::{CompressionLvl, Compressor, Decompressor};
use sandbox::{Behaviour, Mix, Plan, ServeOptions, Server, World};
use serde::{Deserialize, Serialize};

use super::{
    home::{Home, ROUND},
    pages::grow,
};
use crate::measure::run_anywhere;

/// How many records a segment has: as many as its greatest size allows at 50 KB a page, in round numbers.
pub const RECORDS_OF_A_SEGMENT: u64 = 10_000;
/// The log writes about this much at once.
const BLOCK_BYTES: usize = 1 << 20;
/// How hard servers compress.
const GZIP_LEVEL: i32 = 6;

/// What is to be made.
#[derive(Debug, Clone, clap::Args)]
pub struct PrepareArgs {
    /// The folder
    pub dir: PathBuf,
    /// The canvass that crawls
    #[arg(long)]
    pub canvass: PathBuf,
    /// How many sites the world has
    #[arg(long)]
    pub sites: usize,
    /// How many pages the segments have
    #[arg(long)]
    pub pages: u64,
    /// How large a page is when decoded
    #[arg(long)]
    pub page_bytes: usize,
}

/// What was made.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Prepared {
    /// How many different pages there are.
    pub different: usize,
    /// How many bytes all bodies have as they are stored.
    pub stored_bytes: u64,
    /// How many they have when decoded.
    pub decoded_bytes: u64,
}

/// The crawled round without its segments.
#[must_use]
pub fn round_folder(dir: &Path) -> PathBuf {
    dir.join("crawled/data/rounds").join(ROUND)
}

/// The folder with the segments.
#[must_use]
pub fn segments_folder(dir: &Path) -> PathBuf {
    dir.join("segments")
}

/// The folder with a segment of one page.
#[must_use]
pub fn one_page_folder(dir: &Path) -> PathBuf {
    dir.join("one-page")
}

/// Crawls, grows and writes; says what was made on standard output. A process of its own, so that its memory goes with it.
///
/// # Errors
/// If the crawl fails or something cannot be written.
pub fn prepare(args: &PrepareArgs) -> Result<()> {
    let pages = crawled_pages(args)?;
    ensure!(!pages.is_empty(), "nothing was captured");
    let made = write_segments(&segments_folder(&args.dir), &pages, args.pages)?;
    write_segments(&one_page_folder(&args.dir), &pages, 1)?;
    println!("{}", serde_json::to_string(&made)?);
    Ok(())
}

/// A page that was crawled, grown and compressed.
struct Page {
    completion: Completion,
    body: Vec<u8>,
}

fn crawled_pages(args: &PrepareArgs) -> Result<Vec<Page>> {
    crawl(args)?;
    let folder = round_folder(&args.dir).join("segments");
    let mut pages = Vec::new();
    for file in segment::list(&folder)? {
        let mut reader = SegmentReader::open(&file.path, 0)?;
        while let Some(record) = reader.next_record()? {
            let completion: Completion = serde_json::from_slice(record.head)?;
            if completion.capture.is_some() {
                pages.push(grown(completion, record.body, args.page_bytes)?);
            }
        }
    }
    fs::remove_dir_all(&folder)?;
    Ok(pages)
}

fn crawl(args: &PrepareArgs) -> Result<()> {
    let home = Home::open(&args.canvass, &args.dir.join("crawled"), None)?;
    let mix = Mix::Only(vec![Behaviour::StaticGzip]);
    let plan = Plan { mix, noise: false, ..Plan::technographics(args.sites, 0) };
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
    let world = Arc::new(World::build(&plan));
    let options = ServeOptions { record: false, ..ServeOptions::default() };
    let server = runtime.block_on(Server::start(Arc::clone(&world), options))?;
    let (list, hosts) = (args.dir.join("list.csv"), args.dir.join("hosts"));
    let mut to = BufWriter::new(File::create(&list)?);
    world.write_list(&mut to)?;
    to.flush()?;
    fs::write(&hosts, server.hosts_file())?;
    home.migrate()?;
    let hosts = format!("network.hosts_file={}", hosts.display());
    // nobody is there to be polite to, and a site that fails this month is not waited for
    let sets = [
        "politeness.enabled=false",
        "network.allow_private=[127.0.0.0/8]",
        "crawl.fetch_timeout_seconds=1",
        "crawl.retry.throttle_retries=0",
        "crawl.retry.server_error_retries=0",
        "crawl.retry.connect_timeout_retries=0",
        "crawl.retry.transient_retries=0",
        "crawl.thresholds.high_failure_percent=50",
        &hosts,
    ];
    let list = list.to_str().context("the path of the list is not UTF-8")?;
    let sets = sets.iter().flat_map(|set| ["--set", set]);
    let crawl: Vec<&str> = ["crawl", list, "--round", ROUND, "--quiet"].into_iter().chain(sets).collect();
    run_anywhere(&home.line(&crawl))?;
    runtime.block_on(server.stop());
    Ok(())
}

fn grown(mut completion: Completion, stored: &[u8], bytes: usize) -> Result<Page> {
    let line = completion.target.line;
    let capture = completion.capture.as_mut().context("a page without a capture")?;
    ensure!(capture.body_encoding == "gzip", "line {line} came as {}", capture.body_encoding);
    let mut plain = vec![0; usize::try_from(capture.decoded_bytes)?];
    let length = Decompressor::new().gzip_decompress(stored, &mut plain)?;
    plain.truncate(length);
    let page = grow(std::str::from_utf8(&plain)?, bytes, line);
    let mut compressor = Compressor::new(CompressionLvl::new(GZIP_LEVEL).ok().context("no such level")?);
    let mut body = vec![0; compressor.gzip_compress_bound(page.len())];
    let length = compressor.gzip_compress(page.as_bytes(), &mut body)?;
    body.truncate(length);
    capture.decoded_bytes = page.len() as u64;
    Ok(Page { completion, body })
}

/// Writes every page in turn until there are enough records, each time as another line of another site.
fn write_segments(folder: &Path, pages: &[Page], records: u64) -> Result<Prepared> {
    let limits = Limits { max_bytes: u64::MAX, max_rows: RECORDS_OF_A_SEGMENT, ..Limits::default() };
    let mut log = SegmentLog::open(folder, limits, Position::default(), |_| {})?;
    let mut batch = Batch::default();
    let mut made = Prepared { different: pages.len(), stored_bytes: 0, decoded_bytes: 0 };
    for place in 0..records {
        let (copy, which) = (place / pages.len() as u64, place as usize % pages.len());
        let Page { completion, body } = &pages[which];
        let mut completion = completion.clone();
        let target = &mut completion.target;
        (target.place, target.line) = (place, place + 1);
        target.key = format!("{}-{copy}", target.key);
        target.url = format!("{}?copy={copy}", target.url);
        let head = serde_json::to_vec(&completion)?;
        batch.push(|to| to.extend_from_slice(&head), body, Packing::Store)?;
        made.stored_bytes += body.len() as u64;
        made.decoded_bytes += completion.capture.map_or(0, |capture| capture.decoded_bytes);
        // a full segment ends with its block
        if batch.bytes() >= BLOCK_BYTES || (place + 1).is_multiple_of(RECORDS_OF_A_SEGMENT) {
            log.write(&mut batch)?;
        }
    }
    log.write(&mut batch)?;
    log.close()?;
    Ok(made)
}
