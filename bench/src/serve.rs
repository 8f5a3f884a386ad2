//! What is there to crawl, and who serves it?

use std::{
    fs::File,
    io::{self, BufWriter, Read, Write},
    net::Ipv4Addr,
    path::{Path, PathBuf},
    sync::Arc,
};

use anyhow::{Context, Result};
use sandbox::{Plan, ServeOptions, Server, World};
use serde::{Deserialize, Serialize};

/// What the server is asked to serve.
#[derive(Debug, Clone, clap::Args)]
pub struct ServeArgs {
    /// The folder for the lists
    pub dir: PathBuf,
    /// How many sites
    #[arg(long)]
    pub sites: usize,
    /// How many pages on each
    #[arg(long)]
    pub pages: usize,
    /// How large a page is before compression
    #[arg(long)]
    pub page_bytes: usize,
    /// Never compress
    #[arg(long)]
    pub plain: bool,
}

/// What the server says when it is ready.
#[derive(Debug, Serialize, Deserialize)]
pub struct Ready {
    /// The address of the first site.
    pub address: Ipv4Addr,
    /// The port of every site.
    pub port: u16,
    /// How many pages the lists have.
    pub targets: u64,
}

/// The list by names, for who has a resolver of its own.
pub const LIST_FILE: &str = "list.csv";
/// Where those names lead.
pub const HOSTS_FILE: &str = "hosts";
/// As many URLs of the first site by its address, for who has not.
pub const URLS_FILE: &str = "urls.txt";
/// The same as curl takes them.
pub const CURL_FILE: &str = "curl.conf";

/// Serves until standard input ends, so that the server goes when the benchmark goes.
///
/// # Errors
/// If the lists cannot be written or no port is free.
pub fn serve(args: &ServeArgs) -> Result<()> {
    // One thread for one core: a second could only get in its way.
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    runtime.block_on(async {
        let world = Arc::new(World::build(&Plan::bench(args.sites, args.pages, args.page_bytes)));
        let options =
            ServeOptions { record: false, gzip_uniform_pages: !args.plain, ..ServeOptions::default() };
        let server = Server::start(Arc::clone(&world), options).await?;
        let ready = Ready {
            address: world.sites().first().and_then(|site| site.address).context("a world without sites")?,
            port: server.http_port(),
            targets: world.target_count(),
        };
        write_lists(&args.dir, &world, &server, &ready).context("cannot write the lists")?;
        println!("{}", serde_json::to_string(&ready)?);
        tokio::task::spawn_blocking(|| io::stdin().read_to_end(&mut Vec::new())).await??;
        server.stop().await;
        Ok(())
    })
}

fn write_lists(dir: &Path, world: &World, server: &Server, ready: &Ready) -> io::Result<()> {
    let mut list = BufWriter::new(File::create(dir.join(LIST_FILE))?);
    world.write_list(&mut list)?;
    list.flush()?;
    std::fs::write(dir.join(HOSTS_FILE), server.hosts_file())?;
    let mut urls = BufWriter::new(File::create(dir.join(URLS_FILE))?);
    let mut curl = BufWriter::new(File::create(dir.join(CURL_FILE))?);
    let Ready { address, port, targets } = ready;
    for number in 0..*targets {
        writeln!(urls, "http://{address}:{port}/p/{number}")?;
        writeln!(curl, "url=http://{address}:{port}/p/{number}\noutput=/dev/null")?;
    }
    urls.flush()?;
    curl.flush()
}
