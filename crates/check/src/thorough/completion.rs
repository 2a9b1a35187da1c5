//! The completion that a winning strategy builds.
//!
//! Its states are nodes of the tableau, and, where nothing is left to meet, one state per cell that takes one step for
//! every demand and no other. A label that nobody asks for is false.

use std::collections::{HashMap, HashSet};

use tertium_base::{Budget, StopReason, Stopped};
use tertium_lattice::Belnap;
use tertium_model::{ActionId, Kmts, KmtsBuilder, PropId, StateId, minimise, reachable};

use super::cells::Cells;
use super::tableau::Tableau;

/// A complete structure and what its states refine.
#[derive(Clone, Debug)]
pub struct Completion {
    /// The structure; its first state is the only initial one.
    pub structure: Kmts,
    /// For each state the states of the partial structure that it refines, at least one.
    pub refines: Vec<Vec<StateId>>,
}

/// A state of a completion under construction.
#[derive(Clone, Debug, Default)]
pub(crate) struct DraftState {
    /// What it refines.
    pub cell: u32,
    /// The labels that it has to have.
    pub labels: Vec<(PropId, bool)>,
    /// Its steps.
    pub steps: Vec<(Option<ActionId>, usize)>,
}

/// A completion under construction.
#[derive(Debug)]
pub(crate) struct Draft<'t> {
    cells: &'t Cells<'t>,
    states: Vec<DraftState>,
    /// The state of each cell where nothing is left to meet.
    idle: HashMap<u32, usize>,
    pending: Vec<usize>,
}

impl<'t> Draft<'t> {
    /// A completion without states.
    pub fn new(cells: &'t Cells<'t>) -> Self {
        Self { cells, states: Vec::new(), idle: HashMap::new(), pending: Vec::new() }
    }

    /// Adds a state; the first one is initial.
    pub fn add(&mut self, cell: u32) -> usize {
        self.states.push(DraftState { cell, ..DraftState::default() });
        self.states.len() - 1
    }

    /// The state of a cell where nothing is left to meet.
    pub fn idle(&mut self, cell: u32) -> usize {
        if let Some(&known) = self.idle.get(&cell) {
            return known;
        }
        let state = self.add(cell);
        self.idle.insert(cell, state);
        self.pending.push(state);
        state
    }

    /// A state that was added.
    pub fn state(&mut self, at: usize) -> &mut DraftState {
        &mut self.states[at]
    }

    /// Takes a step for every demand of a state's cell that its steps do not meet yet.
    pub fn meet_demands(&mut self, at: usize) {
        let cells = self.cells;
        let mut missing = Vec::new();
        cells.demands(self.states[at].cell, |steps| {
            let taken = |step: &super::cells::CellStep| {
                let leads = |&(action, to): &(_, usize)| action == step.action && self.states[to].cell == step.cell;
                self.states[at].steps.iter().any(leads)
                    || missing.iter().any(|other: &super::cells::CellStep| other == step)
            };
            if !steps.iter().any(taken) {
                missing.extend(steps.first().copied());
            }
        });
        for step in missing {
            let to = self.idle(step.cell);
            self.states[at].steps.push((step.action, to));
        }
    }

    /// Names that tell what is refined, and that no two states share.
    fn add_states(&self, builder: &mut KmtsBuilder) {
        let mut used: HashSet<String> = HashSet::new();
        let mut copies: HashMap<u32, usize> = HashMap::new();
        for state in &self.states {
            let base = self.cells.name(state.cell);
            let count = copies.entry(state.cell).or_insert(1);
            let mut name = base.clone();
            while !used.insert(name.clone()) {
                *count += 1;
                name = format!("{base}#{count}");
            }
            builder.add_state(&name);
        }
    }

    /// The completion, minimised.
    ///
    /// # Errors
    /// If it is too large.
    pub fn finish(mut self, budget: &Budget) -> Result<Completion, Stopped> {
        while let Some(at) = self.pending.pop() {
            self.meet_demands(at);
        }
        let model = self.cells.model;
        let mut builder = KmtsBuilder::new();
        self.add_states(&mut builder);
        let props: Vec<PropId> = model.props().iter().map(|name| builder.add_prop(name)).collect();
        let actions: Vec<ActionId> = model.actions().iter().map(|name| builder.add_action(name)).collect();
        for (at, state) in self.states.iter().enumerate() {
            for &prop in &props {
                let asked = state.labels.iter().find(|(asked, _)| *asked == prop).map(|&(_, value)| value);
                let value = self.cells.label(state.cell, prop).or(asked).unwrap_or(false);
                builder.set_label(StateId::new(at), prop, if value { Belnap::True } else { Belnap::False });
            }
            for &(action, to) in &state.steps {
                let action = action.map(|action| actions[action.index()]);
                builder.add_edge(StateId::new(at), StateId::new(to), true, true, action);
            }
        }
        builder.add_init(StateId::new(0));
        builder.set_total(false);
        let whole = builder.finish().map_err(|_| Stopped(StopReason::Count))?;
        let found = reachable(&whole, None, budget)?;
        let least = minimise(&found.structure, budget)?;
        let mut refines: Vec<Vec<StateId>> = vec![Vec::new(); least.structure.state_count()];
        for (old, new) in least.new_of.iter().enumerate() {
            let cell = self.states[found.old_of[old].index()].cell;
            refines[new.map_or(0, StateId::index)].extend(self.cells.states(cell));
        }
        for states in &mut refines {
            states.sort_unstable();
            states.dedup();
        }
        Ok(Completion { structure: least.structure, refines })
    }
}

/// The completion that the builder's strategy makes from a node that is won.
pub(crate) fn extract(tableau: &mut Tableau<'_>, root: u32, budget: &Budget) -> Result<Completion, Stopped> {
    let mut draft = Draft::new(tableau.cells);
    let mut known: HashMap<u32, usize> = HashMap::new();
    let mut todo = vec![root];
    known.insert(root, draft.add(tableau.cell(root)));
    let mut ticks = 0;
    while let Some(node) = todo.pop() {
        budget.tick(&mut ticks)?;
        let at = known[&node];
        if tableau.asked(node).is_empty() {
            draft.meet_demands(at);
            continue;
        }
        let Some((number, way)) = tableau.chosen_way(node) else { continue };
        draft.state(at).labels.clone_from(&way.labels);
        for (step, target) in tableau.chosen_steps(node, number)? {
            let to = match known.get(&target) {
                Some(&to) => to,
                None if tableau.asked(target).is_empty() => draft.idle(step.cell),
                None => {
                    todo.push(target);
                    let to = draft.add(step.cell);
                    known.insert(target, to);
                    to
                }
            };
            draft.state(at).steps.push((step.action, to));
        }
    }
    draft.finish(budget)
}
