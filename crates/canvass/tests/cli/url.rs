//! Do the `url` commands answer line by line, in the same order, whatever the lines hold?

use insta::assert_snapshot;

use crate::program::Home;

const LINES: &[u8] = b"HTTP://Example.COM:80/a/../b?utm_source=x&q=1#part\r\n\
                       \n\
                       ftp://example.com/\n\
                       caf\xe9.example\n\
                       www.b\xc3\xbccher.example/%7euser/\n\
                       http://10.0.0.1/\n\
                       https://shop.example.co.uk/last";

#[test]
fn each_line_is_answered_with_its_normal_form_or_the_reason() {
    assert_snapshot!(Home::empty().feed(&["url", "normalize"], LINES), @"");
    assert_snapshot!(Home::empty().feed(&["url", "normalize", "--json"], LINES), @"");
}

#[test]
fn each_line_is_answered_with_its_key_or_the_reason() {
    assert_snapshot!(Home::empty().feed(&["url", "key"], LINES), @"");
    assert_snapshot!(Home::empty().feed(&["url", "key", "--json"], LINES), @"");
}

#[test]
fn the_rules_of_the_settings_hold() {
    let keep = ["url", "normalize", "--set", "normalise.trailing_slash=keep"];
    assert_snapshot!(Home::empty().feed(&keep, b"https://example.com/a/\n"), @"");
}

#[test]
fn a_line_that_hardly_ends_costs_one_answer() {
    let mut lines = vec![b'a'; 3 << 20];
    lines.extend_from_slice(b"\nexample.com\n");
    assert_snapshot!(Home::empty().feed(&["url", "normalize"], &lines), @"");
}
