//! Do several workers, in one process or in several that talk over loopback, find what one thread finds?

mod together;

use std::cell::Cell;
use std::collections::BTreeMap;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use tertium_base::{Budget, StopReason};
use tertium_cluster::{ClusterFailure, ClusterOptions, ClusterSearch, Meeting, search};
use tertium_explore::compiled::Compiled;
use tertium_explore::search::breadth::{Options, breadth_first};
use tertium_explore::search::run::shortest_run;
use tertium_explore::search::{Finding, FindingPlace, Observer, Summary};
use tertium_program::{Program, Semantics};
use tertium_testkit::{for_random_cases, random_promela};
use together::{Picky, addresses, processes, team};

fn take_part(
    meeting: Meeting,
    program: &Program,
    pick: u32,
    masked_after: usize,
) -> Result<ClusterSearch, ClusterFailure> {
    let (semantics, budget) = (Semantics::new(program), Budget::unlimited());
    let compiled = Compiled::of(&semantics);
    let rows = rows(&semantics, &compiled);
    let options = ClusterOptions { max_states: Some(MOST), budget: &budget, checkpoints: None, masked_after };
    let wanted = |summary: &Summary| summary.findings.keys().cloned().collect::<Vec<Finding>>();
    search(meeting, (&compiled, &Picky(pick)), &rows, &wanted, &options, &mut |_| {})
}

fn rows(semantics: &Semantics<'_>, compiled: &Compiled<'_>) -> Vec<Vec<u32>> {
    let initial = semantics.initial_states(1 << 10, &Budget::unlimited()).unwrap_or_default();
    initial.iter().map(|state| compiled.plain().row(state)).collect()
}

/// Larger state spaces are not compared.
const MOST: usize = 30_000;

/// So many processes of so many threads, which mask rows after so many states.
type Size = (usize, usize, usize);

/// Compares the searches of several sizes with that of one thread, if that was whole; how many masks each has made.
fn compare(program: &Program, pick: u32, sizes: &[Size], name: &str) -> Vec<usize> {
    let (semantics, budget) = (Semantics::new(program), Budget::unlimited());
    let compiled = Compiled::of(&semantics);
    let rows = rows(&semantics, &compiled);
    let options = Options { threads: 1, max_states: Some(MOST), stop_at_finding: false, budget: &budget };
    let one = breadth_first(&compiled, &Picky(pick), &rows, &options, &mut |_| {});
    if !one.summary.complete() {
        return Vec::new();
    }
    let mut masks = Vec::new();
    let run = |(finding, place): (&Finding, &FindingPlace)| {
        let run = shortest_run(&compiled, one.levelled(), &place.row, place.depth, &budget);
        (finding.clone(), run.expect("no limit"))
    };
    let runs: BTreeMap<Finding, Vec<Vec<u32>>> = one.summary.findings.iter().map(run).collect();
    for &(count, workers, masked_after) in sizes {
        let take_part = |meeting| take_part(meeting, program, pick, masked_after).expect("nobody is lost");
        for found in processes(count, workers, &take_part) {
            let name = format!("{name}: {count} processes of {workers} threads, masked after {masked_after}");
            assert_eq!(found.summary, one.summary, "{name}");
            assert_eq!(found.runs, runs, "{name}");
            assert_eq!(found.cost.workers, count * workers);
            assert_eq!(found.cost.network > 0, count > 1, "{name}");
            masks.push(found.cost.masks);
        }
    }
    masks
}

/// All numbers of processes and threads up to three, with masks that are made early and that are wrong often.
const SIZES: [Size; 12] = [
    (1, 1, LATE),
    (1, 2, LATE),
    (1, 3, LATE),
    (2, 1, 2),
    (2, 2, 10),
    (2, 3, 100),
    (3, 1, 1),
    (3, 2, 30),
    (3, 3, 300),
    (2, 2, LATE),
    (2, 1, 700),
    (3, 1, LATE),
];
const LATE: usize = ClusterOptions::MASKED_AFTER;

/// The program of a random model; none if its text is not one.
fn promela_program(text: &str) -> Option<Program> {
    let read = tertium_promela::read("m.pml", text, &tertium_promela::Options::default());
    (!read.is_broken()).then(|| tertium_promela::lower::lower(&read.file, &read.symbols, &read.sources).program)
}

#[test]
fn random_promela_models() {
    let (whole, tried) = (Cell::new(0), Cell::new(0));
    for_random_cases(24, |case| {
        let text = random_promela(&mut case.rng);
        case.keep("model.pml", text.clone());
        let Some(program) = promela_program(&text) else { return };
        let sizes = [SIZES[case.number % SIZES.len()], SIZES[(case.number * 5 + 3) % SIZES.len()]];
        let is_whole = !compare(&program, 97, &sizes, "a random model").is_empty();
        whole.set(whole.get() + usize::from(is_whole));
        tried.set(tried.get() + 1);
    });
    assert!(whole.get() * 3 >= tried.get() && whole.get() > 0, "{} of {} compared", whole.get(), tried.get());
}

#[test]
fn a_state_space_of_many_levels_and_packets() {
    let text = "system s var x, y, z : 0..13 = 0
        process P { while x < 13 { x := x + 1; } }
        process Q { while y < 13 { y := y + 1; } }
        process R { while z < 13 { z := z + 1; } }";
    let compiled = tertium_gcl::compile(text);
    let program = compiled.program.unwrap_or_else(|| panic!("{:?}", compiled.diagnostics));
    let sizes = [(1, 1, LATE), (1, 4, LATE), (3, 1, 100), (2, 2, LATE), (2, 3, 5), (9, 1, 500)];
    assert!(!compare(&program, 9973, &sizes, "counters").is_empty());
}

/// Random walks end soon, since two processes may end them at each step. So what varies far from the beginning was not seen when the mask was made: on and on, and
/// in the end it is more bits than a key has.
#[test]
fn masks_that_are_wrong_again_and_again() {
    let count = |last: &str| {
        format!(
            "system s var x, y : 0..100000 = 0 var b : -100000..100000 = 7 var t : 0..1 = 0 var c, d, e : int = 0
             process P {{ while x < 11 && t = 0 {{ x := x + 1; }} if t = 0 {{ b := -1000; {last} }} }}
             process Q {{ while y < 11 && t = 0 {{ y := y + 1; b := 800 * y; }} if t = 0 {{ d := 0 - 3 * y; }} }}
             process R {{ t := 1; }} process S {{ t := 1; }}"
        )
    };
    let mut masks = Vec::new();
    for last in ["c := x + y;", "c := 1000000007 * y; e := 1000000009 * y;"] {
        let compiled = tertium_gcl::compile(&count(last));
        let program = compiled.program.unwrap_or_else(|| panic!("{:?}", compiled.diagnostics));
        for masked_after in [1, 5, 40, 300, 700] {
            let sizes = [(2, 1, masked_after), (3, 2, masked_after)];
            masks.extend(compare(&program, 997, &sizes, "counters"));
        }
    }
    assert!(masks.len() > 12 && masks.iter().filter(|&&masks| masks > 2).count() > 6, "{masks:?}");
}

/// There are more processes than states, so some have none.
#[test]
fn a_process_that_owns_nothing() {
    let text = "system s var x : 0..2 = 0 process P { while x < 2 { x := x + 1; } }";
    let program = tertium_gcl::compile(text).program.expect("no mistakes");
    assert!(!compare(&program, 5, &[(5, 1, 1), (6, 2, LATE), (4, 1, 3)], "three states").is_empty());
}

/// Where the search ends early differs, but nobody says that it was whole.
#[test]
fn limits_on_states_end_all() {
    let text = "system s var x, y : int = 0
        process P { loop { x := x + 1; } } process Q { loop { y := y + 1; } }";
    let program = tertium_gcl::compile(text).program.expect("no mistakes");
    for (count, workers, masked_after) in [(1, 2, LATE), (2, 1, 100), (3, 2, 1000)] {
        let take_part = |meeting| take_part(meeting, &program, 97, masked_after).expect("nobody is lost");
        for found in processes(count, workers, &take_part) {
            assert_eq!(found.summary.stopped.map(|stopped| stopped.0), Some(StopReason::Count));
            assert!(found.summary.states > MOST, "{}", found.summary.states);
        }
    }
}

#[test]
fn another_version_or_another_number_of_workers_is_refused() {
    for (version, workers) in [("other", 1), ("test", 2)] {
        let addresses = addresses(2);
        let outcomes: Vec<_> = std::thread::scope(|scope| {
            let meet = |process: usize| {
                let mut team = team(&addresses, process, if process == 1 { workers } else { 1 });
                team.version = if process == 1 { version } else { "test" }.to_owned();
                scope.spawn(move || team.meet(&Budget::unlimited()).map(drop))
            };
            let both = [meet(0), meet(1)];
            both.into_iter().map(|one| one.join().expect("no panic")).collect()
        });
        for outcome in outcomes {
            assert!(matches!(outcome, Err(ClusterFailure::Refused { .. })), "{outcome:?}");
        }
    }
}

#[test]
fn who_does_not_come_is_named() {
    let addresses = addresses(2);
    let mut team = team(&addresses, 0, 1);
    team.patience = Duration::from_millis(200);
    let outcome = team.meet(&Budget::unlimited()).map(drop);
    assert!(matches!(outcome, Err(ClusterFailure::Absent { process: 1, .. })), "{outcome:?}");
}

/// A process that meets the others and then goes away without a word.
#[test]
fn who_is_lost_is_named_and_nothing_is_answered() {
    let text = "system s var x, y : int = 0
        process P { loop { x := x + 1; } } process Q { loop { y := y + 1; } }";
    let compiled = tertium_gcl::compile(text);
    let program = compiled.program.unwrap_or_else(|| panic!("{:?}", compiled.diagnostics));
    let addresses = addresses(2);
    std::thread::scope(|scope| {
        let (addresses, program) = (&addresses, &program);
        let one = scope.spawn(move || {
            let budget = Budget::unlimited().with_time(Some(Duration::from_secs(60)));
            let meeting = team(addresses, 0, 1).meet(&budget)?;
            let semantics = Semantics::new(program);
            let compiled = Compiled::of(&semantics);
            let rows = rows(&semantics, &compiled);
            let options = ClusterOptions {
                max_states: None,
                budget: &budget,
                checkpoints: None,
                masked_after: ClusterOptions::MASKED_AFTER,
            };
            let wanted = |_: &Summary| Vec::new();
            search(meeting, (&compiled, &Picky(97)), &rows, &wanted, &options, &mut |_| {})
        });
        let other = team(addresses, 1, 1).meet(&Budget::unlimited()).expect("the other is there");
        std::thread::sleep(Duration::from_millis(200));
        drop(other);
        let outcome = one.join().expect("no panic").map(|found| found.summary);
        assert!(matches!(outcome, Err(ClusterFailure::Lost { process: 1, .. })), "{outcome:?}");
    });
}

/// Gives up after some states, in one process only.
struct Clumsy {
    looks: AtomicUsize,
    most: usize,
}

impl Observer for Clumsy {
    type Scratch = ();

    fn scratch(&self) {}

    fn look(&self, _: &[u32], (): &mut (), _: &mut dyn FnMut(usize)) {
        assert!(self.looks.fetch_add(1, Ordering::Relaxed) < self.most, "it gives up");
    }
}

/// Whoever fails by itself does not let the others wait for ever.
#[test]
fn a_process_that_fails_is_lost_for_the_others() {
    let text = "system s var x, y : 0..90 = 0
        process P { while x < 90 { x := x + 1; } } process Q { while y < 90 { y := y + 1; } }";
    let program = tertium_gcl::compile(text).program.expect("no mistakes");
    for (workers, most) in [(1, 0), (1, 700), (2, 3000)] {
        let take_part = |meeting: Meeting| {
            let (semantics, budget) = (Semantics::new(&program), Budget::unlimited());
            let compiled = Compiled::of(&semantics);
            let options = ClusterOptions { max_states: None, budget: &budget, checkpoints: None, masked_after: 1000 };
            let most = if meeting.process() == 1 { most } else { usize::MAX };
            let clumsy = Clumsy { looks: AtomicUsize::new(0), most };
            let wanted = |_: &Summary| Vec::new();
            let initial = rows(&semantics, &compiled);
            search(meeting, (&compiled, &clumsy), &initial, &wanted, &options, &mut |_| {}).map(|found| found.summary)
        };
        let outcomes = processes(3, workers, &take_part);
        assert!(matches!(outcomes[1], Err(ClusterFailure::Unable { .. })), "{outcomes:?}");
        for other in [0, 2] {
            assert!(matches!(outcomes[other], Err(ClusterFailure::Lost { process: 1, .. })), "{outcomes:?}");
        }
    }
}
