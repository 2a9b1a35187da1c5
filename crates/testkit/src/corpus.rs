//! The expected answers in `corpus/`, as data.

use std::path::PathBuf;

use serde_json::Value;
use tertium_lattice::{Belnap, TruthValue};
use tertium_model::{Kmts, KmtsBuilder, StateId};

/// The folder `corpus/` of the workspace.
#[must_use]
pub fn folder() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../corpus")
}

/// All vectors of `corpus/vectors/`, in the order of files and of entries.
///
/// # Panics
/// If a file is missing or no JSON list.
#[must_use]
pub fn vectors() -> Vec<Value> {
    ["own", "papers", "parameters", "random"].iter().flat_map(|file| vectors_of(file)).collect()
}

fn vectors_of(file: &str) -> Vec<Value> {
    let path = folder().join("vectors").join(format!("{file}.json"));
    let text = std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    match serde_json::from_str(&text) {
        Ok(Value::Array(vectors)) => vectors,
        other => panic!("{} is no list of vectors: {other:?}", path.display()),
    }
}

/// The vectors whose `semantics` is this.
///
/// # Panics
/// If there is none: a test must not pass because its data is gone.
#[must_use]
pub fn vectors_with_semantics(semantics: &str) -> Vec<Value> {
    let found: Vec<Value> = vectors().into_iter().filter(|vector| vector["semantics"] == semantics).collect();
    assert!(!found.is_empty(), "no vector has the semantics `{semantics}`");
    found
}

/// The structure that a vector's `model`, `abstract` or `concrete` field describes; none for
/// parameterised and lattice-valued ones. Read apart from the readers of `model`, for small tests only.
///
/// # Panics
/// If it names a state or value that does not exist.
#[must_use]
pub fn structure(model: &Value) -> Option<Kmts> {
    let states = model["states"].as_object()?;
    if model.get("edges").is_some() {
        return None;
    }
    let mut builder = KmtsBuilder::new();
    let names: Vec<&String> = states.keys().collect();
    let ids: Vec<StateId> = names.iter().map(|name| builder.add_state(name)).collect();
    let find = |name: &Value| {
        let at = names.iter().position(|known| *known == name);
        ids[at.unwrap_or_else(|| panic!("no state {name}"))]
    };
    for prop in list(&model["props"]) {
        let id = builder.add_prop(prop.as_str()?);
        for (state, labels) in ids.iter().zip(states.values()) {
            let letter = labels.get(prop.as_str()?).map_or("u", |value| value.as_str().unwrap_or_default());
            let value = Belnap::ALL.iter().find(|value| value.letter() == letter);
            builder.set_label(*state, id, *value.unwrap_or_else(|| panic!("no value `{letter}`")));
        }
    }
    for edge in list(&model["may"]) {
        builder.add_edge(find(&edge[0]), find(&edge[1]), true, false, None);
    }
    for edge in list(&model["must"]) {
        builder.add_edge(find(&edge[0]), find(&edge[1]), false, true, None);
    }
    for edge in list(&model["hyper"]) {
        let members: Vec<StateId> = list(&edge[1]).iter().map(&find).collect();
        builder.add_hyper(find(&edge[0]), &members, None);
    }
    for constraint in list(&model["fair"]) {
        builder.add_fairness(list(constraint).iter().map(|edge| (find(&edge[0]), find(&edge[1]), None)).collect());
    }
    for init in model.get("init").into_iter().flat_map(one_or_many) {
        builder.add_init(find(init));
    }
    builder.set_total(model["total"] == true);
    builder.finish().ok()
}

fn list(value: &Value) -> &[Value] {
    value.as_array().map_or(&[], Vec::as_slice)
}

fn one_or_many(value: &Value) -> &[Value] {
    value.as_array().map_or(std::slice::from_ref(value), Vec::as_slice)
}
