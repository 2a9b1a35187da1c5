//! The default answers of the command line, of the editor and of the library (which the benches call, too) are the same on the corpus.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use serde_json::{Value, json};
use tertium::{Budget, Model, Options};

use crate::client::Client;
use crate::common;

/// Of each property its value and what decided it.
type Answers = BTreeMap<String, String>;

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// The models of some folders; of those with very many only some.
fn models() -> Vec<PathBuf> {
    let folders = [
        ("corpus/gcl", 1),
        ("corpus/gcl/bounded", 1),
        ("corpus/gcl/ends", 1),
        ("corpus/gcl/parameterised", 1),
        ("corpus/gcl/loop", 2),
        ("examples", 1),
        ("corpus/promela/abstracted", 2),
        ("corpus/promela/micro", 12),
    ];
    let mut models = Vec::new();
    for (folder, each) in folders {
        let entries = std::fs::read_dir(root().join(folder)).expect("the folder is there");
        let mut files: Vec<PathBuf> = entries.map(|entry| entry.expect("it can be read").path()).collect();
        files.retain(|path| {
            path.extension().is_some_and(|ending| ["gcl", "pml", "kmts"].iter().any(|&one| ending == one))
        });
        files.sort();
        models.extend(files.into_iter().step_by(each));
    }
    models
}

fn of_results(results: &Value) -> Answers {
    let results = results.as_array().expect("a list");
    results.iter().map(|result| (word(&result["name"]), word(&result["value"]))).collect()
}

fn word(value: &Value) -> String {
    value.as_str().unwrap_or_default().to_owned()
}

fn by_command(path: &Path) -> Option<Answers> {
    let output = common::tertium(".", &["check", "--format", "json", "--quiet", &path.to_string_lossy()]);
    let report: Value = serde_json::from_slice(&output.stdout).ok()?;
    report.get("results").map(of_results)
}

fn by_editor(client: &mut Client, path: &Path) -> Option<Answers> {
    let uri = format!("file://{}", path.canonicalize().expect("it is there").display());
    client.open(&uri, &std::fs::read_to_string(path).expect("a text"));
    let asked = json!({"command": "tertium.check", "arguments": [uri]});
    let answer = client.request("workspace/executeCommand", asked).ok()?;
    Some(of_results(&answer["results"]))
}

fn by_library(path: &Path) -> Option<Answers> {
    let model = Model::load(path).ok()?;
    let report = tertium::check(&model, &Options::default(), &Budget::unlimited(), &()).ok()?;
    Some(report.results.into_iter().map(|result| (result.name, result.value)).collect())
}

#[test]
fn command_editor_and_library_agree_on_the_corpus() {
    let (mut client, _) = Client::with(json!({}), json!({"timeoutSeconds": 1_000_000, "memoryMegabytes": 16384}));
    let mut compared = 0;
    for path in models() {
        let Some(expected) = by_command(&path) else { continue };
        let name = path.display();
        assert_eq!(by_editor(&mut client, &path).as_ref(), Some(&expected), "the editor on {name}");
        assert_eq!(by_library(&path).as_ref(), Some(&expected), "the library on {name}");
        compared += expected.len();
    }
    assert_eq!(client.finish(), Some(0));
    assert!(compared >= 200, "only {compared} answers were compared");
}
