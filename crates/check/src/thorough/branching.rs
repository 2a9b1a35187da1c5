//! Branching formulas: is there a completion that satisfies one, or its negation?

use tertium_evidence::Deadlock;
use tertium_lattice::Belnap;
use tertium_logic::Logic;
use tertium_model::StateId;

use super::cells::Cells;
use super::completion::{Completion, extract};
use super::tableau::{DebugDecider, Decider, Nothing, Tableau};
use super::terms::{TermId, Terms, decline};
use crate::game::{self, Solved, plan};
use crate::{EngineError, Filter, Task, Unsupported};

/// Compositional values of the formula's obligations, from the game that computes them.
#[derive(Debug)]
struct Known<'t>(Solved<'t>);

impl Decider for Known<'_> {
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

/// Why the thorough semantics is not defined for a task, or not supported.
///
/// # Errors
/// The reason.
pub(crate) fn supported(task: &Task<'_>) -> Result<(), Unsupported> {
    if !task.model.fairness().is_empty() || task.filters.iter().any(|filter| matches!(filter, Filter::Fair(_))) {
        return Err(decline("completions do not inherit fairness constraints"));
    }
    if task.elements.iter().any(|value| matches!(value, Belnap::Unknown | Belnap::Both)) {
        return Err(decline("the constants `u` and `b` have no meaning in a complete structure"));
    }
    let linear = matches!(task.formula.logic(), Logic::Ltl | Logic::CtlStar);
    if linear && task.reading.deadlock == Deadlock::Maximal {
        return Err(decline("paths that end are read by branching formulas only"));
    }
    Ok(())
}

/// For each state a completion that satisfies the formula (or violates it, if not `positive`), if there is one.
///
/// # Errors
/// If the task is not supported or a limit is reached.
pub fn branching_completion(
    task: &Task<'_>,
    positive: bool,
    states: &[StateId],
) -> Result<Vec<Option<Completion>>, EngineError> {
    supported(task)?;
    let cells = Cells::new(task, states)?;
    let (terms, root) = Terms::of_task(task, positive)?;
    let known = known_values(task, states)?;
    let decider: &dyn DebugDecider = match &known {
        Some(known) => known,
        None => &Nothing,
    };
    let starts: Vec<u32> = states.iter().filter_map(|&state| cells.of(state)).collect();
    let mut tableau = Tableau::play(&cells, &terms, root, &starts, decider, task.budget)?;
    let mut found = Vec::with_capacity(states.len());
    for &state in states {
        let node = match cells.of(state) {
            Some(cell) => tableau.root(cell)?.filter(|&node| tableau.is_won(node)),
            None => None,
        };
        found.push(match node {
            Some(node) => Some(extract(&mut tableau, node, task.budget)?),
            None => None,
        });
    }
    Ok(found)
}

/// The compositional values that the game for the formula's value comes across.
fn known_values<'t>(task: &'t Task<'t>, states: &[StateId]) -> Result<Option<Known<'t>>, EngineError> {
    if !matches!(task.formula.logic(), Logic::Pml | Logic::Ctl | Logic::Mu) {
        return Ok(None);
    }
    let plan = game::plan(task)?;
    let root = plan.obligation(task.formula.root(), true);
    let roots = states.iter().flat_map(|&state| [root, plan::dual(root)].map(|side| (state, side)));
    Ok(Some(Known(Solved::new(task, plan, roots)?)))
}
