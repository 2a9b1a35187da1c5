//! The loop of abstracting, checking and refining says what running the program says; and the programs of the corpus get the
//! answers they are known to have, within the bounds that are promised.

use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;

use tertium_base::Budget;
use tertium_driver::Belnap;
use tertium_driver::program::abstracted::{AbstractionOptions, refined};
use tertium_driver::program::questions::questions;
use tertium_driver::program::{CheckOptions, Extras, ProgramAnswer, ProgramFile, check, choose, from_text_with, load};
use tertium_testkit::{Case, ProgramShape, for_random_cases, random_program};

fn corpus(name: &str) -> ProgramFile {
    let path = format!("{}/../../corpus/gcl/{name}", env!("CARGO_MANIFEST_DIR"));
    load(std::path::Path::new(&path), &[], None, &[]).unwrap_or_else(|failure| panic!("{failure:?}"))
}

fn by_the_loop(file: &ProgramFile, only: &[&str], refinements: u32) -> Vec<ProgramAnswer> {
    let only: Vec<String> = only.iter().map(|name| (*name).to_owned()).collect();
    let asked = questions(file, &only, false).expect("the names are there");
    let (options, how) = (CheckOptions::default(), AbstractionOptions::default());
    refined::check(file, &asked, &options, &how, refinements, &Budget::unlimited(), &())
        .unwrap_or_else(|failure| panic!("{failure:?}"))
        .answers
}

fn by_itself(file: &ProgramFile) -> Vec<ProgramAnswer> {
    let asked = questions(file, &[], false).expect("no names are asked for");
    let (options, how) = (CheckOptions::default(), AbstractionOptions::default());
    choose::decide(file, &asked, &options, &how, &Budget::unlimited(), &())
        .unwrap_or_else(|failure| panic!("{failure:?}"))
        .answers
}

fn value(answers: &[ProgramAnswer], name: &str) -> Belnap {
    answers.iter().find(|answer| answer.name == name).map(|answer| answer.value).expect("the property is there")
}

#[test]
fn the_bakery_with_choosing_flags_takes_two_refinements_at_most() {
    let answers = by_the_loop(&corpus("bakery_c.gcl"), &["mutex"], 2);
    assert_eq!(answers[0].value, Belnap::True);
    assert!(answers[0].refinements <= 2, "{:?}", answers[0].rounds);
    let calls = answers[0].solver.expect("a solver was used").calls;
    assert!(calls <= 187, "{calls} calls");
}

#[test]
fn the_bakery_without_them_has_a_real_run() {
    let answers = by_the_loop(&corpus("bakery_b.gcl"), &["mutex"], 20);
    assert_eq!(answers[0].value, Belnap::False);
    let run = answers[0].run.as_ref().expect("a run");
    assert_eq!(run.length(), 6);
}

#[test]
fn programs_of_the_corpus_are_decided_without_options() {
    for (file, property, expected) in [
        ("bakery_a.gcl", "mutex", Belnap::True),
        ("bakery_a.gcl", "reachable", Belnap::True),
        ("bakery_b.gcl", "mutex", Belnap::False),
        ("bakery_c.gcl", "mutex", Belnap::True),
        ("mutex_flags.gcl", "mutex", Belnap::True),
        ("spotlight_loop.gcl", "live", Belnap::False),
        ("tickets.gcl", "mutex", Belnap::True),
    ] {
        let answers = by_itself(&corpus(file));
        assert_eq!(value(&answers, property), expected, "{file}: {property}");
    }
}

#[test]
fn a_program_without_bounds_that_is_small_is_run() {
    let text = "system s\nvar x : int = 0\nprocess P { x := 1; }\nproperty p : ltl F (x = 1)\n";
    let file = from_text_with("s.gcl", text.to_owned(), &[], None, &Extras::default()).expect("a program");
    let answers = by_itself(&file);
    assert!(answers.iter().all(|answer| answer.solver.is_none()), "nothing was abstracted");
    assert_eq!(value(&answers, "p"), Belnap::True);
}

#[test]
fn a_counter_does_not_ask_for_every_number() {
    let text = "system s\nvar x, y : nat = 0\nprocess P { loop { x, y := x + 1, y + 1; } }\n\
                process Q { await x > 1000; assert y > 1000; }\n";
    let file = from_text_with("s.gcl", text.to_owned(), &[], None, &Extras::default()).expect("a program");
    let answers = by_the_loop(&file, &["assertions"], 10);
    assert_eq!(answers[0].value, Belnap::True, "{:?}", answers[0].rounds);
}

fn random_text(case: &mut Case) -> String {
    let shape = ProgramShape { processes: 1..=2, variables: 1..=3, statements: 1..=4, ..ProgramShape::default() };
    let mut text = random_program(&mut case.rng, &shape);
    text.push_str("property p1 : ltl G (n < 2)\nproperty p2 : ltl G (b -> n < 2)\nproperty p3 : ctl AG (n = 0 || b)\n");
    text.push_str("property p4 : ctl EF (n = 1 && b)\nproperty p5 : ltl F (n = 1)\nproperty p6 : ctl AG EF (n = 0)\n");
    case.keep("program.gcl", &text);
    text
}

/// Forty programs, or two thousand where tests are long.
#[test]
fn definite_answers_are_those_of_the_program() {
    let open: RefCell<BTreeMap<String, usize>> = RefCell::default();
    let (definite, all) = (Cell::new(0usize), Cell::new(0usize));
    for_random_cases(40, |case| {
        let text = random_text(case);
        let file = from_text_with("test.gcl", text.clone(), &[], None, &Extras::default())
            .unwrap_or_else(|failure| panic!("{failure:?}\n{text}"));
        let asked = questions(&file, &[], false).expect("no names are asked for");
        let plain = CheckOptions { max_states: Some(20_000), look_for_idle: false, ..CheckOptions::default() };
        let truth = check(&file, &asked, &plain, &Budget::unlimited(), &())
            .unwrap_or_else(|failure| panic!("{failure:?}\n{text}"))
            .answers;
        // Nothing stays concrete, so that there is something to find.
        let how = AbstractionOptions {
            keep_small: case.rng.chance(30),
            max_states: Some(100),
            ..AbstractionOptions::default()
        };
        let options = CheckOptions::default();
        let found = match refined::check(&file, &asked, &options, &how, 6, &Budget::unlimited(), &()) {
            Ok(found) => found.answers,
            Err(tertium_driver::Failure::Input(_)) => return,
            Err(failure) => panic!("{failure:?}\n{text}"),
        };
        for (truth, found) in truth.iter().zip(&found) {
            all.set(all.get() + 1);
            match (found.value, truth.value) {
                (Belnap::Unknown, _) => {
                    let why = found.reasons.first().map_or("stopped", |reason| reason.what.as_str());
                    let why: String = why.split('`').next().unwrap_or_default().to_owned();
                    *open.borrow_mut().entry(why).or_default() += 1;
                }
                (_, Belnap::Unknown) => {}
                (found_value, truth_value) => {
                    definite.set(definite.get() + 1);
                    assert_eq!(found_value, truth_value, "{}: {}\n{text}", found.name, found.formula);
                }
            }
        }
    });
    let (definite, all, open) = (definite.get(), all.get(), open.into_inner());
    let mut told = format!("{definite} of {all} answers are definite; those that are open:\n");
    open.iter().for_each(|(why, count)| told.push_str(&format!("{count:>5} {why}\n")));
    let _ = std::io::Write::write_all(&mut std::io::stdout(), told.as_bytes());
    assert!(definite * 2 > all, "{told}");
}
