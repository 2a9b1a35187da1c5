//! The searches of one run, written down in one folder, so that a run that was ended goes on with them.
//!
//! A small file says which run it is: the version, what is asked of which model, and with which options. It is written beside its place, synchronised and
//! renamed, so it is there as a whole or not at all, and ends with a hash of itself. Each search has a file of its own
//! ([`super::checkpoint`]), named by what must be the same for it to go on. Searches that have begun only after the last run had ended begin anew.

use std::fs::{self, File};
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use super::breadth::{Beginning, Explored, Levelled, Listeners, Options, breadth_first_from};
use super::checkpoint::{CheckpointFailure, CheckpointFile, hash, resume};
use super::{Observer, Summary};
use crate::successors::RowSuccessors;

/// The file that says which run it is.
const RUN: &str = "run.tertium";

/// What must be the same for a run to go on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RunIdentity {
    /// The version of this program.
    pub version: String,
    /// The text of the model, with everything that it includes.
    pub model: String,
    /// What is asked, and every option that matters to the answers.
    pub options: String,
}

/// Why a run cannot go on.
#[derive(Debug)]
pub enum FolderFailure {
    /// A file cannot be written.
    Unwritable(io::Error),
    /// The folder cannot be read, or holds no run.
    Unreadable(io::Error),
    /// It is damaged.
    Damaged,
    /// It is another run: this is not the same.
    Other(&'static str),
}

/// Where the searches of one run are written down, and how often.
#[derive(Debug)]
pub struct CheckpointFolder {
    folder: PathBuf,
    every: Duration,
    /// Whether searches that are there are gone on with.
    goes_on: bool,
    failed: Mutex<Option<String>>,
}

/// The words of a run, one a line, and a hash of them.
fn words_of(identity: &RunIdentity) -> String {
    let RunIdentity { version, model, options } = identity;
    let [model, options] = [model, options].map(|text| hash(text.as_bytes(), 0));
    let words = format!("tertium run 1\nversion {version}\nmodel {model:016x}\noptions {options:016x}\n");
    format!("{words}hash {:016x}\n", hash(words.as_bytes(), 0))
}

/// Writes a file as a whole or not at all.
fn write_at_once(path: &Path, text: &str) -> io::Result<()> {
    let beside = path.with_extension("new");
    let mut file = File::create(&beside)?;
    file.write_all(text.as_bytes())?;
    file.sync_all()?;
    fs::rename(&beside, path)?;
    // The name is there once its folder is.
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    File::open(folder)?.sync_all()
}

impl CheckpointFolder {
    /// Begins a run; what another one has left in the folder is removed.
    ///
    /// # Errors
    /// If it cannot be written.
    pub fn begin(folder: &Path, every: Duration, identity: &RunIdentity) -> Result<Self, FolderFailure> {
        let unwritable = FolderFailure::Unwritable;
        fs::create_dir_all(folder).map_err(unwritable)?;
        let run = folder.join(RUN);
        if run.exists() {
            fs::remove_file(&run).map_err(unwritable)?;
        }
        for entry in fs::read_dir(folder).map_err(unwritable)? {
            let path = entry.map_err(unwritable)?.path();
            if is_search(&path) {
                fs::remove_file(path).map_err(unwritable)?;
            }
        }
        write_at_once(&run, &words_of(identity)).map_err(unwritable)?;
        Ok(Self { folder: folder.to_owned(), every, goes_on: false, failed: Mutex::default() })
    }

    /// Goes on with the run in a folder.
    ///
    /// # Errors
    /// If it is not that of this run.
    pub fn resume(folder: &Path, every: Duration, identity: &RunIdentity) -> Result<Self, FolderFailure> {
        let found = fs::read_to_string(folder.join(RUN)).map_err(FolderFailure::Unreadable)?;
        let expected = words_of(identity);
        let hashed = found
            .rfind("hash ")
            .filter(|&at| found[at..] == format!("hash {:016x}\n", hash(&found.as_bytes()[..at], 0)));
        if hashed.is_none() {
            return Err(FolderFailure::Damaged);
        }
        let different = found.lines().zip(expected.lines()).find(|(found, expected)| found != expected);
        match different.map(|(_, expected)| expected.split(' ').next().unwrap_or_default()) {
            None => Ok(Self { folder: folder.to_owned(), every, goes_on: true, failed: Mutex::default() }),
            Some("version") => Err(FolderFailure::Other("version")),
            Some("model") => Err(FolderFailure::Other("model")),
            Some("options") => Err(FolderFailure::Other("options")),
            Some(_) => Err(FolderFailure::Damaged),
        }
    }

    /// What could not be written on the way.
    #[must_use]
    pub fn failed(&self) -> Option<String> {
        self.failed.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// The folder.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.folder
    }

    /// Visits every state, level by level; from where the search was if it is there.
    ///
    /// # Errors
    /// If what is there is damaged, or a limit is reached while it is read.
    pub fn search<S: RowSuccessors, O: Observer>(
        &self,
        identity: &str,
        (successors, observer): (&S, &O),
        initial: &[Vec<u32>],
        options: &Options<'_>,
        listeners: Listeners<'_>,
    ) -> Result<Explored, CheckpointFailure> {
        let path = self.folder.join(format!("states-{:016x}.tertium", hash(identity.as_bytes(), 0)));
        let known = self.goes_on && path.exists();
        let (so_far, file) = match known {
            true => resume(&path, identity, (successors, observer), options.budget)
                .map(|(so_far, file)| (so_far, Some(file)))?,
            false => (None, self.note(CheckpointFile::create(&path, identity))),
        };
        let (mut file, mut last) = (file, Instant::now());
        let level = &mut |summary: &Summary, levelled: Levelled<'_>| {
            if last.elapsed() >= self.every
                && let Some(open) = &mut file
            {
                if self.note(open.append(summary, levelled, observer)).is_none() {
                    file = None;
                }
                last = Instant::now();
            }
        };
        let beginning = so_far.map_or(Beginning::Initial(initial), |so_far| Beginning::Resumed(Box::new(so_far)));
        Ok(breadth_first_from(successors, observer, beginning, options, listeners, level))
    }

    /// What cannot be written is told at the end; the search goes on without.
    fn note<T>(&self, written: io::Result<T>) -> Option<T> {
        let error = match written {
            Ok(written) => return Some(written),
            Err(error) => error.to_string(),
        };
        self.failed.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert(error);
        None
    }
}

/// Whether a file is that of a search.
fn is_search(path: &Path) -> bool {
    let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
    name.starts_with("states-") && name.ends_with(".tertium")
}
