//! Stored runs are repeated, and conversations over standard input go as they should.

mod common;
#[path = "programs/in_a_terminal.rs"]
mod in_a_terminal;

use std::path::Path;
use std::process::Output;

use common::{ROOT, out as text};

fn tertium(arguments: &[&str], input: &str) -> Output {
    common::tertium_reading(ROOT, arguments, input)
}

#[test]
fn stored_runs_are_repeated_and_changed_ones_are_not() {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("runs");
    let folder_text = folder.to_string_lossy();
    let program = "examples/transfer.gcl";
    let output = tertium(&["check", program, "-q", "--evidence", &folder_text, "-p", "F right = 10"], "");
    assert_eq!(output.status.code(), Some(10), "{}", text(&output));
    let output = tertium(&["check", program, "-q", "--evidence", &folder_text], "");
    assert_eq!(output.status.code(), Some(10), "{}", text(&output));
    for (name, given) in [("p1", &["-p", "F right = 10"][..]), ("assertions", &[]), ("deadlocks", &[])] {
        let path = folder.join(format!("{name}.itf.json"));
        let path_text = path.to_string_lossy().into_owned();
        let replay = |path: &str| tertium(&[&["simulate", program, "--replay", path], given].concat(), "");
        let output = replay(&path_text);
        assert_eq!(output.status.code(), Some(10), "{name}: {}", text(&output));
        assert!(text(&output).contains(&format!("shows that `{name}` is false")), "{name}: {}", text(&output));
        let stored = std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{path_text}: {error}"));
        let changed = stored.replacen("\"#bigint\": \"3\"", "\"#bigint\": \"4\"", 1);
        assert_ne!(stored, changed, "{name} has a 3 to change");
        let wrong = folder.join("wrong.json");
        std::fs::write(&wrong, changed).unwrap_or_else(|error| panic!("{error}"));
        let output = replay(&wrong.to_string_lossy());
        assert_eq!(output.status.code(), Some(2), "{name}: {}", text(&output));
        assert!(String::from_utf8_lossy(&output.stderr).contains("E0324"), "{name}");
        // A run that is said to show something else does not.
        let other = stored.replacen(&format!("\"property\": \"{name}\""), "\"property\": \"never_empty\"", 1);
        std::fs::write(&wrong, other).unwrap_or_else(|error| panic!("{error}"));
        let output = tertium(&["simulate", program, "--replay", &wrong.to_string_lossy()], "");
        assert_eq!(output.status.code(), Some(5), "{name}: {}", text(&output));
        assert!(text(&output).contains("does not show that `never_empty` is false"), "{name}: {}", text(&output));
    }
}

#[test]
fn files_that_are_no_runs_are_refused() {
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join("no-run.json");
    for content in ["", "[]", "{\"states\": []}", "{\"states\": [{\"left\": 3}]}", "{\"states\": [7], \"loop\": 9}"] {
        std::fs::write(&path, content).unwrap_or_else(|error| panic!("{error}"));
        let output = tertium(&["simulate", "examples/transfer.gcl", "--replay", &path.to_string_lossy()], "");
        assert_eq!(output.status.code(), Some(2), "{content}");
        assert!(String::from_utf8_lossy(&output.stderr).contains("E0320"), "{content}");
    }
}

#[test]
fn a_person_leads() {
    let lines = "1\n2\nwatch want1 && want2\nback\njump 0\n9\nwatch nothing\n1\nrun\n\nquit\n";
    let output = tertium(&["simulate", "examples/peterson.gcl", "--interactive"], lines);
    let shown = text(&output);
    assert_eq!(output.status.code(), Some(0), "{shown}");
    let expected = [
        "    1  P line 9: want1 := true",
        "> step 1  want1=true  P@give",
        "> step 2  want2=true  Q@give",
        "  want1 && want2 = true",
        "> step 1  want2=false  Q@rest",
        "  want1 && want2 = false",
        "> step 0  want1=false  P@rest",
        "> no such step; `help` lists what can be typed",
        "> error[E0405]: no variable, constant or definition is named `nothing`",
        "> 0  start                    want1=false want2=false turn=1 P@rest Q@rest",
        "1  P line 9: want1 := true  want1=true P@give",
    ];
    let mut rest = shown.as_str();
    for line in expected {
        let Some(at) = rest.find(line) else { panic!("`{line}` is missing, or out of order, in\n{shown}") };
        rest = &rest[at + line.len()..];
    }
}

/// The lines stand in the text, in this order.
#[track_caller]
fn in_order(shown: &str, expected: &[&str]) {
    let mut rest = shown;
    for line in expected {
        let Some(at) = rest.find(line) else { panic!("`{line}` is missing, or out of order, in\n{shown}") };
        rest = &rest[at + line.len()..];
    }
}

/// Along a counterexample, away from it, back to it, to its end.
#[test]
fn a_person_goes_along_a_counterexample_and_leaves_it() {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("along");
    let program = "docs/guide/models/claim.gcl";
    let output = tertium(&["check", program, "-q", "--evidence", &folder.to_string_lossy()], "");
    assert_eq!(output.status.code(), Some(10), "{}", text(&output));
    let run = folder.join("deadlocks.itf.json").to_string_lossy().into_owned();
    let lines = "next\nstate\n1\nnext\nrejoin\nend\nnext\nback 2\nuntil Q@look && P@look\njump 0\njump 9\nwatch want1\nunwatch want1\n                 unwatch want1\nuntil nobody\nuntil want1 && !want1\nreset\nquit\n";
    let output = tertium(&["simulate", program, "--replay", &run, "-i"], lines);
    let shown = text(&output);
    in_order(
        &shown,
        &[
            "step 0 of 2  want1=false",
            " *  1  P line 8: want1 := true",
            "> step 1 of 2  want1=true  P@look",
            "    1  P line",
            " *  2  Q line 16: want2 := true",
            ">   want1=true\n  want2=false\n",
            "> step 2, off the stored run since step 1",
            "> this is off the stored run; `rejoin` goes back to it",
            "> step 1 of 2",
            "> step 2, at the end of the stored run",
            "deadlock: no process can step",
            "> the stored run ends here",
            "> step 0 of 2",
            "> step 2, at the end of the stored run",
            "> step 0 of 2",
            "> a number from 0 to 2 is wanted",
            "  want1 = false",
            "> step 0 of 2",
            "> this is not watched",
            "> error[E0405]",
            "> it does not hold up to here, where no step is possible",
            "> step 0 of 2",
        ],
    );
    assert_eq!(output.status.code(), Some(0), "{shown}");
}

/// A run that goes round for ever: its end is told, one may go on from there, and a walk to what never holds changes nothing.
#[test]
fn a_person_goes_round_and_on() {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("round");
    let program = "docs/guide/models/look.gcl";
    tertium(&["check", program, "-q", "--evidence", &folder.to_string_lossy()], "");
    let run = folder.join("enters.itf.json").to_string_lossy().into_owned();
    let lines = "until in1 && !in1\nend\n1\nuntil in1 && !in1\nrejoin\nwatch in1 var z : bool\nquit\n";
    let output = tertium(&["simulate", program, "--replay", &run, "-i"], lines);
    in_order(
        &text(&output),
        &[
            "step 0 of 6",
            "it did not hold in 10000 steps; the walk is where it was\nstep 0 of 6",
            "step 6, at the end of the stored run",
            "step 7, off the stored run since step 6",
            "it did not hold in 10000 steps",
            "step 7, off the stored run since step 6",
            "step 6, at the end of the stored run",
            "error[E0374]: `in1 var z : bool` is more than one expression",
        ],
    );
    assert_eq!(output.status.code(), Some(0), "{}", text(&output));
}

#[test]
fn a_conversation_that_ends_early_ends_well() {
    let output = tertium(&["simulate", "examples/peterson.gcl", "-i"], "1\n");
    assert_eq!(output.status.code(), Some(0));
}

#[test]
fn bad_programs_are_refused_by_every_command() {
    let deep = format!("system s\nvar x : 0..1 = {}1{}\n", "(".repeat(50_000), ")".repeat(50_000));
    let texts: [&[u8]; 6] = [
        b"",
        b"\xff\xfe\x00",
        b"system",
        b"system s\nprocess P { x := 1; }",
        b"system s\nproperty p : ltl G (",
        deep.as_bytes(),
    ];
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join("bad.gcl");
    let file = path.to_string_lossy().into_owned();
    for content in texts {
        std::fs::write(&path, content).unwrap_or_else(|error| panic!("{error}"));
        for command in ["check", "explore", "simulate"] {
            let output = tertium(&[command, &file], "");
            let message = String::from_utf8_lossy(&output.stderr).into_owned();
            assert_eq!(output.status.code(), Some(2), "{command}: {}", &message[..message.len().min(500)]);
            assert!(message.contains("error[E") && !message.contains("panicked"), "{command}");
            assert!(output.stdout.is_empty(), "{command}: a refused program has no result");
        }
        let code = tertium(&["fmt", "--check", &file], "").status.code();
        assert!(matches!(code, Some(0 | 2 | 10)), "fmt: {code:?}");
    }
}

/// A limit that is reached while initial states are listed is an answer, not an error without a report.
#[test]
fn a_limit_before_the_first_state_is_reported() {
    let program = "system many\nvar a, b, c : 0..250\ninit a + b + c = 750\nprocess P { loop { a := a; } }\nproperty p : ltl G a = 250\n";
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join("many.gcl");
    std::fs::write(&path, program).expect("a file can be written");
    let output = tertium(&["check", &path.to_string_lossy(), "-q", "--timeout", "10ms", "--format", "json"], "");
    assert_eq!(output.status.code(), Some(5), "{output:?}");
    let report: serde_json::Value = serde_json::from_slice(&output.stdout).expect("a report");
    assert_eq!(report["results"][0]["stopped"], "timeout", "{report}");
}

#[test]
fn certificates_are_made_as_asked() {
    let made = |which: &str| {
        let folder = common::folder(&format!("certificates-{which}"));
        let arguments = ["check", "examples/peterson.gcl", "-q", "--certificates", which, "--evidence"];
        let output = tertium(&[&arguments[..], &[&folder.to_string_lossy()]].concat(), "");
        assert_eq!(output.status.code(), Some(0), "{}", text(&output));
        let files = std::fs::read_dir(&folder).unwrap_or_else(|error| panic!("{error}"));
        let name = |entry: std::fs::DirEntry| entry.file_name().to_string_lossy().into_owned();
        files.filter_map(|entry| entry.ok().map(name)).filter(|name| name.ends_with(".cert.json")).count()
    };
    assert_eq!(made("never"), 0);
    assert_eq!((made("always"), made("auto")), (5, 5));
    let output = tertium(&["check", "examples/peterson.gcl", "--certificates", "always"], "");
    assert_eq!(output.status.code(), Some(2), "without a folder for them: {}", text(&output));
}
