//! Every request of the language server, over its pipes as an editor would use it.

mod client;
mod common;
mod default_answers;

use client::{Client, on_line, place};
use serde_json::{Value, json};

const GCL: &str = "\
system s
const N = 2
var x : 0..N = 0
process P { loop { a: when x < N do x := x + 1; b: x := 0; } }
process Q { loop { await P@b; skip; } }
property small : ctl AG x <= N
property never : ctl AG x < N - 1
";
const URI: &str = "file:///tmp/test.gcl";

fn opened() -> Client {
    let mut client = Client::start();
    assert_eq!(client.open(URI, GCL), json!([]));
    client
}

/// The text after an answer's edits, which stand on the lines of an ASCII text.
fn edited(text: &str, edits: &Value) -> String {
    let lines: Vec<usize> = std::iter::once(0).chain(text.match_indices('\n').map(|(at, _)| at + 1)).collect();
    let offset = |position: &Value| {
        let number = |key: &str| usize::try_from(position[key].as_u64().unwrap()).unwrap();
        lines[number("line")] + number("character")
    };
    let mut result = text.to_owned();
    for edit in edits.as_array().unwrap().iter().rev() {
        let range = &edit["range"];
        result.replace_range(offset(&range["start"])..offset(&range["end"]), edit["newText"].as_str().unwrap());
    }
    result
}

#[test]
fn the_conversation_begins_and_ends_as_the_protocol_says() {
    let mut client = Client::silent();
    let early = client.at("textDocument/hover", URI, 0, 0).unwrap_err();
    assert_eq!(early["code"], -32002);
    client.notify("textDocument/didOpen", json!({"textDocument": {"uri": URI, "text": "x"}}));
    let capabilities = client.request("initialize", json!({"capabilities": {}})).unwrap()["capabilities"].clone();
    assert_eq!(capabilities["positionEncoding"], "utf-16");
    assert_eq!(capabilities["renameProvider"]["prepareProvider"], true);
    assert_eq!(client.request("initialize", json!({})).unwrap_err()["code"], -32600);
    assert_eq!(client.request("textDocument/unheard", json!({})).unwrap_err()["code"], -32601);
    assert_eq!(client.request("textDocument/hover", json!({})).unwrap_err()["code"], -32602);
    assert_eq!(client.at("textDocument/hover", "file:///not/open.gcl", 0, 0).unwrap_err()["code"], -32602);
    client.notify("unheard/notification", json!([1, 2]));
    client.request("shutdown", Value::Null).unwrap();
    assert_eq!(client.at("textDocument/hover", URI, 0, 0).unwrap_err()["code"], -32600);
    client.notify("exit", Value::Null);
    assert_eq!(client.hang_up(), Some(0));
    assert_eq!(Client::start().finish(), Some(0));
    assert_eq!(Client::start().hang_up(), Some(1), "an end that was not announced");
    let mut rude = Client::start();
    rude.notify("exit", Value::Null);
    assert_eq!(rude.hang_up(), Some(1));
}

#[test]
fn noise_costs_no_more_than_what_it_hits() {
    let mut client = opened();
    client.raw(b"\xff\xfe garbage\r\n\r\nContent-Length: 10\r\n\r\n{\"no json }");
    assert_eq!(client.receive()["error"]["code"], -32700);
    client.raw(b"Content-Length: 3\r\n\r\n{\"jsonrpc\": \"2.0\"}");
    assert_eq!(client.receive()["error"]["code"], -32700);
    client.raw(b"Content-Length: -5\r\n\r\n");
    assert_eq!(client.receive()["error"]["code"], -32700);
    let deep = format!("{}{}", "[".repeat(100_000), "]".repeat(100_000));
    client.raw(format!("Content-Length: {}\r\n\r\n{deep}", deep.len()).as_bytes());
    assert_eq!(client.receive()["error"]["code"], -32700);
    for odd in [json!([]), json!(7), json!({}), json!({"id": 1}), json!({"method": 5, "id": 1})] {
        client.send(&odd);
        assert_eq!(client.receive()["error"]["code"], -32600, "{odd}");
    }
    client.send(&json!({"id": {}, "method": "textDocument/hover"}));
    assert_eq!(client.receive()["error"]["code"], -32600);
    for params in [json!(null), json!([]), json!({"textDocument": 3}), json!({"textDocument": {"uri": URI}})] {
        for method in ["hover", "definition", "references", "rename", "prepareRename", "completion", "codeAction"] {
            assert_eq!(client.request(&format!("textDocument/{method}"), params.clone()).unwrap_err()["code"], -32602);
        }
    }
    client.notify("textDocument/didChange", json!({"textDocument": {"uri": URI}, "contentChanges": [7, {"text": 5}]}));
    client.notify("textDocument/didChange", json!({"contentChanges": "x"}));
    assert!(client.at("textDocument/hover", URI, 1, 6).unwrap().is_object(), "the server is still there");
    assert_eq!(client.finish(), Some(0));
}

#[test]
fn mistakes_are_marked_while_typing() {
    let mut client = opened();
    // `x <= N` becomes `y <= N`.
    let change = json!([{"range": on_line(5, 24, 25), "text": "y"}]);
    let found = client.change(URI, 2, change);
    assert_eq!(found[0]["code"], "E0405");
    assert_eq!(found[0]["range"], on_line(5, 24, 25));
    assert_eq!(found[0]["severity"], 1);
    let href = found[0]["codeDescription"]["href"].as_str().unwrap();
    assert!(href.contains("docs/errors.md#e0405-"), "{href}");
    assert!(found[0]["message"].as_str().unwrap().starts_with("no variable, constant or definition is named `y`"));
    // A second declaration points at the first.
    let again = GCL.replace("const N = 2", "const N = 2\nconst N = 3");
    let found = client.change(URI, 3, json!([{"text": again}]));
    assert_eq!(found[0]["code"], "E0406");
    assert_eq!(found[0]["relatedInformation"][0]["location"]["range"], on_line(1, 6, 7));
    assert_eq!(client.change(URI, 4, json!([{"text": GCL}])), json!([]));
    client.notify("textDocument/didClose", json!({"textDocument": {"uri": URI}}));
    assert_eq!(client.diagnostics(), json!([]));
    // Other languages.
    let found = client.open("file:///tmp/m.pml", "active proctype P() { byte i; j = 1 }");
    assert_eq!((&found[0]["code"], &found[0]["range"]), (&json!("E0510"), &on_line(0, 30, 31)));
    let found = client.open("file:///tmp/m.kmts", "props p\nstate a p: t\ninit a\na -must-> a\nproperty x : AG q\n");
    assert_eq!((&found[0]["code"], &found[0]["range"]), (&json!("E0120"), &on_line(4, 16, 17)));
    assert_eq!(client.finish(), Some(0));
}

#[test]
fn places_are_counted_in_units_of_utf16_or_in_bytes() {
    let text = "system s // \u{1d518}\u{fc}\nvar y : int = /* \u{1d518} */ z\n";
    let mut client = Client::start();
    let found = client.open(URI, text);
    assert_eq!(found[0]["range"], on_line(1, 23, 24));
    // Another name between two letters outside the basic plane.
    let change =
        json!([{"range": on_line(1, 23, 24), "text": "\u{1d518}1"}, {"range": on_line(1, 23, 25), "text": ""}]);
    assert_eq!(client.change(URI, 2, change), json!([]));
    assert_eq!(client.at("textDocument/hover", URI, 1, 4).unwrap()["range"], on_line(1, 4, 5));
    assert_eq!(client.finish(), Some(0));
    let (mut client, answer) = Client::with(json!({"general": {"positionEncodings": ["utf-16", "utf-8"]}}), json!({}));
    assert_eq!(answer["capabilities"]["positionEncoding"], "utf-8");
    let found = client.open(URI, text);
    assert_eq!(found[0]["range"], on_line(1, 25, 26));
    assert_eq!(client.finish(), Some(0));
}

#[test]
fn hover_definition_and_references() {
    let mut client = opened();
    let hover = client.at("textDocument/hover", URI, 5, 29).unwrap();
    assert_eq!(hover["contents"]["value"], "```gcl\nconst N = 2\n```\n\nconstant  \nvalue 2");
    assert_eq!(hover["range"], on_line(5, 29, 30));
    let hover = client.at("textDocument/hover", URI, 2, 4).unwrap();
    assert_eq!(hover["contents"]["value"], "```gcl\nvar x : 0..N = 0\n```\n\nvariable  \ntype 0..2");
    let hover = client.at("textDocument/hover", URI, 6, 11).unwrap();
    let shown = hover["contents"]["value"].as_str().unwrap();
    assert!(shown.contains("ctl formula about all paths"), "{shown}");
    // Words of the language are explained; signs and numbers say nothing.
    let words = [
        ((0, 0), "the name of the whole"),
        ((3, 25), "possible only while `e` holds"),
        ((5, 22), "in all states that can be reached"),
    ];
    for ((line, character), what) in words {
        let hover = client.at("textDocument/hover", URI, line, character).unwrap();
        let shown = hover["contents"]["value"].as_str().unwrap_or_default();
        assert!(shown.starts_with("```gcl\n") && shown.contains(what), "{hover}");
    }
    assert_eq!(client.at("textDocument/hover", URI, 1, 8).unwrap(), Value::Null);
    let label = client.at("textDocument/definition", URI, 4, 27).unwrap();
    assert_eq!(label, json!({"uri": URI, "range": on_line(3, 48, 49)}));
    let mut params = place(URI, 1, 6);
    params["context"] = json!({"includeDeclaration": false});
    assert_eq!(client.request("textDocument/references", params.clone()).unwrap().as_array().unwrap().len(), 4);
    params["context"] = json!({"includeDeclaration": true});
    assert_eq!(client.request("textDocument/references", params.clone()).unwrap().as_array().unwrap().len(), 5);
    assert_eq!(client.request("textDocument/documentHighlight", params).unwrap().as_array().unwrap().len(), 5);
    assert_eq!(client.finish(), Some(0));
}

#[test]
fn a_definition_may_lie_in_an_included_file() {
    let folder = std::path::Path::new(env!("CARGO_TARGET_TMPDIR")).join("lsp include");
    std::fs::create_dir_all(&folder).unwrap();
    std::fs::write(folder.join("shared.h"), "/* shared */\nbyte turn;\n").unwrap();
    let uri = format!("file://{}/main.pml", folder.display()).replace(' ', "%20");
    let mut client = Client::start();
    let text = "#include \"shared.h\"\nactive proctype P() { turn = 1 }\n";
    assert_eq!(client.open(&uri, text), json!([]));
    let found = client.at("textDocument/definition", &uri, 1, 23).unwrap();
    assert!(found["uri"].as_str().unwrap().ends_with("lsp%20include/shared.h"), "{found}");
    assert_eq!(found["range"], on_line(1, 5, 9));
    let refused = client.at("textDocument/prepareRename", &uri, 1, 23).unwrap_err();
    assert!(refused["message"].as_str().unwrap().contains("included file"), "{refused}");
    std::fs::write(folder.join("shared.h"), "/* shared */\nbyte turn = ;\n").unwrap();
    let found = client.change(&uri, 2, json!([{"text": format!("{text}\n")}]));
    assert!(found[0]["message"].as_str().unwrap().contains("shared.h, line 2"), "{found}");
    assert_eq!(client.finish(), Some(0));
}

/// Each token's line, character, length and type.
fn tokens(client: &mut Client, legend: &Value, uri: &str) -> Vec<(u64, u64, u64, String, u64)> {
    let params = json!({"textDocument": {"uri": uri}});
    let found = client.request("textDocument/semanticTokens/full", params).unwrap();
    let data: Vec<u64> = found["data"].as_array().unwrap().iter().map(|number| number.as_u64().unwrap()).collect();
    let (mut line, mut character) = (0, 0);
    let token = |part: &[u64]| {
        character = if part[0] == 0 { character + part[1] } else { part[1] };
        line += part[0];
        let kind = legend["tokenTypes"][usize::try_from(part[3]).unwrap()].as_str().unwrap().to_owned();
        (line, character, part[2], kind, part[4])
    };
    data.chunks(5).map(token).collect()
}

#[test]
fn names_have_the_colours_of_what_they_stand_for() {
    let mut client = Client::silent();
    let capabilities = client.request("initialize", json!({"capabilities": {}})).unwrap()["capabilities"].clone();
    let legend = capabilities["semanticTokensProvider"]["legend"].clone();
    client.open(URI, GCL);
    let found = tokens(&mut client, &legend, URI);
    let told = |line: u64, character: u64| {
        let token = found.iter().find(|token| (token.0, token.1) == (line, character));
        token.map(|(_, _, length, kind, modifiers)| (*length, kind.as_str(), *modifiers))
    };
    assert_eq!(told(0, 7), Some((1, "namespace", 1)), "`s`, declared");
    assert_eq!(told(1, 6), Some((1, "enumMember", 3)), "`N`, declared, fixed");
    assert_eq!(told(2, 11), Some((1, "enumMember", 2)), "`N`, used");
    assert_eq!(told(3, 8), Some((1, "class", 1)), "`P`");
    assert_eq!(told(4, 27), Some((1, "property", 0)), "`b` in `P@b`");
    assert_eq!(told(5, 9), Some((5, "function", 1)), "`small`");
    assert!(found.is_sorted(), "{found:?}");
    // A word of the language in one place is a name in another one, and nothing in a comment.
    let text = "system s\nvar len : 0..3 = 0 // count\nchan c : bool capacity 1\nprocess P { await len = len(c); }\n";
    client.open("file:///tmp/soft.gcl", text);
    let kinds: Vec<_> = tokens(&mut client, &legend, "file:///tmp/soft.gcl")
        .into_iter()
        .filter(|token| matches!(token.0, 1 | 2))
        .map(|token| (token.0, token.1, token.3))
        .collect();
    let of = |line: u64, character: u64, kind: &str| (line, character, kind.to_owned());
    let expected = [of(1, 4, "variable"), of(2, 0, "keyword"), of(2, 5, "variable"), of(2, 14, "keyword")];
    assert_eq!(kinds, expected);
    assert_eq!(client.finish(), Some(0));
}

#[test]
fn renaming_changes_every_place_and_keeps_the_meaning() {
    let mut client = opened();
    let prepared = client.at("textDocument/prepareRename", URI, 3, 27).unwrap();
    assert_eq!(prepared, json!({"range": on_line(3, 27, 28), "placeholder": "x"}));
    let mut params = place(URI, 3, 27);
    params["newName"] = json!("level");
    let answer = client.request("textDocument/rename", params.clone()).unwrap();
    let renamed = edited(GCL, &answer["changes"][URI]);
    assert_eq!(renamed, GCL.replace("x ", "level ").replace("x <", "level <"));
    assert_eq!(client.change(URI, 2, json!([{"text": renamed}])), json!([]));
    // And back again.
    let mut back = place(URI, 2, 4);
    back["newName"] = json!("x");
    let answer = client.request("textDocument/rename", back).unwrap();
    assert_eq!(edited(&renamed, &answer["changes"][URI]), GCL);
    for (name, code) in [("N", "E0382"), ("while", "E0381"), ("1x", "E0381"), ("", "E0381"), ("AG", "E0382")] {
        params["newName"] = json!(name);
        let refused = client.request("textDocument/rename", params.clone()).unwrap_err();
        assert_eq!(refused["code"], -32803);
        assert!(refused["message"].as_str().unwrap().contains(code), "{name}: {refused}");
    }
    assert!(client.at("textDocument/prepareRename", URI, 0, 1).is_err());
    assert_eq!(client.finish(), Some(0));
}

#[test]
fn outline_layout_completion_and_spelling() {
    let mut client = opened();
    let document = json!({"textDocument": {"uri": URI}});
    let symbols = client.request("textDocument/documentSymbol", document.clone()).unwrap();
    let names: Vec<&str> = symbols.as_array().unwrap().iter().map(|symbol| symbol["name"].as_str().unwrap()).collect();
    assert_eq!(names, ["s", "N", "x", "P", "Q", "small", "never"]);
    assert_eq!(symbols[3]["children"][1]["name"], "b");
    // Layout.
    let neat = client.request("textDocument/formatting", document.clone()).unwrap();
    let neat = if neat == json!([]) { GCL.to_owned() } else { edited(GCL, &neat) };
    let ugly = neat.replace("const N = 2", "const   N=2");
    client.change(URI, 2, json!([{"text": ugly}]));
    let edits = client.request("textDocument/formatting", document.clone()).unwrap();
    assert_eq!(edited(&ugly, &edits), neat);
    // Completion behind `P@`.
    let answer = client.at("textDocument/completion", URI, 4, 27).unwrap();
    assert_eq!(
        answer["items"].as_array().unwrap().iter().map(|item| item["label"].as_str().unwrap()).collect::<Vec<_>>(),
        ["a", "b"]
    );
    let answer = client.at("textDocument/completion", URI, 6, 24).unwrap();
    assert!(answer["items"].as_array().unwrap().iter().any(|item| item["label"] == "x"));
    // A misspelt name.
    let right = "system s\nvar level : int = 0\nprocess P { level := 1; }\n";
    let wrong = right.replace("level :=", "levl :=");
    let found = client.change(URI, 3, json!([{"text": wrong}]));
    let params = json!({"textDocument": {"uri": URI}, "range": found[0]["range"], "context": {"diagnostics": []}});
    let actions = client.request("textDocument/codeAction", params).unwrap();
    assert_eq!(actions[0]["title"], "Change to `level`");
    assert_eq!(edited(&wrong, &actions[0]["edit"]["changes"][URI]), right);
    // Layout of a text with mistakes.
    client.change(URI, 4, json!([{"text": "system s process {"}]));
    assert_eq!(client.request("textDocument/formatting", document).unwrap_err()["code"], -32803);
    assert_eq!(client.finish(), Some(0));
}

#[test]
fn lenses_check_properties() {
    let known = json!({"window": {"workDoneProgress": true}, "workspace": {"codeLens": {"refreshSupport": true}}});
    let (mut client, _) = Client::with(known, json!({}));
    client.open(URI, GCL);
    let document = json!({"textDocument": {"uri": URI}});
    let lenses = client.request("textDocument/codeLens", document.clone()).unwrap();
    assert_eq!(lenses.as_array().unwrap().len(), 3);
    let command = &lenses[2]["command"];
    assert_eq!((&command["title"], &lenses[2]["range"]), (&json!("check this property"), &on_line(6, 9, 14)));
    let asked = json!({"command": command["command"], "arguments": command["arguments"]});
    let answer = client.request("workspace/executeCommand", asked).unwrap();
    assert_eq!(answer["results"][0]["value"], "false", "{answer}");
    assert!(answer["results"][0]["text"].as_str().unwrap().contains("x := x + 1"), "{answer}");
    let token = client.expect("window/workDoneProgress/create")["params"]["token"].clone();
    assert_eq!(client.expect("$/progress")["params"]["token"], token);
    assert_eq!(client.expect("window/showMessage")["params"]["message"], "never: false");
    // An editor keeps the lenses that it has until it is told that there are new ones.
    assert!(client.expect("workspace/codeLens/refresh")["id"].is_string());
    let found = client.diagnostics();
    assert_eq!((&found[0]["severity"], &found[0]["range"]), (&json!(1), &on_line(6, 9, 14)));
    let lenses = client.request("textDocument/codeLens", document.clone()).unwrap();
    assert_eq!(lenses[2]["command"]["title"], "false: check again");
    // Everything at once, mistakes that nobody asked for included.
    let asked = json!({"command": "tertium.check", "arguments": [URI]});
    let answer = client.request("workspace/executeCommand", asked).unwrap();
    let value = |name: &str| {
        let results = answer["results"].as_array().unwrap();
        results.iter().find(|told| told["name"] == name).map(|told| told["value"].clone())
    };
    assert_eq!((value("small"), value("deadlocks")), (Some(json!("true")), Some(json!("true"))), "{answer}");
    client.diagnostics();
    // A change makes answers old.
    assert_eq!(client.change(URI, 2, json!([{"text": GCL}])), json!([]));
    let unknown = json!({"command": "tertium.check", "arguments": [URI, "nothing"]});
    assert!(
        client.request("workspace/executeCommand", unknown).unwrap_err()["message"].as_str().unwrap().contains("E0384")
    );
    assert_eq!(client.request("workspace/executeCommand", json!({"command": "rm"})).unwrap_err()["code"], -32602);
    // Other languages.
    client.open("file:///tmp/d.kmts", "state a p: ?\ninit a\na -must-> a\nproperty safe : AG p\n");
    let asked = json!({"command": "tertium.check", "arguments": ["file:///tmp/d.kmts", "safe"]});
    assert_eq!(client.request("workspace/executeCommand", asked).unwrap()["results"][0]["value"], "unknown");
    assert_eq!(client.diagnostics()[0]["severity"], 3, "an open question is no failure");
    client.open("file:///tmp/d.pml", "byte x; active proctype P() { x = 1 }\nltl { [] (x < 2) }\n");
    let asked = json!({"command": "tertium.check", "arguments": ["file:///tmp/d.pml", "ltl_0"]});
    assert_eq!(client.request("workspace/executeCommand", asked).unwrap()["results"][0]["value"], "true");
    assert_eq!(client.finish(), Some(0));
}

/// Has more states than anyone can visit, and a property that says nothing of them to a solver.
const ENDLESS: &str = "\
system s
const N = 12
var v : array[1..N] of 0..99 = 0
process P[i : 1..N] { loop { v[i] := (v[i] * 37 + v[N + 1 - i] * v[i] + 11) mod 100; } }
property low : ctl AG (v[1] * v[2] + v[3] * v[4] * v[5] != 500000)
";

#[test]
fn a_check_can_be_stopped() {
    let (mut client, _) = Client::with(json!({}), json!({"timeoutSeconds": 100_000, "memoryMegabytes": 8192}));
    client.open(URI, ENDLESS);
    let asked = json!({"command": "tertium.check", "arguments": [URI, "low"], "workDoneToken": "mine"});
    let id = client.ask("workspace/executeCommand", asked);
    assert_eq!(client.expect("$/progress")["params"]["value"]["kind"], "begin");
    // The conversation goes on meanwhile.
    assert!(client.at("textDocument/hover", URI, 1, 6).unwrap().is_object());
    client.notify("window/workDoneProgress/cancel", json!({"token": "mine"}));
    let answer = client.answer(id).unwrap();
    assert_eq!(answer["results"][0]["stopped"], "interrupted", "{answer}");
    let id = client.ask("workspace/executeCommand", json!({"command": "tertium.check", "arguments": [URI, "low"]}));
    client.notify("$/cancelRequest", json!({"id": id}));
    match client.answer(id) {
        Ok(answer) => assert_eq!(answer["results"][0]["stopped"], "interrupted"),
        Err(error) => assert_eq!(error["code"], -32800),
    }
    assert_eq!(client.finish(), Some(0));
    let (mut client, _) = Client::with(json!({}), json!({"timeoutSeconds": 1}));
    client.open(URI, ENDLESS);
    let asked = json!({"command": "tertium.check", "arguments": [URI, "low"]});
    assert_eq!(client.request("workspace/executeCommand", asked).unwrap()["results"][0]["stopped"], "timeout");
    assert_eq!(client.finish(), Some(0));
}

#[test]
fn a_request_that_waits_can_be_taken_back() {
    let mut client = opened();
    let request = json!({"jsonrpc": "2.0", "id": "later", "method": "textDocument/hover", "params": place(URI, 1, 6)});
    let cancel = json!({"jsonrpc": "2.0", "method": "$/cancelRequest", "params": {"id": "later"}});
    let framed = |message: &Value| {
        let body = message.to_string();
        format!("Content-Length: {}\r\n\r\n{body}", body.len())
    };
    client.raw(format!("{}{}", framed(&request), framed(&cancel)).as_bytes());
    let answer = client.receive();
    assert!(answer["error"]["code"] == -32800 || answer["result"].is_object(), "{answer}");
    assert_eq!(client.finish(), Some(0));
}

#[cfg(target_os = "linux")]
#[test]
fn long_texts_are_read_while_typing() {
    let (short, long) = (typed_into(130), typed_into(520));
    // What is linear takes four times, what is quadratic sixteen. An optimised build needs less than 100 ms for each change of the
    // long one.
    assert!(long < short * 10, "{short:?}, then {long:?} for four times the text");
}

#[cfg(target_os = "linux")]
/// What the processor spends on changes in a text with ten lines for each unit of its length.
fn typed_into(length: usize) -> std::time::Duration {
    let mut text = String::from("system long\n");
    for at in 0..4 * length {
        text.push_str(&format!("const c{at} = {at} + 1\nvar v{at} : 0..c{at} = 0\n"));
    }
    for at in 0..length / 3 {
        text.push_str(&format!(
            "process P{at} {{\n  loop {{\n    l: v{at} := c{at} - v{at};\n    await v{at} > 0;\n  }}\n}}\n"
        ));
    }
    assert!(text.lines().count() >= 10 * length - 10);
    let mut client = Client::start();
    assert_eq!(client.open(URI, &text), json!([]));
    let spent = |client: &Client| tertium_testkit::processor_time_of(client.process()).unwrap_or_default();
    let before = spent(&client);
    for version in 0..10 {
        let change = json!([{"range": on_line(2, 16, 17), "text": version.to_string()}]);
        client.change(URI, version + 2, change);
    }
    let spent = spent(&client) - before;
    assert_eq!(client.finish(), Some(0));
    spent
}
