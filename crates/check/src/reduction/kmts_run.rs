//! The two runs over a generalised KMTS.

use tertium_base::{BitSet, Stopped};
use tertium_evidence::Deadlock;
use tertium_lattice::TruthValue;
use tertium_logic::{ActionId, AtomId, ElementId, Formula};
use tertium_model::{Edge, StateId};

use super::classical::{Ending, Modality, Run, evaluate};
use super::relation::Relation;
use crate::{Filter, Task};

/// Which run.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Side {
    /// Finds where the value carries evidence for true.
    Pessimistic,
    /// Finds where the value is not refuted.
    Optimistic,
}

/// The states where a formula in positive normal form holds in one of the runs.
pub(super) fn run(task: &Task<'_>, formula: &Formula, side: Side) -> Result<BitSet, Stopped> {
    let states = task.model.state_count();
    task.budget.reserve(task.model.edge_count() * 2 * size_of::<u32>() * (1 + formula.actions().len()))?;
    let literal = |atom: AtomId, positive: bool| literal(task, side, atom, positive);
    let constant = |element: ElementId, positive: bool| {
        let value = task.elements[element.index()];
        let value = if positive { value } else { value.not() };
        match side {
            Side::Pessimistic => value.for_true(),
            Side::Optimistic => value.not_refuted(),
        }
    };
    let actions = (0..formula.actions().len()).map(|at| task.filter(Some(ActionId::new(at))));
    let modalities = std::iter::once(Filter::Any).chain(actions).map(|filter| modality(task, side, filter)).collect();
    let ending = match (task.reading.deadlock, side) {
        (Deadlock::Maximal, Side::Pessimistic) => Ending::Surely,
        (Deadlock::Maximal, Side::Optimistic) => Ending::Perhaps,
        _ => Ending::Never,
    };
    evaluate(formula, &Run { states, literal: &literal, constant: &constant, modalities, ending }, task.budget)
}

/// The states where a literal is surely so, or not surely otherwise.
pub(super) fn literal(task: &Task<'_>, side: Side, atom: AtomId, positive: bool) -> BitSet {
    let (for_true, not_refuted) = task.model.label_sets(task.props[atom.index()]);
    let mut set = if positive == (side == Side::Pessimistic) { for_true.clone() } else { not_refuted.clone() };
    if !positive {
        set.complement();
    }
    set
}

fn modality(task: &Task<'_>, side: Side, filter: Filter) -> Modality {
    let (certain, possible) = (certain(task, filter), possible(task, filter));
    match side {
        Side::Pessimistic => Modality { diamond: certain, boxed: possible },
        Side::Optimistic => Modality { diamond: possible, boxed: certain },
    }
}

/// What is possible, as singletons.
pub(super) fn possible(task: &Task<'_>, filter: Filter) -> Relation {
    let model = task.model;
    let selected = |edge: &Edge| match filter {
        Filter::Any => true,
        Filter::Action(action) => edge.action == Some(action),
        Filter::Fair(constraint) => model.fairness()[constraint].possible.contains(edge.id.index()),
    };
    Relation::from_states(model.state_count(), |state, add| {
        let edges = model.edges_from(StateId::new(state)).filter(|edge| edge.may);
        edges.filter(selected).for_each(|edge| add(&[edge.target.number()]));
    })
}

/// Everything certain: must edges, hyper edges, and by totality all possible successors together.
pub(super) fn certain(task: &Task<'_>, filter: Filter) -> Relation {
    let model = task.model;
    let total = model.total() || task.reading.deadlock == Deadlock::Total;
    let selected = |edge: &Edge| match filter {
        Filter::Any => true,
        Filter::Action(action) => edge.action == Some(action),
        Filter::Fair(constraint) => model.fairness()[constraint].certain.contains(edge.id.index()),
    };
    Relation::from_states(model.state_count(), |state, add| {
        let state = StateId::new(state);
        let numbers = |members: &[StateId]| members.iter().map(|member| member.number()).collect::<Vec<_>>();
        for edge in model.edges_from(state).filter(|edge| edge.must && selected(edge)) {
            add(&[edge.target.number()]);
        }
        for hyper in model.hyper_from(state) {
            let counts = match filter {
                Filter::Any => true,
                Filter::Action(action) => hyper.action == Some(action),
                Filter::Fair(_) => hyper.members.iter().all(|&member| {
                    let mut steps = model.edges_from(state).filter(|edge| edge.target == member);
                    steps.any(|edge| edge.action == hyper.action && selected(&edge))
                }),
            };
            if counts {
                add(&numbers(hyper.members));
            }
        }
        let all: Vec<Edge> = model.edges_from(state).filter(|edge| edge.may).collect();
        let some_action = matches!(filter, Filter::Action(_));
        if total && !some_action && !all.is_empty() && all.iter().all(selected) {
            add(&all.iter().map(|edge| edge.target.number()).collect::<Vec<_>>());
        }
    })
}
