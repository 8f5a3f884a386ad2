//! Does any body decode within its limit, whatever its coding claims?
#![no_main]

use fetch::{ContentEncoding, decode};
use libfuzzer_sys::fuzz_target;

const LIMIT: usize = 64 << 10;

fuzz_target!(|wire: &[u8]| {
    for name in ["gzip", "br", "zstd", "deflate", "identity"] {
        let coding = ContentEncoding::by_name(name).expect("the name is in the table");
        if let Ok(decoded) = decode(wire, coding, LIMIT) {
            assert!(decoded.bytes.len() <= LIMIT);
        }
    }
});
