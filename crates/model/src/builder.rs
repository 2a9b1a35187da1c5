//! Builds a structure from mentions in any order: states, labels, edges, hyper edges, fairness.

use std::collections::BTreeMap;

use tertium_base::BitSet;
use tertium_base::narrow::to_u32;
use tertium_lattice::Belnap;

use crate::kmts::{ActionId, EdgeId, Fairness, Kmts, MAY, MUST, PackedEdge, PropId, StateId, TARGET};
use crate::names::Names;
use crate::owners::Owners;

/// The structure would not fit the ids that engines use.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ModelTooLarge {
    /// What there is too much of.
    pub what: &'static str,
    /// How many fit.
    pub limit: usize,
}

impl std::fmt::Display for ModelTooLarge {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "more than {} {}", self.limit, self.what)
    }
}

impl std::error::Error for ModelTooLarge {}

const NO_ACTION: u32 = u32::MAX;

/// Edges of a constraint: from, to, and the action or any.
type FairEdges = Vec<(StateId, StateId, Option<ActionId>)>;

/// A constraint in the making: edges that possibly count, and those that surely do if they differ.
#[derive(Clone, Debug)]
struct FairDraft {
    possible: FairEdges,
    certain: Option<FairEdges>,
    /// Whether an edge without an action means that edge alone, and not the edges of any action.
    exact: bool,
}

/// A structure in the making. The same edge may be mentioned several times: kinds add up.
#[derive(Clone, Debug, Default)]
pub struct KmtsBuilder {
    names: Names,
    props: Vec<String>,
    actions: Vec<String>,
    /// Positions of propositions and of actions by their names.
    prop_ids: BTreeMap<String, usize>,
    action_ids: BTreeMap<String, usize>,
    /// Per proposition the states with evidence for true and for false; grown on demand.
    for_true: Vec<Vec<u64>>,
    for_false: Vec<Vec<u64>>,
    sources: Vec<u32>,
    words: Vec<u32>,
    /// Empty until the first edge with an action.
    edge_actions: Vec<u32>,
    hyper: Vec<(StateId, Option<ActionId>, Vec<StateId>)>,
    fair: Vec<FairDraft>,
    init: Vec<StateId>,
    total: bool,
    owners: Owners,
}

impl KmtsBuilder {
    /// A structure without states.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// A structure with these states.
    #[must_use]
    pub fn with_names(names: Names) -> Self {
        Self { names, ..Self::default() }
    }

    /// Adds a state. Names should differ; nothing here depends on it.
    pub fn add_state(&mut self, name: &str) -> StateId {
        self.names.push(name);
        StateId::new(self.names.len() - 1)
    }

    /// How many states there are so far.
    #[must_use]
    pub fn state_count(&self) -> usize {
        self.names.len()
    }

    /// The names so far.
    #[must_use]
    pub fn state_names(&self) -> &Names {
        &self.names
    }

    /// The proposition with this name, new or not.
    pub fn add_prop(&mut self, name: &str) -> PropId {
        if let Some(&at) = self.prop_ids.get(name) {
            return PropId::new(at);
        }
        self.add_labelled_prop(name, Vec::new(), Vec::new());
        PropId::new(self.props.len() - 1)
    }

    /// The propositions so far.
    #[must_use]
    pub fn props(&self) -> &[String] {
        &self.props
    }

    /// The action with this name, new or not.
    pub fn add_action(&mut self, name: &str) -> ActionId {
        if let Some(&at) = self.action_ids.get(name) {
            return ActionId::new(at);
        }
        self.action_ids.insert(name.to_owned(), self.actions.len());
        self.actions.push(name.to_owned());
        ActionId::new(self.actions.len() - 1)
    }

    /// Sets a label. What is never set is unknown.
    pub fn set_label(&mut self, state: StateId, prop: PropId, value: Belnap) {
        set_bit(&mut self.for_true[prop.index()], state.index(), value.for_true());
        set_bit(&mut self.for_false[prop.index()], state.index(), value.for_false());
    }

    /// Adds an edge that is possible, certain, or both.
    pub fn add_edge(&mut self, from: StateId, to: StateId, may: bool, must: bool, action: Option<ActionId>) {
        self.sources.push(from.number());
        self.words.push(to.number() | if may { MAY } else { 0 } | if must { MUST } else { 0 });
        if action.is_some() || !self.edge_actions.is_empty() {
            self.edge_actions.resize(self.words.len() - 1, NO_ACTION);
            self.edge_actions.push(action.map_or(NO_ACTION, |action| action.number()));
        }
    }

    /// How many edges have been mentioned so far.
    #[must_use]
    pub fn edge_mentions(&self) -> usize {
        self.words.len()
    }

    /// Adds a hyper-must edge. `members` must not be empty; a single member makes a plain must edge.
    /// It does not add may edges: its members should be mentioned as such unless the structure is mixed.
    pub fn add_hyper(&mut self, from: StateId, members: &[StateId], action: Option<ActionId>) {
        debug_assert!(!members.is_empty());
        let mut sorted = members.to_vec();
        sorted.sort_unstable();
        sorted.dedup();
        match sorted[..] {
            [single] => self.add_edge(from, single, false, true, action),
            _ => self.hyper.push((from, action, sorted)),
        }
    }

    /// Adds a fairness constraint: the edges between these states, of this action or of any.
    /// Pairs that are no edges of the finished structure count for nothing.
    pub fn add_fairness(&mut self, edges: Vec<(StateId, StateId, Option<ActionId>)>) {
        self.fair.push(FairDraft { possible: edges, certain: None, exact: false });
    }

    /// Adds a fairness constraint of an abstraction: the edges that some step of the constraint maps to, and
    /// those whose step can always be chosen inside it.
    pub fn add_split_fairness(
        &mut self,
        possible: Vec<(StateId, StateId, Option<ActionId>)>,
        certain: Vec<(StateId, StateId, Option<ActionId>)>,
    ) {
        self.fair.push(FairDraft { possible, certain: Some(certain), exact: false });
    }

    /// As [`Self::add_split_fairness`], but an edge without an action means that edge alone.
    pub fn add_exact_fairness(&mut self, possible: FairEdges, certain: FairEdges) {
        self.fair.push(FairDraft { possible, certain: Some(certain), exact: true });
    }

    /// Adds a new proposition with the states where there is evidence for true and for false, as words.
    pub(crate) fn add_labelled_prop(&mut self, name: &str, for_true: Vec<u64>, for_false: Vec<u64>) {
        self.prop_ids.insert(name.to_owned(), self.props.len());
        self.props.push(name.to_owned());
        self.for_true.push(for_true);
        self.for_false.push(for_false);
    }

    /// Takes edges over as they are stored here: sources, targets with kinds, and actions or nothing.
    pub(crate) fn set_edges(&mut self, sources: Vec<u32>, words: Vec<u32>, mut actions: Vec<u32>) {
        if !actions.is_empty() {
            actions.resize(words.len(), NO_ACTION);
        }
        (self.sources, self.words, self.edge_actions) = (sources, words, actions);
    }

    /// Adds an initial state.
    pub fn add_init(&mut self, state: StateId) {
        self.init.push(state);
    }

    /// Asserts that every concrete state has a successor.
    pub fn set_total(&mut self, total: bool) {
        self.total = total;
    }

    /// Says who chooses the steps of a state. Without it that is the player `system`.
    pub fn set_owner(&mut self, state: StateId, player: &str) {
        let player = self.owners.player(player);
        self.owners.set(state, player);
    }

    /// Gives states of another structure's game their owners: for each pair the own state and the other structure's.
    pub fn copy_owners(&mut self, from: &Kmts, states: impl IntoIterator<Item = (StateId, StateId)>) {
        if from.is_game() {
            states.into_iter().for_each(|(own, other)| self.set_owner(own, from.owner_name(other)));
        }
    }

    /// The structure: edges sorted by source, target and action, mentions of the same edge merged,
    /// hyper edges that contain another certain set of the same state and action dropped.
    ///
    /// # Errors
    /// If there is more than the ids can count.
    pub fn finish(mut self) -> Result<Kmts, ModelTooLarge> {
        let states = self.names.len();
        if states > Kmts::MAX_STATES {
            return Err(ModelTooLarge { what: "states", limit: Kmts::MAX_STATES });
        }
        if self.words.len() >= u32::MAX as usize {
            return Err(ModelTooLarge { what: "edges", limit: u32::MAX as usize - 1 });
        }
        let labels = self.take_labels(states);
        let (edge_offsets, edge_words, edge_actions) = self.sort_edges(states);
        let mut kmts = Kmts {
            state_names: self.names,
            props: self.props,
            actions: self.actions,
            labels,
            edge_offsets,
            edge_words: edge_words.into_iter().map(PackedEdge).collect(),
            edge_actions,
            hyper_offsets: Vec::new(),
            member_offsets: Vec::new(),
            members: Vec::new(),
            hyper_actions: Vec::new(),
            fairness: Vec::new(),
            init: self.init,
            total: self.total,
            owners: self.owners.settled(),
        };
        place_hyper_edges(&mut kmts, self.hyper);
        kmts.fairness = self
            .fair
            .iter()
            .map(|draft| {
                let possible = edge_set(&kmts, &draft.possible, draft.exact);
                let certain = draft.certain.as_ref().map(|certain| edge_set(&kmts, certain, draft.exact));
                Fairness { certain: certain.unwrap_or_else(|| possible.clone()), possible }
            })
            .collect();
        Ok(kmts)
    }

    fn take_labels(&mut self, states: usize) -> Vec<(BitSet, BitSet)> {
        let take = |words: Vec<u64>| {
            BitSet::from_fn(states, |at| words.get(at >> 6).is_some_and(|word| word >> (at & 63) & 1 != 0))
        };
        let for_true = std::mem::take(&mut self.for_true);
        let for_false = std::mem::take(&mut self.for_false);
        for_true
            .into_iter()
            .zip(for_false)
            .map(|(yes, no)| {
                let mut not_refuted = take(no);
                not_refuted.complement();
                (take(yes), not_refuted)
            })
            .collect()
    }

    /// Counting sort by source, then each state's few edges by target and action.
    fn sort_edges(&mut self, states: usize) -> (Vec<u32>, Vec<u32>, Vec<u32>) {
        let sources = std::mem::take(&mut self.sources);
        let words = std::mem::take(&mut self.words);
        let actions = std::mem::take(&mut self.edge_actions);
        let mut offsets = vec![0u32; states + 1];
        for &source in &sources {
            offsets[source as usize + 1] += 1;
        }
        for at in 0..states {
            offsets[at + 1] += offsets[at];
        }
        let mut next = offsets.clone();
        let mut sorted = vec![0u32; words.len()];
        let mut sorted_actions = vec![NO_ACTION; if actions.is_empty() { 0 } else { words.len() }];
        for (at, (&source, &word)) in sources.iter().zip(&words).enumerate() {
            let place = &mut next[source as usize];
            sorted[*place as usize] = word;
            if !actions.is_empty() {
                sorted_actions[*place as usize] = actions.get(at).copied().unwrap_or(NO_ACTION);
            }
            *place += 1;
        }
        drop((sources, words, actions, next));
        merge_mentions(&mut offsets, &mut sorted, &mut sorted_actions);
        (offsets, sorted, sorted_actions)
    }
}

fn set_bit(words: &mut Vec<u64>, at: usize, value: bool) {
    if words.len() <= at >> 6 {
        if !value {
            return;
        }
        words.resize((at >> 6) + 1, 0);
    }
    let bit = 1u64 << (at & 63);
    if value {
        words[at >> 6] |= bit;
    } else {
        words[at >> 6] &= !bit;
    }
}

/// Sorts each state's edges and joins equal ones, in place.
fn merge_mentions(offsets: &mut [u32], words: &mut Vec<u32>, actions: &mut Vec<u32>) {
    let mut kept = 0usize;
    let mut scratch: Vec<(u32, u32, u32)> = Vec::new();
    for state in 0..offsets.len().saturating_sub(1) {
        let range = offsets[state] as usize..offsets[state + 1] as usize;
        scratch.clear();
        scratch.extend(range.map(|at| {
            let action = actions.get(at).copied().unwrap_or(NO_ACTION);
            (words[at] & TARGET, action, words[at] & !TARGET)
        }));
        scratch.sort_unstable();
        offsets[state] = to_u32(kept);
        let first = kept;
        for &(target, action, kind) in &scratch {
            let repeats = kept > first
                && words[kept - 1] & TARGET == target
                && actions.get(kept - 1).copied().unwrap_or(NO_ACTION) == action;
            if repeats {
                words[kept - 1] |= kind;
                continue;
            }
            words[kept] = target | kind;
            if !actions.is_empty() {
                actions[kept] = action;
            }
            kept += 1;
        }
    }
    if let Some(last) = offsets.last_mut() {
        *last = to_u32(kept);
    }
    words.truncate(kept);
    words.shrink_to_fit();
    if !actions.is_empty() {
        actions.truncate(kept);
        actions.shrink_to_fit();
    }
}

/// Among more hyper edges of one state and action than this, supersets are not looked for.
const MOST_COMPARED: usize = 2000;

/// Keeps inclusion-minimal hyper edges only: a superset of something certain adds nothing.
fn place_hyper_edges(kmts: &mut Kmts, mut hyper: Vec<(StateId, Option<ActionId>, Vec<StateId>)>) {
    if hyper.is_empty() {
        return;
    }
    hyper.sort();
    hyper.dedup();
    let mut kept: Vec<(StateId, Option<ActionId>, Vec<StateId>)> = Vec::new();
    let mut at = 0;
    while at < hyper.len() {
        let (source, action) = (hyper[at].0, hyper[at].1);
        let group_end =
            hyper[at..].iter().position(|edge| (edge.0, edge.1) != (source, action)).map_or(hyper.len(), |n| at + n);
        let group = &hyper[at..group_end];
        let must: Vec<StateId> =
            kmts.edges_from(source).filter(|edge| edge.must && edge.action == action).map(|edge| edge.target).collect();
        for (index, edge) in group.iter().enumerate() {
            let beaten_by_must = edge.2.iter().any(|member| must.binary_search(member).is_ok());
            // Leaving out supersets only saves work; among very many edges looking for them would cost more.
            let beaten_by_hyper = group.len() <= MOST_COMPARED
                && group.iter().enumerate().any(|(other, smaller)| other != index && is_subset(&smaller.2, &edge.2));
            if !beaten_by_must && !beaten_by_hyper {
                kept.push(edge.clone());
            }
        }
        at = group_end;
    }
    if kept.is_empty() {
        return;
    }
    kmts.hyper_offsets = vec![0; kmts.state_count() + 1];
    kmts.member_offsets.push(0);
    for (source, action, members) in kept {
        kmts.hyper_offsets[source.index() + 1] += 1;
        kmts.members.extend(members);
        kmts.member_offsets.push(to_u32(kmts.members.len()));
        kmts.hyper_actions.push(action.map_or(NO_ACTION, |action| action.number()));
    }
    for at in 0..kmts.state_count() {
        kmts.hyper_offsets[at + 1] += kmts.hyper_offsets[at];
    }
}

fn is_subset(small: &[StateId], large: &[StateId]) -> bool {
    small.iter().all(|member| large.binary_search(member).is_ok())
}

fn edge_set(kmts: &Kmts, pairs: &[(StateId, StateId, Option<ActionId>)], exact: bool) -> BitSet {
    let mut edges = BitSet::empty(kmts.edge_count());
    for &(from, to, action) in pairs {
        for at in kmts.edge_range(from) {
            let edge = kmts.edge(EdgeId::new(at));
            if edge.target == to && (edge.action == action || action.is_none() && !exact) {
                edges.insert(at);
            }
        }
    }
    edges
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn mentions_of_one_edge_add_up() {
        let mut builder = KmtsBuilder::new();
        let (a, b) = (builder.add_state("a"), builder.add_state("b"));
        builder.add_edge(a, b, true, false, None);
        builder.add_edge(b, a, true, false, None);
        builder.add_edge(a, b, false, true, None);
        let kmts = builder.finish().unwrap();
        let edges: Vec<_> = kmts.edges_from(a).map(|edge| (edge.target, edge.may, edge.must)).collect();
        assert_eq!(edges, [(b, true, true)]);
        assert!(!kmts.is_mixed());
    }

    #[test]
    fn only_minimal_hyper_edges_stay() {
        let mut builder = KmtsBuilder::new();
        let states: Vec<_> = ["a", "b", "c"].map(|name| builder.add_state(name)).into();
        builder.add_hyper(states[0], &states, None);
        builder.add_hyper(states[0], &states[1..], None);
        builder.add_hyper(states[1], &states[..2], None);
        builder.add_hyper(states[1], &states[..1], None);
        let kmts = builder.finish().unwrap();
        assert_eq!(kmts.certain_sets(states[0], None), [vec![states[1], states[2]]]);
        assert_eq!(kmts.certain_sets(states[1], None), [vec![states[0]]]);
        assert!(kmts.is_mixed());
    }
}
