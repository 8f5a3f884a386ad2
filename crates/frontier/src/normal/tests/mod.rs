//! Is the normal form what RFC 3986 §6, the WHATWG URL standard and our rules say?

mod laws;
mod refused;
mod vectors;
