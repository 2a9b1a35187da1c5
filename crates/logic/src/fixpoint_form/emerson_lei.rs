//! Several marks again and again, without an order (Emerson and Lei 1986): from where one is, each of them can be met on the way to where this holds again.
//!
//! A greatest fixpoint for each state of the automaton, in it a conjunction over the marks, each a least fixpoint: some path from here meets the mark, and leads to where the greatest fixpoint holds. Paths are put together from those that meet one mark
//! after the other, so that each mark is met infinitely often; and along an accepted path the fixpoint holds everywhere. A ranking function says then how near one mark is, whatever was met before.

use super::{MOST_FIXPOINTS, Unfolding};
use crate::automata::Transition;
use crate::formula::{Node, NodeId, VarId};

/// The states of the automaton around a place, with their variables.
type Scope = Vec<(usize, VarId)>;

impl Unfolding<'_, '_> {
    /// "Some path is accepted from this state on"; none if that takes too many fixpoints.
    pub(super) fn recurrent(&mut self, state: usize, around: &[(usize, VarId)]) -> Option<NodeId> {
        if let Some(&(_, variable)) = around.iter().find(|(known, _)| *known == state) {
            return Some(self.writer.builder.add(Node::Var(variable)));
        }
        let variable = self.opened_variable()?;
        let mut inside: Scope = around.to_vec();
        inside.push((state, variable));
        let mut body = self.met(state, 0, &inside, &[])?;
        for mark in 1..self.automaton.marks {
            let met = self.met(state, mark, &inside, &[])?;
            body = self.and(body, met);
        }
        Some(self.writer.builder.add(Node::Nu(variable, body)))
    }

    /// "Some path meets the mark, and is accepted from there on".
    fn met(
        &mut self,
        state: usize,
        mark: usize,
        around: &[(usize, VarId)],
        waiting: &[(usize, VarId)],
    ) -> Option<NodeId> {
        if let Some(&(_, variable)) = waiting.iter().find(|(known, _)| *known == state) {
            return Some(self.writer.builder.add(Node::Var(variable)));
        }
        let variable = self.opened_variable()?;
        let mut inside: Scope = waiting.to_vec();
        inside.push((state, variable));
        let automaton = self.automaton;
        let mut steps: Vec<(&Transition, NodeId)> = Vec::new();
        for transition in &automaton.states[state] {
            let there = if transition.marks.contains(mark) {
                self.recurrent(transition.target, around)?
            } else {
                self.met(transition.target, mark, around, &inside)?
            };
            steps.push((transition, there));
        }
        let mut body = self.writer.builder.add(Node::False);
        for (at, &(transition, there)) in steps.iter().enumerate() {
            // Another step to the same place that asks for less says as much.
            let covers = |(number, (other, to)): (usize, &(&Transition, NodeId))| {
                let weaker = other.guard.is_weaker_or_equal(&transition.guard);
                number != at && *to == there && weaker && (number < at || other.guard != transition.guard)
            };
            if !steps.iter().enumerate().any(covers) {
                let next = self.writer.builder.add(Node::Diamond(None, there));
                let step = self.guarded(transition, next);
                body = self.or(body, step);
            }
        }
        Some(self.writer.builder.add(Node::Mu(variable, body)))
    }

    fn opened_variable(&mut self) -> Option<VarId> {
        self.opened += 1;
        (self.opened <= MOST_FIXPOINTS).then(|| self.writer.variable())
    }
}
