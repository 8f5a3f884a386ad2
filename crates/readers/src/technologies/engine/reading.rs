//! How is one page read?

use std::ops::Range;

use super::{
    super::{
        parts::{Parts, Span, unescaped},
        pattern::Extractor,
        selector::{Tag, Tree},
    },
    Engine, MAX_BODY_BYTES, Page, Sighting,
    around::{quoted_around, snippet, span_around, split_cookie, text_around},
    build::{Hit, Rule, WINDOW_BEFORE, WINDOW_BEHIND, Zone},
};

/// A value is looked at up to this length.
pub(super) const MAX_VALUE_BYTES: usize = 4_096;
/// How much of a robots.txt is looked at, which is all that is ever read of one.
const MAX_ROBOTS_BYTES: usize = 500 << 10;
/// What one fingerprint may try on a page with its pattern, in bytes.
pub(super) const MAX_RULE_BYTES: u32 = 256 << 10;
/// What all fingerprints together may try on a page, in bytes.
pub(in super::super) const MAX_TRIED_BYTES: usize = 3 << 20;
/// What it costs to look at a hit, and to try a pattern on however little, in bytes tried.
const HIT_COST: usize = 16;
const TRY_COST: usize = 256;
/// What is kept of the place where something was seen.
pub(super) const MAX_SNIPPET_BYTES: usize = 120;

/// Memory that is used again from page to page.
#[derive(Default)]
pub struct Scratch {
    pub(super) parts: Parts,
    pub(super) tag: Tag,
    pub(super) tree: Tree,
    values: Vec<u8>,
    /// Where each value ends in `values`, and where it came from.
    spans: Vec<Value>,
    /// How many bytes each rule has tried.
    pub(super) spent: Vec<u32>,
    /// For each rule one more than the place of its sighting.
    seen: Vec<u32>,
    /// For each rule one more than where the tag begins that it looked at last.
    pub(super) looked_at: Vec<u32>,
    /// The rules for which any of these is not zero; some of them twice.
    pub(super) touched: Vec<u32>,
    is_whole: bool,
}

struct Value {
    zone: Zone,
    range: Range<usize>,
    offset: usize,
}

impl Scratch {
    /// Whether the last page was read to its end: its document was not longer than what is read of one, and reading it
    /// did not cost more than a page may. If not, fingerprints that are on the page may be missing. What one fingerprint
    /// alone may cost does not count here. Before the first page it is false.
    #[must_use]
    pub fn read_whole(&self) -> bool {
        self.is_whole
    }

    pub(super) fn end(&mut self, page: &Page<'_>, tried: usize) {
        self.is_whole = tried < MAX_TRIED_BYTES && page.body.len() <= MAX_BODY_BYTES;
    }

    pub(super) fn begin(&mut self, rules: usize) {
        // before they are resized: the last page may have been read with more rules
        for rule in self.touched.drain(..) {
            self.spent[rule as usize] = 0;
            self.seen[rule as usize] = 0;
            self.looked_at[rule as usize] = 0;
        }
        self.spent.resize(rules, 0);
        self.seen.resize(rules, 0);
        self.looked_at.resize(rules, 0);
        // a page that ends in a panic was not read whole
        self.is_whole = false;
        self.values.clear();
        self.spans.clear();
        self.tag.clear();
        self.tree.clear();
    }
}

/// One page on its way through the engine.
pub(super) struct Reading<'a> {
    pub(super) engine: &'a Engine,
    pub(super) html: &'a [u8],
    pub(super) tried: usize,
    pub(super) seen: Vec<Sighting>,
    pub(super) state: &'a mut Scratch,
}

impl Reading<'_> {
    pub(super) fn read_named(&mut self, page: &Page<'_>) {
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
            let content = content.start..content.end.min(content.start + MAX_VALUE_BYTES);
            let mut plain = None;
            for rule in engine.metas.rules(&name) {
                if self.is_over(rule) {
                    continue;
                }
                if plain.is_none() {
                    self.tried += content.len();
                }
                let value = plain.get_or_insert_with(|| unescaped(&html[content.clone()]));
                self.try_value(rule, value, content.start);
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

    pub(super) fn read_values(&mut self, page: &Page<'_>) {
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

    pub(super) fn read_body(&mut self) {
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

    pub(super) fn try_value(&mut self, number: u32, value: &[u8], offset: usize) {
        let value = &value[..value.len().min(MAX_VALUE_BYTES)];
        if self.may_try(number, value.len()) {
            self.check(number, value, 0..value.len(), false, offset);
        }
    }

    /// Whether a rule needs no more tries, for it was seen with all that it reads off, or may have none.
    pub(super) fn is_over(&self, number: u32) -> bool {
        let index = number as usize;
        let done = match self.state.seen[index] {
            0 => false,
            place => {
                self.seen[place as usize - 1].extracted.len() >= self.engine.rules[index].extractors.len()
            }
        };
        done || self.state.spent[index] >= MAX_RULE_BYTES || self.tried >= MAX_TRIED_BYTES
    }

    /// Whether a rule may be tried on this many more bytes, which then count as tried.
    pub(super) fn may_try(&mut self, number: u32, bytes: usize) -> bool {
        if self.is_over(number) {
            return false;
        }
        let spent = &mut self.state.spent[number as usize];
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
        #[cfg(test)]
        super::super::work::count(window.len());
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
