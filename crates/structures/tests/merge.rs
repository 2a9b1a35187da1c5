//! Merging viewpoints against its definition: over the product a formula's value is the pair of its values, over Belnap's lattice what one knows is
//! kept, and disagreements are exactly the places where both know something else.

use serde_json::json;
use tertium_base::Budget;
use tertium_check::lattice_valued::{LatticeTask, direct_values};
use tertium_lattice::DeMorganLattice;
use tertium_logic::{Formula, Logic};
use tertium_model::{Disagreement, Format, LatticeModel, MergeError, MergeOver, Model, PropId, merge, read_bytes};
use tertium_testkit::{Case, FormulaShape, for_random_cases};

fn read(text: &str) -> LatticeModel {
    let read = read_bytes("model", Format::Json, text.as_bytes(), &Budget::unlimited()).unwrap();
    match read.model {
        Some(Model::Lattice(model)) => model,
        _ => panic!("{text}: {:?}", read.diagnostics),
    }
}

/// A viewpoint over a lattice that has these of the states `s0` to `s2`, and these propositions.
fn viewpoint(case: &mut Case, name: &str, lattice: &str, states: &[&str], props: &[&str]) -> LatticeModel {
    let names = DeMorganLattice::built_in(lattice).unwrap().names().to_vec();
    let mut described = serde_json::Map::new();
    let mut edges = Vec::new();
    for from in states {
        let labels: serde_json::Map<String, serde_json::Value> =
            props.iter().map(|prop| ((*prop).to_owned(), case.rng.pick(&names).as_str().into())).collect();
        described.insert((*from).to_owned(), labels.into());
        for to in states {
            if case.rng.chance(60) {
                edges.push(json!([from, case.rng.pick(&names), to]));
            }
        }
    }
    let text = json!({"lattice": lattice, "states": described, "props": props, "edges": edges, "init": states[0]});
    case.keep(name, text.to_string());
    read(&text.to_string())
}

fn value(model: &LatticeModel, formula: &Formula, state: &str) -> String {
    let budget = Budget::unlimited();
    let task = LatticeTask::new(model, formula, &budget).unwrap();
    let values = direct_values(&task).unwrap();
    model.lattice().name(values[model.state_by_name(state).unwrap().index()]).to_owned()
}

fn less_informed(a: &str, c: &str) -> bool {
    a == c || a == "u" || c == "b"
}

const STATES: [&str; 3] = ["s0", "s1", "s2"];

#[test]
fn values_of_the_merger_are_those_of_the_viewpoints() {
    for_random_cases(400, |case| {
        let lattice = *case.rng.pick(&["K3", "Belnap4"]);
        let (a, b) = (
            viewpoint(case, "a.json", lattice, &STATES, &["p", "q"]),
            viewpoint(case, "b.json", "K3", &STATES, &["p", "q"]),
        );
        let logic = *case.rng.pick(&[Logic::Pml, Logic::Ctl, Logic::Mu]);
        let formula = case.formula(&FormulaShape { guarded: false, ..FormulaShape::new(logic) });
        let product = merge(&a, &b, MergeOver::Product).unwrap();
        let belnap = merge(&a, &b, MergeOver::Belnap).unwrap();
        assert_eq!(product.disagreements, belnap.disagreements);
        for state in STATES {
            let (of_a, of_b) = (value(&a, &formula, state), value(&b, &formula, state));
            assert_eq!(value(&product.model, &formula, state), format!("{of_a}{of_b}"), "at {state}");
            let both = value(&belnap.model, &formula, state);
            assert!(less_informed(&of_a, &both) && less_informed(&of_b, &both), "{of_a}, {of_b}: {both} at {state}");
        }
    });
}

/// A viewpoint that lacks something says nothing about it: the same as if it said unknown.
#[test]
fn what_a_viewpoint_lacks_is_unknown_to_it() {
    for_random_cases(300, |case| {
        let a = viewpoint(case, "a.json", "K3", &STATES[..2], &["p", "q"]);
        let b = viewpoint(case, "b.json", "K3", &STATES[1..], &["q", "r"]);
        for over in [MergeOver::Product, MergeOver::Belnap] {
            let merged = merge(&a, &b, over).unwrap();
            let model = &merged.model;
            assert_eq!(merged.states_of_one, [vec!["s0".to_owned()], vec!["s2".to_owned()]]);
            assert_eq!(merged.props_of_one, [vec!["p".to_owned()], vec!["r".to_owned()]]);
            let mut expected = Vec::new();
            for (state, prop) in STATES.iter().flat_map(|state| ["p", "q", "r"].map(|prop| (state, prop))) {
                let values = [&a, &b].map(|view| label(view, state, prop).unwrap_or_else(|| "u".to_owned()));
                check_value(over, &label(model, state, prop).unwrap(), &values);
                if contradict(&values) {
                    let (state, prop) = ((*state).to_owned(), prop.to_owned());
                    expected.push(Disagreement::Label { state, prop, values });
                }
            }
            for (from, to) in STATES.iter().flat_map(|from| STATES.map(|to| (from, to))) {
                let values = [&a, &b].map(|view| edge(view, from, to).unwrap_or_else(|| "u".to_owned()));
                check_value(over, &edge(model, from, to).unwrap(), &values);
                if contradict(&values) {
                    let (from, to) = ((*from).to_owned(), to.to_owned());
                    expected.push(Disagreement::Edge { from, to, values });
                }
            }
            // The second starts at `s1`, which the first knows and does not start at.
            expected.push(Disagreement::Initial { state: "s1".to_owned(), first: false });
            assert_eq!(merged.disagreements, expected);
        }
    });
}

fn contradict([a, b]: &[String; 2]) -> bool {
    a != "u" && b != "u" && a != b
}

fn check_value(over: MergeOver, found: &str, [a, b]: &[String; 2]) {
    match over {
        MergeOver::Product => assert_eq!(found, format!("{a}{b}")),
        MergeOver::Belnap => {
            let expected = if a == "u" {
                b.as_str()
            } else if b == "u" || a == b {
                a.as_str()
            } else {
                "b"
            };
            assert_eq!(found, expected, "{a} and {b}");
        }
    }
}

fn label(model: &LatticeModel, state: &str, prop: &str) -> Option<String> {
    let prop = PropId::new(model.props().iter().position(|known| known == prop)?);
    Some(model.lattice().name(model.label(model.state_by_name(state)?, prop)).to_owned())
}

/// The value of an edge; none if one of its states is not there.
fn edge(model: &LatticeModel, from: &str, to: &str) -> Option<String> {
    let (from, to) = (model.state_by_name(from)?, model.state_by_name(to)?);
    let found = model.edges_from(from).iter().find(|edge| edge.target == to).map(|edge| edge.value);
    Some(model.lattice().name(found.unwrap_or(model.lattice().bottom())).to_owned())
}

#[test]
fn lattices_that_do_not_fit_are_refused() {
    let of = |lattice: &str, value: &str, state: &str| {
        read(&json!({"lattice": lattice, "props": ["p"], "states": {state: {"p": value}}, "edges": []}).to_string())
    };
    let k3 = of("K3", "u", "a");
    assert_eq!(merge(&k3, &of("chain4", "2", "a"), MergeOver::Belnap).unwrap_err(), MergeError::Lattice(1));
    assert_eq!(merge(&of("B2", "t", "b"), &k3, MergeOver::Belnap).unwrap_err(), MergeError::NoUnknown(0));
    let pair = merge(&k3, &of("chain4", "2", "a"), MergeOver::Product).unwrap();
    assert_eq!(label(&pair.model, "a", "p").unwrap(), "u2");
}
