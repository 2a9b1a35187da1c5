//! What is left of a structure when one player follows a strategy?
//!
//! The closed loop: the states that plays with the strategy reach, each with the strategy's memory. Where the player moves, there is the chosen step alone; where the others do, everything that they can do. It refines
//! the structure restricted to the strategy, and is a structure like any other: whatever checks structures can check what the strategy promises.

use std::collections::HashMap;

use tertium_base::narrow::to_u32;
use tertium_base::{StopReason, Stopped};
use tertium_model::{ActionId, Kmts, KmtsBuilder, PropId, StateId};

use super::SynthesisTask;
use super::arena::{Arena, Move, Position};
use crate::game::parity::NO_MOVE;

/// A structure in which one player follows a strategy.
#[derive(Clone, Debug)]
pub struct ClosedLoop {
    /// The structure; initial states in the order in which they were asked about.
    pub structure: Kmts,
    /// For each of its states the state of the original.
    pub origin: Vec<StateId>,
    /// For each of its states the memory of the strategy, which is 0 at the start.
    pub memory: Vec<u32>,
}

/// A strategy as a function of a position and the mode that it is in: the move, and the next mode.
pub(super) type Choice<'a> = dyn Fn(usize, u32) -> (u32, u32) + 'a;

struct Walk<'a> {
    task: &'a SynthesisTask<'a>,
    arena: &'a Arena,
    choice: &'a Choice<'a>,
    numbers: HashMap<(u32, u32), usize>,
    /// Positions at states, with the strategy's mode.
    found: Vec<(u32, u32)>,
}

/// One step of the closed loop, before it is a structure.
struct LoopStep {
    to: usize,
    must: bool,
    action: Option<ActionId>,
}

/// The closed loop of a strategy.
///
/// # Errors
/// If it is too large, or the budget is spent.
pub(super) fn closed_loop(task: &SynthesisTask<'_>, arena: &Arena, choice: &Choice<'_>) -> Result<ClosedLoop, Stopped> {
    let model = task.model;
    let mut walk = Walk { task, arena, choice, numbers: HashMap::new(), found: Vec::new() };
    let starts: Vec<usize> = arena.starts.iter().map(|&start| walk.number(start, 0)).collect();
    let mut opened: Vec<Opened> = Vec::new();
    let mut ticks = 0;
    while opened.len() < walk.found.len() {
        task.budget.tick(&mut ticks)?;
        let next = walk.open(opened.len());
        opened.push(next);
    }
    let (origin, memory) = walk.origins();
    let mut builder = KmtsBuilder::new();
    name_states(model, &origin, &mut builder);
    for (prop, name) in model.props().iter().enumerate() {
        let prop_id = builder.add_prop(name);
        for (at, &state) in origin.iter().enumerate() {
            builder.set_label(StateId::new(at), prop_id, model.label(state, PropId::new(prop)));
        }
    }
    for name in model.actions() {
        builder.add_action(name);
    }
    for (at, own) in opened.iter().enumerate() {
        for step in &own.steps {
            builder.add_edge(StateId::new(at), StateId::new(step.to), true, step.must, step.action);
        }
        for (members, action) in &own.sets {
            let members: Vec<StateId> = members.iter().map(|&to| StateId::new(to)).collect();
            builder.add_hyper(StateId::new(at), &members, *action);
        }
    }
    builder.copy_owners(model, opened.iter().enumerate().map(|(at, own)| (StateId::new(at), own.owner)));
    starts.iter().for_each(|&start| builder.add_init(StateId::new(start)));
    builder.set_total(false);
    let structure = builder.finish().map_err(|_| Stopped(StopReason::Count))?;
    Ok(ClosedLoop { structure, origin, memory })
}

/// Names that tell the original's state, and that no two states share.
fn name_states(model: &Kmts, origin: &[StateId], builder: &mut KmtsBuilder) {
    let mut used = std::collections::HashSet::new();
    for &state in origin {
        let base = model.state_name(state);
        let (mut name, mut number) = (base.to_owned(), 1);
        while !used.insert(name.clone()) {
            number += 1;
            name = format!("{base}#{number}");
        }
        builder.add_state(&name);
    }
}

type LoopSets = Vec<(Vec<usize>, Option<ActionId>)>;

/// What leaves a state of the closed loop, and the original's state whose owner chooses it.
struct Opened {
    steps: Vec<LoopStep>,
    sets: LoopSets,
    owner: StateId,
}

impl Walk<'_> {
    fn number(&mut self, position: u32, mode: u32) -> usize {
        let next = self.found.len();
        let number = *self.numbers.entry((position, mode)).or_insert(next);
        if number == next {
            self.found.push((position, mode));
        }
        number
    }

    /// The steps of a state of the closed loop, and the hyper edges among them.
    fn open(&mut self, at: usize) -> Opened {
        let (position, mode) = self.found[at];
        let position = position as usize;
        let state = self.state(position);
        let mut opened = Opened { steps: Vec::new(), sets: Vec::new(), owner: state };
        let (chosen, next_mode) = (self.choice)(position, mode);
        if !self.task.mine[state.index()] {
            for number in 0..self.arena.game.moves(position).len() {
                self.step(position, number, next_mode, &mut opened);
            }
            self.others_sets(state, &mut opened);
        } else if chosen != NO_MOVE {
            self.step(position, chosen as usize, next_mode, &mut opened);
        }
        opened
    }

    fn state(&self, position: usize) -> StateId {
        match self.arena.positions[position] {
            Position::At(state, ..) => state,
            // Closed loops have states only; between a hyper edge and its member there is none.
            Position::Within(set, ..) => self.task.model.hyper(set).members[0],
        }
    }

    /// Adds the steps that one move makes.
    fn step(&mut self, position: usize, number: usize, mode: u32, opened: &mut Opened) {
        let model = self.task.model;
        let target = self.arena.game.moves(position)[number];
        let mine = self.task.mine[self.state(position).index()];
        match self.arena.moves[self.arena.first_move[position] + number] {
            Move::Step(id) => {
                let edge = model.edge(id);
                let landings = self.landings(target, mode, edge.action);
                let between = self.task.silent.get(edge.target.index()).copied().unwrap_or(false);
                if between && mine {
                    opened.owner = edge.target;
                }
                for (to, mode, action) in landings {
                    let to = self.number(to, mode);
                    opened.steps.push(LoopStep { to, must: mine || edge.must, action });
                }
            }
            Move::Hyper(id) => {
                let set = model.hyper(id);
                let state = self.state(position);
                let mut members = Vec::new();
                for (&member, &target) in set.members.iter().zip(self.arena.game.moves(target as usize)) {
                    let to = self.number(target, mode);
                    members.push(to);
                    let fits = |edge: &tertium_model::Edge| {
                        edge.may && edge.target == member && (set.action.is_none() || edge.action == set.action)
                    };
                    let actions = model.edges_from(state).filter(fits).map(|edge| edge.action);
                    opened.steps.extend(actions.map(|action| LoopStep { to, must: false, action }));
                }
                opened.sets.push((members, set.action));
            }
            Move::Member(_) => {}
        }
    }

    /// Where a move leads, past a state that only stands between two others.
    fn landings(&self, target: u32, mode: u32, action: Option<ActionId>) -> Vec<(u32, u32, Option<ActionId>)> {
        let position = target as usize;
        let state = self.state(position);
        if !self.task.silent.get(state.index()).copied().unwrap_or(false) {
            return vec![(target, mode, action)];
        }
        let (chosen, next_mode) = (self.choice)(position, mode);
        let taken = |number: usize| {
            let action = match self.arena.moves[self.arena.first_move[position] + number] {
                Move::Step(id) => self.task.model.edge(id).action,
                Move::Hyper(_) | Move::Member(_) => None,
            };
            (self.arena.game.moves(position)[number], next_mode, action)
        };
        if !self.task.mine[state.index()] {
            return (0..self.arena.game.moves(position).len()).map(taken).collect();
        }
        if chosen == NO_MOVE { Vec::new() } else { vec![taken(chosen as usize)] }
    }

    /// What is certain of the others' moves stays so.
    fn others_sets(&self, state: StateId, opened: &mut Opened) {
        for set in self.task.model.hyper_from(state) {
            let leads = |step: &&LoopStep| {
                let Position::At(target, ..) = self.arena.positions[self.found[step.to].0 as usize] else {
                    return false;
                };
                set.members.contains(&target) && (set.action.is_none() || step.action == set.action)
            };
            let members: Vec<usize> = opened.steps.iter().filter(leads).map(|step| step.to).collect();
            opened.sets.push((members, set.action));
        }
    }

    /// For each state of the closed loop the original's state, and a number for the rest.
    fn origins(&self) -> (Vec<StateId>, Vec<u32>) {
        let mut memories: HashMap<(u32, u32, u32), u32> = HashMap::new();
        let (mut origin, mut memory) = (Vec::new(), Vec::new());
        for &(position, mode) in &self.found {
            if let Position::At(state, automaton, priority) = self.arena.positions[position as usize] {
                let next = to_u32(memories.len());
                origin.push(state);
                memory.push(*memories.entry((automaton, priority, mode)).or_insert(next));
            }
        }
        (origin, memory)
    }
}
