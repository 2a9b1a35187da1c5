//! A run beside an answer shows that answer, whichever engine found it.

use tertium_base::Budget;
use tertium_driver::engines::EngineChoice;
use tertium_driver::program::predicate_abstraction::{self, AbstractionOptions};
use tertium_driver::program::questions::questions;
use tertium_driver::program::refinement_loop;
use tertium_driver::program::run_confirmation::must_show;
use tertium_driver::program::{CheckOptions, ProgramAnswer, ProgramFile, check, from_text};
use tertium_driver::{Belnap, Failure};

fn gcl(text: &str) -> ProgramFile {
    from_text("shown.gcl", text.to_owned(), &[], None).unwrap_or_else(|failure| panic!("{failure:?}\n{text}"))
}

/// What running the program, sets and predicates say.
fn every_way(file: &ProgramFile) -> Vec<Vec<ProgramAnswer>> {
    let asked = questions(file, &[], false).expect("no names are asked for");
    let budget = Budget::unlimited();
    let options = CheckOptions { look_for_idle: false, ..CheckOptions::default() };
    let symbolic = CheckOptions { engine: EngineChoice::Symbolic, ..options.clone() };
    let how = AbstractionOptions::default();
    let all = [
        check(file, &asked, &options, &budget, &()),
        check(file, &asked, &symbolic, &budget, &()),
        predicate_abstraction::check(file, &asked, &options, &how, &budget, &()),
        refinement_loop::check(file, &asked, &options, &how, 4, &budget, &()),
    ];
    let mut answers = Vec::new();
    for found in all {
        match found {
            Ok(outcome) => answers.push(outcome.answers),
            Err(Failure::Input(_)) => {}
            Err(failure) => panic!("{failure:?}\n{}", file.source.text),
        }
    }
    answers
}

#[test]
fn no_run_shows_that_no_run_gets_somewhere() {
    for ty in ["int", "0..3"] {
        let file = gcl(&format!(
            "system s\nvar x : {ty}\nprocess P {{ await x = 0; reach: loop {{ skip; }} }}\n\
             property ef : ctl EF P@reach\nproperty ag : ctl !AG !P@reach\nproperty g : ltl G !P@reach\n"
        ));
        let asked = questions(&file, &[], false).expect("no names are asked for");
        for outcome in every_way(&file) {
            for (question, answer) in asked.iter().zip(&outcome) {
                must_show(&file, question, answer).unwrap_or_else(|failure| panic!("{failure:?}"));
                let existential = ["ef", "ag"].contains(&answer.name.as_str());
                assert!(!existential || answer.value() != Belnap::True, "not from x = 1: {}", answer.name);
                assert!(!existential || answer.run().is_none(), "{} is {:?} with a run", answer.name, answer.value());
            }
        }
    }
}

#[test]
fn runs_of_branching_formulas_show_what_they_are_told_for() {
    let file = gcl(
        "system s\nvar x : 0..3 = 0\nprocess P { loop { x := (x + 1) mod 3; } }\nprocess Q { await x = 3; }\nfair P\nfair Q\n\
         property a : ctl EX (x = 3)\nproperty b : ctl EG (x = 0)\nproperty c : ctl AX EX (x = 3)\n\
         property d : ctl E [x = 0 U x = 3]\nproperty e : ctl !AF (x = 1)\nproperty f : ctl !AX (x = 1)\n\
         property g : ctl EF (x = 3) || EG (x = 0)\nproperty h : ctl AF (x = 3)\nproperty i : ctl AG EF (x = 3)\n\
         property o : ctl EF (x = 2)\nproperty p : ctl !EF (x = 2)\nproperty q : ctl !AG (x = 0)\n",
    );
    let asked = questions(&file, &[], false).expect("no names are asked for");
    for outcome in every_way(&file) {
        for (question, answer) in asked.iter().zip(&outcome) {
            must_show(&file, question, answer).unwrap_or_else(|failure| panic!("{failure:?}"));
        }
    }
}

/// Fixpoints, combinations of path formulas, and what speaks of all paths under fairness.
#[test]
fn runs_of_fixpoints_and_combinations_show_what_they_are_told_for() {
    let formulas = [
        "mu mu X. (x = 3 || <> X)",
        "mu nu X. (x != 3 && <> X)",
        "mu nu X. (x != 3 && [] X)",
        "mu !(nu X. (x != 3 && [] X))",
        "mu x = 0 && <> (x = 1)",
        "mu mu X. (x = 3 || <> [] X)",
        "mu nu X. mu Y. (x = 3 && [] X || <> Y)",
        "pml [] <> (x = 2)",
        "ctl EF (x = 3) || EF (x = 2)",
        "ctl EF (x = 3) && EF (x = 2)",
        "ctl EF (x = 7) && AG (x < 9)",
        "ctl x = 0 && EF (x = 3)",
        "ctl x = 0 -> EF (x = 3)",
        "ctl EF AG (x != 3)",
        "ctl !(AG EF (x = 3))",
        "ctl AF EG (x = 0)",
        "ctl (EF (x = 3)) <-> (EF (x = 2))",
        "ctl* E (F (x = 3) && F (x = 2))",
        "ctl* E F G (x = 3) || A G F (x = 2)",
    ];
    let properties: String =
        formulas.iter().enumerate().map(|(at, formula)| format!("property p{at} : {formula}\n")).collect();
    let program = "system s\nvar x : 0..9 = 0\nprocess P { loop { when x < 3 do x := x + 1; } }\nprocess Q { loop { when x > 0 do x := x - 1; } }\n";
    for fair in ["", "fair P, Q\n"] {
        let file = gcl(&format!("{program}{fair}{properties}"));
        let asked = questions(&file, &[], false).expect("no names are asked for");
        let mut shown = 0;
        for outcome in every_way(&file) {
            for (question, answer) in asked.iter().zip(&outcome) {
                must_show(&file, question, answer).unwrap_or_else(|failure| panic!("{failure:?}"));
                shown += usize::from(answer.run().is_some());
            }
        }
        assert!(shown > 0, "no run is told at all");
    }
}

#[test]
fn a_run_that_shows_something_else_is_refused() {
    let file = gcl(
        "system s\nvar x : 0..3 = 0\nprocess P { x := 1; x := 2; }\nproperty p : ltl G (x < 2)\nproperty q : ctl EF (x = 3)\n",
    );
    let asked = questions(&file, &["p".to_owned(), "q".to_owned()], false).expect("they are there");
    let options = CheckOptions { look_for_idle: false, ..CheckOptions::default() };
    let found = check(&file, &asked, &options, &Budget::unlimited(), &()).expect("it is small").answers;
    assert_eq!((found[0].value(), found[1].value()), (Belnap::False, Belnap::False));
    assert!(must_show(&file, &asked[0], &found[0]).is_ok());
    // Too short, of another value, and beside a question that no run settles.
    let mut short = found[0].clone();
    short.show(|evidence| _ = evidence.run.as_mut().expect("a run").steps.pop());
    assert!(must_show(&file, &asked[0], &short).is_err());
    let mut other = found[0].clone();
    other.verdict.settle(Belnap::True);
    assert!(must_show(&file, &asked[0], &other).is_err());
    let mut beside = found[1].clone();
    beside.show_run(found[0].run().cloned());
    assert!(must_show(&file, &asked[1], &beside).is_err());
}

#[test]
fn a_state_in_which_nothing_can_step_follows_itself_over_sets_too() {
    let file = gcl(
        "system s\nvar p : bool = false\nprocess P { await p; }\nfair P\nproperty f : ctl AX p\nproperty g : ctl AX AX p\n",
    );
    for outcome in every_way(&file) {
        for answer in outcome.iter().filter(|answer| answer.name.len() == 1) {
            assert_eq!(answer.value(), Belnap::False, "{}", answer.name);
        }
    }
}
