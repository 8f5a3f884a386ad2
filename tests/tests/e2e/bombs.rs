//! How much memory does the worst body take?

use std::{thread, time::Duration};

use sandbox::{Behaviour as B, Plan};

use crate::support::{
    found::{compare_with_truth, endings},
    home::text,
    web::Web,
};

const MIB: u64 = 1 << 20;
/// The cap of a decoded body, and what everything else may take.
const ALLOWED: u64 = 5 * MIB + 32 * MIB;

/// What a shipped program has in memory of its own file. An unoptimised one has far more, which says nothing.
const SHIPPED_FILE: u64 = 14 * MIB;

/// What a crawl took at most.
struct Peak {
    bytes: u64,
    /// How much of it is the program's own file.
    of_its_file: u64,
}

impl Peak {
    /// What it would be if the program were shipped.
    fn counted(&self) -> u64 {
        if cfg!(debug_assertions) { self.bytes - self.of_its_file + SHIPPED_FILE } else { self.bytes }
    }
}

impl std::fmt::Display for Peak {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let mebibytes = |bytes: u64| bytes as f64 / MIB as f64;
        write!(
            f,
            "{:.1} MiB, {:.1} of it the program's file",
            mebibytes(self.bytes),
            mebibytes(self.of_its_file)
        )
    }
}

pub fn a_bomb_of_any_size_takes_little_memory() {
    let base = peak_memory(&Plan { sites: 5, ..Plan::only(&[B::StaticGzip]) });
    eprintln!("bombs: without a bomb {base}");
    for bomb_bytes in [10_000_000, 100_000_000, 1_000_000_000, 10_000_000_000] {
        for behaviour in [B::GzipBomb, B::BrotliBomb, B::ZstdBomb, B::DeflateBomb] {
            check(&Plan { bomb_bytes, ..Plan::only(&[behaviour]) }, behaviour, bomb_bytes / 1_000_000);
        }
    }
    check(&Plan::only(&[B::InfiniteBody]), B::InfiniteBody, u64::MAX);
}

fn check(plan: &Plan, behaviour: B, megabytes: u64) {
    let peak = peak_memory(plan);
    let size = if megabytes == u64::MAX { "∞".to_owned() } else { megabytes.to_string() };
    eprintln!("bombs: {behaviour} of {size} MB: {peak}");
    assert!(peak.counted() <= ALLOWED, "{behaviour} of {size} MB took {peak}");
}

/// The most memory that a crawl of this world takes.
fn peak_memory(plan: &Plan) -> Peak {
    let web = Web::serve(plan);
    let home = web.home(0.05, &["crawl.concurrency=1"]);
    let mut crawl = home.start(&["crawl", "--quiet", "--round", "r", text(&web.list)]);
    let mut peak = Peak { bytes: 0, of_its_file: 0 };
    // the kernel keeps the most for us, so nothing between two looks is missed but the last of them
    while crawl.status().is_none() {
        if let Some((bytes, of_its_file)) = crawl.memory("VmHWM:").zip(crawl.memory("RssFile:")) {
            peak = Peak { bytes, of_its_file };
        }
        thread::sleep(Duration::from_millis(1));
    }
    crawl.wait(Duration::ZERO).expect(0);
    let wrong = compare_with_truth(&web.world, &endings(&home, "r"));
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    peak
}
