//! Does each fingerprint see what it should, and only that?

use std::collections::HashSet;

use readers::technologies::{Example, ExtractKind, Page, RuleSet, Scratch};

use super::Finding;

/// Each fingerprint must see its own example and read off what the example says; those that cannot be used are passed.
pub(super) fn check(
    set: &RuleSet,
    examples: &[Example],
    unusable: &HashSet<usize>,
    file_of: &dyn Fn(usize) -> String,
    findings: &mut Vec<Finding>,
) {
    let mut scratch = Scratch::default();
    for (place, example) in examples.iter().enumerate().filter(|(place, _)| !unusable.contains(place)) {
        let fingerprint = &set.fingerprints()[place];
        let html = format!(
            "<!doctype html><html><head><title>A page</title></head><body>{}</body></html>",
            example.html
        );
        let headers = example.response_headers();
        let page = Page {
            url: if example.url.is_empty() { "https://www.example.com/" } else { &example.url },
            headers: &headers,
            body: html.as_bytes(),
            robots: (!example.robots.is_empty()).then_some(example.robots.as_bytes()),
        };
        let sightings = set.sightings(&page, &mut scratch);
        let problem = match sightings.into_iter().find(|one| one.fingerprint == place) {
            None => "it does not see its own example".to_owned(),
            Some(sighting) => {
                let mut extracted = sighting.extracted;
                extracted.sort();
                if extracted == example.expected {
                    continue;
                }
                format!("of its example it reads off {}, not {}", told(&extracted), told(&example.expected))
            }
        };
        findings.push(Finding { file: file_of(place), key: fingerprint.id.clone(), problem });
    }
}

fn told(values: &[(ExtractKind, String)]) -> String {
    if values.is_empty() {
        return "nothing".to_owned();
    }
    values.iter().map(|(kind, value)| format!("{} `{value}`", kind.word())).collect::<Vec<_>>().join(", ")
}

/// On a page that runs nothing, nothing may be seen.
pub(super) fn check_negatives(
    set: &RuleSet,
    negatives: &[(String, Vec<u8>)],
    file_of: &dyn Fn(usize) -> String,
    findings: &mut Vec<Finding>,
) {
    let mut scratch = Scratch::default();
    let headers = [("content-type".to_owned(), "text/html; charset=utf-8".to_owned())];
    for (name, body) in negatives {
        let robots = Some(b"User-agent: *\n".as_slice());
        let page = Page { url: "https://www.example.org/", headers: &headers, body, robots };
        for sighting in set.sightings(&page, &mut scratch) {
            let fingerprint = &set.fingerprints()[sighting.fingerprint];
            findings.push(Finding {
                file: file_of(sighting.fingerprint),
                key: fingerprint.id.clone(),
                problem: format!("it sees `{}` on {name}, a page that runs nothing", sighting.snippet),
            });
        }
    }
}
