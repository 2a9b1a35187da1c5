//! Input that must be refused is refused with a located message and exit code 2, never with a panic.

mod common;

use std::path::{Path, PathBuf};
use std::process::Output;

fn tertium(arguments: &[&str]) -> Output {
    common::tertium(".", arguments)
}

fn corpus(folder: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../corpus").join(folder)
}

#[track_caller]
fn refused(args: &[&str]) {
    let output = tertium(args);
    let stderr = String::from_utf8_lossy(&output.stderr);
    let shown: String = stderr.chars().take(1000).collect();
    assert_eq!(output.status.code(), Some(2), "tertium {args:?}\n{shown}");
    assert!(stderr.contains("error[E") || stderr.contains("error: "), "no message: tertium {args:?}\n{shown}");
    assert!(!stderr.contains("internal error") && !stderr.contains("panicked"), "tertium {args:?}\n{shown}");
    assert!(output.stdout.is_empty(), "a refused input has no result: tertium {args:?}");
    assert!(stderr.len() < 100_000, "a message nobody reads: tertium {args:?}");
}

#[test]
fn every_bad_file_is_refused() {
    let mut count = 0;
    let entries = std::fs::read_dir(corpus("bad")).unwrap_or_else(|error| panic!("{error}"));
    for entry in entries {
        let path = entry.unwrap_or_else(|error| panic!("{error}")).path();
        let file = path.to_string_lossy().into_owned();
        // Files whose mistake is in a property must be refused for that, so none is given here.
        let own_properties =
            std::fs::read(&path).is_ok_and(|text| String::from_utf8_lossy(&text).contains("property "));
        if own_properties {
            refused(&["check", &file]);
        } else {
            refused(&["check", &file, "-p", "EF p"]);
            refused(&["export", &file, "--to", "dot"]);
        }
        count += 1;
    }
    assert!(count > 30, "the corpus is gone: {count} files");
}

fn good_model(folder: &str) -> String {
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("{folder}.json"));
    let model =
        r#"{"states": {"a": {"p": "t"}}, "props": ["p"], "must": [["a","a"]], "may": [["a","a"]], "init": "a"}"#;
    std::fs::write(&path, model).unwrap_or_else(|error| panic!("{error}"));
    path.to_string_lossy().into_owned()
}

#[test]
fn bad_formulas_are_refused() {
    let model = good_model("formulas");
    let formulas = [
        ("ctl", ""),
        ("ctl", "AG"),
        ("ctl", "AG (p"),
        ("ctl", "AG p)"),
        ("ctl", "p &"),
        ("ctl", "A p"),
        ("ctl", "G p"),
        ("ltl", "AG p"),
        ("ltl", "p U"),
        ("mu", "mu X. !X"),
        ("mu", "mu X. p -> !(q & X"),
        ("mu", "X"),
        ("pml", "AG p"),
        ("ctl", "AG q"),
        ("ctl", "AG \"p"),
        ("ctl", "\u{0}\u{1}"),
        ("ctl", "AG p\u{fffd}"),
        ("mu", "<nosuchaction> p"),
    ];
    for (logic, formula) in formulas {
        // A NUL cannot be an argument of a process.
        if formula.contains('\0') {
            continue;
        }
        refused(&["check", &model, "--logic", logic, "-p", formula]);
    }
    refused(&["check", &model, "-p", "[] p"]);
}

/// A structure with one property; arguments of a process cannot be as long as files.
fn with_property(name: &str, logic: &str, formula: &str) -> String {
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("{name}.kmts"));
    let model = format!("init a\nstate a p: t\na -must-> a\nproperty deep : {logic} {formula}\n");
    std::fs::write(&path, model).unwrap_or_else(|error| panic!("{error}"));
    path.to_string_lossy().into_owned()
}

#[test]
fn deep_nesting_is_no_danger() {
    let levels = 100_000;
    let brackets = format!("{}p{}", "(".repeat(levels), ")".repeat(levels));
    let negations = format!("{}p", "!".repeat(levels));
    let steps = format!("{}p", "EX ".repeat(levels));
    for (name, formula) in [("brackets", brackets), ("negations", negations), ("steps", steps)] {
        let output = tertium(&["check", &with_property(name, "ctl", &formula), "--format", "json", "-q"]);
        let stderr: String = String::from_utf8_lossy(&output.stderr).chars().take(500).collect();
        assert_eq!(output.status.code(), Some(0), "{name}: {stderr}");
    }
    refused(&["check", &with_property("unclosed", "ctl", &"(".repeat(levels))]);
    refused(&["check", &with_property("odd", "mu", &format!("{}!X", "mu X. ".repeat(levels)))]);
}

#[test]
fn bad_usage_is_refused() {
    let model = good_model("usage");
    let cases: &[&[&str]] = &[
        &["nosuchcommand"],
        &["check"],
        &["check", "/no/such/file.json"],
        &["check", "/no/such/file"],
        &["check", &model],
        &["check", &model, "-p", "p", "--timeout", "5x"],
        &["check", &model, "-p", "p", "--timeout", "-5s"],
        &["check", &model, "-p", "p", "--memory", "lots"],
        &["check", &model, "-p", "p", "--memory", "NaN"],
        &["check", &model, "-p", "p", "--engine", "nosuch"],
        &["check", &model, "-p", "p", "--at", "nowhere"],
        &["check", &model, "-p", "p", "--only", "nosuch"],
        &["check", &model, "-p", "p", "--expect", "p1"],
        &["check", &model, "-p", "p", "--expect", "p7=true"],
        &["check", &model, "-p", "p", "--semantics", "thorough", "--engine", "game"],
        &["check", &model, "-p", "AG p", "--engine", "automata"],
        &["compare", &model, "/no/such/file.json"],
        &["compare", &model, &model, "--from", "a"],
        &["compare", &model, &model, "--from", "a", "--to", "nowhere"],
        &["certify", &model, "/no/such/file.json"],
        &["certify", &model, &model],
        &["formula", "AG ("],
        &["formula", "AG p", "--hoa"],
        &["export", &model, "--to", "nosuch"],
        &["export", &model, "--to", "dot", "-o", "/no/such/dir/x.dot"],
    ];
    for case in cases {
        refused(case);
    }
}

#[test]
fn limits_end_in_a_stopped_answer() {
    let model = good_model("limits");
    for (limit, value, why) in [("--timeout", "0s", "timeout"), ("--memory", "1K", "memory")] {
        let output = tertium(&["check", &model, "-p", "AG p", limit, value, "--format", "json"]);
        assert_eq!(output.status.code(), Some(5), "{}", String::from_utf8_lossy(&output.stderr));
        let document: serde_json::Value =
            serde_json::from_slice(&output.stdout).unwrap_or_else(|error| panic!("{limit}: {error}"));
        assert_eq!(document["results"][0]["value"], "unknown");
        assert_eq!(document["results"][0]["stopped"], why);
        assert_eq!(tertium(&["check", &model, "-p", "AG p", limit, value]).status.code(), Some(5));
    }
}

/// Peterson's lock for five: many more nodes are made than are needed at a time.
fn peterson() -> String {
    let mut text =
        "system peterson\nvar level : array[0..4] of 0..4 = 0\nvar victim : array[1..4] of 0..4 = 0\n".to_owned();
    for at in 0..5 {
        text.push_str(&format!("process P{at} {{ loop {{ "));
        for level in 1..5 {
            let others: Vec<String> = (0..5).filter(|&o| o != at).map(|o| format!("level[{o}] < {level}")).collect();
            let others = others.join(" && ");
            text.push_str(&format!("level[{at}] := {level}; victim[{level}] := {at}; "));
            text.push_str(&format!("await victim[{level}] != {at} || ({others}); "));
        }
        text.push_str(&format!("critical: skip; level[{at}] := 0 }} }}\n"));
    }
    text + "property mutex : ctl AG !(P0@critical && P1@critical)\n"
}

#[test]
fn sets_make_do_with_the_memory_they_get() {
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join("peterson.gcl");
    std::fs::write(&path, peterson()).unwrap_or_else(|error| panic!("{error}"));
    let file = path.to_string_lossy().into_owned();
    let output = tertium(&["check", &file, "--engine", "symbolic", "--memory", "32M"]);
    assert_eq!(output.status.code(), Some(0), "{}", String::from_utf8_lossy(&output.stdout));
    let output = tertium(&["check", &file, "--engine", "symbolic", "--memory", "1M"]);
    assert_eq!(output.status.code(), Some(5), "{}", String::from_utf8_lossy(&output.stdout));
}

/// A model from elsewhere cannot have other files read and quoted.
#[test]
fn files_outside_the_models_folder_are_not_included() {
    let room = Path::new(env!("CARGO_TARGET_TMPDIR")).join("including");
    let (folder, other) = (room.join("model"), room.join("other"));
    std::fs::create_dir_all(&folder).unwrap_or_else(|error| panic!("{error}"));
    std::fs::create_dir_all(&other).unwrap_or_else(|error| panic!("{error}"));
    let write = |path: PathBuf, text: &str| {
        std::fs::write(&path, text).unwrap_or_else(|error| panic!("{error}"));
        path.to_string_lossy().into_owned()
    };
    let secret = write(other.join("secret.h"), "byte secret = 1 2 3;\n");
    write(other.join("shared.h"), "byte x = 1;\n");
    for path in [secret.as_str(), "../other/secret.h", "/dev/zero", "/proc/self/mem"] {
        let model = write(folder.join("m.pml"), &format!("#include \"{path}\"\nactive proctype P() {{ skip }}\n"));
        for command in ["check", "explore", "simulate", "abstract"] {
            refused(&[command, &model]);
        }
        let output = tertium(&["check", &model]);
        let stderr = String::from_utf8_lossy(&output.stderr);
        assert!(stderr.contains("E0503") && !stderr.contains("1 2 3"), "{stderr}");
    }
    let model = write(folder.join("m.pml"), "#include \"../other/shared.h\"\nactive proctype P() { assert(x == 1) }\n");
    let output = tertium(&["check", &model, "--include-dir", &other.to_string_lossy()]);
    assert_eq!(output.status.code(), Some(0), "{}", String::from_utf8_lossy(&output.stderr));
    refused(&["check", "examples/door.kmts", "--include-dir", &other.to_string_lossy()]);
}

/// Nothing that a model holds reaches the terminal raw.
#[test]
fn deceptive_characters_are_written_out() {
    let room = Path::new(env!("CARGO_TARGET_TMPDIR")).join("deceptive\u{202e}");
    std::fs::create_dir_all(&room).unwrap_or_else(|error| panic!("{error}"));
    let path = room.join("m\u{200b}.kmts");
    let model = "state \"a\\u202e\" \"p\\u202e\": t\nstate \"b\\n true\" \"p\\u202e\": ?\ninit \"a\\u202e\"\n\
        \"a\\u202e\" -may-> \"b\\n true\"\nproperty \"x\\u2066\\u009b\" : ctl AG \"p\u{202e}\"\n";
    std::fs::write(&path, model).unwrap_or_else(|error| panic!("{error}"));
    let file = path.to_string_lossy().into_owned();
    let evidence = room.join("evidence").to_string_lossy().into_owned();
    let raw = |text: &[u8]| {
        let text = String::from_utf8_lossy(text).into_owned();
        let found = text.chars().find(|&c| tertium_base::visible::is_deceptive(c) && c != '\n');
        assert_eq!(found, None, "{text:?}");
    };
    for args in [
        &["check", &file][..],
        &["check", &file, "-v", "--evidence", &evidence],
        &["check", &file, "-p", "AG \u{202e}q"],
        &["check", &file, "--only", "y\u{202e}"],
        &["compare", &file, &file, "--relation"],
        &["formula", "AG \"p\u{202e}\""],
        &["check", "no\u{202e}\u{1b}[31m.gcl"],
    ] {
        let output = tertium(args);
        let refused = args.len() > 3 && matches!(args[2], "-p" | "--only") || args[1].starts_with("no");
        assert_eq!(output.status.code() == Some(2), refused, "{args:?}: {}", String::from_utf8_lossy(&output.stderr));
        raw(&output.stdout);
        raw(&output.stderr);
    }
}
