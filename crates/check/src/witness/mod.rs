//! Why does a branching formula have its value here?
//!
//! For a definite value the winning strategy of the game, written as the claims that `evidence` checks
//! ([`branching_certificate`]), with a run for display where there is one ([`readable_run`]). For an unknown
//! value a play that neither side can decide, and the open elements it stops at ([`open_question`]).
//!
//! Not here: linear formulas (`automata`), and checking any of this (`evidence`).

mod claims;
mod labelled;
mod open;
mod run;

use tertium_evidence::{OpenQuestion, Proof};
use tertium_lattice::Belnap;
use tertium_model::StateId;

use crate::game::arena::Room;
use crate::game::plan::dual;
use crate::game::{self, Solved};
use crate::{EngineError, Task};

pub use labelled::open_question_by_labels;
pub use run::{ReadableRun, RunStep, readable_run};

/// Evidence is mostly near the state asked about, so it is looked for in a small part of the game first: this many
/// positions, then more.
const ROOMS: [usize; 5] = [64, 2_000, 50_000, 1_000_000, usize::MAX];

/// On structures with more edges than this, one reason found fast is worth more than all of them.
const LARGE: usize = 100_000;

/// A proof that the task's formula is true, or is false, at a state, as claims of which the first is about
/// the root. None if there is no such evidence, and for the other values: what is both true and false has
/// a proof of either, and what is unknown has none.
///
/// Runs in the claims are shortest: a claim that goes on does so towards the nearest end.
///
/// # Errors
/// If the formula is none of PML, CTL, mu-calculus, or a limit is reached.
pub fn branching_certificate(task: &Task<'_>, state: StateId, value: Belnap) -> Result<Option<Proof>, EngineError> {
    let plan = game::plan(task)?;
    if !value.is_definite() {
        return Ok(None);
    }
    let root = plan.obligation(task.formula.root(), value.for_true());
    for most in ROOMS {
        let room = Room { most, beyond_is_won: false };
        let solved = Solved::within(task, plan.clone(), [(state, root)], room)?;
        if solved.proves(state, root) == Some(true) {
            return Ok(Some(Proof::Claims(claims::claims(&solved, state, root)?)));
        }
        if !solved.arena.cut_off {
            break;
        }
    }
    Ok(None)
}

/// A play that nobody can decide, from a state where the task's formula is unknown to the first open
/// element, and up to `limit` open elements in all that such plays stop at. None if it is not unknown.
///
/// The play prefers certain steps. Its reasons can be empty: a constant `unknown` in the formula is nobody's
/// fault.
///
/// # Errors
/// If the formula is none of PML, CTL, mu-calculus, or a limit is reached.
pub fn open_question(task: &Task<'_>, state: StateId, limit: usize) -> Result<Option<OpenQuestion>, EngineError> {
    let plan = game::plan(task)?;
    if task.model.edge_count() > LARGE
        && let Some(question) = open_question_by_labels(task, state)?
    {
        return Ok(Some(question));
    }
    let root = plan.obligation(task.formula.root(), true);
    for most in ROOMS {
        let room = Room { most, beyond_is_won: true };
        let solved = Solved::within(task, plan.clone(), [(state, root), (state, dual(root))], room)?;
        let open = |obligation| solved.proves(state, obligation) == Some(false);
        if open(root) && open(dual(root)) {
            return Ok(Some(open::open_question(&solved, state, root, limit)?));
        }
        if !solved.arena.cut_off {
            break;
        }
    }
    Ok(None)
}
