//! All domains together (reduced product, Cousot and Cousot 1979): each tells the others the bounds that it finds.

use super::boxes::Intervals;
use super::congruences::{Congruence, Congruences};
use super::constraint::LinearConstraint;
use super::difference_bounds::DifferenceBounds;
use super::domain::{AbstractDomain, Assigned};
use super::linear::LinearForm;
use super::linear_equalities::LinearEqualities;
use super::polyhedra::Polyhedron;
use crate::analysis::intervals::Interval;

/// With more variables than this, relations between them are not followed: they cost the third power of their number.
pub(super) const MOST_RELATED: usize = 24;
/// So many times bounds go round between the domains.
const EXCHANGES: usize = 3;

/// What is known of all variables at once.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Product {
    dimensions: usize,
    intervals: Intervals,
    congruences: Congruences,
    relations: Option<(DifferenceBounds, LinearEqualities)>,
    polyhedron: Option<NumberPolyhedron>,
}

/// A polyhedron that knows nothing of some variables: truth values are not added up.
#[derive(Clone, PartialEq, Eq, Debug)]
struct NumberPolyhedron {
    is_number: Vec<bool>,
    values: Polyhedron,
}

impl NumberPolyhedron {
    #[must_use]
    fn assume(&mut self, constraint: &LinearConstraint<usize>) -> bool {
        !constraint.terms.iter().all(|&(dimension, _)| self.is_number[dimension]) || self.values.assume(constraint)
    }

    fn assign(&mut self, assigned: &[Assigned]) {
        let numbers = assigned.iter().filter(|one| self.is_number[one.dimension]).map(|one| {
            let is_known = one.value.factors.keys().all(|&dimension| self.is_number[dimension]);
            let value = if is_known { one.value.clone() } else { LinearForm::of_interval(one.range) };
            Assigned { value, ..one.clone() }
        });
        self.values.assign(&numbers.collect::<Vec<_>>());
    }

    #[must_use]
    fn meet(&mut self, dimension: usize, within: Interval) -> bool {
        !self.is_number[dimension] || self.values.meet(dimension, within)
    }
}

impl Product {
    /// All values, and relations between so many numbers are followed as polyhedra, too.
    pub(super) fn with_polyhedron(is_number: Vec<bool>) -> Self {
        let top = Self::top(is_number.len());
        let values = Polyhedron::top(is_number.len());
        Self { polyhedron: Some(NumberPolyhedron { is_number, values }), ..top }
    }

    /// Between which values a variable lies.
    #[must_use]
    pub fn bounds(&self, dimension: usize) -> Interval {
        self.intervals.of(dimension)
    }

    /// Keeps the values of one variable in an interval; says whether there are any.
    #[must_use]
    pub fn restrict(&mut self, dimension: usize, within: Interval) -> bool {
        self.intervals.meet(dimension, within)
            && self.relations.as_mut().is_none_or(|(differences, _)| differences.meet(dimension, within))
            && self.polyhedron.as_mut().is_none_or(|polyhedron| polyhedron.meet(dimension, within))
    }

    /// Tells each domain what the others know of single variables; says whether anything is left.
    #[must_use]
    pub(super) fn reduce(&mut self) -> bool {
        for _ in 0..EXCHANGES {
            let before = self.intervals.clone();
            if !(0..self.dimensions).all(|dimension| self.exchange(dimension)) {
                return false;
            }
            if self.intervals == before {
                break;
            }
        }
        true
    }

    fn exchange(&mut self, dimension: usize) -> bool {
        if let Some((differences, equalities)) = &self.relations {
            let value = equalities.value(dimension).map_or(Interval::ALL, Interval::exactly);
            if !self.intervals.meet(dimension, differences.bounds(dimension)) || !self.intervals.meet(dimension, value)
            {
                return false;
            }
        }
        if let Some(polyhedron) = &self.polyhedron
            && polyhedron.is_number[dimension]
            && !self.intervals.meet(dimension, polyhedron.values.interval(dimension))
        {
            return false;
        }
        let Some(tight) = self.congruences.of(dimension).tightened(self.intervals.of(dimension)) else { return false };
        let value = tight.value().map_or(Congruence::ALL, Congruence::exactly);
        self.intervals.meet(dimension, tight)
            && self.congruences.meet(dimension, value)
            && self.relations.as_mut().is_none_or(|(differences, equalities)| {
                differences.meet(dimension, tight) && tight.value().is_none_or(|value| equalities.fix(dimension, value))
            })
            && self.polyhedron.as_mut().is_none_or(|polyhedron| polyhedron.meet(dimension, tight))
    }
}

impl AbstractDomain for Product {
    fn top(dimensions: usize) -> Self {
        let relations = (dimensions <= MOST_RELATED)
            .then(|| (DifferenceBounds::top(dimensions), LinearEqualities::top(dimensions)));
        let (intervals, congruences) = (Intervals::top(dimensions), Congruences::top(dimensions));
        Self { dimensions, intervals, congruences, relations, polyhedron: None }
    }

    fn assume(&mut self, constraint: &LinearConstraint<usize>) -> bool {
        let plain = self.intervals.assume(constraint) && self.congruences.assume(constraint);
        let related = self
            .relations
            .as_mut()
            .is_none_or(|(differences, equalities)| differences.assume(constraint) && equalities.assume(constraint));
        let bounded = |polyhedron: &mut NumberPolyhedron| polyhedron.assume(constraint);
        plain && related && self.polyhedron.as_mut().is_none_or(bounded) && self.reduce()
    }

    fn assign(&mut self, assigned: &[Assigned]) {
        self.intervals.assign(assigned);
        self.congruences.assign(assigned);
        if let Some((differences, equalities)) = &mut self.relations {
            differences.assign(assigned);
            equalities.assign(assigned);
        }
        if let Some(polyhedron) = &mut self.polyhedron {
            polyhedron.assign(assigned);
        }
    }

    fn join(&mut self, other: &Self) {
        self.intervals.join(&other.intervals);
        self.congruences.join(&other.congruences);
        if let (Some((differences, equalities)), Some(others)) = (&mut self.relations, &other.relations) {
            differences.join(&others.0);
            equalities.join(&others.1);
        }
        if let (Some(polyhedron), Some(other)) = (&mut self.polyhedron, &other.polyhedron) {
            polyhedron.values.join(&other.values);
        }
    }

    fn widen(&mut self, next: &Self) {
        self.intervals.widen(&next.intervals);
        self.congruences.widen(&next.congruences);
        if let (Some((differences, equalities)), Some(others)) = (&mut self.relations, &next.relations) {
            differences.widen(&others.0);
            equalities.widen(&others.1);
        }
        if let (Some(polyhedron), Some(next)) = (&mut self.polyhedron, &next.polyhedron) {
            polyhedron.values.widen(&next.values);
        }
    }

    fn includes(&self, other: &Self) -> bool {
        let related = match (&self.relations, &other.relations) {
            (Some(own), Some(others)) => own.0.includes(&others.0) && own.1.includes(&others.1),
            _ => true,
        };
        let bounded = match (&self.polyhedron, &other.polyhedron) {
            (Some(own), Some(other)) => own.values.includes(&other.values),
            _ => true,
        };
        self.intervals.includes(&other.intervals) && self.congruences.includes(&other.congruences) && related && bounded
    }

    fn constraints(&self) -> Vec<LinearConstraint<usize>> {
        let mut told = self.intervals.constraints();
        let told_already = told.clone();
        told.extend(self.congruences.constraints().into_iter().filter(|one| !told_already.contains(one)));
        if let Some((differences, equalities)) = &self.relations {
            let equations = equalities.constraints();
            told.extend(differences.constraints().into_iter().filter(|one| !equations.contains(one)));
            told.extend(equations);
        }
        if let Some(polyhedron) = &self.polyhedron {
            // Each is told once: what follows from inequalities of a polyhedron, or what intervals say of one variable.
            let alone = |one: &LinearConstraint<usize>| one.terms.len() == 1;
            told.retain(|one| alone(one) || !polyhedron.values.implies(one));
            let own = polyhedron.values.constraints();
            told.extend(own.into_iter().filter(|one| !alone(one) || !self.intervals.implies(one)));
        }
        told
    }
}
