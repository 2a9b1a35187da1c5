//! Does a device find an accepted fair run exactly where the explorer finds one?
//!
//! Random program graphs, watched by random generalised Büchi automata, with a scheduler that is weakly fair to some processes and strongly to others. Without a graphics
//! processor the printed code is compiled by a C++ compiler, with stand-ins; with `TERTIUM_GPU=1` and the feature `cuda` a device does it.

#[path = "../../explore/tests/graphs/mod.rs"]
mod graphs;
mod stand_in;

use std::cell::Cell;
use std::collections::BTreeSet;

use tertium_base::Budget;
use tertium_base::narrow::to_u32;
use tertium_explore::compiled::Compiled;
use tertium_explore::search::liveness::{Lasso, Monitor, ProductRows, Scheduling, accepted_run};
use tertium_explore::successors::{Expansion, Plain, RowSuccessors};
use tertium_gpu::automaton::{Automaton, Move};
use tertium_gpu::cycles::{FoundCycle, search_cycle};
use tertium_gpu::search::{Options, SearchError};
use tertium_program::{ExprId, Program, Semantics};
use tertium_testkit::{Rng, for_random_cases, random_promela};

/// Larger products are not compared.
const MOST: usize = 4_000;
const MOST_STEPS: usize = 40_000;

/// The automaton as the definition has it: atoms without values are false.
struct Watching<'v, 'p> {
    automaton: &'v Automaton,
    semantics: &'v Semantics<'p>,
    plain: Plain<'p>,
}

impl Monitor for Watching<'_, '_> {
    type Scratch = ();

    fn scratch(&self) {}

    fn initial(&self) -> Vec<u32> {
        vec![0]
    }

    fn marks(&self) -> u32 {
        self.automaton.marks
    }

    fn stutters(&self) -> bool {
        self.automaton.stutters
    }

    fn next(&self, state: u32, row: &[u32], (): &mut (), out: &mut Vec<(u32, u64)>) {
        let shown = self.plain.state(row);
        let holds = |&atom: &ExprId| self.semantics.observe(atom, &shown).is_ok_and(|value| value != 0);
        let atoms = self.automaton.atoms.iter().enumerate();
        let valuation = atoms.fold(0, |all, (at, atom)| all | u32::from(holds(atom)) << at);
        let moves = self.automaton.moves[state as usize].iter();
        out.extend(moves.filter(|one| valuation & one.care == one.values).map(|one| (one.target, one.marks.into())));
    }
}

fn random_automaton(rng: &mut Rng, program: &Program) -> Automaton {
    let (states, marks) = (*rng.pick(&[1, 2, 3, 5]), *rng.pick(&[0, 1, 2, 3]));
    let count = rng.below(4);
    let atoms: Vec<ExprId> = (0..count).map(|_| ExprId::new(rng.below(program.exprs.len()))).collect();
    let mut moves = vec![Vec::new(); states];
    for of_state in &mut moves {
        for target in 0..states {
            if rng.chance(60) {
                let care = rng.below(1 << count) & rng.below(1 << count);
                let marks = (0..marks).filter(|_| rng.chance(30)).fold(0, |marks, mark| marks | 1 << mark);
                let values = care & rng.below(1 << count);
                of_state.push(Move { care: to_u32(care), values: to_u32(values), target: to_u32(target), marks });
            }
        }
    }
    let mut fair = Scheduling::default();
    for pid in 0..4 {
        match rng.below(5) {
            0 => fair.weak.push(pid),
            1 => fair.strong.push(pid),
            _ => {}
        }
    }
    Automaton { atoms, moves, marks, stutters: rng.chance(80), fair }
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

fn on_device(
    compiled: &Compiled<'_>,
    initial: &[Vec<u32>],
    watched: (&Automaton, &ProductRows<'_, Compiled<'_>, Watching<'_, '_>>),
    budget: &Budget,
) -> Result<FoundCycle, SearchError> {
    let options =
        Options { max_states: None, stop_at_finding: false, budget, capacity: 256, look_at: 500, watched: None };
    #[cfg(feature = "cuda")]
    if std::env::var_os("TERTIUM_GPU").is_some() {
        return search_cycle(
            compiled,
            initial,
            watched,
            &options,
            &mut tertium_gpu::cuda::CudaDevice::new,
            &mut |_| {},
        );
    }
    search_cycle(compiled, initial, watched, &options, &mut stand_in::StandIn::new, &mut |_| {})
}

/// Compares one program with one automaton; what was found if there was something to compare.
fn compare(program: &Program, automaton: &Automaton, name: &str) -> Option<FoundCycle> {
    let (semantics, budget) = (Semantics::new(program), Budget::unlimited());
    let compiled = Compiled::of(&semantics);
    let initial = semantics.initial_states(1 << 10, &budget).ok()?;
    let initial: Vec<Vec<u32>> = initial.iter().map(|state| compiled.plain().row(state)).collect();
    let monitor = Watching { automaton, semantics: &semantics, plain: Plain::of(&semantics) };
    let product = ProductRows::new(&compiled, &monitor, &automaton.fair)?;
    let (mut open, mut found) = (product.initial(&initial), Expansion::default());
    let mut states: BTreeSet<Vec<u32>> = open.iter().cloned().collect();
    let (mut scratch, mut steps) = (product.scratch(), 0);
    while let Some(row) = open.pop() {
        product.expand(&row, &mut scratch, &mut found);
        steps += found.steps();
        if states.len() > MOST || steps > MOST_STEPS {
            return None;
        }
        open.extend(found.rows().filter(|row| states.insert(row.clone())));
    }
    let expected =
        accepted_run(&compiled, &monitor, &automaton.fair, &initial, &budget, &mut |_| {}).expect("there is no limit");
    match on_device(&compiled, &initial, (automaton, &product), &budget) {
        Ok(found) => {
            assert_eq!((found.states, found.stopped), (states.len(), None), "{name}: {automaton:?}");
            assert_eq!(found.lasso.is_some(), expected.lasso.is_some(), "{name}: {automaton:?}");
            if let Some(lasso) = &found.lasso {
                assert!(is_connected(&compiled, &initial, lasso), "{name}: {automaton:?}: {lasso:?}");
            }
            Some(found)
        }
        Err(SearchError::Unsupported(_)) => None,
        Err(error) => panic!("{name}: {error}: {automaton:?}"),
    }
}

fn is_there() -> bool {
    stand_in::compiler().is_some() || std::env::var_os("TERTIUM_GPU").is_some()
}

#[test]
fn random_graphs_and_automata() {
    if !is_there() {
        return;
    }
    let (compared, accepted, by_definition) = (Cell::new(0), Cell::new(0), Cell::new(0));
    for_random_cases(40, |case| {
        let program = graphs::random_graph(&mut case.rng);
        let automaton = random_automaton(&mut case.rng, &program);
        if let Some(found) = compare(&program, &automaton, "a random graph") {
            compared.set(compared.get() + 1);
            accepted.set(accepted.get() + usize::from(found.lasso.is_some()));
            by_definition.set(by_definition.get() + found.by_definition);
        }
    });
    let (compared, accepted) = (compared.get(), accepted.get());
    assert!(compared > 10 && accepted > 2 && accepted < compared, "{accepted} of {compared}");
    assert!(by_definition.get() > 10, "{} states on the host", by_definition.get());
}

#[test]
fn random_models_and_automata() {
    if !is_there() {
        return;
    }
    let compared = Cell::new(0);
    for_random_cases(25, |case| {
        let text = random_promela(&mut case.rng);
        case.keep("model.pml", text.clone());
        let read = tertium_promela::read("m.pml", &text, &tertium_promela::Options::default());
        if read.is_broken() {
            return;
        }
        let program = tertium_promela::lower::lower(&read.file, &read.symbols, &read.sources).program;
        let automaton = random_automaton(&mut case.rng, &program);
        compared.set(compared.get() + usize::from(compare(&program, &automaton, "a random model").is_some()));
    });
    assert!(compared.get() > 5, "{} compared", compared.get());
}
