//! In which states does a program start?
//!
//! Variables without an initial value may hold anything that their type and `init` allow. Simple bounds in
//! `init` (`x = 3`, `0 <= x && x < 4`) narrow the domains first, so that integers can be enumerated too.

use tertium_base::narrow::to_usize;
use tertium_base::{Budget, Stopped};

use crate::expr::{Binary, Expr, ExprId, Unary};
use crate::fault::FaultKind;
use crate::graph::Program;
use crate::layout::Layout;
use crate::semantics::Semantics;
use crate::state::State;
use crate::types::{InitialValue, VarId};

/// Why the initial states cannot be listed.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum NoInitialStates {
    /// This variable may be any integer.
    Unbounded(VarId),
    /// There are more than this many candidates.
    TooMany(u64),
    /// The condition on initial states cannot be evaluated.
    Fault(FaultKind),
    /// A limit was reached on the way.
    Stopped(Stopped),
}

impl From<FaultKind> for NoInitialStates {
    fn from(kind: FaultKind) -> Self {
        Self::Fault(kind)
    }
}

/// A slot that may hold anything in `lo..=hi`.
#[derive(Clone, Copy, Debug)]
struct Open {
    slot: usize,
    var: VarId,
    lo: Option<i64>,
    hi: Option<i64>,
}

impl Semantics<'_> {
    /// All initial states, in lexicographic order of the open cells; at most `limit` candidates are tried.
    ///
    /// # Errors
    /// Why they cannot be listed.
    pub fn initial_states(&self, limit: u64, budget: &Budget) -> Result<Vec<State>, NoInitialStates> {
        let mut slots = self.first_slots()?;
        let open = self.open_cells()?;
        let mut candidates: u64 = 1;
        for cell in &open {
            let (Some(lo), Some(hi)) = (cell.lo, cell.hi) else { return Err(NoInitialStates::Unbounded(cell.var)) };
            if hi < lo {
                return Ok(Vec::new());
            }
            candidates = candidates.saturating_mul(hi.abs_diff(lo).saturating_add(1));
            slots[cell.slot] = lo;
        }
        if candidates > limit {
            return Err(NoInitialStates::TooMany(limit));
        }
        self.enumerate(slots, &open, budget)
    }

    fn enumerate(&self, mut slots: Vec<i64>, open: &[Open], budget: &Budget) -> Result<Vec<State>, NoInitialStates> {
        let mut states = Vec::new();
        let mut ticks = 0;
        loop {
            budget.tick(&mut ticks).map_err(NoInitialStates::Stopped)?;
            let state = State::visible(slots.clone());
            if self.program().init.map_or(Ok(1), |init| self.observe(init, &state))? != 0 {
                states.push(state);
            }
            // Counts up like an odometer: the last cell turns fastest.
            let Some(turn) = open.iter().rposition(|cell| Some(slots[cell.slot]) < cell.hi) else { return Ok(states) };
            slots[open[turn].slot] += 1;
            for cell in &open[turn + 1..] {
                slots[cell.slot] = cell.lo.unwrap_or(0);
            }
        }
    }

    /// A state in which every cell with a known initial value has it and the others are 0.
    ///
    /// # Errors
    /// If a computed initial value cannot be computed.
    pub fn first_slots(&self) -> Result<Vec<i64>, FaultKind> {
        let mut slots = vec![0; self.layout().global_size()];
        for var in self.program().variable_ids() {
            if self.program().variable(var).scope == crate::types::Scope::Global {
                let values = self.initial_cells(var, &[], 0, &self.observer(&slots, &[]))?;
                let at = self.layout().variable(var);
                slots[at..at + values.len()].copy_from_slice(&values);
            }
        }
        for instance in &self.program().instances {
            self.start(instance.process, &instance.arguments, instance.priority, &mut slots)?;
        }
        Ok(slots)
    }

    /// Whether the program may begin in a state; asked of one state, which need not be one of few.
    ///
    /// # Errors
    /// If an initial value or the condition on initial states cannot be computed.
    pub fn is_initial(&self, state: &State) -> Result<bool, FaultKind> {
        let mut slots = self.first_slots()?;
        if slots.len() != state.slots.len() {
            return Ok(false);
        }
        for cell in self.open_cells()? {
            let value = state.slots[cell.slot];
            if cell.lo.is_some_and(|lo| value < lo) || cell.hi.is_some_and(|hi| value > hi) {
                return Ok(false);
            }
            slots[cell.slot] = value;
        }
        if State::visible(slots) != *state {
            return Ok(false);
        }
        Ok(self.program().init.map_or(Ok(1), |init| self.observe(init, state))? != 0)
    }

    /// The cells of the initial instances and globals that have no initial value.
    fn open_cells(&self) -> Result<Vec<Open>, FaultKind> {
        let (program, layout) = (self.program(), self.layout());
        let mut cells = Vec::new();
        for var in program.variable_ids() {
            let variable = program.variable(var);
            if variable.initial != InitialValue::Any {
                continue;
            }
            let (lo, hi) = program.bounds(variable.ty);
            for first in first_slots_of(program, layout, var) {
                cells.extend((0..variable.cells()).map(|cell| Open { slot: first + cell, var, lo, hi }));
            }
        }
        cells.sort_by_key(|cell| cell.slot);
        for conjunct in program.init.map(|init| conjuncts(program, init)).unwrap_or_default() {
            narrow(program, layout, conjunct, &mut cells);
        }
        Ok(cells)
    }
}

/// Where the copies of a variable begin in an initial state.
fn first_slots_of(program: &Program, layout: &Layout, var: VarId) -> Vec<usize> {
    let crate::types::Scope::Local(process) = program.variable(var).scope else { return vec![layout.variable(var)] };
    let frames = program.instances.iter().zip(layout.initial_frames());
    let frames = frames.filter(|(instance, _)| instance.process == process);
    frames.map(|(_, frame)| frame + layout.variable(var)).collect()
}

pub(crate) fn conjuncts(program: &Program, root: ExprId) -> Vec<ExprId> {
    let mut found = Vec::new();
    let mut open = vec![root];
    while let Some(id) = open.pop() {
        match program.exprs.get(id) {
            Expr::Binary(Binary::And, a, b) => open.extend([b, a]),
            _ => found.push(id),
        }
    }
    found
}

/// Narrows the domain of the cell that a conjunct bounds by a constant.
fn narrow(program: &Program, layout: &Layout, conjunct: ExprId, cells: &mut [Open]) {
    let Some((slot, lo, hi)) = bound(program, layout, conjunct) else { return };
    let Ok(at) = cells.binary_search_by_key(&slot, |cell| cell.slot) else { return };
    let cell = &mut cells[at];
    cell.lo = cell.lo.max(lo);
    cell.hi = match (cell.hi, hi) {
        (Some(old), Some(new)) => Some(old.min(new)),
        (old, new) => old.or(new),
    };
}

/// The slot, and the bounds that `conjunct` puts on it.
fn bound(program: &Program, layout: &Layout, conjunct: ExprId) -> Option<(usize, Option<i64>, Option<i64>)> {
    let exprs = &program.exprs;
    match exprs.get(conjunct) {
        Expr::Unary(Unary::Not, inner) => Some((cell_slot(program, layout, inner)?, Some(0), Some(0))),
        Expr::Binary(op, a, b) => {
            let (op, cell, value) = match (exprs.constant(a), exprs.constant(b)) {
                (None, Some(value)) => (op, a, value),
                (Some(value), None) => (mirrored(op)?, b, value),
                _ => return None,
            };
            let slot = cell_slot(program, layout, cell)?;
            match op {
                Binary::Eq => Some((slot, Some(value), Some(value))),
                Binary::Le => Some((slot, None, Some(value))),
                Binary::Lt => Some((slot, None, Some(value.checked_sub(1)?))),
                Binary::Ge => Some((slot, Some(value), None)),
                Binary::Gt => Some((slot, Some(value.checked_add(1)?), None)),
                _ => None,
            }
        }
        _ => Some((cell_slot(program, layout, conjunct)?, Some(1), Some(1))),
    }
}

fn mirrored(op: Binary) -> Option<Binary> {
    match op {
        Binary::Eq => Some(Binary::Eq),
        Binary::Lt => Some(Binary::Gt),
        Binary::Le => Some(Binary::Ge),
        Binary::Gt => Some(Binary::Lt),
        Binary::Ge => Some(Binary::Le),
        _ => None,
    }
}

/// The slot of a variable, or of an array cell with constant indices, in a program with fixed processes.
fn cell_slot(program: &Program, layout: &Layout, id: ExprId) -> Option<usize> {
    match program.exprs.get(id) {
        Expr::Var(var) => layout.fixed_slot(program, var),
        Expr::Element(var, indices) => {
            let mut cell = 0;
            for (&index, dimension) in program.exprs.list(indices).iter().zip(&program.variable(var).dimensions) {
                let index = program.exprs.constant(index)?;
                if index < dimension.lo || index > dimension.hi() {
                    return None;
                }
                cell = cell * dimension.len as usize + to_usize(index - dimension.lo);
            }
            Some(layout.fixed_slot(program, var)? + cell)
        }
        _ => None,
    }
}
