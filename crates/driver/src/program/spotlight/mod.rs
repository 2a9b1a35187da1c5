//! What can be said about a program with many processes by looking at few of them?
//!
//! Some processes are in the spotlight, all others are shade. For each property the abstraction is made, checked, and as
//! long as the answer is open something is added to it by what leaves it open: a name for an unknown value, a predicate, a
//! process ([`rounds`]). Where it begins is chosen in [`start`]; the structures for all values of the names are
//! judged in `judge`; what is false is looked for in the program itself (`replay`). Mistakes of steps are looked for process by
//! process (`mistakes`).

mod judge;
mod mistakes;
mod replay;
pub mod rounds;
pub mod start;
mod told;

use std::time::Instant;

use tertium_abstraction::{Options, System};
use tertium_base::{Budget, StopReason, Stopped};
use tertium_program::ProcessId;
use tertium_smt::Queries;

use super::abstracted::{AbstractionOptions, blank, second_solver, unsupported};
use super::answer::{ProgramAnswer, Reason};
use super::check::{CheckOptions, Outcome};
use super::questions::{Asked, Question};
use super::{ProgramFile, solver};
use crate::Observer;
use crate::failure::Failure;

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
pub(super) struct Work<'a> {
    pub file: &'a ProgramFile,
    pub options: &'a CheckOptions,
    pub abstraction: &'a AbstractionOptions,
    pub how: &'a SpotlightOptions,
    pub budget: &'a Budget,
    pub observer: &'a dyn Observer,
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
    observer: &dyn Observer,
) -> Result<Outcome, Failure> {
    let work = Work { file, options, abstraction, how, budget, observer };
    let mut answers = Vec::new();
    for question in questions {
        let answer = work.answer(question)?;
        answer.tell(observer);
        answers.push(answer);
    }
    Ok(Outcome { answers, ..Outcome::default() })
}

/// Answers by sets of states, if these can be had.
pub type BySets<'a> = dyn Fn(&[Question]) -> Result<Option<Outcome>, Failure> + 'a;

/// Answers by counting members of families, where that settles something; with the names of what is false.
pub type ByCounting<'a> = dyn Fn(&[Question], &[String]) -> Result<Vec<Option<ProgramAnswer>>, Failure> + 'a;

/// What counting members of families settles of what looking at few processes left open.
///
/// # Errors
/// Whatever `by_counting` meets.
pub fn counted(questions: &[Question], mut found: Outcome, by_counting: &ByCounting<'_>) -> Result<Outcome, Failure> {
    let open: Vec<usize> = (0..questions.len()).filter(|&at| is_open(&found.answers[at])).collect();
    if open.is_empty() {
        return Ok(found);
    }
    let asked: Vec<Question> = open.iter().map(|&at| questions[at].clone()).collect();
    let is_false = |answer: &&ProgramAnswer| answer.value == tertium_lattice::Belnap::False;
    let broken: Vec<String> = found.answers.iter().filter(is_false).map(|answer| answer.name.clone()).collect();
    for (at, answer) in open.into_iter().zip(by_counting(&asked, &broken)?) {
        if let Some(mut answer) = answer {
            answer.choice =
                Some(format!("{}: looking at few processes left it open", answer.choice.unwrap_or_default()));
            answer.elapsed += found.answers[at].elapsed;
            found.answers[at] = answer;
        }
    }
    Ok(found)
}

fn is_open(answer: &ProgramAnswer) -> bool {
    answer.value == tertium_lattice::Belnap::Unknown && answer.stopped.is_none() && answer.condition.is_empty()
}

/// As [`check`], for a program that nobody asked to look at in this way: what stays open is answered by `otherwise`, or, where there
/// are very many processes, by sets of states.
///
/// # Errors
/// As for [`check`]; and whatever `otherwise` meets.
pub fn check_first(
    file: &ProgramFile,
    questions: &[Question],
    found: Outcome,
    by_sets: &BySets<'_>,
    otherwise: &dyn Fn(&[Question]) -> Result<Outcome, Failure>,
) -> Result<Outcome, Failure> {
    let open: Vec<usize> = (0..questions.len()).filter(|&at| is_open(&found.answers[at])).collect();
    if open.is_empty() {
        return Ok(found);
    }
    let asked: Vec<Question> = open.iter().map(|&at| questions[at].clone()).collect();
    let very_many = file.program.processes.len() >= start::VERY_MANY;
    // What is left open by looking at few processes of very many is not settled by visiting the states of all of them.
    let rest = if very_many { by_sets(&asked)? } else { Some(otherwise(&asked)?) };
    let Some(rest) = rest else { return Ok(found) };
    let mut answers = found.answers;
    for (at, mut answer) in open.into_iter().zip(rest.answers) {
        if very_many && answer.value == tertium_lattice::Belnap::Unknown {
            continue;
        }
        if very_many {
            answer.choice = Some("over sets of states: looking at few processes left it open".to_owned());
            answer.elapsed += answers[at].elapsed;
        }
        answers[at] = answer;
    }
    Ok(Outcome { answers, remarks: rest.remarks, ..Outcome::default() })
}

impl Work<'_> {
    fn answer(&self, question: &Question) -> Result<ProgramAnswer, Failure> {
        let start = Instant::now();
        let mut answer = blank(question);
        answer.engine = "spotlight";
        let decided = match question {
            Question::Property(asked) => self.property(asked, &mut answer),
            Question::Never(mistake) => self.never(*mistake, &mut answer),
            Question::Watched(_) => {
                answer.reasons.push(Reason {
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
            Err(Failure::Stopped(Stopped(StopReason::Count))) => answer.reasons.push(Reason {
                what: "there are more abstract states than the limit allows".to_owned(),
                about: None,
                span: None,
                help: "raise `--max-states`, or begin with fewer processes: `--spotlight P,Q`".to_owned(),
            }),
            Err(Failure::Stopped(stopped)) => answer.stopped = Some(stopped.0),
            Err(failure) => return Err(failure),
        }
        answer.elapsed = start.elapsed();
        Ok(answer)
    }

    fn property(&self, asked: &Asked, answer: &mut ProgramAnswer) -> Result<(), Failure> {
        let mut system = self.system()?;
        rounds::decide(self, &mut system, asked, answer)
    }

    /// The program without predicates.
    pub(super) fn system(&self) -> Result<System, Failure> {
        let program = &self.file.program;
        let mut options = Options { keep_small: false, limit: self.abstraction.limit, ..Options::default() };
        options.most_states = self.abstraction.max_states.unwrap_or(options.most_states);
        let solver = solver::z3()?;
        let mut queries = Queries::new(Box::new(solver), options.limit, self.budget);
        if let Some(command) = &self.abstraction.cross_check {
            queries = queries.cross_checked(second_solver(command)?);
        }
        System::new(program, &[], &options, queries).map_err(|why| unsupported(self.file, program, &why))
    }
}
