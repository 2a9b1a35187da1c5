//! The limits of a computation: time, memory, and the user's patience.
//!
//! Every long loop takes a [`Budget`] and calls [`Budget::tick`] now and then; what it gets back is
//! `Err(Stopped)` once a limit is reached, and it returns with what it has. A budget kills nothing; whoever does not look at it in
//! time is ended by the application's watchdog.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};

use crate::memory;

/// Which limit was reached.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum StopReason {
    /// The time given is used up.
    Time,
    /// The memory given is used up, or what comes next would not fit.
    Memory,
    /// The user asked to stop.
    Interrupted,
    /// A limit on the number of states, steps or rounds.
    Count,
}

impl StopReason {
    /// The word for it in reports.
    #[must_use]
    pub const fn word(self) -> &'static str {
        match self {
            Self::Time => "timeout",
            Self::Memory => "memory",
            Self::Interrupted => "interrupted",
            Self::Count => "limit",
        }
    }
}

/// A computation ended early: a fact about the run, silent about the model.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Stopped(pub StopReason);

impl std::fmt::Display for Stopped {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self.0 {
            StopReason::Time => "the time limit was reached",
            StopReason::Memory => "the memory limit was reached",
            StopReason::Interrupted => "interrupted",
            StopReason::Count => "the limit on its size was reached",
        })
    }
}

impl std::error::Error for Stopped {}

/// So many calls of [`Budget::tick`] pass before one looks.
const TICKS: u32 = 4096;

/// Limits shared by everything that one run does. Cloning shares the cancel flag and the counts of work and effort.
#[derive(Clone, Debug)]
pub struct Budget {
    start: Instant,
    time: Option<Duration>,
    effort: Option<u64>,
    memory: Option<usize>,
    /// The limit that holds if none was asked for.
    guard: Option<usize>,
    cancel: Arc<AtomicBool>,
    work: Arc<AtomicU64>,
    looks: Arc<AtomicU64>,
}

impl Default for Budget {
    fn default() -> Self {
        Self::unlimited()
    }
}

impl Budget {
    /// No limit but the user's cancel.
    #[must_use]
    pub fn unlimited() -> Self {
        Self {
            start: Instant::now(),
            time: None,
            effort: None,
            memory: None,
            guard: None,
            cancel: Arc::default(),
            work: Arc::default(),
            looks: Arc::default(),
        }
    }

    /// The same with a limit on time, counted from the budget's creation.
    #[must_use]
    pub fn with_time(mut self, limit: Option<Duration>) -> Self {
        self.time = limit;
        self
    }

    /// The same with a limit on time that is counted in looks at the budget ([`Budget::effort`]) instead of seconds, from the
    /// budget's creation: what one thread does within it is the same on every machine. It ends as a limit on time does.
    #[must_use]
    pub fn with_effort(mut self, limit: Option<u64>) -> Self {
        self.effort = limit;
        self
    }

    /// The same with a limit on memory, in bytes.
    #[must_use]
    pub fn with_memory(mut self, limit: Option<usize>) -> Self {
        self.memory = limit;
        self
    }

    /// The same with a limit on memory that nobody asked for: it stops the work, but is nothing to make use of.
    #[must_use]
    pub fn with_guard(mut self, limit: Option<usize>) -> Self {
        self.guard = limit;
        self
    }

    /// The same, stopped when `flag` becomes true (set by the Ctrl-C handler).
    #[must_use]
    pub fn with_cancel(mut self, flag: Arc<AtomicBool>) -> Self {
        self.cancel = flag;
        self
    }

    /// The same with half of the time that is left, if time is limited: for what is tried before something else.
    #[must_use]
    pub fn halved(&self) -> Self {
        let (spent, looks) = (self.elapsed(), self.effort());
        let time = self.time.map(|limit| spent + limit.saturating_sub(spent) / 2);
        let effort = self.effort.map(|limit| looks + limit.saturating_sub(looks) / 2);
        self.clone().with_time(time).with_effort(effort)
    }

    /// Time since the budget was made.
    #[must_use]
    pub fn elapsed(&self) -> Duration {
        self.start.elapsed()
    }

    /// The memory limit in bytes, if there is one.
    #[must_use]
    pub fn memory_limit(&self) -> Option<usize> {
        self.memory
    }

    /// The time that is left, if there is a limit.
    #[must_use]
    pub fn time_left(&self) -> Option<Duration> {
        self.time.map(|limit| limit.saturating_sub(self.elapsed()))
    }

    /// The time limit, if there is one, counted from the budget's creation.
    #[must_use]
    pub fn time_limit(&self) -> Option<Duration> {
        self.time
    }

    /// The bytes that are left, if there is a limit, asked for or not.
    #[must_use]
    pub fn memory_left(&self) -> Option<usize> {
        let limit = [self.memory, self.guard].into_iter().flatten().min()?;
        Some(limit.saturating_sub(memory::in_use()))
    }

    /// Whether any limit is reached. Costs a clock reading: in tight loops use [`Budget::tick`].
    ///
    /// # Errors
    /// `Stopped` with the limit that was reached.
    pub fn check(&self) -> Result<(), Stopped> {
        self.looks.fetch_add(1, Ordering::Relaxed);
        self.glance()
    }

    /// As [`Budget::check`], but not counted as effort: for whoever looks again and again by the clock.
    ///
    /// # Errors
    /// `Stopped` with the limit that was reached.
    pub fn glance(&self) -> Result<(), Stopped> {
        if self.cancel.load(Ordering::Relaxed) {
            return Err(Stopped(StopReason::Interrupted));
        }
        let is_late = self.time.is_some_and(|limit| self.start.elapsed() >= limit);
        if is_late || self.effort.is_some_and(|limit| self.effort() > limit) {
            return Err(Stopped(StopReason::Time));
        }
        if memory::is_pressed() {
            return Err(Stopped(StopReason::Memory));
        }
        self.reserve(0)
    }

    /// As [`Budget::check`], but looks only at every 4096th call with the same counter.
    ///
    /// # Errors
    /// `Stopped` with the limit that was reached.
    #[inline]
    pub fn tick(&self, counter: &mut u32) -> Result<(), Stopped> {
        *counter = counter.wrapping_add(1);
        if *counter & (TICKS - 1) == 0 { self.look() } else { Ok(()) }
    }

    fn look(&self) -> Result<(), Stopped> {
        self.work.fetch_add(u64::from(TICKS), Ordering::Relaxed);
        self.check()
    }

    /// How many ticks there were, in all loops together and to within a few thousand: what whoever watches can show.
    #[must_use]
    pub fn work(&self) -> u64 {
        self.work.load(Ordering::Relaxed)
    }

    /// How often [`Budget::check`] has looked, in all loops together: once for every question to a solver or operation on sets, and
    /// once for some thousands of the small steps that [`Budget::tick`] counts. A measure of what was done that no clock is
    /// needed for.
    #[must_use]
    pub fn effort(&self) -> u64 {
        self.looks.load(Ordering::Relaxed)
    }

    /// Whether `bytes` more would still fit. Call it before a large allocation.
    ///
    /// # Errors
    /// `Stopped(Memory)` if they would not.
    pub fn reserve(&self, bytes: usize) -> Result<(), Stopped> {
        match self.memory_left() {
            Some(0) => Err(Stopped(StopReason::Memory)),
            Some(left) if left < bytes => Err(Stopped(StopReason::Memory)),
            _ => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ticks_are_counted_as_work() {
        let budget = Budget::unlimited();
        let mut ticks = 0;
        for _ in 0..3 * TICKS {
            budget.clone().tick(&mut ticks).unwrap();
        }
        assert_eq!(budget.work(), u64::from(3 * TICKS));
    }

    #[test]
    fn effort_is_counted_in_looks_and_ends_as_time_does() {
        let budget = Budget::unlimited().with_effort(Some(3));
        let mut ticks = 0;
        for _ in 0..2 * TICKS {
            budget.tick(&mut ticks).unwrap();
        }
        assert_eq!((budget.effort(), budget.glance(), budget.check()), (2, Ok(()), Ok(())));
        assert_eq!(budget.check(), Err(Stopped(StopReason::Time)));
        assert_eq!(budget.glance(), Err(Stopped(StopReason::Time)));
        assert_eq!((budget.effort(), budget.with_effort(Some(10)).halved().effort), (4, Some(7)));
    }

    #[test]
    fn half_of_the_time_is_half_of_what_is_left() {
        let hour = Duration::from_secs(3600);
        let half = Budget::unlimited().with_time(Some(hour)).halved().time.unwrap();
        assert!(half >= hour / 2 && half < hour * 3 / 4, "{half:?}");
        assert_eq!(Budget::unlimited().halved().time, None);
        assert!(Budget::unlimited().with_time(Some(Duration::ZERO)).halved().check().is_err());
    }

    #[test]
    fn a_spent_budget_says_why() {
        let none = Budget::unlimited().with_time(Some(Duration::ZERO));
        assert_eq!(none.check(), Err(Stopped(StopReason::Time)));
        let small = Budget::unlimited().with_memory(Some(1000));
        assert_eq!(small.reserve(2000), Err(Stopped(StopReason::Memory)));
        let guarded = Budget::unlimited().with_guard(Some(1000));
        assert_eq!(guarded.reserve(2000), Err(Stopped(StopReason::Memory)));
        assert_eq!((guarded.memory_limit(), guarded.reserve(10)), (None, Ok(())));
        let flag = Arc::new(AtomicBool::new(true));
        let cancelled = Budget::unlimited().with_cancel(flag);
        assert_eq!(cancelled.check(), Err(Stopped(StopReason::Interrupted)));
        assert_eq!(Budget::unlimited().check(), Ok(()));
    }
}
