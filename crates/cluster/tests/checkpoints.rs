//! Do several processes, cut off at any moments, go on to the same counts and runs?

mod together;

use std::cell::Cell;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use tertium_base::Budget;
use tertium_cluster::{ClusterCheckpoints, ClusterFailure, ClusterOptions, ClusterSearch, search};
use tertium_explore::compiled::Compiled;
use tertium_explore::search::{Finding, Summary};
use tertium_program::{Program, Semantics};
use tertium_testkit::{for_random_cases, random_promela};
use together::{Picky, processes};

/// Whether a search is written down, and whether it goes on.
#[derive(Clone, Copy)]
enum How {
    Plain,
    Begun,
    Resumed,
}

/// What so many processes say, of so many threads each; all say the same.
fn together(
    program: &Program,
    (count, workers): (usize, usize),
    folder: &Path,
    how: How,
) -> Result<ClusterSearch, ClusterFailure> {
    let (semantics, budget) = (Semantics::new(program), Budget::unlimited());
    let compiled = Compiled::of(&semantics);
    let initial = semantics.initial_states(1 << 10, &budget).unwrap_or_default();
    let rows: Vec<Vec<u32>> = initial.iter().map(|state| compiled.plain().row(state)).collect();
    let (every, resume) = (Duration::ZERO, matches!(how, How::Resumed));
    let written = ClusterCheckpoints { folder, every, resume, identity: "this search" };
    let checkpoints = (!matches!(how, How::Plain)).then_some(written);
    let options = ClusterOptions { max_states: Some(30_000), budget: &budget, checkpoints, masked_after: 50 };
    let wanted = |summary: &Summary| summary.findings.keys().cloned().collect::<Vec<Finding>>();
    let take_part = |meeting| search(meeting, (&compiled, &Picky(97)), &rows, &wanted, &options, &mut |_| {});
    let mut outcomes = processes(count, workers, &take_part);
    let first = outcomes.swap_remove(0);
    for other in &outcomes {
        match (&first, other) {
            (Ok(one), Ok(other)) => must_be_same(one, other),
            (Err(one), Err(other)) => assert_eq!(one.to_string(), other.to_string()),
            _ => panic!("{first:?} {other:?}"),
        }
    }
    first
}

/// A folder of its own for a test.
fn place(name: &str) -> PathBuf {
    std::env::temp_dir().join(format!("tertium-cluster-parts-{name}-{}", std::process::id()))
}

fn part(folder: &Path, process: usize, processes: usize) -> PathBuf {
    folder.join(format!("states-{process}-of-{processes}.tertium"))
}

/// What must be the same, however often it was cut off.
fn told(search: &ClusterSearch) -> (&Summary, &dyn std::fmt::Debug, usize) {
    (&search.summary, &search.runs, search.errors)
}

fn must_be_same(one: &ClusterSearch, other: &ClusterSearch) {
    let ((summary, runs, errors), (others, their_runs, their_errors)) = (told(one), told(other));
    assert_eq!((summary, errors), (others, their_errors));
    assert_eq!(format!("{runs:?}"), format!("{their_runs:?}"));
}

#[test]
fn parts_that_are_cut_off_go_on_together() {
    let (folder, compared) = (place("cut"), Cell::new(0));
    for_random_cases(12, |case| {
        let text = random_promela(&mut case.rng);
        case.keep("model.pml", text.clone());
        let read = tertium_promela::read("m.pml", &text, &tertium_promela::Options::default());
        if read.is_broken() {
            return;
        }
        let program = tertium_promela::lower::lower(&read.file, &read.symbols, &read.sources).program;
        let [count, first, second] = [0; 3].map(|_| 1 + case.rng.below(3));
        let plain = together(&program, (count, first), &folder, How::Plain).expect("nobody is lost");
        if !plain.summary.complete() {
            return;
        }
        must_be_same(&together(&program, (count, second), &folder, How::Begun).expect("nobody is lost"), &plain);
        let whole: Vec<Vec<u8>> =
            (0..count).map(|process| fs::read(part(&folder, process, count)).expect("written")).collect();
        for _ in 0..3 {
            // What the processes have of the last sections differs; before, they have the same ones.
            for (process, bytes) in whole.iter().enumerate() {
                let len = 24 + case.rng.below(bytes.len() - 23);
                fs::write(part(&folder, process, count), &bytes[..len]).expect("written");
            }
            // What was written behind the cut is as good. How many threads there are does not matter.
            for _ in 0..2 {
                let size = (count, 1 + case.rng.below(3));
                must_be_same(&together(&program, size, &folder, How::Resumed).expect("nobody is lost"), &plain);
            }
        }
        compared.set(compared.get() + 1);
    });
    assert!(compared.get() >= 4, "{} compared", compared.get());
    fs::remove_dir_all(&folder).expect("there");
}

#[test]
fn what_is_no_part_is_refused() {
    let folder = place("none");
    let program = tertium_gcl::compile("system s var x : 0..9 = 0 process P { while x < 9 { x := x + 1; } }").program;
    let program = program.expect("no mistakes");
    let cause = |count: usize| match together(&program, (count, 1), &folder, How::Resumed) {
        Err(ClusterFailure::Unresumable { cause, .. }) => cause,
        other => panic!("{other:?}"),
    };
    assert!(cause(2).contains("cannot be read"), "{}", cause(2));
    together(&program, (2, 1), &folder, How::Begun).expect("nobody is lost");
    assert!(cause(3).contains("another number of processes"), "{}", cause(3));
    let whole = fs::read(part(&folder, 1, 2)).expect("written");
    for (wrong, why) in [(&b"something else altogether, of some length"[..], "damaged"), (&whole[..10], "damaged")] {
        fs::write(part(&folder, 1, 2), wrong).expect("written");
        assert!(cause(2).contains(why), "{}", cause(2));
    }
    fs::write(part(&folder, 1, 2), &whole).expect("written");
    together(&program, (2, 1), &folder, How::Resumed).expect("whole again");
    fs::remove_dir_all(&folder).expect("there");
}
