//! Expressions made ready to be evaluated millions of times a second.
//!
//! Slots are resolved, common shapes are one instruction, and a fault is only a [`Trap`]: whoever meets one asks
//! the definition of a step what exactly went wrong.

use tertium_program::build::{apply_binary, apply_unary};
use tertium_program::layout::FRAME_LOCATION;
use tertium_program::{Binary, Expr, ExprId, ListId, Semantics, Unary, VarId, Width};

/// Something goes wrong, or is not for fast evaluation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Trap;

/// An instruction by its number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CodeId(u32);

/// A comparison of integers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Compare {
    Eq,
    Ne,
    Lt,
    Le,
    Gt,
    Ge,
}

impl Compare {
    fn of(op: Binary) -> Option<Self> {
        Some(match op {
            Binary::Eq => Self::Eq,
            Binary::Ne => Self::Ne,
            Binary::Lt => Self::Lt,
            Binary::Le => Self::Le,
            Binary::Gt => Self::Gt,
            Binary::Ge => Self::Ge,
            _ => return None,
        })
    }

    #[inline]
    fn holds(self, a: i64, b: i64) -> bool {
        match self {
            Self::Eq => a == b,
            Self::Ne => a != b,
            Self::Lt => a < b,
            Self::Le => a <= b,
            Self::Gt => a > b,
            Self::Ge => a >= b,
        }
    }
}

#[derive(Clone, Copy, Debug)]
enum Op {
    Const(i64),
    Slot(u32),
    Input(u32),
    /// A cell: first slot, index, smallest index, how many.
    Cell {
        first: u32,
        index: CodeId,
        lo: i64,
        len: u32,
    },
    CompareConst(Compare, u32, i64),
    CompareSlots(Compare, u32, u32),
    Compare(Compare, CodeId, CodeId),
    Not(CodeId),
    And(CodeId, CodeId),
    Or(CodeId, CodeId),
    Implies(CodeId, CodeId),
    If(CodeId, CodeId, CodeId),
    Add(CodeId, CodeId),
    Sub(CodeId, CodeId),
    Unary(Unary, CodeId),
    Binary(Binary, CodeId, CodeId),
    Wrap(Width, CodeId),
    /// Needs the definition of a step.
    Trap,
}

/// The instructions of one program.
#[derive(Clone, Debug, Default)]
pub struct Code {
    ops: Vec<Op>,
}

impl Code {
    fn add(&mut self, op: Op) -> CodeId {
        self.ops.push(op);
        CodeId(self.ops.len() as u32 - 1)
    }

    /// Makes an expression of a program with fixed processes ready.
    pub fn compile(&mut self, semantics: &Semantics<'_>, id: ExprId) -> CodeId {
        let op = match semantics.program().exprs.get(id) {
            Expr::Bool(value) => Op::Const(i64::from(value)),
            Expr::Int(value) => Op::Const(value),
            Expr::Member(_, position) => Op::Const(i64::from(position)),
            Expr::Var(var) => fixed(semantics, var).map_or(Op::Trap, Op::Slot),
            Expr::Element(var, indices) => return self.element(semantics, var, indices),
            Expr::Input(position, _) => Op::Input(position),
            Expr::Unary(Unary::Not, a) => Op::Not(self.compile(semantics, a)),
            Expr::Unary(op, a) => Op::Unary(op, self.compile(semantics, a)),
            Expr::Binary(op, a, b) => return self.binary(semantics, op, a, b),
            Expr::If(c, a, b) => {
                let c = self.compile(semantics, c);
                Op::If(c, self.compile(semantics, a), self.compile(semantics, b))
            }
            Expr::Wrap(width, a) => Op::Wrap(width, self.compile(semantics, a)),
            Expr::At(process, location) => match semantics.layout().only_instance(process) {
                Some(pid) if semantics.layout().is_fixed() => {
                    let slot = semantics.layout().initial_frames()[pid as usize] + FRAME_LOCATION;
                    Op::CompareConst(Compare::Eq, slot as u32, location.index() as i64)
                }
                _ => Op::Trap,
            },
            _ => Op::Trap,
        };
        self.add(op)
    }

    fn element(&mut self, semantics: &Semantics<'_>, var: VarId, indices: ListId) -> CodeId {
        match self.place(semantics, var, indices) {
            Some(op) => self.add(op),
            None => self.add(Op::Trap),
        }
    }

    /// The cell of an array with one index.
    fn place(&mut self, semantics: &Semantics<'_>, var: VarId, indices: ListId) -> Option<Op> {
        let program = semantics.program();
        let first = fixed(semantics, var)?;
        let (&[index], &[dimension]) = (program.exprs.list(indices), program.variable(var).dimensions.as_slice())
        else {
            return None;
        };
        if let Some(index) = program.exprs.constant(index)
            && index >= dimension.lo
            && index <= dimension.hi()
        {
            return Some(Op::Slot(first + (index - dimension.lo) as u32));
        }
        let index = self.compile(semantics, index);
        Some(Op::Cell { first, index, lo: dimension.lo, len: dimension.len })
    }

    /// The instruction whose slot an assignment to this place writes.
    pub fn compile_place(&mut self, semantics: &Semantics<'_>, place: tertium_program::Place) -> CodeId {
        match place {
            tertium_program::Place::Var(var) => {
                let op = fixed(semantics, var).map_or(Op::Trap, Op::Slot);
                self.add(op)
            }
            tertium_program::Place::Element(var, indices) => self.element(semantics, var, indices),
        }
    }

    fn binary(&mut self, semantics: &Semantics<'_>, op: Binary, a: ExprId, b: ExprId) -> CodeId {
        let (a, b) = (self.compile(semantics, a), self.compile(semantics, b));
        let (left, right) = (self.ops[a.0 as usize], self.ops[b.0 as usize]);
        let op = match (op, Compare::of(op)) {
            (_, Some(compare)) => match (left, right) {
                (Op::Slot(slot), Op::Const(value)) => Op::CompareConst(compare, slot, value),
                (Op::Slot(first), Op::Slot(second)) => Op::CompareSlots(compare, first, second),
                _ => Op::Compare(compare, a, b),
            },
            (Binary::And, _) => Op::And(a, b),
            (Binary::Or, _) => Op::Or(a, b),
            (Binary::Implies, _) => Op::Implies(a, b),
            (Binary::Add, _) => Op::Add(a, b),
            (Binary::Sub, _) => Op::Sub(a, b),
            _ => Op::Binary(op, a, b),
        };
        self.add(op)
    }

    /// Whether the instruction is the constant true.
    #[must_use]
    pub fn is_true(&self, id: CodeId) -> bool {
        matches!(self.ops[id.0 as usize], Op::Const(value) if value != 0)
    }

    /// Whether something in it needs the definition of a step whatever the state.
    #[must_use]
    pub fn always_traps(&self, id: CodeId) -> bool {
        matches!(self.ops[id.0 as usize], Op::Trap)
    }

    /// The value in a state.
    ///
    /// # Errors
    /// A trap if something goes wrong.
    #[inline]
    pub fn value(&self, id: CodeId, slots: &[i64], inputs: &[i64]) -> Result<i64, Trap> {
        let run = |id: CodeId| self.value(id, slots, inputs);
        match self.ops[id.0 as usize] {
            Op::Const(value) => Ok(value),
            Op::Slot(slot) => Ok(slots[slot as usize]),
            Op::Input(position) => inputs.get(position as usize).copied().ok_or(Trap),
            Op::Cell { .. } => Ok(slots[self.slot(id, slots, inputs)?]),
            Op::CompareConst(compare, slot, value) => Ok(i64::from(compare.holds(slots[slot as usize], value))),
            Op::CompareSlots(compare, a, b) => Ok(i64::from(compare.holds(slots[a as usize], slots[b as usize]))),
            Op::Compare(compare, a, b) => Ok(i64::from(compare.holds(run(a)?, run(b)?))),
            Op::Not(a) => Ok(i64::from(run(a)? == 0)),
            Op::And(a, b) => Ok(if run(a)? == 0 { 0 } else { i64::from(run(b)? != 0) }),
            Op::Or(a, b) => Ok(if run(a)? != 0 { 1 } else { i64::from(run(b)? != 0) }),
            Op::Implies(a, b) => Ok(if run(a)? == 0 { 1 } else { i64::from(run(b)? != 0) }),
            Op::If(c, a, b) => run(if run(c)? != 0 { a } else { b }),
            Op::Add(a, b) => run(a)?.checked_add(run(b)?).ok_or(Trap),
            Op::Sub(a, b) => run(a)?.checked_sub(run(b)?).ok_or(Trap),
            Op::Unary(op, a) => apply_unary(op, run(a)?).map_err(|_| Trap),
            Op::Binary(op, a, b) => apply_binary(op, run(a)?, run(b)?).map_err(|_| Trap),
            Op::Wrap(width, a) => Ok(width.wrap(run(a)?)),
            Op::Trap => Err(Trap),
        }
    }

    /// The slot that a place means in a state.
    ///
    /// # Errors
    /// A trap if an index is out of bounds.
    #[inline]
    pub fn slot(&self, id: CodeId, slots: &[i64], inputs: &[i64]) -> Result<usize, Trap> {
        match self.ops[id.0 as usize] {
            Op::Slot(slot) => Ok(slot as usize),
            Op::Cell { first, index, lo, len } => {
                let offset = self.value(index, slots, inputs)?.wrapping_sub(lo);
                if (0..i64::from(len)).contains(&offset) { Ok(first as usize + offset as usize) } else { Err(Trap) }
            }
            _ => Err(Trap),
        }
    }
}

fn fixed(semantics: &Semantics<'_>, var: VarId) -> Option<u32> {
    if !semantics.layout().is_fixed() && semantics.program().variable(var).scope != tertium_program::Scope::Global {
        return None;
    }
    semantics.layout().fixed_slot(semantics.program(), var).map(|slot| slot as u32)
}
