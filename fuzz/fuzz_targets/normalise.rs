//! Is the normal form of any text a fixed point?
#![no_main]

use frontier::normal::{NormalRules, TrailingSlash};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|input: (bool, bool, &str)| {
    let (keep, upgrade_to_https, raw) = input;
    let trailing_slash = if keep { TrailingSlash::Keep } else { TrailingSlash::Strip };
    let rules = NormalRules { trailing_slash, upgrade_to_https, ..NormalRules::default() };
    let Ok(url) = rules.normalise(raw) else { return };
    assert_eq!(rules.normalise(url.as_str()).as_ref(), Ok(&url));
    assert!(url.as_str().is_ascii() && url.as_str().len() <= rules.max_length);
    assert!(url.path_and_query().starts_with('/') && !url.host().is_empty());
});
