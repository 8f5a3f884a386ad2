//! How fast are technologies read off pages, and does every reader see the same ones?
//!
//! The same pages go to canvass, to a bare search for the same literals and to the peers; one thread each, one after the
//! other, several times round.

pub mod compare;
pub mod contest;
pub mod oracle;
pub mod pages;
pub mod peers;
pub mod rules;
pub mod whole;
