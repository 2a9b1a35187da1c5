//! Which states can be merged if less need be kept than by bisimulation?
//!
//! Two coarser quotients. States that *refine each other* (the completeness preorder both ways) have the same value of every formula of the mu-calculus (Godefroid's Theorem 5), although they
//! need not be bisimilar. States of a classical structure that *simulate each other* satisfy the same universal formulas. In both cases a class behaves as any one of its members: its steps are those of a
//! representative, led to classes. For simulation a step is left out if another one leads to a class that simulates its target (a *little brother*; Bustan and Grumberg 2003).
//!
//! Not here: bisimulation (`minimise`), which is finer, faster and keeps fairness.

use tertium_base::narrow::to_u32;
use tertium_base::{Budget, StopReason, Stopped};

use crate::builder::KmtsBuilder;
use crate::kmts::{Edge, Kmts, PropId, StateId};
use crate::minimise::{Mapped, quotient};
use crate::preorder::{CompareError, Relation, refines_alternating};

/// The quotient by refinement both ways.
///
/// The structure must have no fairness constraints, which the preorder does not compare.
///
/// # Errors
/// `Stopped` if a limit of the budget is reached; there is one pair for every two states.
pub fn quotient_by_refinement(kmts: &Kmts, budget: &Budget) -> Result<Mapped, Stopped> {
    let relation = within(kmts, budget)?;
    quotient(kmts, &classes(kmts, &relation)).map_err(|_| Stopped(StopReason::Count))
}

/// The quotient of a classical structure by simulation both ways.
///
/// The structure must be complete and have no fairness constraints.
///
/// # Errors
/// `Stopped` if a limit of the budget is reached; there is one pair for every two states.
pub fn quotient_by_simulation(kmts: &Kmts, budget: &Budget) -> Result<Mapped, Stopped> {
    // Without what is certain, `a` is refined by `c` iff `a` simulates `c`.
    let possible = with_steps(kmts, |_, _| Some((true, false)));
    let relation = within(&possible, budget)?;
    let simulates = |a: StateId, c: StateId| relation.contains(a, c);
    let mut mapped = quotient(&possible, &classes(&possible, &relation)).map_err(|_| Stopped(StopReason::Count))?;
    let representative = mapped.old_of.clone();
    let quotient = mapped.structure;
    mapped.structure = with_steps(&quotient, |state, edge| {
        let target = representative[edge.target.index()];
        let elder = |other: &Edge| {
            other.target != edge.target
                && other.action == edge.action
                && simulates(representative[other.target.index()], target)
        };
        (!quotient.edges_from(state).any(|other| elder(&other))).then_some((true, true))
    });
    mapped.structure = mapped.structure.with_total(kmts.total());
    Ok(mapped)
}

/// The refinement relation of a structure with itself; states of different players stay apart.
fn within(kmts: &Kmts, budget: &Budget) -> Result<Relation, Stopped> {
    refines_alternating(kmts, kmts, budget).map_err(|error| match error {
        CompareError::Stopped(stopped) => stopped,
        // A structure has its own propositions.
        CompareError::Props(_) => Stopped(StopReason::Count),
    })
}

/// States related both ways have the same class; classes are numbered by their first states.
fn classes(kmts: &Kmts, relation: &Relation) -> Vec<u32> {
    let mut classes: Vec<u32> = Vec::with_capacity(kmts.state_count());
    let mut firsts: Vec<StateId> = Vec::new();
    for state in kmts.states() {
        let same = |first: &StateId| relation.contains(*first, state) && relation.contains(state, *first);
        let class = firsts.iter().position(same).unwrap_or(firsts.len());
        if class == firsts.len() {
            firsts.push(state);
        }
        classes.push(to_u32(class));
    }
    classes
}

/// The structure without hyper edges, whose plain steps become what `kind` says: possible and certain, or absent.
fn with_steps(kmts: &Kmts, kind: impl Fn(StateId, Edge) -> Option<(bool, bool)>) -> Kmts {
    let mut builder = KmtsBuilder::with_names(kmts.state_names().clone());
    for name in kmts.actions() {
        builder.add_action(name);
    }
    for (at, name) in kmts.props().iter().enumerate() {
        let prop = builder.add_prop(name);
        kmts.states().for_each(|state| builder.set_label(state, prop, kmts.label(state, PropId::new(at))));
    }
    for state in kmts.states() {
        for edge in kmts.edges_from(state) {
            if let Some((may, must)) = kind(state, edge) {
                builder.add_edge(state, edge.target, may, must, edge.action);
            }
        }
    }
    kmts.init().iter().for_each(|&state| builder.add_init(state));
    builder.copy_owners(kmts, kmts.states().map(|state| (state, state)));
    // It has no more of anything than what it was made of.
    builder.finish().unwrap_or_else(|_| kmts.clone())
}
