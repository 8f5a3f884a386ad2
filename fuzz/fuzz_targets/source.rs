//! Does any file end in numbered lines or in an error, within its bounds?
#![no_main]

use std::io::Cursor;

use frontier::source::{Format, Line, Source, SourceOptions};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|input: (u8, u8, &[u8])| {
    let (format, limit, bytes) = input;
    let options = SourceOptions {
        format: [None, Some(Format::Csv), Some(Format::Text)][usize::from(format % 3)],
        max_line_bytes: usize::from(limit),
        ..SourceOptions::default()
    };
    let Ok(mut source) = Source::from_reader(Box::new(Cursor::new(bytes.to_vec())), "-", &options) else { return };
    let mut line = Line::default();
    let mut before = 0;
    while let Ok(true) = source.next(&mut line) {
        assert!(line.number > before);
        assert!(line.problem.is_some() || line.url.len() + line.key.len() <= 2 * usize::from(limit));
        before = line.number;
    }
});
