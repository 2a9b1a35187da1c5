//! What abstraction says is what running the program says: on random programs with small domains, for all kinds, all logics,
//! with fairness and with runs that end; and on the programs of the corpus.

mod coalitions;
mod on_demand;
mod promela;

use tertium_base::Budget;
use tertium_driver::program::predicate_abstraction::{self, AbstractionKind, AbstractionOptions, Limit};
use tertium_driver::program::questions::questions;
use tertium_driver::program::{CheckOptions, Extras, ProgramAnswer, ProgramFile, check, from_text_with};
use tertium_driver::{Belnap, Failure};
use tertium_testkit::{Case, ProgramShape, for_random_cases, random_program};

const KINDS: [AbstractionKind; 5] = AbstractionKind::ALL;

fn loaded(text: &str, predicates: &[&str]) -> ProgramFile {
    let extras = Extras {
        predicates: predicates.iter().map(|text| (*text).to_owned()).collect(),
        keep: Vec::new(),
        ..Extras::default()
    };
    from_text_with("test.gcl", text.to_owned(), &[], None, &extras)
        .unwrap_or_else(|failure| panic!("{failure:?}\n{text}"))
}

fn abstract_answers(file: &ProgramFile, options: &AbstractionOptions) -> Result<Vec<ProgramAnswer>, Failure> {
    let asked = questions(file, &[], false).expect("no names are asked for");
    predicate_abstraction::check(file, &asked, &CheckOptions::default(), options, &Budget::unlimited(), &())
        .map(|outcome| outcome.answers)
}

fn concrete_answers(file: &ProgramFile) -> Vec<ProgramAnswer> {
    let asked = questions(file, &[], false).expect("no names are asked for");
    let options = CheckOptions { max_states: Some(20_000), look_for_idle: false, ..CheckOptions::default() };
    check(file, &asked, &options, &Budget::unlimited(), &()).unwrap_or_else(|failure| panic!("{failure:?}")).answers
}

fn random_text(case: &mut Case) -> String {
    let shape = ProgramShape { processes: 1..=2, variables: 1..=2, statements: 1..=3, ..ProgramShape::default() };
    let mut text = random_program(&mut case.rng, &shape);
    for process in ["P0", "P1"] {
        if text.contains(&format!("process {process}")) && case.rng.chance(40) {
            text.push_str(&format!("fair {process}\n"));
        }
    }
    text.push_str(
        "property p1 : ltl F (n = 1)\nproperty p2 : ltl G (b -> F (n = 0))\nproperty p3 : ltl X (n = 1 || b)\n",
    );
    text.push_str("property p4 : ctl AG (b -> EX (n = 0 || b))\nproperty p5 : ctl AF (n = 2)\nproperty p6 : ctl* E (F b && G (n < 2))\n");
    text.push_str("property p7 : mu nu X. (n < 2 && <> X)\n");
    case.keep("program.gcl", &text);
    text
}

fn compare(case: &mut Case, limit: Limit) -> Option<(usize, usize)> {
    let text = random_text(case);
    let choices = ["n = 1", "b", "n < 2", "n = 0", "b = (n = 1)"];
    let predicates = case.rng.some_of(&choices);
    case.keep("predicates.txt", predicates.join("\n"));
    let file = loaded(&text, &predicates);
    let truth = concrete_answers(&file);
    let (mut definite, mut all) = (0, 0);
    for kind in KINDS {
        case.keep("kind.txt", kind.name());
        let options =
            AbstractionOptions { kind, limit, keep_small: case.rng.chance(25), ..AbstractionOptions::default() };
        let found = match abstract_answers(&file, &options) {
            Ok(found) => found,
            // Blocks with loops have no terms.
            Err(Failure::Input(_)) => return None,
            Err(failure) => panic!("{failure:?}"),
        };
        for (answer, expected) in found.iter().zip(&truth) {
            assert_eq!(answer.name, expected.name);
            all += 1;
            if matches!(answer.value(), Belnap::True | Belnap::False) {
                definite += 1;
                let known = matches!(expected.value(), Belnap::True | Belnap::False);
                assert!(
                    !known || answer.value() == expected.value(),
                    "{} ({kind:?}): abstraction says {:?}, running says {:?}",
                    answer.name,
                    answer.value(),
                    expected.value()
                );
            }
        }
    }
    Some((definite, all))
}

#[test]
fn definite_answers_are_those_of_the_program() {
    let counts = std::cell::Cell::new((0, 0));
    for_random_cases(40, |case| {
        if let Some((definite, all)) = compare(case, Limit::default()) {
            counts.set((counts.get().0 + definite, counts.get().1 + all));
        }
    });
    let (definite, all) = counts.get();
    assert!(definite * 4 > all, "only {definite} of {all} answers are definite");
}

#[test]
fn a_solver_that_gives_up_makes_no_answer_wrong() {
    for_random_cases(15, |case| {
        let work = *case.rng.pick(&[1, 50, 200]);
        compare(case, Limit { work: Some(work), time: None });
    });
}

fn corpus(name: &str) -> String {
    let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../corpus/gcl").join(name);
    std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

#[track_caller]
fn values(name: &str, predicates: &[&str], options: &AbstractionOptions) -> Vec<(String, Belnap)> {
    let file = loaded(&corpus(name), predicates);
    let answers = abstract_answers(&file, options).unwrap_or_else(|failure| panic!("{failure:?}"));
    answers.into_iter().map(|answer| (answer.name.clone(), answer.value())).collect()
}

#[test]
fn the_bakery_is_proved_over_all_integers() {
    for kind in KINDS {
        let options = AbstractionOptions { kind, ..AbstractionOptions::default() };
        let found = values("bakery_a.gcl", &[], &options);
        assert!(found.iter().all(|(_, value)| *value == Belnap::True), "{kind:?}: {found:?}");
    }
    let all = ["y1 = 0", "y2 = 0", "y1 <= y2", "P1.t = 0", "P1.t <= y2", "P2.t = 0", "y1 <= P2.t", "P1.t <= P2.t"];
    let found = values("bakery_c.gcl", &[&all[..], &["x1 = 0", "x2 = 0"]].concat(), &AbstractionOptions::default());
    assert_eq!(found[0], ("mutex".to_owned(), Belnap::True));
    let file = loaded(&corpus("bakery_b.gcl"), &all);
    let answers = abstract_answers(&file, &AbstractionOptions::default()).unwrap();
    assert_eq!(answers[0].value(), Belnap::False);
    let run = answers[0].run().expect("a run of the program");
    assert_eq!(run.length(), 6);
}

#[test]
fn parities_of_an_unknown_function() {
    let cubes = AbstractionOptions { kind: AbstractionKind::Cubes, ..AbstractionOptions::default() };
    let thorough = AbstractionOptions { thorough: true, ..cubes.clone() };
    let hyper = AbstractionOptions::default();
    let check = |name: &str, property: &str, expected: [Belnap; 3]| {
        let found = [&cubes, &thorough, &hyper].map(|options| {
            let all = values(name, &["p", "q"], options);
            all.into_iter().find(|(known, _)| known == property).expect("the property").1
        });
        assert_eq!(found, expected, "{name} {property}: cubes, cubes thoroughly, hyper");
    };
    check("parity_c1.gcl", "phi1", [Belnap::Unknown, Belnap::True, Belnap::True]);
    check("parity_c2.gcl", "phi2", [Belnap::Unknown, Belnap::False, Belnap::False]);
    check("parity_c2.gcl", "phi2x", [Belnap::Unknown, Belnap::False, Belnap::False]);
    check("parity_c3.gcl", "phi3", [Belnap::Unknown, Belnap::Unknown, Belnap::Unknown]);
}

#[test]
fn mistakes_are_told_by_kind() {
    let text =
        "system s\nvar x : int = 0\nvar a : int = 1\nprocess P { loop { x := x + 1; assert x < 3; a := 6 div a; } }\n";
    let file = loaded(text, &["x = 0", "x = 1", "x = 2", "x < 3", "a = 1", "a = 6"]);
    for kind in KINDS {
        let options = AbstractionOptions { kind, ..AbstractionOptions::default() };
        let answers = abstract_answers(&file, &options).unwrap_or_else(|failure| panic!("{failure:?}"));
        let answer = |name: &str| answers.iter().find(|answer| answer.name == name).expect("the question");
        assert_eq!(answer("division-by-zero").value(), Belnap::True, "{kind:?}");
        assert_eq!(answer("assertions").value(), Belnap::False, "{kind:?}");
        let run = answer("assertions").run().expect("a run of the program");
        assert!(run.fault.is_some());
    }
}
