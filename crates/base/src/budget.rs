//! The limits of a computation: time, memory, and the user's patience.
//!
//! Every long loop takes a [`Budget`] and calls [`Budget::tick`] now and then; what it gets back is
//! `Err(Stopped)` once a limit is reached, and it returns with what it has. A budget kills nothing; whoever does not look at it in
//! time is ended by the application's watchdog.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};

use crate::memory;
use crate::scheduler::Client;

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
    /// Whoever has to wait for its turn.
    client: Option<Arc<Client>>,
    /// Where one piece of the work ends, by what its client has had.
    quota: Option<u64>,
    /// Whether nobody wants to know any more.
    dismissed: Option<Arc<AtomicBool>>,
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
            client: None,
            quota: None,
            dismissed: None,
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

    /// The same with at most so many further looks ([`Budget::effort`]): for what is tried besides.
    #[must_use]
    pub fn with_further_effort(&self, looks: u64) -> Self {
        let limit = self.effort().saturating_add(looks);
        self.clone().with_effort(Some(self.effort.map_or(limit, |own| own.min(limit))))
    }

    /// The same with at most so much further time: for what others wait for.
    #[must_use]
    pub fn with_further_time(&self, most: Duration) -> Self {
        let limit = self.elapsed().saturating_add(most);
        self.clone().with_time(Some(self.time.map_or(limit, |own| own.min(limit))))
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

    /// The same for one of several that take turns: a look may wait.
    #[must_use]
    pub fn taking_turns(mut self, client: &Arc<Client>) -> Self {
        self.client = Some(Arc::clone(client));
        self
    }

    /// The same, for one that takes turns, with a limit on one piece of the work: so many microseconds of its own, from now. It ends as a limit on
    /// time does, and [`Budget::is_over_quota`] tells the difference.
    #[must_use]
    pub fn with_quota(mut self, most: Option<u64>) -> Self {
        let had = self.client.as_ref().map(|client| client.had());
        self.quota = most.zip(had).map(|(most, had)| had.saturating_add(most));
        self
    }

    /// The same, stopped when nobody wants to know any more, as if the user had.
    #[must_use]
    pub fn dismissed_by(mut self, flag: &Arc<AtomicBool>) -> Self {
        self.dismissed = Some(Arc::clone(flag));
        self
    }

    /// The same for the work of another budget: it takes the same turns, and is dismissed with it.
    #[must_use]
    pub fn in_place_of(mut self, other: &Self) -> Self {
        self.client.clone_from(&other.client);
        self.dismissed.clone_from(&other.dismissed);
        self
    }

    /// Where turns are taken, the others get so many microseconds before work within this budget goes on.
    pub fn lets_others_first(&self, microseconds: u64) {
        if let Some(client) = &self.client {
            client.lets_others_first(microseconds);
        }
    }

    /// Whether the limit on this piece of the work was reached.
    #[must_use]
    pub fn is_over_quota(&self) -> bool {
        self.quota.zip(self.client.as_ref()).is_some_and(|(quota, client)| client.had() > quota)
    }

    /// Whether nobody wants to know any more.
    #[must_use]
    pub fn is_dismissed(&self) -> bool {
        self.dismissed.as_ref().is_some_and(|flag| flag.load(Ordering::Relaxed))
    }

    /// The same with half of the time that is left, if time is limited: for what is tried before something else.
    #[must_use]
    pub fn halved(&self) -> Self {
        let (spent, looks) = (self.elapsed(), self.effort());
        let time = self.time.map(|limit| spent + limit.saturating_sub(spent) / 2);
        let effort = self.effort.map(|limit| looks + limit.saturating_sub(looks) / 2);
        self.clone().with_time(time).with_effort(effort)
    }

    /// The same limits with a count of effort of its own, which may reach `most`: for what is done beside the main work, and must not take more.
    #[must_use]
    pub fn apart(&self, most: u64) -> Self {
        let left = self.effort.map(|limit| limit.saturating_sub(self.effort()));
        Self { effort: Some(left.map_or(most, |left| left.min(most))), looks: Arc::default(), ..self.clone() }
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
        if let Some(client) = &self.client {
            client.looked();
        }
        self.glance()
    }

    /// As [`Budget::check`], but not counted as effort: for whoever looks again and again by the clock.
    ///
    /// # Errors
    /// `Stopped` with the limit that was reached.
    pub fn glance(&self) -> Result<(), Stopped> {
        if self.cancel.load(Ordering::Relaxed) || self.is_dismissed() {
            return Err(Stopped(StopReason::Interrupted));
        }
        let is_late = self.time.is_some_and(|limit| self.start.elapsed() >= limit);
        if is_late || self.effort.is_some_and(|limit| self.effort() > limit) || self.is_over_quota() {
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
    use crate::scheduler::{Measure, Scheduler};

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
    fn what_is_done_apart_has_its_own_count() {
        let budget = Budget::unlimited().with_effort(Some(5));
        assert_eq!((budget.check(), budget.check()), (Ok(()), Ok(())));
        let (small, large) = (budget.apart(1), budget.apart(100));
        assert_eq!((small.effort, large.effort, small.effort()), (Some(1), Some(3), 0));
        assert_eq!((small.check(), small.check()), (Ok(()), Err(Stopped(StopReason::Time))));
        assert_eq!((budget.effort(), Budget::unlimited().apart(7).effort), (2, Some(7)));
    }

    #[test]
    fn a_quota_is_for_one_piece_of_the_work() {
        let client = Arc::new(Scheduler::one_at_a_time(Measure::Looks)).client(1, 10);
        client.begin();
        let budget = Budget::unlimited().taking_turns(&client);
        let piece = budget.clone().with_quota(Some(20));
        assert_eq!((piece.check(), piece.clone().check(), piece.is_over_quota()), (Ok(()), Ok(()), false));
        assert_eq!(piece.check(), Err(Stopped(StopReason::Time)));
        assert!(piece.is_over_quota() && !budget.is_over_quota());
        assert_eq!((budget.check(), budget.effort()), (Ok(()), 4));
        assert_eq!(piece.with_quota(None).check(), Ok(()));
    }

    #[test]
    fn what_nobody_wants_to_know_ends() {
        let flag = Arc::new(AtomicBool::new(false));
        let piece = Budget::unlimited().dismissed_by(&flag);
        assert_eq!(piece.check(), Ok(()));
        flag.store(true, Ordering::Relaxed);
        assert_eq!((piece.check(), piece.is_dismissed()), (Err(Stopped(StopReason::Interrupted)), true));
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
    fn further_time_ends_with_the_time_that_there_is() {
        let hour = Duration::from_secs(3600);
        let budget = Budget::unlimited().with_time(Some(hour));
        assert!(budget.with_further_time(Duration::ZERO).check().is_err());
        assert_eq!(budget.with_further_time(hour * 2).time, Some(hour));
        assert_eq!(budget.check(), Ok(()));
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
