//! Does something take time in proportion to its input?

use std::time::{Duration, Instant};

/// The shortest of several times: other work on the machine only adds.
fn time(run: &dyn Fn(&str), text: &str) -> Duration {
    let once = |_| {
        let start = Instant::now();
        run(text);
        start.elapsed()
    };
    (0..5).map(once).min().unwrap_or_default()
}

/// Runs something on a text and on one four times as long.
///
/// # Panics
/// If the second takes ten times as long: what is linear takes four times, what is quadratic sixteen.
pub fn assert_linear(what: &str, run: impl Fn(&str), text_of_size: impl Fn(usize) -> String, size: usize) {
    let (small, large) = (time(&run, &text_of_size(size)), time(&run, &text_of_size(4 * size)));
    assert!(large < small * 10, "{what}: {small:?}, then {large:?}");
}
