//! One operation that would take far too long ends when a limit is reached, and the store is as good as before.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use tertium_base::{Budget, StopReason, Stopped};
use tertium_dd::{Bit, Diagrams, Limits, Set};

const PAIRS: usize = 28;
const LIMITS: Limits = Limits::new(1 << 26, 1 << 16);

/// Where every second of `PAIRS` bits, from `first` on, is equal to its partner behind all of them. Two to the half of `PAIRS`
/// nodes; both halves together need the square of that.
fn half(diagrams: &Diagrams, first: usize) -> Set {
    let bit = |at: usize| diagrams.bit(Bit::new(at)).expect("room");
    let mut all = diagrams.full();
    for at in (first..PAIRS).step_by(2).rev() {
        all = all.and(&bit(at).same(&bit(PAIRS + at)).expect("room")).expect("room");
    }
    all
}

#[test]
fn time_ends_an_operation_in_the_middle() {
    let limit = Duration::from_millis(400);
    let budget = Budget::unlimited().with_time(Some(limit));
    let diagrams = Diagrams::new(2 * PAIRS, LIMITS, &budget).expect("room");
    let (even, odd) = (half(&diagrams, 0), half(&diagrams, 1));
    let before = Instant::now();
    // Uninterrupted it would run out of nodes, much later.
    assert_eq!(even.and(&odd), Err(Stopped(StopReason::Time)));
    assert!(before.elapsed() < Duration::from_secs(5), "noticed after {:?}", before.elapsed());
}

#[test]
fn after_a_cancelled_operation_sets_are_what_they_were() {
    let cancel = Arc::new(AtomicBool::new(false));
    let budget = Budget::unlimited().with_cancel(Arc::clone(&cancel));
    let diagrams = Diagrams::new(2 * PAIRS, LIMITS, &budget).expect("room");
    let (even, odd) = (half(&diagrams, 0), half(&diagrams, 1));
    let nodes = (even.nodes(), odd.nodes());
    let ended = std::thread::scope(|scope| {
        scope.spawn(|| {
            std::thread::sleep(Duration::from_millis(100));
            cancel.store(true, Ordering::Relaxed);
        });
        even.and(&odd)
    });
    assert_eq!(ended, Err(Stopped(StopReason::Interrupted)));
    cancel.store(false, Ordering::Relaxed);
    assert_eq!((even.nodes(), odd.nodes()), nodes);
    let zeros: Vec<(Bit, bool)> = (0..2 * PAIRS).map(|at| (Bit::new(at), false)).collect();
    let zero = diagrams.cube(&zeros).expect("room");
    assert!(zero.is_subset(&even).expect("room") && zero.is_subset(&odd).expect("room"));
    assert_eq!(even.count(2 * PAIRS), (1u64 << (2 * PAIRS - PAIRS / 2)) as f64);
}

#[test]
fn a_store_is_no_larger_than_the_memory_allows() {
    let free = tertium_base::memory::in_use() + (4 << 20);
    let budget = Budget::unlimited().with_memory(Some(free));
    let diagrams = Diagrams::new(2 * PAIRS, LIMITS, &budget).expect("room");
    assert!(diagrams.limits().nodes <= 1 << 18, "{:?}", diagrams.limits());
    assert_eq!(half_or_stopped(&diagrams), Err(Stopped(StopReason::Memory)));
}

fn half_or_stopped(diagrams: &Diagrams) -> Result<(), Stopped> {
    let mut all = diagrams.full();
    for at in (0..PAIRS).rev() {
        let same = diagrams.bit(Bit::new(at))?.same(&diagrams.bit(Bit::new(PAIRS + at))?)?;
        all = all.and(&same)?;
    }
    Ok(())
}
