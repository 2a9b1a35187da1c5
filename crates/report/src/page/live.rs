//! What does a live page hear from its server after each thing that it asks for?
//!
//! Not here: walking (`tertium-trace`), and how questions travel (`apps/tertium`).

use serde::Serialize;

use super::view::{MessageView, MovesView};
use crate::view::{EndView, StepView};

/// Where a walk is, and what can be done next. States that the page knows already are left out.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct LiveView {
    /// Grows with every answer: whoever knows the one before has its states.
    pub revision: u64,
    /// As many states of the answer before stay.
    pub kept: usize,
    /// Those that follow.
    pub steps: Vec<StepView>,
    /// The index of the step to which the last one returns, for ever: at the end of a counterexample that does so.
    #[serde(rename = "loop")]
    pub loop_start: Option<usize>,
    /// How the walk ends, if it does.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub end: Option<EndView>,
    /// Whether all processes are at their ends.
    pub finished: bool,
    /// How many initial states there are.
    pub initial_states: usize,
    /// The processes, in the program's order.
    pub processes: Vec<String>,
    /// Messages through channels with a buffer.
    pub messages: Vec<MessageView>,
    /// What each process could do in the last state.
    pub moves: MovesView,
    /// What can be done next.
    pub choices: Vec<LiveChoice>,
    /// Expressions that are watched, with their values now.
    pub watched: Vec<(String, String)>,
    /// Where the walk is beside a counterexample, if it goes along one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub beside: Option<BesideView>,
    /// What was asked for and cannot be done.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub message: Option<String>,
}

/// Something that can be done next.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct LiveChoice {
    /// The process that steps.
    pub process: String,
    /// The line of its statement.
    pub line: usize,
    /// The file, unless it is the main one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub file: Option<String>,
    /// The statement.
    pub statement: String,
    /// The process that steps with it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub partner: Option<String>,
    /// What goes wrong.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub fault: Option<String>,
    /// Whether the counterexample does this.
    pub guided: bool,
}

/// Where a walk is beside a counterexample.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct BesideView {
    /// The result whose run it is.
    pub result: usize,
    /// So many of its steps are left; none if the walk has left it.
    pub left: Option<usize>,
    /// The walk has left it after so many steps.
    pub since: Option<usize>,
}
