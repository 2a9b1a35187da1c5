//! Which engines answer the questions about a program, in which order, and within which limits?
//!
//! The one strategy: the command line, the language server and the benches all call [`decide`]. It makes a plan, phases of lanes of
//! stages, and works through it as a [`portfolio`]: each stage is a `ProgramEngine` that is asked about what the board still has open. What the
//! engines find is merged there by one rule. All limits of the choice stand in one [table](limits::Limits).
//!
//! Without any wish of the user's the first states are visited, with all questions; then these lanes work side by side, each only where it applies:
//!
//! | lane | stages, one after the other | for |
//! |---|---|---|
//! | few processes | spotlight abstraction, counter abstraction | many processes, few of them in the properties |
//! | abstraction | counter abstraction, abstraction refinement (CEGAR), counter abstraction | what can be abstracted; it begins first |
//! | sets | decision diagrams | very many states by the types, finitely many |
//! | states | explicit-state search for what states, steps and the graph of them decide | everything |
//! | runs | explicit-state searches for infinite runs, one question at a time | linear properties |
//!
//! Before all that, variables that cannot matter are left out (`slicing`): questions with different cones of influence are asked of different slices of the program, and
//! what engines find there is told of the whole program.
//!
//! Not here: how an engine works (`check`, `cegar`, `program`), what the user typed (the application).

mod advice;
mod board;
mod engine;
mod explicit;
mod facts;
mod failing_start;
mod faults;
mod forgetting;
mod games;
pub mod limits;
mod on_device;
mod plan;
pub mod portfolio;
mod predicates;
mod processes;
mod resumed;
mod seen_ranges;
mod slicing;
mod symbolic;
mod two_states;
mod vacuity;
mod wishes;

use std::ops::ControlFlow;

use tertium_base::Budget;
use tertium_cegar::answer::ProgramAnswer;
use tertium_load::ProgramFile;
use tertium_load::program::Language;
use tertium_load::questions::{Question, QuestionId};

use self::board::Board;
use self::facts::Facts;
pub use self::on_device::built_without_device;
use self::portfolio::Portfolio;
use crate::Observer;
use crate::failure::Failure;
use crate::program::check::CheckOutcome;
use crate::program::horn_reply::replies;
use crate::program::symbolic::distances;

pub use self::advice::{Advice, advice};
pub use self::failing_start::name_failing_start;
pub use self::faults::faults_of_runs;
pub use self::two_states::{TwoStates, two_states};
pub use self::vacuity::look_for_vacuity;
pub use self::wishes::{Approach, SpotlightWish, Wishes};

/// What is to be decided, and how the user wants it.
#[derive(Clone, Copy)]
pub struct ProgramQuery<'a> {
    /// The program.
    pub file: &'a ProgramFile,
    /// The questions.
    pub questions: &'a [Question],
    /// What the user wishes.
    pub wishes: &'a Wishes,
}

impl<'a> ProgramQuery<'a> {
    /// One of the questions.
    #[must_use]
    pub fn question(&self, question: QuestionId) -> &'a Question {
        &self.questions[question.index()]
    }
}

/// Answers all questions in the way that fits the program and the wishes.
///
/// # Errors
/// If an engine that was wished for cannot do what was asked, wishes contradict each other, or two parts of this program disagree. Limits
/// are no errors: answers say that they were stopped.
pub fn decide(request: &ProgramQuery<'_>, budget: &Budget, observer: &dyn Observer) -> Result<CheckOutcome, Failure> {
    decide_telling(request, budget, observer, &mut |_, _| ControlFlow::Continue(()))
}

/// The same; each definite answer is told when it is there, with its question. Whoever breaks off wants to know no more.
///
/// # Errors
/// As [`decide`].
pub fn decide_telling(
    request: &ProgramQuery<'_>,
    budget: &Budget,
    observer: &dyn Observer,
    tell: &mut dyn FnMut(QuestionId, &ProgramAnswer) -> ControlFlow<()>,
) -> Result<CheckOutcome, Failure> {
    let mut wishes = request.wishes.clone();
    // A model of Horn clauses is what the answer rests on.
    wishes.options.keep_basis |= request.file.language == Language::Horn;
    let request = &ProgramQuery { wishes: &wishes, ..*request };
    let mut outcome = resumed::decide_telling(request, budget, observer, tell)?;
    outcome.remarks.extend(distances(request.file, &request.wishes.options, budget)?);
    let told = replies(request.file, request.questions, &outcome.answers, &request.wishes.options, budget)?;
    outcome.remarks.extend(told);
    Ok(outcome)
}

/// The same for questions beside those of the user: nothing else is told.
fn decide_aside(request: &ProgramQuery<'_>, budget: &Budget, observer: &dyn Observer) -> Result<CheckOutcome, Failure> {
    let wishes = resumed::unwritten(request.wishes);
    let request = &ProgramQuery { wishes: &wishes, ..*request };
    games::decide_telling(request, budget, observer, &mut |_, _| ControlFlow::Continue(()))
}

/// The same, of the program as it is.
fn decide_whole(
    request: &ProgramQuery<'_>,
    budget: &Budget,
    observer: &dyn Observer,
    tell: &mut dyn FnMut(QuestionId, &ProgramAnswer) -> ControlFlow<()>,
) -> Result<CheckOutcome, Failure> {
    // No engine of the portfolio knows whose turn it is, and would take every state for one of `system`.
    if request.questions.iter().any(|question| tertium_statespace::games::is_about_players(question, false)) {
        return Err(Failure::Internal("a question about players came to an engine that knows none".to_owned()));
    }
    let facts = Facts::of(request);
    let phases = plan::of(request, &facts)?;
    let (sender, news) = std::sync::mpsc::channel();
    let board = Board::new(request.questions, &request.wishes.decided, sender);
    let portfolio = Portfolio { request, facts: &facts, board: &board, budget, observer };
    for phase in &phases {
        if !board.has_begun() || (!board.open().is_empty() && budget.check().is_ok()) {
            portfolio.run(phase, &news, tell);
        }
    }
    if let Err(stopped) = budget.glance() {
        board.stop(stopped.0);
    }
    portfolio.look_for_idle();
    board.outcome()
}
