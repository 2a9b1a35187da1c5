//! Which instructions compute the value of an expression?
//!
//! As in the definition of a step: `&&`, `||`, `->` and `if` look at their second operand only when the first does not decide. What
//! can go wrong traps.

use tertium_base::narrow::to_i64;
use tertium_program::layout::FRAME_LOCATION;
use tertium_program::{Binary, Expr, ExprId, ListId, Place, ProcessId, Scope, Unary, VarId};

use super::Lowerer;
use super::builder::Value;
use crate::form::Operation;

impl Lowerer<'_, '_> {
    /// Traps; the value does not matter.
    fn never(&mut self) -> Value {
        self.code.trap();
        Value::constant(0)
    }

    pub(super) fn expr(&mut self, id: ExprId) -> Value {
        match self.program().exprs.get(id) {
            Expr::Bool(value) => Value::constant(i64::from(value)),
            Expr::Int(value) => Value::constant(value),
            Expr::Member(_, position) => Value::constant(i64::from(position)),
            Expr::Var(var) => match self.first_slot(var) {
                Some(slot) => self.read(slot),
                None => self.never(),
            },
            Expr::Element(var, indices) => {
                let (cell, first) = (self.cell(var, indices), self.first_slot(var));
                match first {
                    Some(first) => self.read_at(&self.cells_from(first, var), cell),
                    None => self.never(),
                }
            }
            Expr::Input(position, _) => match self.inputs.get(position as usize) {
                Some(&value) => value,
                None => self.never(),
            },
            Expr::Unary(op, a) => {
                let a = self.expr(a);
                self.unary(op, a)
            }
            Expr::Binary(op, a, b) => self.binary(op, a, b),
            Expr::If(condition, a, b) => self.choice(condition, a, b),
            Expr::Wrap(width, a) => {
                let a = self.expr(a);
                self.code.wrap(width, a)
            }
            other => self.system(other),
        }
    }

    /// The slots of an array that begins at `first`.
    pub(super) fn cells_from(&self, first: usize, var: VarId) -> Vec<usize> {
        (first..first + self.program().variable(var).cells()).collect()
    }

    /// Where a variable begins, as the executing process sees it.
    pub(super) fn first_slot(&self, var: VarId) -> Option<usize> {
        let layout = self.semantics.layout();
        let offset = layout.variable(var);
        let Scope::Local(process) = self.program().variable(var).scope else { return Some(offset) };
        if let Some((_, frame)) = self.starting.filter(|&(starting, _)| starting == process) {
            return Some(frame + offset);
        }
        let mine = self.me.filter(|&me| self.shape.processes[me] == process.number());
        let pid = mine.or_else(|| layout.only_instance(process).map(|pid| pid as usize))?;
        let runs = self.shape.processes.get(pid) == Some(&process.number());
        runs.then(|| self.shape.frames[pid] + offset)
    }

    /// The position of a cell in its array.
    pub(super) fn cell(&mut self, var: VarId, indices: ListId) -> Value {
        let program = self.program();
        let mut position = Value::constant(0);
        for (&index, dimension) in program.exprs.list(indices).iter().zip(&program.variable(var).dimensions) {
            let index = self.expr(index);
            self.code.must_lie(index, dimension.lo, dimension.hi());
            let offset = self.code.compute(Operation::Subtract, index, Value::constant(dimension.lo));
            let scaled = self.code.compute(Operation::Multiply, position, Value::constant(i64::from(dimension.len)));
            position = self.code.compute(Operation::Add, scaled, offset);
        }
        // What lies outside has trapped.
        let last = to_i64(program.variable(var).cells()) - 1;
        Value { lo: position.lo.clamp(0, last), hi: position.hi.clamp(0, last), ..position }
    }

    /// Writes a value to a place.
    pub(super) fn assign(&mut self, place: Place, cell: Option<Value>, value: Value) {
        let var = place.variable();
        match (self.first_slot(var), cell) {
            (Some(first), None) => self.write(first, value),
            (Some(first), Some(cell)) => {
                let slots = self.cells_from(first, var);
                self.write_at(slots, cell, value);
            }
            (None, _) => self.code.trap(),
        }
    }

    /// The position in its array of the cell that a place is; none if it is a plain variable.
    pub(super) fn place(&mut self, place: Place) -> Option<Value> {
        match place {
            Place::Var(_) => None,
            Place::Element(var, indices) => Some(self.cell(var, indices)),
        }
    }

    fn unary(&mut self, op: Unary, a: Value) -> Value {
        match op {
            Unary::Not => self.code.not(a),
            Unary::Negate => self.checked(Operation::Subtract, Operation::SubtractOverflows, Value::constant(0), a),
            Unary::Complement => self.code.compute(Operation::Xor, a, Value::constant(-1)),
        }
    }

    fn checked(&mut self, operation: Operation, overflows: Operation, a: Value, b: Value) -> Value {
        let wrong = self.code.compute(overflows, a, b);
        self.code.trap_if(wrong);
        self.code.compute(operation, a, b)
    }

    fn binary(&mut self, op: Binary, a: ExprId, b: ExprId) -> Value {
        if let Binary::And | Binary::Or | Binary::Implies = op {
            let a = self.expr(a);
            let a = self.code.truth(a);
            return self.connective(op, a, |lowerer| lowerer.expr(b));
        }
        let (a, b) = (self.expr(a), self.expr(b));
        match op {
            Binary::Add => self.checked(Operation::Add, Operation::AddOverflows, a, b),
            Binary::Sub => self.checked(Operation::Subtract, Operation::SubtractOverflows, a, b),
            Binary::Mul => self.checked(Operation::Multiply, Operation::MultiplyOverflows, a, b),
            Binary::Div | Binary::Mod | Binary::Quotient | Binary::Remainder => self.divide(op, a, b),
            Binary::Eq => self.code.compute(Operation::Equal, a, b),
            Binary::Ne => self.code.compute(Operation::Different, a, b),
            Binary::Lt => self.code.compute(Operation::Less, a, b),
            Binary::Le => self.code.compute(Operation::AtMost, a, b),
            Binary::Gt => self.code.compute(Operation::Less, b, a),
            Binary::Ge => self.code.compute(Operation::AtMost, b, a),
            Binary::BitAnd => self.code.compute(Operation::And, a, b),
            Binary::BitOr => self.code.compute(Operation::Or, a, b),
            Binary::BitXor => self.code.compute(Operation::Xor, a, b),
            Binary::Shl => self.shift_left(a, b),
            Binary::Shr => {
                self.code.must_lie(b, 0, i64::MAX);
                let far = self.code.compute(Operation::Less, Value::constant(63), b);
                let by = self.code.select(far, Value::constant(63), b);
                let by = Value { lo: by.lo.clamp(0, 63), hi: by.hi.clamp(0, 63), ..by };
                self.code.compute(Operation::ShiftRight, a, by)
            }
            Binary::And | Binary::Or | Binary::Implies => Value::constant(0),
        }
    }

    /// A connective that looks at its second operand only when the first, 0 or 1, does not decide.
    pub(super) fn connective(&mut self, op: Binary, a: Value, second: impl FnOnce(&mut Self) -> Value) -> Value {
        let decided = if op == Binary::And { Value::constant(0) } else { Value::constant(1) };
        let goes_on = if op == Binary::Or { self.code.not(a) } else { a };
        if goes_on.as_constant() == Some(0) {
            return decided;
        }
        let from = self.code.block.len();
        let second = second(self);
        let second = self.code.truth(second);
        if goes_on.as_constant().is_some() {
            return second;
        }
        self.code.lazily(from, goes_on, second, decided)
    }

    fn choice(&mut self, condition: ExprId, a: ExprId, b: ExprId) -> Value {
        let condition = self.expr(condition);
        if let Some(value) = condition.as_constant() {
            return self.expr(if value != 0 { a } else { b });
        }
        let from = self.code.block.len();
        let first = self.expr(a);
        let first = self.code.lazily(from, condition, first, Value::constant(0));
        let opposite = self.code.not(condition);
        let from = self.code.block.len();
        let second = self.expr(b);
        self.code.lazily(from, opposite, second, first)
    }

    fn divide(&mut self, op: Binary, a: Value, b: Value) -> Value {
        if b.lo <= 0 && b.hi >= 0 {
            let none = self.code.equals(b, 0);
            self.code.trap_if(none);
        }
        if a.lo == i64::MIN && b.lo <= -1 && b.hi >= -1 {
            let least = self.code.equals(a, i64::MIN);
            self.code.trap_if(least);
        }
        if b.as_constant() == Some(0) {
            return Value::constant(0);
        }
        let (quotient, remainder) =
            (self.code.compute(Operation::Divide, a, b), self.code.compute(Operation::Remainder, a, b));
        match op {
            Binary::Quotient => quotient,
            Binary::Remainder => remainder,
            _ => {
                let negative = self.code.compute(Operation::Less, remainder, Value::constant(0));
                let upwards = self.code.compute(Operation::Less, b, Value::constant(0));
                if op == Binary::Div {
                    let by = self.code.select(upwards, Value::constant(1), Value::constant(-1));
                    let moved = self.code.compute(Operation::Add, quotient, by);
                    return self.code.select(negative, moved, quotient);
                }
                let opposite = self.code.compute(Operation::Subtract, Value::constant(0), b);
                let size = self.code.select(upwards, opposite, b);
                let moved = self.code.compute(Operation::Add, remainder, size);
                self.code.select(negative, moved, remainder)
            }
        }
    }

    /// Conservative: what is shifted out, or by an odd number of bits, is left to the definition.
    fn shift_left(&mut self, a: Value, b: Value) -> Value {
        self.code.must_lie(b, 0, 62);
        let by = Value { lo: b.lo.clamp(0, 62), hi: b.hi.clamp(0, 62), ..b };
        let shifted = self.code.compute(Operation::ShiftLeft, a, by);
        if !(a.is_within(-(1 << 31), 1 << 31) && by.hi <= 31) {
            let back = self.code.compute(Operation::ShiftRight, shifted, by);
            let lost = self.code.compute(Operation::Different, back, a);
            self.code.trap_if(lost);
        }
        shifted
    }

    /// What depends on channels, on other instances or on where processes are.
    fn system(&mut self, expr: Expr) -> Value {
        if self.starting.is_some() && !matches!(expr, Expr::OwnPid) {
            // Of a state with a process that is only being started the definition knows more.
            return self.never();
        }
        match expr {
            Expr::At(process, location) => {
                let pid = self.semantics.layout().only_instance(process).map(|pid| pid as usize);
                match pid.filter(|&pid| self.shape.processes.get(pid) == Some(&process.number())) {
                    Some(pid) => self.is_at(pid, to_i64(location.index())),
                    None => self.never(),
                }
            }
            Expr::RemoteAt(pid, process, location) => {
                let pid = self.expr(pid);
                self.of_instances(pid, process, |lowerer, at| lowerer.is_at(at, to_i64(location.index())))
            }
            Expr::Remote(pid, var) => {
                let pid = self.expr(pid);
                let Scope::Local(process) = self.program().variable(var).scope else { return self.never() };
                let offset = self.semantics.layout().variable(var);
                self.of_instances(pid, process, |lowerer, at| lowerer.read(lowerer.shape.frames[at] + offset))
            }
            Expr::RemoteElement(pid, var, indices) => {
                let cell = self.cell(var, indices);
                let pid = self.expr(pid);
                let Scope::Local(process) = self.program().variable(var).scope else { return self.never() };
                let offset = self.semantics.layout().variable(var);
                self.of_instances(pid, process, |lowerer, at| {
                    let slots = lowerer.cells_from(lowerer.shape.frames[at] + offset, var);
                    lowerer.read_at(&slots, cell)
                })
            }
            Expr::LocationOf(pid) => {
                let pid = self.expr(pid);
                let mut value = Value::constant(0);
                for (at, frame) in self.shape.frames.clone().into_iter().enumerate() {
                    let (same, there) = (self.code.equals(pid, to_i64(at)), self.read(frame + FRAME_LOCATION));
                    let there = self.code.compute(Operation::Add, there, Value::constant(1));
                    value = self.code.select(same, there, value);
                }
                value
            }
            Expr::Length(channel) => {
                let channel = self.expr(channel);
                self.of_queues(channel, |lowerer, queue| lowerer.read(queue.at))
            }
            Expr::Capacity(channel) => {
                let channel = self.expr(channel);
                self.of_queues(channel, |_, queue| Value::constant(to_i64(queue.capacity)))
            }
            Expr::Poll(pattern) => self.poll(pattern),
            Expr::Timeout => self.timeout,
            Expr::ProcessCount => Value::constant(to_i64(self.shape.frames.len())),
            Expr::OwnPid => match (self.starting, self.me) {
                (Some(_), _) => Value::constant(to_i64(self.shape.processes.len())),
                (None, Some(me)) => Value::constant(to_i64(me)),
                (None, None) => self.never(),
            },
            Expr::NonProgress => {
                let progress = self.some_process(|location| location.progress);
                self.code.not(progress)
            }
            Expr::Accepting => self.some_process(|location| location.accept),
            Expr::FirstInstance(process) => {
                let first = self.shape.processes.iter().position(|&other| other == process.number());
                Value::constant(first.map_or(-1, |pid| to_i64(pid)))
            }
            _ => self.never(),
        }
    }

    pub(super) fn is_at(&mut self, pid: usize, location: i64) -> Value {
        let there = self.read(self.shape.frames[pid] + FRAME_LOCATION);
        self.code.equals(there, location)
    }

    /// A value of the instance with this pid; 0 if it does not run this process.
    fn of_instances(
        &mut self,
        pid: Value,
        process: ProcessId,
        mut value: impl FnMut(&mut Self, usize) -> Value,
    ) -> Value {
        let mut result = Value::constant(0);
        for at in (0..self.shape.processes.len())
            .filter(|&at| self.shape.processes[at] == process.number())
            .collect::<Vec<_>>()
        {
            let same = self.code.equals(pid, to_i64(at));
            if same.as_constant() == Some(0) {
                continue;
            }
            let of = value(self, at);
            result = self.code.select(same, of, result);
        }
        result
    }

    fn some_process(&mut self, is: impl Fn(&tertium_program::Location) -> bool) -> Value {
        let mut any = Value::constant(0);
        for (&process, frame) in self.shape.processes.clone().iter().zip(self.shape.frames.clone()) {
            let there = self.read(frame + FRAME_LOCATION);
            let locations = &self.program().process(ProcessId::new(process as usize)).locations;
            for (at, _) in locations.iter().enumerate().filter(|(_, location)| is(location)) {
                let here = self.code.equals(there, to_i64(at));
                any = self.code.compute(Operation::Or, any, here);
            }
        }
        any
    }

    /// Whether an expression speaks of inputs.
    pub(super) fn speaks_of_inputs(&self, id: ExprId) -> bool {
        let exprs = &self.program().exprs;
        let list = |list: ListId| exprs.list(list).iter().any(|&id| self.speaks_of_inputs(id));
        match exprs.get(id) {
            Expr::Input(..) => true,
            Expr::Element(_, indices) | Expr::Apply(_, indices) => list(indices),
            Expr::Unary(_, a)
            | Expr::Wrap(_, a)
            | Expr::Remote(a, _)
            | Expr::RemoteAt(a, ..)
            | Expr::Length(a)
            | Expr::Capacity(a)
            | Expr::Enabled(a)
            | Expr::LocationOf(a)
            | Expr::PriorityOf(a) => self.speaks_of_inputs(a),
            Expr::RemoteElement(a, _, indices) => self.speaks_of_inputs(a) || list(indices),
            Expr::Binary(_, a, b) => self.speaks_of_inputs(a) || self.speaks_of_inputs(b),
            Expr::If(a, b, c) => [a, b, c].into_iter().any(|id| self.speaks_of_inputs(id)),
            // Patterns are not looked into; whoever asks takes it for granted then.
            Expr::Poll(_) => true,
            _ => false,
        }
    }
}
