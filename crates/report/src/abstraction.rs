//! What an abstraction is, in words.

use serde::Serialize;

use crate::view::{Input, Ordered, Tool};

/// Everything that one `abstract` has to say.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct AbstractReport {
    /// [`crate::view::SCHEMA_VERSION`].
    pub schema_version: u32,
    /// Who says it.
    pub tool: Tool,
    /// Of what.
    pub input: Input,
    /// The kind of abstraction.
    pub kind: &'static str,
    /// The predicates; `B1` is the first.
    pub predicates: Vec<String>,
    /// Variables that stay concrete, and why.
    pub kept: Ordered<String>,
    /// What is known of variables beforehand.
    pub invariants: Vec<String>,
    /// The program over truth values.
    pub steps: Vec<BooleanStepView>,
    /// Abstract states that can be reached.
    pub states: usize,
    /// Initial ones among them.
    pub initial: usize,
    /// The steps between them.
    pub edges: EdgesView,
    /// Calls of the solver, for the structure and for the program over truth values.
    pub solver_calls: u64,
    /// The same by what was asked.
    pub calls: Ordered<u64>,
    /// Calls in which the solver gave up.
    pub gave_up: u64,
    /// The solver.
    pub solver: String,
    /// Wall-clock time.
    pub time_ms: u64,
}

/// Edges by kind.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct EdgesView {
    /// Possible and certain.
    pub must: usize,
    /// Possible only.
    pub may: usize,
    /// Certain, into a merged state.
    pub merged: usize,
    /// Certain sets with two or more members.
    pub hyper: usize,
}

/// A step over truth values.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct BooleanStepView {
    /// Who takes it.
    pub process: String,
    /// Where it stands.
    pub at: String,
    /// The statement.
    pub statement: String,
    /// When it may be taken.
    pub guard: String,
    /// Whether it can then surely be taken.
    pub exact: bool,
    /// What changes.
    pub assignments: Vec<String>,
}
