//! How much memory is in use, so that a limit can end in a verdict instead of a kill.
//!
//! The application installs [`CountingAllocator`]; libraries only ask [`in_use`]. Counts are kept per
//! thread and flushed in steps of 64 KiB, so that counting does not slow threads down.

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;
use std::sync::atomic::{AtomicIsize, Ordering};

/// A thread tells the others about its allocations in steps of this many bytes.
const FLUSH: isize = 64 * 1024;

static IN_USE: AtomicIsize = AtomicIsize::new(0);
static PEAK: AtomicIsize = AtomicIsize::new(0);

thread_local! {
    static PENDING: Cell<isize> = const { Cell::new(0) };
}

fn count(bytes: isize) {
    // During a thread's end its counter may be gone already; the few bytes are not worth a crash.
    let _ = PENDING.try_with(|pending| {
        let sum = pending.get() + bytes;
        if sum.abs() < FLUSH {
            pending.set(sum);
            return;
        }
        pending.set(0);
        let now = IN_USE.fetch_add(sum, Ordering::Relaxed) + sum;
        PEAK.fetch_max(now, Ordering::Relaxed);
    });
}

/// Bytes allocated and not freed, to within a few pages a thread; zero if the counting allocator is not installed.
#[must_use]
pub fn in_use() -> usize {
    usize::try_from(IN_USE.load(Ordering::Relaxed)).unwrap_or(0)
}

/// The highest value [`in_use`] has had.
#[must_use]
pub fn peak() -> usize {
    usize::try_from(PEAK.load(Ordering::Relaxed)).unwrap_or(0)
}

/// Forgets the peak so far: [`peak`] then tells the highest value from now on.
pub fn reset_peak() {
    PEAK.store(IN_USE.load(Ordering::Relaxed), Ordering::Relaxed);
}

/// The system allocator with a counter.
#[derive(Debug)]
pub struct CountingAllocator;

// SAFETY: every call is passed to the system allocator unchanged; counting touches no allocated memory.
#[allow(unsafe_code)]
unsafe impl GlobalAlloc for CountingAllocator {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        // SAFETY: the caller's contract is the system allocator's.
        let place = unsafe { System.alloc(layout) };
        if !place.is_null() {
            count(layout.size() as isize);
        }
        place
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        // SAFETY: the caller's contract is the system allocator's.
        let place = unsafe { System.alloc_zeroed(layout) };
        if !place.is_null() {
            count(layout.size() as isize);
        }
        place
    }

    unsafe fn dealloc(&self, place: *mut u8, layout: Layout) {
        // SAFETY: the caller's contract is the system allocator's.
        unsafe { System.dealloc(place, layout) };
        count(-(layout.size() as isize));
    }

    unsafe fn realloc(&self, place: *mut u8, layout: Layout, new_size: usize) -> *mut u8 {
        // SAFETY: the caller's contract is the system allocator's.
        let moved = unsafe { System.realloc(place, layout, new_size) };
        if !moved.is_null() {
            count(new_size as isize - layout.size() as isize);
        }
        moved
    }
}
