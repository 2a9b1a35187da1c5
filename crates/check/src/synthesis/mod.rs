//! Can one player force a linear objective, and by which strategy?
//!
//! Controller synthesis: a turn-based game on a structure whose states belong to players. The objective is a formula of LTL; its deterministic parity automaton runs along, and the game is solved as a parity game
//! (`game::parity`). Objectives of generalised reactivity (`tertium_logic::generalised_reactivity`) are solved as such (Piterman, Pnueli, Sa'ar 2006), without determinising the part that says "again and again".
//!
//! What is found is told as a closed loop: the structure with the player following the strategy. In a partial structure the player's moves are certain and the others' possible, so that a strategy wins in every completion
//! that respects who moves where (alternating refinement); if neither side has one, the answer is open.
//!
//! Not here: who the players are (owners of states), and what becomes of the strategy (`structures`).

mod arena;
mod closed_loop;
mod coalition_games;
mod reactivity;
#[cfg(test)]
mod tests;

pub use closed_loop::ClosedLoop;
pub use coalition_games::{CoalitionTask, coalition_strategy, coalition_values};

use tertium_base::{BitSet, Budget, Stopped};
use tertium_logic::automata::{AcceptanceKind, Determiniser, TranslationError};
use tertium_logic::{Formula, GeneralisedReactivity, Logic, Node, Recurrence, generalised_reactivity};
use tertium_model::{Kmts, PropId, StateId};

use crate::game::parity::{self, NO_MOVE};
use crate::{EngineError, Unsupported};
use arena::{Arena, ArenaTask, Monitor, Position, build};
use reactivity::ReactivityGame;

/// For whom a strategy is sought, and what it shall bring about.
#[derive(Clone, Copy, Debug)]
pub struct SynthesisTask<'a> {
    /// The structure.
    pub model: &'a Kmts,
    /// For each state whether the player moves there.
    pub mine: &'a [bool],
    /// For each state whether it only stands between two others (a scheduler has chosen who moves): its label is not read, and closed loops do without it; empty if none does.
    pub silent: &'a [bool],
    /// The states from which they have to win.
    pub states: &'a [StateId],
    /// The objective, of LTL.
    pub objective: &'a Formula,
    /// Whether its negation is the objective.
    pub negated: bool,
    /// The limits.
    pub budget: &'a Budget,
}

/// How a game was solved.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum SynthesisMethod {
    /// As a parity game, with a deterministic automaton of this kind.
    Parity(AcceptanceKind),
    /// As a game of generalised reactivity.
    GeneralisedReactivity {
        /// How many things the others do again and again.
        assumptions: usize,
        /// How many things shall then happen again and again.
        guarantees: usize,
    },
}

impl SynthesisMethod {
    /// The word for it in reports.
    #[must_use]
    pub fn name(self) -> String {
        match self {
            Self::Parity(AcceptanceKind::Parity) => "parity game".to_owned(),
            Self::Parity(kind) => format!("{} game", kind.name()),
            Self::GeneralisedReactivity { assumptions, guarantees } => {
                let counted = |count: usize, what: &str| format!("{count} {what}{}", if count == 1 { "" } else { "s" });
                let (assumed, promised) = (counted(assumptions, "assumption"), counted(guarantees, "guarantee"));
                format!("GR(1) game, {assumed}, {promised}")
            }
        }
    }
}

/// What came of the search for a strategy.
#[derive(Clone, Debug)]
pub struct SynthesisOutcome {
    /// The closed loop of a winning strategy, if there is one from all the states.
    pub strategy: Option<ClosedLoop>,
    /// How it was found, or that there is none.
    pub method: SynthesisMethod,
    /// Positions of the game.
    pub positions: usize,
    /// Moves of the game.
    pub moves: usize,
    /// States of the automaton.
    pub automaton: usize,
}

/// Looks for a strategy that wins from all the states.
///
/// # Errors
/// If the objective is not of LTL or uses names that the structure does not have, or a limit is reached.
pub fn synthesise(task: &SynthesisTask<'_>) -> Result<SynthesisOutcome, EngineError> {
    let props = bound(task)?;
    if !task.negated
        && let Some(parts) = generalised_reactivity(task.objective, task.budget)
    {
        return by_reactivity(task, &parts, &props);
    }
    by_parity(task, &props)
}

/// Looks for a strategy in the parity game, whatever the form of the objective.
///
/// # Errors
/// As [`synthesise`].
pub fn synthesise_by_parity(task: &SynthesisTask<'_>) -> Result<SynthesisOutcome, EngineError> {
    let props = bound(task)?;
    by_parity(task, &props)
}

fn decline(reason: &str) -> EngineError {
    Unsupported { engine: "synthesis", reason: reason.to_owned() }.into()
}

/// For each atom of the objective its proposition.
fn bound(task: &SynthesisTask<'_>) -> Result<Vec<PropId>, EngineError> {
    if task.objective.logic() != Logic::Ltl {
        return Err(decline("objectives are formulas of LTL"));
    }
    if !task.model.fairness().is_empty() {
        return Err(decline("fairness constraints are no part of the objective; write `G F p -> …`"));
    }
    let used: Vec<bool> = (0..task.objective.atoms().len())
        .map(|at| task.objective.nodes().iter().any(|node| matches!(node, Node::Atom(atom) if atom.index() == at)))
        .collect();
    let mut props = Vec::new();
    for (at, atom) in task.objective.atoms().iter().enumerate() {
        match task.model.prop_by_name(&atom.text) {
            Some(prop) => props.push(prop),
            None if used[at] => {
                return Err(decline(&format!("the structure has no proposition named `{}`", atom.text)));
            }
            None => props.push(PropId::new(0)),
        }
    }
    Ok(props)
}

fn determiniser(formula: &Formula, negated: bool, budget: &Budget) -> Result<Determiniser, EngineError> {
    Determiniser::new(formula, negated, budget).map_err(|error| match error {
        TranslationError::Stopped(stopped) => stopped.into(),
        TranslationError::NotLinear => decline("it is not a formula about single paths"),
    })
}

/// Of the task's states those from which the player wins.
fn winning_states(task: &SynthesisTask<'_>) -> Result<BitSet, EngineError> {
    let props = bound(task)?;
    let automaton = determiniser(task.objective, task.negated, task.budget)?;
    let arena = build(&arena_task(task, &props, &[]), Some(automaton))?;
    let solution = parity::solve(&arena.game, task.budget)?;
    let wins = |at: usize| solution.even_wins.contains(arena.starts[at] as usize);
    Ok(BitSet::from_fn(task.states.len(), wins))
}

fn by_parity(task: &SynthesisTask<'_>, props: &[PropId]) -> Result<SynthesisOutcome, EngineError> {
    let automaton = determiniser(task.objective, task.negated, task.budget)?;
    let method = SynthesisMethod::Parity(automaton.kind());
    let arena = build(&arena_task(task, props, &[]), Some(automaton))?;
    let solution = parity::solve(&arena.game, task.budget)?;
    let wins = arena.starts.iter().all(|&start| solution.even_wins.contains(start as usize));
    let choice = |position: usize, mode: u32| (solution.strategy[position], mode);
    let strategy = wins.then(|| closed_loop::closed_loop(task, &arena, &choice));
    Ok(outcome(&arena, strategy.transpose()?, method))
}

fn outcome(arena: &Arena, strategy: Option<ClosedLoop>, method: SynthesisMethod) -> SynthesisOutcome {
    SynthesisOutcome {
        strategy,
        method,
        positions: arena.game.len(),
        moves: arena.game.move_count(),
        automaton: arena.memory,
    }
}

fn arena_task<'a>(task: &SynthesisTask<'a>, props: &'a [PropId], monitors: &'a [Monitor]) -> ArenaTask<'a> {
    ArenaTask {
        model: task.model,
        mine: task.mine,
        states: task.states,
        silent: task.silent,
        props,
        monitors,
        budget: task.budget,
    }
}

fn by_reactivity(
    task: &SynthesisTask<'_>,
    parts: &GeneralisedReactivity,
    props: &[PropId],
) -> Result<SynthesisOutcome, EngineError> {
    let automaton = match &parts.safety {
        Some(safety) => Some(determiniser(safety, false, task.budget)?),
        None => None,
    };
    let (assumed, promised) =
        (watched(task, &parts.assumptions, props, false), watched(task, &parts.guarantees, props, true));
    let monitors: Vec<Monitor> = assumed.into_iter().chain(promised).collect();
    let arena = build(&arena_task(task, props, &monitors), automaton)?;
    let count = arena.positions.len();
    let lost = BitSet::from_fn(count, |at| match arena.positions[at] {
        Position::At(_, _, priority) | Position::Within(_, _, priority) => !priority.is_multiple_of(2),
    });
    // Between the choice of a hyper edge and that of its member nothing holds, and nothing is asked.
    let mut monitor = 0;
    let mut sets = |wanted: &[Recurrence], value: bool| -> Result<Vec<BitSet>, Stopped> {
        let mut found = Vec::with_capacity(wanted.len());
        for one in wanted {
            task.budget.check()?;
            let bit = monitor;
            monitor += usize::from(matches!(one, Recurrence::Response { .. }));
            found.push(BitSet::from_fn(count, |at| match (arena.positions[at], one) {
                (Position::At(state, ..), _) if task.silent.get(state.index()).copied().unwrap_or(false) => !value,
                (Position::At(state, ..), Recurrence::Often(formula)) => {
                    surely(task.model, formula, props, state, value)
                }
                (Position::At(_, memory, _), Recurrence::Response { .. }) => {
                    (arena.waiting[memory as usize] >> bit & 1 == 0) == value
                }
                (Position::Within(..), _) => !value,
            }));
        }
        Ok(found)
    };
    let (broken, reached) = (sets(&parts.assumptions, false)?, sets(&parts.guarantees, true)?);
    let game =
        ReactivityGame { game: &arena.game, lost: &lost, broken: &broken, reached: &reached, budget: task.budget };
    let solution = reactivity::solve(&game)?;
    let wins = arena.starts.iter().all(|&start| solution.wins.contains(start as usize));
    let goals = tertium_base::narrow::to_u32(reached.len());
    let choice = |position: usize, mode: u32| {
        let chosen = solution.strategy.get(mode as usize).map_or(NO_MOVE, |moves| moves[position]);
        let done = reached[mode as usize].contains(position);
        (chosen, if done { (mode + 1) % goals } else { mode })
    };
    let strategy = wins.then(|| closed_loop::closed_loop(task, &arena, &choice));
    let method = SynthesisMethod::GeneralisedReactivity { assumptions: broken.len(), guarantees: reached.len() };
    Ok(outcome(&arena, strategy.transpose()?, method))
}

/// The monitors of responses: those that are promised wait for a request that may be there until a grant that surely is; those that are assumed wait only where that is sure.
fn watched(task: &SynthesisTask<'_>, wanted: &[Recurrence], props: &[PropId], promised: bool) -> Vec<Monitor> {
    let where_not = |formula: &Formula, value: bool| {
        BitSet::from_fn(task.model.state_count(), |at| !surely(task.model, formula, props, StateId::new(at), value))
    };
    let where_surely = |formula: &Formula| {
        BitSet::from_fn(task.model.state_count(), |at| surely(task.model, formula, props, StateId::new(at), true))
    };
    let monitor = |one: &Recurrence| match one {
        Recurrence::Often(_) => None,
        Recurrence::Response { request, grant } if promised => {
            Some(Monitor { requests: where_not(request, false), grants: where_surely(grant) })
        }
        Recurrence::Response { request, grant } => {
            Some(Monitor { requests: where_surely(request), grants: where_not(grant, false) })
        }
    };
    wanted.iter().filter_map(monitor).collect()
}

/// Whether a propositional formula surely has a value at a state, part by part.
fn surely(model: &Kmts, formula: &Formula, props: &[PropId], state: StateId, value: bool) -> bool {
    use tertium_lattice::{Belnap, TruthValue};
    let mut values: Vec<Belnap> = Vec::with_capacity(formula.nodes().len());
    for &node in formula.nodes() {
        let of = |operand: tertium_logic::NodeId| values[operand.index()];
        values.push(match node {
            Node::True => Belnap::True,
            Node::Atom(atom) => model.label(state, props[atom.index()]),
            Node::Not(operand) => of(operand).not(),
            Node::And(left, right) => of(left).and(of(right)),
            Node::Or(left, right) => of(left).or(of(right)),
            Node::Implies(left, right) => of(left).not().or(of(right)),
            Node::Iff(left, right) => of(left).and(of(right)).or(of(left).not().and(of(right).not())),
            Node::Xor(left, right) => of(left).and(of(right).not()).or(of(left).not().and(of(right))),
            // No other operator is propositional; nothing is sure about it.
            Node::False => Belnap::False,
            _ => Belnap::Unknown,
        });
    }
    let found = values[formula.root().index()];
    if value { found == Belnap::True } else { found == Belnap::False }
}
