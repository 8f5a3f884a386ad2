use std::{collections::HashSet, fs, path::Path};

use super::*;

mod hostile;

fn packs() -> Vec<Pack> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fingerprints");
    let mut files: Vec<_> = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.retain(|path| path.extension().is_some_and(|extension| extension == "yaml"));
    files.sort();
    let parse = |path: &std::path::PathBuf| {
        Pack::parse(&fs::read_to_string(path).unwrap())
            .unwrap_or_else(|error| panic!("{}: {error}", path.display()))
    };
    files.iter().map(parse).collect()
}

fn rules() -> (RuleSet, Vec<Example>) {
    let (mut signals, mut fingerprints, mut examples) = (Vec::new(), Vec::new(), Vec::new());
    for pack in packs() {
        signals.extend(pack.signals);
        fingerprints.extend(pack.fingerprints);
        examples.extend(pack.examples);
    }
    let ids: Vec<String> = fingerprints.iter().map(|one| one.id.clone()).collect();
    let (rules, refused) = RuleSet::new(signals, fingerprints);
    let refused: Vec<_> = refused.iter().map(|(place, error)| format!("{}: {error}", ids[*place])).collect();
    assert!(refused.is_empty(), "{} refused: {refused:#?}", refused.len());
    (rules, examples)
}

#[test]
fn the_pack_is_large_and_its_names_are_its_own() {
    let packs = packs();
    let signals: Vec<_> = packs.iter().flat_map(|pack| &pack.signals).collect();
    let fingerprints: Vec<_> = packs.iter().flat_map(|pack| &pack.fingerprints).collect();
    assert!(fingerprints.len() >= 1_000 && packs.len() >= 60, "{} in {}", fingerprints.len(), packs.len());
    let names: HashSet<_> = signals.iter().map(|signal| &signal.name).collect();
    assert_eq!(names.len(), signals.len());
    let ids: HashSet<_> = fingerprints.iter().map(|one| &one.id).collect();
    assert_eq!(ids.len(), fingerprints.len());
    for signal in &signals {
        let others = signal
            .requires
            .iter()
            .chain(&signal.excludes)
            .chain(signal.implies.iter().map(|one| &one.signal));
        for other in others {
            assert!(names.contains(other), "{} speaks of {other}, which is not there", signal.name);
        }
    }
}

#[test]
fn every_fingerprint_sees_its_example_and_reads_off_what_it_should() {
    let (rules, examples) = rules();
    let mut scratch = Scratch::default();
    let mut wrong = Vec::new();
    for (place, example) in examples.iter().enumerate() {
        let html = format!(
            "<!doctype html><html><head><title>A page</title></head><body>{}</body></html>",
            example.html
        );
        let headers = example.response_headers();
        let robots = (!example.robots.is_empty()).then_some(example.robots.as_bytes());
        let url = if example.url.is_empty() { "https://www.example.com/" } else { &example.url };
        let page = Page { url, headers: &headers, body: html.as_bytes(), robots };
        let id = &rules.fingerprints()[place].id;
        match rules.sightings(&page, &mut scratch).iter().find(|one| one.fingerprint == place) {
            None => wrong.push(format!("{id} is not seen")),
            Some(sighting) => {
                let mut extracted = sighting.extracted.clone();
                extracted.sort();
                if extracted != example.expected {
                    wrong.push(format!("{id} reads {extracted:?}, not {:?}", example.expected));
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{} of {}: {wrong:#?}", wrong.len(), examples.len());
}

#[test]
fn pages_that_only_speak_of_products_show_none() {
    let (rules, _) = rules();
    let mut scratch = Scratch::default();
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fingerprints/negatives");
    let mut pages: Vec<(String, Vec<u8>)> = fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.extension().is_some_and(|extension| extension == "html"))
        .map(|path| (path.display().to_string(), fs::read(&path).unwrap()))
        .collect();
    let link = |signal: &Signal| {
        format!("<li><a href=\"{}\">{} by {}</a>\n", signal.website, signal.name, signal.vendor)
    };
    let directory: String = rules.signals().iter().map(link).collect();
    pages.push((
        "a directory of all products".to_owned(),
        format!("<html><body><ul>{directory}</ul>").into_bytes(),
    ));
    let mut wrong = Vec::new();
    for (name, body) in &pages {
        let headers = [("content-type".to_owned(), "text/html; charset=utf-8".to_owned())];
        let page = Page {
            url: "https://www.example.org/",
            headers: &headers,
            body,
            robots: Some(b"User-agent: *\n"),
        };
        for sighting in rules.sightings(&page, &mut scratch) {
            wrong.push(format!(
                "{name}: {} by {:?}",
                rules.fingerprints()[sighting.fingerprint].id,
                sighting.snippet
            ));
        }
    }
    assert!(pages.len() >= 4 && wrong.is_empty(), "{wrong:#?}");
}

/// What a reader sees: the document without tags, comments, scripts and styles, runs of white space as one space.
///
/// Character references stay as they are. At most `limit` bytes are written.
fn visible_text(html: &[u8], parts: &Parts, limit: usize, text: &mut Vec<u8>) {
    text.clear();
    let mut hidden = merged(parts).peekable();
    let mut at = 0;
    while at < html.len() && text.len() < limit {
        while hidden.next_if(|span| span.end <= at).is_some() {}
        if let Some(span) = hidden.peek()
            && span.start <= at
        {
            at = span.end.min(html.len());
            continue;
        }
        let until = hidden.peek().map_or(html.len(), |span| span.start);
        match memchr::memchr2(b'<', b'&', &html[at..until]) {
            Some(next) if html[at + next] == b'<' => {
                append_words(text, &html[at..at + next]);
                let tag = at + next;
                let is_tag =
                    html.get(tag + 1).is_some_and(|b| b.is_ascii_alphabetic() || matches!(b, b'/' | b'!'));
                if is_tag {
                    append_words(text, b" ");
                    at = parts::tag_end(html, tag + 1);
                } else {
                    append_words(text, b"<");
                    at = tag + 1;
                }
            }
            Some(next) => {
                append_words(text, &html[at..=at + next]);
                at += next + 1;
            }
            None => {
                append_words(text, &html[at..until]);
                at = until;
            }
        }
    }
    text.truncate(limit);
}

fn merged(parts: &Parts) -> impl Iterator<Item = std::ops::Range<usize>> + '_ {
    // a comment's marks are hidden with it
    let comments = parts.comments.iter().map(|span| span.start - 4..span.end + 3);
    let mut all: Vec<std::ops::Range<usize>> =
        parts.inline.iter().chain(&parts.styles).cloned().chain(comments).collect();
    all.sort_unstable_by_key(|span| span.start);
    all.into_iter()
}

fn append_words(text: &mut Vec<u8>, bytes: &[u8]) {
    for byte in bytes {
        if !byte.is_ascii_whitespace() {
            text.push(*byte);
        } else if text.last().is_some_and(|last| *last != b' ') {
            text.push(b' ');
        }
    }
}

/// What a loop over all patterns sees, with no index and no windows.
fn seen_by_a_loop(rules: &RuleSet, matchers: &[pattern::Matcher], page: &Page<'_>) -> Vec<usize> {
    let html = page.body;
    let mut parts = Parts::default();
    parts.scan(html);
    let mut text = Vec::new();
    visible_text(html, &parts, usize::MAX, &mut text);
    let of = |spans: &[std::ops::Range<usize>]| -> Vec<Vec<u8>> {
        let unescape = |span: &std::ops::Range<usize>| {
            String::from_utf8_lossy(&html[span.clone()])
                .replace("&quot;", "\"")
                .replace("&amp;", "&")
                .into_bytes()
        };
        spans.iter().map(unescape).collect()
    };
    let (scripts, links, images, inline) =
        (of(&parts.scripts), of(&parts.links), of(&parts.images), &parts.inline);
    let any = |matcher: &pattern::Matcher, values: &[Vec<u8>]| {
        values.iter().any(|value| matcher.find(value, 0..value.len(), false).is_some())
    };
    let mut seen = Vec::new();
    for (place, fingerprint) in rules.fingerprints().iter().enumerate() {
        let matcher = &matchers[place];
        let found = match &fingerprint.part {
            Part::Script => any(matcher, &scripts),
            Part::Link => any(matcher, &links),
            Part::Image => any(matcher, &images),
            Part::Url => matcher.find(page.url.as_bytes(), 0..page.url.len(), false).is_some(),
            Part::Inline => {
                inline.iter().any(|span| matcher.find(&html[span.clone()], 0..span.len(), false).is_some())
            }
            Part::Body => matcher.find(html, 0..html.len(), false).is_some(),
            Part::Text => matcher.find(&text, 0..text.len(), false).is_some(),
            _ => continue,
        };
        if found {
            seen.push(place);
        }
    }
    seen
}

#[test]
fn the_index_sees_what_a_loop_over_all_patterns_sees() {
    let (rules, examples) = rules();
    let matchers: Vec<_> =
        rules.fingerprints().iter().map(|one| pattern::Matcher::new(&one.pattern)).collect();
    let mut scratch = Scratch::default();
    // pages of sixty examples each, so that parts and literals stand at all alignments
    for (number, some) in examples.chunks(60).enumerate() {
        let filler = "x".repeat(number % 7);
        let pieces: String =
            some.iter().map(|example| format!("{filler}<p>{}</p>\n", example.html)).collect();
        let html = format!("<!doctype html><html><head>{pieces}</head></html>");
        let page =
            Page { url: "https://www.example.com/", headers: &[], body: html.as_bytes(), robots: None };
        let expected = seen_by_a_loop(&rules, &matchers, &page);
        let seen: Vec<usize> =
            rules.sightings(&page, &mut scratch).iter().map(|one| one.fingerprint).collect();
        let missed: Vec<_> = expected
            .iter()
            .filter(|place| !seen.contains(place))
            .map(|place| &rules.fingerprints()[*place].id)
            .collect();
        assert!(missed.is_empty(), "page {number}: {missed:?}");
        for place in seen {
            let fingerprint = &rules.fingerprints()[place];
            // an address within a script counts as a script's, and the loop does not look there
            let beyond = matches!(
                fingerprint.part,
                Part::Script
                    | Part::Dom { .. }
                    | Part::Meta(_)
                    | Part::Header(_)
                    | Part::Cookie(_)
                    | Part::Robots
            );
            assert!(beyond || expected.contains(&place), "page {number}: {} is not there", fingerprint.id);
        }
    }
}

#[test]
fn memory_that_was_used_with_many_rules_can_be_used_with_few() {
    let (many, examples) = rules();
    let few = Pack::parse(
        "category: a\ntitle: A\nabout: A.\nexclusive: false\nsignals:\n- name: X\n  vendor: X\n  website: https://x.example\n  \
         fingerprints:\n  - {id: x, in: robots, text: made by x, example: {robots: made by x}}\n",
    )
    .unwrap();
    let (few, refused) = RuleSet::new(few.signals, few.fingerprints);
    assert!(refused.is_empty());
    let mut scratch = Scratch::default();
    let html: String = examples.iter().map(|example| example.html.as_str()).collect();
    // a robots.txt is looked at whole
    let robots = format!("{}\n# Made by X", "Disallow: /a\n".repeat(2_000));
    let page = Page {
        url: "https://a.example/",
        headers: &[],
        body: html.as_bytes(),
        robots: Some(robots.as_bytes()),
    };
    assert!(many.sightings(&page, &mut scratch).len() > 1_000);
    assert_eq!(few.sightings(&page, &mut scratch).len(), 1);
    assert_eq!(few.sightings(&page, &mut Scratch::default()), few.sightings(&page, &mut scratch));
}
