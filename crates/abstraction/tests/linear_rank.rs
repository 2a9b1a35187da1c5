//! Ranking functions that are solved for have the shape that was asked for, and change as they should.

mod common;

use common::{explored, program, system};
use tertium_abstraction::linear_rank::{Decreasing, LinearFunction, LinearSteps, PlacedFunction, Template};
use tertium_abstraction::{AbstractState, AbstractionKind, System};
use tertium_program::ProcessId;
use tertium_smt::Limit;

/// A program with one process over predicates, and its possible steps as polyhedra.
fn every_step(text: &str, predicates: &[&str]) -> (System, LinearSteps) {
    let program = program(text, predicates);
    let mut system = system(&program, AbstractionKind::Hyper, Limit::default());
    let states = explored(&mut system).expect("they are few").states;
    let process = program.process_ids().next().expect("there is one");
    let mut pairs: Vec<(AbstractState, AbstractState)> = Vec::new();
    for from in states {
        for step in system.possible_steps(&from).expect("no limit is reached") {
            pairs.push((from.clone(), step.target));
        }
    }
    pairs.dedup();
    let told: Vec<(&AbstractState, ProcessId, &AbstractState)> =
        pairs.iter().map(|(from, to)| (from, process, to)).collect();
    let steps = system.linear_steps(&told).expect("they are linear");
    (system, steps)
}

/// The value of a linear function where variables have these values, in the order of their declarations.
fn value(function: &LinearFunction, values: &[i128]) -> i128 {
    function.parts.iter().map(|&(var, _, factor)| factor * values[var.index()]).sum::<i128>() + function.constant
}

fn everywhere(function: &PlacedFunction) -> &LinearFunction {
    function.everywhere().expect("it is the same everywhere")
}

const HALVED: &str = "
system halved
var x : int
process P { loop { choose { when x > 1 && x mod 2 = 0 do x := x div 2; } or { when x > 1 && x mod 2 != 0 do x := x + 1; } } }
";

#[test]
fn a_value_that_rises_on_odd_numbers_needs_a_function_for_each_piece() {
    let (mut system, steps) = every_step(HALVED, &["x > 1", "x mod 2 = 0"]);
    for template in [Template::Same, Template::ByLocation] {
        let found = system.linear_rank(&steps, template, Decreasing::Everything).expect("no limit is reached");
        assert_eq!(found, None, "{template:?}");
    }
    let found = system.linear_rank(&steps, Template::ByState, Decreasing::Everything).expect("no limit is reached");
    let found = found.expect("there is one by pieces");
    let at = |x: i128| {
        let holds = [x > 1, x.rem_euclid(2) == 0];
        let here = found.at.iter().find(|(piece, _)| piece.predicates.iter().all(|&(at, value)| holds[at] == value));
        value(&here.expect("a piece for each state").1, &[x])
    };
    for x in 2..200i128 {
        let next = if x % 2 == 0 { x / 2 } else { x + 1 };
        assert!(at(x) >= 0 && at(next) < at(x), "{x} to {next}: {} to {}", at(x), at(next));
    }
}

const PHASES: &str = "
system phases
var x, y, z : int
process P { loop { when x >= 0 do x, y, z := x + y, y + z, z - 1; } }
";

#[test]
fn three_phases_are_nested_and_two_are_not_enough() {
    let (mut system, steps) = every_step(PHASES, &["x >= 0"]);
    for template in [Template::Same, Template::ByLocation] {
        let one = system.linear_rank(&steps, template, Decreasing::Everything).expect("no limit is reached");
        assert_eq!(one, None, "{template:?}");
        assert_eq!(system.nested_rank(&steps, template, 2).expect("no limit is reached"), [], "{template:?}");
    }
    let found = system.nested_rank(&steps, Template::Same, 3).expect("no limit is reached");
    assert_eq!(found.len(), 3, "{found:?}");
    let phases: Vec<&LinearFunction> = found.iter().map(everywhere).collect();
    for (x, y, z) in [(0, 0, 0), (5, 3, 1), (0, 90, -4), (7, -2, 40), (1, 0, -1)] {
        let (before, after) = ([x, y, z], [x + y, y + z, z - 1]);
        let falls = |phase: usize| value(phases[phase], &before) - value(phases[phase], &after);
        assert!(falls(0) > 0, "the first phase from {before:?}");
        for phase in 1..3 {
            let outer = value(phases[phase - 1], &before);
            assert!(falls(phase) + outer > 0, "phase {phase} from {before:?}: {} beside {outer}", falls(phase));
        }
        assert!(value(phases[2], &before) >= 0, "the last one at {before:?}");
    }
}

#[test]
fn nothing_ranks_what_goes_on() {
    let text = "
system on
var x : int
process P { loop { choose { when x > 1 do x := x - 1; } or { when x > 1 do x := x + 1; } } }
";
    let (mut system, steps) = every_step(text, &["x > 1", "x mod 2 = 0"]);
    for template in [Template::Same, Template::ByLocation, Template::ByState] {
        let found = system.linear_rank(&steps, template, Decreasing::Everything).expect("no limit is reached");
        assert_eq!(found, None, "{template:?}");
        for phases in 2..=4 {
            assert_eq!(system.nested_rank(&steps, template, phases).expect("no limit is reached"), [], "{template:?}");
        }
    }
}
