//! Does an element fit a selector?
//!
//! Nineteen of twenty selectors in use are one compound (`a.b[c="d"]`), which the element's own tag decides. Such a
//! selector is searched by a literal that its tag must hold, and then the tag is read. One that asks for an element's
//! relatives (`div > a`) needs to know which element encloses which; that is found out when a page first gives cause to.

mod parse;
mod tag;
mod tree;

use super::grams::commonness;
pub(super) use tag::{Place, Tag};
pub(super) use tree::Tree;

/// A selector: a compound for the element itself, and what its relatives must be.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Selector {
    subject: Compound,
    /// The nearest relative first.
    relatives: Vec<(Relation, Compound)>,
}

/// What one element must be.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
struct Compound {
    tag: Option<String>,
    tests: Vec<Test>,
    /// What it must not be.
    not: Vec<Compound>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
struct Test {
    attribute: String,
    operator: Operator,
    value: String,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Operator {
    Exists,
    Equals,
    Starts,
    Ends,
    Contains,
    Word,
    Dash,
}

/// How an element is related to the one before it in a selector.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Relation {
    /// ` `: somewhere within it.
    Descendant,
    /// `>`: directly within it.
    Child,
    /// `+`: right behind it.
    Next,
    /// `~`: somewhere behind it, within the same.
    Later,
}

/// Why a selector cannot be used.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum SelectorError {
    /// It asks what only a browser knows.
    #[error(
        "`{0}` has a pseudo class other than `:not()` of one compound, which a page read from its start to its end cannot answer"
    )]
    Pseudo(String),
    /// It is not a selector.
    #[error("`{0}` is not a selector")]
    Bad(String),
}

impl Selector {
    /// Whether the element's own tag decides.
    #[must_use]
    pub fn is_compound(&self) -> bool {
        self.relatives.is_empty()
    }

    /// The rarest literal that a page with a fitting element holds, in lower case: within the element's own tag, or, if
    /// the selector speaks of relatives, within the tag of one of them.
    #[must_use]
    pub fn needle(&self) -> Vec<u8> {
        let relatives = self.relatives.iter().map(|(_, compound)| compound);
        let literals = std::iter::once(&self.subject).chain(relatives).flat_map(Compound::literals);
        literals
            .min_by_key(|literal| (commonness(literal), std::cmp::Reverse(literal.len())))
            .unwrap_or_default()
    }

    /// Whether the element whose tag begins at `start` has the right name.
    pub(super) fn names(&self, html: &[u8], start: usize) -> bool {
        self.subject.tag.as_ref().is_none_or(|name| {
            html.get(start + 1..start + 1 + name.len())
                .is_some_and(|here| here.eq_ignore_ascii_case(name.as_bytes()))
        })
    }

    /// Whether an element with this tag may fit; its relatives are not looked at.
    #[must_use]
    pub(super) fn fits(&self, html: &[u8], tag: &Tag) -> bool {
        #[cfg(test)]
        super::work::count(tag.length());
        self.subject.fits(html, tag)
    }

    /// Whether the relatives of the element at a place in a tree are what they must be. Adds to `cost` how much it
    /// looked at.
    pub(super) fn relatives_fit(&self, html: &[u8], tree: &Tree, place: usize, cost: &mut usize) -> bool {
        relatives_fit(&self.relatives, html, tree, place, cost)
    }
}

fn relatives_fit(
    relatives: &[(Relation, Compound)],
    html: &[u8],
    tree: &Tree,
    place: usize,
    cost: &mut usize,
) -> bool {
    let Some(((relation, compound), rest)) = relatives.split_first() else { return true };
    let step = |place: usize| match relation {
        Relation::Descendant | Relation::Child => tree.parent(place),
        Relation::Next | Relation::Later => tree.previous(place),
    };
    let once = matches!(relation, Relation::Child | Relation::Next);
    let mut at = place;
    let mut tag = Tag::default();
    while let Some(other) = step(at) {
        tag.read_at(html, tree.start(other));
        *cost += tag.length();
        if *cost > tree::MAX_COST {
            return false;
        }
        if compound.fits(html, &tag) && relatives_fit(rest, html, tree, other, cost) {
            return true;
        }
        if once {
            return false;
        }
        at = other;
    }
    false
}

impl Compound {
    /// Literals that the tag of a fitting element holds.
    fn literals(&self) -> impl Iterator<Item = Vec<u8>> + '_ {
        let tag = self.tag.as_ref().map(|tag| format!("<{tag}"));
        let tests = self.tests.iter().flat_map(|test| [test.attribute.as_str(), test.value.as_str()]);
        tests
            .map(|literal| literal.to_ascii_lowercase().into_bytes())
            // in a page a sign may be written as a reference
            .filter(|literal| !literal.iter().any(|byte| matches!(byte, b'&' | b'"' | b'\'' | b'<' | b'>')))
            .chain(tag.map(|tag| tag.into_bytes()))
    }

    fn fits(&self, html: &[u8], tag: &Tag) -> bool {
        self.tag.as_ref().is_none_or(|name| tag.name(html).eq_ignore_ascii_case(name.as_bytes()))
            && self.tests.iter().all(|test| test.fits(html, tag))
            && !self.not.iter().any(|other| other.fits(html, tag))
    }
}

impl Test {
    fn fits(&self, html: &[u8], tag: &Tag) -> bool {
        let holds = |(key, value): &(super::parts::Span, super::parts::Span)| {
            html[key.clone()].eq_ignore_ascii_case(self.attribute.as_bytes())
                && self.holds(&html[value.clone()])
        };
        tag.attributes().iter().any(holds)
    }

    fn holds(&self, value: &[u8]) -> bool {
        let wanted = self.value.as_bytes();
        let same = |one: &[u8]| one.eq_ignore_ascii_case(wanted);
        match self.operator {
            Operator::Exists => true,
            Operator::Equals => same(value),
            Operator::Starts => value.get(..wanted.len()).is_some_and(same),
            Operator::Ends => value.len().checked_sub(wanted.len()).is_some_and(|from| same(&value[from..])),
            Operator::Contains => value.windows(wanted.len().max(1)).any(same),
            Operator::Word => value.split(u8::is_ascii_whitespace).any(same),
            Operator::Dash => {
                same(value) || (value.get(wanted.len()) == Some(&b'-') && same(&value[..wanted.len()]))
            }
        }
    }
}

#[cfg(test)]
mod tests;
