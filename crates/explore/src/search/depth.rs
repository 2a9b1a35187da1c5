//! Depth-first search: one run to its end before the next.
//!
//! Finds deep findings early and keeps only the run at hand besides the states. Its runs are not shortest, and it uses
//! one thread. It visits the same states as [`super::breadth`].

use tertium_base::{StopReason, Stopped};

use super::breadth::{Explored, Options};
use super::{Finding, Observer, Progress, Summary};
use crate::store::{Branches, StateStore};
use crate::successors::{Expansion, RowSuccessors};

/// Visits every state that is reachable from `initial`. Depths in the summary are positions on the run at hand, and
/// [`Explored::levels`] holds one level only: there are no shortest runs to be had from this search.
pub fn depth_first<S: RowSuccessors, O: Observer>(
    successors: &S,
    observer: &O,
    initial: &[Vec<u32>],
    options: &Options<'_>,
    progress: &mut dyn FnMut(Progress),
) -> Explored {
    let store = StateStore::new(successors.words());
    let mut search = Search {
        base: store.branches(),
        branches: store.branches(),
        store,
        successors,
        observer,
        options,
        scratch: successors.scratch(),
        eyes: observer.scratch(),
        found: Expansion::default(),
        summary: Summary::default(),
        run: Vec::new(),
        waiting: Vec::new(),
        expanded: Vec::new(),
    };
    search.summary.stopped = search.explore(initial, progress).err();
    search.summary.states = search.store.len();
    Explored { summary: search.summary, store: search.store, levels: vec![0], end: 0 }
}

struct Search<'s, S: RowSuccessors, O: Observer> {
    successors: &'s S,
    observer: &'s O,
    options: &'s Options<'s>,
    store: StateStore,
    base: Branches,
    branches: Branches,
    scratch: S::Scratch,
    eyes: O::Scratch,
    found: Expansion,
    summary: Summary,
    /// For each state of the run at hand where its unvisited successors begin in `waiting`.
    run: Vec<usize>,
    waiting: Vec<u32>,
    /// Whether a state has been expanded, by number.
    expanded: Vec<bool>,
}

impl<S: RowSuccessors, O: Observer> Search<'_, S, O> {
    fn explore(&mut self, initial: &[Vec<u32>], progress: &mut dyn FnMut(Progress)) -> Result<(), Stopped> {
        for row in initial {
            if let Some(number) = self.number(row, true)? {
                self.look(row);
                self.visit(number)?;
                self.finish_runs(progress)?;
            }
        }
        Ok(())
    }

    fn finish_runs(&mut self, progress: &mut dyn FnMut(Progress)) -> Result<(), Stopped> {
        let mut ticks: u32 = 0;
        while let Some(&from) = self.run.last() {
            ticks = ticks.wrapping_add(1);
            if ticks & 1023 == 0 {
                self.mind_the_limits()?;
                let (states, bytes) = (self.store.len(), self.store.bytes());
                progress(Progress { states, queue: self.waiting.len(), depth: self.run.len(), bytes });
            }
            if self.waiting.len() > from {
                if let Some(next) = self.waiting.pop() {
                    self.visit(next)?;
                }
            } else {
                self.run.pop();
            }
        }
        Ok(())
    }

    fn mind_the_limits(&self) -> Result<(), Stopped> {
        let full = self.options.max_states.is_some_and(|most| self.store.len() > most);
        let found = self.options.stop_at_finding && !self.summary.findings.is_empty();
        if full || found { Err(Stopped(StopReason::Count)) } else { self.options.budget.check() }
    }

    /// The number of a row if it is new.
    fn number(&mut self, row: &[u32], afresh: bool) -> Result<Option<u32>, Stopped> {
        loop {
            let inserted = if afresh {
                self.store.insert_afresh(row, &mut self.branches)
            } else {
                self.store.insert(&self.base, row, &mut self.branches)
            };
            match inserted {
                Ok((number, new)) => return Ok(new.then_some(number)),
                Err(_) => {
                    self.store.may_grow(self.options.budget)?;
                    self.store.grow();
                }
            }
        }
    }

    /// Puts a state on the run and its new successors into the waiting list.
    fn visit(&mut self, number: u32) -> Result<(), Stopped> {
        let from = self.waiting.len();
        self.run.push(from);
        self.summary.depth = self.summary.depth.max(self.run.len() - 1);
        if self.expanded.len() <= number as usize {
            self.expanded.resize(number as usize * 2 + 64, false);
        }
        self.expanded[number as usize] = true;
        self.store.read(number, &mut self.base);
        let row = self.base.words().to_vec();
        if self.successors.expand_private(&row, &mut self.scratch, &mut self.found) && self.enter(false)? {
            self.count(&row);
            return Ok(());
        }
        self.successors.expand(&row, &mut self.scratch, &mut self.found);
        self.enter(true)?;
        self.count(&row);
        Ok(())
    }

    /// Enters the successors found. If they are only some, says whether they may stand for all: one of them is still
    /// to be expanded, so that the others are not put off round a cycle for ever.
    fn enter(&mut self, all: bool) -> Result<bool, Stopped> {
        let found = std::mem::take(&mut self.found);
        let from = self.waiting.len();
        let (mut open, mut row) = (false, Vec::new());
        for at in 0..found.steps() {
            found.copy_row(at, &mut row);
            if let Some(number) = self.number(&row, false)? {
                self.look(&row);
                self.waiting.push(number);
                open = true;
            } else if !all && let Some(known) = self.store.find(&row) {
                open |= !self.expanded.get(known as usize).copied().unwrap_or(false);
            }
        }
        // Taken from the end, so that the first step is followed first.
        self.waiting[from..].reverse();
        self.found = found;
        Ok(open)
    }

    fn look(&mut self, row: &[u32]) {
        let (summary, depth) = (&mut self.summary, self.run.len());
        self.observer.look(row, &mut self.eyes, &mut |number| summary.note(Finding::Broken(number), depth, row));
    }

    fn count(&mut self, row: &[u32]) {
        let depth = self.run.len() - 1;
        self.summary.transitions += self.found.steps();
        if self.found.deadlock {
            self.summary.deadlocks += 1;
            self.summary.note(Finding::Deadlock, depth, row);
        }
        self.summary.faults += self.found.faults.len();
        for fault in std::mem::take(&mut self.found.faults) {
            self.summary.note(Finding::Fault(fault), depth, row);
        }
    }
}
