//! How is an engine given a program that forgets dead locals, and its answers told of the program itself?
//!
//! Sets and predicates do not forget by themselves what is never read again ([`live_ranges`](crate::program::live_ranges)). Each answer is lifted before anybody is told: runs are repeated by the definition of a step, and
//! what cannot be told of the program stays open, for the engines beside this one.

use std::sync::{Mutex, PoisonError};

use tertium_cegar::answer::ProgramAnswer;
use tertium_cegar::observer::ProgramObserver;
use tertium_cegar::options::CheckOutcome;
use tertium_load::ProgramFile;
use tertium_load::questions::Question;

use super::engine::Situation;
use crate::failure::Failure;
use crate::program::slice::Slice;
use crate::{Counts, Observer};

/// Runs an engine on the program without what is dead, or on the program itself where nothing is.
///
/// # Errors
/// Those of the engine, or if a run cannot be repeated, which is a fault of this program.
pub(super) fn forgetting(
    situation: &Situation<'_>,
    open: &[Question],
    run: impl FnOnce(&ProgramFile, &dyn ProgramObserver) -> Result<CheckOutcome, Failure>,
) -> Result<CheckOutcome, Failure> {
    let file = situation.request.file;
    let seen: Vec<_> = open.iter().flat_map(atoms).copied().collect();
    let is_wanted = situation.request.wishes.options.reduction && file.open.is_none();
    let slice = if is_wanted { Slice::with_live_ranges(file, &seen) } else { None };
    let Some(slice) = slice else { return run(file, situation.observer) };
    let observer = LiftingObserver { slice: &slice, open, listener: situation.observer, failed: Mutex::new(None) };
    let mut outcome = run(&slice.file, &observer)?;
    if let Some(failure) = observer.failed.into_inner().unwrap_or_else(PoisonError::into_inner) {
        return Err(failure);
    }
    for (answer, question) in outcome.answers.iter_mut().zip(open) {
        let found = std::mem::replace(answer, ProgramAnswer::about(question));
        if let Some(lifted) = slice.lift(question, found)? {
            *answer = lifted;
        }
    }
    Ok(outcome)
}

fn atoms(question: &Question) -> &[tertium_program::ExprId] {
    match question {
        Question::Property(asked) => &asked.atoms,
        Question::Never(_) | Question::Watched(_) => &[],
    }
}

/// Passes on answers as ones about the program itself.
struct LiftingObserver<'a> {
    slice: &'a Slice<'a>,
    open: &'a [Question],
    listener: &'a dyn ProgramObserver,
    failed: Mutex<Option<Failure>>,
}

impl Observer for LiftingObserver<'_> {
    fn phase(&self, what: &str) {
        self.listener.phase(what);
    }

    fn search(&self, what: &str) {
        self.listener.search(what);
    }

    fn counts(&self, counts: Counts) {
        self.listener.counts(counts);
    }
}

impl ProgramObserver for LiftingObserver<'_> {
    fn decided(&self, answer: &ProgramAnswer) {
        let Some(question) = self.open.iter().find(|question| question.name() == answer.name) else { return };
        match self.slice.lift(question, answer.clone()) {
            Ok(Some(lifted)) => self.listener.decided(&lifted),
            Ok(None) => {}
            Err(failure) => {
                self.failed.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert(failure);
            }
        }
    }

    fn is_decided(&self, name: &str) -> bool {
        self.listener.is_decided(name)
    }
}
