//! The files in `editors/` are what editors accept, and know the words that the languages have.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use serde_json::Value;
use tertium_driver::editor::TextKind;

fn editors() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../editors")
}

fn json(path: &str) -> Value {
    let path = editors().join("vscode").join(path);
    let text = std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    serde_json::from_str(&text).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// The words of an expression `\b(?:a|b)\b` or `(?:(a|b))`.
fn alternatives(expression: &str) -> BTreeSet<String> {
    let inside = expression.rsplit("(?:").next().unwrap_or("").trim_start_matches('(');
    let inside = &inside[..inside.find(')').unwrap_or(inside.len())];
    inside.split('|').map(str::to_owned).collect()
}

fn keywords(kind: TextKind) -> BTreeSet<String> {
    kind.keywords().iter().map(|&word| word.to_owned()).collect()
}

#[test]
fn every_file_that_the_extension_names_is_there() {
    let package = json("package.json");
    let languages = package["contributes"]["languages"].as_array().unwrap();
    assert_eq!(languages.len(), 3);
    for language in languages {
        let id = language["id"].as_str().unwrap();
        let kind = TextKind::from_name(id).unwrap_or_else(|| panic!("the server does not know {id}"));
        for extension in language["extensions"].as_array().unwrap() {
            let file = format!("model{}", extension.as_str().unwrap());
            assert_eq!(TextKind::of(Path::new(&file)), Some(kind), "{file}");
        }
        assert!(json(language["configuration"].as_str().unwrap())["comments"].is_object());
    }
    for grammar in package["contributes"]["grammars"].as_array().unwrap() {
        let found = json(grammar["path"].as_str().unwrap());
        assert_eq!(found["scopeName"], grammar["scopeName"]);
        includes_exist(&found, &found["repository"]);
    }
    let main = editors().join("vscode").join(package["main"].as_str().unwrap());
    assert!(std::fs::read_to_string(main).unwrap().contains("require(\"./client\")"));
    assert!(std::fs::read_to_string(editors().join("vscode/client.js")).unwrap().contains("[\"lsp\"]"));
}

/// Every `#name` that a grammar includes is in its repository.
fn includes_exist(value: &Value, repository: &Value) {
    match value {
        Value::Object(fields) => {
            if let Some(name) = fields.get("include").and_then(Value::as_str) {
                assert!(repository.get(name.trim_start_matches('#')).is_some(), "{name}");
            }
            fields.values().for_each(|field| includes_exist(field, repository));
        }
        Value::Array(items) => items.iter().for_each(|item| includes_exist(item, repository)),
        _ => {}
    }
}

#[test]
fn grammars_have_the_words_of_the_languages() {
    for (kind, name) in [(TextKind::Gcl, "gcl"), (TextKind::Promela, "promela")] {
        let grammar = json(&format!("syntaxes/{name}.tmLanguage.json"));
        let patterns = grammar["repository"]["keywords"]["patterns"].as_array().unwrap();
        let words = patterns.iter().flat_map(|pattern| alternatives(pattern["match"].as_str().unwrap()));
        assert_eq!(words.collect::<BTreeSet<_>>(), keywords(kind), "{name}");
    }
    let grammar = json("syntaxes/kmts.tmLanguage.json");
    let words = alternatives(grammar["repository"]["statements"]["match"].as_str().unwrap());
    assert_eq!(words, keywords(TextKind::Kmts));
}

#[test]
fn vim_has_them_too() {
    for (kind, name) in [(TextKind::Gcl, "gcl"), (TextKind::Promela, "promela"), (TextKind::Kmts, "kmts")] {
        let file = std::fs::read_to_string(editors().join(format!("vim/syntax/{name}.vim"))).unwrap();
        let lines = file.lines().filter(|line| line.starts_with("syn keyword"));
        let words = lines.flat_map(|line| line.split_whitespace().skip(3)).map(str::to_owned);
        assert_eq!(words.collect::<BTreeSet<_>>(), keywords(kind), "{name}");
    }
}

/// The extension talks to the real server; the editor around it is a pretence, in `editors/drive.js`.
#[test]
#[allow(clippy::print_stderr, reason = "a test that is skipped says so")]
fn the_extension_works_without_any_package() {
    if std::process::Command::new("node").arg("--version").output().is_err() {
        eprintln!("skipped: there is no node to run the extension");
        return;
    }
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    let model = here.join("../../docs/guide/models/claim.gcl").canonicalize().unwrap();
    let output = std::process::Command::new("node")
        .arg(here.join("tests/editors/drive.js"))
        .arg(editors().join("vscode").canonicalize().unwrap())
        .args([Path::new(env!("CARGO_BIN_EXE_tertium")), &model])
        .output()
        .unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
}
