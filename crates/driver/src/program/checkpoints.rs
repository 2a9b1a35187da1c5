//! Explorations that are written down as they go on, and gone on with after a kill.

use std::io;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use tertium_base::Diagnostic;
use tertium_explore::search::breadth::{Beginning, Explored, Levelled, Listeners, Options, breadth_first_from};
use tertium_explore::search::checkpoint::{CheckpointFailure, CheckpointFile, resume};
use tertium_explore::search::checkpoint_folder::FolderFailure;
pub use tertium_explore::search::checkpoint_folder::{CheckpointFolder, RunIdentity};
use tertium_explore::search::{Blind, Progress, Summary};
use tertium_statespace::kept_searches::refused as not_resumed;

use super::cluster::fingerprint;
use super::safety::Effort;
use super::space::{Space, Stepper};
use crate::failure::Failure;

/// The name of the file in its folder.
const FILE: &str = "states.tertium";

/// Where a search is written down, and how often.
#[derive(Debug)]
pub struct Checkpoints {
    folder: PathBuf,
    every: Duration,
    resume: bool,
    failed: Option<io::Error>,
}

impl Checkpoints {
    /// In this folder, at levels that are so far apart; with `resume`, the search goes on from what is there.
    #[must_use]
    pub fn new(folder: &Path, every: Duration, resume: bool) -> Self {
        Self { folder: folder.to_owned(), every, resume, failed: None }
    }

    /// What could not be written on the way.
    #[must_use]
    pub fn warning(&self) -> Option<Diagnostic> {
        Some(unwritten(&self.folder, &self.failed.as_ref()?.to_string()))
    }

    /// Visits every state.
    pub(super) fn search(
        &mut self,
        space: &Space<'_>,
        (stepper, initial): (&Stepper<'_>, &[Vec<u32>]),
        effort: &Effort<'_>,
        options: &Options<'_>,
        progress: &mut dyn FnMut(Progress),
    ) -> Result<Explored, Failure> {
        let (version, program) = (env!("CARGO_PKG_VERSION"), fingerprint(space.program()));
        let identity = format!("{version} {program:x} {}", effort.reduction);
        let path = self.folder.join(FILE);
        let (so_far, mut file) = if self.resume {
            resume(&path, &identity, (stepper, &Blind), effort.budget).map_err(|why| refused(&path, &why))?
        } else {
            let created = std::fs::create_dir_all(&self.folder).and_then(|()| CheckpointFile::create(&path, &identity));
            (None, created.map_err(|error| unwritable(&path, &error))?)
        };
        let beginning = so_far.map_or(Beginning::Initial(initial), |so_far| Beginning::Resumed(Box::new(so_far)));
        let mut last = Instant::now();
        let level = &mut |summary: &Summary, levelled: Levelled<'_>| {
            if last.elapsed() >= self.every && self.failed.is_none() {
                self.failed = file.append(summary, levelled, &Blind).err();
                last = Instant::now();
            }
        };
        let listeners = Listeners { progress, found: &mut |_, _| {} };
        Ok(breadth_first_from(stepper, &Blind, beginning, options, listeners, level))
    }
}

/// A folder for the searches of one run that decides questions, begun or gone on with.
///
/// # Errors
/// If it cannot be written, or is that of another run.
pub fn folder_of_run(
    folder: &Path,
    every: Duration,
    (identity, resume): (&RunIdentity, bool),
) -> Result<CheckpointFolder, Failure> {
    let opened = match resume {
        true => CheckpointFolder::resume(folder, every, identity),
        false => CheckpointFolder::begin(folder, every, identity),
    };
    opened.map_err(|why| {
        let why = match why {
            FolderFailure::Unwritable(error) => return unwritable(folder, &error),
            FolderFailure::Unreadable(error) => format!("there is no run that can be read: {error}"),
            FolderFailure::Damaged => "a file in it is damaged".to_owned(),
            FolderFailure::Other("version") => "it is of another version of this program".to_owned(),
            FolderFailure::Other("model") => "it is of another model, or the model was changed".to_owned(),
            FolderFailure::Other(_) => "it was asked other questions, or with other options".to_owned(),
        };
        not_resumed(folder, &why)
    })
}

/// What could not be written of a run on the way.
#[must_use]
pub fn not_written(folder: &CheckpointFolder) -> Option<Diagnostic> {
    Some(unwritten(folder.path(), &folder.failed()?))
}

pub(super) fn unwritten(folder: &Path, error: &str) -> Diagnostic {
    let message = format!("checkpoints in `{}` could not be written: {error}", folder.display());
    Diagnostic::warning("W0329", message).help("what was written before can be gone on with")
}

fn refused(path: &Path, why: &CheckpointFailure) -> Failure {
    if let CheckpointFailure::Stopped(stopped) = why {
        return (*stopped).into();
    }
    not_resumed(path, &why.to_string())
}

fn unwritable(path: &Path, error: &io::Error) -> Failure {
    Diagnostic::error("E0388", format!("cannot write `{}`: {error}", path.display()))
        .help("name a folder that can be written")
        .into()
}
