//! What does the user want who presses Ctrl-C, or who sends a signal?
//!
//! The first one ends the run with a report. A second one ends it at once, but not within a second of the first: `timeout` signals the
//! process and its group, and a terminal may send two of them as well. That is one wish. A process that was started for another one, which says so
//! ([`PARENT`]), ends with it.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use crate::command::{exit, system};

/// Signals that come this soon after the first say the same as it.
const ONE_WISH: Duration = Duration::from_secs(1);

/// A flag that becomes true when the user wants the run to end.
#[must_use]
pub fn flag() -> Arc<AtomicBool> {
    let flag = Arc::new(AtomicBool::new(false));
    let seen = Arc::clone(&flag);
    let mut first: Option<Instant> = None;
    // Without a handler Ctrl-C still works, only less politely; nothing to tell the user.
    let _ = ctrlc::set_handler(move || {
        seen.store(true, Ordering::Relaxed);
        if first.get_or_insert_with(Instant::now).elapsed() > ONE_WISH {
            tertium_driver::end_solvers();
            system::end_at_once(exit::INTERRUPTED);
        }
    });
    end_with_parent(&flag);
    flag
}

/// The number of the process that waits for this one, where it is nothing without it.
pub const PARENT: &str = "TERTIUM_PARENT";

/// Whoever waits may be ended in a way that leaves it no time to end others.
#[cfg(unix)]
fn end_with_parent(flag: &Arc<AtomicBool>) {
    let parent = std::env::var(PARENT).ok().and_then(|text| text.parse::<u32>().ok());
    let (Some(parent), seen) = (parent, Arc::clone(flag)) else { return };
    let watch = move || {
        while std::os::unix::process::parent_id() == parent {
            std::thread::sleep(BETWEEN_LOOKS);
        }
        seen.store(true, Ordering::Relaxed);
    };
    // Without the thread, it ends when it is done.
    let _ = std::thread::Builder::new().name("parent".to_owned()).stack_size(128 << 10).spawn(watch);
}

#[cfg(not(unix))]
fn end_with_parent(_: &Arc<AtomicBool>) {}

/// How often one looks whether the parent is there.
#[cfg(unix)]
const BETWEEN_LOOKS: Duration = Duration::from_millis(200);
