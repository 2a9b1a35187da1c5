//! What do the states by distances look like as an abstraction with steps?
//!
//! Every step of a state leads into one that covers it. Nothing is certain here but sets of steps, so a property of all paths can be
//! found to be true, and hardly ever to be false.

use std::collections::HashMap;

use tertium_base::Budget;
use tertium_lattice::Kleene;
use tertium_program::LocationId;

use super::{Placed, Visited, Zone, ZoneAbstraction};
use crate::collect::Explored;
use crate::expand::{AbstractStep, Expansion, Failed};
use crate::state::AbstractState;
use crate::system::System;

impl ZoneAbstraction {
    /// The states that were visited, if nothing unwanted was met, with their steps. Their predicates are added to the system.
    ///
    /// # Errors
    /// If a limit is reached.
    pub fn explored(
        &mut self,
        system: &mut System,
        visited: &Visited,
        thresholds: &[i64],
        budget: &Budget,
    ) -> Result<Option<Explored>, Failed> {
        let (live, described) = self.described_each(system, visited);
        let mut places: HashMap<(&[LocationId], &[i128]), Vec<usize>> = HashMap::new();
        for (at, &number) in live.iter().enumerate() {
            let placed = &visited.states[number];
            places.entry((&placed.locations, &placed.kept)).or_default().push(at);
        }
        let covering = |locations: &[LocationId], kept: &[i128], zone: &Zone| {
            let here = places.get(&(locations, kept))?;
            here.iter().copied().find(|&at| zone.is_within(&visited.states[live[at]].zone))
        };
        let mut begins = Vec::new();
        let Some(initial) = self.initial(system)? else { return Ok(None) };
        let surely = initial.len() == 1 && system.surely_starts()?;
        for (locations, kept, zone) in initial {
            let Some(at) = covering(&locations, &kept, &zone.extrapolated(thresholds)) else { return Ok(None) };
            begins.push((described[at].clone(), surely));
        }
        let mut expansions: HashMap<AbstractState, Expansion> = HashMap::new();
        for (at, &number) in live.iter().enumerate() {
            budget.check()?;
            let placed = visited.states[number].clone();
            let Some(closed) = self.opened(placed.zone.clone()) else { continue };
            let mut steps = Vec::new();
            for process in system.program.process_ids() {
                for operation in system.leaving[process.index()][placed.locations[process.index()].index()].clone() {
                    let Some(cases) = self.cases(system, operation, &placed.locations, &placed.kept) else {
                        return Ok(None);
                    };
                    let mut locations = placed.locations.clone();
                    system.operations[operation].arrive(&mut locations);
                    for case in cases {
                        let Some(after) = case.apply(&self.points, &closed) else { continue };
                        let Some(to) = covering(&locations, &case.kept, &after.extrapolated(thresholds)) else {
                            return Ok(None);
                        };
                        let step = AbstractStep { target: described[to].clone(), process, may: true, must: false };
                        if !steps.contains(&step) {
                            steps.push(step);
                        }
                    }
                }
            }
            let Some(expansion) = self.expansion(system, &placed, &closed, steps) else { return Ok(None) };
            merge(expansions.entry(described[at].clone()).or_default(), expansion);
        }
        Ok(Explored::completed(begins, expansions))
    }

    /// Who may be unable to step in a state, besides its steps.
    fn expansion(
        &mut self,
        system: &mut System,
        placed: &Placed,
        closed: &Zone,
        steps: Vec<AbstractStep>,
    ) -> Option<Expansion> {
        let (mut may_rest, mut all) = (Vec::new(), Vec::new());
        for process in system.program.process_ids() {
            // A run ends where nothing but a step that goes wrong is left.
            let unable = system.unable(process, placed.locations[process.index()], false);
            may_rest.push(self.may_hold(system, unable, &placed.locations, &placed.kept, closed)?);
            all.push(unable);
        }
        let nobody = system.terms.all(&all);
        let may_stop = may_rest.iter().all(|&rests| rests)
            && self.may_hold(system, nobody, &placed.locations, &placed.kept, closed)?;
        let deadlock = if may_stop { Kleene::Unknown } else { Kleene::False };
        Some(Expansion { steps, may_stop, may_rest, deadlock: Some(deadlock), ..Expansion::default() })
    }
}

/// Takes in what another state says that is described in the same way.
fn merge(known: &mut Expansion, other: Expansion) {
    if known.may_rest.is_empty() {
        *known = other;
        return;
    }
    for step in other.steps {
        if !known.steps.contains(&step) {
            known.steps.push(step);
        }
    }
    known.may_stop |= other.may_stop;
    for (known, other) in known.may_rest.iter_mut().zip(other.may_rest) {
        *known |= other;
    }
    if known.deadlock != other.deadlock {
        known.deadlock = Some(Kleene::Unknown);
    }
}
