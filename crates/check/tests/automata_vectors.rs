//! The recorded linear and CTL* cases on the automata engine.

use std::collections::BTreeMap;

use serde_json::Value;
use tertium_base::Budget;
use tertium_check::automata::{AutomataEngine, linear_open_question};
use tertium_check::family::{FamilyTask, family_answer, family_warnings};
use tertium_check::{Ask, Engine, Task};
use tertium_evidence::{Deadlock, LinearReading, Reading};
use tertium_lattice::Belnap;
use tertium_logic::{Formula, Logic, ParseOptions, parse};
use tertium_model::{Format, Kmts, KmtsBuilder, Model, ParamModel, StateId, read_bytes};

fn cases(file: &str) -> Vec<Value> {
    let path = format!("{}/../../corpus/vectors/{file}.json", env!("CARGO_MANIFEST_DIR"));
    let text = std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{path}: {error}"));
    match serde_json::from_str(&text) {
        Ok(Value::Array(cases)) => cases,
        other => panic!("{path}: {other:?}"),
    }
}

fn text(value: &Value) -> &str {
    value.as_str().unwrap_or_else(|| panic!("not a text: {value}"))
}

fn list(value: &Value) -> &[Value] {
    value.as_array().map_or(&[], |list| list)
}

fn letter(letter: &str) -> Belnap {
    Belnap::from_evidence(matches!(letter, "t" | "b"), matches!(letter, "f" | "b"))
}

fn structure(model: &Value) -> Kmts {
    let mut builder = KmtsBuilder::new();
    let mut states: BTreeMap<&str, StateId> = BTreeMap::new();
    for (name, labels) in model["states"].as_object().expect("states") {
        let state = builder.add_state(name);
        states.insert(name, state);
        for (prop, value) in labels.as_object().expect("labels") {
            let prop = builder.add_prop(prop);
            builder.set_label(state, prop, letter(text(value)));
        }
    }
    for prop in list(&model["props"]) {
        builder.add_prop(text(prop));
    }
    for (key, may, must) in [("may", true, false), ("must", false, true)] {
        for edge in list(&model[key]) {
            builder.add_edge(states[text(&edge[0])], states[text(&edge[1])], may, must, None);
        }
    }
    for edge in list(&model["hyper"]) {
        let members: Vec<StateId> = list(&edge[1]).iter().map(|member| states[text(member)]).collect();
        builder.add_hyper(states[text(&edge[0])], &members, None);
    }
    for constraint in list(&model["fair"]) {
        let edges = list(constraint).iter().map(|edge| (states[text(&edge[0])], states[text(&edge[1])], None));
        builder.add_fairness(edges.collect());
    }
    builder.set_total(model["total"].as_bool().unwrap_or(false));
    builder.add_init(states[text(&model["init"])]);
    builder.finish().expect("small")
}

fn formula(case: &Value) -> Formula {
    let logic = Logic::from_name(text(&case["logic"])).expect("a logic");
    let parsed = parse(text(&case["formula"]), &ParseOptions::in_logic(logic));
    parsed.formula.unwrap_or_else(|| panic!("{}: {:?}", case["id"], parsed.diagnostics))
}

fn reading(semantics: &str) -> Option<Reading> {
    let (name, deadlock) = match semantics {
        "kleene" => ("bg", Deadlock::Mu),
        "hyper-total" => ("hyper", Deadlock::Total),
        name => (name, Deadlock::Mu),
    };
    let linear = LinearReading::ALL.into_iter().find(|reading| reading.name() == name)?;
    Some(Reading { deadlock, linear })
}

fn value(model: &Kmts, formula: &Formula, reading: Reading, state: StateId) -> Belnap {
    let budget = Budget::unlimited();
    let at = [state];
    let task = Task::new(model, formula, reading, Ask::At(&at), &budget).expect("names are known");
    let here = AutomataEngine.values(&task).expect("supported").at(state);
    let all = Task { ask: Ask::All, ..task };
    assert_eq!(AutomataEngine.values(&all).expect("supported").at(state), here, "asked alone and with all others");
    here
}

#[test]
fn recorded_cases_have_their_values() {
    let mut checked = 0;
    let mut wrong = Vec::new();
    for file in ["own", "papers", "random"] {
        for case in cases(file) {
            if !matches!(text(&case["logic"]), "ltl" | "ctl*") || case.get("model").is_none() {
                continue;
            }
            if case["model"].get("params").is_some() {
                continue;
            }
            let model = structure(&case["model"]);
            let formula = formula(&case);
            let at =
                case.get("state").map_or(model.init()[0], |name| model.state_by_name(text(name)).expect("a state"));
            let expected: Vec<(String, String)> = match &case["expected"] {
                Value::Object(map) => map.iter().map(|(name, value)| (name.clone(), text(value).to_owned())).collect(),
                value => vec![(text(&case["semantics"]).to_owned(), text(value).to_owned())],
            };
            for (semantics, expected) in expected {
                let Some(reading) = reading(&semantics) else { continue };
                checked += 1;
                let found = value(&model, &formula, reading, at);
                if found != letter(&expected) {
                    wrong.push(format!("{} {semantics}: {found}, not {expected}", case["id"]));
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{} of {checked}:\n{}", wrong.len(), wrong.join("\n"));
    assert!(checked > 150, "only {checked} cases found");
}

fn parameterised(model: &Value) -> ParamModel {
    let text = model.to_string();
    let loaded = read_bytes("case", Format::Json, text.as_bytes(), &Budget::unlimited()).expect("no limit");
    match loaded.model {
        Some(Model::Param(model)) => model,
        other => panic!("not parameterised: {other:?} {:?}", loaded.diagnostics),
    }
}

#[test]
fn recorded_families_have_their_values() {
    let mut checked = 0;
    for file in ["papers", "parameters"] {
        for case in cases(file) {
            let Some(semantics) = text(&case["semantics"]).strip_prefix("pmc(").and_then(|rest| rest.strip_suffix(')'))
            else {
                continue;
            };
            let model = parameterised(&case["model"]);
            let formula = formula(&case);
            let (reading, state) = (reading(semantics).expect("a reading"), model.init()[0]);
            let budget = Budget::unlimited();
            let task = FamilyTask { model: &model, formula: &formula, reading, state, budget: &budget };
            let reasons = |task: &Task<'_>, state| {
                Ok(linear_open_question(task, state)?.map(|question| question.reasons).unwrap_or_default())
            };
            let answer = family_answer(&task, &AutomataEngine, &reasons).expect("supported");
            assert_eq!(answer.value, letter(text(&case["expected"])), "{}", case["id"]);
            // Recorded with `true` first.
            let assignments: Vec<Vec<bool>> = model.assignments().expect("few").collect();
            for (assignment, expected) in assignments.into_iter().rev().zip(list(&case["instances"])) {
                let found = Belnap::from_evidence(answer.holds.holds(&assignment), answer.fails.holds(&assignment));
                assert_eq!(found, letter(text(expected)), "{} under {assignment:?}", case["id"]);
                assert_eq!(answer.open.holds(&assignment), found == Belnap::Unknown);
            }
            let warned: Vec<_> =
                family_warnings(&task, &answer).expect("no limit").iter().map(|one| one.code).collect();
            let unsound = case.get("note").is_some_and(|note| text(note).contains("UNSOUND"));
            assert!(!unsound || warned.contains(&"W0251"), "{}: no warning", case["id"]);
            assert_eq!(warned.contains(&"W0252"), case["id"] == "r1.sametarget.wrong", "{}", case["id"]);
            checked += 1;
        }
    }
    assert_eq!(checked, 16, "recorded families");
}
