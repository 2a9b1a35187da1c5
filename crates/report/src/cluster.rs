//! What several processes found together, in words.

use serde::Serialize;

use crate::explore::ExploreReport;
use crate::questions::QuestionResult;

/// Everything that one `cluster` has to say.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct ClusterReport {
    /// What was counted.
    #[serde(flatten)]
    pub counts: ExploreReport,
    /// One for each question that single states or single runs decide.
    pub results: Vec<QuestionResult>,
    /// The names of the questions that were not asked: branching time, and what watches runs.
    pub not_asked: Vec<String>,
    /// How many processes.
    pub processes: usize,
    /// How many threads in all of them.
    pub workers: usize,
    /// States that one process met and sent to another, which keeps them.
    pub rows_sent: usize,
    /// Bytes that went from one process to another.
    pub network_bytes: usize,
}
