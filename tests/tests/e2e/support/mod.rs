//! What does every test need?

pub mod found;
pub mod home;
pub mod pace;
pub mod processing;
pub mod program;
pub mod raw;
pub mod server;
pub mod snapshot;
pub mod web;

use std::{
    thread,
    time::{Duration, Instant},
};

/// Waits until `ready` says so.
///
/// # Panics
/// If it does not within `patience`; `what` names what did not happen.
pub fn wait_until(what: &str, patience: Duration, mut ready: impl FnMut() -> bool) {
    let start = Instant::now();
    while !ready() {
        assert!(start.elapsed() < patience, "{what}: not within {patience:?}");
        thread::sleep(Duration::from_millis(5));
    }
}

/// Chance that can be had again: a test says which seed it used.
pub struct Chance(u64);

impl Chance {
    pub fn new(seed: u64) -> Chance {
        // an xorshift never leaves zero
        Chance(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1)
    }

    fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }

    /// From 0 up to 1.
    pub fn share(&mut self) -> f64 {
        (self.next() >> 11) as f64 / (1u64 << 53) as f64
    }

    /// From `from` up to `to`.
    pub fn duration(&mut self, from: Duration, to: Duration) -> Duration {
        from + (to - from).mul_f64(self.share())
    }
}
