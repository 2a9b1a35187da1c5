//! What single states of a program break, where there are more of them than memory holds.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use tertium_base::Diagnostic;
use tertium_cegar::answer::ProgramAnswer;
use tertium_explore::search::breadth::Options;
use tertium_explore::search::disk::{DiskFailure, DiskOptions, DiskSearch, breadth_first_on_disk};
use tertium_explore::search::{Observer, Progress};
use tertium_load::failure::Failure;

use super::outside::{self, OutsideSearch};
use super::safety::{Effort, Goal, GoalObserver};
use super::space::Space;

/// Without a limit on memory, so many bytes are used before states go to disk.
const USUAL_MEMORY: usize = 4 << 30;

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

/// Why the states in a folder cannot be used, for the user.
#[must_use]
pub fn failed(folder: &Path, failure: &DiskFailure) -> Failure {
    let message = format!("the states in `{}` cannot be used: {failure}", folder.display());
    let help = match failure {
        DiskFailure::Io(_) => "name a folder that can be written, with enough room",
        DiskFailure::LongerRows => "allow more memory (`--memory`), or leave out `--disk`",
    };
    Diagnostic::error("E0379", message).help(help).into()
}

/// How states are shown: to the observer of the goals, or to one that is made of it.
pub type Searching<'s, 'p> = dyn FnMut(&GoalObserver<'_, '_>, &mut DiskRun<'_, 'p>) -> Result<DiskSearch, Failure> + 's;

/// A search on disk that can be done.
pub struct DiskRun<'r, 'p> {
    space: &'r Space<'p>,
    options: Options<'r>,
    folder: &'r Path,
    own: &'r Path,
    memory: usize,
    progress: &'r mut dyn FnMut(Progress),
}

impl std::fmt::Debug for DiskRun<'_, '_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "search in {}", self.own.display())
    }
}

impl DiskRun<'_, '_> {
    /// Shows every state to an observer.
    ///
    /// # Errors
    /// If a file cannot be written or read.
    pub fn search<O: Observer>(&mut self, observer: &O) -> Result<DiskSearch, Failure> {
        let memory = self.memory;
        let disk = DiskOptions { folder: self.own, memory: memory / 2, buffers: memory / 4, states: usize::MAX };
        let searched = (&self.space.stepper, observer);
        breadth_first_on_disk(searched, &self.space.initial, &self.options, &disk, self.progress)
            .map_err(|failure| failed(self.folder, &failure))
    }
}

/// Decides goals by a search with all steps that `searching` does; states go to files in a folder of their own when half of the memory is used.
///
/// # Errors
/// If a file cannot be written or read, or a run cannot be repeated.
pub fn decide<'p>(
    space: &Space<'p>,
    goals: &[Goal<'_>],
    folder: &Path,
    effort: &Effort<'_>,
    progress: &mut dyn FnMut(Progress),
    searching: &mut Searching<'_, 'p>,
) -> Result<Vec<ProgramAnswer>, Failure> {
    let own = SearchFolder::in_folder(folder)?;
    let limit = effort.budget.memory_limit().or_else(|| effort.budget.memory_left());
    let memory = limit.unwrap_or(USUAL_MEMORY);
    let (answers, _) = outside::decide(space, (goals, &[]), effort, &mut |observer, _| {
        let options = Options {
            threads: effort.threads,
            max_states: effort.limit(space),
            stop_at_finding: false,
            budget: effort.budget,
        };
        let mut run = DiskRun { space, options, folder, own: &own.0, memory, progress: &mut *progress };
        let mut found = searching(observer, &mut run)?;
        let mut runs = BTreeMap::new();
        for finding in observer.nearest(&found.summary) {
            let Some(place) = found.summary.findings.get(&finding) else { continue };
            let (row, depth) = (place.row.clone(), place.depth);
            let run = found.shortest_run(&space.stepper, (&row, depth), effort.budget);
            if let Some(run) = run.map_err(|failure| failed(folder, &failure))? {
                runs.insert(finding, run);
            }
        }
        Ok(OutsideSearch { summary: found.summary, runs, cycles: Vec::new() })
    })?;
    Ok(answers)
}
