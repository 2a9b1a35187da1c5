//! The product of a program and a monitor, numbered as it is met.

use tertium_base::{Budget, Stopped};

use super::marked::{Edge, Marked, NOBODY};
use super::marks::Marks;
use super::{Monitor, Scheduling, strong};
use crate::store::{Branches, StateStore};
use crate::successors::{Expansion, RowSuccessors};

/// The product, numbered as it is met.
pub(super) struct Product<'s, S: RowSuccessors, M: Monitor> {
    pub successors: &'s S,
    pub monitor: &'s M,
    pub scheduling: &'s Scheduling,
    pub budget: &'s Budget,
    pub store: StateStore,
    base: Branches,
    branches: Branches,
    scratch: S::Scratch,
    eyes: M::Scratch,
    pub found: Expansion,
    moves: Vec<(u32, u64)>,
    next: Vec<u32>,
    row: Vec<u32>,
    pub transitions: usize,
    pub faults: Vec<tertium_program::Fault>,
}

impl<'s, S: RowSuccessors, M: Monitor> Product<'s, S, M> {
    pub fn new(successors: &'s S, monitor: &'s M, scheduling: &'s Scheduling, budget: &'s Budget) -> Self {
        Self::over(StateStore::new(successors.words() + 1), successors, monitor, scheduling, budget)
    }

    /// The same with states that have numbers already.
    pub fn over(
        store: StateStore,
        successors: &'s S,
        monitor: &'s M,
        scheduling: &'s Scheduling,
        budget: &'s Budget,
    ) -> Self {
        Self {
            base: store.branches(),
            branches: store.branches(),
            store,
            successors,
            monitor,
            scheduling,
            budget,
            scratch: successors.scratch(),
            eyes: monitor.scratch(),
            found: Expansion::default(),
            moves: Vec::new(),
            next: Vec::new(),
            row: Vec::new(),
            transitions: 0,
            faults: Vec::new(),
        }
    }

    pub fn number(&mut self, row: &[u32], state: u32, fresh: bool) -> Result<u32, Stopped> {
        self.row.clear();
        self.row.push(state);
        self.row.extend_from_slice(row);
        loop {
            let inserted = if fresh {
                self.store.insert_afresh(&self.row, &mut self.branches)
            } else {
                self.store.insert(&self.base, &self.row, &mut self.branches)
            };
            match inserted {
                Ok((number, _)) => return Ok(number),
                Err(_) => {
                    self.store.may_grow(self.budget)?;
                    self.store.grow();
                }
            }
        }
    }

    pub fn program_row(&mut self, number: u32) -> Vec<u32> {
        self.store.read(number, &mut self.base);
        self.base.words()[1..].to_vec()
    }

    /// Pairs what was found after `row`, the program's part of the state last read, with the monitor's moves.
    fn join(&mut self, row: &[u32], out: &mut Vec<Edge>) -> Result<(), Stopped> {
        out.clear();
        let state = self.base.words()[0];
        self.moves.clear();
        self.monitor.next(state, row, &mut self.eyes, &mut self.moves);
        let found = std::mem::take(&mut self.found);
        let moves = std::mem::take(&mut self.moves);
        let rests = usize::from(self.monitor.stutters());
        let mut next = std::mem::take(&mut self.next);
        for at in 0..found.steps().max(rests) {
            let stutters = found.steps() == 0;
            if !stutters {
                found.copy_row(at, &mut next);
            }
            let arrival = if stutters { row } else { next.as_slice() };
            let mover = if stutters { NOBODY } else { found.movers[at] };
            let fair = self.fair_marks(mover, &found.movers);
            for &(state, marks) in &moves {
                let target = self.number(arrival, state, false)?;
                out.push(Edge { target, marks: Marks::of_monitor(marks).union(fair), mover });
            }
        }
        self.transitions += out.len();
        self.found = found;
        self.moves = moves;
        self.next = next;
        Ok(())
    }

    /// A step is fair to a process if it is the process's own or the process cannot step.
    fn fair_marks(&self, mover: u32, movers: &[u32]) -> Marks {
        let first = self.monitor.marks() as usize;
        let mut marks = Marks::NONE;
        for (at, pid) in self.scheduling.weak.iter().enumerate() {
            if *pid == mover || !movers.contains(pid) {
                marks.insert(first + at);
            }
        }
        marks
    }
}

impl<S: RowSuccessors, M: Monitor> Marked for Product<'_, S, M> {
    type Failure = Stopped;

    fn all_marks(&self) -> Marks {
        Marks::all(self.monitor.marks() as usize + self.scheduling.weak.len())
    }

    fn budget(&self) -> &Budget {
        self.budget
    }

    fn size(&self) -> (usize, usize) {
        (self.store.len(), self.store.bytes())
    }

    /// The enabled pids are left in `found.movers`.
    fn edges(&mut self, number: u32, out: &mut Vec<Edge>) -> Result<(), Stopped> {
        let row = self.program_row(number);
        self.successors.expand(&row, &mut self.scratch, &mut self.found);
        self.faults.append(&mut self.found.faults);
        self.join(&row, out)
    }

    /// Private steps alone, if they are enough: none of them leads to a state met before, so that nothing is put off
    /// all the way round a cycle. Fairness to a process looks at every state where it can step, so it forbids this.
    fn enough_edges(&mut self, number: u32, order: &[u32], out: &mut Vec<Edge>) -> Result<bool, Stopped> {
        if !self.scheduling.weak.is_empty() || !self.scheduling.strong.is_empty() {
            return Ok(false);
        }
        let row = self.program_row(number);
        if !self.successors.expand_private(&row, &mut self.scratch, &mut self.found) {
            return Ok(false);
        }
        self.join(&row, out)?;
        Ok(out.iter().all(|edge| order.get(edge.target as usize).is_none_or(|&order| order == 0)))
    }

    fn strongly_fair(&mut self, component: Vec<u32>) -> Result<Option<Vec<u32>>, Stopped> {
        if self.scheduling.strong.is_empty() {
            return Ok(Some(component));
        }
        strong::strongly_fair(self, component)
    }

    fn movers_inside(&mut self, component: &[u32]) -> Result<Vec<u32>, Stopped> {
        if self.scheduling.strong.is_empty() {
            return Ok(Vec::new());
        }
        let inside = strong::inside(self, component)?;
        let moves = |pid: &u32| inside.edges.iter().flatten().any(|edge| edge.mover == *pid);
        Ok(self.scheduling.strong.iter().copied().filter(moves).collect())
    }
}
