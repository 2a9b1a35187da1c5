//! Congruences (Granger 1989): which remainder does each variable leave, when divided by what?

use super::constraint::{LinearConstraint, Relation};
use super::domain::{AbstractDomain, Assigned};
use super::linear::LinearForm;
use crate::analysis::intervals::Interval;

/// The integers that leave a remainder when divided by the modulus. Modulus 0: one integer; modulus 1: all.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Congruence {
    /// Not negative.
    pub modulus: i128,
    /// From 0 to the modulus, without that, if the modulus is not 0.
    pub remainder: i128,
}

impl Congruence {
    /// All integers.
    pub const ALL: Self = Self { modulus: 1, remainder: 0 };

    /// One integer.
    #[must_use]
    pub const fn exactly(value: i128) -> Self {
        Self { modulus: 0, remainder: value }
    }

    /// The integers that leave this remainder; all if numbers become too large.
    #[must_use]
    pub fn of(modulus: i128, remainder: i128) -> Self {
        match modulus.checked_abs() {
            Some(0) => Self::exactly(remainder),
            Some(modulus) => Self { modulus, remainder: remainder.rem_euclid(modulus) },
            None => Self::ALL,
        }
    }

    pub(super) fn sum(self, other: Self) -> Self {
        let sum = self.remainder.checked_add(other.remainder);
        sum.map_or(Self::ALL, |sum| Self::of(gcd(self.modulus, other.modulus), sum))
    }

    pub(super) fn scaled(self, by: i128) -> Self {
        let (modulus, remainder) = (self.modulus.checked_mul(by), self.remainder.checked_mul(by));
        modulus.zip(remainder).map_or(Self::ALL, |(modulus, remainder)| Self::of(modulus, remainder))
    }

    /// What holds of the integers up to multiples of `turn`.
    pub(super) fn modulo(self, turn: i128) -> Self {
        Self::of(gcd(self.modulus, turn), self.remainder)
    }

    /// The smallest congruence that holds for both.
    pub(super) fn joined(self, other: Self) -> Self {
        let apart = self.remainder.checked_sub(other.remainder);
        let modulus = apart.and_then(i128::checked_abs).map(|apart| gcd(gcd(self.modulus, other.modulus), apart));
        modulus.map_or(Self::ALL, |modulus| Self::of(modulus, self.remainder))
    }

    /// The integers of both; nothing if there are none. One of the two if the common modulus is too large.
    pub(super) fn meet(self, other: Self) -> Option<Self> {
        if self.modulus == 0 || other.modulus == 0 {
            let (one, all) = if self.modulus == 0 { (self, other) } else { (other, self) };
            return all.contains(one.remainder).then_some(one);
        }
        let common = gcd(self.modulus, other.modulus);
        if (self.remainder - other.remainder).rem_euclid(common) != 0 {
            return None;
        }
        // The larger modulus says more; both together are only looked at where one divides the other.
        Some(if self.modulus >= other.modulus { self } else { other })
    }

    /// Whether an integer is one of them.
    #[must_use]
    pub fn contains(self, value: i128) -> bool {
        match self.modulus {
            0 => value == self.remainder,
            modulus => value.rem_euclid(modulus) == self.remainder,
        }
    }

    fn is_within(self, other: Self) -> bool {
        self.joined(other) == other
    }

    /// The smallest interval with the same integers of this kind; nothing if it has none.
    pub(super) fn tightened(self, within: Interval) -> Option<Interval> {
        if self.modulus == 0 {
            return within.meet(Interval::exactly(self.remainder));
        }
        let up = |lo: i128| lo.checked_add((self.remainder - lo.rem_euclid(self.modulus)).rem_euclid(self.modulus));
        let down = |hi: i128| hi.checked_sub((hi.rem_euclid(self.modulus) - self.remainder).rem_euclid(self.modulus));
        let lo = within.lo.map(|lo| up(lo).unwrap_or(lo));
        let hi = within.hi.map(|hi| down(hi).unwrap_or(hi));
        let is_empty = matches!((lo, hi), (Some(lo), Some(hi)) if lo > hi);
        (!is_empty).then_some(Interval { lo, hi })
    }
}

/// The greatest common divisor, never negative; 1 if it is too large.
pub(super) fn gcd(a: i128, b: i128) -> i128 {
    let (Some(mut a), Some(mut b)) = (a.checked_abs(), b.checked_abs()) else { return 1 };
    while b != 0 {
        (a, b) = (b, a % b);
    }
    a
}

/// A congruence for every variable.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Congruences(Vec<Congruence>);

impl Congruences {
    /// What is known of one variable.
    pub(super) fn of(&self, dimension: usize) -> Congruence {
        self.0[dimension]
    }

    pub(super) fn meet(&mut self, dimension: usize, other: Congruence) -> bool {
        match self.0[dimension].meet(other) {
            Some(both) => self.0[dimension] = both,
            None => return false,
        }
        true
    }

    fn form(&self, form: &LinearForm) -> Congruence {
        let part = |(&dimension, &factor): (&usize, &i128)| self.0[dimension].scaled(factor);
        form.factors.iter().map(part).fold(form.remainder, Congruence::sum)
    }
}

impl AbstractDomain for Congruences {
    fn top(dimensions: usize) -> Self {
        Self(vec![Congruence::ALL; dimensions])
    }

    fn assume(&mut self, constraint: &LinearConstraint<usize>) -> bool {
        // Of one variable, with the factor 1 or -1.
        let &[(dimension, factor @ (1 | -1))] = constraint.terms.as_slice() else { return true };
        match constraint.relation {
            Relation::Equal(value) => self.meet(dimension, Congruence::exactly(value).scaled(factor)),
            Relation::Congruent(all) => self.meet(dimension, all.scaled(factor)),
            Relation::AtMost(_) | Relation::Differs(_) => true,
        }
    }

    fn assign(&mut self, assigned: &[Assigned]) {
        let values: Vec<Congruence> = assigned.iter().map(|one| self.form(&one.value)).collect();
        for (one, value) in assigned.iter().zip(values) {
            self.0[one.dimension] = value;
        }
    }

    fn join(&mut self, other: &Self) {
        for (own, other) in self.0.iter_mut().zip(&other.0) {
            *own = own.joined(*other);
        }
    }

    /// Every join that changes something divides a modulus: there are no endless chains.
    fn widen(&mut self, next: &Self) {
        self.join(next);
    }

    fn includes(&self, other: &Self) -> bool {
        self.0.iter().zip(&other.0).all(|(own, other)| other.is_within(*own))
    }

    fn constraints(&self) -> Vec<LinearConstraint<usize>> {
        let told = |(dimension, &known): (usize, &Congruence)| match known.modulus {
            0 => Some(LinearConstraint { terms: vec![(dimension, 1)], relation: Relation::Equal(known.remainder) }),
            1 => None,
            _ => Some(LinearConstraint { terms: vec![(dimension, 1)], relation: Relation::Congruent(known) }),
        };
        self.0.iter().enumerate().filter_map(told).collect()
    }
}
