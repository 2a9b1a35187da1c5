//! States are expanded and entered in groups, so that memory is asked for many of them at once, as in the search on one machine.

use tertium_base::narrow::to_u32;
use tertium_explore::search::{Finding, Observer};
use tertium_explore::store::{Batch, Branches, Full, StateStore};
use tertium_explore::successors::{Expansion, RowSuccessors};

use crate::rounds::Rounds;
use crate::search::OwnStates;

/// States are expanded in groups of this many.
pub(crate) const GROUP: usize = 16;
/// Rows that have arrived are entered in groups of this many.
pub(crate) const ARRIVALS: usize = 64;

/// Room for the states of a group.
pub(crate) struct Group {
    states: Vec<u32>,
    bases: Vec<Branches>,
    found: Vec<Expansion>,
    /// The successors that belong to this worker: of which state, and which of its steps.
    own: Vec<(usize, usize)>,
    batch: Batch,
    row: Vec<u32>,
}

impl Group {
    pub fn new(store: &StateStore) -> Self {
        Self {
            states: Vec::new(),
            bases: vec![store.branches(); GROUP],
            found: vec![Expansion::default(); GROUP],
            own: Vec::new(),
            batch: Batch::default(),
            row: Vec::new(),
        }
    }

    /// After the store has grown, what was read from it is read again.
    fn read(&mut self, store: &StateStore) {
        for (base, &state) in self.bases.iter_mut().zip(&self.states) {
            store.read(state, base);
        }
    }

    /// Enters what belongs to this worker from the successor with this number on; how many there are in the store then.
    fn enter(&mut self, store: &StateStore, from: usize) -> usize {
        let Self { found, own, batch, bases, .. } = self;
        store.begin_batch(batch);
        let add = |&(at, step): &(usize, usize)| store.add_step_to_batch(at, &found[at], step, batch);
        let added = own[from..].iter().try_for_each(add);
        from + enter_batch(store, added, bases, batch)
    }
}

/// Enters the rows of a batch, as many as fit; how many.
fn enter_batch(store: &StateStore, added: Result<(), Full>, bases: &[Branches], batch: &mut Batch) -> usize {
    match added.and_then(|()| store.find_keys(bases, batch)) {
        Ok(()) => {
            store.look_ahead(batch);
            store.enter_batch(batch)
        }
        Err(_) => {
            batch.fresh.clear();
            0
        }
    }
}

/// Rows that have arrived.
#[derive(Default)]
pub(crate) struct Arrivals {
    words: Vec<u32>,
    ends: Vec<usize>,
    batch: Batch,
}

impl Arrivals {
    pub fn len(&self) -> usize {
        self.ends.len()
    }

    pub fn add(&mut self, row: &[u32]) {
        self.words.extend_from_slice(row);
        self.ends.push(self.words.len());
    }

    fn row(&self, at: usize) -> &[u32] {
        let start = if at == 0 { 0 } else { self.ends[at - 1] };
        &self.words[start..self.ends[at]]
    }

    fn clear(&mut self) {
        self.words.clear();
        self.ends.clear();
    }
}

impl<S: RowSuccessors, O: Observer> OwnStates<'_, S, O> {
    /// Expands the states with these numbers; what comes after them is entered or sent.
    pub fn expand_group(
        &mut self,
        group: &mut Group,
        states: std::ops::Range<usize>,
        depth: usize,
        rounds: &mut Rounds<'_>,
    ) {
        group.states.clear();
        group.states.extend(states.map(to_u32));
        group.own.clear();
        group.read(&self.store);
        for at in 0..group.states.len() {
            let (base, found) = (&group.bases[at], &mut group.found[at]);
            self.question.successors.expand(base.words(), &mut self.scratch, found);
            self.count(base.words(), found, depth);
            for step in 0..found.steps() {
                if rounds.peers() == 1 {
                    group.own.push((at, step));
                    continue;
                }
                found.copy_row(step, &mut group.row);
                if self.is_own_or_sent(&group.row, rounds) {
                    group.own.push((at, step));
                }
            }
        }
        let mut from = 0;
        while from < group.own.len() {
            let entered = group.enter(&self.store, from);
            for at in 0..group.batch.fresh.len() {
                let (state, step) = group.own[from + group.batch.fresh[at] as usize];
                group.found[state].copy_row(step, &mut group.row);
                self.look(&group.row, depth + 1);
            }
            from = entered;
            if from < group.own.len() {
                if !self.grow() {
                    return;
                }
                group.read(&self.store);
            }
        }
    }

    /// Enters the rows that have arrived.
    pub fn enter_arrivals(&mut self, depth: usize) {
        let mut arrivals = std::mem::take(&mut self.arrivals);
        let mut from = 0;
        while from < arrivals.len() {
            if self.store.is_empty() {
                self.enter(arrivals.row(from), depth);
                from += 1;
                continue;
            }
            let (zeros, mut batch) = ([self.store.branches()], std::mem::take(&mut arrivals.batch));
            self.store.begin_batch(&mut batch);
            let mut rows = from..arrivals.len();
            let added = rows.try_for_each(|at| self.store.add_row_to_batch(arrivals.row(at), &mut batch));
            let entered = enter_batch(&self.store, added, &zeros, &mut batch);
            for &new in &batch.fresh {
                self.look(arrivals.row(from + new as usize), depth);
            }
            arrivals.batch = batch;
            from += entered;
            if from < arrivals.len() && !self.grow() {
                break;
            }
        }
        arrivals.clear();
        self.arrivals = arrivals;
    }

    /// Looks at a new state.
    pub fn look(&mut self, row: &[u32], depth: usize) {
        let summary = &mut self.summary;
        let note = &mut |number| summary.note(Finding::Broken(number), depth, row);
        self.question.observer.look(row, &mut self.eyes, note);
    }

    /// Lets the store grow; where there is no room, the search is stopped.
    fn grow(&mut self) -> bool {
        if let Err(stopped) = self.store.may_grow(self.question.options.budget) {
            self.stopped = Some(stopped);
            return false;
        }
        self.store.grow();
        true
    }

    /// Enters one state of this worker's and looks at it if it is new.
    pub fn enter(&mut self, row: &[u32], depth: usize) {
        loop {
            match self.store.insert_afresh(row, &mut self.branches) {
                Ok((_, true)) => return self.look(row, depth),
                Ok((_, false)) => return,
                Err(_) if self.grow() => {}
                Err(_) => return,
            }
        }
    }
}
