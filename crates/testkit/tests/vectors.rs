//! Do the reference evaluators give the recorded answers?

use serde_json::Value;
use tertium_lattice::Belnap;
use tertium_logic::{Formula, Logic, ParseOptions, parse};
use tertium_model::{Kmts, StateId};
use tertium_testkit::corpus::{structure, vectors, vectors_with_semantics};
use tertium_testkit::reference::{
    Deadlocks, LinearReading, branching_values, linear_values, refinement_relation, star_values,
};

fn formula(vector: &Value) -> Formula {
    let logic = Logic::from_name(vector["logic"].as_str().unwrap()).unwrap();
    let parsed = parse(vector["formula"].as_str().unwrap(), &ParseOptions::in_logic(logic));
    parsed.formula.unwrap_or_else(|| panic!("{}: {:?}", vector["id"], parsed.diagnostics))
}

/// The state that a vector asks about.
fn asked(vector: &Value, model: &Kmts) -> StateId {
    vector["state"].as_str().map_or(model.init()[0], |name| model.state_by_name(name).unwrap())
}

fn check(vector: &Value, name: &str, expected: &Value, values: impl Fn(&Kmts, &Formula) -> Vec<Belnap>) {
    let model = structure(&vector["model"]).unwrap();
    let value = values(&model, &formula(vector))[asked(vector, &model).index()];
    assert_eq!(value.letter(), expected.as_str().unwrap(), "{} {name}: {}", vector["id"], vector["formula"]);
}

fn compositional(model: &Kmts, formula: &Formula, deadlocks: Deadlocks) -> Vec<Belnap> {
    if formula.logic() == Logic::CtlStar {
        star_values(model, formula)
    } else {
        branching_values(model, formula, deadlocks)
    }
}

#[test]
fn branching_vectors() {
    for vector in vectors_with_semantics("kleene") {
        check(&vector, "kleene", &vector["expected"], |model, formula| compositional(model, formula, Deadlocks::Mu));
    }
    for vector in vectors_with_semantics("maximal") {
        check(&vector, "maximal", &vector["expected"], |model, formula| {
            compositional(model, formula, Deadlocks::Maximal)
        });
    }
    for vector in vectors_with_semantics("kleene+thorough") {
        for (name, deadlocks) in [("kleene", Deadlocks::Mu), ("maximal", Deadlocks::Maximal)] {
            check(&vector, name, &vector["expected"][name], |model, formula| compositional(model, formula, deadlocks));
        }
    }
}

#[test]
fn vectors_that_ask_about_all_states() {
    let mut all = vectors_with_semantics("kleene-all-states");
    all.extend(vectors_with_semantics("belnap-all-states"));
    for vector in all {
        let model = structure(&vector["model"]).unwrap();
        let values = branching_values(&model, &formula(&vector), Deadlocks::Mu);
        for state in model.states() {
            let expected = &vector["expected"][model.state_name(state)];
            assert_eq!(values[state.index()].letter(), expected.as_str().unwrap(), "{} at {state:?}", vector["id"]);
        }
    }
}

#[test]
fn linear_vectors() {
    let readings = [
        ("bg", LinearReading::Bg),
        ("bg-total", LinearReading::BgTotal),
        ("tg", LinearReading::Tg),
        ("tg-pnf", LinearReading::TgPnf),
    ];
    for (name, reading) in readings {
        for vector in vectors_with_semantics(name) {
            check(&vector, name, &vector["expected"], |model, formula| linear_values(model, formula, reading));
        }
        for vector in vectors_with_semantics("all-ltl") {
            check(&vector, name, &vector["expected"][name], |model, formula| linear_values(model, formula, reading));
        }
    }
}

#[test]
fn preorder_vectors() {
    for vector in vectors_with_semantics("preorder") {
        let (coarse, fine) = (structure(&vector["abstract"]).unwrap(), structure(&vector["concrete"]).unwrap());
        let find = |model: &Kmts, at: usize| model.state_by_name(vector["pair"][at].as_str().unwrap()).unwrap().index();
        let related = refinement_relation(&coarse, &fine)[find(&coarse, 0)][find(&fine, 1)];
        assert_eq!(related, vector["expected"].as_bool().unwrap(), "{}", vector["id"]);
    }
    for vector in vectors_with_semantics("preorder-relation") {
        let (coarse, fine) = (structure(&vector["abstract"]).unwrap(), structure(&vector["concrete"]).unwrap());
        let related = refinement_relation(&coarse, &fine);
        let expected = vector["expected"].as_array().unwrap();
        for a in coarse.states() {
            for c in fine.states() {
                let pair = serde_json::json!([coarse.state_name(a), fine.state_name(c)]);
                assert_eq!(related[a.index()][c.index()], expected.contains(&pair), "{}: {pair}", vector["id"]);
            }
        }
    }
}

#[test]
fn every_plain_structure_of_the_corpus_is_read() {
    let plain = vectors().iter().filter(|vector| structure(&vector["model"]).is_some()).count();
    assert!(plain > 250, "only {plain}");
}
