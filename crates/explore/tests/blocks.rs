//! Uninterruptible blocks are followed to their ends within bounds; beyond them nothing is said about the program.

use std::time::Duration;

use tertium_base::Budget;
use tertium_explore::compiled::Compiled;
use tertium_explore::successors::{Expansion, Plain, RowSuccessors};
use tertium_program::{FaultKind, Program, Semantics};

fn program(text: &str) -> Program {
    let compiled = tertium_gcl::compile(text);
    compiled.program.unwrap_or_else(|| panic!("{:?}\n{text}", compiled.diagnostics))
}

/// What comes after the initial state, by compiled steps and by the definition: how many states, and what goes wrong.
fn after(semantics: &Semantics<'_>) -> [(usize, Vec<FaultKind>); 2] {
    let (plain, compiled) = (Plain::of(semantics), Compiled::of(semantics));
    let initial = semantics.initial_states(10, &Budget::unlimited()).expect("one state");
    let row = plain.row(&initial[0]);
    let told = |found: &Expansion| {
        let faults = found.faults.iter().map(|fault| fault.kind.clone()).collect();
        (found.rows().collect::<std::collections::BTreeSet<_>>().len(), faults)
    };
    let mut found = Expansion::default();
    compiled.expand(&row, &mut compiled.scratch(), &mut found);
    let fast = told(&found);
    plain.expand(&row, &mut (), &mut found);
    [fast, told(&found)]
}

fn counting(rounds: usize) -> Program {
    program(&format!(
        "system s\nvar i : int = 0\nprocess P {{ atomic {{ while i < {rounds} {{ i := i + 1; }} }} skip; }}"
    ))
}

#[test]
fn a_block_ends_just_below_the_bound_and_is_open_just_above() {
    // Two moves a round, and one that leaves the loop.
    for (rounds, bound) in [(49, 100), (600, 1202), (60_000, 120_002)] {
        let program = counting(rounds);
        let semantics = Semantics::new(&program).with_longest_block(bound);
        assert_eq!(after(&semantics), [(1, vec![]), (1, vec![])], "{rounds} rounds, at most {bound} moves");
        let program = counting(rounds + 2);
        let semantics = Semantics::new(&program).with_longest_block(bound);
        let open = (0, vec![FaultKind::BlockTooLong]);
        assert_eq!(after(&semantics), [open.clone(), open], "{} rounds, at most {bound} moves", rounds + 2);
    }
}

#[test]
fn what_goes_round_is_endless_however_long_the_round_is() {
    for around in [1, 3, 700, 5_000, 130_000] {
        let text = format!(
            "system s\nvar i : 0..200000 = 0\nvar go : bool = true\n\
             process P {{ atomic {{ while go {{ i := (i + 1) mod {around}; }} }} skip; }}"
        );
        let program = program(&text);
        let endless = (0, vec![FaultKind::EndlessBlock]);
        assert_eq!(after(&Semantics::new(&program)), [endless.clone(), endless], "a round of {around}");
    }
}

#[test]
fn a_round_with_a_way_out_is_endless_and_is_left() {
    let text = "system s\nvar i : 0..9 = 0\nvar go : bool = true\n\
        process P { atomic { while go { choose { i := (i + 1) mod 3; } or { go := false; } } } skip; }";
    let found = after(&Semantics::new(&program(text)));
    assert_eq!(found, [(3, vec![FaultKind::EndlessBlock]), (3, vec![FaultKind::EndlessBlock])]);
}

#[test]
fn a_long_way_after_a_choice_is_followed() {
    let text = "system s\nvar i, j : int = 0\n\
        process P { atomic { choose { j := 1; } or { j := 2; } while i < 70000 { i := i + j; } } skip; }";
    assert_eq!(after(&Semantics::new(&program(text))), [(2, vec![]), (2, vec![])]);
}

#[test]
fn very_many_ways_stop_at_the_limits() {
    let text = "system s\nvar i, x : int = 0\n\
        process P { atomic { while i < 40 { choose { x := x + 1; } or { x := x + 2; } i := i + 1; } } skip; }\n\
        process Q { skip; }";
    let program = program(text);
    let limits = [
        Budget::unlimited().with_time(Some(Duration::from_millis(300))),
        Budget::unlimited().with_time(Some(Duration::ZERO)),
    ];
    for budget in limits {
        let [fast, plain] = after(&Semantics::new(&program).within(&budget));
        for (_, faults) in [fast, plain] {
            assert!(faults.contains(&FaultKind::BlockTooLong), "{faults:?}");
            assert!(faults.iter().all(|kind| !kind.is_error()), "{faults:?}");
        }
    }
}
