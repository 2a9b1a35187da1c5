//! Which states does one state of a completion refine, and which steps does that demand and allow?
//!
//! A *cell* is a set of states that one concrete state refines together. Where everything certain is possible,
//! single states are enough, and a cell is a state. On mixed structures a demanded step to `t` also has to be
//! a possible step to some `u`, and its target then refines both (the search behind the consistency of mixed
//! structures works the same way).
//!
//! A *demand* of a cell is a list of steps of which a completion takes at least one. Whatever else it does, it
//! takes possible steps only. Cells that no concrete state can refine are left out.
//!
//! Not here: formulas.

use std::collections::HashMap;

use tertium_base::{Budget, StopReason, Stopped};
use tertium_evidence::Deadlock;
use tertium_model::{ActionId, Kmts, PropId, StateId};

use crate::Task;

/// A step of a completion, told by the cell of its target.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(crate) struct CellStep {
    /// The action it carries.
    pub action: Option<ActionId>,
    /// What its target refines.
    pub cell: u32,
}

/// What a mixed structure's cell demands and allows.
#[derive(Clone, Debug, Default)]
struct Joint {
    states: Vec<StateId>,
    demands: Vec<Vec<CellStep>>,
    possible: Vec<CellStep>,
    consistent: bool,
}

/// The cells of a structure.
#[derive(Debug)]
pub(crate) struct Cells<'t> {
    /// The structure.
    pub model: &'t Kmts,
    /// Whether completions have no deadlocks (but those that the structure itself has).
    pub total: bool,
    /// Of a mixed structure: every cell that can be reached. Otherwise cells are states.
    joint: Option<Vec<Joint>>,
    start: HashMap<StateId, u32>,
}

impl<'t> Cells<'t> {
    /// The cells from which some of these states can be completed.
    pub fn new(task: &Task<'t>, starts: &[StateId]) -> Result<Self, Stopped> {
        let total = task.model.total() || task.reading.deadlock == Deadlock::Total;
        let mut cells = Self { model: task.model, total, joint: None, start: HashMap::new() };
        if task.model.is_mixed() {
            let mut search = CellSearch {
                model: task.model,
                total,
                budget: task.budget,
                cells: Vec::new(),
                index: HashMap::new(),
                ticks: 0,
            };
            for &state in starts {
                cells.start.insert(state, search.number(vec![state])?);
            }
            cells.joint = Some(search.run()?);
        }
        Ok(cells)
    }

    /// How many cells there are.
    pub fn len(&self) -> usize {
        self.joint.as_ref().map_or(self.model.state_count(), Vec::len)
    }

    /// The cell of one state alone; none if nothing concrete refines it.
    pub fn of(&self, state: StateId) -> Option<u32> {
        match &self.joint {
            None => Some(state.number()),
            Some(joint) => self.start.get(&state).copied().filter(|&cell| joint[cell as usize].consistent),
        }
    }

    /// The states that a cell's concrete states refine.
    pub fn states(&self, cell: u32) -> impl Iterator<Item = StateId> + '_ {
        let (one, many): (_, &[StateId]) = match &self.joint {
            None => (Some(StateId::new(cell as usize)), &[]),
            Some(joint) => (None, &joint[cell as usize].states),
        };
        one.into_iter().chain(many.iter().copied())
    }

    /// The value that a proposition has in every concrete state of a cell, if that is certain.
    pub fn label(&self, cell: u32, prop: PropId) -> Option<bool> {
        self.states(cell).find_map(|state| {
            let label = self.model.label(state, prop);
            if label.for_true() {
                Some(true)
            } else if label.for_false() {
                Some(false)
            } else {
                None
            }
        })
    }

    /// Hands over each demand of a cell.
    pub fn demands(&self, cell: u32, mut visit: impl FnMut(&[CellStep])) {
        if let Some(joint) = &self.joint {
            joint[cell as usize].demands.iter().for_each(|demand| visit(demand));
            return;
        }
        let state = StateId::new(cell as usize);
        let mut some = false;
        let mut members = Vec::new();
        for edge in self.model.edges_from(state).filter(|edge| edge.must) {
            some = true;
            members.clear();
            self.steps_to_one_of(state, edge.action, &[edge.target], &mut members);
            visit(&members);
        }
        for hyper in self.model.hyper_from(state) {
            some = true;
            members.clear();
            self.steps_to_one_of(state, hyper.action, hyper.members, &mut members);
            visit(&members);
        }
        if !some && self.total {
            members.clear();
            members.extend(self.possible(cell));
            if !members.is_empty() {
                visit(&members);
            }
        }
    }

    /// The steps into one of these: with this action, or, without one, by anyone who can step there.
    fn steps_to_one_of(
        &self,
        state: StateId,
        action: Option<ActionId>,
        members: &[StateId],
        steps: &mut Vec<CellStep>,
    ) {
        if action.is_some() || self.model.actions().is_empty() {
            steps.extend(members.iter().map(|to| CellStep { action, cell: to.number() }));
            return;
        }
        let possible = self.model.edges_from(state).filter(|edge| edge.may && members.contains(&edge.target));
        steps.extend(possible.map(|edge| CellStep { action: edge.action, cell: edge.target.number() }));
    }

    /// The steps that a completion may take.
    pub fn possible(&self, cell: u32) -> impl Iterator<Item = CellStep> + '_ {
        let (state, steps): (_, &[CellStep]) = match &self.joint {
            None => (Some(StateId::new(cell as usize)), &[]),
            Some(joint) => (None, &joint[cell as usize].possible),
        };
        let single = state.into_iter().flat_map(|state| self.model.edges_from(state)).filter(|edge| edge.may);
        single.map(|edge| CellStep { action: edge.action, cell: edge.target.number() }).chain(steps.iter().copied())
    }

    /// A cell's name for people and files.
    pub fn name(&self, cell: u32) -> String {
        let names: Vec<&str> = self.states(cell).map(|state| self.model.state_name(state)).collect();
        names.join("&")
    }
}

/// Finds all cells of a mixed structure.
struct CellSearch<'t> {
    model: &'t Kmts,
    total: bool,
    budget: &'t Budget,
    cells: Vec<Joint>,
    index: HashMap<Vec<StateId>, u32>,
    ticks: u32,
}

impl CellSearch<'_> {
    fn number(&mut self, mut states: Vec<StateId>) -> Result<u32, Stopped> {
        self.budget.tick(&mut self.ticks)?;
        states.sort_unstable();
        states.dedup();
        if let Some(&known) = self.index.get(&states) {
            return Ok(known);
        }
        let id = u32::try_from(self.cells.len()).map_err(|_| Stopped(StopReason::Count))?;
        self.budget.reserve(states.len() * 16 + size_of::<Joint>())?;
        let consistent = !self.contradicts_itself(&states);
        self.index.insert(states.clone(), id);
        self.cells.push(Joint { states, consistent, ..Joint::default() });
        Ok(id)
    }

    fn contradicts_itself(&self, states: &[StateId]) -> bool {
        (0..self.model.props().len()).map(PropId::new).any(|prop| {
            let values = || states.iter().map(|&state| self.model.label(state, prop));
            values().any(|value| value.for_true()) && values().any(|value| value.for_false())
        })
    }

    fn run(mut self) -> Result<Vec<Joint>, Stopped> {
        let mut next = 0;
        while next < self.cells.len() {
            if self.cells[next].consistent {
                self.expand(next)?;
            }
            next += 1;
        }
        self.strike_out();
        Ok(self.cells)
    }

    fn expand(&mut self, cell: usize) -> Result<(), Stopped> {
        let states = self.cells[cell].states.clone();
        let mut actions: Vec<Option<ActionId>> =
            states.iter().flat_map(|&state| self.model.edges_from(state).map(|edge| edge.action)).collect();
        actions.sort_unstable();
        actions.dedup();
        let mut possible = Vec::new();
        for &action in &actions {
            possible.extend(self.candidates(&states, action, None)?);
        }
        let mut certain: Vec<(Option<ActionId>, Vec<StateId>)> = Vec::new();
        for &state in &states {
            let edges = self.model.edges_from(state).filter(|edge| edge.must);
            certain.extend(edges.map(|edge| (edge.action, vec![edge.target])));
            certain.extend(self.model.hyper_from(state).map(|edge| (edge.action, edge.members.to_vec())));
        }
        certain.sort();
        certain.dedup();
        let mut demands = Vec::new();
        for (action, members) in certain {
            let by = if action.is_some() { vec![action] } else { actions.clone() };
            let mut steps = Vec::new();
            for action in by {
                steps.extend(self.candidates(&states, action, Some(members.clone()))?);
            }
            demands.push(steps);
        }
        let never_dead = states.iter().any(|&state| !self.model.is_dead(state));
        if self.total && demands.is_empty() && never_dead {
            demands.push(possible.clone());
        }
        let found = &mut self.cells[cell];
        (found.demands, found.possible) = (demands, possible);
        Ok(())
    }

    /// The steps to one of `members` (to anything without them) that are possible for all states at once.
    fn candidates(
        &mut self,
        states: &[StateId],
        action: Option<ActionId>,
        members: Option<Vec<StateId>>,
    ) -> Result<Vec<CellStep>, Stopped> {
        let mut choices: Vec<Vec<StateId>> = members.into_iter().collect();
        for &state in states {
            let steps = self.model.edges_from(state).filter(|edge| edge.may && edge.action == action);
            choices.push(steps.map(|edge| edge.target).collect());
        }
        if choices.iter().any(Vec::is_empty) {
            return Ok(Vec::new());
        }
        let mut at = vec![0; choices.len()];
        let mut sets: Vec<Vec<StateId>> = Vec::new();
        loop {
            self.budget.tick(&mut self.ticks)?;
            let mut chosen: Vec<StateId> = choices.iter().zip(&at).map(|(choice, &at)| choice[at]).collect();
            chosen.sort_unstable();
            chosen.dedup();
            sets.push(chosen);
            let Some(next) = (0..at.len()).find(|&place| at[place] + 1 < choices[place].len()) else { break };
            at[..next].fill(0);
            at[next] += 1;
        }
        sets.sort_by(|a, b| (a.len(), a).cmp(&(b.len(), b)));
        sets.dedup();
        let mut least: Vec<Vec<StateId>> = Vec::new();
        for set in sets {
            // Whoever refines more states is harder to find, and satisfies nothing more.
            if !least.iter().any(|small| small.iter().all(|state| set.contains(state))) {
                least.push(set);
            }
        }
        least.into_iter().map(|set| Ok(CellStep { action, cell: self.number(set)? })).collect()
    }

    /// Strikes out cells with a demand that no cell left can meet, until nothing changes.
    fn strike_out(&mut self) {
        loop {
            let alive: Vec<bool> = self.cells.iter().map(|cell| cell.consistent).collect();
            let mut changed = false;
            for cell in &mut self.cells {
                let met = |demand: &Vec<CellStep>| demand.iter().any(|step| alive[step.cell as usize]);
                if cell.consistent && !cell.demands.iter().all(met) {
                    cell.consistent = false;
                    changed = true;
                }
            }
            if !changed {
                break;
            }
        }
        let alive: Vec<bool> = self.cells.iter().map(|cell| cell.consistent).collect();
        for cell in &mut self.cells {
            cell.possible.retain(|step| alive[step.cell as usize]);
            cell.demands.iter_mut().for_each(|demand| demand.retain(|step| alive[step.cell as usize]));
        }
    }
}
