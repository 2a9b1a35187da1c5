//! Masks that several stores agree on, so that a key means the same row in each of them.
//!
//! Each store says in which bits its rows differ from a row that all know; the mask is made of what all have said. No store changes it by itself: rows
//! that have no masked row are kept aside until all agree on another mask.

use tertium_base::narrow::to_u32;

use super::bit_mask::BitMask;
use super::masking::{KEY_WORDS, Masking, with_more_above};
use super::tree_compression::{Branches, StateStore};

/// The bits in which rows differ from one, word by word.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct VaryingBits(pub Vec<u32>);

impl VaryingBits {
    /// Adds the bits in which a row differs from `first`.
    pub fn note(&mut self, first: &[u32], row: &[u32]) {
        self.0.resize(self.0.len().max(row.len()).max(first.len()), 0);
        for (at, bits) in self.0.iter_mut().enumerate() {
            let word = |row: &[u32]| row.get(at).copied().unwrap_or(0);
            *bits |= word(row) ^ word(first);
        }
    }

    /// Adds others.
    pub fn absorb(&mut self, others: &[u32]) {
        self.0.resize(self.0.len().max(others.len()), 0);
        self.0.iter_mut().zip(others).for_each(|(bits, others)| *bits |= others);
    }
}

impl StateStore {
    /// Adds the bits in which states differ from `first`.
    pub fn note_varying(&self, first: &[u32], varying: &mut VaryingBits) {
        let mut branches = self.branches();
        for number in 0..to_u32(self.len()) {
            self.read(number, &mut branches);
            varying.note(first, branches.whole_row());
        }
    }

    /// The bits in which a row differs from what the mask admits, and so many above them, since what counts goes on counting.
    #[must_use]
    pub fn missing_bits(&self, row: &[u32], more: u32) -> Vec<u32> {
        let Some(mask) = self.key_mask() else { return Vec::new() };
        let word = |at: usize| mask.missing(at, row.get(at).copied().unwrap_or(0));
        (0..row.len().max(mask.words())).map(|at| with_more_above(word(at), more)).collect()
    }

    /// Masks rows so that these bits may differ from `first`, if then they have keys, and otherwise not at all; numbers of states stay. All states must differ in such bits only.
    pub fn mask_by(&mut self, first: &[u32], varying: &VaryingBits, threads: usize) {
        let width = first.len().max(varying.0.len()).max(self.width());
        let (mut first, mut varying) = (first.to_vec(), varying.0.clone());
        first.resize(width, 0);
        varying.resize(width, 0);
        let mask = BitMask::of(&first, &varying);
        if mask.masked_words() <= KEY_WORDS {
            self.rebuild(Branches::masked(&mask, 0, self.least), Masking::agreed(Some(mask)));
        } else {
            self.store_whole_rows(threads);
        }
    }

    /// Masks rows no longer.
    pub fn store_whole_rows(&mut self, threads: usize) {
        if self.is_masked() {
            self.rebuild(Branches::zeros(self.width(), self.least, self.least), Masking::agreed(None));
            self.choose_split(threads);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tertium_testkit::Rng;

    /// Two stores with different rows give the same key to the same row, whatever varies later.
    #[test]
    fn keys_mean_the_same_in_all_stores() {
        let mut random = Rng::new(29);
        for _ in 0..40 {
            let mut stores = [0; 2].map(|_| StateStore::masked_by_agreement(4));
            let first = [7, 0, 1 << 20, 9];
            let mut known: Vec<Vec<u32>> = vec![first.to_vec()];
            for round in 0..6_u32 {
                for _ in 0..50 {
                    let mut row = random.pick(&known).clone();
                    let at = random.below(if round > 3 { 5 } else { 4 });
                    row.resize(row.len().max(at + 1), 0);
                    row[at] ^= 1 << random.below(3 + 2 * round as usize);
                    row.truncate(super::super::trimmed(&row, 4));
                    known.push(row);
                }
                let mut varying = VaryingBits::default();
                known.iter().for_each(|row| varying.note(&first, row));
                for store in &mut stores {
                    store.mask_by(&first, &varying, 1);
                    let mut branches = store.branches();
                    for _ in 0..30 {
                        while store.insert_afresh(random.pick::<Vec<u32>>(&known), &mut branches).is_err() {
                            store.grow();
                        }
                    }
                }
                let [one, other] = &stores;
                assert_eq!(one.key_mask().is_some(), other.key_mask().is_some());
                let mut row = Vec::new();
                for known in &known {
                    let Some((number, other_number)) = one.find(known).zip(other.find(known)) else { continue };
                    if let Some(mask) = one.key_mask() {
                        assert_eq!(one.key(number), other.key(other_number));
                        mask.row_of_key(one.key(number), &mut row);
                        row.truncate(super::super::trimmed(&row, 4));
                        assert_eq!(row, *known);
                    }
                }
            }
        }
    }

    #[test]
    fn what_is_missing_is_said() {
        let mut store = StateStore::masked_by_agreement(3);
        let mut branches = store.branches();
        for row in [[0, 5, 1], [3, 5, 0]] {
            store.insert_afresh(&row, &mut branches).expect("an empty store has room");
        }
        let mut varying = VaryingBits::default();
        store.note_varying(&[0, 5, 1], &mut varying);
        assert_eq!(varying, VaryingBits(vec![3, 0, 1]));
        store.mask_by(&[0, 5, 1], &varying, 1);
        assert!(store.insert_afresh(&[0, 4, 1], &mut branches).is_err() && !store.wants_to_grow());
        assert_eq!(store.missing_bits(&[0, 4, 1, 8], 1), [0, 3, 0, 24]);
        varying.absorb(&store.missing_bits(&[0, 4, 1, 8], 0));
        store.mask_by(&[0, 5, 1], &varying, 1);
        assert_eq!(store.insert_afresh(&[0, 4, 1, 8], &mut branches), Ok((2, true)));
    }
}
