//! Which constraints hold at each location, whatever happened before and whatever the other processes do?
//!
//! Each process is followed by itself: what is known flows along its steps, and at each of its locations everything that another
//! process can do may happen in between (interference; Miné 2012). What that other process knows where it steps from is used.
//! Where asked, states are told apart by conditions, too (trace partitioning: Rival and Mauborgne 2007).

use std::collections::BTreeMap;

use super::constraint::LinearConstraint;
use super::domain::AbstractDomain;
use super::guards::{Frame, either, with_all};
use super::product::{MOST_RELATED, Product};
use crate::analysis::intervals::{ExprIntervals, Interval, Intervals};
use crate::expr::ExprId;
use crate::graph::{Action, LocationId, ProcessId, Program, Step};
use crate::types::{InitialValue, Scope, Type, VarId};

/// Joins at a location before bounds that still move are given up.
const PATIENCE: u32 = 4;
/// Changes at a location after which nothing is claimed there.
const MOST_CHANGES: u32 = 64;
/// Rounds that give back what widening lost.
const NARROWING: usize = 2;
/// Work after which nothing is claimed at all, in steps times the third power of the number of variables.
const MOST_WORK: u64 = 60_000_000;

/// What a step costs with polyhedra, in the same unit.
const POLYHEDRON_WORK: u64 = 15_000;
/// With more numbers than this there are no polyhedra: their descriptions may grow exponentially.
const MOST_IN_POLYHEDRA: usize = 8;
/// Nor with more steps.
const MOST_STEPS_OF_POLYHEDRA: usize = 150;

/// So many inputs of a step are followed like variables while it is taken.
const MOST_INPUTS: usize = 3;

/// A process at a location, in a cell of the partition of states: bit by bit, which of the conditions hold.
type Spot = (ProcessId, LocationId, u32);
/// What is known where; locations that are not reached are missing.
pub(super) type Known = BTreeMap<Spot, Product>;

/// Too much work.
pub(super) struct TooMuch;

/// The analysis of one program.
pub(super) struct Fixpoint<'p> {
    program: &'p Program,
    frames: Vec<Frame<'p>>,
    /// The intervals of inputs, by step.
    inputs: Vec<Vec<Interval>>,
    work: u64,
    /// The numbers among the variables of each process that are followed as polyhedra; empty without these.
    numbers: Vec<Vec<bool>>,
    /// Somewhere nothing was claimed in the end.
    gave_up: bool,
    /// Conditions that states are told apart by.
    conditions: Vec<ExprId>,
}

impl<'p> Fixpoint<'p> {
    pub(super) fn new(program: &'p Program, everywhere: &'p Intervals) -> Self {
        let values = ExprIntervals::by_types(program);
        let inputs = program.steps.iter().map(|step| values.inputs(program, step)).collect();
        let most_inputs = program.steps.iter().map(|step| step.inputs.len()).max().unwrap_or(0).min(MOST_INPUTS);
        let frame = |process| {
            let (dimensions, decided) = (followed(program, process), BTreeMap::new());
            // Relations between variables are not given up for inputs.
            let numbered_inputs = most_inputs.min(MOST_RELATED.saturating_sub(dimensions.len()));
            Frame { program, dimensions, numbered_inputs, everywhere, decided }
        };
        Self {
            program,
            frames: program.process_ids().map(frame).collect(),
            inputs,
            work: 0,
            numbers: Vec::new(),
            gave_up: false,
            conditions: Vec::new(),
        }
    }

    /// The same where states are told apart by these conditions (Rival and Mauborgne 2007): what holds where some of them hold is joined with nothing else.
    pub(super) fn partitioned(self, conditions: Vec<ExprId>) -> Self {
        Self { conditions, ..self }
    }

    /// What is known, by cell of the partition.
    fn cells(&self, process: ProcessId, known: Product) -> Vec<(u32, Product)> {
        let frame = self.frame(process);
        let mut cells = vec![(0, known)];
        for (at, &condition) in self.conditions.iter().enumerate() {
            let mut split = Vec::new();
            for (cell, known) in cells {
                for (bit, holds) in [(0u32, false), (1u32 << at, true)] {
                    let part = frame.assume(known.clone(), &[], (condition, holds), 0);
                    split.extend(part.map(|part| (cell | bit, part)));
                }
            }
            cells = split;
        }
        cells
    }

    pub(super) fn frame(&self, process: ProcessId) -> &Frame<'p> {
        &self.frames[process.index()]
    }

    /// The same with polyhedra, where programs are small enough and nothing has to be given up.
    pub(super) fn with_polyhedra(&mut self) -> Option<Known> {
        let is_number = |var: VarId| self.program.variable(var).ty != Type::Bool;
        let of = |frame: &Frame<'_>| {
            let inputs = std::iter::repeat_n(true, frame.numbered_inputs);
            frame.dimensions.keys().map(|&var| is_number(var)).chain(inputs).collect::<Vec<bool>>()
        };
        let numbers: Vec<Vec<bool>> = self.frames.iter().map(of).collect();
        let count = |frame: &Frame<'_>| frame.dimensions.keys().filter(|&&var| is_number(var)).count();
        let most = self.frames.iter().map(count).max().unwrap_or(0);
        if !(2..=MOST_IN_POLYHEDRA).contains(&most) || self.program.steps.len() > MOST_STEPS_OF_POLYHEDRA {
            return None;
        }
        (self.numbers, self.work, self.gave_up) = (numbers, 0, false);
        let found = self.solve();
        found.ok().filter(|_| !self.gave_up)
    }

    /// All values.
    fn top(&self, process: ProcessId) -> Product {
        match self.numbers.get(process.index()) {
            Some(numbers) => Product::with_polyhedron(numbers.clone()),
            None => Product::top(self.frame(process).size()),
        }
    }

    pub(super) fn solve(&mut self) -> Result<Known, TooMuch> {
        let mut known = self.initial();
        let begin = known.clone();
        let mut changes: BTreeMap<Spot, u32> = BTreeMap::new();
        loop {
            let next = self.round(&begin, &known)?;
            let mut changed = false;
            for (spot, value) in next {
                changed |= self.grow(&mut known, &mut changes, spot, value);
            }
            if !changed {
                break;
            }
        }
        for _ in 0..NARROWING {
            let smaller = self.round(&begin, &known)?;
            let stays = self.round(&begin, &smaller)?;
            // What one round makes of it is only kept if it is an invariant by itself.
            if !includes(&smaller, &stays) || smaller == known {
                break;
            }
            known = smaller;
        }
        Ok(known)
    }

    /// Adds what a round found at a location; says whether that is new.
    fn grow(&mut self, known: &mut Known, changes: &mut BTreeMap<Spot, u32>, spot: Spot, mut next: Product) -> bool {
        // What holds everywhere is part of every value: where a step alone does not show it, values would grow for ever.
        self.bound(spot.0, &mut next);
        let Some(before) = known.get_mut(&spot) else {
            known.insert(spot, next);
            return true;
        };
        if before.includes(&next) {
            return false;
        }
        let count = changes.entry(spot).or_default();
        *count += 1;
        let mut joined = before.clone();
        joined.join(&next);
        if *count > MOST_CHANGES + 1 {
            *before = self.top(spot.0);
            self.gave_up = true;
        } else if *count > MOST_CHANGES {
            *before = self.unknown(spot.0);
            self.gave_up = true;
        } else if *count > PATIENCE {
            before.widen(&joined);
            self.bound(spot.0, before);
        } else {
            *before = joined;
        }
        true
    }

    /// Nothing but what holds everywhere.
    fn unknown(&self, process: ProcessId) -> Product {
        let mut top = self.top(process);
        self.bound(process, &mut top);
        top
    }

    fn bound(&self, process: ProcessId, known: &mut Product) {
        let frame = self.frame(process);
        for (&var, &dimension) in &frame.dimensions {
            // Where both exclude each other, no run gets; saying less is no mistake.
            let mut bounded = known.clone();
            if bounded.restrict(dimension, frame.everywhere(var)) {
                *known = bounded;
            }
        }
    }

    /// What is known where processes begin.
    fn initial(&self) -> Known {
        let mut known = Known::new();
        for process in followed_processes(self.program) {
            let frame = self.frame(process);
            let mut top = Some(self.unknown(process));
            for (&var, &dimension) in &frame.dimensions {
                let value = initial_interval(self.program, var);
                top = top.and_then(|mut top| top.restrict(dimension, value).then_some(top));
            }
            top = top.and_then(|mut top| top.reduce().then_some(top));
            let init = self.program.init;
            let begins = init.map_or(top.clone(), |init| frame.assume(top?, &[], (init, true), 0));
            for (cell, begins) in begins.into_iter().flat_map(|begins| self.cells(process, begins)) {
                known.insert((process, self.program.process(process).entry, cell), begins);
            }
        }
        known
    }

    /// What is known after any one step, and at the beginning.
    fn round(&mut self, begin: &Known, known: &Known) -> Result<Known, TooMuch> {
        let mut next = begin.clone();
        for (at, step) in self.program.steps.iter().enumerate() {
            let inputs = self.inputs[at].clone();
            let sources = known.range((step.process, step.source, 0)..=(step.process, step.source, u32::MAX));
            for (&(_, _, from), source) in sources {
                let told = self.named(step.process, source);
                for (&(process, location, cell), here) in known {
                    let Some(target) = self.moves(step, process, location) else { continue };
                    let own = process == step.process;
                    if own && cell != from {
                        continue;
                    }
                    self.work(process)?;
                    let before = if own { Some(here.clone()) } else { self.informed(process, here, &told) };
                    let after = before.and_then(|before| self.after(process, before, step, &inputs));
                    for (cell, after) in after.into_iter().flat_map(|after| self.cells(process, after)) {
                        let spot = (process, target, cell);
                        let joined = either(next.remove(&spot), Some(after));
                        next.extend(joined.map(|joined| (spot, joined)));
                    }
                }
            }
        }
        Ok(next)
    }

    fn work(&mut self, process: ProcessId) -> Result<(), TooMuch> {
        let size = self.frames[process.index()].size().min(MOST_RELATED) as u64 + 1;
        self.work += if self.numbers.is_empty() { size * size * size } else { POLYHEDRON_WORK };
        if self.work > MOST_WORK { Err(TooMuch) } else { Ok(()) }
    }

    /// What a process knows.
    fn named(&self, process: ProcessId, known: &Product) -> Vec<LinearConstraint<VarId>> {
        let dimensions = &self.frame(process).dimensions;
        let names: BTreeMap<usize, VarId> = dimensions.iter().map(|(&var, &at)| (at, var)).collect();
        known.constraints().iter().filter_map(|one| one.renamed(|at| names.get(&at).copied())).collect()
    }

    /// What is known at a place, with what whoever steps knows where it steps from.
    fn informed(&self, process: ProcessId, here: &Product, told: &[LinearConstraint<VarId>]) -> Option<Product> {
        let dimensions = &self.frame(process).dimensions;
        let shared = |one: &LinearConstraint<VarId>| one.renamed(|var| dimensions.get(&var).copied());
        let told: Vec<LinearConstraint<usize>> = told.iter().filter_map(shared).collect();
        with_all(here.clone(), &told)
    }

    /// Where a step leaves a process that is at a location; nothing if it cannot be taken then, or changes nothing there.
    fn moves(&self, step: &Step, process: ProcessId, location: LocationId) -> Option<LocationId> {
        if step.process == process {
            return (step.source == location).then_some(step.target);
        }
        let others: &[(ProcessId, LocationId)] = match &step.action {
            Action::Together { moves, .. } => moves,
            _ => &[],
        };
        let moved = others.iter().find(|&&(who, _)| who == process).map(|&(_, target)| target);
        let dimensions = &self.frame(process).dimensions;
        if moved.is_none() && !step.written().iter().any(|var| dimensions.contains_key(var)) {
            return None;
        }
        let place = self.program.places(step.guard).get(&process).copied();
        place.is_none_or(|place| place == location).then(|| moved.unwrap_or(location))
    }

    fn after(&self, process: ProcessId, before: Product, step: &Step, inputs: &[Interval]) -> Option<Product> {
        let frame = self.frame(process);
        let chosen = frame.choose(before, inputs)?;
        let mut before = frame.assume(chosen, inputs, (step.guard, true), 0)?;
        for &first in &step.yields_to {
            let first = self.program.step(first);
            if first.inputs.is_empty() && is_plain(&first.action) {
                before = frame.assume(before, &[], (first.guard, false), 0)?;
            }
        }
        let mut after = match &step.action {
            Action::Assign(assigns) | Action::Together { assigns, .. } => frame.assign(before, inputs, assigns)?,
            Action::Assert(condition) if !self.program.persistent => {
                frame.assume(before, inputs, (*condition, true), 0)?
            }
            _ => before,
        };
        frame.forget(&mut after, inputs);
        Some(after)
    }
}

/// Whether each value of the second is one of the first.
fn includes(outer: &Known, inner: &Known) -> bool {
    inner.iter().all(|(spot, inner)| outer.get(spot).is_some_and(|outer| outer.includes(inner)))
}

/// Whether a step can be taken whenever its guard holds.
const fn is_plain(action: &Action) -> bool {
    matches!(action, Action::Assign(_) | Action::Assert(_) | Action::Print { .. } | Action::Together { .. })
}

/// The processes that run by themselves.
pub(in crate::analysis) fn followed_processes(program: &Program) -> Vec<ProcessId> {
    let watching = |process: &ProcessId| {
        program.claims.contains(process) || program.trace.as_ref().is_some_and(|trace| trace.process == *process)
    };
    program.process_ids().filter(|process| !watching(process)).collect()
}

/// The variables that are followed for a process: its own and everyone's, if they are single integers.
fn followed(program: &Program, process: ProcessId) -> BTreeMap<VarId, usize> {
    let implicit =
        |var: VarId| program.last == Some(var) || program.trace.as_ref().is_some_and(|trace| trace.variable == var);
    let follows = |&var: &VarId| {
        let variable = program.variable(var);
        let own = matches!(variable.scope, Scope::Global) || variable.scope == Scope::Local(process);
        let plain = variable.dimensions.is_empty() && variable.ty != Type::Channel;
        own && plain && !implicit(var) && !program.left_out.contains(&var)
    };
    program.variable_ids().filter(follows).enumerate().map(|(at, var)| (var, at)).collect()
}

fn initial_interval(program: &Program, var: VarId) -> Interval {
    let variable = program.variable(var);
    let of_type = Interval::of_type(program, variable.ty);
    let exactly = |value: i64| Interval::exactly(program.stored(variable.ty, value));
    match &variable.initial {
        InitialValue::Same(value) => exactly(*value),
        InitialValue::Each(values) => {
            values.iter().map(|&value| exactly(value)).reduce(Interval::join).unwrap_or(of_type)
        }
        _ => of_type,
    }
}
