//! Reading a model and lowering it takes time in proportion to its length.

use tertium_testkit::assert_linear;

/// This many process types, each with a variable of its own.
fn processes(count: usize) -> String {
    let one = |at: usize| format!("proctype P{at}() {{ byte y; y = x; x = y + 1; if :: x > 3 -> x = 0 :: else fi }}\n");
    format!("byte x;\n{}init {{ run P0() }}\n", (0..count).map(one).collect::<String>())
}

/// One process of this many statements.
fn statements(count: usize) -> String {
    let body: String = (0..count).map(|at| format!("  x = (y + {}) % 10;\n", at % 10)).collect();
    format!("byte x, y;\nactive proctype P() {{\n{body}}}\n")
}

fn read(text: &str) {
    let read = tertium_promela::read("long.pml", text, &tertium_promela::Options::default());
    assert!(read.diagnostics.is_empty(), "{:?}", read.diagnostics);
    let lowered = tertium_promela::lower::lower(&read.file, &read.symbols, &read.sources);
    assert!(!lowered.program.steps.is_empty());
}

#[test]
fn four_times_the_text_takes_no_sixteen_times_the_time() {
    assert_linear("processes", read, processes, 500);
    assert_linear("statements", read, statements, 4000);
}
