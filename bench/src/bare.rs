//! How fast can a page be fetched and decoded at all, if nothing is done with it?
//!
//! The reference: hyper on as many kept connections as canvass has, the decoder that canvass uses, no frontier, no
//! redirects, no limits, no log.

use std::{
    fs::File,
    io::{BufRead, BufReader, Lines},
    net::SocketAddr,
    path::PathBuf,
    sync::{Arc, Mutex, PoisonError},
};

use anyhow::{Context, Result, bail, ensure};
use http_body_util::{BodyExt, Empty};
use hyper::{Request, body::Bytes, client::conn::http1, header};
use hyper_util::rt::TokioIo;
use libdeflater::Decompressor;
use tokio::{net::TcpStream, task::JoinSet};

use crate::clients::Haul;

/// What the loop is asked for.
#[derive(Debug, Clone, clap::Args)]
pub struct BareArgs {
    /// The URLs, all of one address, one a line
    pub urls: PathBuf,
    /// How many connections
    pub connections: usize,
}

type Urls = Arc<Mutex<Lines<BufReader<File>>>>;

/// Fetches every URL and prints what came.
///
/// # Errors
/// At the first page that is not whole.
pub fn fetch_all(args: &BareArgs) -> Result<()> {
    let file = File::open(&args.urls).with_context(|| format!("cannot open {}", args.urls.display()))?;
    let urls: Urls = Arc::new(Mutex::new(BufReader::new(file).lines()));
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    let all = runtime.block_on(async {
        let mut loops = JoinSet::new();
        for _ in 0..args.connections {
            loops.spawn(fetch_in_turn(Arc::clone(&urls)));
        }
        let mut all = Haul::default();
        while let Some(haul) = loops.join_next().await {
            let Haul { pages, decoded_bytes } = haul??;
            all.pages += pages;
            all.decoded_bytes += decoded_bytes;
        }
        anyhow::Ok(all)
    })?;
    println!("{}", serde_json::to_string(&all)?);
    Ok(())
}

fn next_url(urls: &Urls) -> Result<Option<String>> {
    Ok(urls.lock().unwrap_or_else(PoisonError::into_inner).next().transpose()?)
}

/// One connection: the next URL, its page, the next URL.
async fn fetch_in_turn(urls: Urls) -> Result<Haul> {
    let mut haul = Haul::default();
    let Some(mut url) = next_url(&urls)? else { return Ok(haul) };
    let (authority, _) = split(&url)?;
    let authority = authority.to_owned();
    let stream = TcpStream::connect(authority.parse::<SocketAddr>()?).await?;
    stream.set_nodelay(true)?;
    let (mut sender, connection) = http1::handshake(TokioIo::new(stream)).await?;
    tokio::spawn(connection);
    let (mut wire, mut page, mut inflater) = (Vec::new(), Vec::new(), Decompressor::new());
    loop {
        let request = Request::get(split(&url)?.1)
            .header(header::HOST, &authority)
            .header(header::ACCEPT_ENCODING, "gzip")
            .body(Empty::<Bytes>::new())?;
        sender.ready().await?;
        let response = sender.send_request(request).await?;
        ensure!(response.status() == 200, "{url} answered {}", response.status());
        let gzip = response.headers().contains_key(header::CONTENT_ENCODING);
        let mut body = response.into_body();
        wire.clear();
        while let Some(frame) = body.frame().await {
            if let Ok(data) = frame?.into_data() {
                wire.extend_from_slice(&data);
            }
        }
        haul.pages += 1;
        haul.decoded_bytes += if gzip { gunzip(&wire, &mut page, &mut inflater)? } else { wire.len() } as u64;
        let Some(next) = next_url(&urls)? else { return Ok(haul) };
        url = next;
    }
}

/// The authority and the path of a URL of ours.
fn split(url: &str) -> Result<(&str, &str)> {
    let rest = url.strip_prefix("http://").context("only http:// is spoken here")?;
    let slash = rest.find('/').context("a URL without a path")?;
    Ok(rest.split_at(slash))
}

/// Decodes a body of one member, which says its size in its last four bytes.
fn gunzip(wire: &[u8], page: &mut Vec<u8>, inflater: &mut Decompressor) -> Result<usize> {
    let Some(size) = wire.last_chunk() else { bail!("an empty body") };
    page.resize(u32::from_le_bytes(*size) as usize, 0);
    Ok(inflater.gzip_decompress(wire, page)?)
}
