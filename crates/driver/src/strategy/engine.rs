//! What is an engine to the strategy?

use tertium_base::Budget;
use tertium_cegar::answer::{ProgramAnswer, Reason};
use tertium_cegar::options::{Covered, Outcome};
use tertium_load::Located;
use tertium_load::questions::Question;

use super::ProgramQuery;
use super::board::Board;
use super::facts::Facts;
use crate::Observer;
use crate::failure::Failure;

/// One way to answer questions about a program.
pub(super) trait ProgramEngine {
    /// Which one it is.
    fn id(&self) -> EngineId;

    /// Whether it is worth a try now, with what was found out so far.
    fn applies(&self, situation: &Situation<'_>) -> Applies;

    /// Answers questions, as far as it can.
    ///
    /// # Errors
    /// `Failure::Input` if it cannot do what is asked; anything else is a fault of this program.
    fn run(&self, situation: &Situation<'_>, open: &[Question]) -> Result<Found, Failure>;
}

/// The engines, by name.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum EngineId {
    /// Systems of every size.
    Parameterised,
    /// Few processes looked at closely.
    Spotlight,
    /// Members of families counted by place.
    CounterAbstraction,
    /// Sets of states as decision diagrams.
    Symbolic,
    /// States visited one by one.
    Explicit,
    /// Predicates that are given.
    PredicateAbstraction,
    /// Predicates that are found.
    Cegar,
}

impl EngineId {
    /// How much its `unknown` tells: one that abstracts knows what is missing, a search only how far it came.
    pub(super) const fn insight(self) -> u8 {
        match self {
            Self::Explicit | Self::Symbolic => 1,
            Self::Spotlight | Self::CounterAbstraction => 2,
            Self::Parameterised | Self::PredicateAbstraction | Self::Cegar => 3,
        }
    }
}

/// Whether an engine is worth a try.
pub(super) enum Applies {
    /// It is.
    Yes,
    /// It is not, and nobody need know.
    No,
    /// It would be, but lacks something; what is open then stays so for this reason.
    Missing(Reason),
}

impl Applies {
    /// Whether this holds.
    pub(super) const fn when(condition: bool) -> Self {
        if condition { Self::Yes } else { Self::No }
    }
}

/// What an engine is told.
pub(super) struct Situation<'a> {
    /// What is asked, of which program.
    pub(super) request: &'a ProgramQuery<'a>,
    /// What the program's text tells.
    pub(super) facts: &'a Facts,
    /// What was found out so far.
    pub(super) board: &'a Board,
    /// What this engine may use.
    pub(super) budget: &'a Budget,
    /// Who wants to know how it goes.
    pub(super) observer: &'a dyn Observer,
}

/// What an engine found out.
#[derive(Default)]
pub(super) struct Found {
    /// For each question an answer, or none if there is nothing new to say.
    pub(super) answers: Vec<Option<ProgramAnswer>>,
    /// Remarks about the program.
    pub(super) remarks: Vec<Located>,
    /// What happens to each statement.
    pub(super) coverage: Option<Vec<Covered>>,
}

impl From<Outcome> for Found {
    fn from(outcome: Outcome) -> Self {
        Self {
            answers: outcome.answers.into_iter().map(Some).collect(),
            remarks: outcome.remarks,
            coverage: outcome.coverage,
        }
    }
}
