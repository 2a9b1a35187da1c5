//! Breadth-first search, level by level, with threads.
//!
//! The states of a level are those numbered since the last one ended, so the store is also the queue. Threads
//! take them in chunks. Whatever is reported is the least by content among the states of one level, never the
//! first by time; so the answers are the same for any number of threads.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use tertium_base::{Budget, StopReason, Stopped};

use super::{Finding, Observer, Progress, Summary};
use crate::store::{Branches, Full, StateStore};
use crate::successors::{Expansion, Successors};

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
}

/// States are handed to threads in chunks of this many.
const CHUNK: usize = 256;
/// Smaller levels are not worth starting threads for.
const WORTH_THREADS: usize = 8 * CHUNK;

/// Visits every state that is reachable from `initial`.
pub fn breadth_first<S: Successors, O: Observer>(
    successors: &S,
    observer: &O,
    initial: &[Vec<u32>],
    options: &Options<'_>,
    progress: &mut dyn FnMut(Progress),
) -> Explored {
    let mut search = Search {
        successors,
        observer,
        options,
        store: StateStore::new(successors.words()),
        summary: Summary::default(),
        levels: vec![0],
    };
    search.summary.stopped = search.run(initial, progress).err();
    search.summary.states = search.store.len();
    search.summary.depth = search.levels.len() - 1;
    Explored { summary: search.summary, store: search.store, levels: search.levels }
}

struct Search<'s, S: Successors, O: Observer> {
    successors: &'s S,
    observer: &'s O,
    options: &'s Options<'s>,
    store: StateStore,
    summary: Summary,
    levels: Vec<u32>,
}

/// What the threads of one level share.
struct Level<'l> {
    depth: usize,
    next: AtomicUsize,
    end: usize,
    /// Set when the store must grow or a limit is reached: everyone hands back what is left.
    halt: AtomicBool,
    budget: &'l Budget,
}

/// What one thread hands back.
struct Share {
    summary: Summary,
    /// States that are still to be expanded.
    left: Vec<u32>,
    stopped: Option<Stopped>,
}

impl<S: Successors, O: Observer> Search<'_, S, O> {
    fn run(&mut self, initial: &[Vec<u32>], progress: &mut dyn FnMut(Progress)) -> Result<(), Stopped> {
        self.enter(initial)?;
        let mut start = 0;
        loop {
            let end = self.store.len();
            if start == end {
                return Ok(());
            }
            if start > 0 {
                self.levels.push(start as u32);
            }
            self.expand_level(start, end, progress)?;
            let first = self.options.stop_at_finding && !self.summary.findings.is_empty();
            if first || self.observer.is_enough(&self.summary) {
                return Err(Stopped(StopReason::Count));
            }
            start = end;
        }
    }

    fn enter(&mut self, initial: &[Vec<u32>]) -> Result<(), Stopped> {
        let mut scratch = self.store.branches();
        let mut eyes = self.observer.scratch();
        for row in initial {
            let (_, new) = loop {
                match self.store.insert_afresh(row, &mut scratch) {
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
        self.options.budget.reserve(self.store.growth_bytes())?;
        self.store.grow();
        Ok(())
    }

    fn expand_level(&mut self, start: usize, end: usize, progress: &mut dyn FnMut(Progress)) -> Result<(), Stopped> {
        let depth = self.levels.len() - 1;
        let mut left: Vec<u32> = Vec::new();
        let mut from = start;
        loop {
            if self.store.wants_to_grow() {
                self.grow()?;
            }
            let redo = std::mem::take(&mut left);
            let level = Level {
                depth,
                next: AtomicUsize::new(from),
                end,
                halt: AtomicBool::new(false),
                budget: self.options.budget,
            };
            let shares = self.share_out(&level, redo, progress);
            from = level.next.into_inner().min(end);
            let mut stopped = None;
            for share in shares {
                self.summary.absorb(share.summary);
                left.extend(share.left);
                stopped = stopped.or(share.stopped);
            }
            if let Some(stopped) = stopped {
                return Err(stopped);
            }
            if left.is_empty() && from == end {
                return Ok(());
            }
        }
    }

    /// Runs the threads of a level until it is done or somebody halts it.
    fn share_out(&self, level: &Level<'_>, redo: Vec<u32>, progress: &mut dyn FnMut(Progress)) -> Vec<Share> {
        let threads = self.options.threads.max(1);
        if threads == 1 || level.end - level.next.load(Ordering::Relaxed) < WORTH_THREADS {
            return vec![self.work(level, redo, Some(progress))];
        }
        std::thread::scope(|scope| {
            let helpers: Vec<_> = (1..threads).map(|_| scope.spawn(|| self.work(level, Vec::new(), None))).collect();
            let mut shares = vec![self.work(level, redo, Some(progress))];
            for helper in helpers {
                match helper.join() {
                    Ok(share) => shares.push(share),
                    Err(panic) => std::panic::resume_unwind(panic),
                }
            }
            shares
        })
    }

    fn work(&self, level: &Level<'_>, redo: Vec<u32>, mut progress: Option<&mut dyn FnMut(Progress)>) -> Share {
        let mut worker = Worker {
            search: self,
            level,
            share: Share { summary: Summary::default(), left: Vec::new(), stopped: None },
            base: self.store.branches(),
            branches: self.store.branches(),
            scratch: self.successors.scratch(),
            eyes: self.observer.scratch(),
            found: Expansion::default(),
        };
        worker.chunk(redo.into_iter());
        while !level.halt.load(Ordering::Relaxed) {
            let from = level.next.fetch_add(CHUNK, Ordering::Relaxed);
            if from >= level.end {
                break;
            }
            worker.chunk(from as u32..(from + CHUNK).min(level.end) as u32);
            worker.mind_the_limits();
            if let Some(progress) = progress.as_deref_mut() {
                let states = self.store.len();
                let queue = states - (from + CHUNK).min(level.end);
                progress(Progress { states, queue, depth: level.depth, bytes: self.store.bytes() });
            }
        }
        worker.share
    }
}

struct Worker<'w, S: Successors, O: Observer> {
    search: &'w Search<'w, S, O>,
    level: &'w Level<'w>,
    share: Share,
    base: Branches,
    branches: Branches,
    scratch: S::Scratch,
    eyes: O::Scratch,
    found: Expansion,
}

impl<S: Successors, O: Observer> Worker<'_, S, O> {
    /// Expands these states; those that no longer fit are handed back.
    fn chunk(&mut self, states: impl Iterator<Item = u32>) {
        for state in states {
            if !self.share.left.is_empty() || !self.expand(state) {
                self.share.left.push(state);
                self.level.halt.store(true, Ordering::Relaxed);
            }
        }
    }

    /// Expands one state; says whether all of it fitted. What did fit is found again when it is done anew.
    fn expand(&mut self, state: u32) -> bool {
        let search = self.search;
        search.store.read(state, &mut self.base);
        if search.successors.expand_private(self.base.words(), &mut self.scratch, &mut self.found) {
            match self.enter_successors() {
                Ok(true) => {
                    self.count();
                    return true;
                }
                // None of them is new to this level: going on with them alone could go round in a circle.
                Ok(false) => {}
                Err(Full) => return false,
            }
        }
        search.successors.expand(self.base.words(), &mut self.scratch, &mut self.found);
        if self.enter_successors().is_err() {
            return false;
        }
        self.count();
        true
    }

    /// Enters what was found; says whether any of it waits for a later level.
    fn enter_successors(&mut self) -> Result<bool, Full> {
        let search = self.search;
        let mut waiting = false;
        for at in 0..self.found.steps() {
            let row = self.found.row(at);
            let (number, new) = search.store.insert(&self.base, row, &mut self.branches)?;
            waiting |= number as usize >= self.level.end;
            if new {
                let (summary, depth) = (&mut self.share.summary, self.level.depth + 1);
                search.observer.look(row, &mut self.eyes, &mut |number| {
                    summary.note(Finding::Broken(number), depth, row);
                });
            }
        }
        Ok(waiting)
    }

    fn count(&mut self) {
        let summary = &mut self.share.summary;
        summary.transitions += self.found.steps();
        if self.found.deadlock {
            summary.deadlocks += 1;
            summary.note(Finding::Deadlock, self.level.depth, self.base.words());
        }
        summary.faults += self.found.faults.len();
        for fault in self.found.faults.drain(..) {
            summary.note(Finding::Fault(fault), self.level.depth, self.base.words());
        }
    }

    fn mind_the_limits(&mut self) {
        let full = self.search.options.max_states.is_some_and(|most| self.search.store.len() > most);
        let stopped = if full { Err(Stopped(StopReason::Count)) } else { self.level.budget.check() };
        if let Err(stopped) = stopped {
            self.share.stopped = Some(stopped);
            self.level.halt.store(true, Ordering::Relaxed);
        }
    }
}
