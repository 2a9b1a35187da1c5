//! Programs built by hand, as a front end would, and the states that they reach.

use std::collections::{BTreeMap, BTreeSet};

use tertium_base::{Budget, Span};
use tertium_program::*;

/// A program under construction.
pub(super) struct Bench {
    pub(super) program: Program,
}

const BYTE: Type = Type::Wrapped(Width { bits: 8, signed: false });

impl Bench {
    pub(super) fn new() -> Self {
        Self { program: Program::new("bench") }
    }

    pub(super) fn var(&mut self, name: &str, scope: Scope, initial: InitialValue) -> VarId {
        self.program.add_variable(Variable {
            name: name.into(),
            ty: if matches!(initial, InitialValue::Channel(_)) { Type::Channel } else { BYTE },
            dimensions: Vec::new(),
            scope,
            initial,
            hidden: false,
            span: Span::default(),
        })
    }

    pub(super) fn global(&mut self, name: &str) -> VarId {
        self.var(name, Scope::Global, InitialValue::Same(0))
    }

    pub(super) fn channel(&mut self, name: &str, capacity: u32, fields: usize) -> ExprId {
        let channel = Channel {
            name: name.into(),
            capacity,
            fields: vec![BYTE; fields],
            scope: Scope::Global,
            span: Span::default(),
        };
        let id = self.program.add_channel(channel);
        let var = self.var(name, Scope::Global, InitialValue::Channel(id));
        self.program.read(var)
    }

    /// A process with `locations` places, of which the last is an end; one instance from the start.
    pub(super) fn process(&mut self, name: &str, locations: usize) -> ProcessId {
        let process = self.program.add_process(name, Span::default());
        for at in 0..locations {
            self.program.add_location(process, Location { end: at + 1 == locations, ..Location::default() });
        }
        process
    }

    pub(super) fn start(&mut self, process: ProcessId) {
        self.program.instances.push(Instance { process, arguments: vec![7], priority: 1 });
    }

    pub(super) fn step(
        &mut self,
        process: ProcessId,
        from: usize,
        to: usize,
        guard: Option<ExprId>,
        action: Action,
    ) -> StepId {
        let guard = guard.unwrap_or_else(|| self.program.exprs.bool(true));
        self.program.add_step(Step {
            process,
            source: LocationId::new(from),
            target: LocationId::new(to),
            rank: 0,
            yields_to: Vec::new(),
            frees: false,
            inputs: Vec::new(),
            guard,
            action,
            span: Span::default(),
            text: String::new(),
        })
    }

    pub(super) fn set(&mut self, var: VarId, value: i64) -> Action {
        let value = self.program.exprs.int(value);
        Action::Assign(vec![Assign { place: Place::Var(var), value }])
    }

    pub(super) fn send(&mut self, channel: ExprId, values: &[i64], sorted: bool) -> Action {
        let message = values.iter().map(|&value| self.program.exprs.int(value)).collect();
        Action::Send { channel, message, sorted }
    }

    pub(super) fn hold(&mut self, process: ProcessId, at: usize, hold: Hold) {
        self.program.processes[process.index()].locations[at].hold = hold;
    }
}

pub(super) fn receive(channel: ExprId, fields: Vec<Field>, anywhere: bool, keep: bool) -> Action {
    Action::Receive { pattern: Pattern { channel, fields, anywhere }, keep }
}

/// All visible states, with the values of `vars`; and the faults met.
pub(super) fn reach(program: &Program, vars: &[VarId]) -> (BTreeSet<Vec<i64>>, BTreeMap<&'static str, usize>, usize) {
    let semantics = Semantics::new(program);
    let mut open = semantics.initial_states(1, &Budget::unlimited()).unwrap();
    let mut known: BTreeSet<State> = open.iter().cloned().collect();
    let mut faults = BTreeMap::new();
    let (mut values, mut deadlocks) = (BTreeSet::new(), 0);
    while let Some(state) = open.pop() {
        values.insert(vars.iter().map(|&var| state.slots[semantics.layout().variable(var)]).collect());
        deadlocks += usize::from(semantics.is_deadlock(&state));
        for successor in semantics.successors(&state) {
            match successor.outcome {
                Outcome::Next(next) if known.insert(next.clone()) => open.push(next),
                Outcome::Next(_) => {}
                Outcome::Fault { fault, .. } => *faults.entry(fault.kind.name()).or_default() += 1,
            }
        }
    }
    (values, faults, deadlocks)
}

pub(super) fn rows(rows: &[&[i64]]) -> BTreeSet<Vec<i64>> {
    rows.iter().map(|row| row.to_vec()).collect()
}
