//! Large programs are read in time that grows with their size, not with its square.

use std::fmt::Write;
use std::time::{Duration, Instant};

fn time(text: &str) -> Duration {
    let start = Instant::now();
    let compiled = tertium_gcl::compile(text);
    let took = start.elapsed();
    assert_eq!(compiled.diagnostics, []);
    took
}

/// Generous, because tests share the machine with others; quadratic behaviour takes minutes here.
const LIMIT: Duration = Duration::from_secs(8);

#[test]
fn ten_thousand_processes() {
    let family = "system s\nvar x : int = 0\nprocess P[i : 1..10000] { var t : nat = i loop { a: t := x + i; await t > P[1].t; } }\nproperty p : ltl G P[9999]@a";
    assert!(time(family) < LIMIT);
    let mut single = "system s\nvar x : int = 0\n".to_owned();
    for number in 0..10_000 {
        let _ = writeln!(
            single,
            "process P{number} {{ var t : nat = 0 loop {{ a: t := x + 1; await t > P{}.t; }} }}",
            number / 2
        );
    }
    let all: Vec<String> = (0..10_000).map(|number| format!("P{number}@a")).collect();
    let _ = writeln!(single, "property p : ltl G ({})", all.join(" || "));
    assert!(time(&single) < LIMIT);
}

#[test]
fn a_hundred_thousand_statements() {
    let mut text = "system s\nvar x : int = 0\nprocess P {\n".to_owned();
    for number in 0..25_000 {
        let _ = writeln!(
            text,
            "l{number}: x := x + {number}; if x > 3 {{ skip; }} choose {{ skip; }} or {{ goto l{}; }}",
            number / 2
        );
    }
    text.push('}');
    assert!(time(&text) < LIMIT);
    let start = Instant::now();
    let neat = tertium_gcl::format::format(&text);
    assert!(start.elapsed() < LIMIT, "{} bytes", neat.len());
}
