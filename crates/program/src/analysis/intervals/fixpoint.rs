//! What do all steps of a program give its variables, over and over?

use std::collections::HashMap;

use crate::effect::MOST_PROCESSES;
use crate::expr::{ExprId, Field};
use crate::graph::{Action, Assign, ProcessId, Program};
use crate::layout::Layout;
use crate::types::{InitialValue, Scope, VarId};

use super::evaluation::{ExprIntervals, NOT_REACHED, pids, stored};
use super::{Interval, Intervals, MessageField, PartnerDomain};

/// A bound that has moved more often is widened.
const PATIENCE: u32 = 8;
/// After so many rounds every bound that moves is widened.
const MOST_ROUNDS: u32 = 64;
/// How many rounds give back what widening lost.
const NARROWING: usize = 3;

/// The analysis of one program.
pub(super) struct Fixpoint<'p> {
    program: &'p Program,
    /// What is known of variables before: found by another analysis, or their types.
    limits: Vec<Interval>,
    /// Found by another analysis.
    before: Option<&'p Intervals>,
    channels: Interval,
}

/// How often a bound has moved, by whose it is and whether it is the upper one.
#[derive(Default)]
struct Moves {
    count: HashMap<(Holder, bool), u32>,
    round: u32,
}

#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum Holder {
    Variable(VarId),
    Field(MessageField),
}

impl<'p> Fixpoint<'p> {
    pub(super) fn new(program: &'p Program, before: Option<&'p Intervals>) -> Self {
        let limit = |var: VarId| {
            let known = before.and_then(|before| before.variable(var));
            known.unwrap_or_else(|| Interval::of_type(program, program.variable(var).ty))
        };
        let limits = program.variable_ids().map(limit).collect();
        Self { program, limits, before, channels: Interval::between(1, most_channels(program)) }
    }

    pub(super) fn solve(&self, partner: &mut impl PartnerDomain) -> Intervals {
        let mut known = self.begin(partner);
        let mut moves = Moves::default();
        loop {
            let next = self.round(&known, partner);
            let grown = self.grown(&known, &next, &mut moves);
            if grown == known {
                break;
            }
            known = grown;
            moves.round += 1;
        }
        // One round from intervals that hold all states gives intervals that hold all states.
        for _ in 0..NARROWING {
            let smaller = both(&known, &self.round(&known, partner));
            if smaller == known {
                break;
            }
            known = smaller;
        }
        known
    }

    /// What is there before any step.
    fn begin(&self, partner: &mut impl PartnerDomain) -> Intervals {
        let nothing = Intervals::nothing(self.program);
        let mut round = Round::new(self, &nothing, partner);
        round.initial_globals();
        let globals = round.found;
        let mut round = Round::new(self, &globals, partner);
        round.initial_values();
        round.found
    }

    /// What one round over everything that gives a variable a value finds.
    fn round(&self, known: &Intervals, partner: &mut impl PartnerDomain) -> Intervals {
        let mut round = Round::new(self, known, partner);
        round.initial_values();
        round.steps();
        round.found
    }

    /// Both together, with bounds widened that move too often.
    fn grown(&self, known: &Intervals, next: &Intervals, moves: &mut Moves) -> Intervals {
        let mut grown = known.clone();
        for var in self.program.variable_ids() {
            if let Some(value) = next.variable(var) {
                let limit = self.limits[var.index()];
                grown.variables[var.index()] =
                    Some(moves.joined(Holder::Variable(var), known.variable(var), value, limit));
            }
        }
        for (&field, &value) in &next.fields {
            let limit = self.before.and_then(|before| before.field(field)).unwrap_or(Interval::ALL);
            let joined = moves.joined(Holder::Field(field), known.field(field), value, limit);
            grown.fields.insert(field, joined);
        }
        grown
    }
}

impl Moves {
    fn joined(&mut self, holder: Holder, known: Option<Interval>, value: Interval, limit: Interval) -> Interval {
        let Some(known) = known else { return value };
        let joined = known.join(value);
        let mut lo = joined.lo;
        if joined.lo != known.lo {
            lo = self.moved(holder, false, joined.lo, limit.lo.filter(|&limit| Some(limit) <= joined.lo));
        }
        let mut hi = joined.hi;
        if joined.hi != known.hi {
            hi = self.moved(holder, true, joined.hi, limit.hi.filter(|&limit| joined.hi.is_some_and(|hi| hi <= limit)));
        }
        Interval { lo, hi }
    }

    /// A bound that has moved, or the limit (none if there is no more) where it has moved too often.
    fn moved(&mut self, holder: Holder, upper: bool, bound: Option<i128>, limit: Option<i128>) -> Option<i128> {
        let count = self.count.entry((holder, upper)).or_default();
        *count += 1;
        if *count > PATIENCE || self.round > MOST_ROUNDS { limit } else { bound }
    }
}

/// What both say; each of them is true.
fn both(a: &Intervals, b: &Intervals) -> Intervals {
    let meet = |a: Interval, b: Option<Interval>| b.and_then(|b| a.meet(b)).unwrap_or(a);
    let variables = a.variables.iter().zip(&b.variables).map(|(a, b)| a.map(|a| meet(a, *b))).collect();
    let fields = a.fields.iter().map(|(&field, &value)| (field, meet(value, b.field(field)))).collect();
    Intervals { variables, fields }
}

/// One round.
struct Round<'r, 'p, P> {
    all: &'r Fixpoint<'p>,
    known: &'r Intervals,
    values: ExprIntervals,
    partner: &'r mut P,
    found: Intervals,
}

impl<'r, 'p, P: PartnerDomain> Round<'r, 'p, P> {
    fn new(all: &'r Fixpoint<'p>, known: &'r Intervals, partner: &'r mut P) -> Self {
        let program = all.program;
        let reached: Vec<Interval> = known.variables.iter().map(|known| known.unwrap_or(NOT_REACHED)).collect();
        partner.begin_round(program, &reached);
        let values = ExprIntervals::of(program, known.variables.clone());
        Self { all, known, values, partner, found: Intervals::nothing(program) }
    }

    /// Whether a process has begun, as far as its variables tell.
    fn has_begun(&self, process: ProcessId) -> bool {
        self.all.program.process(process).locals.iter().all(|&local| self.known.variable(local).is_some())
    }

    fn steps(&mut self) {
        let program = self.all.program;
        for step in program.steps.iter().filter(|step| self.has_begun(step.process)).collect::<Vec<_>>() {
            let inputs = self.values.inputs(program, step);
            match &step.action {
                Action::Assign(assigns) | Action::Together { assigns, .. } => self.assigns(assigns, &inputs),
                Action::Send { message, .. } => self.send(message, &inputs),
                Action::Receive { pattern, .. } => self.receive(&pattern.fields),
                Action::Run { process, arguments, then, .. } => {
                    // Its pid is the only input of what follows.
                    self.assigns(then, &[pids(program)]);
                    let arguments: Vec<Interval> = arguments.iter().map(|&id| self.value(id, &inputs)).collect();
                    self.start(*process, &arguments);
                }
                _ => {}
            }
        }
        if let Some(trace) = &program.trace {
            self.assign(trace.variable, Interval::ALL);
        }
        if let Some(last) = program.last {
            let stepped = program.stepped.iter().flatten().map(|&pid| Interval::exactly(pid));
            self.assign(last, stepped.fold(pids(program), Interval::join));
        }
    }

    /// The values of an expression, as far as anybody knows.
    fn value(&mut self, id: ExprId, inputs: &[Interval]) -> Interval {
        let program = self.all.program;
        let value = self.values.with_inputs(program, id, inputs);
        value.meet(self.partner.bounds(program, id)).unwrap_or(value)
    }

    fn assigns(&mut self, assigns: &[Assign], inputs: &[Interval]) {
        for assign in assigns {
            let value = self.value(assign.value, inputs);
            self.assign(assign.place.variable(), value);
        }
    }

    /// A step gives a variable a value; one that does not belong to the type is a fault and never there.
    fn assign(&mut self, var: VarId, value: Interval) {
        if let Some(value) = value.meet(self.all.limits[var.index()]) {
            self.add(var, value);
        }
    }

    fn add(&mut self, var: VarId, value: Interval) {
        let found = &mut self.found.variables[var.index()];
        *found = Some(found.map_or(value, |found| found.join(value)));
    }

    fn send(&mut self, message: &[ExprId], inputs: &[Interval]) {
        for (at, &id) in message.iter().enumerate() {
            let value = self.value(id, inputs);
            let field = MessageField { of: message.len(), at };
            let sent = self.found.field(field).map_or(value, |found| found.join(value));
            self.found.fields.insert(field, sent);
        }
    }

    fn receive(&mut self, fields: &[Field]) {
        for (at, field) in fields.iter().enumerate() {
            let Field::Bind(place) = *field else { continue };
            let field = MessageField { of: fields.len(), at };
            let Some(sent) = self.known.field(field) else { continue };
            let (program, var) = (self.all.program, place.variable());
            // The channel may have cut it down before the variable does.
            let kept = self.in_channels(field, sent).map(|kept| stored(program, program.variable(var).ty, kept));
            if let Some(kept) = kept {
                self.assign(var, kept);
            }
        }
    }

    /// What remains of a field in any channel of messages of this length; nothing if there is none.
    fn in_channels(&self, field: MessageField, sent: Interval) -> Option<Interval> {
        let program = self.all.program;
        let channels = program.channels.iter().filter(|channel| channel.fields.len() == field.of);
        channels.map(|channel| stored(program, channel.fields[field.at], sent)).reduce(Interval::join)
    }

    fn initial_values(&mut self) {
        self.initial_globals();
        let program = self.all.program;
        for instance in &program.instances {
            let arguments: Vec<Interval> = instance.arguments.iter().map(|&value| Interval::exactly(value)).collect();
            self.start(instance.process, &arguments);
        }
        // Who watches is never started.
        let trace = program.trace.as_ref().map(|trace| trace.process);
        program.claims.iter().copied().chain(trace).for_each(|watching| self.start(watching, &[]));
    }

    fn initial_globals(&mut self) {
        let program = self.all.program;
        for var in program.variable_ids().filter(|&var| program.variable(var).scope == Scope::Global) {
            self.initial(var, &[]);
        }
    }

    fn start(&mut self, process: ProcessId, arguments: &[Interval]) {
        let program = self.all.program;
        for &local in &program.process(process).locals {
            self.initial(local, arguments);
        }
    }

    fn initial(&mut self, var: VarId, arguments: &[Interval]) {
        let program = self.all.program;
        let variable = program.variable(var);
        let value = match &variable.initial {
            InitialValue::Any => Interval::of_type(program, variable.ty),
            InitialValue::Same(value) => Interval::exactly(*value),
            InitialValue::Argument(position) => {
                arguments.get(*position as usize).copied().unwrap_or(Interval::exactly(0))
            }
            InitialValue::Computed(expr) => self.values.at_creation(program, *expr, variable.scope),
            InitialValue::Channel(_) => self.all.channels,
            InitialValue::Each(values) => {
                let each = values.iter().map(|&value| Interval::exactly(program.stored(variable.ty, value)));
                // A variable without a value would say that its process never begins.
                each.reduce(Interval::join).unwrap_or_else(|| Interval::of_type(program, variable.ty))
            }
        };
        self.add(var, stored(program, variable.ty, value));
    }
}

/// The largest number that a channel can have.
fn most_channels(program: &Program) -> i128 {
    let layout = Layout::of(program);
    let globals = layout.global_channels().len();
    let of = |process: &crate::graph::Process| process.channels.len();
    let local = if layout.is_fixed() {
        program.processes.iter().map(of).sum()
    } else {
        program.processes.iter().map(of).max().unwrap_or(0) * MOST_PROCESSES.max(program.instances.len())
    };
    (globals + local) as i128
}
