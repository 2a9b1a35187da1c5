//! Values in lattices: one run per join-irreducible element against computing in the lattice, and the vectors.

mod common;

use common::vector_formula;
use serde_json::{Value, json};
use tertium_base::Budget;
use tertium_check::automata::AutomataEngine;
use tertium_check::game::ParityGame;
use tertium_check::lattice_valued::{LatticeTask, direct_values};
use tertium_check::reduction::lattice_values;
use tertium_check::symbolic;
use tertium_check::{Ask, BindError, Engine, EngineError, Task};
use tertium_evidence::{Deadlock, LinearReading, Reading};
use tertium_lattice::{Belnap, DeMorganLattice};
use tertium_logic::{Logic, ParseOptions, parse};
use tertium_model::{Format, Kmts, KmtsBuilder, LatticeModel, Model, read_bytes};
use tertium_testkit::families::random_lattice_structure;
use tertium_testkit::{FormulaShape, Rng, corpus, for_random_cases};

fn read(model: &Value) -> LatticeModel {
    let loaded = read_bytes("model", Format::Json, model.to_string().as_bytes(), &Budget::unlimited()).unwrap();
    match loaded.model {
        Some(Model::Lattice(model)) => model,
        _ => panic!("{model}: {:?}", loaded.diagnostics),
    }
}

#[test]
fn cuts_agree_with_computing_in_the_lattice() {
    for_random_cases(1500, |case| {
        let name = *case.rng.pick(&["B2", "K3", "Belnap4", "chain4", "K3xK3", "B2xB2", "K3xB2"]);
        let lattice = DeMorganLattice::built_in(name).unwrap();
        let described = random_lattice_structure(&mut case.rng, name, &lattice);
        case.keep("model.json", described.to_string());
        let model = read(&described);
        let logic = *case.rng.pick(&[Logic::Pml, Logic::Ctl, Logic::Mu]);
        let elements = if case.rng.chance(40) { lattice.names().to_vec() } else { Vec::new() };
        let formula = case.formula(&FormulaShape { elements, guarded: false, ..FormulaShape::new(logic) });
        let budget = Budget::unlimited();
        let task = LatticeTask::new(&model, &formula, &budget).unwrap();
        let (cuts, direct) = (lattice_values(&task).unwrap(), direct_values(&task).unwrap());
        let names = |values: Vec<_>| values.into_iter().map(|value| lattice.name(value).to_owned()).collect::<Vec<_>>();
        let sets = symbolic::lattice_values(&task).unwrap();
        let direct = names(direct);
        assert_eq!(names(cuts), direct);
        assert_eq!(names(sets), direct, "one set per join-irreducible element");
    });
}

#[test]
fn lattice_vectors() {
    for vector in corpus::vectors_with_semantics("lattice") {
        let (model, formula) = (read(&vector["model"]), vector_formula(&vector));
        let budget = Budget::unlimited();
        let task = LatticeTask::new(&model, &formula, &budget).unwrap();
        let sets = symbolic::lattice_values(&task).unwrap();
        for values in [lattice_values(&task).unwrap(), direct_values(&task).unwrap(), sets] {
            for (name, expected) in vector["expected"].as_object().unwrap() {
                let state = model.state_by_name(name).unwrap();
                let value = model.lattice().name(values[state.index()]);
                assert_eq!(value, expected.as_str().unwrap(), "{} at {name}", vector["id"]);
            }
        }
    }
}

#[test]
fn unknown_names_and_path_quantifiers_without_bounds_are_refused() {
    let lattice = DeMorganLattice::built_in("K3").unwrap();
    let model = read(&random_lattice_structure(&mut Rng::new(1), "K3", &lattice));
    let budget = Budget::unlimited();
    let options = ParseOptions { logic: Some(Logic::Mu), elements: vec!["maybe".to_owned()] };
    let formula = parse("<act> (r & maybe & p)", &options).formula.unwrap();
    let errors = LatticeTask::new(&model, &formula, &budget).unwrap_err();
    assert_eq!(errors.len(), 3);
    assert!(matches!(errors[..], [BindError::Atom(_), BindError::Element(_), BindError::Action(_)]));
    let linear = parse("A (G p | F q)", &ParseOptions::in_logic(Logic::CtlStar)).formula.unwrap();
    let task = LatticeTask::new(&model, &linear, &budget).unwrap();
    assert!(matches!(lattice_values(&task), Err(EngineError::Unsupported(_))));
    assert!(matches!(direct_values(&task), Err(EngineError::Unsupported(_))));
}

/// The four-valued structure that a model over `Belnap4` (or `K3`) is.
fn as_kmts(model: &LatticeModel) -> Kmts {
    let value = |element| match model.lattice().name(element) {
        "t" => Belnap::True,
        "f" => Belnap::False,
        "u" => Belnap::Unknown,
        _ => Belnap::Both,
    };
    let mut builder = KmtsBuilder::new();
    let props: Vec<_> = model.props().iter().map(|name| builder.add_prop(name)).collect();
    for state in model.states() {
        builder.add_state(model.state_name(state));
        props.iter().for_each(|&prop| builder.set_label(state, prop, value(model.label(state, prop))));
        for edge in model.edges_from(state) {
            let step = value(edge.value);
            builder.add_edge(state, edge.target, step.not_refuted(), step.for_true(), None);
        }
    }
    builder.finish().unwrap()
}

/// Four values are the lattice whose cuts are the two evidence bits, for branching and for linear formulas.
#[test]
fn four_values_as_a_lattice() {
    for_random_cases(1000, |case| {
        let name = *case.rng.pick(&["K3", "Belnap4"]);
        let lattice = DeMorganLattice::built_in(name).unwrap();
        let described = random_lattice_structure(&mut case.rng, name, &lattice);
        case.keep("model.json", described.to_string());
        let model = read(&described);
        let logic = *case.rng.pick(&[Logic::Ctl, Logic::Mu, Logic::Ltl, Logic::Ltl]);
        let formula = case.formula(&FormulaShape::new(logic));
        let budget = Budget::unlimited();
        let values = lattice_values(&LatticeTask::new(&model, &formula, &budget).unwrap()).unwrap();
        let kmts = as_kmts(&model);
        let reading = Reading { deadlock: Deadlock::Mu, linear: LinearReading::Bg };
        let task = Task::new(&kmts, &formula, reading, Ask::All, &budget).unwrap();
        let engine: &dyn Engine = if logic == Logic::Ltl { &AutomataEngine } else { &ParityGame };
        let expected = engine.values(&task).unwrap();
        for state in kmts.states() {
            assert_eq!(lattice.name(values[state.index()]), expected.at(state).letter(), "{state:?}");
        }
    });
}

/// In a product of lattices every factor is on its own, also for linear formulas.
#[test]
fn a_product_is_its_factors() {
    for_random_cases(300, |case| {
        let lattice = DeMorganLattice::built_in("K3xK3").unwrap();
        let described = random_lattice_structure(&mut case.rng, "K3xK3", &lattice);
        case.keep("model.json", described.to_string());
        let logic = *case.rng.pick(&[Logic::Ctl, Logic::Ltl]);
        let formula = case.formula(&FormulaShape::new(logic));
        let budget = Budget::unlimited();
        let product = read(&described);
        let values = lattice_values(&LatticeTask::new(&product, &formula, &budget).unwrap()).unwrap();
        for factor in 0..2 {
            let single = read(&projected(&described, factor));
            let part = lattice_values(&LatticeTask::new(&single, &formula, &budget).unwrap()).unwrap();
            for state in product.states() {
                let (whole, part) = (lattice.name(values[state.index()]), single.lattice().name(part[state.index()]));
                assert_eq!(&whole[factor..=factor], part, "factor {factor} at {state:?}");
            }
        }
    });
}

/// The structure over one factor of a product.
fn projected(model: &Value, factor: usize) -> Value {
    let part = |name: &Value| Value::from(&name.as_str().unwrap()[factor..=factor]);
    let mut states = model["states"].clone();
    for labels in states.as_object_mut().unwrap().values_mut() {
        labels.as_object_mut().unwrap().values_mut().for_each(|label| *label = part(label));
    }
    let edges: Vec<Value> =
        model["edges"].as_array().unwrap().iter().map(|edge| json!([edge[0], part(&edge[1]), edge[2]])).collect();
    json!({"lattice": "K3", "elements": ["f", "u", "t"], "states": states, "edges": edges})
}
