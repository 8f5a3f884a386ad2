//! Which places are done, however out of order they finish?

use std::io;

use roaring::RoaringTreemap;

/// The set of done places: everything below a contiguous front, plus a compressed bitmap above it.
///
/// One slow host holds the front back but does not make the set large. The same front commits Kafka offsets.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct CompletionFront {
    front: u64,
    above: RoaringTreemap,
}

impl CompletionFront {
    /// Marks a place done; false if it already was.
    pub fn complete(&mut self, place: u64) -> bool {
        if place < self.front || !self.above.insert(place) {
            return false;
        }
        if place == self.front {
            self.advance();
        }
        true
    }

    fn advance(&mut self) {
        let start = self.front;
        while self.above.contains(self.front) {
            self.front += 1;
        }
        self.above.remove_range(start..self.front);
    }

    /// Whether a place is done.
    #[must_use]
    pub fn is_done(&self, place: u64) -> bool {
        place < self.front || self.above.contains(place)
    }

    /// How many of the `count` places from `first` on are done.
    #[must_use]
    pub fn done_within(&self, first: u64, count: u64) -> u64 {
        let end = first + count;
        let below = self.front.clamp(first, end) - first;
        if self.front >= end || self.above.is_empty() {
            return below;
        }
        let rank = |place: u64| if place == 0 { 0 } else { self.above.rank(place - 1) };
        below + rank(end) - rank(first.max(self.front))
    }

    /// The first place that is not done.
    #[must_use]
    pub fn front(&self) -> u64 {
        self.front
    }

    /// How many places are done.
    #[must_use]
    pub fn len(&self) -> u64 {
        self.front + self.above.len()
    }

    /// Whether nothing is done.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The set as bytes, for the checkpoint.
    #[must_use]
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut bytes = self.front.to_le_bytes().to_vec();
        self.above.serialize_into(&mut bytes).expect("writing to memory does not fail");
        bytes
    }

    /// The set from the bytes of a checkpoint.
    pub fn from_bytes(bytes: &[u8]) -> io::Result<CompletionFront> {
        let Some((front, above)) = bytes.split_first_chunk::<8>() else {
            return Err(io::Error::new(io::ErrorKind::UnexpectedEof, "the completion front is cut off"));
        };
        Ok(CompletionFront {
            front: u64::from_le_bytes(*front),
            above: RoaringTreemap::deserialize_from(above)?,
        })
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use proptest::prelude::*;

    use super::*;

    #[test]
    fn the_front_waits_for_the_slow_one_and_then_jumps() {
        let mut front = CompletionFront::default();
        for place in [1, 2, 4] {
            assert!(front.complete(place));
        }
        assert_eq!((front.front(), front.len()), (0, 3));
        assert!(front.complete(0));
        assert_eq!((front.front(), front.len()), (3, 4));
        assert!(!front.complete(2), "a second completion of a place is refused");
    }

    proptest! {
        #[test]
        fn it_agrees_with_a_plain_set_and_survives_its_bytes(places in prop::collection::vec(0u64..300, 0..400)) {
            let mut front = CompletionFront::default();
            let mut set = BTreeSet::new();
            for place in places {
                prop_assert_eq!(front.complete(place), set.insert(place));
            }
            let front = CompletionFront::from_bytes(&front.to_bytes()).unwrap();
            prop_assert_eq!(front.len(), set.len() as u64);
            for place in 0..310 {
                prop_assert_eq!(front.is_done(place), set.contains(&place));
                for count in [0, 1, 7, 100] {
                    prop_assert_eq!(front.done_within(place, count), set.range(place..place + count).count() as u64);
                }
            }
            prop_assert_eq!(front.front(), (0..).find(|place| !set.contains(place)).unwrap());
        }

        #[test]
        fn random_bytes_are_never_a_panic(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
            let _ = CompletionFront::from_bytes(&bytes);
        }
    }
}
