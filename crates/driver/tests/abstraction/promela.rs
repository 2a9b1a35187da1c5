//! Promela: machine integers wrap, and what abstraction says of models is what running them says.

use tertium_base::Budget;
use tertium_driver::program::predicate_abstraction::{self, AbstractionKind, AbstractionOptions};
use tertium_driver::program::questions::questions;
use tertium_driver::program::{CheckOptions, ProgramAnswer, ProgramFile, check};
use tertium_driver::{Belnap, Failure};
use tertium_testkit::{for_random_cases, random_promela};

use super::{KINDS, abstract_answers, concrete_answers};

/// A Promela model of two tickets.
fn promela(declaration: &str, bound: &str) -> tempfile::File {
    let take = |own: &str, other: &str| format!("atomic {{ {} {own} = {other} + 1 }}", bound.replace("OTHER", other));
    let text = format!(
        "{declaration}\npred t0 == 0\npred t1 == 0\npred t0 <= t1\n\
         active proctype P() {{ do :: {}; (t1 == 0 || t0 <= t1); crit: t0 = 0 od }}\n\
         active proctype Q() {{ do :: {}; (t0 == 0 || t1 < t0); crit: t1 = 0 od }}\n\
         ltl mutex {{ [] !(P@crit && Q@crit) }}\n",
        take("t0", "t1"),
        take("t1", "t0"),
    );
    tempfile::File::new(&text)
}

/// A file that goes when its test does.
mod tempfile {
    use std::path::PathBuf;
    use std::sync::atomic::{AtomicUsize, Ordering};

    static NEXT: AtomicUsize = AtomicUsize::new(0);

    pub struct File(pub PathBuf);

    impl File {
        pub fn new(text: &str) -> Self {
            let number = NEXT.fetch_add(1, Ordering::Relaxed);
            let path = std::env::temp_dir().join(format!("tertium-{}-{number}.pml", std::process::id()));
            std::fs::write(&path, text).expect("a temporary file");
            Self(path)
        }
    }

    impl Drop for File {
        fn drop(&mut self) {
            let _ = std::fs::remove_file(&self.0);
        }
    }
}

fn promela_values(path: &std::path::Path, kind: AbstractionKind) -> (Vec<(String, Belnap)>, ProgramFile) {
    let file = tertium_driver::program::load(path, &[], None, &[]).unwrap_or_else(|failure| panic!("{failure:?}"));
    let options = AbstractionOptions { kind, ..AbstractionOptions::default() };
    let answers =
        abstract_answers(&file, &options).unwrap_or_else(|failure| panic!("{failure:?}\n{}", file.program.show_all()));
    (answers.into_iter().map(|answer| (answer.name.clone(), answer.value())).collect(), file)
}

#[test]
fn machine_integers_wrap_in_abstraction_too() {
    // Three bits: a ticket after 7 is 0, and two processes are inside.
    let wrapping = promela("unsigned t0 : 3; unsigned t1 : 3;", "");
    for kind in KINDS {
        let (found, file) = promela_values(&wrapping.0, kind);
        let mutex = found.iter().find(|(name, _)| name == "mutex").expect("the property");
        assert_ne!(mutex.1, Belnap::True, "{kind:?}");
        let truth = concrete_answers(&file);
        let truth = truth.iter().find(|answer| answer.name == "mutex").expect("the property");
        assert_eq!(truth.value(), Belnap::False);
    }
    for (declaration, bound) in
        [("unsigned t0 : 20; unsigned t1 : 20;", "OTHER < 262144 ->"), ("byte t0, t1;", "OTHER < 200 ->")]
    {
        let bounded = promela(declaration, bound);
        let (found, _) = promela_values(&bounded.0, AbstractionKind::Hyper);
        let mutex = found.iter().find(|(name, _)| name == "mutex").expect("the property");
        assert_eq!(mutex.1, Belnap::True, "{declaration}");
    }
}

#[test]
fn the_examples_in_promela_are_proved_whatever_their_bounds() {
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples");
    let examples = [("bakery.pml", "MAX"), ("bakery3.pml", "MAX"), ("fischer.pml", "LONG"), ("fischer3.pml", "LONG")];
    for (name, bound) in examples {
        let mut calls = Vec::new();
        for size in ["64", "16384"] {
            let defines = [(bound.to_owned(), size.to_owned())];
            let file = tertium_driver::program::load(&folder.join(name), &[], None, &defines);
            let file = file.unwrap_or_else(|failure| panic!("{failure:?}"));
            let answers = abstract_answers(&file, &AbstractionOptions::default());
            let answers = answers.unwrap_or_else(|failure| panic!("{failure:?}\n{}", file.program.show_all()));
            let mutex = answers.iter().find(|answer| answer.name == "mutex").expect("the property");
            assert_eq!(mutex.value(), Belnap::True, "{name} with {size}");
            calls.push(mutex.cost.solver.expect("abstraction").calls);
        }
        // Which models a solver finds, and so which later questions are spared, is up to it.
        let (fewer, more) = (calls[0].min(calls[1]), calls[0].max(calls[1]));
        assert!(more - fewer <= more / 50, "{name}: the work does not depend on the bound: {calls:?}");
    }
}

/// The same protocols with a mistake in them: never true.
#[test]
fn the_examples_with_a_mistake_are_not_proved() {
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples");
    let mistakes = [
        ("bakery.pml", "(t0 == 0 || t1 < t0)", "(t0 == 0 || t1 <= t0 || t0 == 2)"),
        ("bakery3.pml", "(t1 == 0 || t2 < t1)", "(t1 == 0 || t2 < t1 || t0 == 0)"),
        ("fischer.pml", "y > LONG;", "y >= LONG;"),
        ("fischer3.pml", "z > LONG;", "z >= LONG;"),
    ];
    for (name, right, wrong) in mistakes {
        let text = std::fs::read_to_string(folder.join(name)).expect("an example");
        assert!(text.contains(right), "{name}");
        let text = text.replace(right, wrong).replace("#define MAX 262144", "#define MAX 3");
        let changed = tempfile::File::new(&text.replace("#define LONG 32768", "#define LONG 2"));
        let (found, file) = promela_values(&changed.0, AbstractionKind::Hyper);
        let value =
            |name: &str, all: &[(String, Belnap)]| all.iter().find(|found| found.0 == name).map(|found| found.1);
        assert_ne!(value("mutex", &found), Some(Belnap::True), "{name}");
        let truth: Vec<(String, Belnap)> =
            concrete_answers(&file).into_iter().map(|answer| (answer.name.clone(), answer.value())).collect();
        assert_eq!(value("mutex", &truth), Some(Belnap::False), "{name}");
    }
}

/// Every model of the corpus that can be abstracted: what is definite is what running it says.
#[test]
fn promela_models_of_the_corpus_get_no_wrong_answer() {
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../corpus/promela/micro");
    let mut paths: Vec<_> = std::fs::read_dir(folder).expect("the corpus").map(|entry| entry.unwrap().path()).collect();
    paths.retain(|path| path.extension().is_some_and(|extension| extension == "pml"));
    paths.sort();
    let (mut abstracted_models, mut definite) = (0, 0);
    // Every third is enough for one test; those that take long are left.
    for path in paths.into_iter().step_by(3) {
        let Ok(file) = tertium_driver::program::load(&path, &[], None, &[]) else { continue };
        let asked = questions(&file, &[], false).expect("no names are asked for");
        for (kind, keep_small) in [
            (AbstractionKind::Hyper, true),
            (AbstractionKind::Hyper, false),
            (AbstractionKind::Cartesian, false),
            (AbstractionKind::Four, false),
        ] {
            let options =
                AbstractionOptions { kind, keep_small, max_states: Some(3000), ..AbstractionOptions::default() };
            let budget = Budget::unlimited().with_effort(Some(10_000));
            let found = predicate_abstraction::check(&file, &asked, &CheckOptions::default(), &options, &budget, &());
            let Ok(found) = found else { continue };
            abstracted_models += 1;
            let truth = concrete_answers(&file);
            for (answer, expected) in found.answers.iter().zip(&truth) {
                assert_eq!(answer.name, expected.name);
                let known = |answer: &ProgramAnswer| matches!(answer.value(), Belnap::True | Belnap::False);
                if known(answer) && known(expected) {
                    definite += 1;
                    assert_eq!(answer.value(), expected.value(), "{} ({kind:?}): {}", path.display(), answer.name);
                }
            }
        }
    }
    assert!(abstracted_models > 20 && definite > 40, "{abstracted_models} models, {definite} definite answers");
}

/// Random models that can be abstracted: what is definite is what running them says.
#[test]
fn random_models_get_no_wrong_answer() {
    let (models, compared) = (std::cell::Cell::new(0), std::cell::Cell::new(0));
    for_random_cases(30, |case| {
        let mut text = random_promela(&mut case.rng);
        text.push_str("ltl p { [] (g1 != 2) }\nltl q { <> (g1 == 1) }\nltl r { [] (g1 == 0 -> <> (g1 != 0)) }\n");
        case.keep("model.pml", &text);
        let model = tempfile::File::new(&text);
        let file = tertium_driver::program::load(&model.0, &[], None, &[]);
        let file = file.unwrap_or_else(|failure| panic!("{failure:?}"));
        let asked = questions(&file, &[], false).expect("no names are asked for");
        let brief = || Budget::unlimited().with_effort(Some(20_000));
        let options = CheckOptions { max_states: Some(20_000), look_for_idle: false, ..CheckOptions::default() };
        for (kind, keep_small) in
            [(AbstractionKind::Hyper, true), (AbstractionKind::Hyper, false), (AbstractionKind::Cartesian, false)]
        {
            let how = AbstractionOptions { kind, keep_small, max_states: Some(400), ..AbstractionOptions::default() };
            let found = predicate_abstraction::check(&file, &asked, &CheckOptions::default(), &how, &brief(), &());
            let found = match found {
                Ok(found) => found,
                // What it starts, or how its processes meet, may not be known to abstraction.
                Err(Failure::Input(_)) => return,
                Err(failure) => panic!("{failure:?}"),
            };
            models.set(models.get() + 1);
            let truth = check(&file, &asked, &options, &brief(), &()).unwrap_or_else(|failure| panic!("{failure:?}"));
            for (answer, expected) in found.answers.iter().zip(&truth.answers) {
                let known = |answer: &ProgramAnswer| matches!(answer.value(), Belnap::True | Belnap::False);
                if known(answer) && known(expected) {
                    assert_eq!(answer.value(), expected.value(), "{kind:?}: {}", answer.name);
                    compared.set(compared.get() + 1);
                }
            }
        }
    });
    assert!(compared.get() > 0, "no random model could be abstracted");
}

/// A model that polls, waits for a time-out and breaks its claims: each false answer comes with a run of the model itself.
#[test]
fn false_answers_about_promela_come_with_a_run() {
    let text = "chan q = [2] of { bit, bool }; bool nine; int y;
        pred y == 0
        active proctype S() { unsigned i : 2; do :: i < 2 -> q!i,true; i++ :: else -> break od; timeout -> nine = true }
        active proctype R() { do :: q?[1,true] -> q?_,_ :: q?[0] -> q?0,_; y = y + 4 :: timeout -> break od;
                              assert(y < 3) }
        ltl never_nine { [] !nine }
        ltl small { [] (y <= 3) }
        ltl some { <> (y > 3) }";
    let model = tempfile::File::new(text);
    let file = tertium_driver::program::load(&model.0, &[], None, &[]);
    let file = file.unwrap_or_else(|failure| panic!("{failure:?}"));
    let found = abstract_answers(&file, &AbstractionOptions::default()).unwrap_or_else(|failure| panic!("{failure:?}"));
    let truth = concrete_answers(&file);
    let mut runs = 0;
    for (answer, expected) in found.iter().zip(&truth) {
        let told: Vec<String> = answer.reasons().iter().map(|reason| reason.what.clone()).collect();
        // That the assertion alone goes wrong is not told from other faults.
        if answer.name == "other-faults" {
            continue;
        }
        assert_eq!(answer.value(), expected.value(), "{}: {}", answer.name, told.join("; "));
        if answer.value() == Belnap::False {
            assert!(answer.run().is_some(), "{} is false without a run", answer.name);
            runs += 1;
        }
    }
    assert!(runs >= 3, "{runs} runs");
}
