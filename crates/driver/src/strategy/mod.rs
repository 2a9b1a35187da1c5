//! Which engines answer the questions about a program, in which order, and within which limits?
//!
//! The one strategy: the command line, the language server and the benches all call [`decide`]. It makes a plan, an ordered list of
//! stages, and works through it: each stage is a `ProgramEngine` that is asked about what the board still has open. What the
//! engines find is merged there by one rule. All limits of the choice stand in one [table](limits::Limits).
//!
//! Without any wish of the user's the list is, top to bottom, each only where it applies:
//!
//! | stage | for | left to the next |
//! |---|---|---|
//! | spotlight abstraction | many processes, few of them in the properties | what few processes leave open |
//! | counter abstraction | families, after a spotlight or with many processes | whatever it does not prove |
//! | decision diagrams | very many processes, after a spotlight | |
//! | explicit-state search of the first states | large or unbounded domains, or very many states by the types | what they do not settle |
//! | counter abstraction | families with many processes | whatever it does not prove |
//! | abstraction refinement (CEGAR), in half of the time | large or unbounded domains | what it leaves open |
//! | counter abstraction | other families | whatever it does not prove |
//! | decision diagrams | finitely many states, and very many by the types | questions that do not fit into their memory |
//! | explicit-state search | everything else, to the end or to a limit | |
//!
//! Not here: how an engine works (`check`, `cegar`, `program`), what the user typed (the application).

mod board;
mod engine;
mod explicit;
mod facts;
pub mod limits;
mod plan;
mod predicates;
mod processes;
mod symbolic;
mod wishes;

use tertium_base::Budget;
use tertium_load::ProgramFile;
use tertium_load::questions::Question;

use self::board::Board;
use self::engine::{Applies, Situation};
use self::facts::Facts;
use self::plan::{Share, Stage};
use crate::Observer;
use crate::failure::Failure;
use crate::program::check::Outcome;

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

/// Answers all questions in the way that fits the program and the wishes.
///
/// # Errors
/// If an engine that was wished for cannot do what was asked, wishes contradict each other, or two parts of this program disagree. Limits
/// are no errors: answers say that they were stopped.
pub fn decide(request: &ProgramQuery<'_>, budget: &Budget, observer: &dyn Observer) -> Result<Outcome, Failure> {
    let facts = Facts::of(request);
    let stages = plan::of(request, &facts)?;
    let mut board = Board::new(request.questions);
    let mut half = None;
    for stage in stages {
        let open = board.open();
        if open.is_empty() || (board.has_begun() && budget.check().is_err()) {
            break;
        }
        let share = match stage.share {
            Share::Whole => budget,
            Share::Half => half.get_or_insert_with(|| budget.halved()),
        };
        run(&stage, (request, &facts), &open, &mut board, (share, observer))?;
    }
    Ok(board.outcome())
}

/// Runs one stage on what is open.
fn run(
    stage: &Stage,
    (request, facts): (&ProgramQuery<'_>, &Facts),
    open: &[usize],
    board: &mut Board,
    (budget, observer): (&Budget, &dyn Observer),
) -> Result<(), Failure> {
    let engine = stage.engine.as_ref();
    let situation = Situation { request, facts, board, budget, observer };
    match engine.applies(&situation) {
        Applies::Yes => {}
        Applies::No => return Ok(()),
        Applies::Missing(reason) => {
            board.lacks(engine, open, &reason);
            return Ok(());
        }
    }
    let questions: Vec<Question> = open.iter().map(|&at| request.questions[at].clone()).collect();
    match engine.run(&situation, &questions) {
        Ok(found) => board.merge(engine, open, found),
        // An engine that nobody asked for, and that cannot do it, leaves it to the others.
        Err(Failure::Input(_)) if !stage.is_wished => board.refused(engine),
        Err(failure) => return Err(failure),
    }
    Ok(())
}
