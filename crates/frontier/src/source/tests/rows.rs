//! Do rows that another program wrote come back as they were?

use std::io::Cursor;

use csv::{QuoteStyle, Terminator, WriterBuilder};
use proptest::prelude::*;

use super::{gzip, zstd};
use crate::source::{Line, Source, SourceOptions};

/// How many line ends a text holds, CRLF counting as one.
fn line_ends(text: &str) -> u64 {
    let pairs = text.matches("\r\n").count();
    (text.matches(['\r', '\n']).count() - pairs) as u64
}

#[derive(Debug, Clone)]
struct Style {
    crlf: bool,
    always_quoted: bool,
    mark: bool,
    packing: u8,
    delimiter: u8,
    key_first: bool,
}

fn any_style() -> impl Strategy<Value = Style> {
    (
        any::<bool>(),
        any::<bool>(),
        any::<bool>(),
        0u8..3,
        prop::sample::select(b",;\t|".to_vec()),
        any::<bool>(),
    )
        .prop_map(|(crlf, always_quoted, mark, packing, delimiter, key_first)| Style {
            crlf,
            always_quoted,
            mark,
            packing,
            delimiter,
            key_first,
        })
}

/// The file, and the physical line on which each row starts.
fn write(rows: &[[String; 3]], style: &Style) -> (Vec<u8>, Vec<u64>) {
    let mut bytes = if style.mark { b"\xef\xbb\xbf".to_vec() } else { Vec::new() };
    let mut starts = Vec::new();
    let mut writer = WriterBuilder::new()
        .delimiter(style.delimiter)
        .terminator(if style.crlf { Terminator::CRLF } else { Terminator::Any(b'\n') })
        .quote_style(if style.always_quoted { QuoteStyle::Always } else { QuoteStyle::Necessary })
        .from_writer(&mut bytes);
    let ordered = |[key, url, note]: [&str; 3]| {
        if style.key_first { [key, url, note] } else { [note, url, key] }.map(str::to_owned)
    };
    writer.write_record(ordered(["website_id", "url", "note"])).unwrap();
    let mut number = 2;
    for [key, url, note] in rows {
        starts.push(number);
        number += 1 + [key, url, note].iter().map(|field| line_ends(field)).sum::<u64>();
        writer.write_record(ordered([key, url, note])).unwrap();
    }
    drop(writer);
    let packed = match style.packing {
        0 => bytes,
        1 => gzip(&bytes),
        _ => zstd(&bytes),
    };
    (packed, starts)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(600))]

    #[test]
    fn rows_come_back_with_their_lines_in_every_style(
        rows in prop::collection::vec(prop::array::uniform3("[a-c é,;|\t\"\r\n]{0,6}"), 0..12),
        style in any_style(),
    ) {
        let (bytes, starts) = write(&rows, &style);
        let mut source = Source::from_reader(Box::new(Cursor::new(bytes)), "-", &SourceOptions::default()).unwrap();
        let mut line = Line::default();
        for ([key, url, _], start) in rows.iter().zip(starts) {
            prop_assert!(source.next(&mut line).unwrap());
            prop_assert_eq!(line.problem, None);
            prop_assert_eq!((line.number, &line.key, &line.url), (start, key, url));
        }
        prop_assert!(!source.next(&mut line).unwrap());
    }

    #[test]
    fn any_bytes_end_in_lines_or_in_an_error(
        bytes in prop::collection::vec(prop_oneof![
            any::<u8>(), prop::sample::select(b"\",\r\n;a\t".to_vec())
        ], 0..400),
        limit in 1usize..80,
        csv in any::<bool>(),
    ) {
        let options = SourceOptions { max_line_bytes: limit, ..SourceOptions::default() };
        let bytes = if csv { [b"website_id,url\n".as_slice(), &bytes].concat() } else { bytes };
        let physical_lines = bytes.iter().filter(|byte| matches!(byte, b'\r' | b'\n')).count() as u64 + 1;
        let Ok(mut source) = Source::from_reader(Box::new(Cursor::new(bytes)), "-", &options) else { return Ok(()) };
        let mut line = Line::default();
        let mut before = 0;
        while let Ok(true) = source.next(&mut line) {
            prop_assert!(line.number > before && line.number <= physical_lines);
            prop_assert!(line.problem.is_some() || line.url.len() + line.key.len() <= limit);
            before = line.number;
        }
    }
}
