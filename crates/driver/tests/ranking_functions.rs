//! Ranking functions, and strong fairness, show what running a program shows, and their certificates are accepted; changed ones are not.

mod certified;
mod ranking;

use self::certified::{folder, refused, stored};
use self::ranking::{certificate, corpus};
use tertium_base::Budget;
use tertium_driver::program::predicate_abstraction::AbstractionOptions;
use tertium_driver::program::questions::{Question, questions};
use tertium_driver::program::refinement_loop;
use tertium_driver::program::{CheckOptions, ProgramAnswer, ProgramFile, check};
use tertium_driver::{Belnap, Deadlock};
use tertium_testkit::{Rng, for_random_cases};

/// By abstraction, without running the program first.
fn abstracted(file: &ProgramFile, keep_small: bool) -> Vec<(Question, ProgramAnswer)> {
    let asked = questions(file, &[], false).expect("no names are asked for");
    let how = AbstractionOptions { keep_small, ..AbstractionOptions::default() };
    let found = refinement_loop::check(file, &asked, &CheckOptions::default(), &how, 4, &Budget::unlimited(), &())
        .unwrap_or_else(|failure| panic!("{failure:?}\n{}", file.source.text));
    asked.into_iter().zip(found.answers).collect()
}

#[test]
fn what_comes_to_an_end_is_known_to() {
    for (name, expected) in [
        ("countdown", &[("ends", Belnap::True), ("stays", Belnap::True), ("below", Belnap::False)][..]),
        ("nested", &[("ends", Belnap::True), ("one", Belnap::False)]),
        ("pipeline", &[("ends", Belnap::True), ("again", Belnap::False)]),
        ("lock", &[("first", Belnap::True), ("second", Belnap::False)]),
        ("subtract", &[("ends", Belnap::True), ("equal", Belnap::False)]),
        ("up_and_down", &[("ends", Belnap::False), ("home", Belnap::True)]),
    ] {
        let (path, file) = corpus("ends", name);
        let answers = abstracted(&file, true);
        for &(property, value) in expected {
            let found = answers.iter().find(|(_, answer)| answer.name == property).expect("the property is there");
            assert_eq!(found.1.value(), value, "{name}: {property}: {:?}", found.1.reasons());
            if value == Belnap::True {
                assert_eq!(refused(&path, &certificate(&file, found)), None, "{name}: {property}");
            }
        }
    }
}

#[test]
fn the_numbers_that_fall_are_told() {
    for (name, ranking) in [("countdown", &["x"][..]), ("nested", &["(outer, inner)"]), ("lock", &[])] {
        assert_eq!(abstracted(&corpus("ends", name).1, true)[0].1.ranking(), ranking, "{name}");
    }
}

/// The text with one thing changed, and that it was there.
fn changed(text: &str, from: &str, to: &str) -> String {
    assert!(text.contains(from), "{from} is not in\n{text}");
    text.replacen(from, to, 1)
}

#[test]
fn changed_certificates_are_refused() {
    let (path, file) = corpus("ends", "countdown");
    let answers = abstracted(&file, true);
    let text = certificate(&file, &answers[0]);
    assert_eq!(refused(&path, &text), None);
    // Another number; a number that is none; none at all; steps that do not make it smaller.
    for other in ["0", "(- x)", "(- 7 x)", "(+ x 1 )", "true", "y"] {
        let wrong = changed(&text, "\"terms\":[\"x\"]", &format!("\"terms\":[\"{other}\"]"));
        assert!(refused(&path, &wrong).is_some() || other == "(+ x 1 )", "{other}");
    }
    assert!(refused(&path, &changed(&text, "\"terms\":[\"x\"]", "\"terms\":[]")).is_some());
    let swapped = changed(&changed(&text, "\"decreasing\":", "\"other\":"), "\"non_increasing\":", "\"decreasing\":");
    assert!(refused(&path, &changed(&swapped, "\"other\":", "\"non_increasing\":")).is_some());
    // What shows that all runs do something shows nothing else.
    assert!(refused(&path, &changed(&text, "\"value\": \"true\"", "\"value\": \"false\"")).is_some());

    let (path, file) = corpus("ends", "lock");
    let answers = abstracted(&file, true);
    let text = certificate(&file, &answers[0]);
    assert_eq!(refused(&path, &text), None);
    let list = text.find("\"strong\": [").expect("it counts on strong fairness");
    let (head, tail) = text.split_at(list);
    for other in ["\"strong\": []", "\"strong\": [1]", "\"strong\": [9]"] {
        let end = tail.find(']').expect("the list ends") + 1;
        assert!(refused(&path, &format!("{head}{other}{}", &tail[end..])).is_some(), "{other}");
    }
}

/// A run that goes wrong ends; it must not be left out because nothing happens again and again on it.
#[test]
fn runs_that_end_break_what_they_break() {
    let text = "system ends\nvar x : int = 5\nprocess P { while x > 0 { x := x - 1; assert x != 3 } done: skip }\n\
                property zero : ltl F (x = 0)\nproperty done : ltl F P@done\n";
    let path = folder("ranked_ends").join("ends.gcl");
    let file = stored(&path, text);
    let asked = questions(&file, &[], false).expect("no names are asked for");
    for deadlock in [None, Some(Deadlock::Maximal), Some(Deadlock::Mu)] {
        let options = CheckOptions { deadlock, ..CheckOptions::default() };
        let how = AbstractionOptions::default();
        let found = refinement_loop::check(&file, &asked, &options, &how, 4, &Budget::unlimited(), &())
            .expect("it can be done");
        let run = check(&file, &asked, &options, &Budget::unlimited(), &()).expect("it can be run");
        for (answer, run) in found.answers.iter().zip(&run.answers) {
            let definite = matches!(answer.value(), Belnap::True | Belnap::False);
            assert!(!definite || answer.value() == run.value(), "{deadlock:?}: {}", run.name);
        }
    }
}

/// A program whose integers have no bounds by their types, but few values all the same.
fn random_text(rng: &mut Rng) -> String {
    let mut text = "system random\nvar x : int\nvar y : int\ninit 0 <= x && x <= 2 && 0 <= y && y <= 2\n".to_owned();
    let processes = 1 + rng.below(2);
    for process in 0..processes {
        text.push_str(&format!("process P{process} {{ loop {{ choose {{ p{process}: "));
        for at in 0..1 + rng.below(3) {
            text.push_str(if at == 0 { "" } else { "} or { " });
            let guard = ["x > 0", "y > 0", "x != y", "x < y", "x > y", "y = 0", "x >= 1 && y <= 2"][rng.below(7)];
            let change = ["x := x - 1", "y := y - 1", "x, y := x - 1, 2", "x, y := y, x", "x, y := 0, y - 1", "y := 2"];
            let change = change[rng.below(change.len())];
            text.push_str(&format!("when {guard} && x >= -1 && y >= -1 do {change} "));
        }
        text.push_str("} } }\n");
    }
    if rng.chance(40) {
        text.push_str("process Idle { loop { idle: skip } }\n");
    }
    for process in 0..processes {
        text.push_str(&["", "fair P#\n", "strong fair P#\n"][rng.below(3)].replace('#', &process.to_string()));
    }
    text.push_str(
        "property a : ltl F (x <= 0)\nproperty b : ltl F (x <= 0 && y <= 0)\nproperty c : ltl G F (y <= 1)\n",
    );
    text.push_str(
        "property d : ltl F G (x < 2)\nproperty e : ltl G (x > 0 -> F (x = 0))\nproperty f : ltl X F (y != x)\n",
    );
    text
}

#[test]
fn random_programs_do_what_running_them_shows() {
    let folder = folder("ranked_random");
    let (ranked, definite) = (std::cell::Cell::new(0), std::cell::Cell::new(0));
    for_random_cases(12, |case| {
        let text = random_text(&mut case.rng);
        case.keep("program.gcl", &text);
        let path = folder.join("random.gcl");
        let file = stored(&path, &text);
        let answers = abstracted(&file, case.rng.chance(50));
        let asked: Vec<Question> = answers.iter().map(|(question, _)| question.clone()).collect();
        let run = check(&file, &asked, &CheckOptions::default(), &Budget::unlimited(), &()).expect("it can be run");
        for (answer, run) in answers.iter().zip(&run.answers) {
            if !matches!(answer.1.value(), Belnap::True | Belnap::False) {
                continue;
            }
            definite.set(definite.get() + 1);
            assert_eq!(answer.1.value(), run.value(), "{}\n{text}", run.name);
            if !answer.1.ranking().is_empty() {
                ranked.set(ranked.get() + 1);
                assert_eq!(refused(&path, &certificate(&file, answer)), None, "{}\n{text}", run.name);
            }
        }
    });
    assert!(definite.get() > 20 && ranked.get() > 1, "{} definite, {} by numbers", definite.get(), ranked.get());
}
