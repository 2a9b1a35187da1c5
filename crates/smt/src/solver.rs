//! What may be asked of a solver, and what may it answer?
//!
//! There are three replies, and no conversion of one into a truth value: a caller must say which way it errs when the
//! solver gives up.

use std::path::PathBuf;
use std::time::Duration;

use tertium_base::{Budget, Diagnostic, Stopped};

use crate::eval::Value;
use crate::loading::LibraryAttempt;
use crate::term::{TermId, Terms};

/// The answer to one question.
#[must_use]
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Reply {
    /// There is a model.
    Sat,
    /// There is none.
    Unsat,
    /// The solver could not tell within its limits.
    GaveUp,
}

/// How much work one question may cost.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Limit {
    /// Units of the solver's own work; the same question then always has the same answer. `None` means no limit.
    pub work: Option<u32>,
    /// Time; on top of the above.
    pub time: Option<Duration>,
}

impl Limit {
    /// The same, and no more time than is left.
    #[must_use]
    pub fn within(self, budget: &Budget) -> Self {
        let time = [self.time, budget.time_left()].into_iter().flatten().min();
        Self { time, ..self }
    }
}

impl Default for Limit {
    fn default() -> Self {
        Self { work: Some(20_000_000), time: None }
    }
}

/// Why there is no solver.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum SolverError {
    /// The library is nowhere where it was looked for.
    Missing(Vec<LibraryAttempt>),
    /// The library is of another version than the one this program was built for.
    Version {
        /// Where it lies.
        path: PathBuf,
        /// What was expected.
        expected: String,
        /// What was found.
        found: String,
    },
    /// The program cannot be started or does not answer.
    Process(String),
    /// There is no memory for it.
    Memory,
}

impl std::fmt::Display for SolverError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Missing(_) => f.write_str("the library of the solver Z3 was not found"),
            Self::Version { path, expected, found } => {
                let path = path.display();
                write!(f, "the solver library `{path}` is version {found}, but this program was built for {expected}")
            }
            Self::Process(why) => f.write_str(why),
            Self::Memory => f.write_str("there is no memory for the solver"),
        }
    }
}

impl std::error::Error for SolverError {}

/// What to do where there is no library.
const HELP: &str = "`make` fetches it into `target/z3`; or put `libz3.so` of the Python wheel `z3-solver` 5.4.0.0 beside the \
                    program, or say where it is: `TERTIUM_Z3=/path/libz3.so`";

impl SolverError {
    /// The message to the user, under this code.
    pub fn diagnostic(&self, code: &'static str) -> Diagnostic {
        let message = Diagnostic::error(code, self.to_string());
        let tried = match self {
            Self::Missing(tried) => tried,
            Self::Version { .. } => return message.help(HELP),
            Self::Process(_) | Self::Memory => return message,
        };
        let absent: Vec<String> = tried.iter().filter(|tried| tried.why.is_none()).map(LibraryAttempt::shown).collect();
        let message =
            if absent.is_empty() { message } else { message.note(format!("not there: {}", absent.join(", "))) };
        let unusable = tried.iter().filter_map(|tried| Some(format!("{}: {}", tried.shown(), tried.why.as_ref()?)));
        unusable.fold(message, Diagnostic::note).help(HELP)
    }
}

/// A solver with a stack of assertions.
///
/// Whatever goes wrong inside is [`Reply::GaveUp`]; after that the stack is as it was.
pub trait Solver {
    /// Its name and version, for reports.
    fn name(&self) -> String;

    /// Limits for the questions to come.
    fn limit(&mut self, limit: Limit);

    /// The questions to come end with this budget, also within their limits.
    fn budget(&mut self, budget: &Budget);

    /// Whether the last question was given up since a limit of the budget was reached, the one on memory included.
    ///
    /// # Errors
    /// The limit that was reached.
    fn stopped(&self) -> Result<(), Stopped>;

    /// Opens a level of assertions.
    fn push(&mut self);

    /// Forgets the assertions of the last level.
    fn pop(&mut self);

    /// Asserts a truth-valued term together with what its bounds say.
    fn assert(&mut self, terms: &mut Terms, term: TermId);

    /// Whether the assertions and `assumptions` have a model.
    fn check(&mut self, terms: &mut Terms, assumptions: &[TermId]) -> Reply;

    /// Values of terms in the model of the last [`Reply::Sat`], if nothing was asserted since; `None` for what is no
    /// number of 128 bits or truth value.
    fn values(&mut self, terms: &mut Terms, of: &[TermId]) -> Option<Vec<Value>>;

    /// After [`Reply::Unsat`], if nothing was asserted since: positions of assumptions that suffice for it. All of them where
    /// a solver cannot tell.
    fn core(&mut self) -> Vec<usize>;
}
