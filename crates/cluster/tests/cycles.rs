//! Do several processes find an accepted fair run exactly where one thread finds one?
//!
//! Random Promela models, watched by random generalised Büchi automata, with a scheduler that is weakly fair to some processes and strongly to others.

mod together;

use std::cell::Cell;

use tertium_base::Budget;
use tertium_cluster::{ClusterCycles, ClusterOptions, search_with_cycles};
use tertium_explore::compiled::Compiled;
use tertium_explore::search::liveness::{Lasso, Monitor, ProductRows, Scheduling, accepted_run};
use tertium_explore::search::{Blind, Summary};
use tertium_explore::successors::{Expansion, RowSuccessors};
use tertium_program::Semantics;
use tertium_testkit::{Rng, for_random_cases, random_promela};
use together::processes;

/// An automaton whose steps look as if they were drawn by lot, by what it reads.
struct RandomAutomaton {
    states: u32,
    marks: u32,
    seed: u64,
}

impl Monitor for RandomAutomaton {
    type Scratch = ();

    fn scratch(&self) {}

    fn initial(&self) -> Vec<u32> {
        vec![0]
    }

    fn marks(&self) -> u32 {
        self.marks
    }

    fn next(&self, state: u32, row: &[u32], (): &mut (), out: &mut Vec<(u32, u64)>) {
        let sum = row.iter().fold(7u32, |sum, &word| sum.wrapping_mul(31).wrapping_add(word));
        let letter = u64::from(sum.count_ones() % 3);
        let mut rng = Rng::new(self.seed ^ u64::from(state) << 8 ^ letter << 16);
        for target in 0..self.states {
            if rng.chance(45) {
                let marks = (0..self.marks).filter(|_| rng.chance(25)).fold(0, |marks, mark| marks | 1 << mark);
                out.push((target, marks));
            }
        }
    }
}

/// Every step of the lasso is one of the program; a state may be repeated where nothing can step.
fn is_connected<S: RowSuccessors>(successors: &S, initial: &[Vec<u32>], lasso: &Lasso) -> bool {
    let (mut scratch, mut found) = (successors.scratch(), Expansion::default());
    let rows: Vec<&Vec<u32>> = lasso.stem.iter().chain(&lasso.cycle).chain(lasso.cycle.first()).collect();
    let connected = rows.windows(2).all(|pair| {
        successors.expand(pair[0], &mut scratch, &mut found);
        found.rows().any(|row| row == *pair[1]) || (found.steps() == 0 && pair[0] == pair[1])
    });
    connected && rows.first().is_some_and(|first| initial.contains(first)) && !lasso.cycle.is_empty()
}

/// What so many processes find, of so many threads each, which mask rows after so many states; all find the same.
fn together(
    compiled: &Compiled<'_>,
    rows: &[Vec<u32>],
    (automaton, scheduling): (&RandomAutomaton, &Scheduling),
    (count, workers, masked_after): (usize, usize, usize),
) -> ClusterCycles {
    let budget = Budget::unlimited();
    let take_part = |meeting| {
        let product = ProductRows::new(compiled, automaton, scheduling).expect("few conditions");
        let options = ClusterOptions { max_states: Some(MOST), budget: &budget, checkpoints: None, masked_after };
        let wanted = |_: &Summary| Vec::new();
        let searched = (compiled, &Blind);
        let found = search_with_cycles(meeting, searched, rows, &wanted, &[product], &options, &mut |_| {});
        found.expect("nobody is lost").1.swap_remove(0)
    };
    let mut found = processes(count, workers, &take_part);
    let first = found.swap_remove(0);
    for other in &found {
        assert_eq!((&other.lasso, &other.summary), (&first.lasso, &first.summary), "{count} processes");
    }
    first
}

/// Larger products are not compared.
const MOST: usize = 8_000;

#[test]
fn random_models_automata_and_schedulers() {
    let (compared, accepted) = (Cell::new(0), Cell::new(0));
    for_random_cases(12, |case| {
        let text = random_promela(&mut case.rng);
        case.keep("model.pml", text.clone());
        let read = tertium_promela::read("m.pml", &text, &tertium_promela::Options::default());
        if read.is_broken() {
            return;
        }
        let program = tertium_promela::lower::lower(&read.file, &read.symbols, &read.sources).program;
        let (semantics, budget) = (Semantics::new(&program), Budget::unlimited());
        let compiled = Compiled::of(&semantics);
        let initial = semantics.initial_states(1 << 10, &budget).unwrap_or_default();
        let rows: Vec<Vec<u32>> = initial.iter().map(|state| compiled.plain().row(state)).collect();
        for _ in 0..3 {
            let rng = &mut case.rng;
            let seed = rng.below(1 << 30) as u64;
            let automaton = RandomAutomaton { states: *rng.pick(&[1, 2, 3, 4]), marks: *rng.pick(&[0, 1, 2, 3]), seed };
            let mut scheduling = Scheduling::default();
            for pid in 0..4 {
                match rng.below(4) {
                    0 => scheduling.weak.push(pid),
                    1 => scheduling.strong.push(pid),
                    _ => {}
                }
            }
            let size = (1 + rng.below(3), 1 + rng.below(2), *rng.pick(&[2, 20, 200, 1 << 17]));
            let found = together(&compiled, &rows, (&automaton, &scheduling), size);
            if !found.summary.complete() {
                continue;
            }
            let one = accepted_run(&compiled, &automaton, &scheduling, &rows, &budget, &mut |_| {}).expect("no limit");
            assert_eq!(found.lasso.is_some(), one.lasso.is_some(), "seed {seed}, {scheduling:?}");
            if let Some(lasso) = &found.lasso {
                assert!(is_connected(&compiled, &rows, lasso), "seed {seed}, {scheduling:?}: {lasso:?}");
                accepted.set(accepted.get() + 1);
            }
            compared.set(compared.get() + 1);
        }
    });
    let (compared, accepted) = (compared.get(), accepted.get());
    assert!(compared > 10 && accepted > 2 && accepted < compared, "{accepted} of {compared}");
}
