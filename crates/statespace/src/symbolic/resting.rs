//! What does an answer over sets rest on, so that a certificate can be written?
//!
//! An inductive invariant, if the formula speaks of every state by itself; layers of states, if it says that something is reached.

use tertium_cegar::answer::ProgramAnswer;
use tertium_cegar::predicate_abstraction::basis::Basis;
use tertium_cegar::single_states::condition_of_every_state;
use tertium_check::symbolic::{Atoms, Structure, evaluate};
use tertium_dd::Set;
use tertium_lattice::Belnap;
use tertium_load::failure::Failure;
use tertium_load::questions::PropertyQuery;
use tertium_logic::{Logic, NodeId};
use tertium_structures::engines;

use super::decide::SymbolicCheck;
use super::inductive_invariant;
use super::layers::{self, Reachability};

impl SymbolicCheck<'_, '_> {
    /// Keeps a set that shows that only `good` states are reached, if that is wanted.
    pub(super) fn rest_on(&self, good: &Set, answer: &mut ProgramAnswer) {
        if self.options.keep_basis {
            answer.rest_on(inductive_invariant::basis(self.encoding, self.subject, good));
        }
    }

    /// What a branching formula rests on if its value is a matter of every state by itself.
    pub(super) fn rest_on_single_states(
        &self,
        asked: &PropertyQuery,
        structure: &Structure,
        atoms: &Atoms,
        answer: &mut ProgramAnswer,
    ) -> Result<(), Failure> {
        let of_states =
            condition_of_every_state(&asked.formula, answer.value()).filter(|_| self.options.deadlock.is_none());
        let Some((root, holds)) = of_states.filter(|_| self.options.keep_basis) else {
            return self.rest_on_layers(asked, structure, atoms, answer);
        };
        let condition = asked.formula.to_builder().finish(root, Logic::Pml);
        let value = evaluate(structure, &condition, atoms, false).map_err(engines::failure)?;
        let good = if holds { value } else { value.not() }.yes;
        // With fairness fewer states count than can be reached.
        if self.encoding.reached.is_subset(&good)? {
            self.rest_on(&good, answer);
        } else {
            self.rest_on_nothing(answer);
        }
        Ok(())
    }

    /// What a truth rests on that says that something is reached: layers of states, if there are too many states for a graph.
    pub(super) fn rest_on_layers(
        &self,
        asked: &PropertyQuery,
        structure: &Structure,
        atoms: &Atoms,
        answer: &mut ProgramAnswer,
    ) -> Result<(), Failure> {
        let wanted = self.options.keep_basis && answer.value() == Belnap::True && self.options.deadlock.is_none();
        let many = self.states > self.options.layers_above;
        let Some(reachability) = Reachability::of(&asked.formula).filter(|_| wanted && many && !asked.exists) else {
            self.rest_on_nothing(answer);
            return Ok(());
        };
        let set_of = |node: NodeId| -> Result<Set, Failure> {
            let condition = asked.formula.to_builder().finish(node, Logic::Pml);
            Ok(evaluate(structure, &condition, atoms, false).map_err(engines::failure)?.yes)
        };
        let (goal, until) = (set_of(reachability.goal)?, reachability.until.map(set_of).transpose()?);
        let labels = self.labels(asked)?;
        let about = layers::Asked { reachability: &reachability, goal: &goal, until: until.as_ref(), labels: &labels };
        answer.rest_on(layers::basis(self.encoding, self.subject, &about));
        Ok(())
    }

    /// Says why a truth has no set to rest on.
    pub(super) fn rest_on_nothing(&self, answer: &mut ProgramAnswer) {
        if self.options.keep_basis && answer.value() == Belnap::True {
            let why = "sets are written down for what holds of every state by itself, and for one goal that is reached; this formula says more";
            answer.rest_on(Basis::Untold(why.to_owned()));
        }
    }
}
