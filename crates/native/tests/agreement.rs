//! Native code finds what the interpreter of the form finds, in the same order: on random program graphs over all features, and
//! on the first states of every program of the corpus.

#[path = "../../explore/tests/graphs/mod.rs"]
mod graphs;

use std::cell::Cell;
use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use tertium_base::{Budget, Diagnostic};
use tertium_explore::compiled::Compiled;
use tertium_explore::pack::RowLayouts;
use tertium_explore::reduction::StateSpaceReduction;
use tertium_explore::search::Blind;
use tertium_explore::search::breadth::{Options, breadth_first};
use tertium_explore::successors::{Expansion, RowSuccessors};
use tertium_native::code::NativeLayout;
use tertium_native::compiler::NativeCompiler;
use tertium_native::with_native_steps;
use tertium_program::Semantics;
use tertium_steps::interpret::Outcomes;
use tertium_steps::machine::{Interpreter, LayoutMachine, Machines, Room, Source};
use tertium_testkit::for_random_cases;

/// Compares every process in the first states; says how many calls were compared, and how many of them trapped.
fn compare(semantics: &Semantics<'_>, most: usize, name: &str) -> (usize, usize) {
    let compiled = Compiled::of(semantics);
    let reduction = StateSpaceReduction::of(semantics, &[]);
    let packing = compiled.packing();
    let Some(source) = Source::of(semantics, packing, Some(&reduction)) else { return (0, 0) };
    let Ok(initial) = semantics.initial_states(1 << 10, &Budget::unlimited()) else { return (0, 0) };
    let interpreter = Interpreter::new(source.clone());
    let mut queue: VecDeque<Vec<u32>> = initial.iter().take(most).map(|state| compiled.plain().row(state)).collect();
    let mut seen: BTreeSet<Vec<u32>> = queue.iter().cloned().collect();
    let (mut shapes, mut scratch, mut room) = (RowLayouts::default(), compiled.scratch(), Room::default());
    let mut natives: BTreeMap<Vec<u32>, NativeLayout> = BTreeMap::new();
    let (mut calls, mut trapped) = (0, 0);
    while let Some(row) = queue.pop_front() {
        let (_, layout) = shapes.of_row(packing, &row);
        let processes = layout.processes.clone();
        let Ok(Some(defined)) = interpreter.of_layout(&processes) else { continue };
        let native = natives.entry(processes.clone()).or_insert_with(|| {
            let form = source.layout(&processes).expect("it has a form");
            NativeLayout::compile(form).unwrap_or_else(|| panic!("{name}: not compiled"))
        });
        let mut padded = row.clone();
        padded.resize(layout.words.max(row.len()), 0);
        for pid in 0..processes.len() {
            let (mut expected, mut found) = (Outcomes::default(), Outcomes::default());
            let wanted = defined.run(pid, &padded, &mut room, &mut expected);
            let got = native.run(pid, &padded, &mut room, &mut found);
            calls += 1;
            assert_eq!(got, wanted, "{name}: {pid} in {row:?}");
            if wanted.is_err() {
                trapped += 1;
                continue;
            }
            assert_eq!(
                (&found.changes, &found.ends, &found.failed),
                (&expected.changes, &expected.ends, &expected.failed),
                "{name}: {pid} in {row:?}\n{:#?}",
                defined.form().steps[pid]
            );
        }
        let mut found = Expansion::default();
        compiled.expand(&row, &mut scratch, &mut found);
        for next in found.rows() {
            if seen.len() < most && seen.insert(next.clone()) {
                queue.push_back(next);
            }
        }
    }
    (calls, trapped)
}

/// Whether a search with native code sees what one without sees.
fn compare_searches(semantics: &Semantics<'_>, most: usize, name: &str) -> bool {
    let compiled = Compiled::of(semantics);
    let budget = Budget::unlimited();
    let Ok(initial) = semantics.initial_states(1 << 10, &budget) else { return false };
    let initial: Vec<Vec<u32>> = initial.iter().map(|state| compiled.plain().row(state)).collect();
    let Some(source) = Source::of(semantics, compiled.packing(), None) else { return false };
    let options = |threads| Options { threads, max_states: Some(most), stop_at_finding: false, budget: &budget };
    let expected = breadth_first(&compiled, &Blind, &initial, &options(1), &mut |_| {}).summary;
    if expected.stopped.is_some() {
        return false;
    }
    for (threads, at_once) in [(1, true), (2, false)] {
        let Some(compiler) = NativeCompiler::new(source.clone()) else { return false };
        let compiler = if at_once { compiler.at_once() } else { compiler };
        let native = with_native_steps(compiled.clone(), Arc::new(compiler));
        let found = breadth_first(&native, &Blind, &initial, &options(threads), &mut |_| {}).summary;
        assert_eq!(found, expected, "{name}, {threads} threads");
    }
    true
}

#[test]
fn on_random_graphs() {
    let (calls, trapped, searches) = (Cell::new(0), Cell::new(0), Cell::new(0));
    for_random_cases(120, |case| {
        let program = graphs::random_graph(&mut case.rng);
        let semantics = Semantics::new(&program);
        let semantics = if case.number % 4 == 3 { semantics.persistent() } else { semantics };
        let (all, not) = compare(&semantics, 60, "a random graph");
        calls.set(calls.get() + all);
        trapped.set(trapped.get() + not);
        searches.set(searches.get() + usize::from(compare_searches(&semantics, 1500, "a random graph")));
    });
    let (calls, trapped, searches) = (calls.get(), trapped.get(), searches.get());
    assert!(
        calls > 3000 && trapped * 2 < calls && searches > 40,
        "{calls} calls, {trapped} trapped, {searches} searches"
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
fn on_the_corpus() {
    let (mut calls, mut searches) = (0, 0);
    for file in files("gcl", "gcl").into_iter().chain(files("gcl/bounded", "gcl")) {
        let text = std::fs::read_to_string(&file).expect("a readable file");
        let program = tertium_gcl::compile(&text).program.expect("the corpus is well-formed");
        let (semantics, name) = (Semantics::new(&program), file.to_string_lossy());
        calls += compare(&semantics, 200, &name).0;
        searches += usize::from(compare_searches(&semantics, 10_000, &name));
    }
    for file in files("promela/micro", "pml") {
        let (name, text) = (file.to_string_lossy(), std::fs::read_to_string(&file).expect("a readable file"));
        let read = tertium_promela::read(&name, &text, &tertium_promela::Options::default());
        assert!(!read.diagnostics.iter().any(Diagnostic::is_error), "{name}");
        let lowered = tertium_promela::lower::lower(&read.file, &read.symbols, &read.sources);
        let semantics = Semantics::new(&lowered.program);
        calls += compare(&semantics, 200, &name).0;
        searches += usize::from(compare_searches(&semantics, 10_000, &name));
    }
    assert!(calls > 2000 && searches > 30, "{calls} calls, {searches} searches");
}
