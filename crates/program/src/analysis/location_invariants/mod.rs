//! Invariants per location by abstract interpretation (Cousot and Cousot 1977; the static analysis of Saïdi 2000, section 7): what holds
//! whenever a process is at a location, whatever happened before?
//!
//! Guards and assignments are propagated along the steps of each process: after `await y = 7` it is `y = 7`, until something
//! may write `y`. What others may do in between counts at every location. Domains, each with its widening, and all of them in a
//! reduced product: intervals ([`boxes`]), congruences ([`congruences`]), difference bounds ([`difference_bounds`]),
//! linear equalities ([`linear_equalities`]) and, where variables are few, convex polyhedra ([`polyhedra`]). Another domain implements [`AbstractDomain`] and joins [`product`].
//!
//! All constraints together are inductive: they hold initially, and each step keeps them. Certificates list them, and the
//! kernel proves them again.
//!
//! ```
//! # use tertium_program::analysis::LocationInvariants;
//! # fn show(program: &mut tertium_program::Program) -> Option<()> {
//! let found = LocationInvariants::of(program);
//! let (process, location) = (program.process_ids().next()?, program.processes[0].entry);
//! match found.at(process, location) {
//!     None => println!("no run gets there"),
//!     Some(constraints) => {
//!         // Sums over variables (`terms`, `relation`), or expressions of the program for predicates, terms and texts.
//!         let conditions: Vec<_> = constraints.iter().filter_map(|one| one.expr(program)).collect();
//!     }
//! }
//! # None }
//! ```
//!
//! Not here: arrays ([`super::cell_invariants`]) and channels; of these, intervals are known wherever processes are ([`super::intervals`]).

pub mod boxes;
pub mod congruences;
pub mod constraint;
pub mod difference_bounds;
pub mod domain;
mod double_description;
mod fixpoint;
mod guards;
pub mod linear;
pub mod linear_equalities;
pub mod polyhedra;
pub mod product;

use std::collections::BTreeMap;

use super::intervals::{Interval, Intervals};
use crate::expr::ExprId;
use crate::graph::{Action, LocationId, ProcessId, Program};
use crate::types::VarId;

pub use constraint::{LinearConstraint, Relation};
pub use domain::AbstractDomain;
pub(super) use fixpoint::followed_processes;

/// States are told apart by at most so many conditions.
const MOST_CONDITIONS: usize = 4;

/// What holds at one location.
type Constraints = Vec<LinearConstraint<VarId>>;

/// What holds at each location.
#[derive(Clone, Debug, Default)]
pub struct LocationInvariants {
    /// Locations that are reached; nothing at all if nothing is known.
    known: Option<BTreeMap<(ProcessId, LocationId), Constraints>>,
}

impl LocationInvariants {
    /// The invariants of a program in which every process runs once and from the start; of other programs nothing is known.
    #[must_use]
    pub fn of(program: &Program) -> Self {
        if !is_understood(program) {
            return Self::default();
        }
        let everywhere = Intervals::of(program);
        let mut fixpoint = fixpoint::Fixpoint::new(program, &everywhere);
        let Ok(mut found) = fixpoint.solve() else { return Self::default() };
        if let Some(more) = fixpoint.with_polyhedra() {
            found = more;
        }
        // Nothing is told apart but locations.
        let told = |((process, location, _), product): ((ProcessId, LocationId, u32), product::Product)| {
            ((process, location), named(&fixpoint, process, &product))
        };
        let mut known: BTreeMap<_, _> = found.into_iter().map(told).collect();
        // Who only watches has no steps of its own; it may be anywhere.
        for process in program.process_ids().filter(|process| !fixpoint::followed_processes(program).contains(process))
        {
            let locations = program.process(process).locations.len();
            known.extend((0..locations).map(|at| ((process, LocationId::new(at)), Vec::new())));
        }
        Self { known: Some(known) }
    }

    /// What holds whenever a process is at a location; nothing if no run gets there.
    #[must_use]
    pub fn at(&self, process: ProcessId, location: LocationId) -> Option<&[LinearConstraint<VarId>]> {
        match &self.known {
            Some(known) => known.get(&(process, location)).map(Vec::as_slice),
            None => Some(&[]),
        }
    }
}

impl LocationInvariants {
    /// The values that a plain variable has in states that can be reached: wherever a process is, it is at one of its locations.
    #[must_use]
    pub fn bounds(&self, program: &Program, var: VarId) -> Interval {
        let mut found = Interval::ALL;
        for process in program.process_ids() {
            let here = (0..program.process(process).locations.len()).map(LocationId::new);
            let reached = here.filter_map(|at| self.at(process, at));
            let hull = reached.map(|constraints| within(constraints, var)).reduce(Interval::join);
            found = hull.and_then(|hull| found.meet(hull)).unwrap_or(found);
        }
        found
    }
}

/// Constraints such that in each state that can be reached those of some cell of a partition hold: states are told apart by which of these conditions, that speak of no inputs, hold (trace partitioning, Rival and Mauborgne 2007). Each is told once; none where nothing is known, or for more conditions than a few.
///
/// Where a loop does one thing as long as `x < m` and another one from there, each of the two has invariants that neither has together with the other.
#[must_use]
pub fn partitioned_constraints(program: &Program, conditions: &[ExprId]) -> Vec<LinearConstraint<VarId>> {
    if !is_understood(program) || conditions.len() > MOST_CONDITIONS {
        return Vec::new();
    }
    let everywhere = Intervals::of(program);
    let mut fixpoint = fixpoint::Fixpoint::new(program, &everywhere).partitioned(conditions.to_vec());
    let found = fixpoint.with_polyhedra().or_else(|| fixpoint.solve().ok()).unwrap_or_default();
    let mut told: Vec<LinearConstraint<VarId>> = Vec::new();
    for ((process, _, _), product) in &found {
        for one in named(&fixpoint, *process, product) {
            if !told.contains(&one) {
                told.push(one);
            }
        }
    }
    told
}

/// What is known, in words of the program.
fn named(fixpoint: &fixpoint::Fixpoint<'_>, process: ProcessId, product: &product::Product) -> Constraints {
    let dimensions = &fixpoint.frame(process).dimensions;
    let names: BTreeMap<usize, VarId> = dimensions.iter().map(|(&var, &at)| (at, var)).collect();
    product.constraints().iter().filter_map(|one| one.renamed(|at| names.get(&at).copied())).collect()
}

/// What constraints say of one variable alone.
fn within(constraints: &[LinearConstraint<VarId>], var: VarId) -> Interval {
    let mut found = Interval::ALL;
    for one in constraints {
        let [(about, factor @ (1 | -1))] = one.terms.as_slice() else { continue };
        let said = match one.relation {
            Relation::AtMost(most) if *factor == 1 => Interval { lo: None, hi: Some(most) },
            Relation::AtMost(most) => Interval { lo: Some(-most), hi: None },
            Relation::Equal(value) => Interval { lo: Some(value * factor), hi: Some(value * factor) },
            Relation::Differs(_) | Relation::Congruent(_) => continue,
        };
        if *about == var {
            found = found.meet(said).unwrap_or(found);
        }
    }
    found
}

/// Whether all steps are tests and assignments of processes that are there from the start.
pub(super) fn is_understood(program: &Program) -> bool {
    let plain = |action: &Action| {
        matches!(action, Action::Assign(_) | Action::Assert(_) | Action::Print { .. } | Action::Together { .. })
    };
    program.is_static() && program.channels.is_empty() && program.steps.iter().all(|step| plain(&step.action))
}
