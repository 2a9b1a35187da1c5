//! What can be said about a program with many processes by looking at few of them?
//!
//! Some processes are in the spotlight, all others are shade. For each property the abstraction is made, checked, and as
//! long as the answer is open something is added to it by what leaves it open: a name for an unknown value, a predicate, a
//! process ([`rounds`], `additions`); first without the shade (`at_rest`). Where it begins is chosen in [`start`]; the structures for all values of the names are
//! judged in `judge`; what is false is looked for in the program itself (`replay`). Mistakes of steps are looked for process by
//! process (`mistakes`).

mod additions;
mod at_rest;
mod certificate_basis;
mod judge;
mod mistakes;
mod replay;
pub mod rounds;
pub mod start;
pub mod view;

use std::time::Instant;

use tertium_abstraction::{Options, System};
use tertium_base::{Budget, StopReason, Stopped};
use tertium_program::ProcessId;
use tertium_smt::Queries;

use crate::answer::{ProgramAnswer, Reason};
use crate::observer::ProgramObserver;
use crate::options::{CheckOptions, CheckOutcome};
use crate::predicate_abstraction::{AbstractionOptions, blank, second_solver, unsupported};
use crate::solver;
use tertium_evidence::provenance::{Engine, Provenance, Technique};
use tertium_load::ProgramFile;
use tertium_load::failure::Failure;
use tertium_load::questions::{PropertyQuery, Question};

/// What is done with values that are not known.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Parameters {
    /// They are given names where that may help.
    #[default]
    On,
    /// They stay unknown.
    Off,
    /// Branches nobody knows the direction of are given names, too, in place of certain sets.
    Literal,
}

/// How to look at few processes.
#[derive(Clone, Debug)]
pub struct SpotlightOptions {
    /// The processes to begin with; none: as the property suggests.
    pub processes: Option<Vec<ProcessId>>,
    /// Unknown values.
    pub parameters: Parameters,
    /// At most this many rounds for each property.
    pub rounds: usize,
    /// At most this many processes come into the spotlight.
    pub most_processes: usize,
}

impl Default for SpotlightOptions {
    fn default() -> Self {
        Self { processes: None, parameters: Parameters::On, rounds: 60, most_processes: 6 }
    }
}

/// Everything that one run shares.
pub(super) struct SpotlightCheck<'a> {
    pub file: &'a ProgramFile,
    pub options: &'a CheckOptions,
    pub abstraction: &'a AbstractionOptions,
    pub how: &'a SpotlightOptions,
    pub budget: &'a Budget,
    pub observer: &'a dyn ProgramObserver,
}

/// Answers all questions by looking at few processes.
///
/// # Errors
/// If the program cannot be abstracted, `--parameters literal` does not fit a property, or two parts of this program
/// disagree.
pub fn check(
    file: &ProgramFile,
    questions: &[Question],
    options: &CheckOptions,
    abstraction: &AbstractionOptions,
    how: &SpotlightOptions,
    budget: &Budget,
    observer: &dyn ProgramObserver,
) -> Result<CheckOutcome, Failure> {
    let work = SpotlightCheck { file, options, abstraction, how, budget, observer };
    let mut answers = Vec::new();
    for question in questions {
        let answer = if observer.is_decided(question.name()) { blank(question) } else { work.answer(question)? };
        answer.tell(observer);
        answers.push(answer);
    }
    Ok(CheckOutcome { answers, ..CheckOutcome::default() })
}

impl SpotlightCheck<'_> {
    fn answer(&self, question: &Question) -> Result<ProgramAnswer, Failure> {
        let start = Instant::now();
        let mut answer = blank(question);
        answer.provenance = Provenance::new(Engine::Spotlight, Technique::SpotlightAbstraction);
        let decided = match question {
            Question::Property(asked) => self.property(asked, &mut answer),
            Question::Never(never) => self.never(never.mistake, &mut answer),
            Question::Watched(_) => {
                answer.verdict.leave_open(Reason {
                    what: "claims, and acceptance and progress labels, are not known to spotlight abstraction"
                        .to_owned(),
                    about: None,
                    span: None,
                    help: "write the property in ltl".to_owned(),
                });
                Ok(())
            }
        };
        match decided {
            Ok(()) => {}
            Err(Failure::Stopped(Stopped(StopReason::Count))) => answer.verdict.leave_open(Reason {
                what: "there are more abstract states than the limit allows".to_owned(),
                about: None,
                span: None,
                help: "raise `--max-states`, or begin with fewer processes: `--spotlight P,Q`".to_owned(),
            }),
            Err(Failure::Stopped(stopped)) => answer.verdict.stop(stopped.0),
            Err(failure) => return Err(failure),
        }
        answer.cost.elapsed = start.elapsed();
        Ok(answer)
    }

    fn property(&self, asked: &PropertyQuery, answer: &mut ProgramAnswer) -> Result<(), Failure> {
        let mut system = self.system()?;
        rounds::decide(self, &mut system, asked, answer)
    }

    /// The program without predicates.
    pub(super) fn system(&self) -> Result<System, Failure> {
        let program = &self.file.program;
        let mut options = Options { keep_small: false, limit: self.abstraction.limit, ..Options::default() };
        options.most_states = self.abstraction.max_states.unwrap_or(options.most_states);
        let solver = solver::z3().map_err(|missing| *missing)?;
        let mut queries = Queries::new(Box::new(solver), options.limit, self.budget);
        if let Some(command) = &self.abstraction.cross_check {
            queries = queries.cross_checked(second_solver(command)?);
        }
        System::new(program, &[], &options, queries).map_err(|why| unsupported(self.file, program, &why))
    }
}
