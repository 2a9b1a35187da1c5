//! The program graph and its steps mean what the text means.
//!
//! Random programs are run twice: from their tree, one statement at a time, by the test kit's brute force; and from their
//! graph, by the definition of a step. Everything that can be counted must agree.

use std::collections::{BTreeMap, HashMap};

use tertium_base::Budget;
use tertium_base::SourceFile;
use tertium_base::render::render;
use tertium_program::{Outcome, Program, Semantics, State};
use tertium_testkit::programs::{Space, state_space};
use tertium_testkit::{ProgramShape, for_random_cases, random_program};

const LIMIT: usize = 4000;

#[track_caller]
fn compiled(text: &str) -> Program {
    let compiled = tertium_gcl::compile(text);
    let source = SourceFile::new("random.gcl", text);
    let errors: Vec<String> =
        compiled.diagnostics.iter().filter(|d| d.is_error()).map(|d| render(d, Some(&source), false)).collect();
    assert!(errors.is_empty(), "{}\n{text}", errors.join("\n"));
    compiled.program.unwrap()
}

/// The state space by the definition of a step, breadth first.
fn explored(program: &Program) -> Space {
    let semantics = Semantics::new(program);
    let mut queue = semantics.initial_states(1 << 20, &Budget::unlimited()).unwrap();
    let mut known: HashMap<State, usize> = queue.iter().cloned().enumerate().map(|(at, s)| (s, at)).collect();
    let mut space = Space { initial: queue.len(), depth: vec![0; queue.len()], ..Space::default() };
    let mut at = 0;
    while at < queue.len() {
        let mut row = Vec::new();
        for successor in semantics.successors(&queue[at].clone()) {
            match successor.outcome {
                Outcome::Next(state) => row.push(*known.entry(state.clone()).or_insert_with(|| {
                    queue.push(state);
                    space.depth.push(space.depth[at] + 1);
                    queue.len() - 1
                })),
                Outcome::Fault { fault, .. } => {
                    *space.faults.entry(fault.kind.name()).or_default() += 1;
                    let length = space.depth[at] + 1;
                    space.shortest_fault = Some(space.shortest_fault.map_or(length, |known| known.min(length)));
                }
            }
        }
        if semantics.is_deadlock(&queue[at]) {
            space.deadlocks.push(at);
        }
        space.edges.push(row);
        at += 1;
    }
    for predicate in &program.predicates {
        let row = queue.iter().map(|state| semantics.observe(predicate.expr, state) == Ok(1)).collect();
        space.predicates.insert(predicate.name.clone(), row);
    }
    space
}

/// What does not depend on the order of discovery.
fn summary(space: &Space) -> impl PartialEq + std::fmt::Debug + use<> {
    let mut degrees: BTreeMap<(usize, usize), usize> = BTreeMap::new();
    for (row, &depth) in space.edges.iter().zip(&space.depth) {
        *degrees.entry((depth, row.len())).or_default() += 1;
    }
    let holds: BTreeMap<String, usize> = (space.predicates.iter())
        .map(|(name, row)| (name.clone(), row.iter().filter(|&&holds| holds).count()))
        .collect();
    let counts = (space.initial, space.states(), space.transitions(), space.deadlocks.len());
    (counts, degrees, space.faults.clone(), space.shortest_fault, holds)
}

fn compare(text: &str) -> bool {
    let (file, _) = tertium_gcl::parse(text);
    let program = compiled(text);
    let Some(expected) = state_space(&file, LIMIT) else { return false };
    assert_eq!(summary(&explored(&program)), summary(&expected), "{text}");
    true
}

#[test]
fn random_programs_have_the_state_space_that_their_text_says() {
    let compared = std::cell::Cell::new((0, 0));
    for_random_cases(400, |case| {
        let mut text = random_program(&mut case.rng, &ProgramShape::default());
        // A label seen from outside, to compare where processes are.
        let member = if text.contains("process P0[") { "[1]" } else { "" };
        text.push_str(&format!("predicate home : P0{member}@here\n"));
        case.keep("program.gcl", text.clone());
        let (small, large) = compared.get();
        compared.set(if compare(&text) { (small + 1, large) } else { (small, large + 1) });
    });
    let (small, large) = compared.get();
    assert!(small > 10 * large, "{small} compared, {large} too large");
}

#[test]
fn corners_of_control_flow_mean_what_the_text_says() {
    let wrap = |body: &str| {
        format!(
            "system s\nvar x, y : 0..3 = 0\nvar b : bool\nprocess P {{ {body} }}\nprocess Q {{ loop {{ b := !b; }} }}\n"
        )
    };
    let bodies = [
        "choose { while x < 2 { x := x + 1; } } or { y := 1; } y := 2;",
        "l: choose { a: x := 1; goto l; } or { c: loop { y := 1; goto out; } } or { } out: skip;",
        "loop { loop { when x < 3 do x := x + 1; when b do skip goto out; } } out: y := 1; stop; y := 2;",
        "a: goto c; d: x := 1; stop; c: goto d;",
        "atomic { x := 1; choose { await b; y := 1; } or { y := 2; if b { x := 2; } } x := 3; }",
        "atomic { l: x := x + 1; if x < 3 { goto l; } y := x; } y := 0;",
        "atomic { if b { goto out; } x := 1; } y := 1; out: y := 2;",
        "loop { atomic { when x < 3 do x := x + 1; atomic { y := x; await b; } } }",
        "if b { } else if x = 0 { y := 1; } else { y := 2; } while b { } x := 1; end: ",
        "x := * in 1..2; y, x := x, *; assert x < 3; choose { } or { skip; }",
        "",
        "atomic { } x := y div x;",
    ];
    for body in bodies {
        assert!(compare(&wrap(body)), "{body}");
    }
}
