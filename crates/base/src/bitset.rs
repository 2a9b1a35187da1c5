//! Sets of small indices as machine words: what engines store one of per sub-formula.

/// A set of indices below a fixed length.
///
/// Bits at and beyond `len` are always zero, so that equality and counting work word by word.
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct BitSet {
    words: Vec<u64>,
    len: usize,
}

impl BitSet {
    /// The empty set of indices below `len`.
    #[must_use]
    pub fn empty(len: usize) -> Self {
        Self { words: vec![0; len.div_ceil(64)], len }
    }

    /// All indices below `len`.
    #[must_use]
    pub fn full(len: usize) -> Self {
        let mut set = Self { words: vec![u64::MAX; len.div_ceil(64)], len };
        set.clear_tail();
        set
    }

    /// The indices for which `member` says yes.
    #[must_use]
    pub fn from_fn(len: usize, mut member: impl FnMut(usize) -> bool) -> Self {
        let mut set = Self::empty(len);
        for index in 0..len {
            if member(index) {
                set.insert(index);
            }
        }
        set
    }

    fn clear_tail(&mut self) {
        let used = self.len % 64;
        if used != 0
            && let Some(last) = self.words.last_mut()
        {
            *last &= (1u64 << used) - 1;
        }
    }

    /// How many indices the set ranges over (not how many it holds).
    #[must_use]
    pub fn len(&self) -> usize {
        self.len
    }

    /// Whether no index is in the set.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.words.iter().all(|&word| word == 0)
    }

    /// How many indices are in the set.
    #[must_use]
    pub fn count(&self) -> usize {
        self.words.iter().map(|word| word.count_ones() as usize).sum()
    }

    /// Whether `index` is in the set.
    #[inline]
    #[must_use]
    pub fn contains(&self, index: usize) -> bool {
        self.words[index >> 6] >> (index & 63) & 1 != 0
    }

    /// Adds `index`; says whether it is new.
    #[inline]
    pub fn insert(&mut self, index: usize) -> bool {
        debug_assert!(index < self.len);
        let word = &mut self.words[index >> 6];
        let bit = 1u64 << (index & 63);
        let new = *word & bit == 0;
        *word |= bit;
        new
    }

    /// Removes `index`; says whether it was there.
    #[inline]
    pub fn remove(&mut self, index: usize) -> bool {
        let word = &mut self.words[index >> 6];
        let bit = 1u64 << (index & 63);
        let there = *word & bit != 0;
        *word &= !bit;
        there
    }

    /// Keeps what is in both.
    pub fn intersect_with(&mut self, other: &Self) {
        debug_assert_eq!(self.len, other.len);
        for (mine, theirs) in self.words.iter_mut().zip(&other.words) {
            *mine &= theirs;
        }
    }

    /// Adds everything in `other`.
    pub fn union_with(&mut self, other: &Self) {
        debug_assert_eq!(self.len, other.len);
        for (mine, theirs) in self.words.iter_mut().zip(&other.words) {
            *mine |= theirs;
        }
    }

    /// Turns the set into its complement.
    pub fn complement(&mut self) {
        for word in &mut self.words {
            *word = !*word;
        }
        self.clear_tail();
    }

    /// Whether everything in this set is in `other`.
    #[must_use]
    pub fn is_subset(&self, other: &Self) -> bool {
        self.words.iter().zip(&other.words).all(|(mine, theirs)| mine & !theirs == 0)
    }

    /// Whether something is in both.
    #[must_use]
    pub fn meets(&self, other: &Self) -> bool {
        self.words.iter().zip(&other.words).any(|(mine, theirs)| mine & theirs != 0)
    }

    /// The first member that is at least `from`.
    #[inline]
    #[must_use]
    pub fn first_from(&self, from: usize) -> Option<usize> {
        let mut at = from >> 6;
        let mut word = *self.words.get(at)? & (u64::MAX << (from & 63));
        while word == 0 {
            at += 1;
            word = *self.words.get(at)?;
        }
        Some(at * 64 + word.trailing_zeros() as usize)
    }

    /// The members, ascending.
    pub fn iter(&self) -> impl Iterator<Item = usize> + '_ {
        self.words.iter().enumerate().flat_map(|(at, &word)| {
            let mut rest = word;
            std::iter::from_fn(move || {
                if rest == 0 {
                    return None;
                }
                let bit = rest.trailing_zeros() as usize;
                rest &= rest - 1;
                Some(at * 64 + bit)
            })
        })
    }

    /// The words behind the set, for loops that work on 64 indices at a time.
    #[must_use]
    pub fn words(&self) -> &[u64] {
        &self.words
    }
}

impl std::fmt::Debug for BitSet {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_set().entries(self.iter()).finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn complement_stays_inside_its_length() {
        for len in [0, 1, 63, 64, 65, 130] {
            let mut set = BitSet::empty(len);
            set.complement();
            assert_eq!(set, BitSet::full(len));
            assert_eq!(set.count(), len);
        }
    }

    #[test]
    fn finds_the_next_member() {
        let set = BitSet::from_fn(300, |i| i == 5 || i == 64 || i == 299);
        assert_eq!(
            [0, 6, 64, 65, 300].map(|from| set.first_from(from)),
            [Some(5), Some(64), Some(64), Some(299), None]
        );
    }

    #[test]
    fn iterates_in_order() {
        let set = BitSet::from_fn(200, |i| i % 7 == 3);
        assert_eq!(set.iter().collect::<Vec<_>>(), (0..200).filter(|i| i % 7 == 3).collect::<Vec<_>>());
    }
}
