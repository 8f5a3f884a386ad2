//! Where do bytes live?
//!
//! Today: the segment log of a round in a folder, and files that appear whole or not at all.

mod atomic;
pub mod segment;

pub use atomic::{TEMPORARY_SUFFIX, sync_folder, write_atomically};
