//! Which bytes may stand right before and right behind a literal?
//!
//! A literal such as `analytics` stands on a page hundreds of times, but `analytics\s*=` is only true where white space
//! or a sign follows. To look at one byte on each side is much cheaper than to try an expression.

use regex_syntax::hir::{Class, Hir, HirKind, Look};

/// A set of bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Bytes([u64; 4]);

impl Bytes {
    /// No byte.
    pub const NONE: Bytes = Bytes([0; 4]);
    /// Any byte.
    pub const ANY: Bytes = Bytes([u64::MAX; 4]);

    /// Whether a byte is in it.
    #[inline]
    #[must_use]
    pub fn has(&self, byte: u8) -> bool {
        self.0[usize::from(byte >> 6)] >> (byte & 63) & 1 != 0
    }

    fn put(&mut self, byte: u8) {
        self.0[usize::from(byte >> 6)] |= 1 << (byte & 63);
    }

    /// The bytes in it.
    pub fn iter(&self) -> impl Iterator<Item = u8> + '_ {
        (0..=u8::MAX).filter(|byte| self.has(*byte))
    }

    /// The same with these bytes.
    #[must_use]
    pub fn with(mut self, bytes: &[u8]) -> Bytes {
        bytes.iter().for_each(|byte| self.put(*byte));
        self
    }

    fn and(self, other: Bytes) -> Bytes {
        Bytes(std::array::from_fn(|word| self.0[word] & other.0[word]))
    }

    fn or(self, other: Bytes) -> Bytes {
        Bytes(std::array::from_fn(|word| self.0[word] | other.0[word]))
    }

    fn without(self, other: Bytes) -> Bytes {
        Bytes(std::array::from_fn(|word| self.0[word] & !other.0[word]))
    }

    fn of(wanted: impl Fn(u8) -> bool) -> Bytes {
        let mut set = Bytes::NONE;
        (0..=u8::MAX).filter(|byte| wanted(*byte)).for_each(|byte| set.put(byte));
        set
    }

    /// A letter in either case.
    fn put_folded(&mut self, byte: u8) {
        self.put(byte.to_ascii_lowercase());
        self.put(byte.to_ascii_uppercase());
    }
}

/// The bytes that may stand at one side of a literal. The edge of a text always may.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Side {
    /// Those of the expression itself.
    inside: Bytes,
    /// Those of what stands around the expression: none unless the literal may be at its edge.
    outside: Bytes,
}

impl Side {
    /// Nothing is known.
    pub const OPEN: Side = Side { inside: Bytes::NONE, outside: Bytes::ANY };

    /// All bytes that may stand there.
    #[must_use]
    pub fn bytes(&self) -> Bytes {
        self.inside.or(self.outside)
    }

    /// Of two literals either.
    pub(super) fn either(self, other: Side) -> Side {
        Side { inside: self.inside.or(other.inside), outside: self.outside.or(other.outside) }
    }

    /// The same literal within a longer expression, which has these parts on this side, the nearest first.
    pub(super) fn within<'a>(self, neighbours: impl Iterator<Item = &'a Hir>, end: End) -> Side {
        let mut found = self;
        for part in neighbours {
            found.inside = found.inside.or(found.outside.and(outermost(part, end)));
            found.outside = found.outside.and(beyond(part));
            if found.outside == Bytes::NONE {
                break;
            }
        }
        found
    }

    /// What assertions at the edge of a literal leave, if all its variants have this kind of byte there.
    pub(super) fn asserting<'a>(edge: Edge, looks: impl Iterator<Item = &'a Hir>) -> Side {
        let mut allowed = Bytes::ANY;
        for look in looks {
            let HirKind::Look(look) = look.kind() else { break };
            allowed = allowed.and(neighbours_of(*look, edge));
        }
        Side { inside: Bytes::NONE, outside: allowed }
    }
}

/// Which end of an expression is looked at.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum End {
    First,
    Last,
}

/// What a literal has at an edge.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Edge {
    /// A letter, a digit or an underscore.
    Word,
    /// Anything else.
    Other,
    /// Now this and now that.
    Mixed,
}

impl Edge {
    /// Of these bytes, one for each variant of a literal.
    pub(super) fn of(bytes: impl Iterator<Item = Option<u8>>) -> Edge {
        let mut found = None;
        for byte in bytes {
            let edge = match byte {
                Some(byte) if is_word(byte) => Edge::Word,
                Some(_) => Edge::Other,
                None => Edge::Mixed,
            };
            match found {
                None => found = Some(edge),
                Some(known) if known == edge => {}
                Some(_) => return Edge::Mixed,
            }
        }
        found.unwrap_or(Edge::Mixed)
    }
}

fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_'
}

fn neighbours_of(look: Look, edge: Edge) -> Bytes {
    let word = Bytes::of(is_word);
    match (look, edge) {
        (Look::WordAscii, Edge::Word) | (Look::WordAsciiNegate, Edge::Other) => Bytes::ANY.without(word),
        (Look::WordAscii, Edge::Other) | (Look::WordAsciiNegate, Edge::Word) => word,
        (Look::Start | Look::End, _) => Bytes::NONE,
        _ => Bytes::ANY,
    }
}

fn can_be_empty(hir: &Hir) -> bool {
    hir.properties().minimum_len().is_none_or(|least| least == 0)
}

/// The bytes that may stand beyond an expression where it matches nothing: none where it always matches something.
fn beyond(hir: &Hir) -> Bytes {
    match hir.kind() {
        HirKind::Look(Look::Start | Look::End) => Bytes::NONE,
        HirKind::Capture(capture) => beyond(&capture.sub),
        HirKind::Alternation(branches) => {
            branches.iter().fold(Bytes::NONE, |set, branch| set.or(beyond(branch)))
        }
        HirKind::Concat(parts) => parts.iter().fold(Bytes::ANY, |set, part| set.and(beyond(part))),
        _ if can_be_empty(hir) => Bytes::ANY,
        _ => Bytes::NONE,
    }
}

/// The bytes that a match of an expression may begin or end with, in either case.
fn outermost(hir: &Hir, end: End) -> Bytes {
    let mut set = Bytes::NONE;
    match hir.kind() {
        HirKind::Empty | HirKind::Look(_) => {}
        HirKind::Literal(literal) => {
            let byte = if end == End::First { literal.0.first() } else { literal.0.last() };
            byte.into_iter().for_each(|byte| set.put_folded(*byte));
        }
        HirKind::Class(Class::Bytes(class)) => {
            for range in class.iter() {
                (range.start()..=range.end()).for_each(|byte| set.put_folded(byte));
            }
        }
        HirKind::Class(Class::Unicode(_)) => set = Bytes::ANY,
        HirKind::Repetition(repetition) => set = outermost(&repetition.sub, end),
        HirKind::Capture(capture) => set = outermost(&capture.sub, end),
        HirKind::Alternation(branches) => {
            set = branches.iter().fold(set, |set, branch| set.or(outermost(branch, end)));
        }
        HirKind::Concat(parts) => {
            let mut ordered: Vec<&Hir> = parts.iter().collect();
            if end == End::Last {
                ordered.reverse();
            }
            for part in ordered {
                set = set.or(outermost(part, end));
                if !can_be_empty(part) {
                    break;
                }
            }
        }
    }
    set
}

#[cfg(test)]
mod tests {
    use crate::technologies::{Pattern, needles};

    #[test]
    fn a_byte_on_each_side_tells_most_hits_from_matches() {
        for (regex, before, behind) in [
            (r"(?:^|/)react\.js(?:\?|$)", "/", "?"),
            (r"(?:^|[^\w$.])(?:window\.)?dataLayer\s{0,8}=[^=]", " (\";/é", " =\t\n"),
            (r"\bUPS\b", " -<é", " .>é"),
            (r"\B-fancy", " -<é", " az-é"),
            (r"x?shop[.-]v\d", " xXé", "059"),
            (r"[^>]+jquery(?:-ui)?\.js", " a\"é", " é"),
        ] {
            let found = needles(&Pattern::Regex(regex.to_owned())).unwrap().unwrap();
            let (left, right) = (found.left.bytes(), found.right.bytes());
            assert!(before.bytes().all(|byte| left.has(byte)), "{regex} behind each of {before}");
            assert!(behind.bytes().all(|byte| right.has(byte)), "{regex} before each of {behind}");
        }
        let sides = |regex: &str| {
            let found = needles(&Pattern::Regex(regex.to_owned())).unwrap().unwrap();
            (found.left.bytes(), found.right.bytes())
        };
        let (left, right) = sides(r"(?:^|/)react\.js(?:\?|$)");
        assert_eq!(
            (left.iter().collect::<Vec<_>>(), right.iter().collect::<Vec<_>>()),
            (vec![b'/'], vec![b'?'])
        );
        let (left, right) = sides(r"\bUPS\b");
        assert!(b"gGz09_".iter().all(|byte| !left.has(*byte) && !right.has(*byte)));
        assert!(!sides(r"dataLayer\s*=").1.has(b'.'));
        // whatever stands around a repeated one, another of it may
        assert!(sides(r"(?:ab-){2,}").0.has(b'-'));
    }
}
