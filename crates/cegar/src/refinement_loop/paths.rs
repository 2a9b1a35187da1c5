//! In which order is a question about more than single states tried, and over which predicates?
//!
//! What is shown at once comes first, then runs without end, then distances, then the structure and ranked games over it. Where predicates are many and each matters in few places, they are local first
//! (`tertium_abstraction`'s `local_predicates`); what that leaves open is asked again with all of them everywhere.

use std::sync::Arc;

use tertium_lattice::Belnap;
use tertium_load::failure::{Failure, Located};
use tertium_load::questions::{Question, QuestionId};
use tertium_program::ExprId;

use super::Loop;
use super::game_attempts::GameEffort;
use crate::limits;
use crate::predicate_abstraction::round_history::RoundHistory;
use crate::predicate_abstraction::{Prepared, atoms_of, disagreements, prepare};

impl Loop<'_> {
    /// Answers a question about more than single states; remarks about its solvers.
    pub(super) fn paths(&mut self, number: QuestionId, calls: usize) -> Result<Vec<Located>, Failure> {
        let mut own = self.prepared_for(number)?;
        let local = self.makes_local(&mut own, number);
        // What is shown at once is not searched for runs without end first, which takes long.
        let settled = self.is_true_at_once(&mut own, number, calls)?
            || self.goes_on(&mut own, number, false)?
            || (self.zones && self.all_paths(&mut own, number)?);
        if settled {
            return Ok(disagreements(&own));
        }
        if local {
            if self.chosen_before_loops(&mut own, number)? {
                return Ok(disagreements(&own));
            }
            let before = self.answers[number.index()].clone();
            self.refined(&mut own, number, calls)?;
            let answer = &self.answers[number.index()];
            if answer.value() != Belnap::Unknown || answer.stopped().is_some() {
                return Ok(disagreements(&own));
            }
            self.answers[number.index()] = before;
            let mut remarks = disagreements(&own);
            own = self.prepared_for(number)?;
            if !self.is_true_at_once(&mut own, number, calls)? {
                self.refined(&mut own, number, calls)?;
            }
            remarks.extend(disagreements(&own));
            return Ok(remarks);
        }
        self.refined_from_kept(&mut own, number, calls)?;
        Ok(disagreements(&own))
    }

    /// What is chosen before a loop for what comes after it is known in that loop only if predicates are not local: a game with all of them everywhere, if one with local ones does not decide.
    fn chosen_before_loops(&mut self, own: &mut Prepared, number: QuestionId) -> Result<bool, Failure> {
        if !matches!(&self.questions[number.index()], Question::Property(asked) if self.chooses(asked)) {
            return Ok(false);
        }
        let won = self.ranked_game(own, number, GameEffort::First)? || {
            let mut everywhere = self.prepared_for(number)?;
            self.ranked_game(&mut everywhere, number, GameEffort::First)?
        };
        self.open_cycle = None;
        Ok(won)
    }

    fn prepared_for(&self, number: QuestionId) -> Result<Prepared, Failure> {
        let asked: Vec<ExprId> = atoms_of(&self.questions[number.index()]).collect();
        prepare(self.work.file, &asked, &self.how, self.work.budget)
    }

    /// Makes predicates local if they are many and that makes a difference.
    pub(super) fn makes_local(&self, prepared: &mut Prepared, number: QuestionId) -> bool {
        let asked: Vec<ExprId> = atoms_of(&self.questions[number.index()]).map(|atom| prepared.expr(atom)).collect();
        let many = prepared.system.predicates().len() >= limits::LOCAL_PREDICATES_MANY;
        many && prepared.system.make_predicates_local(&asked)
    }

    /// Answers it on the structure of possible and certain steps, by ranked games if that is not enough.
    pub(super) fn refined(&mut self, own: &mut Prepared, number: QuestionId, calls: usize) -> Result<(), Failure> {
        let before = self.answers[number.index()].rounds.len();
        self.structure(own, number, calls)?;
        let open =
            self.answers[number.index()].value() == Belnap::Unknown && self.answers[number.index()].stopped().is_none();
        if open && !self.grows(&own.system, 0) && !self.ranked(own, number, limits::REFINEMENT_MANY_CHANGES)? {
            self.open_cycle = None;
            self.ranked_game(own, number, GameEffort::Last)?;
            // What single states decide does not depend on cycles.
            let by_states =
                matches!(&self.questions[number.index()], Question::Property(asked) if asked.invariant.is_some());
            if let Some(told) = self.open_cycle.take().filter(|_| !by_states) {
                self.answers[number.index()].verdict.leave_open(told);
            }
        }
        let answer = &mut self.answers[number.index()];
        answer.round_history = RoundHistory::of(own, &answer.rounds, before).map(Arc::new);
        Ok(())
    }
}
