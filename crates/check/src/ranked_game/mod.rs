//! Ranked games: what is the value of a branching formula, if ranking functions cannot decrease for ever?
//!
//! The game of the three-valued semantics (Shoham, Grumberg 2003): a position claims that a node of the formula is true, or is false, at a state; who claims it moves along certain sets, the
//! opponent along possible steps. Steps of a program's abstraction may decrease ranking functions, or leave them as they are. A play on which one decreases again and again, and from some point on never
//! grows, is none that the program can follow: so it is won by whoever claims. That is a Rabin pair for each ranking function beside the parity of the formula (`rabin`).
//!
//! A positional strategy is a list of claims, each with the alternative it uses, which the independent checker goes through with code of its own.
//!
//! Not here: which integers are ranking functions, and what steps do to them.

mod claims;
mod open_cycles;
pub(crate) mod rabin;
mod rules;

use std::collections::HashMap;

use tertium_base::narrow::to_u32;
use tertium_base::{BitSet, Stopped};
use tertium_evidence::{Choice, Claim};
use tertium_logic::{Formula, NodeId};
use tertium_model::{ActionId, StateId};

use self::rabin::{RabinGame, RabinPair, RabinSolution};
use self::rules::Rules;
use crate::Task;

/// More ranking functions are not looked at together.
pub const MOST_RANKS: usize = 64;

/// The ranking functions that a step decreases, and those that it may increase, as sets of bits; the others it leaves as they are, or makes smaller.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub struct StepChanges {
    /// Those that surely decrease, from a value that is not negative.
    pub decreased: u64,
    /// Those of which nothing is known.
    pub free: u64,
}

impl StepChanges {
    /// What is known of one of two steps that nothing tells apart.
    #[must_use]
    pub const fn or(self, other: Self) -> Self {
        Self { decreased: self.decreased & other.decreased, free: self.free | other.free }
    }
}

/// A certain set with rank conditions.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct RankedSuccessors {
    /// From where.
    pub from: StateId,
    /// By whom; none if by anyone.
    pub action: Option<ActionId>,
    /// The members, and what the step into each does.
    pub into: Vec<(StateId, StepChanges)>,
}

/// What the steps of a structure do to ranking functions.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct RankedStructure {
    /// How many ranking functions there are.
    pub ranks: usize,
    /// What possible steps of a process between two states do. A step that is not listed is free, unless nobody takes it.
    pub steps: HashMap<(StateId, StateId, ActionId), StepChanges>,
    /// Certain sets with rank conditions.
    pub sets: Vec<RankedSuccessors>,
}

impl RankedStructure {
    /// What a possible step of a process between two states does.
    fn changes(&self, from: StateId, to: StateId, by: ActionId) -> StepChanges {
        self.steps.get(&(from, to, by)).copied().unwrap_or_else(|| self.nothing())
    }

    /// What is known of a step of which nothing is.
    fn nothing(&self) -> StepChanges {
        let all = u64::MAX.checked_shr(to_u32(MOST_RANKS.saturating_sub(self.ranks))).unwrap_or(0);
        StepChanges { decreased: 0, free: all }
    }
}

/// What somebody claims: a node is true, or false, at a state.
type Position = (StateId, NodeId, bool);

/// A solved game.
#[derive(Debug)]
pub struct RankedSolution<'t> {
    formula: &'t Formula,
    rules: Rules,
    arena: Arena,
    solution: RabinSolution,
    /// How many positions the game begins at, which are the first ones.
    starts: usize,
}

/// One alternative: how it is chosen, and the claims that it needs.
#[derive(Clone, Debug)]
struct Alternative {
    choice: Choice,
    needs: Vec<(u32, StepChanges)>,
    /// Needs from here on are claims about where a step leads; those before, about the same state.
    steps_from: usize,
}

/// The positions that can come up, each with its alternatives.
#[derive(Debug, Default)]
struct Arena {
    positions: Vec<Position>,
    known: HashMap<Position, u32>,
    alternatives: Vec<Vec<Alternative>>,
    /// For each position, the vertex of its first alternative.
    first: Vec<u32>,
}

impl Arena {
    fn number(&mut self, position: Position) -> u32 {
        let next = to_u32(self.positions.len());
        let number = *self.known.entry(position).or_insert(next);
        if number == next {
            self.positions.push(position);
        }
        number
    }
}

/// Plays for the truth and for the falsity of a formula at some states; none if claims cannot speak of the formula.
///
/// # Errors
/// If a limit is reached.
pub fn solve<'t>(
    task: &Task<'t>,
    ranked: &RankedStructure,
    states: &[StateId],
    positive: bool,
) -> Result<Option<RankedSolution<'t>>, Stopped> {
    let rules = Rules::of(task.formula);
    if ranked.ranks > MOST_RANKS || rules.any_foreign() {
        return Ok(None);
    }
    let mut arena = Arena::default();
    for &state in states {
        arena.number((state, task.formula.root(), positive));
    }
    let starts = arena.positions.len();
    let (mut at, mut ticks) = (0, 0);
    while at < arena.positions.len() {
        task.budget.tick(&mut ticks)?;
        let found = claims::alternatives(task, ranked, &rules, &mut arena, at);
        arena.alternatives.push(found);
        at += 1;
    }
    let game = game_of(task.formula, &rules, &mut arena, ranked.ranks);
    let solution = game.solve(task.budget)?;
    Ok(Some(RankedSolution { formula: task.formula, rules, arena, solution, starts }))
}

/// The positions are the player's vertices, their alternatives the opponent's; a step that changes ranks is a vertex between.
fn game_of(formula: &Formula, rules: &Rules, arena: &mut Arena, ranks: usize) -> RabinGame {
    let count = arena.positions.len();
    let mut game = RabinGame { successors: vec![Vec::new(); count], player: vec![true; count], ..RabinGame::default() };
    let mut changed: Vec<(usize, StepChanges)> = Vec::new();
    for (at, alternatives) in arena.alternatives.iter().enumerate() {
        arena.first.push(to_u32(game.successors.len()));
        let bundles = game.successors.len();
        game.successors[at] = (bundles..bundles + alternatives.len()).map(to_u32).collect();
        game.successors.resize(bundles + alternatives.len(), Vec::new());
        for (number, alternative) in alternatives.iter().enumerate() {
            for &(to, changes) in &alternative.needs {
                let next = if changes == StepChanges::default() {
                    to
                } else {
                    changed.push((game.successors.len(), changes));
                    game.successors.push(vec![to]);
                    to_u32(game.successors.len() - 1)
                };
                game.successors[bundles + number].push(next);
            }
        }
        game.player.resize(game.successors.len(), false);
    }
    game.pairs = parity_pairs(formula, rules, arena, game.successors.len());
    game.pairs.extend((0..ranks).filter_map(|rank| rank_pair(rank, &changed, game.successors.len())));
    game
}

fn rank_pair(rank: usize, changed: &[(usize, StepChanges)], vertices: usize) -> Option<RabinPair> {
    let mut pair = RabinPair { again: BitSet::empty(vertices), never: BitSet::empty(vertices) };
    for &(vertex, changes) in changed {
        if changes.decreased >> rank & 1 == 1 {
            pair.again.insert(vertex);
        }
        if changes.free >> rank & 1 == 1 {
            pair.never.insert(vertex);
        }
    }
    (!pair.again.is_empty()).then_some(pair)
}

/// For each fixpoint that may be unfolded for ever a pair: it is, and none around it that must end is. Who stands around has the greater number.
fn parity_pairs(formula: &Formula, rules: &Rules, arena: &Arena, vertices: usize) -> Vec<RabinPair> {
    let unfolded = |&(_, node, positive): &Position| rules.least(formula, node, positive).map(|least| (node, least));
    let fixpoints: Vec<Option<(NodeId, bool)>> = arena.positions.iter().map(unfolded).collect();
    let mut greatest: Vec<NodeId> =
        fixpoints.iter().flatten().filter(|(_, least)| !least).map(|&(node, _)| node).collect();
    greatest.sort_unstable();
    greatest.dedup();
    let of = |wanted: &dyn Fn(NodeId, bool) -> bool| {
        let is = |at: usize| fixpoints.get(at).copied().flatten().is_some_and(|(node, least)| wanted(node, least));
        BitSet::from_fn(vertices, is)
    };
    let pair = |&node: &NodeId| RabinPair {
        again: of(&|at, least| at == node && !least),
        never: of(&|at, least| at > node && least),
    };
    greatest.iter().map(pair).collect()
}

impl RankedSolution<'_> {
    /// Whether the claim that the formula is true (`positive`) or false at a state can be defended.
    #[must_use]
    pub fn proves(&self, state: StateId, positive: bool) -> bool {
        let position = (state, self.formula.root(), positive);
        self.arena.known.get(&position).is_some_and(|&at| self.solution.won.contains(at as usize))
    }

    /// How many claims are defended.
    #[must_use]
    pub fn won(&self) -> usize {
        (0..self.arena.positions.len()).filter(|&at| self.solution.won.contains(at)).count()
    }

    /// The claims that defend the formula's value at a state; none if they do not.
    #[must_use]
    pub fn claims(&self, state: StateId, positive: bool) -> Option<Vec<Claim>> {
        let root = *self.arena.known.get(&(state, self.formula.root(), positive))?;
        let mut seen = vec![false; self.arena.positions.len()];
        let (mut todo, mut claims) = (vec![root], Vec::new());
        seen[root as usize] = true;
        while let Some(at) = todo.pop() {
            let alternative = self.chosen(at as usize)?;
            let (state, node, positive) = self.arena.positions[at as usize];
            claims.push(Claim { state, node, positive, choice: alternative.choice.clone() });
            for &(to, _) in &alternative.needs {
                if !std::mem::replace(&mut seen[to as usize], true) {
                    todo.push(to);
                }
            }
        }
        Some(claims)
    }

    fn chosen(&self, at: usize) -> Option<&Alternative> {
        let vertex = self.solution.won.contains(at).then_some(self.solution.choice[at])?;
        let number = vertex.checked_sub(self.arena.first[at])?;
        self.arena.alternatives[at].get(number as usize)
    }
}
