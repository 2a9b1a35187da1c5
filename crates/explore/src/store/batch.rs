//! The keys of many rows at once.
//!
//! The numbers of a row's pairs are found level by level, and each may have to come from memory. For many rows the
//! numbers of one level do not depend on each other, so memory is asked for all of them at once.

use super::pairs::Full;
use super::tree::{Branches, StateStore, find_changed, pair};

/// Tables of at most so many bytes lie near the processor: looking ahead takes longer than waiting.
const NEAR: usize = 1 << 20;

/// Rows on their way into a store.
#[derive(Clone, Debug, Default)]
pub struct Batch {
    /// What differs from the row's base on the level at hand: position and number, row after row.
    changed: Vec<(u32, u32)>,
    /// For each row its base, and where its changes end.
    rows: Vec<(u32, u32)>,
    /// The changes of the next level while they are found.
    above: Vec<(u32, u32)>,
    /// Pairs to be looked up, and which of `above` get their numbers.
    wanted: Vec<u32>,
    pairs: Vec<u64>,
    room: Vec<(u32, u32)>,
    /// The keys of the rows, once they are found.
    pub keys: Vec<u64>,
}

impl Batch {
    /// Forgets all rows.
    pub fn clear(&mut self) {
        self.changed.clear();
        self.rows.clear();
        self.keys.clear();
    }
}

impl StateStore {
    /// Adds a row that comes of the state in `bases[base]`, which will be given to [`Self::find_keys`].
    ///
    /// # Errors
    /// `Full` if the store must grow first.
    #[inline]
    pub fn add_to_batch(&self, base: &Branches, at: usize, words: &[u32], batch: &mut Batch) -> Result<(), Full> {
        self.must_fit(words)?;
        find_changed(base.all_words(), words, &mut batch.room);
        batch.changed.append(&mut batch.room);
        batch.rows.push((at as u32, batch.changed.len() as u32));
        Ok(())
    }

    /// Finds the keys of all rows of a batch; inner pairs are inserted where they are new.
    ///
    /// # Errors
    /// `Full` if the store must grow first; the batch is of no use then.
    pub fn find_keys(&self, bases: &[Branches], batch: &mut Batch) -> Result<(), Full> {
        for level in 0..self.levels() {
            self.pair_up(bases, level, batch);
            if self.inner_pairs().bytes() > NEAR {
                std::hint::black_box(self.inner_pairs().look_ahead(&batch.pairs));
            }
            for (&at, &key) in batch.wanted.iter().zip(&batch.pairs) {
                batch.above[at as usize].1 = self.inner_pairs().insert(key)?.0;
            }
            std::mem::swap(&mut batch.changed, &mut batch.above);
        }
        let mut from = 0;
        for &(base, to) in &batch.rows {
            batch.keys.push(bases[base as usize].root_with(&batch.changed[from..to as usize]));
            from = to as usize;
        }
        Ok(())
    }

    /// Goes from the changes of one level to those of the next, whose numbers are still to be looked up.
    fn pair_up(&self, bases: &[Branches], level: usize, batch: &mut Batch) {
        let Batch { changed, rows, above, wanted, pairs, .. } = batch;
        above.clear();
        wanted.clear();
        pairs.clear();
        let mut from = 0;
        for (base, end) in rows {
            let (cells, pairing) = (bases[*base as usize].level(level), bases[*base as usize].pairing(level));
            let to = *end as usize;
            while from < to {
                let (at, value) = (changed[from].0 as usize, changed[from].1);
                from += 1;
                let key = if pairing.is_second(at) {
                    Some(pair(cells[at - 1], value))
                } else if pairing.is_alone(at) {
                    None
                } else if from < to && changed[from].0 as usize == at + 1 {
                    from += 1;
                    Some(pair(value, changed[from - 1].1))
                } else {
                    Some(pair(value, cells[at + 1]))
                };
                if let Some(key) = key {
                    wanted.push(above.len() as u32);
                    pairs.push(key);
                }
                above.push((pairing.above(at) as u32, value));
            }
            *end = above.len() as u32;
        }
    }
}
