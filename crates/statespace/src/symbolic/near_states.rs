//! What do the states within some depth show before all of them are known?
//!
//! A fixpoint of sets tells nothing before it is there, and near a limit it never is. So unless it is found with few nodes, a breadth-first
//! search over sets goes as deep as these stay small, and whatever speaks of all states is asked of them: a counterexample is told at once, and where
//! there is none, how deep one has looked.

use std::collections::BTreeMap;

use tertium_base::Stopped;
use tertium_cegar::answer::{ProgramAnswer, Reason};
use tertium_cegar::observer::ProgramObserver;
use tertium_encode::{Encoding, EncodingError, InstantiatedProgram};
use tertium_lattice::Belnap;
use tertium_load::failure::Failure;
use tertium_load::questions::Question;

use super::decide::SymbolicCheck;
use crate::check::{CheckOptions, CheckOutcome};

/// Asks the questions that near states can answer.
pub(super) struct NearStates<'w, 'p> {
    subject: &'w InstantiatedProgram<'p>,
    questions: &'w [Question],
    options: CheckOptions,
    seen: Seen,
    failure: Option<Failure>,
}

/// What was seen within some depth.
#[derive(Default)]
pub(super) struct Seen {
    depth: usize,
    /// By the number of the question: its counterexample, or nothing.
    asked: BTreeMap<usize, Option<ProgramAnswer>>,
}

impl<'w, 'p> NearStates<'w, 'p> {
    pub(super) fn new(
        subject: &'w InstantiatedProgram<'p>,
        questions: &'w [Question],
        options: &'w CheckOptions,
    ) -> Self {
        // Nothing rests on some of the states.
        let options = CheckOptions { keep_basis: false, ..options.clone() };
        Self { subject, questions, options, seen: Seen::default(), failure: None }
    }

    /// Asks all questions about these states, and tells what is false.
    pub(super) fn look(
        &mut self,
        encoding: &Encoding<'p>,
        depth: usize,
        observer: &dyn ProgramObserver,
        tell: &mut dyn FnMut(&ProgramAnswer),
    ) -> Result<(), EncodingError> {
        let check = SymbolicCheck::new(encoding, self.subject, &self.options);
        self.seen.depth = depth;
        for (at, question) in self.questions.iter().enumerate() {
            if !check.is_about_states(question) || observer.is_decided(question.name()) {
                continue;
            }
            match check.answer(question) {
                Ok(answer) if answer.value() == Belnap::False => {
                    tell(&answer);
                    self.seen.asked.insert(at, Some(answer));
                }
                Ok(answer) if answer.value() == Belnap::True => _ = self.seen.asked.insert(at, None),
                Ok(_) => {}
                Err(failure) => {
                    self.failure = Some(failure);
                    return Err(EncodingError::Unfit("a question has no answer".into()));
                }
            }
        }
        Ok(())
    }

    /// What was seen.
    ///
    /// # Errors
    /// What went wrong on the way.
    pub(super) fn outcome(self) -> Result<Seen, Failure> {
        self.failure.map_or(Ok(self.seen), Err)
    }
}

impl Seen {
    /// The answers if nothing more is found.
    pub(super) fn stopped(mut self, questions: &[Question], stopped: Stopped) -> CheckOutcome {
        let mut outcome = CheckOutcome::stopped(questions, stopped);
        for (at, answer) in outcome.answers.iter_mut().enumerate() {
            match self.asked.remove(&at) {
                Some(Some(found)) => *answer = found,
                Some(None) => answer.verdict.leave_open(nothing_within(self.depth)),
                None => {}
            }
        }
        outcome
    }
}

fn nothing_within(depth: usize) -> Reason {
    Reason {
        what: format!("nothing within depth {depth} breaks it, and the set of all states was not found"),
        about: None,
        span: None,
        help: "give it more memory (`--memory`) or time (`--timeout`)".to_owned(),
    }
}
