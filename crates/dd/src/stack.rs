//! Room for operations on diagrams with many levels.
//!
//! The library's operations call themselves once a level. With some thousand bits that is deeper than the stack of a
//! thread that tests or an application happen to have.

use tertium_base::{StopReason, Stopped};

/// Enough for [`crate::MOST_BITS`] levels, several times over; pages that are not touched cost nothing.
const ROOM: usize = 1 << 30;

/// Whether the system has room for one more thread with such a stack, which the library makes for each store: it panics if there is
/// none, for instance under a limit on the address space.
///
/// # Errors
/// `Stopped` if there is no room.
pub(crate) fn worker_fits() -> Result<(), Stopped> {
    let thread = std::thread::Builder::new().name("diagrams".to_owned()).stack_size(ROOM).spawn(|| {});
    // What it does cannot go wrong.
    thread.map(|thread| _ = thread.join()).map_err(|_| Stopped(StopReason::Memory))
}

/// Runs `work` on a thread whose stack fits any diagram.
///
/// # Errors
/// If the system gives no thread.
pub fn with_deep_stack<R: Send>(work: impl FnOnce() -> R + Send) -> std::io::Result<R> {
    with_deep_stack_meanwhile(work, || {})
}

/// The same; `meanwhile` runs on the caller's thread and should end when the work does.
///
/// # Errors
/// If the system gives no thread.
pub fn with_deep_stack_meanwhile<R: Send>(
    work: impl FnOnce() -> R + Send,
    meanwhile: impl FnOnce(),
) -> std::io::Result<R> {
    std::thread::scope(|scope| {
        let thread =
            std::thread::Builder::new().name("diagrams".to_owned()).stack_size(ROOM).spawn_scoped(scope, work)?;
        meanwhile();
        match thread.join() {
            Ok(result) => Ok(result),
            Err(panic) => std::panic::resume_unwind(panic),
        }
    })
}
