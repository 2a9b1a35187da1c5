//! Instructions are put together here, with what is known of each value: constants are folded, and checks that cannot fail are left out.

use tertium_explore::pack::Field;

use crate::form::{Half, Instruction, Operand, Operation, Register, may_trap, size};
use crate::interpret::compute;

/// A block of at most so many instructions that cannot trap is evaluated whether it is needed or not.
const SMALL: usize = 8;

/// A value, and between which bounds it lies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Value {
    pub operand: Operand,
    pub lo: i64,
    pub hi: i64,
}

impl Value {
    pub const fn constant(value: i64) -> Self {
        Self { operand: Operand::Constant(value), lo: value, hi: value }
    }

    pub fn as_constant(self) -> Option<i64> {
        (self.lo == self.hi).then_some(self.lo)
    }

    pub fn is_truth(self) -> bool {
        self.lo >= 0 && self.hi <= 1
    }

    pub fn is_within(self, lo: i64, hi: i64) -> bool {
        self.lo >= lo && self.hi <= hi
    }
}

/// The block that is being written, and the registers of the whole form.
#[derive(Debug, Default)]
pub(crate) struct Builder {
    pub block: Vec<Instruction>,
    pub ranges: Vec<(i64, i64)>,
    pub tables: Vec<Vec<Field>>,
}

impl Builder {
    pub fn register(&mut self, lo: i64, hi: i64) -> Register {
        self.ranges.push((lo, hi));
        tertium_base::narrow::to_u32(self.ranges.len() - 1)
    }

    /// A register that holds what the instruction made with it computes.
    pub fn define(&mut self, lo: i64, hi: i64, make: impl FnOnce(Register) -> Instruction) -> Value {
        if lo == hi {
            return Value::constant(lo);
        }
        let to = self.register(lo, hi);
        self.block.push(make(to));
        Value { operand: Operand::Register(to), lo, hi }
    }

    /// A register that may be set in several places.
    pub fn variable(&mut self, lo: i64, hi: i64) -> Value {
        let to = self.register(lo, hi);
        Value { operand: Operand::Register(to), lo, hi }
    }

    pub fn set(&mut self, variable: Value, value: Value) {
        if let Operand::Register(to) = variable.operand {
            self.block.push(Instruction::Set { to, value: operand(value) });
        }
    }

    pub fn trap(&mut self) {
        self.block.push(Instruction::Trap);
    }

    /// What is written by `write`, taken out of the block again.
    pub fn taken(&mut self, from: usize) -> Vec<Instruction> {
        self.block.split_off(from)
    }

    pub fn compute(&mut self, operation: Operation, a: Value, b: Value) -> Value {
        if let (Some(a), Some(b)) = (a.as_constant(), b.as_constant()) {
            return Value::constant(compute(operation, a, b));
        }
        let (lo, hi) = bounds(operation, a, b);
        match (operation, b.as_constant(), a.as_constant()) {
            (Operation::Add | Operation::Or | Operation::Xor, Some(0), _)
            | (Operation::Subtract | Operation::ShiftLeft | Operation::ShiftRight, Some(0), _) => return a,
            (Operation::Add | Operation::Or | Operation::Xor, _, Some(0)) => return b,
            (Operation::And, Some(1), _) if a.is_truth() => return a,
            (Operation::And, _, Some(1)) if b.is_truth() => return b,
            (Operation::Different, Some(0), _) if a.is_truth() => return a,
            (Operation::Equal, Some(1), _) if a.is_truth() => return a,
            _ => {}
        }
        let (a, b) = (operand(a), operand(b));
        self.define(lo, hi, |to| Instruction::Compute { to, operation, a, b })
    }

    /// 0 or 1.
    pub fn truth(&mut self, value: Value) -> Value {
        if value.is_truth() { value } else { self.compute(Operation::Different, value, Value::constant(0)) }
    }

    pub fn not(&mut self, value: Value) -> Value {
        self.compute(Operation::Equal, value, Value::constant(0))
    }

    pub fn equals(&mut self, value: Value, constant: i64) -> Value {
        self.compute(Operation::Equal, value, Value::constant(constant))
    }

    pub fn select(&mut self, condition: Value, a: Value, b: Value) -> Value {
        match condition.as_constant() {
            Some(0) => b,
            Some(_) => a,
            None if a == b => a,
            None => {
                let (lo, hi) = (a.lo.min(b.lo), a.hi.max(b.hi));
                let (condition, a, b) = (operand(condition), operand(a), operand(b));
                self.define(lo, hi, |to| Instruction::Select { to, condition, a, b })
            }
        }
    }

    pub fn wrap(&mut self, width: tertium_program::Width, value: Value) -> Value {
        if let Some(constant) = value.as_constant() {
            return Value::constant(width.wrap(constant));
        }
        let (lo, hi) = (width.lowest(), width.highest());
        if value.is_within(lo, hi) {
            return value;
        }
        let (bits, signed, value) = (width.bits, width.signed, operand(value));
        self.define(lo, hi, |to| Instruction::Wrap { to, bits, signed, value })
    }

    pub fn half(&mut self, half: Half, value: Value) -> Value {
        let value = operand(value);
        self.define(0, i64::from(u32::MAX), |to| Instruction::Half { to, half, value })
    }

    /// Traps if the condition holds.
    pub fn trap_if(&mut self, condition: Value) {
        match condition.as_constant() {
            Some(0) => {}
            Some(_) => self.trap(),
            None => {
                let condition = operand(condition);
                self.block.push(Instruction::If { condition, then: vec![Instruction::Trap], otherwise: Vec::new() });
            }
        }
    }

    /// Traps unless the value lies between these bounds.
    pub fn must_lie(&mut self, value: Value, lo: i64, hi: i64) {
        if value.lo < lo {
            let below = self.compute(Operation::Less, value, Value::constant(lo));
            self.trap_if(below);
        }
        if value.hi > hi {
            let above = self.compute(Operation::Less, Value::constant(hi), value);
            self.trap_if(above);
        }
    }

    /// The value that a block, which was written since `from`, computes if the condition holds, else another one.
    pub fn lazily(&mut self, from: usize, condition: Value, then: Value, otherwise: Value) -> Value {
        if !may_trap(&self.block[from..]) && size(&self.block[from..]) <= SMALL {
            return self.select(condition, then, otherwise);
        }
        let mut block = self.taken(from);
        let result = self.variable(then.lo.min(otherwise.lo), then.hi.max(otherwise.hi));
        self.set(result, otherwise);
        if let Operand::Register(to) = result.operand {
            block.push(Instruction::Set { to, value: operand(then) });
        }
        self.block.push(Instruction::If { condition: operand(condition), then: block, otherwise: Vec::new() });
        result
    }

    /// The number of a table of fields.
    pub fn table(&mut self, fields: Vec<Field>) -> u32 {
        let known = self.tables.iter().position(|table| *table == fields);
        let at = known.unwrap_or_else(|| {
            self.tables.push(fields);
            self.tables.len() - 1
        });
        tertium_base::narrow::to_u32(at)
    }
}

/// The operand that a value is, a constant wherever it can be one.
pub(crate) fn operand(value: Value) -> Operand {
    value.as_constant().map_or(value.operand, Operand::Constant)
}

/// Between which bounds the result of an operation lies.
fn bounds(operation: Operation, a: Value, b: Value) -> (i64, i64) {
    let wide = (i64::MIN, i64::MAX);
    let whole = |lo: i128, hi: i128| match (i64::try_from(lo), i64::try_from(hi)) {
        (Ok(lo), Ok(hi)) => (lo, hi),
        _ => wide,
    };
    let (al, ah, bl, bh) = (i128::from(a.lo), i128::from(a.hi), i128::from(b.lo), i128::from(b.hi));
    match operation {
        Operation::Add => whole(al + bl, ah + bh),
        Operation::Subtract => whole(al - bh, ah - bl),
        Operation::Multiply => {
            let corners = [al * bl, al * bh, ah * bl, ah * bh];
            let (lo, hi) = corners.iter().fold((corners[0], corners[0]), |(lo, hi), &at| (lo.min(at), hi.max(at)));
            whole(lo, hi)
        }
        Operation::Divide if a.lo >= 0 && b.lo >= 1 => (0, a.hi / b.lo),
        Operation::Remainder if a.lo >= 0 && b.lo >= 1 => (0, a.hi.min(b.hi - 1)),
        Operation::And if a.lo >= 0 && b.lo >= 0 => (0, a.hi.min(b.hi)),
        Operation::And if a.lo >= 0 => (0, a.hi),
        Operation::And if b.lo >= 0 => (0, b.hi),
        Operation::Or | Operation::Xor if a.lo >= 0 && b.lo >= 0 => (0, filled(a.hi | b.hi)),
        Operation::ShiftLeft if b.lo >= 0 && b.hi <= 62 && a.lo >= 0 => whole(0, ah << b.hi),
        Operation::ShiftRight if b.lo >= 0 && b.hi <= 63 => {
            ((a.lo >> b.lo).min(a.lo >> b.hi), (a.hi >> b.lo).max(a.hi >> b.hi))
        }
        Operation::Equal | Operation::Different if a.hi < b.lo || b.hi < a.lo => {
            let differ = i64::from(operation == Operation::Different);
            (differ, differ)
        }
        Operation::Less if a.hi < b.lo => (1, 1),
        Operation::Less if a.lo >= b.hi => (0, 0),
        Operation::AtMost if a.hi <= b.lo => (1, 1),
        Operation::AtMost if a.lo > b.hi => (0, 0),
        Operation::AddOverflows if whole(al + bl, ah + bh) != wide => (0, 0),
        Operation::SubtractOverflows if whole(al - bh, ah - bl) != wide => (0, 0),
        Operation::MultiplyOverflows if bounds(Operation::Multiply, a, b) != wide => (0, 0),
        Operation::Equal
        | Operation::Different
        | Operation::Less
        | Operation::AtMost
        | Operation::AddOverflows
        | Operation::SubtractOverflows
        | Operation::MultiplyOverflows => (0, 1),
        _ => wide,
    }
}

/// All bits up to the highest one that is set.
fn filled(value: i64) -> i64 {
    if value <= 0 { 0 } else { i64::MAX >> (value.leading_zeros() - 1) }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Whatever two values lie between their bounds, the result lies between its own.
    #[test]
    fn results_lie_between_their_bounds() {
        let operations = [
            Operation::Add,
            Operation::Subtract,
            Operation::Multiply,
            Operation::Divide,
            Operation::Remainder,
            Operation::And,
            Operation::Or,
            Operation::Xor,
            Operation::ShiftLeft,
            Operation::ShiftRight,
            Operation::Equal,
            Operation::Different,
            Operation::Less,
            Operation::AtMost,
            Operation::AddOverflows,
            Operation::SubtractOverflows,
            Operation::MultiplyOverflows,
        ];
        let edges = [i64::MIN, i64::MIN + 1, -7, -1, 0, 1, 2, 5, 31, 62, 63, 1 << 33, i64::MAX - 1, i64::MAX];
        let intervals: Vec<(i64, i64)> =
            edges.iter().flat_map(|&lo| edges.iter().map(move |&hi| (lo, hi))).filter(|(lo, hi)| lo <= hi).collect();
        let value = |(lo, hi): (i64, i64)| Value { operand: Operand::Register(0), lo, hi };
        for operation in operations {
            for &a in &intervals {
                for &b in &intervals {
                    let shifts = matches!(operation, Operation::ShiftLeft | Operation::ShiftRight);
                    if shifts && (b.0 < 0 || b.1 > 63) {
                        continue;
                    }
                    let (lo, hi) = bounds(operation, value(a), value(b));
                    let samples = |(lo, hi): (i64, i64)| edges.iter().copied().filter(move |at| (lo..=hi).contains(at));
                    for x in samples(a) {
                        for y in samples(b) {
                            let result = compute(operation, x, y);
                            assert!((lo..=hi).contains(&result), "{operation:?} {x} {y}: {result} in {lo}..={hi}");
                        }
                    }
                }
            }
        }
    }
}
