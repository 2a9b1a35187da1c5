//! Who wins a game, and by which strategy, in names and words.

use serde::Serialize;

use crate::view::{Input, Tool};

/// Everything that one `synthesise` has to say.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct SynthesisReport {
    /// [`crate::view::SCHEMA_VERSION`].
    pub schema_version: u32,
    /// Who says it.
    pub tool: Tool,
    /// The game.
    pub input: Input,
    /// States of the structure or program.
    pub states: usize,
    /// For whom a strategy was sought.
    pub player: String,
    /// What they want.
    pub objective: String,
    /// `player`: they can force it; `others`: these can prevent it; `open`: neither is certain.
    pub winner: &'static str,
    /// How the game was solved.
    pub method: String,
    /// Positions of the game.
    pub positions: usize,
    /// Moves of the game.
    pub moves: usize,
    /// States of the automaton for the objective.
    pub automaton: usize,
    /// The winner's strategy.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub strategy: Option<StrategyView>,
    /// What proves who wins, if that was asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub certificate: Option<CertificateView>,
}

/// A certificate of who wins.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct CertificateView {
    /// Where it was written.
    pub file: String,
    /// The formula about players that it answers, as `certify -p` takes it.
    pub question: String,
}

/// A strategy as a closed loop.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct StrategyView {
    /// States and transitions, minimised.
    pub size: [usize; 2],
    /// The structure, in lines for people.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub structure: Option<String>,
    /// Where it was written.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub output: Option<String>,
}
