//! What is written for scripts has the shape that is published in `docs/schema`; and the program starts at once.

mod common;
mod schemas;

use std::path::Path;
use std::process::Command;
use std::time::{Duration, Instant};

use common::ROOT;
use schemas::violations;
use serde_json::Value;

/// Inputs of all kinds: structures, lattices, parameters, programs, abstraction, limits, warnings.
const INPUTS: &[&[&str]] = &[
    &["examples/door.kmts"],
    &["examples/door.kmts", "--semantics", "thorough"],
    &["examples/door.kmts", "-p", "EX open", "--all-states", "--expect", "p1=true"],
    &["examples/two_experts.kmts"],
    &["examples/handshake.kmts"],
    &["examples/traffic_v2.kmts"],
    &["examples/transfer.gcl"],
    &["examples/peterson.gcl"],
    &["examples/printer.pml"],
    &["corpus/gcl/tickets.gcl", "--max-states", "50"],
    &["corpus/gcl/bakery_a.gcl", "--refinements", "0"],
    &["corpus/gcl/loop/overtaken.gcl"],
    &["corpus/gcl/parity_c3.gcl"],
    &["corpus/promela/micro/micro_never_cycle.pml"],
];

fn schema(name: &str) -> Value {
    let path = Path::new(ROOT).join("docs/schema").join(name);
    let text = std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    serde_json::from_str(&text).unwrap_or_else(|error| panic!("{name}: {error}"))
}

fn output(arguments: &[&str]) -> String {
    let output = common::tertium(ROOT, &[&["check"], arguments].concat());
    let code = output.status.code();
    assert!(matches!(code, Some(0 | 5 | 10)), "{arguments:?}: {code:?} {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap_or_else(|error| panic!("{error}"))
}

fn read(text: &str) -> Value {
    serde_json::from_str(text).unwrap_or_else(|error| panic!("{error}: {text}"))
}

#[test]
fn documents_have_the_published_shape() {
    let schema = schema("check.schema.json");
    for input in INPUTS {
        let text = output(&[*input, &["--format", "json"]].concat());
        assert_eq!(violations(&schema, &read(&text)), Vec::<String>::new(), "{input:?}");
    }
}

/// What `abstract` says of programs, by schema: over predicates, with error traces and tainted indices, and with a spotlight.
const ABSTRACTIONS: &[(&str, &[&str])] = &[
    ("abstract.schema.json", &["corpus/gcl/bakery_a.gcl"]),
    ("abstract.schema.json", &["corpus/gcl/bakery_b.gcl", "--error-trace"]),
    ("abstract.schema.json", &["docs/papers/models/tainted.pml"]),
    ("spotlight.schema.json", &["corpus/gcl/spotlight_loop.gcl", "--spotlight", "P1"]),
    ("spotlight.schema.json", &["corpus/gcl/mutex_flags.gcl", "--spotlight", "P1,P2", "--parameters", "on"]),
];

#[test]
fn abstractions_have_the_published_shape() {
    for (name, input) in ABSTRACTIONS {
        let output = common::tertium(ROOT, &[&["abstract"], *input, &["--format", "json"]].concat());
        assert_eq!(output.status.code(), Some(0), "{input:?}: {}", String::from_utf8_lossy(&output.stderr));
        let text = String::from_utf8_lossy(&output.stdout);
        assert_eq!(violations(&schema(name), &read(&text)), Vec::<String>::new(), "{input:?}");
    }
}

#[test]
fn events_have_the_published_shape_and_come_in_order() {
    let schema = schema("events.schema.json");
    for input in INPUTS {
        let text = output(&[*input, &["--format", "ndjson"]].concat());
        let lines: Vec<Value> = text.lines().map(read).collect();
        for line in &lines {
            assert_eq!(violations(&schema, line), Vec::<String>::new(), "{input:?}");
        }
        let kinds: Vec<&str> = lines.iter().filter_map(|line| line["type"].as_str()).collect();
        assert_eq!((kinds[0], kinds[kinds.len() - 1]), ("header", "summary"), "{input:?}");
        assert!(kinds.contains(&"phase") && kinds.contains(&"result"), "{input:?}: {kinds:?}");
        let quiet = output(&[*input, &["--format", "ndjson", "-q"]].concat());
        assert!(!quiet.contains("\"type\":\"phase\"") && quiet.starts_with("{\"type\":\"header\""), "{input:?}");
    }
}

#[test]
fn reports_have_the_published_shape() {
    let schema = schema("page.schema.json");
    let dir = std::env::temp_dir().join(format!("tertium-schema-{}", std::process::id()));
    for (at, input) in INPUTS.iter().enumerate() {
        let dir = dir.join(at.to_string());
        output(&[*input, &["-q", "--evidence", &dir.to_string_lossy()]].concat());
        let text =
            std::fs::read_to_string(dir.join("report.json")).unwrap_or_else(|error| panic!("{input:?}: {error}"));
        let report = read(&text);
        assert_eq!(violations(&schema, &report), Vec::<String>::new(), "{input:?}");
        let count = |value: &Value| value.as_array().map(Vec::len);
        assert_eq!(count(&report["details"]), count(&report["report"]["results"]), "{input:?}");
    }
    let _ = std::fs::remove_dir_all(dir);
}

#[test]
fn code_flows_tell_who_does_what_in_which_order() {
    let report = read(&output(&["examples/transfer.gcl", "--only", "assertions", "--format", "sarif"]));
    let result = &report["runs"][0]["results"][0];
    assert_eq!(result["kind"], "fail");
    assert_eq!(result["locations"][0]["physicalLocation"]["region"]["startLine"], 17);
    let flows = result["codeFlows"][0]["threadFlows"].as_array().unwrap_or_else(|| panic!("no flows: {result}"));
    let names: Vec<&str> = flows.iter().filter_map(|flow| flow["id"].as_str()).collect();
    assert_eq!(names, ["start", "Clerk[1]", "Clerk[2]", "Auditor"]);
    let mut orders: Vec<u64> = flows
        .iter()
        .flat_map(|flow| flow["locations"].as_array().into_iter().flatten())
        .filter_map(|place| place["executionOrder"].as_u64())
        .collect();
    orders.sort_unstable();
    assert_eq!(orders, (1..=11).collect::<Vec<_>>());
    assert!(flows[1]["locations"][0]["state"].as_object().is_some_and(|state| !state.is_empty()));
}

#[test]
fn a_failure_for_build_servers_has_its_run() {
    let text = output(&["examples/transfer.gcl", "--format", "junit"]);
    assert!(text.contains("failures=\"2\"") && text.contains("Auditor line 17: assert left + right = 10"), "{text}");
}

/// Commands that have no result, and what they exit with.
const FAILURES: &[(&[&str], i32)] = &[
    (&["check", "no-such-file.gcl"], 2),
    (&["check", "examples/door.kmts", "-p", "AG (open"], 2),
    (&["check", "examples/door.kmts", "-p", "AG nowhere"], 2),
    (&["check", "examples/peterson.gcl", "--at", "s"], 2),
    (&["check", "examples/peterson.gcl", "--nonsense"], 2),
    (&["check", "examples/peterson.gcl", "--timeout", "soon"], 2),
    (&["compare", "examples/door.kmts", "no-such-file.kmts"], 2),
    (&["explore", "no-such-file.gcl"], 2),
    (&["abstract", "no-such-file.gcl"], 2),
    (&["simulate", "examples/peterson.gcl", "--replay", "examples/door.kmts"], 2),
    (&["certify", "examples/door.kmts", "examples/door.kmts"], 2),
    (&["formula", "AG ("], 2),
];

fn failure(arguments: &[&str], format: &str, code: i32) -> String {
    let output = common::tertium(ROOT, &[arguments, &["--format", format]].concat());
    let stderr = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(code), "{arguments:?}: {stderr}");
    assert!(stderr.contains("error"), "{arguments:?}: nothing for people: {stderr}");
    String::from_utf8(output.stdout).unwrap_or_else(|error| panic!("{error}"))
}

/// Several models: the whole, and each of its parts as it would be alone.
#[test]
fn several_models_have_the_published_shape() {
    let models = ["examples/door.kmts", "examples/two_experts.kmts", "corpus/bad", "examples/transfer.gcl"];
    let check = |format: &str| {
        let output = common::tertium(ROOT, &[&["check", "--format", format], models.as_slice()].concat());
        assert_eq!(output.status.code(), Some(2), "{}", common::err(&output));
        common::out(&output)
    };
    let document = read(&check("json"));
    assert_eq!(violations(&schema("several.schema.json"), &document), Vec::<String>::new());
    let (answer, failure) = (schema("check.schema.json"), schema("error.schema.json"));
    let reports = document["reports"].as_array().unwrap_or_else(|| panic!("no reports"));
    assert!(reports.len() > 10, "{}", reports.len());
    for report in reports {
        let shape = if report.get("error").is_some() { &failure } else { &answer };
        assert_eq!(violations(shape, report), Vec::<String>::new());
    }
    let events = schema("events.schema.json");
    for line in check("ndjson").lines() {
        assert_eq!(violations(&events, &read(line)), Vec::<String>::new(), "{line}");
    }
}

#[test]
fn failures_have_the_published_shape() {
    let (schema, events) = (schema("error.schema.json"), schema("events.schema.json"));
    let bad = std::fs::read_dir(Path::new(ROOT).join("corpus/bad")).unwrap_or_else(|error| panic!("{error}"));
    let bad: Vec<String> = bad.filter_map(|entry| Some(entry.ok()?.path().to_string_lossy().into_owned())).collect();
    // A mistake in a property of the file is seen only if that is asked.
    let own =
        |file: &&String| std::fs::read(file).is_ok_and(|text| String::from_utf8_lossy(&text).contains("property "));
    let of_corpus = bad.iter().filter(|file| !own(file)).map(|file| (vec!["check", file.as_str(), "-p", "EF p"], 2));
    let all: Vec<(Vec<&str>, i32)> =
        FAILURES.iter().map(|(args, code)| (args.to_vec(), *code)).chain(of_corpus).collect();
    for (arguments, code) in &all {
        let document = read(&failure(arguments, "json", *code));
        assert_eq!(violations(&schema, &document), Vec::<String>::new(), "{arguments:?}");
        assert_eq!(document["error"]["exit_code"], *code, "{arguments:?}");
        assert!(document.get("results").is_none(), "{arguments:?}");
        if arguments[0] != "check" {
            continue;
        }
        let lines: Vec<Value> = failure(arguments, "ndjson", *code).lines().map(read).collect();
        for line in &lines {
            assert_eq!(violations(&events, line), Vec::<String>::new(), "{arguments:?}");
        }
        assert_eq!(lines.last().map(|line| &line["type"]), Some(&Value::from("error")), "{arguments:?}");
        if document.get("file").is_some() {
            assert_eq!(lines[0]["type"], "header", "{arguments:?}");
        }
        let sarif = read(&failure(arguments, "sarif", *code));
        let invocation = &sarif["runs"][0]["invocations"][0];
        assert_eq!(invocation["executionSuccessful"], false, "{arguments:?}");
        assert!(failure(arguments, "junit", *code).contains("errors=\"1\""), "{arguments:?}");
    }
}

/// The shortest time in which a command ends.
fn shortest(program: &str, argument: &str) -> Duration {
    let once = |_| {
        let start = Instant::now();
        let output = Command::new(program).arg(argument).output();
        assert!(output.is_ok_and(|output| output.status.success()), "{program}");
        start.elapsed()
    };
    (0..15).map(once).min().unwrap_or_default()
}

/// Ten milliseconds for a release build on a machine that does nothing else. A machine that is slower, or does something else, is
/// slower to start any program, so that is what this is compared with.
#[cfg(unix)]
#[test]
fn help_comes_at_once() {
    let (help, other) = (shortest(env!("CARGO_BIN_EXE_tertium"), "--help"), shortest("true", ""));
    assert!(help < other * 150, "{help:?}, where `true` takes {other:?}");
}
