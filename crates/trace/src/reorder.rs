//! Can the same run be told with fewer changes of process?
//!
//! Two neighbouring steps of different processes may be swapped where the definition of a step, executed both ways, arrives
//! at the same state. A step is brought forward to an earlier step of its process if that leaves fewer changes of process.
//! The run keeps its length, its first state, its last state and its loop; what lies between may be passed in another order, so a
//! run that shows more than its end is kept only if it still shows it.

use tertium_program::{Move, Outcome, Semantics, State};

use crate::narration;
use crate::run::{Run, Taken, execute, moved_by};
use tertium_load::questions::{Mistake, PropertyQuery, Question};

/// Longer runs are left as they are.
const LONGEST: usize = 300;

/// The run with as few changes of process as swapping finds.
#[must_use]
pub fn calmer(semantics: &Semantics<'_>, question: &Question, run: Run) -> Run {
    if run.steps.len() > LONGEST || !may_change(question) {
        return run;
    }
    let mut best = run.clone();
    while let Some(next) = improved(semantics, &best) {
        best = next;
    }
    match question {
        _ if best == run => run,
        Question::Property(asked) if !shows_the_same(semantics, asked, &run, &best) => run,
        _ => best,
    }
}

/// What watches runs sees the order of steps.
fn may_change(question: &Question) -> bool {
    match question {
        Question::Property(_) => true,
        Question::Never(never) => never.mistake != Mistake::Trace,
        Question::Watched(_) => false,
    }
}

/// The end decides an invariant; else the formula must be worth the same along both runs.
fn shows_the_same(semantics: &Semantics<'_>, asked: &PropertyQuery, old: &Run, new: &Run) -> bool {
    if asked.invariant.is_some() && old.loop_start.is_none() {
        return true;
    }
    let value =
        |run: &Run| narration::along(semantics, asked, run).rows.first().and_then(|row| row.values.first().copied());
    let old = value(old);
    old.is_some_and(|value| value != tertium_lattice::Belnap::Unknown) && old == value(new)
}

/// How often another process goes on.
#[must_use]
pub fn switches(run: &Run) -> usize {
    run.steps.windows(2).filter(|pair| moved_by(&pair[0].moves) != moved_by(&pair[1].moves)).count()
}

/// The run with one step brought forward, if that leaves fewer changes.
fn improved(semantics: &Semantics<'_>, run: &Run) -> Option<Run> {
    let before = switches(run);
    let end = run.loop_start.unwrap_or(run.steps.len());
    for at in 1..end {
        let own = moved_by(&run.steps[at - 1].moves);
        if moved_by(&run.steps[at].moves) == own {
            continue;
        }
        let next = (at + 1..end).find(|&later| moved_by(&run.steps[later].moves) == own);
        let Some(moved) = next.and_then(|later| brought_forward(semantics, run, later, at)) else { continue };
        if switches(&moved) < before {
            return Some(moved);
        }
    }
    None
}

/// The run with the step at `from` brought forward to `to`, if it can be swapped with all in between.
fn brought_forward(semantics: &Semantics<'_>, run: &Run, from: usize, to: usize) -> Option<Run> {
    let mut moved = run.clone();
    for at in (to..from).rev() {
        swap(semantics, &mut moved, at)?;
    }
    Some(moved)
}

/// Swaps the steps at `at` and after it, if both orders lead to the same state.
fn swap(semantics: &Semantics<'_>, run: &mut Run, at: usize) -> Option<()> {
    let start = if at == 0 { &run.first } else { &run.steps[at - 1].state };
    let (first, second) = (run.steps[at].moves.clone(), run.steps[at + 1].moves.clone());
    if first.is_empty() || second.is_empty() {
        return None;
    }
    let between = after(semantics, start, &second)?;
    if after(semantics, &between, &first)? != run.steps[at + 1].state {
        return None;
    }
    run.steps[at] = Taken { moves: second, state: between };
    run.steps[at + 1].moves = first;
    Some(())
}

fn after(semantics: &Semantics<'_>, from: &State, moves: &[Move]) -> Option<State> {
    match execute(semantics, from, moves).ok()? {
        Outcome::Next(next) if next.holder.is_none() => Some(next),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::run::connect;
    use tertium_load::program::from_text;
    use tertium_load::questions;

    const TEXT: &str = "system s\nvar x, y : 0..9 = 0\nprocess P { x := 1; x := 2; assert x + y < 4; }\n\
        process Q { y := 1; y := 2; }\n";

    #[test]
    fn steps_of_one_process_are_told_together() {
        let file = from_text("s.gcl", TEXT.to_owned(), &[], None).unwrap_or_else(|failure| panic!("{failure:?}"));
        let semantics = Semantics::new(&file.program);
        let budget = tertium_base::Budget::unlimited();
        let mut states = semantics.initial_states(1, &budget).unwrap_or_else(|why| panic!("{why:?}"));
        // P, Q, P, Q: by pid.
        for pid in [0, 1, 0, 1] {
            let last = states.last().cloned().unwrap_or_else(|| panic!("a state"));
            let step = semantics.successors(&last).into_iter().find(|next| moved_by(&next.moves) == Some(pid));
            states.extend(step.and_then(|step| step.outcome.state().cloned()));
        }
        let run = connect(&semantics, &states).unwrap_or_else(|failure| panic!("{failure:?}"));
        assert_eq!(switches(&run), 3);
        let asked = questions::questions(&file, &["assertions".to_owned()], false);
        let asked = asked.unwrap_or_else(|failure| panic!("{failure:?}"));
        let calm = calmer(&semantics, &asked[0], run.clone());
        assert_eq!((switches(&calm), calm.steps.len()), (1, run.steps.len()));
        assert_eq!(calm.last(), run.last());
        let again: Vec<State> = calm.states().cloned().collect();
        assert!(connect(&semantics, &again).is_ok(), "the definition of a step allows the new order");
    }
}
