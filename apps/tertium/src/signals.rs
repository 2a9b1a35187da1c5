//! What does the user want who presses Ctrl-C, or who sends a signal?
//!
//! The first one ends the run with a report. A second one ends it at once, but not within a second of the first: `timeout` signals the
//! process and its group, and a terminal may send two of them as well. That is one wish.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use crate::{exit, system};

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
    flag
}
