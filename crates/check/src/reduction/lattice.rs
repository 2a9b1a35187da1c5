//! One run for every join-irreducible element.
//!
//! A value is at least `j` iff the formula holds in the two-valued structure where a literal holds if its
//! value is at least `j`, `EX` looks at edges of at least `j`, and `AX` at edges of at least the partner of `j`.
//! The value is the join of the elements whose run succeeded.

use tertium_base::{BitSet, Stopped};
use tertium_lattice::Element;
use tertium_logic::{AtomId, ElementId, Formula, Logic, positive_normal_form};
use tertium_model::StateId;

use super::classical::{Ending, Modality, Run, evaluate};
use super::relation::Relation;
use crate::EngineError;
use crate::lattice_valued::{LatticeTask, lattice_supports};

/// The formula's value at every state. An LTL formula is read over all infinite paths.
///
/// # Errors
/// If the formula is not one of PML, CTL, LTL or mu-calculus, or a limit is reached.
pub fn lattice_values(task: &LatticeTask<'_>) -> Result<Vec<Element>, EngineError> {
    if task.formula.logic() == Logic::Ltl {
        return super::linear::values(task);
    }
    lattice_supports(task.formula)?;
    let formula = positive_normal_form(task.formula, false);
    let lattice = task.model.lattice();
    let mut cuts = Vec::new();
    for &j in lattice.join_irreducibles() {
        cuts.push((j, holds_at(task, &formula, j)?));
    }
    let value = |state: StateId| {
        let holds = |j: Element| cuts.iter().any(|(at, set)| *at == j && set.contains(state.index()));
        lattice.from_cuts(holds)
    };
    Ok(task.model.states().map(value).collect())
}

/// The states where the formula's value is at least `j`.
fn holds_at(task: &LatticeTask<'_>, formula: &Formula, j: Element) -> Result<BitSet, Stopped> {
    let (model, lattice) = (task.model, task.model.lattice());
    let literal = |atom: AtomId, positive: bool| {
        let prop = task.props[atom.index()];
        let signed = |value: Element| if positive { value } else { lattice.neg(value) };
        BitSet::from_fn(model.state_count(), |state| lattice.cut(signed(model.label(StateId::new(state), prop)), j))
    };
    let constant = |element: ElementId, positive: bool| {
        let value = task.elements[element.index()];
        lattice.cut(if positive { value } else { lattice.neg(value) }, j)
    };
    let modalities = vec![Modality { diamond: edges_above(task, j), boxed: edges_above(task, lattice.star(j)) }];
    let ending = Ending::Never;
    let run = Run { states: model.state_count(), literal: &literal, constant: &constant, modalities, ending };
    evaluate(formula, &run, task.budget)
}

fn edges_above(task: &LatticeTask<'_>, j: Element) -> Relation {
    Relation::from_states(task.model.state_count(), |state, add| {
        let edges = task.model.edges_from(StateId::new(state)).iter();
        edges.filter(|edge| task.model.lattice().cut(edge.value, j)).for_each(|edge| add(&[edge.target.number()]));
    })
}
