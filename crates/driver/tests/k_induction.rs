//! k-induction: what follows from itself after several steps is what a search of all states finds, and its certificate is accepted.

use std::cell::Cell;

use tertium_base::Budget;
use tertium_driver::Belnap;
use tertium_driver::program::predicate_abstraction::AbstractionOptions;
use tertium_driver::program::proof::{Written, certificate_of};
use tertium_driver::program::questions::questions;
use tertium_driver::program::{CheckOptions, ProgramAnswer, ProgramFile, check, from_text, refinement_loop};
use tertium_evidence::Technique;
use tertium_testkit::{Rng, for_random_cases};

fn file_of(text: &str) -> ProgramFile {
    from_text("shifted.gcl", text.to_owned(), &[], None).unwrap_or_else(|failure| panic!("{failure:?}\n{text}"))
}

/// What the loop of refinement says without bounds of distances, with certificates checked where k-induction decides.
fn refined(file: &ProgramFile) -> Vec<ProgramAnswer> {
    let asked = questions(file, &[], false).expect("no names are asked for");
    let options = CheckOptions { look_for_idle: false, keep_basis: true, ..CheckOptions::default() };
    let how = AbstractionOptions { zones: false, ..AbstractionOptions::default() };
    let found = refinement_loop::check(file, &asked, &options, &how, 6, &Budget::unlimited(), &());
    let answers = found.expect("it can be abstracted").answers;
    for (question, answer) in asked.iter().zip(&answers) {
        if answer.provenance.technique == Technique::KInduction {
            let written = certificate_of(file, question, answer, &options, &Budget::unlimited());
            if let Written::None(why) = written.expect("the checker accepts the proof") {
                panic!("{} has no certificate: {why}\n{}", answer.name, file.source.text);
            }
        }
    }
    answers
}

fn decided_by_k_induction(text: &str, value: Belnap) {
    let answers = refined(&file_of(text));
    let answer = answers.iter().find(|answer| answer.name == "p").expect("it is asked");
    assert_eq!(answer.value(), value, "{text}");
    assert_eq!(answer.provenance.technique, Technique::KInduction, "{text}");
    let told = answer.rounds.last().and_then(|round| round.open.clone()).unwrap_or_default();
    assert!(told.contains("follows from itself after"), "{told}");
}

/// Five numbers go round: that the first is never five follows from itself after five steps.
#[test]
fn what_goes_round_follows_after_as_many_steps() {
    let rotation = "system s\nvar a, b, c, d, e : int\ninit a != 5 && b != 5 && c != 5 && d != 5 && e != 5\n\
         process P { loop { a, b, c, d, e := b, c, d, e, a; } }\n";
    decided_by_k_induction(&format!("{rotation}property p : ltl G (a != 5)\n"), Belnap::True);
    decided_by_k_induction(&format!("{rotation}property p : ctl EF (a = 5)\n"), Belnap::False);
}

/// An input that is replaced where it is bad is passed on from one to the next.
#[test]
fn inputs_are_eliminated_on_the_way() {
    let delayed = "system s\nvar x, a, b, c, d : int\ninit a != 5 && b != 5 && c != 5 && d != 5\n\
         process P { loop { x := *; if x = 5 { x := 4; } a, b, c, d := b, c, d, x; } }\nproperty p : ltl G (a != 5)\n";
    decided_by_k_induction(delayed, Belnap::True);
}

/// A step goes wrong only after steps that are impossible.
#[test]
fn assertions_are_properties_like_others() {
    let text = "system s\nvar a, b, c, d, e : int\ninit a != 5 && b != 5 && c != 5 && d != 5 && e != 5\n\
         process P { loop { a, b, c, d, e := b, c, d, e, a; assert a != 5; } }\n";
    let answers = refined(&file_of(text));
    let answer = answers.iter().find(|answer| answer.name.contains("assert")).expect("it is asked");
    assert_eq!(answer.value(), Belnap::True);
}

fn statement(rng: &mut Rng) -> String {
    let (small, larger) = (rng.below(4), 3 + rng.below(4));
    match rng.below(8) {
        0 => "a, b, c, d := b, c, d, a".to_owned(),
        1 => "a, b := b, a".to_owned(),
        2 => "c, d := d, c".to_owned(),
        3 => format!("d := {small} - d"),
        4 => format!("when c < {larger} do c := c + 2"),
        5 => format!("when b > {small} do b := b - 1"),
        6 => format!("d := (d + {small}) mod {larger}"),
        _ => "skip".to_owned(),
    }
}

fn random_text(rng: &mut Rng) -> String {
    let values: Vec<usize> = (0..4).map(|_| rng.below(4)).collect();
    let mut text = format!(
        "system s\nvar a : int = {}\nvar b : int = {}\nvar c : int = {}\nvar d : int = {}\n",
        values[0], values[1], values[2], values[3]
    );
    let body = |rng: &mut Rng| {
        let parts: Vec<String> = (0..=rng.below(3)).map(|_| format!("{};", statement(rng))).collect();
        parts.join(" ")
    };
    let (first, second) = (body(rng), body(rng));
    text += &if rng.chance(50) {
        format!("process P {{ loop {{ choose {{ {first} }} or {{ {second} }} }} }}\n")
    } else {
        format!("process P {{ loop {{ {first} }} }}\nprocess Q {{ loop {{ {second} }} }}\n")
    };
    let (value, other) = (rng.below(9), rng.below(9));
    text + &format!(
        "property p : ltl G (a != {value})\nproperty q : ctl EF (a + b = {other})\nproperty r : ctl AG (a <= {value})\n"
    )
}

#[test]
fn it_says_what_a_search_finds() {
    let (told, compared) = (Cell::new(0usize), Cell::new(0usize));
    for_random_cases(16, |case| {
        let text = random_text(&mut case.rng);
        case.keep("program.gcl", text.clone());
        let file = file_of(&text);
        let asked = questions(&file, &[], false).expect("no names are asked for");
        let options = CheckOptions { look_for_idle: false, max_states: Some(20_000), ..CheckOptions::default() };
        let searched = check(&file, &asked, &options, &Budget::unlimited(), &()).expect("it can be searched");
        for (answer, truth) in refined(&file).iter().zip(&searched.answers) {
            told.set(told.get() + usize::from(answer.provenance.technique == Technique::KInduction));
            if answer.value() != Belnap::Unknown && truth.value() != Belnap::Unknown {
                compared.set(compared.get() + 1);
                assert_eq!(answer.value(), truth.value(), "{} of\n{text}", answer.name);
            }
        }
    });
    assert!(compared.get() > 16, "{} told, {} compared", told.get(), compared.get());
}
