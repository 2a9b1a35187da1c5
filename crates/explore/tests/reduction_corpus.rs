//! On every program of the corpus a search that leaves out steps which need not be interleaved finds the same deadlocks and
//! the same faults as one that leaves out nothing.

use std::path::{Path, PathBuf};

use tertium_base::{Budget, Diagnostic};
use tertium_explore::compiled::Compiled;
use tertium_explore::reduction::StateSpaceReduction;
use tertium_explore::search::Blind;
use tertium_explore::search::breadth::{Options, breadth_first};
use tertium_explore::search::depth::depth_first;
use tertium_program::Semantics;

/// Larger programs are left out: an unfinished search finds what its order meets first.
const MOST_STATES: usize = 30_000;

fn files(folder: &str, ending: &str) -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../corpus").join(folder);
    let entries = std::fs::read_dir(&folder).expect("the corpus is there");
    let mut files: Vec<PathBuf> = entries.map(|entry| entry.expect("a readable entry").path()).collect();
    files.retain(|file| file.extension().is_some_and(|found| found == ending));
    files.sort();
    files
}

/// The states of the full and of the reduced search; none if nothing can be compared.
fn compare(semantics: &Semantics<'_>, name: &str) -> Option<(usize, usize)> {
    let reduction = StateSpaceReduction::of(semantics, &[]);
    let compiled = Compiled::of(semantics);
    let budget = Budget::unlimited();
    let initial = semantics.initial_states(1 << 12, &budget).ok()?;
    let initial: Vec<Vec<u32>> = initial.iter().map(|state| compiled.plain().row(state)).collect();
    let options = |threads, max_states| Options { threads, max_states, stop_at_finding: false, budget: &budget };
    let full = breadth_first(&compiled, &Blind, &initial, &options(1, Some(MOST_STATES)), &mut |_| {}).summary;
    if full.stopped.is_some() || reduction.is_empty() {
        return None;
    }
    let reduced = compiled.reduced(reduction);
    let initial: Vec<Vec<u32>> = initial.iter().map(|row| reduced.representative(row)).collect();
    let fewer = breadth_first(&reduced, &Blind, &initial, &options(1, None), &mut |_| {}).summary;
    assert!(fewer.findings.keys().eq(full.findings.keys()), "{name}: {:?} {:?}", fewer.findings, full.findings);
    assert_eq!(fewer.deadlocks > 0, full.deadlocks > 0, "{name}");
    assert!(fewer.states <= full.states, "{name}");
    assert_eq!(breadth_first(&reduced, &Blind, &initial, &options(2, None), &mut |_| {}).summary, fewer, "{name}");
    let deep = depth_first(&reduced, &Blind, &initial, &options(1, None), &mut |_| {}).summary;
    assert!(deep.findings.keys().eq(full.findings.keys()), "{name}: {:?} {:?}", deep.findings, full.findings);
    Some((full.states, fewer.states))
}

/// How many programs were compared, and on how many of them there was something to leave out.
fn tally(compared: &[(usize, usize)]) -> (usize, usize) {
    (compared.len(), compared.iter().filter(|(full, fewer)| fewer < full).count())
}

#[test]
fn guarded_commands() {
    let mut compared = Vec::new();
    for file in files("gcl", "gcl").into_iter().chain(files("gcl/bounded", "gcl")) {
        let text = std::fs::read_to_string(&file).expect("a readable file");
        let program = tertium_gcl::compile(&text).program.expect("the corpus is well-formed");
        compared.extend(compare(&Semantics::new(&program), &file.to_string_lossy()));
    }
    let (all, fewer) = tally(&compared);
    assert!(all >= 2 && fewer >= 1, "{all} compared, {fewer} with fewer states");
}

#[test]
fn promela() {
    let mut compared = Vec::new();
    for file in files("promela/micro", "pml") {
        let (name, text) = (file.to_string_lossy(), std::fs::read_to_string(&file).expect("a readable file"));
        let read = tertium_promela::read(&name, &text, &tertium_promela::Options::default());
        assert!(!read.diagnostics.iter().any(Diagnostic::is_error), "{name}");
        let lowered = tertium_promela::lower::lower(&read.file, &read.symbols, &read.sources);
        compared.extend(compare(&Semantics::new(&lowered.program).persistent(), &name));
    }
    let (all, fewer) = tally(&compared);
    assert!(all >= 30 && fewer >= 5, "{all} compared, {fewer} with fewer states");
}
