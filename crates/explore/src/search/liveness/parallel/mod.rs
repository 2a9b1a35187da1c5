//! Is there an infinite run that a monitor accepts? The same question by several threads of one machine.
//!
//! Every thread searches depth first, in an order of its own, and what they share are the states and the sets of states that are known to lie in one strongly
//! connected component ([`union_find`]): a set that one of them merges is merged for all, and a component that is done is done for all
//! (UFSCC: Bloemen, Laarman and van de Pol 2016; with generalised acceptance: Bloemen, Duret-Lutz and van de Pol 2017). A set whose inner steps carry every mark ends the
//! search, before its component is complete. Weak fairness is one more mark for each process. Strong fairness is looked at by whoever completes a component ([`fair`]).
//!
//! Where no scheduler is fair, private steps alone are enough at a state if about none of their targets it was decided before which of its steps are followed. That is
//! decided once for each state, so on a cycle of such states each would have been decided after the one before it; so every cycle has a state
//! with all its steps, whatever the threads do.
//!
//! Between rounds the store belongs to one thread, which lets it grow. Nested depth-first searches (CNDFS: Evangelista, Laarman, Petrucci and van de Pol 2012) need
//! less memory, but know one mark only, and would multiply the states by the number of fair processes.
//!
//! Which run is found depends on who is faster; whether there is one does not.

mod fair;
mod union_find;
mod worker;

use std::collections::BTreeSet;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError, RwLock};
use std::time::Duration;

use tertium_base::{Budget, StopReason, Stopped};
use tertium_program::Fault;

use self::union_find::{BYTES_PER_STATE, SharedComponents};
use self::worker::{Searcher, SharedProduct};
use super::product_rows::ProductRows;
use super::{Lasso, LivenessOutcome, Monitor, Scheduling, accepted_run, lasso, product};
use crate::search::Progress;
use crate::search::pool::{Leading, Pool};
use crate::store::StateStore;
use crate::successors::RowSuccessors;

/// More threads are not used: each has a bit of its own in every set.
const MOST_THREADS: usize = 64;

/// Sets of states have room for so many at first.
const FIRST_ROOM: usize = 1 << 12;

/// Where a run can stay.
enum Found {
    /// In the set of this state.
    SetOf(u32),
    /// In these states.
    States(Vec<u32>),
}

/// What the threads tell each other.
struct Meeting<'s> {
    budget: &'s Budget,
    /// The initial states.
    starts: &'s [u32],
    /// Whether private steps may stand for all.
    reduces: bool,
    /// Whether the scheduler is strongly fair to somebody.
    is_strong: bool,
    /// Set when the store must grow, a run was found or a limit is reached: everyone stops where it is.
    halt: AtomicBool,
    found: Mutex<Option<Found>>,
    stopped: Mutex<Option<Stopped>>,
    /// How many threads have not come to their end.
    searching: AtomicUsize,
    /// What the others have counted.
    shares: Mutex<(usize, BTreeSet<Fault>)>,
}

fn put<T>(place: &Mutex<Option<T>>, value: T) {
    place.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert(value);
}

fn take<T>(place: &Mutex<Option<T>>) -> Option<T> {
    place.lock().unwrap_or_else(PoisonError::into_inner).take()
}

/// A helper's part of a round; it ends also if the helper panics, and then ends the round.
struct PartOfRound<'m, 's>(&'m Meeting<'s>);

impl Drop for PartOfRound<'_, '_> {
    fn drop(&mut self) {
        if std::thread::panicking() {
            self.0.halt.store(true, Ordering::Relaxed);
        }
        self.0.searching.fetch_sub(1, Ordering::Release);
    }
}

impl Meeting<'_> {
    fn found(&self, found: Found) {
        put(&self.found, found);
        self.halt.store(true, Ordering::Relaxed);
    }

    fn stop(&self, stopped: Stopped) {
        put(&self.stopped, stopped);
        self.halt.store(true, Ordering::Relaxed);
    }

    fn add<S: RowSuccessors, M: Monitor>(&self, searcher: &mut Searcher<'_, S, M>) {
        let mut shares = self.shares.lock().unwrap_or_else(PoisonError::into_inner);
        shares.0 += std::mem::take(&mut searcher.transitions);
        shares.1.append(&mut searcher.faults);
    }
}

/// Looks for an accepted fair run with several threads; with one where what a run must do again and again is more than 64 conditions.
///
/// # Errors
/// If the budget is spent first.
pub fn accepted_run_together<S: RowSuccessors, M: Monitor>(
    successors: &S,
    monitor: &M,
    scheduling: &Scheduling,
    initial: &[Vec<u32>],
    (threads, budget): (usize, &Budget),
    progress: &mut dyn FnMut(Progress),
) -> Result<LivenessOutcome, Stopped> {
    let rows = ProductRows::new(successors, monitor, scheduling).filter(|_| threads > 1);
    let Some(rows) = rows else {
        return accepted_run(successors, monitor, scheduling, initial, budget, progress);
    };
    let mut shared = SharedProduct { store: StateStore::new(rows.words()), components: SharedComponents::default() };
    let starts = number_initial(&mut shared, &rows.initial(initial), budget)?;
    let meeting = Meeting {
        budget,
        starts: &starts,
        reduces: *scheduling == Scheduling::default(),
        is_strong: !scheduling.strong.is_empty(),
        halt: AtomicBool::new(false),
        found: Mutex::new(None),
        stopped: Mutex::new(None),
        searching: AtomicUsize::new(0),
        shares: Mutex::default(),
    };
    let (found, shared) = search(&rows, &meeting, shared, threads.min(MOST_THREADS), progress)?;
    let (transitions, faults) = meeting.shares.into_inner().unwrap_or_else(PoisonError::into_inner);
    let states = shared.store.len();
    let component = found.map(|found| match found {
        Found::SetOf(state) => shared.components.set_of(state, states),
        Found::States(part) => part,
    });
    let lasso = match component {
        None => None,
        Some(component) => {
            let mut product = product::Product::over(shared.store, successors, monitor, scheduling, budget);
            let (stem, cycle) = lasso::lasso(&mut product, &starts, &component)?;
            let mut rows = |numbers: &[u32]| numbers.iter().map(|&number| product.program_row(number)).collect();
            Some(Lasso { stem: rows(&stem), cycle: rows(&cycle) })
        }
    };
    Ok(LivenessOutcome { lasso, states, transitions, faults: faults.into_iter().collect() })
}

fn number_initial(shared: &mut SharedProduct, rows: &[Vec<u32>], budget: &Budget) -> Result<Vec<u32>, Stopped> {
    let mut branches = shared.store.branches();
    let mut starts = Vec::new();
    for row in rows {
        let number = loop {
            match shared.store.insert_afresh(row, &mut branches) {
                Ok((number, _)) => break number,
                Err(_) => grow(shared, 1, budget)?,
            }
        };
        starts.push(number);
    }
    grow(shared, 1, budget)?;
    Ok(starts)
}

/// Makes room where it is short.
fn grow(shared: &mut SharedProduct, threads: usize, budget: &Budget) -> Result<(), Stopped> {
    if shared.store.wants_to_grow() {
        shared.store.may_grow(budget)?;
        shared.store.grow_with(threads);
    }
    let (states, room) = (shared.store.len(), shared.components.room());
    if states >= room / 8 * 7 {
        let wanted = (states / 2 * 3).max(FIRST_ROOM);
        budget.reserve(wanted * BYTES_PER_STATE)?;
        shared.components.grow(wanted);
    }
    Ok(())
}

/// Searches round by round, until a run is found or there is none.
fn search<S: RowSuccessors, M: Monitor>(
    rows: &ProductRows<'_, S, M>,
    meeting: &Meeting<'_>,
    shared: SharedProduct,
    threads: usize,
    progress: &mut dyn FnMut(Progress),
) -> Result<(Option<Found>, SharedProduct), Stopped> {
    let (pool, shared) = (Pool::of(threads), RwLock::new(shared));
    let read = || shared.read().unwrap_or_else(PoisonError::into_inner);
    let found = std::thread::scope(|scope| {
        // However this ends, the helpers are told.
        let _leading = Leading(&pool);
        let help = |number: usize| {
            let mut searcher = Searcher::new(rows, meeting, number, &read().store);
            let mut is_done = false;
            pool.follow(|| {
                let _part = PartOfRound(meeting);
                is_done = is_done || searcher.run(&read(), None);
                meeting.add(&mut searcher);
            });
        };
        let helper = |number| std::thread::Builder::new().spawn_scoped(scope, move || help(number));
        // Where the system gives no more threads, those that there are do the work.
        let helpers = (1..threads).take_while(|&number| helper(number).is_ok()).count();
        let mut searcher = Searcher::new(rows, meeting, 0, &read().store);
        let mut is_done = false;
        loop {
            meeting.halt.store(false, Ordering::Relaxed);
            meeting.searching.store(helpers, Ordering::Release);
            let well = pool.lead(helpers, || {
                is_done = is_done || searcher.run(&read(), Some(&mut *progress));
                meeting.add(&mut searcher);
                wait_for_others(meeting, &read(), progress);
            });
            if let Some(found) = take(&meeting.found) {
                return Ok(Some(found));
            }
            if let Some(stopped) = take(&meeting.stopped) {
                return Err(stopped);
            }
            if !well {
                // A helper panicked; so does the scope that it belongs to, once this thread has ended.
                return Err(Stopped(StopReason::Interrupted));
            }
            if is_done && !meeting.halt.load(Ordering::Relaxed) {
                return Ok(None);
            }
            grow(&mut shared.write().unwrap_or_else(PoisonError::into_inner), 1 + helpers, meeting.budget)?;
        }
    })?;
    Ok((found, shared.into_inner().unwrap_or_else(PoisonError::into_inner)))
}

/// Between two looks at what the others do.
const WAIT: Duration = Duration::from_millis(1);

/// Looks at the limits while others go on.
fn wait_for_others(meeting: &Meeting<'_>, shared: &SharedProduct, progress: &mut dyn FnMut(Progress)) {
    while meeting.searching.load(Ordering::Acquire) > 0 && !meeting.halt.load(Ordering::Relaxed) {
        if let Err(stopped) = meeting.budget.check() {
            meeting.stop(stopped);
            return;
        }
        progress(Progress { states: shared.store.len(), queue: 0, depth: 0, bytes: shared.store.bytes() });
        std::thread::sleep(WAIT);
    }
}
