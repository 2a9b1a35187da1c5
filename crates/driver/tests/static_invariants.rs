//! What invariants of locations exclude by themselves: never what a search of all states finds, and what is told by them has a certificate that the independent checker accepts.

use std::cell::Cell;

use tertium_base::Budget;
use tertium_driver::Belnap;
use tertium_driver::program::predicate_abstraction::AbstractionOptions;
use tertium_driver::program::proof::{Written, certificate_of};
use tertium_driver::program::questions::questions;
use tertium_driver::program::{CheckOptions, ProgramFile, check, from_text, refinement_loop};
use tertium_evidence::Technique;
use tertium_testkit::{Rng, for_random_cases};

fn file_of(text: &str) -> ProgramFile {
    from_text("random.gcl", text.to_owned(), &[], None).unwrap_or_else(|failure| panic!("{failure:?}\n{text}"))
}

fn statement(rng: &mut Rng, at: usize) -> String {
    let (small, larger) = (rng.below(3), 2 + rng.below(4));
    let text = match rng.below(9) {
        0 => format!("x := (x + {small}) mod {larger}"),
        1 => format!("when x < {larger} do x := x + 1"),
        2 => format!("own := x mod {larger}"),
        3 => "a[own] := x".to_owned(),
        4 => format!("await x >= {small}"),
        5 => format!("x := {small}"),
        6 => format!("when own = {small} do x := own"),
        7 => format!("assert x <= {larger}"),
        _ => "skip".to_owned(),
    };
    format!("l{at}: {text};\n")
}

/// Three processes of many locations, so that there are more than 2,000 combinations of these.
fn random_text(rng: &mut Rng) -> String {
    let mut text = "system s\nvar x : int = 0\nvar a : array[0..2] of int = 0\n".to_owned();
    for process in ["P", "Q", "R"] {
        let body: String = (0..13).map(|at| statement(rng, at)).collect();
        text += &format!("process {process} {{ var own : int = 0\nloop {{ {body} }} }}\n");
    }
    let bound = 1 + rng.below(6);
    text + &format!(
        "property low : ltl G x <= {bound}\nproperty high : ctl EF x > {bound}\nproperty sign : ltl G x >= 0\n"
    )
}

#[test]
fn what_invariants_exclude_is_not_reached() {
    let (told, compared) = (Cell::new(0), Cell::new(0));
    for_random_cases(12, |case| {
        let text = random_text(&mut case.rng);
        case.keep("program.gcl", text.clone());
        let file = file_of(&text);
        let asked = questions(&file, &[], false).expect("no names are asked for");
        let options = CheckOptions { look_for_idle: false, max_states: Some(60_000), ..CheckOptions::default() };
        let searched = check(&file, &asked, &options, &Budget::unlimited(), &()).expect("it can be searched");
        let options = CheckOptions { look_for_idle: false, keep_basis: true, ..CheckOptions::default() };
        // Nothing but what is known before the first search: a limit of one abstract state leaves the rest open.
        let how = AbstractionOptions { zones: false, max_states: Some(1), ..AbstractionOptions::default() };
        let found = refinement_loop::check(&file, &asked, &options, &how, 0, &Budget::unlimited(), &());
        let found = found.expect("it can be abstracted");
        for (question, (answer, truth)) in asked.iter().zip(found.answers.iter().zip(&searched.answers)) {
            if answer.provenance.technique != Technique::AbstractInterpretation {
                continue;
            }
            told.set(told.get() + 1);
            if truth.value() != Belnap::Unknown {
                compared.set(compared.get() + 1);
                assert_eq!(answer.value(), truth.value(), "{}", answer.name);
            }
            let written = certificate_of(&file, question, answer, &options, &Budget::unlimited());
            if let Written::None(why) = written.expect("the checker accepts the proof") {
                panic!("{} has no certificate: {why}", answer.name);
            }
        }
    });
    assert!(told.get() >= 12 && compared.get() >= 4, "{} told, {} compared", told.get(), compared.get());
}
