//! Reading and type-checking a program takes time in proportion to its length.

use tertium_testkit::assert_linear;

/// This many processes, each with a variable of its own.
fn processes(count: usize) -> String {
    let mut text = format!("system many\nvar turn : 0..{count} = 0\n");
    for at in 0..count {
        text += &format!(
            "process P{at} {{\n  var x : 0..3 = 0\n  loop {{\n    await turn = {at};\n    x := (x + 1) mod 4;\n    turn := {};\n  }}\n}}\n",
            (at + 1) % count
        );
    }
    text
}

/// One process of this many statements.
fn statements(count: usize) -> String {
    let body: String = (0..count).map(|at| format!("  x := (y + {}) mod 10;\n", at % 10)).collect();
    format!("system long\nvar x : 0..9 = 0\nvar y : 0..9 = 0\nprocess P {{\n{body}}}\n")
}

fn read(text: &str) {
    let read = tertium_gcl::compile(text);
    assert!(read.program.is_some(), "{:?}", read.diagnostics);
}

#[test]
fn four_times_the_text_takes_no_sixteen_times_the_time() {
    assert_linear("processes", read, processes, 500);
    assert_linear("statements", read, statements, 4000);
}
