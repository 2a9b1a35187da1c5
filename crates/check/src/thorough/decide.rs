//! The thorough value, by the cheapest means that give it.
//!
//! First the compositional value: if it is definite, it is the thorough one. Then a test of the formula and the
//! structure that says when an unknown cannot be improved. Then the search for a violating completion, and for a
//! satisfying one.

use tertium_base::BitSet;
use tertium_evidence::{Deadlock, LinearReading, Reading};
use tertium_lattice::Belnap;
use tertium_logic::Logic;
use tertium_logic::classify::{existential_only, mixed_atoms, universal_only};
use tertium_model::{Kmts, StateId};

use super::cells::Cells;
use super::completion::Completion;
use super::fairness::MarkedStructure;
use super::search::{Method, Wanted, search, supported};
use crate::automata::AutomataEngine;
use crate::explicit::Explicit;
use crate::{Ask, Engine, EngineError, Task, Unsupported, Values};

/// Why the value is what it is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum How {
    /// The compositional value was definite.
    Compositional,
    /// The compositional value was unknown, and for this formula and structure it is the strongest.
    SelfMinimising,
    /// Completions were searched: for one that violates the formula, then for one that satisfies it.
    Searched {
        /// The search for a violating one.
        violating: Method,
        /// The search for a satisfying one; none if all completions satisfy the formula.
        satisfying: Option<Method>,
    },
    /// The structure contradicts itself: there is no completion at all.
    Inconsistent,
}

/// The thorough value at one state.
#[derive(Clone, Debug)]
pub struct ThoroughOutcome {
    /// True of all completions, false of all, or unknown; `both` if there are none.
    pub value: Belnap,
    /// How it was found.
    pub how: How,
}

/// The thorough value at a state.
///
/// # Errors
/// If the task is not supported or a limit is reached.
pub fn decide(task: &Task<'_>, state: StateId) -> Result<ThoroughOutcome, EngineError> {
    supported(task)?;
    if let Some(marked) = MarkedStructure::of(task)? {
        let begin = marked.begin(state);
        return decide(&marked.task(task, Ask::At(&[begin]))?, begin);
    }
    if task.model.is_mixed() && Cells::new(task, &[state])?.of(state).is_none() {
        return Ok(ThoroughOutcome { value: Belnap::Both, how: How::Inconsistent });
    }
    let compositional = compositional(task, Ask::At(&[state]))?.at(state);
    if compositional != Belnap::Unknown {
        return Ok(ThoroughOutcome { value: compositional, how: How::Compositional });
    }
    if is_strongest(task) {
        return Ok(ThoroughOutcome { value: Belnap::Unknown, how: How::SelfMinimising });
    }
    let states = [state];
    let wanted = Wanted { satisfying: false, states: &states, build: false };
    let violating = search(task, wanted)?;
    if !violating.exists[0] {
        let how = How::Searched { violating: violating.method, satisfying: None };
        return Ok(ThoroughOutcome { value: Belnap::True, how });
    }
    let satisfying = search(task, Wanted { satisfying: true, ..wanted })?;
    let value = if satisfying.exists[0] { Belnap::Unknown } else { Belnap::False };
    let how = How::Searched { violating: violating.method, satisfying: Some(satisfying.method) };
    Ok(ThoroughOutcome { value, how })
}

/// A completion that satisfies the formula and one that violates it, each if there is one.
///
/// # Errors
/// If the task is not supported or a limit is reached.
pub fn two_completions(task: &Task<'_>, state: StateId) -> Result<[Option<Completion>; 2], EngineError> {
    let states = [state];
    let mut sides = [None, None];
    for (side, satisfying) in [(0, true), (1, false)] {
        let wanted = Wanted { satisfying, states: &states, build: true };
        sides[side] = search(task, wanted)?.completions.pop().flatten();
    }
    Ok(sides)
}

/// The compositional values, by the most precise sound reading.
fn compositional(task: &Task<'_>, ask: Ask<'_>) -> Result<Values, EngineError> {
    let reading = Reading { linear: LinearReading::Hyper, ..task.reading };
    let task = Task { reading, ask, ..task.clone() };
    match task.formula.logic() {
        Logic::Ltl | Logic::CtlStar => AutomataEngine.values(&task),
        _ => Explicit.values(&task),
    }
}

/// Whether the compositional value is the strongest: no atom occurs both positively and negatively, and steps
/// are decided or only read in one way.
#[must_use]
pub fn is_strongest(task: &Task<'_>) -> bool {
    let model = task.model;
    if model.is_mixed() || !mixed_atoms(task.formula).is_empty() {
        return false;
    }
    if steps_are_decided(model) {
        return true;
    }
    let total = model.total() || task.reading.deadlock == Deadlock::Total;
    let one_way = universal_only(task.formula) || existential_only(task.formula);
    let ends_are_read = task.reading.deadlock == Deadlock::Maximal;
    one_way && !total && !ends_are_read && model.hyper_count() == 0
}

/// Whether every possible step is certain.
fn steps_are_decided(model: &Kmts) -> bool {
    model.hyper_count() == 0 && model.states().all(|state| model.edges_from(state).all(|edge| edge.may && edge.must))
}

/// The thorough semantics as an engine.
#[derive(Clone, Copy, Debug, Default)]
pub struct Thorough;

impl Engine for Thorough {
    fn name(&self) -> &'static str {
        "thorough"
    }

    fn supports(&self, task: &Task<'_>) -> Result<(), Unsupported> {
        supported(task)
    }

    /// States that all completions contradict have the value `both`.
    fn values(&self, task: &Task<'_>) -> Result<Values, EngineError> {
        supported(task)?;
        let asked: Vec<StateId> = match task.ask {
            Ask::All => task.model.states().collect(),
            Ask::At(states) => states.to_vec(),
        };
        if let Some(marked) = MarkedStructure::of(task)? {
            let begins: Vec<StateId> = asked.iter().map(|&state| marked.begin(state)).collect();
            let found = self.values(&marked.task(task, Ask::At(&begins))?)?;
            let states = task.model.state_count();
            let mut values = Values { for_true: BitSet::empty(states), not_refuted: BitSet::empty(states) };
            asked.iter().zip(begins).for_each(|(&state, begin)| set(&mut values, state, found.at(begin)));
            return Ok(values);
        }
        let mut values = compositional(task, task.ask)?;
        let mut open: Vec<StateId> =
            asked.iter().copied().filter(|&state| values.at(state) == Belnap::Unknown).collect();
        if task.model.is_mixed() {
            let cells = Cells::new(task, &asked)?;
            for &state in asked.iter().filter(|&&state| cells.of(state).is_none()) {
                set(&mut values, state, Belnap::Both);
            }
            open.retain(|&state| cells.of(state).is_some());
        }
        if open.is_empty() || is_strongest(task) {
            return Ok(values);
        }
        let violating = search(task, Wanted { satisfying: false, states: &open, build: false })?.exists;
        let satisfying = search(task, Wanted { satisfying: true, states: &open, build: false })?.exists;
        for (at, &state) in open.iter().enumerate() {
            set(&mut values, state, Belnap::from_evidence(!violating[at], !satisfying[at]));
        }
        Ok(values)
    }
}

fn set(values: &mut Values, state: StateId, value: Belnap) {
    let put = |set: &mut BitSet, member: bool| {
        if member {
            set.insert(state.index());
        } else {
            set.remove(state.index());
        }
    };
    put(&mut values.for_true, value.for_true());
    put(&mut values.not_refuted, value.not_refuted());
}
