//! Does a search that was cut off at any moment go on to the same answers?

use std::fs;
use std::path::PathBuf;

use tertium_base::Budget;
use tertium_explore::compiled::Compiled;
use tertium_explore::search::breadth::{Beginning, Explored, Levelled, Listeners, Options, breadth_first_from};
use tertium_explore::search::checkpoint::{CheckpointFailure, CheckpointFile, resume};
use tertium_explore::search::{Observer, Summary};
use tertium_program::{Program, Semantics};
use tertium_testkit::{Rng, random_promela};

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

const IDENTITY: &str = "this search";

fn search(
    compiled: &Compiled<'_>,
    beginning: Beginning<'_>,
    threads: usize,
    level: &mut dyn FnMut(&Summary, Levelled<'_>),
) -> Explored {
    let budget = Budget::unlimited();
    let options = Options { threads, max_states: Some(50_000), stop_at_finding: false, budget: &budget };
    let listeners = Listeners { progress: &mut |_| {}, found: &mut |_, _| {} };
    breadth_first_from(compiled, &Picky, beginning, &options, listeners, level)
}

/// A file of its own for a test.
fn place(name: &str) -> PathBuf {
    std::env::temp_dir().join(format!("tertium-checkpoint-{name}-{}", std::process::id()))
}

/// Writes a checkpoint at every level, cuts the file off at random places, and goes on from there.
fn cut_and_go_on(program: &Program, rng: &mut Rng, name: &str) -> bool {
    let semantics = Semantics::new(program);
    let compiled = Compiled::of(&semantics);
    let initial = semantics.initial_states(1 << 10, &Budget::unlimited()).unwrap_or_default();
    let rows: Vec<Vec<u32>> = initial.iter().map(|state| compiled.plain().row(state)).collect();
    let path = place("cut");
    let mut file = CheckpointFile::create(&path, IDENTITY).expect("a file");
    let whole = search(&compiled, Beginning::Initial(&rows), 1, &mut |summary, levelled| {
        file.append(summary, levelled, &Picky).expect("written");
    });
    if !whole.summary.complete() {
        return false;
    }
    let bytes = fs::read(&path).expect("written");
    for _ in 0..4 {
        let len = 24 + rng.below(bytes.len() - 23);
        fs::write(&path, &bytes[..len]).expect("written");
        let budget = Budget::unlimited();
        let (so_far, mut file) =
            resume(&path, IDENTITY, (&compiled, &Picky), &budget).unwrap_or_else(|why| panic!("{name}: {why}"));
        let beginning = so_far.map_or(Beginning::Initial(&rows), |so_far| Beginning::Resumed(Box::new(so_far)));
        let again = search(&compiled, beginning, 1 + rng.below(3), &mut |summary, levelled| {
            file.append(summary, levelled, &Picky).expect("written");
        });
        assert_eq!(again.summary, whole.summary, "{name}, cut off after {len} bytes");
        assert_eq!(again.levels, whole.levels, "{name}");
        // What was written behind the cut is as good.
        let (so_far, _) = resume(&path, IDENTITY, (&compiled, &Picky), &budget).expect("whole");
        let last = so_far.map(|so_far| (so_far.store.len(), so_far.summary.findings));
        let complete = Some((whole.store.len(), whole.summary.findings.clone()));
        assert!(whole.levels.len() == 1 || last == complete, "{name}");
    }
    let at = 24 + rng.below((bytes.len() - 24).max(1));
    let mut wrong = bytes;
    if let Some(byte) = wrong.get_mut(at) {
        *byte ^= 1 << rng.below(8);
        fs::write(&path, &wrong).expect("written");
        // A section that is not what was written counts as not written.
        if let Ok((so_far, _)) = resume(&path, IDENTITY, (&compiled, &Picky), &Budget::unlimited()) {
            let beginning = so_far.map_or(Beginning::Initial(&rows), |so_far| Beginning::Resumed(Box::new(so_far)));
            assert_eq!(search(&compiled, beginning, 1, &mut |_, _| {}).summary, whole.summary, "{name}");
        }
    }
    let other = resume(&path, "another search", (&compiled, &Picky), &Budget::unlimited());
    assert!(matches!(other, Err(CheckpointFailure::Other)), "{name}");
    fs::remove_file(&path).expect("there");
    true
}

#[test]
fn searches_that_are_cut_off_go_on_to_the_same_answers() {
    let mut compared = 0;
    for seed in 0..25 {
        let mut rng = Rng::new(seed);
        let text = random_promela(&mut rng);
        let read = tertium_promela::read("m.pml", &text, &tertium_promela::Options::default());
        if read.is_broken() {
            continue;
        }
        let program = tertium_promela::lower::lower(&read.file, &read.symbols, &read.sources).program;
        compared += usize::from(cut_and_go_on(&program, &mut rng, &format!("seed {seed}:\n{text}")));
    }
    assert!(compared >= 10, "{compared} compared");
}

#[test]
fn what_is_no_checkpoint_is_refused() {
    let program = tertium_gcl::compile("system s var x : 0..3 = 0 process P { x := 1; }").program.expect("no mistakes");
    let semantics = Semantics::new(&program);
    let compiled = Compiled::of(&semantics);
    let path = place("none");
    for text in ["", "tertium states 1", "something else altogether, of some length"] {
        fs::write(&path, text).expect("written");
        let refused = resume(&path, IDENTITY, (&compiled, &Picky), &Budget::unlimited());
        assert!(matches!(refused, Err(CheckpointFailure::Damaged(_))), "{text:?}");
    }
    fs::remove_file(&path).expect("there");
    let absent = resume(&path, IDENTITY, (&compiled, &Picky), &Budget::unlimited());
    assert!(matches!(absent, Err(CheckpointFailure::Unreadable(_))));
}
