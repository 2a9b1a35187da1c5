//! The expected answers in `corpus/`, as data.

use std::path::PathBuf;

use serde_json::Value;

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
