//! How a partial model was completed, or why it cannot be, in names and words.

use serde::Serialize;

use crate::view::{Input, Tool};

/// Everything that one `complete` has to say.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct CompleteReport {
    /// [`crate::view::SCHEMA_VERSION`].
    pub schema_version: u32,
    /// Who says it.
    pub tool: Tool,
    /// The partial model.
    pub input: Input,
    /// Its states and transitions.
    pub size: [usize; 2],
    /// How many labels and steps it leaves open.
    pub open: usize,
    /// What shall hold.
    pub properties: Vec<CompletionProperty>,
    /// Decisions that the user made: `closed.lamp=t`, `jammed->opening=f`.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub pinned: Vec<String>,
    /// Completions, fewest decisions first.
    pub completions: Vec<CompletedView>,
    /// Whether none needs fewer decisions than the first.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub smallest: Option<bool>,
    /// Whether there are no others that need other decisions.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub all: Option<bool>,
    /// Why there is no completion.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub conflict: Option<ConflictView>,
    /// Why it is not known whether there is one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub undecided: Option<String>,
}

/// A property that shall hold.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct CompletionProperty {
    /// Its name.
    pub name: String,
    /// Its formula.
    pub formula: String,
    /// Its logic.
    pub logic: &'static str,
}

/// One completion.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct CompletedView {
    /// Decisions that make the properties true, whatever else is decided.
    pub needed: Vec<String>,
    /// How the rest was decided; any other choice does as well.
    pub free: Vec<String>,
    /// Where states had to be copied: each state, and what it stands for.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub copies: Vec<CopyView>,
    /// States and transitions.
    pub size: [usize; 2],
    /// The structure, in lines for people.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub structure: Option<String>,
    /// Where it was written.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub output: Option<String>,
}

/// A state that stands for states of the model.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct CopyView {
    /// Its name.
    pub name: String,
    /// What it refines.
    pub of: Vec<String>,
}

/// Properties that contradict each other.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct ConflictView {
    /// Their names; none can be spared.
    pub properties: Vec<String>,
    /// Whether no conflicting set has fewer members.
    pub smallest: bool,
    /// Decisions of the model that were undone, each alone.
    pub undone: Vec<UndoneView>,
    /// Whether those are all that can matter.
    pub complete: bool,
}

/// A decision that was undone.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct UndoneView {
    /// The decision.
    pub decision: String,
    /// Whether the conflicting properties can be satisfied without it; none if that was not found out.
    pub helps: Option<bool>,
}
