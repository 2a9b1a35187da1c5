//! What one thread of a breadth-first search does: it expands states in groups.
//!
//! All successors of a group are found before the first is entered. Most of the time of a large search is waiting for
//! memory, and the store can ask for the places of many states at once.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use tertium_base::Stopped;

use super::{Finding, Observer, Summary};
use crate::store::{Batch, Branches, Full, StateStore};
use crate::successors::{Expansion, Successors};

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

pub(super) struct Worker<'w, S: Successors, O: Observer> {
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
    batch: Batch,
}

impl<'w, S: Successors, O: Observer> Worker<'w, S, O> {
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
            batch: Batch::default(),
        }
    }

    /// Expands these states; those that no longer fit are handed back.
    pub fn chunk(&mut self, store: &StateStore, states: &[u32]) {
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
        self.batch.clear();
        for (at, &state) in states.iter().enumerate() {
            if self.find(store, state, at).is_err() {
                return 0;
            }
        }
        if store.find_keys(&self.bases, &mut self.batch).is_err() {
            return 0;
        }
        store.look_ahead(&self.batch.keys);
        let mut key = 0;
        for (at, &state) in states.iter().enumerate() {
            let steps = self.found[at].steps();
            if self.enter(store, at, key).is_err() {
                return at;
            }
            key += steps;
            self.count(store, state, at);
        }
        states.len()
    }

    /// Finds the successors of a state and their keys.
    fn find(&mut self, store: &StateStore, state: u32, at: usize) -> Result<(), Full> {
        let (base, found) = (&mut self.bases[at], &mut self.found[at]);
        store.read(state, base);
        let private = self.successors.expand_private(base.words(), &mut self.scratch, found);
        // Unless one of them waits for a later level, going on with them alone could go round in a circle.
        if !private || !self.enter_at_once(store, at)? {
            self.successors.expand(self.bases[at].words(), &mut self.scratch, &mut self.found[at]);
        }
        for row in self.found[at].rows() {
            store.add_to_batch(&self.bases[at], at, row, &mut self.batch)?;
        }
        Ok(())
    }

    /// Enters what was found without waiting for the group; says whether any of it waits for a later level.
    fn enter_at_once(&mut self, store: &StateStore, at: usize) -> Result<bool, Full> {
        let end = self.level.end.load(Ordering::Relaxed);
        let mut waiting = false;
        for row in self.found[at].rows() {
            let (number, new) = store.insert(&self.bases[at], row, &mut self.branches)?;
            waiting |= number as usize >= end;
            if new {
                look(self.observer, &mut self.eyes, self.level, row, &mut self.share.summary);
            }
        }
        Ok(waiting)
    }

    /// Enters what was found, whose keys begin at `first`.
    fn enter(&mut self, store: &StateStore, at: usize, first: usize) -> Result<(), Full> {
        for (row, &key) in self.found[at].rows().zip(&self.batch.keys[first..]) {
            let (_, new) = store.enter(key)?;
            if new {
                look(self.observer, &mut self.eyes, self.level, row, &mut self.share.summary);
            }
        }
        Ok(())
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
