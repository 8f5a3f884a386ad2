//! Does any header lead somewhere sane?
#![no_main]

use domain::Moment;
use fetch::{RedirectRules, parse_retry_after};
use libfuzzer_sys::fuzz_target;
use readers::text::{decode_text, detect_charset};

fuzz_target!(|input: (&str, &[u8], &[u8])| {
    let (content_type, location, body) = input;
    let _ = parse_retry_after(location, Moment(1_700_000_000_000));
    let rules = RedirectRules::default();
    if let Ok(hop) = rules.next_hop("https://example.com/a/b?c", 302, Some(location), &[]) {
        assert!(hop.starts_with("https://") || hop.starts_with("http://"));
        assert!(!hop.contains('#'));
    }
    let charset = detect_charset(Some(content_type), body);
    let _ = decode_text(body, charset);
});
