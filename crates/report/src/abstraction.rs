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
    /// Indices of abstract arrays that do not stay concrete, and why.
    #[serde(skip_serializing_if = "Ordered::is_empty")]
    pub tainted: Ordered<String>,
    /// What is known of variables beforehand.
    pub invariants: Vec<String>,
    /// What holds at the start, over the predicates and kept variables.
    pub initially: String,
    /// The program over truth values.
    pub steps: Vec<BooleanStepView>,
    /// Abstract paths to states that may break a property, if they were asked for.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub error_traces: Vec<ErrorTraceView>,
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
    /// Where it leads.
    pub to: String,
    /// The statement.
    pub statement: String,
    /// When it may be taken.
    pub guard: String,
    /// Whether it can then surely be taken.
    pub exact: bool,
    /// What changes.
    pub assignments: Vec<String>,
}

/// An abstract path to a state that may break a property, with the branches beside it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct ErrorTraceView {
    /// The property's name.
    pub property: String,
    /// Its text.
    pub formula: String,
    /// Whether every step is certain: then it is a run of the program.
    pub deterministic: bool,
    /// The steps; the first one says where it begins.
    pub steps: Vec<TraceStepView>,
}

/// A step of an error trace.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct TraceStepView {
    /// The statement.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub statement: Option<String>,
    /// Whether it surely leads there.
    pub certain: bool,
    /// Where the processes are.
    pub places: String,
    /// The predicates.
    pub values: String,
    /// Where else the same step may lead.
    pub others: Vec<String>,
    /// Predicates that are assigned a value which is not known, each with its precondition.
    pub open: Ordered<String>,
}
