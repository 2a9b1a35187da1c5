//! Records, sets, channels, procedures, loops and quantifiers, by all engines: each says what the others say, and what the expansion by hand says.

use std::cell::Cell;
use std::collections::BTreeMap;
use std::path::Path;

use tertium_base::Budget;
use tertium_driver::Belnap;
use tertium_driver::engines::EngineChoice;
use tertium_driver::program::predicate_abstraction::AbstractionOptions;
use tertium_driver::program::questions::questions;
use tertium_driver::program::{CheckOptions, Extras, ProgramFile, check, from_text_with, load, refinement_loop};
use tertium_testkit::for_random_cases;
use tertium_testkit::programs::{construct_properties, random_construct_pair};

/// What one engine says, by property.
type Values = BTreeMap<String, Belnap>;

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Engine {
    States,
    Sets,
    Predicates,
}

/// The values of the properties that a text has; what is looked for in every program is left out.
fn values(file: &ProgramFile, engine: Engine, effort: u64) -> Values {
    let only: Vec<String> = file.program.properties.iter().map(|property| property.name.clone()).collect();
    let asked = questions(file, &only, false).unwrap_or_else(|failure| panic!("{failure:?}"));
    let budget = Budget::unlimited().with_effort(Some(effort));
    let sets = engine == Engine::Sets;
    let options = CheckOptions {
        engine: if sets { EngineChoice::Symbolic } else { EngineChoice::Auto },
        max_states: (!sets).then_some(20_000),
        look_for_idle: false,
        ..CheckOptions::default()
    };
    let answers = if engine == Engine::Predicates {
        refinement_loop::check(file, &asked, &options, &AbstractionOptions::default(), 4, &budget, &())
    } else {
        check(file, &asked, &options, &budget, &())
    };
    let answers = answers.unwrap_or_else(|failure| panic!("{engine:?}: {failure:?}\n{}", file.source.text)).answers;
    answers.into_iter().map(|answer| (answer.name.clone(), answer.value())).collect()
}

fn program(text: String) -> ProgramFile {
    from_text_with("constructs.gcl", text.clone(), &[], None, &Extras::default())
        .unwrap_or_else(|failure| panic!("{failure:?}\n{text}"))
}

fn definite(values: &Values) -> usize {
    values.values().filter(|value| **value != Belnap::Unknown).count()
}

/// No definite value contradicts another one.
#[track_caller]
fn fit(first: &Values, second: &Values, what: &str) {
    for (name, value) in first {
        let other = second[name];
        let open = |value: Belnap| value == Belnap::Unknown;
        assert!(open(*value) || open(other) || *value == other, "{name}: {value:?} and {other:?}, {what}");
    }
}

#[test]
fn random_programs_and_their_expansions_have_the_same_values_by_every_engine() {
    let asked = construct_properties();
    let (decided, abstracted) = (Cell::new(0), Cell::new(0));
    for_random_cases(40, |case| {
        let pair = random_construct_pair(&mut case.rng, 2);
        let (sugar, plain) = (pair.sugar + &asked.sugar, pair.plain + &asked.plain);
        case.keep("sugar.gcl", sugar.clone());
        case.keep("plain.gcl", plain.clone());
        let (sugar, plain) = (program(sugar), program(plain));
        let by_states = values(&plain, Engine::States, 2_000_000);
        decided.set(decided.get() + definite(&by_states));
        fit(&by_states, &values(&sugar, Engine::States, 2_000_000), "states");
        fit(&by_states, &values(&sugar, Engine::Sets, 2_000_000), "sets");
        if case.number < 12 {
            let by_predicates = values(&sugar, Engine::Predicates, 60_000);
            abstracted.set(abstracted.get() + definite(&by_predicates));
            fit(&by_states, &by_predicates, "predicates");
        }
    });
    let counted = (decided.get(), abstracted.get());
    assert!(counted.0 >= 150 && counted.1 >= 10, "{counted:?} values");
}

/// The example, and what is known of its properties; `by_predicates` of them the abstraction decides with few refinements.
#[track_caller]
fn known(example: &str, expected: &[(&str, Belnap)], by_predicates: usize) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples").join(example);
    let file = load(&path, &[], None, &[]).unwrap_or_else(|failure| panic!("{failure:?}"));
    let expected: Values = expected.iter().map(|(name, value)| ((*name).to_owned(), *value)).collect();
    assert_eq!(values(&file, Engine::States, 20_000_000), expected, "{example}, states");
    assert_eq!(values(&file, Engine::Sets, 20_000_000), expected, "{example}, sets");
    let found = values(&file, Engine::Predicates, 400_000);
    fit(&expected, &found, example);
    assert!(definite(&found) >= by_predicates, "{example}, predicates: {found:?}");
}

#[test]
fn models_written_with_the_constructs_have_one_value_by_every_engine() {
    let holds = Belnap::True;
    known("alternating_bit.gcl", &[("in_step", holds), ("gets_on", holds)], 1);
    known("filter_lock.gcl", &[("mutex", holds), ("someone", holds)], 1);
    let all = [("agreement", holds), ("validity", holds), ("ends", holds), ("told_last", holds)];
    known("two_phase_commit.gcl", &all, 2);
}
