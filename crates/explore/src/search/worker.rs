//! What one thread of a breadth-first search does: it expands states in groups.
//!
//! All successors of a group are found before the first is entered. Most of the time of a large search is waiting for
//! memory, and the store can ask for the places of many states at once.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use tertium_base::Stopped;

use super::{Finding, Observer, Summary};
use crate::store::{Branches, Full, StateStore};
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
    base: Branches,
    branches: Branches,
    scratch: S::Scratch,
    eyes: O::Scratch,
    found: Vec<Expansion>,
    keys: Vec<u64>,
    /// Keeps what was looked at ahead from being left out as useless.
    seen: u64,
}

impl<'w, S: Successors, O: Observer> Worker<'w, S, O> {
    pub fn new(successors: &'w S, observer: &'w O, level: &'w Level, store: &StateStore) -> Self {
        Self {
            successors,
            observer,
            level,
            share: Share::default(),
            base: store.branches(),
            branches: store.branches(),
            scratch: successors.scratch(),
            eyes: observer.scratch(),
            found: vec![Expansion::default(); GROUP],
            keys: Vec::new(),
            seen: 0,
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
        self.keys.clear();
        let mut ready = 0;
        for &state in states {
            if self.find(store, state, ready).is_err() {
                break;
            }
            ready += 1;
        }
        self.seen ^= store.look_ahead(&self.keys);
        let mut key = 0;
        for (at, &state) in states[..ready].iter().enumerate() {
            let steps = self.found[at].steps();
            if self.enter(store, at, key).is_err() {
                return at;
            }
            key += steps;
            self.count(store, state, at);
        }
        ready
    }

    /// Finds the successors of a state and their keys.
    fn find(&mut self, store: &StateStore, state: u32, at: usize) -> Result<(), Full> {
        store.read(state, &mut self.base);
        let found = &mut self.found[at];
        if self.successors.expand_private(self.base.words(), &mut self.scratch, found) {
            let first = self.keys.len();
            self.find_keys(store, at)?;
            // Unless one of them waits for a later level, going on with them alone could go round in a circle.
            if self.enter(store, at, first)? {
                return Ok(());
            }
            self.keys.truncate(first);
        }
        self.successors.expand(self.base.words(), &mut self.scratch, &mut self.found[at]);
        self.find_keys(store, at)
    }

    fn find_keys(&mut self, store: &StateStore, at: usize) -> Result<(), Full> {
        for row in self.found[at].rows() {
            self.keys.push(store.root(&self.base, row, &mut self.branches)?);
        }
        Ok(())
    }

    /// Enters what was found, whose keys begin at `first`; says whether any of it waits for a later level.
    fn enter(&mut self, store: &StateStore, at: usize, first: usize) -> Result<bool, Full> {
        let end = self.level.end.load(Ordering::Relaxed);
        let mut waiting = false;
        for (row, &key) in self.found[at].rows().zip(&self.keys[first..]) {
            let (number, new) = store.enter(key)?;
            waiting |= number as usize >= end;
            if new {
                let (summary, depth) = (&mut self.share.summary, self.level.depth.load(Ordering::Relaxed) + 1);
                self.observer.look(row, &mut self.eyes, &mut |number| {
                    summary.note(Finding::Broken(number), depth, row);
                });
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
        store.read(state, &mut self.base);
        if found.deadlock {
            summary.deadlocks += 1;
            summary.note(Finding::Deadlock, depth, self.base.words());
        }
        summary.faults += found.faults.len();
        for fault in found.faults.drain(..) {
            summary.note(Finding::Fault(fault), depth, self.base.words());
        }
    }
}
