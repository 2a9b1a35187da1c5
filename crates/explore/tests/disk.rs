//! Does a search that keeps states on disk find what one in memory finds?

use std::cell::Cell;
use std::fs;
use std::path::{Path, PathBuf};

use tertium_base::Budget;
use tertium_explore::compiled::Compiled;
use tertium_explore::search::breadth::{Options, breadth_first};
use tertium_explore::search::disk::{DiskFailure, DiskOptions, breadth_first_on_disk};
use tertium_explore::search::run::shortest_run;
use tertium_explore::search::{Blind, Observer};
use tertium_explore::successors::{Expansion, RowSuccessors};
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

/// A folder of its own for a test.
fn folder(name: &str) -> PathBuf {
    let folder = std::env::temp_dir().join(format!("tertium-disk-{name}-{}", std::process::id()));
    fs::create_dir_all(&folder).expect("a folder");
    folder
}

/// Compares a search with so many states in memory with one that keeps all of them there; whether it went to disk.
fn compare(program: &Program, most: usize, (states, threads): (usize, usize), folder: &Path) -> bool {
    let (semantics, budget) = (Semantics::new(program), Budget::unlimited());
    let compiled = Compiled::of(&semantics);
    let initial = semantics.initial_states(1 << 10, &budget).unwrap_or_default();
    let rows: Vec<Vec<u32>> = initial.iter().map(|state| compiled.plain().row(state)).collect();
    let options = Options { threads: 1, max_states: Some(most), stop_at_finding: false, budget: &budget };
    let inside = breadth_first(&compiled, &Picky, &rows, &options, &mut |_| {});
    if !inside.summary.complete() {
        return false;
    }
    let disk = DiskOptions { folder, memory: usize::MAX, buffers: 0, states };
    let options = Options { threads, ..options };
    let searched = breadth_first_on_disk((&compiled, &Picky), &rows, &options, &disk, &mut |_| {});
    let mut outside = match searched {
        Err(DiskFailure::LongerRows) => return false,
        searched => searched.expect("a folder that can be written"),
    };
    assert_eq!(outside.summary, inside.summary, "{states} states in memory");
    for place in inside.summary.findings.values() {
        let expected = shortest_run(&compiled, inside.levelled(), &place.row, place.depth, &budget).expect("no limit");
        let run = outside.shortest_run(&compiled, (&place.row, place.depth), &budget).expect("readable");
        assert_eq!(run, Some(expected));
    }
    let mut seen = 0;
    outside.for_each(&mut |_| seen += 1).expect("readable");
    assert_eq!(seen, inside.summary.states);
    outside.bytes.1 > 0
}

#[test]
fn random_models_with_a_few_states_in_memory() {
    let folder = folder("random");
    let (on_disk, tried) = (Cell::new(0), Cell::new(0));
    for_random_cases(24, |case| {
        let text = random_promela(&mut case.rng);
        case.keep("model.pml", text.clone());
        let read = tertium_promela::read("m.pml", &text, &tertium_promela::Options::default());
        if read.is_broken() {
            return;
        }
        let program = tertium_promela::lower::lower(&read.file, &read.symbols, &read.sources).program;
        let states = *case.rng.pick(&[1, 7, 100, 1_000]);
        on_disk.set(on_disk.get() + usize::from(compare(&program, 30_000, (states, 1 + case.rng.below(3)), &folder)));
        tried.set(tried.get() + 1);
    });
    assert!(on_disk.get() * 4 >= tried.get(), "{} of {} on disk", on_disk.get(), tried.get());
    assert!(fs::read_dir(&folder).expect("a folder").next().is_none(), "no file is left");
    fs::remove_dir(&folder).expect("empty");
}

#[test]
fn many_levels_and_many_candidates() {
    let folder = folder("counters");
    let text = "system s var x, y, z : 0..33 = 0
        process P { while x < 33 { x := x + 1; } }
        process Q { while y < 33 { y := y + 1; } }
        process R { while z < 33 { z := z + 1; } }";
    let program = tertium_gcl::compile(text).program.expect("no mistakes");
    assert!(compare(&program, 400_000, (500, 3), &folder));
    let chain = "system s var x : 0..20000 = 0 process P { while x < 20000 { x := x + 1; } }";
    let program = tertium_gcl::compile(chain).program.expect("no mistakes");
    assert!(compare(&program, 400_000, (100, 2), &folder));
    fs::remove_dir(&folder).expect("empty");
}

/// Counts through pairs of words, among them the largest.
struct Pairs;

const PAIRS: [[u32; 2]; 6] = [[0, 0], [1, 0], [u32::MAX, u32::MAX], [5, 7], [u32::MAX, 0], [0, u32::MAX]];

impl RowSuccessors for Pairs {
    type Scratch = ();

    fn words(&self) -> usize {
        2
    }

    fn scratch(&self) {}

    fn expand(&self, row: &[u32], (): &mut (), found: &mut Expansion) {
        found.begin(row, 2);
        let at = PAIRS.iter().position(|pair| pair == row).expect("a pair");
        if let Some(next) = PAIRS.get(at + 1) {
            found.arrive(next, 0);
        }
    }
}

#[test]
fn the_largest_words_are_words_like_others() {
    let (folder, budget) = (folder("pairs"), Budget::unlimited());
    let options = Options { threads: 1, max_states: None, stop_at_finding: false, budget: &budget };
    let disk = DiskOptions { folder: &folder, memory: usize::MAX, buffers: 0, states: 1 };
    let initial = [PAIRS[0].to_vec()];
    let found = breadth_first_on_disk((&Pairs, &Blind), &initial, &options, &disk, &mut |_| {}).expect("written");
    assert_eq!((found.summary.states, found.summary.depth, found.summary.stopped), (6, 5, None));
    assert!(found.bytes.1 > 0, "on disk");
    drop(found);
    fs::remove_dir(&folder).expect("empty");
}
