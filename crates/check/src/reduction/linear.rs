//! Linear formulas over a lattice: one search for refuting paths per join-irreducible element.
//!
//! The value of "on all paths" is the negation of that of "some path refutes it". A path refutes it at least
//! `j` if all its edges are at least `j` and the literals that are at least `j` refute it. So no cut for
//! universal steps is needed: the automata engine's search along certain steps answers each cut.

use tertium_base::Budget;
use tertium_evidence::{Deadlock, LinearReading, Reading};
use tertium_lattice::{Belnap, Element};
use tertium_model::{Kmts, KmtsBuilder, ModelTooLarge, PropId};

use crate::automata::AutomataEngine;
use crate::lattice_valued::LatticeTask;
use crate::{Ask, Engine, EngineError, Task, Unsupported};

/// The value of an LTL formula at every state, over infinite paths.
pub(super) fn values(task: &LatticeTask<'_>) -> Result<Vec<Element>, EngineError> {
    let lattice = task.model.lattice();
    let mut refuted = vec![lattice.bottom(); task.model.state_count()];
    for &j in lattice.join_irreducibles() {
        let model = cut(task, j).map_err(|error| Unsupported { engine: "lattice", reason: error.to_string() })?;
        let values = AutomataEngine.values(&task_at(task, &model, j, task.budget))?;
        for state in task.model.states() {
            if values.at(state).for_false() {
                refuted[state.index()] = lattice.join(refuted[state.index()], j);
            }
        }
    }
    Ok(refuted.into_iter().map(|value| lattice.neg(value)).collect())
}

/// What a value says at `j`: that it is so, that it is not, both or neither.
fn evidence(task: &LatticeTask<'_>, value: Element, j: Element) -> Belnap {
    let lattice = task.model.lattice();
    Belnap::from_evidence(lattice.cut(value, j), lattice.cut(lattice.neg(value), j))
}

/// The structure of the edges of at least `j`, with the labels' evidence at `j`.
fn cut(task: &LatticeTask<'_>, j: Element) -> Result<Kmts, ModelTooLarge> {
    let model = task.model;
    let mut builder = KmtsBuilder::new();
    let props: Vec<PropId> = model.props().iter().map(|name| builder.add_prop(name)).collect();
    for state in model.states() {
        builder.add_state(model.state_name(state));
        for &prop in &props {
            builder.set_label(state, prop, evidence(task, model.label(state, prop), j));
        }
        for edge in model.edges_from(state).iter().filter(|edge| model.lattice().cut(edge.value, j)) {
            builder.add_edge(state, edge.target, true, true, None);
        }
    }
    builder.finish()
}

fn task_at<'t>(task: &LatticeTask<'t>, model: &'t Kmts, j: Element, budget: &'t Budget) -> Task<'t> {
    Task {
        model,
        formula: task.formula,
        reading: Reading { deadlock: Deadlock::Mu, linear: LinearReading::Bg },
        props: task.props.clone(),
        elements: task.elements.iter().map(|&value| evidence(task, value, j)).collect(),
        filters: Vec::new(),
        ask: Ask::All,
        budget,
    }
}
