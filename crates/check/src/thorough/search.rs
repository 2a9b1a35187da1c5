//! For each state a completion that satisfies a formula, or one that violates it, if there is one.

use tertium_evidence::Deadlock;
use tertium_lattice::Belnap;
use tertium_logic::automata::{AcceptanceKind, Translation, TranslationError, ltl_to_tgba};
use tertium_logic::{Formula, Logic, Node};
use tertium_model::StateId;

use super::cells::Cells;
use super::completion::{Completion, extract};
use super::endings::has_few_letters;
use super::fairness::MarkedStructure;
use super::linear::PathGame;
use super::paths::Product;
use super::tableau::{DebugDecider, Decider, Nothing, Tableau};
use super::terms::{TermId, decline, terms_of_task};
use super::words::Words;
use crate::game::{self, Solved, plan};
use crate::{Ask, EngineError, Task, Unsupported};

/// What a search was, for reports.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Method {
    /// The tableau game, with its number of positions; `weak` if threads needed no trees.
    Tableau {
        /// Positions.
        positions: usize,
        /// Whether the formula's fixpoints do not alternate.
        weak: bool,
    },
    /// The product with the paths' automaton, with the automaton's number of states.
    Product {
        /// Automaton states.
        states: usize,
    },
    /// The game with a deterministic automaton.
    PathGame {
        /// Positions.
        positions: usize,
        /// Automaton states.
        states: usize,
        /// What the automaton needs to accept.
        kind: AcceptanceKind,
        /// Whether the game is weak and takes one walk.
        weak: bool,
    },
}

/// What a search found.
#[derive(Clone, Debug)]
pub struct Found {
    /// For each state asked about whether there is a completion of the kind.
    pub exists: Vec<bool>,
    /// The completions, if they were wanted.
    pub completions: Vec<Option<Completion>>,
    /// How it was found.
    pub method: Method,
}

/// What is searched.
#[derive(Clone, Copy, Debug)]
pub struct Wanted<'s> {
    /// Completions that satisfy the formula, or that violate it.
    pub satisfying: bool,
    /// Completions of these.
    pub states: &'s [StateId],
    /// Whether the completions themselves are wanted.
    pub build: bool,
}

/// Why the thorough semantics is not defined for a task, or not supported.
///
/// # Errors
/// The reason.
pub fn supported(task: &Task<'_>) -> Result<(), Unsupported> {
    if let Some(marked) = MarkedStructure::of(task)? {
        return match marked.task(task, Ask::At(&[])) {
            Ok(task) => supported(&task),
            Err(EngineError::Unsupported(why)) => Err(why),
            Err(EngineError::Stopped(_)) => Err(decline("a limit was reached")),
        };
    }
    if used_constants(task).any(|value| matches!(value, Belnap::Unknown | Belnap::Both)) {
        return Err(decline("the constants `u` and `b` have no meaning in a complete structure"));
    }
    let linear = matches!(task.formula.logic(), Logic::Ltl | Logic::CtlStar);
    if linear {
        return linear_shape(task.formula);
    }
    game::plan(task).map(|_| ()).map_err(|problem| decline(&problem.reason))
}

fn used_constants<'a>(task: &'a Task<'_>) -> impl Iterator<Item = Belnap> + 'a {
    task.formula.nodes().iter().filter_map(|node| match node {
        Node::Element(element) => Some(task.elements[element.index()]),
        _ => None,
    })
}

fn linear_shape(formula: &Formula) -> Result<(), Unsupported> {
    let modal =
        |node: &Node| matches!(node, Node::Diamond(..) | Node::Box(..) | Node::Var(_) | Node::Mu(..) | Node::Nu(..));
    let quantified = |node: &Node| matches!(node, Node::All(_) | Node::Exists(_));
    if formula.nodes().iter().any(modal) {
        return Err(decline("modalities and fixpoints say nothing about a single path"));
    }
    if formula.logic() == Logic::Ltl && formula.nodes().iter().any(quantified) {
        return Err(decline("an LTL formula has no path quantifiers"));
    }
    Ok(())
}

/// Looks for completions.
///
/// # Errors
/// If the task is not supported or a limit is reached.
pub fn search(task: &Task<'_>, wanted: Wanted<'_>) -> Result<Found, EngineError> {
    supported(task)?;
    if MarkedStructure::of(task)?.is_some() {
        return Err(decline("completions with fairness are decided, not shown").into());
    }
    match (task.formula.logic(), wanted.satisfying) {
        (Logic::Ltl, false) => by_product(task, wanted),
        (Logic::Ltl, true) => by_path_game(task, wanted),
        _ => by_tableau(task, wanted),
    }
}

/// Looks for completions of any formula by the tableau, the linear ones included: a second opinion on these.
///
/// # Errors
/// If the task is not supported or a limit is reached.
pub fn by_tableau(task: &Task<'_>, wanted: Wanted<'_>) -> Result<Found, EngineError> {
    let cells = Cells::new(task, wanted.states)?;
    let (terms, root) = terms_of_task(task, wanted.satisfying)?;
    let known = known_values(task, wanted.states)?;
    let decider: &dyn DebugDecider = match &known {
        Some(known) => known,
        None => &Nothing,
    };
    let starts: Vec<u32> = wanted.states.iter().filter_map(|&state| cells.of(state)).collect();
    let mut tableau = Tableau::play(&cells, &terms, root, &starts, decider, task.budget)?;
    let mut nodes = Vec::with_capacity(wanted.states.len());
    for &state in wanted.states {
        nodes.push(match cells.of(state) {
            Some(cell) => tableau.root(cell)?.filter(|&node| tableau.is_won(node)),
            None => None,
        });
    }
    let mut completions = Vec::new();
    for node in nodes.iter().filter(|_| wanted.build) {
        completions.push(match node {
            Some(node) => Some(extract(&mut tableau, *node, task.budget)?),
            None => None,
        });
    }
    let method = Method::Tableau { positions: tableau.size(), weak: terms.weak };
    Ok(Found { exists: nodes.iter().map(Option::is_some).collect(), completions, method })
}

fn by_product(task: &Task<'_>, wanted: Wanted<'_>) -> Result<Found, EngineError> {
    let formula = without_constants(task);
    let options = Translation { classical: true, ..Translation::default() };
    let automaton = match ltl_to_tgba(&formula, true, options, task.budget) {
        Ok(automaton) => automaton,
        Err(TranslationError::Stopped(stopped)) => return Err(stopped.into()),
        Err(TranslationError::NotLinear) => return Err(decline("it is not a formula about single paths").into()),
    };
    let ends = task.reading.deadlock == Deadlock::Maximal;
    if ends && !has_few_letters(&automaton) {
        return by_tableau(task, wanted);
    }
    let cells = Cells::new(task, wanted.states)?;
    let starts: Vec<u32> = wanted.states.iter().filter_map(|&state| cells.of(state)).collect();
    let product = Product::new(&cells, &automaton, &task.props, &starts, ends, task.budget)?;
    let cell_of = |&state: &StateId| cells.of(state);
    let exists = wanted.states.iter().map(|state| cell_of(state).is_some_and(|cell| product.accepts(cell))).collect();
    let mut completions = Vec::new();
    for state in wanted.states.iter().filter(|_| wanted.build) {
        completions.push(match cell_of(state) {
            Some(cell) => product.completion(cell, task.budget)?,
            None => None,
        });
    }
    Ok(Found { exists, completions, method: Method::Product { states: automaton.states.len() } })
}

fn by_path_game(task: &Task<'_>, wanted: Wanted<'_>) -> Result<Found, EngineError> {
    let ends = task.reading.deadlock == Deadlock::Maximal;
    let words = match Words::new(&without_constants(task), task.budget) {
        // Too many atoms for letters.
        Err(EngineError::Unsupported(_)) if ends => return by_tableau(task, wanted),
        words => words?,
    };
    let (kind, weak, states) = (words.kind(), words.is_weak(), words.state_count());
    let cells = Cells::new(task, wanted.states)?;
    let starts: Vec<u32> = wanted.states.iter().filter_map(|&state| cells.of(state)).collect();
    let mut play = PathGame::play(&cells, words, ends, &task.props, &starts, task.budget)?;
    let cell_of = |&state: &StateId| cells.of(state);
    let exists = wanted.states.iter().map(|state| cell_of(state).is_some_and(|cell| play.is_won(cell))).collect();
    let mut completions = Vec::new();
    for state in wanted.states.iter().filter(|_| wanted.build) {
        completions.push(match cell_of(state) {
            Some(cell) => play.completion(cell, task.budget)?,
            None => None,
        });
    }
    Ok(Found { exists, completions, method: Method::PathGame { positions: play.size(), states, kind, weak } })
}

/// The formula with `true` and `false` for constants of these values.
pub(crate) fn without_constants(task: &Task<'_>) -> Formula {
    let mut builder = task.formula.to_builder();
    let mut made = Vec::with_capacity(task.formula.nodes().len());
    for &node in task.formula.nodes() {
        let new = match node {
            Node::Element(element) if task.elements[element.index()].for_true() => Node::True,
            Node::Element(_) => Node::False,
            other => other.map_children(|child| made[child.index()]),
        };
        made.push(builder.add(new));
    }
    builder.finish(made[task.formula.root().index()], task.formula.logic())
}

/// Compositional values of the formula's obligations, from the game that computes them.
#[derive(Debug)]
struct CompositionalValues<'t>(Solved<'t>);

impl Decider for CompositionalValues<'_> {
    fn decided(&self, state: StateId, term: TermId) -> Option<bool> {
        if term as usize >= self.0.arena.plan.rules.len() {
            return None;
        }
        if self.0.proves(state, term) == Some(true) {
            return Some(true);
        }
        (self.0.proves(state, plan::dual(term)) == Some(true)).then_some(false)
    }
}

/// The compositional values that the game for the formula's value comes across.
fn known_values<'t>(task: &'t Task<'t>, states: &[StateId]) -> Result<Option<CompositionalValues<'t>>, EngineError> {
    if !matches!(task.formula.logic(), Logic::Pml | Logic::Ctl | Logic::Mu) {
        return Ok(None);
    }
    let plan = game::plan(task)?;
    let root = plan.obligation(task.formula.root(), true);
    let roots = states.iter().flat_map(|&state| [root, plan::dual(root)].map(|side| (state, side)));
    Ok(Some(CompositionalValues(Solved::new(task, plan, roots)?)))
}
