//! Do several workers, in one process or in several that talk over loopback, find what one thread finds?

use std::cell::Cell;
use std::net::TcpListener;
use std::time::Duration;

use tertium_base::Budget;
use tertium_cluster::{ClusterFailure, ClusterOptions, ClusterSearch, Meeting, Team, search};
use tertium_explore::compiled::Compiled;
use tertium_explore::search::breadth::{Options, breadth_first};
use tertium_explore::search::run::shortest_run;
use tertium_explore::search::{Finding, Observer, Summary};
use tertium_program::{Program, Semantics};
use tertium_testkit::{for_random_cases, random_promela};

/// Takes some rows, by their sum, for broken.
struct Picky(u32);

impl Observer for Picky {
    type Scratch = ();

    fn scratch(&self) {}

    fn look(&self, row: &[u32], (): &mut (), broken: &mut dyn FnMut(usize)) {
        let sum = row.iter().fold(0u32, |sum, &word| sum.wrapping_mul(31).wrapping_add(word));
        if sum % self.0 == 1 {
            broken((sum % 3) as usize);
        }
    }
}

/// Addresses on this machine that are free.
fn addresses(count: usize) -> Vec<String> {
    let listeners: Vec<_> = (0..count).map(|_| TcpListener::bind("127.0.0.1:0").expect("a free port")).collect();
    listeners.iter().map(|listener| listener.local_addr().expect("bound").to_string()).collect()
}

fn team(addresses: &[String], process: usize, workers: usize) -> Team {
    let (addresses, version) = (addresses.to_vec(), "test".to_owned());
    Team { addresses, process, workers, version, patience: Duration::from_secs(60) }
}

/// The search by so many processes, each a thread of this one with connections of its own.
fn together(program: &Program, processes: usize, workers: usize, pick: u32) -> Vec<ClusterSearch> {
    let addresses = addresses(processes);
    std::thread::scope(|scope| {
        let process = |process: usize| {
            let addresses = &addresses;
            scope.spawn(move || {
                let budget = Budget::unlimited();
                let meeting = match processes {
                    1 => Team::alone(workers).meet(&budget),
                    _ => team(addresses, process, workers).meet(&budget),
                };
                take_part(meeting.expect("all are there"), program, pick, &budget).expect("nobody is lost")
            })
        };
        let all: Vec<_> = (0..processes).map(process).collect();
        all.into_iter().map(|one| one.join().expect("no panic")).collect()
    })
}

fn take_part(meeting: Meeting, program: &Program, pick: u32, budget: &Budget) -> Result<ClusterSearch, ClusterFailure> {
    let semantics = Semantics::new(program);
    let compiled = Compiled::of(&semantics);
    let rows = rows(&semantics, &compiled);
    let options = ClusterOptions { max_states: Some(MOST), budget, checkpoints: None };
    let wanted = |summary: &Summary| summary.findings.keys().cloned().collect::<Vec<Finding>>();
    search(meeting, (&compiled, &Picky(pick)), &rows, &wanted, &options, &mut |_| {})
}

fn rows(semantics: &Semantics<'_>, compiled: &Compiled<'_>) -> Vec<Vec<u32>> {
    let initial = semantics.initial_states(1 << 10, &Budget::unlimited()).unwrap_or_default();
    initial.iter().map(|state| compiled.plain().row(state)).collect()
}

/// Larger state spaces are not compared.
const MOST: usize = 30_000;

/// Compares the searches of so many processes and workers with that of one thread; whether it was whole.
fn compare(program: &Program, pick: u32, sizes: &[(usize, usize)], name: &str) -> bool {
    let (semantics, budget) = (Semantics::new(program), Budget::unlimited());
    let compiled = Compiled::of(&semantics);
    let rows = rows(&semantics, &compiled);
    let options = Options { threads: 1, max_states: Some(MOST), stop_at_finding: false, budget: &budget };
    let one = breadth_first(&compiled, &Picky(pick), &rows, &options, &mut |_| {});
    if !one.summary.complete() {
        return false;
    }
    for &(processes, workers) in sizes {
        for found in together(program, processes, workers, pick) {
            assert_eq!(found.summary, one.summary, "{name}, {processes} processes of {workers} workers");
            for (finding, place) in &one.summary.findings {
                let run = shortest_run(&compiled, one.levelled(), &place.row, place.depth, &budget).expect("no limit");
                assert_eq!(found.runs.get(finding), Some(&run), "{name}: {finding:?}");
            }
            assert_eq!(found.cost.workers, processes * workers);
            assert_eq!(found.cost.network > 0, processes > 1, "{name}");
        }
    }
    true
}

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
        let sizes: &[(usize, usize)] = if case.number % 5 == 0 { &[(1, 1), (1, 3), (2, 2)] } else { &[(2, 1)] };
        whole.set(whole.get() + usize::from(compare(&program, 97, sizes, "a random model")));
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
    assert!(compare(&program, 9973, &[(1, 1), (1, 4), (3, 1), (2, 2)], "counters"));
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
            let options = ClusterOptions { max_states: None, budget: &budget, checkpoints: None };
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
