//! A variable whose type has no bounds is encoded in bits where interval analysis or invariants of locations bound it: values over sets are those of a search.

use std::cell::Cell;

use tertium_base::Budget;
use tertium_driver::Belnap;
use tertium_driver::engines::EngineChoice;
use tertium_driver::program::questions::questions;
use tertium_driver::program::{CheckOptions, ProgramAnswer, ProgramFile, check, from_text, symbolic};
use tertium_driver::strategy::{ProgramQuery, Wishes, decide};
use tertium_testkit::{Rng, for_random_cases};

fn file_of(text: &str) -> ProgramFile {
    from_text("random.gcl", text.to_owned(), &[], None).unwrap_or_else(|failure| panic!("{failure:?}\n{text}"))
}

/// Two processes that count without bounds in their types, mostly with bounds in their guards.
fn random_counters(rng: &mut Rng) -> String {
    let statement = |rng: &mut Rng, at: usize, own: &str| match rng.below(8) {
        0 => format!("l{at}: when x < {} do x := x + 1;\n", 1 + rng.below(4)),
        1 => format!("l{at}: when {own} < x do {own} := {own} + 1;\n"),
        2 => format!("l{at}: {own} := x;\n"),
        3 => format!("l{at}: x := {};\n", rng.below(3)),
        4 => format!("l{at}: when {own} > 0 do {own} := {own} - 1;\n"),
        5 => format!("l{at}: if {own} <= 2 {{ {own} := {own} + 1; }} else {{ {own} := 0; }}\n"),
        6 => format!("l{at}: x := {own};\n"),
        _ => format!("l{at}: {own} := {own} + 1;\n"),
    };
    let mut text = "system s\nvar x : nat = 0\n".to_owned();
    for process in ["P", "Q"] {
        let body: String = (0..=1 + rng.below(3)).map(|at| statement(rng, at, "own")).collect();
        text += &format!("process {process} {{ var own : nat = 0\nloop {{ {body} }} }}\n");
    }
    text + "property low : ltl G x <= 1\nproperty back : ctl AG EF x = 0\nproperty again : ltl G F x = 0\nproperty up : ctl EF x = 3\n"
}

fn values(found: &[ProgramAnswer]) -> Vec<Belnap> {
    found.iter().map(ProgramAnswer::value).collect()
}

#[test]
fn what_invariants_bound_has_the_values_of_a_search() {
    let (compared, refused) = (Cell::new(0), Cell::new(0));
    for_random_cases(120, |case| {
        let text = random_counters(&mut case.rng);
        case.keep("program.gcl", text.clone());
        let file = file_of(&text);
        let asked = questions(&file, &[], false).expect("no names are asked for");
        let options = CheckOptions { look_for_idle: false, max_states: Some(3000), ..CheckOptions::default() };
        let searched = check(&file, &asked, &options, &Budget::unlimited(), &()).expect("it can be searched");
        let complete = searched.answers.iter().all(|answer| answer.reasons().is_empty() && answer.stopped().is_none());
        let options = CheckOptions { look_for_idle: false, engine: EngineChoice::Symbolic, ..CheckOptions::default() };
        match symbolic::check(&file, &asked, &options, &Budget::unlimited(), &()) {
            Ok(found) => {
                assert!(complete, "it has no bounds");
                assert_eq!(values(&found.answers), values(&searched.answers));
                compared.set(compared.get() + 1);
            }
            Err(_) => refused.set(refused.get() + 1),
        }
    });
    assert!(compared.get() > 15 && refused.get() > 15, "{} and {}", compared.get(), refused.get());
}

/// The bound of `x` is known at locations only: it follows `y`, which stops at 3.
#[test]
fn what_follows_something_bounded_is_bounded() {
    let text = "system s\nvar x, y : nat = 0\nprocess P { loop { a: when y < 3 do y := y + 1; b: when x < y do x := x + 1; c: x, y := 0, 0; } }\nproperty low : ltl G x <= 3\nproperty high : ctl EF y = 3\n";
    let file = file_of(text);
    let asked = questions(&file, &[], false).expect("no names are asked for");
    let options = CheckOptions { look_for_idle: false, engine: EngineChoice::Symbolic, ..CheckOptions::default() };
    let found = symbolic::check(&file, &asked, &options, &Budget::unlimited(), &()).expect("it is finite");
    let wishes = Wishes::default();
    let query = ProgramQuery { file: &file, questions: &asked, wishes: &wishes };
    let decided = decide(&query, &Budget::unlimited(), &()).expect("it can be decided");
    assert_eq!(values(&found.answers), values(&decided.answers));
}

/// Whatever is believed of variables without bounds: sets are made within it only if no step leaves it, and the values are then those of a search.
#[test]
fn what_is_believed_is_confirmed_or_refused() {
    let (compared, refused) = (Cell::new(0), Cell::new(0));
    for_random_cases(120, |case| {
        let text = random_counters(&mut case.rng);
        case.keep("program.gcl", text.clone());
        let file = file_of(&text);
        let believed: Vec<(Option<i128>, Option<i128>)> =
            file.program.variables.iter().map(|_| (Some(0), Some(case.rng.below(6) as i128))).collect();
        let asked = questions(&file, &[], false).expect("no names are asked for");
        let options = CheckOptions { look_for_idle: false, max_states: Some(3000), ..CheckOptions::default() };
        let searched = check(&file, &asked, &options, &Budget::unlimited(), &()).expect("it can be searched");
        let complete = searched.answers.iter().all(|answer| answer.reasons().is_empty() && answer.stopped().is_none());
        let options = CheckOptions { look_for_idle: false, engine: EngineChoice::Symbolic, ..CheckOptions::default() };
        match symbolic::check_within(&file, &asked, &options, &believed, &Budget::unlimited(), &()) {
            Ok(found) => {
                assert!(complete, "it has no bounds");
                assert_eq!(values(&found.answers), values(&searched.answers));
                compared.set(compared.get() + 1);
            }
            Err(_) => refused.set(refused.get() + 1),
        }
    });
    assert!(compared.get() > 15 && refused.get() > 15, "{} and {}", compared.get(), refused.get());
}
