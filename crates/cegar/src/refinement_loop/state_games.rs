//! What decides a question where paths and predicates lead nowhere? Runs without end, and invariants of a partition, k-induction and ranked games for what single states decide.

use std::collections::HashMap;
use std::sync::Arc;

use tertium_abstraction::Failed;
use tertium_evidence::{Deadlock, Technique};
use tertium_lattice::Belnap;
use tertium_load::failure::Failure;
use tertium_load::questions::{Question, QuestionId};
use tertium_program::ExprId;
use tertium_program::search::Limits;

use super::game_attempts::GameEffort;
use super::targets::Target;
use super::{Loop, recurrent_sets, search};
use crate::answer::Round;
use crate::limits;
use crate::predicate_abstraction::{Prepared, atoms_of, failed, prepare, solver_work};

/// What was tried beside predicates from paths, once each.
#[derive(Debug, Default)]
pub(super) struct OtherTechniques {
    induced: bool,
    played: bool,
    /// What k-induction found, by question.
    pub(super) rounds: HashMap<usize, Round>,
}

impl Loop<'_> {
    /// Tries k-induction and ranked games when their time has come; the positions of what they decide. `ends`: paths teach nothing more.
    pub(super) fn decided_otherwise(
        &mut self,
        open: &[Target],
        done: &[usize],
        tried: &mut OtherTechniques,
        ends: bool,
    ) -> Result<Vec<usize>, Failure> {
        let left: Vec<(usize, &Target)> = open.iter().enumerate().filter(|(at, _)| !done.contains(at)).collect();
        let mut found = Vec::new();
        if !tried.induced && self.refinements > 0 && (ends || self.rounds.len() >= limits::K_INDUCTION_AFTER_ROUNDS) {
            tried.induced = true;
            for &(at, target) in &left {
                let mut round = self.by_k_induction(target.question)?;
                if round.is_none() {
                    round = self.by_partition(target.question)?;
                }
                if let Some(round) = round {
                    tried.rounds.insert(target.question.index(), round);
                    found.push(at);
                }
            }
        }
        if !tried.played && self.rounds.len() >= limits::GAME_AFTER_ROUNDS {
            tried.played = true;
            for (at, target) in left {
                if !found.contains(&at) && self.game_of_states(target.question)? {
                    found.push(at);
                }
            }
        }
        Ok(found)
    }

    /// Whether the present predicates exclude all that is bad; the round that this takes then. `why`: where they come from.
    pub(super) fn excluded_over(
        &mut self,
        own: &mut Prepared,
        target: &Target,
        why: &str,
    ) -> Result<Option<Round>, Failure> {
        let limits = Limits { most: limits::K_INDUCTION_MOST_STATES, budget: self.work.budget };
        let (tree, bad) = match search::visit(&mut own.system, &[target], limits, &mut |_| ()) {
            Err(Failed::Stopped(_)) => {
                self.work.budget.check()?;
                return Ok(None);
            }
            visited => visited.map_err(|why| failed(self.work.file, own.system.program(), why))?,
        };
        if !bad.is_empty() {
            return Ok(None);
        }
        // That something is out of reach from wherever the program begins is false only if it begins somewhere.
        let starts = self.starts(own, std::slice::from_ref(target))?;
        if !starts {
            return Ok(None);
        }
        let calls = usize::try_from(own.system.queries().calls()).unwrap_or(usize::MAX);
        let predicates = own.system.predicates().iter().map(|predicate| predicate.name.clone()).collect();
        let open = Some(format!("left open, but {why}: this saved a round"));
        let basis = Arc::new(own.told_states(&tree.states));
        self.excluded(own, (&tree, starts), target, &basis);
        Ok(Some(Round { predicates, states: tree.states.len(), calls, open, ..Round::default() }))
    }

    /// Plays a ranked game for a property that single states decide: what is far away is reached by coming nearer, not by one path after the other. Local predicates are tried first, as for other properties.
    pub(super) fn game_of_states(&mut self, number: QuestionId) -> Result<bool, Failure> {
        if !matches!(self.questions[number.index()], Question::Property(_)) {
            return Ok(false);
        }
        let asked: Vec<ExprId> = atoms_of(&self.questions[number.index()]).collect();
        let mut own = prepare(self.work.file, &asked, &self.how, self.work.budget)?;
        let local = self.makes_local(&mut own, number);
        let mut won = self.ranked_game(&mut own, number, GameEffort::First)?;
        if !won && local {
            own = prepare(self.work.file, &asked, &self.how, self.work.budget)?;
            won = self.ranked_game(&mut own, number, GameEffort::First)?;
        }
        self.open_cycle = None;
        Ok(won)
    }

    /// Looks for a run that breaks a linear property for ever although no state repeats; whether there is one. `farther`: with more effort.
    pub(super) fn goes_on(
        &mut self,
        prepared: &mut Prepared,
        number: QuestionId,
        farther: bool,
    ) -> Result<bool, Failure> {
        let Question::Property(asked) = &self.questions[number.index()] else { return Ok(false) };
        // A run that steps for ever is a path under every convention about those that end.
        let chosen = self.work.options.linear.is_some()
            || matches!(self.work.options.deadlock, Some(Deadlock::Total | Deadlock::Forbid));
        if chosen || self.work.options.engine != tertium_structures::engines::EngineChoice::Auto {
            return Ok(false);
        }
        self.work.observer.phase(&format!("{}: looking for a run without end", asked.name));
        let found =
            recurrent_sets::find(self.work.file, prepared, asked, self.work.options.fair, farther, self.work.budget);
        let found = match found {
            Err(Failure::Stopped(stopped)) => {
                self.answers[number.index()].verdict.stop(stopped.0);
                return Ok(true);
            }
            found => found?,
        };
        let answer = &mut self.answers[number.index()];
        answer.cost.solver = Some(solver_work(&prepared.system));
        let Some(found) = found else { return Ok(false) };
        answer.verdict.settle(Belnap::False);
        answer.cost.states = found.states;
        answer.provenance.technique = Technique::RecurrentSet;
        answer.show(|evidence| (evidence.run, evidence.repeats) = (Some(found.run), Some(found.repeats)));
        answer.rest_on(found.basis);
        Ok(true)
    }
}
