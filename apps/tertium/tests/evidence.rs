//! Every certificate that `check` writes is accepted by `certify`, and none that says something else.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

fn tertium(args: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_tertium"))
        .args(args)
        .output()
        .unwrap_or_else(|error| panic!("tertium {args:?}: {error}"))
}

fn files(folder: &Path, ending: &str) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).unwrap_or_else(|error| panic!("{}: {error}", folder.display()));
    let mut found: Vec<PathBuf> = entries.filter_map(|entry| Some(entry.ok()?.path())).collect();
    found.retain(|path| path.to_string_lossy().ends_with(ending));
    found.sort();
    found
}

fn flipped(text: &str) -> String {
    let (yes, no) = ("\"value\": \"true\"", "\"value\": \"false\"");
    if text.contains(yes) { text.replace(yes, no) } else { text.replace(no, yes) }
}

#[test]
fn what_check_writes_certify_accepts() {
    let examples = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples");
    let mut count = 0;
    for model in files(&examples, ".kmts") {
        let name = model.file_stem().map_or_else(String::new, |stem| stem.to_string_lossy().into_owned());
        let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("evidence").join(name);
        let (model, folder_text) = (model.to_string_lossy(), folder.to_string_lossy());
        let output = tertium(&["check", &model, "--evidence", &folder_text, "-q"]);
        assert!(
            matches!(output.status.code(), Some(0 | 5 | 10)),
            "{model}: {}",
            String::from_utf8_lossy(&output.stderr)
        );
        for certificate in files(&folder, ".cert.json") {
            let path = certificate.to_string_lossy().into_owned();
            let output = tertium(&["certify", &model, &path]);
            assert_eq!(output.status.code(), Some(0), "{path}: {}", String::from_utf8_lossy(&output.stdout));
            let text = std::fs::read_to_string(&certificate).unwrap_or_else(|error| panic!("{path}: {error}"));
            let wrong = folder.join("wrong.json");
            std::fs::write(&wrong, flipped(&text)).unwrap_or_else(|error| panic!("{path}: {error}"));
            assert_ne!(flipped(&text), text, "{path}: nothing was changed");
            let output = tertium(&["certify", &model, &wrong.to_string_lossy()]);
            assert_eq!(output.status.code(), Some(10), "{path}, with the opposite value, is accepted");
            count += 1;
        }
    }
    assert!(count >= 5, "only {count} certificates were written");
}
