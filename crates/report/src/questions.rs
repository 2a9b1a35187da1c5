//! Answers beside counts: of searches on several machines, and on disk.

use serde::Serialize;

use crate::explore::ExploreReport;
use crate::view::{ReasonView, RunView};

/// The answer to one question.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct QuestionResult {
    /// Its name.
    pub name: String,
    /// What is asked.
    pub formula: String,
    /// `true`, `false` or `unknown`.
    pub value: &'static str,
    /// How many steps the run that breaks it has; a shortest one where a single state does.
    pub steps: Option<usize>,
    /// That run.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub run: Option<RunView>,
    /// Why it is unknown.
    pub reasons: Vec<ReasonView>,
}

/// Everything that an `explore` on disk or on a graphics processor has to say.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct AnswersReport {
    /// What was counted.
    #[serde(flatten)]
    pub counts: ExploreReport,
    /// One for each question that single states decide.
    pub results: Vec<QuestionResult>,
    /// The names of the questions that were not asked.
    pub not_asked: Vec<String>,
    /// Bytes on disk when the search ended, if it was there.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub disk_bytes: Option<u64>,
}
