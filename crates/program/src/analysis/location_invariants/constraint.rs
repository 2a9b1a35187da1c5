//! What does an abstract domain say about variables, in a form that all of them read?

use std::num::TryFromIntError;

use super::congruences::Congruence;
use crate::expr::{Binary, Expr, ExprId, Unary};
use crate::graph::Program;
use crate::types::{Type, VarId};

/// What a sum is said to be.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Relation {
    /// At most this.
    AtMost(i128),
    /// Exactly this.
    Equal(i128),
    /// Anything but this.
    Differs(i128),
    /// An integer that leaves this remainder.
    Congruent(Congruence),
}

/// A sum of multiples of variables, and what it is.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct LinearConstraint<V> {
    /// The variables with their factors, none of which is 0.
    pub terms: Vec<(V, i128)>,
    /// What the sum is.
    pub relation: Relation,
}

impl<V: Copy> LinearConstraint<V> {
    /// The same about other variables; nothing if one of them is not known.
    pub(super) fn renamed<W>(&self, name: impl Fn(V) -> Option<W>) -> Option<LinearConstraint<W>> {
        let terms = self.terms.iter().map(|&(var, factor)| Some((name(var)?, factor))).collect::<Option<_>>()?;
        Some(LinearConstraint { terms, relation: self.relation })
    }
}

impl LinearConstraint<VarId> {
    /// Whether values of the variables satisfy it.
    #[must_use]
    pub fn holds(&self, value: impl Fn(VarId) -> i64) -> bool {
        let sum: i128 = self.terms.iter().map(|&(var, factor)| factor * i128::from(value(var))).sum();
        match self.relation {
            Relation::AtMost(most) => sum <= most,
            Relation::Equal(wanted) => sum == wanted,
            Relation::Differs(other) => sum != other,
            Relation::Congruent(all) => all.contains(sum),
        }
    }

    /// The condition as an expression of the program; nothing if a number in it is too large.
    pub fn expr(&self, program: &mut Program) -> Option<ExprId> {
        if let ([(var, 1)], Relation::Equal(value @ (0 | 1))) = (self.terms.as_slice(), self.relation)
            && program.variable(*var).ty == Type::Bool
        {
            let read = program.read(*var);
            return Some(if value == 1 { read } else { program.exprs.add(Expr::Unary(Unary::Not, read)) });
        }
        // Truth values are not added up.
        if self.terms.iter().any(|&(var, _)| program.variable(var).ty == Type::Bool) {
            return None;
        }
        // Factors are positive on both sides: `x <= y + 3`.
        let (left, right): (Vec<_>, Vec<_>) = self.terms.iter().copied().partition(|&(_, factor)| factor > 0);
        let left = sum(program, &left).ok()?;
        match self.relation {
            Relation::AtMost(most) => compared(program, Binary::Le, left, &right, most),
            Relation::Equal(value) => compared(program, Binary::Eq, left, &right, value),
            Relation::Differs(value) => compared(program, Binary::Ne, left, &right, value),
            Relation::Congruent(Congruence { modulus, remainder }) if right.is_empty() => {
                let modulus = program.exprs.int(i64::try_from(modulus).ok()?);
                let remainder = program.exprs.int(i64::try_from(remainder).ok()?);
                let left = program.exprs.add(Expr::Binary(Binary::Mod, left?, modulus));
                Some(program.exprs.add(Expr::Binary(Binary::Eq, left, remainder)))
            }
            Relation::Congruent(_) => None,
        }
    }
}

/// `left op right + number`, with what is negative on the other side.
fn compared(
    program: &mut Program,
    op: Binary,
    left: Option<ExprId>,
    right: &[(VarId, i128)],
    number: i128,
) -> Option<ExprId> {
    let negated: Vec<(VarId, i128)> =
        right.iter().map(|&(var, factor)| Some((var, factor.checked_neg()?))).collect::<Option<_>>()?;
    let right = sum(program, &negated).ok()?;
    let number = i64::try_from(number).ok()?;
    let (left, right) = match (left, right) {
        (Some(left), Some(right)) if number == 0 => (left, right),
        (Some(left), Some(right)) if number < 0 => {
            let number = program.exprs.int(number.checked_neg()?);
            (program.exprs.add(Expr::Binary(Binary::Add, left, number)), right)
        }
        (Some(left), Some(right)) => {
            let number = program.exprs.int(number);
            (left, program.exprs.add(Expr::Binary(Binary::Add, right, number)))
        }
        (Some(left), None) => (left, program.exprs.int(number)),
        // `0 <= x + 3` is `-3 <= x`.
        (None, Some(right)) => (program.exprs.int(number.checked_neg()?), right),
        (None, None) => return None,
    };
    Some(program.exprs.add(Expr::Binary(op, left, right)))
}

/// The sum of multiples, nothing for an empty one.
fn sum(program: &mut Program, terms: &[(VarId, i128)]) -> Result<Option<ExprId>, TryFromIntError> {
    let mut found: Option<ExprId> = None;
    for &(var, factor) in terms {
        let mut part = program.read(var);
        if factor != 1 {
            let factor = program.exprs.int(i64::try_from(factor)?);
            part = program.exprs.add(Expr::Binary(Binary::Mul, factor, part));
        }
        found = Some(found.map_or(part, |found| program.exprs.add(Expr::Binary(Binary::Add, found, part))));
    }
    Ok(found)
}
