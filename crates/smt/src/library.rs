//! Calls of the solver's library that end when they should.
//!
//! Whoever calls the library says so first ([`Call::begin`]). One thread looks at the budgets of all calls that run and interrupts those
//! whose user has asked to stop. Time is not its business: the library has a timer of its own, which leaves the context as it was, while
//! a context that was interrupted may answer nothing any more.
//!
//! Memory is the library's own business ([`limit_memory`]): it looks at a mark now and then, and refuses to allocate beyond a limit above
//! the mark. What was being done when it refused may be left half done, so this thread asks nothing any more ([`is_spent`]).

use std::cell::Cell;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use tertium_base::{Budget, StopReason};

/// How often the thread looks.
const BETWEEN_LOOKS: Duration = Duration::from_millis(20);

/// So long it waits for another call before it ends.
const IDLE: Duration = Duration::from_secs(2);

/// A context that belongs to another thread.
#[derive(Clone, Copy)]
struct Foreign(z3_sys::Z3_context);

// SAFETY: the pointer is used for nothing but `Z3_interrupt`, which is meant to be called by other threads, and only while its call is
// among those that run.
#[allow(unsafe_code)]
unsafe impl Send for Foreign {}

struct Running {
    number: u64,
    context: Foreign,
    budget: Budget,
}

struct Calls {
    running: Vec<Running>,
    next: u64,
    is_watched: bool,
}

static CALLS: Mutex<Calls> = Mutex::new(Calls { running: Vec::new(), next: 0, is_watched: false });

fn calls() -> MutexGuard<'static, Calls> {
    CALLS.lock().unwrap_or_else(PoisonError::into_inner)
}

/// A call of the library by this thread, for as long as it lives.
#[must_use]
pub(crate) struct Call(u64);

impl Call {
    /// Something in this thread's context is about to be called.
    pub(crate) fn begin(budget: &Budget) -> Self {
        let context = Foreign(z3::Context::thread_local().get_z3_context());
        let mut calls = calls();
        let number = calls.next;
        calls.next += 1;
        calls.running.push(Running { number, context, budget: budget.clone() });
        if !calls.is_watched {
            // Without the thread calls still end at their limits.
            let thread = std::thread::Builder::new().name("solver-watch".to_owned()).stack_size(128 << 10).spawn(watch);
            calls.is_watched = thread.is_ok();
        }
        Self(number)
    }
}

impl Drop for Call {
    fn drop(&mut self) {
        let mut calls = calls();
        if let Some(at) = calls.running.iter().position(|running| running.number == self.0) {
            calls.running.swap_remove(at);
        }
    }
}

thread_local! {
    static SPENT: Cell<bool> = const { Cell::new(false) };
}

/// Whether something failed in this thread's context in a way that leaves nothing to rely on.
pub(crate) fn is_spent() -> bool {
    SPENT.with(Cell::get)
}

/// Whether the last call of the library failed. If it did since there was no memory, this thread's context is [spent](is_spent).
#[allow(unsafe_code)]
pub(crate) fn failed() -> bool {
    let context = z3::Context::thread_local().get_z3_context();
    // SAFETY: the context is this thread's own, and lives as long as it.
    match unsafe { z3_sys::Z3_get_error_code(context) } {
        z3_sys::ErrorCode::Ok => false,
        z3_sys::ErrorCode::MemoutFail => {
            SPENT.with(|spent| spent.set(true));
            true
        }
        _ => true,
    }
}

/// The limit that the library knows, in MiB.
static KNOWN_LIMIT: AtomicUsize = AtomicUsize::new(usize::MAX);

/// Changes of the limit below this many MiB are not worth telling.
const WORTH_TELLING: usize = 4;

/// Limits the library's own memory to what the budget leaves.
pub(crate) fn limit_memory(budget: &Budget) {
    // Without a limit it is the largest number that the library knows, its default.
    let limit = budget.memory_left().map_or(u32::MAX as usize, |bytes| (bytes >> 20).max(1));
    if KNOWN_LIMIT.load(Ordering::Relaxed).abs_diff(limit) < WORTH_TELLING {
        return;
    }
    let untold = KNOWN_LIMIT.swap(limit, Ordering::Relaxed) == usize::MAX;
    if untold && budget.memory_left().is_none() {
        return;
    }
    z3::set_global_param("memory_high_watermark_mb", &(limit - limit / 10).to_string());
    z3::set_global_param("memory_max_size", &limit.to_string());
}

fn watch() {
    let mut last = Instant::now();
    loop {
        std::thread::sleep(BETWEEN_LOOKS);
        let mut calls = calls();
        if !calls.running.is_empty() {
            last = Instant::now();
        } else if last.elapsed() > IDLE {
            calls.is_watched = false;
            return;
        }
        calls.running.iter().for_each(look);
    }
}

#[allow(unsafe_code)]
fn look(running: &Running) {
    let cancelled = matches!(running.budget.glance(), Err(stopped) if stopped.0 == StopReason::Interrupted);
    if cancelled {
        // Again and again: between two parts of a call the library forgets that it was interrupted.
        // SAFETY: the call is among those that run, so its thread is in it or waits for the lock to end it, and its context lives.
        unsafe { z3_sys::Z3_interrupt(running.context.0) };
    }
}
