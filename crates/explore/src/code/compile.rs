//! Which instructions evaluate an expression?
//!
//! Slots are resolved as far as the program allows, and common shapes become one instruction.

use tertium_base::narrow::{to_i64, to_u32, to_usize};
use tertium_program::layout::FRAME_LOCATION;
use tertium_program::{
    Binary, Expr, ExprId, ListId, LocationId, Place, Process, ProcessId, Scope, Semantics, Unary, VarId,
};

use super::{Base, Cell, Code, CodeId, Compare, Op};
use crate::channels::PatternCode;

/// Makes expressions ready; `owner` is the process whose code they stand in, none for an observer's.
pub struct Compiler<'c, 's, 'p> {
    /// Where the instructions go.
    pub code: &'c mut Code,
    /// The program.
    pub semantics: &'s Semantics<'p>,
    /// Whose code it is.
    pub owner: Option<ProcessId>,
}

impl Compiler<'_, '_, '_> {
    fn add(&mut self, op: Op) -> CodeId {
        self.code.ops.push(op);
        CodeId(to_u32(self.code.ops.len()) - 1)
    }

    /// An expression.
    pub fn expr(&mut self, id: ExprId) -> CodeId {
        let op = match self.semantics.program().exprs.get(id) {
            Expr::Bool(value) => Op::Const(i64::from(value)),
            Expr::Int(value) => Op::Const(value),
            Expr::Member(_, position) => Op::Const(i64::from(position)),
            Expr::Var(var) => self.base(var).map_or(Op::Trap, read),
            Expr::Element(var, indices) => self.element(var, indices),
            Expr::Remote(pid, var) => self.remote(pid, var).map_or(Op::Trap, Op::Remote),
            Expr::RemoteElement(pid, var, indices) => {
                let base = self.remote(pid, var);
                match self.cell(base, var, indices) {
                    Op::Cell(cell) => Op::RemoteCell(cell),
                    other => other,
                }
            }
            Expr::Input(position, _) => Op::Input(position),
            Expr::Unary(Unary::Not, a) => Op::Not(self.expr(a)),
            Expr::Unary(op, a) => Op::Unary(op, self.expr(a)),
            Expr::Binary(op, a, b) => self.binary(op, a, b),
            Expr::If(c, a, b) => Op::If(self.expr(c), self.expr(a), self.expr(b)),
            Expr::Wrap(width, a) => Op::Wrap(width, self.expr(a)),
            other => self.system(other),
        };
        self.add(op)
    }

    /// What depends on channels, on other instances or on where processes are.
    fn system(&mut self, expr: Expr) -> Op {
        match expr {
            Expr::At(process, location) => self.at(process, location),
            Expr::RemoteAt(pid, process, location) => {
                Op::At { pid: self.expr(pid), process: process.number(), location: location.number() }
            }
            Expr::Length(channel) => Op::Length(self.expr(channel)),
            Expr::Capacity(channel) => Op::Capacity(self.expr(channel)),
            Expr::Poll(pattern) => {
                let pattern = PatternCode::of(self, self.semantics.program().exprs.pattern(pattern));
                self.code.patterns.push(pattern);
                Op::Poll(to_u32(self.code.patterns.len()) - 1)
            }
            Expr::NonProgress | Expr::Accepting => {
                let marks = |process: &Process| {
                    process.locations.iter().map(|location| (location.progress, location.accept)).collect()
                };
                self.code.marks = self.semantics.program().processes.iter().map(marks).collect();
                if expr == Expr::Accepting { Op::Accepting } else { Op::NonProgress }
            }
            Expr::Timeout => Op::Timeout,
            Expr::FirstInstance(process) => Op::FirstInstance(process.number()),
            Expr::ProcessCount => Op::ProcessCount,
            Expr::OwnPid if self.owner.is_some() => Op::OwnPid,
            Expr::LocationOf(pid) => Op::LocationOf(self.expr(pid)),
            Expr::PriorityOf(pid) if self.semantics.program().priorities => Op::PriorityOf(self.expr(pid)),
            _ => Op::Trap,
        }
    }

    pub(super) fn at(&mut self, process: ProcessId, location: LocationId) -> Op {
        let layout = self.semantics.layout();
        let Some(pid) = layout.only_instance(process) else { return Op::Trap };
        if layout.is_fixed() {
            let slot = layout.initial_frames()[pid as usize] + FRAME_LOCATION;
            return Op::SlotConst(Compare::Eq, to_u32(slot), to_i64(location.index()));
        }
        Op::OnlyAt { pid, process: process.number(), location: location.number() }
    }

    /// Where a variable begins, as the owner sees it.
    pub(super) fn base(&mut self, var: VarId) -> Option<Base> {
        let (program, layout) = (self.semantics.program(), self.semantics.layout());
        let offset = to_u32(layout.variable(var));
        let Scope::Local(process) = program.variable(var).scope else { return Some(Base::Fixed(offset)) };
        if layout.is_fixed() {
            return layout.fixed_slot(program, var).map(|slot| Base::Fixed(to_u32(slot)));
        }
        if self.owner == Some(process) {
            return Some(Base::Mine(offset));
        }
        let pid = layout.only_instance(process)?;
        let pid = self.add(Op::Const(i64::from(pid)));
        Some(Base::Of { pid, process: process.number(), offset })
    }

    fn remote(&mut self, pid: ExprId, var: VarId) -> Option<Base> {
        let Scope::Local(process) = self.semantics.program().variable(var).scope else { return None };
        let offset = to_u32(self.semantics.layout().variable(var));
        Some(Base::Of { pid: self.expr(pid), process: process.number(), offset })
    }

    fn element(&mut self, var: VarId, indices: ListId) -> Op {
        let base = self.base(var);
        self.cell(base, var, indices)
    }

    pub(super) fn cell(&mut self, base: Option<Base>, var: VarId, indices: ListId) -> Op {
        let Some(base) = base else { return Op::Trap };
        let program = self.semantics.program();
        let (list, dimensions) = (program.exprs.list(indices), program.variable(var).dimensions.as_slice());
        if let (&[index], &[dimension]) = (list, dimensions)
            && let Ok(lo) = i32::try_from(dimension.lo)
        {
            let inside = |index: &i64| (dimension.lo..=dimension.hi()).contains(index);
            let constant =
                program.exprs.constant(index).filter(inside).map(|index| to_u32(to_usize(index - dimension.lo)));
            match (base, constant) {
                (Base::Fixed(first), Some(offset)) => return Op::Slot(first + offset),
                (Base::Mine(first), Some(offset)) => return Op::Local(first + offset),
                (Base::Fixed(first), None) => {
                    return Op::SlotCell { first, index: self.expr(index), lo, len: dimension.len };
                }
                (Base::Mine(first), None) => {
                    return Op::LocalCell { first, index: self.expr(index), lo, len: dimension.len };
                }
                _ => {}
            }
        }
        let indices = list.iter().zip(dimensions);
        let indices = indices.map(|(&index, dimension)| (self.expr(index), dimension.lo, i64::from(dimension.len)));
        let cell = Cell { base, indices: indices.collect() };
        self.code.cells.push(cell);
        Op::Cell(to_u32(self.code.cells.len()) - 1)
    }

    /// The instruction whose slot an assignment to this place writes.
    pub fn place(&mut self, place: Place) -> CodeId {
        let op = match place {
            Place::Var(var) => self.base(var).map_or(Op::Trap, read),
            Place::Element(var, indices) => self.element(var, indices),
        };
        self.add(op)
    }

    fn binary(&mut self, op: Binary, a: ExprId, b: ExprId) -> Op {
        let (a, b) = (self.expr(a), self.expr(b));
        let (left, right) = (self.code.ops[a.0 as usize], self.code.ops[b.0 as usize]);
        match (op, Compare::of(op)) {
            (_, Some(compare)) => match (left, right) {
                (Op::Slot(slot), Op::Const(value)) => Op::SlotConst(compare, slot, value),
                (Op::Local(slot), Op::Const(value)) => Op::LocalConst(compare, slot, value),
                (Op::Slot(first), Op::Slot(second)) => Op::Slots(compare, first, second),
                _ => Op::Compare(compare, a, b),
            },
            (Binary::And, _) => Op::And(a, b),
            (Binary::Or, _) => Op::Or(a, b),
            (Binary::Implies, _) => Op::Implies(a, b),
            (Binary::Add, _) => Op::Add(a, b),
            (Binary::Sub, _) => Op::Sub(a, b),
            (Binary::Remainder | Binary::Mod, _) => match right {
                // For operands that are not negative both remainders are the machine's.
                Op::Const(by) if by > 0 && op == Binary::Remainder => {
                    u32::try_from(by).map_or(Op::Binary(op, a, b), |by| Op::Remainder(a, by))
                }
                _ => Op::Binary(op, a, b),
            },
            _ => Op::Binary(op, a, b),
        }
    }
}

fn read(base: Base) -> Op {
    match base {
        Base::Fixed(slot) => Op::Slot(slot),
        Base::Mine(offset) => Op::Local(offset),
        Base::Of { .. } => Op::Only(base),
    }
}
