//! Tree compression (Blom, Lisser, van de Pol, Weber 2008; Laarman, van de Pol, Weber 2011): rows of words as trees of pairs.
//!
//! Neighbouring words make a pair, the numbers of neighbouring pairs make a pair, and so on; the last pair
//! is the state. A step changes few words, so [`Branches`] keeps the numbers of a row that was read, and for rows that
//! come of it only pairs above changed words are looked up.
//!
//! Rows may differ in length: a short row stands for the row filled up with zeros, and no row ends in a zero beyond
//! the least length. The pair of zeros has number 0, so zeros are number 0 on every level and cost nothing. A row
//! longer than all before it makes the store rebuild its trees when it grows; numbers of states stay.
//!
//! The words left and right of a split make a tree each, and the two meet in the last pair. At first the split lies behind
//! the words that every row has; `split` may move it once there are many states. Then, too, trees may become those of masked rows (`masking`).

mod branches;
mod rebuilding;

use std::sync::atomic::{AtomicUsize, Ordering};

use tertium_base::narrow::{high_half, low_half, to_u32};
use tertium_base::{Budget, StopReason, Stopped};

pub use self::branches::Branches;
use self::branches::split;
pub(super) use self::branches::{Pairing, find_changed, pair};
use crate::store::masking::Masking;
use crate::store::pairs::{Full, PairTable};

/// With fewer states the choice of a mask and a split is neither safe nor worth its time.
const ENOUGH: usize = 1 << 17;

/// The states seen, each with a dense number.
#[derive(Debug)]
pub struct StateStore {
    /// Every row has at least this many words.
    pub(super) least: usize,
    /// The longest row that did not fit, if that is longer than there is room for.
    wanted: AtomicUsize,
    /// The row whose cells are all 0: of zeros, or the least row of the mask. Its width is that of the trees.
    pub(super) origin: Branches,
    /// Which bits of rows are stored.
    pub(super) masking: Masking,
    /// The inner pairs of all rows; a number means the same wherever it stands.
    pub(super) inner: PairTable,
    roots: PairTable,
    /// Whether the split was chosen by looking at states.
    pub(super) split_is_chosen: bool,
    /// How many states are enough to choose by.
    pub(super) enough: usize,
    /// How often the trees were rebuilt; the numbers of inner pairs are others after that.
    layout: usize,
}

/// A table in which the pair of zeros has number 0.
fn inner_table() -> PairTable {
    let table = PairTable::new();
    let first = table.insert(0);
    debug_assert_eq!(first, Ok((0, true)));
    table
}

/// How long a row is, once zeros beyond the least length are left out.
#[inline]
#[must_use]
pub fn trimmed(row: &[u32], least: usize) -> usize {
    let mut len = row.len();
    while len > least && row[len - 1] == 0 {
        len -= 1;
    }
    len
}

impl StateStore {
    /// A store for rows of at least this many words; at least one.
    #[must_use]
    pub fn new(words: usize) -> Self {
        let least = words.max(1);
        Self {
            least,
            wanted: AtomicUsize::new(0),
            origin: Branches::zeros(least, 0, least),
            masking: Masking::default(),
            inner: inner_table(),
            roots: PairTable::new(),
            split_is_chosen: false,
            enough: ENOUGH,
            layout: 0,
        }
    }

    /// The same, where rows may be masked once there are so many: for tests, since the usual number is large.
    #[must_use]
    pub fn masked_after(words: usize, enough: usize) -> Self {
        Self { enough, ..Self::new(words) }
    }

    /// The same, where all bits of all rows are stored always, so that keys stay what they are unless rows become longer.
    #[must_use]
    pub fn unmasked(words: usize) -> Self {
        Self { masking: Masking::never(), ..Self::new(words) }
    }

    /// The same, where rows are masked as several stores agree (`agreed_mask`).
    #[must_use]
    pub fn masked_by_agreement(words: usize) -> Self {
        Self { masking: Masking::agreed(None), ..Self::new(words) }
    }

    /// How many states there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.roots.len()
    }

    /// Whether there is none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// How many words a row has at least.
    #[must_use]
    pub fn words(&self) -> usize {
        self.least
    }

    /// Bytes in use.
    #[must_use]
    pub fn bytes(&self) -> usize {
        self.inner.bytes() + self.roots.bytes()
    }

    /// Whether it should grow at the next opportunity.
    #[must_use]
    pub fn wants_to_grow(&self) -> bool {
        self.is_too_narrow()
            || self.masking.has_misfits()
            || self.may_choose_split()
            || self.inner.wants_to_grow()
            || self.roots.wants_to_grow()
    }

    /// Whether a row was met that is too long for its trees; growing changes the keys of all states then.
    #[must_use]
    pub fn is_too_narrow(&self) -> bool {
        self.wanted.load(Ordering::Relaxed) > self.width()
    }

    /// How many words a row may have.
    pub(super) fn width(&self) -> usize {
        self.origin.whole_row().len()
    }

    /// Bytes that growing now would take for a while.
    #[must_use]
    pub fn growth_bytes(&self) -> usize {
        if self.is_too_narrow() || self.masking.has_misfits() || self.may_choose_split() {
            return self.bytes() * 2;
        }
        let of = |table: &PairTable| if table.wants_to_grow() { table.growth_bytes() } else { 0 };
        of(&self.inner) + of(&self.roots)
    }

    /// Whether there is room to grow: of memory, and of numbers for states and their parts.
    ///
    /// # Errors
    /// `Stopped` if there is not.
    pub fn may_grow(&self, budget: &Budget) -> Result<(), Stopped> {
        if self.inner.is_exhausted() || self.roots.is_exhausted() {
            return Err(Stopped(StopReason::Memory));
        }
        budget.reserve(self.growth_bytes())
    }

    /// Makes room where it is short.
    pub fn grow(&mut self) {
        self.grow_with(1);
    }

    /// The same with so many threads, where that is worth it.
    pub fn grow_with(&mut self, threads: usize) {
        if self.is_too_narrow() {
            self.widen();
        }
        if self.masking.has_misfits() {
            self.mask_anew(threads);
        } else if self.may_choose_split() {
            self.choose_mask();
            self.choose_split(threads);
        }
        for table in [&mut self.inner, &mut self.roots] {
            if table.wants_to_grow() {
                table.grow(threads);
            }
        }
    }

    /// Room for one row.
    #[must_use]
    pub fn branches(&self) -> Branches {
        self.origin.clone()
    }

    /// The key of the state with this number: what its row is made of, by numbers of inner pairs.
    #[must_use]
    pub fn key(&self, number: u32) -> u64 {
        self.roots.key(number)
    }

    /// Forgets which states there are and keeps what rows are made of, so that keys stay what they are.
    pub fn forget_states(&mut self) {
        self.roots = PairTable::new();
        self.split_is_chosen = true;
    }

    /// Reads the row with this number.
    pub fn read(&self, number: u32, into: &mut Branches) {
        self.read_key(self.roots.key(number), into);
    }

    /// Reads the row with this key.
    pub fn read_key(&self, root: u64, into: &mut Branches) {
        if !into.is_like(&self.origin) {
            *into = self.branches();
        }
        let top = into.top();
        into.cells[top.start] = high_half(root);
        if top.len() > 1 {
            into.cells[top.start + 1] = low_half(root);
        }
        for level in (0..into.starts.len() - 2).rev() {
            let pairing = into.pairing(level);
            let (from, middle, to) = (into.starts[level], into.starts[level + 1], into.starts[level + 2]);
            let (below, above) = into.cells[from..to].split_at_mut(middle - from);
            split(&self.inner, pairing, above, below);
        }
        if let Some(mask) = self.masking.mask() {
            mask.unmask(&into.cells[..into.starts[1]], &mut into.row);
        }
        into.len = trimmed(into.whole_row(), self.least);
    }

    /// Inserts a row that differs from `base` in the words where `words` does; `base` is read from or inserted in
    /// this store, `scratch` only lends room. Returns its number and whether it is new.
    ///
    /// # Errors
    /// `Full` if the store must grow first; inserting again after that is fine.
    #[inline]
    pub fn insert(&self, base: &Branches, words: &[u32], scratch: &mut Branches) -> Result<(u32, bool), Full> {
        self.enter(self.root(base, words, scratch)?)
    }

    /// The first half of [`Self::insert`]: the key of the row, whose inner pairs are all inserted.
    ///
    /// # Errors
    /// `Full` if the store must grow first.
    #[inline]
    pub fn root(&self, base: &Branches, words: &[u32], scratch: &mut Branches) -> Result<u64, Full> {
        self.must_fit(words.len())?;
        // Branches from before the store was rebuilt are of no use.
        let base = if base.is_like(&self.origin) { base } else { &self.origin };
        let Branches { changed, masked, .. } = scratch;
        find_changed(base.whole_row(), words, changed);
        if self.masking.mask().is_some() {
            masked.clear();
            self.mask_changes(base, changed, masked)?;
            std::mem::swap(changed, masked);
        }
        for level in 0..base.starts.len() - 2 {
            self.join(base.pairing(level), base.level(level), changed)?;
        }
        Ok(base.root_with(changed))
    }

    #[inline]
    pub(super) fn must_fit(&self, words: usize) -> Result<(), Full> {
        if words <= self.width() {
            return Ok(());
        }
        self.wanted.fetch_max(words, Ordering::Relaxed);
        Err(Full)
    }

    /// How many levels of pairs there are below the last.
    pub(super) fn levels(&self) -> usize {
        self.origin.starts.len() - 2
    }

    pub(super) fn inner_pairs(&self) -> &PairTable {
        &self.inner
    }

    pub(super) fn roots(&self) -> &PairTable {
        &self.roots
    }

    pub(super) fn layout(&self) -> usize {
        self.layout
    }

    /// The second half of [`Self::insert`]: the number of the state with this key, and whether it is new.
    ///
    /// # Errors
    /// `Full` if the store must grow first.
    #[inline]
    pub fn enter(&self, key: u64) -> Result<(u32, bool), Full> {
        self.roots.insert(key)
    }

    /// Goes from the changed cells of one level to the changed cells of the next: their positions and new values, in
    /// order. Where nothing changed the numbers are those of the base.
    #[inline]
    fn join(&self, pairing: Pairing, base: &[u32], changed: &mut Vec<(u32, u32)>) -> Result<(), Full> {
        let (mut from, mut to) = (0, 0);
        while from < changed.len() {
            let (at, value) = (changed[from].0 as usize, changed[from].1);
            from += 1;
            let number = if pairing.is_second(at) {
                self.inner.insert(pair(base[at - 1], value))?.0
            } else if pairing.is_alone(at) {
                value
            } else if let Some(&(_, right)) = changed.get(from).filter(|(next, _)| *next as usize == at + 1) {
                from += 1;
                self.inner.insert(pair(value, right))?.0
            } else {
                self.inner.insert(pair(value, base[at + 1]))?.0
            };
            changed[to] = (to_u32(pairing.above(at)), number);
            to += 1;
        }
        changed.truncate(to);
        Ok(())
    }

    /// Inserts a row without a base.
    ///
    /// # Errors
    /// `Full` if the store must grow first.
    pub fn insert_afresh(&self, words: &[u32], scratch: &mut Branches) -> Result<(u32, bool), Full> {
        self.insert(&self.origin, words, scratch)
    }

    /// The number of a row, if it has been seen.
    #[must_use]
    pub fn find(&self, words: &[u32]) -> Option<u32> {
        if words.len() > self.width() {
            return None;
        }
        let mut level = self.masking.mask().map_or_else(|| Some(words.to_vec()), |mask| mask.masked_row(words))?;
        level.resize(self.origin.width(), 0);
        for height in 0..self.levels() {
            let pairing = self.origin.pairing(height);
            let firsts = (0..level.len()).filter(|&at| !pairing.is_second(at));
            let number = |at: usize| match pairing.is_alone(at) {
                true => Some(level[at]),
                false => self.inner.find(pair(level[at], level[at + 1])),
            };
            level = firsts.map(number).collect::<Option<_>>()?;
        }
        self.roots.find(pair(*level.first()?, level.get(1).copied().unwrap_or(0)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_store_without_numbers_left_stops() {
        let mut store = StateStore::new(2);
        store.roots = PairTable::with_most(500);
        let (mut scratch, budget) = (store.branches(), Budget::unlimited());
        let mut entered = 0;
        let stopped = loop {
            match store.insert_afresh(&[entered, 1], &mut scratch) {
                Ok((number, true)) => assert_eq!(number, entered),
                Ok(found) => panic!("{found:?} was there before"),
                Err(Full) => match store.may_grow(&budget) {
                    Ok(()) => {
                        store.grow();
                        continue;
                    }
                    Err(stopped) => break stopped,
                },
            }
            entered += 1;
        };
        assert_eq!((stopped, entered), (Stopped(StopReason::Memory), 500));
    }

    fn insert(store: &mut StateStore, base: &Branches, words: &[u32], scratch: &mut Branches) -> (u32, bool) {
        loop {
            match store.insert(base, words, scratch) {
                Ok(found) => return found,
                Err(Full) => store.grow(),
            }
        }
    }

    #[test]
    fn rows_of_every_length_come_back() {
        for width in 1..=11 {
            let mut store = StateStore::new(width);
            let mut scratch = store.branches();
            let first: Vec<u32> = (0..to_u32(width)).collect();
            store.insert_afresh(&first, &mut scratch).expect("an empty store has room");
            let mut base = scratch.clone();
            let mut rows = vec![first];
            for round in 0..5000_u32 {
                let mut row = rows[(round as usize * 31) % rows.len()].clone();
                let number = store.find(&row).expect("inserted before");
                store.read(number, &mut base);
                assert_eq!(base.words(), row);
                row[round as usize % width] = round / 3;
                let known = rows.iter().position(|known| *known == row);
                let (number, new) = insert(&mut store, &base, &row, &mut scratch);
                assert_eq!(new, known.is_none());
                if let Some(known) = known {
                    assert_eq!(number as usize, known);
                } else {
                    assert_eq!(number as usize, rows.len());
                    rows.push(row);
                }
            }
            for (number, row) in rows.iter().enumerate() {
                store.read(to_u32(number), &mut base);
                assert_eq!(base.words(), row);
            }
        }
    }

    #[test]
    fn rows_of_many_lengths_keep_their_numbers() {
        let mut store = StateStore::new(2);
        let mut scratch = store.branches();
        let base = store.branches();
        let mut rows: Vec<Vec<u32>> = Vec::new();
        for round in 0..3000_u32 {
            let mut row: Vec<u32> = (0..2 + round % 37).map(|at| (round / 37) * (at % 3)).collect();
            row.truncate(trimmed(&row, 2));
            let known = rows.iter().position(|known| *known == row);
            let (number, new) = insert(&mut store, &base, &row, &mut scratch);
            assert_eq!((number as usize, new), (known.unwrap_or(rows.len()), known.is_none()));
            assert_eq!(store.find(&row), Some(number));
            if new {
                rows.push(row);
            }
        }
        for (number, row) in rows.iter().enumerate() {
            store.read(to_u32(number), &mut scratch);
            assert_eq!(scratch.words(), row);
        }
    }
}
