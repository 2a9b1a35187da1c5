//! The core structure: generalised Kripke modal transition systems, stored flat.
//!
//! Edges of a state stand together; an edge is one word, its target and two bits for *may* and
//! *must*. So a structure of a million states and five million edges takes some thirty megabytes, and
//! one walk over a state's edges sees both relations.

use tertium_base::{BitSet, id_type};
use tertium_lattice::Belnap;

use crate::names::Names;
use crate::owners::{Owners, PlayerId};

id_type! {
    /// A state of one structure.
    pub struct StateId;
}
id_type! {
    /// An atomic proposition of one structure.
    pub struct PropId;
}
id_type! {
    /// A plain (may or must) edge of one structure.
    pub struct EdgeId;
}
id_type! {
    /// A hyper-must edge of one structure.
    pub struct HyperId;
}
id_type! {
    /// An action that edges of one structure carry.
    pub struct ActionId;
}

pub(crate) const MAY: u32 = 1 << 30;
pub(crate) const MUST: u32 = 1 << 31;
pub(crate) const TARGET: u32 = MAY - 1;

/// Target and kind of a plain edge in one word.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PackedEdge(pub(crate) u32);

impl PackedEdge {
    /// The index of the state it leads to.
    #[inline]
    #[must_use]
    pub const fn target(self) -> usize {
        (self.0 & TARGET) as usize
    }

    /// Two bits: must (high) and may (low).
    #[inline]
    #[must_use]
    pub const fn kind(self) -> u32 {
        self.0 >> 30
    }
}

/// A plain edge as seen from its source.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Edge {
    /// Its number; edges of one state have consecutive numbers.
    pub id: EdgeId,
    /// Where it leads.
    pub target: StateId,
    /// Whether the step is possible.
    pub may: bool,
    /// Whether the step is certain.
    pub must: bool,
    /// The action it carries.
    pub action: Option<ActionId>,
}

/// A hyper-must edge: a step to some member is certain, to which one is open.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct HyperEdge<'a> {
    /// Its number.
    pub id: HyperId,
    /// Where it may lead; at least two states, ascending (a single one is a plain must edge).
    pub members: &'a [StateId],
    /// The action it carries; without one, the step is one of anyone, with whatever action steps to the member may have.
    pub action: Option<ActionId>,
}

/// One fairness constraint: fair paths take its edges infinitely often.
///
/// On an abstraction the two sets differ: `possible` holds the edges that some concrete step of the
/// constraint maps to, `certain` those whose concrete witness can always be chosen inside it. For a
/// structure that a user wrote they are equal.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fairness {
    /// Edges that may count; decides `true` answers and what is not refuted.
    pub possible: BitSet,
    /// Edges that surely count; decides `false` answers and truth evidence.
    pub certain: BitSet,
}

/// A generalised KMTS. Made by [`crate::KmtsBuilder`], never changed afterwards.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Kmts {
    pub(crate) state_names: Names,
    pub(crate) props: Vec<String>,
    pub(crate) actions: Vec<String>,
    /// Per proposition: evidence for true; not refuted.
    pub(crate) labels: Vec<(BitSet, BitSet)>,
    pub(crate) edge_offsets: Vec<u32>,
    pub(crate) edge_words: Vec<PackedEdge>,
    /// Action of each edge; empty if no edge carries one. `u32::MAX` stands for none.
    pub(crate) edge_actions: Vec<u32>,
    /// Sorted sources of the states that have hyper edges, with the range of their hyper edges.
    pub(crate) hyper_offsets: Vec<u32>,
    pub(crate) member_offsets: Vec<u32>,
    pub(crate) members: Vec<StateId>,
    pub(crate) hyper_actions: Vec<u32>,
    pub(crate) fairness: Vec<Fairness>,
    pub(crate) init: Vec<StateId>,
    pub(crate) total: bool,
    pub(crate) owners: Owners,
}

fn action_of(table: &[u32], at: usize) -> Option<ActionId> {
    match table.get(at) {
        None | Some(&u32::MAX) => None,
        Some(&action) => Some(ActionId::new(action as usize)),
    }
}

impl Kmts {
    /// More states than this do not fit the edge words; a reader must refuse them.
    pub const MAX_STATES: usize = TARGET as usize;

    /// How many states there are.
    #[must_use]
    pub fn state_count(&self) -> usize {
        self.state_names.len()
    }

    /// All states.
    pub fn states(&self) -> impl DoubleEndedIterator<Item = StateId> + ExactSizeIterator + use<> {
        (0..self.state_count()).map(StateId::new)
    }

    /// A state's name.
    #[must_use]
    pub fn state_name(&self, state: StateId) -> &str {
        self.state_names.get(state.index())
    }

    /// The names of all states.
    #[must_use]
    pub fn state_names(&self) -> &Names {
        &self.state_names
    }

    /// The state with this name.
    #[must_use]
    pub fn state_by_name(&self, name: &str) -> Option<StateId> {
        self.state_names.position(name).map(StateId::new)
    }

    /// The propositions' names.
    #[must_use]
    pub fn props(&self) -> &[String] {
        &self.props
    }

    /// The proposition with this name.
    #[must_use]
    pub fn prop_by_name(&self, name: &str) -> Option<PropId> {
        self.props.iter().position(|known| known == name).map(PropId::new)
    }

    /// The actions' names.
    #[must_use]
    pub fn actions(&self) -> &[String] {
        &self.actions
    }

    /// The value of a proposition at a state.
    #[must_use]
    pub fn label(&self, state: StateId, prop: PropId) -> Belnap {
        let (for_true, not_refuted) = &self.labels[prop.index()];
        Belnap::from_evidence(for_true.contains(state.index()), !not_refuted.contains(state.index()))
    }

    /// A proposition's two sets of states: evidence for true, and not refuted.
    #[must_use]
    pub fn label_sets(&self, prop: PropId) -> (&BitSet, &BitSet) {
        let (for_true, not_refuted) = &self.labels[prop.index()];
        (for_true, not_refuted)
    }

    /// How many plain edges there are.
    #[must_use]
    pub fn edge_count(&self) -> usize {
        self.edge_words.len()
    }

    /// The numbers of a state's plain edges.
    #[inline]
    #[must_use]
    pub fn edge_range(&self, state: StateId) -> std::ops::Range<usize> {
        self.edge_offsets[state.index()] as usize..self.edge_offsets[state.index() + 1] as usize
    }

    /// A plain edge by its number.
    #[inline]
    #[must_use]
    pub fn edge(&self, id: EdgeId) -> Edge {
        let word = self.edge_words[id.index()].0;
        Edge {
            id,
            target: StateId::new((word & TARGET) as usize),
            may: word & MAY != 0,
            must: word & MUST != 0,
            action: action_of(&self.edge_actions, id.index()),
        }
    }

    /// A state's plain edges, by target and action.
    #[inline]
    pub fn edges_from(&self, state: StateId) -> impl DoubleEndedIterator<Item = Edge> + '_ {
        self.edge_range(state).map(|at| self.edge(EdgeId::new(at)))
    }

    /// A state's plain edges as they are stored, for walks that look at every edge.
    #[inline]
    #[must_use]
    pub fn packed_edges(&self, state: StateId) -> &[PackedEdge] {
        &self.edge_words[self.edge_range(state)]
    }

    /// The targets of a state's may edges.
    pub fn may_successors(&self, state: StateId) -> impl Iterator<Item = StateId> + '_ {
        self.edges_from(state).filter(|edge| edge.may).map(|edge| edge.target)
    }

    /// The targets of a state's plain must edges.
    pub fn must_successors(&self, state: StateId) -> impl Iterator<Item = StateId> + '_ {
        self.edges_from(state).filter(|edge| edge.must).map(|edge| edge.target)
    }

    /// How many hyper edges there are (plain must edges not counted).
    #[must_use]
    pub fn hyper_count(&self) -> usize {
        self.member_offsets.len().saturating_sub(1)
    }

    /// The numbers of a state's hyper edges.
    #[inline]
    #[must_use]
    pub fn hyper_range(&self, state: StateId) -> std::ops::Range<usize> {
        if self.hyper_offsets.is_empty() {
            return 0..0;
        }
        self.hyper_offsets[state.index()] as usize..self.hyper_offsets[state.index() + 1] as usize
    }

    /// A hyper edge by its number.
    #[must_use]
    pub fn hyper(&self, id: HyperId) -> HyperEdge<'_> {
        let at = id.index();
        let range = self.member_offsets[at] as usize..self.member_offsets[at + 1] as usize;
        HyperEdge { id, members: &self.members[range], action: action_of(&self.hyper_actions, at) }
    }

    /// A state's hyper edges with two or more members.
    pub fn hyper_from(&self, state: StateId) -> impl Iterator<Item = HyperEdge<'_>> + '_ {
        self.hyper_range(state).map(|at| self.hyper(HyperId::new(at)))
    }

    /// Everything that is certain at a state, as sets: plain must edges as singletons, hyper edges, and
    /// under [`Kmts::total`] the set of all may-successors. With `action`, only what carries it.
    ///
    /// Plain and allocating: for oracles, small structures and reports. Engines walk the edges.
    #[must_use]
    pub fn certain_sets(&self, state: StateId, action: Option<ActionId>) -> Vec<Vec<StateId>> {
        let fits = |carried: Option<ActionId>| action.is_none() || carried == action;
        let mut sets: Vec<Vec<StateId>> = Vec::new();
        sets.extend(self.edges_from(state).filter(|edge| edge.must && fits(edge.action)).map(|edge| vec![edge.target]));
        sets.extend(self.hyper_from(state).filter(|edge| fits(edge.action)).map(|edge| edge.members.to_vec()));
        if self.total && action.is_none() {
            let mut all: Vec<StateId> = self.may_successors(state).collect();
            all.dedup();
            if !all.is_empty() {
                sets.push(all);
            }
        }
        sets
    }

    /// The fairness constraints.
    #[must_use]
    pub fn fairness(&self) -> &[Fairness] {
        &self.fairness
    }

    /// The initial states; may be empty for a structure that is only looked at state by state.
    #[must_use]
    pub fn init(&self) -> &[StateId] {
        &self.init
    }

    /// Whether the user asserts that every concrete state has a successor.
    #[must_use]
    pub fn total(&self) -> bool {
        self.total
    }

    /// The same structure under another assertion of totality.
    #[must_use]
    pub fn with_total(mut self, total: bool) -> Self {
        self.total = total;
        self
    }

    /// The players' names: `system`, then whoever else owns states.
    #[must_use]
    pub fn players(&self) -> &[String] {
        self.owners.players()
    }

    /// The player with this name. `system` is always one.
    #[must_use]
    pub fn player_by_name(&self, name: &str) -> Option<PlayerId> {
        self.players().iter().position(|known| known == name).map(PlayerId::new)
    }

    /// The player who chooses the steps of a state.
    #[inline]
    #[must_use]
    pub fn owner(&self, state: StateId) -> PlayerId {
        self.owners.of(state)
    }

    /// The name of the player who chooses the steps of a state.
    #[must_use]
    pub fn owner_name(&self, state: StateId) -> &str {
        &self.players()[self.owner(state).index()]
    }

    /// Whether some state belongs to a player other than `system`.
    #[must_use]
    pub fn is_game(&self) -> bool {
        self.players().len() > 1
    }

    /// The same structure, whose states have these owners.
    #[must_use]
    pub fn with_owners<'n>(mut self, owner: impl Fn(StateId) -> &'n str) -> Self {
        let mut owners = Owners::default();
        for state in self.states() {
            let player = owners.player(owner(state));
            owners.set(state, player);
        }
        self.owners = owners.settled();
        self
    }

    /// The structure with one more proposition, true at these states and false at the others.
    ///
    /// # Errors
    /// The structure as it is, if a proposition has this name.
    pub fn with_definite_prop(mut self, name: &str, holds: BitSet) -> Result<Self, Box<Self>> {
        if self.prop_by_name(name).is_some() {
            return Err(Box::new(self));
        }
        self.props.push(name.to_owned());
        self.labels.push((holds.clone(), holds));
        Ok(self)
    }

    /// Whether a state has no may-successor, so that it is surely a deadlock.
    #[must_use]
    pub fn is_dead(&self, state: StateId) -> bool {
        self.may_successors(state).next().is_none()
    }

    /// Whether something certain is not possible, so that Belnap's fourth value can occur.
    #[must_use]
    pub fn is_mixed(&self) -> bool {
        self.labels.iter().any(|(for_true, not_refuted)| !for_true.is_subset(not_refuted))
            || self.states().any(|state| self.impossible_but_certain(state).is_some())
    }

    /// A state that some certain set of `state` contains although no may edge (of the same action, if the
    /// set has one) leads to it; with that action. `None` if everything certain here is possible.
    #[must_use]
    pub fn impossible_but_certain(&self, state: StateId) -> Option<(StateId, Option<ActionId>)> {
        let possible = |member: StateId, action: Option<ActionId>| {
            self.edges_from(state)
                .any(|edge| edge.may && edge.target == member && (action.is_none() || edge.action == action))
        };
        let plain = self
            .edges_from(state)
            .find(|edge| edge.must && !edge.may && !possible(edge.target, edge.action))
            .map(|edge| (edge.target, edge.action));
        plain.or_else(|| {
            self.hyper_from(state).find_map(|edge| {
                let member = edge.members.iter().find(|&&member| !possible(member, edge.action))?;
                Some((*member, edge.action))
            })
        })
    }

    /// Whether nothing is open: every may edge is a must edge, no label unknown.
    #[must_use]
    pub fn is_complete(&self) -> bool {
        self.edge_words.iter().all(|edge| edge.kind() == (MAY | MUST) >> 30)
            && self.hyper_count() == 0
            && self.labels.iter().all(|(for_true, not_refuted)| for_true == not_refuted)
    }
}
