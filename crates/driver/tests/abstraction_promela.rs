//! What abstraction says of Promela models is what running them says: random models with assertions, blocks, alternatives
//! and channels, for all kinds of abstraction.

mod models;

use std::cell::Cell;

use tertium_base::Budget;
use tertium_driver::program::predicate_abstraction::{self, AbstractionKind, AbstractionOptions};
use tertium_driver::program::questions::questions;
use tertium_driver::program::{CheckOptions, ProgramAnswer, ProgramFile, check};
use tertium_driver::{Belnap, Failure};
use tertium_testkit::{Case, Rng, for_random_cases};

use self::models::promela;

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

/// How a model is made.
struct ModelFeatures {
    channels: bool,
    ends: bool,
}

const CONDITIONS: [&str; 7] = ["n == 1", "b", "n < 2", "!b", "m == n", "m > n", "m != 0"];
const OF_CHANNELS: [&str; 6] = ["len(c) == 1", "empty(c)", "nfull(c)", "nempty(d)", "full(d)", "len(c) > len(d)"];
const VALUES: [&str; 8] = ["n + 1", "m", "0", "2", "n - 1", "m + n", "(b -> 3 : m)", "n * 2"];

fn condition(rng: &mut Rng, shape: &ModelFeatures) -> &'static str {
    let some: &[&str] = if shape.channels && rng.chance(25) { &OF_CHANNELS } else { &CONDITIONS };
    let chosen = rng.below(some.len());
    some[chosen]
}

fn plain(rng: &mut Rng) -> String {
    match rng.below(5) {
        0 => format!("b = {}", rng.pick(&["!b", "0", "1", "n == m"])),
        1 => format!("m = {}", rng.pick(&VALUES)),
        2 => format!("assert({})", rng.pick(&CONDITIONS)),
        _ => format!("n = {}", rng.pick(&VALUES)),
    }
}

fn of_channel(rng: &mut Rng) -> String {
    let value = *rng.pick(&VALUES);
    match rng.below(11) {
        0 | 1 => format!("c ! {value}"),
        2 => "c ? n".to_owned(),
        3 => "c ? m".to_owned(),
        4 => format!("c ? {}", rng.below(3)),
        5 => format!("c ?? {}", rng.below(3)),
        6 => format!("c !! {value}"),
        7 => format!("d ! {value}, b"),
        8 => "d ? n, b".to_owned(),
        9 => "d ? eval(n), b".to_owned(),
        _ => "c ? <m>".to_owned(),
    }
}

fn statement(rng: &mut Rng, shape: &ModelFeatures, depth: usize) -> String {
    if shape.channels && rng.chance(45) {
        return of_channel(rng);
    }
    match rng.below(8) {
        0 => format!("({})", condition(rng, shape)),
        1 => format!("atomic {{ {} -> {}; {} }}", condition(rng, shape), plain(rng), plain(rng)),
        2 => format!("d_step {{ {}; {} }}", plain(rng), plain(rng)),
        3 | 4 if depth < 2 => {
            let (first, second) = (statement(rng, shape, depth + 1), statement(rng, shape, depth + 1));
            let other = if rng.chance(60) { "else" } else { condition(rng, shape) };
            format!("if :: {} -> {first} :: {other} -> {second} fi", condition(rng, shape))
        }
        _ => plain(rng),
    }
}

fn model(case: &mut Case, shape: &ModelFeatures) -> String {
    let mut text = "unsigned n : 2; unsigned m : 2; bit b;\n".to_owned();
    if shape.channels {
        let rng = &mut case.rng;
        text.push_str(&format!("chan c = [{}] of {{ byte }};\n", 1 + rng.below(2)));
        text.push_str("chan d = [1] of { byte, bit };\n");
    }
    for condition in case.rng.some_of(&CONDITIONS) {
        text.push_str(&format!("pred {condition}\n"));
    }
    for process in ["P", "Q"] {
        let count = 1 + case.rng.below(3);
        let body: Vec<String> = (0..count).map(|_| statement(&mut case.rng, shape, 0)).collect();
        let body = format!("l{process}: {}", body.join("; "));
        let body = if shape.ends && case.rng.chance(50) { body } else { format!("do :: {body} od") };
        text.push_str(&format!("active proctype {process}() {{ {body} }}\n"));
        if process == "P" && case.rng.chance(30) {
            break;
        }
    }
    text.push_str("ltl p1 { [] (n != 3) }\nltl p2 { <> (b) }\nltl p3 { [] (b -> <> (n == 0)) }\n");
    text.push_str("ltl p4 { [] (m < 2 || n < 2) }\nltl p5 { [] <> (m == n) }\n");
    if shape.channels {
        text.push_str("ltl p6 { [] (len(c) < 2) }\nltl p7 { <> (len(d) == 1) }\n");
    }
    case.keep("model.pml", &text);
    text
}

/// Definite answers, all answers, and models that could not be abstracted.
fn compare(case: &mut Case, shape: &ModelFeatures) -> (usize, usize, usize) {
    let text = model(case, shape);
    let file = promela(&text);
    let truth = concrete_answers(&file);
    let (mut definite, mut all) = (0, 0);
    for kind in AbstractionKind::ALL {
        case.keep("kind.txt", kind.name());
        let options = AbstractionOptions { kind, keep_small: case.rng.chance(50), ..AbstractionOptions::default() };
        let found = match abstract_answers(&file, &options) {
            Ok(found) => found,
            Err(Failure::Internal(what)) => panic!("{what}"),
            Err(_) => return (0, 0, 1),
        };
        for (answer, expected) in found.iter().zip(&truth) {
            assert_eq!(answer.name, expected.name);
            let known = |answer: &ProgramAnswer| matches!(answer.value(), Belnap::True | Belnap::False);
            all += 1;
            if known(answer) && known(expected) {
                definite += 1;
                assert_eq!(answer.value(), expected.value(), "{} ({kind:?})", answer.name);
            }
        }
    }
    (definite, all, 0)
}

fn sweep(cases: usize, shape: &ModelFeatures) {
    let totals = Cell::new((0, 0, 0, 0));
    for_random_cases(cases, |case| {
        let (found, before) = (compare(case, shape), totals.get());
        totals.set((before.0 + found.0, before.1 + found.1, before.2 + found.2, before.3 + 1));
    });
    let (definite, all, refused, models) = totals.get();
    assert!(refused * 2 < models, "{refused} of {models} models are refused");
    assert!(definite * 5 > all, "{definite} of {all} answers are definite");
}

#[test]
fn random_models_get_no_wrong_answer() {
    sweep(60, &ModelFeatures { channels: false, ends: false });
}

#[test]
fn random_models_that_end_get_no_wrong_answer() {
    sweep(40, &ModelFeatures { channels: false, ends: true });
}

#[test]
fn random_models_with_channels_get_no_wrong_answer() {
    sweep(60, &ModelFeatures { channels: true, ends: false });
    sweep(30, &ModelFeatures { channels: true, ends: true });
}

#[test]
fn runs_go_on_after_a_failed_assertion() {
    let text = "int x;\nactive proctype P() { x = 2; assert(x == 1);\ncrit: x = 3; do :: x < 4 -> x++ :: else od }\n\
                ltl p { [] !(P@crit) }\nltl q { [] (x < 4) }\n";
    let file = promela(text);
    for kind in AbstractionKind::ALL {
        let options = AbstractionOptions { kind, ..AbstractionOptions::default() };
        let found = abstract_answers(&file, &options).unwrap_or_else(|failure| panic!("{failure:?}"));
        for name in ["p", "q", "assertions"] {
            let answer = found.iter().find(|answer| answer.name == name).expect("the question");
            assert_ne!(answer.value(), Belnap::True, "{name} ({kind:?})");
        }
    }
}
