//! Which propositional formulas make a query true? Temporal-logic query checking over the lattice of sets of formulas.
//!
//! Chan (2000) asks for the strongest formula in the place of a placeholder; Bruns and Godefroid (2001) and Gurfinkel and Chechik (2003) evaluate any
//! query in the lattice whose elements are upward closed sets of propositional formulas: at a state, the placeholder has the formulas that hold there, conjunction is intersection,
//! disjunction union, fixpoints are iterated. Here this is done twice, as for every value: for evidence for true, and for what is not refuted. A formula holds for certain
//! where all rows belong to it that unknown labels leave open, and is not refuted where one of them does.
//!
//! Not here: reading queries (`logic`), linear ones, and telling the answer (`structures`).

mod evaluate;
mod sets;

use tertium_lattice::Belnap;
use tertium_logic::query::RowSet;
use tertium_logic::{AtomId, Logic, ctl_to_mu};
use tertium_model::{PropId, StateId};

use crate::{EngineError, Task, Unsupported};
use evaluate::{Evaluator, Side};
use sets::Upset;

/// A query bound to a structure: the task's formula has the placeholder as an atom.
#[derive(Clone, Copy, Debug)]
pub struct QueryTask<'t, 'a> {
    /// The structure and the formula.
    pub task: &'t Task<'a>,
    /// The atom that stands for the placeholder.
    pub placeholder: AtomId,
    /// The propositions that answers may speak of; bit `i` of a row's number is the value of the `i`-th.
    pub props: &'t [PropId],
}

/// The strongest formulas, each as its set of rows; none is weaker than another.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Strongest {
    /// With which the query is true.
    pub for_true: Vec<RowSet>,
    /// With which it is not false.
    pub not_refuted: Vec<RowSet>,
}

/// The strongest formulas with which the query holds at all of these states.
///
/// # Errors
/// If it is not one of PML, CTL or the mu-calculus, or a limit is reached: of the budget, or on how many formulas there are.
pub fn strongest(query: &QueryTask<'_, '_>, at: &[StateId]) -> Result<Strongest, EngineError> {
    let task = query.task;
    let decline = |reason: &str| EngineError::Unsupported(Unsupported { engine: "query", reason: reason.to_owned() });
    if !matches!(task.formula.logic(), Logic::Pml | Logic::Ctl | Logic::Mu) {
        return Err(decline("the lattice of sets of formulas is for pml, ctl and mu"));
    }
    if let Some(problem) = crate::game::shape_problem(task.formula) {
        return Err(decline(problem));
    }
    if crate::reduction::nesting(task.formula) > crate::lattice_valued::DEEPEST_FIXPOINTS {
        return Err(decline("its fixpoints are nested too deeply"));
    }
    let unfolded = if task.formula.logic() == Logic::Ctl { ctl_to_mu(task.formula) } else { None };
    let formula = tertium_logic::positive_normal_form(unfolded.as_ref().unwrap_or(task.formula), false);
    let side = |side: Side| -> Result<Vec<RowSet>, EngineError> {
        let mut evaluator = Evaluator::new(query, &formula, side);
        let values = evaluator.root()?;
        let mut ticks = 0;
        let mut both = Upset::all();
        for state in at {
            both = both.intersection(&values[state.index()], task.budget, &mut ticks)?;
        }
        Ok(both.strongest().to_vec())
    };
    Ok(Strongest { for_true: side(Side::ForTrue)?, not_refuted: side(Side::NotRefuted)? })
}

/// The rows that a state's labels leave open: all of them are of one formula that holds there. Where a label is both, either value will do for
/// evidence for true, so that there are several sets.
fn rows_at(query: &QueryTask<'_, '_>, state: StateId, side: Side) -> Vec<RowSet> {
    let labels: Vec<Belnap> = query.props.iter().map(|&prop| query.task.model.label(state, prop)).collect();
    let of = |wanted: Belnap| -> usize {
        labels.iter().enumerate().filter(|(_, label)| **label == wanted).map(|(at, _)| 1 << at).sum()
    };
    let (fixed, unknown, both) = (of(Belnap::True), of(Belnap::Unknown), of(Belnap::Both));
    // Truth has to hold for every settling of unknown labels, and may choose among contradicting ones; not being refuted is the dual.
    let (every, some) = if side == Side::ForTrue { (unknown, both) } else { (both, unknown) };
    subsets(some).map(|chosen| RowSet::of(subsets(every).map(move |open| fixed | chosen | open))).collect()
}

/// All numbers whose bits are among these.
fn subsets(bits: usize) -> impl Iterator<Item = usize> {
    let mut next = Some(0);
    std::iter::from_fn(move || {
        let here = next?;
        next = (here != bits).then(|| (here | !bits).wrapping_add(1) & bits);
        Some(here)
    })
}

/// The rows that some state's labels leave possible: no others matter.
#[must_use]
pub fn rows_that_occur(query: &QueryTask<'_, '_>) -> RowSet {
    let mut found = RowSet::NONE;
    for state in query.task.model.states() {
        for side in [Side::ForTrue, Side::NotRefuted] {
            found = rows_at(query, state, side).into_iter().fold(found, RowSet::union);
        }
    }
    found
}
