//! Is a list recognised for what it is?

use std::io::Cursor;

use super::{gzip, read, read_with, told, zstd};
use crate::source::{Format, Line, Source, SourceOptions, open};

#[test]
fn text_is_a_url_a_line_with_any_line_end_and_blank_lines_are_only_counted() {
    for end in ["\n", "\r\n", "\r"] {
        let text = ["a.com", "", "  b.com/x \t", "   ", "c.com"].join(end);
        let expected = told(&[(1, "", "a.com"), (3, "", "b.com/x"), (5, "", "c.com")]);
        assert_eq!(read(&text, "list.txt"), expected, "{end:?}");
        assert_eq!(read(text + end, "-"), expected, "{end:?}");
    }
    assert_eq!(read("", "-"), told(&[]));
    assert_eq!(read("\n\r\n\r\n\r", "list.txt"), told(&[]));
}

#[test]
fn csv_takes_the_key_and_the_url_by_the_names_of_the_header() {
    let expected = told(&[(2, "7", "https://a.com/"), (3, "8", "b.com")]);
    for text in [
        "website_id,url\n7,https://a.com/\n8,b.com\n",
        "url,website_id\r\nhttps://a.com/,7\r\nb.com,8",
        "name,URL,x, website_id \n?,https://a.com/,,7\n\"a \"\"b\"\"\",b.com,,8\n",
        "\"website_id\";\"url\"\n\"7\";\"https://a.com/\"\n8;b.com\n",
        "website_id\turl\n7\thttps://a.com/\n8\tb.com\n",
        "website_id|url\n7|https://a.com/\n8|b.com\n",
        "\u{feff}website_id,url\r7,https://a.com/\r8,b.com\r",
    ] {
        assert_eq!(read(text, "list.csv"), expected, "{text}");
        assert_eq!(read(text, "-"), expected, "sniffed: {text}");
    }
}

#[test]
fn a_rounds_own_failures_are_a_list() {
    let text = "website_id,url,line,kind,status,detail\n\
        7,https://a.com/,3,throttled,429,\"asked to wait, thrice\"\n,https://b.com/,9,dns_not_found,,\n";
    assert_eq!(read(text, "failed_urls.csv"), told(&[(2, "7", "https://a.com/"), (3, "", "https://b.com/")]));
}

#[test]
fn the_names_and_the_delimiter_can_be_set() {
    let options = SourceOptions {
        key_column: "account".into(),
        url_column: "homepage".into(),
        delimiter: Some(b':'),
        format: Some(Format::Csv),
        ..SourceOptions::default()
    };
    let lines = read_with(b"homepage:account\na.com:1\n", "list.txt", &options).unwrap();
    assert_eq!(lines, told(&[(2, "1", "a.com")]));
}

#[test]
fn a_missing_key_column_leaves_the_key_empty_unless_it_was_asked_for() {
    assert_eq!(read("id,url\n1,a.com\n", "list.csv"), told(&[(2, "", "a.com")]));
    let asked = SourceOptions { key_column: "account".into(), ..SourceOptions::default() };
    let error = read_with(b"acount,url\n1,a.com\n", "list.csv", &asked).unwrap_err().to_string();
    assert!(
        error.contains("`account`") && error.contains("`acount`") && error.contains("key_column"),
        "{error}"
    );
}

#[test]
fn quoted_fields_hold_delimiters_quotes_and_line_ends() {
    let text = "website_id,url,note\n1,\"https://a.com/?x=1,2\",\"a\nb\r\nc\rd\"\n2,b.com,\"say \"\"hi\"\"\"\n\n3,c.com,\n";
    let expected = told(&[(2, "1", "https://a.com/?x=1,2"), (6, "2", "b.com"), (8, "3", "c.com")]);
    assert_eq!(read(text, "list.csv"), expected);
}

#[test]
fn compression_is_seen_from_the_content_and_may_have_several_parts() {
    let (head, tail) = ("website_id,url\n1,a.c", "om\n2,b.com\n");
    let expected = told(&[(2, "1", "a.com"), (3, "2", "b.com")]);
    let gzipped = [gzip(head.as_bytes()), gzip(tail.as_bytes())].concat();
    let zstandard = [zstd(head.as_bytes()), zstd(tail.as_bytes())].concat();
    let skippable = [b"\x50\x2a\x4d\x18\x03\0\0\0abc".to_vec(), zstandard.clone()].concat();
    for packed in [gzipped, zstandard, skippable] {
        for name in ["list.csv.gz", "list.csv.zst", "list.csv", "list", "-"] {
            assert_eq!(read(&packed, name), expected, "{name}");
        }
    }
    assert_eq!(read(gzip(b""), "-"), told(&[]));
}

#[test]
fn the_format_is_told_by_the_name_before_the_content() {
    let text = "url\na.com\n";
    assert_eq!(read(text, "list.txt"), told(&[(1, "", "url"), (2, "", "a.com")]));
    assert_eq!(read(gzip(text.as_bytes()), "LIST.TXT.GZ").len(), 2);
    assert_eq!(read(text, "list"), told(&[(2, "", "a.com")]));
    assert_eq!(read("a\turl\n1,2\tb.com\n", "list.tsv.zst"), told(&[(2, "", "b.com")]));
}

#[test]
fn progress_is_told_in_bytes_of_the_file() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("list.csv.gz");
    let packed = gzip(b"website_id,url\n1,a.com\n");
    std::fs::write(&path, &packed).unwrap();
    let mut source = open(&path, &SourceOptions::default()).unwrap();
    assert_eq!((source.format(), source.total_bytes()), (Format::Csv, Some(packed.len() as u64)));
    while source.next(&mut Line::default()).unwrap() {}
    assert_eq!(source.bytes_read(), packed.len() as u64);

    let piped = Source::from_reader(Box::new(Cursor::new(packed)), "-", &SourceOptions::default()).unwrap();
    assert_eq!(piped.total_bytes(), None);
}
