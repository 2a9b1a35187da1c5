//! Lowering: from the program graph to the form, for states of one layout.
//!
//! The layout says which processes run and where everything lies, so the place of every variable is known. Steps inside uninterruptible
//! blocks are put behind the step that enters the block as far as that is short; the rest of a block is gone on with by whoever runs
//! the form. What fast steps do not know traps. Programs with priorities, with an automaton over events, or with processes that must be
//! deterministic have no form.

mod actions;
mod builder;
mod channels;
mod expressions;
mod memory;

use std::collections::BTreeSet;

use tertium_base::narrow::{to_i64, to_u32};
use tertium_explore::pack::{Packing, RowLayout};
use tertium_explore::reduction::StateSpaceReduction;
use tertium_program::layout::FRAME_LOCATION;
use tertium_program::{
    Action, ExprId, Hold, InitialValue, LocationId, ProcessId, Program, Scope, Semantics, Step, StepId, VarId,
};

use self::builder::{Builder, Value, operand};
use self::memory::Write;
use crate::form::{ANY, Instruction, LayoutForm, Operand, ProcessForm, Stuck, TIMEOUT};

/// So many steps of a block are put behind each other at most.
const DEEPEST: usize = 12;
/// When a process has so many instructions, blocks are no longer put behind the steps that enter them.
const LARGE: usize = 20_000;

/// A form in which more values are computed than this is not made; nor is that of a process with a quarter of them.
const MOST_REGISTERS: usize = 100_000;

/// A program that can be lowered.
#[derive(Clone, Debug)]
pub struct Lowering<'l, 'p> {
    semantics: &'l Semantics<'p>,
    packing: &'l Packing,
    reduction: Option<&'l StateSpaceReduction>,
    /// The values of global slots that no step writes.
    constants: Vec<Option<i64>>,
}

impl<'l, 'p> Lowering<'l, 'p> {
    /// For a program and, if there is one, what a search of it leaves out; none if such programs have no form.
    #[must_use]
    pub fn of(
        semantics: &'l Semantics<'p>,
        packing: &'l Packing,
        reduction: Option<&'l StateSpaceReduction>,
    ) -> Option<Self> {
        let program = semantics.program();
        let known = !program.priorities && program.trace.is_none() && !program.must_be_deterministic();
        known.then(|| Self { semantics, packing, reduction, constants: constants(semantics) })
    }

    /// The form of all processes in states in which these run; none if it would be too large.
    #[must_use]
    pub fn layout(&self, processes: &[u32]) -> Option<LayoutForm> {
        let shape = self.packing.shape_of(processes);
        let program = self.semantics.program();
        let (mut tables, mut registers) = (Vec::new(), 0);
        let mut form = LayoutForm {
            processes: shape.processes.clone(),
            words: shape.words,
            locations: shape.frames.iter().map(|frame| shape.field(frame + FRAME_LOCATION)).collect(),
            ..LayoutForm::default()
        };
        for (pid, &process) in shape.processes.iter().enumerate() {
            let mut lowerer = self.lowerer(&shape, Some(pid), std::mem::take(&mut tables));
            lowerer.process(pid);
            registers += lowerer.code.ranges.len();
            if lowerer.is_too_large() || registers > MOST_REGISTERS {
                return None;
            }
            let (steps, known) = lowerer.finished();
            form.steps.push(steps);
            tables = known;
            let locations = &program.processes[process as usize].locations;
            form.ends.push(locations.iter().map(|location| location.end).collect());
            form.stuck.push((0..locations.len()).map(|at| self.stuck(process as usize, at)).collect());
        }
        form.tables = tables;
        Some(form)
    }

    /// The form that says whether a condition holds in states in which these processes run, seen from outside.
    #[must_use]
    pub fn condition(
        &self,
        processes: &[u32],
        condition: ExprId,
    ) -> (ProcessForm, Vec<Vec<tertium_explore::pack::Field>>) {
        let shape = self.packing.shape_of(processes);
        let mut lowerer = self.lowerer(&shape, None, Vec::new());
        let value = lowerer.expr(condition);
        let value = lowerer.code.truth(value);
        lowerer.code.block.push(Instruction::Set { to: ANY, value: operand(value) });
        lowerer.finished()
    }

    /// The forms that say whether conditions hold in states in which these processes run, seen from outside: one for each; none if they would be too
    /// large.
    #[must_use]
    pub fn conditions(&self, processes: &[u32], conditions: &[ExprId]) -> Option<LayoutForm> {
        let shape = self.packing.shape_of(processes);
        let mut form = LayoutForm { processes: shape.processes.clone(), words: shape.words, ..LayoutForm::default() };
        for &condition in conditions {
            let mut lowerer = self.lowerer(&shape, None, std::mem::take(&mut form.tables));
            let value = lowerer.expr(condition);
            let value = lowerer.code.truth(value);
            lowerer.code.block.push(Instruction::Set { to: ANY, value: operand(value) });
            if lowerer.is_too_large() {
                return None;
            }
            let (steps, tables) = lowerer.finished();
            form.steps.push(steps);
            form.tables = tables;
        }
        Some(form)
    }

    fn lowerer<'s>(
        &'s self,
        shape: &'s RowLayout,
        me: Option<usize>,
        tables: Vec<Vec<tertium_explore::pack::Field>>,
    ) -> Lowerer<'s, 'p> {
        let code = Builder { block: Vec::new(), ranges: vec![(0, 1), (0, 1)], tables };
        Lowerer {
            semantics: self.semantics,
            packing: self.packing,
            reduction: self.reduction,
            constants: &self.constants,
            shape,
            code,
            me,
            inputs: Vec::new(),
            timeout: Value { operand: Operand::Register(TIMEOUT), lo: 0, hi: 1 },
            any: Value { operand: Operand::Register(ANY), lo: 0, hi: 1 },
            flags: Vec::new(),
            first_only: false,
            starting: None,
            log: Vec::new(),
            way: Vec::new(),
        }
    }

    /// What happens at a location when the process that holds control cannot step.
    fn stuck(&self, process: usize, location: usize) -> Stuck {
        stuck(self.semantics.program(), self.reduction, process, location)
    }
}

/// The values of global slots that no step writes, where they are the same in all initial states.
fn constants(semantics: &Semantics<'_>) -> Vec<Option<i64>> {
    let (program, layout) = (semantics.program(), semantics.layout());
    let mut written: BTreeSet<VarId> = program.steps.iter().flat_map(Step::written).collect();
    written.extend(program.last);
    let mut values = vec![None; layout.global_size()];
    for var in program.variable_ids().filter(|var| !written.contains(var)) {
        let variable = program.variable(var);
        if variable.scope != Scope::Global {
            continue;
        }
        let first = layout.variable(var);
        let channels = layout.global_channels();
        for cell in 0..variable.cells() {
            values[first + cell] = match &variable.initial {
                InitialValue::Same(value) => Some(program.stored(variable.ty, *value)),
                InitialValue::Each(values) => values.get(cell).map(|&value| program.stored(variable.ty, value)),
                InitialValue::Channel(id) => {
                    channels.iter().position(|channel| channel == id).map(|at| to_i64(at + 1 + cell))
                }
                InitialValue::Any | InitialValue::Argument(_) | InitialValue::Computed(_) => None,
            };
        }
    }
    values
}

fn stuck(program: &Program, reduction: Option<&StateSpaceReduction>, process: usize, location: usize) -> Stuck {
    match hold(program, reduction, process, location) {
        Hold::Free | Hold::WhileEnabled => Stuck::Visible,
        Hold::Indivisible => Stuck::Nowhere,
        Hold::Deterministic => Stuck::Wrong,
    }
}

/// What arriving at a location does to control, merged statements included.
fn hold(program: &Program, reduction: Option<&StateSpaceReduction>, process: usize, location: usize) -> Hold {
    if reduction.is_some_and(|reduction| reduction.is_merged(process, location)) {
        return Hold::WhileEnabled;
    }
    program.processes[process].locations[location].hold
}

/// Whether something is offered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Offered {
    /// In no state that gets here.
    Never,
    /// In some.
    Maybe,
    /// In every state that gets here.
    Surely,
}

/// One process that is being lowered.
pub(crate) struct Lowerer<'s, 'p> {
    semantics: &'s Semantics<'p>,
    packing: &'s Packing,
    reduction: Option<&'s StateSpaceReduction>,
    constants: &'s [Option<i64>],
    shape: &'s RowLayout,
    code: Builder,
    /// The pid of the executing process; none if a state is looked at from outside.
    me: Option<usize>,
    inputs: Vec<Value>,
    timeout: Value,
    /// Whether the process, at the location at hand, can do anything.
    any: Value,
    /// Whether steps that others yield to can be taken.
    flags: Vec<(StepId, Value)>,
    /// Whether of several steps only the first is taken at the location at hand.
    first_only: bool,
    /// The process that is being started, and where its frame begins.
    starting: Option<(ProcessId, usize)>,
    /// What has been written since the row was entered.
    log: Vec<Write>,
    /// The locations of the block that is being followed.
    way: Vec<(usize, LocationId)>,
}

impl<'p> Lowerer<'_, 'p> {
    pub(crate) fn program(&self) -> &'p Program {
        self.semantics.program()
    }

    /// Whether what has been written is of no use.
    fn is_too_large(&self) -> bool {
        self.code.ranges.len() > MOST_REGISTERS / 4
    }

    fn finished(self) -> (ProcessForm, Vec<Vec<tertium_explore::pack::Field>>) {
        let registers = to_u32(self.code.ranges.len());
        (ProcessForm { body: self.code.block, registers, ranges: self.code.ranges }, self.code.tables)
    }

    /// Everything that a process can do, by its location.
    fn process(&mut self, pid: usize) {
        let process = ProcessId::new(self.shape.processes[pid] as usize);
        let mut cases = Vec::new();
        for location in 0..self.program().process(process).locations.len() {
            let from = self.code.block.len();
            self.location(pid, LocationId::new(location));
            let block = self.code.taken(from);
            if !block.is_empty() {
                cases.push((to_i64(location), block));
            }
        }
        let there = self.read(self.shape.frames[pid] + FRAME_LOCATION);
        self.code.block.push(Instruction::Switch { on: operand(there), cases });
    }

    /// Everything that a process can do at a location: [`Self::any`] says in the end whether there is anything.
    fn location(&mut self, pid: usize, at: LocationId) -> Offered {
        if self.is_too_large() {
            return Offered::Never;
        }
        let program = self.program();
        let process = ProcessId::new(self.shape.processes[pid] as usize);
        let location = program.location(process, at);
        let mut steps = location.steps.clone();
        steps.sort_by_key(|&step| program.step(step).rank);
        let deterministic = hold(program, self.reduction, process.index(), at.index()) == Hold::Deterministic;
        let outer = std::mem::replace(&mut self.first_only, deterministic);
        for &step in &steps {
            let yielded_to = steps.iter().any(|&other| program.step(other).yields_to.contains(&step));
            if yielded_to {
                let flag = self.code.variable(0, 1);
                self.code.set(flag, Value::constant(0));
                self.flags.push((step, flag));
            }
        }
        let mut offered = Offered::Never;
        for group in steps.chunk_by(|&a, &b| program.step(a).rank == program.step(b).rank) {
            if offered == Offered::Surely {
                break;
            }
            let open = if offered == Offered::Never { Value::constant(1) } else { self.code.not(self.any) };
            let found = self.when(open, |lowerer| lowerer.group(group));
            offered = both(offered, found);
        }
        self.first_only = outer;
        offered
    }

    /// The steps of one rank.
    fn group(&mut self, steps: &[StepId]) -> Offered {
        let mut offered = Offered::Never;
        let mut known: Vec<(StepId, Offered)> = Vec::new();
        for &step in steps {
            if self.first_only && offered == Offered::Surely {
                break;
            }
            let mut open = Value::constant(1);
            if self.first_only && offered == Offered::Maybe {
                open = self.code.not(self.any);
            }
            for rival in &self.program().step(step).yields_to {
                match known.iter().find(|(other, _)| other == rival).map_or(Offered::Never, |&(_, offered)| offered) {
                    Offered::Never => {}
                    Offered::Surely => open = Value::constant(0),
                    Offered::Maybe => {
                        let flag = self.flags.iter().rev().find(|(other, _)| other == rival).map(|&(_, flag)| flag);
                        let free = self.code.not(flag.unwrap_or(Value::constant(0)));
                        open = self.code.compute(crate::form::Operation::And, open, free);
                    }
                }
            }
            let found = self.when(open, |lowerer| lowerer.step(step));
            known.push((step, found));
            offered = both(offered, found);
        }
        offered
    }

    /// Does something if a condition holds.
    pub(crate) fn when(&mut self, condition: Value, act: impl FnOnce(&mut Self) -> Offered) -> Offered {
        if self.is_too_large() {
            return Offered::Never;
        }
        match condition.as_constant() {
            Some(0) => Offered::Never,
            Some(_) => act(self),
            None => {
                let from = self.code.block.len();
                let offered = act(self);
                let then = self.code.taken(from);
                if !then.is_empty() {
                    let condition = operand(condition);
                    self.code.block.push(Instruction::If { condition, then, otherwise: Vec::new() });
                }
                if offered == Offered::Never { Offered::Never } else { Offered::Maybe }
            }
        }
    }

    /// The condition that a process's steps wait for besides their guards, if it counts for this one.
    pub(crate) fn provided(&self, step: &Step) -> Option<ExprId> {
        let program = self.program();
        // Nothing interrupts a deterministic block.
        let provided = program.process(step.process).provided;
        provided.filter(|_| program.location(step.process, step.source).hold != Hold::Deterministic)
    }

    /// Whether control is kept where a step leads.
    pub(crate) fn holds(&self, step: &Step) -> bool {
        let (process, target) = (step.process.index(), step.target.index());
        if step.action == Action::End {
            return false;
        }
        self.reduction.is_some_and(|reduction| reduction.is_merged(process, target))
            || (!step.frees && self.program().location(step.process, step.target).hold != Hold::Free)
    }

    /// Whether a step leads on inside a deterministic block, which is one step as far as `_last` is concerned.
    pub(crate) fn is_inside(&self, step: &Step) -> bool {
        step.action != Action::End
            && !step.frees
            && self.program().location(step.process, step.target).hold == Hold::Deterministic
    }
}

/// What is offered by one or the other.
fn both(one: Offered, other: Offered) -> Offered {
    match (one, other) {
        (Offered::Surely, _) | (_, Offered::Surely) => Offered::Surely,
        (Offered::Never, Offered::Never) => Offered::Never,
        _ => Offered::Maybe,
    }
}
