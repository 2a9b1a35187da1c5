//! What is possible and what is certain at a state, under a reading? The checker's own view of a structure.

use std::collections::BTreeSet;

use tertium_lattice::Belnap;
use tertium_logic::Formula;
use tertium_model::{ActionId, Edge, HyperEdge, Kmts, PropId, StateId};

use tertium_evidence::{Deadlock, Reading};

/// Which steps a modality speaks of.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Filter {
    Any,
    Action(ActionId),
    /// Steps that count for this fairness constraint.
    Fair(usize),
}

/// A structure under a reading.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Structure<'a> {
    pub(crate) model: &'a Kmts,
    pub(crate) deadlock: Deadlock,
    /// Whether all possible successors together are certain.
    pub(crate) total: bool,
}

impl<'a> Structure<'a> {
    pub(crate) fn new(model: &'a Kmts, reading: Reading) -> Self {
        let total = model.total() || reading.deadlock == Deadlock::Total;
        Self { model, deadlock: reading.deadlock, total }
    }

    /// The targets of possible steps; a target may come more than once.
    pub(crate) fn possible(&self, state: StateId, filter: Filter) -> impl Iterator<Item = StateId> + use<'a> {
        self.possible_edges(state, filter).map(|edge| edge.target)
    }

    /// The possible edges from a state that count for a filter.
    pub(crate) fn possible_edges(&self, state: StateId, filter: Filter) -> impl Iterator<Item = Edge> + use<'a> {
        let model = self.model;
        model.edges_from(state).filter(move |edge| edge.may && may_count(model, edge, filter))
    }

    /// Whether anything at all is certain at the state.
    pub(crate) fn has_certain(&self, state: StateId) -> bool {
        self.certain_within(state, Filter::Any, |_| true)
    }

    /// Whether some certain set of the state has only members that pass `inside`.
    pub(crate) fn certain_within(&self, state: StateId, filter: Filter, inside: impl Fn(StateId) -> bool) -> bool {
        self.plain_certain(state, filter).any(&inside)
            || self.model.hyper_from(state).any(|hyper| {
                self.hyper_counts(state, &hyper, filter) && hyper.members.iter().all(|&member| inside(member))
            })
            || (self.total
                && !self.model.is_dead(state)
                && self.totality_counts(state, filter)
                && self.possible(state, Filter::Any).all(inside))
    }

    /// The actions of the certain sets of the state that have only members that pass `inside`.
    pub(crate) fn certain_actions(
        &self,
        state: StateId,
        filter: Filter,
        inside: impl Fn(StateId) -> bool,
    ) -> BTreeSet<Option<ActionId>> {
        let model = self.model;
        let plain = model.edges_from(state).filter(|edge| surely_counts(model, edge, filter) && edge.must);
        let sets = model.hyper_from(state).filter(|hyper| self.hyper_counts(state, hyper, filter));
        let plain = plain.filter(|edge| inside(edge.target)).map(|edge| edge.action);
        let sets = sets.filter(|hyper| hyper.members.iter().all(|&member| inside(member))).map(|hyper| hyper.action);
        plain.chain(sets).collect()
    }

    /// Totality promises some step: none of a given action, and one of a fairness constraint if all steps are.
    fn totality_counts(&self, state: StateId, filter: Filter) -> bool {
        match filter {
            Filter::Any => true,
            Filter::Action(_) => false,
            Filter::Fair(constraint) => self.possible_all_count(state, constraint),
        }
    }

    /// Whether some certain set has only members that pass `inside`, and a step into it surely counts for the
    /// fairness constraint, whichever member and edge it is.
    pub(crate) fn fair_within(&self, state: StateId, constraint: usize, inside: impl Fn(StateId) -> bool) -> bool {
        let counted = &self.model.fairness()[constraint].certain;
        let edges = || self.model.edges_from(state);
        let counts = |edge: &Edge| counted.contains(edge.id.index());
        let member_counts = |member: StateId, action: Option<ActionId>| {
            let fits = |edge: &Edge| edge.target == member && (action.is_none() || edge.action == action);
            edges().any(|edge| fits(&edge)) && edges().filter(fits).all(|edge| counts(&edge))
        };
        let plain = edges().any(|edge| edge.must && counts(&edge) && inside(edge.target));
        let hyper = || {
            self.model
                .hyper_from(state)
                .any(|hyper| hyper.members.iter().all(|&member| inside(member) && member_counts(member, hyper.action)))
        };
        let total = || {
            self.total
                && !self.model.is_dead(state)
                && self.possible(state, Filter::Any).all(&inside)
                && self.possible_all_count(state, constraint)
        };
        plain || hyper() || total()
    }

    /// Whether every possible step surely counts for the fairness constraint.
    pub(crate) fn possible_all_count(&self, state: StateId, constraint: usize) -> bool {
        let counted = &self.model.fairness()[constraint].certain;
        self.model.edges_from(state).filter(|edge| edge.may).all(|edge| counted.contains(edge.id.index()))
    }

    /// The targets of plain certain edges.
    pub(crate) fn plain_certain(&self, state: StateId, filter: Filter) -> impl Iterator<Item = StateId> + use<'a> {
        let model = self.model;
        model
            .edges_from(state)
            .filter(move |edge| edge.must && surely_counts(model, edge, filter))
            .map(|edge| edge.target)
    }

    /// Whether a step of the hyper edge surely passes the filter, whichever member it leads to.
    fn hyper_counts(&self, state: StateId, hyper: &HyperEdge<'_>, filter: Filter) -> bool {
        match filter {
            Filter::Any => true,
            Filter::Action(action) => hyper.action == Some(action),
            Filter::Fair(_) => hyper.members.iter().all(|&member| {
                let mut edges = self.model.edges_from(state);
                edges.any(|edge| {
                    edge.target == member && edge.action == hyper.action && surely_counts(self.model, &edge, filter)
                })
            }),
        }
    }

    /// Whether a step between the two states along a plain edge is certain.
    pub(crate) fn certain_step(&self, from: StateId, to: StateId) -> bool {
        self.plain_certain(from, Filter::Any).any(|target| target == to)
    }

    /// Whether a step between the two states is possible.
    pub(crate) fn possible_step(&self, from: StateId, to: StateId) -> bool {
        self.possible(from, Filter::Any).any(|target| target == to)
    }

    /// How many fairness constraints there are.
    pub(crate) fn constraints(&self) -> usize {
        self.model.fairness().len()
    }

    /// A state without possible successors that `from` can reach, if there is one.
    pub(crate) fn reachable_deadlock(&self, from: StateId) -> Option<StateId> {
        let mut seen = tertium_base::BitSet::empty(self.model.state_count());
        let mut todo = vec![from];
        seen.insert(from.index());
        while let Some(state) = todo.pop() {
            if self.model.is_dead(state) {
                return Some(state);
            }
            for target in self.possible(state, Filter::Any) {
                if seen.insert(target.index()) {
                    todo.push(target);
                }
            }
        }
        None
    }
}

fn may_count(model: &Kmts, edge: &Edge, filter: Filter) -> bool {
    match filter {
        Filter::Any => true,
        Filter::Action(action) => edge.action == Some(action),
        Filter::Fair(constraint) => model.fairness()[constraint].possible.contains(edge.id.index()),
    }
}

fn surely_counts(model: &Kmts, edge: &Edge, filter: Filter) -> bool {
    match filter {
        Filter::Any => true,
        Filter::Action(action) => edge.action == Some(action),
        Filter::Fair(constraint) => model.fairness()[constraint].certain.contains(edge.id.index()),
    }
}

/// The names of a formula looked up in a structure.
#[derive(Clone, Debug)]
pub(crate) struct Names {
    pub(crate) atoms: Vec<Option<PropId>>,
    pub(crate) elements: Vec<Option<Belnap>>,
    pub(crate) actions: Vec<Option<Filter>>,
}

impl Names {
    /// `constants` says what constants of a user's lattice mean in this structure.
    pub(crate) fn look_up(formula: &Formula, model: &Kmts, constants: &[(String, Belnap)]) -> Self {
        let given = |name: &str| constants.iter().find(|(known, _)| known == name).map(|&(_, value)| value);
        Self {
            atoms: formula.atoms().iter().map(|atom| model.prop_by_name(&atom.text)).collect(),
            elements: formula.elements().iter().map(|name| given(name).or_else(|| element(name))).collect(),
            actions: formula.actions().iter().map(|name| action(model, name)).collect(),
        }
    }

    /// What a modality's optional action selects; none if the structure does not know the action.
    pub(crate) fn filter(&self, action: Option<tertium_logic::ActionId>) -> Option<Filter> {
        action.map_or(Some(Filter::Any), |action| self.actions[action.index()])
    }
}

fn element(name: &str) -> Option<Belnap> {
    match name {
        "t" | "true" => Some(Belnap::True),
        "f" | "false" => Some(Belnap::False),
        "u" | "unknown" => Some(Belnap::Unknown),
        "b" | "both" => Some(Belnap::Both),
        _ => None,
    }
}

fn action(model: &Kmts, name: &str) -> Option<Filter> {
    if let Some(number) = name.strip_prefix("fair:") {
        let constraint = number.parse().ok()?;
        return (constraint < model.fairness().len()).then_some(Filter::Fair(constraint));
    }
    let at = model.actions().iter().position(|known| known == name)?;
    Some(Filter::Action(ActionId::new(at)))
}
