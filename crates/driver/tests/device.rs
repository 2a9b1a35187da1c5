//! A graphics processor answers what the search on the processor answers: what single states break, and linear properties with fairness. The device is one of CUDA with
//! `TERTIUM_GPU=1`, and otherwise the printed code, compiled by a C++ compiler with stand-ins.
#![cfg(feature = "gpu")]

#[path = "../../gpu/tests/stand_in/mod.rs"]
mod stand_in;

use tertium_base::Budget;
use tertium_driver::program::answer::ProgramAnswer;
use tertium_driver::program::device::{Linear, decide, decide_with};
use tertium_driver::program::questions::questions;
use tertium_driver::program::safety::{Effort, Keeping};
use tertium_driver::program::space::Space;
use tertium_driver::program::{CheckOptions, ProgramFile, check, from_text, load};
use tertium_lattice::Belnap;

/// Compares the answers about one program; how many were definite.
fn compare(name: &str, file: &ProgramFile) -> usize {
    let asked = questions(file, &[], false).expect("all names are known");
    let budget = Budget::unlimited();
    let space = Space::new(&file.program, &budget).expect("it can begin");
    let effort =
        Effort { threads: 1, max_states: Some(100_000), reduction: false, store: Keeping::Exact, budget: &budget };
    let found = if std::env::var_os("TERTIUM_GPU").is_some() {
        decide(&space, (&asked, Linear::Asked), &effort, &mut |_| {})
    } else {
        decide_with(&space, (&asked, Linear::Asked), &effort, (&mut stand_in::StandIn::new, 1 << 12), &mut |_| {})
    };
    let found = match found {
        Ok(found) => found,
        // Named as what a device does not decide.
        Err(failure) if format!("{failure:?}").contains("E0377") => return 0,
        Err(failure) => panic!("{name}: {failure:?}"),
    };
    let expected = check(file, &asked, &CheckOptions::default(), &budget, &()).expect("it can be run").answers;
    let mut definite = 0;
    for answer in &found.answers {
        let same = |other: &&ProgramAnswer| other.name == answer.name;
        let other = expected.iter().find(same).expect("it is asked, too");
        assert_eq!(answer.value(), other.value(), "{name}: {}", answer.name);
        assert_eq!(answer.value() == Belnap::False, answer.run().is_some(), "{name}: {}", answer.name);
        definite += usize::from(answer.value() != Belnap::Unknown);
    }
    definite
}

fn guarded(text: &str) -> ProgramFile {
    from_text("turns.gcl", text.to_owned(), &[], None).expect("no mistakes")
}

fn is_there() -> bool {
    stand_in::compiler().is_some() || std::env::var_os("TERTIUM_GPU").is_some()
}

/// Two processes that take turns, and one that may rest for ever, under each kind of fairness.
fn turns(fairness: &str) -> String {
    format!(
        "system turns {fairness} P {fairness} Q var turn : 0..1 = 0 var n : 0..3 = 0 \
         process P {{ loop {{ w: await turn = 0; c: n := (n + 1) mod 4; turn := 1; }} }} \
         process Q {{ loop {{ w: await turn = 1; choose {{ turn := 0; }} or {{ n := 0; turn := 0; }} }} }} \
         process R {{ loop {{ choose {{ skip; }} or {{ await n = 2; skip; }} }} }} \
         property again: ltl G F P@c  property apart: ltl G !(P@c && turn = 1) \
         property reaches: ltl F n = 3  property waits: ltl G (P@w -> F turn = 0)"
    )
}

#[test]
fn fairness() {
    if !is_there() {
        return;
    }
    for fairness in ["fair", "strong fair"] {
        assert!(compare("turns.gcl", &guarded(&turns(fairness))) >= 4, "{fairness}");
    }
    let unfair = turns("fair").replacen("fair P fair Q", "", 1);
    assert!(compare("turns.gcl", &guarded(&unfair)) >= 4);
}

/// What is left may have states to which strong fairness does not arrive from where the run goes round.
#[test]
fn strong_fairness_outside_of_the_component() {
    if !is_there() {
        return;
    }
    let text = "system phases strong fair P var phase, x, y : 0..1 = 0 \
                process Q { loop { choose { when phase = 0 do x := 1 - x } or { when phase = 0 do phase := 1 } or { when phase = 1 do skip } } } \
                process P { loop { when phase = 1 do y := 1 - y } } \
                property early: ltl F G !(phase = 0 && x = 1)  property late: ltl F G !(phase = 1 && y = 1)";
    assert!(compare("phases.gcl", &guarded(text)) >= 2);
}

#[test]
fn models_with_formulas() {
    if !is_there() {
        return;
    }
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../corpus/promela/micro");
    let mut files: Vec<_> =
        std::fs::read_dir(folder).expect("the corpus").map(|entry| entry.expect("an entry").path()).collect();
    files.retain(|file| file.extension().is_some_and(|ending| ending == "pml"));
    files.sort();
    let (all, mut definite) = (std::env::var_os("TERTIUM_GPU").is_some(), 0);
    files.retain(|file| std::fs::read_to_string(file).is_ok_and(|text| text.contains("ltl")));
    for path in files.into_iter().take(if all { usize::MAX } else { 8 }) {
        let file = load(&path, &[], None, &[]).expect("no mistakes");
        definite += compare(&path.to_string_lossy(), &file);
    }
    assert!(definite >= 8, "{definite} definite");
}
