//! Which states can take a step, and which cannot?
//!
//! A step that is possible but not certain leaves a state that stands for both kinds. They are told apart by the precondition of
//! the step: that it can be taken, and that it leads where it does. Where the step has inputs: that these can be chosen so that it does.

use tertium_abstraction::{AbstractState, OperationId, System};
use tertium_lattice::Kleene;
use tertium_program::LocationId;
use tertium_smt::TermId;

/// The conditions under which an operation leads into a state, over the state before it.
#[must_use]
pub fn pre_of(
    system: &mut System,
    operation: OperationId,
    before: &[LocationId],
    target: &AbstractState,
) -> Vec<TermId> {
    let after = system.operations()[operation].after.clone();
    let relation = system.operations()[operation].relation;
    let predicates = system.predicate_terms().to_vec();
    let map = system.located(before, &[]);
    let chosen = chosen(system, operation, before, target);
    let (terms, _) = system.asking();
    let mut conditions = vec![terms.substitute(relation, &map)];
    conditions.extend(chosen);
    for (&predicate, &value) in predicates.iter().zip(&target.cube) {
        if value != Kleene::Unknown {
            let pulled = terms.substitute(predicate, &after);
            conditions.push(terms.substitute(pulled, &map));
        }
    }
    conditions
}

/// That inputs can be chosen with which the operation leads into the state, if it has any.
fn chosen(
    system: &mut System,
    operation: OperationId,
    before: &[LocationId],
    target: &AbstractState,
) -> Option<TermId> {
    if system.operations()[operation].inputs.is_empty() {
        return None;
    }
    let there = literals(system, target);
    let there = system.asking().0.all(&there);
    Some(system.chosen_precondition(operation, before, there))
}

/// What the predicates of a state say, over that state.
#[must_use]
pub fn literals(system: &mut System, state: &AbstractState) -> Vec<TermId> {
    let predicates = system.predicate_terms().to_vec();
    let (terms, _) = system.asking();
    let literal = |(predicate, &value): (TermId, &Kleene)| match value {
        Kleene::True => Some(predicate),
        Kleene::False => Some(terms.not(predicate)),
        Kleene::Unknown => None,
    };
    predicates.into_iter().zip(&state.cube).filter_map(literal).collect()
}
