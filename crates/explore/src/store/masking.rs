//! Bit masking: bits that are the same in all states are not stored (byte masking: Holzmann 1997, *State Compression in Spin*; here bit by bit,
//! learnt from the states seen, and undone where it turns out wrong).
//!
//! A row has the bits that the types of its variables need; far fewer of them vary. Those that do, in order, make a *masked row*, of two words for many programs, which
//! is its own key. All other bits are compared with what they were: a row that differs there has no masked row until the
//! store is rebuilt with those bits among the varying ones. So two rows never share a key, and what was not seen costs time only.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError};

use tertium_base::narrow::{low_half, to_u32};

use super::bit_mask::{BitMask, Misfit};
use super::pairs::Full;
use super::tree_compression::{Branches, StateStore};

/// So often a mask is made anew because rows did not fit; then all bits are stored.
const MOST_ATTEMPTS: u32 = 8;
/// Masked rows of so many words are keys. Longer ones would need fewer pairs than rows do, which is not worth the time that masking takes: 3 words for 7 gained nothing, 9 for 39 a tenth.
pub(super) const KEY_WORDS: usize = 2;

/// Whether rows are masked, and what did not fit.
#[derive(Debug, Default)]
pub(super) struct Masking {
    mask: Option<BitMask>,
    /// Of each word the bits in which rows differed from what is fixed.
    missing: Mutex<Vec<u32>>,
    has_misfits: AtomicBool,
    /// Of each word the bits that varied among other rows than those of the store.
    sampled: Vec<u32>,
    attempts: u32,
    is_never: bool,
    /// Several stores have the same mask, so none makes another one by itself.
    is_agreed: bool,
}

impl Clone for Masking {
    fn clone(&self) -> Self {
        Self {
            mask: self.mask.clone(),
            sampled: self.sampled.clone(),
            attempts: self.attempts,
            is_never: self.is_never,
            is_agreed: self.is_agreed,
            ..Self::default()
        }
    }
}

impl Masking {
    /// All bits of all rows are stored.
    pub fn never() -> Self {
        Self { is_never: true, ..Self::default() }
    }

    /// Rows are masked as was agreed; without a mask, not at all.
    pub fn agreed(mask: Option<BitMask>) -> Self {
        Self { mask, is_never: true, is_agreed: true, ..Self::default() }
    }

    /// The mask, if there is one.
    #[inline]
    pub fn mask(&self) -> Option<&BitMask> {
        self.mask.as_ref()
    }

    /// Whether a row was met that has no masked row.
    #[inline]
    pub fn has_misfits(&self) -> bool {
        self.has_misfits.load(Ordering::Relaxed)
    }

    /// Notes a row without a masked row.
    #[cold]
    pub fn note_misfit(&self, changed: &[(u32, u32)]) {
        let Some(mask) = self.mask.as_ref().filter(|_| !self.is_agreed) else { return };
        let mut missing = self.missing.lock().unwrap_or_else(PoisonError::into_inner);
        missing.resize(mask.words(), 0);
        for &(at, value) in changed {
            missing[at as usize] |= mask.missing(at as usize, value);
        }
        self.has_misfits.store(true, Ordering::Relaxed);
    }

    /// The same for rows of more words, which were zeros so far.
    pub fn widened(&self, words: usize) -> Self {
        let widen = |mask: &BitMask| {
            let mut row = mask.least_row();
            row.resize(words, 0);
            BitMask::of(&row, &mask.kept(words))
        };
        Self { mask: self.mask.as_ref().map(widen), ..self.clone() }
    }
}

impl StateStore {
    /// The mask of rows, where a masked row is a key.
    #[inline]
    #[must_use]
    pub fn key_mask(&self) -> Option<&BitMask> {
        self.masking.mask().filter(|mask| mask.masked_words() <= 2)
    }

    pub(super) fn is_masked(&self) -> bool {
        self.masking.mask().is_some()
    }

    /// The row whose cells are all 0.
    pub(super) fn least_row(&self) -> &[u32] {
        self.origin.whole_row()
    }

    /// How the masked row of a row differs from that of `base`, given how the row does.
    #[inline]
    pub(super) fn mask_changes(
        &self,
        base: &Branches,
        changed: &[(u32, u32)],
        above: &mut Vec<(u32, u32)>,
    ) -> Result<(), Full> {
        let Some(mask) = self.masking.mask() else { return Ok(()) };
        mask.changes(base.level(0), changed, above).map_err(|Misfit| {
            self.masking.note_misfit(changed);
            Full
        })
    }

    /// Whether growing now would be better if more rows were seen than are in the store: [`Self::sample`].
    #[must_use]
    pub fn wants_samples(&self) -> bool {
        !self.masking.is_never && (self.masking.has_misfits() || self.may_choose_split())
    }

    /// Looks at rows that may or may not be in the store, which is not empty.
    pub fn sample(&mut self, rows: &[Vec<u32>]) {
        let mut branches = self.branches();
        self.read(0, &mut branches);
        let longest = rows.iter().map(Vec::len).max().unwrap_or(0);
        self.must_fit(longest).ok();
        let mut seen = std::mem::take(&mut self.masking.sampled);
        seen.resize(longest.max(self.width()), 0);
        for row in rows {
            for (at, bits) in seen.iter_mut().enumerate() {
                let word = |row: &[u32]| row.get(at).copied().unwrap_or(0);
                *bits |= word(row) ^ word(branches.words());
            }
        }
        self.masking.sampled = seen;
    }

    /// Masks rows, if much is the same in all states seen.
    pub(super) fn choose_mask(&mut self) {
        if !self.masking.is_never && self.width() > KEY_WORDS {
            self.mask_with(&[], 1);
        }
    }

    /// Masks rows by a mask that lets pass what did not fit, too, or no longer.
    pub(super) fn mask_anew(&mut self, threads: usize) {
        let mut more = std::mem::take(self.masking.missing.get_mut().unwrap_or_else(PoisonError::into_inner));
        self.masking.attempts += 1;
        more.iter_mut().for_each(|bits| *bits = with_more_above(*bits, self.masking.attempts - 1));
        if self.masking.attempts > MOST_ATTEMPTS || !self.mask_with(&more, threads) {
            self.rebuild(Branches::zeros(self.width(), self.least, self.least), Masking::never());
        }
        self.choose_split(threads);
    }

    /// Rebuilds the store with the mask of the bits that vary among all states, and of these; says whether that is worth it.
    fn mask_with(&mut self, more: &[u32], threads: usize) -> bool {
        let mut branches = self.branches();
        self.read(0, &mut branches);
        let (first, mut varying) = (branches.whole_row().to_vec(), more.to_vec());
        varying.resize(first.len(), 0);
        varying.iter_mut().zip(&self.masking.sampled).for_each(|(bits, sampled)| *bits |= sampled);
        varying.iter_mut().zip(self.varying_bits(&first)).for_each(|(bits, seen)| *bits |= seen);
        let mask = BitMask::of(&first, &varying);
        let is_worth_it = mask.masked_words() <= KEY_WORDS;
        if is_worth_it {
            let origin = Branches::masked(&mask, 0, self.least);
            let masking = Masking { mask: Some(mask.clone()), ..self.masking.clone() };
            match self.key_mask().cloned() {
                Some(old) if old.words() == mask.words() => {
                    self.rekey((origin, masking), threads, &|key| old.key_by(&mask, key));
                }
                _ => self.rebuild(origin, masking),
            }
        }
        is_worth_it
    }

    /// Of each word the bits in which some state differs from the first one, whose row this is.
    fn varying_bits(&self, first: &[u32]) -> Vec<u32> {
        if let Some(mask) = self.key_mask() {
            let mut varying = Vec::new();
            mask.row_of_key(self.roots().varying_bits(), &mut varying);
            varying.iter_mut().zip(mask.least_row()).for_each(|(bits, fixed)| *bits ^= fixed);
            return varying;
        }
        let (mut branches, mut varying) = (self.branches(), vec![0; first.len()]);
        for number in 1..to_u32(self.len()) {
            self.read(number, &mut branches);
            for ((varying, first), word) in varying.iter_mut().zip(first).zip(branches.whole_row()) {
                *varying |= first ^ word;
            }
        }
        varying
    }
}

/// These bits and so many above the highest one.
pub(super) fn with_more_above(bits: u32, more: u32) -> u32 {
    let above = ((1_u64 << more) - 1) << (32 - bits.leading_zeros());
    if bits == 0 { 0 } else { bits | low_half(above) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_stay_while_more_and_more_bits_vary() {
        // Each word counts further than the one before it, until two words do not suffice and nothing is masked any more.
        let row = |number: u32| {
            vec![
                number & 3,
                77,
                number / 40,
                number % 5 * 1000,
                5,
                (number / 3) << 9,
                number / 5_000 * number.wrapping_mul(2_654_435_761),
            ]
        };
        let mut store = StateStore::masked_after(7, 50);
        let (mut scratch, mut masks) = (store.branches(), Vec::new());
        for number in 0..6_000 {
            loop {
                let base = scratch.clone();
                match store.insert(&base, &row(number), &mut scratch) {
                    Ok(found) => break assert_eq!(found, (number, true)),
                    Err(_) => store.grow(),
                }
                masks.extend(store.key_mask().map(BitMask::id));
            }
            if store.wants_to_grow() {
                store.grow();
                masks.extend(store.key_mask().map(BitMask::id));
            }
            store.read(number / 2, &mut scratch);
            assert_eq!((scratch.words(), store.find(&row(number / 2))), (&*row(number / 2), Some(number / 2)));
        }
        masks.dedup();
        assert!(masks.len() > 3 && store.key_mask().is_none(), "{} masks", masks.len());
        assert_eq!(store.find(&[1, 77, 0, 1000, 6, 0, 0]), None);
    }
}
