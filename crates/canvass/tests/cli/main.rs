//! What does a person see? The program itself, run as a person runs it, and the documents that are made from it.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

mod accounts;
mod begin;
mod changes;
mod damage;
mod deliver;
mod documents;
mod export;
mod fingerprints;
mod pipes;
mod program;
mod prose;
mod robots;
mod rounds;
mod settings;
mod shape;
mod url;
