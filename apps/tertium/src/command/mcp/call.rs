//! One call of a tool: a process of this program, its answer as structured content.

use std::io::{BufRead, BufReader, Read, Write};
use std::process::{Child, Command, Stdio};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use serde_json::{Map, Value, json};

use super::own_command;
use super::tools::{Answer, ToolCommand};
use crate::command::signals::PARENT;

/// Ends a call, before it has begun or while it runs.
#[derive(Clone, Default)]
pub struct Cancel(Arc<Mutex<State>>);

#[derive(Default)]
struct State {
    cancelled: bool,
    child: Option<Child>,
}

impl Cancel {
    fn state(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Ends the call.
    pub fn cancel(&self) {
        let mut state = self.state();
        state.cancelled = true;
        if let Some(child) = &mut state.child {
            // If it has ended by itself, all the better.
            let _ = child.kill();
        }
    }

    /// Whether somebody has ended it.
    pub fn is_cancelled(&self) -> bool {
        self.state().cancelled
    }

    /// Keeps the process that does the work.
    fn watch(&self, mut child: Child) {
        let mut state = self.state();
        if state.cancelled {
            let _ = child.kill();
        }
        state.child = Some(child);
    }

    /// The exit code once all that it wrote was read.
    fn wait(&self) -> Option<i32> {
        let mut child = self.state().child.take()?;
        child.wait().ok()?.code()
    }
}

/// A result that says what went wrong.
pub fn error_result(what: &str) -> Value {
    json!({"content": [{"type": "text", "text": what}], "isError": true})
}

/// Runs a call to its end and returns the result of the tool. With `progress`, `tell` is told what it is doing.
pub fn run(command: &ToolCommand, cancel: &Cancel, progress: bool, tell: &mut dyn FnMut(&str)) -> Value {
    if let Answer::Known(result) = &command.answer {
        return result.clone();
    }
    match work(command, cancel, progress, tell) {
        Ok(result) => result,
        Err(error) => error_result(&format!("the call could not be carried out: {error}")),
    }
}

fn work(command: &ToolCommand, cancel: &Cancel, progress: bool, tell: &mut dyn FnMut(&str)) -> std::io::Result<Value> {
    let words = own_command()?;
    let mut process = Command::new(&words[0]);
    process.args(&words[1..]).args(&command.arguments);
    process.env("NO_COLOR", "1").stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    process.env(PARENT, std::process::id().to_string());
    if !progress {
        process.env("TERTIUM_PROGRESS", "off");
    }
    let mut child = process.spawn()?;
    let (input, output, messages) = (child.stdin.take(), child.stdout.take(), child.stderr.take());
    cancel.watch(child);
    let text = command.text.clone();
    // A process that ends before it has read everything says why.
    let writer = std::thread::spawn(move || input.map(|mut input| input.write_all(text.as_bytes())));
    let reader = std::thread::spawn(move || {
        let mut said = String::new();
        let _ = messages.map(|mut messages| messages.read_to_string(&mut said));
        said
    });
    let mut lines = Vec::new();
    for line in output.into_iter().flat_map(|output| BufReader::new(output).lines()) {
        let line = line?;
        if progress && let Some(told) = told_by(&line) {
            tell(&told);
        }
        lines.push(line);
    }
    let _ = writer.join();
    let said = reader.join().unwrap_or_default();
    let code = cancel.wait();
    Ok(result(command, &lines, &said, code))
}

/// What a line of events says of the progress.
fn told_by(line: &str) -> Option<String> {
    let event: Value = serde_json::from_str(line).ok()?;
    match event["type"].as_str()? {
        "phase" => event["phase"].as_str().map(str::to_owned),
        "progress" => Some(format!("{}: {} states", event["phase"].as_str()?, event["states"])),
        _ => None,
    }
}

/// The result of the tool, from what the process wrote.
fn result(command: &ToolCommand, lines: &[String], said: &str, code: Option<i32>) -> Value {
    let written: String = lines.iter().map(|line| format!("{line}\n")).collect();
    let structured = match command.answer {
        Answer::Events => Some(document(lines)),
        Answer::Document => serde_json::from_str::<Value>(&written).ok(),
        Answer::Text(key) => Some(json!({key: &written})),
        Answer::Known(_) => None,
    };
    let Some(mut structured) = structured.filter(Value::is_object).filter(|_| code.is_some()) else {
        return error_result(if said.is_empty() { "the process ended without an answer" } else { said });
    };
    let failed = structured.get("error").is_some() || !matches!(code, Some(0 | 5 | 10));
    structured["exit_code"] = json!(code);
    let text = match (&command.answer, failed) {
        (_, true) if !said.is_empty() => said.to_owned(),
        (Answer::Text(_), _) => written,
        _ => serde_json::to_string_pretty(&structured).unwrap_or_default(),
    };
    if failed && matches!(command.answer, Answer::Text(_)) {
        return error_result(&text);
    }
    json!({"content": [{"type": "text", "text": text}], "structuredContent": structured, "isError": failed})
}

/// The document that lines of events are about, as `--format json` has it.
fn document(lines: &[String]) -> Value {
    let mut document = Map::new();
    let mut results: Vec<Value> = Vec::new();
    let events = lines.iter().filter_map(|line| serde_json::from_str::<Map<String, Value>>(line).ok());
    for mut event in events {
        let Some(Value::String(kind)) = event.remove("type") else { continue };
        match kind.as_str() {
            "header" => document.extend(event),
            "result" => results.push(Value::Object(event)),
            "summary" => {
                let up_to = event.remove("up_to").unwrap_or_default();
                for result in &mut results {
                    let faults = result["name"].as_str().and_then(|name| up_to.get(name)).cloned();
                    if let (Some(faults), Some(result)) = (faults, result.as_object_mut()) {
                        result.insert("up_to".to_owned(), faults);
                    }
                }
                event.retain(|key, value| {
                    matches!(key.as_str(), "warnings" | "lattice")
                        && value.as_array().is_none_or(|list| !list.is_empty())
                });
                document.extend(event);
            }
            "error" => drop(document.insert("error".to_owned(), Value::Object(event))),
            _ => {}
        }
    }
    if !document.contains_key("error") {
        document.insert("results".to_owned(), Value::Array(results));
    }
    Value::Object(document)
}
