//! Room for operations on diagrams with many levels.
//!
//! The library's operations call themselves once a level. With some thousand bits that is deeper than the stack of a
//! thread that tests or an application happen to have.

/// Enough for [`crate::MOST_BITS`] levels, several times over; pages that are not touched cost nothing.
const ROOM: usize = 1 << 30;

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
