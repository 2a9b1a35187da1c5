//! Depth-first search: one run to its end before the next.
//!
//! Finds deep findings early and keeps only the run at hand besides the states. Its runs are not shortest, and it uses
//! one thread. There is one search for every `VisitedSet`: with a [`StateStore`] it visits the same states as
//! [`super::breadth`]; what it does with less is in [`super::compaction`].

use std::collections::BTreeMap;

use tertium_base::{Budget, StopReason, Stopped};

use super::breadth::{Explored, Options};
use super::{Finding, Observer, Progress, Summary};
use crate::store::{Branches, StateStore};
use crate::successors::{Expansion, RowSuccessors};

/// The limits are looked at after this many visits; a power of two.
const VISITS: u32 = 1024;

/// Visits every state that is reachable from `initial`. Depths in the summary are positions on the run at hand, and
/// [`Explored::levels`] holds one level only: there are no shortest runs to be had from this search.
pub fn depth_first<S: RowSuccessors, O: Observer>(
    successors: &S,
    observer: &O,
    initial: &[Vec<u32>],
    options: &Options<'_>,
    progress: &mut dyn FnMut(Progress),
) -> Explored {
    let visited = ExactStates::new(StateStore::new(successors.words()));
    let (visited, summary, _) = DepthFirst::run(successors, observer, visited, initial, options, progress);
    Explored::unlevelled(summary, visited.store)
}

/// The states that a depth-first search has entered.
pub(super) trait VisitedSet {
    /// A state that waits on the stack.
    type Entry;

    /// Whether the run to the first finding of each kind is to be kept, because states cannot be found again.
    const KEEPS_RUNS: bool;

    /// Enters a state that nothing leads to; none if it is taken for known.
    fn enter_initial(&mut self, row: &[u32], budget: &Budget) -> Result<Option<Self::Entry>, Stopped>;

    /// Enters a successor of the state that was visited last; none if it is taken for known.
    fn enter(&mut self, row: &[u32], budget: &Budget) -> Result<Option<Self::Entry>, Stopped>;

    /// Whether a known state is surely still to be expanded.
    fn is_waiting(&self, row: &[u32]) -> bool;

    /// Visits a state: it will be expanded.
    fn visit(&mut self, entry: &Self::Entry) -> Vec<u32>;

    /// The state, if it can be told from what is kept.
    fn row(&self, entry: &Self::Entry) -> Vec<u32>;

    /// How many states were entered.
    fn len(&self) -> usize;

    /// Bytes in use.
    fn bytes(&self) -> usize;
}

/// The run that led to each finding, as rows from an initial one on.
pub(super) type Runs = BTreeMap<Finding, Vec<Vec<u32>>>;

/// A state of the run at hand.
struct DepthFrame<E> {
    entry: E,
    /// Where its unvisited successors begin in the waiting list.
    from: usize,
}

/// A search under way.
pub(super) struct DepthFirst<'s, S: RowSuccessors, O: Observer, V: VisitedSet> {
    successors: &'s S,
    observer: &'s O,
    options: &'s Options<'s>,
    visited: V,
    scratch: S::Scratch,
    eyes: O::Scratch,
    found: Expansion,
    summary: Summary,
    runs: Runs,
    run: Vec<DepthFrame<V::Entry>>,
    waiting: Vec<V::Entry>,
    visits: u32,
}

impl<'s, S: RowSuccessors, O: Observer, V: VisitedSet> DepthFirst<'s, S, O, V> {
    /// Visits what is reachable from `initial` and new to `visited`.
    pub fn run(
        successors: &'s S,
        observer: &'s O,
        visited: V,
        initial: &[Vec<u32>],
        options: &'s Options<'s>,
        progress: &mut dyn FnMut(Progress),
    ) -> (V, Summary, Runs) {
        let mut search = Self {
            successors,
            observer,
            options,
            visited,
            scratch: successors.scratch(),
            eyes: observer.scratch(),
            found: Expansion::default(),
            summary: Summary::default(),
            runs: Runs::new(),
            run: Vec::new(),
            waiting: Vec::new(),
            visits: 0,
        };
        search.summary.stopped = search.explore(initial, progress).err();
        search.summary.states = search.visited.len();
        (search.visited, search.summary, search.runs)
    }

    fn explore(&mut self, initial: &[Vec<u32>], progress: &mut dyn FnMut(Progress)) -> Result<(), Stopped> {
        for row in initial {
            if let Some(entry) = self.visited.enter_initial(row, self.options.budget)? {
                self.look(row);
                self.visit(entry, progress)?;
                self.finish_runs(progress)?;
            }
        }
        Ok(())
    }

    fn finish_runs(&mut self, progress: &mut dyn FnMut(Progress)) -> Result<(), Stopped> {
        while let Some(frame) = self.run.last() {
            if self.waiting.len() > frame.from {
                if let Some(next) = self.waiting.pop() {
                    self.visit(next, progress)?;
                }
            } else {
                self.run.pop();
            }
        }
        Ok(())
    }

    fn mind_the_limits(&self) -> Result<(), Stopped> {
        let full = self.options.max_states.is_some_and(|most| self.visited.len() > most);
        let enough = self.observer.is_enough(&self.summary)
            || (self.options.stop_at_finding && !self.summary.findings.is_empty());
        if full || enough { Err(Stopped(StopReason::Count)) } else { self.options.budget.check() }
    }

    /// Puts a state on the run and its new successors into the waiting list.
    fn visit(&mut self, entry: V::Entry, progress: &mut dyn FnMut(Progress)) -> Result<(), Stopped> {
        self.visits = self.visits.wrapping_add(1);
        if self.visits & (VISITS - 1) == 0 {
            self.mind_the_limits()?;
            let (states, bytes) = (self.visited.len(), self.visited.bytes());
            progress(Progress { states, queue: self.waiting.len(), depth: self.run.len(), bytes });
        }
        let row = self.visited.visit(&entry);
        self.run.push(DepthFrame { entry, from: self.waiting.len() });
        self.summary.depth = self.summary.depth.max(self.run.len() - 1);
        let private = self.successors.expand_private(&row, &mut self.scratch, &mut self.found);
        if !private || !self.enter(false)? {
            self.successors.expand(&row, &mut self.scratch, &mut self.found);
            self.enter(true)?;
        }
        self.count(&row);
        Ok(())
    }

    /// Enters the successors found. If they are only some, says whether they may stand for all (the cycle proviso): one of
    /// them is still to be expanded, so that the others are not put off round a cycle for ever.
    fn enter(&mut self, all: bool) -> Result<bool, Stopped> {
        let found = std::mem::take(&mut self.found);
        let from = self.waiting.len();
        let (mut open, mut row) = (false, Vec::new());
        for at in 0..found.steps() {
            found.copy_row(at, &mut row);
            if let Some(entry) = self.visited.enter(&row, self.options.budget)? {
                self.look(&row);
                self.waiting.push(entry);
                open = true;
            } else {
                open |= !all && self.visited.is_waiting(&row);
            }
        }
        // Taken from the end, so that the first step is followed first.
        self.waiting[from..].reverse();
        self.found = found;
        Ok(open)
    }

    /// Shows a new state, which is to follow the run at hand, to the observer.
    fn look(&mut self, row: &[u32]) {
        let mut broken = Vec::new();
        self.observer.look(row, &mut self.eyes, &mut |number| broken.push(number));
        for number in broken {
            self.note(Finding::Broken(number), self.run.len(), row);
        }
    }

    fn count(&mut self, row: &[u32]) {
        let depth = self.run.len() - 1;
        self.summary.transitions += self.found.steps();
        if self.found.deadlock {
            self.summary.deadlocks += 1;
            self.note(Finding::Deadlock, depth, row);
        }
        self.summary.faults += self.found.faults.len();
        for fault in std::mem::take(&mut self.found.faults) {
            self.note(Finding::Fault(fault), depth, row);
        }
    }

    /// Notes a finding at the state that is, or would be, at this depth of the run at hand. Where runs are kept the first one stays.
    fn note(&mut self, finding: Finding, depth: usize, row: &[u32]) {
        if V::KEEPS_RUNS {
            if self.runs.contains_key(&finding) {
                return;
            }
            let before = self.run[..depth].iter().map(|frame| self.visited.row(&frame.entry));
            self.runs.insert(finding.clone(), before.chain([row.to_vec()]).collect());
        }
        self.summary.note(finding, depth, row);
    }
}

/// Every state, told from every other.
struct ExactStates {
    store: StateStore,
    /// The state that was visited last, and room for its successors.
    base: Branches,
    branches: Branches,
    /// Whether a state has been expanded, by number.
    expanded: Vec<bool>,
}

impl ExactStates {
    fn new(store: StateStore) -> Self {
        Self { base: store.branches(), branches: store.branches(), store, expanded: Vec::new() }
    }
}

impl VisitedSet for ExactStates {
    type Entry = u32;

    const KEEPS_RUNS: bool = false;

    fn enter_initial(&mut self, row: &[u32], budget: &Budget) -> Result<Option<u32>, Stopped> {
        loop {
            if let Ok((number, new)) = self.store.insert_afresh(row, &mut self.branches) {
                return Ok(new.then_some(number));
            }
            self.store.may_grow(budget)?;
            self.store.grow();
        }
    }

    fn enter(&mut self, row: &[u32], budget: &Budget) -> Result<Option<u32>, Stopped> {
        loop {
            if let Ok((number, new)) = self.store.insert(&self.base, row, &mut self.branches) {
                return Ok(new.then_some(number));
            }
            self.store.may_grow(budget)?;
            self.store.grow();
        }
    }

    fn is_waiting(&self, row: &[u32]) -> bool {
        let known = self.store.find(row);
        known.is_some_and(|known| !self.expanded.get(known as usize).copied().unwrap_or(false))
    }

    fn visit(&mut self, &number: &u32) -> Vec<u32> {
        if self.expanded.len() <= number as usize {
            self.expanded.resize(number as usize * 2 + 64, false);
        }
        self.expanded[number as usize] = true;
        self.store.read(number, &mut self.base);
        self.base.words().to_vec()
    }

    fn row(&self, &number: &u32) -> Vec<u32> {
        let mut branches = self.store.branches();
        self.store.read(number, &mut branches);
        branches.words().to_vec()
    }

    fn len(&self) -> usize {
        self.store.len()
    }

    fn bytes(&self) -> usize {
        self.store.bytes()
    }
}
