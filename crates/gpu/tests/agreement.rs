//! A search on a device sees what the explorer sees: counts, findings and where they are met first. Without a graphics processor the
//! printed code is compiled by a C++ compiler, with stand-ins; with `TERTIUM_GPU=1` and the feature `cuda` a device does it.

#[path = "../../explore/tests/graphs/mod.rs"]
mod graphs;
mod stand_in;

use std::cell::Cell;
use std::path::{Path, PathBuf};

use tertium_base::{Budget, Diagnostic};
use tertium_explore::compiled::Compiled;
use tertium_explore::reduction::{ReductionKinds, StateSpaceReduction};
use tertium_explore::search::Blind;
use tertium_explore::search::breadth::{Options, breadth_first};
use tertium_gpu::device::DeviceError;
use tertium_gpu::search::{Found, Options as DeviceOptions, SearchError, search};
use tertium_program::Semantics;
use tertium_testkit::for_random_cases;

/// The search on whatever device there is.
fn on_device(compiled: &Compiled<'_>, initial: &[Vec<u32>], options: &DeviceOptions<'_>) -> Result<Found, SearchError> {
    #[cfg(feature = "cuda")]
    if std::env::var_os("TERTIUM_GPU").is_some() {
        return search(compiled, initial, options, &mut tertium_gpu::cuda::CudaDevice::new, &mut |_| {});
    }
    search(compiled, initial, options, &mut stand_in::StandIn::new, &mut |_| {})
}

/// Compares one program, with and without resetting dead variables; says whether there was something to compare.
fn compare(semantics: &Semantics<'_>, most: usize, name: &str) -> bool {
    let budget = Budget::unlimited();
    let Ok(initial) = semantics.initial_states(1 << 10, &budget) else { return false };
    let mut compared = false;
    for kinds in [ReductionKinds::NONE, ReductionKinds::VALUES] {
        let compiled = Compiled::of(semantics).reduced(StateSpaceReduction::with(semantics, &[], kinds));
        let initial: Vec<Vec<u32>> =
            initial.iter().map(|state| compiled.representative(&compiled.plain().row(state))).collect();
        let options = Options { threads: 1, max_states: Some(most), stop_at_finding: false, budget: &budget };
        let expected = breadth_first(&compiled, &Blind, &initial, &options, &mut |_| {}).summary;
        if expected.stopped.is_some() {
            continue;
        }
        let options = DeviceOptions { max_states: None, stop_at_finding: false, budget: &budget, capacity: 256 };
        let found = match on_device(&compiled, &initial, &options) {
            Ok(found) => found,
            Err(SearchError::Unsupported(_)) => return compared,
            Err(error) => panic!("{name}: {error}"),
        };
        assert_eq!(found.summary, expected, "{name}, {kinds:?}, {} by definition", found.by_definition);
        for (finding, place) in &found.summary.findings {
            let run = &found.runs[finding];
            assert_eq!((run.len() - 1, run.last()), (place.depth, Some(&place.row)), "{name}");
            assert!(initial.contains(&run[0]), "{name}");
        }
        compared = true;
        if kinds == ReductionKinds::NONE && StateSpaceReduction::with(semantics, &[], ReductionKinds::VALUES).is_empty()
        {
            break;
        }
    }
    compared
}

fn is_there() -> bool {
    stand_in::compiler().is_some() || std::env::var_os("TERTIUM_GPU").is_some()
}

#[test]
fn on_random_graphs() {
    if !is_there() {
        return;
    }
    let compared = Cell::new(0);
    for_random_cases(25, |case| {
        let program = graphs::random_graph(&mut case.rng);
        let semantics = Semantics::new(&program);
        let semantics = if case.number % 4 == 3 { semantics.persistent() } else { semantics };
        compared.set(compared.get() + usize::from(compare(&semantics, 3000, "a random graph")));
    });
    assert!(compared.get() > 8, "{} compared", compared.get());
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
    if !is_there() {
        return;
    }
    let mut compared = 0;
    for file in files("gcl", "gcl").into_iter().chain(files("gcl/bounded", "gcl")) {
        let text = std::fs::read_to_string(&file).expect("a readable file");
        let program = tertium_gcl::compile(&text).program.expect("the corpus is well-formed");
        compared += usize::from(compare(&Semantics::new(&program), 50_000, &file.to_string_lossy()));
    }
    assert!(compared >= 2, "{compared} compared");
}

#[test]
fn on_promela() {
    if !is_there() {
        return;
    }
    // A compiler takes its time: without a device a part of them is compared, unless more cases are asked for.
    let all = std::env::var_os("TERTIUM_GPU").is_some() || std::env::var_os("TERTIUM_CASES").is_some();
    let mut compared = 0;
    for file in files("promela/micro", "pml").into_iter().step_by(if all { 1 } else { 9 }) {
        let (name, text) = (file.to_string_lossy(), std::fs::read_to_string(&file).expect("a readable file"));
        let read = tertium_promela::read(&name, &text, &tertium_promela::Options::default());
        assert!(!read.diagnostics.iter().any(Diagnostic::is_error), "{name}");
        let lowered = tertium_promela::lower::lower(&read.file, &read.symbols, &read.sources);
        compared += usize::from(compare(&Semantics::new(&lowered.program), 50_000, &name));
    }
    assert!(compared >= 20, "{compared} compared");
}

#[test]
fn without_a_device_that_is_said() {
    let text = "system s var x : 0..9 = 0 process P { while x < 9 { x := x + 1; } }";
    let program = tertium_gcl::compile(text).program.expect("no mistakes");
    let semantics = Semantics::new(&program);
    let compiled = Compiled::of(&semantics);
    let budget = Budget::unlimited();
    let options = DeviceOptions { max_states: None, stop_at_finding: false, budget: &budget, capacity: 256 };
    let mut none = |_: &tertium_gpu::source::SearchSource| -> Result<stand_in::StandIn, DeviceError> {
        Err(DeviceError::Missing("none is here".to_owned()))
    };
    let error = search(&compiled, &[vec![0]], &options, &mut none, &mut |_| {}).expect_err("there is none");
    assert_eq!(error.to_string(), "no device for the search: none is here");
}
