//! Which literals must a text hold for a regular expression to match?
//!
//! A search for literals is many times faster than a search with a regular expression, so an expression is tried only
//! where one of its literals stands.

use std::cmp::Reverse;

use regex_syntax::hir::{Class, Hir, HirKind};

use super::grams::commonness;

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
}

impl Needles {
    /// Those of a plain text.
    #[must_use]
    pub fn of_text(text: &[u8]) -> Needles {
        let literal = text[..text.len().min(MAX_BYTES)].to_ascii_lowercase();
        Needles { literals: vec![literal], before: Some(0), behind: Some(text.len()) }
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
            let mut all = Needles { literals: Vec::new(), before: Some(0), behind: Some(0) };
            for branch in branches {
                let found = best(branch)?;
                all.literals.extend(found.literals);
                all.before = Option::zip(all.before, found.before).map(|(one, other)| one.max(other));
                all.behind = Option::zip(all.behind, found.behind).map(|(one, other)| one.max(other));
            }
            (all.literals.len() <= MAX_ALTERNATIVES).then_some(all)
        }
        HirKind::Capture(capture) => best(&capture.sub),
        HirKind::Repetition(repetition) if repetition.min > 0 => {
            let found = best(&repetition.sub)?;
            if repetition.max == Some(1) {
                return Some(found);
            }
            Some(Needles { before: None, behind: None, ..found })
        }
        _ => {
            let set = exact(hir).filter(|set| set.iter().all(|literal| !literal.is_empty()))?;
            Some(Needles { literals: set, before: Some(0), behind: longest(hir) })
        }
    }
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
        if let Some(longer) = exact(part).and_then(|set| joined(&run, &set)) {
            run = longer;
            continue;
        }
        found = better(found, usable(std::mem::replace(&mut run, vec![Vec::new()]), parts, run_from));
        found = better(found, best(part).map(|inner| within(inner, parts, place)));
        run_from = place + 1;
        // the next run may begin with this part, if it is literal and only made the last one too wide
        if let Some(set) = exact(part) {
            (run, run_from) = (set, place);
        }
    }
    better(found, usable(run, parts, run_from))
}

/// A run that begins with the part at `from`, if it can be searched for.
fn usable(run: Vec<Vec<u8>>, parts: &[Hir], from: usize) -> Option<Needles> {
    let all = run.iter().all(|literal| !literal.is_empty());
    all.then(|| Needles { literals: run, before: reach(&parts[..from]), behind: reach(&parts[from..]) })
}

/// The needles of one part, seen from the whole sequence.
fn within(inner: Needles, parts: &[Hir], place: usize) -> Needles {
    let sum = |one: Option<usize>, other: Option<usize>| Some(one? + other?);
    Needles {
        before: sum(inner.before, reach(&parts[..place])),
        behind: sum(inner.behind, reach(&parts[place + 1..])),
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
