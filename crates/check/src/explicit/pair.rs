//! The two state sets of a sub-formula, interleaved, and the connectives on them.
//!
//! A state has two neighbouring bits: evidence for true (high) and not refuted (low). Edges carry their
//! kind the same way round (must high, may low), so that one mask says what a step passes on for both
//! sets at once, and a three-valued walk has no more branches than a two-valued one.

use tertium_base::BitSet;
use tertium_base::narrow::low_half;
use tertium_lattice::Belnap;
use tertium_model::{Kmts, PropId};

use crate::Values;

/// The bit for evidence for true, and for certain edges.
pub(super) const SURE: u32 = 2;
/// The bit for not refuted, and for possible edges.
pub(super) const POSSIBLE: u32 = 1;

const HIGH: u64 = 0xAAAA_AAAA_AAAA_AAAA;
const LOW: u64 = 0x5555_5555_5555_5555;

/// Two bits a state, 32 states a word; bits beyond the last state are zero.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Pair {
    words: Vec<u64>,
    states: usize,
}

impl Pair {
    pub fn full(states: usize) -> Self {
        let mut pair = Self { words: vec![u64::MAX; states.div_ceil(32)], states };
        pair.clear_tail();
        pair
    }

    pub fn empty(states: usize) -> Self {
        Self { words: vec![0; states.div_ceil(32)], states }
    }

    pub fn constant(states: usize, value: Belnap) -> Self {
        let high = if value.for_true() { HIGH } else { 0 };
        let low = if value.not_refuted() { LOW } else { 0 };
        let mut pair = Self { words: vec![high | low; states.div_ceil(32)], states };
        pair.clear_tail();
        pair
    }

    pub fn label(model: &Kmts, prop: PropId) -> Self {
        let (for_true, not_refuted) = model.label_sets(prop);
        let half = |word: u64, at: usize| spread(low_half(word >> (32 * (at & 1))));
        let words = (0..model.state_count().div_ceil(32))
            .map(|at| half(for_true.words()[at / 2], at) << 1 | half(not_refuted.words()[at / 2], at))
            .collect();
        Self { words, states: model.state_count() }
    }

    pub fn into_values(self) -> Values {
        Values {
            for_true: BitSet::from_fn(self.states, |state| self.get(state) & SURE != 0),
            not_refuted: BitSet::from_fn(self.states, |state| self.get(state) & POSSIBLE != 0),
        }
    }

    fn clear_tail(&mut self) {
        let used = self.states % 32;
        if used != 0
            && let Some(last) = self.words.last_mut()
        {
            *last &= (1 << (2 * used)) - 1;
        }
    }

    /// A state's two bits.
    #[inline]
    pub fn get(&self, state: usize) -> u32 {
        low_half(self.words[state >> 5] >> ((state & 31) * 2)) & 3
    }

    /// How many words of 32 states there are.
    pub fn word_count(&self) -> usize {
        self.words.len()
    }

    /// The states of one word that have this bit when this is called.
    #[inline]
    pub fn states_with(&self, bit: u32, word: usize) -> impl Iterator<Item = usize> + use<> {
        states_of(self.words[word], bit, word)
    }

    /// The states of one word that have this bit here and not in `other`, as both are when this is called.
    #[inline]
    pub fn states_only_here(&self, other: &Self, bit: u32, word: usize) -> impl Iterator<Item = usize> + use<> {
        states_of(self.words[word] & !other.words[word], bit, word)
    }

    /// Sets bits of a state.
    #[inline]
    pub fn set(&mut self, state: usize, bits: u32) {
        self.words[state >> 5] |= u64::from(bits) << ((state & 31) * 2);
    }

    /// Clears bits of a state.
    #[inline]
    pub fn clear(&mut self, state: usize, bits: u32) {
        self.words[state >> 5] &= !(u64::from(bits) << ((state & 31) * 2));
    }

    /// Evidence for false becomes evidence for true.
    pub fn not(mut self) -> Self {
        for word in &mut self.words {
            *word = !((*word & HIGH) >> 1 | (*word & LOW) << 1);
        }
        self.clear_tail();
        self
    }

    /// The bits that are not set, each by itself.
    pub fn complement(mut self) -> Self {
        for word in &mut self.words {
            *word = !*word;
        }
        self.clear_tail();
        self
    }

    pub fn and(mut self, other: &Self) -> Self {
        for (mine, theirs) in self.words.iter_mut().zip(&other.words) {
            *mine &= theirs;
        }
        self
    }

    pub fn or(mut self, other: &Self) -> Self {
        for (mine, theirs) in self.words.iter_mut().zip(&other.words) {
            *mine |= theirs;
        }
        self
    }
}

/// The states with this bit, if these are the bits of word number `word`.
#[inline]
fn states_of(bits: u64, bit: u32, word: usize) -> impl Iterator<Item = usize> {
    let mut states = bits >> (bit - 1) & LOW;
    std::iter::from_fn(move || {
        let state = (states != 0).then(|| word * 32 + states.trailing_zeros() as usize / 2);
        states &= states.wrapping_sub(1);
        state
    })
}

/// Puts a zero bit above each of 32 bits.
fn spread(bits: u32) -> u64 {
    let mut word = u64::from(bits);
    for (shift, mask) in [
        (16, 0x0000_FFFF_0000_FFFF),
        (8, 0x00FF_00FF_00FF_00FF),
        (4, 0x0F0F_0F0F_0F0F_0F0F),
        (2, 0x3333_3333_3333_3333),
        (1, LOW),
    ] {
        word = (word | word << shift) & mask;
    }
    word
}
