//! What the tests of engines share: structures from vectors, tasks, readings.

#![allow(dead_code, reason = "each test file uses a part")]

use serde_json::Value;
use tertium_evidence::{Deadlock, Reading};
use tertium_lattice::Belnap;
use tertium_logic::{Formula, Logic, ParseOptions, fair_ctl, parse};
use tertium_model::{Kmts, KmtsBuilder, StateId};
use tertium_testkit::reference::Deadlocks;
use tertium_testkit::{Case, FormulaShape, StructureShape};

/// Deadlock conventions with the names that the reference evaluator has for them.
pub const CONVENTIONS: [(Deadlock, Deadlocks); 3] =
    [(Deadlock::Mu, Deadlocks::Mu), (Deadlock::Maximal, Deadlocks::Maximal), (Deadlock::Total, Deadlocks::Total)];

/// The reading with this deadlock convention.
pub fn reading(deadlock: Deadlock) -> Reading {
    Reading { deadlock, ..Reading::default() }
}

/// Any shape of small structure.
pub fn random_shape(case: &mut Case) -> StructureShape {
    let rng = &mut case.rng;
    StructureShape {
        states: 1..=*rng.pick(&[2, 4, 6]),
        density: *rng.pick(&[15, 30, 50]),
        hyper: rng.chance(60),
        mixed: rng.chance(30),
        both_labels: rng.chance(30),
        fairness: if rng.chance(30) { 2 } else { 0 },
        actions: *rng.pick(&[0, 0, 1, 2]),
        total: rng.chance(20),
        ..StructureShape::default()
    }
}

/// A formula that fits the structure, sometimes with constants and unguarded variables.
pub fn random_formula(case: &mut Case, logic: Logic, model: &Kmts, shape: &StructureShape) -> Formula {
    let mut actions = shape.action_names();
    actions.extend((0..model.fairness().len()).map(|number| format!("fair:{number}")));
    let elements = if case.rng.chance(20) { ["t", "f", "u", "b"].map(str::to_owned).to_vec() } else { Vec::new() };
    let size = *case.rng.pick(&[4, 8, 14]);
    let guarded = case.rng.chance(70);
    case.formula(&FormulaShape { size, actions, elements, guarded, ..FormulaShape::new(logic) })
}

/// The formula of a vector.
pub fn vector_formula(vector: &Value) -> Formula {
    let text = vector["formula"].as_str().unwrap();
    let logic = Logic::from_name(vector["logic"].as_str().unwrap()).unwrap();
    let parsed = parse(text, &ParseOptions::in_logic(logic));
    let formula = parsed.formula.unwrap_or_else(|| panic!("{text}: {:?}", parsed.diagnostics));
    let constraints = vector["model"]["fair"].as_array().map_or(0, Vec::len);
    if logic == Logic::Ctl && constraints > 0 { fair_ctl(&formula, constraints).unwrap() } else { formula }
}

/// The structure of a vector.
pub fn vector_structure(vector: &Value) -> Kmts {
    let model = &vector["model"];
    let mut builder = KmtsBuilder::new();
    for prop in model["props"].as_array().into_iter().flatten() {
        builder.add_prop(prop.as_str().unwrap());
    }
    for (name, labels) in model["states"].as_object().unwrap() {
        let state = builder.add_state(name);
        for (prop, value) in labels.as_object().unwrap() {
            let prop = builder.add_prop(prop);
            builder.set_label(state, prop, value_of(value));
        }
    }
    let names: Vec<String> = builder.state_names().iter().map(str::to_owned).collect();
    let state = |name: &Value| StateId::new(names.iter().position(|known| name == known.as_str()).unwrap());
    for (field, may, must) in [("must", false, true), ("may", true, false)] {
        for edge in model[field].as_array().into_iter().flatten() {
            builder.add_edge(state(&edge[0]), state(&edge[1]), may, must, None);
        }
    }
    for edge in model["hyper"].as_array().into_iter().flatten() {
        let members: Vec<StateId> = edge[1].as_array().unwrap().iter().map(state).collect();
        builder.add_hyper(state(&edge[0]), &members, None);
    }
    for constraint in model["fair"].as_array().into_iter().flatten() {
        let edges = constraint.as_array().unwrap().iter();
        builder.add_fairness(edges.map(|edge| (state(&edge[0]), state(&edge[1]), None)).collect());
    }
    builder.set_total(model["total"].as_bool().unwrap_or(false));
    if !model["init"].is_null() {
        builder.add_init(state(&model["init"]));
    }
    builder.finish().unwrap()
}

/// A value by its letter.
pub fn value_of(letter: &Value) -> Belnap {
    match letter.as_str() {
        Some("t") => Belnap::True,
        Some("f") => Belnap::False,
        Some("u") => Belnap::Unknown,
        Some("b") => Belnap::Both,
        _ => panic!("no value: {letter}"),
    }
}
