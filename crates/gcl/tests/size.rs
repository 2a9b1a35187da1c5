//! Large programs are read and written in time that grows with their size, not with its square.

use std::fmt::Write;

use tertium_testkit::assert_linear;

fn read(text: &str) {
    assert_eq!(tertium_gcl::compile(text).diagnostics, []);
}

/// A family of so many processes.
fn family(count: usize) -> String {
    format!(
        "system s\nvar x : int = 0\nprocess P[i : 1..{count}] {{ var t : nat = i loop {{ a: t := x + i; await t > P[1].t; }} }}\n\
         property p : ltl G P[{}]@a",
        count - 1
    )
}

/// So many processes, one by one, and a property of all of them.
fn processes(count: usize) -> String {
    let mut text = "system s\nvar x : int = 0\n".to_owned();
    for number in 0..count {
        let _ = writeln!(
            text,
            "process P{number} {{ var t : nat = 0 loop {{ a: t := x + 1; await t > P{}.t; }} }}",
            number / 2
        );
    }
    let all: Vec<String> = (0..count).map(|number| format!("P{number}@a")).collect();
    let _ = writeln!(text, "property p : ltl G ({})", all.join(" || "));
    text
}

/// One process with four times as many statements.
fn statements(count: usize) -> String {
    let mut text = "system s\nvar x : int = 0\nprocess P {\n".to_owned();
    for number in 0..count {
        let _ = writeln!(
            text,
            "l{number}: x := x + {number}; if x > 3 {{ skip; }} choose {{ skip; }} or {{ goto l{}; }}",
            number / 2
        );
    }
    text + "}"
}

#[test]
fn ten_thousand_processes() {
    assert_linear("a family", read, family, 2_500);
    assert_linear("processes", read, processes, 2_500);
}

#[test]
fn a_hundred_thousand_statements() {
    assert_linear("statements", read, statements, 6_250);
    let write = |text: &str| assert!(tertium_gcl::format::format(text).len() > text.len() / 2);
    assert_linear("the formatter", write, statements, 6_250);
}
