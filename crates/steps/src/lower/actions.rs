//! Which instructions take a step: its conditions, its inputs, what it does, and where that leads.

use tertium_base::narrow::{to_i64, to_u32};
use tertium_program::effect::MOST_PROCESSES;
use tertium_program::layout::FRAME_LOCATION;
use tertium_program::semantics::MOST_INPUTS;
use tertium_program::{Action, Assign, Domain, ExprId, InitialValue, LocationId, ProcessId, StepId};

use super::builder::{Value, operand};
use super::{DEEPEST, LARGE, Lowerer, Offered, stuck};
use crate::form::{Instruction, Operand, Stuck, may_trap};

impl Lowerer<'_, '_> {
    /// A step, if its conditions hold.
    pub(super) fn step(&mut self, id: StepId) -> Offered {
        let step = self.program().step(id);
        let provided = match self.provided(step) {
            Some(condition) => self.expr(condition),
            None => Value::constant(1),
        };
        self.when(provided, |lowerer| {
            if step.inputs.is_empty() {
                let guard = lowerer.expr(step.guard);
                return lowerer.when(guard, |lowerer| lowerer.act(id));
            }
            let before =
                if lowerer.speaks_of_inputs(step.guard) { Value::constant(1) } else { lowerer.expr(step.guard) };
            lowerer.when(before, |lowerer| lowerer.choose(id, 0, 1))
        })
    }

    /// A step for every choice of its inputs from the one at `position` on; those before have `combinations`.
    fn choose(&mut self, id: StepId, position: usize, combinations: u64) -> Offered {
        let program = self.program();
        let step = program.step(id);
        let Some(input) = step.inputs.get(position) else { return self.chosen(id) };
        let (first, last) = match input.domain {
            Domain::Range(lo, hi) => {
                // Bounds do not see the inputs before.
                let inputs = std::mem::take(&mut self.inputs);
                let bounds = (self.expr(lo), self.expr(hi));
                self.inputs = inputs;
                bounds
            }
            Domain::Type(ty) => match program.bounds(ty) {
                (Some(lo), Some(hi)) => (Value::constant(lo), Value::constant(hi)),
                _ => {
                    self.code.trap();
                    return Offered::Never;
                }
            },
        };
        let most = if last.hi < first.lo { 0 } else { last.hi.abs_diff(first.lo).saturating_add(1) };
        let combinations = combinations.saturating_mul(most);
        if combinations > MOST_INPUTS || last.hi == i64::MAX {
            self.code.trap();
            return Offered::Never;
        }
        if most == 0 {
            return Offered::Never;
        }
        let index = self.code.variable(first.lo, last.hi.max(first.lo));
        let Operand::Register(register) = index.operand else { return Offered::Never };
        let from = self.code.block.len();
        self.inputs.push(index);
        let offered = self.choose(id, position + 1, combinations);
        self.inputs.pop();
        let body = self.code.taken(from);
        self.code.block.push(Instruction::Loop { index: register, first: operand(first), last: operand(last), body });
        if offered == Offered::Never { Offered::Never } else { Offered::Maybe }
    }

    /// A step whose inputs are chosen.
    fn chosen(&mut self, id: StepId) -> Offered {
        let open = if self.first_only { self.code.not(self.any) } else { Value::constant(1) };
        self.when(open, |lowerer| {
            let guard = lowerer.program().step(id).guard;
            let from = lowerer.code.block.len();
            let value = lowerer.expr(guard);
            if lowerer.speaks_of_inputs(guard) && may_trap(&lowerer.code.block[from..]) {
                // The definition looks at the guard before it looks whether there is a choice at all.
                lowerer.code.trap();
            }
            lowerer.when(value, |lowerer| lowerer.act(id))
        })
    }

    /// What a step does, if it can be done.
    fn act(&mut self, id: StepId) -> Offered {
        let program = self.program();
        let step = program.step(id);
        let from = self.log.len();
        let offered = match &step.action {
            Action::Assign(assigns) => {
                self.assign_all(assigns);
                self.finish(id)
            }
            Action::Assert(condition) => {
                let holds = self.expr(*condition);
                let fails = self.code.not(holds);
                if self.semantics.is_persistent() {
                    self.when(fails, |lowerer| {
                        lowerer.code.block.push(Instruction::Fail { step: id.number() });
                        Offered::Surely
                    });
                } else {
                    self.code.trap_if(fails);
                }
                self.finish(id)
            }
            Action::Send { channel, message, sorted } => self.send(id, *channel, message, *sorted),
            Action::Receive { pattern, keep } => self.receive(id, pattern, *keep),
            Action::Run { process, arguments, then, .. } => self.start(id, *process, arguments, then),
            Action::Print { values, .. } => {
                for &value in values {
                    self.expr(value);
                }
                self.finish(id)
            }
            Action::End => self.end(id),
            Action::SetPriority { .. } | Action::Together { .. } => {
                self.code.trap();
                Offered::Never
            }
        };
        self.log.truncate(from);
        offered
    }

    /// Simultaneous: everything is evaluated before anything is written.
    fn assign_all(&mut self, assigns: &[Assign]) {
        let program = self.program();
        let mut writes = Vec::new();
        for assign in assigns {
            let cell = self.place(assign.place);
            let value = self.expr(assign.value);
            let (lo, hi) = program.bounds(program.variable(assign.place.variable()).ty);
            let (lo, hi) = (lo.unwrap_or(i64::MIN), hi.unwrap_or(i64::MAX));
            self.code.must_lie(value, lo, hi);
            let value = Value { lo: value.lo.clamp(lo, hi), hi: value.hi.clamp(lo, hi), ..value };
            writes.push((assign.place, cell, value));
        }
        for (place, cell, value) in writes {
            self.assign(place, cell, value);
        }
    }

    /// Notes that a step can be taken.
    pub(super) fn offer(&mut self, id: StepId) {
        self.code.set(self.any, Value::constant(1));
        let flag = self.flags.iter().rev().find(|(step, _)| *step == id).map(|&(_, flag)| flag);
        if let Some(flag) = flag {
            self.code.set(flag, Value::constant(1));
        }
    }

    /// A process is at another location.
    pub(super) fn move_to(&mut self, pid: usize, target: LocationId) {
        self.write(self.shape.frames[pid] + FRAME_LOCATION, Value::constant(to_i64(target.index())));
    }

    /// Forgets the values that a process which has moved never reads again.
    pub(super) fn forget(&mut self, pid: usize, location: LocationId) {
        let Some(dead) = self.reduction.and_then(|reduction| reduction.dead()) else { return };
        let process = self.shape.processes[pid] as usize;
        for &slot in dead.at(process, location.index()) {
            let slot = self.shape.frames[pid] + slot as usize;
            let least = self.shape.field(slot).least();
            self.write(slot, Value::constant(least));
        }
    }

    /// The end of a step that the executing process makes alone, once everything else is written.
    pub(super) fn finish(&mut self, id: StepId) -> Offered {
        let program = self.program();
        let (step, Some(me)) = (program.step(id), self.me) else { return Offered::Never };
        self.offer(id);
        let from = self.log.len();
        self.move_to(me, step.target);
        self.note_last(id, me);
        self.forget(me, step.target);
        self.arrive(self.holds(step).then_some((me, step.target)));
        self.log.truncate(from);
        Offered::Surely
    }

    fn note_last(&mut self, id: StepId, me: usize) {
        let program = self.program();
        if let Some(last) = program.last
            && !self.is_inside(program.step(id))
        {
            self.write(self.semantics.layout().variable(last), Value::constant(to_i64(me)));
        }
    }

    /// The successor, or, if somebody holds control there, what it does next.
    pub(super) fn arrive(&mut self, holder: Option<(usize, LocationId)>) {
        let shape = self.shape;
        let Some((pid, location)) = holder else { return self.emit(shape, None, None) };
        let again = self.way.contains(&(pid, location));
        if again || self.way.len() >= DEEPEST || self.code.ranges.len() > LARGE {
            return self.emit(shape, None, Some(to_u32(pid)));
        }
        let (me, inputs, timeout) = (self.me, std::mem::take(&mut self.inputs), self.timeout);
        let (any, flags) = (self.any, std::mem::take(&mut self.flags));
        self.me = Some(pid);
        self.timeout = Value::constant(0);
        self.any = self.code.variable(0, 1);
        self.code.set(self.any, Value::constant(0));
        self.way.push((pid, location));
        let offered = self.location(pid, location);
        self.way.pop();
        if offered != Offered::Surely {
            let none = if offered == Offered::Never { Value::constant(1) } else { self.code.not(self.any) };
            let process = self.shape.processes[pid] as usize;
            match stuck(self.program(), self.reduction, process, location.index()) {
                Stuck::Visible => {
                    self.when(none, |lowerer| {
                        lowerer.emit(shape, None, None);
                        Offered::Surely
                    });
                }
                Stuck::Nowhere => {}
                Stuck::Wrong => self.code.trap_if(none),
            }
        }
        (self.me, self.inputs, self.timeout) = (me, inputs, timeout);
        (self.any, self.flags) = (any, flags);
    }

    /// The youngest process ends.
    fn end(&mut self, id: StepId) -> Offered {
        let Some(me) = self.me.filter(|&me| me + 1 == self.shape.processes.len()) else { return Offered::Never };
        self.offer(id);
        self.note_last(id, me);
        let narrower = self.packing.shape_of(&self.shape.processes[..me]);
        self.emit(&narrower, Some(narrower.used), None);
        Offered::Surely
    }

    /// Another process starts.
    fn start(&mut self, id: StepId, process: ProcessId, arguments: &[ExprId], then: &[Assign]) -> Offered {
        let (pid, Some(me)) = (self.shape.processes.len(), self.me) else { return Offered::Never };
        if pid >= MOST_PROCESSES {
            self.code.trap();
            return Offered::Never;
        }
        let arguments: Vec<Value> = arguments.iter().map(|&argument| self.expr(argument)).collect();
        let inputs = std::mem::replace(&mut self.inputs, vec![Value::constant(to_i64(pid))]);
        self.assign_all(then);
        self.inputs = inputs;
        let program = self.program();
        let mut processes = self.shape.processes.clone();
        processes.push(process.number());
        let wider = self.packing.shape_of(&processes);
        self.offer(id);
        self.fill_frame(process, &arguments, &wider);
        let step = program.step(id);
        self.move_to(me, step.target);
        self.note_last(id, me);
        self.forget(me, step.target);
        // A process that goes on after it has started another sees states of another layout.
        self.emit(&wider, None, self.holds(step).then_some(to_u32(me)));
        Offered::Surely
    }

    /// Writes the frame of a new process, which lies behind all others.
    fn fill_frame(&mut self, process: ProcessId, arguments: &[Value], wider: &tertium_explore::pack::RowLayout) {
        let (program, layout) = (self.program(), self.semantics.layout());
        let frame = self.shape.slots;
        let code = program.process(process);
        for slot in frame..wider.slots {
            self.write(slot, Value::constant(0));
        }
        self.write(frame, Value::constant(to_i64(process.index())));
        self.write(frame + FRAME_LOCATION, Value::constant(to_i64(code.entry.index())));
        let first_channel = self.shape.queues.len();
        for &local in &code.locals {
            let variable = program.variable(local);
            let width = program.stored_width(variable.ty);
            let at = frame + layout.variable(local);
            for cell in 0..variable.cells() {
                let value = match &variable.initial {
                    InitialValue::Any => Value::constant(0),
                    InitialValue::Same(value) => Value::constant(*value),
                    InitialValue::Each(values) => Value::constant(values.get(cell).copied().unwrap_or(0)),
                    InitialValue::Argument(position) => {
                        arguments.get(*position as usize).copied().unwrap_or(Value::constant(0))
                    }
                    InitialValue::Computed(expr) => self.computed(*expr, process, frame),
                    InitialValue::Channel(id) => {
                        let position = code.channels.iter().position(|channel| channel == id).unwrap_or(0);
                        self.write(at + cell, Value::constant(to_i64(first_channel + position + 1 + cell)));
                        continue;
                    }
                };
                let value = width.map_or(value, |width| self.code.wrap(width, value));
                self.write(at + cell, value);
            }
        }
        if let Some(dead) = self.reduction.and_then(|reduction| reduction.dead()) {
            for &slot in dead.at(process.index(), code.entry.index()) {
                let slot = frame + slot as usize;
                self.write(slot, Value::constant(wider.field(slot).least()));
            }
        }
    }

    /// The first value of a local variable of a process that is being started.
    fn computed(&mut self, expr: ExprId, process: ProcessId, frame: usize) -> Value {
        // It sees the locals of its own frame, which is not part of the layout.
        let me = self.me.take();
        let inputs = std::mem::take(&mut self.inputs);
        let timeout = std::mem::replace(&mut self.timeout, Value::constant(0));
        let seen = self.starting.replace((process, frame));
        let value = self.expr(expr);
        self.starting = seen;
        (self.me, self.inputs, self.timeout) = (me, inputs, timeout);
        value
    }
}
