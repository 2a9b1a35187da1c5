//! Threads that outlive the levels of a search.
//!
//! A round is one call of everybody's work; between rounds the store belongs to the thread that leads. Starting a round
//! wakes the others, which costs some microseconds, so small levels are done by the leader alone.

use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

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
pub(super) struct Pool {
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
        round.over |= std::thread::panicking();
        self.0.ends.notify_one();
    }
}

/// Tells the helpers that there are no more rounds, also if the leader panics.
pub(super) struct Leading<'p>(pub &'p Pool);

impl Drop for Leading<'_> {
    fn drop(&mut self) {
        self.0.lock().over = true;
        self.0.begins.notify_all();
    }
}

impl Pool {
    fn lock(&self) -> MutexGuard<'_, Round> {
        self.round.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// What a helper does until there are no more rounds.
    pub fn follow(&self, mut work: impl FnMut()) {
        let mut seen = 0;
        loop {
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
        drop(round);
        self.begins.notify_all();
        work();
        let mut round = self.lock();
        while round.working > 0 {
            round = self.ends.wait(round).unwrap_or_else(PoisonError::into_inner);
        }
        !round.over
    }
}
