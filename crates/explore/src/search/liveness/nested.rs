//! Nested depth-first search (Courcoubetis, Vardi, Wolper and Yannakakis 1992), with a store that keeps little of each state.
//!
//! The first search of the paper stays on its stack while the second runs; what is added is one mark after the other, for generalised Büchi automata.
//! //! The marks are collected one after the other, so that a run which has collected all of them passes an accepting node. The
//! outer search looks at an accepting node again when it leaves it; the inner one looks for a way back to it. Both note
//! what they have seen in one [`CompactStore`]; what that takes for known may be overlooked. The runs at hand are a lasso.

use tertium_base::narrow::to_u32;
use tertium_base::{Budget, StopReason, Stopped};

use super::marks::Marks;
use super::{Lasso, Monitor, Scheduling};
use crate::search::Progress;
use crate::store::{CompactStore, Keeping};
use crate::successors::{Expansion, RowSuccessors};

/// What such a search found.
#[derive(Clone, Debug)]
pub struct Nested {
    /// An accepted fair run, if one was found.
    pub lasso: Option<Lasso>,
    /// Nodes that were visited.
    pub states: usize,
    /// Steps that were looked at.
    pub transitions: usize,
    /// What went wrong in a step; runs through it are not known.
    pub faults: Vec<tertium_program::Fault>,
    /// The part of the nodes that was probably seen.
    pub coverage: f64,
}

/// A state of the program, of the monitor, and how many marks have been collected in turn.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Node {
    row: Vec<u32>,
    monitor: u32,
    level: u32,
}

impl Node {
    fn tag(&self, inner: bool) -> u64 {
        u64::from(self.monitor) << 16 | u64::from(self.level) << 1 | u64::from(inner)
    }
}

/// A node on a run, and where its unvisited successors begin in the waiting list.
type NestedFrame = (Node, usize);

struct NestedDfs<'s, S: RowSuccessors, M: Monitor> {
    successors: &'s S,
    monitor: &'s M,
    scheduling: &'s Scheduling,
    budget: &'s Budget,
    most: usize,
    visited: CompactStore,
    scratch: S::Scratch,
    eyes: M::Scratch,
    found: Expansion,
    moves: Vec<(u32, u64)>,
    transitions: usize,
    faults: Vec<tertium_program::Fault>,
    ticks: u32,
}

/// Looks for an accepted run that is weakly fair; strong fairness is not looked at. At most `most` nodes are visited.
///
/// # Errors
/// If the budget is spent, or the limit reached, first.
pub fn accepted_run_compact<S: RowSuccessors, M: Monitor>(
    successors: &S,
    monitor: &M,
    scheduling: &Scheduling,
    initial: &[Vec<u32>],
    keeping: Keeping,
    (budget, most): (&Budget, usize),
    progress: &mut dyn FnMut(Progress),
) -> Result<Nested, Stopped> {
    let mut search = NestedDfs {
        successors,
        monitor,
        scheduling,
        budget,
        most,
        visited: CompactStore::new(keeping, budget)?,
        scratch: successors.scratch(),
        eyes: monitor.scratch(),
        found: Expansion::default(),
        moves: Vec::new(),
        transitions: 0,
        faults: Vec::new(),
        ticks: 0,
    };
    let mut lasso = None;
    for row in initial {
        for monitor in monitor.initial() {
            if lasso.is_none() {
                lasso = search.outer(Node { row: row.clone(), monitor, level: 0 }, progress)?;
            }
        }
    }
    let (states, coverage) = (search.visited.len(), search.visited.coverage());
    Ok(Nested { lasso, states, transitions: search.transitions, faults: search.faults, coverage })
}

impl<S: RowSuccessors, M: Monitor> NestedDfs<'_, S, M> {
    fn marks(&self) -> u32 {
        self.monitor.marks() + to_u32(self.scheduling.weak.len())
    }

    fn is_new(&mut self, node: &Node, inner: bool) -> Result<bool, Stopped> {
        self.visited.insert(&node.row, node.tag(inner), self.budget)
    }

    fn mind_the_limits(&mut self, depth: usize, progress: &mut dyn FnMut(Progress)) -> Result<(), Stopped> {
        self.ticks = self.ticks.wrapping_add(1);
        if self.ticks & 1023 == 0 {
            self.budget.check()?;
            let (states, bytes) = (self.visited.len(), self.visited.bytes());
            progress(Progress { states, queue: 0, depth, bytes });
        }
        if self.visited.len() > self.most { Err(Stopped(StopReason::Count)) } else { Ok(()) }
    }

    fn outer(&mut self, start: Node, progress: &mut dyn FnMut(Progress)) -> Result<Option<Lasso>, Stopped> {
        let (mut run, mut waiting): (Vec<NestedFrame>, Vec<Node>) = (Vec::new(), Vec::new());
        if !self.is_new(&start, false)? {
            return Ok(None);
        }
        self.enter(start, &mut run, &mut waiting);
        while let Some((_, from)) = run.last() {
            self.mind_the_limits(run.len(), progress)?;
            if waiting.len() > *from {
                if let Some(next) = waiting.pop()
                    && self.is_new(&next, false)?
                {
                    self.enter(next, &mut run, &mut waiting);
                }
                continue;
            }
            let Some((node, _)) = run.pop() else { break };
            if node.level == self.marks()
                && let Some(cycle) = self.inner(&node, progress)?
            {
                let stem = run.into_iter().map(|(node, _)| node.row).collect();
                return Ok(Some(Lasso { stem, cycle }));
            }
        }
        Ok(None)
    }

    /// A way from a node back to itself, as rows from it on.
    fn inner(&mut self, seed: &Node, progress: &mut dyn FnMut(Progress)) -> Result<Option<Vec<Vec<u32>>>, Stopped> {
        let (mut run, mut waiting): (Vec<NestedFrame>, Vec<Node>) = (Vec::new(), Vec::new());
        self.enter(seed.clone(), &mut run, &mut waiting);
        while let Some((_, from)) = run.last() {
            self.mind_the_limits(run.len(), progress)?;
            if waiting.len() <= *from {
                run.pop();
                continue;
            }
            let Some(next) = waiting.pop() else { break };
            if next == *seed {
                return Ok(Some(run.into_iter().map(|(node, _)| node.row).collect()));
            }
            if self.is_new(&next, true)? {
                self.enter(next, &mut run, &mut waiting);
            }
        }
        Ok(None)
    }

    fn enter(&mut self, node: Node, run: &mut Vec<NestedFrame>, waiting: &mut Vec<Node>) {
        let from = waiting.len();
        self.expand(&node, waiting);
        waiting[from..].reverse();
        run.push((node, from));
    }

    /// What comes after a node. A state without successors rests, if the monitor says so.
    fn expand(&mut self, node: &Node, out: &mut Vec<Node>) {
        self.successors.expand(&node.row, &mut self.scratch, &mut self.found);
        for fault in self.found.faults.drain(..) {
            if !self.faults.contains(&fault) {
                self.faults.push(fault);
            }
        }
        self.moves.clear();
        self.monitor.next(node.monitor, &node.row, &mut self.eyes, &mut self.moves);
        let rests = self.found.steps() == 0 && self.monitor.stutters();
        for at in 0..self.found.steps().max(usize::from(rests)) {
            let row = if rests { node.row.clone() } else { self.found.row(at) };
            let mover = if rests { None } else { self.found.movers.get(at).copied() };
            let fair = self.fair_marks(mover);
            self.transitions += self.moves.len();
            for &(monitor, marks) in &self.moves {
                out.push(Node {
                    row: row.clone(),
                    monitor,
                    level: self.level(node.level, Marks::of_monitor(marks).union(fair)),
                });
            }
        }
    }

    /// How many marks have been collected in turn, after those of one more step.
    fn level(&self, level: u32, marks: Marks) -> u32 {
        let all = self.marks();
        let mut level = if level == all { 0 } else { level };
        while level < all && marks.contains(level as usize) {
            level += 1;
        }
        level
    }

    /// A step is fair to a process if it is the process's own or the process cannot step.
    fn fair_marks(&self, mover: Option<u32>) -> Marks {
        let first = self.monitor.marks() as usize;
        let fair = |pid: &u32| Some(*pid) == mover || !self.found.movers.contains(pid);
        let mut marks = Marks::NONE;
        (self.scheduling.weak.iter().enumerate().filter(|(_, pid)| fair(pid)))
            .for_each(|(at, _)| marks.insert(first + at));
        marks
    }
}
