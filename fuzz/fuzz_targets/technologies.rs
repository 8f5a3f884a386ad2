//! Does any page, any selector and any pattern end in detections or in an error?
#![no_main]

use std::sync::OnceLock;

use libfuzzer_sys::fuzz_target;
use readers::technologies::{
    Fingerprint, Pack, Page, Part, Pattern, RuleSet, Scratch, Selector, needles, wappalyzer::translate,
};

const PACK: &str = include_str!("../../fingerprints/analytics.yaml");

fn rules() -> &'static RuleSet {
    static RULES: OnceLock<RuleSet> = OnceLock::new();
    RULES.get_or_init(|| {
        let pack = Pack::parse(PACK).expect("the pack is read by the tests too");
        RuleSet::new(pack.signals, pack.fingerprints).0
    })
}

fuzz_target!(|input: (&str, &[u8])| {
    let (text, html) = input;
    let headers = [("set-cookie".to_owned(), text.to_owned())];
    let page = Page { url: text, headers: &headers, body: html, robots: Some(html) };
    for detection in rules().detect(&page, &mut Scratch::default()) {
        assert!((1..=100).contains(&detection.confidence));
    }
    if Selector::parse_list(text).is_ok() {
        let part = Part::Dom { selector: text.to_owned(), attribute: None };
        let fingerprint = Fingerprint {
            id: "x".to_owned(),
            signal: "X".to_owned(),
            part,
            pattern: Pattern::Exists,
            extracts: Vec::new(),
            confidence: 100,
        };
        let (rules, _) = RuleSet::new(Vec::new(), vec![fingerprint]);
        let _ = rules.sightings(&page, &mut Scratch::default());
    }
    let _ = needles(&Pattern::Regex(translate(text)));
    let _ = Pack::parse(text);
});
