//! Has this URL perhaps been seen?

/// False positives are confirmed exactly afterwards, so this rate costs time and never a target.
const FALSE_POSITIVE_RATE: f64 = 0.001;

/// A Bloom filter over 128-bit hashes: never forgets one, takes at most one in a thousand others for seen.
pub(super) struct Bloom {
    bits: Vec<u64>,
    mask: u64,
    probes: u32,
}

impl Bloom {
    /// A filter for `keys` keys at 0.1 % false positives.
    pub(super) fn for_keys(keys: usize) -> Bloom {
        let per_key = -FALSE_POSITIVE_RATE.ln() / std::f64::consts::LN_2.powi(2);
        // a power of two makes the probe a mask; rounding up only lowers the rate
        let bits = ((keys.max(64) as f64 * per_key) as u64).next_power_of_two();
        let probes = (per_key * std::f64::consts::LN_2).round() as u32;
        Bloom { bits: vec![0; (bits / 64) as usize], mask: bits - 1, probes }
    }

    /// Adds a key; true if it was perhaps there before.
    pub(super) fn insert(&mut self, hash: u128) -> bool {
        let (mut at, step) = (hash as u64, (hash >> 64) as u64 | 1);
        let mut seen = true;
        for _ in 0..self.probes {
            let bit = at & self.mask;
            let (word, flag) = ((bit / 64) as usize, 1 << (bit % 64));
            seen &= self.bits[word] & flag != 0;
            self.bits[word] |= flag;
            at = at.wrapping_add(step);
        }
        seen
    }
}

#[cfg(test)]
mod tests {
    use domain::url_hash;

    use super::*;

    #[test]
    fn it_forgets_nothing_and_errs_at_most_once_in_a_thousand() {
        for keys in [1_000usize, 37_000, 300_000] {
            let mut bloom = Bloom::for_keys(keys);
            let url = |i: usize| url_hash(&format!("https://example.com/{i}"));
            let early: usize = (0..keys).filter(|i| bloom.insert(url(*i))).count();
            assert!((0..keys).all(|i| bloom.insert(url(i))), "a key was forgotten");
            assert!(early as f64 <= keys as f64 * 0.001, "{early} of {keys} while filling");
        }
    }

    #[test]
    fn a_full_filter_keeps_its_rate() {
        let keys = 100_000;
        let mut bloom = Bloom::for_keys(keys);
        (0..keys).for_each(|i| {
            bloom.insert(url_hash(&format!("a{i}")));
        });
        // probing also inserts, so only a small sample keeps the filter at its load
        let wrong = (0..2_000).filter(|i| bloom.insert(url_hash(&format!("b{i}")))).count();
        assert!(wrong <= 6, "{wrong} of 2000");
    }
}
