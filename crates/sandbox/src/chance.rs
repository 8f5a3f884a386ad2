//! How does one seed make the same world every time?

/// A small generator of repeatable chance (SplitMix64): its numbers depend on the seed alone, on every machine.
#[derive(Debug, Clone)]
pub(crate) struct Chance(u64);

impl Chance {
    /// Chance for one purpose: `label` keeps the draws of two purposes apart although they share a seed.
    pub(crate) fn new(seed: u64, label: u64) -> Chance {
        let mut chance = Chance(seed ^ label.wrapping_mul(0xA24B_AED4_963E_E407));
        chance.next();
        chance
    }

    pub(crate) fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        mixed ^ (mixed >> 31)
    }

    /// A number under `end`; 0 where `end` is 0.
    pub(crate) fn below(&mut self, end: usize) -> usize {
        if end == 0 {
            return 0;
        }
        // The remainder's bias is under 2^-40 for the small ends used here.
        (self.next() % end as u64) as usize
    }

    /// A number from `low` to `high`, both included.
    pub(crate) fn between(&mut self, low: usize, high: usize) -> usize {
        low + self.below(high.saturating_sub(low) + 1)
    }

    /// One of `things`, which must not be empty.
    pub(crate) fn pick<'a, T: ?Sized>(&mut self, things: &'a [&'a T]) -> &'a T {
        things[self.below(things.len())]
    }

    /// Puts `things` into an order of chance.
    pub(crate) fn shuffle<T>(&mut self, things: &mut [T]) {
        for end in (1..things.len()).rev() {
            things.swap(end, self.below(end + 1));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_same_seed_and_label_draw_the_same_numbers_and_another_label_others() {
        let draw = |seed, label| {
            let mut chance = Chance::new(seed, label);
            (0..8).map(|_| chance.next()).collect::<Vec<_>>()
        };
        assert_eq!(draw(7, 1), draw(7, 1));
        assert_ne!(draw(7, 1), draw(7, 2));
        assert_ne!(draw(7, 1), draw(8, 1));
    }
}
