//! Is what cannot be fetched refused, for the right reason?

use crate::normal::{NormalRules, NotAUrl};

#[test]
fn what_cannot_be_fetched_is_refused_by_name() {
    let long_label = format!("https://{}.example/", "a".repeat(64));
    let long_name = format!("https://{}example/", "abcdefgh.".repeat(28));
    let long_path = format!("https://example.com/{}", "a".repeat(2029));
    let long_when_encoded = format!("https://example.com/{}", "é".repeat(1000));
    let monstrous = "a.".repeat(1 << 20);
    for (raw, name) in [
        ("", "empty"),
        (" \t\r\n", "empty"),
        ("example", "no_scheme"),
        ("localhost", "no_scheme"),
        ("/path/only", "no_scheme"),
        ("../up", "no_scheme"),
        (".hidden", "no_scheme"),
        ("?query=a.b", "no_scheme"),
        ("#fragment", "no_scheme"),
        ("two words", "no_scheme"),
        ("ftp://example.com/", "scheme_not_http"),
        ("mailto:someone@example.com", "scheme_not_http"),
        ("javascript:alert(1)", "scheme_not_http"),
        ("data:text/html,x", "scheme_not_http"),
        ("file:///etc/passwd", "scheme_not_http"),
        ("tel:0123", "scheme_not_http"),
        ("localhost:8080", "scheme_not_http"),
        ("C:\\windows", "scheme_not_http"),
        ("https://", "no_host"),
        ("https:", "no_host"),
        ("http://?q", "no_host"),
        ("//", "no_host"),
        ("https://exa mple.com/", "bad_host"),
        ("https://exa%00mple.com/", "bad_host"),
        ("https://exam<ple.com/", "bad_host"),
        ("https://a..example.com/", "bad_host"),
        ("https://example.com../", "bad_host"),
        ("https://.example.com/", "bad_host"),
        ("https://./", "bad_host"),
        ("https://a,b.example/", "bad_host"),
        ("https://a*b.example/", "bad_host"),
        ("https://256.1.1.1/", "bad_host"),
        ("https://1.2.3.4.5/", "bad_host"),
        ("https://[::1/", "bad_host"),
        ("https://[1:2:3]/", "bad_host"),
        ("https://[fe80::1%25eth0]/", "bad_host"),
        ("https://xn--a/", "bad_host"),
        (&long_label, "bad_host"),
        (&long_name, "bad_host"),
        ("https://example.com:port/", "bad_port"),
        ("example.com:port/", "bad_port"),
        ("https://example.com:65536/", "bad_port"),
        ("https://example.com:-1/", "bad_port"),
        ("https://example.com:0/", "bad_port"),
        ("https://user:secret@example.com/", "has_credentials"),
        ("https://user@example.com/", "has_credentials"),
        ("https://:secret@example.com/", "has_credentials"),
        ("someone@example.com", "has_credentials"),
        ("https://example.com/a\tb", "control_character"),
        ("https://example.com/a\nb", "control_character"),
        ("https://exam\0ple.com/", "control_character"),
        ("https://example.com/\u{7f}", "control_character"),
        ("https://example.com/\u{85}x", "control_character"),
        (&long_path, "too_long"),
        (&long_when_encoded, "too_long"),
        (&monstrous, "too_long"),
    ] {
        let refusal = NormalRules::default().normalise(raw).unwrap_err();
        assert_eq!(refusal.name(), name, "{:.80}", raw.escape_debug().to_string());
        assert!(!refusal.to_string().is_empty());
    }
}

#[test]
fn the_longest_allowed_url_is_allowed() {
    let longest = format!("https://example.com/{}", "a".repeat(2028));
    assert_eq!(longest.len(), 2048);
    assert_eq!(NormalRules::default().normalise(&longest).unwrap().as_str(), longest);
}

#[test]
fn what_is_removed_does_not_count_towards_the_length() {
    let raw = format!("https://example.com/?utm_source={}", "x".repeat(4000));
    assert_eq!(NormalRules::default().normalise(&raw).unwrap().as_str(), "https://example.com/");
}

#[test]
fn bytes_that_are_not_utf8_are_refused_as_such() {
    let rules = NormalRules::default();
    assert_eq!(rules.normalise_bytes(b"https://example.com/\xff"), Err(NotAUrl::NotUtf8));
    assert_eq!(rules.normalise_bytes(b"example.com").unwrap().as_str(), "https://example.com/");
}
