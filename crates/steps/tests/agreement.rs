//! What the form says a process does is what the definition of a step says: on random program graphs over all features, and on
//! the first states of every program of the corpus, with and without reduction.

#[path = "../../explore/tests/graphs/mod.rs"]
mod graphs;

use std::cell::Cell;
use std::collections::{BTreeSet, VecDeque};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use tertium_base::{Budget, Diagnostic};
use tertium_explore::compiled::Compiled;
use tertium_explore::functions::StepFunctions;
use tertium_explore::pack::RowLayouts;
use tertium_explore::reduction::{ReductionKinds, StateSpaceReduction};
use tertium_explore::search::Blind;
use tertium_explore::search::breadth::{Options, breadth_first};
use tertium_explore::successors::{Expansion, Plain, RowSuccessors};
use tertium_program::{Program, Semantics};
use tertium_steps::machine::{FormSteps, Interpreter, Source};
use tertium_testkit::for_random_cases;

/// A successor: its row and who steps.
type Arrival = (Vec<u32>, u32);

fn arrivals(found: &Expansion) -> Vec<Arrival> {
    let mut arrivals: Vec<Arrival> = found.rows().zip(found.movers.iter().copied()).collect();
    arrivals.sort();
    arrivals
}

fn functions(
    semantics: &Semantics<'_>,
    plain: &Plain<'_>,
    reduction: Option<&StateSpaceReduction>,
) -> Option<FormSteps> {
    let source = Source::of(semantics, plain.packing(), reduction)?;
    Some(FormSteps::new(Arc::new(Interpreter::new(source)), plain.packing()))
}

/// Compares the first states; says how many were looked at, and in how many of them the form knew all steps.
fn compare(semantics: &Semantics<'_>, most: usize, name: &str) -> (usize, usize) {
    let plain = Plain::of(semantics);
    let Some(functions) = functions(semantics, &plain, None) else { return (0, 0) };
    let Ok(initial) = semantics.initial_states(1 << 10, &Budget::unlimited()) else { return (0, 0) };
    let mut queue: VecDeque<Vec<u32>> = initial.iter().take(most).map(|state| plain.row(state)).collect();
    let mut seen: BTreeSet<Vec<u32>> = queue.iter().cloned().collect();
    let (mut thread, mut shapes) = (functions.for_thread(), RowLayouts::default());
    let (mut looked_at, mut known) = (0, 0);
    while let Some(row) = queue.pop_front() {
        let mut expected = Expansion::default();
        plain.expand(&row, &mut (), &mut expected);
        let (number, layout) = shapes.of_row(plain.packing(), &row);
        let mut found = Expansion::default();
        found.begin(&row, plain.words());
        let any = thread.steps((number, &layout), 0..layout.frames.len(), &row, &mut found);
        looked_at += 1;
        let told = |found: &Expansion| {
            let show = |found: &Expansion| -> Vec<String> {
                arrivals(found).iter().map(|(row, pid)| format!("{pid} {:?}", plain.state(row).slots)).collect()
            };
            let steps = &semantics.program().steps;
            let steps: Vec<String> = steps.iter().map(|step| format!("{step:?}")).collect();
            let (here, steps) = (plain.state(&row).slots, steps.join("\n"));
            format!(
                "{name}: in {here:?}\n{:#?} instead of {:#?}\n{steps}\n{:?}",
                show(found),
                show(&expected),
                semantics.program().exprs
            )
        };
        match any {
            Some(true) => {
                known += 1;
                let sorted = |found: &Expansion| {
                    let mut faults = found.faults.clone();
                    faults.sort();
                    faults
                };
                assert_eq!(sorted(&found), sorted(&expected), "{}", told(&found));
                assert_eq!(arrivals(&found), arrivals(&expected), "{}", told(&found));
            }
            Some(false) => {
                known += 1;
                assert_eq!(found.steps(), 0, "{}", told(&found));
                // Whatever happens then waits for a timeout.
                let waits = (0..semantics.program().exprs.len()).any(|id| {
                    semantics.program().exprs.get(tertium_program::ExprId::new(id)) == tertium_program::Expr::Timeout
                });
                assert!(waits || (expected.steps() == 0 && expected.faults.is_empty()), "{}", told(&found));
            }
            None => assert_eq!(found.steps(), 0, "{}", told(&found)),
        }
        for (next, _) in arrivals(&expected) {
            if seen.len() < most && seen.insert(next.clone()) {
                queue.push_back(next);
            }
        }
    }
    (looked_at, known)
}

/// Whether searches with and without the form see the same, whatever is left out.
fn compare_searches(semantics: &Semantics<'_>, most: usize, name: &str) -> bool {
    let compiled = Compiled::of(semantics);
    let budget = Budget::unlimited();
    let Ok(initial) = semantics.initial_states(1 << 10, &budget) else { return false };
    let initial: Vec<Vec<u32>> = initial.iter().map(|state| compiled.plain().row(state)).collect();
    let options = Options { threads: 1, max_states: Some(most), stop_at_finding: false, budget: &budget };
    let mut compared = false;
    for kinds in [ReductionKinds::NONE, ReductionKinds::VALUES, ReductionKinds::ALL] {
        let reduced = compiled.clone().reduced(StateSpaceReduction::with(semantics, &[], kinds));
        let initial: Vec<Vec<u32>> = initial.iter().map(|row| reduced.representative(row)).collect();
        let Some(functions) = functions(semantics, compiled.plain(), reduced.reduction()) else { return false };
        let with_form = reduced.clone().with_functions(Arc::new(functions));
        let expected = breadth_first(&reduced, &Blind, &initial, &options, &mut |_| {}).summary;
        if expected.stopped.is_some() {
            continue;
        }
        compared = true;
        let found = breadth_first(&with_form, &Blind, &initial, &options, &mut |_| {}).summary;
        assert_eq!(found, expected, "{name}, {kinds:?}");
    }
    compared
}

#[test]
fn on_random_graphs() {
    let (states, known, searches) = (Cell::new(0), Cell::new(0), Cell::new(0));
    for_random_cases(250, |case| {
        let program: Program =
            if case.number % 3 == 0 { graphs::quiet_graph(&mut case.rng) } else { graphs::random_graph(&mut case.rng) };
        let semantics = Semantics::new(&program);
        let semantics = if case.number % 4 == 3 { semantics.persistent() } else { semantics };
        let (looked_at, all) = compare(&semantics, 80, "a random graph");
        states.set(states.get() + looked_at);
        known.set(known.get() + all);
        searches.set(searches.get() + usize::from(compare_searches(&semantics, 1500, "a random graph")));
    });
    let (states, known, searches) = (states.get(), known.get(), searches.get());
    assert!(
        states > 2500 && known * 2 > states && searches > 80,
        "{states} states, {known} known, {searches} searches"
    );
}

fn files(folder: &str, ending: &str) -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../corpus").join(folder);
    let entries = std::fs::read_dir(&folder).expect("the corpus is there");
    let mut files: Vec<PathBuf> = entries.map(|entry| entry.expect("a readable entry").path()).collect();
    files.retain(|file| file.extension().is_some_and(|found| found == ending));
    files.sort();
    files
}

#[test]
fn on_guarded_commands() {
    let (mut states, mut known, mut searches) = (0, 0, 0);
    for file in files("gcl", "gcl").into_iter().chain(files("gcl/bounded", "gcl")) {
        let text = std::fs::read_to_string(&file).expect("a readable file");
        let program = tertium_gcl::compile(&text).program.expect("the corpus is well-formed");
        let (semantics, name) = (Semantics::new(&program), file.to_string_lossy());
        let (looked_at, all) = compare(&semantics, 300, &name);
        (states, known) = (states + looked_at, known + all);
        searches += usize::from(compare_searches(&semantics, 20_000, &name));
    }
    assert!(known * 10 > states * 8 && searches >= 2, "{states} states, {known} known, {searches} searches");
}

#[test]
fn on_promela() {
    let (mut states, mut known, mut searches) = (0, 0, 0);
    for file in files("promela/micro", "pml") {
        let (name, text) = (file.to_string_lossy(), std::fs::read_to_string(&file).expect("a readable file"));
        let read = tertium_promela::read(&name, &text, &tertium_promela::Options::default());
        assert!(!read.diagnostics.iter().any(Diagnostic::is_error), "{name}");
        let lowered = tertium_promela::lower::lower(&read.file, &read.symbols, &read.sources);
        let semantics = Semantics::new(&lowered.program);
        let (looked_at, all) = compare(&semantics, 400, &name);
        (states, known) = (states + looked_at, known + all);
        searches += usize::from(compare_searches(&semantics, 20_000, &name));
    }
    assert!(known * 10 > states * 8 && searches >= 30, "{states} states, {known} known, {searches} searches");
}
