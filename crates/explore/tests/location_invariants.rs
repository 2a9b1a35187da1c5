//! Every state that can be reached satisfies the invariants of the locations that its processes are at; and they say what they should.

use std::ops::ControlFlow;

use tertium_base::Budget;
use tertium_base::narrow::to_usize;
use tertium_program::analysis::LocationInvariants;
use tertium_program::layout::{FRAME_LOCATION, FRAME_PROCESS};
use tertium_program::search::{Limits, nearest_first};
use tertium_program::successors::Defined;
use tertium_program::{LocationId, ProcessId, Program, Scope, Semantics, State, VarId};
use tertium_testkit::{ProgramShape, for_random_cases, random_program};

const MOST_STATES: usize = 3000;

fn gcl(text: &str) -> Program {
    let compiled = tertium_gcl::compile(text);
    compiled.program.unwrap_or_else(|| panic!("{:?}\n{text}", compiled.diagnostics))
}

/// How many constraints were compared.
fn all_satisfy(program: &Program) -> usize {
    let (semantics, budget) = (Semantics::new(program), Budget::unlimited());
    let Ok(initial) = semantics.initial_states(1 << 12, &budget) else { return 0 };
    let found = LocationInvariants::of(program);
    let mut states = Defined::from(&semantics, initial);
    let mut compared = 0;
    let limits = Limits { most: MOST_STATES, budget: &budget };
    // A search that comes to its limit has compared what it has seen.
    let _ = nearest_first(&mut states, limits, &mut |_, reached, number| {
        compared += satisfies(&semantics, &found, &reached.states[number]);
        Ok(ControlFlow::Continue(()))
    });
    compared
}

fn satisfies(semantics: &Semantics<'_>, found: &LocationInvariants, state: &State) -> usize {
    let (program, layout) = (semantics.program(), semantics.layout());
    let frames = layout.frames(&state.slots);
    let of = |frame: usize| ProcessId::new(to_usize(state.slots[frame + FRAME_PROCESS]));
    let value = |var: VarId| {
        let base = match program.variable(var).scope {
            Scope::Global => 0,
            Scope::Local(process) => frames.iter().copied().find(|&frame| of(frame) == process).expect("it runs"),
        };
        state.slots[base + layout.variable(var)]
    };
    let mut compared = 0;
    for &frame in &frames {
        let (process, at) = (of(frame), LocationId::new(to_usize(state.slots[frame + FRAME_LOCATION])));
        let place = || format!("{}@{}", program.process(process).name, program.location_name(process, at));
        let constraints = found.at(process, at).unwrap_or_else(|| panic!("{} is reached", place()));
        for one in constraints {
            assert!(one.holds(value), "{one:?} at {}", place());
        }
        compared += constraints.len();
    }
    compared
}

#[test]
fn states_of_random_programs_satisfy_them() {
    let compared = std::cell::Cell::new(0);
    for_random_cases(150, |case| {
        let text = random_program(&mut case.rng, &ProgramShape::default());
        case.keep("program.gcl", text.as_str());
        compared.set(compared.get() + all_satisfy(&gcl(&text)));
    });
    assert!(compared.get() > 10_000, "{} constraints", compared.get());
}

/// The invariants at a label, as text; `unreachable` if no run gets there.
fn told(text: &str, process: &str, label: &str) -> Vec<String> {
    let mut program = gcl(text);
    all_satisfy(&program);
    let found = LocationInvariants::of(&program);
    let process = program.process_ids().find(|&id| program.process(id).name == process).expect("there is one");
    let locations = (0..program.process(process).locations.len()).map(LocationId::new);
    let at = locations.clone().find(|&at| program.location_name(process, at) == label).expect("there is one");
    let Some(constraints) = found.at(process, at) else { return vec!["unreachable".to_owned()] };
    let exprs: Vec<_> = constraints.iter().filter_map(|one| one.expr(&mut program)).collect();
    exprs.into_iter().map(|expr| program.show(expr)).collect()
}

/// Saïdi, section 7: guards and assignments are propagated, and what another process does to other variables does not matter.
#[test]
fn guards_and_assignments_are_propagated() {
    let text = "
system static_inv
var x, y, z : int = 0
process P {
  l1: x := 5;
  l2: y := x + 2;
  l3: await y = 7;
  l4: choose { await x = 6; bad: skip; } or { when y > 3 do x := x + 0 goto l2; }
}
process Q { loop { z := z + 1; } }
";
    let here = told(text, "P", "l4");
    for expected in ["x = 5", "y = 7", "0 <= z"] {
        assert!(here.iter().any(|one| one == expected), "{expected} in {here:?}");
    }
    assert_eq!(told(text, "P", "bad"), ["unreachable"]);
}

#[test]
fn relations_survive_loops() {
    let text = "
system relations
var i, j, k : int = 0
process P {
  loop {
    a: when i < 10 do i, j, k := i + 1, j + 2, k + 4;
  }
}
";
    let here = told(text, "P", "a");
    for expected in ["0 <= i", "i <= 10", "k mod 4 = 0", "i <= j", "4 * i = k", "2 * j = k"] {
        assert!(here.iter().any(|one| one == expected), "{expected} in {here:?}");
    }
}

#[test]
fn others_may_write_in_between() {
    let text = "
system interference
var x, y : int = 0
process P { l1: await x = 3; l2: y := x; l3: loop { skip; } }
process Q { loop { x := x + 1; } }
";
    let here = told(text, "P", "l2");
    assert!(here.iter().any(|one| one == "3 <= x"), "it only grows: {here:?}");
    assert!(!here.iter().any(|one| one == "x = 3"), "{here:?}");
    let here = told(text, "P", "l3");
    assert!(here.iter().any(|one| one == "3 <= y"), "{here:?}");
    assert!(here.iter().any(|one| one == "y <= x"), "{here:?}");
}
