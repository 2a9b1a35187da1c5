//! Depth-first search that keeps little of each state.
//!
//! Visits what a [`Sketch`] takes for new. It may overlook states, never invents any: what it finds comes with the run that led
//! there, so a finding can be repeated. What it does not find may be there all the same.

use std::collections::BTreeMap;

use tertium_base::{StopReason, Stopped};

use super::breadth::Options;
use super::{Finding, Observer, Progress, Summary};
use crate::store::{Keeping, Sketch};
use crate::successors::{Expansion, RowSuccessors};

/// A search that has ended.
#[derive(Debug)]
pub struct Sketched {
    /// What was seen; depths are positions on the run at hand.
    pub summary: Summary,
    /// The run that led to each finding, as rows from an initial one on.
    pub runs: BTreeMap<Finding, Vec<Vec<u32>>>,
    /// The part of the states that was probably seen.
    pub coverage: f64,
    /// Bytes of the sketch.
    pub bytes: usize,
}

/// Visits states that are reachable from `initial`, with one thread.
pub fn sketched<S: RowSuccessors, O: Observer>(
    successors: &S,
    observer: &O,
    initial: &[Vec<u32>],
    keeping: Keeping,
    options: &Options<'_>,
    progress: &mut dyn FnMut(Progress),
) -> Sketched {
    let sketch = match Sketch::new(keeping, options.budget) {
        Ok(sketch) => sketch,
        Err(stopped) => {
            let summary = Summary { stopped: Some(stopped), ..Summary::default() };
            return Sketched { summary, runs: BTreeMap::new(), coverage: 0.0, bytes: 0 };
        }
    };
    let mut search = Search {
        successors,
        observer,
        options,
        sketch,
        scratch: successors.scratch(),
        eyes: observer.scratch(),
        found: Expansion::default(),
        summary: Summary::default(),
        runs: BTreeMap::new(),
        run: Vec::new(),
        waiting: Vec::new(),
    };
    search.summary.stopped = search.explore(initial, progress).err();
    search.summary.states = search.sketch.len();
    let (coverage, bytes) = (search.sketch.coverage(), search.sketch.bytes());
    Sketched { summary: search.summary, runs: search.runs, coverage, bytes }
}

struct Search<'s, S: RowSuccessors, O: Observer> {
    successors: &'s S,
    observer: &'s O,
    options: &'s Options<'s>,
    sketch: Sketch,
    scratch: S::Scratch,
    eyes: O::Scratch,
    found: Expansion,
    summary: Summary,
    runs: BTreeMap<Finding, Vec<Vec<u32>>>,
    /// The states of the run at hand, and where the unvisited successors of each begin in `waiting`.
    run: Vec<(Vec<u32>, usize)>,
    waiting: Vec<Vec<u32>>,
}

impl<S: RowSuccessors, O: Observer> Search<'_, S, O> {
    fn explore(&mut self, initial: &[Vec<u32>], progress: &mut dyn FnMut(Progress)) -> Result<(), Stopped> {
        for row in initial {
            if self.sketch.insert(row, 0, self.options.budget)? {
                self.visit(row.clone())?;
                self.finish_runs(progress)?;
            }
        }
        Ok(())
    }

    fn finish_runs(&mut self, progress: &mut dyn FnMut(Progress)) -> Result<(), Stopped> {
        let mut ticks: u32 = 0;
        while let Some(&(_, from)) = self.run.last() {
            ticks = ticks.wrapping_add(1);
            if ticks & 1023 == 0 {
                self.mind_the_limits()?;
                let (states, bytes) = (self.sketch.len(), self.sketch.bytes());
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
        let full = self.options.max_states.is_some_and(|most| self.sketch.len() > most);
        let enough = self.observer.is_enough(&self.summary)
            || (self.options.stop_at_finding && !self.summary.findings.is_empty());
        if full || enough { Err(Stopped(StopReason::Count)) } else { self.options.budget.check() }
    }

    /// Puts a state on the run and its new successors into the waiting list.
    fn visit(&mut self, row: Vec<u32>) -> Result<(), Stopped> {
        self.run.push((row.clone(), self.waiting.len()));
        self.summary.depth = self.summary.depth.max(self.run.len() - 1);
        let mut broken = Vec::new();
        self.observer.look(&row, &mut self.eyes, &mut |number| broken.push(Finding::Broken(number)));
        broken.into_iter().for_each(|finding| self.note(finding, &row));
        let private = self.successors.expand_private(&row, &mut self.scratch, &mut self.found);
        // If all of them were seen before, going on with them alone could put off the others for ever.
        if !private || !self.enter()? {
            self.successors.expand(&row, &mut self.scratch, &mut self.found);
            self.enter()?;
        }
        self.count(&row);
        Ok(())
    }

    /// Enters the successors found; says whether one of them is new.
    fn enter(&mut self) -> Result<bool, Stopped> {
        let from = self.waiting.len();
        for at in 0..self.found.steps() {
            let next = self.found.row(at);
            if self.sketch.insert(&next, 0, self.options.budget)? {
                self.waiting.push(next);
            }
        }
        self.waiting[from..].reverse();
        Ok(self.waiting.len() > from)
    }

    fn count(&mut self, row: &[u32]) {
        self.summary.transitions += self.found.steps();
        if self.found.deadlock {
            self.summary.deadlocks += 1;
            self.note(Finding::Deadlock, row);
        }
        self.summary.faults += self.found.faults.len();
        for fault in std::mem::take(&mut self.found.faults) {
            self.note(Finding::Fault(fault), row);
        }
    }

    /// Notes a finding, with the run at hand, if it is the first of its kind.
    fn note(&mut self, finding: Finding, row: &[u32]) {
        if !self.runs.contains_key(&finding) {
            self.summary.note(finding.clone(), self.run.len() - 1, row);
            self.runs.insert(finding, self.run.iter().map(|(row, _)| row.clone()).collect());
        }
    }
}
