//! A run of a program whose processes were taken apart, told as a run of the program itself.
//!
//! Each step of the one comes from a step of the other, made by the same process. The definition of a step makes them in the
//! program; what it does not allow is no run.

use tertium_base::Budget;
use tertium_instantiate::Origin;
use tertium_program::{Move, Outcome, Program, Semantics, State};

use tertium_load::failure::Failure;
use tertium_trace::run::{self, Run, Taken};

/// The run of the program that consists of the same steps; `steps` says where each comes from.
///
/// # Errors
/// If a run cannot be repeated, which is a fault of this program.
pub fn run(program: &Program, steps: &[Origin], told: &Run, budget: &Budget) -> Result<Option<Run>, Failure> {
    let semantics = Semantics::new(program);
    let Some(mut run) = begin(&semantics, budget) else { return Ok(None) };
    for taken in &told.steps {
        let moves = original(steps, &taken.moves);
        // A run that has ended stays only where the program's does.
        if moves.is_empty() && !run::rests(&semantics, run.last()) {
            return Ok(None);
        }
        let Some(state) = arrive(&semantics, run.last(), &moves)? else { return Ok(None) };
        run.steps.push(Taken { moves, state });
    }
    run.loop_start = told.loop_start;
    let back = told.loop_start.and_then(|start| run.states().nth(start));
    let closes = told.loop_start.is_none() || back.is_some_and(|state| state == run.last());
    Ok(closes.then_some(run))
}

/// The run that has made no step yet.
pub(crate) fn begin(semantics: &Semantics<'_>, budget: &Budget) -> Option<Run> {
    let mut initial = semantics.initial_states(2, budget).ok()?;
    let first = initial.pop().filter(|_| initial.is_empty())?;
    Some(Run { first, steps: Vec::new(), loop_start: None, fault: None, deadlock: false })
}

/// The same moves in the program.
pub(crate) fn original(steps: &[Origin], moves: &[Move]) -> Vec<Move> {
    let one = |mv: &Move| {
        let Origin { pid, step, partner } = steps[mv.step.index()];
        Move { pid, step, inputs: mv.inputs.clone(), partner }
    };
    moves.iter().map(one).collect()
}

/// Where moves lead; none if the definition of a step does not allow them.
pub(crate) fn arrive(semantics: &Semantics<'_>, from: &State, moves: &[Move]) -> Result<Option<State>, Failure> {
    Ok(match run::execute(semantics, from, moves)? {
        Outcome::Next(state) | Outcome::Fault { next: Some(state), .. } => Some(State::visible(state.slots)),
        Outcome::Fault { next: None, .. } => None,
    })
}
