//! Predicate abstraction: with the predicates that are given, or refined until it decides (CEGAR).

use tertium_cegar::predicate_abstraction;
use tertium_cegar::refinement_loop;
use tertium_cegar::solver;
use tertium_load::questions::Question;

use super::engine::{Applies, EngineId, Found, ProgramEngine, Situation};
use super::wishes::Approach;
use crate::failure::Failure;

/// One abstraction over the predicates that are given.
pub(super) struct GivenPredicates;

impl ProgramEngine for GivenPredicates {
    fn id(&self) -> EngineId {
        EngineId::PredicateAbstraction
    }

    fn applies(&self, _: &Situation<'_>) -> Applies {
        Applies::Yes
    }

    fn run(&self, situation: &Situation<'_>, open: &[Question]) -> Result<Found, Failure> {
        let (file, wishes) = (situation.request.file, situation.request.wishes);
        let (options, how) = (&wishes.options, &wishes.abstraction);
        predicate_abstraction::check(file, open, options, how, situation.budget, situation.observer).map(Found::from)
    }
}

/// The loop of abstraction and refinement.
pub(super) struct AbstractionRefinement {
    /// How often something may be added.
    pub(super) rounds: u32,
}

impl ProgramEngine for AbstractionRefinement {
    fn id(&self) -> EngineId {
        EngineId::Cegar
    }

    fn applies(&self, situation: &Situation<'_>) -> Applies {
        if situation.request.wishes.approach == Approach::Abstract {
            return Applies::Yes;
        }
        if situation.facts.very_many && situation.board.has_run(EngineId::Spotlight) {
            return Applies::No;
        }
        solver::missing().map_or(Applies::Yes, Applies::Missing)
    }

    fn run(&self, situation: &Situation<'_>, open: &[Question]) -> Result<Found, Failure> {
        let (file, wishes) = (situation.request.file, situation.request.wishes);
        let (options, how) = (&wishes.options, &wishes.abstraction);
        let (budget, observer) = (situation.budget, situation.observer);
        let mut outcome = refinement_loop::check(file, open, options, how, self.rounds, budget, observer)?;
        if let Some(large) = situation.facts.large.as_ref().filter(|_| wishes.approach == Approach::Free) {
            let why = why_abstracted(situation, large);
            for answer in &mut outcome.answers {
                let why = if answer.repeats().is_some() { large } else { &why };
                answer.choice = Some(format!("by {}: {why}", answer.provenance.phrase()));
            }
        }
        Ok(outcome.into())
    }
}

/// Why a program is abstracted although nobody asked for it.
pub(super) fn why_abstracted(situation: &Situation<'_>, large: &str) -> String {
    if situation.facts.only_functions {
        return large.to_owned();
    }
    format!("{large}, and {} states did not exhaust the state space", situation.facts.limits.first_states)
}
