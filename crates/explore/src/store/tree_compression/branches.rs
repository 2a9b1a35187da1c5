//! The numbers of one row on all levels of its tree, and which pairs lie above which words.

use tertium_base::narrow::{high_half, low_half, to_u32};

use crate::store::BitMask;
use crate::store::pairs::PairTable;

/// One row and the numbers of its inner pairs, level by level from the words up.
#[derive(Clone, Debug)]
pub struct Branches {
    /// The row, if the words that are stored are those of its masked row.
    pub(super) row: Vec<u32>,
    /// The words that are stored, then the numbers of the pairs of each level.
    pub(super) cells: Vec<u32>,
    /// Where the levels begin, and where the last one ends.
    pub(super) starts: Vec<usize>,
    /// How many cells of each level lie left of the split.
    pub(super) splits: Vec<usize>,
    pub(super) len: usize,
    /// The layout of the store that it is of.
    pub(super) layout: usize,
    /// Room for what differs from another row.
    pub(super) changed: Vec<(u32, u32)>,
    /// Room for how a masked row differs.
    pub(super) masked: Vec<(u32, u32)>,
}

impl Branches {
    /// The row of zeros, of this width.
    pub(in crate::store) fn zeros(width: usize, split: usize, len: usize) -> Self {
        let (mut left, mut right) = (split.min(width), width - split.min(width));
        let (mut starts, mut splits, mut end) = (vec![0, width], vec![left], width);
        while left + right > 2 {
            (left, right) = (left.div_ceil(2), right.div_ceil(2));
            end += left + right;
            starts.push(end);
            splits.push(left);
        }
        let cells = vec![0; end];
        Self { row: Vec::new(), cells, starts, splits, len, layout: 0, changed: Vec::new(), masked: Vec::new() }
    }

    /// The row whose masked row is zeros.
    pub(in crate::store) fn masked(mask: &BitMask, split: usize, len: usize) -> Self {
        Self { row: mask.least_row(), ..Self::zeros(mask.masked_words(), split, len) }
    }

    /// Whether rows of the other are laid out in the same way.
    #[inline]
    pub(super) fn is_like(&self, other: &Self) -> bool {
        self.layout == other.layout
    }

    /// How many words lie left of the split.
    pub(in crate::store) fn split(&self) -> usize {
        self.splits[0]
    }

    /// How the cells of a level pair up.
    #[inline]
    pub(in crate::store) fn pairing(&self, level: usize) -> Pairing {
        Pairing { split: self.splits[level], len: self.starts[level + 1] - self.starts[level] }
    }

    /// The words of the row.
    #[inline]
    #[must_use]
    pub fn words(&self) -> &[u32] {
        &self.whole_row()[..self.len]
    }

    /// The words of the row, filled up with zeros.
    #[inline]
    pub(in crate::store) fn whole_row(&self) -> &[u32] {
        if self.row.is_empty() { &self.cells[..self.starts[1]] } else { &self.row }
    }

    /// How many words are stored of a row.
    #[inline]
    pub(in crate::store) fn width(&self) -> usize {
        self.starts[1]
    }

    #[inline]
    pub(in crate::store) fn level(&self, level: usize) -> &[u32] {
        &self.cells[self.starts[level]..self.starts[level + 1]]
    }

    /// The last level: the one or two numbers that make the state.
    #[inline]
    pub(super) fn top(&self) -> std::ops::Range<usize> {
        self.starts[self.starts.len() - 2]..self.starts[self.starts.len() - 1]
    }

    /// The key of the state in which these of the last numbers are others.
    #[inline]
    pub(in crate::store) fn root_with(&self, changed: &[(u32, u32)]) -> u64 {
        let top = &self.cells[self.top()];
        let mut last = [top[0], top.get(1).copied().unwrap_or(0)];
        changed.iter().for_each(|&(at, number)| last[at as usize] = number);
        pair(last[0], last[1])
    }
}

/// How the cells of one level make those of the next.
#[derive(Clone, Copy, Debug)]
pub(in crate::store) struct Pairing {
    split: usize,
    len: usize,
}

impl Pairing {
    /// The position on this level, were there a cell more where the left side has no partner for its last one.
    #[inline]
    fn evened(self, at: usize) -> usize {
        if at < self.split { at } else { at + self.split % 2 }
    }

    /// The position of the pair that a cell belongs to.
    #[inline]
    pub fn above(self, at: usize) -> usize {
        self.evened(at) / 2
    }

    /// Whether the cell is the second of its pair.
    #[inline]
    pub fn is_second(self, at: usize) -> bool {
        self.evened(at) % 2 == 1
    }

    /// Whether the cell, which is no second one, has nothing to be paired with.
    #[inline]
    pub fn is_alone(self, at: usize) -> bool {
        at + 1 == self.split || at + 1 == self.len
    }
}

/// The positions where `words`, filled up with zeros, differs from `base`, and what stands there.
#[inline]
pub(in crate::store) fn find_changed(base: &[u32], words: &[u32], changed: &mut Vec<(u32, u32)>) {
    changed.clear();
    let ((old_blocks, old_rest), (blocks, rest)) = (base.as_chunks::<8>(), words.as_chunks::<8>());
    let mut start = 0;
    let mut compare = |start: usize, old: &[u32], new: &[u32]| {
        for (at, (&old, &new)) in old.iter().zip(new).enumerate() {
            if old != new {
                changed.push((to_u32(start + at), new));
            }
        }
    };
    for (old, new) in old_blocks.iter().zip(blocks) {
        if old != new {
            compare(start, old, new);
        }
        start += 8;
    }
    let old = old_blocks.get(start / 8).map_or(old_rest, |block| block.as_slice());
    compare(start, old, rest);
    for (at, &old) in base.iter().enumerate().skip(words.len()) {
        if old != 0 {
            changed.push((to_u32(at), 0));
        }
    }
}

#[inline]
pub(in crate::store) fn pair(left: u32, right: u32) -> u64 {
    u64::from(left) << 32 | u64::from(right)
}

/// The inverse of joining one level.
pub(super) fn split(inner: &PairTable, pairing: Pairing, above: &[u32], below: &mut [u32]) {
    let mut at = 0;
    for &number in above {
        if pairing.is_alone(at) {
            below[at] = number;
            at += 1;
        } else {
            let key = inner.key(number);
            below[at] = high_half(key);
            below[at + 1] = low_half(key);
            at += 2;
        }
    }
}
