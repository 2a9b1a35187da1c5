//! What a spotlight abstraction is, in words.

use serde::Serialize;

use crate::view::{Input, Tool};

/// Everything that one `abstract --spotlight` has to say.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct SpotlightReport {
    /// [`crate::view::SCHEMA_VERSION`].
    pub schema_version: u32,
    /// Who says it.
    pub tool: Tool,
    /// Of what.
    pub input: Input,
    /// The processes in the spotlight.
    pub spotlight: Vec<String>,
    /// The processes in the shade.
    pub shade: Vec<String>,
    /// The predicates.
    pub predicates: Vec<String>,
    /// What each parameter stands for; the first is `x1`.
    pub parameters: Vec<String>,
    /// The states; the first one is initial.
    pub states: Vec<SpotStateView>,
    /// Sets of states one of which is certain: from where, and the members.
    pub certain_sets: Vec<CertainSetView>,
    /// Calls of the solver.
    pub solver_calls: u64,
    /// Calls in which the solver gave up.
    pub gave_up: u64,
    /// The solver.
    pub solver: String,
    /// Wall-clock time.
    pub time_ms: u64,
}

/// A state: where the processes of the spotlight are, and the values of the predicates.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct SpotStateView {
    /// `P1@one`, one for each process.
    pub places: Vec<String>,
    /// `t`, `f`, `u` or an expression over parameters, one for each predicate.
    pub labels: Vec<String>,
    /// The steps that leave it.
    pub steps: Vec<SpotStepView>,
}

/// A step.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct SpotStepView {
    /// Who takes it: processes; nobody where the run ends.
    pub by: Vec<String>,
    /// Whether they are in the shade.
    pub shade: bool,
    /// The statement.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub statement: Option<String>,
    /// `t`, `u` or an expression over parameters.
    pub value: String,
    /// The number of the state it leads to; the first is 0.
    pub target: usize,
}

/// A set of states one of which is certain.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct CertainSetView {
    /// From where.
    pub from: usize,
    /// The members.
    pub members: Vec<usize>,
}
