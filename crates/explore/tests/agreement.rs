//! The compiled steps find what the definition of a step finds, with any number of threads.

use std::ops::ControlFlow;

use tertium_base::Budget;
use tertium_explore::compiled::Compiled;
use tertium_explore::rowwise::Rowwise;
use tertium_explore::search::breadth::{Options, breadth_first};
use tertium_explore::search::depth::depth_first;
use tertium_explore::search::{Blind, Summary};
use tertium_explore::successors::{Plain, RowSuccessors};
use tertium_program::search::{Limits, nearest_first};
use tertium_program::successors::Defined;
use tertium_program::{Program, Semantics};

fn program(text: &str) -> Program {
    let compiled = tertium_gcl::compile(text);
    compiled.program.unwrap_or_else(|| panic!("{:?}\n{text}", compiled.diagnostics))
}

fn summary<S: RowSuccessors>(successors: &S, plain: &Plain<'_>, threads: usize) -> Summary {
    let budget = Budget::unlimited();
    let initial = plain.semantics().initial_states(1 << 20, &budget).expect("the initial states can be listed");
    let initial: Vec<Vec<u32>> = initial.iter().map(|state| plain.row(state)).collect();
    let options = Options { threads, max_states: Some(2_000_000), stop_at_finding: false, budget: &budget };
    breadth_first(successors, &Blind, &initial, &options, &mut |_| {}).summary
}

fn depth_summary<S: RowSuccessors>(successors: &S, plain: &Plain<'_>) -> Summary {
    let budget = Budget::unlimited();
    let initial = plain.semantics().initial_states(1 << 20, &budget).expect("the initial states can be listed");
    let initial: Vec<Vec<u32>> = initial.iter().map(|state| plain.row(state)).collect();
    let options = Options { threads: 1, max_states: None, stop_at_finding: false, budget: &budget };
    depth_first(successors, &Blind, &initial, &options, &mut |_| {}).summary
}

/// States, steps, the longest of the shortest ways, deadlocks and faults, by the search that knows nothing of rows.
fn common<S: RowSuccessors>(successors: &S, plain: &Plain<'_>) -> (usize, usize, usize, usize, usize) {
    let budget = Budget::unlimited();
    let initial = plain.semantics().initial_states(1 << 20, &budget).expect("the initial states can be listed");
    let initial: Vec<Vec<u32>> = initial.iter().map(|state| plain.row(state)).collect();
    let limits = Limits { most: 2_000_000, budget: &budget };
    let mut rows = Rowwise::new(successors, &initial);
    let reached = nearest_first(&mut rows, limits, &mut |_, _, _| Ok(ControlFlow::Continue(()))).expect("no limit");
    let farthest = reached.states.len().checked_sub(1).map_or(0, |last| reached.path_to(last).1.len());
    (reached.states.len(), reached.steps, farthest, rows.deadlocks, rows.faults)
}

/// How many states the definition of a step reaches, without any rows.
fn defined(semantics: &Semantics<'_>) -> usize {
    let budget = Budget::unlimited();
    let initial = semantics.initial_states(1 << 20, &budget).expect("the initial states can be listed");
    let limits = Limits { most: 2_000_000, budget: &budget };
    let reached =
        nearest_first(&mut Defined::from(semantics, initial), limits, &mut |_, _, _| Ok(ControlFlow::Continue(())));
    reached.expect("no limit").states.len()
}

fn all_agree(text: &str) -> Summary {
    let program = program(text);
    let semantics = Semantics::new(&program);
    let plain = Plain::of(&semantics);
    let compiled = Compiled::of(&semantics);
    let expected = summary(&plain, &plain, 1);
    assert_eq!(summary(&compiled, &plain, 1), expected, "{text}");
    assert_eq!(summary(&compiled, &plain, 2), expected, "{text}");
    let plainly = (expected.states, expected.transitions, expected.depth, expected.deadlocks, expected.faults);
    assert_eq!(common(&compiled, &plain), plainly, "{text}");
    assert_eq!(defined(&semantics), expected.states, "{text}");
    let deep = depth_summary(&compiled, &plain);
    let counts = |found: &Summary| (found.states, found.transitions, found.deadlocks, found.faults);
    assert_eq!(counts(&deep), counts(&expected), "{text}");
    assert!(deep.findings.keys().eq(expected.findings.keys()), "{text}");
    expected
}

#[test]
fn a_limit_ends_the_search_at_one_place() {
    let text = std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/../../corpus/gcl/tickets.gcl"));
    let program = program(&text.expect("the corpus is there"));
    let semantics = Semantics::new(&program);
    let compiled = Compiled::of(&semantics);
    let budget = Budget::unlimited();
    let initial = semantics.initial_states(1 << 20, &budget).expect("the initial states can be listed");
    let initial: Vec<Vec<u32>> = initial.iter().map(|state| compiled.plain().row(state)).collect();
    let options = Options { threads: 1, max_states: Some(1000), stop_at_finding: false, budget: &budget };
    let found = breadth_first(&compiled, &Blind, &initial, &options, &mut |_| {}).summary;
    assert!(found.stopped.is_some());
    assert_eq!((found.states, found.transitions, found.depth), (1034, 2325, 20));
}

const RING: &str = "
system ring
const N = 7
var token : 0..6 = 0
var work : array[0..6] of 0..3 = 0
process P[i : 0..6] {
  loop {
    take: await token = i;
    choose { busy: when work[i] < 3 do work[i] := work[i] + 1; } or { skip; }
    pass: token := (i + 1) mod 7;
  }
}
";

#[test]
fn a_token_ring() {
    let found = all_agree(RING);
    assert!(found.states > 10_000 && found.deadlocks == 0 && found.faults == 0, "{found:?}");
}

#[test]
fn faults_deadlocks_and_atomic_blocks() {
    let found = all_agree(
        "
system faults
var a : array[0..3] of 0..5 = 0
var i : 0..5 = 0
process P {
  loop {
    choose { i := * in 0..5; } or { atomic { await i < 3; a[i] := a[i] + 1; } }
  }
}
process Q {
  a[i] := 2;
  assert a[0] < 2;
  await i = 4;
}
",
    );
    assert!(found.faults > 0, "{found:?}");
}

/// Observes one condition, evaluated by the definition.
struct Condition<'a> {
    plain: &'a Plain<'a>,
    expr: tertium_program::ExprId,
}

impl tertium_explore::search::Observer for Condition<'_> {
    type Scratch = ();

    fn scratch(&self) {}

    fn look(&self, row: &[u32], (): &mut (), broken: &mut dyn FnMut(usize)) {
        if self.plain.semantics().observe(self.expr, &self.plain.state(row)) == Ok(0) {
            broken(0);
        }
    }
}

fn observed<S: RowSuccessors>(
    successors: &S,
    plain: &Plain<'_>,
    expr: tertium_program::ExprId,
    threads: usize,
) -> Summary {
    let budget = Budget::unlimited();
    let initial = plain.semantics().initial_states(1 << 20, &budget).expect("the initial states can be listed");
    let initial: Vec<Vec<u32>> = initial.iter().map(|state| plain.row(state)).collect();
    let options = Options { threads, max_states: None, stop_at_finding: false, budget: &budget };
    breadth_first(successors, &Condition { plain, expr }, &initial, &options, &mut |_| {}).summary
}

/// Two processes that mostly keep to themselves, with an invariant that breaks after some private steps of one.
const PRIVATE: &str = "
system private
var shared : 0..3 = 0
process P {
  var x : 0..5 = 0
  while x < 5 { x := x + 1; }
  shared := 1;
  stop;
}
process Q {
  var y : 0..5 = 0
  while y < 5 { y := y + 1; }
  await shared = 1;
  shared := 2;
  await shared = 3;
}
property low : ltl G (shared < 2)
";

#[test]
fn fewer_steps_find_the_same() {
    let program = program(PRIVATE);
    let semantics = Semantics::new(&program);
    let plain = Plain::of(&semantics);
    let expr = *program.properties[0].atoms.values().next().expect("one atom");
    let reduction = tertium_explore::reduction::StateSpaceReduction::of(&semantics, &[expr]);
    assert!(reduction.count() > 0);
    let compiled = Compiled::of(&semantics);
    let full = observed(&compiled, &plain, expr, 1);
    let reduced = compiled.reduced(reduction);
    let fewer = observed(&reduced, &plain, expr, 1);
    assert!(fewer.states * 2 < full.states, "{} of {}", fewer.states, full.states);
    assert_eq!(fewer.deadlocks > 0, full.deadlocks > 0);
    assert!(full.deadlocks > 0);
    assert!(full.findings.keys().eq(fewer.findings.keys()), "{full:?} {fewer:?}");
    assert_eq!(observed(&reduced, &plain, expr, 2), fewer);
    let deep = depth_summary(&reduced, &plain);
    assert_eq!(deep.deadlocks > 0, full.deadlocks > 0);
    assert!(deep.states < full.states);
}
