//! What is written is whole or absent, has a name of its own, and is not from an earlier run; what cannot be written is told.

#![cfg(target_os = "linux")]

mod common;

use std::collections::BTreeSet;
use std::fs::File;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::time::Instant;

use common::ROOT;

fn command(arguments: &[&str]) -> Command {
    let mut command = common::command(arguments);
    command.current_dir(ROOT);
    command
}

fn tertium(arguments: &[&str]) -> Output {
    common::tertium(ROOT, arguments)
}

fn folder(name: &str) -> PathBuf {
    common::folder(&format!("writing/{name}"))
}

/// All files below a folder, as paths relative to it.
fn files(dir: &Path) -> BTreeSet<String> {
    let (mut found, mut rooms) = (BTreeSet::new(), vec![dir.to_owned()]);
    while let Some(room) = rooms.pop() {
        for entry in std::fs::read_dir(&room).into_iter().flatten().filter_map(Result::ok) {
            let path = entry.path();
            if path.is_dir() {
                rooms.push(path);
            } else if let Ok(inner) = path.strip_prefix(dir) {
                found.insert(inner.to_string_lossy().into_owned());
            }
        }
    }
    found
}

#[test]
fn results_that_are_lost_are_a_failure() {
    let (program, structure) = ("examples/peterson.gcl", "examples/door.kmts");
    let commands: &[&[&str]] = &[
        &["--version"],
        &["--help"],
        &["check", program],
        &["check", program, "-q"],
        &["check", program, "--format", "json"],
        &["check", structure, "--format", "ndjson"],
        &["check", structure, "--format", "sarif"],
        &["check", structure, "--format", "junit"],
        &["check", "no-such-file.gcl", "--format", "json"],
        &["compare", structure, structure],
        &["compare", structure, structure, "--format", "json"],
        &["explore", program],
        &["explore", program, "--format", "json"],
        &["abstract", program],
        &["abstract", program, "--to", "dot"],
        &["simulate", program, "--steps", "3"],
        &["simulate", program, "--steps", "3", "--format", "json"],
        &["fmt", "--stdout", program],
        &["formula", "AG p"],
        &["formula", "AG p", "--format", "json"],
        &["export", structure, "--to", "json"],
        &["export", program, "--to", "smv"],
        &["completions", "bash"],
        &["man"],
    ];
    for args in commands {
        let full = File::options().write(true).open("/dev/full").unwrap_or_else(|error| panic!("{error}"));
        let output = command(args).stdout(full).output().unwrap_or_else(|error| panic!("{args:?}: {error}"));
        let stderr = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{args:?}: {stderr}");
        assert!(stderr.contains("No space left"), "{args:?}: {stderr}");
    }
}

/// The same for files: they stay as they were.
#[test]
fn files_that_do_not_fit_are_a_failure_and_stay_as_they_were() {
    let dir = folder("limit");
    let commands = [
        "check examples/peterson.gcl -q --evidence DIR",
        "check examples/door.kmts -q --evidence DIR",
        "export examples/door.kmts --to json -o DIR/kept",
        "export examples/peterson.gcl --to smv -o DIR/kept",
        "explore examples/peterson.gcl --graph DIR/kept.dot",
        "abstract examples/peterson.gcl --to json -o DIR/kept",
        "simulate examples/peterson.gcl --steps 30 -o DIR/kept",
        "view examples/door.kmts --out DIR/kept",
    ];
    for text in commands {
        for name in ["kept", "kept.dot"] {
            std::fs::write(dir.join(name), "as it was").unwrap_or_else(|error| panic!("{error}"));
        }
        // No file may become larger than half a kilobyte; without the signal, writing more is an error.
        let script = "trap '' XFSZ; ulimit -f 0; exec \"$@\"";
        let words = text.replace("DIR", &dir.to_string_lossy());
        let mut limited = Command::new("bash");
        limited.args(["-c", script, "bash", env!("CARGO_BIN_EXE_tertium")]).args(words.split(' '));
        let output = limited.current_dir(ROOT).output().unwrap_or_else(|error| panic!("{error}"));
        let stderr = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{text}: {stderr}");
        assert!(stderr.contains("error[E0302]: cannot write"), "{text}: {stderr}");
        for name in ["kept", "kept.dot"] {
            assert_eq!(std::fs::read(dir.join(name)).unwrap_or_default(), b"as it was", "{text}");
        }
        assert_eq!(files(&dir), ["kept", "kept.dot"].map(str::to_owned).into(), "{text}");
    }
}

/// A part of a graph would be read as the graph of another program.
#[test]
fn a_graph_that_a_limit_cut_off_is_not_written_and_the_limit_is_the_exit_code() {
    let dir = folder("cut");
    for name in ["s.dot", "s.aut", "s.json", "s.kmts"] {
        let graph = dir.join(name);
        std::fs::write(&graph, "as it was").unwrap_or_else(|error| panic!("{error}"));
        let graph = graph.to_string_lossy().into_owned();
        let explore = ["explore", "examples/peterson.gcl", "--graph", &graph, "--format", "json"];
        let output = tertium(&[&explore[..], &["--max-states", "3"]].concat());
        let stderr = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(5), "{name}: {stderr}");
        assert!(stderr.contains("warning[W0316]"), "{name}: {stderr}");
        let report: serde_json::Value =
            serde_json::from_slice(&output.stdout).unwrap_or_else(|error| panic!("{name}: {error}"));
        assert_eq!(report["complete"], false, "{report}");
        assert_eq!(std::fs::read(&graph).unwrap_or_default(), b"as it was");
        assert_eq!(tertium(&explore).status.code(), Some(0));
        assert_ne!(std::fs::read(&graph).unwrap_or_default(), b"as it was");
    }
}

#[test]
fn properties_with_similar_names_have_files_of_their_own() {
    let dir = folder("names");
    let model = dir.join("m.json");
    let text = r#"{"states": {"a": {"p": "t"}}, "props": ["p"], "must": [["a","a"]], "may": [["a","a"]], "init": "a",
        "properties": [{"name": "x/y", "formula": "AG p"}, {"name": "x_y", "formula": "EF p"},
            {"name": "x y", "formula": "AX p"}, {"name": "..", "formula": "EX p"}]}"#;
    std::fs::write(&model, text).unwrap_or_else(|error| panic!("{error}"));
    let (model, evidence) = (model.to_string_lossy().into_owned(), dir.join("evidence"));
    let output = tertium(&["check", &model, "--evidence", &evidence.to_string_lossy(), "--format", "json"]);
    assert_eq!(output.status.code(), Some(0), "{}", String::from_utf8_lossy(&output.stderr));
    let report: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap_or_else(|error| panic!("{error}"));
    let results = report["results"].as_array().cloned().unwrap_or_default();
    let mut names = BTreeSet::new();
    for result in &results {
        let path = result["evidence"]["file"].as_str().unwrap_or_else(|| panic!("{result}"));
        let text = std::fs::read_to_string(path).unwrap_or_else(|error| panic!("{path}: {error}"));
        let formula = result["formula"].as_str().unwrap_or_default();
        assert!(text.contains(formula), "{path} is not about {formula}");
        names.insert(path.to_owned());
    }
    assert_eq!((results.len(), names.len()), (4, 4), "{names:?}");
    assert!(files(&evidence).contains("x%2Fy.cert.json"), "{:?}", files(&evidence));
}

const RIGHT: &str =
    "system counter\nvar x : 0..3 = 0\nprocess P { while x < 3 { x := x + 1; } }\nproperty safe : ltl G (x <= 3)\n";

#[test]
fn a_new_counterexample_does_not_stand_beside_an_old_certificate() {
    let dir = folder("stale");
    let (model, evidence) = (dir.join("m.gcl"), dir.join("evidence"));
    let check = |text: &str, code: i32| {
        std::fs::write(&model, text).unwrap_or_else(|error| panic!("{error}"));
        let (model, evidence) = (model.to_string_lossy(), evidence.to_string_lossy());
        let output = tertium(&["check", &model, "--evidence", &evidence, "-q"]);
        assert_eq!(output.status.code(), Some(code), "{}", String::from_utf8_lossy(&output.stderr));
        files(Path::new(evidence.as_ref()))
    };
    let first = check(RIGHT, 0);
    assert!(first.contains("safe.cert.json"), "{first:?}");
    std::fs::write(evidence.join("notes.cert.json"), "mine").unwrap_or_else(|error| panic!("{error}"));
    let second = check(&RIGHT.replace("G (x <= 3)", "G (x <= 2)"), 10);
    assert!(second.contains("safe.itf.json") && !second.contains("safe.cert.json"), "{second:?}");
    let third = check(&RIGHT.replace("safe", "safer"), 0);
    assert!(third.contains("safer.cert.json") && !third.iter().any(|name| name.starts_with("safe.")), "{third:?}");
    assert!(third.contains("notes.cert.json"), "a file that nobody listed: {third:?}");
}

/// However soon a run is killed, what it leaves is whole.
#[test]
fn a_run_that_is_killed_leaves_whole_files() {
    let dir = folder("killed");
    let evidence = |name: &str| dir.join(name).to_string_lossy().into_owned();
    let model = "corpus/gcl/bakery_c.gcl";
    let start = Instant::now();
    tertium(&["check", model, "-q", "--evidence", &evidence("whole")]);
    let whole = start.elapsed();
    assert!(files(&dir.join("whole")).len() > 5, "{:?}", files(&dir.join("whole")));
    for at in 0..20 {
        let mut run = command(&["check", model, "-q", "--evidence", &evidence("killed")]);
        let mut child = run.stdout(Stdio::null()).spawn().unwrap_or_else(|error| panic!("{error}"));
        // Most files are written in the second half.
        std::thread::sleep(whole / 2 + whole * at / 40);
        let _ = child.kill();
        let _ = child.wait();
        for name in files(&dir.join("killed")) {
            let path = dir.join("killed").join(&name);
            let text = std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{name}: {error}"));
            if name.ends_with(".json") {
                let read: Result<serde_json::Value, _> = serde_json::from_str(&text);
                assert!(read.is_ok(), "{name} after kill {at}: {read:?}");
            } else if name.ends_with(".smt2") {
                let other = std::fs::read_to_string(dir.join("whole").join(&name)).unwrap_or_default();
                assert_eq!(text, other, "{name} after kill {at}");
            } else if name.ends_with(".html") {
                assert!(text.trim_end().ends_with("</html>"), "{name} after kill {at}");
            } else {
                assert!(name.contains(".tertium-") || name.ends_with(".run.txt"), "{name} after kill {at}");
            }
        }
    }
    // What was left unfinished is cleared away by the next run.
    tertium(&["check", model, "-q", "--evidence", &evidence("killed")]);
    assert!(files(&dir.join("killed")) == files(&dir.join("whole")), "{:?}", files(&dir.join("killed")));
}
