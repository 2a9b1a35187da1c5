//! A bound that is reached is unknown, never an answer: in every engine, in simulations and in proofs.

mod models;

use tertium_base::Budget;
use tertium_driver::engines::EngineChoice;
use tertium_driver::program::answer::Vacuity;
use tertium_driver::program::questions::{Question, questions};
use tertium_driver::program::safety::Keeping;
use tertium_driver::program::simulate::{Chance, Ending, Simulator};
use tertium_driver::program::{CheckOptions, Language, ProgramAnswer, ProgramFile, check, from_text};
use tertium_driver::{Belnap, Failure};

use models::promela;

fn gcl(text: &str) -> ProgramFile {
    from_text("bounds.gcl", text.to_owned(), &[], None).unwrap_or_else(|failure| panic!("{failure:?}\n{text}"))
}

fn checked(file: &ProgramFile, options: &CheckOptions) -> Vec<ProgramAnswer> {
    asked(file, &[], options)
}

fn asked(file: &ProgramFile, only: &[&str], options: &CheckOptions) -> Vec<ProgramAnswer> {
    let only: Vec<String> = only.iter().map(ToString::to_string).collect();
    let progress = options.fair;
    let asked = questions(file, &only, progress).expect("the names are known");
    let options = CheckOptions { look_for_idle: false, ..options.clone() };
    match check(file, &asked, &options, &Budget::unlimited(), &()) {
        Ok(outcome) => outcome.answers,
        // Sets refuse what they cannot encode.
        Err(Failure::Input(_)) if options.engine == EngineChoice::Symbolic => Vec::new(),
        Err(failure) => panic!("{failure:?}\n{}", file.source.text),
    }
}

fn value(answers: &[ProgramAnswer], name: &str) -> Belnap {
    answers.iter().find(|answer| answer.name == name).unwrap_or_else(|| panic!("no `{name}`")).value()
}

/// The options of every search that a program goes through.
fn every_way() -> Vec<CheckOptions> {
    let plain = CheckOptions::default();
    vec![
        plain.clone(),
        CheckOptions { reduction: false, ..plain.clone() },
        CheckOptions { store: Keeping::Compact, ..plain.clone() },
        CheckOptions { engine: EngineChoice::Symbolic, ..plain.clone() },
        CheckOptions { engine: EngineChoice::Explicit, ..plain },
    ]
}

/// What is asked behind a block that goes round so often: it is reached, whatever it takes.
fn behind_a_block(rounds: usize) -> [ProgramFile; 2] {
    [
        gcl(&format!(
            "system s\nvar i : 0..{rounds} = 0\n\
             process P {{ atomic {{ while i < {rounds} {{ i := i + 1; }} }} bad: assert false; }}\n\
             property never : ltl G !P@bad\nproperty comes : ltl F P@bad\nproperty can : ctl EF P@bad\n"
        )),
        promela(&format!(
            "int i; bool bad;\nactive proctype P() {{ d_step {{ do :: i < {rounds} -> i++ :: else -> break od }}; bad = true; assert(false) }}\n\
             ltl never_bad {{ [] !bad }}\nltl comes {{ <> bad }}\n"
        )),
    ]
}

#[test]
fn blocks_below_the_bound_are_executed() {
    for file in behind_a_block(50_001) {
        let answers = checked(&file, &CheckOptions::default());
        let never =
            if file.program.properties.iter().any(|property| property.name == "never") { "never" } else { "never_bad" };
        assert_eq!((value(&answers, never), value(&answers, "assertions")), (Belnap::False, Belnap::False));
        assert_eq!((value(&answers, "comes"), value(&answers, "endless-atomic")), (Belnap::True, Belnap::True));
    }
}

#[test]
fn beyond_the_bound_nothing_is_definite() {
    for file in behind_a_block(501_000) {
        for (number, options) in every_way().into_iter().enumerate() {
            // All of it once, and then what every way decides by itself; of one language, since it takes long.
            let only: &[&str] = if number == 0 { &[] } else { &["comes"] };
            if number > 0 && file.language == Language::Promela {
                continue;
            }
            for answer in asked(&file, only, &options) {
                let what = format!("{}, {:?}, {:?}", answer.name, options.engine, options.store);
                assert_eq!(answer.value(), Belnap::Unknown, "{what}");
                assert!(
                    answer.run().is_none() && (!answer.reasons().is_empty() || answer.stopped().is_some()),
                    "{what}"
                );
            }
        }
        let budget = Budget::unlimited();
        let mut simulator = Simulator::new(&file, &budget).expect("it starts");
        simulator.walk(5, &mut Chance::new(1), &budget).expect("no limit on time");
        assert!(matches!(simulator.ending(), Some(Ending::Limit(_))), "{:?}", simulator.ending());
    }
}

#[test]
fn fairness_to_many_processes_is_fairness_to_each_of_them() {
    // The number of processes, whether each property of runs without end holds, and what is broken otherwise.
    let all_stay = |count: usize| format!("bool x;\nactive [{count}] proctype P() {{ accept: do :: x = !x od }}\n");
    let started = |count: usize| {
        format!(
            "bool x;\nproctype P() {{ accept: do :: x = !x od }}\n\
             init {{ byte i; atomic {{ do :: i < {count} -> run P(); i++ :: else -> break od }} }}\n"
        )
    };
    let matched = |count: usize| {
        format!(
            "bool x;\nactive [{count}] proctype P() {{ end: do :: x = !x od }}\n\
             never {{ do :: x -> goto accept :: true od; accept: do :: true od }}\n"
        )
    };
    let leaves = |count: usize| {
        format!(
            "bool x, flag;\nactive [{count}] proctype P() {{ end: do :: x = !x od }}\nactive proctype S() {{ flag = 1 }}\n\
             active proctype Q() {{ accept: do :: !flag -> skip :: flag -> break od }}\nltl comes {{ <> flag }}\n"
        )
    };
    let mut cases = Vec::new();
    for count in [5, 62, 63, 64, 65, 130] {
        cases.push((all_stay(count), "acceptance", Belnap::False));
        cases.push((leaves(count), "comes", Belnap::True));
        cases.push((matched(count), "never", Belnap::False));
    }
    for count in [20, 63, 64] {
        cases.push((started(count), "acceptance", Belnap::False));
        cases.push((leaves(count), "acceptance", Belnap::True));
    }
    for (text, name, expected) in cases {
        let file = promela(&text);
        for store in [Keeping::Exact, Keeping::Compact] {
            let options = CheckOptions { fair: true, store, ..CheckOptions::default() };
            let found = value(&checked(&file, &options), name);
            let open = store != Keeping::Exact && found == Belnap::Unknown && expected == Belnap::True;
            assert!(found == expected || open, "{name}, {store:?}: {found:?}\n{text}");
        }
    }
}

#[test]
fn more_fair_processes_than_marks_are_unknown() {
    let text =
        "system s\nvar x : bool = false\nprocess P[i : 1..330] { loop { x := !x; } }\nfair P\nproperty p : ltl G F x\n";
    let answers = checked(&gcl(text), &CheckOptions::default());
    let found = answers.iter().find(|answer| answer.name == "p").expect("an answer");
    assert_eq!(found.value(), Belnap::Unknown);
    assert!(found.reasons().iter().any(|reason| reason.what.contains("acceptance marks")), "{:?}", found.reasons());
}

#[test]
fn initial_values_of_arrays_are_cut_to_the_width_of_their_cells() {
    // Spin 6.5.2 says the same of each; its verifier keeps arrays of bits in bytes.
    let holds = [
        "byte a[2] = {256, 1}; active proctype P() { assert(a[0] == 0 && a[1] == 1) }",
        "typedef T { byte y[2] = {511, 1} }; T t; active proctype P() { assert(t.y[0] == 255) }",
        "short a[2] = {32768, 65537}; active proctype P() { assert(a[0] == -32768 && a[1] == 1) }",
        "bit a[3] = {2, 3, 1}; active proctype P() { assert(a[0] == 2 && a[1] == 3 && a[2] == 1) }",
        "active proctype P() { byte a[2] = {511, 300}; assert(a[0] == 255 && a[1] == 44) }",
    ];
    for text in holds {
        let file = promela(text);
        for engine in [EngineChoice::Auto, EngineChoice::Symbolic] {
            let answers = checked(&file, &CheckOptions { engine, ..CheckOptions::default() });
            assert_eq!(value(&answers, "assertions"), Belnap::True, "{engine:?}: {text}");
        }
    }
    let hides = "typedef T { byte y[2] = {511, 1} }; T t; bool hit;\n\
        active proctype P() { if :: t.y[0] == 255 -> hit = 1 :: else fi }\nltl p { [] !hit }";
    assert_eq!(value(&checked(&promela(hides), &CheckOptions::default()), "p"), Belnap::False);
}

#[test]
fn a_simulation_goes_on_after_a_failed_assertion() {
    let file = promela(
        "byte x;\nactive proctype P() { do :: x++ :: x == 3 -> assert(x != 3) od }\nactive proctype Q() { x = 5; assert(x == 5) }\n",
    );
    let budget = Budget::unlimited();
    for seed in 0..40 {
        let mut simulator = Simulator::new(&file, &budget).expect("it starts");
        simulator.walk(30, &mut Chance::new(seed), &budget).unwrap_or_else(|failure| panic!("{seed}: {failure:?}"));
    }
}

#[test]
fn a_property_may_have_the_name_of_a_question() {
    let file =
        gcl("system s\nvar x : 0..1 = 0\nprocess P { loop { x := 1 - x; } }\nproperty progress : ltl G (x < 2)\n");
    let answers = asked(&file, &["progress"], &CheckOptions::default());
    assert_eq!((answers.len(), answers[0].value()), (1, Belnap::True));
    let file = promela("byte x; active proctype P() { do :: x = 1 - x od }\nltl progress { [] (x < 2) }\n");
    let answers = asked(&file, &["progress"], &CheckOptions::default());
    assert_eq!((answers.len(), answers[0].value()), (1, Belnap::True));
}

/// Results, evidence and `--only` go by names: the question that nobody wrote down goes by another one.
#[test]
fn a_property_keeps_its_name_where_a_built_in_question_has_it_too() {
    let of = |file: &ProgramFile, only: &[&str], progress: bool| -> Vec<(String, bool)> {
        let only: Vec<String> = only.iter().map(|&name| name.to_owned()).collect();
        let asked = questions(file, &only, progress).unwrap_or_else(|failure| panic!("{failure:?}"));
        asked.iter().map(|one| (one.name().to_owned(), matches!(one, Question::Property(_)))).collect()
    };
    let (own, built_in) = (|name: &str| (name.to_owned(), true), |name: &str| (name.to_owned(), false));
    let text = "system s\nvar x : 0..1 = 0\nprocess P { loop { x := 1 - x; } }\n";
    let file = gcl(&format!("{text}property deadlocks : ltl G (x < 1)\n"));
    assert_eq!(of(&file, &[], false), [own("deadlocks"), built_in("built-in:deadlocks")]);
    assert_eq!(of(&file, &["deadlocks"], false), [own("deadlocks")]);
    assert_eq!(of(&file, &["built-in:deadlocks"], false), [built_in("built-in:deadlocks")]);
    let values = |only: &[&str]| -> Vec<Belnap> {
        asked(&file, only, &CheckOptions::default()).iter().map(ProgramAnswer::value).collect()
    };
    assert_eq!(values(&[]), [Belnap::False, Belnap::True]);
    assert_eq!(values(&["built-in:deadlocks"]), [Belnap::True]);
    // Who asks by the longer name is answered by it.
    assert_eq!(of(&gcl(text), &["built-in:deadlocks"], false), [built_in("built-in:deadlocks")]);
    assert_eq!(of(&gcl(text), &[], false), [built_in("deadlocks")]);
    let loops = "byte x; active proctype P() { do :: x = 1 - x od }\n";
    let file = promela(&format!("{loops}ltl progress {{ [] (x < 2) }}\n"));
    assert_eq!(of(&file, &["progress"], true), [own("progress"), built_in("built-in:progress")]);
    assert_eq!(of(&file, &["built-in:progress"], false), [built_in("built-in:progress")]);
    assert!(of(&file, &[], false).contains(&own("progress")));
    let file = promela("byte x; active proctype P() { assert(x < 2) }\nltl assertions { [] (x < 2) }\n");
    assert_eq!(of(&file, &[], false)[..2], [own("assertions"), built_in("built-in:assertions")]);
    let file = from_text("s.gcl", text.to_owned(), &["deadlocks: G (x < 1)".to_owned()], None);
    let file = file.unwrap_or_else(|failure| panic!("{failure:?}"));
    assert_eq!(of(&file, &[], false), [own("deadlocks")]);
    assert_eq!(of(&file, &["built-in:deadlocks"], false), [own("deadlocks"), built_in("built-in:deadlocks")]);
}

#[test]
fn two_properties_of_one_name_are_refused_and_strange_names_are_not() {
    let text = "system s\nvar x : 0..1 = 0\nprocess P { loop { x := 1 - x; } }\nproperty a : ltl G (x < 2)\n";
    let asked = |given: &[&str], only: &[&str]| {
        let given: Vec<String> = given.iter().map(ToString::to_string).collect();
        let only: Vec<String> = only.iter().map(ToString::to_string).collect();
        let file = from_text("s.gcl", text.to_owned(), &given, None).unwrap_or_else(|failure| panic!("{failure:?}"));
        questions(&file, &only, false).map(|asked| asked.len())
    };
    for (given, only) in [(&["a: G (x < 1)", "a: G (x < 2)"] as &[&str], &[] as &[&str]), (&["a: G (x < 1)"], &["a"])] {
        assert!(
            matches!(asked(given, only), Err(Failure::Input(why)) if why[0].diagnostic.code == "E0333"),
            "{given:?}"
        );
    }
    let long = format!("{}: G (x < 1)", "x".repeat(5000));
    assert_eq!(asked(&["Über: G (x < 1)", "progress: G (x < 1)", &long], &["a"]).ok(), Some(4));
}

#[test]
fn every_implication_is_looked_at_for_vacuity() {
    let file = gcl("system s\nvar x : 0..3 = 0\nvar y : 0..1 = 0\nprocess P { loop { x := (x + 1) mod 3; } }\n\
         property both : ctl AG ((x = 1 -> y = 0) && (x = 3 -> y = 1))\n\
         property fine : ctl AG ((x = 1 -> y = 0) && (x = 2 -> y = 0))\n\
         property inner : ltl G (y = 0 && (x = 0 || (x = 3 -> y = 1)))\n\
         property later : ltl G (x = 3 -> F (x = 0))\n");
    let answers = checked(&file, &CheckOptions::default());
    let found = |name: &str| answers.iter().find(|answer| answer.name == name).expect("an answer");
    assert!(answers.iter().all(|answer| answer.value() == Belnap::True));
    for (name, vacuous) in [("both", true), ("fine", false), ("inner", true)] {
        assert_eq!(found(name).vacuity, Vacuity::sought(vacuous), "{name}");
    }
    assert_eq!(found("later").vacuity, Vacuity::NotSought, "it is not claimed to be looked for");
}
