//! Which element encloses which?
//!
//! A browser's rules for broken markup fill a book. Here an end tag closes the nearest open element of its name and all
//! within it; elements that never have content close themselves, and so do paragraphs, items and cells where the next one
//! begins. For the selectors that fingerprints use, that is enough.

use std::ops::Range;

use super::super::parts::{Parts, Span, tag_end};

/// More elements are not looked at.
const MAX_ELEMENTS: usize = 100_000;
/// How deep elements may be within each other; deeper ones count as being that deep.
const MAX_DEPTH: usize = 256;
/// How many open elements an end tag may look through, over a whole page.
const MAX_STEPS: usize = 1 << 20;
/// How many bytes of relatives may be looked at for one rule on one page.
pub(super) const MAX_COST: usize = 1 << 20;
const NONE: u32 = u32::MAX;

const VOID: [&[u8]; 14] = [
    b"area", b"base", b"br", b"col", b"embed", b"hr", b"img", b"input", b"link", b"meta", b"param",
    b"source", b"track", b"wbr",
];
/// Elements that end where the next of them begins.
const SIBLINGS: [&[u8]; 8] = [b"p", b"li", b"dt", b"dd", b"tr", b"td", b"th", b"option"];

/// The elements of a document in order.
#[derive(Debug, Default)]
pub struct Tree {
    elements: Vec<Element>,
    is_built: bool,
}

#[derive(Debug, Clone, Copy)]
struct Element {
    start: u32,
    parent: u32,
    previous: u32,
}

struct Open {
    name: Range<usize>,
    place: u32,
    /// The last element within it so far.
    last_child: u32,
}

impl Tree {
    /// Forgets a document.
    pub fn clear(&mut self) {
        self.elements.clear();
        self.is_built = false;
    }

    /// Reads a document, once; says whether it did so now.
    pub fn build(&mut self, html: &[u8], parts: &Parts) -> bool {
        if std::mem::replace(&mut self.is_built, true) {
            return false;
        }
        let mut raw: Vec<Span> =
            [&parts.inline, &parts.styles, &parts.comments].into_iter().flatten().cloned().collect();
        raw.sort_unstable_by_key(|span| span.start);
        let mut raw = raw.into_iter().peekable();
        let mut open = vec![Open { name: 0..0, place: NONE, last_child: NONE }];
        let (mut at, mut steps) = (0, 0);
        while let Some(next) = memchr::memchr(b'<', &html[at..]) {
            let start = at + next;
            while raw.next_if(|span| span.end <= start).is_some() {}
            if let Some(span) = raw.peek()
                && span.contains(&start)
            {
                at = span.end;
                continue;
            }
            at = match html.get(start + 1) {
                Some(b'/') => {
                    close(html, &mut open, start, &mut steps);
                    start + 2
                }
                Some(first) if first.is_ascii_alphabetic() => self.open(html, &mut open, start),
                _ => start + 1,
            };
            if self.elements.len() >= MAX_ELEMENTS || steps >= MAX_STEPS {
                return true;
            }
        }
        true
    }

    fn open(&mut self, html: &[u8], open: &mut Vec<Open>, start: usize) -> usize {
        let name = name_at(html, start + 1);
        let is_one_of =
            |names: &[&[u8]]| names.iter().any(|one| html[name.clone()].eq_ignore_ascii_case(one));
        let same = |other: &Open| html[other.name.clone()].eq_ignore_ascii_case(&html[name.clone()]);
        if is_one_of(&SIBLINGS) && open.last().is_some_and(same) {
            open.pop();
        }
        let place = self.elements.len() as u32;
        if let Some(parent) = open.last_mut() {
            let previous = std::mem::replace(&mut parent.last_child, place);
            self.elements.push(Element { start: start as u32, parent: parent.place, previous });
        }
        let end = tag_end(html, name.end);
        let closes_itself = html[..end].ends_with(b"/>") || is_one_of(&VOID);
        if !closes_itself && open.len() < MAX_DEPTH {
            open.push(Open { name, place, last_child: NONE });
        }
        end
    }

    /// Where the tag of an element begins.
    #[must_use]
    pub fn start(&self, place: usize) -> usize {
        self.elements[place].start as usize
    }

    /// The element around one.
    #[must_use]
    pub fn parent(&self, place: usize) -> Option<usize> {
        Some(self.elements[place].parent).filter(|place| *place != NONE).map(|place| place as usize)
    }

    /// The element before one within the same.
    #[must_use]
    pub fn previous(&self, place: usize) -> Option<usize> {
        Some(self.elements[place].previous).filter(|place| *place != NONE).map(|place| place as usize)
    }

    /// How many elements there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.elements.len()
    }
}

fn close(html: &[u8], open: &mut Vec<Open>, start: usize, steps: &mut usize) {
    let name = name_at(html, start + 2);
    let same = |other: &Open| html[other.name.clone()].eq_ignore_ascii_case(&html[name.clone()]);
    // the first is the document, which nothing closes
    let found = open.iter().skip(1).rposition(same);
    *steps += open.len() - found.map_or(0, |found| found + 1);
    if let Some(found) = found {
        open.truncate(found + 1);
    }
}

fn name_at(html: &[u8], from: usize) -> Range<usize> {
    let rest = html[from..].iter().take(64);
    let length = rest.take_while(|byte| !byte.is_ascii_whitespace() && !matches!(byte, b'>' | b'/')).count();
    from..from + length
}
