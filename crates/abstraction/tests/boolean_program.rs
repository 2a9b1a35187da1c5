//! What becomes of a program over predicates: its abstract program.
//!
//! After an intended change run with `INSTA_UPDATE=always`, and read the difference before keeping it.

mod common;

use std::fmt::Write as _;

use common::{program, system};
use tertium_abstraction::{AbstractionKind, System};
use tertium_smt::Limit;

/// Every operation with its guard and assignments over truth values.
fn shown(system: &mut System) -> String {
    let mut text = String::new();
    for (at, predicate) in system.predicates().iter().enumerate() {
        let _ = writeln!(text, "B{} is {}", at + 1, predicate.name);
    }
    for step in system.boolean_program().expect("no limit is set") {
        let (operation, program) = (&system.operations()[step.operation], system.program());
        let place = program.location_name(operation.process, operation.source);
        let statements: Vec<&str> = operation.steps.iter().map(|&id| program.step(id).text.as_str()).collect();
        let assignments: Vec<String> = step.assignments.iter().map(ToString::to_string).collect();
        let when = if step.exact { "when" } else { "at most when" };
        let _ = writeln!(text, "\n{}@{place}: {}", program.process(operation.process).name, statements.join("; "));
        let _ = writeln!(text, "  {when} {}", step.guard);
        assignments.iter().for_each(|assignment| {
            let _ = writeln!(text, "  {assignment}");
        });
    }
    text
}

#[test]
fn abstract_programs_are_what_they_were() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../corpus/gcl/bakery_a.gcl");
    let text = std::fs::read_to_string(path).expect("the corpus");
    let program = program(&text, &["y1 = 0", "y2 = 0", "y1 <= y2"]);
    let mut system = system(&program, AbstractionKind::Hyper, Limit::default());
    insta::assert_snapshot!("bakery_a", shown(&mut system));
}
