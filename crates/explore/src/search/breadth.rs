//! Breadth-first search, level by level, with threads.
//!
//! The states of a level are those numbered since the last one ended, so the store is also the queue. Threads
//! take them in chunks (`worker`) and live until the search ends (`pool`). Whatever is reported is the least by content among the states of one level, never the
//! first by time; so the answers are the same for any number of threads.

use std::sync::atomic::Ordering;
use std::sync::{Mutex, PoisonError, RwLock, RwLockReadGuard};
use std::time::{Duration, Instant};

use tertium_base::narrow::to_u32;
use tertium_base::{Budget, StopReason, Stopped};

use super::checkpoint::SearchSoFar;
use super::outlet::NoOutlet;
use super::pool::{Leading, Pool};
use super::worker::{Level, Share, Worker};
use super::{Finding, Observer, Progress, Summary};
use crate::store::StateStore;
use crate::successors::RowSuccessors;

/// What a search may use, and when it may end early.
#[derive(Clone, Debug)]
pub struct Options<'a> {
    /// How many threads; at least one.
    pub threads: usize,
    /// More states than this end the search.
    pub max_states: Option<usize>,
    /// Whether the first finding ends the search, after its level.
    pub stop_at_finding: bool,
    /// Time, memory, and the user's patience.
    pub budget: &'a Budget,
}

/// A search that has ended: what it has seen, and the states themselves.
#[derive(Debug)]
pub struct Explored {
    /// What was seen.
    pub summary: Summary,
    /// The states by number.
    pub store: StateStore,
    /// The number of the first state of each level.
    pub levels: Vec<u32>,
    /// The last level ends before this state; what is numbered from here on was found by it.
    pub end: u32,
    /// Where the leading thread's time went besides expanding states together with the others.
    pub profile: SearchProfile,
}

/// What keeps threads from working side by side: seconds of the thread that leads. Facts about one run, no two are the same.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SearchProfile {
    /// Spent on letting the store grow, while nobody enters states.
    pub growing: Duration,
    /// Spent on waiting for the others at the end of levels.
    pub waiting: Duration,
    /// Spent on levels that are too small to be shared.
    pub alone: Duration,
}

impl Explored {
    /// States that no level is known of.
    #[must_use]
    pub fn unlevelled(summary: Summary, store: StateStore) -> Self {
        Self { summary, store, levels: vec![0], end: 0, profile: SearchProfile::default() }
    }

    /// The states, with their levels.
    #[must_use]
    pub fn levelled(&self) -> Levelled<'_> {
        Levelled { store: &self.store, levels: &self.levels, end: self.end }
    }
}

/// States by level, of a search that has ended or goes on.
#[derive(Clone, Copy, Debug)]
pub struct Levelled<'s> {
    /// The states by number.
    pub store: &'s StateStore,
    /// The number of the first state of each level.
    pub levels: &'s [u32],
    /// The last level ends before this state.
    pub end: u32,
}

/// Who is told how a search goes on.
pub struct Listeners<'l> {
    /// Now and then, how far it has come.
    pub progress: &'l mut dyn FnMut(Progress),
    /// After a level with new findings, if the search goes on.
    pub found: &'l mut dyn FnMut(&Summary, Levelled<'_>),
}

/// A single thread takes so many states before it looks at the limits.
const CHUNK: usize = 256;
/// Several threads take large chunks at first, since neighbours have successors in common, and smaller ones at the end of
/// a level, so that nobody waits long for the others.
const LARGEST_CHUNK: usize = 2048;
const SMALLEST_CHUNK: usize = 32;
/// So many chunks as large as the present one are left for each thread.
const CHUNKS_EACH: usize = 4;
/// Smaller levels are not worth waking threads for.
const WORTH_THREADS: usize = 512;
/// More threads are not used: the store counts on it.
const MOST_THREADS: usize = 128;

/// Visits every state that is reachable from `initial`.
pub fn breadth_first<S: RowSuccessors, O: Observer>(
    successors: &S,
    observer: &O,
    initial: &[Vec<u32>],
    options: &Options<'_>,
    progress: &mut dyn FnMut(Progress),
) -> Explored {
    let listeners = Listeners { progress, found: &mut |_, _| {} };
    breadth_first_telling(successors, observer, initial, options, listeners)
}

/// The same; what is found is told after its level.
pub fn breadth_first_telling<S: RowSuccessors, O: Observer>(
    successors: &S,
    observer: &O,
    initial: &[Vec<u32>],
    options: &Options<'_>,
    listeners: Listeners<'_>,
) -> Explored {
    breadth_first_from(successors, observer, Beginning::Initial(initial), options, listeners, &mut |_, _| {})
}

/// Where a search begins.
#[derive(Debug)]
pub enum Beginning<'b> {
    /// In these states.
    Initial(&'b [Vec<u32>]),
    /// In these states; rows may be masked once there are so many.
    MaskedAfter(&'b [Vec<u32>], usize),
    /// In these states; keys stay what they are unless rows become longer.
    WithStableKeys(&'b [Vec<u32>]),
    /// Where another one was when it was written down.
    Resumed(Box<SearchSoFar>),
}

/// The same, from the beginning or from where another search was; `level` is told of every level after it, if the search goes on.
pub fn breadth_first_from<S: RowSuccessors, O: Observer>(
    successors: &S,
    observer: &O,
    beginning: Beginning<'_>,
    options: &Options<'_>,
    mut listeners: Listeners<'_>,
    level: &mut dyn FnMut(&Summary, Levelled<'_>),
) -> Explored {
    let threads = options.threads.clamp(1, MOST_THREADS);
    let afresh = |store: StateStore| (store, vec![0], 0, Summary::default());
    let (initial, (store, levels, start, summary)) = match beginning {
        Beginning::Initial(initial) => (initial, afresh(StateStore::new(successors.words()))),
        Beginning::MaskedAfter(initial, enough) => {
            (initial, afresh(StateStore::masked_after(successors.words(), enough)))
        }
        Beginning::WithStableKeys(initial) => (initial, afresh(StateStore::unmasked(successors.words()))),
        Beginning::Resumed(so_far) => (&[][..], (so_far.store, so_far.levels, so_far.end as usize, so_far.summary)),
    };
    let shared = Shared {
        level: Level::default(),
        pool: Pool::of(threads),
        shares: Mutex::new(Vec::new()),
        store: RwLock::new(store),
        options,
    };
    let (summary, levels, end, profile) = std::thread::scope(|scope| {
        // However this ends, the helpers are told.
        let _leading = Leading(&shared.pool);
        let helper = || std::thread::Builder::new().spawn_scoped(scope, || help(&shared, successors, observer));
        // Where the system gives no more threads, those that there are do the work.
        let threads = 1 + (1..threads).take_while(|_| helper().is_ok()).count();
        let worker = Worker::new(successors, observer, &shared.level, &shared.store());
        let mut search = BreadthFirstSearch {
            shared: &shared,
            observer,
            worker,
            threads,
            summary,
            levels,
            end: start,
            profile: SearchProfile::default(),
        };
        search.summary.stopped = search.run(initial, &mut listeners, level).err();
        (search.summary, search.levels, to_u32(search.end), search.profile)
    });
    let store = shared.store.into_inner().unwrap_or_else(PoisonError::into_inner);
    let mut explored = Explored { summary, store, levels, end, profile };
    explored.summary.states = explored.store.len();
    explored.summary.depth = explored.levels.len() - 1;
    explored
}

/// What all threads see.
struct Shared<'s> {
    level: Level,
    pool: Pool,
    shares: Mutex<Vec<Share>>,
    /// Everyone reads (and enters states) during a round; between rounds the leader may let it grow.
    store: RwLock<StateStore>,
    options: &'s Options<'s>,
}

impl Shared<'_> {
    fn store(&self) -> RwLockReadGuard<'_, StateStore> {
        self.store.read().unwrap_or_else(PoisonError::into_inner)
    }

    /// Takes chunks of the level until it is done or somebody halts it.
    fn work<S: RowSuccessors, O: Observer>(
        &self,
        worker: &mut Worker<'_, S, O>,
        redo: &[u32],
        progress: Option<&mut dyn FnMut(Progress)>,
    ) {
        let store = self.store();
        let mut progress = progress;
        let mut chunk: Vec<u32> = Vec::with_capacity(LARGEST_CHUNK);
        let end = self.level.end.load(Ordering::Relaxed);
        worker.chunk(&store, redo, &mut NoOutlet);
        self.mind_the_limits(&store, worker);
        while !self.level.halt.load(Ordering::Relaxed) {
            let Some((from, to)) = self.take_chunk(end) else { break };
            chunk.clear();
            chunk.extend(to_u32(from)..to_u32(to));
            worker.chunk(&store, &chunk, &mut NoOutlet);
            self.mind_the_limits(&store, worker);
            if let Some(progress) = progress.as_deref_mut() {
                let states = store.len();
                let depth = self.level.depth.load(Ordering::Relaxed);
                progress(Progress { states, queue: states - to, depth, bytes: store.bytes() });
            }
        }
    }

    /// The next states of the level that nobody has taken.
    fn take_chunk(&self, end: usize) -> Option<(usize, usize)> {
        let threads = self.options.threads.clamp(1, MOST_THREADS);
        let chunk = |left: usize| match threads == 1 || self.options.max_states.is_some() {
            true => CHUNK,
            false => (left / (CHUNKS_EACH * threads)).clamp(SMALLEST_CHUNK, LARGEST_CHUNK),
        };
        let mut from = self.level.next.load(Ordering::Relaxed);
        while from < end {
            let to = end.min(from + chunk(end - from));
            match self.level.next.compare_exchange_weak(from, to, Ordering::Relaxed, Ordering::Relaxed) {
                Ok(_) => return Some((from, to)),
                Err(now) => from = now,
            }
        }
        None
    }

    fn mind_the_limits<S: RowSuccessors, O: Observer>(&self, store: &StateStore, worker: &mut Worker<'_, S, O>) {
        // What did not fit is done first, so that where the search ends does not depend on how the store grows.
        let full = worker.share.left.is_empty() && self.options.max_states.is_some_and(|most| store.len() > most);
        // A look costs more than some states do, and there are levels of one state.
        let is_due = worker.is_look_due(CHUNK);
        let stopped = match (full, is_due) {
            (true, _) => Err(Stopped(StopReason::Count)),
            (false, true) => self.options.budget.check(),
            (false, false) => Ok(()),
        };
        if let Err(stopped) = stopped {
            worker.share.stopped = Some(stopped);
            self.level.halt.store(true, Ordering::Relaxed);
        }
    }
}

/// What a helping thread does.
fn help<S: RowSuccessors, O: Observer>(shared: &Shared<'_>, successors: &S, observer: &O) {
    let mut worker = Worker::new(successors, observer, &shared.level, &shared.store());
    shared.pool.follow(|| {
        shared.work(&mut worker, &[], None);
        let share = std::mem::take(&mut worker.share);
        shared.shares.lock().unwrap_or_else(PoisonError::into_inner).push(share);
    });
}

/// The thread that leads.
struct BreadthFirstSearch<'s, S: RowSuccessors, O: Observer> {
    shared: &'s Shared<'s>,
    observer: &'s O,
    worker: Worker<'s, S, O>,
    threads: usize,
    summary: Summary,
    levels: Vec<u32>,
    end: usize,
    profile: SearchProfile,
}

impl<S: RowSuccessors, O: Observer> BreadthFirstSearch<'_, S, O> {
    fn run(
        &mut self,
        initial: &[Vec<u32>],
        listeners: &mut Listeners<'_>,
        level: &mut dyn FnMut(&Summary, Levelled<'_>),
    ) -> Result<(), Stopped> {
        let (mut start, mut told) = (self.end, 0);
        self.enter(initial)?;
        loop {
            let end = self.shared.store().len();
            self.end = end;
            if start == end {
                return Ok(());
            }
            if start > 0 {
                self.levels.push(to_u32(start));
            }
            self.expand_level(start, end, listeners.progress)?;
            let first = self.shared.options.stop_at_finding && !self.summary.findings.is_empty();
            if first || self.observer.is_enough(&self.summary) {
                return Err(Stopped(StopReason::Count));
            }
            if self.summary.findings.len() > told {
                told = self.summary.findings.len();
                let levelled = Levelled { store: &self.shared.store(), levels: &self.levels, end: to_u32(end) };
                (listeners.found)(&self.summary, levelled);
            }
            level(&self.summary, Levelled { store: &self.shared.store(), levels: &self.levels, end: to_u32(end) });
            start = end;
        }
    }

    fn enter(&mut self, initial: &[Vec<u32>]) -> Result<(), Stopped> {
        let mut scratch = self.shared.store().branches();
        let mut eyes = self.observer.scratch();
        for row in initial {
            let (_, new) = loop {
                let inserted = self.shared.store().insert_afresh(row, &mut scratch);
                match inserted {
                    Ok(found) => break found,
                    Err(_) => self.grow()?,
                }
            };
            if new {
                let summary = &mut self.summary;
                self.observer.look(row, &mut eyes, &mut |number| summary.note(Finding::Broken(number), 0, row));
            }
        }
        Ok(())
    }

    fn grow(&mut self) -> Result<(), Stopped> {
        let mut store = self.shared.store.write().unwrap_or_else(PoisonError::into_inner);
        store.may_grow(self.shared.options.budget)?;
        let start = Instant::now();
        if store.wants_samples() {
            let rows = self.worker.walk(&store);
            store.sample(&rows);
        }
        store.grow_with(self.threads);
        self.profile.growing += start.elapsed();
        Ok(())
    }

    fn expand_level(&mut self, start: usize, end: usize, progress: &mut dyn FnMut(Progress)) -> Result<(), Stopped> {
        let level = &self.shared.level;
        level.depth.store(self.levels.len() - 1, Ordering::Relaxed);
        level.next.store(start, Ordering::Relaxed);
        level.end.store(end, Ordering::Relaxed);
        let mut left: Vec<u32> = Vec::new();
        loop {
            let wants_to_grow = self.shared.store().wants_to_grow();
            if wants_to_grow {
                self.grow()?;
            }
            level.halt.store(false, Ordering::Relaxed);
            let redo = std::mem::take(&mut left);
            let shares = self.round(&redo, progress);
            let mut stopped = None;
            for share in shares {
                self.summary.absorb(share.summary);
                left.extend(share.left);
                stopped = stopped.or(share.stopped);
            }
            if let Some(stopped) = stopped {
                return Err(stopped);
            }
            // Nobody has taken what lies behind `end`.
            let next = level.next.load(Ordering::Relaxed).min(end);
            level.next.store(next, Ordering::Relaxed);
            if left.is_empty() && next == end {
                return Ok(());
            }
        }
    }

    /// Runs the threads until the level is done or somebody halts it.
    fn round(&mut self, redo: &[u32], progress: &mut dyn FnMut(Progress)) -> Vec<Share> {
        let shared = self.shared;
        let rest = shared.level.end.load(Ordering::Relaxed) - shared.level.next.load(Ordering::Relaxed);
        let worker = &mut self.worker;
        let mut done = Instant::now();
        if self.threads == 1 || rest < WORTH_THREADS {
            shared.work(worker, redo, Some(progress));
            self.profile.alone += done.elapsed();
        } else {
            let well = shared.pool.lead(self.threads - 1, || {
                shared.work(worker, redo, Some(progress));
                done = Instant::now();
            });
            self.profile.waiting += done.elapsed();
            if !well {
                // A helper panicked; so does the scope that it belongs to, once this thread has ended.
                worker.share.stopped = Some(Stopped(StopReason::Interrupted));
            }
        }
        let mut shares = std::mem::take(&mut *shared.shares.lock().unwrap_or_else(PoisonError::into_inner));
        shares.push(std::mem::take(&mut worker.share));
        shares
    }
}
