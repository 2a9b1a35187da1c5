//! Which sum of variables is an expression, up to a rest of which only bounds and a remainder are known?

use std::collections::{BTreeMap, HashMap};

use super::congruences::Congruence;
use crate::analysis::intervals::Interval;
use crate::expr::{Binary, Expr, ExprId, Sort, Unary};
use crate::graph::Program;
use crate::types::VarId;

/// A sum of multiples of variables, which are given by their numbers, and a rest.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct LinearForm {
    /// Factors, none of them 0.
    pub factors: BTreeMap<usize, i128>,
    /// Between which values the rest lies.
    pub rest: Interval,
    /// What the rest leaves when it is divided.
    pub remainder: Congruence,
}

impl LinearForm {
    /// No variables; a number of which this is known.
    pub(super) fn of_interval(rest: Interval) -> Self {
        let remainder = rest.value().map_or(Congruence::ALL, Congruence::exactly);
        Self { factors: BTreeMap::new(), rest, remainder }
    }

    fn of_variable(dimension: usize) -> Self {
        let zero = Interval::exactly(0);
        Self { factors: BTreeMap::from([(dimension, 1)]), rest: zero, remainder: Congruence::exactly(0) }
    }

    /// The number that it is without variables, if that is known.
    pub(super) fn constant(&self) -> Option<i128> {
        self.rest.value()
    }

    fn sum(&self, other: &Self) -> Option<Self> {
        let mut factors = self.factors.clone();
        for (&dimension, &factor) in &other.factors {
            let sum = factors.get(&dimension).copied().unwrap_or(0).checked_add(factor)?;
            match sum {
                0 => factors.remove(&dimension),
                _ => factors.insert(dimension, sum),
            };
        }
        let rest = Interval::binary(Binary::Add, self.rest, other.rest);
        Some(Self { factors, rest, remainder: self.remainder.sum(other.remainder) })
    }

    pub(super) fn scaled(&self, by: i128) -> Option<Self> {
        if by == 0 {
            return Some(Self::of_interval(Interval::exactly(0)));
        }
        let scaled = |(&dimension, factor): (&usize, &i128)| Some((dimension, factor.checked_mul(by)?));
        let factors = self.factors.iter().map(scaled).collect::<Option<_>>()?;
        let rest = Interval::binary(Binary::Mul, self.rest, Interval::exactly(by));
        Some(Self { factors, rest, remainder: self.remainder.scaled(by) })
    }

    pub(super) fn difference(&self, other: &Self) -> Option<Self> {
        self.sum(&other.scaled(-1)?)
    }

    /// Its values where variables lie in these intervals.
    pub(super) fn range(&self, bounds: &dyn Fn(usize) -> Interval) -> Interval {
        self.factors.iter().fold(self.rest, |sum, (&dimension, &factor)| {
            let part = Interval::binary(Binary::Mul, bounds(dimension), Interval::exactly(factor));
            Interval::binary(Binary::Add, sum, part)
        })
    }
}

/// Where expressions are evaluated.
pub(super) struct Environment<'e> {
    pub program: &'e Program,
    /// The numbers of the variables that are followed.
    pub dimensions: &'e BTreeMap<VarId, usize>,
    /// The bounds of these.
    pub bounds: &'e dyn Fn(usize) -> Interval,
    /// What is known of all others, everywhere.
    pub others: &'e dyn Fn(VarId) -> Interval,
    /// What is chosen in the step.
    pub inputs: &'e [Interval],
    /// The first few of these that are integers have numbers, too, behind those of the variables.
    pub numbered_inputs: usize,
    /// Which conditions of conditional values hold, as far as that is known.
    pub decided: &'e BTreeMap<ExprId, bool>,
}

impl Environment<'_> {
    /// An expression as a linear form.
    pub(super) fn form(&self, expr: ExprId) -> LinearForm {
        let mut known: HashMap<ExprId, LinearForm> = HashMap::new();
        for id in self.program.exprs.reachable(&[expr]) {
            let form = self.operator(id, &known).unwrap_or_else(|| LinearForm::of_interval(self.unknown(id)));
            known.insert(id, form);
        }
        known.remove(&expr).unwrap_or_else(|| LinearForm::of_interval(Interval::ALL))
    }

    pub(super) fn range(&self, form: &LinearForm) -> Interval {
        form.range(self.bounds)
    }

    fn unknown(&self, id: ExprId) -> Interval {
        if self.program.exprs.sort(id) == Sort::Bool { Interval::TRUTH } else { Interval::ALL }
    }

    fn variable(&self, var: VarId) -> LinearForm {
        self.dimensions
            .get(&var)
            .map_or_else(|| LinearForm::of_interval((self.others)(var)), |&at| LinearForm::of_variable(at))
    }

    /// The form of an operator whose operands have these; nothing if only its sort is known.
    fn operator(&self, id: ExprId, known: &HashMap<ExprId, LinearForm>) -> Option<LinearForm> {
        let of_interval = |value| Some(LinearForm::of_interval(value));
        match self.program.exprs.get(id) {
            Expr::Bool(value) => of_interval(Interval::exactly(value)),
            Expr::Int(value) => of_interval(Interval::exactly(value)),
            Expr::Member(_, position) => of_interval(Interval::exactly(position)),
            Expr::Var(var) => Some(self.variable(var)),
            Expr::Element(var, _) => of_interval((self.others)(var)),
            Expr::Input(position, _) => {
                let (at, is_integer) = (position as usize, self.program.exprs.sort(id) == Sort::Int);
                let value = *self.inputs.get(at)?;
                if is_integer && at < self.numbered_inputs {
                    return Some(LinearForm::of_variable(self.dimensions.len() + at));
                }
                of_interval(value)
            }
            Expr::Unary(Unary::Negate, a) => known.get(&a)?.scaled(-1),
            Expr::Unary(Unary::Complement, a) => {
                known.get(&a)?.scaled(-1)?.sum(&LinearForm::of_interval(Interval::exactly(-1)))
            }
            Expr::Binary(op, a, b) if op.sort() == Sort::Int => self.arithmetic(op, known.get(&a)?, known.get(&b)?),
            Expr::If(condition, a, b) if self.decided.contains_key(&condition) => {
                known.get(if self.decided[&condition] { &a } else { &b }).cloned()
            }
            Expr::If(_, a, b) => self.either(known.get(&a)?, known.get(&b)?),
            Expr::Wrap(width, a) => {
                let a = known.get(&a)?;
                let range = self.range(a);
                if range.is_within(Interval::of_width(width)) {
                    return Some(a.clone());
                }
                // A turn of the word is a power of two, so remainders by smaller powers stay.
                let remainder =
                    if a.factors.is_empty() { a.remainder.modulo(1 << width.bits) } else { Congruence::ALL };
                Some(LinearForm { factors: BTreeMap::new(), rest: range.wrapped(width), remainder })
            }
            _ => None,
        }
    }

    fn arithmetic(&self, op: Binary, a: &LinearForm, b: &LinearForm) -> Option<LinearForm> {
        let linear = match op {
            Binary::Add => a.sum(b),
            Binary::Sub => a.difference(b),
            Binary::Mul if b.factors.is_empty() && b.constant().is_some() => a.scaled(b.constant()?),
            Binary::Mul if a.factors.is_empty() && a.constant().is_some() => b.scaled(a.constant()?),
            _ => None,
        };
        let by_range = || LinearForm::of_interval(Interval::binary(op, self.range(a), self.range(b)));
        Some(linear.unwrap_or_else(by_range))
    }

    fn either(&self, a: &LinearForm, b: &LinearForm) -> Option<LinearForm> {
        if a.factors == b.factors {
            let (rest, remainder) = (a.rest.join(b.rest), a.remainder.joined(b.remainder));
            return Some(LinearForm { factors: a.factors.clone(), rest, remainder });
        }
        Some(LinearForm::of_interval(self.range(a).join(self.range(b))))
    }
}
