//! What two viewpoints say together, in names and words.

use serde::Serialize;

use crate::view::Tool;

/// Everything that one `merge` has to say.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct MergeReport {
    /// [`crate::view::SCHEMA_VERSION`].
    pub schema_version: u32,
    /// Who says it.
    pub tool: Tool,
    /// The first viewpoint's file.
    pub left: String,
    /// The second viewpoint's file.
    pub right: String,
    /// Where the merged structure was written.
    pub output: String,
    /// The lattice that it takes its values from.
    pub lattice: String,
    /// Its states.
    pub states: usize,
    /// Its edges that are not false.
    pub transitions: usize,
    /// Whether the two disagree nowhere.
    pub agree: bool,
    /// Where they disagree.
    pub disagreements: Vec<DisagreementView>,
    /// States that only the first has, and that only the second has.
    pub states_of_one: [Vec<String>; 2],
    /// The same of propositions.
    pub props_of_one: [Vec<String>; 2],
}

/// A place where two viewpoints contradict each other. Values are the first's, then the second's.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(tag = "kind", rename_all = "lowercase")]
pub enum DisagreementView {
    /// On a label.
    Label {
        /// The state.
        state: String,
        /// The proposition.
        prop: String,
        /// What they say.
        values: [String; 2],
    },
    /// On an edge.
    Edge {
        /// Its source.
        from: String,
        /// Its target.
        to: String,
        /// What they say.
        values: [String; 2],
    },
    /// On whether a state is initial.
    Initial {
        /// The state.
        state: String,
        /// Whether the first takes it for initial, and the second does not.
        first: bool,
    },
}
