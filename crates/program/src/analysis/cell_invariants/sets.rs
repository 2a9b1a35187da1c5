//! Sets of values of cells, as bits: what do a guard and an assignment make of them?

use std::collections::{BTreeMap, BTreeSet};

use super::{CellValues, Spot};
use crate::analysis::intervals::{Interval, Intervals};
use crate::expr::{Binary, Expr, ExprId, Place, Unary};
use crate::graph::{Action, Program, Step};
use crate::types::{InitialValue, VarId};

/// A cell with more values is not followed.
const MOST_VALUES: i128 = 64;
/// More cells are not followed.
const MOST_CELLS: usize = 256;
/// Arrays with more cells are not followed.
const LONGEST_ARRAY: usize = 64;
/// Conditions that are nested deeper are not looked into.
const DEEPEST: usize = 24;

/// For each cell the values that it may have, as bits.
pub(super) type Known = Vec<u64>;

/// One cell.
struct Cell {
    var: VarId,
    indices: Vec<i64>,
    lo: i64,
    count: u32,
}

/// The cells that are followed.
pub(super) struct Cells {
    cells: Vec<Cell>,
    /// By variable its first cell, and how many there are.
    first: BTreeMap<VarId, (usize, usize)>,
}

impl Cells {
    /// The cells of a program; none if it has no array of few values.
    pub(super) fn of(program: &Program) -> Option<Self> {
        let everywhere = Intervals::of(program);
        let mut found = Self { cells: Vec::new(), first: BTreeMap::new() };
        let mut arrays = false;
        for var in program.variable_ids().filter(|var| !program.left_out.contains(var)) {
            let variable = program.variable(var);
            let of_type = Interval::of_type(program, variable.ty);
            let range = everywhere.variable(var).and_then(|known| known.meet(of_type)).unwrap_or(of_type);
            let (Some(lo), Some(hi)) = (range.lo, range.hi) else { continue };
            let (count, cells) = (hi - lo + 1, variable.cells());
            let fits = (1..=MOST_VALUES).contains(&count) && (1..=LONGEST_ARRAY).contains(&cells);
            let (Ok(lo), true) = (i64::try_from(lo), fits && found.cells.len() + cells <= MOST_CELLS) else { continue };
            arrays |= !variable.dimensions.is_empty();
            found.first.insert(var, (found.cells.len(), cells));
            let count = u32::try_from(count).unwrap_or(64);
            for at in 0..cells {
                found.cells.push(Cell { var, indices: indices_of(program, var, at), lo, count });
            }
        }
        arrays.then_some(found)
    }

    /// All values that a cell may have.
    pub(super) fn full(&self, at: usize) -> u64 {
        u64::MAX >> (64 - self.cells[at].count)
    }

    /// Whether a cell is a variable of its own.
    pub(super) fn is_plain(&self, at: usize) -> bool {
        self.cells[at].indices.is_empty()
    }

    /// The values of a cell that are in a set.
    fn values(&self, at: usize, set: u64) -> BTreeSet<i64> {
        let Cell { lo, count, .. } = self.cells[at];
        (0..count).filter(|bit| set >> bit & 1 == 1).map(|bit| lo + i64::from(bit)).collect()
    }

    /// The values of `values` that a cell can have; none if one of them is no value of it.
    fn set(&self, at: usize, values: &BTreeSet<i64>) -> Option<u64> {
        let Cell { lo, count, .. } = self.cells[at];
        let bit = |&value: &i64| u32::try_from(value.checked_sub(lo)?).ok().filter(|&bit| bit < count);
        values.iter().map(bit).try_fold(0, |set, bit| Some(set | 1 << bit?))
    }

    /// The values that cells have in any of these.
    pub(super) fn joined<'k>(&self, known: impl Iterator<Item = &'k Known>) -> Known {
        let mut all = vec![0; self.cells.len()];
        for known in known {
            all.iter_mut().zip(known).for_each(|(all, known)| *all |= known);
        }
        all
    }

    /// What sets say beyond types.
    pub(super) fn told(&self, known: &Known) -> Vec<CellValues> {
        let mut told = Vec::new();
        for (at, &set) in known.iter().enumerate().filter(|&(at, &set)| set != self.full(at)) {
            let Cell { var, indices, .. } = &self.cells[at];
            let (values, others) = (self.values(at, set), self.values(at, self.full(at) & !set));
            told.push(CellValues { var: *var, indices: indices.clone(), values, others });
        }
        told
    }
}

/// The indices of a cell of an array, by its number.
fn indices_of(program: &Program, var: VarId, at: usize) -> Vec<i64> {
    let (mut rest, mut indices) = (at as u64, Vec::new());
    for dimension in program.variable(var).dimensions.iter().rev() {
        let len = u64::from(dimension.len);
        indices.push(dimension.lo + i64::try_from(rest % len).unwrap_or(0));
        rest /= len;
    }
    indices.reverse();
    indices
}

/// What both say; none if that is nothing at all.
pub(super) fn meet(a: &Known, b: &Known) -> Option<Known> {
    let both: Known = a.iter().zip(b).map(|(a, b)| a & b).collect();
    both.iter().all(|&set| set != 0).then_some(both)
}

/// Reads expressions of a program over sets.
pub(super) struct Reader<'a> {
    pub(super) program: &'a Program,
    pub(super) cells: &'a Cells,
}

impl Reader<'_> {
    /// What cells hold before the first step.
    pub(super) fn initial(&self) -> Option<Known> {
        let mut known: Known = (0..self.cells.cells.len()).map(|at| self.cells.full(at)).collect();
        for (&var, &(first, count)) in &self.cells.first {
            let variable = self.program.variable(var);
            let value = |at: usize| match &variable.initial {
                InitialValue::Same(value) => Some(*value),
                InitialValue::Each(values) => values.get(at).copied(),
                _ => None,
            };
            for at in 0..count {
                let Some(value) = value(at).map(|value| self.program.stored(variable.ty, value)) else { continue };
                if let Some(set) = self.cells.set(first + at, &BTreeSet::from([value])) {
                    known[first + at] = set;
                }
            }
        }
        match self.program.init {
            None => Some(known),
            Some(init) => self.assume(known, (init, true), &[], 0),
        }
    }

    /// Whether a step writes to a cell that is followed.
    pub(super) fn writes(&self, step: &Step) -> bool {
        step.written().iter().any(|var| self.cells.first.contains_key(var))
    }

    /// What is known after a step that is taken while processes are at these places; none if it cannot be.
    pub(super) fn after(&self, step: &Step, known: Known, places: &[Spot]) -> Option<Known> {
        let before = self.assume(known, (step.guard, true), places, 0)?;
        let Action::Assign(assigns) = &step.action else { return Some(before) };
        let mut after = before.clone();
        for assign in assigns {
            let Some(&(first, count)) = self.cells.first.get(&assign.place.variable()) else { continue };
            let values = self.values(&before, assign.value, places, 0);
            let set = |at: usize| {
                let set = values.as_ref().and_then(|values| self.cells.set(at, values));
                set.unwrap_or_else(|| self.cells.full(at))
            };
            match self.place(assign.place) {
                Some(at) => after[at] = set(at),
                // Any of its cells may be the one that is written.
                None => (first..first + count).for_each(|at| after[at] |= set(at)),
            }
        }
        Some(after)
    }

    /// The cell that is written, if its indices are constants.
    fn place(&self, place: Place) -> Option<usize> {
        match place {
            Place::Var(var) => self.cell(var, &[]),
            Place::Element(var, indices) => self.cell(var, self.program.exprs.list(indices)),
        }
    }

    fn cell(&self, var: VarId, indices: &[ExprId]) -> Option<usize> {
        let &(first, _) = self.cells.first.get(&var)?;
        let dimensions = &self.program.variable(var).dimensions;
        if dimensions.len() != indices.len() {
            return None;
        }
        let mut at = 0;
        for (dimension, &index) in dimensions.iter().zip(indices) {
            let index = self.program.exprs.constant(index)?.checked_sub(dimension.lo)?;
            let index = u32::try_from(index).ok().filter(|&index| index < dimension.len)?;
            at = at * dimension.len as usize + index as usize;
        }
        Some(first + at)
    }

    /// The cell that an expression reads.
    fn read(&self, expr: ExprId) -> Option<usize> {
        match self.program.exprs.get(expr) {
            Expr::Var(var) => self.cell(var, &[]),
            Expr::Element(var, indices) => self.cell(var, self.program.exprs.list(indices)),
            _ => None,
        }
    }

    /// The values that an expression may have; none if it may have any.
    fn values(&self, known: &Known, expr: ExprId, places: &[Spot], depth: usize) -> Option<BTreeSet<i64>> {
        if depth > DEEPEST {
            return None;
        }
        if let Some(value) = self.program.exprs.constant(expr) {
            return Some(BTreeSet::from([value]));
        }
        if let Some(at) = self.read(expr) {
            return Some(self.cells.values(at, known[at]));
        }
        let of = |expr| self.values(known, expr, places, depth + 1);
        match self.program.exprs.get(expr) {
            Expr::Unary(Unary::Not, a) => Some(of(a)?.into_iter().map(|value| i64::from(value == 0)).collect()),
            Expr::At(process, location) => {
                let here = places.iter().find(|place| place.0 == process)?;
                Some(BTreeSet::from([i64::from(here.1 == location)]))
            }
            Expr::If(condition, a, b) => {
                let decided = of(condition).unwrap_or_else(|| BTreeSet::from([0, 1]));
                let mut found = BTreeSet::new();
                for (taken, value) in [(decided.iter().any(|&value| value != 0), a), (decided.contains(&0), b)] {
                    if taken {
                        found.extend(of(value)?);
                    }
                }
                Some(found)
            }
            Expr::Binary(op, a, b) => combined(op, &of(a)?, &of(b)?),
            _ => None,
        }
    }

    /// What is known where a condition has a truth value; none if it never has.
    fn assume(&self, known: Known, (condition, holds): (ExprId, bool), places: &[Spot], depth: usize) -> Option<Known> {
        if depth > DEEPEST {
            return Some(known);
        }
        let assume = |known, condition, holds| self.assume(known, (condition, holds), places, depth + 1);
        match self.program.exprs.get(condition) {
            Expr::Unary(Unary::Not, inner) => assume(known, inner, !holds),
            Expr::Binary(Binary::And, a, b) if holds => assume(assume(known, a, true)?, b, true),
            Expr::Binary(Binary::Or, a, b) if !holds => assume(assume(known, a, false)?, b, false),
            Expr::Binary(Binary::Implies, a, b) if !holds => assume(assume(known, a, true)?, b, false),
            Expr::Binary(op @ (Binary::And | Binary::Or | Binary::Implies), a, b) => {
                // Either the left side decides, or the right one does.
                let (first, second) = (op == Binary::Or, op != Binary::And);
                let by_left = assume(known.clone(), a, first);
                let by_right = assume(known, a, !first).and_then(|known| assume(known, b, second));
                either(by_left, by_right)
            }
            Expr::Binary(op, a, b) => self.compared(known, (op, a, b), holds, places),
            _ => match self.read(condition) {
                Some(at) => {
                    let values = self.cells.values(at, known[at]);
                    self.restricted(known, at, values.into_iter().filter(|&value| (value != 0) == holds).collect())
                }
                None => self.agrees(known, condition, holds, places),
            },
        }
    }

    /// What is known unless a condition surely has the other value.
    fn agrees(&self, known: Known, condition: ExprId, holds: bool, places: &[Spot]) -> Option<Known> {
        match self.values(&known, condition, places, 0) {
            Some(values) if values.iter().all(|&value| (value != 0) != holds) => None,
            _ => Some(known),
        }
    }

    fn compared(
        &self,
        mut known: Known,
        (op, a, b): (Binary, ExprId, ExprId),
        holds: bool,
        places: &[Spot],
    ) -> Option<Known> {
        for (side, other, turned) in [(a, b, false), (b, a, true)] {
            let Some(at) = self.read(side) else { continue };
            let Some(others) = self.values(&known, other, places, 0) else { continue };
            let fits = |value: &i64| {
                others.iter().any(|&other| {
                    let (left, right) = if turned { (other, *value) } else { (*value, other) };
                    compare(op, left, right).is_none_or(|found| found == holds)
                })
            };
            let values = self.cells.values(at, known[at]).into_iter().filter(fits).collect();
            known = self.restricted(known, at, values)?;
        }
        let compared = matches!(op, Binary::Eq | Binary::Ne | Binary::Lt | Binary::Le | Binary::Gt | Binary::Ge);
        if !compared {
            return Some(known);
        }
        match (self.values(&known, a, places, 0), self.values(&known, b, places, 0)) {
            (Some(a), Some(b)) => {
                let possible = a.iter().any(|&a| b.iter().any(|&b| compare(op, a, b) == Some(holds)));
                possible.then_some(known)
            }
            _ => Some(known),
        }
    }

    fn restricted(&self, mut known: Known, at: usize, values: BTreeSet<i64>) -> Option<Known> {
        known[at] &= self.cells.set(at, &values)?;
        (known[at] != 0).then_some(known)
    }
}

fn either(a: Option<Known>, b: Option<Known>) -> Option<Known> {
    match (a, b) {
        (Some(a), Some(b)) => Some(a.iter().zip(&b).map(|(a, b)| a | b).collect()),
        (a, b) => a.or(b),
    }
}

fn compare(op: Binary, a: i64, b: i64) -> Option<bool> {
    Some(match op {
        Binary::Eq => a == b,
        Binary::Ne => a != b,
        Binary::Lt => a < b,
        Binary::Le => a <= b,
        Binary::Gt => a > b,
        Binary::Ge => a >= b,
        _ => return None,
    })
}

/// The values of an operator; none if there are too many, or it is not followed.
fn combined(op: Binary, a: &BTreeSet<i64>, b: &BTreeSet<i64>) -> Option<BTreeSet<i64>> {
    let mut found = BTreeSet::new();
    for &a in a {
        for &b in b {
            found.insert(match op {
                Binary::Add => a.checked_add(b)?,
                Binary::Sub => a.checked_sub(b)?,
                Binary::Mul => a.checked_mul(b)?,
                _ => i64::from(compare(op, a, b)?),
            });
        }
        if found.len() > 64 {
            return None;
        }
    }
    Some(found)
}
