//! Both formats: everything in the corpus is read, models survive writing and reading, mistakes are located.

use serde_json::Value;
use tertium_base::{Budget, Severity};
use tertium_model::{Format, Kmts, Loaded, Model, PropId, StateId, read_bytes, write_json, write_kmts};
use tertium_testkit::{StructureShape, corpus, for_random_cases};

fn read(format: Format, text: &str) -> Loaded {
    read_bytes("input", format, text.as_bytes(), &Budget::unlimited()).expect("no limit")
}

#[track_caller]
fn kmts(format: Format, text: &str) -> Kmts {
    match accepted(format, text) {
        Model::Kmts(kmts) => kmts,
        other => panic!("expected a KMTS, got {other:?}"),
    }
}

#[track_caller]
fn accepted(format: Format, text: &str) -> Model {
    let loaded = read(format, text);
    loaded.model.unwrap_or_else(|| panic!("{text}\nis refused: {:#?}", loaded.diagnostics))
}

/// Codes with line and column, e.g. `E0204@2:11`.
fn complaints(format: Format, text: &str) -> Vec<String> {
    let loaded = read(format, text);
    let errors = loaded.diagnostics.iter().any(|diagnostic| diagnostic.severity == Severity::Error);
    assert_eq!(loaded.model.is_none(), errors, "a model exactly if there is no error");
    loaded
        .messages()
        .map(|(diagnostic, source)| match (&diagnostic.primary, source) {
            (Some(label), Some(source)) => {
                let (line, column) = source.line_column(label.span.start);
                format!("{}@{line}:{column}", diagnostic.code)
            }
            _ => diagnostic.code.to_owned(),
        })
        .collect()
}

fn written(format: Format, model: &Model) -> String {
    let mut out = Vec::new();
    match format {
        Format::Json => write_json(&mut out, model, &[]).unwrap(),
        Format::Kmts => write_kmts(&mut out, model, &[]).unwrap(),
        Format::Aut => panic!("it is not read back as it was"),
    }
    String::from_utf8(out).unwrap()
}

#[track_caller]
fn survives(model: &Model) {
    for format in [Format::Json, Format::Kmts] {
        let text = written(format, model);
        let loaded = read(format, &text);
        assert_eq!(loaded.model.as_ref(), Some(model), "{text}\n{:#?}", loaded.diagnostics);
        assert!(loaded.diagnostics.iter().all(|d| ["W0202"].contains(&d.code)), "{text}{:?}", loaded.diagnostics);
    }
}

#[test]
fn every_vector_is_read_and_survives_writing() {
    let mut count = 0;
    for vector in corpus::vectors() {
        for field in ["model", "abstract", "concrete"] {
            if vector[field].is_object() {
                survives(&accepted(Format::Json, &vector[field].to_string()));
                count += 1;
            }
        }
        if vector["model"].is_object() {
            let whole = accepted(Format::Json, &vector.to_string());
            assert_eq!(whole, accepted(Format::Json, &vector["model"].to_string()), "{}", vector["id"]);
        }
    }
    assert!(count > 300, "only {count} structures found");
}

#[test]
fn a_vector_is_read_as_it_is_written() {
    for vector in corpus::vectors() {
        let model = &vector["model"];
        if model["must"].is_null() {
            continue;
        }
        let kmts = kmts(Format::Json, &model.to_string());
        let state = |value: &Value| kmts.state_by_name(value.as_str().unwrap()).unwrap();
        for (name, labels) in model["states"].as_object().unwrap() {
            let at = kmts.state_by_name(name).unwrap();
            for (prop, value) in labels.as_object().unwrap() {
                let prop = kmts.prop_by_name(prop).unwrap();
                assert_eq!(kmts.label(at, prop).letter(), value, "{}", vector["id"]);
            }
        }
        for (field, want) in [("may", 0), ("must", 1)] {
            let listed = model[field].as_array().unwrap();
            let mut listed: Vec<(StateId, StateId)> =
                listed.iter().map(|pair| (state(&pair[0]), state(&pair[1]))).collect();
            listed.sort();
            listed.dedup();
            let found: Vec<_> = kmts
                .states()
                .flat_map(|from| kmts.edges_from(from).map(move |edge| (from, edge)))
                .filter(|(_, edge)| if want == 0 { edge.may } else { edge.must })
                .map(|(from, edge)| (from, edge.target))
                .collect();
            assert_eq!(found, listed, "{} {field}", vector["id"]);
        }
        assert_eq!(kmts.total(), model["total"] == true);
        assert_eq!(kmts.init(), [state(&model["init"])]);
    }
}

#[test]
fn random_structures_survive_writing() {
    for_random_cases(300, |case| {
        let shape = StructureShape {
            hyper: case.rng.chance(50),
            mixed: case.rng.chance(30),
            both_labels: case.rng.chance(30),
            fairness: case.rng.below(3),
            actions: case.rng.below(3),
            total: case.rng.chance(20),
            ..StructureShape::default()
        };
        survives(&Model::Kmts(case.structure(&shape)));
    });
}

#[test]
fn odd_names_survive_writing() {
    let names = ["init", "a b", "a-b", "\"q\"", "\\", "é→", "line\nbreak", "#", "x,y", "{", "t", " ", "-must->", "0"];
    let mut builder = tertium_model::KmtsBuilder::new();
    let states: Vec<StateId> = names.iter().map(|name| builder.add_state(name)).collect();
    for name in names {
        builder.add_prop(name);
    }
    let actions: Vec<_> = names.iter().map(|name| builder.add_action(name)).collect();
    for (at, &state) in states.iter().enumerate() {
        let next = states[(at + 1) % states.len()];
        builder.add_edge(state, next, true, at % 2 == 0, Some(actions[at]));
        builder.add_edge(state, state, true, false, None);
        builder.add_fairness(vec![(state, next, Some(actions[at]))]);
        builder.add_init(state);
        builder.set_label(state, PropId::new(at), tertium_lattice::Belnap::True);
    }
    survives(&Model::Kmts(builder.finish().unwrap()));
}

#[test]
fn fields_come_in_any_order() {
    let usual = r#"{"states":{"a":{"p":"t","q":"f"},"b":{"p":"u","q":"t"}},"props":["q","p"],"must":[["a","b"]],
        "may":[["a","b"],["b","a","act"]],"hyper":[["b",["a","b"]]],"fair":[[["b","a"]]],"init":"b","mixed":true}"#;
    let turned = r#"{"mixed":true,"init":["b"],"fair":[[["b","a"]]],"hyper":[["b",["a","b"]]],
        "may":[["b","a","act"],["a","b"]],"must":[["a","b"]],"props":["q","p"],"states":{"a":{"p":"t","q":"f"},
        "b":{"p":"unknown","q":"true"}}}"#;
    let model = kmts(Format::Json, usual);
    assert_eq!(model, kmts(Format::Json, turned));
    assert_eq!(model.state_name(StateId::new(0)), "a");
    assert_eq!(model.props(), ["q", "p"]);
    let lines = "fair {b -> a}\na -must-> b\nb -may:act-> a\nb -hyperonly-> {a, b}\nmixed\nprops q, p\ninit b # the start\n\
        state a p: t, q: f\nstate b p: ?, q: true\n";
    assert_eq!(kmts(Format::Kmts, lines), model);
}

#[test]
fn lines_for_people() {
    let text = "# a light\nprops green\nstate \"off\"  green: f\nstate on  green: t\nstate open\n\
        init off\noff -must:switch-> on\non -may-> \"off\"\non -hyper-> {off,\n   open}\ntotal\nopen -must-> open\n\
        property always : ctl AG EF green   # a comment\nproperty fix : mu X. green | <>X\n";
    let loaded = read(Format::Kmts, text);
    assert!(loaded.diagnostics.is_empty(), "{:?}", loaded.diagnostics);
    let Some(Model::Kmts(kmts)) = loaded.model else { panic!("no model") };
    let on = kmts.state_by_name("on").unwrap();
    assert_eq!(kmts.hyper_from(on).next().unwrap().members.len(), 2);
    assert_eq!(kmts.may_successors(on).count(), 2);
    assert!(kmts.total() && !kmts.is_mixed());
    let properties: Vec<_> =
        loaded.properties.iter().map(|p| (p.name.as_str(), p.logic.as_deref(), p.formula.as_str())).collect();
    assert_eq!(properties, [("always", Some("ctl"), "AG EF green"), ("fix", None, "mu X. green | <>X")]);
    for property in &loaded.properties {
        assert_eq!(text[property.span.start..property.span.end], property.formula);
        let (line, column) = property.source.line_column(property.span.start);
        let shown = text.lines().nth(line - 1).unwrap();
        assert!(shown[column - 1..].starts_with(&property.formula), "{line}:{column} {shown}");
    }
}

#[test]
fn properties_come_with_json_too() {
    let text = r#"{"states": {"a": {}}, "props": ["p"],
  "properties": ["AG p", {"name": "live", "logic": "ltl", "formula": "G F p"}]}"#;
    let loaded = read(Format::Json, text);
    let found: Vec<_> =
        loaded.properties.iter().map(|p| (p.name.as_str(), p.logic.as_deref(), p.formula.as_str())).collect();
    assert_eq!(found, [("property1", None, "AG p"), ("live", Some("ltl"), "G F p")]);
    for property in &loaded.properties {
        assert_eq!(text[property.span.start..property.span.end], property.formula);
        assert_eq!(property.source.line_column(property.span.start).0, 2);
    }
}

#[test]
fn edges_with_letters_make_a_plain_structure() {
    let edges =
        r#"{"states":{"a":{"p":"b"},"b":{"p":"t"}},"edges":[["a","t","b"],["b","u","a"],["a","b","a"],["b","f","b"]]}"#;
    let plain = r#"{"states":{"a":{"p":"b"},"b":{"p":"t"}},"must":[["a","b"],["a","a"]],"may":[["a","b"],["b","a"]]}"#;
    assert_eq!(kmts(Format::Json, edges), kmts(Format::Json, plain));
}

#[test]
fn parameters_give_instances() {
    let text = "params x1, x2\nstate a p: x1 & !x2\nstate b p: ?\ninit a\na -[x1]-> b\na -[!x1 | x2]-> a\nb -[u]-> b\n\
        b -must-> a\na -[x2]-> b\nfair {a -> b}\n";
    let Model::Param(model) = accepted(Format::Kmts, text) else { panic!("no parameterised structure") };
    survives(&Model::Param(model.clone()));
    let shape = |kmts: &Kmts| {
        let edges = kmts.states().flat_map(|from| {
            kmts.edges_from(from).map(move |edge| {
                format!("{}{}{}", from.index(), if edge.must { "!" } else { "?" }, edge.target.index())
            })
        });
        edges.collect::<Vec<_>>().join(" ") + " " + kmts.label(StateId::new(0), PropId::new(0)).letter()
    };
    let all: Vec<String> =
        model.assignments().unwrap().map(|assignment| shape(&model.instance(&assignment).unwrap())).collect();
    assert_eq!(all, ["0!0 1!0 1?1 f", "0!0 0!1 1!0 1?1 f", "0!1 1!0 1?1 t", "0!0 0!1 1!0 1?1 f"]);
}

#[test]
fn lattices_by_name_or_written_down() {
    let named = "lattice K3xK3\nstate a p: ft\nstate b p: tu\na -[fu]-> b\na -[uf]-> b\n";
    let Model::Lattice(model) = accepted(Format::Kmts, named) else { panic!("no lattice") };
    let lattice = model.lattice();
    assert_eq!(lattice.name(model.edges_from(StateId::new(0))[0].value), "uu", "parallel edges are joined");
    survives(&Model::Lattice(model));
    let own = "lattice Mine {\n elements bot, \"a b\", c, top\n order bot < \"a b\" < top, bot < c < top\n\
        neg bot: top, top: bot, \"a b\": c, c: \"a b\"\n}\nstate s p: \"a b\"\ns -[\"a b\"]-> s\ninit s\n";
    survives(&accepted(Format::Kmts, own));
    let alone = r#"{"elements":["0","1"],"leq":[["0","1"]],"neg":{"0":"1","1":"0"}}"#;
    assert!(matches!(accepted(Format::Json, alone), Model::Lattice(model) if model.state_count() == 0));
}

#[track_caller]
fn refused(format: Format, text: &str, expected: &[&str]) {
    assert_eq!(complaints(format, text), expected, "{text:.200}");
}

#[test]
fn json_mistakes_are_located() {
    let json = |text: &str, expected: &[&str]| refused(Format::Json, text, expected);
    json("", &["E0201@1:1"]);
    json("\0\u{1}\u{2}", &["E0201@1:1"]);
    json("[1]", &["E0208@1:1"]);
    json("{}", &["E0220"]);
    json("{\"states\":{}}", &["E0220"]);
    json("{\"states\":{\"a\":{}}} x", &["E0201@1:21"]);
    json("{\"states\":{\"a\":{}}", &["E0201@1:19"]);
    json("{\"states\":{\"a\":{}},\n\"may\":[[\"a\",\"b\"]]}", &["E0204@2:14"]);
    json("{\"may\":[[\"c\",\"a\"]],\n\"states\":{\"a\":{}}}", &["E0204@1:11"]);
    json("{\"states\":{\"a\":{},\"a\":{}}}", &["E0205@1:20"]);
    json("{\"states\":{\"a\":{\"p\":\"t\",\"p\":\"f\"}}}", &["E0206@1:30"]);
    json("{\"states\":{\"a\":{}},\"init\":\"a\",\"init\":\"a\"}", &["E0206@1:32"]);
    json("{\"states\":{\"a\":{\"q\":\"t\"}},\"props\":[\"p\"]}", &["E0207@1:18"]);
    json("{\"states\":{\"a\":{\"p\":1}}}", &["E0208@1:21"]);
    json("{\"states\":{\"a\":{\"p\":\"maybe\"}}}", &["E0209@1:22"]);
    json("{\"states\":{\"a\":{\"p\":null}}}", &["E0208@1:21"]);
    json("{\"states\":{\"a\":{\"p\":NaN}}}", &["E0201@1:21"]);
    json("{\"states\":{\"a\":[]}}", &["E0208@1:16"]);
    json("{\"states\":{\"a\":{}},\"may\":[[\"a\"]]}", &["E0208@1:27"]);
    json("{\"states\":{\"a\":{}},\"may\":[[\"a\",1]]}", &["E0208@1:32"]);
    json("{\"states\":{\"a\":{}},\"may\":[1e999]}", &["E0208@1:27"]);
    json("{\"states\":{\"a\":{}},\"may\":{\"a\":\"a\"}}", &["E0208@1:26"]);
    json("{\"states\":{\"a\":{}},\"hyper\":[[\"a\",[]]]}", &["E0210@1:29"]);
    json("{\"states\":{\"a\":{}},\"total\":1}", &["E0208@1:28"]);
    json("{\"states\":{\"a\":{}},\"total\":true}", &["E0212@1:28"]);
    json("{\"states\":{\"a\":{}},\"must\":[[\"a\",\"a\"]],\"may\":[],\"mixed\":false}", &["E0211@1:28"]);
    json("{\"states\":{\"\":{}}}", &["E0224@1:13"]);
    json("{\"states\":{\"a\":{}},\"edges\":[[\"a\",\"x\",\"a\"]]}", &["E0213@1:35"]);
    json("{\"states\":{\"a\":{}},\"edges\":[[\"a\",\"x1 & y\",\"a\"]],\"params\":[\"x1\"]}", &["E0214@1:40"]);
    json("{\"states\":{\"a\":{}},\"edges\":[[\"a\",\"x1 &\",\"a\"]],\"params\":[\"x1\"]}", &["E0213@1:39"]);
    json("{\"states\":{\"a\":{}},\"lattice\":\"K4\"}", &["E0215@1:31"]);
    json("{\"states\":{\"a\":{\"p\":\"x\"}},\"lattice\":\"K3\"}", &["E0217@1:22"]);
    json("{\"states\":{\"a\":{}},\"props\":[\"p\"],\"lattice\":\"K3\"}", &["E0218@1:45"]);
    json("{\"states\":{\"a\":{}},\"lattice\":\"K3\",\"hyper\":[[\"a\",[\"a\"]]]}", &["E0219@1:44"]);
    json(&format!("{{\"x\":{}", "[".repeat(200_000)), &["E0203@1:1006"]);
    let deep = read(Format::Json, &format!("{{\"x\":{}", "{\"a\":".repeat(200_000)));
    assert_eq!(deep.diagnostics[0].code, "E0203");
    // The line is too long to be shown from its start, so its column says little.
    assert!(deep.diagnostics[0].notes.iter().any(|note| note.contains("byte 5006")), "{:?}", deep.diagnostics);
    let bytes = b"{\"states\":{\"a\xff\":{}}}";
    let loaded = read_bytes("x", Format::Json, bytes, &Budget::unlimited()).unwrap();
    assert_eq!(loaded.diagnostics[0].code, "E0202");
}

#[test]
fn json_warnings_do_not_refuse() {
    let json = |text: &str, expected: &[&str]| refused(Format::Json, text, expected);
    json("{\"states\":{\"a\":{}},\"must\":[[\"a\",\"a\"]],\"may\":[]}", &["W0201@1:28"]);
    json("{\"states\":{\"a\":{}},\"hyper\":[[\"a\",[\"a\"]]]}", &["W0201@1:29"]);
    json("{\"states\":{\"a\":{}},\"must\":[[\"a\",\"a\"]],\"may\":[],\"mixed\":true}", &[]);
    json("{\"states\":{\"a\":{}},\"may\":[[\"a\",\"a\"]],\"fair\":[[]]}", &["W0202@1:46"]);
    json(
        "{\"states\":{\"a\":{},\"b\":{}},\"may\":[[\"a\",\"a\"]],\"fair\":[[[\"a\",\"a\"],[\"a\",\"b\"]]]}",
        &["W0203@1:53"],
    );
    json("{\"states\":{\"a\":{}},\"mai\":[]}", &["W0204@1:21"]);
    json("{\"model\":{\"states\":{\"a\":{}}},\"note\":[]}", &[]);
}

#[test]
fn line_mistakes_are_located() {
    let lines = |text: &str, expected: &[&str]| refused(Format::Kmts, text, expected);
    lines("", &["E0220"]);
    lines("state a\na -must-> b\n", &["E0204@2:11"]);
    lines("state a\nstate a\n", &["E0205@2:7"]);
    lines("state a\nstat b\n", &["E0223@2:1"]);
    lines("state a\na -mut-> a\n", &["E0223@2:4"]);
    lines("state a\na -must> a\na - -> a\na -must-> a b\n", &["E0201@2:8", "E0201@3:5", "E0201@4:13"]);
    lines("state a\na -hyper-> {}\n", &["E0210@2:1"]);
    lines("state a\na -hyper-> {a\n", &["E0201@3:1"]);
    lines("state a p: \n", &["E0201@1:12"]);
    lines("state a p: x\n", &["E0209@1:12"]);
    lines("state a p: t, p: f\n", &["E0206@1:18"]);
    lines("props p\nstate a q: t\n", &["E0207@2:9"]);
    lines("total\nstate a\n", &["E0212@1:1"]);
    lines("strict\nstate a\na -mustonly-> a\n", &["E0211@3:1"]);
    lines("state a\na -mustonly-> a\n", &["W0201@2:1"]);
    lines("state \"a\n", &["E0201@1:7"]);
    lines("state a\nproperty p :   # nothing\n", &["E0201@2:25"]);
    lines("state a\nparams x\na -[x & ]-> a\n", &["E0213@3:8"]);
    lines("lattice N5 {\n elements a\n order a < b\n}\nstate a\n", &["E0216@1:9"]);
}

#[test]
fn the_examples_of_the_format_page_are_read() {
    let page = include_str!("../../../docs/formats.md");
    let blocks: Vec<(&str, &str)> = page
        .split("```")
        .skip(1)
        .step_by(2)
        .filter_map(|block| block.split_once('\n'))
        // Programs and the list of evidence are no structures.
        .filter(|(_, text)| !text.contains(":=") && !text.contains("list_version"))
        .collect();
    let read_all: Vec<Model> = blocks
        .iter()
        .map(|(language, text)| {
            let format = match *language {
                "json" => Format::Json,
                "aut" => Format::Aut,
                _ => Format::Kmts,
            };
            accepted(format, text)
        })
        .collect();
    assert_eq!(read_all.len(), 5);
    assert_eq!(read_all[0], read_all[1], "the two ways to write the printer");
}

#[test]
fn names_in_messages_do_not_depend_on_the_order() {
    for (text, code, name) in [
        (r#"{"edges":[["b","t","a"]],"lattice":"K3","states":{"a":{"p":"t"},"b":{}},"props":["p"]}"#, "E0218", "`b`"),
        (r#"{"must":[["b","c"]],"params":["x"],"states":{"a":{},"c":{},"b":{}}}"#, "E0211", "from `b` to `c`"),
        (r#"{"must":[["b","c"]],"states":{"a":{},"c":{},"b":{}},"mixed":false}"#, "E0211", "from `b` to `c`"),
        (r#"{"may":[["b","c"]],"states":{"a":{},"c":{},"b":{}},"total":true}"#, "E0212", "`a`"),
    ] {
        let loaded = read(Format::Json, text);
        let first = &loaded.diagnostics[0];
        assert_eq!(first.code, code, "{text}");
        assert!(first.message.contains(name), "{}", first.message);
    }
}

#[test]
fn at_most_twenty_errors_are_shown() {
    let text: String = "state a\n".to_owned() + &"a -oops-> a\n".repeat(1000);
    assert_eq!(complaints(Format::Kmts, &text).len(), 20);
    let text = format!("{{\"states\":{{\"a\":{{}}}},\"may\":[{}]}}", vec!["[]"; 100].join(","));
    assert_eq!(complaints(Format::Json, &text).len(), 21, "and a note on the rest");
}

#[test]
fn a_lattice_that_is_written_down_needs_no_name() {
    let lines = "lattice {\n  elements a, b\n  order a < b\n  neg a: b, b: a\n}\nstate s p: a\ns -[b]-> s\n";
    let model = accepted(Format::Kmts, lines);
    assert!(matches!(&model, Model::Lattice(found) if found.lattice_name().is_none()));
    survives(&model);
    let json = r#"{"elements": ["a", "b"], "covers": [["a", "b"]], "neg": {"a": "b", "b": "a"}, "states": {}}"#;
    survives(&accepted(Format::Json, json));
    refused(Format::Kmts, "lattice\nstate s\n", &["E0201@1:8"]);
}

#[test]
fn a_property_needs_states() {
    refused(Format::Kmts, "lattice K3\nproperty a : ctl AG true\n", &["E0220"]);
    refused(Format::Kmts, "props p\n", &["E0220"]);
    refused(Format::Json, r#"{"states": {}}"#, &["E0220"]);
    accepted(Format::Kmts, "lattice K3\n");
}

#[test]
fn labelled_transition_systems_have_actions() {
    let text = "des (1, 4, 3)\n(0,\"PUT !1\",1)\n(1, tau, 2)\r\n( 2 , \"a, \"b\"\" , 0 )\n\n(2,i,2)\n";
    let lts = kmts(Format::Aut, text);
    assert_eq!((lts.state_count(), lts.edge_count(), lts.props().len()), (3, 4, 0));
    assert_eq!(lts.actions(), ["PUT !1", "tau", "a, \"b\"", "i"]);
    assert_eq!(lts.init(), [StateId::new(1)]);
    assert!(lts.is_complete());
    let name = |state: usize| lts.state_name(StateId::new(state)).to_owned();
    assert_eq!([name(0), name(1), name(2)], ["0", "1", "2"]);
}

#[test]
fn mistakes_in_transition_systems_are_located() {
    let complaint = |text: &str| complaints(Format::Aut, text).join(" ");
    assert_eq!(complaint(""), "E0225@1:1");
    assert_eq!(complaint("digraph {}\n"), "E0225@1:1");
    assert_eq!(complaint("des (0, 1, 2)\n"), "E0225@1:1");
    assert_eq!(complaint("des (0, 1, 2)\n(0, \"a\", 2)\n"), "E0225@2:1");
    assert_eq!(complaint("des (2, 0, 2)\n"), "E0225@1:1");
    assert_eq!(complaint("des (0, 1, 2)\n(0, \"a\" 1)\n"), "E0225@2:1");
    assert_eq!(complaint("des (0, 1, 2)\n(0, \"\", 1)\n"), "E0224@2:1");
    assert_eq!(complaint("des (0, 1, 3)\n(0, \"a\", 1 1/2 2)\n"), "E0226@2:1");
    assert_eq!(complaint("des (0 1/2 1, 1, 3)\n(0, \"a\", 1)\n"), "E0226@1:1");
    assert_eq!(complaint("des (0, 1, 1000000000)\n(0, \"a\", 1)\n"), "E0225@1:1");
    assert_eq!(complaint("des (0, 0, 4000000000)\n"), "E0221@1:1");
}

const GATE: &str = "props open\nstate idle open: f\nstate near open: ?\nstate \"far away\" open: t\ninit idle\n\
    owner near = gate\nowner \"far away\", idle = \"the train\"\nidle -must-> near\nnear -may-> \"far away\"\n\"far away\" -must-> idle\n";

#[test]
fn owners_of_states_survive_writing_and_reading() {
    let model = kmts(Format::Kmts, GATE);
    assert!(model.is_game());
    assert_eq!(model.players(), ["system", "the train", "gate"]);
    let owners: Vec<&str> = model.states().map(|state| model.owner_name(state)).collect();
    assert_eq!(owners, ["the train", "gate", "the train"]);
    survives(&Model::Kmts(model));
    let json = r#"{"states": ["a", "b"], "may": [["a", "b"]], "owner": {"b": "environment"}}"#;
    let model = kmts(Format::Json, json);
    assert_eq!((model.owner_name(StateId::new(0)), model.owner_name(StateId::new(1))), ("system", "environment"));
    survives(&Model::Kmts(model));
}

#[test]
fn a_structure_of_system_alone_is_closed() {
    let plain = kmts(Format::Kmts, "state a\nstate b\na -must-> b\n");
    let said = kmts(Format::Kmts, "state a\nstate b\nowner a, b = system\na -must-> b\n");
    assert!(!said.is_game());
    assert_eq!(plain, said);
}

#[test]
fn mistakes_about_owners_are_located() {
    assert_eq!(complaints(Format::Kmts, "state a\nowner a = P\nowner a = Q\n"), ["E0227@3:7"]);
    assert_eq!(complaints(Format::Kmts, "state a\nowner b = P\n"), ["E0204@2:7"]);
    assert_eq!(complaints(Format::Kmts, "state a\nowner a P\n"), ["E0201@2:9"]);
    assert_eq!(complaints(Format::Json, r#"{"states": ["a"], "owner": {"a": 1}}"#), ["E0208@1:34"]);
    assert_eq!(complaints(Format::Kmts, "params x\nstate a\nowner a = P\na -[x]-> a\n"), ["E0219"]);
}
