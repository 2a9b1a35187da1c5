//! Do several threads say the same as one, of properties about infinite runs?
//!
//! Random formulas of random Promela models and guarded commands, with schedulers that are fair or not, with everything and with what need not be looked at left out; and the
//! corpus. A run that is found has been repeated by the definition of a step, is fair and breaks its property, or the answer is an error.
//! `make test-scaling` runs many.

use std::cell::Cell;
use std::fmt::Write as _;
use std::path::PathBuf;

use tertium_base::Budget;
use tertium_driver::program::questions::questions;
use tertium_driver::program::{CheckOptions, Extras, ProgramFile, check};
use tertium_driver::{Belnap, ModelLanguage, ModelSource};
use tertium_testkit::spin::random_claim;
use tertium_testkit::{Case, Rng, for_random_cases, random_promela};

/// Larger state spaces are not compared.
const MOST: usize = 10_000;

/// Every answer, by name: its value, and whether it comes with a run.
fn answers(file: &ProgramFile, options: &CheckOptions) -> Vec<(String, Belnap, bool)> {
    let asked = questions(file, &[], false).expect("no names are asked for");
    let options = CheckOptions { max_states: Some(MOST), look_for_idle: false, ..options.clone() };
    let outcome = check(file, &asked, &options, &Budget::unlimited(), &());
    let outcome = outcome.unwrap_or_else(|failure| panic!("{options:?}: {failure:?}\n{}", file.source.text));
    let told = |answer: &tertium_driver::program::ProgramAnswer| {
        (answer.name.clone(), answer.value(), answer.run().is_some_and(|run| run.loop_start.is_some()))
    };
    outcome.answers.iter().map(told).collect()
}

/// Compares threads on one model; how many answers were compared, and how many of them are runs that go round for ever.
fn compare(file: &ProgramFile, fair: bool, threads: &[usize]) -> (usize, usize) {
    let plain = CheckOptions { reduction: false, fair, ..CheckOptions::default() };
    let expected = answers(file, &plain);
    let (mut compared, mut round) = (0, 0);
    for &threads in threads {
        for reduction in [true, false] {
            let found = answers(file, &CheckOptions { reduction, threads, ..plain.clone() });
            for ((name, value, goes_round), (_, known, _)) in found.iter().zip(&expected) {
                // A limit may leave one of them open.
                if *value == Belnap::Unknown || *known == Belnap::Unknown {
                    continue;
                }
                let text = &file.source.text;
                assert_eq!(value, known, "{name}, fair: {fair}, {threads} threads, left out: {reduction}\n{text}");
                compared += 1;
                round += usize::from(*goes_round);
            }
        }
    }
    (compared, round)
}

fn model(case: &mut Case, text: String, language: ModelLanguage) -> Option<ProgramFile> {
    case.keep("model.txt", text.clone());
    let name = if language == ModelLanguage::Promela { "model.pml" } else { "model.gcl" };
    ModelSource::of_text(name, language, text).program(&[], None, &[], &Extras::default()).ok()
}

#[test]
fn random_formulas_of_random_promela_models() {
    let (compared, round) = (Cell::new(0), Cell::new(0));
    for_random_cases(16, |case| {
        let mut text = random_promela(&mut case.rng);
        for number in 0..3 {
            let _ = writeln!(text, "ltl f_{number} {{ {} }}", random_claim(&mut case.rng, 3));
        }
        let Some(file) = model(case, text, ModelLanguage::Promela) else { return };
        let (more, loops) = compare(&file, case.rng.chance(50), &[2, 3, 8]);
        compared.set(compared.get() + more);
        round.set(round.get() + loops);
    });
    assert!(compared.get() > 50 && round.get() > 0, "{} compared, {} go round", compared.get(), round.get());
}

/// A process that goes round, or stops, over two variables.
fn random_process(rng: &mut Rng, name: char) -> String {
    let mut text = format!("process {name} {{ loop {{ ");
    for _ in 0..=rng.below(3) {
        let (own, other) = if rng.chance(50) { ("x", "y") } else { ("y", "x") };
        let value = rng.below(3);
        let action = *rng.pick(&["O := (O + 1) mod 3;", "O := 0;", "O := T;", "skip;", "O := 2 - O;"]);
        let action = action.replace('O', own).replace('T', other);
        let _ = match rng.below(3) {
            0 => write!(text, "when {other} = {value} do {action} "),
            1 => write!(text, "if {own} = {value} {{ {action} }} else {{ skip; }} "),
            _ => write!(text, "{action} "),
        };
    }
    text.push_str("} }\n");
    text
}

#[test]
fn random_properties_of_random_guarded_commands_with_fairness() {
    let (compared, round) = (Cell::new(0), Cell::new(0));
    for_random_cases(40, |case| {
        let rng = &mut case.rng;
        let mut text = String::from("system s var x : 0..2 = 0 var y : 0..2 = 0\n");
        for name in ['P', 'Q', 'R'].into_iter().take(2 + rng.below(2)) {
            text.push_str(&random_process(rng, name));
            match rng.below(4) {
                0 => writeln!(text, "fair {name}"),
                1 | 2 => writeln!(text, "strong fair {name}"),
                _ => Ok(()),
            }
            .expect("a string takes everything");
        }
        for number in 0..4 {
            let mut atom = || format!("{} = {}", rng.pick(&["x", "y"]), rng.below(3));
            let (p, q, r) = (atom(), atom(), atom());
            let formula = match rng.below(6) {
                0 => format!("G F {p}"),
                1 => format!("F G {p}"),
                2 => format!("(G F {p}) -> (G F {q})"),
                3 => format!("G ({p} -> F {q})"),
                4 => format!("((G F {p}) && (G F {q})) -> (F G {r})"),
                _ => format!("({p}) U ({q}) || F G {r}"),
            };
            let _ = writeln!(text, "property f_{number} : ltl {formula}");
        }
        let file = model(case, text, ModelLanguage::Gcl).expect("no mistakes");
        let (more, loops) = compare(&file, false, &[2, 3, 8]);
        compared.set(compared.get() + more);
        round.set(round.get() + loops);
    });
    let (compared, round) = (compared.get(), round.get());
    assert!(compared > 200 && round > 20 && round < compared, "{round} of {compared} go round");
}

#[test]
fn the_corpus() {
    let corpus = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../corpus");
    let (mut compared, mut round) = (0, 0);
    for folder in ["gcl", "gcl/bounded", "promela/micro"] {
        let entries = std::fs::read_dir(corpus.join(folder)).expect("a folder");
        let mut files: Vec<PathBuf> = entries.map(|entry| entry.expect("readable").path()).collect();
        files.sort();
        for path in files {
            let language = match path.extension().and_then(|ending| ending.to_str()) {
                Some("gcl") => ModelLanguage::Gcl,
                Some("pml") => ModelLanguage::Promela,
                _ => continue,
            };
            let text = std::fs::read_to_string(&path).expect("readable");
            if !["ltl", "fair", "accept", "never"].iter().any(|word| text.contains(word)) {
                continue;
            }
            let file = ModelSource::of_text(&path.display().to_string(), language, text);
            let Ok(file) = file.program(&[], None, &[], &Extras::default()) else { continue };
            let (more, loops) = compare(&file, false, &[3]);
            compared += more;
            round += loops;
        }
    }
    assert!(compared > 50 && round > 5, "{compared} compared, {round} go round");
}
