//! Every certificate that `check` writes is accepted by `certify`, and none that says something else.

mod common;

use std::path::{Path, PathBuf};
use std::process::Output;

fn tertium(arguments: &[&str]) -> Output {
    common::tertium(".", arguments)
}

fn files(folder: &Path, ending: &str) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).unwrap_or_else(|error| panic!("{}: {error}", folder.display()));
    let mut found: Vec<PathBuf> = entries.filter_map(|entry| Some(entry.ok()?.path())).collect();
    found.retain(|path| path.to_string_lossy().ends_with(ending));
    found.sort();
    found
}

/// The same certificate with another value, or with completions that have changed places.
fn flipped(text: &str) -> String {
    if text.contains("\"completions\"") {
        let swapped = text.replace("\"satisfying\"", "\"\u{1}\"").replace("\"violating\"", "\"satisfying\"");
        return swapped.replace("\"\u{1}\"", "\"violating\"");
    }

    let (yes, no) = ("\"value\": \"true\"", "\"value\": \"false\"");
    if text.contains(yes) { text.replace(yes, no) } else { text.replace(no, yes) }
}

#[test]
fn what_check_writes_certify_accepts() {
    let examples = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples");
    let count = certified(&files(&examples, ".kmts"), "compositional");
    assert!(count >= 5, "only {count} certificates were written");
}

/// Values that only completions decide, and one of every kind of proof.
const OPEN: &str = "props p, q, r
init a
state a p: t, q: f, r: t
state b p: ?, q: ?, r: t
state c p: t, q: f, r: t
state d p: f, q: ?, r: ?
a -must-> b
b -must-> c
c -must-> c
a -may-> d
d -hyper-> {c, d}
property middle : ctl AG (p | !p)
property both   : ctl EF (q & !q)
property always : ltl G (p -> X p) | F (p & X !p)
property never  : ltl X (q & !q & r) | (X X !r & G r)
property step   : ctl AX p & !AX p
property open   : ctl AG (p | q)
property path   : ltl G (p | q)
property star   : ctl* E F (q & X r)
";

/// Several initial states, of which some satisfy what others leave open.
const BEGUN: &str = "props p
init a, b, c
state a p: t
state b p: ?
state c p: ?
a -must-> a
b -must-> b
c -may-> b
c -must-> c
property now  : ctl AG p
property path : ltl G p
property next : ctl EX p
";

#[test]
fn what_completions_leave_open_is_certified_at_every_initial_state() {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("begun");
    std::fs::create_dir_all(&folder).unwrap_or_else(|error| panic!("{error}"));
    let model = folder.join("begun.kmts");
    std::fs::write(&model, BEGUN).unwrap_or_else(|error| panic!("{error}"));
    assert_eq!(certified(&[model], "thorough"), 3, "certificates were written");
}

#[test]
fn what_completions_decide_is_certified() {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("completions");
    std::fs::create_dir_all(&folder).unwrap_or_else(|error| panic!("{error}"));
    let model = folder.join("open.kmts");
    std::fs::write(&model, OPEN).unwrap_or_else(|error| panic!("{error}"));
    let count = certified(&[model], "thorough");
    assert_eq!(count, 8, "certificates were written");
    let examples = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples");
    let count = certified(&files(&examples, ".kmts"), "thorough");
    assert!(count >= 8, "only {count} certificates were written");
}

/// Has `certify` look at every certificate that `check` writes, and at changed ones; how many there were.
fn certified(models: &[PathBuf], semantics: &str) -> usize {
    let mut count = 0;
    for model in models {
        let name = model.file_stem().map_or_else(String::new, |stem| stem.to_string_lossy().into_owned());
        let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("evidence").join(semantics).join(name);
        let (model, folder_text) = (model.to_string_lossy(), folder.to_string_lossy());
        let output = tertium(&["check", &model, "--semantics", semantics, "--evidence", &folder_text, "-q"]);
        if output.status.code() == Some(2) && String::from_utf8_lossy(&output.stderr).contains("E0310") {
            continue;
        }
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
    count
}

/// Answers about SMV models and Horn clauses, true and false: what was written is checked against the text, read anew, and no flipped one is accepted.
#[test]
fn smv_models_and_horn_clauses_are_certified() {
    let corpus = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../corpus");
    let (mut values, folder) = (std::collections::BTreeSet::new(), common::folder("certified-languages"));
    for model in ["smv/mutex_modules.smv", "smv/restrictions.smv", "smv/words_all.smv", "horn/bounded.smt2"] {
        let (path, written) = (corpus.join(model), folder.join(model.replace(['/', '.'], "_")));
        let (model, written_name) = (path.to_string_lossy(), written.to_string_lossy());
        tertium(&["check", &model, "--evidence", &written_name]);
        let certificates = files(&written, ".cert.json");
        assert!(!certificates.is_empty(), "{model}: no certificate");
        for certificate in certificates {
            let output = tertium(&["certify", &model, &certificate.to_string_lossy()]);
            let told = common::out(&output);
            assert!(output.status.success() && told.starts_with("proved"), "{model}: {told}");
            values.insert(told.contains(" is true "));
            let text = std::fs::read_to_string(&certificate).expect("a certificate");
            std::fs::write(&certificate, flipped(&text)).expect("a file");
            let output = tertium(&["certify", &model, &certificate.to_string_lossy()]);
            assert!(!output.status.success(), "{model}: accepts what is flipped\n{text}");
        }
    }
    assert_eq!(values.len(), 2, "true and false answers are certified");
}
