//! `reduce`, `sat`, `complete`, `synthesise`, `compare --bisimilar` and `abstract --by`: what is written is read again, and exit codes tell the answer.

mod common;

use std::path::PathBuf;

use common::{json, out, tertium};

const TWINS: &str = "props p\nstate a p: t\nstate b p: t\nstate c p: ?\ninit a\na -must-> c\nb -must-> c\nc -may-> a\nc -may-> b\n\
                     property back : ctl AG EF p\nproperty now : ltl p\n";

fn folder(name: &str) -> PathBuf {
    let folder = common::folder(&format!("structures-{name}"));
    std::fs::write(folder.join("twins.kmts"), TWINS).expect("it is written");
    folder
}

#[test]
fn states_are_merged_and_the_rest_is_bisimilar() {
    let folder = folder("reduce");
    let told = tertium(&folder, &["reduce", "twins.kmts", "-o", "small.kmts", "--format", "json"]);
    assert_eq!(told.status.code(), Some(0), "{}", String::from_utf8_lossy(&told.stderr));
    let report = json(&told);
    assert_eq!((report["before"][0].as_u64(), report["after"][0].as_u64()), (Some(3), Some(2)));
    assert_eq!(report["classes"][0], serde_json::json!(["a", "b"]));
    let same = tertium(&folder, &["compare", "twins.kmts", "small.kmts", "--bisimilar"]);
    assert_eq!(same.status.code(), Some(0), "{}", out(&same));
    let [before, after] =
        ["twins.kmts", "small.kmts"].map(|file| json(&tertium(&folder, &["check", file, "--format", "json"])));
    for at in 0..2 {
        assert_eq!(before["results"][at]["value"], after["results"][at]["value"]);
    }
    let other = "props p\nstate a p: t\nstate c p: ?\ninit a\na -must-> c\nc -must-> a\n";
    std::fs::write(folder.join("other.kmts"), other).expect("it is written");
    let differs = tertium(&folder, &["compare", "twins.kmts", "other.kmts", "--bisimilar", "--format", "json"]);
    assert_eq!(differs.status.code(), Some(10));
    assert_eq!(json(&differs)["bisimilar"], serde_json::json!(false));
    assert!(json(&differs)["difference"]["formula"].is_string(), "{}", out(&differs));
    let open = tertium(&folder, &["reduce", "twins.kmts", "--by", "simulation"]);
    assert_eq!(open.status.code(), Some(2));
    assert!(out(&tertium(&folder, &["reduce", "twins.kmts", "--by", "refinement"])).contains("init a"));
}

#[test]
fn models_of_formulas_are_models() {
    let folder = folder("sat");
    let found = tertium(&folder, &["sat", "EF p & AG (p -> EX !p)", "-o", "model.kmts", "--format", "json"]);
    assert_eq!((found.status.code(), json(&found)["checked"].as_bool()), (Some(0), Some(true)), "{}", out(&found));
    assert_eq!(tertium(&folder, &["check", "model.kmts"]).status.code(), Some(0));
    let none = tertium(&folder, &["sat", "AG p & EF !p"]);
    assert_eq!(none.status.code(), Some(10), "{}", out(&none));
    assert!(out(&none).starts_with("not satisfiable"));
    assert_eq!(tertium(&folder, &["sat", "AG ?{p}"]).status.code(), Some(2));
    assert_eq!(tertium(&folder, &["sat", "AG ("]).status.code(), Some(2));
}

#[test]
fn blocks_are_split_until_a_property_is_decided() {
    let folder = folder("blocks");
    let chain = "props p\nstate a p: f\nstate b p: f\nstate c p: f\nstate d p: t\ninit a\na -must-> b\nb -must-> c\nc -must-> d\nd -must-> d\n";
    std::fs::write(folder.join("chain.kmts"), chain).expect("it is written");
    let told = tertium(&folder, &["abstract", "chain.kmts", "--by", "label", "-p", "AX AX AX p", "--format", "json"]);
    assert_eq!(told.status.code(), Some(0), "{}", out(&told));
    let report = json(&told);
    assert_eq!(report["results"][0]["value"], serde_json::json!("true"));
    assert!(report["results"][0]["rounds"].as_array().is_some_and(|rounds| rounds.len() > 1));
    let unsplit =
        tertium(&folder, &["abstract", "chain.kmts", "--by", "label", "-p", "AX AX AX p", "--refinements", "0"]);
    assert_eq!(unsplit.status.code(), Some(5), "{}", out(&unsplit));
    let written = tertium(&folder, &["abstract", "chain.kmts", "--by", "label", "--to", "kmts"]);
    std::fs::write(folder.join("blocks.kmts"), out(&written)).expect("it is written");
    assert_eq!(tertium(&folder, &["compare", "blocks.kmts", "chain.kmts"]).status.code(), Some(0));
    for (text, what) in [("x: a\n", "in no block"), ("x: a, b, nobody\n", "no state"), ("x\n", "colon")] {
        std::fs::write(folder.join("by.txt"), text).expect("it is written");
        let refused = tertium(&folder, &["abstract", "chain.kmts", "--by", "by.txt"]);
        assert_eq!(refused.status.code(), Some(2));
        assert!(
            String::from_utf8_lossy(&refused.stderr).contains(what),
            "{}",
            String::from_utf8_lossy(&refused.stderr)
        );
    }
    assert_eq!(tertium(&folder, &["abstract", "chain.kmts"]).status.code(), Some(2));
}

#[test]
fn completions_of_an_abstraction_save_a_round() {
    let folder = folder("rounds");
    let program = "system deep\nfunction f(int) : int\nvar x : int\nvar y : int = 0\nprocess P {\n  l0: y := f(x);\n  l1: loop { skip; }\n}\n\
                   property deep : ctl AX AX AX AX (y > 0) && !(AX AX AX AX (y > 0 || y > 5))\n";
    std::fs::write(folder.join("deep.gcl"), program).expect("it is written");
    // An estimate of the search is far above what it takes.
    let told = tertium(&folder, &["check", "deep.gcl", "--only", "deep", "--abstraction", "hyper", "--format", "json"]);
    let result = &json(&told)["results"][0];
    assert_eq!(
        (result["value"].as_str(), result["stats"]["refinements"].as_u64()),
        (Some("false"), Some(0)),
        "{result}"
    );
}

#[test]
fn completions_are_written_and_hold() {
    let folder = folder("complete");
    let door = format!("{}/examples/door.kmts", common::ROOT);
    let wanted = ["--only", "can_open", "--only", "always_reopens", "--only", "saves_power"];
    let mut words = vec!["complete", &door, "-o", "done.kmts", "--format", "json", "--all", "2"];
    words.extend(wanted);
    let told = tertium(&folder, &words);
    assert_eq!(told.status.code(), Some(0), "{}", String::from_utf8_lossy(&told.stderr));
    let report = json(&told);
    assert_eq!(report["smallest"], serde_json::json!(true));
    let found = report["completions"].as_array().expect("there are some");
    for file in ["done.kmts", "done-2.kmts"].iter().take(found.len()) {
        assert_eq!(tertium(&folder, &["check", file]).status.code(), Some(0), "{file}");
        let refines = tertium(&folder, &["compare", &door, file]);
        assert_eq!(refines.status.code(), Some(0), "{}", out(&refines));
    }
    let none = tertium(&folder, &["complete", &door, "--only", "stays_shut", "--format", "json"]);
    assert_eq!(none.status.code(), Some(10), "{}", out(&none));
    assert_eq!(json(&none)["conflict"]["properties"], serde_json::json!(["stays_shut"]));
    let wrong = tertium(&folder, &["complete", &door, "--pin", "opened.lump=t"]);
    assert_eq!(wrong.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&wrong.stderr).contains("E0395"));
}

#[test]
fn controllers_keep_their_promises_as_structures_and_as_programs() {
    let folder = folder("synthesise");
    let gate = format!("{}/examples/level_crossing.kmts", common::ROOT);
    let arbiter = format!("{}/examples/arbiter.gcl", common::ROOT);
    for (model, file) in
        [(&gate, "gate.kmts"), (&gate, "gate.gcl"), (&arbiter, "arbiter.kmts"), (&arbiter, "arbiter.gcl")]
    {
        let told = tertium(&folder, &["synthesise", model, "--for", "system", "-o", file, "--format", "json"]);
        assert_eq!(told.status.code(), Some(0), "{file}: {}", String::from_utf8_lossy(&told.stderr));
        assert_eq!(json(&told)["winner"], serde_json::json!("player"));
        let closed = tertium(&folder, &["check", file]);
        assert_eq!(closed.status.code(), Some(0), "{file}: {}", out(&closed));
    }
}

#[test]
fn what_cannot_be_promised_is_spoiled() {
    let folder = folder("spoiled");
    let gate = format!("{}/examples/level_crossing.kmts", common::ROOT);
    let words =
        ["synthesise", &gate, "--for", "system", "--only", "safe", "-p", "always_up: G up", "-o", "spoiler.gcl"];
    let told = tertium(&folder, &words);
    assert_eq!(told.status.code(), Some(10), "{}", out(&told));
    let spoiled = tertium(&folder, &["check", "spoiler.gcl", "--only", "spoiled"]);
    assert_eq!(spoiled.status.code(), Some(0), "{}", out(&spoiled));
    let played = tertium(&folder, &["simulate", "spoiler.gcl", "--steps", "12"]);
    assert_eq!(played.status.code(), Some(0), "{}", out(&played));
    let nobody = tertium(&folder, &["synthesise", &gate, "--for", "trains"]);
    assert_eq!(nobody.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&nobody.stderr).contains("did you mean `train`"));
    let branching = tertium(&folder, &["synthesise", &gate, "-p", "AG up"]);
    assert_eq!(branching.status.code(), Some(2));
}
