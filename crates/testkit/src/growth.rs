//! Does something take time in proportion to its input?
//!
//! Time is the processor's, not the clock's, and only ratios of it are looked at: neither a slow machine nor other work beside it
//! changes an answer.

use std::path::Path;
use std::time::{Duration, Instant};

/// What the processor has spent on one thread, as the system counts it; none where it does not say.
fn spent_on(thread: &Path) -> Option<Duration> {
    let text = std::fs::read_to_string(thread.join("schedstat")).ok()?;
    text.split_whitespace().next()?.parse().ok().map(Duration::from_nanos)
}

/// What the processor has spent on the threads that another process has now; none where the system does not say.
#[must_use]
pub fn processor_time_of(process: u32) -> Option<Duration> {
    let threads = std::fs::read_dir(format!("/proc/{process}/task")).ok()?;
    threads.map(|thread| spent_on(&thread.ok()?.path())).sum()
}

/// The system may count what a thread has spent in hundredths of a second: only what takes many of them is measured well.
const LONG_ENOUGH: Duration = Duration::from_millis(150);

/// The shortest of several times: other work on the machine only adds, to caches if not to this.
fn time(run: &dyn Fn(&str), text: &str) -> Duration {
    let once = |_| {
        let (start, before) = (Instant::now(), spent_on("/proc/thread-self".as_ref()));
        let mut runs = 0;
        loop {
            run(text);
            runs += 1;
            let spent = match (before, spent_on("/proc/thread-self".as_ref())) {
                (Some(before), Some(after)) => after.saturating_sub(before),
                _ => start.elapsed(),
            };
            if spent >= LONG_ENOUGH {
                return spent / runs;
            }
        }
    };
    (0..3).map(once).min().unwrap_or_default()
}

/// Runs something on a text and on one four times as long.
///
/// # Panics
/// If the second takes ten times as long: what is linear takes four times, what is quadratic sixteen.
pub fn assert_linear(what: &str, run: impl Fn(&str), text_of_size: impl Fn(usize) -> String, size: usize) {
    let (small, large) = (time(&run, &text_of_size(size)), time(&run, &text_of_size(4 * size)));
    assert!(large < small * 10, "{what}: {small:?}, then {large:?}");
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pairs(text: &str) {
        let mut same = 0usize;
        for a in text.bytes() {
            same += text.bytes().filter(|&b| std::hint::black_box(b) == a).count();
        }
        assert!(same > 0);
    }

    #[test]
    fn what_is_linear_passes() {
        let count = |text: &str| assert!(text.bytes().filter(|&byte| std::hint::black_box(byte) == b'x').count() > 0);
        assert_linear("bytes", count, |size| "x".repeat(size), 1_000_000);
    }

    #[test]
    #[should_panic(expected = "pairs of bytes")]
    fn what_is_quadratic_does_not() {
        assert_linear("pairs of bytes", pairs, |size| "x".repeat(size), 1_000);
    }
}
