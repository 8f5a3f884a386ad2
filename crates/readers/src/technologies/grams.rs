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
/// Leaves three bytes of a gram.
const THREE_BYTES: u32 = 0x00FF_FFFF;

/// An index over literals, which are lower-case.
pub struct Grams {
    literals: Vec<Box<[u8]>>,
    usual: Table,
    tiny: Table,
}

impl Grams {
    /// Files literals of at least three bytes; a literal is known by its place in the list.
    #[must_use]
    pub fn new(literals: Vec<Box<[u8]>>) -> Grams {
        let (mut usual, mut tiny) = (Vec::new(), Vec::new());
        let mut filed = HashMap::<u32, u32>::new();
        for (number, literal) in literals.iter().enumerate() {
            debug_assert!(literal.len() >= SHORTEST, "too short to be filed");
            let number = number as u32;
            if let [first, second, third] = **literal {
                let gram = (u32::from_le_bytes([first, second, third, 0]) | FOLD) & THREE_BYTES;
                tiny.push(Entry { gram, literal: number, offset: 0, other: gram, other_offset: 0 });
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
            usual.push(Entry {
                gram: gram_at(literal, offset),
                literal: number,
                offset: offset as u16,
                other: gram_at(literal, other),
                other_offset: other as u16,
            });
        }
        Grams { literals, usual: Table::new(usual), tiny: Table::new(tiny) }
    }

    /// Tells `hit` of every place where a literal stands: its number and its first byte. Stops when `hit` says so.
    pub fn scan(&self, text: &[u8], mut hit: impl FnMut(u32, usize) -> bool) {
        for (table, mask) in [(&self.usual, u32::MAX), (&self.tiny, THREE_BYTES)] {
            if !table.entries.is_empty() && !self.scan_for(table, mask, text, &mut hit) {
                return;
            }
        }
    }

    fn scan_for(
        &self,
        table: &Table,
        mask: u32,
        text: &[u8],
        hit: &mut impl FnMut(u32, usize) -> bool,
    ) -> bool {
        for (at, gram) in text.array_windows::<GRAM>().enumerate() {
            let gram = (u32::from_le_bytes(*gram) | FOLD) & mask;
            if table.may_hold(gram) && !self.compare(table, gram, text, at, hit) {
                return false;
            }
        }
        // three bytes at the very end are the start of no gram
        let Some(at) = text.len().checked_sub(SHORTEST).filter(|_| mask == THREE_BYTES) else { return true };
        let gram = (u32::from_le_bytes([text[at], text[at + 1], text[at + 2], 0]) | FOLD) & mask;
        !table.may_hold(gram) || self.compare(table, gram, text, at, hit)
    }

    /// The literal with this number.
    #[must_use]
    pub fn literal(&self, number: u32) -> &[u8] {
        &self.literals[number as usize]
    }

    #[inline(never)]
    fn compare(
        &self,
        table: &Table,
        gram: u32,
        text: &[u8],
        at: usize,
        hit: &mut impl FnMut(u32, usize) -> bool,
    ) -> bool {
        for entry in table.bucket(gram).iter().filter(|entry| entry.gram == gram) {
            let Some(from) = at.checked_sub(usize::from(entry.offset)) else { continue };
            let other_at = from + usize::from(entry.other_offset);
            let other = text.get(other_at..).and_then(|rest| rest.first_chunk::<GRAM>());
            // near the end of the text, and for tiny ones, the literal itself decides
            if other.is_some_and(|other| (u32::from_le_bytes(*other) | FOLD) ^ entry.other != 0)
                && entry.other_is_whole()
            {
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

/// How common the rarest gram of a literal is; three letters and fewer are everywhere.
#[must_use]
pub fn commonness(literal: &[u8]) -> u8 {
    let grams = literal.array_windows::<GRAM>().map(|gram| rarity(u32::from_le_bytes(*gram) | FOLD));
    grams.min().unwrap_or(u8::MAX)
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

impl Entry {
    fn other_is_whole(&self) -> bool {
        self.other & !THREE_BYTES != 0
    }
}

struct Table {
    bitmap: Box<[u64]>,
    bitmap_shift: u32,
    /// Where each bucket begins in `entries`.
    heads: Box<[u32]>,
    bucket_shift: u32,
    entries: Box<[Entry]>,
}

impl Table {
    fn new(mut entries: Vec<Entry>) -> Table {
        // sixty-four bits for each gram: a comparison costs more than a bitmap that is in the second cache
        let bitmap_bits = (entries.len() * 64).next_power_of_two().trailing_zeros().clamp(10, 21);
        let bucket_bits = entries.len().next_power_of_two().trailing_zeros().clamp(4, 16);
        let (bitmap_shift, bucket_shift) = (32 - bitmap_bits, 32 - bucket_bits);
        let mut bitmap = vec![0u64; 1 << (bitmap_bits - 6)].into_boxed_slice();
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
        self.bitmap.get(bit as usize / 64).is_some_and(|word| word >> (bit % 64) & 1 != 0)
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
