//! Does a fetch do what it promises against servers that misbehave in every way?
//!
//! Every server here is a bare socket on loopback that says exactly what its test gives it.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

mod addresses;
mod bodies;
mod bombs;
mod connections;
mod dns;
mod failures;
mod support;
mod tls;
