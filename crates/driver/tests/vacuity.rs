//! Vacuity of programs' properties against its definition: a property that is true is vacuous if it stays true with what an implication demands
//! mutated to `false`, whatever engine is asked. Looking for it changes no value.

use tertium_base::Budget;
use tertium_driver::Belnap;
use tertium_driver::engines::EngineChoice;
use tertium_driver::program::answer::Vacuity;
use tertium_driver::program::questions::{Mistake, questions};
use tertium_driver::program::run::fault_at_rest;
use tertium_driver::program::{CheckOptions, Extras, ProgramAnswer, ProgramFile, Semantics, from_text, from_text_with};
use tertium_driver::strategy::{
    Approach, ProgramQuery, Wishes, decide, faults_of_runs, look_for_vacuity, name_failing_start,
};
use tertium_testkit::{ProgramShape, for_random_cases, random_program};

/// Properties with one implication each; `CONSEQUENT` is to be filled in.
const SHAPES: [&str; 8] = [
    "ltl G (home -> CONSEQUENT)",
    "ltl G (!home -> CONSEQUENT)",
    "ltl F (home -> CONSEQUENT)",
    "ltl G (F home -> CONSEQUENT)",
    "ctl AG (home -> CONSEQUENT)",
    "ctl AF (home -> CONSEQUENT)",
    "ctl EF (home -> CONSEQUENT)",
    "ctl* A G (deadlock -> CONSEQUENT)",
];

fn consequent(shape: &str) -> &'static str {
    match &shape[..4] {
        "ltl " => "F !home",
        "ctl " => "AF !home",
        _ => "E F home",
    }
}

fn loaded(text: &str) -> ProgramFile {
    from_text("random.gcl", text.to_owned(), &[], None).unwrap_or_else(|failure| panic!("{failure:?}\n{text}"))
}

fn with_properties(text: &str, fill: impl Fn(&str) -> &'static str) -> ProgramFile {
    let member = if text.contains("process P0[") { "[1]" } else { "" };
    let mut text = format!("{text}\npredicate home : P0{member}@here\n");
    for (at, shape) in SHAPES.iter().enumerate() {
        text.push_str(&format!("property p{at} : {}\n", shape.replace("CONSEQUENT", fill(shape))));
    }
    loaded(&text)
}

fn ways() -> Vec<(&'static str, Wishes)> {
    let of = |engine| Wishes {
        options: CheckOptions { engine, look_for_idle: false, ..CheckOptions::default() },
        ..Wishes::default()
    };
    vec![
        ("auto", of(EngineChoice::Auto)),
        ("symbolic", of(EngineChoice::Symbolic)),
        ("abstract", Wishes { approach: Approach::Abstract, ..of(EngineChoice::Auto) }),
    ]
}

/// The answers to the properties, with vacuity.
fn answers(file: &ProgramFile, wishes: &Wishes) -> Vec<ProgramAnswer> {
    let names: Vec<String> = (0..SHAPES.len()).map(|at| format!("p{at}")).collect();
    let asked = questions(file, &names, false).expect("the names are known");
    let query = ProgramQuery { file, questions: &asked, wishes };
    let budget = Budget::unlimited();
    let mut found = decide(&query, &budget, &()).unwrap_or_else(|failure| panic!("{failure:?}")).answers;
    for (question, answer) in asked.iter().zip(&mut found) {
        let before = answer.value();
        look_for_vacuity(&query, question, answer, &budget, &()).unwrap_or_else(|failure| panic!("{failure:?}"));
        assert_eq!(before, answer.value(), "{}", answer.formula);
    }
    found
}

#[test]
fn vacuity_is_what_its_definition_says() {
    let (vacuous, plain) = (std::cell::Cell::new(0), std::cell::Cell::new(0));
    for_random_cases(25, |case| {
        let text = random_program(&mut case.rng, &ProgramShape { processes: 1..=2, ..ProgramShape::default() });
        case.keep("program.gcl", text.as_str());
        let (file, mutated) = (with_properties(&text, consequent), with_properties(&text, |_| "false"));
        let stronger = answers(&mutated, &ways()[0].1);
        for (way, wishes) in ways() {
            for (answer, stronger) in answers(&file, &wishes).iter().zip(&stronger) {
                if answer.value() != Belnap::True {
                    assert!(!answer.is_vacuous(), "{way}: {}", answer.formula);
                    continue;
                }
                let told = answer.warnings.iter().any(|warning| warning.code == "W0308");
                match answer.vacuity {
                    Vacuity::Vacuous | Vacuity::NoInitialState => {
                        assert_eq!(stronger.value(), Belnap::True, "{way}: {}", answer.formula);
                        vacuous.set(vacuous.get() + 1);
                    }
                    _ if told => {}
                    Vacuity::NotFound => {
                        assert_ne!(stronger.value(), Belnap::True, "{way}: {}", answer.formula);
                        plain.set(plain.get() + 1);
                    }
                    Vacuity::NotSought => panic!("{way}: {} is not looked at, and nobody says so", answer.formula),
                }
            }
        }
    });
    assert!(vacuous.get() > 0 && plain.get() > 0, "both occur: {} and {}", vacuous.get(), plain.get());
}

#[test]
fn a_response_to_what_never_happens_is_vacuous_for_every_engine() {
    let text = "system s\nvar x : 0..3 = 0\nprocess P { loop { x := (x + 1) mod 3; } }\n\
        property dead : ltl G (x = 3 -> F x = 1)\nproperty live : ltl G (x = 2 -> F x = 1)\n";
    for (way, wishes) in ways() {
        let file = loaded(text);
        let asked = questions(&file, &["dead".to_owned(), "live".to_owned()], false).expect("the names are known");
        let query = ProgramQuery { file: &file, questions: &asked, wishes: &wishes };
        let budget = Budget::unlimited();
        let mut found = decide(&query, &budget, &()).expect("it can be decided").answers;
        for (question, answer) in asked.iter().zip(&mut found) {
            assert_eq!(answer.value(), Belnap::True, "{way}: {}", answer.name);
            look_for_vacuity(&query, question, answer, &budget, &()).expect("it can be asked");
        }
        assert_eq!((found[0].vacuity, found[1].vacuity), (Vacuity::Vacuous, Vacuity::NotFound), "{way}");
    }
}

#[test]
fn one_size_that_is_not_vacuous_settles_it_for_all() {
    let text = "system s\nconst N >= 1\nvar x : 0..2 = 0\nprocess P[i : 1..N] { loop { a: x := 1; b: x := 0; } }\n\
        property never : ltl G (x = 2 -> P[1]@a)\nproperty now : ltl G (x = 1 -> x < 2)\nproperty plain : ltl G x < 2\n";
    let extras = Extras { every: true, ..Extras::default() };
    let file = from_text_with("sizes.gcl", text.to_owned(), &[], None, &extras).expect("it can be read");
    let names = ["never", "now", "plain"].map(str::to_owned);
    let asked = questions(&file, &names, false).expect("the names are known");
    let wishes = Wishes::default();
    let query = ProgramQuery { file: &file, questions: &asked, wishes: &wishes };
    let budget = Budget::unlimited();
    let mut found = decide(&query, &budget, &()).expect("it can be decided").answers;
    for (question, answer) in asked.iter().zip(&mut found) {
        assert_eq!(answer.value(), Belnap::True, "{}", answer.name);
        look_for_vacuity(&query, question, answer, &budget, &()).expect("it can be asked");
    }
    let told: Vec<String> = found[0].warnings.iter().map(|warning| warning.message.clone()).collect();
    assert!(told.iter().any(|told| told.contains("it does for N = 1, 2, 3")), "{told:?}");
    assert_eq!((found[1].vacuity, found[2].vacuity), (Vacuity::NotFound, Vacuity::NotFound));
    assert!(found[0].vacuity == Vacuity::NotSought && found[1].warnings.is_empty() && found[2].warnings.is_empty());
}

#[test]
fn what_the_quota_leaves_open_is_told() {
    let text = "system s\nvar x : 0..3 = 0\nprocess P { loop { x := (x + 1) mod 3; } }\nproperty dead : ltl G (x = 3 -> F x = 1)\n";
    let file = loaded(text);
    let asked = questions(&file, &["dead".to_owned()], false).expect("the name is known");
    let wishes = Wishes::default();
    let query = ProgramQuery { file: &file, questions: &asked, wishes: &wishes };
    let mut found = decide(&query, &Budget::unlimited(), &()).expect("it can be decided").answers;
    let spent = Budget::unlimited().with_effort(Some(0));
    assert!(spent.check().is_err());
    look_for_vacuity(&query, &asked[0], &mut found[0], &spent, &()).expect("a limit is no error");
    assert_eq!(found[0].value(), Belnap::True);
    assert!(!found[0].is_vacuous() && found[0].warnings.iter().any(|warning| warning.code == "W0308"));
}

#[test]
fn faults_that_end_runs_are_found_whether_asked_or_not() {
    let text = "system s\nvar x : 0..3 = 0\nprocess P { loop { x := x + 1; } }\nproperty small : ltl G x <= 3\n";
    let file = loaded(text);
    let wishes = Wishes::default();
    for only in [vec![], vec!["small".to_owned()], vec!["range-overflow".to_owned()]] {
        let asked = questions(&file, &only, false).expect("the names are known");
        let query = ProgramQuery { file: &file, questions: &asked, wishes: &wishes };
        let budget = Budget::unlimited();
        let found = decide(&query, &budget, &()).expect("it can be decided").answers;
        let faults = faults_of_runs(&query, &found, &budget, &()).expect("it can be asked");
        let some_true = only.first().is_none_or(|name| name == "small");
        assert_eq!(faults, if some_true { vec![Mistake::RangeOverflow] } else { Vec::new() }, "{only:?}");
    }
}

#[test]
fn a_linear_property_that_fails_has_a_run_though_no_abstract_path_is_certain() {
    // What the array begins with is open, so no state is visited; from `x > 0` one of two abstract states is certain to follow, but not which.
    let text = "system s\nvar x : int = 10\nvar a : array[0..3] of int\n\
                process P { while x > 0 { x := x - 1; a[x - 1] := 2 } done: skip }\nproperty ends : ltl F x = 0\n";
    let file = loaded(text);
    let asked = questions(&file, &["ends".to_owned()], false).expect("the name is known");
    let wishes = Wishes::default();
    let query = ProgramQuery { file: &file, questions: &asked, wishes: &wishes };
    let budget = Budget::unlimited();
    let mut found = decide(&query, &budget, &()).expect("it can be decided").answers;
    assert_eq!(found[0].value(), Belnap::False);
    name_failing_start(&query, &asked[0], &mut found[0], &budget, &()).expect("it can be asked");
    let run = found[0].run().expect("a run");
    let (_, fault) = fault_at_rest(&Semantics::new(&file.program), run).expect("it ends in a fault");
    assert_eq!(Mistake::of(&fault.kind), Some(Mistake::ArrayBounds));
}
