//! Which paths may there be, if nobody asks what must?
//!
//! That no fair path breaks a linear formula is a matter of possible steps alone. [`PossiblePaths`] makes the states of such paths when
//! they are asked for: steps that are possible ([`crate::possible`]), the ends of paths as states in which nothing happens any more, and
//! for each step the fair processes that it may count for. It asks nothing about what is certain, and keeps what it found, so
//! that the part of the structure that was looked at can be drawn ([`crate::Explored::part`]).
//!
//! Not here: what is searched for along the paths, and that a step is certain.

use std::collections::HashMap;

use tertium_base::{StopReason, Stopped};
use tertium_program::{ProcessId, Successors};

use crate::choices::Closed;
use crate::collect::{Explored, StructureOptions};
use crate::expand::{AbstractStep, Expansion, Failed, merge};
use crate::state::AbstractState;
use crate::system::System;
use crate::view::View;

/// The possible paths of a system. A step is told by the fair processes that it may count for, one bit each.
#[derive(Debug)]
pub struct PossiblePaths<'s> {
    /// The system.
    pub system: &'s mut System,
    shape: &'s StructureOptions,
    loosely: bool,
    initial: Vec<(AbstractState, bool)>,
    known: HashMap<AbstractState, Expansion>,
}

impl<'s> PossiblePaths<'s> {
    /// Fair to those whom the shape names; paths that end go on as it says.
    #[must_use]
    pub fn new(system: &'s mut System, shape: &'s StructureOptions) -> Self {
        Self { system, shape, loosely: false, initial: Vec::new(), known: HashMap::new() }
    }

    /// The same, and more than that: a path may end anywhere, and fair processes may be unable to step anywhere. This needs no questions,
    /// and is enough for whatever holds of those paths, too.
    #[must_use]
    pub fn loosely(system: &'s mut System, shape: &'s StructureOptions) -> Self {
        Self { loosely: true, ..Self::new(system, shape) }
    }

    /// Whether those are the paths that [`Self::new`] has.
    #[must_use]
    pub fn is_exact(&self) -> bool {
        !self.loosely || (self.shape.fair.is_empty() && !self.shape.stutter)
    }

    /// States of which it was asked what follows.
    #[must_use]
    pub fn made(&self) -> usize {
        self.known.len()
    }

    /// What was looked at.
    #[must_use]
    pub fn explored(self) -> Explored {
        Explored::part(self.initial, self.known, self.system.program.processes.len())
    }

    fn everyone(&self) -> u64 {
        self.shape.fair.len().checked_sub(1).map_or(0, |last| u64::MAX >> (63 - last.min(63)))
    }

    /// Whom a step may count for: its own process, and those that may be unable to step.
    fn counts(&self, step: &AbstractStep, expansion: &Expansion) -> u64 {
        let counts = |fair: &ProcessId| step.process == *fair || expansion.may_rest[fair.index()];
        self.shape.fair.iter().enumerate().fold(0, |all, (at, fair)| all | u64::from(counts(fair)) << at)
    }
}

impl Successors for PossiblePaths<'_> {
    type State = AbstractState;
    type Step = u64;
    type Failure = Failed;

    fn initial(&mut self) -> Result<Vec<AbstractState>, Failed> {
        self.initial = self.system.initial_states()?.into_iter().map(|found| (found.state, found.certain)).collect();
        Ok(self.initial.iter().map(|(state, _)| state.clone()).collect())
    }

    fn after(
        &mut self,
        state: &AbstractState,
        arrive: &mut dyn FnMut(u64, AbstractState) -> usize,
    ) -> Result<(), Failed> {
        if state.stopped {
            arrive(self.everyone(), state.clone());
            return Ok(());
        }
        if self.known.len() >= self.system.options.most_states {
            return Err(Stopped(StopReason::Count).into());
        }
        let anything = StructureOptions::default();
        let asked = if self.loosely { &anything } else { self.shape };
        let mut expansion = self.system.expand_possible(state, asked)?;
        expansion.may_stop |= self.loosely && self.shape.stutter;
        for step in &expansion.steps {
            arrive(self.counts(step, &expansion), step.target.clone());
        }
        if expansion.may_stop {
            let stopped = !expansion.steps.is_empty();
            arrive(self.everyone(), AbstractState { stopped, ..state.clone() });
        }
        self.known.insert(state.clone(), expansion);
        Ok(())
    }
}

impl System {
    /// What may follow from a state; of what must, nothing. Whether a process may be unable to step is told of those that
    /// the shape calls fair, and whether all may be, only if runs that end go on.
    ///
    /// # Errors
    /// If a limit is reached, or a kept variable gets too many values.
    pub fn expand_possible(&mut self, state: &AbstractState, shape: &StructureOptions) -> Result<Expansion, Failed> {
        let mut found = Expansion { may_rest: vec![true; self.program.processes.len()], ..Expansion::default() };
        for step in self.possible_steps(state)? {
            let process = self.operations[step.operation].process;
            found.steps.push(AbstractStep { target: step.target, process, may: true, must: false });
        }
        merge(&mut found.steps);
        let mut view = None;
        for &fair in &shape.fair {
            found.may_rest[fair.index()] = self.rests(state, &mut view, fair)?;
        }
        if shape.stutter {
            found.may_stop = self.stops(state, &mut view, &found)?;
        }
        Ok(found)
    }

    /// Whether a run may end in a state.
    fn stops(&mut self, state: &AbstractState, view: &mut Option<View>, found: &Expansion) -> Result<bool, Failed> {
        if found.steps.is_empty() {
            return Ok(true);
        }
        for process in self.program.process_ids() {
            let moves = found.steps.iter().any(|step| step.process == process);
            if moves && (!found.may_rest[process.index()] || !self.rests(state, view, process)?) {
                return Ok(false);
            }
        }
        let view = view.get_or_insert_with(|| self.view(state));
        let mut able = Vec::new();
        for process in self.program.process_ids() {
            able.extend(self.able(state, view, process));
        }
        Ok(!self.surely(view, &able)?)
    }

    /// Whether a process may be unable to step in a state.
    fn rests(&mut self, state: &AbstractState, view: &mut Option<View>, process: ProcessId) -> Result<bool, Failed> {
        self.resting_of(state, process, |system| {
            let view = view.get_or_insert_with(|| system.view(state));
            let able = system.able(state, view, process);
            Ok(able.is_empty() || !system.surely(view, &able)?)
        })
    }

    /// When a process can step, by operation.
    fn able(&mut self, state: &AbstractState, view: &View, process: ProcessId) -> Vec<Closed> {
        let at = state.locations[process.index()].index();
        let mut able = Vec::new();
        for operation in self.leaving[process.index()][at].clone() {
            let relation = self.simplify(view, self.operations[operation].relation);
            if self.terms.as_bool(relation) != Some(false) {
                let inputs = self.operations[operation].inputs.clone();
                able.push(self.close(relation, &inputs));
            }
        }
        able
    }
}
