//! Has every initial state a run along the same operations?
//!
//! A path to a goal that some initial state can follow says nothing about the others. What its operations need is pulled back to the beginning, with each input chosen away where it is read
//! (`tertium_abstraction`'s `input_elimination`): weakest preconditions of a path on which inputs are ours (Dijkstra 1975). If every initial state satisfies what comes out, all of them reach the goal, and the conditions at each position are the
//! abstract states of a certificate.

use std::collections::BTreeSet;

use tertium_load::ProgramFile;
use tertium_load::failure::Failure;
use tertium_load::questions::Question;
use tertium_program::InitialValue;
use tertium_smt::{Purpose, Reply, TermId};

use super::Loop;
use super::lasso_structure::{Described, Position, certifying, labels};
use super::targets::Target;
use crate::limits;
use crate::predicate_abstraction::basis::{self, Basis};
use crate::predicate_abstraction::{Prepared, failed};
use crate::refine::OpenPath;

impl Loop<'_> {
    /// Whether the program surely has an initial state, if that matters to one of these.
    pub(super) fn starts(&self, prepared: &mut Prepared, open: &[Target]) -> Result<bool, Failure> {
        let exists = |target: &Target| matches!(&self.questions[target.question.index()], Question::Property(asked) if asked.exists);
        if !open.iter().any(exists) || starts_once(self.work.file) {
            return Ok(true);
        }
        let starts = prepared.system.surely_starts();
        starts.map_err(|why| failed(self.work.file, prepared.system.program(), why))
    }

    /// What certifies that every initial state can follow this path; none if some cannot, or nobody knows.
    pub(super) fn holds_from_every_start(
        &self,
        prepared: &mut Prepared,
        path: &OpenPath,
        question: &Question,
    ) -> Result<Option<Basis>, Failure> {
        let Question::Property(asked) = question else { return Ok(None) };
        if path.goal_operation.is_some() || path.operations.len() > limits::EVERY_START_LONGEST {
            return Ok(None);
        }
        let conditions = preconditions(prepared, path);
        let system = &mut prepared.system;
        let initial = system.initial_conditions().to_vec();
        let (terms, queries) = system.asking();
        let not = terms.not(conditions[0]);
        let missing: Vec<TermId> = initial.into_iter().chain([not]).collect();
        if terms.mentions_functions(&missing) || queries.satisfiable(terms, Purpose::Path, &missing)? != Reply::Unsat {
            return Ok(None);
        }
        let pids = basis::pids(system.program());
        let atoms: Vec<_> = asked.atoms.iter().map(|&atom| prepared.expr(atom)).collect();
        let system = &mut prepared.system;
        let mut positions = Vec::new();
        for (at, condition) in conditions.into_iter().enumerate() {
            let mover = path.operations.get(at).and_then(|&one| pids.get(&system.operations()[one].process)).copied();
            let locations = path.locations[at].clone();
            let labels = labels(system, &atoms, &locations, &[condition])?;
            let states = Described::Conditions(vec![condition]);
            let mover = mover.unwrap_or_default();
            positions.push(Position { locations, mover, states, labels, resting: BTreeSet::new() });
        }
        Ok(Some(certifying(&mut prepared.system, &positions, None, &prepared.later)))
    }
}

/// At each position the states from which the rest of the path can be followed to its goal, if inputs are chosen well. Where inputs can only be tried, fewer.
fn preconditions(prepared: &mut Prepared, path: &OpenPath) -> Vec<TermId> {
    let system = &mut prepared.system;
    let mut here = path.goal;
    if let Some(last) = path.locations.last() {
        let places = system.located(last, &[]);
        here = system.asking().0.substitute(here, &places);
    }
    let mut found = vec![here];
    for (&operation, locations) in path.operations.iter().zip(&path.locations).rev() {
        here = system.chosen_precondition(operation, locations, here);
        found.push(here);
    }
    found.reverse();
    found
}

/// Whether the program has one initial state.
pub(super) fn starts_once(file: &ProgramFile) -> bool {
    file.program.init.is_none() && file.program.variables.iter().all(|variable| variable.initial != InitialValue::Any)
}
