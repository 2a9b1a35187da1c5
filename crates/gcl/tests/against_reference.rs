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
    let program = compiled.program.unwrap();
    assert_eq!(program.violations(), Vec::<String>::new(), "{text}");
    program
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

/// The bounded versions of the examples, with what is known about them in `expected.json`.
#[test]
fn bounded_examples_have_the_recorded_state_spaces() {
    let folder = std::path::Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../../corpus/gcl/bounded"));
    let recorded = std::fs::read_to_string(folder.join("expected.json")).unwrap();
    let recorded: BTreeMap<String, serde_json::Value> = serde_json::from_str(&recorded).unwrap();
    let mut names: Vec<String> = std::fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .filter(|name| name.ends_with(".gcl"))
        .collect();
    names.sort();
    assert_eq!(names, recorded.keys().cloned().collect::<Vec<_>>());
    for name in names {
        let text = std::fs::read_to_string(folder.join(&name)).unwrap();
        let (file, _) = tertium_gcl::parse(&text);
        let expected = state_space(&file, 200_000).unwrap();
        let found = explored(&compiled(&text));
        assert_eq!(summary(&found), summary(&expected), "{name}");
        let fault = found.shortest_fault;
        let counts = serde_json::json!({
            "states": found.states(), "transitions": found.transitions(), "deadlocks": found.deadlocks.len(),
            "faults": found.faults, "shortest_fault": fault, "depth": found.depth.iter().max(),
        });
        assert_eq!(counts, recorded[&name], "{name}");
    }
}

#[test]
fn bounds_in_init_make_integers_enumerable() {
    let text = "system s\nvar x, y : int\nvar a : array[1..2] of int\n\
        init 0 <= x && x < 4 && y = 2 * x && -1 < y && 10 > y && a[1] = 7 && a[2] >= 0 && a[2] <= 1\n\
        process P { skip; }";
    let program = compiled(text);
    let semantics = Semantics::new(&program);
    let states = semantics.initial_states(1000, &Budget::unlimited()).unwrap();
    let values: Vec<&[i64]> = states.iter().map(|state| &state.slots[..4]).collect();
    assert_eq!(
        values,
        [
            [0, 0, 7, 0],
            [0, 0, 7, 1],
            [1, 2, 7, 0],
            [1, 2, 7, 1],
            [2, 4, 7, 0],
            [2, 4, 7, 1],
            [3, 6, 7, 0],
            [3, 6, 7, 1]
        ]
    );
    let unbounded = compiled("system s\nvar x : nat\nprocess P { skip; }");
    let error = Semantics::new(&unbounded).initial_states(1000, &Budget::unlimited()).unwrap_err();
    assert_eq!(error, tertium_program::NoInitialStates::Unbounded(tertium_program::VarId::new(0)));
}

#[test]
fn the_deepest_expressions_that_are_accepted_can_be_evaluated() {
    let mut text = "system s\nvar x : -1..1 = 1\ndefine d0 = x\n".to_owned();
    (1..10).for_each(|n| text.push_str(&format!("define d{n} = {}d{}\n", "- ".repeat(99), n - 1)));
    text.push_str("process P { loop { x := d9 + 0 * (x + d8); } }\n");
    let program = compiled(&text);
    assert!(program.steps.iter().any(|step| match &step.action {
        tertium_program::Action::Assign(assigns) => program.exprs.depth(assigns[0].value) > 850,
        _ => false,
    }));
    assert_eq!(explored(&program).states(), 2);
}
