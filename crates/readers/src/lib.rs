//! What does a capture say?
//!
//! Pure and synchronous: the same capture always says the same, so a month can be read again with better readers.

#![cfg_attr(test, allow(clippy::unwrap_used, reason = "a test that cannot go on has failed"))]

pub mod technologies;
pub mod text;
