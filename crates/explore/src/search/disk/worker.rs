//! What one thread does: it finds the keys of what comes after states.

use tertium_base::narrow::below;

use super::super::{Finding, Observer, Summary};
use crate::store::{Branches, Full, StateStore};
use crate::successors::{Expansion, RowSuccessors};

/// Keys that were met lately are not gathered again, by some of their bits.
const LATELY: usize = 1 << 14;

/// The place of a key among those.
fn place(key: u64) -> usize {
    below(key.wrapping_mul(0x9E37_79B9_7F4A_7C15), LATELY)
}

/// Nothing was met: in every place stands a key that belongs to another one.
fn nothing_lately() -> Vec<u64> {
    let mut lately = vec![0; LATELY];
    lately[place(0)] = u64::MAX;
    lately
}

pub(super) struct DiskWorker<'s, S: RowSuccessors, O: Observer> {
    successors: &'s S,
    observer: &'s O,
    base: Branches,
    branches: Branches,
    scratch: S::Scratch,
    eyes: O::Scratch,
    found: Expansion,
    row: Vec<u32>,
    lately: Vec<u64>,
    /// The keys of successors.
    pub candidates: Vec<u64>,
    pub summary: Summary,
}

impl<'s, S: RowSuccessors, O: Observer> DiskWorker<'s, S, O> {
    pub fn new((successors, observer): (&'s S, &'s O), store: &StateStore) -> Self {
        Self {
            successors,
            observer,
            base: store.branches(),
            branches: store.branches(),
            scratch: successors.scratch(),
            eyes: observer.scratch(),
            found: Expansion::default(),
            row: Vec::new(),
            lately: nothing_lately(),
            candidates: Vec::new(),
            summary: Summary::default(),
        }
    }

    /// Forgets which keys were met lately.
    pub fn forget(&mut self) {
        self.lately = nothing_lately();
    }

    /// Expands these states; for how many of them, from the first on, everything fitted. What was gathered of the others is gathered again.
    pub fn expand(&mut self, store: &StateStore, keys: &[u64], depth: usize) -> usize {
        for (at, &key) in keys.iter().enumerate() {
            store.read_key(key, &mut self.base);
            self.successors.expand(self.base.words(), &mut self.scratch, &mut self.found);
            if self.gather(store).is_err() {
                return at;
            }
            self.count(depth);
        }
        keys.len()
    }

    /// Gathers the keys of the successors.
    fn gather(&mut self, store: &StateStore) -> Result<(), Full> {
        for step in 0..self.found.steps() {
            self.found.copy_row(step, &mut self.row);
            let key = store.root(&self.base, &self.row, &mut self.branches)?;
            let lately = &mut self.lately[place(key)];
            if *lately != key {
                *lately = key;
                self.candidates.push(key);
            }
        }
        Ok(())
    }

    fn count(&mut self, depth: usize) {
        let Self { summary, found, eyes, .. } = self;
        let row = self.base.words();
        self.observer.look(row, eyes, &mut |number| summary.note(Finding::Broken(number), depth, row));
        summary.transitions += found.steps();
        if found.deadlock {
            summary.deadlocks += 1;
            summary.note(Finding::Deadlock, depth, row);
        }
        summary.faults += found.faults.len();
        for fault in found.faults.drain(..) {
            summary.note(Finding::Fault(fault), depth, row);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_key_is_met_before_it_is() {
        let lately = nothing_lately();
        for key in (0..1 << 20).chain([u64::MAX, u64::MAX - 1, 1 << 32, 1 << 63]) {
            assert_ne!(lately[place(key)], key);
        }
    }
}
