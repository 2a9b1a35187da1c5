//! How fast is a state space visited with so many threads? `measure_threads FILE.pml THREADS...`

use std::io::Write as _;
use std::time::Instant;

use tertium_base::Budget;
use tertium_explore::compiled::Compiled;
use tertium_explore::search::Blind;
use tertium_explore::search::breadth::{Options, breadth_first};
use tertium_program::Semantics;

fn main() {
    let mut arguments = std::env::args().skip(1);
    let file = arguments.next().expect("a file");
    let text = std::fs::read_to_string(&file).expect("readable");
    let read = tertium_promela::read(&file, &text, &tertium_promela::Options::default());
    let program = tertium_promela::lower::lower(&read.file, &read.symbols, &read.sources).program;
    let budget = Budget::unlimited();
    let semantics = Semantics::new(&program);
    let compiled = Compiled::of(&semantics);
    let initial = semantics.initial_states(1 << 20, &budget).expect("initial states");
    let rows: Vec<Vec<u32>> = initial.iter().map(|state| compiled.plain().row(state)).collect();
    for threads in arguments.map(|word| word.parse().expect("a number")) {
        let options = Options { threads, max_states: None, stop_at_finding: false, budget: &budget };
        let start = Instant::now();
        let found = breadth_first(&compiled, &Blind, &rows, &options, &mut |_| {});
        let seconds = start.elapsed().as_secs_f64();
        let summary = &found.summary;
        let states = summary.states as f64;
        let _ = writeln!(
            std::io::stdout(),
            "{threads} threads: {} words {} states {} transitions depth {} {seconds:.2} s {:.0} k/s {:.1} bytes/state; growing {:.2} waiting {:.2} alone {:.2}",
            found.store.words(),
            summary.states,
            summary.transitions,
            summary.depth,
            states / seconds / 1e3,
            found.store.bytes() as f64 / states,
            found.profile.growing.as_secs_f64(),
            found.profile.waiting.as_secs_f64(),
            found.profile.alone.as_secs_f64(),
        );
    }
}
