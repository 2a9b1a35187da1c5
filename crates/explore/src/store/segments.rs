//! Words by number, in segments, so that having more of them copies none.
//!
//! The first million words lie in small segments, the others in larger ones, which have room for large pages. Segments take memory
//! when they are first written to.

use std::sync::atomic::AtomicU64;

use tertium_base::words::zeroed;

const SMALL_BITS: usize = 15;
const LARGE_BITS: usize = 20;
/// Words below this number lie in small segments.
const SMALL_WORDS: usize = 1 << LARGE_BITS;
/// So many segments are small.
const SMALL_SEGMENTS: usize = SMALL_WORDS >> SMALL_BITS;

#[derive(Debug, Default)]
pub(super) struct Segments(Vec<Box<[AtomicU64]>>);

impl Segments {
    /// Makes sure that there are this many words at least.
    pub fn make_room(&mut self, words: usize) {
        while self.len() < words {
            let bits = if self.0.len() < SMALL_SEGMENTS { SMALL_BITS } else { LARGE_BITS };
            self.0.push(zeroed(1 << bits));
        }
    }

    fn len(&self) -> usize {
        let small = self.0.len().min(SMALL_SEGMENTS);
        (small << SMALL_BITS) + ((self.0.len() - small) << LARGE_BITS)
    }

    /// The word with this number; there must be room for it.
    #[inline]
    pub fn at(&self, number: u32) -> &AtomicU64 {
        let at = number as usize;
        if at < SMALL_WORDS {
            &self.0[at >> SMALL_BITS][at & ((1 << SMALL_BITS) - 1)]
        } else {
            &self.0[SMALL_SEGMENTS - 1 + (at >> LARGE_BITS)][at & (SMALL_WORDS - 1)]
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::Ordering;

    use super::*;

    #[test]
    fn every_number_has_a_word_of_its_own() {
        let mut words = Segments::default();
        let most = (3 << LARGE_BITS) + 5;
        for room in [1, 1000, SMALL_WORDS, SMALL_WORDS + 1, most] {
            words.make_room(room);
            assert!(words.len() >= room && words.len() < room + SMALL_WORDS);
        }
        let numbers = (0..u32::try_from(most).expect("few")).step_by(11);
        numbers.clone().for_each(|number| words.at(number).store(u64::from(number) + 1, Ordering::Relaxed));
        assert!(numbers.clone().all(|number| words.at(number).load(Ordering::Relaxed) == u64::from(number) + 1));
    }
}
