//! Intervals (Cousot and Cousot 1977): between which values does each variable lie?

use super::constraint::{LinearConstraint, Relation};
use super::domain::{AbstractDomain, Assigned};
use crate::analysis::intervals::Interval;
use crate::expr::Binary;

/// An interval for every variable.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Intervals(Vec<Interval>);

impl Intervals {
    /// What is known of one variable.
    pub(super) fn of(&self, dimension: usize) -> Interval {
        self.0[dimension]
    }

    /// Says whether anything is left.
    #[must_use]
    pub(super) fn meet(&mut self, dimension: usize, other: Interval) -> bool {
        match self.0[dimension].meet(other) {
            Some(both) => self.0[dimension] = both,
            None => return false,
        }
        true
    }

    /// Whether they say as much of one variable as this does.
    pub(super) fn implies(&self, constraint: &LinearConstraint<usize>) -> bool {
        let &[(dimension, factor)] = constraint.terms.as_slice() else { return false };
        let known = self.0[dimension];
        let greatest = if factor > 0 { known.hi } else { known.lo };
        let times = |value: i128| value.checked_mul(factor);
        match constraint.relation {
            Relation::AtMost(most) => greatest.and_then(times).is_some_and(|greatest| greatest <= most),
            Relation::Equal(value) => known.value().and_then(times) == Some(value),
            Relation::Differs(_) | Relation::Congruent(_) => false,
        }
    }

    /// Each variable of a sum that is at most this is at most what the others leave.
    fn at_most(&mut self, terms: &[(usize, i128)], most: i128) -> bool {
        let least = |&(dimension, factor): &(usize, i128)| {
            Interval::binary(Binary::Mul, self.0[dimension], Interval::exactly(factor)).lo
        };
        let least: Vec<Option<i128>> = terms.iter().map(least).collect();
        for (at, &(dimension, factor)) in terms.iter().enumerate() {
            let others = least.iter().enumerate().filter(|&(other, _)| other != at);
            let Some(rest) = others.map(|(_, least)| *least).try_fold(0i128, |sum, least| sum.checked_add(least?))
            else {
                continue;
            };
            let Some(most) = most.checked_sub(rest) else { continue };
            // `factor * x <= most`.
            let bound = if factor > 0 {
                Interval { lo: None, hi: Some(most.div_euclid(factor)) }
            } else {
                let Some((size, least)) = factor.checked_neg().zip(most.checked_neg()) else { continue };
                let round_up = i128::from(least.rem_euclid(size) != 0);
                Interval { lo: least.div_euclid(size).checked_add(round_up), hi: None }
            };
            if !self.meet(dimension, bound) {
                return false;
            }
        }
        // Without variables it is a fact about numbers.
        !terms.is_empty() || most >= 0
    }

    fn differs(&mut self, dimension: usize, value: i128) -> bool {
        let known = &mut self.0[dimension];
        if known.value() == Some(value) {
            return false;
        }
        if known.lo == Some(value) {
            known.lo = value.checked_add(1);
        }
        if known.hi == Some(value) {
            known.hi = value.checked_sub(1);
        }
        true
    }
}

impl AbstractDomain for Intervals {
    fn top(dimensions: usize) -> Self {
        Self(vec![Interval::ALL; dimensions])
    }

    fn assume(&mut self, constraint: &LinearConstraint<usize>) -> bool {
        let terms = &constraint.terms;
        match constraint.relation {
            Relation::AtMost(most) => self.at_most(terms, most),
            Relation::Equal(value) => {
                let negated = terms.iter().map(|&(dimension, factor)| Some((dimension, factor.checked_neg()?)));
                let (Some(negated), Some(most)) = (negated.collect::<Option<Vec<_>>>(), value.checked_neg()) else {
                    return self.at_most(terms, value);
                };
                self.at_most(terms, value) && self.at_most(&negated, most)
            }
            Relation::Differs(value) => match terms.as_slice() {
                [] => value != 0,
                &[(dimension, 1)] => self.differs(dimension, value),
                &[(dimension, -1)] => value.checked_neg().is_none_or(|value| self.differs(dimension, value)),
                _ => true,
            },
            Relation::Congruent(all) => !terms.is_empty() || all.contains(0),
        }
    }

    fn assign(&mut self, assigned: &[Assigned]) {
        for one in assigned {
            self.0[one.dimension] = one.range;
        }
    }

    fn join(&mut self, other: &Self) {
        for (own, other) in self.0.iter_mut().zip(&other.0) {
            *own = own.join(*other);
        }
    }

    /// A bound that moves is no bound.
    fn widen(&mut self, next: &Self) {
        for (own, next) in self.0.iter_mut().zip(&next.0) {
            let lo = own.lo.filter(|&lo| next.lo.is_some_and(|next| next >= lo));
            let hi = own.hi.filter(|&hi| next.hi.is_some_and(|next| next <= hi));
            *own = Interval { lo, hi };
        }
    }

    fn includes(&self, other: &Self) -> bool {
        self.0.iter().zip(&other.0).all(|(own, other)| other.is_within(*own))
    }

    fn constraints(&self) -> Vec<LinearConstraint<usize>> {
        let mut told = Vec::new();
        for (dimension, known) in self.0.iter().enumerate() {
            if let Some(value) = known.value() {
                told.push(LinearConstraint { terms: vec![(dimension, 1)], relation: Relation::Equal(value) });
                continue;
            }
            let most = known.hi.map(|hi| (1, hi));
            let least = known.lo.and_then(|lo| Some((-1, lo.checked_neg()?)));
            told.extend(most.into_iter().chain(least).map(|(factor, bound)| LinearConstraint {
                terms: vec![(dimension, factor)],
                relation: Relation::AtMost(bound),
            }));
        }
        told
    }
}
