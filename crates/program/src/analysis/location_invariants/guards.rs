//! What do a guard and an assignment make of what is known?

use super::congruences::Congruence;
use super::constraint::{LinearConstraint, Relation};
use super::domain::{AbstractDomain, Assigned};
use super::linear::{Environment, LinearForm};
use super::product::Product;
use crate::analysis::intervals::{Interval, Intervals, stored};
use crate::expr::{Binary, Expr, ExprId, Sort, Unary};
use crate::graph::{Assign, Program};
use crate::types::VarId;

use std::collections::BTreeMap;

/// Conditions that are nested deeper are not looked into.
const DEEPEST: usize = 24;
/// So many cases of conditional values are looked at for one step.
const MOST_CASES: usize = 12;

/// The variables that are followed for one process.
pub(super) struct Frame<'p> {
    pub program: &'p Program,
    /// Their numbers.
    pub dimensions: BTreeMap<VarId, usize>,
    /// So many inputs of a step are followed while it is taken.
    pub numbered_inputs: usize,
    /// What is known of all variables wherever processes are.
    pub everywhere: &'p Intervals,
    /// Conditions of conditional values, where they are known to hold or not.
    pub decided: BTreeMap<ExprId, bool>,
}

impl Frame<'_> {
    /// What is known of a variable wherever processes are.
    pub(super) fn everywhere(&self, var: VarId) -> Interval {
        self.everywhere.variable(var).unwrap_or_else(|| Interval::of_type(self.program, self.program.variable(var).ty))
    }

    /// Evaluates with what is known.
    pub(super) fn within<T>(
        &self,
        known: &Product,
        inputs: &[Interval],
        then: impl FnOnce(&Environment<'_>) -> T,
    ) -> T {
        let bounds = |dimension| known.bounds(dimension);
        let others = |var| self.everywhere(var);
        let (program, dimensions) = (self.program, &self.dimensions);
        let (decided, numbered_inputs) = (&self.decided, self.numbered_inputs);
        then(&Environment { program, dimensions, bounds: &bounds, others: &others, inputs, numbered_inputs, decided })
    }

    /// How many numbers are followed: those of variables, then those of inputs.
    pub(super) fn size(&self) -> usize {
        self.dimensions.len() + self.numbered_inputs
    }

    /// Chooses inputs; nothing if there are none.
    pub(super) fn choose(&self, mut known: Product, inputs: &[Interval]) -> Option<Product> {
        for (at, &value) in inputs.iter().enumerate().take(self.numbered_inputs) {
            if !known.restrict(self.dimensions.len() + at, value) {
                return None;
            }
        }
        Some(known)
    }

    /// Forgets inputs that were chosen.
    pub(super) fn forget(&self, known: &mut Product, inputs: &[Interval]) {
        let input = |at: usize| {
            let (dimension, range) = (self.dimensions.len() + at, Interval::ALL);
            Assigned { dimension, value: LinearForm::of_interval(range), range }
        };
        let chosen: Vec<Assigned> = (0..inputs.len().min(self.numbered_inputs)).map(input).collect();
        if !chosen.is_empty() {
            known.assign(&chosen);
        }
    }

    /// What is known where a condition has a truth value; nothing if it never has.
    pub(super) fn assume(
        &self,
        known: Product,
        inputs: &[Interval],
        (condition, holds): (ExprId, bool),
        depth: usize,
    ) -> Option<Product> {
        if depth > DEEPEST {
            return Some(known);
        }
        let assume = |known, condition, holds| self.assume(known, inputs, (condition, holds), depth + 1);
        match self.program.exprs.get(condition) {
            Expr::Bool(value) => (value == holds).then_some(known),
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
            Expr::Binary(op, a, b) => self.compare(known, inputs, (op, a, b), holds),
            Expr::Var(_) => {
                let value = self.within(&known, inputs, |at| at.form(condition));
                let wanted = LinearForm::of_interval(Interval::exactly(holds));
                with_all(known, &equal(value.difference(&wanted).as_ref()))
            }
            _ => Some(known),
        }
    }

    fn compare(
        &self,
        known: Product,
        inputs: &[Interval],
        (op, a, b): (Binary, ExprId, ExprId),
        holds: bool,
    ) -> Option<Product> {
        if let Some(constraints) = self.divided(&known, inputs, (op, a, b), holds) {
            return with_all(known, &constraints);
        }
        let (left, right) = self.within(&known, inputs, |at| (at.form(a), at.form(b)));
        let (less, more) = (left.difference(&right), right.difference(&left));
        let below = |form: &Option<LinearForm>, by: i128| {
            form.as_ref().and_then(|form| at_most(form, by)).into_iter().collect()
        };
        let constraints: Vec<LinearConstraint<usize>> = match (op, holds) {
            (Binary::Eq, true) | (Binary::Ne, false) => equal(less.as_ref()),
            (Binary::Ne, true) | (Binary::Eq, false) => less.as_ref().and_then(differs).into_iter().collect(),
            (Binary::Le, true) | (Binary::Gt, false) => below(&less, 0),
            (Binary::Lt, true) | (Binary::Ge, false) => below(&less, -1),
            (Binary::Ge, true) | (Binary::Lt, false) => below(&more, 0),
            (Binary::Gt, true) | (Binary::Le, false) => below(&more, -1),
            _ => return Some(known),
        };
        with_all(known, &constraints)
    }

    /// `a mod m = r`: a congruence.
    fn divided(
        &self,
        known: &Product,
        inputs: &[Interval],
        (op, a, b): (Binary, ExprId, ExprId),
        holds: bool,
    ) -> Option<Vec<LinearConstraint<usize>>> {
        let Expr::Binary(Binary::Mod, value, modulus) = self.program.exprs.get(a) else { return None };
        let (Expr::Int(modulus), Expr::Int(wanted)) = (self.program.exprs.get(modulus), self.program.exprs.get(b))
        else {
            return None;
        };
        let wanted = match (op, holds) {
            (Binary::Eq, true) | (Binary::Ne, false) => i128::from(wanted),
            // One of two remainders is the other one.
            (Binary::Eq, false) | (Binary::Ne, true) if modulus.unsigned_abs() == 2 && (0..2).contains(&wanted) => {
                i128::from(1 - wanted)
            }
            _ => return None,
        };
        let modulus = i128::from(modulus);
        if modulus == 0 || !(0..modulus.abs()).contains(&wanted) {
            return None;
        }
        let form = self.within(known, inputs, |at| at.form(value));
        let constant = form.constant()?;
        let relation = Relation::Congruent(Congruence::of(modulus, wanted.checked_sub(constant)?));
        Some(vec![LinearConstraint { terms: form.factors.into_iter().collect(), relation }])
    }

    /// What is known after assignments, which happen at once; nothing if a value never fits its variable. Conditional values are looked at case by case.
    pub(super) fn assign(&self, known: Product, inputs: &[Interval], assigns: &[Assign]) -> Option<Product> {
        let mut cases = MOST_CASES;
        self.assign_by_cases(known, inputs, assigns, &mut cases)
    }

    fn assign_by_cases(
        &self,
        known: Product,
        inputs: &[Interval],
        assigns: &[Assign],
        cases: &mut usize,
    ) -> Option<Product> {
        let Some(condition) = self.undecided(assigns).filter(|_| *cases > 1) else {
            return self.assign_decided(known, inputs, assigns);
        };
        *cases -= 1;
        let mut after = None;
        for holds in [true, false] {
            let Some(here) = self.assume(known.clone(), inputs, (condition, holds), 0) else { continue };
            let mut decided = self.decided.clone();
            decided.insert(condition, holds);
            let frame = Frame { decided, dimensions: self.dimensions.clone(), ..*self };
            after = either(after, frame.assign_by_cases(here, inputs, assigns, cases));
        }
        after
    }

    /// A condition that the values of variables which are followed depend on, and of which nothing is known.
    fn undecided(&self, assigns: &[Assign]) -> Option<ExprId> {
        let followed =
            |assign: &&Assign| matches!(assign.place, crate::Place::Var(var) if self.dimensions.contains_key(&var));
        let mut open: Vec<ExprId> = assigns.iter().filter(followed).map(|assign| assign.value).collect();
        while let Some(expr) = open.pop() {
            match self.program.exprs.get(expr) {
                Expr::If(condition, a, b) => match self.decided.get(&condition) {
                    Some(&holds) => open.push(if holds { a } else { b }),
                    None => return Some(condition),
                },
                Expr::Unary(_, a) => open.push(a),
                Expr::Binary(op, a, b) if op.sort() == Sort::Int => open.extend([a, b]),
                _ => {}
            }
        }
        None
    }

    fn assign_decided(&self, mut known: Product, inputs: &[Interval], assigns: &[Assign]) -> Option<Product> {
        let mut assigned = Vec::new();
        for assign in assigns {
            let crate::Place::Var(var) = assign.place else { continue };
            let Some(&dimension) = self.dimensions.get(&var) else { continue };
            let ty = self.program.variable(var).ty;
            let one = self.within(&known, inputs, |at| {
                let value = at.form(assign.value);
                let range = at.range(&value);
                Assigned { dimension, value, range }
            });
            let fits = stored(self.program, ty, one.range);
            let one = if fits == one.range {
                one
            } else {
                Assigned { dimension, value: LinearForm::of_interval(fits), range: fits }
            };
            // A value that does not belong to the type is a fault, after which there is no state.
            let range = one.range.meet(Interval::of_type(self.program, ty))?;
            assigned.push(Assigned { range, ..one });
        }
        known.assign(&assigned);
        for one in &assigned {
            if !known.restrict(one.dimension, one.range) {
                return None;
            }
        }
        Some(known)
    }
}

/// The values of either.
pub(super) fn either(a: Option<Product>, b: Option<Product>) -> Option<Product> {
    match (a, b) {
        (Some(mut a), Some(b)) => {
            a.join(&b);
            Some(a)
        }
        (a, b) => a.or(b),
    }
}

/// What is left where all of these hold.
pub(super) fn with_all(mut known: Product, constraints: &[LinearConstraint<usize>]) -> Option<Product> {
    for constraint in constraints {
        if !known.assume(constraint) {
            return None;
        }
    }
    Some(known)
}

/// `form <= by`, as far as the rest of the form lets it be said.
fn at_most(form: &LinearForm, by: i128) -> Option<LinearConstraint<usize>> {
    let most = by.checked_sub(form.rest.lo?)?;
    Some(LinearConstraint { terms: form.factors.clone().into_iter().collect(), relation: Relation::AtMost(most) })
}

/// `form = 0`.
fn equal(form: Option<&LinearForm>) -> Vec<LinearConstraint<usize>> {
    let Some(form) = form else { return Vec::new() };
    let terms: Vec<(usize, i128)> = form.factors.clone().into_iter().collect();
    if let Some(value) = form.constant().and_then(i128::checked_neg) {
        return vec![LinearConstraint { terms, relation: Relation::Equal(value) }];
    }
    let above = form.scaled(-1).and_then(|form| at_most(&form, 0));
    let remainder = form.remainder.scaled(-1);
    let congruent =
        (remainder.modulus > 1).then_some(LinearConstraint { terms, relation: Relation::Congruent(remainder) });
    at_most(form, 0).into_iter().chain(above).chain(congruent).collect()
}

/// `form != 0`.
fn differs(form: &LinearForm) -> Option<LinearConstraint<usize>> {
    let value = form.constant()?.checked_neg()?;
    Some(LinearConstraint { terms: form.factors.clone().into_iter().collect(), relation: Relation::Differs(value) })
}
