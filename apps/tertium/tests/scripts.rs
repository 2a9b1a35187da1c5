//! What scripts rely on: standard input, several models at once, names that tell nothing, expectations that could never be met.

mod common;

use common::{ROOT, err, folder, json, out, tertium, tertium_reading, values};
use serde_json::Value;

const LAMP: &str =
    "system lamp\nvar on : bool = false\nprocess Hand { loop { on := !on; } }\nproperty dark : ltl G !on\n";
const HOLDS: &str = "props p\nstate a p: t\ninit a\na -must-> a\nproperty always : ctl AG p\n";
const OPEN: &str = "props p\nstate a p: ?\ninit a\na -must-> a\nproperty always : ctl AG p\n";

fn code(output: &std::process::Output) -> i32 {
    output.status.code().unwrap_or(-1)
}

#[test]
fn standard_input_is_a_model() {
    let report = tertium_reading(ROOT, &["check", "-", "--language", "gcl", "--format", "json"], LAMP);
    assert_eq!(code(&report), 10, "{}", err(&report));
    let report = json(&report);
    assert_eq!((report["input"]["file"].as_str(), report["input"]["kind"].as_str()), (Some("<stdin>"), Some("gcl")));
    assert_eq!(values(&report)[0], ("dark".to_owned(), "false".to_owned()));
    for (language, text) in [
        ("kmts", HOLDS),
        (
            "json",
            r#"{"states": {"a": {"p": "t"}}, "props": ["p"], "must": [["a","a"]], "may": [["a","a"]], "init": "a"}"#,
        ),
        ("promela", "active proctype P() { skip }"),
    ] {
        let asked = if language == "promela" { "true" } else { "EX p" };
        let output = tertium_reading(ROOT, &["check", "-", "--language", language, "-p", asked, "-q"], text);
        assert_eq!(code(&output), 0, "{language}: {}{}", out(&output), err(&output));
    }
    // The other commands that read programs, and the layout.
    let explored = tertium_reading(ROOT, &["explore", "-", "--language", "gcl", "--format", "json"], LAMP);
    assert_eq!(json(&explored)["states"], 2);
    let simulated = tertium_reading(ROOT, &["simulate", "-", "--language", "gcl", "--steps", "2"], LAMP);
    assert!(out(&simulated).contains("2 steps, seed 0"), "{}", out(&simulated));
    let laid_out = tertium_reading(ROOT, &["fmt", "-"], &LAMP.replace(" := ", ":="));
    assert_eq!((code(&laid_out), out(&laid_out)), (0, LAMP.to_owned()));
    assert_eq!(code(&tertium_reading(ROOT, &["fmt", "-", "--check"], &LAMP.replace(" := ", ":="))), 10);
    assert_eq!(code(&tertium_reading(ROOT, &["fmt", "-", "--check"], LAMP)), 0);
    // Without a language there is none; a mistake has its place.
    let unsaid = tertium_reading(ROOT, &["check", "-"], LAMP);
    assert!(code(&unsaid) == 2 && err(&unsaid).contains("E0344"), "{}", err(&unsaid));
    let wrong =
        tertium_reading(ROOT, &["check", "-", "--language", "gcl", "--format", "json"], "system s\nvar x : 0..3 = y\n");
    let wrong = json(&wrong);
    assert_eq!(wrong["error"]["diagnostics"][0]["places"][0]["file"], "<stdin>", "{wrong}");
    assert_eq!(wrong["file"], "<stdin>");
}

#[test]
fn what_is_advised_about_standard_input_can_be_typed() {
    let stuck = "props p\nstate a p: t\nstate b p: ?\ninit a\na -must-> b\nb -must-> b\nproperty always : ctl AG p\n";
    let output = tertium_reading(ROOT, &["check", "-", "--language", "kmts"], stuck);
    assert!(out(&output).contains("tertium check - --language kmts --only always"), "{}", out(&output));
}

#[test]
fn names_that_tell_no_language_are_refused() {
    let room = folder("scripts-names");
    for name in ["lamp.txt", "lamp", "lamp.gcl.bak"] {
        std::fs::write(room.join(name), LAMP).expect("it is written");
        for command in ["check", "explore", "simulate", "reduce", "export"] {
            let more: &[&str] = if command == "export" { &["--to", "dot"] } else { &[] };
            let output = tertium(&room, &[&[command, name], more].concat());
            let said = err(&output);
            assert!(code(&output) == 2 && said.contains("E0343") && said.contains(".gcl"), "{command} {name}: {said}");
        }
        assert_eq!(code(&tertium(&room, &["check", name, "--language", "gcl"])), 10, "{name}");
    }
}

#[test]
fn expectations_that_cannot_be_met_are_refused() {
    let room = folder("scripts-expect");
    std::fs::write(room.join("open.kmts"), OPEN).expect("it is written");
    std::fs::write(room.join("lamp.gcl"), LAMP).expect("it is written");
    for (file, name) in [("open.kmts", "always"), ("lamp.gcl", "dark")] {
        let output = tertium(&room, &["check", file, "--expect", &format!("{name}=maybe")]);
        assert!(code(&output) == 2 && err(&output).contains("E0347"), "{}", err(&output));
    }
    assert_eq!(code(&tertium(&room, &["check", "open.kmts", "--expect", "always=?"])), 0);
    // Over a lattice of one's own its elements are the values.
    let experts = format!("{ROOT}/examples/two_experts.kmts");
    let output = tertium(&room, &["check", &experts, "--expect", "p1=maybe", "-p", "EX true"]);
    assert!(err(&output).contains("the values are: "), "{}", err(&output));
}

fn several(name: &str) -> std::path::PathBuf {
    let room = folder(name);
    std::fs::create_dir_all(room.join("models/deep/.hidden")).expect("a folder");
    for (file, text) in [
        ("models/lamp.gcl", LAMP),
        ("models/deep/holds.kmts", HOLDS),
        ("models/deep/notes.json", "[]"),
        ("models/deep/.hidden/broken.gcl", "broken"),
        ("models/README", "no model"),
        ("open.kmts", OPEN),
    ] {
        std::fs::write(room.join(file), text).expect("it is written");
    }
    room
}

#[test]
fn several_models_have_one_summary() {
    let room = several("scripts-several");
    let output = tertium(&room, &["check", "models", "open.kmts"]);
    let text = out(&output);
    assert_eq!(code(&output), 10, "{text}");
    assert!(text.contains("\n3 models, "), "{text}");
    assert!(text.contains("\n  false    models/lamp.gcl\n  unknown  open.kmts\n"), "{text}");
    let document = json(&tertium(&room, &["check", "models", "open.kmts", "--format", "json"]));
    let files: Vec<&str> = document["reports"]
        .as_array()
        .expect("a list")
        .iter()
        .filter_map(|one| one["input"]["file"].as_str())
        .collect();
    assert_eq!(files, ["models/deep/holds.kmts", "models/lamp.gcl", "open.kmts"]);
    assert_eq!(document["summary"]["models"], 3);
    assert_eq!(document["summary"]["values"]["false"], 1, "{document}");
    // A model that cannot be read does not hide the others, nor do they hide it.
    std::fs::write(room.join("models/broken.gcl"), "system").expect("it is written");
    let output = tertium(&room, &["check", "models", "open.kmts", "--format", "json"]);
    let document = json(&output);
    assert_eq!((code(&output), &document["summary"]["refused"]), (2, &Value::from(1)), "{document}");
    assert_eq!(document["reports"][0]["error"]["kind"], "input");
    assert_eq!(document["reports"][0]["file"], "models/broken.gcl");
    assert_eq!(document["reports"][2]["results"][0]["name"], "dark");
    let junit = out(&tertium(&room, &["check", "models", "--format", "junit"]));
    assert_eq!((junit.matches("<testsuite ").count(), junit.matches("<?xml").count()), (3, 1), "{junit}");
    let sarif = json(&tertium(&room, &["check", "models", "--format", "sarif"]));
    assert_eq!(sarif["runs"].as_array().map(Vec::len), Some(3));
    let lines = out(&tertium(&room, &["check", "models", "--format", "ndjson"]));
    let last: Value = serde_json::from_str(lines.lines().last().unwrap_or_default()).expect("a line of JSON");
    assert_eq!((&last["type"], &last["models"]), (&Value::from("total"), &Value::from(3)));
}

#[test]
fn several_models_keep_their_evidence_apart() {
    let room = several("scripts-evidence");
    let output = tertium(&room, &["check", "models", "open.kmts", "-q", "--evidence", "proofs"]);
    assert_eq!(code(&output), 10, "{}", err(&output));
    for folder in ["open%2Ekmts", "models%2Flamp%2Egcl", "models%2Fdeep%2Fholds%2Ekmts"] {
        assert!(room.join("proofs").join(folder).join("evidence.json").exists(), "{folder}");
    }
    assert!(room.join("proofs/models%2Flamp%2Egcl/dark.itf.json").exists());
}

#[test]
fn what_is_about_one_model_is_refused_for_several() {
    let room = several("scripts-one");
    for option in [&["--only", "dark"][..], &["--expect", "dark=true"], &["--at", "a"]] {
        let output = tertium(&room, &[&["check", "models"], option].concat());
        assert!(code(&output) == 2 && err(&output).contains("E0345"), "{option:?}: {}", err(&output));
    }
    std::fs::create_dir_all(room.join("empty")).expect("a folder");
    let output = tertium(&room, &["check", "empty"]);
    assert!(code(&output) == 2 && err(&output).contains("E0346"), "{}", err(&output));
    let stopped = tertium(&room, &["check", "models", "open.kmts", "--fail-fast", "--format", "json"]);
    assert_eq!(json(&stopped)["summary"]["not_begun"], 1, "{}", out(&stopped));
}

/// Whoever breaks off at the first violation was not interrupted: engines that are dismissed say nothing of that kind.
#[test]
fn the_first_violation_ends_a_run_with_its_own_code() {
    for _ in 0..10 {
        let mut command = std::process::Command::new(env!("CARGO_BIN_EXE_tertium"));
        command.args(["check", "docs/guide/models/claim.gcl", "--fail-fast", "--format", "json"]).current_dir(ROOT);
        let output = command.env_remove("TERTIUM_DETERMINISTIC").output().expect("it runs");
        assert_eq!(code(&output), 10, "{}{}", out(&output), err(&output));
        assert!(values(&json(&output)).iter().any(|(_, value)| value == "false"), "{}", out(&output));
    }
}
