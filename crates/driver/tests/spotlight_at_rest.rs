//! A spotlight whose shade is at rest first: what is then false is false of the program, with many processes in the shade, dead ends, mistakes,
//! fairness and unknown initial values; and programs that only this, or the guards of the shade, decide.

use tertium_base::Budget;
use tertium_driver::program::predicate_abstraction::AbstractionOptions;
use tertium_driver::program::proof::{Written, certificate_of};
use tertium_driver::program::questions::{Question, questions};
use tertium_driver::program::spotlight::{self, Parameters, SpotlightOptions};
use tertium_driver::program::{CheckOptions, ProgramAnswer, ProgramFile, check, from_text};
use tertium_driver::{Belnap, Failure};
use tertium_program::ProcessId;
use tertium_testkit::{ProgramShape, Rng, for_random_cases, random_program};

fn loaded(text: &str) -> ProgramFile {
    from_text("test.gcl", text.to_owned(), &[], None).unwrap_or_else(|failure| panic!("{failure:?}\n{text}"))
}

fn asked(file: &ProgramFile) -> Vec<Question> {
    let all = questions(file, &[], false).expect("no names are asked for");
    all.into_iter().filter(|question| matches!(question, Question::Property(_))).collect()
}

fn lit(file: &ProgramFile, names: &[&str]) -> Vec<ProcessId> {
    let processes = file.program.process_ids();
    processes.filter(|&process| names.contains(&file.program.process(process).name.as_str())).collect()
}

fn spot(file: &ProgramFile, options: &CheckOptions, how: &SpotlightOptions) -> Result<Vec<ProgramAnswer>, Failure> {
    let abstraction = AbstractionOptions::default();
    spotlight::check(file, &asked(file), options, &abstraction, how, &Budget::unlimited(), &())
        .map(|outcome| outcome.answers)
}

/// What the engines for structures say of the program's own graph; none if it is too large.
fn run(file: &ProgramFile, options: &CheckOptions) -> Option<Vec<ProgramAnswer>> {
    let options = CheckOptions { max_states: Some(20_000), look_for_idle: false, ..options.clone() };
    let answers = check(file, &asked(file), &options, &Budget::unlimited(), &());
    Some(answers.unwrap_or_else(|failure| panic!("{failure:?}")).answers)
}

/// Statements that wait, end, choose and look at what others write.
fn body(rng: &mut Rng, depth: usize) -> String {
    let mut text = String::new();
    for _ in 0..1 + rng.below(3) {
        let condition = *rng.pick(&["x = 0", "y > x", "b", "!b", "y = 2", "x < 2", "e"]);
        match rng.below(if depth == 0 { 4 } else { 7 }) {
            0 => text.push_str("x := (x + 1) mod 3; "),
            1 => text.push_str(rng.pick::<&str>(&["b := !b; ", "b := e; ", "y := x; ", "y := 2 - y; ", "e := b; "])),
            2 => text.push_str(&format!("await {condition}; ")),
            3 => text.push_str(rng.pick::<&str>(&[
                "skip; ",
                "y := 2 div x; ",
                "assert x < 2; ",
                "x := *; ",
                "x, y := y, x; ",
            ])),
            4 => text.push_str(&format!("when {condition} do x := {}; ", rng.below(3))),
            5 => {
                let (one, other) = (body(rng, depth - 1), body(rng, depth - 1));
                text.push_str(&format!("if {condition} {{ {one}}} else {{ {other}}} "));
            }
            _ => text.push_str(&format!("while {condition} {{ {}}} ", body(rng, depth - 1))),
        }
    }
    text
}

fn crowd(rng: &mut Rng) -> String {
    let mut text = "system crowd\n".to_owned();
    for (name, ty) in [("x", "0..2"), ("y", "0..2"), ("b", "bool"), ("e", "bool")] {
        let initial =
            if ty == "bool" { *rng.pick(&["", " = false", " = true"]) } else { *rng.pick(&["", " = 0", " = 1"]) };
        text.push_str(&format!("var {name} : {ty}{initial}\n"));
    }
    let processes = 2 + rng.below(3);
    for process in 0..processes {
        let inner = body(rng, 1);
        let inner = if rng.chance(70) { format!("loop {{ here: {inner}}}") } else { format!("here: {inner}") };
        text.push_str(&format!("process P{process} {{ {inner} }}\n"));
        if rng.chance(30) {
            text.push_str(&format!("{}fair P{process}\n", rng.pick(&["", "", "strong "])));
        }
    }
    for (at, formula) in [
        "G F P0@here",
        "G F b",
        "F G (x = 0)",
        "G (b -> F (y = 0))",
        "F deadlock",
        "G !deadlock",
        "G (deadlock -> b)",
        "X X b",
        "(x = 0) U (b || y = 2)",
        "G !(b && x = 1)",
        "F (P0@here && P1@here)",
    ]
    .iter()
    .enumerate()
    {
        text.push_str(&format!("property f{at} : ltl {formula}\n"));
    }
    text
}

fn chosen(rng: &mut Rng, file: &ProgramFile) -> SpotlightOptions {
    let processes: Vec<ProcessId> = file.program.process_ids().collect();
    SpotlightOptions {
        processes: rng.chance(70).then(|| vec![*rng.pick(&processes)]),
        parameters: *rng.pick(&[Parameters::On, Parameters::On, Parameters::Off]),
        rounds: 1 + rng.below(6),
        most_processes: 1 + rng.below(3),
    }
}

#[test]
fn crowds_have_the_values_that_running_them_finds() {
    let (wrong, right) = (std::cell::Cell::new(0), std::cell::Cell::new(0));
    for_random_cases(20, |case| {
        let shape = ProgramShape { processes: 2..=4, variables: 0..=1, statements: 1..=2, ..ProgramShape::default() };
        let mut text = crowd(&mut case.rng);
        if case.rng.chance(25) {
            text = random_program(&mut case.rng, &shape);
            text.push_str(
                "property f0 : ltl G F b\nproperty f1 : ltl F deadlock\nproperty f2 : ltl G (n = 0 -> X X b)\n",
            );
        }
        case.keep("program.gcl", &text);
        let file = loaded(&text);
        let options = CheckOptions { fair: case.rng.chance(15), ..CheckOptions::default() };
        let Some(truth) = run(&file, &options) else { return };
        let how = chosen(&mut case.rng, &file);
        case.keep("how.txt", format!("{how:?} fair: {}", options.fair));
        let found = match spot(&file, &options, &how) {
            Ok(found) => found,
            // Blocks with loops have no terms.
            Err(Failure::Input(_)) => return,
            Err(failure) => panic!("{failure:?}"),
        };
        for ((answer, expected), question) in found.iter().zip(&truth).zip(asked(&file)) {
            if !matches!(answer.value(), Belnap::True | Belnap::False) {
                continue;
            }
            if matches!(expected.value(), Belnap::True | Belnap::False) {
                assert_eq!(answer.value(), expected.value(), "{} with {how:?}: {:#?}", answer.name, answer.rounds);
            }
            let count = if answer.value() == Belnap::True { &right } else { &wrong };
            count.set(count.get() + 1);
            // What is written was accepted by the independent checker.
            certificate_of(&file, &question, answer, &options, &Budget::unlimited())
                .unwrap_or_else(|failure| panic!("{}: {failure:?}", answer.name));
        }
    });
    assert!(wrong.get() > 10 && right.get() > 10, "{} false, {} true", wrong.get(), right.get());
}

fn corpus(name: &str) -> ProgramFile {
    let path = tertium_testkit::corpus::folder().join("gcl").join(name);
    loaded(&std::fs::read_to_string(path).expect("the corpus is there"))
}

/// What only the guards tell: whether a process that is treated fairly can step.
#[test]
fn guards_are_looked_at_where_a_fair_process_may_rest() {
    let file = corpus("spotlight/hog.gcl");
    let how = SpotlightOptions { processes: Some(lit(&file, &["P1"])), ..SpotlightOptions::default() };
    let found = spot(&file, &CheckOptions::default(), &how).unwrap();
    assert_eq!(found.iter().map(ProgramAnswer::value).collect::<Vec<_>>(), [Belnap::False, Belnap::True]);
}

/// One process overtakes another for ever, whatever the other 23 do: two of them are enough to see it.
#[test]
fn starvation_takes_two_processes_of_twenty_five() {
    let file = corpus("spotlight/starvation25.gcl");
    let found = spot(&file, &CheckOptions::default(), &SpotlightOptions::default()).unwrap();
    assert_eq!(found[0].value(), Belnap::False);
    assert_eq!(found[0].spotlight.as_ref().map(Vec::len), Some(2));
    assert!(found[0].cost.states < 2_000, "{} states", found[0].cost.states);
    assert!(found[0].run().is_some_and(|run| run.loop_start.is_some()));
}

/// Who holds what is known at locations: one process is enough for what it holds, and that not all wait at the same time needs none.
#[test]
fn what_one_of_twenty_five_holds_takes_one_process() {
    let path = tertium_testkit::corpus::folder().join("gcl/spotlight/starvation25.gcl");
    let text = std::fs::read_to_string(path).expect("the corpus is there");
    let text = text.lines().filter(|line| !line.starts_with("property")).map(|line| format!("{line}\n"));
    let text = text.collect::<String>()
        + "property stays : ltl G (busy1 -> r[2] = 1)\nproperty taken : ltl G !(P1@work && r[2] = 0)\n";
    let file = loaded(&text);
    let options = CheckOptions::default();
    let budget = Budget::unlimited();
    for question in questions(&file, &[], false).expect("no names are asked for") {
        let asked = std::slice::from_ref(&question);
        let how = SpotlightOptions::default();
        let abstraction = AbstractionOptions::default();
        let found = spotlight::check(&file, asked, &options, &abstraction, &how, &budget, &());
        let answer = found.unwrap_or_else(|failure| panic!("{failure:?}")).answers.remove(0);
        assert_eq!(answer.value(), Belnap::True, "{}: {:?}", answer.name, answer.reasons());
        assert!(answer.cost.states < 500, "{}: {} states", answer.name, answer.cost.states);
    }
}

/// The same of three processes, with what it rests on.
#[test]
fn what_locations_tell_is_certified() {
    let process = |number: usize| {
        format!(
            "process P{number} {{ loop {{ t1: when r[1] = 0 do r[1] := {number}; t2: when r[2] = 0 do r[2] := {number}; work: skip; \
             f1: r[1] := 0; f2: r[2] := 0; }} }}\n"
        )
    };
    let all: String = (1..=3).map(process).collect();
    let file = loaded(&format!(
        "system hold\nvar r : array[1..2] of 0..3 = 0\nvar n : int = 0\n{all}process C {{ loop {{ n := n + 1; await n < 0; }} }}\n\
         property stays : ltl G (P1@work -> r[2] = 1)\n"
    ));
    let (options, budget) = (CheckOptions::default(), Budget::unlimited());
    for question in questions(&file, &[], false).expect("no names are asked for") {
        let (how, abstraction) = (SpotlightOptions::default(), AbstractionOptions::default());
        let asked = std::slice::from_ref(&question);
        let found = spotlight::check(&file, asked, &options, &abstraction, &how, &budget, &());
        let answer = found.unwrap_or_else(|failure| panic!("{failure:?}")).answers.remove(0);
        assert_eq!(answer.value(), Belnap::True, "{}: {:?}", answer.name, answer.reasons());
        let written = certificate_of(&file, &question, &answer, &options, &budget);
        let written = written.unwrap_or_else(|failure| panic!("{}: {failure:?}", answer.name));
        assert!(matches!(written, Written::WithObligations { .. }), "{}: {written:?}", answer.name);
    }
}
