//! What of a spotlight goes into a certificate?
//!
//! Abstract states whose processes in the shade may be anywhere. That a shade process changes only what it was taken to change
//! is an obligation like any other: each of its steps, from wherever it is, must be one that is listed. For names of unknown values their
//! values are put in, all of them.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use tertium_abstraction::spotlight::{Mover, SpotExplored, SpotStep};
use tertium_abstraction::{OperationId, System};
use tertium_base::Budget;
use tertium_base::narrow::to_u32;
use tertium_evidence::abstraction::{AbstractState, Abstraction, Structure};
use tertium_kernel::vocabulary::NoTerm;
use tertium_lattice::Kleene;
use tertium_model::Kmts;
use tertium_program::{ProcessId, Program};

use super::SpotlightCheck;
use crate::limits;
use crate::predicate_abstraction::basis::{self, Basis, definite, labels, pids};
use crate::predicate_abstraction::failed;
use tertium_load::failure::Failure;

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
    let told = basis::over(system).and_then(|over| {
        let always = [over.always, basis::nobody_has_ended(system)?].concat();
        Ok(Basis::States(Abstraction { always, states: vec![state], ..Abstraction::default() }))
    });
    Arc::new(told.unwrap_or_else(|NoTerm(why)| Basis::Untold(why)))
}

/// What processes, each looked at alone, tell together: a state of each at once. None: every process anywhere.
pub(super) fn together(system: &System, alone: &[SpotExplored]) -> Arc<Basis> {
    let mut combined: Option<BTreeSet<AbstractState>> = None;
    let mut over = None;
    for explored in alone {
        let told = states(system, explored);
        let Basis::States(told) = &*told else { return told };
        let all: BTreeSet<AbstractState> = match combined {
            None => told.states.iter().cloned().collect(),
            Some(before) => before.iter().flat_map(|a| told.states.iter().filter_map(|b| both(a, b))).collect(),
        };
        if all.len() > limits::SPOTLIGHT_CERTIFICATE_BASIS_MOST_TOGETHER {
            return Arc::new(Basis::Untold("processes that were looked at alone are too many to be told".to_owned()));
        }
        combined = Some(all);
        over = Some(Abstraction { states: Vec::new(), ..told.clone() });
    }
    match (over, combined) {
        (Some(over), Some(states)) => {
            Arc::new(Basis::States(Abstraction { states: states.into_iter().collect(), ..over }))
        }
        _ => anywhere(system),
    }
}

/// The states of two sets at once; none if a predicate forbids it.
fn both(a: &AbstractState, b: &AbstractState) -> Option<AbstractState> {
    let one = |(a, b): (&Option<bool>, &Option<bool>)| (a.is_none() || b.is_none() || a == b).then(|| a.or(*b));
    let cube: Option<Vec<Option<bool>>> = a.cube.iter().zip(&b.cube).map(one).collect();
    let at = a.at.iter().zip(&b.at).map(|(a, b)| a.or(*b)).collect();
    cube.map(|cube| AbstractState { at, values: Vec::new(), cube })
}

fn placed(program: &Program, explored: &SpotExplored, number: usize, cube: &[Kleene]) -> AbstractState {
    let locations = &explored.states[number].locations;
    let location = |process: ProcessId| {
        let position = explored.spotlight.processes.iter().position(|&lit| lit == process);
        position.map(|position| locations[position].number())
    };
    AbstractState {
        at: program.instances.iter().map(|instance| location(instance.process)).collect(),
        values: Vec::new(),
        cube: cube.iter().map(|&value| definite(value)).collect(),
    }
}

/// The structure of a spotlight, for all values of what has names: its states are those of the spotlight, each with the values
/// that matter there. A step that gives a name its meaning leads to both of its values. `drawn` are the structures with their
/// labels, by assignment.
///
/// # Errors
/// If a limit is reached.
pub(super) fn structure(
    work: &SpotlightCheck<'_>,
    system: &mut System,
    explored: &mut SpotExplored,
    drawn: &[Kmts],
) -> Result<Arc<Basis>, Failure> {
    let over = match basis::over(system) {
        Ok(over) => over,
        Err(NoTerm(why)) => return Ok(Arc::new(Basis::Untold(why))),
    };
    let pids = pids(system.program());
    let mut unfolded =
        Unfolded { over, found: Structure::default(), nodes: Vec::new(), numbers: BTreeMap::new(), pids };
    for given in 0..explored.assignments() {
        let start = unfolded.node(system.program(), explored, 0, given);
        if !unfolded.found.initial.contains(&start) {
            unfolded.found.initial.push(start);
        }
    }
    let mut next = 0;
    while let Some(&(number, given)) = unfolded.nodes.get(next) {
        checked(work.budget)?;
        unfolded.found.labels.push(labels(&drawn[given], number));
        unfolded.expand(work, system, explored, to_u32(next))?;
        next += 1;
    }
    let Unfolded { over, found, .. } = unfolded;
    Ok(Arc::new(Basis::Structure(over, Box::new(found))))
}

struct Unfolded {
    over: Abstraction,
    found: Structure,
    /// The state of the spotlight that each state is, and an assignment.
    nodes: Vec<(usize, usize)>,
    numbers: BTreeMap<(usize, AbstractState), u32>,
    pids: BTreeMap<ProcessId, u32>,
}

impl Unfolded {
    /// The number of a state under an assignment. Assignments that say the same about it are one.
    fn node(&mut self, program: &Program, explored: &SpotExplored, number: usize, given: usize) -> u32 {
        let state = placed(program, explored, number, &explored.cube(number, given));
        let next = to_u32(self.nodes.len());
        let known = *self.numbers.entry((number, state.clone())).or_insert(next);
        if known == next {
            self.nodes.push((number, given));
            self.over.states.push(state);
        }
        known
    }

    /// Where a step leads: for each name that gets its meaning by it, both values.
    fn entered(&mut self, program: &Program, explored: &SpotExplored, step: &SpotStep, given: usize) -> Vec<u32> {
        let introduced = usize::from(step.introduces);
        let mut found: Vec<u32> = (0..explored.assignments())
            .filter(|&after| (after ^ given) & !introduced == 0)
            .map(|after| self.node(program, explored, step.target, after))
            .collect();
        found.sort_unstable();
        found.dedup();
        found
    }

    fn expand(
        &mut self,
        work: &SpotlightCheck<'_>,
        system: &mut System,
        explored: &mut SpotExplored,
        from: u32,
    ) -> Result<(), Failure> {
        let (number, given) = self.nodes[from as usize];
        let plain = explored.plain(system, number, given);
        let plain = plain.map_err(|why| failed(work.file, system.program(), why))?;
        let mut possible: BTreeMap<u32, Vec<u32>> = BTreeMap::new();
        let mut reached: BTreeMap<OperationId, Vec<u32>> = BTreeMap::new();
        for step in explored.steps[number].clone() {
            let process = match step.mover {
                Mover::Spot(operation) => system.operations()[operation].process,
                Mover::Shade(process) => process,
            };
            let Some(&by) = self.pids.get(&process) else { continue };
            let (may, must) = (step.may >> given & 1 != 0, step.must >> given & 1 != 0);
            if !may && !must {
                continue;
            }
            let targets = self.entered(system.program(), explored, &step, given);
            if let Mover::Spot(operation) = step.mover {
                reached.insert(operation, targets.clone());
            }
            if must {
                self.found.certain.push((from, Some(by), targets.clone()));
            }
            if may {
                possible.entry(by).or_default().extend(targets);
            }
        }
        self.found.steps.extend(possible.into_iter().map(|(by, to)| (from, by, to)));
        for (process, members) in &plain.joint {
            let all: Option<Vec<&Vec<u32>>> =
                members.iter().map(|&at| reached.get(&plain.steps[at].operation)).collect();
            let targets: BTreeSet<u32> = all.into_iter().flatten().flatten().copied().collect();
            if !targets.is_empty() {
                let targets = targets.into_iter().collect();
                self.found.certain.push((from, self.pids.get(process).copied(), targets));
            }
        }
        let lit = explored.spotlight.processes.iter().zip(&plain.may_rest);
        let able = lit.filter(|(_, rests)| !**rests).filter_map(|(process, _)| self.pids.get(process).copied());
        self.found.able.push((from, able.collect()));
        if plain.may_stop {
            self.found.stops.push(from);
        }
        Ok(())
    }
}

fn checked(budget: &Budget) -> Result<(), Failure> {
    budget.check().map_err(Failure::from)
}
