//! A search by several processes that goes on after all of them were killed.
//!
//! Every process writes its own states to a file of its own. When that is done all decide alike: the first process says so in its report of a level, and
//! everybody writes before anything of the next level is expanded. So at most the last section of a file is one that others lack; a run that goes on agrees on the last level that all have, and drops
//! what stands behind it. Who owns a state depends on the number of processes, so that must be the same; how many threads each has does not matter.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use tertium_base::Stopped;
use tertium_explore::search::breadth::Levelled;
use tertium_explore::search::checkpoint::{CheckpointFailure, CheckpointFile, PartSoFar, resume_part};
use tertium_explore::search::{Observer, Summary};
use tertium_explore::store::StateStore;
use tertium_explore::successors::RowSuccessors;

use crate::failure::ClusterFailure;
use crate::own_states::{OwnStates, store_for};
use crate::rounds::Rounds;
use crate::search::{number_of, reason_of};

/// The search for what single states break; the others are products with automata.
pub(crate) const STATES: &str = "states";

/// How it is decided whose a state is: parts that were cut in another way do not fit.
const OWNERS: &str = "owners by bits of rows";

/// Where the parts of a search are written down.
#[derive(Clone, Copy, Debug)]
pub struct ClusterCheckpoints<'a> {
    /// A folder of this process; several processes of one machine may share it.
    pub folder: &'a Path,
    /// How much time passes at least between two sections.
    pub every: Duration,
    /// Whether to go on with what is there.
    pub resume: bool,
    /// What must be the same for a search to go on: version, program, options.
    pub identity: &'a str,
}

/// The file of one process's part.
#[derive(Debug)]
pub(crate) struct PartFile {
    file: Option<CheckpointFile>,
    every: Duration,
    last: Instant,
    /// Why nothing is written any more.
    pub unwritten: Option<String>,
}

impl PartFile {
    fn of(file: CheckpointFile, every: Duration) -> Self {
        Self { file: Some(file), every, last: Instant::now(), unwritten: None }
    }

    /// Whether it is time to write.
    pub fn is_due(&self) -> bool {
        self.last.elapsed() >= self.every
    }
}

/// What a process tells before a search: whether it writes, and whether it goes on.
fn wish(checkpoints: Option<&ClusterCheckpoints<'_>>) -> u8 {
    checkpoints.map_or(0, |checkpoints| 1 + u8::from(checkpoints.resume))
}

const WISHES: [&str; 3] = ["without checkpoints", "with `--checkpoint`", "with `--resume`"];

/// What went wrong for a process: a limit, or anything else.
type Trouble = (Option<u8>, String);

fn trouble(why: &CheckpointFailure) -> Trouble {
    match why {
        CheckpointFailure::Stopped(stopped) => (Some(number_of(*stopped)), String::new()),
        why => (None, why.to_string()),
    }
}

/// Where the part of a process stands.
fn path_of(folder: &Path, name: &str, rounds: &Rounds<'_>) -> PathBuf {
    folder.join(format!("{name}-{}-of-{}.tertium", rounds.index(), rounds.peers()))
}

/// Whether another number of processes has written there.
fn has_other_parts(folder: &Path) -> bool {
    let is_part = |name: &str| name.starts_with("states-") && name.contains("-of-");
    let mut entries = fs::read_dir(folder).into_iter().flatten().flatten();
    entries.any(|entry| entry.file_name().to_str().is_some_and(is_part))
}

impl<S: RowSuccessors, O: Observer> OwnStates<'_, S, O> {
    /// Opens this process's file of the search with this name, and takes over what all have written; where the next level begins.
    pub(crate) fn begin_part(&mut self, name: &str, rounds: &mut Rounds<'_>) -> Result<Option<usize>, ClusterFailure> {
        let checkpoints = self.question.options.checkpoints;
        let ours = wish(checkpoints.as_ref());
        let wishes = rounds.gather(ours)?;
        if let Some(process) = wishes.iter().position(|&wish| wish != wishes[0]) {
            let [theirs, first] = [wishes[process], wishes[0]].map(|wish| WISHES[usize::from(wish.min(2))]);
            // Everybody has to hear of it before anybody leaves.
            let _ = rounds.part();
            return Err(ClusterFailure::Refused { process, cause: format!("it runs {theirs}, and process 0 {first}") });
        }
        let Some(checkpoints) = checkpoints else { return Ok(None) };
        let identity = format!("{}, {OWNERS}", checkpoints.identity);
        let checkpoints = ClusterCheckpoints { identity: &identity, ..checkpoints };
        let path = path_of(checkpoints.folder, name, rounds);
        if !checkpoints.resume {
            let created = fs::create_dir_all(checkpoints.folder)
                .and_then(|()| CheckpointFile::create(&path, checkpoints.identity));
            let told = rounds.gather(created.as_ref().err().map(ToString::to_string))?;
            if let Some((process, cause)) = told.into_iter().enumerate().find_map(|(at, told)| Some((at, told?))) {
                let _ = rounds.part();
                return Err(ClusterFailure::Unwritable { process, cause });
            }
            self.part = created.ok().map(|file| PartFile::of(file, checkpoints.every));
            return Ok(None);
        }
        self.resume_part(&path, name, &checkpoints, rounds)
    }

    fn resume_part(
        &mut self,
        path: &Path,
        name: &str,
        checkpoints: &ClusterCheckpoints<'_>,
        rounds: &mut Rounds<'_>,
    ) -> Result<Option<usize>, ClusterFailure> {
        let processes = rounds.peers();
        let read = self.read_part((path, name), checkpoints, processes, usize::MAX);
        let levels = self.agree_on_level(read.as_ref().map_err(trouble).map(|(part, _)| depth_of(part)), rounds)?;
        let Some(least) = levels else { return Ok(None) };
        let is_ahead = read.as_ref().is_ok_and(|(part, _)| depth_of(part) > least);
        let read = if is_ahead {
            // It is ours until then.
            drop(read);
            self.read_part((path, name), checkpoints, processes, least)
        } else {
            read
        };
        let fits = read.as_ref().map_err(trouble).and_then(|(part, _)| match depth_of(part) == least {
            true => Ok(least),
            false => Err((None, "it has no section that ends where those of the others do".to_owned())),
        });
        if self.agree_on_level(fits, rounds)?.is_none() {
            return Ok(None);
        }
        let Ok((part, file)) = read else { return Ok(None) };
        self.part = Some(PartFile::of(file, checkpoints.every));
        Ok(part.map(|part| self.take_over(part)))
    }

    /// The level up to which everybody can go on; none if somebody has reached a limit.
    fn agree_on_level(
        &mut self,
        ours: Result<usize, Trouble>,
        rounds: &mut Rounds<'_>,
    ) -> Result<Option<usize>, ClusterFailure> {
        let (levels, trouble) = match ours {
            Ok(levels) => (levels, None),
            Err(trouble) => (0, Some(trouble)),
        };
        let told = rounds.gather((levels, trouble))?;
        for (process, (_, trouble)) in told.iter().enumerate() {
            match trouble {
                Some((Some(limit), _)) => self.stopped = Some(Stopped(reason_of(*limit))),
                Some((None, cause)) => {
                    let cause = cause.clone();
                    let _ = rounds.part();
                    return Err(ClusterFailure::Unresumable { process, cause });
                }
                None => {}
            }
        }
        let least = told.iter().map(|(levels, _)| *levels).min().unwrap_or(0);
        Ok(self.stopped.is_none().then_some(least))
    }

    /// Reads this process's file, up to so many levels. A product's is begun if the search of it had not.
    fn read_part(
        &self,
        (path, name): (&Path, &str),
        checkpoints: &ClusterCheckpoints<'_>,
        processes: usize,
        levels: usize,
    ) -> Result<(Option<PartSoFar>, CheckpointFile), CheckpointFailure> {
        let (question, identity) = (self.question, checkpoints.identity);
        let begun = fs::metadata(path).is_ok_and(|file| file.len() >= CheckpointFile::HEAD);
        if !begun && name != STATES {
            let created = CheckpointFile::create(path, identity);
            return created.map(|file| (None, file)).map_err(CheckpointFailure::Unreadable);
        }
        if !path.exists() && has_other_parts(checkpoints.folder) {
            let cause = "what is there was written by another number of processes";
            return Err(CheckpointFailure::Unreadable(std::io::Error::other(cause)));
        }
        let searched = (question.successors, question.observer);
        let store = store_for(question.successors.words(), processes);
        resume_part(path, identity, searched, (store, levels), question.options.budget)
    }

    /// Goes on where a section ends; the first state of the next level.
    fn take_over(&mut self, PartSoFar { search, remarks }: PartSoFar) -> usize {
        let start = search.end as usize;
        self.store = search.store;
        (self.base, self.branches) = (self.store.branches(), self.store.branches());
        self.told.depth = search.levels.len();
        self.told.findings.clone_from(&search.summary.findings);
        (self.levels, self.summary, self.end) = (search.levels, search.summary, start);
        let count = |at: usize| remarks.get(at).and_then(|&count| usize::try_from(count).ok()).unwrap_or(0);
        (self.errors, self.rows_sent) = (count(0), count(1));
        self.question.observer.absorb(remarks.get(2..).unwrap_or_default());
        start
    }

    /// Writes what is new, before the states from `start` on are expanded.
    pub(crate) fn write_part(&mut self, store: &StateStore, start: usize) {
        let Some(part) = &mut self.part else { return };
        let Some(file) = &mut part.file else { return };
        let summary = Summary { findings: self.told.findings.clone(), ..self.summary.clone() };
        let end = tertium_base::narrow::to_u32(start);
        let levelled = Levelled { store, levels: &self.levels, end };
        let mut remarks = vec![self.errors as u64, self.rows_sent as u64];
        remarks.extend(self.question.observer.remarks());
        // A section that is not whole is the last one.
        if let Err(error) = file.append_with(&summary, levelled, &remarks) {
            (part.file, part.unwritten) = (None, Some(error.to_string()));
        }
        part.last = Instant::now();
    }
}

fn depth_of(part: &Option<PartSoFar>) -> usize {
    part.as_ref().map_or(0, |part| part.search.levels.len())
}
