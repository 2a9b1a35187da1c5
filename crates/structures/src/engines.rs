//! Which engine answers a task?

use tertium_base::Diagnostic;
use tertium_check::automata::AutomataEngine;
use tertium_check::explicit::Explicit;
use tertium_check::game::ParityGame;
use tertium_check::reduction::Reduction;
use tertium_check::symbolic::Symbolic;
use tertium_check::{Engine, EngineError, Task, Values};
use tertium_evidence::{Provenance, Technique};
use tertium_logic::Logic;

use tertium_load::failure::Failure;

/// What the user asked for.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum EngineChoice {
    /// The fastest engine that fits.
    #[default]
    Auto,
    /// Labelling.
    Explicit,
    /// Two-valued runs.
    Reduction,
    /// Automata.
    Automata,
    /// Parity games.
    Game,
    /// Sets of states as decision diagrams.
    Symbolic,
}

impl EngineChoice {
    /// The name on the command line.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Auto => "auto",
            Self::Explicit => "explicit",
            Self::Reduction => "reduction",
            Self::Automata => "automata",
            Self::Game => "game",
            Self::Symbolic => "symbolic",
        }
    }

    /// The engine for a formula of this logic.
    #[must_use]
    pub fn engine(self, logic: Logic) -> Box<dyn Engine> {
        match (self, logic) {
            (Self::Auto, Logic::Ltl | Logic::CtlStar) | (Self::Automata, _) => Box::new(AutomataEngine),
            (Self::Game, _) => Box::new(ParityGame),
            (Self::Reduction, _) => Box::new(Reduction),
            (Self::Symbolic, _) => Box::new(Symbolic),
            _ => Box::new(Explicit),
        }
    }

    /// Where the answer of that engine comes from.
    #[must_use]
    pub const fn provenance(self, logic: Logic) -> Provenance {
        use tertium_evidence::provenance::Engine;
        match (self, logic) {
            (Self::Auto, Logic::Ltl | Logic::CtlStar) | (Self::Automata, _) => {
                Provenance::new(Engine::Automata, Technique::AutomataEmptiness)
            }
            (Self::Game, _) => Provenance::new(Engine::Game, Technique::ParityGame),
            (Self::Reduction, _) => Provenance::new(Engine::Reduction, Technique::TwoValuedReduction),
            (Self::Symbolic, _) => Provenance::new(Engine::Symbolic, Technique::DecisionDiagrams),
            _ => Provenance::new(Engine::Explicit, Technique::Labelling),
        }
    }
}

/// The values of a task, and where they come from.
///
/// # Errors
/// If the engine cannot do the task, with its reason, or a limit is reached.
pub fn evaluate(task: &Task<'_>, choice: EngineChoice) -> Result<(Provenance, Values), Failure> {
    let engine = choice.engine(task.formula.logic());
    match engine.values(task) {
        Ok(values) => Ok((choice.provenance(task.formula.logic()), values)),
        Err(error) => Err(failure(error)),
    }
}

/// An engine's refusal as the user's mistake: another engine has to be chosen.
#[must_use]
pub fn failure(error: EngineError) -> Failure {
    match error {
        EngineError::Stopped(stopped) => Failure::Stopped(stopped),
        EngineError::Unsupported(why) => {
            Diagnostic::error("E0311", format!("engine `{}` cannot do this: {}", why.engine, why.reason))
                .help("`--engine auto` chooses one that fits")
                .into()
        }
    }
}
