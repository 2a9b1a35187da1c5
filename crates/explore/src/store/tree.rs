//! Rows of words as trees of pairs.
//!
//! Neighbouring words make a pair, the numbers of neighbouring pairs make a pair, and so on; the last pair
//! is the state. A step changes few words, so [`Branches`] keeps the numbers of the row last inserted or read
//! and only pairs above changed words are looked up again.

use super::pairs::{Full, PairTable};

/// The states seen, each with a dense number.
#[derive(Debug)]
pub struct StateStore {
    words: usize,
    /// The inner pairs of all rows; a number means the same wherever it stands.
    inner: PairTable,
    roots: PairTable,
}

/// One row and the numbers of its inner pairs, level by level from the words up.
#[derive(Clone, Debug)]
pub struct Branches {
    levels: Vec<Vec<u32>>,
}

impl Branches {
    /// The words of the row.
    #[must_use]
    pub fn words(&self) -> &[u32] {
        &self.levels[0]
    }
}

#[inline]
fn pair(left: u32, right: u32) -> u64 {
    u64::from(left) << 32 | u64::from(right)
}

impl StateStore {
    /// A store for rows of this many words; at least one.
    #[must_use]
    pub fn new(words: usize) -> Self {
        Self { words: words.max(1), inner: PairTable::new(), roots: PairTable::new() }
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

    /// How many words a row has.
    #[must_use]
    pub fn words(&self) -> usize {
        self.words
    }

    /// Bytes in use.
    #[must_use]
    pub fn bytes(&self) -> usize {
        self.inner.bytes() + self.roots.bytes()
    }

    /// Whether it should grow at the next opportunity.
    #[must_use]
    pub fn wants_to_grow(&self) -> bool {
        self.inner.wants_to_grow() || self.roots.wants_to_grow()
    }

    /// Bytes that growing now would take for a while.
    #[must_use]
    pub fn growth_bytes(&self) -> usize {
        let of = |table: &PairTable| if table.wants_to_grow() { table.growth_bytes() } else { 0 };
        of(&self.inner) + of(&self.roots)
    }

    /// Makes room where it is short.
    pub fn grow(&mut self) {
        for table in [&mut self.inner, &mut self.roots] {
            if table.wants_to_grow() {
                table.grow();
            }
        }
    }

    /// Room for one row.
    #[must_use]
    pub fn branches(&self) -> Branches {
        let mut levels = vec![vec![0; self.words]];
        let mut width = self.words;
        while width > 2 {
            width = width.div_ceil(2);
            levels.push(vec![0; width]);
        }
        Branches { levels }
    }

    /// Reads the row with this number.
    pub fn read(&self, number: u32, into: &mut Branches) {
        let top = into.levels.len() - 1;
        let root = self.roots.key(number);
        into.levels[top][0] = (root >> 32) as u32;
        if into.levels[top].len() > 1 {
            into.levels[top][1] = root as u32;
        }
        for level in (0..top).rev() {
            let (below, above) = into.levels.split_at_mut(level + 1);
            split(&self.inner, &above[0], &mut below[level]);
        }
    }

    /// Inserts a row that differs from `base` in the words where `words` does; `base` is read from or inserted in
    /// this store, `scratch` is overwritten. Returns its number and whether it is new.
    ///
    /// # Errors
    /// `Full` if the store must grow first; inserting again after that is fine.
    #[inline]
    pub fn insert(&self, base: &Branches, words: &[u32], scratch: &mut Branches) -> Result<(u32, bool), Full> {
        let top = base.levels.len() - 1;
        scratch.levels[0].copy_from_slice(words);
        for level in 0..top {
            let (below, above) = scratch.levels.split_at_mut(level + 1);
            self.join(&below[level], &base.levels[level], &mut above[0], &base.levels[level + 1])?;
        }
        let last = &scratch.levels[top];
        self.roots.insert(pair(last[0], last.get(1).copied().unwrap_or(0)))
    }

    /// Numbers the pairs of one level; where nothing changed the number is the old one.
    #[inline]
    fn join(&self, below: &[u32], old_below: &[u32], above: &mut [u32], old_above: &[u32]) -> Result<(), Full> {
        for (at, number) in above.iter_mut().enumerate() {
            let range = 2 * at..(2 * at + 2).min(below.len());
            let (now, before) = (&below[range.clone()], &old_below[range]);
            *number = match *now {
                [_, _] if now == before => old_above[at],
                [left, right] => self.inner.insert(pair(left, right))?.0,
                [single] => single,
                _ => 0,
            };
        }
        Ok(())
    }

    /// Inserts a row without a base.
    ///
    /// # Errors
    /// `Full` if the store must grow first.
    pub fn insert_afresh(&self, words: &[u32], scratch: &mut Branches) -> Result<(u32, bool), Full> {
        let mut base = self.branches();
        // The pair of zeros is a real pair, so a base of zeros must be entered before it can be relied on.
        for level in 0..base.levels.len() - 1 {
            let (below, above) = base.levels.split_at_mut(level + 1);
            for (at, number) in above[0].iter_mut().enumerate() {
                let below = &below[level];
                *number = match below.get(2 * at + 1) {
                    Some(&right) => self.inner.insert(pair(below[2 * at], right))?.0,
                    None => below[2 * at],
                };
            }
        }
        self.insert(&base, words, scratch)
    }

    /// The number of a row, if it has been seen.
    #[must_use]
    pub fn find(&self, words: &[u32]) -> Option<u32> {
        let mut level = words.to_vec();
        while level.len() > 2 {
            level = level
                .chunks(2)
                .map(|chunk| match *chunk {
                    [left, right] => self.inner.find(pair(left, right)),
                    _ => chunk.first().copied(),
                })
                .collect::<Option<_>>()?;
        }
        self.roots.find(pair(*level.first()?, level.get(1).copied().unwrap_or(0)))
    }
}

/// The inverse of joining one level.
fn split(inner: &PairTable, above: &[u32], below: &mut [u32]) {
    for (at, &number) in above.iter().enumerate() {
        if 2 * at + 1 < below.len() {
            let key = inner.key(number);
            below[2 * at] = (key >> 32) as u32;
            below[2 * at + 1] = key as u32;
        } else {
            below[2 * at] = number;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

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
            let first: Vec<u32> = (0..width as u32).collect();
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
                store.read(number as u32, &mut base);
                assert_eq!(base.words(), row);
            }
        }
    }
}
