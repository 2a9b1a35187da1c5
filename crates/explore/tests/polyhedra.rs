//! Polyhedra hold all points that the operations on them may give, and tests exclude what they should.

use std::collections::BTreeMap;

use tertium_program::analysis::Interval;
use tertium_program::analysis::location_invariants::congruences::Congruence;
use tertium_program::analysis::location_invariants::domain::Assigned;
use tertium_program::analysis::location_invariants::linear::LinearForm;
use tertium_program::analysis::location_invariants::polyhedra::Polyhedron;
use tertium_program::analysis::location_invariants::{AbstractDomain, LinearConstraint, Relation};
use tertium_testkit::{Rng, for_random_cases};

const DIMENSIONS: usize = 3;
const FAR: i128 = 3;

type Point = [i128; DIMENSIONS];

fn points() -> impl Iterator<Item = Point> {
    (-FAR..=FAR).flat_map(|x| (-FAR..=FAR).flat_map(move |y| (-FAR..=FAR).map(move |z| [x, y, z])))
}

fn small(rng: &mut Rng, most: usize) -> i128 {
    i128::try_from(rng.below(2 * most + 1)).unwrap_or(0) - i128::try_from(most).unwrap_or(0)
}

fn random_constraint(rng: &mut Rng) -> LinearConstraint<usize> {
    let terms = (0..DIMENSIONS).map(|at| (at, small(rng, 2))).filter(|&(_, factor)| factor != 0).collect();
    let value = small(rng, 4);
    let relation = match rng.below(6) {
        0 => Relation::Equal(value),
        1 => Relation::Differs(value),
        _ => Relation::AtMost(value),
    };
    LinearConstraint { terms, relation }
}

fn holds(constraint: &LinearConstraint<usize>, point: &Point) -> bool {
    let sum: i128 = constraint.terms.iter().map(|&(at, factor)| factor * point[at]).sum();
    match constraint.relation {
        Relation::AtMost(most) => sum <= most,
        Relation::Equal(value) => sum == value,
        Relation::Differs(value) => sum != value,
        Relation::Congruent(all) => sum.rem_euclid(all.modulus.max(1)) == all.remainder,
    }
}

fn contains(polyhedron: &Polyhedron, point: &Point) -> bool {
    polyhedron.constraints().iter().all(|one| holds(one, point))
}

/// A polyhedron by some constraints, and its points nearby.
fn random_polyhedron(rng: &mut Rng) -> (Polyhedron, Vec<Point>) {
    let (mut made, mut inside): (Polyhedron, Vec<Point>) = (Polyhedron::top(DIMENSIONS), points().collect());
    for _ in 0..rng.below(5) {
        let constraint = random_constraint(rng);
        let exact = !matches!(constraint.relation, Relation::Differs(_));
        let left: Vec<Point> = inside.iter().copied().filter(|point| holds(&constraint, point)).collect();
        let mut next = made.clone();
        if !next.assume(&constraint) {
            assert_eq!(left, Vec::<Point>::new(), "{constraint:?} leaves points of {made:?}");
            continue;
        }
        assert!(left.iter().all(|point| contains(&next, point)), "{constraint:?} of {made:?}");
        if exact {
            assert!(inside.iter().all(|point| left.contains(point) || !contains(&next, point)), "{next:?}");
        }
        (made, inside) = (next, left);
    }
    (made, inside)
}

fn random_assigned(rng: &mut Rng) -> Assigned {
    let factors: BTreeMap<usize, i128> =
        (0..DIMENSIONS).map(|at| (at, small(rng, 2))).filter(|&(_, factor)| factor != 0).collect();
    let base = small(rng, 3);
    let rest = match rng.below(5) {
        0 => Interval { lo: Some(base), hi: Some(base + 2) },
        1 => Interval { lo: Some(base), hi: None },
        2 => Interval { lo: None, hi: Some(base) },
        _ => Interval::exactly(base),
    };
    let value = LinearForm { factors, rest, remainder: Congruence::ALL };
    Assigned { dimension: rng.below(DIMENSIONS), value, range: Interval::ALL }
}

#[test]
fn operations_hold_all_points() {
    for_random_cases(400, |case| {
        let rng = &mut case.rng;
        let (a, of_a) = random_polyhedron(rng);
        let (b, of_b) = random_polyhedron(rng);
        let mut joined = a.clone();
        joined.join(&b);
        assert!(of_a.iter().chain(&of_b).all(|point| contains(&joined, point)), "join of {a:?} and {b:?}");
        assert!(joined.includes(&a) && joined.includes(&b), "{joined:?}");
        let mut widened = a.clone();
        widened.widen(&joined);
        assert!(widened.includes(&joined), "{widened:?} is smaller than {joined:?}");
        for dimension in 0..DIMENSIONS {
            let range = a.interval(dimension);
            let within = |value: i128| range.lo.is_none_or(|lo| lo <= value) && range.hi.is_none_or(|hi| value <= hi);
            assert!(of_a.iter().all(|point| within(point[dimension])), "{range:?} of {a:?}");
        }
        let assigned = [random_assigned(rng), random_assigned(rng)];
        let mut after = a.clone();
        after.assign(&assigned);
        for point in &of_a {
            for further in [0, 1, 2, 9] {
                let mut next = *point;
                for one in &assigned {
                    let sum: i128 = one.value.factors.iter().map(|(&at, &factor)| factor * point[at]).sum();
                    let rest = match (one.value.rest.lo, one.value.rest.hi) {
                        (Some(lo), hi) => hi.map_or(lo + further, |hi| hi.min(lo + further)),
                        (None, hi) => hi.unwrap_or(0) - further,
                    };
                    next[one.dimension] = sum + rest;
                }
                assert!(contains(&after, &next), "{next:?} after {assigned:?} from {point:?} in {a:?}: {after:?}");
            }
        }
    });
}

#[test]
fn widening_comes_to_an_end() {
    for_random_cases(60, |case| {
        let rng = &mut case.rng;
        let (mut known, _) = random_polyhedron(rng);
        let assigned = [random_assigned(rng), random_assigned(rng)];
        let is_fixed = (0..60).any(|_| {
            let mut next = known.clone();
            next.assign(&assigned);
            if known.includes(&next) {
                return true;
            }
            next.join(&known);
            known.widen(&next);
            false
        });
        assert!(is_fixed, "{known:?} still grows by {assigned:?}");
    });
}
