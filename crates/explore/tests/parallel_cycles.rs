//! Do several threads find an accepted fair run exactly where there is one?
//!
//! Random graphs and random Promela models, watched by random generalised Büchi automata, with a scheduler that is weakly fair to some processes and strongly to
//! others: against the search with one thread, and on small graphs against the definition, by trying every set of processes that may be starved of steps.
//! `make test-scaling` runs many.

use std::cell::Cell;
use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use tertium_base::narrow::to_u32;
use tertium_base::{Budget, StopReason, Stopped};
use tertium_explore::compiled::Compiled;
use tertium_explore::search::liveness::{Lasso, Monitor, Scheduling, accepted_run, accepted_run_together};
use tertium_explore::successors::{Expansion, RowSuccessors};
use tertium_program::Semantics;
use tertium_testkit::{Rng, for_random_cases, random_promela};

/// An automaton whose steps look as if they were drawn by lot, by what it reads.
struct RandomAutomaton {
    states: u32,
    marks: u32,
    seed: u64,
    stutters: bool,
}

impl RandomAutomaton {
    fn draw(rng: &mut Rng) -> Self {
        Self {
            states: *rng.pick(&[1, 2, 3]),
            marks: *rng.pick(&[0, 1, 1, 2, 3]),
            seed: rng.below(1 << 30) as u64,
            stutters: rng.chance(80),
        }
    }
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

    fn stutters(&self) -> bool {
        self.stutters
    }

    fn next(&self, state: u32, row: &[u32], (): &mut (), out: &mut Vec<(u32, u64)>) {
        let sum = row.iter().fold(7u32, |sum, &word| sum.wrapping_mul(31).wrapping_add(word));
        let letter = u64::from(sum.count_ones() % 3);
        let mut rng = Rng::new(self.seed ^ u64::from(state) << 8 ^ letter << 16);
        for target in 0..self.states {
            if rng.chance(50) {
                let marks = (0..self.marks).filter(|_| rng.chance(25)).fold(0, |marks, mark| marks | 1 << mark);
                out.push((target, marks));
            }
        }
    }
}

/// Steps between numbers, by their processes.
struct Graph(Vec<Vec<(u32, u32)>>);

impl Graph {
    fn draw(rng: &mut Rng, most: usize) -> Self {
        let size = 1 + rng.below(most);
        let density = 1 + rng.below(3);
        let step = |rng: &mut Rng| (to_u32(rng.below(3)), to_u32(rng.below(size)));
        Self((0..size).map(|_| (0..rng.below(density + 2)).map(|_| step(rng)).collect()).collect())
    }
}

impl RowSuccessors for Graph {
    type Scratch = ();

    fn words(&self) -> usize {
        1
    }

    fn scratch(&self) {}

    fn expand(&self, row: &[u32], (): &mut (), found: &mut Expansion) {
        found.begin(row, 1);
        for &(mover, target) in &self.0[row[0] as usize] {
            let change = [(0, target)];
            found.add(if target == row[0] { &[] } else { &change }, mover);
        }
    }
}

fn draw_scheduling(rng: &mut Rng) -> Scheduling {
    let mut scheduling = Scheduling::default();
    for pid in 0..3 {
        match rng.below(4) {
            0 => scheduling.weak.push(pid),
            1 => scheduling.strong.push(pid),
            _ => {}
        }
    }
    scheduling
}

/// The product as a list of steps: from, to, marks, and who steps, with the processes that can step by state.
#[derive(Default)]
struct Listed {
    numbers: HashMap<(u32, u32), usize>,
    able: Vec<Vec<u32>>,
    steps: Vec<(usize, usize, u64, Option<u32>)>,
}

fn list(graph: &Graph, automaton: &RandomAutomaton) -> Listed {
    let (mut listed, mut open) = (Listed::default(), vec![(0, 0)]);
    listed.numbers.insert((0, 0), 0);
    listed.able.push(Vec::new());
    while let Some((at, state)) = open.pop() {
        let from = listed.numbers[&(at, state)];
        listed.able[from] = graph.0[at as usize].iter().map(|step| step.0).collect();
        let mut moves = Vec::new();
        automaton.next(state, &[at], &mut (), &mut moves);
        let mut steps: Vec<(Option<u32>, u32)> =
            graph.0[at as usize].iter().map(|&(mover, target)| (Some(mover), target)).collect();
        if steps.is_empty() && automaton.stutters {
            steps.push((None, at));
        }
        for (mover, target) in steps {
            for &(next, marks) in &moves {
                let count = listed.numbers.len();
                let to = *listed.numbers.entry((target, next)).or_insert(count);
                if to == count {
                    listed.able.push(Vec::new());
                    open.push((target, next));
                }
                listed.steps.push((from, to, marks, mover));
            }
        }
    }
    listed
}

/// Whether a fair accepted run exists, by its definition: some strongly fair processes are never able to step, all others step.
fn by_definition(listed: &Listed, marks: u32, scheduling: &Scheduling) -> bool {
    (0..1 << scheduling.strong.len()).any(|chosen: u32| {
        let never = |pid: &u32| {
            scheduling.strong.iter().position(|strong| strong == pid).is_some_and(|at| chosen >> at & 1 == 1)
        };
        let allowed = |state: usize| !listed.able[state].iter().any(never);
        let steps: Vec<_> = listed.steps.iter().filter(|step| allowed(step.0) && allowed(step.1)).collect();
        let size = listed.able.len();
        let mut leads = vec![vec![false; size]; size];
        steps.iter().for_each(|step| leads[step.0][step.1] = true);
        for via in 0..size {
            for from in 0..size {
                if leads[from][via] {
                    let onwards = leads[via].clone();
                    leads[from].iter_mut().zip(onwards).for_each(|(leads, onwards)| *leads |= onwards);
                }
            }
        }
        (0..size).filter(|&home| leads[home][home]).any(|home| {
            let inside = |state: usize| leads[home][state] && leads[state][home];
            let within: Vec<_> = steps.iter().filter(|step| inside(step.0) && inside(step.1)).collect();
            let collected = within.iter().fold(0, |sum, step| sum | step.2);
            let moves = |pid: u32| within.iter().any(|step| step.3 == Some(pid));
            let rests = |pid: &u32| (0..size).any(|state| inside(state) && !listed.able[state].contains(pid));
            collected == (1 << marks) - 1
                && scheduling.weak.iter().all(|pid| moves(*pid) || rests(pid))
                && scheduling.strong.iter().all(|pid| never(pid) || moves(*pid))
        })
    })
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

const THREADS: [usize; 4] = [1, 2, 3, 8];

#[test]
fn random_graphs_against_the_definition() {
    let (compared, accepted) = (Cell::new(0), Cell::new(0));
    for_random_cases(600, |case| {
        let rng = &mut case.rng;
        let (graph, automaton, scheduling) = (Graph::draw(rng, 12), RandomAutomaton::draw(rng), draw_scheduling(rng));
        let expected = by_definition(&list(&graph, &automaton), automaton.marks, &scheduling);
        let (budget, initial) = (Budget::unlimited(), [vec![0]]);
        for threads in THREADS {
            let limits = (threads, &budget);
            let found = accepted_run_together(&graph, &automaton, &scheduling, &initial, limits, &mut |_| {});
            let found = found.expect("no limit").lasso;
            assert_eq!(found.is_some(), expected, "{threads} threads, {:?}, {scheduling:?}", graph.0);
            if let Some(lasso) = found {
                assert!(is_connected(&graph, &initial, &lasso), "{threads} threads: {lasso:?}");
            }
        }
        compared.set(compared.get() + 1);
        accepted.set(accepted.get() + usize::from(expected));
    });
    let (compared, accepted) = (compared.get(), accepted.get());
    assert!(accepted * 10 > compared && accepted < compared, "{accepted} of {compared}");
}

/// Large enough for threads to meet, the store to grow and rounds to end in the middle.
#[test]
fn large_random_graphs_against_one_thread() {
    let accepted = Cell::new(0);
    for_random_cases(6, |case| {
        let rng = &mut case.rng;
        let size = 3_000 + rng.below(20_000);
        // Few steps lead back, so that there are components of every size.
        let back = rng.below(4);
        let steps = |at: usize, rng: &mut Rng| -> Vec<(u32, u32)> {
            let ahead = |rng: &mut Rng| (at + 1 + rng.below(40)).min(size - 1);
            let mut steps: Vec<(u32, u32)> = (0..2).map(|_| (to_u32(rng.below(3)), to_u32(ahead(rng)))).collect();
            if rng.chance(back * 10) {
                steps.push((to_u32(rng.below(3)), to_u32(at.saturating_sub(rng.below(60)))));
            }
            steps
        };
        let graph = Graph((0..size).map(|at| steps(at, rng)).collect());
        let scheduling = if rng.chance(50) { draw_scheduling(rng) } else { Scheduling::default() };
        let automaton = RandomAutomaton { marks: 1 + to_u32(rng.below(3)), ..RandomAutomaton::draw(rng) };
        let (budget, initial) = (Budget::unlimited(), [vec![0], vec![7]]);
        let one = accepted_run(&graph, &automaton, &scheduling, &initial, &budget, &mut |_| {}).expect("no limit");
        for threads in THREADS {
            let limits = (threads, &budget);
            let found = accepted_run_together(&graph, &automaton, &scheduling, &initial, limits, &mut |_| {});
            let found = found.expect("no limit");
            assert_eq!(found.lasso.is_some(), one.lasso.is_some(), "{threads} threads, {scheduling:?}");
            match &found.lasso {
                Some(lasso) => assert!(is_connected(&graph, &initial, lasso), "{threads} threads"),
                None => assert_eq!((found.states, found.transitions), (one.states, one.transitions)),
            }
        }
        accepted.set(accepted.get() + usize::from(one.lasso.is_some()));
    });
}

#[test]
fn random_models_against_one_thread() {
    let (compared, accepted) = (Cell::new(0), Cell::new(0));
    for_random_cases(10, |case| {
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
            let (automaton, scheduling) = (RandomAutomaton::draw(&mut case.rng), draw_scheduling(&mut case.rng));
            let stop = Arc::new(AtomicBool::new(false));
            let budget = Budget::unlimited().with_cancel(Arc::clone(&stop));
            let watch = &mut |now: tertium_explore::search::Progress| {
                if now.states > MOST {
                    stop.store(true, Ordering::Relaxed);
                }
            };
            let one = accepted_run(&compiled, &automaton, &scheduling, &rows, &budget, watch);
            let Ok(one) = one else { continue };
            for threads in THREADS {
                let limits = (threads, &budget);
                let found = accepted_run_together(&compiled, &automaton, &scheduling, &rows, limits, &mut |_| {});
                let found = found.expect("no limit");
                assert_eq!(found.lasso.is_some(), one.lasso.is_some(), "{threads} threads, {scheduling:?}");
                if let Some(lasso) = &found.lasso {
                    assert!(is_connected(&compiled, &rows, lasso), "{threads} threads, {scheduling:?}: {lasso:?}");
                }
            }
            compared.set(compared.get() + 1);
            accepted.set(accepted.get() + usize::from(one.lasso.is_some()));
        }
    });
    let (compared, accepted) = (compared.get(), accepted.get());
    assert!(compared > 8 && accepted > 2 && accepted < compared, "{accepted} of {compared}");
}

/// Larger products are not compared.
const MOST: usize = 30_000;

/// Numbers without an end.
struct Endless;

impl RowSuccessors for Endless {
    type Scratch = ();

    fn words(&self) -> usize {
        1
    }

    fn scratch(&self) {}

    fn expand(&self, row: &[u32], (): &mut (), found: &mut Expansion) {
        found.begin(row, 1);
        for factor in [2_u32, 3, 5] {
            found.add(&[(0, row[0].wrapping_mul(factor).wrapping_add(7))], factor);
        }
    }
}

#[test]
fn limits_end_the_search_of_all_threads() {
    let fair = Scheduling { weak: vec![2], strong: vec![3] };
    for threads in [2, 8] {
        let stop = Arc::new(AtomicBool::new(false));
        let budget = Budget::unlimited().with_cancel(Arc::clone(&stop));
        let watch = &mut |now: tertium_explore::search::Progress| {
            if now.states > 50_000 {
                stop.store(true, Ordering::Relaxed);
            }
        };
        let found = accepted_run_together(&Endless, &Silent, &fair, &[vec![1]], (threads, &budget), watch);
        assert_eq!(found.map(|found| found.lasso), Err(Stopped(StopReason::Interrupted)), "{threads} threads");
    }
}

/// An automaton that goes everywhere and never marks anything.
struct Silent;

impl Monitor for Silent {
    type Scratch = ();

    fn scratch(&self) {}

    fn initial(&self) -> Vec<u32> {
        vec![0]
    }

    fn marks(&self) -> u32 {
        1
    }

    fn next(&self, _: u32, _: &[u32], (): &mut (), out: &mut Vec<(u32, u64)>) {
        out.push((0, 0));
    }
}
