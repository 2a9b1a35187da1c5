//! The loop of abstracting, checking and refining says what running the program says; and the programs of the corpus get the
//! answers they are known to have, within the bounds that are promised.

#[path = "refined/constructs.rs"]
mod constructs;

use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;

use tertium_base::Budget;
use tertium_driver::Belnap;
use tertium_driver::program::predicate_abstraction::AbstractionOptions;
use tertium_driver::program::questions::questions;
use tertium_driver::program::refinement_loop;
use tertium_driver::program::{CheckOptions, Extras, ProgramAnswer, ProgramFile, check, from_text_with, load};
use tertium_driver::strategy::{self, ProgramQuery, Wishes};
use tertium_testkit::{Case, ProgramShape, for_random_cases, random_program};

fn corpus(name: &str) -> ProgramFile {
    let path = format!("{}/../../corpus/gcl/{name}", env!("CARGO_MANIFEST_DIR"));
    load(std::path::Path::new(&path), &[], None, &[]).unwrap_or_else(|failure| panic!("{failure:?}"))
}

fn by_the_loop(file: &ProgramFile, only: &[&str], refinements: u32) -> Vec<ProgramAnswer> {
    let only: Vec<String> = only.iter().map(|name| (*name).to_owned()).collect();
    let asked = questions(file, &only, false).expect("the names are there");
    let (options, how) = (CheckOptions::default(), AbstractionOptions::default());
    refinement_loop::check(file, &asked, &options, &how, refinements, &Budget::unlimited(), &())
        .unwrap_or_else(|failure| panic!("{failure:?}"))
        .answers
}

fn by_itself(file: &ProgramFile) -> Vec<ProgramAnswer> {
    let asked = questions(file, &[], false).expect("no names are asked for");
    let (options, how) = (CheckOptions::default(), AbstractionOptions::default());
    let wishes = Wishes { options, abstraction: how, ..Wishes::default() };
    strategy::decide(&ProgramQuery { file, questions: &asked, wishes: &wishes }, &Budget::unlimited(), &())
        .unwrap_or_else(|failure| panic!("{failure:?}"))
        .answers
}

fn value(answers: &[ProgramAnswer], name: &str) -> Belnap {
    answers.iter().find(|answer| answer.name == name).map(|answer| answer.value()).expect("the property is there")
}

#[test]
fn the_bakery_with_choosing_flags_takes_two_refinements_at_most() {
    let answers = by_the_loop(&corpus("bakery_c.gcl"), &["mutex"], 2);
    assert_eq!(answers[0].value(), Belnap::True);
    assert!(answers[0].cost.refinements <= 2, "{:?}", answers[0].rounds);
    let calls = answers[0].cost.solver.expect("a solver was used").calls;
    assert!(calls <= 187, "{calls} calls");
}

#[test]
fn the_bakery_without_them_has_a_real_run() {
    let answers = by_the_loop(&corpus("bakery_b.gcl"), &["mutex"], 20);
    assert_eq!(answers[0].value(), Belnap::False);
    let run = answers[0].run().expect("a run");
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
    assert!(answers.iter().all(|answer| answer.cost.solver.is_none()), "nothing was abstracted");
    assert_eq!(value(&answers, "p"), Belnap::True);
}

#[test]
fn a_counter_does_not_ask_for_every_number() {
    let text = "system s\nvar x, y : nat = 0\nprocess P { loop { x, y := x + 1, y + 1; } }\n\
                process Q { await x > 1000; assert y > 1000; }\n";
    let file = from_text_with("s.gcl", text.to_owned(), &[], None, &Extras::default()).expect("a program");
    let answers = by_the_loop(&file, &["assertions"], 10);
    assert_eq!(answers[0].value(), Belnap::True, "{:?}", answers[0].rounds);
}

/// Safety properties ask for possible steps only, up to the nearest states that may be bad.
#[test]
fn states_beyond_the_nearest_bad_ones_are_not_made() {
    let text = "system s\nvar k : nat = 0\nkeep k\nprocess P { while k < 3000 { k := k + 1; } }\n\
                property near : ltl G (k < 3)\nproperty far : ltl G (k <= 3000)\n";
    let file = from_text_with("s.gcl", text.to_owned(), &[], None, &Extras::default()).expect("a program");
    let how = AbstractionOptions { zones: false, ..AbstractionOptions::default() };
    let states = |name: &str, value: Belnap| {
        let asked = questions(&file, &[name.to_owned()], false).expect("the name is there");
        let found = refinement_loop::check(&file, &asked, &CheckOptions::default(), &how, 3, &Budget::unlimited(), &());
        let answer = found.unwrap_or_else(|failure| panic!("{failure:?}")).answers.remove(0);
        assert_eq!(answer.value(), value, "{name}");
        answer.cost.states
    };
    let (near, far) = (states("near", Belnap::False), states("far", Belnap::True));
    assert!(near * 10 < far, "{near} states for what is near, {far} in all");
}

/// What a model says about itself: the property and its value.
fn expected(text: &str) -> (String, Belnap) {
    let line = text.lines().find_map(|line| line.strip_prefix("// Expected: ")).expect("a line that says it");
    let (name, rest) = line.split_once(' ').expect("a name and a value");
    (name.to_owned(), if rest.starts_with("true") { Belnap::True } else { Belnap::False })
}

#[test]
fn models_of_the_loop_have_the_answers_they_state() {
    let folder = format!("{}/../../corpus/gcl/loop", env!("CARGO_MANIFEST_DIR"));
    let mut paths: Vec<_> =
        std::fs::read_dir(folder).expect("the folder").map(|entry| entry.expect("a file").path()).collect();
    paths.sort();
    assert!(paths.len() >= 22);
    for path in paths {
        let text = std::fs::read_to_string(&path).expect("a text");
        let (name, value) = expected(&text);
        let file = load(&path, &[], None, &[]).unwrap_or_else(|failure| panic!("{failure:?}"));
        let asked = questions(&file, &[name], false).expect("the property is there");
        let (options, how) = (CheckOptions::default(), AbstractionOptions::default());
        let wishes = Wishes { options, abstraction: how, ..Wishes::default() };
        let found = strategy::decide(
            &ProgramQuery { file: &file, questions: &asked, wishes: &wishes },
            &Budget::unlimited(),
            &(),
        )
        .unwrap_or_else(|failure| panic!("{failure:?}"));
        assert_eq!(found.answers[0].value(), value, "{}", path.display());
        assert_eq!(found.answers[0].run().is_some(), value == Belnap::False, "{}", path.display());
    }
}

#[test]
fn promela_models_need_no_predicates_of_their_own() {
    for name in ["bakery", "bakery3", "fischer", "fischer3"] {
        let path = format!("{}/../../examples/{name}.pml", env!("CARGO_MANIFEST_DIR"));
        let text = std::fs::read_to_string(path).expect("a text");
        let without: Vec<&str> = text.lines().filter(|line| !line.starts_with("pred ")).collect();
        assert_ne!(without.len(), text.lines().count());
        let path = format!("{}/without_{name}.pml", env!("CARGO_TARGET_TMPDIR"));
        std::fs::write(&path, without.join("\n")).expect("a file");
        let file = load(std::path::Path::new(&path), &[], None, &[]).unwrap_or_else(|failure| panic!("{failure:?}"));
        let answers = by_the_loop(&file, &["mutex"], 20);
        assert_eq!(answers[0].value(), Belnap::True, "{name}: {:?}", answers[0].rounds);
    }
}

fn small(text: &str) -> ProgramFile {
    from_text_with("s.gcl", text.to_owned(), &[], None, &Extras::default()).expect("a program")
}

/// Runs that break a property for ever although no state repeats: what they repeat, and under which conditions.
#[test]
fn runs_without_end_need_not_repeat_a_state() {
    let up = "system s\nvar x, y : int = 0\nprocess P { loop { up: x := x + 1; } }\n\
              process Q { loop { wait: await x > y; y := y + 1; } }\n";
    let answers = by_the_loop(&small(&format!("{up}property p : ltl F (y > x)\n")), &["p"], 3);
    assert_eq!(answers[0].value(), Belnap::False, "{:?}", answers[0].reasons());
    let (run, repeats) = (answers[0].run().expect("a run"), answers[0].repeats().expect("why"));
    assert_eq!(run.steps.len(), repeats.start + 3 * repeats.length);
    assert_eq!(repeats.whenever, ["x >= y"]);
    // The side on which the counter is matters, so the run first passes the number.
    let answers = by_the_loop(&small(&format!("{up}property p : ltl G F (x = 3)\n")), &["p"], 3);
    assert_eq!(answers[0].value(), Belnap::False, "{:?}", answers[0].reasons());
    assert!(answers[0].repeats().is_some_and(|repeats| repeats.start >= 3), "{:?}", answers[0].repeats());
    // What is fair must step, or be unable to.
    let fair = format!("{up}fair P, Q\n");
    let answers = by_the_loop(&small(&format!("{fair}property p : ltl F (y > x)\n")), &["p"], 3);
    assert_eq!(answers[0].value(), Belnap::False, "{:?}", answers[0].reasons());
    let repeats = answers[0].repeats().expect("why");
    assert!(repeats.length >= 3, "both step: {repeats:?}");
    let answers = by_the_loop(&small(&format!("{fair}property p : ltl G F (Q@wait)\n")), &["p"], 3);
    assert_ne!(answers[0].value(), Belnap::False, "{:?}", answers[0].repeats());
    let unfair = format!("{up}property p : ltl G F (y = x)\n");
    let answers = by_the_loop(&small(&unfair), &["p"], 3);
    assert_eq!(answers[0].value(), Belnap::False, "{:?}", answers[0].reasons());
}

#[test]
fn a_choice_may_keep_its_distance_in_a_run_without_end() {
    let text =
        "system s\nvar x : int = 0\nprocess P { loop { x := * in x + 1 .. x + 2; } }\nproperty p : ltl F (x < 0)\n";
    let answers = by_the_loop(&small(text), &["p"], 3);
    assert_eq!(answers[0].value(), Belnap::False, "{:?}", answers[0].reasons());
    assert!(answers[0].repeats().is_some());
}

#[test]
fn what_stays_open_says_what_is_established() {
    // More numbers than polyhedra are made of, so that refinement has to find the inequality.
    let text = "system s\nvar x, y, z, a, b, c, d, e, f : nat = 0\n\
                process P { loop { one: x, z := x + 1, z + 1; two: choose { y := y + 2; } or { y := y + 1; } three: a, b, c := y, a, b; four: d, e, f := c, d, e; } }\n\
                property p : ltl G (P@one -> y <= 2 * x)\n";
    let answers = by_the_loop(&small(text), &["p"], 0);
    assert_eq!(answers[0].value(), Belnap::Unknown);
    assert!(answers[0].established.iter().any(|line| line.starts_with("P@one: ")), "{:?}", answers[0].established);
}

#[test]
fn an_inequality_that_holds_at_a_location_decides_without_refinement() {
    let text = "system s\nvar x, y, z : nat = 0\nprocess P { loop { one: x, z := x + 1, z + 1; two: choose { y := y + 2; } or { y := y + 1; } } }\n\
                property p : ltl G (P@one -> y <= 2 * x)\n";
    let answers = by_the_loop(&small(text), &["p"], 0);
    assert_eq!(answers[0].value(), Belnap::True);
    let answers = by_the_loop(&small(text), &["p"], 3);
    assert_eq!(answers[0].value(), Belnap::True);
    assert!(answers[0].established.is_empty(), "there is more to say than that");
}

/// A variable, or one with a constant added.
fn random_value(case: &mut Case) -> String {
    let var = *case.rng.pick(&["x", "y", "z", "d"]);
    match case.rng.below(6) {
        0 => case.rng.below(3).to_string(),
        1 | 2 => format!("{var} + {}", 1 + case.rng.below(2)),
        3 => format!("{var} - 1"),
        4 if case.rng.chance(30) => format!("2 * {var}"),
        _ => var.to_owned(),
    }
}

fn random_comparison(case: &mut Case) -> String {
    let (left, right) = (random_value(case), random_value(case));
    let right = if case.rng.chance(25) { format!("{right} + d") } else { right };
    let one = format!("{left} {} {right}", case.rng.pick(&["<=", "<", "=", "!=", ">"]));
    if case.rng.chance(20) { format!("({one} || {} <= {})", random_value(case), random_value(case)) } else { one }
}

fn random_statement(case: &mut Case) -> String {
    let (a, b) = (random_value(case), random_value(case));
    let var = *case.rng.pick(&["x", "y", "z"]);
    match case.rng.below(6) {
        0 => format!("await {};", random_comparison(case)),
        1 => "x, y := y, x + 1;".to_owned(),
        2 => format!("when {} do {var}, k := {a}, 1 - k;", random_comparison(case)),
        3 => format!("{var} := if {} then {a} else {b};", random_comparison(case)),
        4 => format!("atomic {{ {var} := *; assume {var} > {a} && {}; }}", random_comparison(case)),
        _ => format!("{var} := {a};"),
    }
}

/// Two processes over unbounded variables, one of which never changes.
fn random_distances(case: &mut Case) -> String {
    let mut text = "system s\nvar x, y, z : int = 0\nvar k : 0..1 = 0\nvar d : int\ninit d >= 0 && d <= 2\n".to_owned();
    for process in ["P", "Q"] {
        let count = 1 + case.rng.below(4);
        let body: Vec<String> = (0..count).map(|at| format!("l{at}: {}", random_statement(case))).collect();
        text.push_str(&format!("process {process} {{ loop {{ {} last: skip; }} }}\n", body.join(" ")));
    }
    for number in 0..4 {
        let (comparison, place) =
            (random_comparison(case), *case.rng.pick(&["P@l0", "Q@last", "k = 0", "P@last && Q@l0"]));
        text.push_str(&format!("property p{number} : ltl G ({place} -> {comparison})\n"));
    }
    case.keep("program.gcl", &text);
    text
}

/// Whatever is said to hold is not broken nearby, and the other way round.
#[test]
fn distances_say_nothing_that_running_refutes() {
    let (settled, at_once) = (Cell::new(0usize), Cell::new(0usize));
    for_random_cases(60, |case| {
        let text = random_distances(case);
        let file = from_text_with("test.gcl", text.clone(), &[], None, &Extras::default())
            .unwrap_or_else(|failure| panic!("{failure:?}\n{text}"));
        let asked = questions(&file, &[], false).expect("no names are asked for");
        let plain = CheckOptions { max_states: Some(3_000), look_for_idle: false, ..CheckOptions::default() };
        let truth = check(&file, &asked, &plain, &Budget::unlimited(), &())
            .unwrap_or_else(|failure| panic!("{failure:?}\n{text}"))
            .answers;
        let how = AbstractionOptions { max_states: Some(3_000), ..AbstractionOptions::default() };
        // Predicates are not looked for: only what distances say is of interest.
        let found = refinement_loop::check(&file, &asked, &CheckOptions::default(), &how, 1, &Budget::unlimited(), &())
            .unwrap_or_else(|failure| panic!("{failure:?}\n{text}"))
            .answers;
        for (truth, found) in truth.iter().zip(&found) {
            if found.value() == Belnap::True {
                settled.set(settled.get() + 1);
                at_once.set(at_once.get() + usize::from(found.rounds.len() == 1));
                assert_ne!(truth.value(), Belnap::False, "{}: {}\n{text}", found.name, found.formula);
            }
            if found.value() == Belnap::False {
                assert_ne!(truth.value(), Belnap::True, "{}: {}\n{text}", found.name, found.formula);
            }
        }
    });
    assert!(settled.get() > 60, "only {} answers are true", settled.get());
}

/// More rounds never say less.
#[test]
fn refinement_loses_no_answer() {
    for_random_cases(12, |case| {
        let text = random_text(case);
        let file = from_text_with("test.gcl", text.clone(), &[], None, &Extras::default())
            .unwrap_or_else(|failure| panic!("{failure:?}\n{text}"));
        let asked = questions(&file, &[], false).expect("no names are asked for");
        let how = AbstractionOptions {
            keep_small: false,
            max_states: Some(100),
            zones: case.rng.chance(50),
            ..AbstractionOptions::default()
        };
        let mut known: Vec<Belnap> = Vec::new();
        for rounds in 0..4 {
            let found = match refinement_loop::check(
                &file,
                &asked,
                &CheckOptions::default(),
                &how,
                rounds,
                &Budget::unlimited(),
                &(),
            ) {
                Ok(found) => found.answers,
                Err(tertium_driver::Failure::Input(_)) => return,
                Err(failure) => panic!("{failure:?}\n{text}"),
            };
            for (number, answer) in found.iter().enumerate() {
                match known.get_mut(number) {
                    None => known.push(answer.value()),
                    Some(before) if *before == Belnap::Unknown => *before = answer.value(),
                    Some(before) => assert_eq!(answer.value(), *before, "{} with {rounds} rounds\n{text}", answer.name),
                }
            }
        }
    });
}

fn random_text(case: &mut Case) -> String {
    let shape = ProgramShape { processes: 1..=2, variables: 1..=3, statements: 1..=4, ..ProgramShape::default() };
    let mut text = random_program(&mut case.rng, &shape);
    text.push_str("property p1 : ltl G (n < 2)\nproperty p2 : ltl G (b -> n < 2)\nproperty p3 : ctl AG (n = 0 || b)\n");
    text.push_str("property p4 : ctl EF (n = 1 && b)\nproperty p5 : ltl F (n = 1)\nproperty p6 : ctl AG EF (n = 0)\n");
    case.keep("program.gcl", &text);
    text
}

/// Each path teaches another value of a counter; running the model finds what thousands of rounds would.
#[test]
fn predicates_that_multiply_are_given_up_for_running_or_a_game() {
    let text = "short a, b; active proctype P() { do :: atomic { a = a + 1; b = b + 1 } od } ltl n { [] (a >= 0) }";
    let file = tertium_driver::program::promela::from_text("test.pml", text, &[], None, &[], &[]).expect("a model");
    let asked = questions(&file, &["n".to_owned()], false).expect("there is such a property");
    let (options, how) = (CheckOptions::default(), AbstractionOptions::default());
    let wishes = Wishes { options: options.clone(), abstraction: how.clone(), ..Wishes::default() };
    let found =
        strategy::decide(&ProgramQuery { file: &file, questions: &asked, wishes: &wishes }, &Budget::unlimited(), &())
            .expect("it can be run");
    assert_eq!(found.answers[0].value(), Belnap::False);
    assert!(found.answers[0].run().is_some_and(|run| run.length() > 32_000));
    let alone =
        refinement_loop::check(&file, &asked, &options, &how, 20, &Budget::unlimited(), &()).expect("it is abstracted");
    // Without running it, a game says that the counter can be made to wrap: no path of that length is followed.
    assert_eq!(alone.answers[0].value(), Belnap::False);
    assert!(alone.answers[0].run().is_none());
}

/// A limit on time leaves an answer for every question, with what is known.
#[test]
fn a_limit_on_time_still_tells_what_is_known() {
    let text = "short a, b; active proctype P() { do :: atomic { a = a + 1; b = b + 1 } od } ltl n { [] (a >= 0) }";
    let file = tertium_driver::program::promela::from_text("test.pml", text, &[], None, &[], &[]).expect("a model");
    let asked = questions(&file, &[], false).expect("no names are asked for");
    for limit in [0, 20, 100, 300] {
        let budget = Budget::unlimited().with_time(Some(std::time::Duration::from_millis(limit)));
        let (options, how) = (CheckOptions::default(), AbstractionOptions::default());
        let found = refinement_loop::check(&file, &asked, &options, &how, 1000, &budget, &());
        assert_eq!(found.expect("a limit is no failure").answers.len(), asked.len());
    }
}

/// Distances do not see that `init` cannot be satisfied, so that no run does what somebody should be able to do.
#[test]
fn nothing_is_missed_where_nobody_starts() {
    let text = "system s\nvar b : bool = true\nvar n : 0..2 = 0\nvar g : 0..1 = 1\ninit b -> b && -g + 2 < n\n\
        process P { n := (n + g) mod 3; b := false; }\nproperty p : ctl EF (n = 2 && b)\n";
    let file = from_text_with("test.gcl", text.to_owned(), &[], None, &Extras::default()).expect("it is well formed");
    let asked = questions(&file, &["p".to_owned()], false).expect("there is such a property");
    let how = AbstractionOptions { keep_small: false, ..AbstractionOptions::default() };
    let found = refinement_loop::check(&file, &asked, &CheckOptions::default(), &how, 6, &Budget::unlimited(), &());
    assert_ne!(found.expect("it can be abstracted").answers[0].value(), Belnap::False);
}

/// Fourteen programs, or seven hundred where tests are long.
#[test]
fn definite_answers_are_those_of_the_program() {
    let open: RefCell<BTreeMap<String, usize>> = RefCell::default();
    let (definite, all, programs) = (Cell::new(0usize), Cell::new(0usize), Cell::new(0usize));
    let counts: RefCell<BTreeMap<&str, usize>> = RefCell::default();
    for_random_cases(14, |case| {
        let text = random_text(case);
        programs.set(programs.get() + 1);
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
        let found = match refinement_loop::check(&file, &asked, &options, &how, 6, &Budget::unlimited(), &()) {
            Ok(found) => found.answers,
            Err(tertium_driver::Failure::Input(_)) => return,
            Err(failure) => panic!("{failure:?}\n{text}"),
        };
        for (truth, found) in truth.iter().zip(&found) {
            all.set(all.get() + 1);
            let word = match found.value() {
                Belnap::True => "true",
                Belnap::False => "false",
                _ => "unknown",
            };
            *counts.borrow_mut().entry(word).or_default() += 1;
            match (found.value(), truth.value()) {
                (Belnap::Unknown, _) => {
                    let why = found.reasons().first().map_or("stopped", |reason| reason.what.as_str());
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
    let counts: Vec<String> = counts.into_inner().iter().map(|(word, count)| format!("{count} {word}")).collect();
    let mut told = format!("{} programs, {all} answers: {}; ", programs.get(), counts.join(", "));
    told.push_str(&format!("{definite} definite ones compared with all states; those that are open:\n"));
    open.iter().for_each(|(why, count)| told.push_str(&format!("{count:>5} {why}\n")));
    let _ = std::io::Write::write_all(&mut std::io::stdout(), told.as_bytes());
    assert!(definite * 2 > all, "{told}");
}
