//! How two structures compare, in names and words.

use serde::Serialize;

use crate::view::{Message, Tool};

/// Everything that one `compare` has to say.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct CompareReport {
    /// [`crate::view::SCHEMA_VERSION`].
    pub schema_version: u32,
    /// Who says it.
    pub tool: Tool,
    /// The first structure's file.
    pub left: String,
    /// The second structure's file.
    pub right: String,
    /// Whether the first refines the second: everything the second fixes, the first fixes alike.
    pub refines: bool,
    /// Whether the first is refined by the second: what the exit code tells.
    pub refined_by: bool,
    /// Both.
    pub equivalent: bool,
    /// With `--bisimilar`: whether the two are bisimilar; the exit code tells this then.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub bisimilar: Option<bool>,
    /// The two states compared, the first structure's first, where a single pair was compared.
    pub pair: Option<[String; 2]>,
    /// Why the first is not refined by the second.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub difference: Option<DifferenceView>,
    /// All pairs of the greatest refinement relation, if asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub relation: Option<Vec<[String; 2]>>,
    /// `timeout`, `memory` or `interrupted` if the comparison ended early; the verdicts then say nothing.
    pub stopped: Option<&'static str>,
    /// Remarks.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub warnings: Vec<Message>,
}

/// Why one state is not refined by another.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct DifferenceView {
    /// The pair asked about.
    pub pair: [String; 2],
    /// Which conditions fail, in one sentence each; each is a cause of the one before.
    pub clauses: Vec<String>,
    /// A formula of PML with a definite value at the first state that the second does not share.
    pub formula: Option<String>,
    /// Its values at the two states, as an engine computed them.
    pub values: Option<[String; 2]>,
}
