//! Processes that are started and processes that meet, abstracted: the models of the corpus have the answers that stand in them,
//! whatever kind of abstraction is asked, and a solver that gives up makes none wrong; random models agree with running them.

mod models;

use std::cell::Cell;
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::time::Duration;

use tertium_base::Budget;
use tertium_driver::program::predicate_abstraction::{self, AbstractionKind, AbstractionOptions, Limit};
use tertium_driver::program::questions::questions;
use tertium_driver::program::refinement_loop;
use tertium_driver::program::{CheckOptions, ProgramAnswer, ProgramFile, check, load};
use tertium_driver::{Belnap, Failure};
use tertium_testkit::{for_random_cases, random_promela};

fn folder() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../corpus/promela/abstracted")
}

fn models() -> Vec<PathBuf> {
    let mut paths: Vec<PathBuf> =
        std::fs::read_dir(folder()).expect("the corpus").map(|entry| entry.unwrap().path()).collect();
    paths.retain(|path| path.extension().is_some_and(|extension| extension == "pml"));
    paths.sort();
    paths
}

/// What a model says of itself: ` * expected: NAME true`.
fn expected(text: &str) -> BTreeMap<String, Belnap> {
    let value = |word: &str| match word {
        "true" => Belnap::True,
        "false" => Belnap::False,
        other => panic!("`{other}` is no answer"),
    };
    let lines = text.lines().filter_map(|line| line.trim().strip_prefix("* expected: "));
    lines
        .map(|line| line.split_once(' ').expect("a name and a value"))
        .map(|(name, word)| (name.to_owned(), value(word)))
        .collect()
}

fn known(answer: &ProgramAnswer) -> bool {
    matches!(answer.value(), Belnap::True | Belnap::False)
}

/// For random models, of which those that are too hard are left.
fn brief() -> Budget {
    Budget::unlimited().with_effort(Some(20_000))
}

fn loaded(path: &std::path::Path) -> (ProgramFile, BTreeMap<String, Belnap>) {
    let text = std::fs::read_to_string(path).expect("a model");
    let file = load(path, &[], None, &[]).unwrap_or_else(|failure| panic!("{}: {failure:?}", path.display()));
    (file, expected(&text))
}

#[test]
fn the_loop_answers_what_the_models_say() {
    for path in models() {
        let (file, expected) = loaded(&path);
        let asked = questions(&file, &[], false).expect("no names are asked for");
        let how = AbstractionOptions::default();
        let found =
            refinement_loop::check(&file, &asked, &CheckOptions::default(), &how, 12, &Budget::unlimited(), &());
        let found = found.unwrap_or_else(|failure| panic!("{}: {failure:?}", path.display()));
        for answer in &found.answers {
            let Some(&value) = expected.get(&answer.name) else { continue };
            let open: Vec<&str> = answer.reasons().iter().map(|reason| reason.what.as_str()).collect();
            assert_eq!(answer.value(), value, "{}: {}: {}", path.display(), answer.name, open.join("; "));
            assert!(value == Belnap::True || answer.run().is_some(), "{}: {} has a run", path.display(), answer.name);
        }
        for name in expected.keys() {
            assert!(found.answers.iter().any(|answer| answer.name == *name), "{}: {name}", path.display());
        }
    }
}

#[test]
fn no_kind_contradicts_what_the_models_say() {
    let limits = [
        Limit::default(),
        Limit { work: None, time: Some(Duration::from_millis(1)) },
        Limit { work: Some(1), time: None },
    ];
    let mut definite = [0; 3];
    for path in models() {
        let (file, expected) = loaded(&path);
        let asked = questions(&file, &[], false).expect("no names are asked for");
        for kind in AbstractionKind::ALL {
            for (at, limit) in limits.into_iter().enumerate() {
                let how = AbstractionOptions { kind, limit, max_states: Some(3_000), ..AbstractionOptions::default() };
                let found = match predicate_abstraction::check(
                    &file,
                    &asked,
                    &CheckOptions::default(),
                    &how,
                    &Budget::unlimited(),
                    &(),
                ) {
                    Ok(found) => found,
                    // A solver that gives up cannot list the values that stay concrete.
                    Err(Failure::Input(_)) if at > 0 => continue,
                    Err(failure) => panic!("{}: {failure:?}", path.display()),
                };
                for answer in found.answers.iter().filter(|answer| known(answer)) {
                    definite[at] += 1;
                    if let Some(&value) = expected.get(&answer.name) {
                        assert_eq!(answer.value(), value, "{} ({kind:?}, {limit:?}): {}", path.display(), answer.name);
                    }
                }
            }
        }
    }
    assert!(definite[0] > 40, "{definite:?}");
}

/// Whether a model starts processes, and whether processes meet in it.
fn uses(text: &str) -> (bool, bool) {
    (text.contains("run "), text.contains("[0] of"))
}

#[test]
fn random_models_agree_with_running_them() {
    let (models, compared, refused) = (Cell::new([0; 3]), Cell::new(0), Cell::new(0));
    for_random_cases(25, |case| {
        let mut text = random_promela(&mut case.rng);
        text.push_str("ltl p { [] (g1 != 2) }\nltl q { <> (g1 == 1) }\nltl r { [] (g1 == 0 -> <> (g1 != 0)) }\n");
        case.keep("model.pml", &text);
        let file = models::promela(&text);
        let asked = questions(&file, &[], false).expect("no names are asked for");
        let options = CheckOptions { max_states: Some(20_000), look_for_idle: false, ..CheckOptions::default() };
        let truth = check(&file, &asked, &options, &brief(), &()).unwrap_or_else(|failure| panic!("{failure:?}"));
        let tiny = Limit { work: Some(20), time: None };
        for (kind, keep_small, limit) in [
            (AbstractionKind::Hyper, true, Limit::default()),
            (AbstractionKind::Hyper, false, Limit::default()),
            (AbstractionKind::Cartesian, false, Limit::default()),
            (AbstractionKind::Four, false, Limit::default()),
            (AbstractionKind::Boolean, true, tiny),
        ] {
            let how =
                AbstractionOptions { kind, keep_small, limit, max_states: Some(400), ..AbstractionOptions::default() };
            let found = match predicate_abstraction::check(&file, &asked, &CheckOptions::default(), &how, &brief(), &())
            {
                Ok(found) => found,
                Err(Failure::Input(_)) => {
                    refused.set(refused.get() + 1);
                    return;
                }
                Err(failure) => panic!("{failure:?}"),
            };
            let (starts, meets) = uses(&text);
            let [all, starting, meeting] = models.get();
            models.set([all + 1, starting + usize::from(starts), meeting + usize::from(meets)]);
            for (answer, expected) in found.answers.iter().zip(&truth.answers) {
                assert_eq!(answer.name, expected.name);
                if known(answer) && known(expected) {
                    assert_eq!(answer.value(), expected.value(), "{kind:?}: {}", answer.name);
                    compared.set(compared.get() + 1);
                }
            }
        }
    });
    let [all, starting, meeting] = models.get();
    assert!(
        compared.get() > 100,
        "{} answers of {all} abstractions compared, {} refused",
        compared.get(),
        refused.get()
    );
    assert!(starting > 10 && meeting > 5, "{starting} with processes that are started, {meeting} with such that meet");
}

#[test]
fn processes_without_end_are_refused_where_they_are_started() {
    let unbounded = [
        "int n; proctype A() { n > 0 } init { do :: run A() od }",
        "int n; proctype A() { run A(); n > 0 } init { run A() }",
        "byte i; proctype A() { i > 5; i = 0 } init { do :: i < 200 -> run A() od }",
    ];
    for text in unbounded {
        let file = models::promela(text);
        let asked = questions(&file, &[], false).expect("no names are asked for");
        let how = AbstractionOptions::default();
        let found =
            predicate_abstraction::check(&file, &asked, &CheckOptions::default(), &how, &Budget::unlimited(), &());
        let Err(Failure::Input(mistakes)) = found else { panic!("{text}: {found:?}") };
        let mistake = &mistakes[0].diagnostic;
        let place = mistake.primary.as_ref().expect("a place").span;
        assert_eq!((mistake.code, &text[place.start..][..3]), ("E0326", "run"), "{text}");
        assert!(!mistake.helps.is_empty());
    }
}
