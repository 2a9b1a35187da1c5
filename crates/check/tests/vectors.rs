//! The vectors of the corpus on the branching engines.

mod common;

use common::{reading, value_of, vector_formula, vector_structure};
use serde_json::Value;
use tertium_base::Budget;
use tertium_check::explicit::Explicit;
use tertium_check::game::ParityGame;
use tertium_check::reduction::{ActionBit, Reduction};
use tertium_check::symbolic::Symbolic;
use tertium_check::witness::open_question;
use tertium_check::{Ask, Engine, Task};
use tertium_evidence::{Deadlock, Reason};
use tertium_logic::Formula;
use tertium_model::{Kmts, StateId};
use tertium_testkit::corpus;

fn state_named(model: &Kmts, name: &Value) -> StateId {
    model.state_by_name(name.as_str().unwrap()).unwrap()
}

/// The state a vector asks about.
fn asked_state(model: &Kmts, vector: &Value) -> StateId {
    if vector["state"].is_null() { model.init()[0] } else { state_named(model, &vector["state"]) }
}

fn assert_value(id: &str, model: &Kmts, formula: &Formula, deadlock: Deadlock, state: StateId, expected: &Value) {
    let budget = Budget::unlimited();
    let task = Task::new(model, formula, reading(deadlock), Ask::At(std::slice::from_ref(&state)), &budget).unwrap();
    for engine in [&ParityGame as &dyn Engine, &Explicit, &Reduction, &ActionBit, &Symbolic] {
        if let Err(why) = engine.supports(&task) {
            assert!(!why.reason.is_empty(), "{id}");
            continue;
        }
        let value = engine.values(&task).unwrap().at(state);
        assert_eq!(value, value_of(expected), "{id} at {} by {}", model.state_name(state), engine.name());
    }
}

fn branching(vectors: Vec<Value>) -> impl Iterator<Item = (String, Value, Kmts, Formula)> {
    let branching = vectors.into_iter().filter(|vector| vector["logic"] == "ctl" || vector["logic"] == "mu");
    branching.map(|vector| {
        let (model, formula) = (vector_structure(&vector), vector_formula(&vector));
        (vector["id"].as_str().unwrap().to_owned(), vector, model, formula)
    })
}

#[test]
fn kleene_and_maximal_vectors() {
    for (semantics, deadlock) in [("kleene", Deadlock::Mu), ("maximal", Deadlock::Maximal)] {
        for (id, vector, model, formula) in branching(corpus::vectors_with_semantics(semantics)) {
            let state = asked_state(&model, &vector);
            assert_value(&id, &model, &formula, deadlock, state, &vector["expected"]);
        }
    }
    for (id, vector, model, formula) in branching(corpus::vectors_with_semantics("kleene+thorough")) {
        let state = asked_state(&model, &vector);
        assert_value(&id, &model, &formula, Deadlock::Mu, state, &vector["expected"]["kleene"]);
        assert_value(&id, &model, &formula, Deadlock::Maximal, state, &vector["expected"]["maximal"]);
    }
}

#[test]
fn vectors_with_a_value_at_every_state() {
    for semantics in ["kleene-all-states", "belnap-all-states"] {
        for (id, vector, model, formula) in branching(corpus::vectors_with_semantics(semantics)) {
            for (name, expected) in vector["expected"].as_object().unwrap() {
                let state = state_named(&model, &Value::from(name.as_str()));
                assert_value(&id, &model, &formula, Deadlock::Mu, state, expected);
            }
        }
    }
}

#[test]
fn reasons_of_unknown_vectors_come_first() {
    for (id, vector, model, formula) in branching(corpus::vectors_with_semantics("failure-reason")) {
        let budget = Budget::unlimited();
        let task = Task::new(&model, &formula, reading(Deadlock::Mu), Ask::All, &budget).unwrap();
        let question = open_question(&task, asked_state(&model, &vector), 10).unwrap().unwrap();
        let expected = &vector["expected"][0];
        let fits = match &question.reasons[0] {
            Reason::Label { state, prop } => {
                expected[0] == "label"
                    && expected[1] == model.state_name(*state)
                    && expected[2] == model.props()[prop.index()].as_str()
            }
            Reason::Edge { from, to, .. } => {
                expected[0] == "edge" && expected[1] == model.state_name(*from) && expected[2] == model.state_name(*to)
            }
            Reason::Hyper { .. } => false,
        };
        assert!(fits, "{id}: {:?} instead of {expected}", question.reasons);
        assert_eq!(question.reasons.len(), 1, "{id} has one open element");
        assert_eq!(question.play[0].state, asked_state(&model, &vector));
    }
}
