//! Which steps of a structure are possible, which are certain, under a task's reading.

use tertium_evidence::Deadlock;
use tertium_model::{Edge, HyperId, Kmts, StateId};

use super::plan::ModalStep;
use crate::{Filter, Task};

/// Something certain at a state other than a plain must edge.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum CertainSet {
    /// A hyper edge.
    Hyper(HyperId),
    /// All possible successors, since the system is total.
    Total,
    /// All possible successors, or the path ends here.
    Ending,
}

/// A structure's steps as the rules of a task see them.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Steps<'t> {
    model: &'t Kmts,
    total: bool,
}

impl<'t> Steps<'t> {
    pub fn new(task: &Task<'t>) -> Self {
        Self { model: task.model, total: task.model.total() || task.reading.deadlock == Deadlock::Total }
    }

    /// Whether an edge is a possible step of the kind.
    #[inline]
    pub fn is_possible(&self, filter: Filter, edge: Edge) -> bool {
        edge.may
            && match filter {
                Filter::Any => true,
                Filter::Action(action) => edge.action == Some(action),
                Filter::Fair(constraint) => self.model.fairness()[constraint].possible.contains(edge.id.index()),
            }
    }

    /// Whether an edge is a certain step of the kind.
    #[inline]
    pub fn is_certain(&self, filter: Filter, edge: Edge) -> bool {
        edge.must && self.surely_selects(filter, edge)
    }

    #[inline]
    fn surely_selects(&self, filter: Filter, edge: Edge) -> bool {
        match filter {
            Filter::Any => true,
            Filter::Action(action) => edge.action == Some(action),
            Filter::Fair(constraint) => self.model.fairness()[constraint].certain.contains(edge.id.index()),
        }
    }

    /// Whether a set may be chosen for a step: it counts for the filter, and is there at all.
    pub fn set_counts(&self, state: StateId, step: ModalStep, set: CertainSet) -> bool {
        match set {
            CertainSet::Hyper(id) => self.hyper_counts(state, step.filter, id),
            CertainSet::Total => self.total && self.totality_counts(state, step.filter),
            CertainSet::Ending => step.finite,
        }
    }

    fn hyper_counts(&self, state: StateId, filter: Filter, id: HyperId) -> bool {
        let hyper = self.model.hyper(id);
        match filter {
            Filter::Any => true,
            Filter::Action(action) => hyper.action == Some(action),
            Filter::Fair(_) => hyper.members.iter().all(|&member| {
                let mut same = self.model.edges_from(state).filter(|edge| edge.target == member);
                same.any(|edge| edge.action == hyper.action && self.surely_selects(filter, edge))
            }),
        }
    }

    /// Totality speaks of some step, not of one with a given action; of a fair one if all steps are.
    fn totality_counts(&self, state: StateId, filter: Filter) -> bool {
        let mut possible = self.model.edges_from(state).filter(|edge| edge.may).peekable();
        possible.peek().is_some()
            && match filter {
                Filter::Any => true,
                Filter::Action(_) => false,
                Filter::Fair(_) => possible.all(|edge| self.surely_selects(filter, edge)),
            }
    }

    /// Whether some step is certain, so that the state is surely no deadlock.
    pub fn something_certain(&self, state: StateId) -> bool {
        !self.model.hyper_range(state).is_empty()
            || self.model.edges_from(state).any(|edge| edge.must)
            || (self.total && !self.model.is_dead(state))
    }

    /// The members of a certain set; one may come twice, by edges of several actions.
    pub fn members(&self, state: StateId, set: CertainSet) -> impl Iterator<Item = StateId> + use<'t> {
        let model = self.model;
        let (hyper, all): (&'t [StateId], bool) = match set {
            CertainSet::Hyper(id) => (model.hyper(id).members, false),
            CertainSet::Total | CertainSet::Ending => (&[], true),
        };
        let edges = if all { model.edge_range(state) } else { 0..0 };
        let targets = edges.map(|at| model.edge(tertium_model::EdgeId::new(at))).filter(|edge| edge.may);
        hyper.iter().copied().chain(targets.map(|edge| edge.target))
    }
}
