//! Where do bytes live?
//!
//! Today: the segment log of a round in a folder, tables as files, and files that appear whole or not at all.

mod atomic;
pub mod segment;
pub mod store;
pub mod table;

pub use atomic::{TEMPORARY_SUFFIX, sync_folder, write_atomically};
