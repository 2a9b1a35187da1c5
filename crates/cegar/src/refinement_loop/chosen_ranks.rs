//! Existential ranking functions: which function decreases if the right steps are chosen?
//!
//! Where a claim needs one step, as those of EF, EG and E[U] do, whoever claims chooses an operation and its inputs; where it needs all steps, all of them count. Coefficients and choices are unknowns of the same system (`tertium_abstraction::linear_rank`), so that
//! a function and a way to decrease it are found together. It is a candidate like others: certain steps that decrease it are asked for afterwards, and the game decides.

use std::collections::{BTreeMap, BTreeSet};

use tertium_abstraction::AbstractState;
use tertium_abstraction::linear_rank::{Decreasing, Template};
use tertium_evidence::abstraction::Taken;
use tertium_program::{LocationId, ProcessId};

use super::ranked_games::{Outcome, Play};
use super::ranking_candidates::Candidate;
use super::ranking_levels::components;
use crate::limits;
use crate::predicate_abstraction::basis;
use tertium_load::failure::Failure;

impl Play<'_> {
    /// For the open cycles of lost games: functions that decrease if steps are chosen.
    pub(super) fn chosen_ranks(&mut self, open: &[Outcome], steps: &[Taken]) -> Result<Vec<Vec<Candidate>>, Failure> {
        let mut left = limits::RANKING_SYNTHESIS_MOST_SYSTEMS;
        let mut found: Vec<Vec<Candidate>> = Vec::new();
        for outcome in open {
            let is_open = |state: &u32| outcome.open.contains_key(state);
            let inside: Vec<Taken> =
                outcome.on_cycles(steps).into_iter().filter(|step| is_open(&step.0) && is_open(&step.2)).collect();
            for component in components(&inside) {
                self.ranking.work.budget.check()?;
                if !component.iter().any(|step| outcome.open[&step.0]) {
                    continue;
                }
                if let Some(candidate) = self.chosen_rank(&component, &outcome.open, &mut left)?
                    && !found.contains(&vec![candidate.clone()])
                {
                    found.push(vec![candidate]);
                }
            }
        }
        Ok(found)
    }

    /// A function that each chosen step of a strongly connected set, and each step where none is chosen, decreases.
    fn chosen_rank(
        &mut self,
        component: &[Taken],
        chosen: &BTreeMap<u32, bool>,
        left: &mut usize,
    ) -> Result<Option<Candidate>, Failure> {
        let states: BTreeSet<u32> = component.iter().map(|step| step.0).collect();
        let explored = &self.ranking.drawn.explored.states;
        let places: BTreeSet<&Vec<LocationId>> =
            states.iter().map(|&state| &explored[state as usize].locations).collect();
        if places.len() > limits::RANKING_GAME_MOST_PLACES || component.len() > limits::RANKING_SYNTHESIS_MOST_STEPS {
            return Ok(None);
        }
        let processes: BTreeMap<u32, ProcessId> =
            basis::pids(self.ranking.system.program()).into_iter().map(|(process, pid)| (pid, process)).collect();
        let told = |&(from, by, to): &Taken| {
            processes.get(&by).map(|&process| (&explored[from as usize], process, &explored[to as usize]))
        };
        let all = component.iter().filter(|step| !chosen[&step.0]).map(told).collect::<Option<Vec<_>>>();
        let Some(all) = all else { return Ok(None) };
        let Some(mut linear) = self.ranking.system.linear_steps(&all) else { return Ok(None) };
        let inside: Vec<&AbstractState> = states.iter().map(|&state| &explored[state as usize]).collect();
        for &state in states.iter().filter(|state| chosen[state]) {
            self.ranking.system.add_linear_choice(&mut linear, &explored[state as usize], &inside);
        }
        for template in [Template::Same, Template::ByLocation] {
            if let Some(function) = self.ranking.solved(&linear, template, Decreasing::Everything, left)? {
                return Ok(Candidate::placed(self.ranking.system, &function));
            }
        }
        Ok(None)
    }
}
