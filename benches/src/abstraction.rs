//! What does our layer before the solver cost, and what do the kinds of abstraction give?
//!
//! Prints questions a second through terms, cache and translation beside the same questions built with the bindings alone,
//! and for each program of the corpus and each kind: calls, time, states, definite answers. Exits with 1 if our layer takes
//! more than one and a half times as long.

use std::io::Write as _;
use std::process::ExitCode;
use std::time::{Duration, Instant};

use tertium_base::{Budget, memory};
use tertium_driver::Belnap;
use tertium_driver::program::predicate_abstraction::{self, AbstractionKind, AbstractionOptions};
use tertium_driver::program::questions::questions;
use tertium_driver::program::{CheckOptions, load};
use tertium_smt::{Limit, Purpose, Queries, Reply, Sort, TermId, Terms, Z3};
use z3::ast::{Bool, Int};
use z3::{SatResult, Solver};

#[global_allocator]
static ALLOCATOR: memory::CountingAllocator = memory::CountingAllocator;

/// Questions of the kind that abstraction asks: `x + a <= y`, `y <= z`, `z + b <= x` for different constants.
const QUESTIONS: i64 = 4000;
const RUNS: usize = 5;
const BOUND: f64 = 1.5;

fn say(line: &str) {
    let _ = writeln!(std::io::stdout(), "{line}");
}

fn main() -> ExitCode {
    tertium_smt::loading::load().expect("the solver's library");
    let mut ratios: Vec<(f64, Duration, Duration)> = (0..RUNS)
        .map(|_| {
            let (ours, plain) = (ours(), plain());
            assert_eq!(ours.1, plain.1, "the same questions have the same answers");
            (ours.0.as_secs_f64() / plain.0.as_secs_f64(), ours.0, plain.0)
        })
        .collect();
    ratios.sort_by(|a, b| a.0.total_cmp(&b.0));
    let (ratio, ours, plain) = ratios[RUNS / 2];
    let rate = |time: Duration| QUESTIONS as f64 / time.as_secs_f64();
    say(&format!(
        "questions a second: {:.0} through our layer, {:.0} with the bindings alone; {ratio:.2} times as long",
        rate(ours),
        rate(plain)
    ));
    kinds();
    if ratio > BOUND {
        say(&format!("more than {BOUND} times as long"));
        return ExitCode::from(1);
    }
    ExitCode::SUCCESS
}

fn ours() -> (Duration, usize) {
    let start = Instant::now();
    let mut terms = Terms::new();
    let mut queries = Queries::new(Box::new(Z3::new().expect("the solver")), Limit::default(), &Budget::unlimited());
    let [x, y, z] = ["x", "y", "z"].map(|name| terms.fresh(name, Sort::Int, (Some(0), None)));
    let mut satisfiable = 0;
    for number in 0..QUESTIONS {
        let a = terms.weighted(&[(x, 1)], i128::from(number));
        let b = terms.weighted(&[(z, 1)], i128::from(number % 7) - i128::from(QUESTIONS / 2));
        let parts: [TermId; 3] = [terms.le(a, y), terms.le(y, z), terms.le(b, x)];
        let reply = queries.satisfiable(&mut terms, Purpose::Other, &parts).expect("no limit");
        satisfiable += usize::from(reply == Reply::Sat);
    }
    (start.elapsed(), satisfiable)
}

fn plain() -> (Duration, usize) {
    let start = Instant::now();
    let solver = Solver::new();
    let [x, y, z] = ["x", "y", "z"].map(Int::new_const);
    let zero = Int::from_i64(0);
    let mut satisfiable = 0;
    for number in 0..QUESTIONS {
        let a = Int::add(&[x.clone(), Int::from_i64(number)]);
        let b = Int::add(&[z.clone(), Int::from_i64(number % 7 - QUESTIONS / 2)]);
        let parts = [a.le(&y), y.le(&z), b.le(&x)];
        solver.push();
        for symbol in [&x, &y, &z] {
            solver.assert(symbol.ge(&zero));
        }
        let marks: Vec<Bool> = (0..parts.len()).map(|at| Bool::new_const(format!("mark{at}"))).collect();
        for (mark, part) in marks.iter().zip(&parts) {
            solver.assert(mark.implies(part));
        }
        satisfiable += usize::from(solver.check_assumptions(&marks) == SatResult::Sat);
        solver.pop(1);
    }
    (start.elapsed(), satisfiable)
}

const PROGRAMS: [&str; 7] = ["bakery_a", "bakery_b", "bakery_c", "parity_c1", "parity_c2", "parity_c3", "tickets"];

fn kinds() {
    say("program      kind        predicates  states   calls  definite of    time");
    let mut totals: Vec<(u64, usize, usize, Duration)> = vec![(0, 0, 0, Duration::ZERO); AbstractionKind::ALL.len()];
    for name in PROGRAMS {
        let path = format!("corpus/gcl/{name}.gcl");
        let Ok(file) = load(std::path::Path::new(&path), &[], None, &[]) else {
            say(&format!("{name:<12} cannot be read; run this from the project's folder"));
            continue;
        };
        let asked = questions(&file, &[], false).unwrap_or_default();
        for (kind, total) in AbstractionKind::ALL.into_iter().zip(&mut totals) {
            let options = AbstractionOptions { kind, ..AbstractionOptions::default() };
            let start = Instant::now();
            let found = predicate_abstraction::check(
                &file,
                &asked,
                &CheckOptions::default(),
                &options,
                &Budget::unlimited(),
                &(),
            );
            let time = start.elapsed();
            let Ok(found) = found else { continue };
            let work = found.answers.last().and_then(|answer| answer.cost.solver).unwrap_or_default();
            let states = found.answers.first().map_or(0, |answer| answer.cost.states);
            let definite =
                found.answers.iter().filter(|answer| matches!(answer.value(), Belnap::True | Belnap::False)).count();
            say(&format!(
                "{name:<12} {:<10} {:>10} {states:>8} {:>7} {definite:>8} of {:<2} {time:>9.3?}",
                kind.name(),
                work.predicates,
                work.calls,
                found.answers.len()
            ));
            *total = (total.0 + work.calls as u64, total.1 + definite, total.2 + found.answers.len(), total.3 + time);
        }
    }
    for (kind, (calls, definite, all, time)) in AbstractionKind::ALL.into_iter().zip(totals) {
        say(&format!("all          {:<30} {calls:>7} {definite:>8} of {all:<2} {time:>9.3?}", kind.name()));
    }
}
