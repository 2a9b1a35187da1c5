//! How much longer does a search take that keeps states on disk? `measure_disk FILE.pml FOLDER TIMES...`: each time with one state in memory of so many.

use std::io::Write as _;
use std::path::Path;
use std::time::Instant;

use tertium_base::Budget;
use tertium_explore::compiled::Compiled;
use tertium_explore::search::Blind;
use tertium_explore::search::breadth::{Options, breadth_first};
use tertium_explore::search::disk::{DiskOptions, breadth_first_on_disk};
use tertium_program::Semantics;

fn main() {
    let mut arguments = std::env::args().skip(1);
    let (file, folder) = (arguments.next().expect("a file"), arguments.next().expect("a folder"));
    let text = std::fs::read_to_string(&file).expect("readable");
    let read = tertium_promela::read(&file, &text, &tertium_promela::Options::default());
    let program = tertium_promela::lower::lower(&read.file, &read.symbols, &read.sources).program;
    let budget = Budget::unlimited();
    let semantics = Semantics::new(&program);
    let compiled = Compiled::of(&semantics);
    let initial = semantics.initial_states(1 << 20, &budget).expect("initial states");
    let rows: Vec<Vec<u32>> = initial.iter().map(|state| compiled.plain().row(state)).collect();
    let options = Options { threads: 1, max_states: None, stop_at_finding: false, budget: &budget };
    let start = Instant::now();
    let inside = breadth_first(&compiled, &Blind, &rows, &options, &mut |_| {});
    let (seconds, states, bytes) = (start.elapsed().as_secs_f64(), inside.summary.states, inside.store.bytes());
    let _ = writeln!(std::io::stdout(), "in memory: {states} states {seconds:.2} s {bytes} bytes");
    for times in arguments.map(|word| word.parse::<usize>().expect("a number")) {
        let (start, folder) = (Instant::now(), Path::new(&folder));
        let disk = DiskOptions { folder, memory: usize::MAX, buffers: bytes / times / 4, states: states / times / 2 };
        let found =
            breadth_first_on_disk((&compiled, &Blind), &rows, &options, &disk, &mut |_| {}).expect("no failure");
        assert_eq!(found.summary, inside.summary, "the same is found");
        let later = start.elapsed().as_secs_f64();
        let _ = writeln!(
            std::io::stdout(),
            "a {times}th of it: {later:.2} s, {:.2} times as long; {} bytes in memory and {} on disk at the end",
            later / seconds,
            found.bytes.0,
            found.bytes.1
        );
    }
}
