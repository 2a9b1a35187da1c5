//! The server for assistants, over its pipes as a client of the protocol would use it: one JSON-RPC message to a line.

mod common;

use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, ChildStdout, Stdio};

use common::ROOT;
use serde_json::{Value, json};

const LAMP: &str =
    "system lamp\nvar on : bool = false\nprocess Hand { loop { on := !on; } }\nproperty dark : ltl G !on\n";

/// Collatz sequences of all numbers: states without end, and nothing that sums them up.
const ENDLESS: &str = "system collatz\n\
    var n : int = 1\n\
    var x : int = 1\n\
    process Next { loop { when x = 1 do n, x := n + 1, n + 1; } }\n\
    process Half { loop { when x > 1 && x mod 2 = 0 do x := x div 2; } }\n\
    process Odd { loop { when x > 1 && x mod 2 = 1 do x := 3 * x + 1; } }\n\
    property never : ltl G !(x = 7 * n + 12345678901)\n";

struct Client {
    child: Child,
    input: Option<ChildStdin>,
    output: BufReader<ChildStdout>,
    /// Messages that are not answers.
    notes: Vec<Value>,
    last: u64,
}

impl Client {
    /// A client that has said hello.
    fn new() -> Self {
        let mut client = Self::unintroduced();
        let hello = json!({"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "test", "version": "0"}});
        let answer = client.request("initialize", hello);
        assert_eq!(answer["result"]["protocolVersion"], "2025-06-18");
        assert_eq!(answer["result"]["serverInfo"]["name"], "tertium");
        assert!(answer["result"]["capabilities"]["tools"].is_object(), "{answer}");
        client.send(&json!({"jsonrpc": "2.0", "method": "notifications/initialized"}));
        client
    }

    fn unintroduced() -> Self {
        let mut command = common::command(&["mcp"]);
        command.current_dir(ROOT).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::inherit());
        let mut child = command.spawn().expect("it starts");
        let input = child.stdin.take();
        let output = BufReader::new(child.stdout.take().expect("an output"));
        Self { child, input, output, notes: Vec::new(), last: 0 }
    }

    fn send(&mut self, message: &Value) {
        self.send_line(&message.to_string());
    }

    fn send_line(&mut self, line: &str) {
        let input = self.input.as_mut().expect("an input");
        writeln!(input, "{line}").expect("it listens");
    }

    fn receive(&mut self) -> Value {
        let mut line = String::new();
        assert!(self.output.read_line(&mut line).expect("a text") > 0, "it hung up");
        serde_json::from_str(&line).unwrap_or_else(|error| panic!("{error}: {line}"))
    }

    /// The answer to the message with this id.
    fn answer(&mut self, id: &Value) -> Value {
        loop {
            let message = self.receive();
            if message["id"] == *id && message.get("method").is_none() {
                return message;
            }
            self.notes.push(message);
        }
    }

    fn request(&mut self, method: &str, params: Value) -> Value {
        self.last += 1;
        let id = json!(self.last);
        self.send(&json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params}));
        self.answer(&id)
    }

    fn call(&mut self, tool: &str, arguments: Value) -> Value {
        self.request("tools/call", json!({"name": tool, "arguments": arguments}))["result"].clone()
    }

    /// Hangs up; the exit code.
    fn finish(mut self) -> Option<i32> {
        drop(self.input.take());
        self.child.wait().expect("it ends").code()
    }
}

#[test]
fn tools_are_listed_and_called() {
    let mut client = Client::new();
    let listed = client.request("tools/list", json!({}));
    let tools = listed["result"]["tools"].as_array().expect("a list").clone();
    let names: Vec<&str> = tools.iter().filter_map(|tool| tool["name"].as_str()).collect();
    assert_eq!(names, ["check", "explain", "simulate", "format", "list_properties"]);
    assert!(tools.iter().all(|tool| tool["inputSchema"]["type"] == "object"), "{tools:?}");

    let checked = client.call("check", json!({"model": LAMP, "language": "gcl"}));
    assert_eq!(checked["isError"], false, "{checked}");
    let report = &checked["structuredContent"];
    assert_eq!((&report["results"][0]["name"], &report["results"][0]["value"]), (&json!("dark"), &json!("false")));
    assert_eq!(report["results"][0]["evidence"]["run"]["steps"][1]["values"]["on"], "true", "{report}");
    assert_eq!(report["exit_code"], 10);
    // For clients that know no structured content the text says the same.
    let text: Value = serde_json::from_str(checked["content"][0]["text"].as_str().expect("a text")).expect("JSON");
    assert_eq!(&text, report);

    let path = client.call("check", json!({"path": "examples/door.kmts", "properties": ["now: EX moving"]}));
    assert_eq!(path["structuredContent"]["results"][0]["name"], "now", "{path}");
    let listed = client.call("list_properties", json!({"path": "examples/transfer.gcl"}));
    let names: Vec<&str> = (listed["structuredContent"]["properties"].as_array().expect("a list").iter())
        .filter_map(|property| property["name"].as_str())
        .collect();
    assert!(names.contains(&"deadlocks"), "{listed}");
    let run = client.call("simulate", json!({"model": LAMP, "language": "gcl", "steps": 3, "watch": ["!on"]}));
    assert_eq!(run["structuredContent"]["run"]["steps"].as_array().map(Vec::len), Some(4), "{run}");
    assert_eq!(run["structuredContent"]["watched"]["!on"], "false");
    let laid_out = client.call("format", json!({"model": LAMP.replace(" := ", ":=")}));
    assert_eq!(laid_out["structuredContent"]["text"], LAMP, "{laid_out}");
    let told = client.call("explain", json!({"model": LAMP, "language": "gcl", "property": "dark"}));
    assert!(
        told["content"][0]["text"].as_str().is_some_and(|text| text.contains("false") && text.contains("Hand")),
        "{told}"
    );
    let code = client.call("explain", json!({"code": "E0343"}));
    assert!(code["structuredContent"]["explanation"].as_str().is_some_and(|text| text.contains(".gcl")), "{code}");
    assert_eq!(client.finish(), Some(0));
}

/// What a tool answers is what the command line answers, times and order aside.
#[test]
fn answers_are_those_of_the_command_line() {
    let mut client = Client::new();
    for path in ["examples/door.kmts", "examples/two_experts.kmts", "examples/transfer.gcl", "examples/printer.pml"] {
        let mut by_tool = client.call("check", json!({"path": path}))["structuredContent"].clone();
        let mut by_command =
            common::json(&common::tertium(ROOT, &["check", path, "--format", "json", "--timeout", "60s"]));
        by_tool.as_object_mut().expect("an object").remove("exit_code");
        for report in [&mut by_tool, &mut by_command] {
            let results = report["results"].as_array_mut().expect("results");
            for result in results.iter_mut() {
                result["stats"]["time_ms"] = json!(0);
            }
            // A tool lists them as they were decided.
            results.sort_by_key(|result| result["name"].to_string());
        }
        assert_eq!(by_tool, by_command, "{path}");
    }
    assert_eq!(client.finish(), Some(0));
}

#[test]
fn mistakes_are_results_with_places_and_nonsense_is_refused() {
    let mut client = Client::new();
    let mistake = client.call("check", json!({"model": "system s\nvar x : 0..3 = y\n", "language": "gcl"}));
    assert_eq!(mistake["isError"], true, "{mistake}");
    let found = &mistake["structuredContent"]["error"]["diagnostics"][0];
    assert_eq!((&found["code"], &found["places"][0]["line"]), (&json!("E0405"), &json!(2)), "{mistake}");
    assert!(mistake["content"][0]["text"].as_str().is_some_and(|text| text.contains("error[E0405]")), "{mistake}");
    for arguments in
        [json!({}), json!({"path": "x.gcl", "prove": 1}), json!({"model": LAMP}), json!({"path": "none.gcl"})]
    {
        assert_eq!(client.call("check", arguments.clone())["isError"], true, "{arguments}");
    }
    let unreadable = client.call("format", json!({"model": "system"}));
    assert_eq!(unreadable["isError"], true, "{unreadable}");

    assert_eq!(client.request("tools/call", json!({"name": "prove"}))["error"]["code"], -32602);
    assert_eq!(client.request("resources/list", json!({}))["error"]["code"], -32601);
    assert_eq!(client.request("ping", json!({}))["result"], json!({}));
    client.send_line("{nonsense");
    assert_eq!(client.answer(&Value::Null)["error"]["code"], -32700);
    client.send_line("[]");
    assert_eq!(client.answer(&Value::Null)["error"]["code"], -32600);
    client.send_line("");
    client.send(&json!({"jsonrpc": "2.0", "method": "notifications/unheard-of"}));
    client.send(&json!({"jsonrpc": "2.0", "id": 77, "result": {}}));
    assert_eq!(client.request("ping", json!({}))["result"], json!({}), "it goes on");
    assert_eq!(client.finish(), Some(0));
}

#[test]
fn older_revisions_are_spoken_and_unknown_ones_answered_with_the_newest() {
    for (asked, spoken) in [("2024-11-05", "2024-11-05"), ("2025-03-26", "2025-03-26"), ("1999-01-01", "2025-06-18")] {
        let mut client = Client::unintroduced();
        let answer = client.request("initialize", json!({"protocolVersion": asked, "capabilities": {}}));
        assert_eq!(answer["result"]["protocolVersion"], spoken);
        assert_eq!(client.finish(), Some(0));
    }
}

/// A call that would never end is cancelled, others go on beside it, and progress is told to who asks for it.
#[test]
fn calls_run_side_by_side_and_are_cancelled() {
    let mut client = Client::new();
    let endless = json!({"model": ENDLESS, "language": "gcl", "timeout_seconds": 100_000, "only": ["never"]});
    let meta = json!({"progressToken": "p"});
    client.send(&json!({"jsonrpc": "2.0", "id": "endless", "method": "tools/call",
        "params": {"name": "check", "arguments": endless, "_meta": meta}}));
    let beside = client.call("check", json!({"model": LAMP, "language": "gcl"}));
    assert_eq!(beside["structuredContent"]["exit_code"], 10, "{beside}");
    while !client.notes.iter().any(|note| note["params"]["progressToken"] == "p") {
        let note = client.receive();
        client.notes.push(note);
    }
    client.send(&json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": "endless"}}));
    // A call that is cancelled has no answer; the process behind it is gone when the server has ended.
    assert_eq!(client.request("ping", json!({}))["result"], json!({}));
    assert!(client.notes.iter().all(|note| note["id"] != "endless"), "{:?}", client.notes);
    assert_eq!(client.finish(), Some(0));
}

/// A server that is ended without notice leaves nobody behind who works for nothing.
#[cfg(target_os = "linux")]
#[test]
fn calls_end_with_the_server() {
    let mut client = Client::new();
    let endless = json!({"model": ENDLESS, "language": "gcl", "timeout_seconds": 100_000, "only": ["never"]});
    client.send(&json!({"jsonrpc": "2.0", "id": "endless", "method": "tools/call",
        "params": {"name": "check", "arguments": endless, "_meta": {"progressToken": "p"}}}));
    client.receive();
    let server = client.child.id();
    let is_child = |stat: &str| {
        let after_name: Vec<&str> = stat.rsplit(')').next().unwrap_or_default().split_whitespace().collect();
        after_name.get(1).is_some_and(|parent| *parent == server.to_string())
    };
    let processes = std::fs::read_dir("/proc").expect("a system with processes").flatten().map(|entry| entry.path());
    let stat = |path: &std::path::Path| std::fs::read_to_string(path.join("stat")).unwrap_or_default();
    let children: Vec<_> = processes.filter(|path| is_child(&stat(path))).collect();
    assert_eq!(children.len(), 1, "one call is at work");
    client.child.kill().expect("it can be ended");
    client.child.wait().expect("it ends");
    // Without an end, this goes on for ever: no time is too long on a slow machine.
    while children[0].exists() && !stat(&children[0]).contains(") Z ") {
        std::thread::sleep(std::time::Duration::from_millis(50));
    }
}
