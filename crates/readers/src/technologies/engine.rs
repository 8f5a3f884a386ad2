//! Which fingerprints are on a page, in one pass?
//!
//! The document is split into its parts. Short values (addresses of scripts, links and images, the URL) are put side by
//! side and searched for literals at once; so is the document itself, once for everything that looks into it. A pattern
//! is tried only where one of its literals stands, and only on the value or on a window around it. What a page may cost
//! is bounded in bytes tried, whatever is on it.

use std::ops::Range;

use super::{
    context::Bytes,
    grams::{Grams, SHORTEST, commonness},
    literals::Needles,
    names::Names,
    parts::{Parts, Span, unescaped},
    pattern::{Extractor, Matcher, PatternError, needles, needles_of_at_least},
    rule::{ExtractKind, Fingerprint, Part, Pattern},
    selector::{Place, Selector, SelectorError, Tag, Tree},
};

/// How far before and behind a literal a pattern on the document may reach.
const WINDOW_BEFORE: usize = 1_024;
const WINDOW_BEHIND: usize = 2_048;
/// A value is looked at up to this length.
const MAX_VALUE_BYTES: usize = 4_096;
/// How much of a robots.txt is looked at, which is all that is ever read of one.
const MAX_ROBOTS_BYTES: usize = 500 << 10;
/// How far a pattern without a bound may reach where its first literal stands, if it is not found that near.
const FAR_BEFORE: usize = 4 << 10;
const FAR_BEHIND: usize = 8 << 10;
/// What one fingerprint may try on a page with its pattern, in bytes.
const MAX_RULE_BYTES: u32 = 128 << 10;
/// What all fingerprints together may try on a page, in bytes.
const MAX_TRIED_BYTES: usize = 3 << 20;
/// What it costs to look at a hit, and to try a pattern on however little, in bytes tried.
const HIT_COST: usize = 16;
const TRY_COST: usize = 256;
/// How much of a document is read.
const MAX_BODY_BYTES: usize = 8 << 20;
/// Into how many literals two letters may be made.
const MAX_VARIANTS: usize = 32;
/// What is kept of the place where something was seen.
const MAX_SNIPPET_BYTES: usize = 120;

/// What is read.
#[derive(Debug, Clone, Copy)]
pub struct Page<'a> {
    /// Where the redirects ended.
    pub url: &'a str,
    /// The response's headers, names in lower case.
    pub headers: &'a [(String, String)],
    /// The document, decoded; any encoding in which ASCII is ASCII will do.
    pub body: &'a [u8],
    /// The site's robots.txt, where it is known.
    pub robots: Option<&'a [u8]>,
}

/// A fingerprint that was seen.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Sighting {
    /// Its place among the fingerprints of the set.
    pub fingerprint: usize,
    /// Where in its part: an offset into the document or the value.
    pub offset: usize,
    /// What stands there.
    pub snippet: String,
    /// What was read off.
    pub extracted: Vec<(ExtractKind, String)>,
}

/// Why a fingerprint cannot be used.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum RuleError {
    /// Its pattern.
    #[error(transparent)]
    Pattern(#[from] PatternError),
    /// Its selector.
    #[error(transparent)]
    Selector(#[from] SelectorError),
    /// Its selector could be anywhere.
    #[error("`{0}` has no word of at least {SHORTEST} letters to search for")]
    NoWord(String),
}

/// Fingerprints, ready to be searched for.
pub struct Engine {
    rules: Vec<Rule>,
    headers: Names,
    cookies: Names,
    metas: Names,
    values: Index,
    body: Index,
    robots: Vec<u32>,
}

struct Rule {
    zone: Zone,
    /// How far a match may reach before and behind a literal.
    reach: (usize, usize),
    /// The same for the first literal on a page.
    far_reach: (usize, usize),
    /// What may stand right before and right behind a literal.
    sides: (Bytes, Bytes),
    matcher: Matcher,
    extractors: Vec<Extractor>,
    selectors: Vec<Selector>,
    attribute: Option<Box<str>>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Zone {
    Script,
    Link,
    Image,
    Url,
    Named,
    Robots,
    Body,
    Inline,
    Style,
    Text,
    Dom,
}

/// Literals, and the rules that each of them belongs to.
struct Index {
    grams: Grams,
    /// Where each literal's rules begin in `owners`.
    heads: Vec<u32>,
    owners: Vec<u32>,
}

impl Index {
    fn new(mut pairs: Vec<(Vec<u8>, u32)>) -> Index {
        pairs.sort();
        pairs.dedup();
        let (mut literals, mut heads, mut owners) = (Vec::<Box<[u8]>>::new(), Vec::new(), Vec::new());
        for (literal, owner) in pairs {
            if literals.last().is_none_or(|last| **last != *literal) {
                literals.push(literal.into());
                heads.push(owners.len() as u32);
            }
            owners.push(owner);
        }
        heads.push(owners.len() as u32);
        Index { grams: Grams::new(literals), heads, owners }
    }

    fn owners(&self, literal: u32) -> &[u32] {
        let literal = literal as usize;
        &self.owners[self.heads[literal] as usize..self.heads[literal + 1] as usize]
    }
}

impl Engine {
    /// Makes fingerprints ready. Those that cannot be used are left out and named with the reason.
    #[must_use]
    pub fn new(fingerprints: &[Fingerprint]) -> (Engine, Vec<(usize, RuleError)>) {
        let mut builder = Builder::default();
        let mut refused = Vec::new();
        for (number, fingerprint) in fingerprints.iter().enumerate() {
            if let Err(error) = builder.add(number as u32, fingerprint) {
                refused.push((number, error));
                builder.rules.push(Rule::dead());
            }
        }
        let Builder { rules, headers, cookies, metas, values, body, robots } = builder;
        let engine = Engine {
            rules,
            headers,
            cookies,
            metas,
            values: Index::new(values),
            body: Index::new(body),
            robots,
        };
        (engine, refused)
    }

    /// The literals that a document is searched for.
    pub fn literals(&self) -> impl Iterator<Item = &[u8]> {
        self.body.grams.literals()
    }

    /// What is on a page, in the order of the fingerprints.
    #[must_use]
    pub fn read(&self, page: &Page<'_>, scratch: &mut Scratch) -> Vec<Sighting> {
        let html = &page.body[..page.body.len().min(MAX_BODY_BYTES)];
        scratch.begin(self.rules.len());
        scratch.parts.scan(html);
        let mut reading = Reading { engine: self, html, tried: 0, seen: Vec::new(), state: scratch };
        reading.read_named(page);
        reading.read_values(page);
        reading.read_body();
        let mut seen = reading.seen;
        seen.sort_by_key(|sighting| sighting.fingerprint);
        seen
    }
}

/// A literal's neighbours, where it stands.
struct Hit {
    left: Option<u8>,
    right: Option<u8>,
}

impl Hit {
    fn within(text: &[u8], at: usize, length: usize) -> Hit {
        let left = at.checked_sub(1).and_then(|at| text.get(at)).copied();
        Hit { left, right: text.get(at + length).copied() }
    }
}

impl Rule {
    /// Whether a literal of it may stand between these neighbours.
    #[inline]
    fn may_stand(&self, hit: &Hit) -> bool {
        hit.left.is_none_or(|byte| self.sides.0.has(byte))
            && hit.right.is_none_or(|byte| self.sides.1.has(byte))
    }

    fn dead() -> Rule {
        Rule {
            zone: Zone::Named,
            reach: (0, 0),
            far_reach: (0, 0),
            sides: (Bytes::ANY, Bytes::ANY),
            matcher: Matcher::Anything,
            extractors: Vec::new(),
            selectors: Vec::new(),
            attribute: None,
        }
    }
}

#[derive(Default)]
struct Builder {
    rules: Vec<Rule>,
    headers: Names,
    cookies: Names,
    metas: Names,
    values: Vec<(Vec<u8>, u32)>,
    body: Vec<(Vec<u8>, u32)>,
    robots: Vec<u32>,
}

impl Builder {
    fn add(&mut self, number: u32, fingerprint: &Fingerprint) -> Result<(), RuleError> {
        let literals = needles(&fingerprint.pattern);
        let mut rule = Rule {
            zone: Zone::Named,
            reach: (WINDOW_BEFORE, WINDOW_BEHIND),
            far_reach: (WINDOW_BEFORE, WINDOW_BEHIND),
            sides: (Bytes::ANY, Bytes::ANY),
            matcher: Matcher::new(&fingerprint.pattern),
            extractors: fingerprint.extracts.iter().map(Extractor::new).collect(),
            selectors: Vec::new(),
            attribute: None,
        };
        let names = match &fingerprint.part {
            Part::Header(name) => Some((&mut self.headers, name)),
            Part::Cookie(name) => Some((&mut self.cookies, name)),
            Part::Meta(name) => Some((&mut self.metas, name)),
            _ => None,
        };
        if let Some((names, name)) = names {
            if let Err(error @ PatternError::Bad(_)) = literals {
                return Err(error.into());
            }
            names.insert(name, number);
            self.rules.push(rule);
            return Ok(());
        }
        rule.zone = match &fingerprint.part {
            Part::Script => Zone::Script,
            Part::Link => Zone::Link,
            Part::Image => Zone::Image,
            Part::Url => Zone::Url,
            Part::Inline => Zone::Inline,
            Part::Style => Zone::Style,
            Part::Text => Zone::Text,
            Part::Robots => Zone::Robots,
            Part::Dom { .. } => Zone::Dom,
            _ => Zone::Body,
        };
        if let Part::Dom { selector, attribute } = &fingerprint.part {
            rule.selectors = Selector::parse_list(selector)?;
            rule.attribute = attribute.as_deref().map(Box::from);
            let mut of_selector: Vec<Vec<u8>> = rule.selectors.iter().map(Selector::needle).collect();
            if let Some(name) = attribute
                && commonness(name.as_bytes()) < commonest(&of_selector)
            {
                of_selector = vec![name.to_ascii_lowercase().into_bytes()];
            }
            let of_pattern = match literals {
                Err(error @ PatternError::Bad(_)) => return Err(error.into()),
                Err(PatternError::NoNeedle) if attribute.is_some() => two_letters(&fingerprint.pattern),
                Err(PatternError::NoNeedle) => None,
                Ok(needles) => {
                    needles.map(|needles| needles.literals).filter(|literals| is_verbatim(literals))
                }
            };
            let literals = match of_pattern {
                Some(literals) if commonest(&literals) < commonest(&of_selector) => literals,
                _ => of_selector,
            };
            if literals.iter().any(|literal| literal.len() < SHORTEST) {
                return Err(RuleError::NoWord(selector.clone()));
            }
            self.body.extend(owned(&literals, number));
            self.rules.push(rule);
            return Ok(());
        }
        let Needles { literals, before, behind, left, right } = literals?.ok_or(PatternError::NoNeedle)?;
        // where a part ends, its neighbour in the document is not its own
        let (left_edge, right_edge): (&[u8], &[u8]) = match rule.zone {
            Zone::Inline | Zone::Style | Zone::Text => (b">", b"<"),
            Zone::Script => (b"\"'`", b"\"'`"),
            _ => (b"", b""),
        };
        rule.sides = (left.bytes().with(left_edge), right.bytes().with(right_edge));
        let reach = |most_before: usize, most_behind: usize| {
            (
                before.map_or(most_before, |it| it.min(most_before)),
                behind.map_or(most_behind, |it| it.min(most_behind)),
            )
        };
        rule.reach = reach(WINDOW_BEFORE, WINDOW_BEHIND);
        rule.far_reach = reach(FAR_BEFORE, FAR_BEHIND);
        match rule.zone {
            Zone::Robots => self.robots.push(number),
            Zone::Link | Zone::Image | Zone::Url => self.values.extend(owned(&literals, number)),
            Zone::Script => {
                self.values.extend(owned(&literals, number));
                // a loader in the document names the script that it will load
                self.body.extend(owned(&literals, number));
            }
            _ => self.body.extend(owned(&literals, number)),
        }
        self.rules.push(rule);
        Ok(())
    }
}

/// Whether literals stand in a document as they stand in a value: no sign in them may be written as a reference.
fn is_verbatim(literals: &[Vec<u8>]) -> bool {
    literals.iter().flatten().all(|byte| !matches!(byte, b'&' | b'"' | b'\'' | b'<' | b'>'))
}

/// The literals of a pattern on an attribute that has only two letters for sure, but few bytes that may stand before
/// them: those, or what a value begins behind.
fn two_letters(pattern: &Pattern) -> Option<Vec<Vec<u8>>> {
    let Ok(Some(Needles { literals, left, .. })) = needles_of_at_least(SHORTEST - 1, pattern) else {
        return None;
    };
    let left = left.bytes().with(b"\"'=");
    let variants =
        literals.iter().flat_map(|literal| left.iter().map(move |byte| [&[byte], &literal[..]].concat()));
    let variants: Vec<Vec<u8>> = variants.take(MAX_VARIANTS + 1).collect();
    (variants.len() <= MAX_VARIANTS).then_some(variants)
}

/// How common the commonest of some literals is.
fn commonest(literals: &[Vec<u8>]) -> u8 {
    literals.iter().map(|literal| commonness(literal)).max().unwrap_or(u8::MAX)
}

fn owned(literals: &[Vec<u8>], number: u32) -> impl Iterator<Item = (Vec<u8>, u32)> + '_ {
    literals.iter().map(move |literal| (literal.clone(), number))
}

/// Memory that is used again from page to page.
#[derive(Default)]
pub struct Scratch {
    parts: Parts,
    tag: Tag,
    tree: Tree,
    values: Vec<u8>,
    /// Where each value ends in `values`, and where it came from.
    spans: Vec<Value>,
    /// How many bytes each rule has tried.
    spent: Vec<u32>,
    /// For each rule one more than the place of its sighting.
    seen: Vec<u32>,
    touched: Vec<u32>,
}

struct Value {
    zone: Zone,
    range: Range<usize>,
    offset: usize,
}

impl Scratch {
    fn begin(&mut self, rules: usize) {
        // before they are resized: the last page may have been read with more rules
        for rule in self.touched.drain(..) {
            self.spent[rule as usize] = 0;
            self.seen[rule as usize] = 0;
        }
        self.spent.resize(rules, 0);
        self.seen.resize(rules, 0);
        self.values.clear();
        self.spans.clear();
        self.tag.clear();
        self.tree.clear();
    }
}

/// One page on its way through the engine.
struct Reading<'a> {
    engine: &'a Engine,
    html: &'a [u8],
    tried: usize,
    seen: Vec<Sighting>,
    state: &'a mut Scratch,
}

impl Reading<'_> {
    fn read_named(&mut self, page: &Page<'_>) {
        let engine = self.engine;
        for (name, value) in page.headers {
            let value = value.as_bytes();
            for rule in engine.headers.rules(name) {
                self.try_value(rule, value, 0);
            }
            if name == "set-cookie"
                && let Some((cookie, rest)) = split_cookie(value)
            {
                for rule in engine.cookies.rules(&cookie) {
                    self.try_value(rule, rest, 0);
                }
            }
        }
        let html = self.html;
        for index in 0..self.state.parts.metas.len() {
            let (name, content) = self.state.parts.metas[index].clone();
            let name = String::from_utf8_lossy(&html[name]).trim().to_ascii_lowercase();
            for rule in engine.metas.rules(&name) {
                self.try_value(rule, &unescaped(&html[content.clone()]), content.start);
            }
        }
        if let Some(robots) = page.robots {
            let robots = &robots[..robots.len().min(MAX_ROBOTS_BYTES)];
            for rule in &engine.robots {
                if self.may_try(*rule, robots.len()) {
                    self.check(*rule, robots, 0..robots.len(), false, 0);
                }
            }
        }
    }

    fn read_values(&mut self, page: &Page<'_>) {
        let Scratch { parts, values, spans, .. } = &mut *self.state;
        push_value(values, spans, Zone::Url, page.url.as_bytes(), 0);
        for (zone, found) in
            [(Zone::Script, &parts.scripts), (Zone::Link, &parts.links), (Zone::Image, &parts.images)]
        {
            for span in found {
                push_value(values, spans, zone, &self.html[span.clone()], span.start);
            }
        }
        let values = std::mem::take(&mut self.state.values);
        let spans = std::mem::take(&mut self.state.spans);
        let engine = self.engine;
        let index = &engine.values;
        index.grams.scan(&values, |literal, at| {
            let value = &spans[spans.partition_point(|value| value.range.end <= at)];
            let text = &values[value.range.clone()];
            let hit = Hit::within(text, at - value.range.start, index.grams.literal(literal).len());
            for number in index.owners(literal) {
                let rule = &engine.rules[*number as usize];
                if rule.zone == value.zone && rule.may_stand(&hit) {
                    self.try_value(*number, text, value.offset);
                }
            }
            self.tried < MAX_TRIED_BYTES
        });
        (self.state.values, self.state.spans) = (values, spans);
    }

    fn read_body(&mut self) {
        let engine = self.engine;
        let index = &engine.body;
        index.grams.scan(self.html, |literal, at| {
            let hit = Hit::within(self.html, at, index.grams.literal(literal).len());
            for number in index.owners(literal) {
                // most hits end here
                if engine.rules[*number as usize].may_stand(&hit) {
                    self.tried += HIT_COST;
                    self.try_body(*number, at);
                }
            }
            self.tried < MAX_TRIED_BYTES
        });
    }

    /// Tries a rule whose literal stands at `at` in the document.
    fn try_body(&mut self, number: u32, at: usize) {
        let engine = self.engine;
        let rule = &engine.rules[number as usize];
        let html = self.html;
        match rule.zone {
            Zone::Dom => self.try_element(number, at),
            Zone::Body => self.try_window(number, 0..html.len(), at),
            Zone::Inline | Zone::Script => {
                let Some(script) = span_around(&self.state.parts.inline, at) else { return };
                if rule.zone == Zone::Inline {
                    self.try_window(number, script, at);
                } else if let Some(address) = quoted_around(html, &script, at, &mut self.tried) {
                    self.try_value(number, &html[address.clone()], address.start);
                }
            }
            Zone::Style => {
                if let Some(style) = span_around(&self.state.parts.styles, at) {
                    self.try_window(number, style, at);
                }
            }
            Zone::Text => {
                if let Some(node) = text_around(html, &self.state.parts, at) {
                    self.try_window(number, node, at);
                }
            }
            _ => {}
        }
    }

    fn try_window(&mut self, number: u32, zone: Span, at: usize) {
        let Rule { reach, far_reach, .. } = self.engine.rules[number as usize];
        let is_first = self.state.spent[number as usize] == 0;
        self.try_reach(number, &zone, at, reach);
        if is_first && far_reach != reach && self.state.seen[number as usize] == 0 {
            self.try_reach(number, &zone, at, far_reach);
        }
    }

    fn try_reach(&mut self, number: u32, zone: &Span, at: usize, (before, behind): (usize, usize)) {
        let from = at.saturating_sub(before).max(zone.start) - zone.start;
        let to = (at + behind).min(zone.end) - zone.start;
        if self.may_try(number, to - from) {
            // nothing stands before a literal that every match begins with
            self.check(number, &self.html[zone.clone()], from..to, before == 0, zone.start);
        }
    }

    /// Tries a rule on the element that holds the byte at `at` in its tag or in the text behind that.
    fn try_element(&mut self, number: u32, at: usize) {
        let rule = &self.engine.rules[number as usize];
        let mut cost = 64;
        let place = self.state.tag.read_around(self.html, at, &mut cost);
        self.tried += cost;
        let reads_text = rule.attribute.is_none() && !matches!(rule.matcher, Matcher::Anything);
        if place == Some(Place::Inside) || (place == Some(Place::Behind) && reads_text) {
            let fits = |one: &Selector| one.is_compound() && one.fits(self.html, &self.state.tag);
            if rule.selectors.iter().any(fits) {
                self.check_element(number);
            }
        }
        // one look at all elements finds whatever a second hit would
        if self.state.spent[number as usize] == 0 && rule.selectors.iter().any(|one| !one.is_compound()) {
            self.try_relatives(number);
        }
    }

    /// Tries a rule that speaks of an element's relatives on all elements.
    fn try_relatives(&mut self, number: u32) {
        let rule = &self.engine.rules[number as usize];
        self.state.tree.build(self.html, &self.state.parts);
        let mut cost = 64 * self.state.tree.len();
        for place in 0..self.state.tree.len() {
            let start = self.state.tree.start(place);
            let mut selectors = rule.selectors.iter().filter(|one| one.names(self.html, start)).peekable();
            if selectors.peek().is_none() {
                continue;
            }
            self.state.tag.read_at(self.html, start);
            cost += self.state.tag.length();
            let Scratch { tree, tag, .. } = &*self.state;
            if selectors
                .any(|one| one.fits(self.html, tag) && one.relatives_fit(self.html, tree, place, &mut cost))
            {
                self.check_element(number);
            }
            if self.tried + cost >= MAX_TRIED_BYTES {
                break;
            }
        }
        self.tried += cost;
        if self.may_try(number, 0) {
            self.state.spent[number as usize] = MAX_RULE_BYTES;
        }
    }

    /// Tries a rule's pattern on the element whose tag was read last.
    fn check_element(&mut self, number: u32) {
        let rule = &self.engine.rules[number as usize];
        let Scratch { tag, parts, .. } = &*self.state;
        let start = tag.start();
        // markup in a script or a comment is no element
        if [&parts.inline, &parts.styles, &parts.comments].iter().any(|raw| span_around(raw, start).is_some())
        {
            return;
        }
        let value = match (&rule.attribute, &rule.matcher) {
            (Some(attribute), _) => match tag.value(self.html, attribute) {
                Some(value) => value,
                None => return,
            },
            (None, Matcher::Anything) => start..(start + MAX_SNIPPET_BYTES).min(self.html.len()),
            (None, _) => tag.text(self.html),
        };
        self.try_value(number, &unescaped(&self.html[value.clone()]), value.start);
    }

    fn try_value(&mut self, number: u32, value: &[u8], offset: usize) {
        let value = &value[..value.len().min(MAX_VALUE_BYTES)];
        if self.may_try(number, value.len()) {
            self.check(number, value, 0..value.len(), false, offset);
        }
    }

    /// Whether a rule may be tried on this many more bytes: not when it was seen with all that it reads off.
    fn may_try(&mut self, number: u32, bytes: usize) -> bool {
        let index = number as usize;
        let done = match self.state.seen[index] {
            0 => false,
            place => {
                self.seen[place as usize - 1].extracted.len() >= self.engine.rules[index].extractors.len()
            }
        };
        let spent = &mut self.state.spent[index];
        if done || *spent >= MAX_RULE_BYTES || self.tried >= MAX_TRIED_BYTES {
            return false;
        }
        if *spent == 0 {
            self.state.touched.push(number);
        }
        let cost = bytes.max(TRY_COST);
        *spent = spent.saturating_add(cost as u32);
        self.tried += cost;
        true
    }

    /// Tries a rule on a window of a text that begins at `offset`; `anchored` if a match must begin with the window.
    fn check(&mut self, number: u32, text: &[u8], window: Range<usize>, anchored: bool, offset: usize) {
        let index = number as usize;
        let rule = &self.engine.rules[index];
        let Some(found) = rule.matcher.find(text, window.clone(), anchored) else { return };
        // what is read off may stand around what was searched for
        let around = window.start.saturating_sub(WINDOW_BEFORE)..(window.end + WINDOW_BEHIND).min(text.len());
        let extract = |extractor: &Extractor| {
            let value = extractor.extract(&rule.matcher, text, window.clone(), around.clone())?;
            Some((extractor.kind, value))
        };
        let extracted: Vec<_> = rule.extractors.iter().filter_map(extract).collect();
        match self.state.seen[index] {
            0 => {
                let snippet = snippet(text, &found);
                self.seen.push(Sighting {
                    fingerprint: index,
                    offset: offset + found.start,
                    snippet,
                    extracted,
                });
                self.state.seen[index] = self.seen.len() as u32;
            }
            place => {
                let earlier = &mut self.seen[place as usize - 1];
                if extracted.len() > earlier.extracted.len() {
                    let snippet = snippet(text, &found);
                    *earlier =
                        Sighting { fingerprint: index, offset: offset + found.start, snippet, extracted };
                }
            }
        }
    }
}

/// Puts a value behind the others.
fn push_value(values: &mut Vec<u8>, spans: &mut Vec<Value>, zone: Zone, value: &[u8], offset: usize) {
    let from = values.len();
    values.extend_from_slice(&unescaped(&value[..value.len().min(MAX_VALUE_BYTES)]));
    spans.push(Value { zone, range: from..values.len(), offset });
    // no literal reaches from one value into the next
    values.push(b'\n');
}

fn split_cookie(header: &[u8]) -> Option<(String, &[u8])> {
    let at = memchr::memchr(b'=', header)?;
    let name = std::str::from_utf8(&header[..at]).ok()?.trim().to_ascii_lowercase();
    let value = header[at + 1..].split(|byte| *byte == b';').next().unwrap_or_default();
    Some((name, value))
}

/// The one of these spans, which are in order, that holds a place.
fn span_around(spans: &[Span], at: usize) -> Option<Span> {
    let span = spans.get(spans.partition_point(|span| span.end <= at))?;
    span.contains(&at).then(|| span.clone())
}

/// The quoted address in a script that holds a place. Adds to `cost` how many bytes it looked at.
fn quoted_around(html: &[u8], script: &Span, at: usize, cost: &mut usize) -> Option<Span> {
    let is_quote = |byte: &u8| matches!(byte, b'"' | b'\'' | b'`');
    let ends = |byte: &u8| is_quote(byte) || byte.is_ascii_whitespace();
    let from = at.saturating_sub(1_024).max(script.start);
    let found = html[from..at].iter().rposition(ends);
    let start = from + found.map_or(0, |found| found + 1);
    *cost += at - start;
    found?;
    let to = (at + 1_024).min(script.end);
    let found = html[at..to].iter().position(ends);
    let end = found.map_or(to, |found| at + found);
    *cost += end - at;
    found?;
    let (before, behind) = (html.get(start - 1)?, html.get(end)?);
    (is_quote(before) && before == behind && html[start..end].contains(&b'/')).then_some(start..end)
}

/// The text between two tags that holds a place, if a reader sees it.
fn text_around(html: &[u8], parts: &Parts, at: usize) -> Option<Span> {
    let hidden = [&parts.inline, &parts.styles, &parts.comments];
    if hidden.iter().any(|spans| span_around(spans, at).is_some()) {
        return None;
    }
    let from = at.saturating_sub(WINDOW_BEFORE);
    let start = match memchr::memrchr2(b'<', b'>', &html[from..at]) {
        Some(mark) if html[from + mark] == b'<' => return None,
        Some(mark) => from + mark + 1,
        None => from,
    };
    let to = (at + WINDOW_BEHIND).min(html.len());
    let end = memchr::memchr(b'<', &html[at..to]).map_or(to, |mark| at + mark);
    Some(start..end)
}

fn snippet(text: &[u8], found: &Range<usize>) -> String {
    let from = found.start.min(text.len());
    let to = found.end.min(from + MAX_SNIPPET_BYTES).min(text.len());
    String::from_utf8_lossy(&text[from..to]).into_owned()
}
