//! The thread of a process that leads the others through levels, and speaks with the other processes.

use std::sync::PoisonError;
use std::sync::atomic::Ordering;

use tertium_base::narrow::to_u32;
use tertium_base::{StopReason, Stopped};
use tertium_explore::rows::RowList;
use tertium_explore::search::worker::Worker;
use tertium_explore::search::{Finding, Observer, Progress};
use tertium_explore::store::StateStore;
use tertium_explore::successors::RowSuccessors;

use crate::failure::ClusterFailure;
use crate::own_states::{OwnStates, RoundReport, Turn};
use crate::owners::owner_of_row;
use crate::rounds::Rounds;
use crate::search::Question;
use crate::threads::{Arrival, SharedPart, lock};

/// Fewer states are not worth waking threads for.
const WORTH_THREADS: usize = 512;

/// What a helping thread does.
pub(crate) fn help<S: RowSuccessors, O: Observer>(
    shared: &SharedPart<'_>,
    question: &Question<'_, S, O>,
    number: usize,
) {
    let mut worker = Worker::new(question.successors, question.observer, &shared.level, &shared.store());
    shared.pool.follow(|| {
        shared.work(&mut worker, number, &[], &mut |_| {});
        lock(&shared.shares).push(std::mem::take(&mut worker.share));
    });
}

/// The thread that leads.
pub(crate) struct Leader<'a, 'q, 't, S: RowSuccessors, O: Observer> {
    pub own: &'a mut OwnStates<'q, S, O>,
    pub shared: &'a SharedPart<'a>,
    pub rounds: &'a mut Rounds<'t>,
    pub worker: Worker<'a, S, O>,
    pub threads: usize,
    /// Whether this is a round of states, and not one of reports.
    exchanges: bool,
    progress: &'a mut dyn FnMut(Progress),
}

impl<'a, 'q, 't, S: RowSuccessors, O: Observer> Leader<'a, 'q, 't, S, O> {
    pub fn new(
        own: &'a mut OwnStates<'q, S, O>,
        shared: &'a SharedPart<'a>,
        rounds: &'a mut Rounds<'t>,
        threads: usize,
        progress: &'a mut dyn FnMut(Progress),
    ) -> Self
    where
        'q: 'a,
    {
        let worker = Worker::new(own.question.successors, own.question.observer, &shared.level, &shared.store());
        Self { own, shared, rounds, worker, threads, exchanges: false, progress }
    }

    /// Level after level, from this state on if the search was begun before.
    pub fn run(&mut self, resumed: Option<usize>) -> Result<(), ClusterFailure> {
        if resumed.is_none() {
            self.enter_initial();
        }
        let mut end = resumed.unwrap_or(0);
        loop {
            let next = self.agree(end)?;
            match next {
                Turn::End => return Ok(()),
                Turn::SameLevel => {}
                Turn::NextLevel { is_due } => end = self.begin_level(end, is_due),
            }
            self.expand_level(end)?;
            self.own.told.depth += usize::from(next != Turn::SameLevel);
        }
    }

    /// Enters the initial states that belong to this process.
    fn enter_initial(&mut self) {
        let (mut scratch, processes) = (self.shared.store().branches(), self.shared.processes);
        for row in self.own.question.initial {
            if owner_of_row(row, processes) != self.own.me {
                continue;
            }
            let new = loop {
                let inserted = self.shared.store().insert_afresh(row, &mut scratch);
                match inserted {
                    Ok((_, new)) => break new,
                    Err(_) => self.grow(),
                }
                if self.own.stopped.is_some() {
                    return;
                }
            };
            if new {
                let OwnStates { summary, eyes, question, .. } = &mut *self.own;
                question.observer.look(row, eyes, &mut |number| summary.note(Finding::Broken(number), 0, row));
            }
        }
    }

    /// Turns to the level that begins at this state; where it ends.
    fn begin_level(&mut self, start: usize, is_due: bool) -> usize {
        let (end, depth) = (self.shared.store().len(), self.own.told.depth);
        if depth > 0 {
            if is_due {
                let store = self.shared.store();
                self.own.write_part(&store, start);
            }
            self.own.levels.push(to_u32(start));
        }
        self.own.end = end;
        let level = &self.shared.level;
        level.depth.store(depth, Ordering::Relaxed);
        level.next.store(start, Ordering::Relaxed);
        level.end.store(end, Ordering::Relaxed);
        let bytes = self.shared.store().bytes();
        (self.progress)(Progress { states: self.own.told.states, queue: end - start, depth, bytes });
        end
    }

    /// Tells the others what is new, hears what they have; what comes next.
    fn agree(&mut self, end: usize) -> Result<Turn, ClusterFailure> {
        let options = self.own.question.options;
        loop {
            if self.own.stopped.is_none() {
                self.own.stopped = options.budget.check().err();
            }
            let report = self.report(end);
            let reports = self.rounds.gather(report)?;
            let is_stopped = reports.iter().any(|report| report.stopped.is_some());
            let other = reports.iter().position(|report| report.mask != reports[0].mask);
            // Whoever was stopped may not have come so far.
            if let Some(other) = other.filter(|_| !is_stopped) {
                let cause = format!("process {other} masks rows in another way");
                return Err(ClusterFailure::Unreadable { cause });
            }
            if is_stopped || !self.own.masks.are_due(&reports, options.masked_after) {
                return Ok(self.own.hear(&reports));
            }
            // What was kept aside belongs to the next level, so nothing is decided before.
            self.mask_together()?;
        }
    }

    fn report(&self, end: usize) -> RoundReport {
        let store = self.shared.store();
        let next = self.shared.level.next.load(Ordering::Relaxed);
        let rest = self.shared.level.end.load(Ordering::Relaxed).saturating_sub(next);
        let aside = self.shared.outboxes.iter().map(|outbox| lock(outbox).aside.len()).sum();
        self.own.report((end, store.len()), rest, aside)
    }

    /// One round of the level that ends before this state: its states are expanded, or as many as can be now, and what the others have sent is entered.
    fn expand_level(&mut self, end: usize) -> Result<(), ClusterFailure> {
        let shared = self.shared;
        shared.expands.store(true, Ordering::Relaxed);
        self.exchanges = true;
        let mut left = Vec::new();
        loop {
            left = self.round(&left)?;
            // Nobody has taken what lies behind `end`.
            let next = shared.level.next.load(Ordering::Relaxed).min(end);
            shared.level.next.store(next, Ordering::Relaxed);
            let is_done = left.is_empty() && (next == end || !shared.expands.load(Ordering::Relaxed));
            if is_done || self.own.stopped.is_some() {
                break;
            }
        }
        shared.expands.store(false, Ordering::Relaxed);
        self.finish_round()
    }

    /// Sends all that waits, and enters what arrives, until nothing more does.
    fn finish_round(&mut self) -> Result<(), ClusterFailure> {
        self.seal_together();
        for outbox in &self.shared.outboxes {
            let mut outbox = lock(outbox);
            self.own.rows_sent += std::mem::take(&mut outbox.sent);
            outbox.misfits = 0;
        }
        if self.shared.processes == 1 {
            return Ok(());
        }
        for (process, bytes) in lock(&self.shared.sealed).drain(..) {
            self.rounds.send(process, bytes);
        }
        self.rounds.close();
        loop {
            let is_over = self.rounds.is_over();
            let take = &mut |_, bytes| {
                lock(&self.shared.arrived).push_back(Arrival::Message(bytes));
                Ok(())
            };
            if is_over {
                self.rounds.drain(take)?
            } else {
                self.rounds.wait(take)?
            }
            self.enter_arrivals()?;
            if is_over {
                break;
            }
        }
        self.rounds.begin_next();
        self.exchanges = false;
        Ok(())
    }

    /// Seals what waits in the outboxes of all threads, in few messages.
    fn seal_together(&mut self) {
        let mut all: Vec<_> = self.shared.outboxes.iter().map(lock).collect();
        if let Some((first, others)) = all.split_first_mut() {
            others.iter_mut().for_each(|other| first.take_keys_of(other));
        }
        for outbox in &mut all {
            outbox.seal_all();
            lock(&self.shared.sealed).append(&mut outbox.sealed);
        }
    }

    /// Enters what has arrived.
    fn enter_arrivals(&mut self) -> Result<(), ClusterFailure> {
        while self.own.stopped.is_none() && !lock(&self.shared.arrived).is_empty() {
            self.round(&[])?;
        }
        // Whoever has stopped takes no more.
        lock(&self.shared.arrived).clear();
        Ok(())
    }

    /// Lets the store grow if it must, and runs the threads until there is nothing to do or somebody halts; states that are still to be expanded.
    fn round(&mut self, redo: &[u32]) -> Result<Vec<u32>, ClusterFailure> {
        if self.shared.store().wants_to_grow() {
            self.grow();
        }
        if self.own.stopped.is_some() {
            return Ok(Vec::new());
        }
        let (shared, rounds, progress) = (self.shared, &mut *self.rounds, &mut *self.progress);
        shared.level.halt.store(false, Ordering::Relaxed);
        let (exchanges, known) = (self.exchanges, self.own.told.states);
        let mut exchange = |store: &StateStore| match shared.processes {
            1 => tell(shared, progress, (store, known)),
            _ if exchanges => exchange(shared, rounds),
            _ => {}
        };
        if self.threads > 1 && is_worth_threads(shared) {
            let worker = &mut self.worker;
            let well = shared.pool.lead(self.threads - 1, || shared.work(worker, 0, redo, &mut exchange));
            if !well {
                // A helper panicked; so does the scope that it belongs to, once this thread has ended.
                self.own.stopped = Some(Stopped(StopReason::Interrupted));
                shared.fail(ClusterFailure::Unable { cause: "one of its threads has failed".to_owned() });
            }
        } else {
            shared.work(&mut self.worker, 0, redo, &mut exchange);
        }
        if let Some(failure) = lock(&shared.failure).take() {
            return Err(failure);
        }
        Ok(self.take_shares())
    }

    /// Adds up what the threads have seen; states that are still to be expanded.
    fn take_shares(&mut self) -> Vec<u32> {
        let mut shares = std::mem::take(&mut *lock(&self.shared.shares));
        shares.push(std::mem::take(&mut self.worker.share));
        let mut left = Vec::new();
        for share in shares {
            self.own.summary.absorb(share.summary);
            self.own.errors += share.errors;
            left.extend(share.left);
            self.own.stopped = self.own.stopped.or(share.stopped);
        }
        left
    }

    /// Lets the store grow; where there is no room, the search is stopped.
    fn grow(&mut self) {
        let mut store = self.shared.store.write().unwrap_or_else(PoisonError::into_inner);
        if let Err(stopped) = store.may_grow(self.own.question.options.budget) {
            self.own.stopped = Some(stopped);
            return;
        }
        if store.wants_samples() {
            let rows = self.worker.walk(&store);
            store.sample(&rows);
        }
        store.grow_with(self.threads);
    }

    /// Enters rows that were kept aside, now that they have keys or rows need none.
    pub fn enter_aside(&mut self, rows: RowList) -> Result<(), ClusterFailure> {
        if !rows.is_empty() {
            lock(&self.shared.arrived).push_back(Arrival::Kept(rows, 0));
        }
        self.enter_arrivals()
    }
}

/// Whether there is enough to do for several threads. The first state of all is entered by one.
fn is_worth_threads(shared: &SharedPart<'_>) -> bool {
    let level = &shared.level;
    let rest = level.end.load(Ordering::Relaxed).saturating_sub(level.next.load(Ordering::Relaxed));
    let expands = shared.expands.load(Ordering::Relaxed) && rest >= WORTH_THREADS;
    (expands || lock(&shared.arrived).len() > 1) && !shared.store().is_empty()
}

/// Says how far a process that is alone has come.
fn tell(shared: &SharedPart<'_>, progress: &mut dyn FnMut(Progress), (store, known): (&StateStore, usize)) {
    let (states, level) = (store.len(), &shared.level);
    let (depth, next) = (level.depth.load(Ordering::Relaxed), level.next.load(Ordering::Relaxed));
    let queue = states.saturating_sub(next);
    progress(Progress { states: states.max(known), queue, depth, bytes: store.bytes() });
}

/// Sends what is sealed and takes in what has arrived.
fn exchange(shared: &SharedPart<'_>, rounds: &mut Rounds<'_>) {
    let sealed = std::mem::take(&mut *lock(&shared.sealed));
    for (process, bytes) in sealed {
        rounds.send(process, bytes);
    }
    let take = &mut |_, bytes| {
        lock(&shared.arrived).push_back(Arrival::Message(bytes));
        Ok(())
    };
    if let Err(failure) = rounds.poll(take) {
        shared.fail(failure);
    }
}
