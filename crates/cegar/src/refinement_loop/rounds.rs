//! What does a round leave behind, and when is it the last?

use tertium_abstraction::System;
use tertium_base::StopReason;
use tertium_lattice::Belnap;
use tertium_load::questions::QuestionId;

use super::Loop;
use super::reasons::{multiply, reason, too_many_states};
use super::search::Tree;
use super::targets::Target;
use crate::answer::{Reason, Round};
use crate::limits;
use crate::predicate_abstraction::{Prepared, solver_work};

impl Loop<'_> {
    pub(super) fn costs(&mut self, prepared: &Prepared, tree: &Tree, question: QuestionId) {
        let answer = &mut self.answers[question.index()];
        answer.cost.solver = Some(solver_work(&prepared.system));
        (answer.cost.states, answer.cost.transitions) = (tree.states.len(), tree.steps);
    }

    /// Notes what a round found.
    pub(super) fn note(&mut self, prepared: &Prepared, tree: &Tree, predicates: Vec<String>, open: Option<String>) {
        let calls = solver_work(&prepared.system).calls;
        match self.rounds.last_mut() {
            Some(last) if predicates.is_empty() => {
                (last.states, last.calls) = (tree.states.len(), calls);
                if open.is_some() {
                    last.open = open;
                }
            }
            _ => self.rounds.push(Round { predicates, states: tree.states.len(), calls, open, ..Round::default() }),
        }
    }

    pub(super) fn tell_rounds(&mut self, question: QuestionId) {
        let answer = &mut self.answers[question.index()];
        answer.rounds.clone_from(&self.rounds);
        answer.cost.refinements = self.rounds.len().saturating_sub(1);
    }

    pub(super) fn open_state(&self, prepared: &Prepared, tree: &Tree, target: &Target, state: usize) -> String {
        let name = prepared.system.name(&tree.states[state]);
        format!("`{}`: the abstract state `{name}` may break it", self.answers[target.question.index()].name)
    }

    /// A limit was reached: what is open stays so.
    pub(super) fn stop(&mut self, prepared: &Prepared, open: &[Target], stopped: StopReason) {
        for target in open {
            self.stop_one(prepared, target.question, stopped);
        }
    }

    pub(super) fn stop_all(&mut self, prepared: &Prepared, stopped: StopReason) {
        for number in QuestionId::all(self.questions) {
            self.stop_one(prepared, number, stopped);
        }
    }

    /// A limit was reached: the answer tells how far it got.
    pub(super) fn stop_one(&mut self, prepared: &Prepared, number: QuestionId, stopped: StopReason) {
        if self.answers[number.index()].value() != Belnap::Unknown {
            return;
        }
        if self.answers[number.index()].rounds.is_empty() {
            self.tell_rounds(number);
        }
        let answer = &mut self.answers[number.index()];
        answer.cost.solver.get_or_insert_with(|| solver_work(&prepared.system));
        answer.established.clone_from(&self.known);
        if stopped == StopReason::Count {
            answer.verdict.leave_open(too_many_states());
            return;
        }
        answer.verdict.stop(stopped);
        if let Some(open) = answer.rounds.last().and_then(|round| round.open.clone()) {
            answer
                .verdict
                .leave_open(reason(open, "give it more time, or a predicate that decides this: `--predicate EXPR`"));
        }
    }

    /// Predicates multiply without deciding anything: what is not answered stays open.
    pub(super) fn give_up(&mut self, prepared: &Prepared, open: &[Target], done: &[usize]) {
        for (at, target) in open.iter().enumerate() {
            self.tell_rounds(target.question);
            if !done.contains(&at) {
                let answer = &mut self.answers[target.question.index()];
                answer.cost.solver = Some(solver_work(&prepared.system));
                answer.verdict.leave_open(multiply(prepared.system.predicates().len()));
            }
        }
    }

    /// Whether predicates multiply instead of deciding something.
    pub(super) fn grows(&self, system: &System, new: usize) -> bool {
        let most =
            limits::ROUNDS_MOST_PREDICATES.max(limits::ROUNDS_MOST_EACH.saturating_mul(self.refinements as usize));
        new > limits::ROUNDS_MOST_NEW || system.predicates().len() > most
    }

    pub(super) fn used_up(&self) -> Reason {
        let rounds = self.refinements;
        reason(
            format!("after {rounds} refinement{} a bad state may still be reached", if rounds == 1 { "" } else { "s" }),
            "allow more with `--refinements N`, or add a predicate: `--predicate EXPR`",
        )
    }
}
