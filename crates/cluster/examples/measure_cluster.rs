//! What does a search by several workers cost? `measure_cluster FILE.pml WORKERS...` for one process, `measure_cluster FILE.pml WORKERS --hosts FILE PROCESS` for
//! one of several.

use std::io::Write as _;
use std::time::{Duration, Instant};

use tertium_base::Budget;
use tertium_cluster::{ClusterOptions, Team, hosts, search};
use tertium_explore::compiled::Compiled;
use tertium_explore::search::Blind;
use tertium_program::Semantics;

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let (file, rest) = arguments.split_first().expect("a file");
    let (workers, several) = match rest.iter().position(|word| word == "--hosts") {
        Some(at) => (&rest[..at], Some((&rest[at + 1], &rest[at + 2]))),
        None => (rest, None),
    };
    let text = std::fs::read_to_string(file).expect("readable");
    let read = tertium_promela::read(file, &text, &tertium_promela::Options::default());
    let program = tertium_promela::lower::lower(&read.file, &read.symbols, &read.sources).program;
    let budget = Budget::unlimited();
    let semantics = Semantics::new(&program);
    let compiled = Compiled::of(&semantics);
    let initial = semantics.initial_states(1 << 20, &budget).expect("initial states");
    let rows: Vec<Vec<u32>> = initial.iter().map(|state| compiled.plain().row(state)).collect();
    for workers in workers.iter().map(|word| word.parse().expect("a number")) {
        let team = several.map_or_else(
            || Team::alone(workers),
            |(hosts, process)| Team {
                addresses: hosts::addresses(&std::fs::read_to_string(hosts).expect("readable")).expect("addresses"),
                process: process.parse().expect("a number"),
                workers,
                version: "measured".to_owned(),
                patience: Duration::from_secs(60),
            },
        );
        let (process, processes) = (team.process, team.addresses.len());
        let meeting = team.meet(&budget).expect("all are there");
        let options = ClusterOptions {
            max_states: None,
            budget: &budget,
            checkpoints: None,
            masked_after: ClusterOptions::MASKED_AFTER,
        };
        let start = Instant::now();
        let found = search(meeting, (&compiled, &Blind), &rows, &|_| Vec::new(), &options, &mut |_| {});
        let (found, seconds) = (found.expect("nobody is lost"), start.elapsed().as_secs_f64());
        let states = found.summary.states as f64;
        if process == 0 {
            let _ = writeln!(
                std::io::stdout(),
                "{processes} processes of {workers} workers: {} states {} transitions depth {} {seconds:.2} s {:.0} k/s {:.1} bytes/state {:.2} rows/state {:.1} network bytes/state",
                found.summary.states,
                found.summary.transitions,
                found.summary.depth,
                states / seconds / 1e3,
                found.cost.bytes as f64 / states,
                found.cost.rows_sent as f64 / states,
                found.cost.network as f64 / states,
            );
        }
    }
}
