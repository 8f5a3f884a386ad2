//! Which parts does a document have, and where do they stand?
//!
//! One pass, nothing copied: parts are ranges of the document. It reads tags as a browser's tokeniser does as far as it
//! matters here (quoted attributes, raw text of scripts and styles, comments), builds no tree and never fails.

use std::{borrow::Cow, ops::Range};

use memchr::{memchr, memchr3, memmem};

/// More elements of one kind than this are not looked at: a page of a million script tags is no page.
const MAX_VALUES: usize = 4_096;
/// A tag is not longer than this.
const MAX_TAG_BYTES: usize = 64 << 10;

/// A piece of the document.
pub type Span = Range<usize>;

/// The parts of a document.
#[derive(Debug, Default)]
pub struct Parts {
    /// The addresses of scripts.
    pub scripts: Vec<Span>,
    /// The content of scripts in the document, in order.
    pub inline: Vec<Span>,
    /// The content of style elements, in order.
    pub styles: Vec<Span>,
    /// The names and contents of meta elements.
    pub metas: Vec<(Span, Span)>,
    /// The addresses of link elements.
    pub links: Vec<Span>,
    /// The addresses of images and frames.
    pub images: Vec<Span>,
    /// Comments, in order, without their marks.
    pub comments: Vec<Span>,
}

impl Parts {
    /// Empties it, keeping its memory.
    pub fn clear(&mut self) {
        let Parts { scripts, inline, styles, metas, links, images, comments } = self;
        for spans in [scripts, inline, styles, links, images, comments] {
            spans.clear();
        }
        metas.clear();
    }

    /// Finds the parts of a document.
    pub fn scan(&mut self, html: &[u8]) {
        self.clear();
        let mut at = 0;
        while let Some(next) = memchr(b'<', &html[at..]) {
            at = self.read_markup(html, at + next);
        }
    }

    /// Reads what begins with the `<` at `at`; returns where to go on.
    fn read_markup(&mut self, html: &[u8], at: usize) -> usize {
        let rest = &html[at + 1..];
        match rest.first() {
            Some(b'!') if rest.starts_with(b"!--") => {
                let from = at + 4;
                let end = memmem::find(&html[from..], b"-->").map_or(html.len(), |end| from + end);
                push(&mut self.comments, from..end);
                (end + 3).min(html.len())
            }
            Some(first) if first.is_ascii_alphabetic() => self.read_tag(html, at),
            // only the last of many can begin anything
            Some(b'<') => at + rest.iter().take_while(|byte| **byte == b'<').count(),
            // an end tag, a doctype, or a bare `<`
            _ => at + 1,
        }
    }

    fn read_tag(&mut self, html: &[u8], at: usize) -> usize {
        let name_end = html[at + 1..]
            .iter()
            .take(16)
            .position(|byte| !byte.is_ascii_alphanumeric())
            .map_or(html.len().min(at + 17), |end| at + 1 + end);
        let name = &html[at + 1..name_end];
        let kind = match name.len() {
            3 if name.eq_ignore_ascii_case(b"img") => Kind::Image,
            4 if name.eq_ignore_ascii_case(b"meta") => Kind::Meta,
            4 if name.eq_ignore_ascii_case(b"link") => Kind::Link,
            5 if name.eq_ignore_ascii_case(b"style") => Kind::Style,
            6 if name.eq_ignore_ascii_case(b"script") => Kind::Script,
            6 if name.eq_ignore_ascii_case(b"iframe") => Kind::Image,
            _ => return tag_end(html, name_end),
        };
        let mut attributes = Attributes::new(html, name_end);
        match kind {
            Kind::Image => {
                if let Some(src) = attributes.find(b"src") {
                    push(&mut self.images, src);
                }
            }
            Kind::Link => {
                if let Some(href) = attributes.find(b"href") {
                    push(&mut self.links, href);
                }
            }
            Kind::Meta => self.read_meta(html, &mut attributes),
            Kind::Style => {
                attributes.skip();
                return read_raw(html, attributes.at, b"style", &mut self.styles);
            }
            Kind::Script => {
                if let Some(src) = attributes.find(b"src") {
                    push(&mut self.scripts, src);
                }
                attributes.skip();
                return read_raw(html, attributes.at, b"script", &mut self.inline);
            }
        }
        attributes.skip();
        attributes.at
    }

    fn read_meta(&mut self, html: &[u8], attributes: &mut Attributes<'_>) {
        let (mut name, mut content) = (None, None);
        while let Some((key, value)) = attributes.next() {
            match &html[key] {
                key if key.eq_ignore_ascii_case(b"name")
                    || key.eq_ignore_ascii_case(b"property")
                    || key.eq_ignore_ascii_case(b"http-equiv")
                    || key.eq_ignore_ascii_case(b"itemprop") =>
                {
                    name = name.or(Some(value));
                }
                key if key.eq_ignore_ascii_case(b"content") => content = content.or(Some(value)),
                _ => {}
            }
        }
        if let (Some(name), Some(content)) = (name, content)
            && self.metas.len() < MAX_VALUES
        {
            self.metas.push((name, content));
        }
    }
}

enum Kind {
    Image,
    Link,
    Meta,
    Script,
    Style,
}

fn push(spans: &mut Vec<Span>, span: Span) {
    if !span.is_empty() && spans.len() < MAX_VALUES {
        spans.push(span);
    }
}

/// The end of a tag whose attributes nobody asks for.
pub(super) fn tag_end(html: &[u8], mut at: usize) -> usize {
    let limit = html.len().min(at + MAX_TAG_BYTES);
    while let Some(next) = memchr3(b'>', b'"', b'\'', &html[at..limit]) {
        let found = at + next;
        match html[found] {
            b'>' => return found + 1,
            // a quote only counts where a value begins; elsewhere it is a typing error that browsers read over
            quote if html[..found].last() == Some(&b'=') => match memchr(quote, &html[found + 1..limit]) {
                Some(end) => at = found + 1 + end + 1,
                None => return found + 1,
            },
            _ => at = found + 1,
        }
    }
    limit
}

/// Reads the raw text of an element up to its end tag; returns where to go on.
fn read_raw(html: &[u8], from: usize, name: &[u8], spans: &mut Vec<Span>) -> usize {
    let mut at = from;
    while let Some(next) = memchr(b'<', &html[at..]) {
        let found = at + next;
        let rest = &html[found + 1..];
        let ends = rest.first() == Some(&b'/')
            && rest.get(1..1 + name.len()).is_some_and(|word| word.eq_ignore_ascii_case(name));
        if ends {
            push(spans, from..found);
            return found + 2 + name.len();
        }
        at = found + 1;
    }
    push(spans, from..html.len());
    html.len()
}

/// The attributes of a tag, one after the other.
pub(super) struct Attributes<'a> {
    html: &'a [u8],
    /// Where the next one begins; behind the `>` when there is none.
    pub(super) at: usize,
    limit: usize,
    ended: bool,
}

impl<'a> Attributes<'a> {
    /// Those of the tag whose name ends at `at`.
    pub(super) fn new(html: &'a [u8], at: usize) -> Attributes<'a> {
        Attributes { html, at, limit: html.len().min(at + MAX_TAG_BYTES), ended: false }
    }

    /// The value of the first with this name, in lower case.
    pub(super) fn find(&mut self, name: &[u8]) -> Option<Span> {
        while let Some((key, value)) = self.next() {
            if self.html[key].eq_ignore_ascii_case(name) {
                return Some(value);
            }
        }
        None
    }

    fn skip(&mut self) {
        while self.next().is_some() {}
    }

    /// The next name and value; an attribute without a value has an empty one.
    pub(super) fn next(&mut self) -> Option<(Span, Span)> {
        if self.ended {
            return None;
        }
        let html = self.html;
        let mut at = self.at;
        while at < self.limit && (html[at].is_ascii_whitespace() || html[at] == b'/') {
            at += 1;
        }
        if at >= self.limit || html[at] == b'>' {
            self.at = (at + 1).min(html.len());
            self.ended = true;
            return None;
        }
        let from = at;
        at += 1;
        while at < self.limit && !matches!(html[at], b'=' | b'>' | b'/') && !html[at].is_ascii_whitespace() {
            at += 1;
        }
        let key = from..at;
        let mut value_at = at;
        while value_at < self.limit && html[value_at].is_ascii_whitespace() {
            value_at += 1;
        }
        if value_at >= self.limit || html[value_at] != b'=' {
            self.at = at;
            return Some((key, at..at));
        }
        value_at += 1;
        while value_at < self.limit && html[value_at].is_ascii_whitespace() {
            value_at += 1;
        }
        let value = match html.get(value_at) {
            Some(quote @ (b'"' | b'\'')) => {
                let from = value_at + 1;
                let end = memchr(*quote, &html[from.min(self.limit)..self.limit])
                    .map_or(self.limit, |end| from + end);
                self.at = (end + 1).min(html.len());
                from.min(end)..end
            }
            _ => {
                let rest = &html[value_at.min(self.limit)..self.limit];
                let space = rest.iter().position(u8::is_ascii_whitespace).unwrap_or(rest.len());
                let end = memchr(b'>', &rest[..space]).unwrap_or(space);
                self.at = value_at + end;
                value_at..value_at + end
            }
        };
        Some((key, value))
    }
}

/// A value with the character references that markup needs put back: `&amp;` and its kin.
#[must_use]
pub fn unescaped(value: &[u8]) -> Cow<'_, [u8]> {
    const REFERENCES: [(&[u8], u8); 8] = [
        (b"&amp;", b'&'),
        (b"&quot;", b'"'),
        (b"&#34;", b'"'),
        (b"&apos;", b'\''),
        (b"&#39;", b'\''),
        (b"&#x27;", b'\''),
        (b"&lt;", b'<'),
        (b"&gt;", b'>'),
    ];
    #[cfg(test)]
    super::work::count(value.len());
    let Some(first) = memchr(b'&', value) else { return Cow::Borrowed(value) };
    let mut plain = value[..first].to_vec();
    let mut rest = &value[first..];
    while let Some(at) = memchr(b'&', rest) {
        plain.extend_from_slice(&rest[..at]);
        rest = &rest[at..];
        let known = REFERENCES.iter().find(|(reference, _)| rest.starts_with(reference));
        let (letter, length) = known.map_or((b'&', 1), |(reference, letter)| (*letter, reference.len()));
        plain.push(letter);
        rest = &rest[length..];
    }
    plain.extend_from_slice(rest);
    Cow::Owned(plain)
}
