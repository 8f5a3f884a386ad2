//! What is a fingerprint searched by, and what does a hit have to be?

use super::{
    super::{
        context::Bytes,
        grams::{Grams, SHORTEST, commonness},
        literals::Needles,
        names::Names,
        pattern::{Extractor, Matcher, PatternError, needles, needles_of_at_least},
        rule::{Fingerprint, Part, Pattern},
        selector::Selector,
    },
    RuleError,
};

/// How far before and behind a literal a pattern on the document may reach.
pub(super) const WINDOW_BEFORE: usize = 1_024;
pub(super) const WINDOW_BEHIND: usize = 2_048;
/// How far a pattern without a bound may reach where its first literal stands, if it is not found that near.
const FAR_BEFORE: usize = 4 << 10;
const FAR_BEHIND: usize = 8 << 10;
/// Into how many literals two letters may be made.
const MAX_VARIANTS: usize = 32;

pub(super) struct Rule {
    pub(super) zone: Zone,
    /// How far a match may reach before and behind a literal.
    pub(super) reach: (usize, usize),
    /// The same for the first literal on a page.
    pub(super) far_reach: (usize, usize),
    /// What may stand right before and right behind a literal.
    pub(super) sides: (Bytes, Bytes),
    pub(super) matcher: Matcher,
    pub(super) extractors: Vec<Extractor>,
    pub(super) selectors: Vec<Selector>,
    pub(super) attribute: Option<Box<str>>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Zone {
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
pub(super) struct Index {
    pub(super) grams: Grams,
    /// Where each literal's rules begin in `owners`.
    pub(super) heads: Vec<u32>,
    pub(super) owners: Vec<u32>,
}

impl Index {
    pub(super) fn new(mut pairs: Vec<(Vec<u8>, u32)>) -> Index {
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

    pub(super) fn owners(&self, literal: u32) -> &[u32] {
        let literal = literal as usize;
        &self.owners[self.heads[literal] as usize..self.heads[literal + 1] as usize]
    }
}

/// A literal's neighbours, where it stands.
pub(super) struct Hit {
    pub(super) left: Option<u8>,
    pub(super) right: Option<u8>,
}

impl Hit {
    pub(super) fn within(text: &[u8], at: usize, length: usize) -> Hit {
        let left = at.checked_sub(1).and_then(|at| text.get(at)).copied();
        Hit { left, right: text.get(at + length).copied() }
    }
}

impl Rule {
    /// Whether a literal of it may stand between these neighbours.
    #[inline]
    pub(super) fn may_stand(&self, hit: &Hit) -> bool {
        hit.left.is_none_or(|byte| self.sides.0.has(byte))
            && hit.right.is_none_or(|byte| self.sides.1.has(byte))
    }

    pub(super) fn dead() -> Rule {
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
pub(super) struct Builder {
    pub(super) rules: Vec<Rule>,
    pub(super) headers: Names,
    pub(super) cookies: Names,
    pub(super) metas: Names,
    pub(super) values: Vec<(Vec<u8>, u32)>,
    pub(super) body: Vec<(Vec<u8>, u32)>,
    pub(super) robots: Vec<u32>,
}

impl Builder {
    pub(super) fn add(&mut self, number: u32, fingerprint: &Fingerprint) -> Result<(), RuleError> {
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
