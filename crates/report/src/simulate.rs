//! A run that was led, in words.

use serde::Serialize;

use crate::view::{Input, Ordered, RunView, Tool};

/// Everything that one `simulate` has to say.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct SimulateReport {
    /// [`crate::view::SCHEMA_VERSION`].
    pub schema_version: u32,
    /// Who says it.
    pub tool: Tool,
    /// Of what.
    pub input: Input,
    /// Where chance began; none for a stored run.
    pub seed: Option<u64>,
    /// For a stored run, how it was followed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub followed: Option<String>,
    /// `fault`, `deadlock`, `finished`, or none if it could go on.
    pub ending: Option<&'static str>,
    /// The run.
    pub run: RunView,
    /// Watched expressions with their last values.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub watched: Option<Ordered<String>>,
}
