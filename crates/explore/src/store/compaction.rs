//! Bitstate hashing (Holzmann 1987) and hash compaction (Wolper and Leroy 1993): which states have probably been seen?
//!
//! A [`CompactStore`] keeps less of a state than would tell it from every other one: a fingerprint of 64 bits, or three bits in
//! a field of fixed size. What is new to it is new; what it takes for known may be another state. So a search with it
//! may overlook states, and says how many it probably has not.

use tertium_base::narrow::folded;
use tertium_base::{Budget, Stopped};

/// How much is kept of a state.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Keeping {
    /// All of it.
    #[default]
    Exact,
    /// A fingerprint of 64 bits.
    Compact,
    /// Three bits in a field of a fixed size.
    Bits,
}

/// A field of bits that nobody chose the size of has so many bytes.
const DEFAULT_FIELD: usize = 128 << 20;
/// Fewer bytes make no field.
const SMALLEST_FIELD: usize = 1 << 10;
/// How many bits of a field stand for a state.
const BITS_EACH: u32 = 3;
/// A table begins with so many places.
const FIRST_PLACES: usize = 1 << 12;

/// A set of states that may take a state for another one.
#[derive(Clone, Debug)]
pub struct CompactStore {
    kind: CompactionTable,
    count: usize,
    /// The sum over all states entered of how probable it was to take a new one for known.
    overlooked: f64,
}

#[derive(Clone, Debug)]
enum CompactionTable {
    /// Open addressing; 0 is an empty place.
    Fingerprints(Vec<u64>),
    Field {
        words: Vec<u64>,
        set: usize,
    },
}

impl CompactStore {
    /// An empty one; a field takes half of the memory that there is, if that is limited.
    ///
    /// # Errors
    /// If there is not enough memory for it.
    pub fn new(keeping: Keeping, budget: &Budget) -> Result<Self, Stopped> {
        let kind = if keeping == Keeping::Bits {
            let most = budget.memory_limit().map_or(DEFAULT_FIELD, |limit| (limit / 2).max(SMALLEST_FIELD));
            // Places are taken from the upper bits of a hash, so the size is a power of two.
            let words = (most / 8 + 1).next_power_of_two() / 2;
            budget.reserve(words * 8)?;
            CompactionTable::Field { words: vec![0; words], set: 0 }
        } else {
            CompactionTable::Fingerprints(vec![0; FIRST_PLACES])
        };
        Ok(Self { kind, count: 0, overlooked: 0.0 })
    }

    /// How many states were new to it.
    #[must_use]
    pub fn len(&self) -> usize {
        self.count
    }

    /// Whether nothing was entered yet.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.count == 0
    }

    /// Bytes in use.
    #[must_use]
    pub fn bytes(&self) -> usize {
        match &self.kind {
            CompactionTable::Fingerprints(places) => places.len() * 8,
            CompactionTable::Field { words, .. } => words.len() * 8,
        }
    }

    /// The part of the states that was probably not taken for others, between 0 and 1.
    #[must_use]
    pub fn coverage(&self) -> f64 {
        let seen = self.count as f64;
        if seen == 0.0 { 1.0 } else { seen / (seen + self.overlooked) }
    }

    /// Enters a state, which is a row with a tag; says whether it is new to the store.
    ///
    /// # Errors
    /// If it must grow and there is not enough memory.
    pub fn insert(&mut self, row: &[u32], tag: u64, budget: &Budget) -> Result<bool, Stopped> {
        let first = hash(row, tag);
        let (new, chance) = match &mut self.kind {
            CompactionTable::Fingerprints(places) => {
                if self.count * 4 >= places.len() * 3 {
                    budget.reserve(places.len() * 16)?;
                    *places = grown(places);
                }
                (insert_fingerprint(places, first.max(1)), self.count as f64 / 2f64.powi(64))
            }
            CompactionTable::Field { words, set } => {
                let chance = (*set as f64 / (words.len() as f64 * 64.0)).powf(f64::from(BITS_EACH));
                (insert_bits(words, set, first, hash(row, !tag)), chance)
            }
        };
        if new {
            self.count += 1;
            self.overlooked += chance;
        }
        Ok(new)
    }
}

fn insert_fingerprint(places: &mut [u64], fingerprint: u64) -> bool {
    let mask = places.len() - 1;
    let mut at = (fingerprint >> 20) as usize & mask;
    while places[at] != 0 {
        if places[at] == fingerprint {
            return false;
        }
        at = (at + 1) & mask;
    }
    places[at] = fingerprint;
    true
}

fn grown(places: &[u64]) -> Vec<u64> {
    let mut larger = vec![0; places.len() * 2];
    for &fingerprint in places.iter().filter(|&&fingerprint| fingerprint != 0) {
        insert_fingerprint(&mut larger, fingerprint);
    }
    larger
}

/// Sets the bits of a state; says whether one of them was not set before.
fn insert_bits(words: &mut [u64], set: &mut usize, first: u64, second: u64) -> bool {
    let bits = words.len() as u64 * 64;
    let mut new = false;
    for number in 0..u64::from(BITS_EACH) {
        let at = first.wrapping_add(number.wrapping_mul(second | 1)) & (bits - 1);
        let (word, bit) = (&mut words[(at / 64) as usize], 1u64 << (at % 64));
        if *word & bit == 0 {
            *word |= bit;
            *set += 1;
            new = true;
        }
    }
    new
}

/// All bits of a row and its tag in 64.
fn hash(row: &[u32], tag: u64) -> u64 {
    let mut hash = fold(tag ^ 0x2D35_8DCC_AA6C_78A5, row.len() as u64 ^ 0x9E37_79B9_7F4A_7C15);
    for pair in row.chunks(2) {
        let word = u64::from(pair[0]) | u64::from(pair.get(1).copied().unwrap_or(0)) << 32;
        hash = fold(hash ^ word, 0xD6E8_FEB8_6659_FD93);
    }
    fold(hash, 0xA076_1D64_78BD_642F)
}

/// The product of two numbers, its upper half mixed with its lower one.
fn fold(a: u64, b: u64) -> u64 {
    // A factor of zero would forget the other one.
    folded(u128::from(a) * u128::from(b)).wrapping_add(a.rotate_left(23))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fingerprints_know_every_state_entered_and_take_few_for_known() {
        let budget = Budget::unlimited();
        let mut store = CompactStore::new(Keeping::Compact, &budget).expect("room");
        for number in 0..50_000u32 {
            assert!(store.insert(&[number % 7, number], 0, &budget).expect("room"), "{number}");
            assert!(!store.insert(&[number % 7, number], 0, &budget).expect("room"));
        }
        assert!(store.insert(&[0, 0], 1, &budget).expect("room"), "the tag counts");
        assert_eq!(store.len(), 50_001);
        assert!(store.coverage() > 0.999_999);
    }

    #[test]
    fn a_small_field_overlooks_states_and_says_about_how_many() {
        let budget = Budget::unlimited();
        let mut store = CompactStore {
            kind: CompactionTable::Field { words: vec![0; 1 << 10], set: 0 },
            count: 0,
            overlooked: 0.0,
        };
        let states = 20_000;
        for number in 0..states {
            store.insert(&[number, 3, 9], 0, &budget).expect("room");
        }
        let seen = store.len() as f64 / f64::from(states);
        assert!(seen < 0.95, "{seen}");
        assert!((seen - store.coverage()).abs() < 0.03, "{seen} {}", store.coverage());
    }
}
