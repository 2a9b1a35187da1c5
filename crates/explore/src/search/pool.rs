//! Threads that outlive the levels of a search.
//!
//! A round is one call of everybody's work; between rounds the store belongs to the thread that leads. Starting a round
//! wakes the others, which costs some microseconds, so small levels are done by the leader alone. Where every thread has a processor of its
//! own, threads look for a while whether the next round begins before they fall asleep: waking sixteen threads one by one took
//! longer than many a level.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

/// So often a thread looks before it sleeps, some ten microseconds in all.
const LOOKS: usize = 1 << 9;

/// Where the rounds stand.
#[derive(Debug, Default)]
struct Round {
    /// How many have begun.
    number: usize,
    /// How many helpers are still at work.
    working: usize,
    /// There will be no more, or a helper has failed.
    over: bool,
}

/// Lets one thread lead and the others follow.
#[derive(Debug, Default)]
pub struct Pool {
    /// How often a thread looks before it sleeps.
    looks: usize,
    /// As in `round`, to look at without waiting for anybody.
    begun: AtomicUsize,
    at_work: AtomicUsize,
    round: Mutex<Round>,
    begins: Condvar,
    ends: Condvar,
}

/// Ends a helper's work in a round, also if it panics.
struct AtWork<'p>(&'p Pool);

impl Drop for AtWork<'_> {
    fn drop(&mut self) {
        let mut round = self.0.lock();
        round.working -= 1;
        self.0.at_work.store(round.working, Ordering::Release);
        round.over |= std::thread::panicking();
        self.0.ends.notify_one();
    }
}

/// Tells the helpers that there are no more rounds, also if the leader panics.
pub struct Leading<'p>(pub &'p Pool);

impl Drop for Leading<'_> {
    fn drop(&mut self) {
        self.0.lock().over = true;
        self.0.begun.store(usize::MAX, Ordering::Release);
        self.0.begins.notify_all();
    }
}

impl Pool {
    /// For so many threads together.
    pub fn of(threads: usize) -> Self {
        let processors = std::thread::available_parallelism().map_or(1, usize::from);
        Self { looks: if threads <= processors { LOOKS } else { 0 }, ..Self::default() }
    }

    /// Waits until something is so, or long enough.
    fn look_for(&self, is_so: impl Fn() -> bool) {
        for _ in 0..self.looks {
            if is_so() {
                return;
            }
            std::hint::spin_loop();
        }
    }

    fn lock(&self) -> MutexGuard<'_, Round> {
        self.round.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// What a helper does until there are no more rounds.
    pub fn follow(&self, mut work: impl FnMut()) {
        let mut seen = 0;
        loop {
            self.look_for(|| self.begun.load(Ordering::Acquire) != seen);
            let mut round = self.lock();
            while round.number == seen && !round.over {
                round = self.begins.wait(round).unwrap_or_else(PoisonError::into_inner);
            }
            if round.over {
                return;
            }
            seen = round.number;
            drop(round);
            let _at_work = AtWork(self);
            work();
        }
    }

    /// One round with this many helpers; says whether all of them came through.
    pub fn lead(&self, helpers: usize, work: impl FnOnce()) -> bool {
        let mut round = self.lock();
        round.number += 1;
        round.working = helpers;
        self.at_work.store(helpers, Ordering::Release);
        self.begun.store(round.number, Ordering::Release);
        drop(round);
        self.begins.notify_all();
        work();
        self.look_for(|| self.at_work.load(Ordering::Acquire) == 0);
        let mut round = self.lock();
        while round.working > 0 {
            round = self.ends.wait(round).unwrap_or_else(PoisonError::into_inner);
        }
        !round.over
    }
}
