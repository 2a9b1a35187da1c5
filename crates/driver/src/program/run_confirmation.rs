//! Does a run show what it is told for?
//!
//! Engines find runs in different ways, and each repeats them by the definition of a step. That a sequence of steps is possible
//! is one thing; that it shows the answer beside which it stands is another, and is looked at here, once for all engines: a run shows that
//! something which should hold on every path does not, or that something happens on some path; it never shows that no path does something.

use tertium_lattice::Belnap;
use tertium_logic::Logic;
use tertium_logic::classify::shown_by_one_run;
use tertium_program::Semantics;

use super::answer::ProgramAnswer;
use super::questions::{Mistake, PropertyQuery, Question};
use super::run::Run;
use super::{ProgramFile, narration, propositional};
use crate::failure::Failure;

/// Refuses a run that does not show the answer.
///
/// # Errors
/// If it does not, which is a fault of this program.
pub fn must_show(file: &ProgramFile, question: &Question, answer: &ProgramAnswer) -> Result<(), Failure> {
    let Some(run) = answer.run() else { return Ok(()) };
    if shows(&super::semantics(file), question, answer, run) {
        return Ok(());
    }
    Err(Failure::Internal(format!(
        "the run told for `{}` does not show that it is {}",
        answer.name,
        word(answer.value())
    )))
}

fn word(value: Belnap) -> &'static str {
    match value {
        Belnap::True => "true",
        Belnap::False => "false",
        Belnap::Unknown => "unknown",
        Belnap::Both => "both",
    }
}

fn shows(semantics: &Semantics<'_>, question: &Question, answer: &ProgramAnswer, run: &Run) -> bool {
    match question {
        Question::Never(never) => answer.value() == Belnap::False && goes_wrong(semantics, never.mistake, run),
        Question::Watched(_) => answer.value() == Belnap::False,
        Question::Property(asked) => {
            let definite = matches!(answer.value(), Belnap::True | Belnap::False);
            let shown = definite && shown_by_one_run(&asked.formula, answer.value() == Belnap::True);
            shown && agrees(semantics, asked, answer, run)
        }
    }
}

fn goes_wrong(semantics: &Semantics<'_>, mistake: Mistake, run: &Run) -> bool {
    match &run.fault {
        Some((_, fault)) => Mistake::of(&fault.kind) == Some(mistake),
        None => {
            matches!(mistake, Mistake::Deadlock | Mistake::EndState)
                && run.deadlock
                && semantics.is_deadlock(run.last())
        }
    }
}

/// Where the run alone decides, it decides so.
fn agrees(semantics: &Semantics<'_>, asked: &PropertyQuery, answer: &ProgramAnswer, run: &Run) -> bool {
    match asked.invariant {
        Some((root, holds)) if run.loop_start.is_none() => {
            let atoms: Option<Vec<bool>> = asked
                .atoms
                .iter()
                .map(|&atom| semantics.observe(atom, run.last()).ok().map(|value| value != 0))
                .collect();
            atoms.is_some_and(|atoms| propositional::value(&asked.formula, root, &atoms, &mut Vec::new()) != holds)
        }
        _ if run.loop_start.is_some() && answer.repeats().is_none() => {
            let rows = narration::along(semantics, asked, run).rows;
            // What other paths do may matter to a branching formula.
            let open = asked.formula.logic() != Logic::Ltl;
            match rows.first().and_then(|row| row.values.first()) {
                None | Some(Belnap::Unknown) => open,
                Some(value) => *value == answer.value(),
            }
        }
        _ => true,
    }
}
