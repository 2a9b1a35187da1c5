//! An editor for tests: starts `tertium lsp` and talks to it over pipes.

use std::collections::VecDeque;
use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::time::Duration;

use serde_json::{Value, json};

/// No answer takes longer, unless something hangs.
const PATIENCE: Duration = Duration::from_secs(1800);

/// A conversation with the server.
pub struct Client {
    child: Child,
    input: Option<ChildStdin>,
    inbox: Receiver<Value>,
    /// Notifications and requests of the server that nobody has asked for yet.
    aside: VecDeque<Value>,
    next: u64,
}

impl Client {
    /// Starts a server without a word.
    pub fn silent() -> Self {
        let mut child = Command::new(env!("CARGO_BIN_EXE_tertium"))
            .arg("lsp")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::inherit())
            .spawn()
            .unwrap();
        let (sender, inbox) = channel();
        let output = child.stdout.take().unwrap();
        std::thread::spawn(move || {
            let mut output = BufReader::new(output);
            while let Some(message) = receive(&mut output) {
                if sender.send(message).is_err() {
                    return;
                }
            }
        });
        let input = child.stdin.take();
        Self { child, input, inbox, aside: VecDeque::new(), next: 1 }
    }

    /// Starts a server and initialises it with these capabilities and options.
    pub fn with(capabilities: Value, options: Value) -> (Self, Value) {
        let mut client = Self::silent();
        let params = json!({"capabilities": capabilities, "initializationOptions": options});
        let answer = client.request("initialize", params).unwrap();
        client.notify("initialized", json!({}));
        (client, answer)
    }

    /// The usual start: positions in UTF-16.
    pub fn start() -> Self {
        Self::with(json!({}), json!({})).0
    }

    /// The number of the server's process.
    #[allow(dead_code, reason = "not every test looks at it")]
    pub fn process(&self) -> u32 {
        self.child.id()
    }

    /// Writes bytes as they are.
    pub fn raw(&mut self, bytes: &[u8]) {
        let input = self.input.as_mut().unwrap();
        input.write_all(bytes).unwrap();
        input.flush().unwrap();
    }

    pub fn send(&mut self, message: &Value) {
        let body = message.to_string();
        self.raw(format!("Content-Length: {}\r\n\r\n{body}", body.len()).as_bytes());
    }

    pub fn notify(&mut self, method: &str, params: Value) {
        self.send(&json!({"jsonrpc": "2.0", "method": method, "params": params}));
    }

    /// Sends a request without waiting; its number.
    pub fn ask(&mut self, method: &str, params: Value) -> u64 {
        let id = self.next;
        self.next += 1;
        self.send(&json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params}));
        id
    }

    /// The answer to a request: its result, or its error.
    pub fn answer(&mut self, id: u64) -> Result<Value, Value> {
        loop {
            let message = self.receive();
            if message.get("method").is_none() && message["id"] == json!(id) {
                return match message.get("error") {
                    Some(error) => Err(error.clone()),
                    None => Ok(message["result"].clone()),
                };
            }
            self.aside.push_back(message);
        }
    }

    pub fn request(&mut self, method: &str, params: Value) -> Result<Value, Value> {
        let id = self.ask(method, params);
        self.answer(id)
    }

    /// The next message from the server.
    pub fn receive(&mut self) -> Value {
        self.inbox.recv_timeout(PATIENCE).expect("the server says nothing")
    }

    /// The next notification or request of the server with this method.
    pub fn expect(&mut self, method: &str) -> Value {
        if let Some(at) = self.aside.iter().position(|message| message["method"] == method) {
            return self.aside.remove(at).unwrap();
        }
        loop {
            let message = self.receive();
            if message["method"] == method {
                return message;
            }
            self.aside.push_back(message);
        }
    }

    /// Opens a text and returns the diagnostics.
    pub fn open(&mut self, uri: &str, text: &str) -> Value {
        let language = uri.rsplit('.').next().unwrap();
        let item = json!({"uri": uri, "languageId": language, "version": 1, "text": text});
        self.notify("textDocument/didOpen", json!({"textDocument": item}));
        self.diagnostics()
    }

    /// Changes a text and returns the diagnostics.
    pub fn change(&mut self, uri: &str, version: u64, changes: Value) -> Value {
        let document = json!({"uri": uri, "version": version});
        self.notify("textDocument/didChange", json!({"textDocument": document, "contentChanges": changes}));
        loop {
            let told = self.expect("textDocument/publishDiagnostics")["params"].clone();
            if told["version"] == json!(version) {
                return told["diagnostics"].clone();
            }
        }
    }

    /// The next diagnostics.
    pub fn diagnostics(&mut self) -> Value {
        self.expect("textDocument/publishDiagnostics")["params"]["diagnostics"].clone()
    }

    /// Asks about a place of a text.
    pub fn at(&mut self, method: &str, uri: &str, line: u64, character: u64) -> Result<Value, Value> {
        self.request(method, place(uri, line, character))
    }

    /// Ends the conversation politely; the exit code.
    pub fn finish(mut self) -> Option<i32> {
        self.request("shutdown", Value::Null).unwrap();
        self.notify("exit", Value::Null);
        self.child.wait().unwrap().code()
    }

    /// Ends it by hanging up; the exit code.
    pub fn hang_up(mut self) -> Option<i32> {
        drop(self.input.take());
        self.child.wait().unwrap().code()
    }
}

impl Drop for Client {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Parameters that name a place.
pub fn place(uri: &str, line: u64, character: u64) -> Value {
    json!({"textDocument": {"uri": uri}, "position": {"line": line, "character": character}})
}

/// A range on one line.
pub fn on_line(line: u64, start: u64, end: u64) -> Value {
    json!({"start": {"line": line, "character": start}, "end": {"line": line, "character": end}})
}

fn receive(output: &mut impl BufRead) -> Option<Value> {
    let mut length = 0;
    loop {
        let mut line = String::new();
        if output.read_line(&mut line).ok()? == 0 {
            return None;
        }
        match line.trim() {
            "" => break,
            header => length = header.strip_prefix("Content-Length: ").unwrap().parse().unwrap(),
        }
    }
    let mut body = vec![0; length];
    output.read_exact(&mut body).ok()?;
    Some(serde_json::from_slice(&body).unwrap())
}
