//! Breadth-first search of more states than memory holds.
//!
//! Tree compression makes of every row a key of 64 bits: two numbers of parts, which many rows share. The parts stay in memory; the keys, of which there is one for each state, go to disk when they
//! become too many. This is delayed duplicate detection (Stern and Dill 1998; Korf 2004): the keys of all successors of a level are gathered, sorted, and compared with the sorted keys of all
//! states visited before. Files are written and read from beginning to end, each key as the difference from the one before it. Nothing is left to chance: two
//! rows never have the same key, and every block that is read is compared with a sum of what was written.
//!
//! The search begins in memory (`breadth`) and goes on here when half of the memory is used. Threads expand states; one sorts and merges.

mod closed;
mod sorted;
mod worker;

use std::fmt;
use std::io;
use std::path::Path;

use tertium_base::{Budget, StopReason, Stopped};

use self::closed::ClosedKeys;
use self::sorted::{KeyCursor, KeyFile, KeyRun, KeyWriter, SortedKeys, merge};
use self::worker::DiskWorker;
use super::breadth::{Beginning, Explored, Listeners, Options, breadth_first_from};
use super::run::shortest_run;
use super::{Observer, Progress, Summary};
use crate::store::StateStore;
use crate::successors::{Expansion, RowSuccessors};

/// Why a search cannot go on on disk.
#[derive(Debug)]
pub enum DiskFailure {
    /// A file cannot be written, or what is read is not what was written.
    Io(io::Error),
    /// Rows have become longer after keys had gone to disk, and all keys would change.
    LongerRows,
}

impl fmt::Display for DiskFailure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Io(error) => write!(f, "{error}"),
            Self::LongerRows => f.write_str("states have become larger than all that were seen in memory"),
        }
    }
}

impl std::error::Error for DiskFailure {}

impl From<io::Error> for DiskFailure {
    fn from(error: io::Error) -> Self {
        Self::Io(error)
    }
}

/// Where keys go, and how many bytes are used besides.
#[derive(Clone, Copy, Debug)]
pub struct DiskOptions<'a> {
    /// A folder of this search alone.
    pub folder: &'a Path,
    /// The search in memory ends when the process takes so many bytes.
    pub memory: usize,
    /// So many bytes are for buffers then, besides the parts of rows.
    pub buffers: usize,
    /// It ends with so many states whatever they take.
    pub states: usize,
}

impl DiskOptions<'_> {
    /// So many candidates are gathered before they are sorted.
    fn most_candidates(&self) -> usize {
        (self.buffers / 16).max(2 * PORTION)
    }
}

/// A search that has ended, in memory or on disk.
#[derive(Debug)]
pub struct DiskSearch {
    /// What was seen.
    pub summary: Summary,
    /// Bytes in memory and on disk, when it ended.
    pub bytes: (usize, u64),
    states: StatesByLevel,
}

#[derive(Debug)]
enum StatesByLevel {
    Memory(Box<Explored>),
    Disk { store: Box<StateStore>, file: KeyFile, levels: Vec<SortedKeys> },
}

/// Visits every state that is reachable from `initial`.
///
/// # Errors
/// If a file cannot be written or read, or rows become longer on the way.
pub fn breadth_first_on_disk<S: RowSuccessors, O: Observer>(
    (successors, observer): (&S, &O),
    initial: &[Vec<u32>],
    options: &Options<'_>,
    disk: &DiskOptions<'_>,
    progress: &mut dyn FnMut(Progress),
) -> Result<DiskSearch, DiskFailure> {
    let half = options.budget.clone().with_memory(Some(disk.memory));
    let most = options.max_states.unwrap_or(usize::MAX).min(disk.states);
    let inside = Options { budget: &half, max_states: (most < usize::MAX).then_some(most), ..options.clone() };
    let mut last_level = Summary::default();
    let listeners = Listeners { progress: &mut *progress, found: &mut |_, _| {} };
    let explored = breadth_first_from(
        successors,
        observer,
        Beginning::WithStableKeys(initial),
        &inside,
        listeners,
        &mut |summary, _| {
            last_level = summary.clone();
        },
    );
    let is_full = match explored.summary.stopped {
        Some(Stopped(StopReason::Memory)) => true,
        Some(Stopped(StopReason::Count)) => explored.store.len() > disk.states,
        _ => false,
    };
    if !is_full || explored.end == 0 {
        let bytes = (explored.store.bytes(), 0);
        return Ok(DiskSearch {
            summary: explored.summary.clone(),
            bytes,
            states: StatesByLevel::Memory(explored.into()),
        });
    }
    let mut search = SearchOnDisk::new((successors, observer), explored, last_level, options, disk)?;
    search.summary.stopped = search.run(progress)?.err();
    Ok(search.finish())
}

impl DiskSearch {
    /// Shows every state that was expanded, in no order that means anything.
    ///
    /// # Errors
    /// If a file cannot be read.
    pub fn for_each(&mut self, each: &mut dyn FnMut(&[u32])) -> Result<(), DiskFailure> {
        match &mut self.states {
            StatesByLevel::Memory(explored) => {
                let mut branches = explored.store.branches();
                for number in 0..explored.end {
                    explored.store.read(number, &mut branches);
                    each(branches.words());
                }
            }
            StatesByLevel::Disk { store, file, levels } => {
                let mut branches = store.branches();
                for level in levels.iter() {
                    let mut keys = KeyCursor::in_file(file, level);
                    while let Some(key) = keys.next_key()? {
                        store.read_key(key, &mut branches);
                        each(branches.words());
                    }
                }
            }
        }
        Ok(())
    }

    /// The states of a shortest run to a state of this depth; none if the budget is spent first.
    ///
    /// # Errors
    /// If a file cannot be read.
    pub fn shortest_run<S: RowSuccessors>(
        &mut self,
        successors: &S,
        (row, depth): (&[u32], usize),
        budget: &Budget,
    ) -> Result<Option<Vec<Vec<u32>>>, DiskFailure> {
        match &mut self.states {
            StatesByLevel::Memory(explored) => {
                Ok(shortest_run(successors, explored.levelled(), row, depth, budget).ok())
            }
            StatesByLevel::Disk { store, file, levels } => {
                let mut run = vec![row.to_vec()];
                for level in levels.iter().take(depth).rev() {
                    let cursor = KeyCursor::in_file(file, level);
                    let before = least_predecessor(successors, store, cursor, &run[run.len() - 1], budget)?;
                    let Some(before) = before else { return Ok(None) };
                    run.push(before);
                }
                run.reverse();
                Ok((run.len() == depth + 1).then_some(run))
            }
        }
    }
}

/// The least of the states that lead to this one; none if the budget is spent first.
fn least_predecessor<S: RowSuccessors>(
    successors: &S,
    store: &StateStore,
    mut level: KeyCursor<'_>,
    row: &[u32],
    budget: &Budget,
) -> io::Result<Option<Vec<u32>>> {
    let (mut branches, mut scratch, mut found) = (store.branches(), successors.scratch(), Expansion::default());
    let (mut least, mut next, mut ticks) = (None::<Vec<u32>>, Vec::new(), 0);
    while let Some(key) = level.next_key()? {
        if budget.tick(&mut ticks).is_err() {
            return Ok(None);
        }
        store.read_key(key, &mut branches);
        if least.as_deref().is_some_and(|least| least <= branches.words()) {
            continue;
        }
        successors.expand(branches.words(), &mut scratch, &mut found);
        let arrives = (0..found.steps()).any(|step| {
            found.copy_row(step, &mut next);
            next == row
        });
        if arrives {
            least = Some(branches.words().to_vec());
        }
    }
    Ok(least)
}

/// Candidates are taken over, and compared with what was visited, in portions of so many.
const PORTION: usize = 1 << 10;
/// So many states are expanded by each thread before the limits are looked at.
const STATES_EACH: usize = 1 << 12;
/// Fewer are not worth a thread.
const WORTH_A_THREAD: usize = 512;
/// More threads are not used: the store counts on it.
const MOST_THREADS: usize = 128;

struct SearchOnDisk<'s, S: RowSuccessors, O: Observer> {
    observer: &'s O,
    options: &'s Options<'s>,
    disk: DiskOptions<'s>,
    /// The parts of rows; no states.
    store: StateStore,
    summary: Summary,
    states: usize,
    file: KeyFile,
    levels: Vec<SortedKeys>,
    closed: ClosedKeys,
    /// Keys of successors, and sorted ones in files.
    candidates: Vec<u64>,
    spilled: Vec<KeyRun>,
    workers: Vec<DiskWorker<'s, S, O>>,
}

impl<'s, S: RowSuccessors, O: Observer> SearchOnDisk<'s, S, O> {
    /// Goes on where the search in memory was: at the beginning of the level that it did not end.
    fn new(
        (successors, observer): (&'s S, &'s O),
        explored: Explored,
        summary: Summary,
        options: &'s Options<'s>,
        disk: &DiskOptions<'s>,
    ) -> Result<Self, DiskFailure> {
        let Explored { mut store, levels: starts, end, .. } = explored;
        let mut file = KeyFile::create(disk.folder.join("levels.keys"))?;
        let (mut levels, most_in_memory) = (Vec::new(), disk.buffers / 64);
        let mut closed = ClosedKeys::new(disk.folder, most_in_memory);
        for (at, &start) in starts.iter().enumerate() {
            let to = starts.get(at + 1).copied().unwrap_or(end);
            let mut keys: Vec<u64> = (start..to).map(|number| store.key(number)).collect();
            keys.sort_unstable();
            levels.push(write(&mut file, &keys)?);
            closed.add(KeyRun::Memory(keys))?;
        }
        store.forget_states();
        let worker = || DiskWorker::new((successors, observer), &store);
        let workers = (0..options.threads.clamp(1, MOST_THREADS)).map(|_| worker()).collect();
        Ok(Self {
            observer,
            options,
            disk: *disk,
            store,
            summary,
            states: end as usize,
            file,
            levels,
            closed,
            candidates: Vec::with_capacity(disk.most_candidates()),
            spilled: Vec::new(),
            workers,
        })
    }

    fn run(&mut self, progress: &mut dyn FnMut(Progress)) -> Result<Result<(), Stopped>, DiskFailure> {
        while self.levels.last().is_some_and(|level| level.len() > 0) {
            if let Err(stopped) = self.expand_level(progress)? {
                return Ok(Err(stopped));
            }
            let new = self.next_level()?;
            self.states += new.len();
            self.levels.push(new);
            if self.observer.is_enough(&self.summary) {
                return Ok(Err(Stopped(StopReason::Count)));
            }
        }
        Ok(Ok(()))
    }

    /// Gathers the keys of what comes after the states of the last level.
    fn expand_level(&mut self, progress: &mut dyn FnMut(Progress)) -> Result<Result<(), Stopped>, DiskFailure> {
        let depth = self.levels.len() - 1;
        let level = std::mem::take(&mut self.levels[depth]);
        let (mut keys, mut block, mut done) = (Vec::new(), Vec::new(), 0);
        let mut stopped = Ok(());
        while done < level.len() && stopped.is_ok() {
            keys.clear();
            while keys.len() < STATES_EACH * self.workers.len() && done < level.len() {
                level.read_at(&mut self.file, done, &mut block)?;
                done += block.len();
                keys.append(&mut block);
            }
            stopped = self.expand(&keys, depth)?;
            let full = self.options.max_states.is_some_and(|most| self.states > most);
            let limit = if full { Err(Stopped(StopReason::Count)) } else { self.options.budget.check() };
            stopped = stopped.and(limit);
            let (bytes, queue) = (self.store.bytes() + self.candidates.capacity() * 8, level.len() - done);
            progress(Progress { states: self.states, queue, depth, bytes });
        }
        self.levels[depth] = level;
        Ok(stopped)
    }

    /// Expands states with all threads, each a part of them; where the store must grow, what is left is done after that.
    fn expand(&mut self, keys: &[u64], depth: usize) -> Result<Result<(), Stopped>, DiskFailure> {
        let each = keys.len().div_ceil(self.workers.len()).max(WORTH_A_THREAD);
        let mut left: Vec<&[u64]> = keys.chunks(each).collect();
        while left.iter().any(|part| !part.is_empty()) {
            let store = &self.store;
            let work = |(worker, part): (&mut DiskWorker<'_, S, O>, &mut &[u64])| {
                let done = worker.expand(store, part, depth);
                *part = &part[done..];
            };
            let mut parts = self.workers.iter_mut().zip(&mut left);
            let first = parts.next();
            std::thread::scope(|scope| {
                for part in parts.filter(|(_, part)| !part.is_empty()) {
                    scope.spawn(move || work(part));
                }
                first.into_iter().for_each(work);
            });
            self.collect()?;
            if left.iter().all(|part| part.is_empty()) {
                break;
            }
            if self.store.is_too_narrow() {
                return Err(DiskFailure::LongerRows);
            }
            if let Err(stopped) = self.store.may_grow(self.options.budget) {
                return Ok(Err(stopped));
            }
            self.store.grow_with(self.workers.len());
        }
        Ok(Ok(()))
    }

    /// Takes over what the threads have found.
    fn collect(&mut self) -> Result<(), DiskFailure> {
        for at in 0..self.workers.len() {
            self.summary.absorb(std::mem::take(&mut self.workers[at].summary));
            let mut found = std::mem::take(&mut self.workers[at].candidates);
            for keys in found.chunks(PORTION) {
                if self.candidates.len() + keys.len() > self.disk.most_candidates() {
                    self.spill()?;
                }
                self.candidates.extend_from_slice(keys);
            }
            found.clear();
            self.workers[at].candidates = found;
        }
        Ok(())
    }

    /// Writes the sorted candidates to a file.
    fn spill(&mut self) -> Result<(), DiskFailure> {
        self.candidates.sort_unstable();
        self.candidates.dedup();
        // Where most were duplicates, there is room again.
        if self.candidates.len() * 2 > self.disk.most_candidates() {
            let path = self.disk.folder.join(format!("candidates-{}.keys", self.spilled.len()));
            let keys = &self.candidates;
            self.spilled.push(KeyRun::on_disk(&path, |writer| keys.iter().try_for_each(|&key| writer.add(key)))?);
            self.candidates.clear();
        }
        Ok(())
    }

    /// The candidates that were not visited before are the next level.
    fn next_level(&mut self) -> Result<SortedKeys, DiskFailure> {
        self.candidates.sort_unstable();
        self.candidates.dedup();
        self.workers.iter_mut().for_each(DiskWorker::forget);
        let most_in_memory = self.disk.buffers / 64;
        let (candidates, mut spilled) = (std::mem::take(&mut self.candidates), std::mem::take(&mut self.spilled));
        let (mut portion, mut new) = (Vec::with_capacity(PORTION), Vec::new());
        let mut writer = KeyWriter::new(&mut self.file);
        let mut visited = self.closed.cursors();
        let mut compare = |portion: &mut Vec<u64>| -> io::Result<()> {
            for cursor in &mut visited {
                let mut failed = Ok(());
                portion.retain(|&key| {
                    !cursor.has(key).unwrap_or_else(|error| {
                        failed = Err(error);
                        false
                    })
                });
                failed?;
            }
            for &key in portion.iter() {
                writer.add(key)?;
                // What is too long is read from the file of levels.
                if new.len() <= most_in_memory {
                    new.push(key);
                }
            }
            portion.clear();
            Ok(())
        };
        let mut cursors: Vec<KeyCursor<'_>> = spilled.iter_mut().map(KeyRun::cursor).collect();
        cursors.push(KeyCursor::in_memory(&candidates));
        merge(cursors, &mut |key| {
            portion.push(key);
            if portion.len() == PORTION { compare(&mut portion) } else { Ok(()) }
        })?;
        compare(&mut portion)?;
        let level = writer.finish()?;
        drop(visited);
        self.close(&level, new)?;
        self.candidates = candidates;
        self.candidates.clear();
        Ok(level)
    }

    /// Notes that the states of a level are visited.
    fn close(&mut self, level: &SortedKeys, keys: Vec<u64>) -> Result<(), DiskFailure> {
        let run = if keys.len() == level.len() {
            KeyRun::Memory(keys)
        } else {
            let path = self.disk.folder.join(format!("level-{}.keys", self.levels.len()));
            let mut cursor = KeyCursor::in_file(&mut self.file, level);
            KeyRun::on_disk(&path, |writer| {
                while let Some(key) = cursor.next_key()? {
                    writer.add(key)?;
                }
                Ok(())
            })?
        };
        Ok(self.closed.add(run)?)
    }

    fn finish(mut self) -> DiskSearch {
        // The last level of a whole search is empty.
        self.levels.pop_if(|level| level.len() == 0);
        self.summary.states = self.states;
        self.summary.depth = self.levels.len().saturating_sub(1);
        let (in_memory, on_disk) = self.closed.bytes();
        let index: usize = self.levels.iter().map(SortedKeys::index_bytes).sum();
        let bytes = (self.store.bytes() + in_memory + index, on_disk + self.file.bytes());
        let (store, file, levels) = (Box::new(self.store), self.file, self.levels);
        DiskSearch { summary: self.summary, bytes, states: StatesByLevel::Disk { store, file, levels } }
    }
}

/// Writes sorted keys behind what is in a file.
fn write(file: &mut KeyFile, keys: &[u64]) -> io::Result<SortedKeys> {
    let mut writer = KeyWriter::new(file);
    keys.iter().try_for_each(|&key| writer.add(key))?;
    writer.finish()
}
