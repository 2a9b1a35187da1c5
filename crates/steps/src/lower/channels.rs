//! Which instructions send, receive and look at messages?
//!
//! The layout says where every channel of a state lies, so a channel that is known when the form is made costs nothing to find; one
//! that a variable holds is a choice between all of them. Messages keep their order by being moved one place.

use tertium_base::narrow::to_i64;
use tertium_explore::pack::Queue;
use tertium_program::layout::FRAME_LOCATION;
use tertium_program::{Action, Binary, ExprId, Field, LocationId, Pattern, PatternId, ProcessId, Step, StepId};

use super::builder::{Value, operand};
use super::{Lowerer, Offered};
use crate::form::{Instruction, Operation};

/// The slot of a field of the message at a position.
fn slot(queue: Queue, position: usize, field: usize) -> usize {
    queue.at + 1 + position * queue.fields + field
}

impl Lowerer<'_, '_> {
    /// The channels that a value can be, with their numbers; traps if it is none.
    fn queues_of(&mut self, channel: Value) -> Vec<(i64, Queue)> {
        let count = to_i64(self.shape.queues.len());
        self.code.must_lie(channel, 1, count);
        let numbered = self.shape.queues.iter().enumerate().map(|(at, &queue)| (to_i64(at) + 1, queue));
        numbered.filter(|&(number, _)| channel.lo <= number && number <= channel.hi).collect()
    }

    /// A value of the channel with this number.
    pub(super) fn of_queues(&mut self, channel: Value, mut value: impl FnMut(&mut Self, Queue) -> Value) -> Value {
        let queues = self.queues_of(channel);
        let mut result = Value::constant(0);
        for (at, (number, queue)) in queues.into_iter().enumerate() {
            let from = self.code.block.len();
            let of = value(self, queue);
            if at == 0 && channel.as_constant().is_some() {
                return of;
            }
            let block = self.code.taken(from);
            let same = self.code.equals(channel, number);
            let from = self.code.block.len();
            self.code.block.extend(block);
            result = self.code.lazily(from, same, of, result);
        }
        result
    }

    /// Does something with the channel that an expression means.
    fn with_queue(&mut self, channel: ExprId, mut act: impl FnMut(&mut Self, Queue) -> Offered) -> Offered {
        let channel = self.expr(channel);
        let queues = self.queues_of(channel);
        if let (Some(_), [(_, queue)]) = (channel.as_constant(), queues.as_slice()) {
            return act(self, *queue);
        }
        let mut cases = Vec::new();
        let mut offered = Offered::Never;
        for (number, queue) in queues {
            if self.is_too_large() {
                break;
            }
            let (from, written) = (self.code.block.len(), self.log.len());
            if act(self, queue) != Offered::Never {
                offered = Offered::Maybe;
            }
            self.log.truncate(written);
            cases.push((number, self.code.taken(from)));
        }
        self.code.block.push(Instruction::Switch { on: operand(channel), cases });
        offered
    }

    /// What a channel keeps of a message's values.
    fn cut(&mut self, queue: Queue, values: &[Value]) -> Vec<Value> {
        let program = self.program();
        let types = &program.channel(queue.id).fields;
        let mut cut = Vec::with_capacity(values.len());
        for (&value, &ty) in values.iter().zip(types) {
            cut.push(program.stored_width(ty).map_or(value, |width| self.code.wrap(width, value)));
        }
        cut
    }

    fn message_at(&mut self, queue: Queue, position: usize) -> Vec<Value> {
        (0..queue.fields).map(|field| self.read(slot(queue, position, field))).collect()
    }

    pub(super) fn send(&mut self, step: StepId, channel: ExprId, message: &[ExprId], sorted: bool) -> Offered {
        self.with_queue(channel, |lowerer, queue| {
            if queue.capacity == 0 {
                return match lowerer.message(queue, message) {
                    Some(values) => {
                        let values = lowerer.cut(queue, &values);
                        lowerer.meet_all(step, queue, &values)
                    }
                    None => Offered::Never,
                };
            }
            let length = lowerer.read(queue.at);
            let room = lowerer.code.compute(Operation::Less, length, Value::constant(to_i64(queue.capacity)));
            lowerer.when(room, |lowerer| {
                let Some(values) = lowerer.message(queue, message) else { return Offered::Never };
                lowerer.insert(queue, length, &values, sorted);
                lowerer.finish(step)
            })
        })
    }

    /// The values of a message before they are cut; traps if there are not as many as the channel has fields.
    fn message(&mut self, queue: Queue, message: &[ExprId]) -> Option<Vec<Value>> {
        if self.program().channel(queue.id).fields.len() != message.len() {
            self.code.trap();
            return None;
        }
        Some(message.iter().map(|&value| self.expr(value)).collect())
    }

    fn insert(&mut self, queue: Queue, length: Value, values: &[Value], sorted: bool) {
        let cut = self.cut(queue, values);
        let longer = self.code.compute(Operation::Add, length, Value::constant(1));
        if sorted {
            self.insert_sorted(queue, length, values, &cut);
        } else {
            let last = to_i64(queue.capacity) - 1;
            let at = Value { lo: length.lo.clamp(0, last), hi: length.hi.clamp(0, last), ..length };
            for (field, &value) in cut.iter().enumerate() {
                let slots = (0..queue.capacity).map(|position| slot(queue, position, field)).collect();
                self.write_at(slots, at, value);
            }
        }
        self.write(queue.at, longer);
    }

    /// In numerical order: after those that are not larger.
    fn insert_sorted(&mut self, queue: Queue, length: Value, values: &[Value], cut: &[Value]) {
        let old: Vec<Vec<Value>> = (0..queue.capacity).map(|at| self.message_at(queue, at)).collect();
        let mut position = length;
        for at in (0..queue.capacity).rev() {
            let larger = self.is_larger(&old[at], values);
            let there = self.code.compute(Operation::Less, Value::constant(to_i64(at)), length);
            let before = self.code.compute(Operation::And, larger, there);
            position = self.code.select(before, Value::constant(to_i64(at)), position);
        }
        for at in 0..queue.capacity {
            let here = self.code.equals(position, to_i64(at));
            let behind = self.code.compute(Operation::Less, position, Value::constant(to_i64(at)));
            for field in 0..queue.fields {
                // Behind the last message everything is 0, before and after.
                let moved =
                    if at == 0 { old[at][field] } else { self.code.select(behind, old[at - 1][field], old[at][field]) };
                let new = self.code.select(here, cut[field], moved);
                self.write(slot(queue, at, field), new);
            }
        }
    }

    /// Whether a message is larger than some values, field by field.
    fn is_larger(&mut self, message: &[Value], values: &[Value]) -> Value {
        let mut larger = Value::constant(0);
        for (&field, &value) in message.iter().zip(values).rev() {
            let (more, same) =
                (self.code.compute(Operation::Less, value, field), self.code.compute(Operation::Equal, value, field));
            let further = self.code.compute(Operation::And, same, larger);
            larger = self.code.compute(Operation::Or, more, further);
        }
        larger
    }

    pub(super) fn receive(&mut self, step: StepId, pattern: &Pattern, keep: bool) -> Offered {
        self.with_queue(pattern.channel, |lowerer, queue| {
            if queue.capacity == 0 {
                return Offered::Never;
            }
            let length = lowerer.read(queue.at);
            let position = lowerer.find(&pattern.fields, pattern.anywhere, queue, length);
            let found = lowerer.code.compute(Operation::AtMost, Value::constant(0), position);
            lowerer.when(found, |lowerer| {
                let at = Value { lo: position.lo.max(0), ..position };
                let mut message = Vec::new();
                for field in 0..queue.fields {
                    let slots: Vec<usize> = (0..queue.capacity).map(|position| slot(queue, position, field)).collect();
                    message.push(lowerer.read_at(&slots, at));
                }
                if !keep {
                    lowerer.remove(queue, length, at);
                }
                lowerer.bind(&pattern.fields, &message);
                lowerer.finish(step)
            })
        })
    }

    /// The position of the message that a pattern picks; -1 if there is none.
    fn find(&mut self, fields: &[Field], anywhere: bool, queue: Queue, length: Value) -> Value {
        let candidates = if anywhere { queue.capacity } else { 1 };
        let mut position = Value::constant(-1);
        for at in 0..candidates {
            let there = self.code.compute(Operation::Less, Value::constant(to_i64(at)), length);
            let open = self.code.equals(position, -1);
            let looked_at = self.code.compute(Operation::And, there, open);
            let message = self.message_at(queue, at);
            let fits = self.connective(Binary::And, looked_at, |lowerer| lowerer.matches(fields, &message));
            position = self.code.select(fits, Value::constant(to_i64(at)), position);
        }
        position
    }

    /// Whether a message has the values that a pattern asks for.
    fn matches(&mut self, fields: &[Field], message: &[Value]) -> Value {
        if fields.len() != message.len() {
            self.code.trap();
            return Value::constant(0);
        }
        let mut fits = Value::constant(1);
        for (field, &value) in fields.iter().zip(message) {
            if let Field::Match(wanted) = *field {
                fits = self.connective(Binary::And, fits, |lowerer| {
                    let wanted = lowerer.expr(wanted);
                    lowerer.code.compute(Operation::Equal, wanted, value)
                });
            }
        }
        fits
    }

    fn remove(&mut self, queue: Queue, length: Value, position: Value) {
        let mut writes = Vec::new();
        for at in 0..queue.capacity {
            let stays = self.code.compute(Operation::Less, Value::constant(to_i64(at)), position);
            for field in 0..queue.fields {
                // Behind the last message everything is 0, before and after.
                let next =
                    if at + 1 < queue.capacity { self.read(slot(queue, at + 1, field)) } else { Value::constant(0) };
                let old = if stays.as_constant() == Some(0) { next } else { self.read(slot(queue, at, field)) };
                let new = self.code.select(stays, old, next);
                writes.push((slot(queue, at, field), new));
            }
        }
        for (slot, value) in writes {
            self.write(slot, value);
        }
        let shorter = self.code.compute(Operation::Subtract, length, Value::constant(1));
        self.write(queue.at, shorter);
    }

    /// Binds the fields of a message one after the other.
    fn bind(&mut self, fields: &[Field], message: &[Value]) {
        let program = self.program();
        for (field, &value) in fields.iter().zip(message) {
            let Field::Bind(place) = *field else { continue };
            let cell = self.place(place);
            let ty = program.variable(place.variable()).ty;
            let value = program.stored_width(ty).map_or(value, |width| self.code.wrap(width, value));
            let (lo, hi) = program.bounds(ty);
            self.code.must_lie(value, lo.unwrap_or(i64::MIN), hi.unwrap_or(i64::MAX));
            self.assign(place, cell, value);
        }
    }

    pub(super) fn poll(&mut self, pattern: PatternId) -> Value {
        let program = self.program();
        let pattern = program.exprs.pattern(pattern).clone();
        let channel = self.expr(pattern.channel);
        self.of_queues(channel, |lowerer, queue| {
            if queue.capacity == 0 {
                lowerer.code.trap();
                return Value::constant(0);
            }
            // A question may leave out the last fields.
            let mut fields = pattern.fields.clone();
            fields.extend((fields.len()..queue.fields).map(|_| Field::Skip));
            let length = lowerer.read(queue.at);
            let position = lowerer.find(&fields, pattern.anywhere, queue, length);
            lowerer.code.compute(Operation::AtMost, Value::constant(0), position)
        })
    }

    /// One successor for each process and step that could receive the message now.
    fn meet_all(&mut self, step: StepId, queue: Queue, message: &[Value]) -> Offered {
        let mut offered = Offered::Never;
        let me = self.me;
        for pid in (0..self.shape.processes.len()).filter(|&pid| Some(pid) != me) {
            let process = ProcessId::new(self.shape.processes[pid] as usize);
            let locations = self.program().process(process).locations.len();
            let mut cases = Vec::new();
            for location in 0..locations {
                let from = self.code.block.len();
                if self.meet_at(step, queue, message, pid, LocationId::new(location)) != Offered::Never {
                    offered = Offered::Maybe;
                }
                let block = self.code.taken(from);
                if !block.is_empty() {
                    cases.push((to_i64(location), block));
                }
            }
            if !cases.is_empty() {
                let there = self.read(self.shape.frames[pid] + FRAME_LOCATION);
                self.code.block.push(Instruction::Switch { on: operand(there), cases });
            }
        }
        offered
    }

    /// The successors with a receiver that is at this location.
    fn meet_at(&mut self, step: StepId, queue: Queue, message: &[Value], pid: usize, at: LocationId) -> Offered {
        let program = self.program();
        let process = ProcessId::new(self.shape.processes[pid] as usize);
        let mut steps = program.location(process, at).steps.clone();
        steps.sort_by_key(|&theirs| program.step(theirs).rank);
        steps.retain(|&theirs| matches!(program.step(theirs).action, Action::Receive { .. }));
        let mut offered = Offered::Never;
        let mut accepted: Vec<(u32, Value)> = Vec::new();
        if self.is_too_large() {
            return offered;
        }
        for theirs in steps {
            let rank = program.step(theirs).rank;
            let accepts = self.accepts(program.step(theirs), queue, message, pid);
            if accepts.as_constant() == Some(0) {
                continue;
            }
            let mut ready = accepts;
            for &(other, earlier) in &accepted {
                if other != rank {
                    let not = self.code.not(earlier);
                    ready = self.code.compute(Operation::And, ready, not);
                }
            }
            accepted.push((rank, accepts));
            if self.first_only {
                let open = self.code.not(self.any);
                ready = self.code.compute(Operation::And, ready, open);
            }
            let met = self.when(ready, |lowerer| lowerer.meet(step, theirs, message, pid));
            if met != Offered::Never {
                offered = Offered::Maybe;
            }
        }
        offered
    }

    /// Whether a process would take the message by a step.
    fn accepts(&mut self, theirs: &Step, queue: Queue, message: &[Value], pid: usize) -> Value {
        let Action::Receive { pattern, .. } = &theirs.action else { return Value::constant(0) };
        let sender = self.me.replace(pid);
        let inputs = std::mem::take(&mut self.inputs);
        let number = self.shape.queues.iter().position(|&other| other == queue).map_or(0, |at| to_i64(at) + 1);
        let mut ready = Value::constant(1);
        for condition in self.provided(theirs).into_iter().chain([theirs.guard]) {
            ready = self.connective(Binary::And, ready, |lowerer| lowerer.expr(condition));
        }
        ready = self.connective(Binary::And, ready, |lowerer| {
            let channel = lowerer.expr(pattern.channel);
            lowerer.code.equals(channel, number)
        });
        ready = self.connective(Binary::And, ready, |lowerer| lowerer.matches(&pattern.fields, message));
        self.me = sender;
        self.inputs = inputs;
        ready
    }

    /// The successor in which one step hands a message to another.
    fn meet(&mut self, step: StepId, theirs: StepId, message: &[Value], pid: usize) -> Offered {
        let program = self.program();
        let Action::Receive { pattern, .. } = &program.step(theirs).action else { return Offered::Never };
        let Some(me) = self.me else { return Offered::Never };
        self.offer(step);
        let from = self.log.len();
        let inputs = std::mem::take(&mut self.inputs);
        self.me = Some(pid);
        self.bind(&pattern.fields, message);
        self.me = Some(me);
        self.inputs = inputs;
        let (target, their_target) = (program.step(step).target, program.step(theirs).target);
        self.move_to(me, target);
        self.move_to(pid, their_target);
        if let Some(last) = program.last {
            // Who goes on inside a deterministic block has not stepped yet.
            let who = if self.is_inside(program.step(theirs)) { me } else { pid };
            self.write(self.semantics.layout().variable(last), Value::constant(to_i64(who)));
        }
        self.forget(me, target);
        self.forget(pid, their_target);
        // Control goes to the receiver, who keeps it only inside a block of its own.
        let holder = self.holds(program.step(theirs)).then_some((pid, their_target));
        self.arrive(holder);
        self.log.truncate(from);
        Offered::Surely
    }
}
