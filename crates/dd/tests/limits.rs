//! One operation that would take far too long ends when a limit is reached, and the store is as good as before.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use tertium_base::{Budget, StopReason, Stopped};
use tertium_dd::{Bit, Diagrams, Limits, RelationPart, Set, TransitionRelation};

const PAIRS: usize = 28;
const LIMITS: Limits = Limits::new(1 << 26, 1 << 16);

/// Where every second of `PAIRS` bits, from `first` on, is equal to its partner behind all of them. Two to the half of `PAIRS`
/// nodes; both halves together need the square of that.
fn half_within(diagrams: &Diagrams, first: usize) -> Result<Set, Stopped> {
    let mut all = diagrams.full();
    for at in (first..PAIRS).step_by(2).rev() {
        all = all.and(&diagrams.bit(Bit::new(at))?.iff(&diagrams.bit(Bit::new(PAIRS + at))?)?)?;
    }
    Ok(all)
}

fn half(diagrams: &Diagrams, first: usize) -> Set {
    half_within(diagrams, first).expect("room")
}

/// Sets the flag when something more has been done within the budget than before.
fn cancel_in_the_middle(budget: &Budget, before: u64, cancel: &AtomicBool) {
    while budget.effort() < before + 10 {
        std::thread::sleep(Duration::from_millis(1));
    }
    cancel.store(true, Ordering::Relaxed);
}

/// Both halves within a limit of so many looks, and the looks that were left before their product.
fn product_within(looks: u64) -> (Result<Set, Stopped>, u64, Budget) {
    let budget = Budget::unlimited().with_effort(Some(looks));
    let diagrams = Diagrams::new(2 * PAIRS, LIMITS, &budget).expect("room");
    let (even, odd) = (half(&diagrams, 0), half(&diagrams, 1));
    let left = looks.saturating_sub(budget.effort());
    (even.and(&odd), left, budget)
}

#[test]
fn a_limit_ends_an_operation_in_the_middle() {
    let (product, left, budget) = product_within(200);
    // Uninterrupted it would run out of nodes, much later.
    assert_eq!(product, Err(Stopped(StopReason::Time)));
    assert!(left > 1, "the limit was reached before the operation");
    assert_eq!(budget.effort(), 201, "the first look beyond the limit is the last");
}

/// What time makes of the product; none if it ends before both halves are there.
fn product_in(time: Duration) -> Option<Result<Set, Stopped>> {
    let budget = Budget::unlimited().with_time(Some(time));
    let diagrams = Diagrams::new(2 * PAIRS, LIMITS, &budget).ok()?;
    let (even, odd) = (half_within(&diagrams, 0).ok()?, half_within(&diagrams, 1).ok()?);
    Some(even.and(&odd))
}

#[test]
fn time_ends_an_operation_in_the_middle() {
    // A slow machine gets as much time as it needs for the halves.
    let product = (0..20).find_map(|power| product_in(Duration::from_millis(400 << power)));
    assert_eq!(product, Some(Err(Stopped(StopReason::Time))));
}

#[test]
fn after_a_cancelled_operation_sets_are_what_they_were() {
    let cancel = Arc::new(AtomicBool::new(false));
    let budget = Budget::unlimited().with_cancel(Arc::clone(&cancel));
    let diagrams = Diagrams::new(2 * PAIRS, LIMITS, &budget).expect("room");
    let (even, odd) = (half(&diagrams, 0), half(&diagrams, 1));
    let nodes = (even.nodes(), odd.nodes());
    let before = budget.effort();
    let ended = std::thread::scope(|scope| {
        scope.spawn(|| cancel_in_the_middle(&budget, before, &cancel));
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
        let same = diagrams.bit(Bit::new(at))?.iff(&diagrams.bit(Bit::new(PAIRS + at))?)?;
        all = all.and(&same)?;
    }
    Ok(())
}

/// Steps that flip two bits at a time, which stand far from each other. What they reach from zero takes two to the number of
/// pairs nodes.
fn flips(diagrams: &Diagrams, pairs: usize) -> (Set, TransitionRelation) {
    let written = |at: usize| (Bit::new(2 * at), Bit::new(2 * at + 1));
    let zeros: Vec<(Bit, bool)> = (0..2 * pairs).map(|at| (written(at).0, false)).collect();
    let mut relation = TransitionRelation::default();
    for at in 0..pairs {
        let both = [written(at), written(pairs + at)];
        let mut steps = diagrams.full();
        for (now, later) in both {
            let same = diagrams.bit(now).and_then(|now| now.iff(&diagrams.bit(later)?)).expect("room");
            steps = steps.minus(&same).expect("room");
        }
        relation.parts.push(RelationPart::new(diagrams, steps, &both).expect("room"));
    }
    (diagrams.cube(&zeros).expect("room"), relation)
}

/// The rows whose first four pairs alone may be set.
fn little_room(diagrams: &Diagrams, pairs: usize) -> Set {
    let zeros: Vec<(Bit, bool)> = (4..pairs).map(|at| (Bit::new(2 * at), false)).collect();
    diagrams.cube(&zeros).expect("room")
}

/// The pairs of [`flips`] in these tests, and how many of its bits a state has.
const FLIPPED: usize = 22;
const STATE: usize = 2 * FLIPPED;

#[test]
fn after_a_cancelled_closure_everything_is_reached_that_can_be() {
    let cancel = Arc::new(AtomicBool::new(false));
    let budget = Budget::unlimited().with_cancel(Arc::clone(&cancel));
    let diagrams = Diagrams::new(2 * STATE, LIMITS, &budget).expect("room");
    let (start, relation) = flips(&diagrams, FLIPPED);
    let before = budget.effort();
    let ended = std::thread::scope(|scope| {
        scope.spawn(|| cancel_in_the_middle(&budget, before, &cancel));
        relation.reachable(&start, None)
    });
    assert_eq!(ended, Err(Stopped(StopReason::Interrupted)));
    cancel.store(false, Ordering::Relaxed);
    let few = relation.reachable(&start, Some(&little_room(&diagrams, FLIPPED))).expect("room");
    assert_eq!(few.count(STATE), 16.0);
}

#[test]
fn a_trial_ends_by_effort_and_can_be_settled() {
    let diagrams = Diagrams::new(2 * STATE, Limits::trial(1 << 14, 1 << 12), &Budget::unlimited()).expect("room");
    let (start, relation) = flips(&diagrams, FLIPPED);
    assert_eq!(relation.reachable(&start, None), Err(Stopped(StopReason::Memory)));
    assert_eq!(relation.reachable(&start, None), Err(Stopped(StopReason::Memory)), "what was spent is not given back");
    diagrams.lift_effort_limit();
    let few = relation.reachable(&start, Some(&little_room(&diagrams, FLIPPED))).expect("room");
    assert_eq!(few.count(STATE), 16.0);
}

#[test]
fn caches_grow_in_the_middle_of_a_closure() {
    let pairs = 11;
    let bytes = [1 << 12, 1 << 18].map(|results| {
        let diagrams = Diagrams::new(4 * pairs, Limits::new(1 << 18, results), &Budget::unlimited()).expect("room");
        let (start, relation) = flips(&diagrams, pairs);
        let reached = relation.reachable(&start, None).expect("room");
        assert_eq!(reached.count(2 * pairs), (1u64 << pairs) as f64);
        assert_eq!(relation.backward_reachable(&start, None).expect("room"), reached, "flips go back");
        diagrams.bytes()
    });
    assert!(bytes[1] > 2 * bytes[0], "{bytes:?}");
}

#[test]
fn nodes_are_collected_inside_a_closure() {
    let pairs = 10;
    let (mut stopped, mut collected) = (0, 0);
    for nodes in (11..18).map(|power| 1 << power) {
        let diagrams = Diagrams::new(4 * pairs, Limits::new(nodes, 1 << 8), &Budget::unlimited()).expect("room");
        let (start, relation) = flips(&diagrams, pairs);
        match relation.reachable(&start, None) {
            Ok(reached) => {
                assert_eq!(reached.count(2 * pairs), (1u64 << pairs) as f64);
                collected += usize::from(diagrams.peak() > nodes / 2);
            }
            Err(why) => {
                assert_eq!(why, Stopped(StopReason::Memory));
                stopped += 1;
            }
        }
    }
    assert!(stopped > 0 && collected > 0, "{stopped} stopped, {collected} with most nodes used");
}
