//! Which tag is this, and what does it say?

use super::super::parts::{Attributes, Span};

/// How far before a hit its tag may begin.
const MAX_TAG_BEFORE: usize = 8 << 10;
/// How much of a tag is read.
const MAX_TAG_BYTES: usize = 16 << 10;

/// The tag that was read last. Hits come in order, and many in a row are in or behind the same tag.
#[derive(Debug, Default)]
pub struct Tag {
    /// Where the last `<` is, and whether a tag begins with it; none where there is none near.
    mark: Option<(usize, bool)>,
    /// Up to here there is no other `<`.
    searched: usize,
    name_end: usize,
    end: usize,
    attributes: Vec<(Span, Span)>,
}

/// Where a byte is, as seen from the last tag before it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Place {
    /// Within the tag.
    Inside,
    /// In the text behind it.
    Behind,
}

impl Tag {
    /// Forgets what it was read from.
    pub fn clear(&mut self) {
        (self.mark, self.searched) = (None, 0);
    }

    /// Reads the last tag that begins at or before a byte; says where the byte is. Adds to `cost` how many bytes were
    /// looked at.
    pub fn read_around(&mut self, html: &[u8], at: usize, cost: &mut usize) -> Option<Place> {
        let near = at.saturating_sub(MAX_TAG_BEFORE);
        // hits come almost in order: one may lie before the last
        let is_ahead = self.mark.map_or(at + 1 >= self.searched, |(mark, _)| mark <= at);
        let from = if is_ahead && self.searched > near { self.searched.min(at + 1) } else { near };
        *cost += at + 1 - from;
        match memchr::memrchr(b'<', html.get(from..=at)?).map(|found| from + found) {
            Some(mark) if html.get(mark + 1).is_some_and(u8::is_ascii_alphabetic) => {
                self.read_at(html, mark);
                *cost += self.length();
                self.searched = at + 1;
            }
            Some(mark) => (self.mark, self.searched) = (Some((mark, false)), at + 1),
            None if from == near => (self.mark, self.searched) = (None, at + 1),
            None => self.searched = self.searched.max(at + 1),
        }
        self.mark.filter(|(mark, is_tag)| *is_tag && *mark >= near)?;
        Some(if at < self.end { Place::Inside } else { Place::Behind })
    }

    /// Reads the tag whose `<` is at `start`.
    pub fn read_at(&mut self, html: &[u8], start: usize) {
        let ends_name = |byte: &u8| byte.is_ascii_whitespace() || matches!(byte, b'>' | b'/');
        let rest = &html[start + 1..html.len().min(start + 1 + MAX_TAG_BYTES)];
        self.name_end = start + 1 + rest.iter().position(ends_name).unwrap_or(rest.len());
        self.attributes.clear();
        let mut attributes = Attributes::new(html, self.name_end);
        while let Some((key, value)) = attributes.next() {
            if value.end - start > MAX_TAG_BYTES {
                break;
            }
            self.attributes.push((key, value));
        }
        self.end = attributes.at;
        (self.mark, self.searched) = (Some((start, true)), start + 1);
    }

    /// Where its `<` is; a tag must have been read.
    #[must_use]
    pub fn start(&self) -> usize {
        self.mark.map_or(0, |(start, _)| start)
    }

    /// How many bytes it has.
    #[must_use]
    pub fn length(&self) -> usize {
        self.end - self.start()
    }

    /// Its element's name.
    #[must_use]
    pub fn name<'a>(&self, html: &'a [u8]) -> &'a [u8] {
        &html[self.start() + 1..self.name_end]
    }

    /// Its attributes, names and values.
    #[must_use]
    pub fn attributes(&self) -> &[(Span, Span)] {
        &self.attributes
    }

    /// The value of the first attribute with this name.
    #[must_use]
    pub fn value(&self, html: &[u8], name: &str) -> Option<Span> {
        let wanted = |(key, _): &&(Span, Span)| html[key.clone()].eq_ignore_ascii_case(name.as_bytes());
        self.attributes.iter().find(wanted).map(|(_, value)| value.clone())
    }

    /// The text between it and the next tag.
    #[must_use]
    pub fn text(&self, html: &[u8]) -> Span {
        let to = html.len().min(self.end + MAX_TAG_BYTES);
        self.end..memchr::memchr(b'<', &html[self.end..to]).map_or(to, |end| self.end + end)
    }
}
