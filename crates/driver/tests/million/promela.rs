//! Promela: engines against the graph of steps by the definitions, against Spin, and the kernel on what is true.

use tertium_driver::Belnap;
use tertium_driver::engines::EngineChoice;
use tertium_driver::program::questions::{Question, questions};
use tertium_driver::program::{CheckOptions, ProgramAnswer, check, load};
use tertium_testkit::spin::{Verifier, is_available, random_claim};
use tertium_testkit::{Case, random_promela};

use super::graph::Graph;
use super::programs::{MOST_STATES, atoms_of, budget, certify, construct, contradicts, place, property};
use super::sample::Tally;

/// How many formulas a model gets.
const FORMULAS: usize = 6;
/// How many it gets for Spin, whose verifier takes longer to make than to run.
const FORMULAS_FOR_SPIN: usize = 30;
/// Searches do not go further.
const MOST_VISITED: usize = 20_000;

fn with_formulas(case: &mut Case, count: usize) -> String {
    let mut text = random_promela(&mut case.rng);
    for number in 0..count {
        text.push_str(&format!("ltl f_{number} {{ {} }}\n", random_claim(&mut case.rng, 3)));
    }
    case.keep("model.pml", text.clone());
    text
}

fn options() -> CheckOptions {
    CheckOptions { max_states: Some(MOST_VISITED), look_for_idle: false, ..CheckOptions::default() }
}

/// Explicit search and sets give every formula the value that the definitions give it on the graph of steps.
pub fn promela(case: &mut Case, tally: &mut Tally) {
    let text = with_formulas(case, FORMULAS);
    let path = place(case, "pml");
    std::fs::write(&path, &text).expect("a file can be written");
    let loaded = load(&path, &[], None, &[]);
    let file = match loaded {
        Ok(file) => file,
        Err(_) => {
            let _ = std::fs::remove_file(&path);
            return tally.refuse("the front end, as Spin does");
        }
    };
    let asked: Vec<Question> = questions(&file, &[], false).expect("no names are asked for");
    let asked: Vec<Question> = asked.into_iter().filter(|question| property(question).is_some()).collect();
    let atoms: Vec<_> = asked.iter().filter_map(property).flat_map(atoms_of).collect();
    let Some(graph) = Graph::of_steps(&file.program, &atoms, Vec::new(), MOST_STATES) else {
        let _ = std::fs::remove_file(&path);
        tally.limited += asked.len() as u64;
        return;
    };
    let options = options();
    let found = check(&file, &asked, &options, &budget(), &()).unwrap_or_else(|failure| panic!("{failure:?}"));
    let sets = CheckOptions { engine: EngineChoice::Symbolic, max_states: None, ..options.clone() };
    let sets = match check(&file, &asked, &sets, &budget(), &()) {
        Ok(found) => Some(found.answers),
        Err(failure) => {
            tally.refuse(construct(&failure));
            None
        }
    };
    for (at, question) in asked.iter().enumerate() {
        let explicit = &found.answers[at];
        let Some(property) = property(question).filter(|_| explicit.stopped().is_none()) else {
            tally.limited += 1;
            continue;
        };
        let expected = graph.value(&property.formula);
        for (way, answer) in [("explicit", Some(explicit)), ("sets", sets.as_ref().map(|sets| &sets[at]))] {
            let Some(answer) = answer else { continue };
            let (name, value) = (&answer.name, answer.value());
            assert!(!contradicts(answer, expected), "{name}: {value} by {way}, {expected} by its steps");
        }
        tally.value(explicit.value());
    }
    certify((&path, &file), (&asked, &found.answers), &options, tally);
    let _ = std::fs::remove_file(&path);
}

/// Spin finds the same value. Models are left out whose steps can go wrong, since Spin goes on where a run has ended for us, and those
/// that count processes, since Spin counts its claim, too.
pub fn against_spin(case: &mut Case, tally: &mut Tally) {
    if !is_available() {
        return tally.refuse("no spin and no C compiler on the path");
    }
    let text = with_formulas(case, FORMULAS_FOR_SPIN);
    if ["_nr_pr", "trace", "pc_value"].iter().any(|word| text.contains(word)) {
        return tally.refuse("what Spin's claim changes: _nr_pr, trace, pc_value");
    }
    let path = place(case, "pml");
    std::fs::write(&path, &text).expect("a file can be written");
    let loaded = load(&path, &[], None, &[]);
    let _ = std::fs::remove_file(&path);
    let Ok(file) = loaded else { return tally.refuse("the front end, as Spin does") };
    let asked = questions(&file, &[], false).expect("no names are asked for");
    let found = check(&file, &asked, &options(), &budget(), &()).unwrap_or_else(|failure| panic!("{failure:?}"));
    let (formulas, mistakes): (Vec<_>, Vec<_>) =
        found.answers.into_iter().partition(|answer| answer.name.starts_with("f_"));
    let is_fine = |answer: &ProgramAnswer| answer.value() == Belnap::True || answer.name == "end-states";
    if !mistakes.iter().all(is_fine) {
        return tally.refuse("steps that go wrong, where Spin goes on");
    }
    let Some(verifier) = Verifier::of(place(case, "spin"), &text) else {
        return tally.refuse("no verifier of Spin's");
    };
    for answer in formulas {
        let theirs = if answer.value().is_definite() { verifier.holds(&answer.name) } else { None };
        match theirs {
            Some(theirs) => {
                assert_eq!(answer.value(), Belnap::from(theirs), "{}: left: ours, right: Spin's", answer.name);
                tally.value(answer.value());
            }
            None => tally.limited += 1,
        }
    }
}
