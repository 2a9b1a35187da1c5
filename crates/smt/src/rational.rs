//! Linear constraints over rational numbers, with alternatives: is there a solution, and which?
//!
//! Without integers nothing has to be branched on but alternatives, so that even larger systems are solved at once. A solution is scaled to integers, which is right for whoever asks for inequalities that may be multiplied.

use tertium_base::{Budget, panics};
use z3::ast::{Bool, Real};
use z3::{Params, SatResult};

use crate::library::{self, Call};
use crate::loading;
use crate::solver::{Limit, SolverError};

/// Larger numbers are no solution.
const LARGEST: i128 = 1 << 40;

/// What is asked of unknowns, which have numbers.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum RationalConstraint {
    /// A sum of unknowns with factors, plus a constant, is 0.
    Zero(Vec<(usize, i128)>, i128),
    /// It is not negative.
    NotNegative(Vec<(usize, i128)>, i128),
    /// All of these hold.
    All(Vec<RationalConstraint>),
    /// One of these holds.
    Any(Vec<RationalConstraint>),
}

/// A solution in integers, after multiplication with some positive number.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ScaledSolution {
    /// By unknown, as many as were asked for.
    pub values: Vec<i128>,
    /// For each of the alternatives in order, as often as they were marked: whether it holds in the solution.
    pub holds: Vec<bool>,
}

/// Solves constraints; values of the first `wanted` unknowns, and which of the `marked` constraints hold. None if there is no solution, or none is found within the limit.
///
/// # Errors
/// If there is no library.
pub fn solve(
    constraints: &[RationalConstraint],
    wanted: usize,
    marked: &[RationalConstraint],
    limit: Limit,
    budget: &Budget,
) -> Result<Option<ScaledSolution>, SolverError> {
    loading::load()?;
    if library::is_spent() {
        return Ok(None);
    }
    let done = panics::quietly(|| {
        let _call = Call::begin(budget);
        library::limit_memory(budget);
        solved(constraints, wanted, marked, limit.within(budget))
    });
    if done.is_none() {
        library::failed();
    }
    Ok(done.flatten())
}

fn solved(
    constraints: &[RationalConstraint],
    wanted: usize,
    marked: &[RationalConstraint],
    limit: Limit,
) -> Option<ScaledSolution> {
    let solver = z3::Solver::new_for_logic("QF_LRA").unwrap_or_default();
    let mut params = Params::new();
    params.set_u32("rlimit", limit.work.unwrap_or(0));
    let millis = limit.time.map_or(u32::MAX, |time| u32::try_from(time.as_millis() + 1).unwrap_or(u32::MAX));
    params.set_u32("timeout", millis);
    solver.set_params(&params);
    let mut names = Names::default();
    for constraint in constraints {
        solver.assert(names.made(constraint)?);
    }
    let result = solver.check();
    if library::failed() || result != SatResult::Sat {
        return None;
    }
    let model = solver.get_model()?;
    let mut fractions = Vec::new();
    for unknown in 0..wanted {
        let (numerator, denominator) = model.eval(&names.named(unknown), true)?.as_rational()?;
        fractions.push((i128::from(numerator), i128::from(denominator)));
    }
    let common = fractions.iter().try_fold(1i128, |common, &(_, denominator)| {
        let both = common.checked_mul(denominator)? / divisor(common, denominator);
        (both < LARGEST).then_some(both)
    })?;
    let scaled = |&(numerator, denominator): &(i128, i128)| {
        let value = numerator.checked_mul(common / denominator)?;
        (value.abs() < LARGEST).then_some(value)
    };
    let values: Option<Vec<i128>> = fractions.iter().map(scaled).collect();
    let mut holds = Vec::new();
    for constraint in marked {
        holds.push(model.eval(&names.made(constraint)?, true)?.as_bool()?);
    }
    Some(ScaledSolution { values: values?, holds })
}

/// The greatest common divisor of positive numbers.
fn divisor(mut a: i128, mut b: i128) -> i128 {
    while b != 0 {
        (a, b) = (b, a % b);
    }
    a.max(1)
}

/// The unknowns that have a constant of the library already.
#[derive(Default)]
struct Names(Vec<Option<Real>>);

impl Names {
    fn named(&mut self, unknown: usize) -> Real {
        if self.0.len() <= unknown {
            self.0.resize(unknown + 1, None);
        }
        self.0[unknown].get_or_insert_with(|| Real::new_const(format!("!unknown{unknown}"))).clone()
    }

    fn sum(&mut self, parts: &[(usize, i128)], constant: i128) -> Option<Real> {
        let mut sum = vec![Real::from_rational(i64::try_from(constant).ok()?, 1)];
        for &(unknown, factor) in parts {
            let unknown = self.named(unknown);
            sum.push(match factor {
                1 => unknown,
                _ => Real::mul(&[Real::from_rational(i64::try_from(factor).ok()?, 1), unknown]),
            });
        }
        Some(Real::add(&sum))
    }

    /// As deep as alternatives are nested, which whoever asks decides.
    fn made(&mut self, constraint: &RationalConstraint) -> Option<Bool> {
        let zero = || Real::from_rational(0, 1);
        Some(match constraint {
            RationalConstraint::Zero(parts, constant) => self.sum(parts, *constant)?.eq(zero()),
            RationalConstraint::NotNegative(parts, constant) => self.sum(parts, *constant)?.ge(zero()),
            RationalConstraint::All(of) => Bool::and(&self.all(of)?),
            RationalConstraint::Any(of) => Bool::or(&self.all(of)?),
        })
    }

    fn all(&mut self, of: &[RationalConstraint]) -> Option<Vec<Bool>> {
        of.iter().map(|one| self.made(one)).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::RationalConstraint::{All, Any, NotNegative, Zero};
    use super::*;

    #[test]
    fn solutions_are_scaled_and_alternatives_told() {
        let limit = Limit { work: Some(1_000_000), time: None };
        let ask = |constraints: &[RationalConstraint], marked: &[RationalConstraint]| {
            solve(constraints, 2, marked, limit, &Budget::unlimited()).expect("the library")
        };
        // 3 a = 1, b = a: scaled by 3.
        let thirds = [Zero(vec![(0, 3)], -1), Zero(vec![(0, 1), (1, -1)], 0)];
        assert_eq!(ask(&thirds, &[]).expect("a solution").values, [1, 1]);
        let never = [NotNegative(vec![(0, 1)], -1), NotNegative(vec![(0, -1)], 0)];
        assert_eq!(ask(&never, &[]), None);
        let either = [Any(vec![All(never.to_vec()), Zero(vec![(1, 1)], -7)]), Zero(vec![(0, 1)], 0)];
        let marked = [Zero(vec![(1, 1)], -7), NotNegative(vec![(0, 1)], -1)];
        let found = ask(&either, &marked).expect("a solution");
        assert_eq!((found.values, found.holds), (vec![0, 7], vec![true, false]));
    }
}
