//! Which rules are in force?
//!
//! Packs are written by people and loaded into the catalog, where they are switched on and off. What is enabled is then
//! frozen into a rule set with a version: pages are only ever read with a frozen one, so that a finding can say for good
//! which rules it was made with.

mod active;
mod definition;
mod files;
mod freeze;
pub mod lint;
pub mod shipped;
#[cfg(test)]
mod tests;

pub use active::ActiveRules;
pub use definition::{Definition, Encoded};
pub use files::{MAX_FILE_BYTES, PackFile, files_in, read_bounded, read_packs};
pub use freeze::{Frozen, IMPLIED_PACK, IMPLIED_PART, freeze, new_fingerprint, new_signal, signal_of};
