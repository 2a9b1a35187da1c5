//! What one thread of a breadth-first search does: it expands states in groups.
//!
//! All successors of a group are found before the first is entered. Most of the time of a large search is waiting for
//! memory, and the store can ask for the places of many states at once.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use tertium_base::Stopped;

use super::outlet::{Outlet, hand_out};
use super::random_walks::random_walks;
use super::{Finding, Observer, Summary};
use crate::store::{Batch, BitMask, Branches, Full, StateStore, trimmed};
use crate::successors::{Expansion, MaskedState, RowSuccessors};

/// States are expanded in groups of this many.
const GROUP: usize = 16;

/// What the threads share of the level at hand.
#[derive(Debug, Default)]
pub struct Level {
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
pub struct Share {
    /// What was seen.
    pub summary: Summary,
    /// States that are still to be expanded.
    pub left: Vec<u32>,
    /// A limit that was reached.
    pub stopped: Option<Stopped>,
    /// Steps that go wrong, without those that only could not be computed.
    pub errors: usize,
}

/// One thread's part in a search.
pub struct Worker<'w, S: RowSuccessors, O: Observer> {
    successors: &'w S,
    observer: &'w O,
    level: &'w Level,
    /// What it hands back next.
    pub share: Share,
    /// The states of the group.
    bases: Vec<Branches>,
    pub(super) branches: Branches,
    scratch: S::Scratch,
    eyes: O::Scratch,
    found: Vec<Expansion>,
    /// Room for one row.
    row: Vec<u32>,
    pub(super) batch: Batch,
    /// Of each state of the group, where its successors end in the batch, and how many there are if keys told them.
    ends: Vec<(usize, Option<usize>)>,
    /// The successors in the batch, where some are kept elsewhere: of which state of the group, and which of its steps.
    own: Vec<(usize, usize)>,
    /// Room for how a masked row differs.
    above: Vec<(u32, u32)>,
    /// States that were expanded since the last look at the limits; none before the first.
    since_look: Option<usize>,
}

impl<'w, S: RowSuccessors, O: Observer> Worker<'w, S, O> {
    /// A thread that has done nothing yet.
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
            own: Vec::new(),
            above: Vec::new(),
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

    /// Expands these states; those that no longer fit are handed back. Successors that are kept elsewhere go to the outlet.
    pub fn chunk<X: Outlet>(&mut self, store: &StateStore, states: &[u32], outlet: &mut X) {
        if let Some(expanded) = &mut self.since_look {
            *expanded += states.len();
        }
        for group in states.chunks(GROUP) {
            let done = if self.share.left.is_empty() { self.group(store, group, outlet) } else { 0 };
            if done < group.len() {
                self.share.left.extend_from_slice(&group[done..]);
                self.level.halt.store(true, Ordering::Relaxed);
            }
        }
    }

    /// Expands a group; says for how many of them, from the first on, everything fitted. What did fit of the others is
    /// found again when they are done anew.
    fn group<X: Outlet>(&mut self, store: &StateStore, states: &[u32], outlet: &mut X) -> usize {
        store.begin_batch(&mut self.batch);
        self.ends.clear();
        self.own.clear();
        if let Some(mask) = store.key_mask() {
            return self.masked_group(store, mask, states, outlet);
        }
        for (at, &state) in states.iter().enumerate() {
            if self.find(store, state, at, outlet).is_err() {
                return 0;
            }
            self.ends.push((self.batch.len(), None));
        }
        if store.find_keys(&self.bases, &mut self.batch).is_err() {
            return 0;
        }
        store.look_ahead(&mut self.batch);
        let entered = store.enter_batch(&mut self.batch);
        let (mut first, mut fresh) = (0, 0);
        for (at, &state) in states.iter().enumerate() {
            let end = self.ends[at].0;
            while let Some(&new) = self.batch.fresh.get(fresh).filter(|&&new| (new as usize) < end) {
                let step = if X::ANY { self.own[new as usize].1 } else { new as usize - first };
                self.found[at].copy_row(step, &mut self.row);
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
    fn masked_group<X: Outlet>(&mut self, store: &StateStore, mask: &BitMask, states: &[u32], outlet: &mut X) -> usize {
        for (at, &number) in states.iter().enumerate() {
            let (start, state) = (self.batch.keys.len(), MaskedState { key: store.key(number), mask });
            let is_known = self.successors.expand_masked(state, &mut self.scratch, &mut self.batch.keys);
            let steps = is_known.then_some(self.batch.keys.len() - start);
            if !is_known {
                self.batch.keys.truncate(start);
                if self.find_by_row(store, (number, at), mask, outlet).is_err() {
                    return 0;
                }
            }
            hand_out(&mut self.batch.keys, start, outlet);
            self.ends.push((self.batch.keys.len(), steps));
        }
        store.look_ahead(&mut self.batch);
        let entered = store.enter_batch(&mut self.batch);
        self.look_at_fresh_keys(store, mask);
        for (at, &state) in states.iter().enumerate() {
            let (end, steps) = self.ends[at];
            if entered < end {
                return at;
            }
            match steps {
                Some(steps) => self.share.summary.transitions += steps,
                None => self.count(store, state, at),
            }
        }
        states.len()
    }

    /// Shows the observer the row of a key that was new.
    pub(super) fn look_at_key(&mut self, store: &StateStore, mask: &BitMask, key: u64) {
        if O::LOOKS {
            mask.row_of_key(key, &mut self.row);
            self.row.truncate(trimmed(&self.row, store.words()));
            look(self.observer, &mut self.eyes, self.level, &self.row, &mut self.share.summary);
        }
    }

    /// Shows the observer the rows of the keys that were new.
    pub(super) fn look_at_fresh_keys(&mut self, store: &StateStore, mask: &BitMask) {
        if !O::LOOKS {
            return;
        }
        let fresh = std::mem::take(&mut self.batch.fresh);
        for &new in &fresh {
            self.look_at_key(store, mask, self.batch.keys[new as usize]);
        }
        self.batch.fresh = fresh;
    }

    /// Finds the successors of a state and their keys, where masked rows are keys.
    fn find_by_row<X: Outlet>(
        &mut self,
        store: &StateStore,
        (state, at): (u32, usize),
        mask: &BitMask,
        outlet: &mut X,
    ) -> Result<(), Full> {
        self.expand::<X>(store, state, at)?;
        if !X::ANY {
            return store.add_keys_to_batch(&self.bases[at], &self.found[at], &mut self.batch);
        }
        let key = store.key(state);
        outlet.turns_to(self.bases[at].words());
        for step in 0..self.found[at].steps() {
            match mask.key_after(key, self.found[at].changes(step), &mut self.above) {
                Some(key) => self.batch.keys.push(key),
                None => outlet.sets_aside(&self.found[at], step),
            }
        }
        Ok(())
    }

    /// Finds the successors of a state and their keys.
    fn find<X: Outlet>(&mut self, store: &StateStore, state: u32, at: usize, outlet: &mut X) -> Result<(), Full> {
        self.expand::<X>(store, state, at)?;
        let found = &self.found[at];
        if !X::ANY {
            return store.add_to_batch(at, found, &mut self.batch);
        }
        outlet.turns_to(self.bases[at].words());
        for step in 0..found.steps() {
            if !outlet.takes_step(found, step) {
                store.add_step_to_batch(at, found, step, &mut self.batch)?;
                self.own.push((at, step));
            }
        }
        Ok(())
    }

    /// Finds the successors of a state.
    fn expand<X: Outlet>(&mut self, store: &StateStore, state: u32, at: usize) -> Result<(), Full> {
        let (base, found) = (&mut self.bases[at], &mut self.found[at]);
        store.read(state, base);
        // Whether a step leads to a later level is known only to whoever keeps its target.
        let private = !X::ANY && self.successors.expand_private(base.words(), &mut self.scratch, found);
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

    /// Shows a new state to the observer.
    #[inline]
    pub(super) fn look(&mut self, row: &[u32]) {
        look(self.observer, &mut self.eyes, self.level, row, &mut self.share.summary);
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
        self.share.errors += found.faults.iter().filter(|fault| fault.kind.is_error()).count();
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
