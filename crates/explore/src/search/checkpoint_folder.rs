//! What one run has found out, written down in one folder, so that a run that was ended goes on with it.
//!
//! A small file says which run it is: the version, what is asked of which model, and with which options. Each search of all states has a file of its own
//! ([`super::checkpoint`]), named by what must be the same for it to go on. Everything else that is kept, answers for example, is a small record.
//! Small files are written beside their place, synchronised and renamed, so they are there as a whole or not at all, and each ends with a hash of itself.

use std::collections::BTreeSet;
use std::fs::{self, File};
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use tertium_base::Stopped;

use super::breadth::{Beginning, Explored, Levelled, Listeners, Options, breadth_first_from};
use super::checkpoint::{CheckpointFailure, CheckpointFile, hash, locked, resume};
use super::{Observer, Summary};
use crate::store::StateStore;
use crate::successors::RowSuccessors;

/// The file that says which run it is.
const RUN: &str = "run.tertium";
/// The file that only one run at a time has.
const LOCK: &str = "run.lock";

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

/// What a record is about; part of the name of its file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RecordKind {
    /// The answer to one question.
    Answer,
    /// A set of states, as its diagram.
    Set,
    /// Predicates that refinement has found.
    Predicates,
}

impl RecordKind {
    const ALL: [Self; 3] = [Self::Answer, Self::Set, Self::Predicates];

    const fn stem(self) -> &'static str {
        match self {
            Self::Answer => "answer-",
            Self::Set => "set-",
            Self::Predicates => "predicates-",
        }
    }
}

/// Where one run is written down, and how often.
#[derive(Debug)]
pub struct CheckpointFolder {
    folder: PathBuf,
    every: Duration,
    /// Whether what another run has left is gone on with.
    goes_on: bool,
    files: Mutex<SearchFiles>,
    failed: Mutex<Option<String>>,
    /// Nobody else writes there while this is open.
    _lock: File,
}

/// The files of searches.
#[derive(Debug, Default)]
struct SearchFiles {
    /// Those that this run has written.
    own: BTreeSet<PathBuf>,
    /// Those that a search is writing now.
    busy: BTreeSet<PathBuf>,
}

/// Nobody else writes the file of a search while this is there.
struct SearchClaim<'f> {
    folder: &'f CheckpointFolder,
    path: PathBuf,
}

impl Drop for SearchClaim<'_> {
    fn drop(&mut self) {
        self.folder.files().busy.remove(&self.path);
    }
}

/// What every record begins with.
const RECORD: &[u8; 16] = b"tertium record 1";

/// A record as it stands in its file: the identity, the bytes, and a hash of both.
fn record_of(identity: &str, bytes: &[u8]) -> Vec<u8> {
    let mut record = RECORD.to_vec();
    record.extend((identity.len() as u64).to_le_bytes());
    record.extend(identity.as_bytes());
    record.extend(bytes);
    let sum = hash(&record, 0);
    record.extend(sum.to_le_bytes());
    record
}

/// The identity and the bytes of a record; none if it is damaged.
fn parts_of(record: &[u8]) -> Option<(&[u8], &[u8])> {
    let (rest, sum) = record.split_last_chunk::<8>()?;
    if u64::from_le_bytes(*sum) != hash(rest, 0) {
        return None;
    }
    let (len, rest) = rest.strip_prefix(RECORD.as_slice())?.split_first_chunk::<8>()?;
    rest.split_at_checked(usize::try_from(u64::from_le_bytes(*len)).ok()?)
}

/// The words of a run, one a line, and a hash of them.
fn words_of(identity: &RunIdentity) -> String {
    let RunIdentity { version, model, options } = identity;
    let [model, options] = [model, options].map(|text| hash(text.as_bytes(), 0));
    let words = format!("tertium run 1\nversion {version}\nmodel {model:016x}\noptions {options:016x}\n");
    format!("{words}hash {:016x}\n", hash(words.as_bytes(), 0))
}

/// Waits until nobody else is at work in a folder.
fn lock(folder: &Path) -> Result<File, FolderFailure> {
    let opened = File::options().write(true).create(true).truncate(false).open(folder.join(LOCK));
    opened.and_then(locked).map_err(FolderFailure::Unwritable)
}

/// Writes a file as a whole or not at all.
fn write_at_once(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let beside = path.with_extension("new");
    let mut file = File::create(&beside)?;
    file.write_all(bytes)?;
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
        let lock = lock(folder)?;
        let run = folder.join(RUN);
        if run.exists() {
            fs::remove_file(&run).map_err(unwritable)?;
        }
        for entry in fs::read_dir(folder).map_err(unwritable)? {
            let path = entry.map_err(unwritable)?.path();
            if is_search(&path) || is_record(&path) || is_unfinished(&path) {
                fs::remove_file(path).map_err(unwritable)?;
            }
        }
        write_at_once(&run, words_of(identity).as_bytes()).map_err(unwritable)?;
        Ok(Self::of(folder, every, (false, lock)))
    }

    /// Goes on with the run in a folder.
    ///
    /// # Errors
    /// If it is not that of this run.
    pub fn resume(folder: &Path, every: Duration, identity: &RunIdentity) -> Result<Self, FolderFailure> {
        let found = fs::read_to_string(folder.join(RUN)).map_err(FolderFailure::Unreadable)?;
        let lock = lock(folder)?;
        let expected = words_of(identity);
        let hashed = found
            .rfind("hash ")
            .filter(|&at| found[at..] == format!("hash {:016x}\n", hash(&found.as_bytes()[..at], 0)));
        if hashed.is_none() {
            return Err(FolderFailure::Damaged);
        }
        let different = found.lines().zip(expected.lines()).find(|(found, expected)| found != expected);
        match different.map(|(_, expected)| expected.split(' ').next().unwrap_or_default()) {
            None if found == expected => {}
            None => return Err(FolderFailure::Damaged),
            Some("version") => return Err(FolderFailure::Other("version")),
            Some("model") => return Err(FolderFailure::Other("model")),
            Some("options") => return Err(FolderFailure::Other("options")),
            Some(_) => return Err(FolderFailure::Damaged),
        }
        for entry in fs::read_dir(folder).map_err(FolderFailure::Unreadable)? {
            let path = entry.map_err(FolderFailure::Unreadable)?.path();
            if is_record(&path) && parts_of(&fs::read(&path).map_err(FolderFailure::Unreadable)?).is_none() {
                return Err(FolderFailure::Damaged);
            }
        }
        Ok(Self::of(folder, every, (true, lock)))
    }

    fn of(folder: &Path, every: Duration, (goes_on, lock): (bool, File)) -> Self {
        let (folder, files, failed) = (folder.to_owned(), Mutex::default(), Mutex::default());
        Self { folder, every, goes_on, files, failed, _lock: lock }
    }

    fn files(&self) -> MutexGuard<'_, SearchFiles> {
        self.files.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// How much time passes at least before the same thing is written again.
    #[must_use]
    pub const fn every(&self) -> Duration {
        self.every
    }

    fn record_path(&self, kind: RecordKind, identity: &str) -> PathBuf {
        self.folder.join(format!("{}{:016x}.tertium", kind.stem(), hash(identity.as_bytes(), 0)))
    }

    /// Writes a record in the place of the one with this identity, as a whole or not at all.
    pub fn keep(&self, kind: RecordKind, identity: &str, bytes: &[u8]) {
        self.note(write_at_once(&self.record_path(kind, identity), &record_of(identity, bytes)));
    }

    /// The record with this identity; none if there is none.
    #[must_use]
    pub fn kept(&self, kind: RecordKind, identity: &str) -> Option<Vec<u8>> {
        let record = fs::read(self.record_path(kind, identity)).ok()?;
        let (own, bytes) = parts_of(&record)?;
        (own == identity.as_bytes()).then(|| bytes.to_vec())
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
    /// If what is there is damaged. A limit that is reached while it is read stops the search before its beginning.
    pub fn search<S: RowSuccessors, O: Observer>(
        &self,
        identity: &str,
        (successors, observer): (&S, &O),
        initial: &[Vec<u32>],
        options: &Options<'_>,
        listeners: Listeners<'_>,
    ) -> Result<Explored, CheckpointFailure> {
        let path = self.folder.join(format!("states-{:016x}.tertium", hash(identity.as_bytes(), 0)));
        let Some(claim) = self.claim(&path) else {
            let beginning = Beginning::Initial(initial);
            return Ok(breadth_first_from(successors, observer, beginning, options, listeners, &mut |_, _| {}));
        };
        // A file that was cut off before its first search had its name is that of a search that had not begun.
        let whole = fs::metadata(&path).is_ok_and(|file| file.len() >= CheckpointFile::HEAD);
        let known = whole && (self.goes_on || self.files().own.contains(&path));
        let (so_far, mut file) = match known {
            true => match resume(&path, identity, (successors, observer), options.budget) {
                Ok((so_far, file)) => (so_far, Some(file)),
                // What is there stays.
                Err(CheckpointFailure::Stopped(stopped)) => return Ok(stopped_before(successors, stopped)),
                Err(why) => return Err(why),
            },
            false => (None, None),
        };
        let (mut last, mut gave_up) = (Instant::now(), false);
        let level = &mut |summary: &Summary, levelled: Levelled<'_>| {
            if gave_up || last.elapsed() < self.every {
                return;
            }
            // Most searches end before they are worth a file.
            if file.is_none() {
                file = self.note(CheckpointFile::create(&path, identity));
                self.files().own.insert(path.clone());
            }
            let written = file.as_mut().and_then(|open| self.note(open.append(summary, levelled, observer)));
            gave_up = written.is_none();
            last = Instant::now();
        };
        let beginning = so_far.map_or(Beginning::Initial(initial), |so_far| Beginning::Resumed(Box::new(so_far)));
        let explored = breadth_first_from(successors, observer, beginning, options, listeners, level);
        drop(claim);
        Ok(explored)
    }

    /// The file of a search, unless another one is writing it.
    fn claim(&self, path: &Path) -> Option<SearchClaim<'_>> {
        let is_free = self.files().busy.insert(path.to_owned());
        is_free.then(|| SearchClaim { folder: self, path: path.to_owned() })
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

/// A search that was stopped before it had read what was there.
fn stopped_before<S: RowSuccessors>(successors: &S, stopped: Stopped) -> Explored {
    let summary = Summary { stopped: Some(stopped), ..Summary::default() };
    Explored::unlevelled(summary, StateStore::new(successors.words()))
}

fn name_of(path: &Path) -> &str {
    path.file_name().and_then(|name| name.to_str()).unwrap_or_default()
}

/// Whether a file is that of a search.
fn is_search(path: &Path) -> bool {
    name_of(path).starts_with("states-") && name_of(path).ends_with(".tertium")
}

/// Whether a file is a record.
fn is_record(path: &Path) -> bool {
    let name = name_of(path);
    name.ends_with(".tertium") && RecordKind::ALL.iter().any(|kind| name.starts_with(kind.stem()))
}

/// Whether a file is a record that was being written.
fn is_unfinished(path: &Path) -> bool {
    let name = name_of(path);
    name.ends_with(".new") && RecordKind::ALL.iter().any(|kind| name.starts_with(kind.stem()))
}
