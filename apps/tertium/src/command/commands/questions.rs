//! Answers beside counts: of `tertium cluster`, and of `tertium explore --disk`.

use tertium_driver::Belnap;
use tertium_driver::program::{ProgramAnswer, ProgramFile};
use tertium_report::questions::QuestionResult;

use super::program_views;

/// The answer to one question, as it is shown.
pub fn result(file: &ProgramFile, answer: &ProgramAnswer) -> QuestionResult {
    let run = answer.run().map(|run| program_views::run_view(file, run));
    QuestionResult {
        name: answer.name.clone(),
        formula: answer.formula.clone(),
        value: match answer.value() {
            _ if answer.stopped().is_some() => "unknown",
            Belnap::True => "true",
            Belnap::False => "false",
            Belnap::Unknown | Belnap::Both => "unknown",
        },
        steps: run.as_ref().map(|run| run.steps.len().saturating_sub(1)),
        run,
        reasons: answer.reasons().iter().map(|reason| program_views::limit(file, reason)).collect(),
    }
}

/// Whether an answer among these is `value`.
pub fn any(results: &[QuestionResult], value: &str) -> bool {
    results.iter().any(|result| result.value == value)
}
