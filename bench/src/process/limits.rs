//! What can no processing be faster than?

use std::{
    path::{Path, PathBuf},
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
    thread,
};

use anyhow::{Context, Result, ensure};
use blobs::segment::{SegmentReader, verify_hash};
use domain::Completion;
use libdeflater::Decompressor;
use readers::technologies::{Page, RuleSet, Scratch};
use serde::{Deserialize, Serialize};

use crate::technologies::rules::Definition;

/// How much of the work is done.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub enum Depth {
    /// Segments are read, their hashes are verified, bodies are decoded.
    Read,
    /// And technologies are detected, of which nothing is kept.
    Detect,
}

/// What a limit is asked for.
#[derive(Debug, Clone, clap::Args)]
pub struct LimitArgs {
    /// How much of the work is done
    #[arg(long, value_enum)]
    pub depth: Depth,
    /// The segments
    pub segments: Vec<PathBuf>,
}

/// What was done on the way to a limit.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Done {
    /// How many pages were read.
    pub pages: u64,
    /// How many bytes they had when decoded.
    pub decoded_bytes: u64,
    /// How many fingerprints were seen, and how many signals that only follow from others.
    pub seen: u64,
}

/// Does the work on every core and prints what was done. A process of its own, so that it can be measured like others.
///
/// # Errors
/// If a segment is damaged.
pub fn approach(args: &LimitArgs) -> Result<()> {
    let rules = match args.depth {
        Depth::Read => None,
        Depth::Detect => Some(Definition::own()?.0.load()?.rules),
    };
    let (rules, segments) = (Arc::new(rules), Arc::new(args.segments.clone()));
    let next = Arc::new(AtomicUsize::new(0));
    let cores = thread::available_parallelism()?.get();
    let threads: Vec<_> = (0..cores)
        .map(|_| {
            let (rules, segments, next) = (Arc::clone(&rules), Arc::clone(&segments), Arc::clone(&next));
            thread::spawn(move || take_segments(&segments, &next, rules.as_ref().as_ref()))
        })
        .collect();
    let mut all = Done::default();
    for thread in threads {
        let Done { pages, decoded_bytes, seen } = thread.join().ok().context("a thread panicked")??;
        all.pages += pages;
        all.decoded_bytes += decoded_bytes;
        all.seen += seen;
    }
    println!("{}", serde_json::to_string(&all)?);
    Ok(())
}

fn take_segments(segments: &[PathBuf], next: &AtomicUsize, rules: Option<&RuleSet>) -> Result<Done> {
    let mut done = Done::default();
    let (mut plain, mut scratch, mut decoder) = (Vec::new(), Scratch::default(), Decompressor::new());
    while let Some(path) = segments.get(next.fetch_add(1, Ordering::Relaxed)) {
        read_segment(path, rules, &mut done, &mut plain, &mut scratch, &mut decoder)
            .with_context(|| path.display().to_string())?;
    }
    Ok(done)
}

fn read_segment(
    path: &Path,
    rules: Option<&RuleSet>,
    done: &mut Done,
    plain: &mut Vec<u8>,
    scratch: &mut Scratch,
    decoder: &mut Decompressor,
) -> Result<()> {
    verify_hash(path)?;
    let mut reader = SegmentReader::open(path, 0)?;
    while let Some(record) = reader.next_record()? {
        let completion: Completion = serde_json::from_slice(record.head)?;
        let capture = completion.capture.context("a page without a capture")?;
        plain.resize(usize::try_from(capture.decoded_bytes)?, 0);
        let length = decoder.gzip_decompress(record.body, plain)?;
        ensure!(length == plain.len(), "a page of {length} bytes");
        done.pages += 1;
        done.decoded_bytes += length as u64;
        if let Some(rules) = rules {
            let page = Page { url: &capture.final_url, headers: &capture.headers, body: plain, robots: None };
            let found = rules.detect(&page, scratch);
            done.seen += found.iter().map(|one| one.sightings.len().max(1) as u64).sum::<u64>();
        }
    }
    reader.expect_clean_end()?;
    Ok(())
}
