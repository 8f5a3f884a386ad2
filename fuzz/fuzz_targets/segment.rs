//! Is any file either read as a segment or refused, never a panic and never more than it holds?
#![no_main]

use blobs::segment::{Limits, Position, SegmentLog};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    let folder = std::env::temp_dir().join(format!("canvass-fuzz-{}", std::process::id()));
    std::fs::create_dir_all(&folder).expect("a temporary folder can be made");
    std::fs::write(folder.join("segment-000001.open"), bytes).expect("a temporary file can be written");
    let _ = SegmentLog::open(&folder, Limits::default(), Position::default(), |record| {
        assert!(record.head.len() + record.body.len() <= 256 << 20);
    });
    std::fs::remove_dir_all(&folder).expect("a temporary folder can be removed");
});
