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
use tertium_explore::search::breadth::{Options, breadth_first};
use tertium_explore::search::{Blind, Finding, Observer, Summary};
use tertium_explore::successors::Plain;
use tertium_gpu::device::DeviceError;
use tertium_gpu::keys::TableKind;
use tertium_gpu::search::{Found, Options as DeviceOptions, SearchError, Watched, search};
use tertium_gpu::seen::SeenRows;
use tertium_program::{ExprId, Semantics};
use tertium_testkit::for_random_cases;

/// The search on whatever device there is.
fn on_device(compiled: &Compiled<'_>, initial: &[Vec<u32>], options: &DeviceOptions<'_>) -> Result<Found, SearchError> {
    #[cfg(feature = "cuda")]
    if std::env::var_os("TERTIUM_GPU").is_some() {
        return search(compiled, initial, options, &mut tertium_gpu::cuda::CudaDevice::new, &mut |_| {});
    }
    search(compiled, initial, options, &mut stand_in::StandIn::new, &mut |_| {})
}

/// A small table, and few states that are looked at first, so that tables grow and keys do not suffice.
fn small(budget: &Budget) -> DeviceOptions<'_> {
    DeviceOptions { max_states: None, stop_at_finding: false, budget, capacity: 256, look_at: 500, watched: None }
}

/// Compares one program, with and without resetting dead variables; says whether there was something to compare.
fn compare(semantics: &Semantics<'_>, most: usize, name: &str) -> bool {
    compare_in(semantics, (most, 256), name)
}

/// The same in a table of so many places at first.
fn compare_in(semantics: &Semantics<'_>, (most, capacity): (usize, u64), name: &str) -> bool {
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
        let options = DeviceOptions { capacity, ..small(&budget) };
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

/// Says which of some expressions hold in a state, as a number.
struct Valuations<'v, 'p> {
    semantics: &'v Semantics<'p>,
    plain: Plain<'p>,
    atoms: Vec<ExprId>,
}

impl Valuations<'_, '_> {
    /// None if one of them has no value.
    fn of(&self, row: &[u32]) -> Option<usize> {
        let state = self.plain.state(row);
        let values = self.atoms.iter().map(|&atom| self.semantics.observe(atom, &state).ok());
        values.enumerate().try_fold(0, |all, (at, value)| Some(all | usize::from(value? != 0) << at))
    }
}

/// What stands for a state in which an atom has no value.
const NO_VALUE: usize = 1 << 10;

impl Observer for Valuations<'_, '_> {
    type Scratch = ();

    fn scratch(&self) {}

    fn look(&self, row: &[u32], (): &mut (), broken: &mut dyn FnMut(usize)) {
        broken(self.of(row).unwrap_or(NO_VALUE));
    }
}

/// Conditions are broken first at the depths at which the explorer finds them broken, and the runs lead there.
#[test]
fn on_conditions() {
    if !is_there() {
        return;
    }
    let compared = Cell::new(0);
    for_random_cases(40, |case| {
        let program = graphs::random_graph(&mut case.rng);
        let semantics = Semantics::new(&program);
        let budget = Budget::unlimited();
        let Ok(initial) = semantics.initial_states(1 << 10, &budget) else { return };
        let atoms = (0..4).map(|_| ExprId::new(case.rng.below(program.exprs.len()))).collect();
        let seen = Valuations { semantics: &semantics, plain: Plain::of(&semantics), atoms };
        let compiled = Compiled::of(&semantics);
        let initial: Vec<Vec<u32>> = initial.iter().map(|state| seen.plain.row(state)).collect();
        let options = Options { threads: 1, max_states: Some(3000), stop_at_finding: false, budget: &budget };
        let expected = breadth_first(&compiled, &seen, &initial, &options, &mut |_| {}).summary;
        if expected.stopped.is_some() {
            return;
        }
        let broken = |row: &[u32]| seen.of(row).into_iter().collect();
        let watched = Some(Watched { atoms: &seen.atoms, broken: &broken });
        let options = DeviceOptions { watched, ..small(&budget) };
        let depths = |summary: &Summary| -> Vec<(Finding, usize)> {
            summary.findings.iter().map(|(finding, place)| (finding.clone(), place.depth)).collect()
        };
        match on_device(&compiled, &initial, &options) {
            Ok(found) => {
                assert_eq!(depths(&found.summary), depths(&expected), "{:?}", seen.atoms);
                for (finding, place) in &found.summary.findings {
                    let run = &found.runs[finding];
                    assert_eq!((run.len() - 1, run.last()), (place.depth, Some(&place.row)));
                }
                compared.set(compared.get() + 1);
            }
            // What fast steps do not know has no value for the device either; what has no value, has none for it.
            Err(SearchError::Atoms | SearchError::Unsupported(_)) => {}
            Err(error) => panic!("{error}"),
        }
    });
    assert!(compared.get() > 8, "{} compared", compared.get());
}

/// Two processes that walk through numbers of 31 bits, so many of them, and back and forth between two places.
fn wide(variables: usize) -> String {
    let names: Vec<String> = (0..variables).map(|number| format!("x{number}")).collect();
    let declared: String = names.iter().map(|name| format!("var {name} : 0..2147483647 = 1 ")).collect();
    let next = |name: &String| format!("{name} := ({name} * 1103515245 + 12345) mod 2147483648");
    let all: Vec<String> = names.iter().map(next).collect();
    format!(
        "system wide {declared} var n : 0..400 = 0 var b : bool = false \
         process P {{ while n < 400 {{ atomic {{ n := n + 1; {} }} }} }} process Q {{ loop {{ b := !b }} }}",
        all.join("; ")
    )
}

#[test]
fn with_keys_of_any_length() {
    if !is_there() {
        return;
    }
    let mut kinds = Vec::new();
    for variables in [1, 2, 3] {
        let program = tertium_gcl::compile(&wide(variables)).program.expect("no mistakes");
        let semantics = Semantics::new(&program);
        let compiled = Compiled::of(&semantics);
        let initial = semantics.initial_states(1, &Budget::unlimited()).expect("one");
        let mut seen = SeenRows::looking_at(500);
        let row = compiled.representative(&compiled.plain().row(&initial[0]));
        seen.look_from(&compiled, &[row], &Budget::unlimited());
        kinds.push(std::mem::discriminant(&seen.keys(&compiled, 0).table()));
        // Tables of quotients have four to seven parts.
        for capacity in [256, 5_000, 5_500, 6_900] {
            assert!(compare_in(&semantics, (5000, capacity), "numbers"), "{variables}, {capacity}");
        }
    }
    let expected = [TableKind::Keys, TableKind::Quotients(0), TableKind::Rows];
    assert_eq!(kinds, expected.map(|kind| std::mem::discriminant(&kind)));
}

/// A value that is seen only after many more states than are looked at first makes the search begin anew.
#[test]
fn what_was_not_seen_at_first_is_found() {
    if !is_there() {
        return;
    }
    let text = "system late var n : 0..60000 = 0 var x : 0..1000 = 0 var y : int = 0 \
                process P { while n < 60000 { n := n + 1; } x := 700; y := -5; x := 3 }";
    let program = tertium_gcl::compile(text).program.expect("no mistakes");
    assert!(compare(&Semantics::new(&program), 500_000, "late values"));
}

#[test]
fn without_a_device_that_is_said() {
    let text = "system s var x : 0..9 = 0 process P { while x < 9 { x := x + 1; } }";
    let program = tertium_gcl::compile(text).program.expect("no mistakes");
    let semantics = Semantics::new(&program);
    let compiled = Compiled::of(&semantics);
    let budget = Budget::unlimited();
    let options = small(&budget);
    let mut none = |_: &tertium_gpu::source::SearchSource| -> Result<stand_in::StandIn, DeviceError> {
        Err(DeviceError::Missing("none is here".to_owned()))
    };
    let error = search(&compiled, &[vec![0]], &options, &mut none, &mut |_| {}).expect_err("there is none");
    assert_eq!(error.to_string(), "no device for the search: none is here");
}

/// Of long rows the state's key is changed instead of copying the row, also where processes start and end, and where values are negative.
#[test]
fn with_long_rows() {
    if !is_there() {
        return;
    }
    let guarded = "system long var a, b, c, d, e, f, g, h, i, j : int = 0 \
                   process P { loop { choose { a := 1 - a; } or { b := (b + 1) mod 5; c := 0 - b; } or { d := 0 - a; } } } \
                   process Q { while j < 4 { j := j + 1; e := j * 1000003; } f := 0 - e; }";
    let program = tertium_gcl::compile(guarded).program.expect("no mistakes");
    assert!(compare(&Semantics::new(&program), 50_000, "guarded commands"));
    let text = "int x[9];\n\
                proctype W(byte k) { int y; y = k - 1; x[k] = y * 70000; do :: x[k] < 3 -> x[k] = x[k] + 35001 :: x[k] >= 3 -> break od;\n\
                  x[(k + 3) % 9] = -y; assert(x[k] != 5) }\n\
                init { run W(0); run W(1); (_nr_pr < 3) -> run W(2) }\n";
    let read = tertium_promela::read("long.pml", text, &tertium_promela::Options::default());
    assert!(!read.diagnostics.iter().any(Diagnostic::is_error), "{:?}", read.diagnostics);
    let lowered = tertium_promela::lower::lower(&read.file, &read.symbols, &read.sources);
    assert!(compare(&Semantics::new(&lowered.program), 50_000, "processes that start and end"));
}
