//! Predicate abstraction: with the predicates that are given, or refined until it decides (CEGAR).

use tertium_cegar::answer::ProgramAnswer;
use tertium_cegar::observer::ProgramObserver;
use tertium_cegar::predicate_abstraction;
use tertium_cegar::refinement_loop;
use tertium_cegar::solver;
use tertium_load::ProgramFile;
use tertium_load::questions::{Question, QuestionId};

use super::ProgramQuery;
use super::engine::{Applies, EngineId, EngineOutcome, ProgramEngine, Situation, states_together};
use super::forgetting::forgetting;
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

    fn run(&self, situation: &Situation<'_>, open: &[Question]) -> Result<EngineOutcome, Failure> {
        let (file, wishes) = (situation.request.file, situation.request.wishes);
        let (options, how) = (&wishes.options, &wishes.abstraction);
        predicate_abstraction::check(file, open, options, how, situation.budget, situation.observer)
            .map(EngineOutcome::from)
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
        match solver::missing() {
            None => Applies::Yes,
            Some(missing) if situation.facts.large.is_some() => Applies::Missing(missing),
            // It can be run.
            Some(_) => Applies::No,
        }
    }

    fn divide(&self, request: &ProgramQuery<'_>, open: &[QuestionId]) -> Vec<Vec<QuestionId>> {
        states_together(request, open)
    }

    fn run(&self, situation: &Situation<'_>, open: &[Question]) -> Result<EngineOutcome, Failure> {
        let wishes = situation.request.wishes;
        let (options, how, budget) = (&wishes.options, &wishes.abstraction, situation.budget);
        let check = |file: &ProgramFile, observer: &dyn ProgramObserver| {
            refinement_loop::check(file, open, options, how, self.rounds, budget, observer)
        };
        // Who chooses how the program is abstracted gets that of the program as it stands.
        let found = match wishes.approach {
            Approach::Abstract => check(situation.request.file, situation.observer),
            _ => forgetting(situation, open, check),
        };
        found.map(EngineOutcome::from)
    }

    fn explain(&self, situation: &Situation<'_>, answer: &mut ProgramAnswer) {
        let is_free = situation.request.wishes.approach == Approach::Free;
        if !is_free {
            return;
        }
        let why = match &situation.facts.large {
            Some(large) if answer.repeats().is_some() => large.clone(),
            Some(large) => why_abstracted(situation, large),
            None => format!("{} states did not exhaust the state space", situation.facts.limits.first_states),
        };
        answer.choice = Some(format!("by {}: {why}", answer.provenance.phrase()));
    }
}

/// Why a program is abstracted although nobody asked for it.
pub(super) fn why_abstracted(situation: &Situation<'_>, large: &str) -> String {
    if situation.facts.only_functions {
        return large.to_owned();
    }
    format!("{large}, and {} states did not exhaust the state space", situation.facts.limits.first_states)
}
