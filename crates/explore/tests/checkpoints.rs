//! Does a search that was cut off at any moment go on to the same answers?

use std::fs;
use std::path::PathBuf;
use std::time::Duration;

use tertium_base::Budget;
use tertium_explore::compiled::Compiled;
use tertium_explore::search::breadth::{Beginning, Explored, Levelled, Listeners, Options, breadth_first_from};
use tertium_explore::search::checkpoint::{CheckpointFailure, CheckpointFile, resume};
use tertium_explore::search::checkpoint_folder::{CheckpointFolder, FolderFailure, RecordKind, RunIdentity};
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
    // Nobody goes on with what is being written.
    drop(file);
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
        drop(file);
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

fn identity(model: &str) -> RunIdentity {
    RunIdentity { version: "1".to_owned(), model: model.to_owned(), options: "none".to_owned() }
}

#[test]
fn a_folder_keeps_records_of_one_run() {
    let folder = place("records");
    let every = Duration::ZERO;
    let begun = CheckpointFolder::begin(&folder, every, &identity("m")).expect("a folder");
    assert_eq!(begun.kept(RecordKind::Answer, "one"), None);
    for text in ["first", "second", ""] {
        begun.keep(RecordKind::Answer, "one", text.as_bytes());
        assert_eq!(begun.kept(RecordKind::Answer, "one").as_deref(), Some(text.as_bytes()));
    }
    begun.keep(RecordKind::Answer, "one", b"last");
    begun.keep(RecordKind::Set, "one", b"another kind");
    assert_eq!(begun.failed(), None);
    drop(begun);
    let again = CheckpointFolder::resume(&folder, every, &identity("m")).expect("the same run");
    assert_eq!(again.kept(RecordKind::Answer, "one").as_deref(), Some(&b"last"[..]));
    assert_eq!(again.kept(RecordKind::Predicates, "one"), None);
    drop(again);
    let other = CheckpointFolder::resume(&folder, every, &identity("n"));
    assert!(matches!(other, Err(FolderFailure::Other("model"))), "{other:?}");
    for entry in fs::read_dir(&folder).expect("a folder") {
        let path = entry.expect("readable").path();
        let whole = fs::read(&path).expect("readable");
        for at in 0..whole.len() {
            let mut wrong = whole.clone();
            wrong[at] ^= 1 << (at % 8);
            fs::write(&path, &wrong).expect("written");
            let refused = CheckpointFolder::resume(&folder, every, &identity("m"));
            assert!(refused.is_err(), "byte {at} of {}", path.display());
            fs::write(&path, &whole[..at]).expect("written");
            let refused = CheckpointFolder::resume(&folder, every, &identity("m"));
            assert!(refused.is_err(), "{at} bytes of {}", path.display());
        }
        fs::write(&path, &whole).expect("written");
    }
    let anew = CheckpointFolder::begin(&folder, every, &identity("m")).expect("a folder");
    assert_eq!(anew.kept(RecordKind::Answer, "one"), None, "what another run has left is gone");
    drop(anew);
    fs::remove_dir_all(&folder).expect("there");
}

/// Limits end a search again and again; each time it goes on where it was.
#[test]
fn a_search_that_is_begun_again_goes_on() {
    let text = "system s var x, y : 0..40 = 0\nprocess P { while x < 40 { x := x + 1; } }\nprocess Q { while y < 40 { y := y + 1; } }";
    let program = tertium_gcl::compile(text).program.expect("no mistakes");
    let semantics = Semantics::new(&program);
    let compiled = Compiled::of(&semantics);
    let budget = Budget::unlimited();
    let initial = semantics.initial_states(1, &budget).expect("one");
    let rows: Vec<Vec<u32>> = initial.iter().map(|state| compiled.plain().row(state)).collect();
    let whole = search(&compiled, Beginning::Initial(&rows), 1, &mut |_, _| {});
    let folder = place("again");
    let kept = CheckpointFolder::begin(&folder, Duration::ZERO, &identity("m")).expect("a folder");
    let (mut ended, mut looks) = (false, 1);
    while !ended {
        // Each time with a little more effort, so that it ends at last; less than the whole would take.
        let some = Budget::unlimited().with_further_effort(looks);
        let options = Options { threads: 1, max_states: Some(50_000), stop_at_finding: false, budget: &some };
        let listeners = Listeners { progress: &mut |_| {}, found: &mut |_, _| {} };
        let found = kept.search("it", (&compiled, &Picky), &rows, &options, listeners).expect("not damaged");
        ended = found.summary.stopped.is_none();
        if ended {
            assert_eq!((found.summary, found.levels), (whole.summary.clone(), whole.levels.clone()));
        }
        looks += 1;
    }
    drop(kept);
    fs::remove_dir_all(&folder).expect("there");
}
