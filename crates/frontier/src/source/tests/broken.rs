//! Does a bad line stay one bad line, and a bad list say what to do?

use std::{
    io::{self, Read},
    path::Path,
    time::{Duration, Instant},
};

use super::{gzip, read, read_with, told, zstd};
use crate::source::{Line, LineProblem, Source, SourceError, SourceOptions, open};

fn error_of(bytes: &[u8], name: &str) -> String {
    read_with(bytes, name, &SourceOptions::default()).unwrap_err().to_string()
}

#[test]
fn a_record_with_another_number_of_fields_is_one_bad_line() {
    let text = "website_id,url\n1,a.com/x,y\n2\n3,c.com\n,\n";
    let expected =
        [(2, "1", "!wrong_field_count"), (3, "2", "!wrong_field_count"), (4, "3", "c.com"), (5, "", "")];
    assert_eq!(read(text, "list.csv"), told(&expected));
}

#[test]
fn a_key_that_no_database_could_look_up_spoils_its_line() {
    let (good, long) = ("k".repeat(512), "k".repeat(513));
    let text = format!("website_id,url\n{long},a.com\n{good},b.com\n");
    assert_eq!(read(&text, "list.csv"), told(&[(2, "", "!key_too_long"), (3, &good, "b.com")]));
}

#[test]
fn bytes_that_are_not_utf8_spoil_their_line_and_only_in_columns_that_matter() {
    let text = b"website_id,url,note\n1,a.com/\xff,x\n\xfe,b.com,x\n3,c.com,\xff\n";
    let expected = [(2, "1", "!not_utf8"), (3, "", "!not_utf8"), (4, "3", "c.com")];
    assert_eq!(read(text, "list.csv"), told(&expected));
    assert_eq!(read(b"a.com\n\xff.com\nb.com\n", "list.txt")[1].2, "!not_utf8");
}

#[test]
fn a_quote_that_is_never_closed_costs_one_line_and_not_the_rest_of_the_list() {
    let bad = (3, "", "!unterminated_quote");
    for (text, expected) in [
        (
            "website_id,url\n1,a.com\n2,\"b.com\n3,c.com\n4,d.com\n",
            &[(2, "1", "a.com"), bad, (4, "3", "c.com"), (5, "4", "d.com")][..],
        ),
        (
            "website_id,url\n1,a.com\n2,\"b.com\n3,\"c.com\"\n4,d.com\n",
            &[(2, "1", "a.com"), bad, (4, "3", "c.com"), (5, "4", "d.com")],
        ),
        (
            "\"website_id\",\"url\"\n\"1\",\"a.com\"\n\"2\",\"b.com\n\"3\",\"c.com\"\n",
            &[(2, "1", "a.com"), bad, (4, "3", "c.com")],
        ),
        ("website_id,url\n1,a.com\n2,\"b.com", &[(2, "1", "a.com"), bad]),
    ] {
        assert_eq!(read(text, "list.csv"), told(expected), "{text}");
    }
}

#[test]
fn an_open_quote_before_a_hundred_thousand_lines_costs_one_line_too() {
    let rest = "2,b.com\n".repeat(100_000);
    let lines = read(format!("website_id,url\n1,\"a.com\n{rest}"), "list.csv");
    assert_eq!(lines.len(), 100_001);
    assert_eq!(lines[0].2, "!unterminated_quote");
    assert!(lines[1..].iter().zip(3..).all(|(line, number)| (line.0, line.2.as_str()) == (number, "b.com")));
}

#[test]
fn quotes_made_to_be_slow_are_not() {
    // each line opens a quote and closes none: to search the rest of the file from each would be 12 GB of work
    let text = format!("url\n{}", "\"a\"\"\n".repeat(70_000));
    let options = SourceOptions { max_line_bytes: 1 << 20, ..SourceOptions::default() };
    let begun = Instant::now();
    let lines = read_with(text.as_bytes(), "list.csv", &options).unwrap();
    assert_eq!(lines.len(), 70_000);
    assert!(lines.iter().all(|line| line.2 == "!unterminated_quote"));
    assert!(begun.elapsed() < Duration::from_secs(10), "took {:?}", begun.elapsed());
}

#[test]
fn text_after_a_quoted_field_on_the_same_line_is_taken_as_part_of_it() {
    assert_eq!(read("website_id,url\n1,\"a.com\"/x\n", "list.csv"), told(&[(2, "1", "a.com/x")]));
    assert_eq!(read("website_id,url\n1,a\"b.com\n", "list.csv"), told(&[(2, "1", "a\"b.com")]));
}

/// As many bytes as asked for, made up on the way, then a last good line.
struct Endless {
    left: u64,
    tail: &'static [u8],
}

impl Read for Endless {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if self.left == 0 {
            return self.tail.read(buffer);
        }
        let count = buffer.len().min(usize::try_from(self.left).unwrap_or(usize::MAX));
        buffer[..count].fill(b'a');
        self.left -= count as u64;
        Ok(count)
    }
}

#[test]
fn a_line_that_never_seems_to_end_is_one_bad_line_in_little_memory() {
    for (head, name) in [("x.com\n", "list.txt"), ("url\n", "list.csv"), ("url\n\"", "list.csv")] {
        let endless = Endless { left: 16 << 20, tail: b"\r\nlast.com\n" };
        let reader = io::Cursor::new(head).chain(endless);
        let mut source = Source::from_reader(Box::new(reader), name, &SourceOptions::default()).unwrap();
        let mut line = Line::default();
        while source.next(&mut line).unwrap() && line.problem.is_none() {}
        assert_eq!((line.number, line.problem), (2, Some(LineProblem::TooLong { limit: 64 * 1024 })));
        assert!(line.url.len() <= 256 && source.window.capacity() <= 4 * 64 * 1024);
        assert!(source.next(&mut line).unwrap());
        assert_eq!((line.number, line.url.as_str()), (3, "last.com"));
        assert!(!source.next(&mut line).unwrap());
    }
}

#[test]
fn a_line_is_too_long_from_one_byte_over_the_limit() {
    let options = SourceOptions { max_line_bytes: 10, ..SourceOptions::default() };
    let lines = read_with(b"0123456789\n0123456789a\r\nb\n", "list.txt", &options).unwrap();
    assert_eq!(lines, told(&[(1, "", "0123456789"), (2, "", "!too_long"), (3, "", "b")]));
}

#[test]
fn a_missing_url_column_names_the_columns_and_what_to_set() {
    let error = error_of(b"\nid,website,site_url\n1,2,3\n", "list.csv");
    for part in ["list.csv", "line 2", "`url`", "`id`", "`website`", "`site_url` is meant", "url_column"] {
        assert!(error.contains(part), "{part} is missing from: {error}");
    }
    assert!(error_of(b"", "list.csv").contains("empty"));
    assert!(error_of(b"a,\"url\n", "list.csv").contains("quote"));
}

#[test]
fn utf16_is_refused_with_what_to_do() {
    let utf16 = |text: &str| text.encode_utf16().flat_map(u16::to_le_bytes).collect::<Vec<u8>>();
    for bytes in [utf16("\u{feff}a.com\n"), utf16("a.com\n"), b"\xfe\xff\0a".to_vec(), b"\0a\0.\0c".to_vec()]
    {
        assert!(error_of(&bytes, "list.txt").contains("iconv"), "{bytes:?}");
    }
}

#[test]
fn a_missing_file_is_named() {
    let missing = open(Path::new("no/such/list.csv"), &SourceOptions::default());
    let error = missing.err().map(|error| error.to_string()).unwrap_or_default();
    assert!(error.contains("no/such/list.csv"), "{error}");
}

#[test]
fn corrupt_compression_ends_the_list_with_the_place_after_the_lines_before_it() {
    let text: String = (0..50_000).map(|number| format!("{number}.example.com\n")).collect();
    for packed in [gzip(text.as_bytes()), zstd(text.as_bytes())] {
        let cut = packed[..packed.len() / 2].to_vec();
        let mut source =
            Source::from_reader(Box::new(io::Cursor::new(cut)), "list.txt", &SourceOptions::default())
                .unwrap();
        let mut line = Line::default();
        let mut count = 0;
        let error = loop {
            match source.next(&mut line) {
                Ok(true) => count += 1,
                Ok(false) => panic!("the end was reported as if the list were whole"),
                Err(error) => break error,
            }
        };
        assert!(count > 1_000);
        let SourceError::CannotRead { name, line, byte, .. } = error else { panic!("{error}") };
        assert_eq!((name.as_str(), line, byte), ("list.txt", count, packed.len() as u64 / 2));
    }
}
