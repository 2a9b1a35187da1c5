//! How fast are concrete state spaces built, compared with Spin on the same programs?
//!
//! Prints states, transitions, states a second on one and on two threads, bytes a state, and where a `spin` and a C
//! compiler are on the path the same of Spin (`pan -O2`, plain semantics: no reduction, no merging, no dead
//! variables) with the ratio of total times.
//!
//! Exits with 1 and says what is missed if, at the large sizes, a program has fewer than a million states a second on one
//! thread, less than 1.6 times that on two, or more than 40 bytes a state; at any size if states or transitions are not
//! Spin's or differ between threads. Other work on the machine takes away from the rates, most of all from that of two
//! threads on two processors: each is the best of [`RUNS`], and [`SLACK`] of the bar is enough for it.

use std::io::Write as _;
use std::path::Path;
use std::process::{Command, ExitCode};
use std::time::{Duration, Instant};

use tertium_base::{Budget, memory};
use tertium_bench::families::{Pair, allocation, bounded_buffer, philosophers, token_ring};
use tertium_explore::compiled::Compiled;
use tertium_explore::search::Blind;
use tertium_explore::search::breadth::{Explored, Options, breadth_first};
use tertium_program::Semantics;

#[global_allocator]
static ALLOCATOR: memory::CountingAllocator = memory::CountingAllocator;

fn main() -> ExitCode {
    let scale = std::env::args().nth(1).unwrap_or_default();
    let programs = if scale == "small" {
        vec![token_ring(6, 4), philosophers(8), bounded_buffer(2, 2, 3, 4), allocation(7, 9, 3)]
    } else {
        vec![token_ring(7, 5), philosophers(13), bounded_buffer(3, 2, 4, 6), allocation(9, 12, 3)]
    };
    let mut missed = Vec::new();
    say(
        "program                    states transitions  k states/s  2 threads  bytes/state |  Spin: states k states/s  total time ours/Spin",
    );
    for pair in programs {
        let measured = measure(&pair);
        say(&line(&pair, &measured));
        missed.extend(judge(&pair, &measured, scale != "small"));
    }
    missed.iter().for_each(|bar| say(&format!("FAIL {bar}")));
    if missed.is_empty() { ExitCode::SUCCESS } else { ExitCode::from(1) }
}

/// Each rate is the best of so many runs.
const RUNS: usize = 3;
/// States a second on one thread.
const RATE: f64 = 1e6;
/// What a second thread brings.
const GAIN: f64 = 1.6;
/// Bytes a state.
const BYTES: f64 = 40.0;
/// So much of a bar that is a rate is enough.
const SLACK: f64 = 0.9;

/// What was measured of one program.
struct Measured {
    explored: Explored,
    one: Duration,
    two: Duration,
    total: Duration,
    spin: Option<Spin>,
}

impl Measured {
    fn states(&self) -> f64 {
        self.explored.summary.states as f64
    }

    fn rate(&self) -> f64 {
        self.states() / self.one.as_secs_f64()
    }

    fn gain(&self) -> f64 {
        self.one.as_secs_f64() / self.two.as_secs_f64()
    }

    fn bytes(&self) -> f64 {
        self.explored.store.bytes() as f64 / self.states()
    }
}

/// The bars that a program misses.
fn judge(pair: &Pair, measured: &Measured, large: bool) -> Vec<String> {
    let mut missed = Vec::new();
    let mut must = |holds: bool, what: String| {
        if !holds {
            missed.push(format!("{}: {what}", pair.name));
        }
    };
    if large {
        must(measured.rate() >= SLACK * RATE, format!("{:.0} thousand states a second", measured.rate() / 1e3));
        must(measured.gain() >= SLACK * GAIN, format!("two threads are {:.2} times one", measured.gain()));
        must(measured.bytes() <= BYTES, format!("{:.1} bytes a state", measured.bytes()));
    }
    if let Some(spin) = &measured.spin {
        let ours = (measured.explored.summary.states, measured.explored.summary.transitions);
        must(
            ours == (spin.states, spin.transitions),
            format!("Spin has {} states, {} transitions", spin.states, spin.transitions),
        );
    }
    missed
}

fn say(line: &str) {
    let _ = writeln!(std::io::stdout(), "{line}");
}

fn measure(pair: &Pair) -> Measured {
    let start = Instant::now();
    let program = tertium_gcl::compile(&pair.gcl).program.expect("the families are well-formed");
    let semantics = Semantics::new(&program);
    let compiled = Compiled::of(&semantics);
    let (mut one, explored) = explore(&compiled, 1);
    let total = start.elapsed();
    let mut two = Duration::MAX;
    for run in 0..RUNS {
        if run > 0 {
            one = one.min(explore(&compiled, 1).0);
        }
        let (time, again) = explore(&compiled, 2);
        assert_eq!(explored.summary, again.summary, "threads must not matter");
        two = two.min(time);
    }
    Measured { explored, one, two, total, spin: spin(pair) }
}

fn line(pair: &Pair, measured: &Measured) -> String {
    let spin = measured.spin.as_ref().map_or_else(
        || "no spin or no C compiler".to_owned(),
        |spin| {
            let ratio = measured.total.as_secs_f64() / spin.total.as_secs_f64();
            format!("{:>10} {:>10.0} {ratio:>10.2}", spin.states, spin.states as f64 / spin.search.as_secs_f64() / 1e3)
        },
    );
    format!(
        "{:<22} {:>10} {:>11} {:>11.0} {:>9.2}x {:>12.1} | {spin}",
        pair.name,
        measured.explored.summary.states,
        measured.explored.summary.transitions,
        measured.rate() / 1e3,
        measured.gain(),
        measured.bytes(),
    )
}

fn explore(compiled: &Compiled<'_>, threads: usize) -> (Duration, Explored) {
    let budget = Budget::unlimited();
    let initial = compiled.plain().semantics().initial_states(1 << 20, &budget).expect("few initial states");
    let initial: Vec<Vec<u32>> = initial.iter().map(|state| compiled.plain().row(state)).collect();
    let options = Options { threads, max_states: None, stop_at_finding: false, budget: &budget };
    let start = Instant::now();
    let explored = breadth_first(compiled, &Blind, &initial, &options, &mut |_| {});
    (start.elapsed(), explored)
}

struct Spin {
    states: usize,
    transitions: usize,
    total: Duration,
    search: Duration,
}

/// Generation, compilation and search by Spin; none if something is missing.
fn spin(pair: &Pair) -> Option<Spin> {
    let folder = Path::new("target/bench/spin");
    std::fs::create_dir_all(folder).ok()?;
    std::fs::write(folder.join("model.pml"), &pair.promela).ok()?;
    let start = Instant::now();
    let run =
        |program: &str, arguments: &[&str]| Command::new(program).args(arguments).current_dir(folder).output().ok();
    run("spin", &["-o1", "-o2", "-o3", "-a", "model.pml"]).filter(|output| output.status.success())?;
    run("gcc", &["-O2", "-DSAFETY", "-DNOREDUCE", "-DMEMLIM=8000", "-o", "pan", "pan.c"])
        .filter(|output| output.status.success())?;
    let begun = Instant::now();
    // Steps inside atomic blocks count, so the longest way without a repetition is longer than there are states.
    let output = run("./pan", &["-m20000000", "-n", "-E"])?;
    let (total, search) = (start.elapsed(), begun.elapsed());
    let text = String::from_utf8_lossy(&output.stdout);
    let count = |what: &str| -> Option<usize> {
        text.lines().find(|line| line.contains(what))?.trim().split(' ').next()?.parse().ok()
    };
    // It counts the initial state as a transition.
    let transitions = count("transitions (= stored+matched)")?.saturating_sub(1);
    Some(Spin { states: count("states, stored")?, transitions, total, search })
}
