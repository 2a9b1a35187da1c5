//! Random structures with parameters, and structures over lattices, as their files would describe them.

use serde_json::{Map, Value, json};
use tertium_lattice::DeMorganLattice;

use crate::Rng;

const EDGE_CONDITIONS: [&str; 9] = ["t", "t", "u", "x", "!x", "y", "!y", "x & !y", "x | z"];

/// A family over the parameters `x`, `y` and `z` with the propositions `p` and `q`, as JSON. The first state is initial.
#[must_use]
pub fn random_family(rng: &mut Rng) -> String {
    let states = rng.between(&(1..=4));
    let mut labels = Vec::new();
    let mut edges = Vec::new();
    for at in 0..states {
        let mut value = || *rng.pick(&["t", "f", "f", "u", "x", "!z"]);
        labels.push(format!("\"s{at}\": {{\"p\": \"{}\", \"q\": \"{}\"}}", value(), value()));
        for to in 0..states {
            if rng.chance(45) {
                edges.push(format!("[\"s{at}\", \"{}\", \"s{to}\"]", rng.pick(&EDGE_CONDITIONS)));
            }
        }
    }
    format!(
        "{{\"states\": {{{}}}, \"props\": [\"p\", \"q\"], \"edges\": [{}], \"params\": [\"x\", \"y\", \"z\"], \"init\": \"s0\"}}",
        labels.join(", "),
        edges.join(", ")
    )
}

/// A structure over the built-in lattice of this name with the propositions `p` and `q`, as JSON.
#[must_use]
pub fn random_lattice_structure(rng: &mut Rng, name: &str, lattice: &DeMorganLattice) -> Value {
    let states: Vec<String> = (0..rng.between(&(1..=4))).map(|at| format!("s{at}")).collect();
    let mut described = Map::new();
    let mut edges = Vec::new();
    for from in &states {
        let labels: Map<String, Value> = ["p", "q"]
            .iter()
            .map(|prop| ((*prop).to_owned(), Value::from(rng.pick(lattice.names()).as_str())))
            .collect();
        described.insert(from.clone(), Value::Object(labels));
        for to in &states {
            if rng.chance(45) {
                edges.push(json!([from, rng.pick(lattice.names()), to]));
            }
        }
    }
    json!({"lattice": name, "elements": lattice.names(), "states": described, "edges": edges})
}
