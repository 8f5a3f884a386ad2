//! How much memory does a list take, as it grows?

use std::path::{Path, PathBuf};

use anyhow::{Context, Result};

use crate::{
    arena::{Arena, Cores, Course},
    canvass::{self, Crawl},
    machine,
    table::{grouped, markdown, mebibytes},
};

/// What the measurement of memory is asked for.
#[derive(Debug, Clone, clap::Args)]
pub struct MemoryArgs {
    /// How many targets the lists have
    #[arg(long, value_delimiter = ',', default_values_t = [10_000, 1_000_000, 10_000_000])]
    pub lengths: Vec<usize>,
    /// How many targets the list of one host has
    #[arg(long, default_value_t = 1_000_000)]
    pub one_host: usize,
    /// The same as `--lengths 10000,100000,1000000 --one-host 100000`
    #[arg(long, conflicts_with_all = ["lengths", "one_host"])]
    pub short: bool,
    /// Over how many sites the targets spread
    #[arg(long, default_value_t = 1_000)]
    pub sites: usize,
    /// How large a page is before compression
    #[arg(long, default_value_t = 300)]
    pub page_bytes: usize,
    /// How many requests are under way
    #[arg(long, default_value_t = 64)]
    pub connections: usize,
    /// The canvass to measure [default: the one beside this program]
    #[arg(long, value_name = "FILE")]
    pub canvass: Option<PathBuf>,
    /// Where the lists and what canvass writes go [default: the system's folder for temporary files]
    #[arg(long, value_name = "DIR")]
    pub dir: Option<PathBuf>,
    /// The cores
    #[command(flatten)]
    pub cores: Cores,
}

/// Crawls one list after the other and prints the table.
///
/// # Errors
/// If a crawl fails or did not bring every page.
pub fn run(args: &MemoryArgs, own: &Path) -> Result<()> {
    let program = canvass::find(args.canvass.as_deref(), own)?;
    let root = args.dir.clone().unwrap_or_else(std::env::temp_dir);
    print!("{}", machine::describe(&root, &program));
    println!("\n### memory: pages of {} bytes, {} connections\n", args.page_bytes, args.connections);
    let (lengths, of_one_host) = if args.short {
        (&[10_000, 100_000, 1_000_000][..], 100_000)
    } else {
        (&args.lengths[..], args.one_host)
    };
    let spread = lengths.iter().map(|length| (args.sites, *length));
    let mut rows = Vec::new();
    let mut peaks = Vec::new();
    for (sites, length) in spread.chain([(1, of_one_host)]) {
        eprintln!("{} targets on {sites} sites", grouped(length as u64));
        let course = Course {
            sites,
            pages_per_site: length.div_ceil(sites),
            page_bytes: args.page_bytes,
            gzip: true,
            connections: args.connections,
        };
        let arena = Arena::open(course, own, args.cores.server_core, &root)?;
        let crawl = canvass::crawl(&program, &arena, args.cores.client_core)
            .with_context(|| format!("{length} targets"))?;
        rows.push(row(sites, &arena, &crawl));
        peaks.push(crawl.cost.peak_rss);
    }
    let stages = ["enlist MiB", "crawl MiB", "ledger MiB"];
    let header =
        [&["targets", "hosts", "seconds", "targets/s", "CPU s/1,000", "peak MiB", "in stage"][..], &stages];
    print!("{}", markdown(&header.concat(), &rows));
    println!("\n{}", verdict(&peaks[..lengths.len()], peaks.last().copied().unwrap_or(0)));
    Ok(())
}

/// How flat memory stayed: the largest peak over the smallest, and the one host's over the largest.
fn verdict(peaks: &[u64], one_host: u64) -> String {
    let (least, most) = (peaks.iter().min(), peaks.iter().max());
    let Some((least, most)) = least.zip(most) else { return "No list was crawled.".to_owned() };
    let (over_least, over_most) = (*most as f64 / *least as f64, one_host as f64 / *most as f64);
    format!("Largest peak over smallest: {over_least:.2}. One host's over the largest: {over_most:.2}.")
}

fn row(sites: usize, arena: &Arena, crawl: &Crawl) -> Vec<String> {
    let Crawl { cost, stages } = crawl;
    let (targets, seconds) = (arena.targets as f64, cost.wall.as_secs_f64());
    let highest = stages.iter().max_by_key(|stage| stage.peak_rss);
    let mut row = vec![
        grouped(arena.targets),
        grouped(sites as u64),
        format!("{seconds:.1}"),
        grouped((targets / seconds) as u64),
        format!("{:.3}", cost.cpu.as_secs_f64() * 1_000.0 / targets),
        mebibytes(cost.peak_rss),
        highest.map_or_else(|| "–".to_owned(), |stage| stage.name.clone()),
    ];
    for name in ["enlist", "crawl", "ledger"] {
        let stage = stages.iter().find(|stage| stage.name == name);
        row.push(stage.and_then(|stage| stage.peak_rss).map_or_else(|| "–".to_owned(), mebibytes));
    }
    row
}
