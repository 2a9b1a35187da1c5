//! Difference bounds (Dill 1989; Miné 2001): how far can two variables be apart?

use super::constraint::{LinearConstraint, Relation};
use super::domain::{AbstractDomain, Assigned};
use crate::analysis::intervals::Interval;

/// For each two variables the most that the first exceeds the second by; nothing where there is no such bound. Number 0 is the
/// constant 0, variables follow. Bounds that follow from others are there too.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct DifferenceBounds {
    /// Variables and the constant.
    size: usize,
    most: Vec<Option<i128>>,
}

impl DifferenceBounds {
    fn get(&self, a: usize, b: usize) -> Option<i128> {
        self.most[a * self.size + b]
    }

    fn set(&mut self, a: usize, b: usize, bound: Option<i128>) {
        self.most[a * self.size + b] = bound;
    }

    /// `a - b <= bound` from now on, with all that follows; says whether anything is left.
    #[must_use]
    fn add(&mut self, a: usize, b: usize, bound: i128) -> bool {
        if self.get(a, b).is_some_and(|known| known <= bound) {
            return true;
        }
        if let Some(back) = self.get(b, a)
            && back.checked_add(bound).is_some_and(|round| round < 0)
        {
            return false;
        }
        for from in 0..self.size {
            let Some(before) = self.get(from, a).and_then(|before| before.checked_add(bound)) else { continue };
            for to in 0..self.size {
                let Some(way) = self.get(b, to).and_then(|after| before.checked_add(after)) else { continue };
                if self.get(from, to).is_none_or(|known| way < known) {
                    self.set(from, to, Some(way));
                }
            }
        }
        true
    }

    /// What is known of one variable.
    pub(super) fn bounds(&self, dimension: usize) -> Interval {
        let lo = self.get(0, dimension + 1).and_then(i128::checked_neg);
        Interval { lo, hi: self.get(dimension + 1, 0) }
    }

    /// Says whether anything is left.
    #[must_use]
    pub(super) fn meet(&mut self, dimension: usize, with: Interval) -> bool {
        with.hi.is_none_or(|hi| self.add(dimension + 1, 0, hi))
            && with.lo.and_then(i128::checked_neg).is_none_or(|lo| self.add(0, dimension + 1, lo))
    }

    /// The same with so many more variables, of which nothing is known.
    fn extended(&self, by: usize) -> Self {
        let mut wide = Self::top(self.size - 1 + by);
        for a in 0..self.size {
            for b in 0..self.size {
                wide.set(a, b, self.get(a, b));
            }
        }
        wide
    }
}

impl AbstractDomain for DifferenceBounds {
    fn top(dimensions: usize) -> Self {
        let size = dimensions + 1;
        let mut made = Self { size, most: vec![None; size * size] };
        (0..size).for_each(|at| made.set(at, at, Some(0)));
        made
    }

    fn assume(&mut self, constraint: &LinearConstraint<usize>) -> bool {
        let (a, b, factor) = match *constraint.terms.as_slice() {
            [(x, factor)] if factor > 0 => (x + 1, 0, factor),
            [(x, factor)] if factor < 0 && factor != i128::MIN => (0, x + 1, -factor),
            [(x, p), (y, q)] if p.checked_neg() == Some(q) && p > 0 => (x + 1, y + 1, p),
            [(x, p), (y, q)] if q.checked_neg() == Some(p) && q > 0 => (y + 1, x + 1, q),
            _ => return true,
        };
        match constraint.relation {
            Relation::AtMost(most) => self.add(a, b, most.div_euclid(factor)),
            Relation::Equal(value) if value.rem_euclid(factor) != 0 => false,
            Relation::Equal(value) => {
                let value = value / factor;
                self.add(a, b, value) && value.checked_neg().is_none_or(|back| self.add(b, a, back))
            }
            Relation::Differs(value) if factor == 1 => {
                let shrunk = |bound: Option<i128>, value: i128| bound == Some(value);
                let below =
                    !shrunk(self.get(a, b), value) || value.checked_sub(1).is_none_or(|most| self.add(a, b, most));
                let back = value.checked_neg();
                below
                    && back.is_none_or(|value| {
                        !shrunk(self.get(b, a), value) || value.checked_sub(1).is_none_or(|most| self.add(b, a, most))
                    })
            }
            Relation::Differs(_) | Relation::Congruent(_) => true,
        }
    }

    fn assign(&mut self, assigned: &[Assigned]) {
        // New values stand beside old ones until all of them are known.
        let mut wide = self.extended(assigned.len());
        for (at, one) in assigned.iter().enumerate() {
            let new = self.size + at;
            let source = match one.value.factors.iter().next() {
                Some((&dimension, 1)) if one.value.factors.len() == 1 => Some((dimension + 1, one.value.rest)),
                _ => None,
            };
            for (other, by) in source.into_iter().chain([(0, one.range)]) {
                // Nothing is excluded here: whatever values there were, there is a new one.
                let above = by.hi.is_none_or(|hi| wide.add(new, other, hi));
                let below = by.lo.and_then(i128::checked_neg).is_none_or(|lo| wide.add(other, new, lo));
                if !(above && below) {
                    wide.forget(new);
                }
            }
        }
        let place = |at: usize| {
            let new = assigned.iter().rposition(|one| one.dimension + 1 == at);
            new.map_or(at, |new| self.size + new)
        };
        let places: Vec<usize> = (0..self.size).map(place).collect();
        for (a, &from) in places.iter().enumerate() {
            for (b, &to) in places.iter().enumerate() {
                self.set(a, b, wide.get(from, to));
            }
        }
    }

    fn join(&mut self, other: &Self) {
        for (own, other) in self.most.iter_mut().zip(&other.most) {
            *own = own.zip(*other).map(|(own, other)| own.max(other));
        }
    }

    fn widen(&mut self, next: &Self) {
        for (own, next) in self.most.iter_mut().zip(&next.most) {
            *own = own.filter(|own| next.is_some_and(|next| next <= *own));
        }
    }

    fn includes(&self, other: &Self) -> bool {
        let within = |(own, other): (&Option<i128>, &Option<i128>)| {
            own.is_none_or(|own| other.is_some_and(|other| other <= own))
        };
        self.most.iter().zip(&other.most).all(within)
    }

    /// Bounds of single variables are left to intervals, and what follows from these is not told.
    fn constraints(&self) -> Vec<LinearConstraint<usize>> {
        let mut told = Vec::new();
        for a in 1..self.size {
            for b in (1..self.size).filter(|&b| b != a) {
                let Some(bound) = self.get(a, b) else { continue };
                let apart = self.get(a, 0).zip(self.get(0, b)).and_then(|(a, b)| a.checked_add(b));
                if apart.is_some_and(|apart| apart <= bound) {
                    continue;
                }
                let terms = vec![(a - 1, 1), (b - 1, -1)];
                let is_equality = bound.checked_neg().is_some_and(|back| self.get(b, a) == Some(back));
                if !is_equality {
                    told.push(LinearConstraint { terms, relation: Relation::AtMost(bound) });
                } else if a < b {
                    told.push(LinearConstraint { terms, relation: Relation::Equal(bound) });
                }
            }
        }
        told
    }
}

impl DifferenceBounds {
    fn forget(&mut self, at: usize) {
        for other in (0..self.size).filter(|&other| other != at) {
            self.set(at, other, None);
            self.set(other, at, None);
        }
    }
}
