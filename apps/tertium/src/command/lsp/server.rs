//! The conversation: who may ask what when, and in which order answers come.
//!
//! Requests are answered one after the other, so an answer is always about the text as it was when the question came. Checks are the
//! exception: they run beside the conversation and are answered when they end. Mistakes in a text are told when no message
//! is waiting, so that fast typing is not slowed down.

use std::collections::{BTreeMap, VecDeque};
use std::io::Write;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, Sender};

use serde_json::{Value, json};
use tertium_base::Diagnostic;
use tertium_base::diagnostic::closest_name;

use super::checking::{self, Job, Limits, PropertyReport};
use super::document::Document;
use super::errors_page::ErrorsPage;
use super::features::{self, Answered, CHECK, Refusal};
use super::semantic_tokens;
use super::text::Encoding;
use super::transport::{self, Incoming};
use crate::command::terminal;

const PARSE_ERROR: i64 = -32700;
const INVALID_REQUEST: i64 = -32600;
const METHOD_NOT_FOUND: i64 = -32601;
const INTERNAL_ERROR: i64 = -32603;
const NOT_INITIALISED: i64 = -32002;
const CANCELLED: i64 = -32800;

/// What the server waits for.
#[derive(Debug)]
pub enum Event {
    /// Something from the editor.
    Incoming(Incoming),
    /// The editor is gone.
    End,
    /// A check is doing this.
    Phase {
        /// Which check.
        number: u64,
        /// What.
        what: String,
    },
    /// A check has ended.
    Checked {
        /// Which.
        job: Job,
        /// The answers, or why there are none.
        outcome: Result<Vec<PropertyReport>, String>,
    },
}

/// How far the conversation is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Stage {
    Fresh,
    Running,
    ShutDown,
}

/// A check that has not ended.
#[derive(Debug)]
struct Running {
    number: u64,
    /// The request to be answered.
    request: Value,
    /// Where progress is told.
    token: Option<Value>,
    cancel: Arc<AtomicBool>,
}

/// One conversation.
#[derive(Debug)]
pub struct Server<W> {
    output: W,
    events: Sender<Event>,
    stage: Stage,
    encoding: Encoding,
    documents: BTreeMap<String, Document>,
    running: Vec<Running>,
    limits: Limits,
    errors_page: Option<ErrorsPage>,
    /// Whether the editor shows progress that the server begins.
    shows_progress: bool,
    /// Whether the editor asks again for lenses when it is told to.
    renews_lenses: bool,
    /// Whether the editor shows the page.
    shows_page: bool,
    counter: u64,
}

impl<W: Write> Server<W> {
    /// A conversation that has not begun.
    pub fn new(output: W, events: Sender<Event>) -> Self {
        Self {
            output,
            events,
            stage: Stage::Fresh,
            encoding: Encoding::Utf16,
            documents: BTreeMap::new(),
            running: Vec::new(),
            limits: Limits::default(),
            errors_page: ErrorsPage::find(),
            shows_progress: false,
            renews_lenses: false,
            shows_page: false,
            counter: 0,
        }
    }

    /// Talks until the editor says goodbye or is gone; returns the exit code.
    pub fn run(mut self, inbox: &Receiver<Event>) -> u8 {
        let mut waiting: VecDeque<Event> = VecDeque::new();
        loop {
            waiting.extend(inbox.try_iter());
            if waiting.is_empty() {
                self.tell_news();
                match inbox.recv() {
                    Ok(event) => waiting.push_back(event),
                    Err(_) => return self.goodbye(),
                }
                waiting.extend(inbox.try_iter());
            }
            let Some(event) = waiting.pop_front() else { continue };
            match event {
                Event::End => return self.goodbye(),
                Event::Incoming(Incoming::Broken(why)) => self.refuse(Value::Null, PARSE_ERROR, &why),
                Event::Incoming(Incoming::Message(message)) => {
                    if method(&message) == Some("exit") {
                        return self.goodbye();
                    }
                    self.message(&message, &waiting);
                }
                Event::Phase { number, what } => self.progress(number, &what),
                Event::Checked { job, outcome } => self.checked(&job, outcome),
            }
        }
    }

    /// Stops everything; the code says whether the end was announced.
    fn goodbye(&mut self) -> u8 {
        self.running.iter().for_each(|check| check.cancel.store(true, Ordering::Relaxed));
        u8::from(self.stage != Stage::ShutDown)
    }

    fn send(&mut self, message: &Value) {
        // An editor that does not read any more will be gone soon; a full disk is told at the end.
        terminal::note_loss(transport::write(&mut self.output, message));
    }

    fn notify(&mut self, method: &str, params: &Value) {
        self.send(&json!({"jsonrpc": "2.0", "method": method, "params": params}));
    }

    fn refuse(&mut self, id: Value, code: i64, message: &str) {
        self.send(&json!({"jsonrpc": "2.0", "id": id, "error": {"code": code, "message": message}}));
    }

    fn message(&mut self, message: &Value, waiting: &VecDeque<Event>) {
        let id = message.get("id").cloned();
        let Some(method) = method(message) else {
            // An answer to a request of ours needs no reaction.
            let answer = id.is_some() && (message.get("result").is_some() || message.get("error").is_some());
            if !answer {
                self.refuse(id.unwrap_or(Value::Null), INVALID_REQUEST, "a message without a method");
            }
            return;
        };
        let nothing = Value::Null;
        let params = message.get("params").unwrap_or(&nothing);
        match id {
            None => self.notification(method, params),
            Some(id) if !(id.is_string() || id.is_number()) => {
                self.refuse(Value::Null, INVALID_REQUEST, "the id is neither a number nor a text");
            }
            Some(id) if is_cancelled(&id, waiting) => self.refuse(id, CANCELLED, "cancelled"),
            Some(id) => self.request(id, method, params),
        }
    }

    fn notification(&mut self, method: &str, params: &Value) {
        if self.stage != Stage::Running {
            return;
        }
        match method {
            "textDocument/didOpen" => {
                let item = params.get("textDocument").unwrap_or(&Value::Null);
                if let Some(document) = Document::open(item, self.encoding) {
                    self.documents.insert(document.uri.clone(), document);
                }
            }
            "textDocument/didChange" => {
                let version = params.pointer("/textDocument/version").and_then(Value::as_i64);
                let changes = params.get("contentChanges").and_then(Value::as_array);
                if let (Some(document), Some(changes)) =
                    (address(params).and_then(|uri| self.documents.get_mut(uri)), changes)
                {
                    document.change(version, changes);
                }
            }
            "textDocument/didClose" => {
                if let Some(document) = address(params).and_then(|uri| self.documents.remove(uri)) {
                    let params = json!({"uri": document.uri, "diagnostics": []});
                    self.notify("textDocument/publishDiagnostics", &params);
                }
            }
            "$/cancelRequest" => {
                let id = params.get("id").unwrap_or(&Value::Null);
                self.stop(|check| check.request == *id);
            }
            "window/workDoneProgress/cancel" => {
                let token = params.get("token");
                self.stop(|check| check.token.as_ref() == token);
            }
            // Everything else may be ignored by the protocol.
            _ => {}
        }
    }

    fn stop(&self, which: impl Fn(&Running) -> bool) {
        let chosen = self.running.iter().filter(|check| which(check));
        chosen.for_each(|check| check.cancel.store(true, Ordering::Relaxed));
    }

    fn request(&mut self, id: Value, method: &str, params: &Value) {
        match (self.stage, method) {
            (Stage::Fresh, "initialize") => {
                let capabilities = self.initialise(params);
                self.answer(id, Ok(capabilities));
            }
            (Stage::Fresh, _) => self.refuse(id, NOT_INITIALISED, "the server has not been initialised"),
            (Stage::ShutDown, _) => self.refuse(id, INVALID_REQUEST, "the server has been shut down"),
            (Stage::Running, "initialize") => self.refuse(id, INVALID_REQUEST, "initialised already"),
            (Stage::Running, "shutdown") => {
                self.stop(|_| true);
                self.stage = Stage::ShutDown;
                self.answer(id, Ok(Value::Null));
            }
            (Stage::Running, "workspace/executeCommand") => {
                if let Err(refusal) = self.command(&id, params) {
                    self.answer(id, Err(refusal));
                }
            }
            (Stage::Running, _) => {
                // A fault in one answer must not end the conversation.
                let answered = catch_unwind(AssertUnwindSafe(|| self.about_text(method, params)));
                let fault = Refusal { code: INTERNAL_ERROR, message: "a fault of tertium".to_owned() };
                self.answer(id, answered.unwrap_or(Err(fault)));
            }
        }
    }

    fn answer(&mut self, id: Value, answered: Answered) {
        match answered {
            Ok(result) => self.send(&json!({"jsonrpc": "2.0", "id": id, "result": result})),
            Err(refusal) => self.refuse(id, refusal.code, &refusal.message),
        }
    }

    fn initialise(&mut self, params: &Value) -> Value {
        let encodings = params.pointer("/capabilities/general/positionEncodings").and_then(Value::as_array);
        let bytes = encodings.is_some_and(|known| known.iter().any(|name| name == "utf-8"));
        self.encoding = if bytes { Encoding::Utf8 } else { Encoding::Utf16 };
        let progress = params.pointer("/capabilities/window/workDoneProgress").and_then(Value::as_bool);
        self.shows_progress = progress.unwrap_or(false);
        let lenses = params.pointer("/capabilities/workspace/codeLens/refreshSupport").and_then(Value::as_bool);
        self.renews_lenses = lenses.unwrap_or(false);
        if let Some(options) = params.get("initializationOptions") {
            self.limits = Limits::from_options(options);
            self.shows_page = options.get("showsPage").and_then(Value::as_bool).unwrap_or(false);
            if let Some(page) = options.get("errorsPage").and_then(Value::as_str) {
                self.errors_page = Some(ErrorsPage::at(page));
            }
        }
        self.stage = Stage::Running;
        json!({
            "capabilities": {
                "positionEncoding": self.encoding.name(),
                "textDocumentSync": {"openClose": true, "change": 2},
                "hoverProvider": true,
                "definitionProvider": true,
                "referencesProvider": true,
                "documentHighlightProvider": true,
                "renameProvider": {"prepareProvider": true},
                "documentSymbolProvider": true,
                "documentFormattingProvider": true,
                "completionProvider": {"triggerCharacters": ["@", "."]},
                "codeActionProvider": {"codeActionKinds": ["quickfix"]},
                "codeLensProvider": {},
                "semanticTokensProvider": semantic_tokens::capability(),
                "executeCommandProvider": {"commands": [CHECK], "workDoneProgress": true},
            },
            "serverInfo": {"name": "tertium", "version": env!("CARGO_PKG_VERSION")},
        })
    }

    fn about_text(&mut self, method: &str, params: &Value) -> Answered {
        const KNOWN: [&str; 12] = [
            "textDocument/hover",
            "textDocument/definition",
            "textDocument/references",
            "textDocument/documentHighlight",
            "textDocument/prepareRename",
            "textDocument/rename",
            "textDocument/documentSymbol",
            "textDocument/formatting",
            "textDocument/completion",
            "textDocument/codeAction",
            "textDocument/codeLens",
            "textDocument/semanticTokens/full",
        ];
        if !KNOWN.contains(&method) {
            return Err(Refusal { code: METHOD_NOT_FOUND, message: format!("`{method}` is not known here") });
        }
        let (page, shows_page) = (self.errors_page.clone(), self.shows_page);
        let document = self.document(params)?;
        document.refresh();
        match method {
            "textDocument/hover" => features::hover(document, params),
            "textDocument/definition" => features::definition(document, params),
            "textDocument/references" => features::references(document, params),
            "textDocument/documentHighlight" => features::highlights(document, params),
            "textDocument/prepareRename" => features::prepare_rename(document, params),
            "textDocument/rename" => features::rename(document, params),
            "textDocument/documentSymbol" => features::symbols(document),
            "textDocument/formatting" => features::formatting(document),
            "textDocument/completion" => features::completion(document, params),
            "textDocument/codeAction" => features::code_actions(document, params, page.as_ref()),
            "textDocument/semanticTokens/full" => semantic_tokens::semantic_tokens(document),
            _ => features::lenses(document, shows_page),
        }
    }

    fn document(&mut self, params: &Value) -> Result<&mut Document, Refusal> {
        let uri = address(params).ok_or_else(|| Refusal::params("no document is named"))?;
        let unknown = || Refusal::params(format!("`{uri}` is not open, or is of no language that is known here"));
        self.documents.get_mut(uri).ok_or_else(unknown)
    }

    /// Begins a check; it is answered when it ends.
    fn command(&mut self, id: &Value, params: &Value) -> Result<(), Refusal> {
        if params.get("command").and_then(Value::as_str) != Some(CHECK) {
            return Err(Refusal::params("the only command is `tertium.check`"));
        }
        let argument = |at: usize| params.get("arguments").and_then(|all| all.get(at)).and_then(Value::as_str);
        let uri = argument(0).ok_or_else(|| Refusal::params("the first argument is a document's address"))?;
        let only = argument(1).map(str::to_owned);
        let (number, limits) = (self.counter, self.limits);
        let document = self.document(&json!({"textDocument": {"uri": uri}}))?;
        document.refresh();
        if let (Some(name), Some(analysis)) = (&only, document.analysis()) {
            let known = analysis.names.symbols().iter().filter(|symbol| features::can_be_checked(symbol));
            if !known.clone().any(|symbol| symbol.name == *name) {
                let mut missing = Diagnostic::error("E0384", format!("there is no property named `{name}`"));
                if let Some(close) = closest_name(name, known.map(|symbol| symbol.name.as_str())) {
                    missing = missing.help(format!("did you mean `{close}`?"));
                }
                return Err(Refusal::of(&missing));
            }
        }
        let job = Job {
            number,
            uri: uri.to_owned(),
            version: document.version,
            file: document.file(),
            kind: document.kind,
            text: document.text.as_str().to_owned(),
            only,
            limits,
        };
        self.counter += 1;
        let token = self.begin_progress(params, &job);
        let cancel = Arc::new(AtomicBool::new(false));
        self.running.push(Running { number, request: id.clone(), token, cancel: Arc::clone(&cancel) });
        checking::start(job, cancel, self.events.clone());
        Ok(())
    }

    /// Where the progress of a check is told, if anywhere.
    fn begin_progress(&mut self, params: &Value, job: &Job) -> Option<Value> {
        let given = params.get("workDoneToken").cloned();
        if given.is_none() && !self.shows_progress {
            return None;
        }
        let token = given.unwrap_or_else(|| {
            let token = json!(format!("tertium-check-{}", job.number));
            let id = format!("tertium-progress-{}", job.number);
            self.send(&json!({"jsonrpc": "2.0", "id": id, "method": "window/workDoneProgress/create",
                              "params": {"token": token}}));
            token
        });
        let title = job.only.as_ref().map_or_else(|| "checking".to_owned(), |name| format!("checking {name}"));
        let value = json!({"kind": "begin", "title": title, "cancellable": true});
        self.notify("$/progress", &json!({"token": token, "value": value}));
        Some(token)
    }

    fn progress(&mut self, number: u64, what: &str) {
        let token = self.running.iter().find(|check| check.number == number).and_then(|check| check.token.clone());
        if let Some(token) = token {
            let value = json!({"kind": "report", "message": what, "cancellable": true});
            self.notify("$/progress", &json!({"token": token, "value": value}));
        }
    }

    fn checked(&mut self, job: &Job, outcome: Result<Vec<PropertyReport>, String>) {
        let Some(at) = self.running.iter().position(|check| check.number == job.number) else { return };
        let check = self.running.remove(at);
        let summary = match &outcome {
            Ok(told) => {
                told.iter().map(|told| format!("{}: {}", told.name, told.word())).collect::<Vec<_>>().join(", ")
            }
            Err(why) => why.lines().next().unwrap_or("no answer").to_owned(),
        };
        if let Some(token) = check.token {
            self.notify("$/progress", &json!({"token": token, "value": {"kind": "end", "message": summary}}));
        }
        let answered = match outcome {
            Ok(told) => {
                self.tell_results(job, &told, &summary);
                Ok(json!({"results": told.iter().map(PropertyReport::json).collect::<Vec<_>>()}))
            }
            Err(why) => Err(Refusal::failed(why)),
        };
        self.answer(check.request, answered);
    }

    fn tell_results(&mut self, job: &Job, told: &[PropertyReport], summary: &str) {
        let full: Vec<&str> = told.iter().map(|told| told.text.as_str()).collect();
        self.notify("window/logMessage", &json!({"type": 4, "message": full.join("\n")}));
        let failed = told.iter().any(|told| told.value.is(tertium_driver::Belnap::False));
        self.notify("window/showMessage", &json!({"type": if failed { 2 } else { 3 }, "message": summary}));
        // Answers about a text that has changed since are told, not shown beside the new text.
        if let Some(document) = self.documents.get_mut(&job.uri).filter(|document| document.version == job.version) {
            document.results.extend(told.iter().map(|told| (told.name.clone(), told.clone())));
            document.told = false;
            if self.renews_lenses {
                let id = format!("tertium-lenses-{}", job.number);
                self.send(&json!({"jsonrpc": "2.0", "id": id, "method": "workspace/codeLens/refresh"}));
            }
        }
    }

    /// Tells what is wrong with the texts that have changed.
    fn tell_news(&mut self) {
        let page = self.errors_page.clone();
        let mut news = Vec::new();
        for document in self.documents.values_mut().filter(|document| !document.told) {
            document.told = true;
            let read = catch_unwind(AssertUnwindSafe(|| {
                document.refresh();
                document.diagnostics(page.as_ref())
            }));
            if let Ok(diagnostics) = read {
                news.push(json!({"uri": document.uri, "version": document.version, "diagnostics": diagnostics}));
            }
        }
        for params in news {
            self.notify("textDocument/publishDiagnostics", &params);
        }
    }
}

fn method(message: &Value) -> Option<&str> {
    message.get("method").and_then(Value::as_str)
}

fn address(params: &Value) -> Option<&str> {
    params.pointer("/textDocument/uri").and_then(Value::as_str)
}

/// Whether the editor has taken a request back before it is answered.
fn is_cancelled(id: &Value, waiting: &VecDeque<Event>) -> bool {
    waiting.iter().any(|event| match event {
        Event::Incoming(Incoming::Message(later)) => {
            method(later) == Some("$/cancelRequest") && later.pointer("/params/id") == Some(id)
        }
        _ => false,
    })
}
