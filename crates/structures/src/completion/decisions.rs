//! What does a partial model leave open, and what does it become when some of that is decided?
//!
//! Open are labels that are unknown and steps that are possible but not certain. A decision gives the label a value, or says that the step is there or is not.
//! Decisions can contradict what is certain: of a hyper edge some member has to stay, and so has some step where the model is total.
//!
//! Not here: which decisions are good ones (`own_states`).

use std::fmt::Write;

use tertium_base::narrow::to_u32;
use tertium_lattice::Belnap;
use tertium_load::cuts::too_large;
use tertium_load::failure::Failure;
use tertium_model::{ActionId, EdgeId, Kmts, KmtsBuilder, PropId, StateId};

/// Something that a model leaves open.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(super) enum OpenItem {
    /// The label of a state is unknown.
    Label(StateId, PropId),
    /// A step is possible and not certain.
    Step(EdgeId),
}

/// Decisions about items of one design, by their numbers, ascending.
pub(super) type Decisions = Vec<(u32, bool)>;

/// A partial model as a list of what is open.
#[derive(Debug)]
pub(super) struct Design<'m> {
    pub model: &'m Kmts,
    pub items: Vec<OpenItem>,
    /// For each hyper edge its source and the steps that would meet it.
    hyper: Vec<(StateId, Vec<EdgeId>)>,
    /// Whether every state keeps a step: the model is total, or is read so.
    endless: bool,
    sources: Vec<StateId>,
}

impl<'m> Design<'m> {
    /// The open items of a model: labels first, by state, then steps.
    pub fn new(model: &'m Kmts, endless: bool) -> Self {
        let mut items = Vec::new();
        let mut sources = vec![StateId::new(0); model.edge_count()];
        for state in model.states() {
            let props = (0..model.props().len()).map(PropId::new);
            items.extend(
                props
                    .filter(|&prop| model.label(state, prop) == Belnap::Unknown)
                    .map(|prop| OpenItem::Label(state, prop)),
            );
        }
        let mut hyper = Vec::new();
        for state in model.states() {
            for edge in model.edges_from(state) {
                sources[edge.id.index()] = state;
                if edge.may && !edge.must {
                    items.push(OpenItem::Step(edge.id));
                }
            }
            for set in model.hyper_from(state) {
                let meets = |edge: &tertium_model::Edge| {
                    edge.may
                        && set.members.contains(&edge.target)
                        && (set.action.is_none() || edge.action == set.action)
                };
                hyper.push((state, model.edges_from(state).filter(meets).map(|edge| edge.id).collect()));
            }
        }
        Self { model, items, hyper, endless: endless || model.total(), sources }
    }

    /// Where a step begins.
    pub fn source(&self, edge: EdgeId) -> StateId {
        self.sources[edge.index()]
    }

    /// The number of an item, if it is open.
    pub fn number(&self, item: OpenItem) -> Option<u32> {
        self.items.iter().position(|&known| known == item).map(to_u32)
    }

    /// A decision as the command line writes it: `closed.lamp=t`, `jammed->opening=f`.
    pub fn text(&self, (number, value): (u32, bool)) -> String {
        let letter = if value { "t" } else { "f" };
        format!("{}={letter}", self.item_text(self.items[number as usize]))
    }

    fn item_text(&self, item: OpenItem) -> String {
        let model = self.model;
        match item {
            OpenItem::Label(state, prop) => format!("{}.{}", model.state_name(state), model.props()[prop.index()]),
            OpenItem::Step(id) => {
                let edge = model.edge(id);
                step_text(model, self.source(id), edge.target, edge.action)
            }
        }
    }

    /// The model with these decisions made and the rest left open; `None` if they contradict what is certain.
    pub fn decided(&self, decisions: &[(u32, bool)]) -> Result<Option<Kmts>, Failure> {
        let mut edges: Vec<Option<bool>> = vec![None; self.model.edge_count()];
        let mut labels = Vec::new();
        for &(number, value) in decisions {
            match self.items[number as usize] {
                OpenItem::Label(state, prop) => labels.push((state, prop, value)),
                OpenItem::Step(edge) => edges[edge.index()] = Some(value),
            }
        }
        self.force(&mut edges);
        if !self.is_consistent(&edges) {
            return Ok(None);
        }
        let model = self.model;
        let mut builder = KmtsBuilder::with_names(model.state_names().clone());
        copy_vocabulary(model, &mut builder);
        for (state, prop, value) in labels {
            builder.set_label(state, prop, if value { Belnap::True } else { Belnap::False });
        }
        for state in model.states() {
            for edge in model.edges_from(state).filter(|edge| edges[edge.id.index()] != Some(false)) {
                let must = edge.must || edges[edge.id.index()] == Some(true);
                builder.add_edge(state, edge.target, true, must, edge.action);
            }
            for set in model.hyper_from(state) {
                let stays = |member: &&StateId| {
                    model.edges_from(state).any(|edge| {
                        edge.target == **member
                            && (set.action.is_none() || edge.action == set.action)
                            && edges[edge.id.index()] != Some(false)
                    })
                };
                let members: Vec<StateId> = set.members.iter().filter(stays).copied().collect();
                // What one member is left of is certain already, or said of several steps there, for which there is no word.
                if members.len() > 1 {
                    builder.add_hyper(state, &members, set.action);
                }
            }
        }
        copy_fairness(model, &mut builder, |edge| edges[edge.index()] != Some(false), &self.sources);
        builder.finish().map(Some).map_err(too_large)
    }

    /// Takes the step that is left over where all others that would do are dropped.
    fn force(&self, edges: &mut [Option<bool>]) {
        for (_, steps) in &self.hyper {
            let mut left = steps.iter().filter(|step| edges[step.index()] != Some(false));
            if let (Some(&only), None) = (left.next(), left.next()) {
                edges[only.index()] = Some(true);
            }
        }
    }

    fn is_consistent(&self, edges: &[Option<bool>]) -> bool {
        let stays = |step: &EdgeId| edges[step.index()] != Some(false);
        let met = self.hyper.iter().all(|(_, steps)| steps.iter().any(stays));
        let goes_on = |state: StateId| {
            self.model.is_dead(state) || self.model.edges_from(state).any(|edge| edge.may && stays(&edge.id))
        };
        met && (!self.endless || self.model.states().all(goes_on))
    }

    /// Decides everything that is still open: labels are false, steps are left out unless something certain, or the state, needs one.
    pub fn fill(&self, decisions: &[(u32, bool)]) -> Decisions {
        let mut values: Vec<Option<bool>> = vec![None; self.items.len()];
        let mut edges: Vec<Option<bool>> = vec![None; self.model.edge_count()];
        for &(number, value) in decisions {
            values[number as usize] = Some(value);
            if let OpenItem::Step(edge) = self.items[number as usize] {
                edges[edge.index()] = Some(value);
            }
        }
        let certain = |edge: EdgeId| self.model.edge(edge).must;
        for (_, steps) in &self.hyper {
            if steps.iter().any(|&step| certain(step) || edges[step.index()] == Some(true)) {
                continue;
            }
            if let Some(step) = steps.iter().find(|step| edges[step.index()].is_none()) {
                edges[step.index()] = Some(true);
            }
        }
        for state in self.model.states() {
            let taken = |edge: &tertium_model::Edge| edge.must || edges[edge.id.index()] == Some(true);
            if !self.model.edges_from(state).any(|edge| taken(&edge)) {
                let open = self.model.edges_from(state).find(|edge| edge.may && edges[edge.id.index()].is_none());
                if let Some(edge) = open {
                    edges[edge.id.index()] = Some(true);
                }
            }
        }
        let value = |(at, item): (usize, &OpenItem)| {
            let filled = match *item {
                OpenItem::Label(..) => values[at].unwrap_or(false),
                OpenItem::Step(edge) => edges[edge.index()].unwrap_or(false),
            };
            (to_u32(at), filled)
        };
        self.items.iter().enumerate().map(value).collect()
    }

    /// The items that can matter to a question about some propositions at some states: on what can be reached from there.
    pub fn relevant(&self, partial: &Kmts, from: &[StateId], props: &[PropId]) -> Vec<u32> {
        let reached = reached(partial, from);
        let matters = |item: &OpenItem| match *item {
            OpenItem::Label(state, prop) => {
                reached[state.index()] && props.contains(&prop) && partial.label(state, prop) == Belnap::Unknown
            }
            OpenItem::Step(id) => {
                let (edge, source) = (self.model.edge(id), self.source(id));
                let open = |now: tertium_model::Edge| {
                    now.target == edge.target && now.action == edge.action && now.may && !now.must
                };
                reached[source.index()] && partial.edges_from(source).any(open)
            }
        };
        (0..self.items.len()).filter(|&at| matters(&self.items[at])).map(to_u32).collect()
    }
}

/// The states that possible steps lead to.
pub(super) fn reached(model: &Kmts, from: &[StateId]) -> Vec<bool> {
    let mut seen = vec![false; model.state_count()];
    let mut todo = from.to_vec();
    from.iter().for_each(|state| seen[state.index()] = true);
    while let Some(state) = todo.pop() {
        for next in model.may_successors(state) {
            if !seen[next.index()] {
                seen[next.index()] = true;
                todo.push(next);
            }
        }
    }
    seen
}

/// A step as the command line writes it.
pub(super) fn step_text(model: &Kmts, from: StateId, to: StateId, action: Option<ActionId>) -> String {
    let mut text = model.state_name(from).to_owned();
    // Writing into memory does not fail.
    let _ = match action {
        Some(action) => write!(text, "-[{}]->", model.actions()[action.index()]),
        None => write!(text, "->"),
    };
    text.push_str(model.state_name(to));
    text
}

/// Propositions with their labels, actions, initial states, owners, totality.
pub(super) fn copy_vocabulary(model: &Kmts, builder: &mut KmtsBuilder) {
    for name in model.props() {
        let prop = builder.add_prop(name);
        model.states().for_each(|state| builder.set_label(state, prop, model.label(state, prop)));
    }
    for name in model.actions() {
        builder.add_action(name);
    }
    model.init().iter().for_each(|&state| builder.add_init(state));
    builder.copy_owners(model, model.states().map(|state| (state, state)));
    builder.set_total(model.total());
}

/// Fairness constraints, restricted to the steps that stay.
pub(super) fn copy_fairness(
    model: &Kmts,
    builder: &mut KmtsBuilder,
    stays: impl Fn(EdgeId) -> bool,
    sources: &[StateId],
) {
    for constraint in model.fairness() {
        let named = |set: &tertium_base::BitSet| {
            set.iter()
                .map(EdgeId::new)
                .filter(|&edge| stays(edge))
                .map(|id| {
                    let edge = model.edge(id);
                    (sources[id.index()], edge.target, edge.action)
                })
                .collect()
        };
        builder.add_exact_fairness(named(&constraint.possible), named(&constraint.certain));
    }
}
