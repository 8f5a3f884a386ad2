//! Where in a text do any of thousands of literals stand?
//!
//! Every literal is filed under one gram: the four of its bytes that are rarest on real pages, with case folded by setting
//! one bit. The scan asks a small bitmap about the gram at each position and goes on; only where the bitmap says
//! "perhaps" is anything compared, and because the grams are rare that is seldom.
//!
//! A literal of seven bytes holds a whole gram at every fourth position, so one position in four would do. That was
//! tried: it forces a gram upon each alignment, and `.com` and `.js"` stand everywhere. It was six times slower.

use std::collections::HashMap;

use super::rarity::rarity;

/// Bytes in a gram.
const GRAM: usize = 4;
/// The shortest literal that can be filed: three bytes and one that may be anything.
pub const SHORTEST: usize = GRAM - 1;
/// Sets the bit in which ASCII letters differ by case. Some other bytes fall together too; they are told apart later.
const FOLD: u32 = 0x2020_2020;
const FOLD_TWICE: u64 = 0x2020_2020_2020_2020;
/// By how much three letters are commoner than the commonest gram that they begin: about four times.
const THREE_LETTERS: u8 = 8;

/// How many places are noted before they are looked at.
const NOTED: usize = 64;
/// The most that a bitmap takes: 256 KiB, which stay in the second cache.
const BITMAP_WORDS: usize = 1 << 15;

/// An index over literals, which are lower-case.
pub struct Grams {
    literals: Vec<Box<[u8]>>,
    table: Table,
}

impl Grams {
    /// Files literals of at least three bytes; a literal is known by its place in the list.
    #[must_use]
    pub fn new(literals: Vec<Box<[u8]>>) -> Grams {
        let mut entries = Vec::new();
        let mut filed = HashMap::<u32, u32>::new();
        for (number, literal) in literals.iter().enumerate() {
            debug_assert!(literal.len() >= SHORTEST, "too short to be filed");
            let number = number as u32;
            if let [first, second, third] = **literal {
                entries.extend(any_fourth(first, second, third).map(|gram| Entry {
                    gram,
                    literal: number,
                    offset: 0,
                    other: gram,
                    other_offset: 0,
                }));
                continue;
            }
            let last = (literal.len() - GRAM).min(usize::from(u16::MAX));
            // a gram that many literals share is as bad as a common one
            let cost = |offset: &usize| {
                let gram = gram_at(literal, *offset);
                let shared = filed.get(&gram).copied().unwrap_or(0u32);
                u32::from(rarity(gram)) + 4 * (shared + 1).ilog2()
            };
            let offset = (0..=last).min_by_key(cost).unwrap_or(0);
            *filed.entry(gram_at(literal, offset)).or_default() += 1;
            // whichever end is further away says most beside the rare gram
            let other = if offset > last - offset { 0 } else { last };
            entries.push(Entry {
                gram: gram_at(literal, offset),
                literal: number,
                offset: offset as u16,
                other: gram_at(literal, other),
                other_offset: other as u16,
            });
        }
        Grams { literals, table: Table::new(entries) }
    }

    /// Tells `hit` of every place where a literal stands: its number and its first byte. Stops when `hit` says so.
    pub fn scan(&self, text: &[u8], mut hit: impl FnMut(u32, usize) -> bool) {
        // places are noted first and looked at later: a look does not wait for the scan, nor the scan for a look
        let mut noted = [0; NOTED];
        let (mut count, mut at) = (0, 0);
        while let Some(bytes) = text.get(at..).and_then(|rest| rest.first_chunk::<{ 2 * GRAM }>()) {
            let word = u64::from_le_bytes(*bytes) | FOLD_TWICE;
            for place in 0..GRAM {
                noted[count % NOTED] = at + place;
                count += usize::from(self.table.may_hold((word >> (8 * place)) as u32));
            }
            at += GRAM;
            if count > NOTED - GRAM {
                if !self.compare_all(&noted[..count], text, &mut hit) {
                    return;
                }
                count = 0;
            }
        }
        // the last literal may be three bytes with nothing behind them
        let last = at..(text.len() + 1).saturating_sub(SHORTEST);
        if self.compare_all(&noted[..count], text, &mut hit) {
            last.into_iter().all(|at| self.compare(text, at, &mut hit));
        }
    }

    #[inline(never)]
    fn compare_all(&self, noted: &[usize], text: &[u8], hit: &mut impl FnMut(u32, usize) -> bool) -> bool {
        noted.iter().all(|at| self.compare(text, *at, hit))
    }

    /// All literals, by number.
    pub fn literals(&self) -> impl Iterator<Item = &[u8]> {
        self.literals.iter().map(|literal| &**literal)
    }

    /// The literal with this number.
    #[must_use]
    pub fn literal(&self, number: u32) -> &[u8] {
        &self.literals[number as usize]
    }

    #[inline]
    fn compare(&self, text: &[u8], at: usize, hit: &mut impl FnMut(u32, usize) -> bool) -> bool {
        let gram = folded_gram(&text[at..]);
        for entry in self.table.bucket(gram).iter().filter(|entry| entry.gram == gram) {
            let Some(from) = at.checked_sub(usize::from(entry.offset)) else { continue };
            let other_at = from + usize::from(entry.other_offset);
            let other = text.get(other_at..).and_then(|rest| rest.first_chunk::<GRAM>());
            // near the end of the text the literal itself decides
            if other.is_some_and(|other| (u32::from_le_bytes(*other) | FOLD) != entry.other) {
                continue;
            }
            let literal = &self.literals[entry.literal as usize];
            let stands =
                text.get(from..from + literal.len()).is_some_and(|here| here.eq_ignore_ascii_case(literal));
            if stands && !hit(entry.literal, from) {
                return false;
            }
        }
        true
    }
}

/// The grams that three bytes may be the start of.
fn any_fourth(first: u8, second: u8, third: u8) -> impl Iterator<Item = u32> {
    let fourths = (0..=u8::MAX).filter(|fourth| fourth & 0x20 != 0);
    fourths.map(move |fourth| u32::from_le_bytes([first, second, third, fourth]) | FOLD)
}

/// How common the rarest gram of a literal is; of three letters, the commonest gram that they begin. Fewer are
/// everywhere.
#[must_use]
pub fn commonness(literal: &[u8]) -> u8 {
    if let [first, second, third] = *literal {
        let commonest = any_fourth(first, second, third).map(rarity).max();
        // there is more than the commonest
        return commonest.map_or(u8::MAX, |commonest| commonest.saturating_add(THREE_LETTERS));
    }
    let grams = literal.array_windows::<GRAM>().map(|gram| rarity(u32::from_le_bytes(*gram) | FOLD));
    grams.min().unwrap_or(u8::MAX)
}

/// The gram that a text begins with; what is missing at its end is a space.
#[inline]
fn folded_gram(text: &[u8]) -> u32 {
    let bytes = text.first_chunk::<GRAM>().copied().unwrap_or_else(|| {
        let mut bytes = [b' '; GRAM];
        bytes[..text.len()].copy_from_slice(text);
        bytes
    });
    u32::from_le_bytes(bytes) | FOLD
}

fn gram_at(literal: &[u8], offset: usize) -> u32 {
    let bytes = literal[offset..].first_chunk::<GRAM>().expect("a gram ends within its literal");
    u32::from_le_bytes(*bytes) | FOLD
}

/// A literal, filed under one of its grams.
#[derive(Clone, Copy)]
struct Entry {
    gram: u32,
    literal: u32,
    /// Another gram of it, which is asked before the bytes are compared.
    other: u32,
    offset: u16,
    other_offset: u16,
}

struct Table {
    /// Of which as many bits are used as the table needs: with a length that is known no access needs a check.
    bitmap: Box<[u64; BITMAP_WORDS]>,
    bitmap_shift: u32,
    /// Where each bucket begins in `entries`.
    heads: Box<[u32]>,
    bucket_shift: u32,
    entries: Box<[Entry]>,
}

impl Table {
    fn new(mut entries: Vec<Entry>) -> Table {
        // sixty-four bits for each gram: a comparison costs more than a bitmap that is in the second cache
        let bitmap_bits = (entries.len() * 64)
            .next_power_of_two()
            .trailing_zeros()
            .clamp(10, BITMAP_WORDS.trailing_zeros() + 6);
        let bucket_bits = entries.len().next_power_of_two().trailing_zeros().clamp(4, 16);
        let (bitmap_shift, bucket_shift) = (32 - bitmap_bits, 32 - bucket_bits);
        let mut bitmap = Box::new([0u64; BITMAP_WORDS]);
        for entry in &entries {
            let bit = mix(entry.gram) >> bitmap_shift;
            bitmap[bit as usize / 64] |= 1 << (bit % 64);
        }
        entries.sort_unstable_by_key(|entry| (mix(entry.gram) >> bucket_shift, entry.gram, entry.literal));
        let mut heads = vec![0u32; (1 << bucket_bits) + 1];
        for entry in &entries {
            heads[(mix(entry.gram) >> bucket_shift) as usize + 1] += 1;
        }
        for bucket in 1..heads.len() {
            heads[bucket] += heads[bucket - 1];
        }
        Table { bitmap, bitmap_shift, heads: heads.into(), bucket_shift, entries: entries.into() }
    }

    #[inline]
    fn may_hold(&self, gram: u32) -> bool {
        let bit = mix(gram) >> self.bitmap_shift;
        self.bitmap[bit as usize / 64 % BITMAP_WORDS] >> (bit % 64) & 1 != 0
    }

    fn bucket(&self, gram: u32) -> &[Entry] {
        let bucket = (mix(gram) >> self.bucket_shift) as usize;
        &self.entries[self.heads[bucket] as usize..self.heads[bucket + 1] as usize]
    }
}

/// Spreads grams over the high bits.
#[inline]
fn mix(gram: u32) -> u32 {
    gram.wrapping_mul(0x9E37_79B1)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn every_place_of_every_literal_is_told_and_no_other(
            literals in prop::collection::btree_set("[ab.-]{3,9}", 1..12),
            text in "[abAB.é-]{0,200}",
        ) {
            let literals: Vec<Box<[u8]>> = literals.iter().map(|one| one.as_bytes().into()).collect();
            let mut found = Vec::new();
            Grams::new(literals.clone()).scan(text.as_bytes(), |literal, at| {
                found.push((literal, at));
                true
            });
            found.sort_unstable();
            let lower = text.to_ascii_lowercase();
            let mut expected = Vec::new();
            for (number, literal) in literals.iter().enumerate() {
                let places = lower.as_bytes().windows(literal.len()).enumerate();
                expected.extend(places.filter(|(_, here)| *here == &**literal).map(|(at, _)| (number as u32, at)));
            }
            expected.sort_unstable();
            prop_assert_eq!(found, expected);
        }
    }
}
