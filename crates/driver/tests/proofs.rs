//! Whatever is true of a program has a certificate that is accepted, and what is changed in it is noticed.

use std::path::PathBuf;

use tertium_base::Budget;
use tertium_certify::{Decider, Request, findings};
use tertium_driver::Belnap;
use tertium_driver::program::proof::{Written, certificate, certificate_of};
use tertium_driver::program::questions::{Question, questions};
use tertium_driver::program::{CheckOptions, ProgramAnswer, ProgramFile, check, load};
use tertium_driver::strategy::{self, Approach, ProgramQuery, Wishes};
use tertium_testkit::{ProgramShape, for_random_cases, random_program};

const ASKED: &str = "
property never : ltl G !home
property comes : ltl F home
property comes_back : ltl G F home
property possible : ctl EF home
property always_possible : ctl AG EF home
property somewhere : mu mu X. home || <> X
";

/// A place for the files of one test.
fn folder(name: &str) -> PathBuf {
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(name);
    std::fs::create_dir_all(&folder).expect("a folder can be made");
    folder
}

fn answered(file: &ProgramFile) -> Vec<(Question, ProgramAnswer)> {
    let options = CheckOptions { look_for_idle: false, ..CheckOptions::default() };
    let asked = questions(file, &[], false).expect("no names are asked for");
    let outcome = check(file, &asked, &options, &Budget::unlimited(), &()).expect("it can be checked");
    asked.into_iter().zip(outcome.answers).collect()
}

fn written(file: &ProgramFile, question: &Question) -> Written {
    certificate(file, question, &CheckOptions::default(), &Budget::unlimited()).expect("nothing limits the proof")
}

fn accepted(program: &std::path::Path, text: &str) -> bool {
    let path = program.with_extension("cert.json");
    std::fs::write(&path, text).expect("a file can be written");
    match findings((program, &path), &Request::default(), &Decider::default(), &Budget::unlimited()) {
        Ok(outcomes) => !outcomes.is_empty() && outcomes.iter().all(|outcome| outcome.is_proved()),
        Err(_) => false,
    }
}

/// Certifies everything that is true; how many certificates there were.
fn all_accepted(program: &std::path::Path) -> usize {
    let file = load(program, &[], None, &[]).unwrap_or_else(|failure| panic!("{failure:?}"));
    let mut count = 0;
    for (question, answer) in answered(&file) {
        if answer.value() != Belnap::True || answer.is_vacuous() {
            continue;
        }
        if let Written::Certificate(text) = written(&file, &question) {
            assert!(accepted(program, &text), "{}\n{}\n{text}", answer.name, file.source.text);
            count += 1;
        }
    }
    count
}

#[test]
fn random_programs_have_certificates_for_what_is_true() {
    let folder = folder("random_proofs");
    let count = std::cell::Cell::new(0);
    for_random_cases(60, |case| {
        let mut text = random_program(&mut case.rng, &ProgramShape::default());
        let member = if text.contains("process P0[") { "[1]" } else { "" };
        text.push_str(&format!("predicate home : P0{member}@here\n"));
        text.push_str(if case.rng.below(2) == 0 { "" } else { "fair P0\n" });
        text.push_str(ASKED);
        case.keep("program.gcl", text.clone());
        let path = folder.join("random.gcl");
        std::fs::write(&path, &text).expect("a file can be written");
        let Ok(file) = load(&path, &[], None, &[]) else { panic!("it does not compile\n{text}") };
        let Ok(counts) = small(&file) else { return };
        if counts {
            count.set(count.get() + all_accepted(&path));
        }
    });
    assert!(count.get() > 60, "only {} certificates were made", count.get());
}

/// Whether the program has few states.
fn small(file: &ProgramFile) -> Result<bool, ()> {
    let options = CheckOptions { look_for_idle: false, max_states: Some(2000), ..CheckOptions::default() };
    let asked = questions(file, &[], false).map_err(|_| ())?;
    let outcome = check(file, &asked, &options, &Budget::unlimited(), &()).map_err(|_| ())?;
    Ok(outcome.answers.iter().all(|answer| answer.cost.states < 2000))
}

#[test]
fn bounded_examples_have_certificates() {
    let corpus = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../corpus/gcl/bounded");
    let folder = folder("bounded_proofs");
    let mut count = 0;
    for name in ["bakery_a", "bakery_c", "mutex_flags", "parity_c3", "spotlight_loop"] {
        let copy = folder.join(format!("{name}.gcl"));
        std::fs::copy(corpus.join(format!("{name}.gcl")), &copy).expect("the corpus is there");
        count += all_accepted(&copy);
    }
    assert!(count >= 5, "only {count}");
}

const LIGHT: &str = "system light
var on : bool = false
process Switch { loop { press: on := !on; } }
property toggles : ltl G F on
property never_both : ltl G (on || !on)
";

#[test]
fn what_is_changed_is_noticed() {
    let folder = folder("tampered_proofs");
    let program = folder.join("light.gcl");
    std::fs::write(&program, LIGHT).expect("a file can be written");
    let file = load(&program, &[], None, &[]).expect("it compiles");
    let texts: Vec<String> = answered(&file)
        .iter()
        .map(|(question, answer)| {
            assert_eq!(answer.value(), Belnap::True, "{}", answer.name);
            match written(&file, question) {
                Written::Certificate(text) => text,
                other => panic!("{other:?}"),
            }
        })
        .collect();
    let toggles = &texts[0];
    assert!(accepted(&program, toggles));
    for (from, to) in [
        ("\"value\": \"true\"", "\"value\": \"false\""),
        ("\"text\": \"G F on\"", "\"text\": \"F G on\""),
        ("\"formula\": \"G F on\"", "\"formula\": \"F G on\""),
        ("\"stutter\": true", "\"stutter\": false"),
        ("\"state\": \"0\"", "\"state\": \"1\""),
    ] {
        let tampered = toggles.replacen(from, to, 1);
        assert_ne!(&tampered, toggles, "{from}");
        assert!(!accepted(&program, &tampered), "{from} became {to}");
    }
    let both = toggles.replace("\"G F on\"", "\"F G on\"");
    assert!(!accepted(&program, &both), "another formula that is false");
    std::fs::write(&program, LIGHT.replace("on := !on", "on := false")).expect("a file can be written");
    assert!(!accepted(&program, toggles), "another program");
}

#[test]
fn mistakes_that_happen_have_no_certificate() {
    let folder = folder("mistaken_proofs");
    let program = folder.join("stuck.gcl");
    let fine = "system stuck\nvar x : 0..3 = 0\nprocess P { loop { await x < 2; x := x + 0; } }\n";
    std::fs::write(&program, fine).expect("a file can be written");
    let file = load(&program, &[], None, &[]).expect("it compiles");
    let (question, answer) = answered(&file).remove(0);
    assert_eq!((answer.name.as_str(), answer.value()), ("deadlocks", Belnap::True));
    let Written::Certificate(text) = written(&file, &question) else { panic!("no certificate") };
    assert!(accepted(&program, &text));
    // The same proof for a program that gets stuck.
    std::fs::write(&program, fine.replace("x + 0", "x + 1")).expect("a file can be written");
    assert!(!accepted(&program, &text));
}

const GAMES: &str = "
property one : atl <<P0>> F n = 1
property both : atl <<P0, scheduler>> G (n < 2)
property cannot : atl [[P0]] F b
property always : atl <<>> G (n < 2 || <<scheduler>> F b)
property often : atl* <<scheduler>> (G F b -> G F (n = 0))
property next : atl* <<P0>> X X (n = 1 || b)
";

/// What players of random programs can enforce, or cannot, has a certificate; before another program it proves only what is so there.
#[test]
fn strategies_in_random_programs_are_certificates() {
    let folder = folder("random_games");
    let (shown, refused) = (std::cell::Cell::new(0), std::cell::Cell::new(0));
    let last: std::cell::RefCell<Vec<(String, Belnap, String)>> = std::cell::RefCell::default();
    for_random_cases(40, |case| {
        let shape = ProgramShape { processes: 1..=2, variables: 1..=2, statements: 1..=3, ..ProgramShape::default() };
        let mut text = random_program(&mut case.rng, &shape);
        if text.contains("process P0[") {
            return;
        }
        text.push_str(["", "fair P0\n", "strong fair P0\n"][case.rng.below(3)]);
        text.push_str(GAMES);
        case.keep("program.gcl", text.clone());
        let path = folder.join("random.gcl");
        std::fs::write(&path, &text).expect("a file can be written");
        let file = load(&path, &[], None, &[]).unwrap_or_else(|failure| panic!("{failure:?}\n{text}"));
        let asked: Vec<Question> = questions(&file, &[], false).expect("no names are asked for");
        let asked: Vec<Question> = asked
            .into_iter()
            .filter(|one| matches!(one, Question::Property(asked) if asked.formula.logic().is_strategic()))
            .collect();
        let wishes = Wishes { approach: Approach::NoAbstraction, ..Wishes::default() };
        let query = ProgramQuery { file: &file, questions: &asked, wishes: &wishes };
        let answers = strategy::decide(&query, &Budget::unlimited(), &()).expect("it can be played").answers;
        // Proofs about the program before this one.
        for (name, value, certificate) in last.borrow_mut().drain(..) {
            let now = answers.iter().find(|answer| answer.name == name).expect("it is asked of both").value();
            let accepted = accepted(&path, &certificate);
            assert!(!accepted || now == value, "{name} is {now}, and a proof of {value} is accepted\n{text}");
            refused.set(refused.get() + usize::from(!accepted));
        }
        for (question, answer) in asked.iter().zip(&answers) {
            if answer.value() == Belnap::Unknown {
                continue;
            }
            let options = CheckOptions::default();
            let written = certificate_of(&file, question, answer, &options, &Budget::unlimited()).expect("no limit");
            match written {
                Written::Certificate(certificate) => {
                    assert!(
                        accepted(&path, &certificate),
                        "{} is {}\n{text}\n{certificate}",
                        answer.name,
                        answer.value()
                    );
                    let other = if answer.value() == Belnap::True { "false" } else { "true" };
                    let turned = certificate.replace(
                        &format!("\"value\": \"{}\"", answer.value().word()),
                        &format!("\"value\": \"{other}\""),
                    );
                    assert!(turned != certificate && !accepted(&path, &turned), "{} turned round\n{text}", answer.name);
                    last.borrow_mut().push((answer.name.clone(), answer.value(), certificate));
                    shown.set(shown.get() + 1);
                }
                // Coalitions inside a formula whose automaton is large, by strong fairness, have no strategies that are written.
                other => assert!(answer.is_vacuous() || text.contains("strong"), "{}: {other:?}\n{text}", answer.name),
            }
        }
    });
    assert!(shown.get() > 60 && refused.get() > 10, "{} {}", shown.get(), refused.get());
}
