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

pub fn a_bomb_of_any_size_takes_little_memory() {
    let base = peak_memory(&Plan { sites: 5, ..Plan::only(&[B::StaticGzip]) });
    eprintln!("bombs: without a bomb {} MiB", base / MIB);
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
    eprintln!("bombs: {behaviour} of {size} MB: {:.1} MiB", peak as f64 / MIB as f64);
    assert!(peak <= ALLOWED, "{behaviour} of {size} MB took {} MiB", peak / MIB);
}

/// The most memory that a crawl of this world takes.
fn peak_memory(plan: &Plan) -> u64 {
    let web = Web::serve(plan);
    let home = web.home(0.05, &["crawl.concurrency=1"]);
    let mut crawl = home.start(&["crawl", "--quiet", "--round", "r", text(&web.list)]);
    let mut peak = 0;
    // the kernel keeps the most for us, so nothing between two looks is missed but the last of them
    while crawl.status().is_none() {
        peak = crawl.peak_memory().unwrap_or(peak);
        thread::sleep(Duration::from_millis(1));
    }
    crawl.wait(Duration::ZERO).expect(0);
    let wrong = compare_with_truth(&web.world, &endings(&home, "r"));
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    peak
}
