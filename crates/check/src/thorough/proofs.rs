//! Why do all completions agree? Proofs for the independent checker.
//!
//! A proof of a branching answer is the strategy of the one who looks for flaws, played without knowing compositional values, so
//! that it rests on nothing but itself. A linear formula that is true needs no more than to be told so: the checker looks for
//! a refuting path by its own means. Where paths may end, a branching proof is one of the formula that says so by steps.
//!
//! For what these do not reach (mixed structures, CTL*, fixpoints that alternate, linear formulas where paths end) the proof is the
//! winner's moves (`outplay`).

use super::completion_game::{CompletionGame, Terms as GameTerms};
use tertium_base::graph::components;
use tertium_evidence::{Deadlock, Proof, Reading, Refuted};
use tertium_lattice::Belnap;
use tertium_logic::{Logic, Node, NodeId, ParseOptions, ending_ctl, parse};
use tertium_model::{PropId, StateId};

use super::cells::Cells;
use super::linear::PathGame;
use super::outplay::outplayed;
use super::search::without_constants;
use super::tableau::{Nothing, Tableau};
use super::terms::{TermId, terms_of_task};
use super::words::Words;
use crate::{EngineError, Task};

/// The checker settles open labels one by one, up to this many at a state.
const MOST_OPEN: usize = 16;

/// A proof that a formula has this value in all completions of a state: true, false, or both where there is no completion. None
/// if it has not, or if the formula's text is not its own.
///
/// # Errors
/// If a limit is reached.
pub fn thorough_proof(task: &Task<'_>, state: StateId, value: Belnap) -> Result<Option<Proof>, EngineError> {
    match small_proof(task, state, value)? {
        Some(proof) => Ok(Some(proof)),
        None => proof_by_moves(task, state, value),
    }
}

/// A proof as [`thorough_proof`] gives, of the kinds that are small or fast to check; none for the formulas and structures that have
/// none.
///
/// # Errors
/// If a limit is reached.
pub fn small_proof(task: &Task<'_>, state: StateId, value: Belnap) -> Result<Option<Proof>, EngineError> {
    if task.model.is_mixed() || value == Belnap::Both {
        return Ok(None);
    }
    if task.reading.deadlock == Deadlock::Maximal {
        return refuted_with_ends(task, state, value);
    }
    match (task.formula.logic(), value) {
        (Logic::Ltl, _) if !settles_one_by_one(task) => Ok(None),
        (Logic::Ltl, Belnap::True) => Ok(Some(Proof::NoWord)),
        (Logic::Ltl, _) => settled(task, state),
        (Logic::CtlStar, _) => Ok(None),
        _ => refuted(task, state, value),
    }
}

/// A proof as [`thorough_proof`] gives, by moves against every completion: of the kind that all formulas and structures have.
///
/// # Errors
/// If a limit is reached.
pub fn proof_by_moves(task: &Task<'_>, state: StateId, value: Belnap) -> Result<Option<Proof>, EngineError> {
    let options = ParseOptions::in_logic(task.formula.logic());
    let Some(formula) = parse(&task.formula.text(), &options).formula else { return Ok(None) };
    let ends = task.reading.deadlock == Deadlock::Maximal;
    let Some(terms) = GameTerms::new(&formula, task.model, ends, value == Belnap::False, task.budget)? else {
        return Ok(None);
    };
    let total = task.model.total() || task.reading.deadlock == Deadlock::Total;
    let game = CompletionGame { model: task.model, total };
    Ok(outplayed(game, &terms, state, value == Belnap::Both, task.budget)?.map(Proof::Outplayed))
}

/// The propositions that the formula speaks of, in the order of its text.
fn props_in_order(task: &Task<'_>) -> Vec<PropId> {
    let options = ParseOptions::in_logic(task.formula.logic());
    let parsed = parse(&task.formula.text(), &options).formula;
    let formula = parsed.as_ref().unwrap_or(task.formula);
    let used = |at: &usize| formula.nodes().iter().any(|node| matches!(node, Node::Atom(atom) if atom.index() == *at));
    let mut props = Vec::new();
    for at in (0..formula.atoms().len()).filter(used) {
        if let Some(prop) = task.model.prop_by_name(&formula.atoms()[at].text)
            && !props.contains(&prop)
        {
            props.push(prop);
        }
    }
    props
}

fn settles_one_by_one(task: &Task<'_>) -> bool {
    let props = props_in_order(task);
    let open = |state: StateId| props.iter().filter(|&&prop| task.model.label(state, prop) == Belnap::Unknown).count();
    task.model.states().all(|state| open(state) <= MOST_OPEN)
}

fn settled(task: &Task<'_>, state: StateId) -> Result<Option<Proof>, EngineError> {
    let words = Words::new(&without_constants(task), task.budget)?;
    let cells = Cells::new(task, &[state])?;
    let Some(cell) = cells.of(state) else { return Ok(None) };
    let mut play = PathGame::play(&cells, words, false, &task.props, &[cell], task.budget)?;
    if play.is_won(cell) {
        return Ok(None);
    }
    let strategy = play.refutation(cell, &props_in_order(task));
    let positions = strategy.positions.iter().map(|&(cell, memory)| (StateId::new(cell as usize), memory)).collect();
    Ok(Some(Proof::Settled { positions, moves: strategy.moves }))
}

/// The same where paths may end: of the formula in which that is a matter of steps.
fn refuted_with_ends(task: &Task<'_>, state: StateId, value: Belnap) -> Result<Option<Proof>, EngineError> {
    let logic = task.formula.logic();
    // As the checker reads it, so that nodes have the same numbers.
    let Some(formula) = parse(&task.formula.text(), &ParseOptions::in_logic(logic)).formula else { return Ok(None) };
    let formula = match logic {
        Logic::Pml | Logic::Mu => Some(formula),
        Logic::Ctl => ending_ctl(&formula),
        Logic::Ltl | Logic::CtlStar | Logic::Atl | Logic::AtlStar => None,
    };
    let Some(formula) = formula else { return Ok(None) };
    let reading = Reading { deadlock: Deadlock::Mu, ..task.reading };
    match Task::new(task.model, &formula, reading, task.ask, task.budget) {
        Ok(written_out) => refuted(&written_out, state, value),
        Err(_) => Ok(None),
    }
}

fn refuted(task: &Task<'_>, state: StateId, value: Belnap) -> Result<Option<Proof>, EngineError> {
    let cells = Cells::new(task, &[state])?;
    let (terms, root) = terms_of_task(task, value == Belnap::False)?;
    let Some(cell) = cells.of(state).filter(|_| terms.weak) else { return Ok(None) };
    let mut tableau = Tableau::play(&cells, &terms, root, &[cell], &Nothing, task.budget)?;
    let Some(node) = tableau.root(cell)?.filter(|&node| !tableau.is_won(node)) else { return Ok(None) };
    let (nodes, edges) = tableau.refutation(node);
    let rank = components(nodes.len(), |at| edges[at].iter().copied()).of;
    let claims = nodes.iter().zip(rank).map(|(&node, rank)| Refuted {
        state: StateId::new(tableau.cell(node) as usize),
        terms: tableau.asked(node).iter().map(|&term| node_of(term)).collect(),
        watched: tableau.watched(node).iter().map(|&term| node_of(term)).collect(),
        rank,
    });
    Ok(Some(Proof::Refuted(claims.collect())))
}

/// A term that stands behind a step is a node of the formula, or its negation.
fn node_of(term: TermId) -> (NodeId, bool) {
    (NodeId::new(term as usize >> 1), term & 1 == 0)
}
