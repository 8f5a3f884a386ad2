//! Which lines repeat an earlier one, exactly?

use std::{collections::HashMap, io};

use domain::url_hash;
use roaring::RoaringTreemap;

use super::bloom::Bloom;
use crate::codec::RawTarget;

/// How many keys one pass looks at: bounds the filter, and the suspects if half of them are.
const KEYS_AT_ONCE: u64 = 500_000;

/// Walks records in order, handing each to the visitor.
pub(super) trait Walk {
    /// Calls `visit` with the ordinal and the target of each record, always in the same order.
    fn walk(&mut self, visit: &mut dyn FnMut(u64, RawTarget<'_>)) -> io::Result<()>;
}

/// Finds the records whose URL has stood earlier. `report` hears each with the line of the first one.
///
/// A Bloom filter names the suspects; a second walk over those alone compares the URLs themselves. So a false positive
/// costs a comparison and never a target.
pub(super) fn find_duplicates(
    records: u64,
    source: &mut dyn Walk,
    report: &mut dyn FnMut(RawTarget<'_>, u64),
) -> io::Result<RoaringTreemap> {
    let slices = records.div_ceil(KEYS_AT_ONCE).max(1) as u128;
    let mut duplicates = RoaringTreemap::new();
    for slice in 0..slices {
        let mut suspects: HashMap<u128, Option<(u64, String)>> = HashMap::new();
        let mut bloom = Bloom::for_keys((records / slices as u64 + 1) as usize);
        source.walk(&mut |_, target| {
            let hash = url_hash(target.url);
            if (slices == 1 || hash % slices == slice) && bloom.insert(hash) {
                suspects.insert(hash, None);
            }
        })?;
        drop(bloom);
        if suspects.is_empty() {
            continue;
        }
        source.walk(&mut |ordinal, target| {
            let Some(first) = suspects.get_mut(&url_hash(target.url)) else { return };
            match first {
                None => *first = Some((target.line, target.url.to_owned())),
                Some((line, url)) if url == target.url => {
                    duplicates.insert(ordinal);
                    report(target, *line);
                }
                Some(_) => {}
            }
        })?;
    }
    Ok(duplicates)
}
