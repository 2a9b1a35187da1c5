//! Every state that can be reached satisfies the invariants of the locations that its processes are at; and they say what they should.

use std::collections::BTreeMap;
use std::ops::ControlFlow;

use tertium_base::Budget;
use tertium_base::narrow::to_usize;
use tertium_program::analysis::location_invariants::partitioned_constraints;
use tertium_program::analysis::{CellInvariants, LocationInvariants};
use tertium_program::layout::{FRAME_LOCATION, FRAME_PROCESS};
use tertium_program::search::{Limits, nearest_first};
use tertium_program::successors::Defined;
use tertium_program::{LocationId, ProcessId, Program, Scope, Semantics, State, VarId};
use tertium_testkit::{ProgramShape, Rng, for_random_cases, random_program};

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

/// How many sets of values of cells were compared.
fn all_cells_are_inside(program: &Program) -> usize {
    let (semantics, budget) = (Semantics::new(program), Budget::unlimited());
    let Ok(initial) = semantics.initial_states(1 << 12, &budget) else { return 0 };
    let found = CellInvariants::of(program);
    // Told as sets, and as conditions of the program.
    let mut with_conditions = program.clone();
    let mut conditions = BTreeMap::new();
    for process in program.process_ids() {
        for at in (0..program.process(process).locations.len()).map(LocationId::new) {
            let told: Vec<_> = found.at(process, at).iter().map(|one| one.expr(&mut with_conditions)).collect();
            conditions.insert((process, at), told);
        }
    }
    let observer = Semantics::new(&with_conditions);
    let mut states = Defined::from(&semantics, initial);
    let mut compared = 0;
    let limits = Limits { most: MOST_STATES, budget: &budget };
    let _ = nearest_first(&mut states, limits, &mut |_, reached, number| {
        let state = &reached.states[number];
        let layout = semantics.layout();
        for frame in layout.frames(&state.slots) {
            let process = ProcessId::new(to_usize(state.slots[frame + FRAME_PROCESS]));
            let at = LocationId::new(to_usize(state.slots[frame + FRAME_LOCATION]));
            for (one, &condition) in found.at(process, at).iter().zip(&conditions[&(process, at)]) {
                let place = format!("{}@{}", program.process(process).name, program.location_name(process, at));
                assert!(observer.observe(condition, state).is_ok_and(|value| value != 0), "{one:?} at {place}");
                compared += 1;
            }
        }
        Ok(ControlFlow::Continue(()))
    });
    compared
}

/// Processes that take and give back cells of an array, by the rules or not.
fn takers(rng: &mut Rng) -> String {
    let mut text =
        "system takers\nvar r : array[0..2] of 0..3 = 0\nvar f : array[1..2] of bool = false\nvar n : 0..2 = 0\n"
            .to_owned();
    for process in 1..=2 + rng.below(2) {
        let mut body = String::new();
        for _ in 0..2 + rng.below(4) {
            let (cell, other) = (rng.below(3), rng.below(3));
            body.push_str(&match rng.below(10) {
                0..=2 => format!("when r[{cell}] = 0 do r[{cell}] := {process}; "),
                3..=4 => format!("r[{cell}] := 0; "),
                5 => format!("when r[{cell}] != r[{other}] do f[1] := !f[2]; "),
                6 => format!("when f[1] || r[{cell}] = {process} do n := (n + 1) mod 3; "),
                7 => format!("r[n] := {}; ", rng.below(4)),
                8 => format!("f[2] := r[{cell}] > 1; "),
                _ => format!("await r[n] <= r[{cell}]; "),
            });
        }
        text.push_str(&format!("process P{process} {{ loop {{ {body}}} }}\n"));
    }
    text
}

#[test]
fn cells_have_the_values_that_are_told_at_locations() {
    let compared = std::cell::Cell::new(0);
    for_random_cases(200, |case| {
        let text = if case.rng.chance(70) {
            takers(&mut case.rng)
        } else {
            random_program(&mut case.rng, &ProgramShape::default())
        };
        case.keep("program.gcl", text.as_str());
        compared.set(compared.get() + all_cells_are_inside(&gcl(&text)));
    });
    assert!(compared.get() > 10_000, "{} sets", compared.get());
}

/// Whoever holds a cell is where it has its number; elsewhere it has not.
#[test]
fn who_holds_a_cell_is_known() {
    let process = |number: usize| {
        format!(
            "process P{number} {{ loop {{ take: when r[1] = 0 do r[1] := {number}; more: when r[2] = 0 do r[2] := {number}; \
             use: skip; give: r[1] := 0; last: r[2] := 0; }} }}\n"
        )
    };
    let all: String = (1..=3).map(process).collect();
    let mut program = gcl(&format!("system hold\nvar r : array[1..2] of 0..3 = 0\n{all}"));
    assert!(all_cells_are_inside(&program) > 100);
    let found = CellInvariants::of(&program);
    let first = program.process_ids().next().expect("there is one");
    let mut told = |label: &str| -> Vec<String> {
        let mut locations = (0..program.process(first).locations.len()).map(LocationId::new);
        let at = locations.find(|&at| program.location_name(first, at) == label).expect("there is one");
        let exprs: Vec<_> = found.at(first, at).iter().map(|one| one.expr(&mut program)).collect();
        exprs.into_iter().map(|expr| program.show(expr)).collect()
    };
    assert_eq!(told("take"), ["r[1] != 1", "r[2] != 1"]);
    assert_eq!(told("more"), ["r[1] = 1", "r[2] != 1"]);
    assert_eq!(told("use"), ["r[1] = 1", "r[2] = 1"]);
    assert_eq!(told("last"), ["r[1] != 1", "r[2] = 1"]);
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
    for expected in ["0 <= i", "i <= 10", "k mod 4 = 0", "4 * i = k", "2 * j = k"] {
        assert!(here.iter().any(|one| one == expected), "{expected} in {here:?}");
    }
}

#[test]
fn sums_of_several_variables_stay_bounded() {
    let text = "
system sums
var n, i, k : int = 0
process P {
  n := *; k := *;
  choose { await n > 0 && k > n; a: loop { when i < n do i, k := i + 1, k - 1; } } or { await !(n > 0 && k > n); }
}
";
    let here = told(text, "P", "a");
    assert!(here.iter().any(|one| one == "n + 1 <= i + k"), "{here:?}");
}

#[test]
fn conditional_values_are_cases() {
    let text = "
system cases
var m, x, n : int = 0
process P {
  n := *;
  choose { await n > 0; a: loop { m, x := (if m = 0 then 1 else 0), (if m = 0 then (if x < n then x + 1 else x) else x); } }
  or { await n <= 0; }
}
";
    let here = told(text, "P", "a");
    for expected in ["0 <= m", "m <= 1", "0 <= x", "x <= n"] {
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

/// Trace partitioning: what holds before the middle, and what holds from there, is no relation of the whole loop.
#[test]
fn conditions_tell_the_cells_of_a_partition_apart() {
    let text = "
system halves
var x, y, m : int
init x = 0 && y = 0 && m > 0
process P { l: while x < 2 * m { if x < m { x := x + 1; } else { x := x + 1; y := y + 1; } } e: loop { skip; } }
";
    let mut program = gcl(text);
    let shown = |program: &mut Program, conditions: &[tertium_program::ExprId]| -> Vec<String> {
        let found = partitioned_constraints(program, conditions);
        let exprs: Vec<_> = found.iter().filter_map(|one| one.expr(program)).collect();
        exprs.into_iter().map(|expr| program.show(expr)).collect()
    };
    let [x, m] = ["x", "m"].map(|name| {
        let var = program.variable_ids().find(|&var| program.variable(var).name == name).expect("there is one");
        program.read(var)
    });
    let before = program.exprs.binary(tertium_program::Binary::Lt, x, m);
    let (whole, cells) = (shown(&mut program, &[]), shown(&mut program, &[before]));
    for expected in ["y = 0", "x = y + m"] {
        assert!(cells.iter().any(|one| one == expected), "{expected} in {cells:?}");
    }
    assert!(!whole.iter().any(|one| one == "x = y + m"), "{whole:?}");
}
