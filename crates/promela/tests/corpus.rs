//! Are the models of the corpus accepted, and the broken ones refused with a message of our own at the right place?

use std::fs;
use std::path::{Path, PathBuf};

use tertium_base::render::render;
use tertium_promela::{Model, Options, read};
use tertium_testkit::corpus;

fn models(folder: &Path) -> Vec<(PathBuf, String)> {
    let mut paths: Vec<PathBuf> = fs::read_dir(folder)
        .unwrap_or_else(|error| panic!("{}: {error}", folder.display()))
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.extension().is_some_and(|extension| extension == "pml"))
        .collect();
    paths.sort();
    paths.into_iter().map(|path| (path.clone(), fs::read_to_string(&path).unwrap())).collect()
}

fn shown(model: &Model) -> String {
    let one = |diagnostic: &tertium_base::Diagnostic| {
        let piece = diagnostic.primary.as_ref().and_then(|label| model.sources.piece(label.span));
        render(diagnostic, piece, false) + "\n"
    };
    model.diagnostics.iter().map(one).collect()
}

/// Every name that lowering needs is found.
fn complete(model: &Model) -> bool {
    !model.is_broken() && model.symbols.meanings.iter().filter(|meaning| meaning.is_none()).count() == 0
}

#[test]
fn models_of_one_rule_each_are_accepted() {
    let models = models(&corpus::folder().join("promela/micro"));
    assert!(models.len() > 100);
    for (path, text) in models {
        let model = read(&path.display().to_string(), &text, &Options::default());
        assert!(complete(&model), "{}\n{}", path.display(), shown(&model));
    }
}

#[test]
fn every_model_has_its_expected_answers() {
    let folder = corpus::folder().join("promela/micro");
    let text = fs::read_to_string(folder.join("expected.json")).unwrap();
    let expected: serde_json::Value = serde_json::from_str(&text).unwrap();
    for (path, _) in models(&folder) {
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        assert!(expected[&name]["states"].is_u64() || expected[&name]["verdict"].is_string(), "{name}");
    }
}

/// What is refused is refused with the messages of `messages.txt`. To accept new ones: `TERTIUM_UPDATE=1`.
#[test]
fn broken_models_are_refused_with_a_place() {
    let folder = corpus::folder().join("promela/reject");
    let mut all = String::new();
    for (path, text) in models(&folder) {
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        let model = read(&name, &text, &Options::default());
        // Spin as it is usually built lacks `X`; we have it.
        assert_eq!(model.is_broken(), name != "ltl_next.pml", "{name}");
        assert!(model.diagnostics.iter().all(|diagnostic| diagnostic.primary.is_some()), "{name}");
        all += &format!("== {name}\n{}\n", shown(&model));
    }
    let file = folder.join("messages.txt");
    if std::env::var_os("TERTIUM_UPDATE").is_some() {
        fs::write(&file, &all).unwrap();
    }
    assert_eq!(all, fs::read_to_string(&file).unwrap_or_default(), "accept with TERTIUM_UPDATE=1");
}

/// Models by others are not part of the project; they are read where they lie beside it.
#[test]
#[allow(clippy::print_stderr, reason = "a test that is skipped says so")]
fn models_by_others_are_accepted() {
    let shared = corpus::folder().join("../../shared/promela");
    for folder in ["third_party", "scaling", "micro"] {
        let folder = shared.join(folder);
        if !folder.exists() {
            eprintln!("skipped: there is no {}", folder.display());
            continue;
        }
        for (path, text) in models(&folder) {
            let model = read(&path.display().to_string(), &text, &Options::default());
            assert!(complete(&model), "{}\n{}", path.display(), shown(&model));
        }
    }
}
