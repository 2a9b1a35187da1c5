//! What is an engine to the strategy?

use tertium_base::Budget;
use tertium_base::scheduler::Client;
use tertium_cegar::answer::{ProgramAnswer, Reason};
use tertium_cegar::options::{CheckOutcome, Covered};
use tertium_load::Located;
use tertium_load::questions::{Question, QuestionId};

use super::ProgramQuery;
use super::board::Board;
use super::facts::Facts;
use crate::ProgramObserver;
use crate::failure::Failure;

/// One way to answer questions about a program.
pub(super) trait ProgramEngine: Send + Sync {
    /// Which one it is.
    fn id(&self) -> EngineId;

    /// Whether it is worth a try now, with what was found out so far.
    fn applies(&self, situation: &Situation<'_>) -> Applies;

    /// The pieces of work that open questions make: each is done by one call of `run`, and one that takes long lets the others go first.
    fn divide(&self, _: &ProgramQuery<'_>, open: &[QuestionId]) -> Vec<Vec<QuestionId>> {
        vec![open.to_vec()]
    }

    /// Answers questions, as far as it can. Definite answers are told to the observer as they are found.
    ///
    /// # Errors
    /// `Failure::Input` if it cannot do what is asked; anything else is a fault of this program.
    fn run(&self, situation: &Situation<'_>, open: &[Question]) -> Result<EngineOutcome, Failure>;

    /// Says why this engine was chosen, where that is worth telling.
    fn explain(&self, _: &Situation<'_>, _: &mut ProgramAnswer) {}
}

/// Questions that single states decide together, and each other one for itself.
pub(super) fn states_together(request: &ProgramQuery<'_>, open: &[QuestionId]) -> Vec<Vec<QuestionId>> {
    let by_states = |question: &QuestionId| match request.question(*question) {
        Question::Property(asked) => asked.invariant.is_some(),
        Question::Never(_) => true,
        Question::Watched(_) => false,
    };
    let (together, each): (Vec<QuestionId>, Vec<QuestionId>) = open.iter().partition(|question| by_states(question));
    let together = Some(together).filter(|together| !together.is_empty());
    together.into_iter().chain(each.into_iter().map(|question| vec![question])).collect()
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
    /// States visited on a graphics processor.
    Device,
    /// Predicates that are given.
    PredicateAbstraction,
    /// Predicates that are found.
    Cegar,
}

impl EngineId {
    /// How much its `unknown` tells: one that abstracts knows what is missing, a search only how far it came.
    pub(super) const fn insight(self) -> u8 {
        match self {
            Self::Explicit | Self::Device | Self::Symbolic => 1,
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
    /// Its place among the engines that take turns.
    pub(super) client: &'a Client,
    /// What this engine may use.
    pub(super) budget: &'a Budget,
    /// Who wants to know how it goes.
    pub(super) observer: &'a dyn ProgramObserver,
}

/// What an engine found out.
#[derive(Default)]
pub(super) struct EngineOutcome {
    /// For each question an answer, or none if there is nothing new to say.
    pub(super) answers: Vec<Option<ProgramAnswer>>,
    /// Remarks about the program.
    pub(super) remarks: Vec<Located>,
    /// What happens to each statement.
    pub(super) coverage: Option<Vec<Covered>>,
}

impl From<CheckOutcome> for EngineOutcome {
    fn from(outcome: CheckOutcome) -> Self {
        Self {
            answers: outcome.answers.into_iter().map(Some).collect(),
            remarks: outcome.remarks,
            coverage: outcome.coverage,
        }
    }
}
