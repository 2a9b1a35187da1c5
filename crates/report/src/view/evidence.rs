//! What is shown for an answer, in names and words: runs, completions, open places and plays.

use serde::Serialize;

use crate::ordered::Ordered;

/// What proves an answer.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct EvidenceView {
    /// `run`, `lasso`, `strategy`, `certificate`, `completions` or `none`.
    pub kind: &'static str,
    /// Where it was written, if it was.
    pub file: Option<String>,
    /// Whether the independent checker accepted it in this run.
    pub checked: bool,
    /// The run or lasso itself.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub run: Option<RunView>,
    /// For an unknown under the thorough semantics: a completion that satisfies the property, and one that violates it.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub completions: Vec<CompletionView>,
}

/// A complete structure that refines the model.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct CompletionView {
    /// The property's value there: `true` or `false`.
    pub value: &'static str,
    /// How many states it has.
    pub states: usize,
    /// How many transitions it has.
    pub transitions: usize,
    /// Where it was written, if it was.
    pub file: Option<String>,
}

impl EvidenceView {
    /// No evidence.
    #[must_use]
    pub fn none() -> Self {
        Self { kind: "none", file: None, checked: false, run: None, completions: Vec::new() }
    }
}

/// A path through the structure.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct RunView {
    /// Its states in order.
    pub steps: Vec<StepView>,
    /// The index of the step to which the last one returns, forever.
    #[serde(rename = "loop")]
    pub loop_start: Option<usize>,
    /// For a program: what happens at the end.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub end: Option<EndView>,
    /// For a program: why its last steps can be taken for ever although no state repeats.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub repeats: Option<RepeatsView>,
}

/// Steps that can be taken for ever although no state repeats.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct RepeatsView {
    /// The index of the step after which they begin.
    pub from: usize,
    /// How many they are.
    pub steps: usize,
    /// Where all of these conditions hold, the steps can be taken, and the conditions hold again.
    pub whenever: Vec<String>,
}

/// How the run of a program ends.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct EndView {
    /// `deadlock`, or the kind of fault, such as `assertion`.
    pub kind: String,
    /// The step that goes wrong.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub step: Option<TakenView>,
    /// What goes wrong, in words.
    pub message: String,
}

/// A step of a program.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct TakenView {
    /// The process that steps.
    pub process: String,
    /// The line of the statement.
    pub line: usize,
    /// The file of the statement, unless it is the model's own.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub file: Option<String>,
    /// The statement.
    pub statement: String,
    /// The process that takes part without having begun, if two meet.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub partner: Option<String>,
    /// What the step prints.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub output: Option<String>,
}

/// One state of a path.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct StepView {
    /// Its name.
    pub state: String,
    /// Its labels: `t`, `f`, `u` or `b`.
    pub labels: Ordered<&'static str>,
    /// For a program: the step that led here.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub step: Option<TakenView>,
    /// For a program: the values of all variables, and where each process is.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub values: Option<Ordered<String>>,
}

/// One instance of a parameterised structure.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct InstanceView {
    /// The parameters' values.
    pub parameters: Ordered<bool>,
    /// The property's value for them.
    pub value: String,
}

/// How a question got to what leaves it open.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct OpenView {
    /// The play: states and what was asked there.
    pub play: Vec<PlayView>,
    /// For a linear formula, where the open path loops back to.
    #[serde(rename = "loop")]
    pub loop_start: Option<usize>,
}

/// One position of a play.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct PlayView {
    /// The state.
    pub state: String,
    /// The sub-formula in question.
    pub formula: String,
    /// Whether the question is if it is true, or (under a negation) if it is false.
    pub asks: bool,
}
