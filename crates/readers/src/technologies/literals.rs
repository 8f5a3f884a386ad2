//! Which literals must a text hold for a regular expression to match?
//!
//! A search for literals is many times faster than a search with a regular expression, so an expression is tried only
//! where one of its literals stands.

use std::{cmp::Reverse, ops::Range};

use regex_syntax::hir::{Class, Hir, HirKind};

use super::{
    context::{Edge, End, Side},
    grams::commonness,
};

/// More alternatives than this are not worth a place in an index.
const MAX_ALTERNATIVES: usize = 48;
/// A literal is cut to this: more makes no search better.
const MAX_BYTES: usize = 64;

/// Literals of which at least one stands in every match, and how far a match reaches from where it stands.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Needles {
    /// The literals, in lower case.
    pub literals: Vec<Vec<u8>>,
    /// How many bytes of a match may stand before the literal; `None` for any number.
    pub before: Option<usize>,
    /// How many bytes of a match there may be from the literal's first on; `None` for any number.
    pub behind: Option<usize>,
    /// What may stand right before the literal.
    pub left: Side,
    /// What may stand right behind the literal; open where it was cut.
    pub right: Side,
}

impl Needles {
    /// Those of a plain text.
    #[must_use]
    pub fn of_text(text: &[u8]) -> Needles {
        let literal = text[..text.len().min(MAX_BYTES)].to_ascii_lowercase();
        Needles {
            literals: vec![literal],
            before: Some(0),
            behind: Some(text.len()),
            left: Side::OPEN,
            right: Side::OPEN,
        }
    }
}

/// The literals of an expression without look-around; `None` where it can match without any of `at_least` bytes.
#[must_use]
pub fn needles_of(hir: &Hir, at_least: usize) -> Option<Needles> {
    best(hir).filter(|needles| shortest(needles) >= at_least)
}

/// An expression with its look-around taken out, which matches wherever the original does: for finding needles only.
#[must_use]
pub fn without_look_around(pattern: &str) -> String {
    let bytes = pattern.as_bytes();
    let mut kept = String::with_capacity(pattern.len());
    let mut at = 0;
    let mut in_class = false;
    while let Some(rest) = pattern.get(at..).filter(|rest| !rest.is_empty()) {
        if rest.starts_with('\\') {
            let end = rest.char_indices().nth(2).map_or(rest.len(), |(end, _)| end);
            kept.push_str(&rest[..end]);
            at += end;
            continue;
        }
        let opens = !in_class && ["(?=", "(?!", "(?<=", "(?<!"].iter().any(|mark| rest.starts_with(mark));
        if opens {
            at = group_end(bytes, at);
            continue;
        }
        match rest.as_bytes()[0] {
            b'[' => in_class = true,
            b']' => in_class = false,
            _ => {}
        }
        let end = rest.chars().next().map_or(1, char::len_utf8);
        kept.push_str(&rest[..end]);
        at += end;
    }
    kept
}

/// Behind the bracket that closes the group at `at`, and behind what repeats it.
fn group_end(bytes: &[u8], mut at: usize) -> usize {
    let (mut depth, mut in_class) = (0usize, false);
    while let Some(byte) = bytes.get(at) {
        match byte {
            b'\\' => at += 1,
            b'[' => in_class = true,
            b']' => in_class = false,
            b'(' if !in_class => depth += 1,
            b')' if !in_class => {
                depth -= 1;
                if depth == 0 {
                    at += 1;
                    break;
                }
            }
            _ => {}
        }
        at += 1;
    }
    while bytes.get(at).is_some_and(|byte| matches!(byte, b'?' | b'*' | b'+')) {
        at += 1;
    }
    at.min(bytes.len())
}

/// What a set of needles is worth: that its commonest one is rare, then that they are long and few.
fn worth(needles: &Needles) -> impl Ord {
    let commonest = needles.literals.iter().map(|literal| commonness(literal)).max().unwrap_or(u8::MAX);
    (Reverse(commonest), shortest(needles), Reverse(needles.literals.len()))
}

fn shortest(needles: &Needles) -> usize {
    needles.literals.iter().map(Vec::len).min().unwrap_or(0)
}

fn better(one: Option<Needles>, other: Option<Needles>) -> Option<Needles> {
    match (one, other) {
        (Some(one), Some(other)) => Some(if worth(&other) > worth(&one) { other } else { one }),
        (one, other) => one.or(other),
    }
}

fn best(hir: &Hir) -> Option<Needles> {
    match hir.kind() {
        HirKind::Concat(parts) => best_of_sequence(parts),
        HirKind::Alternation(branches) => {
            let mut all: Option<Needles> = None;
            for branch in branches {
                let found = best(branch)?;
                all = Some(all.map_or(found.clone(), |all| either(all, found)));
            }
            all.filter(|all| all.literals.len() <= MAX_ALTERNATIVES)
        }
        HirKind::Capture(capture) => best(&capture.sub),
        HirKind::Repetition(repetition) if repetition.min > 0 => {
            let found = best(&repetition.sub)?;
            if repetition.max == Some(1) {
                return Some(found);
            }
            Some(Needles { before: None, behind: None, left: Side::OPEN, right: Side::OPEN, ..found })
        }
        _ => usable(exact(hir)?, std::slice::from_ref(hir), 0..1),
    }
}

/// The needles of an expression that is the one or the other.
fn either(mut one: Needles, other: Needles) -> Needles {
    one.literals.extend(other.literals);
    one.before = Option::zip(one.before, other.before).map(|(one, other)| one.max(other));
    one.behind = Option::zip(one.behind, other.behind).map(|(one, other)| one.max(other));
    one.left = one.left.either(other.left);
    one.right = one.right.either(other.right);
    one
}

/// The most bytes that an expression can match.
fn longest(hir: &Hir) -> Option<usize> {
    hir.properties().maximum_len()
}

/// The best of a sequence: a run of neighbours that are literal is one literal.
fn best_of_sequence(parts: &[Hir]) -> Option<Needles> {
    let mut found = None;
    let mut run = vec![Vec::new()];
    let mut run_from = 0;
    for (place, part) in parts.iter().enumerate() {
        let set = exact(part);
        if let Some(longer) = set.as_ref().and_then(|set| joined(&run, set)) {
            run = longer;
            continue;
        }
        let ended = std::mem::replace(&mut run, vec![Vec::new()]);
        found = better(found, usable(ended, parts, run_from..place));
        // one that is literal by itself only made the run too wide, and begins the next
        match set {
            Some(set) => (run, run_from) = (set, place),
            None => {
                found = better(found, best(part).map(|inner| within(inner, parts, place)));
                run_from = place + 1;
            }
        }
    }
    better(found, usable(run, parts, run_from..parts.len()))
}

/// The run of these parts, if it can be searched for.
fn usable(run: Vec<Vec<u8>>, parts: &[Hir], place: Range<usize>) -> Option<Needles> {
    if run.iter().any(Vec::is_empty) {
        return None;
    }
    let (before, of_run, behind) = (&parts[..place.start], &parts[place.clone()], &parts[place.end..]);
    let first = Edge::of(run.iter().map(|literal| literal.first().copied()));
    let last = Edge::of(run.iter().map(|literal| literal.last().copied()));
    let cut = run.iter().any(|literal| literal.len() >= MAX_BYTES);
    let right = if cut {
        Side::OPEN
    } else {
        Side::asserting(last, of_run.iter().rev()).within(behind.iter(), End::First)
    };
    Some(Needles {
        before: reach(before),
        behind: reach(&parts[place.start..]),
        left: Side::asserting(first, of_run.iter()).within(before.iter().rev(), End::Last),
        right,
        literals: run,
    })
}

/// The needles of one part, seen from the whole sequence.
fn within(inner: Needles, parts: &[Hir], place: usize) -> Needles {
    let sum = |one: Option<usize>, other: Option<usize>| Some(one? + other?);
    Needles {
        before: sum(inner.before, reach(&parts[..place])),
        behind: sum(inner.behind, reach(&parts[place + 1..])),
        left: inner.left.within(parts[..place].iter().rev(), End::Last),
        right: inner.right.within(parts[place + 1..].iter(), End::First),
        literals: inner.literals,
    }
}

fn reach(parts: &[Hir]) -> Option<usize> {
    parts.iter().map(longest).sum()
}

/// Each of one with each of the other behind it, if that stays small.
fn joined(run: &[Vec<u8>], set: &[Vec<u8>]) -> Option<Vec<Vec<u8>>> {
    if run.len() * set.len() > MAX_ALTERNATIVES || run.iter().any(|literal| literal.len() >= MAX_BYTES) {
        return None;
    }
    let join = |head: &Vec<u8>, tail: &Vec<u8>| [head.as_slice(), tail].concat();
    Some(run.iter().flat_map(|head| set.iter().map(move |tail| join(head, tail))).collect())
}

/// All that an expression can match, in lower case, if that is a small set.
fn exact(hir: &Hir) -> Option<Vec<Vec<u8>>> {
    match hir.kind() {
        HirKind::Empty | HirKind::Look(_) => Some(vec![Vec::new()]),
        HirKind::Literal(literal) => {
            let literal = &literal.0[..literal.0.len().min(MAX_BYTES)];
            Some(vec![literal.to_ascii_lowercase()])
        }
        HirKind::Class(class) => exact_class(class),
        HirKind::Capture(capture) => exact(&capture.sub),
        HirKind::Concat(parts) => {
            let mut run = vec![Vec::new()];
            for part in parts {
                run = joined(&run, &exact(part)?)?;
            }
            Some(run)
        }
        // `(?:^|/)` says more of what stands before a literal than it does as a part of it
        HirKind::Alternation(branches) if branches.iter().any(is_look) => None,
        HirKind::Alternation(branches) => {
            let mut all = Vec::new();
            for branch in branches {
                all.extend(exact(branch)?);
            }
            all.sort();
            all.dedup();
            (all.len() <= MAX_ALTERNATIVES).then_some(all)
        }
        HirKind::Repetition(repetition) if repetition.min == 0 && repetition.max == Some(1) => {
            let mut set = exact(&repetition.sub)?;
            set.push(Vec::new());
            (set.len() <= 4).then_some(set)
        }
        HirKind::Repetition(_) => None,
    }
}

fn is_look(hir: &Hir) -> bool {
    matches!(hir.kind(), HirKind::Look(_))
}

/// A few ASCII characters, or one in both cases.
fn exact_class(class: &Class) -> Option<Vec<Vec<u8>>> {
    let ranges: Vec<(u32, u32)> = match class {
        Class::Bytes(class) => {
            class.iter().map(|range| (u32::from(range.start()), u32::from(range.end()))).collect()
        }
        Class::Unicode(class) => {
            class.iter().map(|range| (range.start() as u32, range.end() as u32)).collect()
        }
    };
    let mut set = Vec::new();
    for (start, end) in ranges {
        if end - start > 3 || end > 127 {
            return None;
        }
        set.extend((start..=end).map(|code| vec![(code as u8).to_ascii_lowercase()]));
    }
    set.sort();
    set.dedup();
    (1..=4).contains(&set.len()).then_some(set)
}
