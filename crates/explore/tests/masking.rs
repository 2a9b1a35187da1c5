//! Does a search over masked rows find what one over rows finds?

mod graphs;

use std::cell::Cell;
use std::collections::BTreeMap;

use tertium_base::Budget;
use tertium_explore::compiled::Compiled;
use tertium_explore::reduction::{ReductionKinds, StateSpaceReduction};
use tertium_explore::search::breadth::{Beginning, Explored, Listeners, Options, breadth_first_from};
use tertium_explore::search::run::shortest_run;
use tertium_explore::search::{Blind, Observer};
use tertium_explore::store::{Batch, StateStore, trimmed};
use tertium_program::{Program, Semantics};
use tertium_testkit::{for_random_cases, random_promela};

/// Takes some rows, by their sum, for broken.
struct Picky;

impl Observer for Picky {
    type Scratch = ();

    fn scratch(&self) {}

    fn look(&self, row: &[u32], (): &mut (), broken: &mut dyn FnMut(usize)) {
        let sum = row.iter().fold(0u32, |sum, &word| sum.wrapping_mul(31).wrapping_add(word));
        if sum % 97 == 1 {
            broken((sum % 3) as usize);
        }
    }
}

fn search<O: Observer>(compiled: &Compiled<'_>, observer: &O, beginning: Beginning<'_>, threads: usize) -> Explored {
    let budget = Budget::unlimited();
    let options = Options { threads, max_states: Some(20_000), stop_at_finding: false, budget: &budget };
    let listeners = Listeners { progress: &mut |_| {}, found: &mut |_, _| {} };
    breadth_first_from(compiled, observer, beginning, &options, listeners, &mut |_, _| {})
}

/// Compares searches with and without masks; says whether rows were masked at the end.
fn compare(program: &Program, enough: usize, kinds: ReductionKinds) -> bool {
    let (semantics, budget) = (Semantics::new(program), Budget::unlimited());
    let mut compiled = Compiled::of(&semantics);
    let initial = semantics.initial_states(1 << 10, &budget).unwrap_or_default();
    let mut rows: Vec<Vec<u32>> = initial.iter().map(|state| compiled.plain().row(state)).collect();
    if kinds != ReductionKinds::NONE {
        compiled = compiled.reduced(StateSpaceReduction::with(&semantics, &[], kinds));
        rows.iter_mut().for_each(|row| *row = compiled.representative(row));
    }
    let plain = search(&compiled, &Picky, Beginning::WithStableKeys(&rows), 1);
    if !plain.summary.complete() {
        return false;
    }
    let masked = search(&compiled, &Picky, Beginning::MaskedAfter(&rows, enough), 1);
    assert_eq!(masked.summary, plain.summary, "masked after {enough} states, {kinds:?}");
    assert_eq!(masked.levels, plain.levels);
    let (mut branches, mut others) = (masked.store.branches(), plain.store.branches());
    for number in 0..u32::try_from(plain.store.len()).expect("few") {
        plain.store.read(number, &mut others);
        let known = masked.store.find(others.words()).expect("every state is there");
        masked.store.read(known, &mut branches);
        assert_eq!(branches.words(), others.words());
    }
    for place in plain.summary.findings.values() {
        let run = |found: &Explored| shortest_run(&compiled, found.levelled(), &place.row, place.depth, &budget);
        assert_eq!(run(&masked).expect("no limit"), run(&plain).expect("no limit"));
    }
    let two = search(&compiled, &Picky, Beginning::MaskedAfter(&rows, enough), 2);
    assert_eq!(two.summary, plain.summary, "two threads");
    let blind = search(&compiled, &Blind, Beginning::MaskedAfter(&rows, enough), 1).summary;
    let counts = (plain.summary.states, plain.summary.transitions, plain.summary.deadlocks, plain.summary.faults);
    assert_eq!((blind.states, blind.transitions, blind.deadlocks, blind.faults), counts);
    masked.store.key_mask().is_some()
}

/// What is left out in turn. Numbers of states depend on threads where steps are left out, so these are not compared.
const KINDS: [ReductionKinds; 3] =
    [ReductionKinds::NONE, ReductionKinds::VALUES, ReductionKinds { statement_merging: true, ..ReductionKinds::NONE }];

#[test]
fn random_models() {
    let (masked, tried) = (Cell::new(0), Cell::new(0));
    for_random_cases(60, |case| {
        let text = random_promela(&mut case.rng);
        case.keep("model.pml", text.clone());
        let read = tertium_promela::read("m.pml", &text, &tertium_promela::Options::default());
        if read.is_broken() {
            return;
        }
        let program = tertium_promela::lower::lower(&read.file, &read.symbols, &read.sources).program;
        let enough = *case.rng.pick(&[2, 10, 100, 700]);
        let is_masked = compare(&program, enough, KINDS[case.number % KINDS.len()]);
        masked.set(masked.get() + usize::from(is_masked));
        tried.set(tried.get() + 1);
    });
    assert!(masked.get() * 4 >= tried.get(), "{} of {} masked", masked.get(), tried.get());
}

#[test]
fn random_graphs() {
    let masked = Cell::new(0);
    for_random_cases(120, |case| {
        let program = graphs::random_graph(&mut case.rng);
        let enough = *case.rng.pick(&[2, 10, 50]);
        let is_masked = compare(&program, enough, KINDS[case.number % KINDS.len()]);
        masked.set(masked.get() + usize::from(is_masked));
    });
    assert!(masked.get() > 20, "{} masked", masked.get());
}

/// Counters go on counting after the mask was chosen.
#[test]
fn what_was_not_seen_costs_time_only() {
    let text = "system s var x, y, z : 0..100000 = 0 var b : -100000..100000 = 7
        process P { while x < 20 { x := x + 1; } b := -1000; }
        process Q { while y < 20 { y := y + 1; b := 800 * y; } }
        process R { await x = 20; while z < 3 { z := z + 1; } }";
    let program = tertium_gcl::compile(text).program.expect("no mistakes");
    assert!([2, 5, 300, 2000].map(|enough| compare(&program, enough, ReductionKinds::NONE)).contains(&true));
}

/// Partial-order reduction decides by rows where a process may go on alone.
#[test]
fn steps_that_are_left_out_are_the_same() {
    for_random_cases(40, |case| {
        let program = graphs::quiet_graph(&mut case.rng);
        let kinds = ReductionKinds { partial_order: true, ..ReductionKinds::NONE };
        let (semantics, budget) = (Semantics::new(&program), Budget::unlimited());
        let compiled = Compiled::of(&semantics).reduced(StateSpaceReduction::with(&semantics, &[], kinds));
        let initial = semantics.initial_states(1 << 10, &budget).expect("the initial states can be listed");
        let rows: Vec<Vec<u32>> =
            initial.iter().map(|state| compiled.representative(&compiled.plain().row(state))).collect();
        let plain = search(&compiled, &Blind, Beginning::WithStableKeys(&rows), 1).summary;
        if plain.complete() {
            assert_eq!(search(&compiled, &Blind, Beginning::MaskedAfter(&rows, 5), 1).summary, plain);
        }
    });
}

/// Rows that come from elsewhere are entered in groups, as several processes do that share a search.
#[test]
fn rows_of_others_keep_apart() {
    for_random_cases(30, |case| {
        let words = 3 + case.rng.below(6);
        let (mut store, mut known, mut batch) =
            (StateStore::masked_after(words, 40), BTreeMap::new(), Batch::default());
        let mut scratch = store.branches();
        let mut masks = 0;
        for round in 0..120 {
            let mut rows: Vec<Vec<u32>> = Vec::new();
            for _ in 0..1 + case.rng.below(9) {
                // Later rows have larger values, and sometimes more words.
                let len = words + usize::from(round > 80) * case.rng.below(3);
                let mut row: Vec<u32> = (0..len)
                    .map(|at| match at % 3 {
                        0 => u32::try_from(case.rng.below(4)).expect("small") << (at % 7),
                        1 => 9,
                        _ => u32::try_from(case.rng.below(2 + round * round)).expect("small"),
                    })
                    .collect();
                row.truncate(trimmed(&row, words));
                rows.push(row);
            }
            let mut from = 0;
            while from < rows.len() {
                let first = store.is_empty();
                if first {
                    store.insert_afresh(&rows[0], &mut scratch).expect("an empty store has room");
                    known.insert(rows[0].clone(), 0);
                }
                let bases = [store.branches()];
                store.begin_batch(&mut batch);
                let added = rows[from..].iter().try_for_each(|row| store.add_row_to_batch(row, &mut batch));
                let entered = match added.and_then(|()| store.find_keys(&bases, &mut batch)) {
                    Ok(()) => {
                        store.look_ahead(&mut batch);
                        store.enter_batch(&mut batch)
                    }
                    Err(_) => 0,
                };
                for (at, row) in rows[from..from + entered].iter().enumerate() {
                    let number = u32::try_from(known.len()).expect("few");
                    let is_new = !known.contains_key(row);
                    assert_eq!(batch.fresh.contains(&u32::try_from(at).expect("few")), is_new, "{row:?}");
                    if is_new {
                        known.insert(row.clone(), number);
                    }
                }
                from += entered;
                if from < rows.len() || store.wants_to_grow() {
                    store.grow();
                }
            }
            masks += usize::from(store.key_mask().is_some());
        }
        assert_eq!(store.len(), known.len());
        for (row, &number) in &known {
            assert_eq!(store.find(row), Some(number));
            store.read(number, &mut scratch);
            assert_eq!(scratch.words(), row);
        }
        assert!(masks > 0 || words > 6, "never masked");
    });
}
