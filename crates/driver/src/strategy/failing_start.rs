//! From which initial state does a property fail that no run refutes?
//!
//! `EF p` is false if from *some* initial state no run leads to `p`; a run to `p` from another one would show the opposite. The property is asked
//! again of the program with one initial state only: where it is false, too, that state is the counterexample. States that are tried first are those
//! that can be listed, else small values. All of it within a quota of effort; no answer is changed by it. What is reached from there is counted by the definition
//! of a step, if it is little.
//!
//! A linear property that an abstraction refutes without one certain path (it is certain that one of several steps is taken, but not which) has a run from some initial state: it is looked for in
//! the same way, and shown.

use std::collections::{BTreeSet, VecDeque};

use tertium_base::{Budget, Stopped};
use tertium_cegar::answer::{FailingStart, ProgramAnswer};
use tertium_lattice::Belnap;
use tertium_load::ProgramFile;
use tertium_load::questions::Question;
use tertium_logic::Logic;
use tertium_program::{InitialValue, Outcome, Program, Semantics, State, VarId};
use tertium_trace::wording;

use super::limits::Limits;
use super::vacuity::quick;
use super::{ProgramQuery, decide_aside};
use crate::failure::Failure;
use crate::program::run_confirmation;
use crate::{Aside, Observer};

/// At most so many initial states are tried.
const MOST_TRIED: usize = 24;
/// Initial states are listed if there are no more candidates than this.
const MOST_LISTED: u64 = 4096;
/// States behind an initial one are listed up to this many.
const MOST_REACHED: usize = 500;
/// Values that are tried where a variable may hold any.
const SMALL_VALUES: [i64; 6] = [0, 1, 2, -1, 3, 7];

/// Names an initial state from which a false property fails, or, of a linear property, a run from one, if no run shows it.
///
/// # Errors
/// If two parts of this program disagree. Limits are no errors.
pub fn name_failing_start(
    query: &ProgramQuery<'_>,
    question: &Question,
    answer: &mut ProgramAnswer,
    budget: &Budget,
    observer: &dyn Observer,
) -> Result<(), Failure> {
    let Question::Property(asked) = question else { return Ok(()) };
    let open = answer.value() != Belnap::False || answer.run().is_some() || answer.fails_from.is_some();
    // What is false whatever a function means need not fail from one state for all meanings.
    let open = open || !query.file.program.functions.is_empty();
    if open || query.file.open.is_some() || answer.system().is_some() {
        return Ok(());
    }
    let share = Limits::of(query.file.language).for_a_remark(budget);
    if asked.formula.logic() == Logic::Ltl {
        observer.phase(&format!("looking for a run that violates {}", asked.name));
        return show_violating_run(query, question, answer, &share, observer);
    }
    observer.phase(&format!("looking for the initial state from which {} fails", asked.name));
    answer.fails_from = failing_start(query, question, &share, observer)?;
    Ok(())
}

/// Shows a run from one of the initial states that are tried, if one is found.
fn show_violating_run(
    query: &ProgramQuery<'_>,
    question: &Question,
    answer: &mut ProgramAnswer,
    budget: &Budget,
    observer: &dyn Observer,
) -> Result<(), Failure> {
    let semantics = Semantics::new(&query.file.program).within(budget);
    let Ok((candidates, _)) = candidates(&semantics, budget) else { return Ok(()) };
    for state in candidates {
        if budget.glance().is_err() {
            return Ok(());
        }
        let found = decided_from(query, question, &state, budget, observer)?;
        let evidence =
            found.filter(|found| found.value() == Belnap::False).and_then(|found| found.verdict.evidence().cloned());
        let Some((run, repeats)) = evidence.and_then(|evidence| evidence.run.map(|run| (run, evidence.repeats))) else {
            continue;
        };
        answer.show(|evidence| (evidence.run, evidence.repeats) = (Some(run), repeats));
        return run_confirmation::must_show(query.file, question, answer);
    }
    Ok(())
}

fn failing_start(
    query: &ProgramQuery<'_>,
    question: &Question,
    budget: &Budget,
    observer: &dyn Observer,
) -> Result<Option<FailingStart>, Failure> {
    let semantics = Semantics::new(&query.file.program).within(budget);
    let Ok((candidates, all)) = candidates(&semantics, budget) else { return Ok(None) };
    // Where there is one only, it fails there.
    let only = all && candidates.len() == 1;
    for state in candidates {
        if budget.glance().is_err() {
            return Ok(None);
        }
        let fails = |found: ProgramAnswer| found.value() == Belnap::False;
        if only || decided_from(query, question, &state, budget, observer)?.is_some_and(fails) {
            let reached = reached(&semantics, &state, budget);
            let places = reached.as_ref().map(|states| places(&semantics, states)).unwrap_or_default();
            return Ok(Some(FailingStart {
                values: wording::values(&semantics, &state),
                reached: reached.map(|states| states.len()),
                places,
            }));
        }
    }
    Ok(None)
}

/// The answer about the program that starts in this state only.
fn decided_from(
    query: &ProgramQuery<'_>,
    question: &Question,
    state: &State,
    budget: &Budget,
    observer: &dyn Observer,
) -> Result<Option<ProgramAnswer>, Failure> {
    let Some(program) = starting_in(&query.file.program, state) else { return Ok(None) };
    let file = ProgramFile { program, ..query.file.clone() };
    let wishes = quick(query.wishes);
    let asked = ProgramQuery { file: &file, questions: std::slice::from_ref(question), wishes: &wishes };
    match decide_aside(&asked, budget, &Aside(observer)) {
        Ok(outcome) => Ok(outcome.answers.into_iter().next()),
        Err(Failure::Input(_) | Failure::Stopped(_)) => Ok(None),
        Err(failure) => Err(failure),
    }
}

/// Initial states to try, and whether they are all there are.
fn candidates(semantics: &Semantics<'_>, budget: &Budget) -> Result<(Vec<State>, bool), Stopped> {
    if let Ok(mut states) = semantics.initial_states(MOST_LISTED, budget) {
        let all = states.len() <= MOST_TRIED;
        states.truncate(MOST_TRIED);
        return Ok((states, all));
    }
    let (program, mut found) = (semantics.program(), Vec::new());
    // Values that all open cells share, then such that they differ.
    for shift in 0..3 {
        for first in 0..SMALL_VALUES.len() {
            budget.glance()?;
            let Ok(mut slots) = semantics.first_slots() else { return Ok((Vec::new(), false)) };
            for (at, slot) in open_slots(program, semantics).into_iter().enumerate() {
                slots[slot] = SMALL_VALUES[(first + shift * at) % SMALL_VALUES.len()];
            }
            let state = State::visible(slots);
            if semantics.is_initial(&state) == Ok(true) && !found.contains(&state) {
                found.push(state);
            }
        }
    }
    found.truncate(MOST_TRIED);
    Ok((found, false))
}

/// The variables without an initial value that have one copy.
fn open_variables(program: &Program) -> impl Iterator<Item = VarId> + '_ {
    program.variable_ids().filter(|&var| program.variable(var).initial == InitialValue::Any)
}

fn open_slots(program: &Program, semantics: &Semantics<'_>) -> Vec<usize> {
    let slots = |var: VarId| {
        let first = semantics.layout().fixed_slot(program, var)?;
        Some(first..first + program.variable(var).cells())
    };
    open_variables(program).filter_map(slots).flatten().collect()
}

/// The same program with one initial state; none if its variables cannot be told apart.
fn starting_in(program: &Program, state: &State) -> Option<Program> {
    let semantics = Semantics::new(program);
    let mut fixed = program.clone();
    for var in open_variables(program) {
        let first = semantics.layout().fixed_slot(program, var)?;
        let values = state.slots.get(first..first + program.variable(var).cells())?.to_vec();
        fixed.variables[var.index()].initial = InitialValue::Each(values);
    }
    let starts = Semantics::new(&fixed).is_initial(state);
    (starts == Ok(true)).then_some(fixed)
}

/// The states that are reached from one, if they are few and every step can be computed.
fn reached(semantics: &Semantics<'_>, from: &State, budget: &Budget) -> Option<Vec<State>> {
    let key = |state: &State| (state.slots.clone(), state.holder);
    let mut seen = BTreeSet::from([key(from)]);
    let (mut waiting, mut states) = (VecDeque::from([from.clone()]), Vec::new());
    while let Some(state) = waiting.pop_front() {
        if budget.check().is_err() || seen.len() > MOST_REACHED {
            return None;
        }
        for successor in semantics.successors(&state) {
            match successor.outcome {
                Outcome::Next(next) => {
                    if seen.insert(key(&next)) {
                        waiting.push_back(next);
                    }
                }
                Outcome::Fault { .. } => return None,
            }
        }
        states.push(state);
    }
    Some(states)
}

/// Where the processes are in these states, each combination once.
fn places(semantics: &Semantics<'_>, states: &[State]) -> Vec<String> {
    let mut found: Vec<String> = Vec::new();
    for state in states {
        let at = wording::values(semantics, state).into_iter().filter(|(name, _)| name.ends_with('@'));
        let place = at.map(|(name, place)| format!("{name}{place}")).collect::<Vec<_>>().join(" ");
        if !found.contains(&place) {
            found.push(place);
        }
    }
    found
}
