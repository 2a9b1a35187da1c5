//! What of a spotlight goes into a certificate?
//!
//! Abstract states whose processes in the shade may be anywhere. That a shade process changes only what it was taken to change
//! is an obligation like any other: each of its steps, from wherever it is, must be one that is listed. Names of unknown values are
//! put in one after the other; what rests on more than single states has then no certificate.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use tertium_abstraction::System;
use tertium_abstraction::spotlight::{Mover, SpotExplored};
use tertium_base::Budget;
use tertium_evidence::abstraction::{AbstractState, Abstraction, NoTerm, Structure};
use tertium_lattice::Kleene;
use tertium_model::Kmts;
use tertium_program::{ProcessId, Program};

use super::super::abstracted::basis::{self, Basis, definite, labels, pids};
use super::super::abstracted::failed;
use super::Work;
use crate::failure::Failure;

/// All states of a spotlight, for all values of what has names.
pub(super) fn states(system: &System, explored: &SpotExplored) -> Arc<Basis> {
    let told = basis::over(system).map(|mut over| {
        let all = (0..explored.states.len()).flat_map(|at| (0..explored.assignments()).map(move |given| (at, given)));
        let told: BTreeSet<AbstractState> =
            all.map(|(at, given)| placed(system.program(), explored, at, &explored.cube(at, given))).collect();
        over.states.extend(told);
        Basis::States(over)
    });
    Arc::new(told.unwrap_or_else(|NoTerm(why)| Basis::Untold(why)))
}

/// Every process anywhere: nothing is known but what types and bounds say.
pub(super) fn anywhere(system: &System) -> Arc<Basis> {
    let at = vec![None; system.program().instances.len()];
    let state = AbstractState { at, values: Vec::new(), cube: Vec::new() };
    let told = basis::over(system)
        .map(|over| Basis::States(Abstraction { always: over.always, states: vec![state], ..Abstraction::default() }));
    Arc::new(told.unwrap_or_else(|NoTerm(why)| Basis::Untold(why)))
}

fn placed(program: &Program, explored: &SpotExplored, number: usize, cube: &[Kleene]) -> AbstractState {
    let locations = &explored.states[number].locations;
    let location = |process: ProcessId| {
        let position = explored.spotlight.processes.iter().position(|&lit| lit == process);
        position.map(|position| locations[position])
    };
    AbstractState {
        at: program.instances.iter().map(|instance| location(instance.process)).collect(),
        values: Vec::new(),
        cube: cube.iter().map(|&value| definite(value)).collect(),
    }
}

/// The structure of a spotlight without names; `drawn` is the same with its labels.
///
/// # Errors
/// If a limit is reached.
pub(super) fn structure(
    work: &Work<'_>,
    system: &mut System,
    explored: &mut SpotExplored,
    drawn: &Kmts,
) -> Result<Arc<Basis>, Failure> {
    let mut over = match basis::over(system) {
        Ok(over) => over,
        Err(NoTerm(why)) => return Ok(Arc::new(Basis::Untold(why))),
    };
    let mut found = Structure { initial: vec![0], ..Structure::default() };
    let numbers = pids(system.program());
    for number in 0..explored.states.len() {
        checked(work.budget)?;
        over.states.push(placed(system.program(), explored, number, &explored.cube(number, 0)));
        found.labels.push(labels(drawn, number));
        let plain = explored.plain(system, number, 0);
        let plain = plain.map_err(|why| failed(work.file, system.program(), why))?;
        let from = number as u32;
        let mut possible: BTreeMap<u32, Vec<u32>> = BTreeMap::new();
        for step in &explored.steps[number] {
            let process = match step.mover {
                Mover::Spot(operation) => system.operations()[operation].process,
                Mover::Shade(process) => process,
            };
            let Some(&by) = numbers.get(&process) else { continue };
            if step.may & 1 != 0 {
                possible.entry(by).or_default().push(step.target as u32);
            }
            if step.must & 1 != 0 {
                found.certain.push((from, Some(by), vec![step.target as u32]));
            }
        }
        found.steps.extend(possible.into_iter().map(|(by, to)| (from, by, to)));
        for (process, members) in &plain.joint {
            let target = |at: &usize| {
                let mover = Mover::Spot(plain.steps[*at].operation);
                explored.steps[number].iter().find(|step| step.mover == mover).map(|step| step.target as u32)
            };
            let targets: Vec<u32> = members.iter().filter_map(target).collect();
            if targets.len() == members.len() && !targets.is_empty() {
                found.certain.push((from, numbers.get(process).copied(), targets));
            }
        }
        let lit = explored.spotlight.processes.iter().zip(&plain.may_rest);
        let able = lit.filter(|(_, rests)| !**rests).filter_map(|(process, _)| numbers.get(process).copied());
        found.able.push((from, able.collect()));
        if plain.may_stop {
            found.stops.push(from);
        }
    }
    Ok(Arc::new(Basis::Structure(over, found)))
}

fn checked(budget: &Budget) -> Result<(), Failure> {
    budget.check().map_err(Failure::from)
}
