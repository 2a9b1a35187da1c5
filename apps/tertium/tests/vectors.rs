//! Every vector of `corpus/vectors` gives its expected value through the command line, on every engine
//! that supports it. An engine that declines must say why; kinds that the command line does not answer
//! yet are skipped by name and counted.

#![allow(clippy::print_stdout, reason = "the counts per kind and engine are the point of a verbose run")]

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use serde_json::Value;

const ENGINES: [&str; 6] = ["auto", "explicit", "reduction", "automata", "game", "symbolic"];

/// Kinds of vectors that belong to parts of the tool that do not exist yet, or to no command.
const SKIPPED: [&str; 4] = [
    "predicate-abstraction",
    "predicate-abstraction-run",
    "program",
    // Facts about Belnap's operations, which the lattice's own tests check.
    "belnap-info",
];

/// One question for the command line.
struct Case {
    id: String,
    kind: String,
    args: Vec<String>,
    expected: Expected,
}

enum Expected {
    /// `value` of the only result.
    Value(String),
    /// Whether some completion satisfies the formula: the value is not `false`.
    Exists(bool),
    /// `per_state` of the only result.
    PerState(BTreeMap<String, String>),
    /// `value`, and the values of all instances in any order.
    Instances(String, Vec<String>),
    /// `reasons` of the only result as (kind, first, second).
    Reasons(Vec<Vec<String>>),
    /// `refined_by`.
    Refined(bool),
    /// `relation`.
    Relation(Vec<Vec<String>>),
    /// `lattice`: join-irreducible elements with their stars.
    Irreducible(BTreeMap<String, String>),
}

fn corpus() -> Vec<Value> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../corpus/vectors");
    let mut all = Vec::new();
    for file in ["own", "papers", "parameters", "random"] {
        let path = folder.join(format!("{file}.json"));
        let text = std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        let Ok(Value::Array(list)) = serde_json::from_str(&text) else { panic!("{} is no list", path.display()) };
        all.extend(list);
    }
    all
}

fn text(value: &Value) -> String {
    value.as_str().unwrap_or_else(|| panic!("not a string: {value}")).to_owned()
}

fn long(letter: &str) -> String {
    match letter {
        "t" => "true",
        "f" => "false",
        "u" => "unknown",
        "b" => "both",
        other => other,
    }
    .to_owned()
}

fn map(value: &Value, word: impl Fn(&str) -> String) -> BTreeMap<String, String> {
    let Some(entries) = value.as_object() else { panic!("not an object: {value}") };
    entries.iter().map(|(key, value)| (key.clone(), word(&text(value)))).collect()
}

fn lists(value: &Value) -> Vec<Vec<String>> {
    let Some(entries) = value.as_array() else { panic!("not a list: {value}") };
    entries.iter().map(|entry| entry.as_array().into_iter().flatten().map(text).collect()).collect()
}

fn write(folder: &Path, name: &str, content: &Value) -> String {
    let path = folder.join(name);
    std::fs::write(&path, content.to_string()).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    path.to_string_lossy().into_owned()
}

/// The flags for one `semantics` name, or none if the command line does not answer it.
fn flags(semantics: &str) -> Option<Vec<&str>> {
    Some(match semantics {
        "kleene" => vec!["--semantics", "compositional"],
        "maximal" => vec!["--deadlock", "maximal"],
        "thorough" => vec!["--semantics", "thorough"],
        "thorough-total" => vec!["--semantics", "thorough", "--deadlock", "total"],
        "hyper-total" => vec!["--ltl", "hyper", "--deadlock", "total"],
        "bg" | "bg-total" | "hyper" | "tg" | "tg-pnf" => vec!["--ltl", semantics],
        _ => return None,
    })
}

/// The questions that one vector asks; none if its kind is skipped.
fn cases(vector: &Value, number: usize, folder: &Path) -> Vec<Case> {
    let semantics = text(&vector["semantics"]);
    let id = text(&vector["id"]);
    let expected = &vector["expected"];
    let one = |args: Vec<String>, expected| vec![Case { id: id.clone(), kind: semantics.clone(), args, expected }];
    match semantics.as_str() {
        "preorder" | "preorder-relation" => {
            let left = write(folder, &format!("{number}.a.json"), &vector["abstract"]);
            let right = write(folder, &format!("{number}.c.json"), &vector["concrete"]);
            let mut args = vec!["compare".to_owned(), left, right, "--relation".to_owned()];
            if semantics == "preorder-relation" {
                return one(args, Expected::Relation(lists(expected)));
            }
            let pair = [("--from", 0), ("--to", 1)];
            args.extend(pair.iter().flat_map(|(flag, at)| [(*flag).to_owned(), text(&vector["pair"][*at])]));
            return one(args, Expected::Refined(expected.as_bool().unwrap_or_else(|| panic!("{id}"))));
        }
        "join-irreducibles" => {
            let lattice = serde_json::json!({
                "lattice": "mine", "elements": vector["elements"], "leq": vector["leq"], "neg": vector["neg"],
            });
            let file = write(folder, &format!("{number}.json"), &lattice);
            let star = map(&expected["star"], str::to_owned);
            return one(vec!["check".to_owned(), file], Expected::Irreducible(star));
        }
        _ => {}
    }
    if vector.get("model").is_none() {
        return Vec::new();
    }
    let file = write(folder, &format!("{number}.json"), &vector["model"]);
    let ask = |flags: &[&str]| {
        let mut args = vec!["check".to_owned(), file.clone()];
        args.extend(["-p".to_owned(), text(&vector["formula"]), "--logic".to_owned(), text(&vector["logic"])]);
        if let Some(state) = vector.get("state") {
            args.extend(["--at".to_owned(), text(state)]);
        }
        args.extend(flags.iter().map(|&flag| flag.to_owned()));
        args
    };
    match semantics.as_str() {
        "all-ltl" | "kleene+thorough" => {
            let parts = map(expected, long);
            let part = |(name, value): (&String, &String)| {
                let args = ask(&flags(name)?);
                let (id, kind) = (format!("{id}:{name}"), format!("{semantics}:{name}"));
                Some(Case { id, kind, args, expected: Expected::Value(value.clone()) })
            };
            parts.iter().filter_map(part).collect()
        }
        "kleene-all-states" | "belnap-all-states" => {
            one(ask(&["--all-states"]), Expected::PerState(map(expected, long)))
        }
        "lattice" => one(ask(&["--all-states"]), Expected::PerState(map(expected, str::to_owned))),
        "gmc-exists" => {
            let exists = expected.as_bool().unwrap_or_else(|| panic!("{id}"));
            one(ask(&["--semantics", "thorough"]), Expected::Exists(exists))
        }
        "failure-reason" => one(ask(&[]), Expected::Reasons(lists(expected))),
        name => {
            if let Some(inner) = name.strip_prefix("pmc(").and_then(|rest| rest.strip_suffix(')')) {
                let Some(flags) = flags(inner) else { return Vec::new() };
                let mut instances: Vec<String> =
                    vector["instances"].as_array().into_iter().flatten().map(|value| long(&text(value))).collect();
                instances.sort();
                return one(ask(&flags), Expected::Instances(long(&text(expected)), instances));
            }
            let Some(flags) = flags(name) else { return Vec::new() };
            one(ask(&flags), Expected::Value(long(&text(expected))))
        }
    }
}

fn run(args: &[String], engine: &str) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_tertium"));
    command.args(args).args(["--format", "json"]).env("TERTIUM_PROGRESS", "off");
    if args[0] == "check" {
        command.args(["--engine", engine]);
    }
    command.output().unwrap_or_else(|error| panic!("{error}"))
}

/// What happened to one question on one engine.
enum Seen {
    Right,
    Declined(String),
    Wrong(String),
}

fn examine(case: &Case, output: &Output) -> Seen {
    let stderr = String::from_utf8_lossy(&output.stderr);
    if output.status.code() == Some(2) && stderr.contains("error[E0311]") {
        return Seen::Declined(stderr.lines().next().unwrap_or_default().to_owned());
    }
    let Ok(document) = serde_json::from_slice::<Value>(&output.stdout) else {
        return Seen::Wrong(format!("exit {:?}, no document; {stderr}", output.status.code()));
    };
    match mismatch(case, &document, output.status.code()) {
        None => Seen::Right,
        Some(difference) => Seen::Wrong(format!("{difference} {stderr}")),
    }
}

fn mismatch(case: &Case, document: &Value, code: Option<i32>) -> Option<String> {
    let result = &document["results"][0];
    let differs =
        |found: &Value, expected: Value| (*found != expected).then(|| format!("found {found}, not {expected}"));
    let value_and_code = |expected: &str| {
        let wanted = match expected {
            "true" => 0,
            "false" => 10,
            _ => 5,
        };
        differs(&result["value"], expected.into())
            .or_else(|| (code != Some(wanted)).then(|| format!("exit {code:?}, not {wanted}")))
    };
    match &case.expected {
        Expected::Value(expected) => value_and_code(expected),
        Expected::Exists(exists) => {
            let found = result["value"] != "false";
            (found != *exists).then(|| format!("found {}, and a completion {exists}", result["value"]))
        }
        Expected::PerState(expected) => differs(&result["per_state"], serde_json::json!(expected)),
        Expected::Instances(expected, instances) => value_and_code(expected).or_else(|| {
            let mut found: Vec<String> =
                result["instances"].as_array().into_iter().flatten().map(|entry| text(&entry["value"])).collect();
            found.sort();
            (found != *instances).then(|| format!("instances {found:?}, not {instances:?}"))
        }),
        Expected::Reasons(expected) => {
            let found: Vec<Vec<String>> = result["reasons"].as_array().into_iter().flatten().map(reason).collect();
            (found != *expected).then(|| format!("reasons {found:?}, not {expected:?}"))
        }
        Expected::Refined(expected) => differs(&document["refined_by"], (*expected).into())
            .or_else(|| (code != Some(if *expected { 0 } else { 10 })).then(|| format!("exit {code:?}"))),
        Expected::Relation(expected) => {
            let mut found = lists(&document["relation"]);
            found.sort();
            let mut expected = expected.clone();
            expected.sort();
            (found != expected).then(|| format!("relation {found:?}, not {expected:?}"))
        }
        Expected::Irreducible(star) => differs(&document["lattice"]["star"], serde_json::json!(star)),
    }
}

fn reason(value: &Value) -> Vec<String> {
    match value["kind"].as_str() {
        Some("edge") => vec!["edge".into(), text(&value["from"]), text(&value["to"])],
        Some("label") => vec!["label".into(), text(&value["state"]), text(&value["prop"])],
        other => vec![format!("{other:?}")],
    }
}

fn scratch() -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("vectors");
    std::fs::create_dir_all(&folder).unwrap_or_else(|error| panic!("{error}"));
    folder
}

#[test]
fn every_vector_has_its_expected_value_on_every_engine() {
    let folder = scratch();
    let mut counts: BTreeMap<(String, &str), [usize; 3]> = BTreeMap::new();
    let mut skipped: BTreeMap<String, usize> = BTreeMap::new();
    let mut declined: BTreeMap<(String, &str), String> = BTreeMap::new();
    let mut wrong: Vec<String> = Vec::new();
    for (number, vector) in corpus().iter().enumerate() {
        let cases = cases(vector, number, &folder);
        if cases.is_empty() {
            *skipped.entry(text(&vector["semantics"])).or_default() += 1;
        }
        for case in &cases {
            let asks_no_engine = case.args[0] == "compare" || matches!(case.expected, Expected::Irreducible(_));
            // Other engines decline all of the thorough semantics alike.
            let thorough = case.args.iter().any(|arg| arg == "thorough");
            let engines: &[&str] = match (asks_no_engine, thorough) {
                (true, _) => &ENGINES[..1],
                (false, true) => &ENGINES[..2],
                (false, false) => &ENGINES,
            };
            for &engine in engines {
                let entry = counts.entry((case.kind.clone(), engine)).or_default();
                match examine(case, &run(&case.args, engine)) {
                    Seen::Right => entry[0] += 1,
                    Seen::Declined(why) => {
                        entry[1] += 1;
                        declined.insert((case.kind.clone(), engine), why);
                    }
                    Seen::Wrong(how) => {
                        entry[2] += 1;
                        wrong.push(format!("{} on {engine}: {how}\n    tertium {}", case.id, case.args.join(" ")));
                    }
                }
            }
        }
    }
    for ((kind, engine), [right, refused, bad]) in &counts {
        println!("{kind:<26} {engine:<10} right {right:>3}  declined {refused:>3}  wrong {bad:>3}");
    }
    for ((kind, engine), why) in &declined {
        println!("declined: {kind} on {engine}: {why}");
    }
    println!("skipped: {skipped:?}");
    assert!(wrong.is_empty(), "{} wrong:\n{}", wrong.len(), wrong[..wrong.len().min(20)].join("\n"));
    for kind in skipped.keys() {
        assert!(SKIPPED.contains(&kind.as_str()), "vectors of the kind {kind} are not run");
    }
    for (kind, engine) in counts.keys().filter(|(_, engine)| *engine == "auto") {
        let [right, refused, _] = counts[&(kind.clone(), *engine)];
        assert!(right > 0 && refused == 0, "{kind} must be decided without choosing an engine");
    }
}
