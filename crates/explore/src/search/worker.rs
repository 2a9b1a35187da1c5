//! What one thread of a breadth-first search does: it expands states in groups.
//!
//! All successors of a group are found before the first is entered. Most of the time of a large search is waiting for
//! memory, and the store can ask for the places of many states at once.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use tertium_base::Stopped;

use super::random_walks::random_walks;
use super::{Finding, Observer, Summary};
use crate::store::{Batch, BitMask, Branches, Full, StateStore, trimmed};
use crate::successors::{Expansion, MaskedState, RowSuccessors};

/// States are expanded in groups of this many.
const GROUP: usize = 16;

/// What the threads share of the level at hand.
#[derive(Debug, Default)]
pub(super) struct Level {
    /// How many steps its states are away from an initial one.
    pub depth: AtomicUsize,
    /// The first state that nobody has taken yet.
    pub next: AtomicUsize,
    /// Its states are numbered below this.
    pub end: AtomicUsize,
    /// Set when the store must grow or a limit is reached: everyone hands back what is left.
    pub halt: AtomicBool,
}

/// What one thread hands back.
#[derive(Debug, Default)]
pub(super) struct Share {
    pub summary: Summary,
    /// States that are still to be expanded.
    pub left: Vec<u32>,
    pub stopped: Option<Stopped>,
}

pub(super) struct Worker<'w, S: RowSuccessors, O: Observer> {
    successors: &'w S,
    observer: &'w O,
    level: &'w Level,
    pub share: Share,
    /// The states of the group.
    bases: Vec<Branches>,
    branches: Branches,
    scratch: S::Scratch,
    eyes: O::Scratch,
    found: Vec<Expansion>,
    /// Room for one row.
    row: Vec<u32>,
    batch: Batch,
    /// Of each state of a group of masked rows, where its successors end, and whether keys told them.
    ends: Vec<(usize, bool)>,
    /// States that were expanded since the last look at the limits; none before the first.
    since_look: Option<usize>,
}

impl<'w, S: RowSuccessors, O: Observer> Worker<'w, S, O> {
    pub fn new(successors: &'w S, observer: &'w O, level: &'w Level, store: &StateStore) -> Self {
        Self {
            successors,
            observer,
            level,
            share: Share::default(),
            bases: vec![store.branches(); GROUP],
            branches: store.branches(),
            scratch: successors.scratch(),
            eyes: observer.scratch(),
            found: vec![Expansion::default(); GROUP],
            row: Vec::new(),
            batch: Batch::default(),
            ends: Vec::with_capacity(GROUP),
            since_look: None,
        }
    }

    /// Whether so many states were expanded since the last look at the limits, or there was none yet; it is then taken for done.
    pub fn is_look_due(&mut self, states: usize) -> bool {
        let is_due = self.since_look.is_none_or(|expanded| expanded >= states);
        if is_due {
            self.since_look = Some(0);
        }
        is_due
    }

    /// Rows far from the beginning.
    pub fn walk(&mut self, store: &StateStore) -> Vec<Vec<u32>> {
        random_walks(self.successors, &mut self.scratch, store)
    }

    /// Expands these states; those that no longer fit are handed back.
    pub fn chunk(&mut self, store: &StateStore, states: &[u32]) {
        if let Some(expanded) = &mut self.since_look {
            *expanded += states.len();
        }
        for group in states.chunks(GROUP) {
            let done = if self.share.left.is_empty() { self.group(store, group) } else { 0 };
            if done < group.len() {
                self.share.left.extend_from_slice(&group[done..]);
                self.level.halt.store(true, Ordering::Relaxed);
            }
        }
    }

    /// Expands a group; says for how many of them, from the first on, everything fitted. What did fit of the others is
    /// found again when they are done anew.
    fn group(&mut self, store: &StateStore, states: &[u32]) -> usize {
        store.begin_batch(&mut self.batch);
        if let Some(mask) = store.key_mask() {
            return self.masked_group(store, mask, states);
        }
        for (at, &state) in states.iter().enumerate() {
            if self.find(store, state, at).is_err() {
                return 0;
            }
        }
        if store.find_keys(&self.bases, &mut self.batch).is_err() {
            return 0;
        }
        store.look_ahead(&mut self.batch);
        let entered = store.enter_batch(&mut self.batch);
        let (mut first, mut fresh) = (0, 0);
        for (at, &state) in states.iter().enumerate() {
            let end = first + self.found[at].steps();
            while let Some(&new) = self.batch.fresh.get(fresh).filter(|&&new| (new as usize) < end) {
                self.found[at].copy_row(new as usize - first, &mut self.row);
                look(self.observer, &mut self.eyes, self.level, &self.row, &mut self.share.summary);
                fresh += 1;
            }
            if entered < end {
                return at;
            }
            first = end;
            self.count(store, state, at);
        }
        states.len()
    }

    /// The same where masked rows are keys: rows are made only where keys do not tell what comes next, or somebody looks at them.
    fn masked_group(&mut self, store: &StateStore, mask: &BitMask, states: &[u32]) -> usize {
        self.ends.clear();
        for (at, &number) in states.iter().enumerate() {
            let (start, state) = (self.batch.keys.len(), MaskedState { key: store.key(number), mask });
            let is_known = self.successors.expand_masked(state, &mut self.scratch, &mut self.batch.keys);
            if !is_known {
                self.batch.keys.truncate(start);
                if self.find_by_row(store, number, at).is_err() {
                    return 0;
                }
            }
            self.ends.push((self.batch.keys.len(), is_known));
        }
        store.look_ahead(&mut self.batch);
        let entered = store.enter_batch(&mut self.batch);
        if O::LOOKS {
            let fresh = std::mem::take(&mut self.batch.fresh);
            for &new in fresh.iter().filter(|&&new| (new as usize) < entered) {
                self.row.clear();
                self.row.resize(mask.words(), 0);
                mask.unmask_key(self.batch.keys[new as usize], &mut self.row);
                self.row.truncate(trimmed(&self.row, store.words()));
                look(self.observer, &mut self.eyes, self.level, &self.row, &mut self.share.summary);
            }
            self.batch.fresh = fresh;
        }
        let mut first = 0;
        for (at, &state) in states.iter().enumerate() {
            let (end, is_known) = self.ends[at];
            if entered < end {
                return at;
            }
            if is_known {
                self.share.summary.transitions += end - first;
            } else {
                self.count(store, state, at);
            }
            first = end;
        }
        states.len()
    }

    /// Finds the successors of a state and their keys, where masked rows are keys.
    fn find_by_row(&mut self, store: &StateStore, state: u32, at: usize) -> Result<(), Full> {
        self.expand(store, state, at)?;
        store.add_keys_to_batch(&self.bases[at], &self.found[at], &mut self.batch)
    }

    /// Finds the successors of a state and their keys.
    fn find(&mut self, store: &StateStore, state: u32, at: usize) -> Result<(), Full> {
        self.expand(store, state, at)?;
        store.add_to_batch(at, &self.found[at], &mut self.batch)
    }

    /// Finds the successors of a state.
    fn expand(&mut self, store: &StateStore, state: u32, at: usize) -> Result<(), Full> {
        let (base, found) = (&mut self.bases[at], &mut self.found[at]);
        store.read(state, base);
        let private = self.successors.expand_private(base.words(), &mut self.scratch, found);
        // Unless one of them waits for a later level, going on with them alone could go round in a circle.
        if !private || !self.enter_at_once(store, at)? {
            self.successors.expand(self.bases[at].words(), &mut self.scratch, &mut self.found[at]);
        }
        Ok(())
    }

    /// Enters what was found without waiting for the group; says whether any of it waits for a later level.
    fn enter_at_once(&mut self, store: &StateStore, at: usize) -> Result<bool, Full> {
        let end = self.level.end.load(Ordering::Relaxed);
        let found = &self.found[at];
        let mut waiting = false;
        for step in 0..found.steps() {
            found.copy_row(step, &mut self.row);
            let (number, new) = store.insert(&self.bases[at], &self.row, &mut self.branches)?;
            waiting |= number as usize >= end;
            if new {
                look(self.observer, &mut self.eyes, self.level, &self.row, &mut self.share.summary);
            }
        }
        Ok(waiting)
    }

    fn count(&mut self, store: &StateStore, state: u32, at: usize) {
        let found = &mut self.found[at];
        let summary = &mut self.share.summary;
        summary.transitions += found.steps();
        if !found.deadlock && found.faults.is_empty() {
            return;
        }
        let depth = self.level.depth.load(Ordering::Relaxed);
        let base = &mut self.bases[at];
        store.read(state, base);
        if found.deadlock {
            summary.deadlocks += 1;
            summary.note(Finding::Deadlock, depth, base.words());
        }
        summary.faults += found.faults.len();
        for fault in found.faults.drain(..) {
            summary.note(Finding::Fault(fault), depth, base.words());
        }
    }
}

/// Shows a new state to the observer.
fn look<O: Observer>(observer: &O, eyes: &mut O::Scratch, level: &Level, row: &[u32], summary: &mut Summary) {
    let depth = level.depth.load(Ordering::Relaxed) + 1;
    observer.look(row, eyes, &mut |number| summary.note(Finding::Broken(number), depth, row));
}
