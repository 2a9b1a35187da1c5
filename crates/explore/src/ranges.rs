//! Which values can a slot ever hold?
//!
//! An interval for each variable and each position of messages, found by going over all assignments until nothing
//! changes: a byte that only ever gets the constants 1 to 3 needs two bits. Guards are not looked at. What is still
//! growing after a few rounds gets the bounds of its type. For packing only; it over-approximates every run.

use std::collections::BTreeMap;

use tertium_base::narrow::to_i64;
use tertium_program::effect::MOST_PROCESSES;
use tertium_program::{
    Action, Assign, Binary, ChannelId, Expr, ExprId, Field, InitialValue, Layout, ProcessId, Program, Scope, Semantics,
    Type, Unary, VarId, Width,
};

use crate::channels::stored_width;
use crate::pack::frame_header;

/// Smallest and largest value; `None` where there is no such bound.
pub type Bounds = (Option<i64>, Option<i64>);

const ANYTHING: Bounds = (None, None);
const TRUTH: Bounds = (Some(0), Some(1));
/// Intervals that grow for more rounds than this get the bounds of their type.
const PATIENCE: usize = 6;

/// The intervals of one program.
#[derive(Clone, Debug)]
pub struct Ranges {
    variables: Vec<Option<Bounds>>,
    /// By the number of fields of a message and the position in it.
    fields: BTreeMap<(usize, usize), Bounds>,
    assigned: Vec<bool>,
    channels: i64,
}

fn hull(a: Option<Bounds>, b: Bounds) -> Bounds {
    let Some(a) = a else { return b };
    (a.0.zip(b.0).map(|(x, y)| x.min(y)), a.1.zip(b.1).map(|(x, y)| x.max(y)))
}

fn meet(a: Bounds, b: Bounds) -> Bounds {
    let lo = a.0.max(b.0);
    let hi = match (a.1, b.1) {
        (Some(x), Some(y)) => Some(x.min(y)),
        (x, y) => x.or(y),
    };
    (lo, hi)
}

fn within(a: Bounds, b: Bounds) -> bool {
    meet(a, b) == a
}

fn only(value: i64) -> Bounds {
    (Some(value), Some(value))
}

fn of_width(width: Width) -> Bounds {
    (Some(width.lowest()), Some(width.highest()))
}

/// What remains of a value in a type: machine integers lose their high bits, all others stay.
fn stored(program: &Program, ty: Type, value: Bounds) -> Bounds {
    match stored_width(program, ty) {
        Some(width) if !within(value, of_width(width)) => of_width(width),
        _ => value,
    }
}

impl Ranges {
    /// The intervals of a program.
    #[must_use]
    pub fn of(semantics: &Semantics<'_>) -> Self {
        let program = semantics.program();
        let mut ranges = Self {
            variables: vec![None; program.variables.len()],
            fields: BTreeMap::new(),
            assigned: vec![false; program.variables.len()],
            channels: most_channels(program, semantics.layout()),
        };
        let mut round = 0;
        while ranges.go_over(program, round > PATIENCE) {
            round += 1;
        }
        ranges
    }

    /// One round over everything that gives a variable a value; says whether an interval grew.
    fn go_over(&mut self, program: &Program, give_up: bool) -> bool {
        let mut pass = Pass { values: self.all_values(program), ranges: self, program, give_up, changed: false };
        pass.initial_values();
        for step in &program.steps {
            match &step.action {
                Action::Assign(assigns) => pass.assigns(assigns),
                Action::Send { message, .. } => pass.send(message),
                Action::Receive { pattern, .. } => pass.receive(&pattern.fields),
                Action::Run { process, arguments, then, .. } => {
                    pass.assigns(then);
                    let arguments: Vec<Bounds> = arguments.iter().map(|id| pass.values[id.index()]).collect();
                    pass.start(*process, &arguments);
                }
                _ => {}
            }
        }
        if let Some(trace) = &program.trace {
            pass.assign(trace.variable, program.bounds(program.variable(trace.variable).ty));
        }
        if let Some(last) = program.last {
            pass.assign(last, (Some(0), Some(to_i64(MOST_PROCESSES.max(program.instances.len())))));
        }
        pass.changed
    }

    /// The interval of every expression of the table; operands stand before what uses them.
    fn all_values(&self, program: &Program) -> Vec<Bounds> {
        let mut values: Vec<Bounds> = Vec::with_capacity(program.exprs.len());
        for id in 0..program.exprs.len() {
            let value = self.value(program, program.exprs.get(ExprId::new(id)), &values);
            values.push(value);
        }
        values
    }

    fn value(&self, program: &Program, expr: Expr, values: &[Bounds]) -> Bounds {
        let at = |id: ExprId| values[id.index()];
        match expr {
            Expr::Bool(value) => only(i64::from(value)),
            Expr::Int(value) => only(value),
            Expr::Member(_, position) => only(i64::from(position)),
            Expr::Var(var) | Expr::Element(var, _) => {
                // A variable without a value so far is not reached by any run that this round knows.
                self.variables[var.index()].unwrap_or(only(0))
            }
            Expr::Remote(_, var) | Expr::RemoteElement(_, var, _) => hull(self.variables[var.index()], only(0)),
            Expr::FirstInstance(_) => (Some(-1), Some(to_i64(MOST_PROCESSES.max(program.instances.len())))),
            Expr::If(_, a, b) => hull(Some(at(a)), at(b)),
            Expr::Wrap(width, a) => stored(program, Type::Wrapped(width), at(a)),
            Expr::Unary(Unary::Not, _) => TRUTH,
            Expr::Binary(op, a, b) => binary(op, at(a), at(b)),
            Expr::At(..) | Expr::RemoteAt(..) | Expr::Poll(_) | Expr::Timeout | Expr::NonProgress | Expr::Accepting => {
                TRUTH
            }
            Expr::Length(_) | Expr::Capacity(_) => {
                (Some(0), program.channels.iter().map(|channel| i64::from(channel.capacity)).max())
            }
            Expr::ProcessCount | Expr::OwnPid => (Some(0), Some(to_i64(MOST_PROCESSES.max(program.instances.len())))),
            _ => ANYTHING,
        }
    }

    /// The bounds of the slots before the first frame.
    #[must_use]
    pub fn globals(&self, program: &Program, layout: &Layout) -> Vec<Bounds> {
        let mut slots = Vec::with_capacity(layout.global_size());
        for var in program.variable_ids().filter(|&var| program.variable(var).scope == Scope::Global) {
            self.push_cells(program, layout, var, &mut slots);
        }
        layout.global_channels().iter().for_each(|&channel| self.push_channel(program, channel, &mut slots));
        slots
    }

    /// The bounds of the slots of a frame.
    #[must_use]
    pub fn frame(&self, program: &Program, layout: &Layout, process: ProcessId) -> Vec<Bounds> {
        let mut slots = frame_header(program, process).to_vec();
        if program.priorities {
            slots.push(ANYTHING);
        }
        let code = program.process(process);
        code.locals.iter().for_each(|&var| self.push_cells(program, layout, var, &mut slots));
        code.channels.iter().for_each(|&channel| self.push_channel(program, channel, &mut slots));
        slots
    }

    fn push_cells(&self, program: &Program, layout: &Layout, var: VarId, slots: &mut Vec<Bounds>) {
        let variable = program.variable(var);
        let cells = variable.cells();
        let first = slots.len();
        slots.resize(first + cells, self.variables[var.index()].unwrap_or(only(0)));
        if self.assigned[var.index()] {
            return;
        }
        // What is never assigned keeps its initial value, cell by cell.
        match &variable.initial {
            InitialValue::Each(values) => {
                slots[first..].copy_from_slice(&values.iter().copied().map(only).collect::<Vec<_>>())
            }
            InitialValue::Channel(id) if variable.scope == Scope::Global => {
                let position = layout.global_channels().iter().position(|channel| channel == id).unwrap_or(0);
                for (cell, bounds) in slots[first..].iter_mut().enumerate() {
                    *bounds = only(to_i64(position + cell + 1));
                }
            }
            _ => {}
        }
    }

    fn push_channel(&self, program: &Program, id: ChannelId, slots: &mut Vec<Bounds>) {
        let channel = program.channel(id);
        slots.push((Some(0), Some(i64::from(channel.capacity))));
        for _ in 0..channel.capacity {
            for (at, &ty) in channel.fields.iter().enumerate() {
                let sent = self.fields.get(&(channel.fields.len(), at)).map(|&sent| stored(program, ty, sent));
                // Unused places hold 0, whatever the type.
                slots.push(hull(sent, only(0)));
            }
        }
    }
}

/// One round.
struct Pass<'r> {
    ranges: &'r mut Ranges,
    program: &'r Program,
    values: Vec<Bounds>,
    give_up: bool,
    changed: bool,
}

impl Pass<'_> {
    fn grow(&mut self, var: VarId, value: Bounds) {
        let at = &mut self.ranges.variables[var.index()];
        let mut next = hull(*at, value);
        if *at == Some(next) {
            return;
        }
        if self.give_up {
            next = hull(Some(next), self.program.bounds(self.program.variable(var).ty));
        }
        *at = Some(next);
        self.changed = true;
    }

    /// A step gives a variable a value; one that does not belong to the type is a fault and never there.
    fn assign(&mut self, var: VarId, value: Bounds) {
        self.ranges.assigned[var.index()] = true;
        self.grow(var, meet(value, self.program.bounds(self.program.variable(var).ty)));
    }

    fn assigns(&mut self, assigns: &[Assign]) {
        for assign in assigns {
            self.assign(assign.place.variable(), self.values[assign.value.index()]);
        }
    }

    fn send(&mut self, message: &[ExprId]) {
        for (at, id) in message.iter().enumerate() {
            let known = self.ranges.fields.get(&(message.len(), at)).copied();
            let mut next = hull(known, self.values[id.index()]);
            if known == Some(next) {
                continue;
            }
            if self.give_up {
                next = ANYTHING;
            }
            self.ranges.fields.insert((message.len(), at), next);
            self.changed = true;
        }
    }

    fn receive(&mut self, fields: &[Field]) {
        for (at, field) in fields.iter().enumerate() {
            let Field::Bind(place) = *field else { continue };
            let var = place.variable();
            self.ranges.assigned[var.index()] = true;
            let Some(&sent) = self.ranges.fields.get(&(fields.len(), at)) else { continue };
            // The channel may have cut it down before the variable does.
            let kept = self.channels_of(fields.len(), at, sent);
            self.assign(var, stored(self.program, self.program.variable(var).ty, kept));
        }
    }

    /// What remains of a field in any channel of messages of this length.
    fn channels_of(&self, fields: usize, at: usize, sent: Bounds) -> Bounds {
        let channels = self.program.channels.iter().filter(|channel| channel.fields.len() == fields);
        channels.fold(sent, |known, channel| hull(Some(known), stored(self.program, channel.fields[at], sent)))
    }

    fn initial_values(&mut self) {
        let program = self.program;
        for var in program.variable_ids().filter(|&var| program.variable(var).scope == Scope::Global) {
            self.initial(var, &[]);
        }
        for instance in &program.instances {
            let arguments: Vec<Bounds> = instance.arguments.iter().copied().map(only).collect();
            self.start(instance.process, &arguments);
        }
    }

    fn start(&mut self, process: ProcessId, arguments: &[Bounds]) {
        for &local in &self.program.process(process).locals {
            self.initial(local, arguments);
        }
    }

    fn initial(&mut self, var: VarId, arguments: &[Bounds]) {
        let variable = self.program.variable(var);
        let value = match &variable.initial {
            InitialValue::Any => self.program.bounds(variable.ty),
            InitialValue::Same(value) => only(*value),
            InitialValue::Argument(position) => arguments.get(*position as usize).copied().unwrap_or(only(0)),
            InitialValue::Computed(expr) => self.values[expr.index()],
            InitialValue::Channel(_) => (Some(1), Some(self.ranges.channels)),
            InitialValue::Each(values) => {
                let values = values.clone();
                values.into_iter().for_each(|value| self.grow(var, only(value)));
                return;
            }
        };
        self.grow(var, stored(self.program, variable.ty, value));
    }
}

fn binary(op: Binary, a: Bounds, b: Bounds) -> Bounds {
    let sum = |x: Option<i64>, y: Option<i64>| x.zip(y).and_then(|(x, y)| x.checked_add(y));
    let difference = |x: Option<i64>, y: Option<i64>| x.zip(y).and_then(|(x, y)| x.checked_sub(y));
    match op {
        _ if op.sort() == tertium_program::Sort::Bool => TRUTH,
        Binary::Add => (sum(a.0, b.0), sum(a.1, b.1)),
        Binary::Sub => (difference(a.0, b.1), difference(a.1, b.0)),
        Binary::Mod | Binary::Remainder => match b {
            (Some(lo), Some(hi)) if lo > 0 => {
                let negative = op == Binary::Remainder && a.0.is_none_or(|lo| lo < 0);
                (Some(if negative { 1 - hi } else { 0 }), Some(hi - 1))
            }
            _ => ANYTHING,
        },
        Binary::BitAnd => match (a, b) {
            ((Some(lo), hi), _) | (_, (Some(lo), hi)) if lo >= 0 => (Some(0), hi),
            _ => ANYTHING,
        },
        _ => ANYTHING,
    }
}

fn most_channels(program: &Program, layout: &Layout) -> i64 {
    let globals = layout.global_channels().len();
    let of = |process: &tertium_program::Process| process.channels.len();
    let local = if layout.is_fixed() {
        program.processes.iter().map(of).sum()
    } else {
        program.processes.iter().map(of).max().unwrap_or(0) * MOST_PROCESSES.max(program.instances.len())
    };
    to_i64(globals + local)
}
