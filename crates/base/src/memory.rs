//! How much memory is in use, so that a limit can end in a verdict instead of a kill.
//!
//! The application installs [`CountingAllocator`]; libraries only ask [`in_use`]. Counts are kept per
//! thread and flushed in steps of 64 KiB, so that counting does not slow threads down.
//!
//! What other libraries allocate is not counted so. Whoever watches the process asks the system ([`of_process`]) and says when it
//! has too much ([`press`]): every budget then stops. [`of_machine`] tells how much there is at all.
//!
//! If the system has no more to give, [`CountingAllocator`] says so ([`is_exhausted`]) and lets the thread wait for whoever watches,
//! if somebody does ([`expect_watcher`]): without that the program would be aborted without a word.

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;
use std::path::Path;
use std::sync::atomic::{AtomicBool, AtomicIsize, Ordering};
use std::time::Duration;

/// A thread tells the others about its allocations in steps of this many bytes.
const FLUSH: isize = 64 * 1024;

static IN_USE: AtomicIsize = AtomicIsize::new(0);
static PEAK: AtomicIsize = AtomicIsize::new(0);

/// Whether the process has more memory than it may have.
static PRESSED: AtomicBool = AtomicBool::new(false);
/// Whether the system refused memory.
static EXHAUSTED: AtomicBool = AtomicBool::new(false);
/// Whether somebody ends the program when that happens.
static WATCHED: AtomicBool = AtomicBool::new(false);

/// How long a thread waits for its memory, or for the end of the program. Longer than any watcher takes.
const PATIENCE: Duration = Duration::from_secs(20);

/// How long it waits between two attempts.
const BETWEEN_ATTEMPTS: Duration = Duration::from_millis(20);

thread_local! {
    static PENDING: Cell<isize> = const { Cell::new(0) };
    /// Whether this thread is the one that watches, and must not wait for itself.
    static IS_WATCHER: Cell<bool> = const { Cell::new(false) };
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

/// Says whether the process has more memory than it may have. While it does, every budget is used up.
pub fn press(pressed: bool) {
    PRESSED.store(pressed, Ordering::Relaxed);
}

/// Whether the process has more memory than it may have, as far as somebody watches it.
#[must_use]
pub fn is_pressed() -> bool {
    PRESSED.load(Ordering::Relaxed) || is_exhausted()
}

/// Whether the system refused memory, and a thread waits for what comes now.
#[must_use]
pub fn is_exhausted() -> bool {
    EXHAUSTED.load(Ordering::Relaxed)
}

/// This thread watches: it ends the program when memory [is exhausted](is_exhausted), and does not wait for memory itself.
pub fn expect_watcher() {
    IS_WATCHER.with(|is_watcher| is_watcher.set(true));
    WATCHED.store(true, Ordering::Relaxed);
}

/// The memory of this process in bytes that is its own: pages of files that it shares with others are not. None where the
/// system does not tell.
#[must_use]
pub fn of_process() -> Option<usize> {
    own_pages(&std::fs::read_to_string("/proc/self/statm").ok()?)
}

/// The memory of another process in bytes.
#[must_use]
pub fn of_child(process: u32) -> Option<usize> {
    own_pages(&std::fs::read_to_string(format!("/proc/{process}/statm")).ok()?)
}

/// The size of a page. Where pages are larger, the system tells sizes that are too small by that factor, which no limit below
/// the machine's own notices; all systems that this program is built for have pages of 4 KiB.
const PAGE: usize = 4096;

fn own_pages(statm: &str) -> Option<usize> {
    let mut numbers = statm.split_whitespace().skip(1).map(str::parse::<usize>);
    let (resident, shared) = (numbers.next()?.ok()?, numbers.next()?.ok()?);
    Some(resident.saturating_sub(shared) * PAGE)
}

/// The memory in bytes that this process can have: that of the machine, of its control group, and of its address space,
/// whichever is least. None where the system does not tell.
#[must_use]
pub fn of_machine() -> Option<usize> {
    let read = |path: &str| std::fs::read_to_string(path).ok();
    let machine = read("/proc/meminfo").and_then(|text| in_meminfo(&text));
    let space = read("/proc/self/limits").and_then(|text| in_limits(&text));
    let groups = read("/proc/self/cgroup").map_or_else(Vec::new, |text| group_files(&text));
    let group = groups.iter().filter_map(|path| read(path)?.trim().parse::<usize>().ok()).min();
    [machine, space, group].into_iter().flatten().min()
}

fn in_meminfo(text: &str) -> Option<usize> {
    let line = text.lines().find_map(|line| line.strip_prefix("MemTotal:"))?;
    line.split_whitespace().next()?.parse::<usize>().ok()?.checked_mul(1024)
}

fn in_limits(text: &str) -> Option<usize> {
    let line = text.lines().find_map(|line| line.strip_prefix("Max address space"))?;
    line.split_whitespace().next()?.parse().ok()
}

/// The files that hold the limits of the control groups that `/proc/self/cgroup` names, and of the groups around them. In a
/// container the group is often mounted where the whole tree should be.
fn group_files(cgroup: &str) -> Vec<String> {
    let mut files = Vec::new();
    for line in cgroup.lines() {
        let mut parts = line.splitn(3, ':');
        let (Some(_), Some(controllers), Some(group)) = (parts.next(), parts.next(), parts.next()) else { continue };
        let (root, name) = match controllers {
            "" => ("/sys/fs/cgroup", "memory.max"),
            _ if controllers.split(',').any(|one| one == "memory") => {
                ("/sys/fs/cgroup/memory", "memory.limit_in_bytes")
            }
            _ => continue,
        };
        let groups = Path::new(group).ancestors();
        files.extend(groups.map(|group| format!("{root}{}/{name}", group.display().to_string().trim_end_matches('/'))));
    }
    files
}

/// Tries again after the system has refused memory, while somebody watches; a null pointer in the end if it stays so.
#[cold]
#[inline(never)]
fn insist(attempt: impl Fn() -> *mut u8) -> *mut u8 {
    let waits = WATCHED.load(Ordering::Relaxed) && !IS_WATCHER.try_with(Cell::get).unwrap_or(true);
    if !waits {
        return std::ptr::null_mut();
    }
    EXHAUSTED.store(true, Ordering::Relaxed);
    let mut waited = Duration::ZERO;
    while waited < PATIENCE {
        std::thread::sleep(BETWEEN_ATTEMPTS);
        waited += BETWEEN_ATTEMPTS;
        let place = attempt();
        if !place.is_null() {
            return place;
        }
    }
    std::ptr::null_mut()
}

/// A size as a change of the count. An allocator must not panic, so this is not a checked conversion.
#[inline]
#[expect(clippy::cast_possible_wrap, reason = "the size in a layout is at most `isize::MAX`")]
const fn size(bytes: usize) -> isize {
    bytes as isize
}

/// The system allocator with a counter.
#[derive(Debug)]
pub struct CountingAllocator;

// SAFETY: every call is passed to the system allocator unchanged; counting touches no allocated memory.
#[allow(unsafe_code)]
unsafe impl GlobalAlloc for CountingAllocator {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        // SAFETY: the caller's contract is the system allocator's.
        let mut place = unsafe { System.alloc(layout) };
        if place.is_null() {
            // SAFETY: as above.
            place = insist(|| unsafe { System.alloc(layout) });
        }
        if !place.is_null() {
            count(size(layout.size()));
        }
        place
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        // SAFETY: the caller's contract is the system allocator's.
        let mut place = unsafe { System.alloc_zeroed(layout) };
        if place.is_null() {
            // SAFETY: as above.
            place = insist(|| unsafe { System.alloc_zeroed(layout) });
        }
        if !place.is_null() {
            count(size(layout.size()));
        }
        place
    }

    unsafe fn dealloc(&self, place: *mut u8, layout: Layout) {
        // SAFETY: the caller's contract is the system allocator's.
        unsafe { System.dealloc(place, layout) };
        count(-size(layout.size()));
    }

    unsafe fn realloc(&self, place: *mut u8, layout: Layout, new_size: usize) -> *mut u8 {
        // SAFETY: the caller's contract is the system allocator's.
        let mut moved = unsafe { System.realloc(place, layout, new_size) };
        if moved.is_null() {
            // SAFETY: as above; an attempt that fails leaves the old place as it was.
            moved = insist(|| unsafe { System.realloc(place, layout, new_size) });
        }
        if !moved.is_null() {
            count(size(new_size) - size(layout.size()));
        }
        moved
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pages_of_files_are_not_counted() {
        assert_eq!(own_pages("5000 1200 200 30 0 900 0\n"), Some(1000 * PAGE));
        assert_eq!(own_pages("nothing"), None);
        if cfg!(target_os = "linux") {
            let own = of_process().expect("the system tells");
            assert!(own > 0 && own < of_machine().expect("the machine has memory"), "{own}");
        }
    }

    #[test]
    fn limits_are_read_as_the_system_writes_them() {
        assert_eq!(in_meminfo("MemTotal:       24689764 kB\nMemFree: 1 kB\n"), Some(24_689_764 * 1024));
        let limits = "Limit   Soft Limit   Hard Limit   Units\nMax address space         2147483648           unlimited            bytes\n";
        assert_eq!(in_limits(limits), Some(2_147_483_648));
        assert_eq!(in_limits("Max address space         unlimited            unlimited            bytes\n"), None);
    }

    #[test]
    fn groups_within_groups_are_all_asked() {
        assert_eq!(
            group_files("0::/a/b\n"),
            ["/sys/fs/cgroup/a/b/memory.max", "/sys/fs/cgroup/a/memory.max", "/sys/fs/cgroup/memory.max"]
        );
        assert_eq!(
            group_files("3:cpu:/x\n5:memory,cpuset:/x\n"),
            ["/sys/fs/cgroup/memory/x/memory.limit_in_bytes", "/sys/fs/cgroup/memory/memory.limit_in_bytes"]
        );
    }
}
