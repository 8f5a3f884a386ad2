//! How rare is a gram on the web's pages?
//!
//! `rarity.bin` was learned from real pages: for each of 65,536 hashes of a gram, how often it stood there, as a
//! logarithm. `cargo run --release -p readers --example learn_rarity -- FOLDER` learns it anew from the files in a folder.

static LEARNED: &[u8; 1 << 16] = include_bytes!("rarity.bin");

/// Where a gram is counted.
#[must_use]
pub fn slot(gram: u32) -> usize {
    (gram.wrapping_mul(0x85EB_CA6B) >> 16) as usize
}

/// How common a gram is: 0 for one that was never seen; each step is about a fifth more.
#[must_use]
pub fn rarity(gram: u32) -> u8 {
    LEARNED[slot(gram)]
}

/// The logarithm that is kept of a count.
#[must_use]
pub fn logarithm(count: u64) -> u8 {
    if count == 0 { 0 } else { (1.0 + (count as f64).log2() * 4.0).min(255.0) as u8 }
}
