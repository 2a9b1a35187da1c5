//! Are the examples well-formed, and do they say what their texts promise?

use std::path::PathBuf;

use tertium_base::Budget;
use tertium_lattice::Belnap;
use tertium_logic::{Formula, Logic, ParseOptions, parse};
use tertium_model::{Format, Kmts, Loaded, Model, read_file};
use tertium_testkit::reference::{Deadlocks, LinearReading, branching_values, linear_values, refinement_relation};

fn folder() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../examples")
}

fn load(name: &str) -> Loaded {
    let path = folder().join(name);
    let loaded = read_file(&path, Format::of(&path).expect("a known ending"), &Budget::unlimited()).expect("no limit");
    assert_eq!(loaded.diagnostics, [], "{name}");
    loaded
}

fn plain(name: &str) -> Kmts {
    match load(name).model {
        Some(Model::Kmts(kmts)) => kmts,
        other => panic!("{name} is {other:?}"),
    }
}

/// The properties of an example, parsed in their logics.
fn properties(name: &str) -> Vec<(String, Formula)> {
    let read = |property: tertium_model::Property| {
        let logic = property.logic.as_deref().and_then(Logic::from_name).expect("a logic");
        let parsed = parse(&property.formula, &ParseOptions::in_logic(logic));
        let formula = parsed.formula.unwrap_or_else(|| panic!("{name}: {:?}", parsed.diagnostics));
        (property.name, formula)
    };
    load(name).properties.into_iter().map(read).collect()
}

#[track_caller]
fn check(name: &str, expected: &[(&str, Belnap)]) {
    let model = plain(name);
    let value = |formula: &Formula| {
        let values = match formula.logic() {
            Logic::Ltl => linear_values(&model, formula, LinearReading::Bg),
            _ => branching_values(&model, formula, Deadlocks::Mu),
        };
        values[model.init()[0].index()]
    };
    let found: Vec<(String, Belnap)> =
        properties(name).into_iter().map(|(property, formula)| (property, value(&formula))).collect();
    let expected: Vec<(String, Belnap)> = expected.iter().map(|&(name, value)| (name.to_owned(), value)).collect();
    assert_eq!(found, expected, "{name}");
}

#[test]
fn the_door_shows_all_three_values() {
    check(
        "door.kmts",
        &[
            ("lit_when_moving", Belnap::True),
            ("can_open", Belnap::True),
            ("stays_shut", Belnap::False),
            ("always_reopens", Belnap::Unknown),
            ("saves_power", Belnap::Unknown),
            ("opens_in_the_end", Belnap::Unknown),
        ],
    );
}

#[test]
fn the_handshake_needs_its_fairness() {
    check(
        "handshake.kmts",
        &[
            ("answered_in_the_end", Belnap::True),
            ("answer_needs_request", Belnap::True),
            ("maintenance_happens", Belnap::Unknown),
            ("never_stuck", Belnap::True),
        ],
    );
}

#[test]
fn the_second_traffic_light_refines_the_first() {
    check("traffic_v1.kmts", &[("never_both", Belnap::True), ("goes_on", Belnap::Unknown)]);
    check("traffic_v2.kmts", &[("never_both", Belnap::True), ("goes_on", Belnap::True)]);
    let (first, second) = (plain("traffic_v1.kmts"), plain("traffic_v2.kmts"));
    let related = refinement_relation(&first, &second);
    assert!(related[first.init()[0].index()][second.init()[0].index()]);
}

#[test]
fn every_example_is_read() {
    let mut names: Vec<String> = std::fs::read_dir(folder())
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .filter(|name| name.ends_with(".kmts"))
        .collect();
    names.sort();
    assert_eq!(names.len(), 8, "{names:?}");
    for name in names {
        assert!(!properties(&name).is_empty(), "{name} has no property");
    }
    assert!(matches!(load("two_experts.kmts").model, Some(Model::Lattice(_))));
}
