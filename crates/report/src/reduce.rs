//! What became of a structure whose states were merged, in names and words.

use serde::Serialize;

use crate::view::{Input, Message, Tool};

/// Everything that one `reduce` has to say.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct ReduceReport {
    /// [`crate::view::SCHEMA_VERSION`].
    pub schema_version: u32,
    /// Who says it.
    pub tool: Tool,
    /// The structure.
    pub input: Input,
    /// `bisimulation`, `refinement` or `simulation`.
    pub by: &'static str,
    /// Where the reduced structure was written.
    pub output: String,
    /// States and transitions before.
    pub before: [usize; 2],
    /// States and transitions after.
    pub after: [usize; 2],
    /// For each state of the reduced structure the states that it stands for; the first gives its name.
    pub classes: Vec<Vec<String>>,
    /// Remarks.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub warnings: Vec<Message>,
}

/// Everything that one `sat` has to say.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct SatReport {
    /// [`crate::view::SCHEMA_VERSION`].
    pub schema_version: u32,
    /// Who says it.
    pub tool: Tool,
    /// The formula.
    pub formula: String,
    /// Its logic.
    pub logic: &'static str,
    /// What deadlocks mean: `mu`, `maximal` or `total`.
    pub deadlock: &'static str,
    /// Whether it has a model.
    pub satisfiable: bool,
    /// Whether the independent checker accepted a proof of the answer.
    pub checked: bool,
    /// States and transitions of the model.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub size: Option<[usize; 2]>,
    /// The model, in lines for people.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
    /// Where the model was written.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub output: Option<String>,
}

/// Everything that `abstract` has to say about a structure.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct StructureAbstractionReport {
    /// [`crate::view::SCHEMA_VERSION`].
    pub schema_version: u32,
    /// Who says it.
    pub tool: Tool,
    /// The structure.
    pub input: Input,
    /// Which steps are certain: `none`, `forall-exists` or `hyper`.
    pub must: &'static str,
    /// States and transitions of the structure.
    pub before: [usize; 2],
    /// The abstract states, each with the states that it stands for.
    pub blocks: Vec<BlockView>,
    /// Transitions of the abstraction.
    pub transitions: usize,
    /// The properties that were asked.
    pub results: Vec<BlockResultView>,
}

/// An abstract state.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct BlockView {
    /// Its name.
    pub name: String,
    /// The states that it stands for.
    pub states: Vec<String>,
}

/// What refinement found out about one property.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct BlockResultView {
    /// The property's name.
    pub name: String,
    /// The formula.
    pub formula: String,
    /// Its value, on the last abstraction and, if definite, on the structure.
    pub value: String,
    /// The rounds.
    pub rounds: Vec<BlockRoundView>,
}

/// One round of refinement.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct BlockRoundView {
    /// How many abstract states there were.
    pub blocks: usize,
    /// The value.
    pub value: String,
    /// The abstract path that leaves it open.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub path: Vec<String>,
    /// What was split, and by what.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub split: Option<String>,
}
