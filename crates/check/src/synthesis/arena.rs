//! The game for an objective: states of the structure beside those of a deterministic automaton.
//!
//! At a state of the player for whom a strategy is sought, the certain moves count: a certain step, or a hyper edge, of which the others then choose the member. At a state of the others the
//! possible ones do. Labels are read pessimistically. Monitors of responses run beside the automaton. So whatever wins here wins in every completion. Who cannot move loses.

use std::collections::HashMap;

use tertium_base::narrow::to_u32;
use tertium_base::{BitSet, Budget, Stopped};
use tertium_logic::AtomId;
use tertium_logic::automata::{Determiniser, Literal};
use tertium_model::{EdgeId, HyperId, Kmts, PropId, StateId};

use crate::game::parity::{Class, Game, Player};

/// A position of the game.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(super) enum Position {
    /// At a state, with the automaton's state before its label is read, and the priority of the step that led here.
    At(StateId, u32, u32),
    /// A hyper edge was chosen; the others choose the member.
    Within(HyperId, u32, u32),
}

/// What a move stands for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Move {
    /// A step of the structure.
    Step(EdgeId),
    /// The choice of a hyper edge.
    Hyper(HyperId),
    /// The choice of a member of a hyper edge.
    Member(StateId),
}

/// The game with what its positions and moves stand for.
pub(super) struct Arena {
    pub game: Game,
    pub positions: Vec<Position>,
    /// In the order of the game's moves.
    pub moves: Vec<Move>,
    /// Where the moves of each position begin.
    pub first_move: Vec<usize>,
    pub starts: Vec<u32>,
    /// How many states the automaton and its monitors have.
    pub memory: usize,
    /// For each memory the monitors that wait, as bits; empty if there are no monitors.
    pub waiting: Vec<u64>,
}

/// Waits from a request to its grant.
pub(super) struct Monitor {
    /// The states that make it wait.
    pub requests: BitSet,
    /// The states that end that.
    pub grants: BitSet,
}

/// What is asked: for whom, and what.
pub(super) struct ArenaTask<'a> {
    pub model: &'a Kmts,
    /// For each state whether the player moves there.
    pub mine: &'a [bool],
    pub states: &'a [StateId],
    /// For each state whether it only stands between two others, so that its label is not read; empty if none does.
    pub silent: &'a [bool],
    /// For each atom of the objective its proposition.
    pub props: &'a [PropId],
    /// At most 64, which run beside the automaton.
    pub monitors: &'a [Monitor],
    pub budget: &'a Budget,
}

struct Builder<'a> {
    task: &'a ArenaTask<'a>,
    automaton: Option<Determiniser>,
    /// Where there are monitors: states of the automaton with those that wait.
    memories: HashMap<(u32, u64), u32>,
    memory_of: Vec<(u32, u64)>,
    numbers: HashMap<Position, u32>,
    arena: Arena,
}

/// Builds the game from the states that are asked about; without an automaton there is nothing to watch.
///
/// # Errors
/// If the budget is spent.
pub(super) fn build(task: &ArenaTask<'_>, automaton: Option<Determiniser>) -> Result<Arena, Stopped> {
    let priorities = automaton.as_ref().map_or(0, Determiniser::greatest_priority);
    let classes = (0..=priorities)
        .flat_map(|priority| [Player::Even, Player::Odd].map(|owner| Class { owner, priority, block: 0 }));
    let arena = Arena {
        game: Game::new(classes.collect()),
        positions: Vec::new(),
        moves: Vec::new(),
        first_move: vec![0],
        starts: Vec::new(),
        memory: 0,
        waiting: Vec::new(),
    };
    // The memory 0 is that before anything was read.
    let (memories, memory_of) = (HashMap::from([((0, 0), 0)]), vec![(0, 0)]);
    Builder { task, automaton, memories, memory_of, numbers: HashMap::new(), arena }.run()
}

impl Builder<'_> {
    fn run(mut self) -> Result<Arena, Stopped> {
        for &state in self.task.states {
            let start = self.number(Position::At(state, 0, 0))?;
            self.arena.starts.push(start);
        }
        let (mut at, mut ticks) = (0, 0);
        while at < self.arena.positions.len() {
            self.task.budget.tick(&mut ticks)?;
            match self.arena.positions[at] {
                Position::At(state, memory, _) => self.open_state(state, memory)?,
                Position::Within(set, memory, priority) => {
                    for &member in self.task.model.hyper(set).members {
                        self.add(Move::Member(member), Position::At(member, memory, priority))?;
                    }
                }
            }
            self.arena.game.close(self.task.budget)?;
            self.arena.first_move.push(self.arena.moves.len());
            at += 1;
        }
        self.arena.memory = self.automaton.as_ref().map_or(1, Determiniser::state_count);
        if !self.task.monitors.is_empty() {
            self.arena.memory = self.memory_of.len();
            self.arena.waiting = self.memory_of.iter().map(|&(_, waiting)| waiting).collect();
        }
        Ok(self.arena)
    }

    fn open_state(&mut self, state: StateId, memory: u32) -> Result<(), Stopped> {
        let model = self.task.model;
        let (next, priority) = self.read(state, memory);
        let mine = self.task.mine[state.index()];
        for edge in model.edges_from(state).filter(|edge| if mine { edge.must } else { edge.may }) {
            self.add(Move::Step(edge.id), Position::At(edge.target, next, priority))?;
        }
        if mine {
            for set in model.hyper_from(state) {
                self.add(Move::Hyper(set.id), Position::Within(set.id, next, priority))?;
            }
        }
        Ok(())
    }

    /// The automaton's step on the label of a state, read pessimistically.
    fn read(&mut self, state: StateId, memory: u32) -> (u32, u32) {
        let (model, props) = (self.task.model, self.task.props);
        if self.task.silent.get(state.index()).copied().unwrap_or(false) {
            return (memory, 0);
        }
        let (before, waiting) =
            if self.task.monitors.is_empty() { (memory, 0) } else { self.memory_of[memory as usize] };
        let (next, priority) = match &mut self.automaton {
            None => (0, 0),
            Some(automaton) => {
                let (next, priority) =
                    automaton.successor(before as usize, |literal: Literal| holds(model, props, state, literal));
                (to_u32(next), priority)
            }
        };
        if self.task.monitors.is_empty() {
            return (next, priority);
        }
        let waits = |(at, monitor): (usize, &Monitor)| {
            let asked = waiting >> at & 1 == 1 || monitor.requests.contains(state.index());
            u64::from(asked && !monitor.grants.contains(state.index())) << at
        };
        let waiting = self.task.monitors.iter().enumerate().map(waits).sum();
        (self.remember((next, waiting)), priority)
    }

    fn remember(&mut self, memory: (u32, u64)) -> u32 {
        let next = to_u32(self.memory_of.len());
        let number = *self.memories.entry(memory).or_insert(next);
        if number == next {
            self.memory_of.push(memory);
        }
        number
    }

    fn add(&mut self, step: Move, target: Position) -> Result<(), Stopped> {
        let target = self.number(target)?;
        self.arena.game.add_move(target, self.task.budget)?;
        self.arena.moves.push(step);
        Ok(())
    }

    fn number(&mut self, position: Position) -> Result<u32, Stopped> {
        if let Some(&number) = self.numbers.get(&position) {
            return Ok(number);
        }
        let (mine, priority) = match position {
            Position::At(state, _, priority) => (self.task.mine[state.index()], priority),
            Position::Within(_, _, priority) => (false, priority),
        };
        let number = self.arena.game.add_position(priority * 2 + u32::from(!mine), self.task.budget)?;
        self.arena.positions.push(position);
        self.numbers.insert(position, number);
        Ok(number)
    }
}

/// Whether a literal surely holds at a state.
fn holds(model: &Kmts, props: &[PropId], state: StateId, literal: Literal) -> bool {
    let atom: AtomId = literal.atom();
    let label = model.label(state, props[atom.index()]);
    if literal.is_negative() { label.for_false() } else { label.for_true() }
}
