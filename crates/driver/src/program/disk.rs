//! What single states of a program break, where there are more of them than memory holds.

use std::path::Path;
use std::time::Instant;

use tertium_explore::search::disk::{DiskFailure, DiskSearch};
use tertium_explore::search::{Finding, Progress, Summary};
use tertium_explore::successors::{Expansion, RowSuccessors as _};
use tertium_statespace::on_disk::{self, failed};

use super::answer::ProgramAnswer;
use super::asked::{Asked, EveryState};
use super::explore::Counts;
use super::questions::Question;
use super::safety::Effort;
use super::space::Space;
use crate::failure::Failure;

/// What a search on disk found.
#[derive(Debug)]
pub struct DiskOutcome {
    /// What was counted.
    pub counts: Counts,
    /// One answer for each question that single states decide, in their order.
    pub answers: Vec<ProgramAnswer>,
    /// The names of the other questions.
    pub not_asked: Vec<String>,
    /// Bytes on disk when it ended.
    pub bytes: u64,
}

/// Visits every state and decides what single ones break.
///
/// # Errors
/// If a file cannot be written or read, or a run cannot be repeated.
pub fn decide(
    space: &Space<'_>,
    questions: &[Question],
    folder: &Path,
    effort: &Effort<'_>,
    progress: &mut dyn FnMut(Progress),
) -> Result<DiskOutcome, Failure> {
    let start = Instant::now();
    let asked = Asked::of(space, questions, false);
    let mut counted = None;
    let answers = on_disk::decide(space, &asked.goals, folder, effort, progress, &mut |observer, run| {
        let mut found = run.search(&EveryState(observer))?;
        let errors = errors(space, &mut found).map_err(|failure| failed(folder, &failure))?;
        counted = Some((found.summary.clone(), errors, found.bytes));
        Ok(found)
    })?;
    let (summary, errors, bytes) = counted.ok_or_else(|| Failure::Internal("nothing was searched".to_owned()))?;
    let counts = Counts::of(space, &summary, errors, effort, (start.elapsed(), bytes.0));
    Ok(DiskOutcome {
        counts,
        answers: asked.in_order((answers, Vec::new())),
        not_asked: asked.not_asked(),
        bytes: bytes.1,
    })
}

/// Steps that go wrong; what only cannot be computed is not counted.
fn errors(space: &Space<'_>, found: &mut DiskSearch) -> Result<usize, DiskFailure> {
    if !has_limits(&found.summary) {
        return Ok(found.summary.faults);
    }
    let (mut scratch, mut expansion, mut count) = (space.stepper.scratch(), Expansion::default(), 0);
    found.for_each(&mut |row| {
        space.stepper.expand(row, &mut scratch, &mut expansion);
        count += expansion.faults.iter().filter(|fault| fault.kind.is_error()).count();
    })?;
    Ok(count)
}

/// Whether a step could not be computed.
pub(super) fn has_limits(summary: &Summary) -> bool {
    summary.findings.keys().any(|finding| matches!(finding, Finding::Fault(fault) if !fault.kind.is_error()))
}
