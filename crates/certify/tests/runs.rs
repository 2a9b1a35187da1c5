//! Runs and lassos are certified against the property, the fairness and the deadlocks that they claim to show.

use std::cell::Cell;

use tertium_base::Budget;
use tertium_driver::program::questions::{Question, questions};
use tertium_driver::program::{CheckOptions, ProgramAnswer, ProgramFile, check, from_text, itf, promela};
use tertium_driver::{Belnap, Logic};
use tertium_kernel::programs::certify_run;
use tertium_kernel::{Finding, Request};
use tertium_testkit::{ProgramShape, for_random_cases, random_program};

fn gcl(text: &str) -> ProgramFile {
    from_text("runs.gcl", text.to_owned(), &[], None).unwrap_or_else(|failure| panic!("{failure:?}\n{text}"))
}

fn pml(text: &str) -> ProgramFile {
    promela::from_text("runs.pml", text, &[], None, &[], &[]).unwrap_or_else(|failure| panic!("{failure:?}\n{text}"))
}

fn answered(file: &ProgramFile, options: &CheckOptions) -> Vec<(Question, ProgramAnswer)> {
    let asked = questions(file, &[], false).expect("no names are asked for");
    let outcome = check(file, &asked, options, &Budget::unlimited(), &()).expect("it can be checked");
    asked.into_iter().zip(outcome.answers).collect()
}

fn certified(file: &ProgramFile, text: &str, name: &str, fair: bool) -> Finding {
    let request = Request { only: vec![name.to_owned()], fair, ..Request::default() };
    let found = certify_run(file, text, &request, &Budget::unlimited()).unwrap_or_else(|why| panic!("{why:?}\n{text}"));
    found.into_iter().find(|finding| finding.name == name).expect("the question is asked")
}

/// Whether one run can show the answer: what branches rests on others, too, and what watches runs is not certified.
fn run_decides(question: &Question) -> bool {
    match question {
        Question::Property(asked) => asked.invariant.is_some() || asked.formula.logic() == Logic::Ltl,
        Question::Never(_) => true,
        Question::Watched(_) => false,
    }
}

/// Certifies every run that is told; how many there were.
fn all_certified(file: &ProgramFile, options: &CheckOptions) -> usize {
    let mut count = 0;
    for (question, answer) in answered(file, options) {
        let Some(run) = answer.run().filter(|_| answer.repeats().is_none()) else { continue };
        if !run_decides(&question) {
            continue;
        }
        let text = itf::document(file, run, None, None);
        let finding = certified(file, &text, &answer.name, options.fair);
        let value = if answer.value() == Belnap::True { "true" } else { "false" };
        assert!(finding.is_proved() && finding.value == value, "{finding:?}\n{}\n{text}", file.source.text);
        count += 1;
    }
    count
}

const LIGHT: &str = "system light
var on : bool = false
var x : 0..3 = 0
process A { loop { on := !on; } }
process B { loop { when x < 3 do x := x + 1; } }
fair B
property goes_on : ltl F on
property ends : ltl F x = 3
property small : ltl G x < 2
property again : ltl G F on
property reached : ctl EF x = 3
property never : ctl AG !on
";

#[test]
fn what_a_run_shows_is_proved() {
    assert!(all_certified(&gcl(LIGHT), &CheckOptions::default()) >= 3);
    let wrong = "system wrong\nvar x : 0..3 = 0\nprocess P { x := 2; assert x = 1; }\nprocess Q { await x = 9; }\n";
    assert!(all_certified(&gcl(wrong), &CheckOptions::default()) >= 1);
    let model = "byte x; bool b;\nactive proctype A() { do :: x < 3 -> x++ :: b = !b od }\nactive proctype C() { b }\nltl p { [] (x < 2) }\nltl q { <> (x == 3) }\nltl r { [] <> b }\n";
    for fair in [false, true] {
        let options = CheckOptions { fair, ..CheckOptions::default() };
        assert!(all_certified(&pml(model), &options) >= 1, "fair: {fair}");
    }
}

#[test]
fn a_loop_that_is_not_fair_shows_nothing() {
    let file = gcl(LIGHT);
    // A alone goes round; B, which is treated fairly, could step.
    let states = |on: bool| format!("{{\"on\": {on}, \"x\": {{\"#bigint\": \"0\"}}, \"A@\": \"#0\", \"B@\": \"#0\"}}");
    let text = format!("{{\"states\": [{}, {}], \"loop\": 0}}", states(false), states(true));
    let unfair = certified(&file, &text, "ends", false);
    assert!(unfair.refusal().is_some_and(|why| why.contains("not fair")), "{unfair:?}");
    let file = gcl(&LIGHT.replace("fair B\n", ""));
    assert!(certified(&file, &text, "ends", false).is_proved());
    assert!(!certified(&file, &text, "ends", true).is_proved(), "nobody is left out by `--fair`");
    assert!(!certified(&file, &text, "goes_on", false).is_proved(), "the light goes on");
    assert!(!certified(&file, &text, "small", false).is_proved(), "x stays 0");
}

#[test]
fn what_is_no_run_shows_nothing() {
    let file = gcl(LIGHT);
    let state =
        |on: bool, x: u32| format!("{{\"on\": {on}, \"x\": {{\"#bigint\": \"{x}\"}}, \"A@\": \"#0\", \"B@\": \"#0\"}}");
    let run = |states: &[String]| format!("{{\"states\": [{}]}}", states.join(", "));
    let small = |states: &[String]| certified(&file, &run(states), "small", false);
    assert!(small(&[state(false, 0), state(false, 1), state(false, 2)]).is_proved());
    assert!(!small(&[state(false, 2)]).is_proved(), "not an initial state");
    assert!(!small(&[state(false, 0), state(false, 2)]).is_proved(), "no step does this");
    assert!(!small(&[state(false, 0), state(false, 1)]).is_proved(), "it ends too early");
    assert!(!small(&[state(false, 0), state(false, 0), state(false, 1), state(false, 2)]).is_proved(), "nothing rests");
    let stays = certified(&file, &format!("{{\"states\": [{}], \"loop\": 0}}", state(false, 0)), "goes_on", false);
    assert!(!stays.is_proved(), "somebody can step");
}

/// Runs of random programs are proved; runs that were changed prove only what is so.
#[test]
#[allow(clippy::print_stderr, reason = "how much was compared")]
fn random_runs() {
    let shape = ProgramShape::default();
    let count = Cell::new((0, 0, 0));
    let add = |runs: usize, changed: usize, proved: usize| {
        let (a, b, c) = count.get();
        count.set((a + runs, b + changed, c + proved));
    };
    for_random_cases(60, |case| {
        let mut text = random_program(&mut case.rng, &shape);
        text.push_str("\nproperty never_two : ltl G !(P0@here && P1@here)\nproperty again : ltl G F P0@here\n");
        case.keep("program.gcl", &text);
        let Ok(file) = from_text("random.gcl", text.clone(), &[], None) else { return };
        let options = CheckOptions { look_for_idle: false, max_states: Some(3000), ..CheckOptions::default() };
        let answers = answered(&file, &options);
        for (question, answer) in &answers {
            let Some(run) = answer.run().filter(|_| answer.repeats().is_none()) else { continue };
            if !run_decides(question) {
                continue;
            }
            let stored = itf::document(&file, run, None, None);
            let finding = certified(&file, &stored, &answer.name, false);
            assert!(finding.is_proved(), "{finding:?}\n{text}\n{stored}");
            add(1, 0, 0);
            let mut changed: serde_json::Value = serde_json::from_str(&stored).expect("it was just written");
            let states = changed["states"].as_array_mut().expect("a list");
            let at = case.rng.below(states.len());
            match case.rng.below(4) {
                0 => drop(states.remove(at)),
                1 => states.insert(at, states[at].clone()),
                2 => states.truncate(at + 1),
                _ => changed["loop"] = serde_json::json!(at),
            }
            let changed = changed.to_string();
            for (_, other) in &answers {
                let request = Request { only: vec![other.name.clone()], ..Request::default() };
                let Ok(found) = certify_run(&file, &changed, &request, &Budget::unlimited()) else { continue };
                for finding in found.iter().filter(|finding| finding.is_proved()) {
                    let truth = if other.value() == Belnap::True { "true" } else { "false" };
                    let known = matches!(other.value(), Belnap::True | Belnap::False);
                    assert!(!known || finding.value == truth, "{finding:?}\n{text}\n{changed}");
                    add(0, 0, 1);
                }
                add(0, 1, 0);
            }
        }
    });
    let (runs, changed, proved) = count.get();
    eprintln!("{runs} runs proved; {changed} questions to changed ones, {proved} of them proved, and so");
    assert!(runs > 20, "{runs}");
}
