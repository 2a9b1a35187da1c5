//! The conversation: what is asked, by whom it is answered, and what is cancelled.
//!
//! Model Context Protocol, revision 2025-06-18 and the two before it, over standard input and output: `initialize`, `ping`, `tools/list`, `tools/call`,
//! `notifications/cancelled`, and progress for calls that carry a token.

use std::collections::BTreeMap;
use std::io::{self, BufRead, Read, Write};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use serde_json::{Value, json};

use super::call::{self, Cancel};
use super::tools;

/// The revisions of the protocol that are spoken, the newest first.
const REVISIONS: [&str; 3] = ["2025-06-18", "2025-03-26", "2024-11-05"];

/// A longer line is no message: texts of models are at most 64 MiB, and twice that if every character is escaped.
const LONGEST_LINE: u64 = 160 << 20;

/// What an assistant is told about this server.
const INSTRUCTIONS: &str = "Tertium checks temporal properties of models that may be unfinished: partial structures (kmts, json, aut), guarded commands (gcl) and Promela. \
A property is true, false or unknown; true and false hold however the open parts are filled in, and unknown says what is missing. \
Give a model as text with its language, or as the path of a file. Use list_properties to see what can be asked, check to decide, explain to be told why, \
simulate to see a run, and format to lay out guarded commands. Mistakes in a model come back with code, place, cause and help; explain takes such a code, too.";

/// Errors of JSON-RPC.
const PARSE_ERROR: i64 = -32700;
const INVALID_REQUEST: i64 = -32600;
const METHOD_NOT_FOUND: i64 = -32601;
const INVALID_PARAMS: i64 = -32602;

/// Whoever writes a message writes it whole.
struct Writer<W>(Mutex<W>);

impl<W: Write> Writer<W> {
    fn send(&self, message: &Value) -> io::Result<()> {
        let mut out = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        writeln!(out, "{message}")?;
        out.flush()
    }

    fn answer(&self, id: &Value, result: &Value) -> io::Result<()> {
        self.send(&json!({"jsonrpc": "2.0", "id": id, "result": result}))
    }

    fn refuse(&self, id: &Value, code: i64, message: &str) -> io::Result<()> {
        self.send(&json!({"jsonrpc": "2.0", "id": id, "error": {"code": code, "message": message}}))
    }
}

/// The calls that are being answered, by the text of their ids.
#[derive(Default)]
struct Running(Mutex<BTreeMap<String, Cancel>>);

impl Running {
    fn calls(&self) -> MutexGuard<'_, BTreeMap<String, Cancel>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Answers until the input ends; what still runs then is ended.
///
/// # Errors
/// If nobody reads the answers.
pub fn serve<W: Write + Send + 'static>(mut input: impl BufRead, output: W) -> io::Result<()> {
    let writer = Arc::new(Writer(Mutex::new(output)));
    let running = Arc::new(Running::default());
    loop {
        let mut line = Vec::new();
        let length = input.by_ref().take(LONGEST_LINE).read_until(b'\n', &mut line)?;
        if length == 0 {
            break;
        }
        if line.trim_ascii().is_empty() {
            continue;
        }
        let answered = match serde_json::from_slice::<Value>(&line) {
            Ok(message) => answer(&message, &writer, &running),
            Err(error) => writer.refuse(&Value::Null, PARSE_ERROR, &format!("not a line of JSON: {error}")),
        };
        if answered.is_err() {
            break;
        }
    }
    for cancel in running.calls().values() {
        cancel.cancel();
    }
    Ok(())
}

/// Answers one message; calls go on beside the conversation.
fn answer<W: Write + Send + 'static>(
    message: &Value,
    writer: &Arc<Writer<W>>,
    running: &Arc<Running>,
) -> io::Result<()> {
    let Some(method) = message["method"].as_str() else {
        // An answer to something that was never asked, or nonsense.
        let is_answer = message.get("result").is_some() || message.get("error").is_some();
        return if is_answer { Ok(()) } else { writer.refuse(&message["id"], INVALID_REQUEST, "no method is named") };
    };
    let params = &message["params"];
    let Some(id) = message.get("id").filter(|id| id.is_string() || id.is_number()) else {
        if method == "notifications/cancelled"
            && let Some(cancel) = running.calls().get(&params["requestId"].to_string())
        {
            cancel.cancel();
        }
        return Ok(());
    };
    match method {
        "initialize" => writer.answer(id, &introduced(params)),
        "ping" => writer.answer(id, &json!({})),
        "tools/list" => writer.answer(id, &json!({"tools": tools::list()})),
        "tools/call" => match tools::command(params) {
            Ok(command) => {
                start(id.clone(), command, &params["_meta"]["progressToken"], writer, running);
                Ok(())
            }
            Err(tools::Refused::NoTool(what)) => writer.refuse(id, INVALID_PARAMS, &what),
            // What is wrong with the arguments is for whoever wrote them, which is the model, not the client.
            Err(tools::Refused::Arguments(what)) => writer.answer(id, &call::error_result(&what)),
        },
        _ => writer.refuse(id, METHOD_NOT_FOUND, &format!("`{method}` is not a method of this server")),
    }
}

/// Who this is, and in which revision it speaks.
fn introduced(params: &Value) -> Value {
    let asked = params["protocolVersion"].as_str().unwrap_or_default();
    let revision = REVISIONS.into_iter().find(|known| *known == asked).unwrap_or(REVISIONS[0]);
    json!({
        "protocolVersion": revision,
        "capabilities": {"tools": {"listChanged": false}},
        "serverInfo": {"name": "tertium", "title": "Tertium", "version": env!("CARGO_PKG_VERSION")},
        "instructions": INSTRUCTIONS,
    })
}

/// Starts a call; its result is sent when it is there, unless it was cancelled.
fn start<W: Write + Send + 'static>(
    id: Value,
    command: tools::ToolCommand,
    token: &Value,
    writer: &Arc<Writer<W>>,
    running: &Arc<Running>,
) {
    let cancel = Cancel::default();
    running.calls().insert(id.to_string(), cancel.clone());
    let (writer, running) = (Arc::clone(writer), Arc::clone(running));
    let token = (token.is_string() || token.is_number()).then(|| token.clone());
    std::thread::spawn(move || {
        let mut count = 0u64;
        let result = call::run(&command, &cancel, token.is_some(), &mut |told| {
            let Some(token) = &token else { return };
            count += 1;
            let params = json!({"progressToken": token, "progress": count, "message": told});
            // Whoever does not read progress does not read the result either, and that is noticed.
            let _ = writer.send(&json!({"jsonrpc": "2.0", "method": "notifications/progress", "params": params}));
        });
        running.calls().remove(&id.to_string());
        // A call that was cancelled is not answered: the protocol says so.
        if !cancel.is_cancelled() {
            let _ = writer.answer(&id, &result);
        }
    });
}
