//! What an exploration counted, in words.

use serde::Serialize;

use crate::view::{Input, ReasonView, Tool};

/// Everything that one `explore` has to say.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct ExploreReport {
    /// [`crate::view::SCHEMA_VERSION`].
    pub schema_version: u32,
    /// Who says it.
    pub tool: Tool,
    /// Of what.
    pub input: Input,
    /// Different states.
    pub states: usize,
    /// Steps between them, counting every way.
    pub transitions: usize,
    /// The largest number of steps that a shortest way to a state needs.
    pub depth: usize,
    /// States in which no process can step although not all are at their ends.
    pub deadlocks: usize,
    /// Steps that go wrong.
    pub errors: usize,
    /// Whether every state was visited.
    pub complete: bool,
    /// Why the run ended early: `timeout`, `memory` or `interrupted`.
    pub stopped: Option<&'static str>,
    /// Why it is not complete.
    pub reasons: Vec<ReasonView>,
    /// Wall-clock time of the search.
    pub time_ms: u64,
    /// How much of it went by before the first state was expanded; left out where that is nothing.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub preparation_ms: Option<u64>,
    /// States a second, from then on.
    pub states_per_second: u64,
    /// Bytes in the state store.
    pub memory_bytes: usize,
    /// Bytes of one state before it is stored.
    pub state_bytes: usize,
}
