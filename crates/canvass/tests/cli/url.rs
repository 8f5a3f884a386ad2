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
    assert_snapshot!(Home::empty().feed(&["url", "normalize"], LINES), @"
    http://example.com/b?q=1
    error: there is nothing here
    error: only http and https can be fetched: if this is a host, write https:// before it
    error: not UTF-8 text
    https://www.xn--bcher-kva.example/~user
    http://10.0.0.1/
    https://shop.example.co.uk/last
    [exit 0]
    ");
    assert_snapshot!(Home::empty().feed(&["url", "normalize", "--json"], LINES), @r#"
    {"url":"HTTP://Example.COM:80/a/../b?utm_source=x&q=1#part","normal":"http://example.com/b?q=1"}
    {"url":"","error":"there is nothing here"}
    {"url":"ftp://example.com/","error":"only http and https can be fetched: if this is a host, write https:// before it"}
    {"url":"caf�.example","error":"not UTF-8 text"}
    {"url":"www.bücher.example/%7euser/","normal":"https://www.xn--bcher-kva.example/~user"}
    {"url":"http://10.0.0.1/","normal":"http://10.0.0.1/"}
    {"url":"https://shop.example.co.uk/last","normal":"https://shop.example.co.uk/last"}
    [exit 0]
    "#);
}

#[test]
fn each_line_is_answered_with_its_key_or_the_reason() {
    assert_snapshot!(Home::empty().feed(&["url", "key"], LINES), @"
    example.com	example.com	eda827871bcf9d9e
    error: there is nothing here
    error: only http and https can be fetched: if this is a host, write https:// before it
    error: not UTF-8 text
    www.xn--bcher-kva.example	xn--bcher-kva.example	98c0bfb487015bba
    10.0.0.1	-	c1148ff194c97498
    shop.example.co.uk	example.co.uk	0aef9b4c38e8e972
    [exit 0]
    ");
    assert_snapshot!(Home::empty().feed(&["url", "key", "--json"], LINES), @r#"
    {"url":"http://example.com/b?q=1","host":"example.com","registrable_domain":"example.com","hash":"eda827871bcf9d9e"}
    {"url":"","error":"there is nothing here"}
    {"url":"ftp://example.com/","error":"only http and https can be fetched: if this is a host, write https:// before it"}
    {"url":"caf�.example","error":"not UTF-8 text"}
    {"url":"https://www.xn--bcher-kva.example/~user","host":"www.xn--bcher-kva.example","registrable_domain":"xn--bcher-kva.example","hash":"98c0bfb487015bba"}
    {"url":"http://10.0.0.1/","host":"10.0.0.1","registrable_domain":null,"hash":"c1148ff194c97498"}
    {"url":"https://shop.example.co.uk/last","host":"shop.example.co.uk","registrable_domain":"example.co.uk","hash":"0aef9b4c38e8e972"}
    [exit 0]
    "#);
}

#[test]
fn the_rules_of_the_settings_hold() {
    let keep = ["url", "normalize", "--set", "normalise.trailing_slash=keep"];
    assert_snapshot!(Home::empty().feed(&keep, b"https://example.com/a/\n"), @"
    https://example.com/a/
    [exit 0]
    ");
}

#[test]
fn a_line_that_hardly_ends_costs_one_answer() {
    let mut lines = vec![b'a'; 3 << 20];
    lines.extend_from_slice(b"\nexample.com\n");
    assert_snapshot!(Home::empty().feed(&["url", "normalize"], &lines), @"
    error: longer than 2048 bytes
    https://example.com/
    [exit 0]
    ");
}
