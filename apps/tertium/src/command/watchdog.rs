//! Who ends a run that does not end by itself?
//!
//! Whatever takes long looks at its budget and returns with what it has. Where something does not look in time (a library, a step of its
//! own that explodes, memory that nobody counts), a thread ends the run: it writes a report with what is known ([`last_words`]) and ends
//! the process. It also measures the memory that the process really has, and tells all budgets when that is too much.
//!
//! Whoever writes holds the [`pen`]; once the watchdog writes, nobody else does.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, TryLockError};
use std::time::{Duration, Instant};

use tertium_base::{Budget, StopReason, Stopped, memory};

use crate::command::terminal::{self, Stream};
use crate::command::{exit, system};

/// How often it looks.
const BETWEEN_LOOKS: Duration = Duration::from_millis(5);

/// So much later than its limit a run may end by itself; and a twentieth of the limit.
const GRACE: Duration = Duration::from_millis(400);

/// So long a run has after the user asked it to stop.
const GRACE_OF_INTERRUPT: Duration = Duration::from_secs(3);

/// So many bytes more than its limit a run may have while it comes to its end; and a twentieth of the limit.
const SLACK: usize = 8 << 20;

/// Memory that was freed is given back at most this often.
const BETWEEN_TRIMS: Duration = Duration::from_millis(500);

/// Address space that is set aside for the last words.
const RESERVE: usize = 16 << 20;

/// So long the watchdog waits for a lock that may never be free again.
const LONGEST_WAIT: Duration = Duration::from_secs(2);

/// The share of the machine's memory that a run may have if the user says nothing, in percent.
const SHARE: usize = 80;

/// What is said at the end.
#[derive(Clone, Debug, Default)]
pub struct LastWords {
    /// For standard output.
    pub out: String,
    /// For standard error.
    pub err: String,
    /// The exit code.
    pub code: u8,
}

impl LastWords {
    /// Only why there is no result.
    pub fn of(stopped: Stopped) -> Self {
        let code = if stopped.0 == StopReason::Interrupted { exit::INTERRUPTED } else { exit::SOME_OPEN };
        Self { out: String::new(), err: format!("stopped: {stopped}\n"), code }
    }
}

type Speaker = Box<dyn FnMut(Stopped) -> LastWords + Send>;

/// Who knows what to say.
static SPEAKER: Mutex<Option<Speaker>> = Mutex::new(None);
type Closer = Box<dyn FnMut(LastWords) -> LastWords + Send>;

/// Who puts them into what they are part of.
static CLOSER: Mutex<Option<Closer>> = Mutex::new(None);
/// Held by whoever writes.
static PEN: Mutex<()> = Mutex::new(());
/// Whether the watchdog has begun to end the run.
static ENDING: AtomicBool = AtomicBool::new(false);
/// Whether the run has ended by itself.
static OVER: AtomicBool = AtomicBool::new(false);
/// Whether limits count no more.
static RESTING: AtomicBool = AtomicBool::new(false);

/// Says what is to be said if the run does not end by itself, from now on.
pub fn last_words(speaker: impl FnMut(Stopped) -> LastWords + Send + 'static) {
    *SPEAKER.lock().unwrap_or_else(PoisonError::into_inner) = Some(Box::new(speaker));
}

/// Says what becomes of the last words, from now on: they may be part of something larger.
pub fn closing(closer: impl FnMut(LastWords) -> LastWords + Send + 'static) {
    *CLOSER.lock().unwrap_or_else(PoisonError::into_inner) = Some(Box::new(closer));
}

/// The right to write. If the watchdog has it for good, this thread waits for the end.
pub fn pen() -> MutexGuard<'static, ()> {
    let pen = PEN.lock().unwrap_or_else(PoisonError::into_inner);
    if ENDING.load(Ordering::SeqCst) {
        drop(pen);
        wait_for_the_end();
    }
    pen
}

fn wait_for_the_end() -> ! {
    loop {
        std::thread::sleep(Duration::from_secs(1));
    }
}

/// The work is done and only the user ends what comes now.
pub fn rest() {
    RESTING.store(true, Ordering::SeqCst);
    memory::press(false);
}

/// The run ends by itself, unless the watchdog has begun to end it.
pub fn over() {
    let _pen = pen();
    OVER.store(true, Ordering::SeqCst);
}

/// More than this is not taken for the program itself.
const MOST_AT_START: usize = 64 << 20;

/// The memory that a run may have if the user says nothing.
#[must_use]
pub fn guard() -> Option<usize> {
    memory::of_machine().map(|bytes| bytes / 100 * SHARE)
}

/// Starts to watch over a run.
pub fn start(budget: &Budget, memory: Option<usize>, cancel: Arc<AtomicBool>) {
    let at_start = memory::of_process().unwrap_or(0).min(MOST_AT_START);
    let dog =
        Watchdog { budget: budget.clone(), memory, at_start, cancel, interrupted: None, trimmed: None, reserve: None };
    // Without it a run still ends by itself, only less surely.
    let _ = std::thread::Builder::new().name("watchdog".to_owned()).spawn(move || dog.watch());
}

struct Watchdog {
    budget: Budget,
    /// The limit on memory, asked for or not.
    memory: Option<usize>,
    /// What the process had before the run began: the program itself and its libraries.
    at_start: usize,
    cancel: Arc<AtomicBool>,
    /// When the user's wish was noticed.
    interrupted: Option<Instant>,
    trimmed: Option<Instant>,
    reserve: Option<Vec<u8>>,
}

impl Watchdog {
    fn watch(mut self) {
        memory::expect_watcher();
        self.reserve = Some(Vec::with_capacity(RESERVE));
        while !OVER.load(Ordering::SeqCst) {
            if let Some(reason) = self.look() {
                self.end(Stopped(reason));
            }
            std::thread::sleep(BETWEEN_LOOKS);
        }
    }

    /// Why the run has to end, if it has to.
    fn look(&mut self) -> Option<StopReason> {
        if memory::is_exhausted() {
            return Some(StopReason::Memory);
        }
        if self.cancel.load(Ordering::Relaxed) {
            let since = *self.interrupted.get_or_insert_with(Instant::now);
            return (since.elapsed() > GRACE_OF_INTERRUPT).then_some(StopReason::Interrupted);
        }
        if RESTING.load(Ordering::SeqCst) {
            return None;
        }
        let late = |limit: Duration| self.budget.elapsed() > limit + limit / 20 + GRACE;
        if self.budget.time_limit().is_some_and(late) {
            return Some(StopReason::Time);
        }
        self.weigh()
    }

    /// Whether the process has too much memory; if it has a little too much, the budgets are told.
    fn weigh(&mut self) -> Option<StopReason> {
        let limit = self.memory?;
        let used = memory::of_process()?.saturating_sub(self.at_start);
        memory::press(used > limit);
        if used <= limit {
            return None;
        }
        if memory::in_use() < used / 10 * 9 && self.trimmed.is_none_or(|last| last.elapsed() > BETWEEN_TRIMS) {
            system::trim();
            self.trimmed = Some(Instant::now());
            return None;
        }
        (used > limit + limit / 20 + SLACK).then_some(StopReason::Memory)
    }

    /// Writes what is known and ends the process.
    fn end(&mut self, stopped: Stopped) {
        let pen = take_pen();
        if OVER.load(Ordering::SeqCst) {
            return;
        }
        ENDING.store(true, Ordering::SeqCst);
        drop(self.reserve.take());
        tertium_driver::end_solvers();
        let mut words = speak(stopped).unwrap_or_else(|| LastWords::of(stopped));
        if let Ok(mut closer) = CLOSER.try_lock()
            && let Some(closer) = closer.as_mut()
        {
            words = closer(words);
        }
        terminal::write_last(Stream::Out, &words.out);
        terminal::write_last(Stream::Err, &words.err);
        drop(pen);
        system::end_at_once(words.code);
    }
}

/// The pen, for the watchdog. Whoever writes may wait for a reader, and is waited for; but whoever waits for memory waits for ever.
fn take_pen() -> Option<MutexGuard<'static, ()>> {
    let start = Instant::now();
    loop {
        match PEN.try_lock() {
            Ok(pen) => return Some(pen),
            Err(TryLockError::Poisoned(pen)) => return Some(pen.into_inner()),
            Err(TryLockError::WouldBlock) if memory::is_exhausted() && start.elapsed() > LONGEST_WAIT => return None,
            Err(TryLockError::WouldBlock) => std::thread::sleep(BETWEEN_LOOKS),
        }
    }
}

/// What there is to say; none if whoever knows it cannot be asked.
fn speak(stopped: Stopped) -> Option<LastWords> {
    let start = Instant::now();
    loop {
        match SPEAKER.try_lock() {
            Ok(mut speaker) => return speaker.as_mut().map(|speaker| speaker(stopped)),
            Err(TryLockError::Poisoned(speaker)) => {
                return speaker.into_inner().as_mut().map(|speaker| speaker(stopped));
            }
            Err(TryLockError::WouldBlock) if start.elapsed() > LONGEST_WAIT => return None,
            Err(TryLockError::WouldBlock) => std::thread::sleep(BETWEEN_LOOKS),
        }
    }
}
