//! Convex polyhedra (Cousot and Halbwachs 1978): which linear inequalities hold?
//!
//! Both descriptions are kept, bounds and what spans (`double_description`): tests add bounds; joins and assignments work on what spans. Points have one more number at their end, which is 0 for directions.
//! Widening keeps the bounds that still hold, and new ones that bound the same as an old one did (Halbwachs 1979). Where numbers grow too large, nothing is known any more.

use super::constraint::{LinearConstraint, Relation};
use super::domain::{AbstractDomain, Assigned};
use super::double_description::{Description, TooLarge, Vector, dual, product, reduced};
use crate::analysis::intervals::Interval;

/// Values of numbered variables that satisfy linear inequalities.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Polyhedron {
    dimensions: usize,
    /// Equations and inequalities: factors, then what is added to the sum.
    bounds: Description,
    /// Lines; directions and points.
    spanned: Description,
}

impl Polyhedron {
    /// From its bounds; nothing if there is no point.
    fn bounded(dimensions: usize, mut bounds: Description) -> Result<Option<Self>, TooLarge> {
        let mut last = vec![0; dimensions + 1];
        last[dimensions] = 1;
        bounds.rays.push(last);
        let spanned = dual(&bounds, dimensions + 1)?;
        if !spanned.rays.iter().any(|ray| ray[dimensions] > 0) {
            return Ok(None);
        }
        let bounds = dual(&spanned, dimensions + 1)?;
        Ok(Some(Self { dimensions, bounds, spanned }))
    }

    /// From what spans it.
    fn spanned(dimensions: usize, spanned: &Description) -> Result<Self, TooLarge> {
        let bounds = dual(spanned, dimensions + 1)?;
        let spanned = dual(&bounds, dimensions + 1)?;
        Ok(Self { dimensions, bounds, spanned })
    }

    fn row(&self, terms: &[(usize, i128)], sum: i128) -> Vector {
        let mut row = vec![0; self.dimensions + 1];
        terms.iter().for_each(|&(dimension, factor)| row[dimension] = factor);
        row[self.dimensions] = sum;
        row
    }

    /// Whether a bound holds everywhere: not below 0, or 0.
    fn satisfies(&self, bound: &[i128], is_equation: bool) -> Result<bool, TooLarge> {
        for line in &self.spanned.lines {
            if product(bound, line)? != 0 {
                return Ok(false);
            }
        }
        for ray in &self.spanned.rays {
            let value = product(bound, ray)?;
            if value < 0 || is_equation && value != 0 {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// Says whether there may be any values left.
    fn with(&mut self, bound: Vector, is_equation: bool) -> Result<bool, TooLarge> {
        let bound = reduced(bound)?;
        if self.satisfies(&bound, is_equation)? {
            return Ok(true);
        }
        let mut bounds = self.bounds.clone();
        if is_equation {
            bounds.lines.push(bound);
        } else {
            bounds.rays.push(bound);
        }
        let left = Self::bounded(self.dimensions, bounds)?;
        let any = left.is_some();
        *self = left.unwrap_or_else(|| self.clone());
        Ok(any)
    }

    fn assumed(&mut self, constraint: &LinearConstraint<usize>) -> Result<bool, TooLarge> {
        let minus = |factor: i128| factor.checked_neg().ok_or(TooLarge);
        let negated = constraint.terms.iter().map(|&(dimension, factor)| Ok((dimension, minus(factor)?)));
        let negated: Vec<(usize, i128)> = negated.collect::<Result<_, TooLarge>>()?;
        match constraint.relation {
            // Integers: what all factors have in common divides the sum.
            Relation::AtMost(most) => {
                let common =
                    constraint.terms.iter().fold(0, |common, &(_, factor)| super::congruences::gcd(common, factor));
                let most = if common == 0 {
                    most
                } else {
                    most.div_euclid(common.abs()).checked_mul(common.abs()).ok_or(TooLarge)?
                };
                self.with(self.row(&negated, most), false)
            }
            Relation::Equal(value) => self.with(self.row(&negated, value), true),
            Relation::Differs(value) => {
                let (above, below) = (self.row(&negated, value), self.row(&constraint.terms, minus(value)?));
                for mut bound in [above, below] {
                    if self.satisfies(&bound, false)? {
                        bound[self.dimensions] -= 1;
                        return self.with(bound, false);
                    }
                }
                Ok(true)
            }
            Relation::Congruent(_) => Ok(true),
        }
    }

    /// Whether a constraint holds of all values, as far as inequalities tell.
    #[must_use]
    pub(super) fn implies(&self, constraint: &LinearConstraint<usize>) -> bool {
        let negated = constraint.terms.iter().map(|&(dimension, factor)| Some((dimension, factor.checked_neg()?)));
        let Some(negated) = negated.collect::<Option<Vec<(usize, i128)>>>() else { return false };
        let holds = match constraint.relation {
            Relation::AtMost(most) => self.satisfies(&self.row(&negated, most), false),
            Relation::Equal(value) => self.satisfies(&self.row(&negated, value), true),
            Relation::Differs(_) | Relation::Congruent(_) => return false,
        };
        holds.unwrap_or(false)
    }

    /// Between which values a variable lies.
    #[must_use]
    pub fn interval(&self, dimension: usize) -> Interval {
        let is_free = self.spanned.lines.iter().any(|line| line[dimension] != 0);
        let directions = self.spanned.rays.iter().filter(|ray| ray[self.dimensions] == 0).map(|ray| ray[dimension]);
        let (falls, rises) =
            directions.fold((is_free, is_free), |(falls, rises), by| (falls || by < 0, rises || by > 0));
        let points = || self.spanned.rays.iter().filter(|ray| ray[self.dimensions] > 0);
        // Integers between: the smallest that is not below, the largest that is not above.
        let lo = points().map(|point| -(-point[dimension]).div_euclid(point[self.dimensions])).min();
        let hi = points().map(|point| point[dimension].div_euclid(point[self.dimensions])).max();
        let (lo, hi) = (lo.filter(|_| !falls), hi.filter(|_| !rises));
        // No integer between: saying less is no mistake.
        if lo.zip(hi).is_some_and(|(lo, hi)| lo > hi) { Interval::ALL } else { Interval { lo, hi } }
    }

    /// Keeps the values of one variable in an interval; says whether there are any.
    #[must_use]
    pub(super) fn meet(&mut self, dimension: usize, within: Interval) -> bool {
        let constraint = |factor: i128, most: i128| LinearConstraint {
            terms: vec![(dimension, factor)],
            relation: Relation::AtMost(most),
        };
        let above = within.hi.is_none_or(|hi| self.assume(&constraint(1, hi)));
        above && within.lo.and_then(i128::checked_neg).is_none_or(|lo| self.assume(&constraint(-1, lo)))
    }

    fn assigned(&self, assigned: &[Assigned]) -> Result<Self, TooLarge> {
        let last = self.dimensions;
        let of = |dimension: usize| assigned.iter().rfind(|one| one.dimension == dimension);
        let written: Vec<&Assigned> = (0..last).filter_map(of).collect();
        let base = |one: &Assigned| one.value.rest.lo.or(one.value.rest.hi).unwrap_or(0);
        let moved = |vector: &Vector| {
            let mut after = vector.clone();
            for one in &written {
                let mut sum = base(one).checked_mul(vector[last]).ok_or(TooLarge)?;
                for (&dimension, &factor) in &one.value.factors {
                    sum =
                        factor.checked_mul(vector[dimension]).and_then(|part| sum.checked_add(part)).ok_or(TooLarge)?;
                }
                after[one.dimension] = sum;
            }
            reduced(after)
        };
        let mut lines = self.spanned.lines.iter().map(moved).collect::<Result<Vec<Vector>, TooLarge>>()?;
        let mut rays = self.spanned.rays.iter().map(moved).collect::<Result<Vec<Vector>, TooLarge>>()?;
        for one in &written {
            let mut direction = vec![0; last + 1];
            direction[one.dimension] = 1;
            match (one.value.rest.lo, one.value.rest.hi) {
                (None, None) => lines.push(direction),
                (Some(_), None) => rays.push(direction),
                (None, Some(_)) => {
                    direction[one.dimension] = -1;
                    rays.push(direction);
                }
                (Some(lo), Some(hi)) if lo < hi => {
                    let further = |point: &Vector| {
                        let mut point = point.clone();
                        let by = hi.checked_sub(lo).and_then(|by| by.checked_mul(point[last])).ok_or(TooLarge)?;
                        point[one.dimension] = point[one.dimension].checked_add(by).ok_or(TooLarge)?;
                        reduced(point)
                    };
                    let more = rays.iter().filter(|ray| ray[last] > 0).map(further).collect::<Result<Vec<_>, _>>()?;
                    rays.extend(more);
                }
                _ => {}
            }
        }
        let is_zero = |vector: &Vector| vector.iter().all(|&number| number == 0);
        lines.retain(|line| !is_zero(line));
        rays.retain(|ray| !is_zero(ray));
        Self::spanned(last, &Description { lines, rays })
    }

    fn joined(&self, other: &Self) -> Result<Self, TooLarge> {
        let all = |own: &[Vector], others: &[Vector]| [own, others].concat();
        let lines = all(&self.spanned.lines, &other.spanned.lines);
        let mut rays = all(&self.spanned.rays, &other.spanned.rays);
        rays.sort_unstable();
        rays.dedup();
        Self::spanned(self.dimensions, &Description { lines, rays })
    }

    /// Equations as two inequalities each.
    fn inequalities(&self) -> Vec<Vector> {
        let both = self.bounds.lines.iter().flat_map(|line| {
            let opposite: Vector = line.iter().map(|&number| -number).collect();
            [line.clone(), opposite]
        });
        both.chain(self.bounds.rays.iter().cloned()).collect()
    }

    /// Which of the rays lie on a bound.
    fn on(&self, bound: &[i128]) -> Result<Vec<bool>, TooLarge> {
        self.spanned.rays.iter().map(|ray| Ok(product(bound, ray)? == 0)).collect()
    }

    fn widened(&self, next: &Self) -> Result<Self, TooLarge> {
        let own = self.inequalities();
        let faces = own.iter().map(|bound| self.on(bound)).collect::<Result<Vec<_>, _>>()?;
        let mut kept = Description { lines: next.bounds.lines.clone(), rays: Vec::new() };
        for bound in &own {
            if next.satisfies(bound, false)? {
                kept.rays.push(bound.clone());
            }
        }
        for bound in &next.bounds.rays {
            if self.satisfies(bound, false)? && faces.contains(&self.on(bound)?) {
                kept.rays.push(bound.clone());
            }
        }
        Ok(Self::bounded(self.dimensions, kept)?.unwrap_or_else(|| Self::top(self.dimensions)))
    }
}

impl AbstractDomain for Polyhedron {
    fn top(dimensions: usize) -> Self {
        let unit = |at: usize| (0..=dimensions).map(|other| i128::from(other == at)).collect::<Vector>();
        let spanned = Description { lines: (0..dimensions).map(unit).collect(), rays: vec![unit(dimensions)] };
        Self { dimensions, bounds: Description { lines: Vec::new(), rays: vec![unit(dimensions)] }, spanned }
    }

    fn assume(&mut self, constraint: &LinearConstraint<usize>) -> bool {
        // What is not understood is not assumed.
        self.assumed(constraint).unwrap_or(true)
    }

    fn assign(&mut self, assigned: &[Assigned]) {
        *self = self.assigned(assigned).unwrap_or_else(|TooLarge| Self::top(self.dimensions));
    }

    fn join(&mut self, other: &Self) {
        *self = self.joined(other).unwrap_or_else(|TooLarge| Self::top(self.dimensions));
    }

    fn widen(&mut self, next: &Self) {
        *self = self.widened(next).unwrap_or_else(|TooLarge| Self::top(self.dimensions));
    }

    fn includes(&self, other: &Self) -> bool {
        let within = |bound: &Vector, is_equation| other.satisfies(bound, is_equation).unwrap_or(false);
        self.bounds.lines.iter().all(|bound| within(bound, true))
            && self.bounds.rays.iter().all(|bound| within(bound, false))
    }

    fn constraints(&self) -> Vec<LinearConstraint<usize>> {
        let terms = |row: &Vector, sign: i128| {
            let factors = row[..self.dimensions].iter().enumerate();
            factors.filter(|&(_, &factor)| factor != 0).map(|(at, &factor)| (at, sign * factor)).collect::<Vec<_>>()
        };
        let equation =
            |row: &Vector| LinearConstraint { terms: terms(row, 1), relation: Relation::Equal(-row[self.dimensions]) };
        let inequality = |row: &Vector| {
            let (mut terms, mut most) = (terms(row, -1), row[self.dimensions]);
            let common = terms.iter().fold(0, |common, &(_, factor)| super::congruences::gcd(common, factor)).abs();
            if common > 1 {
                terms.iter_mut().for_each(|(_, factor)| *factor /= common);
                most = most.div_euclid(common);
            }
            LinearConstraint { terms, relation: Relation::AtMost(most) }
        };
        let told = self.bounds.lines.iter().map(equation).chain(self.bounds.rays.iter().map(inequality));
        told.filter(|one| !one.terms.is_empty()).collect()
    }
}
