//! What single states of a program break, where there are more of them than memory holds.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::Instant;

use tertium_base::Diagnostic;
use tertium_explore::search::breadth::Options;
use tertium_explore::search::disk::{DiskFailure, DiskOptions, DiskSearch, breadth_first_on_disk};
use tertium_explore::search::{Finding, Progress, Summary};
use tertium_explore::successors::{Expansion, RowSuccessors as _};
use tertium_statespace::outside::{self, OutsideSearch};

use super::answer::ProgramAnswer;
use super::asked::{Asked, EveryState};
use super::explore::Counts;
use super::questions::Question;
use super::safety::Effort;
use super::space::Space;
use crate::failure::Failure;

/// Without a limit on memory, so many bytes are used before states go to disk.
const USUAL_MEMORY: usize = 4 << 30;

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

/// A folder of one search in the folder that the user named; it goes when this does.
struct SearchFolder(PathBuf);

impl SearchFolder {
    fn in_folder(folder: &Path) -> Result<Self, Failure> {
        let own = folder.join(format!("tertium-states-{}", std::process::id()));
        fs::create_dir_all(&own).map_err(|error| failed(folder, &DiskFailure::Io(error)))?;
        Ok(Self(own))
    }
}

impl Drop for SearchFolder {
    fn drop(&mut self) {
        // Whoever cannot remove it finds it in the folder that was named.
        let _ = fs::remove_dir_all(&self.0);
    }
}

fn failed(folder: &Path, failure: &DiskFailure) -> Failure {
    let message = format!("the states in `{}` cannot be used: {failure}", folder.display());
    let help = match failure {
        DiskFailure::Io(_) => "name a folder that can be written, with enough room",
        DiskFailure::LongerRows => "allow more memory (`--memory`), or leave out `--disk`",
    };
    Diagnostic::error("E0379", message).help(help).into()
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
    let own = SearchFolder::in_folder(folder)?;
    let limit = effort.budget.memory_limit().or_else(|| effort.budget.memory_left());
    let memory = limit.unwrap_or(USUAL_MEMORY);
    let disk = DiskOptions { folder: &own.0, memory: memory / 2, buffers: memory / 4, states: usize::MAX };
    let options = Options {
        threads: effort.threads,
        max_states: effort.limit(space),
        stop_at_finding: false,
        budget: effort.budget,
    };
    let mut counted = None;
    let answers = outside::decide(space, (&asked.goals, &[]), effort, &mut |observer, _| {
        let searched = (&space.stepper, &EveryState(observer));
        let mut found = breadth_first_on_disk(searched, &space.initial, &options, &disk, progress)
            .map_err(|failure| failed(folder, &failure))?;
        let mut runs = std::collections::BTreeMap::new();
        for finding in observer.nearest(&found.summary) {
            let Some(place) = found.summary.findings.get(&finding) else { continue };
            let (row, depth) = (place.row.clone(), place.depth);
            let run = found.shortest_run(&space.stepper, (&row, depth), effort.budget);
            if let Some(run) = run.map_err(|failure| failed(folder, &failure))? {
                runs.insert(finding, run);
            }
        }
        let errors = errors(space, &mut found).map_err(|failure| failed(folder, &failure))?;
        counted = Some((found.summary.clone(), errors, found.bytes));
        Ok(OutsideSearch { summary: found.summary, runs, cycles: Vec::new() })
    })?;
    let (summary, errors, bytes) = counted.ok_or_else(|| Failure::Internal("nothing was searched".to_owned()))?;
    let counts = Counts::of(space, &summary, errors, effort, (start.elapsed(), bytes.0));
    Ok(DiskOutcome { counts, answers: asked.in_order(answers), not_asked: asked.not_asked(), bytes: bytes.1 })
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
