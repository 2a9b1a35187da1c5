//! On random program graphs, compiled steps find in every state what the definition of a step finds.

mod graphs;

use std::cell::{Cell, RefCell};
use std::collections::{BTreeSet, VecDeque};

use tertium_base::{Budget, Span};
use tertium_explore::compiled::Compiled;
use tertium_explore::reduction::{ReductionKinds, StateSpaceReduction};
use tertium_explore::search::Blind;
use tertium_explore::search::breadth::{Options, breadth_first};
use tertium_explore::search::depth::depth_first;
use tertium_explore::successors::{Expansion, Plain, RowSuccessors};
use tertium_program::{Action, Fault, Instance, Location, LocationId, Program, Semantics, Step};
use tertium_testkit::for_random_cases;

/// A successor: its row and who steps.
type Arrival = (Vec<u32>, u32);

fn found_by<S: RowSuccessors>(
    successors: &S,
    row: &[u32],
    scratch: &mut S::Scratch,
) -> (Vec<Arrival>, Vec<Fault>, bool) {
    let mut found = Expansion::default();
    successors.expand(row, scratch, &mut found);
    let mut arrivals: Vec<Arrival> = found.rows().zip(found.movers.iter().copied()).collect();
    arrivals.sort();
    let mut faults = found.faults.clone();
    faults.sort();
    (arrivals, faults, found.deadlock)
}

/// Compares the two in the first states; returns how many were looked at and how many steps went wrong.
fn compare(program: &Program, past_assertions: bool, most: usize) -> (usize, usize) {
    let mut semantics = Semantics::new(program);
    if past_assertions {
        semantics = semantics.persistent();
    }
    let (plain, compiled) = (Plain::of(&semantics), Compiled::of(&semantics));
    let forgetful = Compiled::of(&semantics).forgetful();
    let initial = semantics.initial_states(1 << 10, &Budget::unlimited()).expect("the initial states can be listed");
    let mut queue: VecDeque<Vec<u32>> = initial.iter().map(|state| plain.row(state)).collect();
    let mut seen: BTreeSet<Vec<u32>> = queue.iter().cloned().collect();
    let (mut scratch, mut faults, mut looked_at) = (compiled.scratch(), 0, 0);
    let mut again = false;
    loop {
        let Some(row) = queue.pop_front() else {
            if again {
                break;
            }
            // The second time what was done is remembered, as far as it can be.
            (queue, again) = (seen.iter().cloned().collect(), true);
            continue;
        };
        let state = plain.state(&row);
        assert_eq!(plain.row(&state), row);
        let expected = found_by(&plain, &row, &mut ());
        let compiled = found_by(&compiled, &row, &mut scratch);
        assert_eq!(
            found_by(&forgetful, &row, &mut forgetful.scratch()),
            expected,
            "in {:?}, nothing remembered",
            state.slots
        );
        if compiled != expected {
            let show = |found: &(Vec<Arrival>, Vec<Fault>, bool)| {
                let states: Vec<_> = found.0.iter().map(|(row, pid)| (plain.state(row).slots, pid)).collect();
                format!("{states:?} {:?} {}", found.1, found.2)
            };
            panic!(
                "in {:?}\nexpected {}\n  found {}\nsteps {:#?}\nexprs {:?}",
                state.slots,
                show(&expected),
                show(&compiled),
                program.steps,
                program.exprs
            );
        }
        if again {
            continue;
        }
        faults += expected.1.len();
        looked_at += 1;
        for (next, _) in expected.0 {
            if seen.len() < most && seen.insert(next.clone()) {
                queue.push_back(next);
            }
        }
    }
    (looked_at, faults)
}

#[test]
fn compiled_steps_are_the_defined_ones() {
    let (states, faults, large) = (Cell::new(0), Cell::new(0), Cell::new(0));
    for_random_cases(250, |case| {
        let program = graphs::random_graph(&mut case.rng);
        assert_eq!(program.violations(), Vec::<String>::new());
        let (looked_at, wrong) = compare(&program, case.number % 4 == 3, 80);
        states.set(states.get() + looked_at);
        faults.set(faults.get() + wrong);
        large.set(large.get() + usize::from(looked_at >= 30));
    });
    let (states, faults, large) = (states.get(), faults.get(), large.get());
    assert!(states > 3000 && faults > 100 && large > 20, "{states} states, {faults} faults, {large} large");
}

/// Every way to leave something out.
const KINDS: [ReductionKinds; 5] = [
    ReductionKinds { partial_order: true, ..ReductionKinds::NONE },
    ReductionKinds { statement_merging: true, ..ReductionKinds::NONE },
    ReductionKinds::VALUES,
    ReductionKinds { partial_order: true, statement_merging: true, ..ReductionKinds::NONE },
    ReductionKinds::ALL,
];

#[test]
fn whatever_is_left_out_the_same_mistakes_are_found() {
    let (fewer, compared) = (RefCell::new([0; KINDS.len()]), Cell::new(0));
    for_random_cases(150, |case| {
        let program =
            if case.number % 3 == 0 { graphs::random_graph(&mut case.rng) } else { graphs::quiet_graph(&mut case.rng) };
        let semantics = Semantics::new(&program);
        let semantics = if case.number % 2 == 0 { semantics.persistent() } else { semantics };
        let compiled = Compiled::of(&semantics);
        let budget = Budget::unlimited();
        let initial = semantics.initial_states(1 << 10, &budget).expect("the initial states can be listed");
        let initial: Vec<Vec<u32>> = initial.iter().map(|state| compiled.plain().row(state)).collect();
        let options = |threads| Options { threads, max_states: Some(2000), stop_at_finding: false, budget: &budget };
        let full = breadth_first(&compiled, &Blind, &initial, &options(1), &mut |_| {}).summary;
        if full.stopped.is_some() {
            return;
        }
        compared.set(compared.get() + 1);
        for (at, kinds) in KINDS.into_iter().enumerate() {
            let reduced = compiled.clone().reduced(StateSpaceReduction::with(&semantics, &[], kinds));
            let initial: Vec<Vec<u32>> = initial.iter().map(|row| reduced.representative(row)).collect();
            let found = breadth_first(&reduced, &Blind, &initial, &options(1), &mut |_| {}).summary;
            assert!(
                found.findings.keys().eq(full.findings.keys()),
                "{kinds:?}\n{:?}\n{:?}",
                found.findings,
                full.findings
            );
            if !kinds.dead_variables {
                assert_eq!(found.deadlocks, full.deadlocks, "{kinds:?}");
            }
            assert!(found.states <= full.states, "{kinds:?}: {} of {}", found.states, full.states);
            if kinds == ReductionKinds::ALL {
                assert_eq!(breadth_first(&reduced, &Blind, &initial, &options(2), &mut |_| {}).summary, found);
                let deep = depth_first(&reduced, &Blind, &initial, &options(1), &mut |_| {}).summary;
                assert!(deep.findings.keys().eq(full.findings.keys()), "{kinds:?}");
            }
            fewer.borrow_mut()[at] += usize::from(found.states < full.states);
        }
    });
    let fewer = fewer.into_inner();
    assert!(compared.get() > 50 && fewer.iter().all(|&count| count > 3), "{} compared, {fewer:?}", compared.get());
}

#[test]
fn the_last_process_leaves_nothing_behind() {
    let mut program = Program::new("gone");
    let process = program.add_process("P", Span::default());
    for _ in 0..2 {
        program.add_location(process, Location::default());
    }
    let guard = program.exprs.bool(true);
    for (source, action) in [(0, Action::skip()), (1, Action::End)] {
        program.add_step(Step {
            process,
            source: LocationId::new(source),
            target: LocationId::new(1),
            rank: 0,
            yields_to: Vec::new(),
            frees: false,
            inputs: Vec::new(),
            guard,
            action,
            span: Span::default(),
            text: String::new(),
        });
    }
    program.instances.push(Instance { process, arguments: Vec::new(), priority: 1 });
    assert_eq!(compare(&program, false, 10), (3, 0));
}

#[test]
fn searches_agree_on_graphs() {
    for_random_cases(60, |case| {
        let program = graphs::random_graph(&mut case.rng);
        let semantics = Semantics::new(&program);
        let (plain, compiled) = (Plain::of(&semantics), Compiled::of(&semantics));
        let budget = Budget::unlimited();
        let initial = semantics.initial_states(1 << 10, &budget).expect("the initial states can be listed");
        let initial: Vec<Vec<u32>> = initial.iter().map(|state| plain.row(state)).collect();
        let options = |threads| Options { threads, max_states: Some(3000), stop_at_finding: false, budget: &budget };
        let one = breadth_first(&compiled, &Blind, &initial, &options(1), &mut |_| {}).summary;
        if one.stopped.is_some() {
            return;
        }
        let slow = breadth_first(&plain, &Blind, &initial, &options(1), &mut |_| {}).summary;
        assert_eq!(one, slow);
        assert_eq!(one, breadth_first(&compiled, &Blind, &initial, &options(2), &mut |_| {}).summary);
        let deep = depth_first(&compiled, &Blind, &initial, &options(1), &mut |_| {}).summary;
        assert_eq!((deep.states, deep.transitions, deep.deadlocks), (one.states, one.transitions, one.deadlocks));
    });
}
