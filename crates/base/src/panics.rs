//! Panics of libraries that mean no fault of this program.
//!
//! Some libraries panic where the system or a limit refuses them something. Whoever calls them expects that, and no message should
//! speak of a fault: the application's hook asks [`is_expected`].

use std::cell::Cell;
use std::panic::{AssertUnwindSafe, catch_unwind};

thread_local! {
    static EXPECTED: Cell<u32> = const { Cell::new(0) };
}

/// One more caller that expects panics, for as long as it lives.
struct Expecting;

impl Expecting {
    fn begin() -> Self {
        EXPECTED.with(|depth| depth.set(depth.get() + 1));
        Self
    }
}

impl Drop for Expecting {
    fn drop(&mut self) {
        EXPECTED.with(|depth| depth.set(depth.get().saturating_sub(1)));
    }
}

/// What `work` returns; none if it panics, of which nobody is told.
pub fn quietly<T>(work: impl FnOnce() -> T) -> Option<T> {
    let _expecting = Expecting::begin();
    catch_unwind(AssertUnwindSafe(work)).ok()
}

/// A panic of this thread, which is a library's own, is expected from now on: somebody else notices that the thread is gone.
pub fn expect_here() {
    EXPECTED.with(|depth| depth.set(depth.get().saturating_add(1)));
}

/// Whether a panic of this thread would be caught by someone who expects it.
#[must_use]
pub fn is_expected() -> bool {
    EXPECTED.try_with(|depth| depth.get() > 0).unwrap_or(false)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn panics_are_expected_inside_only() {
        assert!(!is_expected());
        assert_eq!(quietly(is_expected), Some(true));
        assert_eq!(quietly(|| std::panic::resume_unwind(Box::new("refused"))), None::<()>);
        assert!(!is_expected());
    }
}
