//! How fast are concrete state spaces built, compared with Spin on the same programs?
//!
//! Prints states, transitions, states a second on one and on two threads, bytes a state, and where a `spin` and a C
//! compiler are on the path the same of Spin (`pan -O2`, plain semantics: no reduction, no merging, no dead
//! variables) with the ratio of total times.

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
    say(
        "program                    states transitions  k states/s  2 threads  bytes/state |  Spin: states k states/s  total time ours/Spin",
    );
    for pair in programs {
        say(&line(&pair));
    }
    ExitCode::SUCCESS
}

fn say(line: &str) {
    let _ = writeln!(std::io::stdout(), "{line}");
}

fn line(pair: &Pair) -> String {
    let start = Instant::now();
    let program = tertium_gcl::compile(&pair.gcl).program.expect("the families are well-formed");
    let semantics = Semantics::new(&program);
    let compiled = Compiled::of(&semantics);
    let (one, explored) = explore(&compiled, 1);
    let total = start.elapsed();
    let (two, again) = explore(&compiled, 2);
    assert_eq!(explored.summary, again.summary, "threads must not matter");
    let states = explored.summary.states;
    let rate = states as f64 / one.as_secs_f64() / 1e3;
    let spin = spin(pair).map_or_else(
        || "no spin or no C compiler".to_owned(),
        |spin| {
            let ratio = total.as_secs_f64() / spin.total.as_secs_f64();
            format!("{:>10} {:>10.0} {ratio:>10.2}", spin.states, spin.states as f64 / spin.search.as_secs_f64() / 1e3)
        },
    );
    format!(
        "{:<22} {states:>10} {:>11} {rate:>11.0} {:>9.2}x {:>12.1} | {spin}",
        pair.name,
        explored.summary.transitions,
        one.as_secs_f64() / two.as_secs_f64(),
        explored.store.bytes() as f64 / states as f64,
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
    let output = run("./pan", &["-m10000000", "-n", "-E"])?;
    let text = String::from_utf8_lossy(&output.stdout);
    let states = text.lines().find(|line| line.contains("states, stored"))?.trim().split(' ').next()?.parse().ok()?;
    Some(Spin { states, total: start.elapsed(), search: begun.elapsed() })
}
