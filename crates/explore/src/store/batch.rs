//! The keys of many rows at once.
//!
//! The numbers of a row's pairs are found level by level, and each may have to come from memory. For many rows the
//! numbers of one level do not depend on each other, so memory is asked for all of them at once. Many rows are met again
//! soon, by another order of the same steps; a small table of keys that were entered lately spares asking for those.

use tertium_base::narrow::{below, to_u32};

use super::pairs::{Claims, Full, mix};
use super::tree_compression::{Branches, StateStore, pair};
use crate::successors::Expansion;

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
    /// Pairs to be looked up in the store with their hashes, and which of `above` get their numbers.
    wanted: Vec<(u32, u64, u64)>,
    /// Inner pairs that were looked up lately and their numbers, by some bits of their hashes.
    known: Vec<(u64, u32)>,
    /// The keys of the rows, once they are found.
    pub(crate) keys: Vec<u64>,
    /// Those that were not entered lately: which of `keys`, and its hash.
    open: Vec<(u32, u64)>,
    claims: Claims,
    /// The rows that were new, once they are entered.
    pub fresh: Vec<u32>,
    /// Keys that were entered lately, by some bits of their hashes; every place holds some key of the store.
    recent: Vec<u64>,
    /// The layout of the store that those keys are of.
    layout: usize,
}

/// How many keys are remembered: few enough to lie near the processor.
const RECENT: usize = 1 << 15;
/// How many inner pairs are remembered. What other threads enter takes the store's own table out of a processor's reach again and again.
const KNOWN: usize = 1 << 13;

impl Batch {
    /// How many rows there are.
    pub(crate) fn len(&self) -> usize {
        self.rows.len()
    }
}

impl StateStore {
    /// Forgets the rows of a batch. The store must not be empty.
    pub fn begin_batch(&self, batch: &mut Batch) {
        batch.changed.clear();
        batch.rows.clear();
        batch.keys.clear();
        if batch.recent.is_empty() || batch.layout != self.layout() {
            batch.recent.clear();
            batch.recent.resize(RECENT, self.roots().key(0));
            batch.known.clear();
            // The pair of zeros has number 0.
            batch.known.resize(KNOWN, (0, 0));
            batch.layout = self.layout();
        }
    }

    /// Adds the successors of the state in `bases[at]`, which will be given to [`Self::find_keys`].
    ///
    /// # Errors
    /// `Full` if the store must grow first.
    #[inline]
    pub fn add_to_batch(&self, at: usize, found: &Expansion, batch: &mut Batch) -> Result<(), Full> {
        self.must_fit(found.reach())?;
        let (changes, ends) = found.all_changes();
        let start = to_u32(batch.changed.len());
        batch.changed.extend_from_slice(changes);
        batch.rows.extend(ends.iter().map(|&end| (to_u32(at), start + end)));
        Ok(())
    }

    /// Adds one successor of the state in `bases[at]`.
    ///
    /// # Errors
    /// `Full` if the store must grow first.
    #[inline]
    pub fn add_step_to_batch(&self, at: usize, found: &Expansion, step: usize, batch: &mut Batch) -> Result<(), Full> {
        self.must_fit(found.reach())?;
        batch.changed.extend_from_slice(found.changes(step));
        batch.rows.push((to_u32(at), to_u32(batch.changed.len())));
        Ok(())
    }

    /// Adds the keys of the successors of a state, where masked rows are keys.
    ///
    /// # Errors
    /// `Full` if the store must grow first.
    pub fn add_keys_to_batch(&self, base: &Branches, found: &Expansion, batch: &mut Batch) -> Result<(), Full> {
        self.must_fit(found.reach())?;
        for step in 0..found.steps() {
            batch.above.clear();
            self.mask_changes(base, found.changes(step), &mut batch.above)?;
            batch.keys.push(base.root_with(&batch.above));
        }
        Ok(())
    }

    /// Adds a row; `bases[0]` is then as [`Self::branches`] makes it.
    ///
    /// # Errors
    /// `Full` if the store must grow first.
    #[inline]
    pub fn add_row_to_batch(&self, row: &[u32], batch: &mut Batch) -> Result<(), Full> {
        self.must_fit(row.len())?;
        let least = self.least_row();
        let words = (0..least.len()).map(|at| (at, row.get(at).copied().unwrap_or(0)));
        batch.changed.extend(words.filter(|&(at, word)| word != least[at]).map(|(at, word)| (to_u32(at), word)));
        batch.rows.push((0, to_u32(batch.changed.len())));
        Ok(())
    }

    /// Looks at where the keys that were not entered lately will be looked for, all at once, so that entering them does
    /// not wait for one after the other to come from memory.
    pub fn look_ahead(&self, batch: &mut Batch) {
        let Batch { keys, open, recent, .. } = batch;
        open.clear();
        for (at, &key) in keys.iter().enumerate() {
            let hash = mix(key);
            if recent[below(hash, RECENT)] != key {
                open.push((to_u32(at), hash));
            }
        }
        let seen = self.roots().look_ahead(open.iter().map(|&(_, hash)| hash));
        std::hint::black_box(seen);
    }

    /// Enters the rows of a batch, as many as fit, and notes which of them are new; says how many, from the first on, are
    /// in the store then.
    pub fn enter_batch(&self, batch: &mut Batch) -> usize {
        batch.fresh.clear();
        let mut entered = batch.keys.len();
        for &(at, hash) in &batch.open {
            let key = batch.keys[at as usize];
            let Ok(new) = self.roots().claim(key, hash, &mut batch.claims) else {
                entered = at as usize;
                break;
            };
            batch.recent[below(hash, RECENT)] = key;
            if new {
                batch.fresh.push(at);
            }
        }
        self.roots().publish_all(&mut batch.claims);
        entered
    }

    /// Finds the keys of all rows of a batch; inner pairs are inserted where they are new.
    ///
    /// # Errors
    /// `Full` if the store must grow first; the batch is of no use then.
    pub fn find_keys(&self, bases: &[Branches], batch: &mut Batch) -> Result<(), Full> {
        if self.is_masked() {
            self.mask_rows(bases, batch)?;
        }
        for level in 0..self.levels() {
            self.pair_up(bases, level, batch);
            if self.inner_pairs().bytes() > NEAR {
                std::hint::black_box(self.inner_pairs().look_ahead(batch.wanted.iter().map(|&(_, _, hash)| hash)));
            }
            for &(at, key, hash) in &batch.wanted {
                let number = self.inner_pairs().insert_hashed(key, hash)?.0;
                batch.above[at as usize].1 = number;
                batch.known[below(hash, KNOWN)] = (key, number);
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

    /// Goes from the changes of rows to those of their masked rows.
    fn mask_rows(&self, bases: &[Branches], batch: &mut Batch) -> Result<(), Full> {
        let Batch { changed, rows, above, .. } = batch;
        above.clear();
        let mut from = 0;
        for (base, end) in rows {
            self.mask_changes(&bases[*base as usize], &changed[from..*end as usize], above)?;
            from = *end as usize;
            *end = to_u32(above.len());
        }
        std::mem::swap(changed, above);
        Ok(())
    }

    /// Goes from the changes of one level to those of the next, whose numbers are still to be looked up.
    fn pair_up(&self, bases: &[Branches], level: usize, batch: &mut Batch) {
        let Batch { changed, rows, above, wanted, known, .. } = batch;
        above.clear();
        wanted.clear();
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
                let mut number = value;
                if let Some(key) = key {
                    let hash = mix(key);
                    let lately = known[below(hash, KNOWN)];
                    number = lately.1;
                    if lately.0 != key {
                        wanted.push((to_u32(above.len()), key, hash));
                    }
                }
                above.push((to_u32(pairing.above(at)), number));
            }
            *end = to_u32(above.len());
        }
    }
}
