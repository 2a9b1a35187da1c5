//! `tertium view`: walk through a result in a browser.

use std::path::{Path, PathBuf};

use serde_json::Value;
use tertium_base::visible::visible;
use tertium_base::{Budget, Diagnostic, StopReason};
use tertium_driver::program::Extras;
use tertium_driver::{Failure, ModelSource};
use tertium_report::page;
use tertium_report::view::SCHEMA_VERSION;

use super::check::{Wanted, decide, shown_path};
use super::live::LiveWalk;
use super::pages;
use super::serve::{Answering, Documents, Server};
use crate::command::args::{CheckArgs, Format, ViewArgs};
use crate::command::terminal::{self, Stream};
use crate::command::{exit, files, watchdog};

/// Runs the command.
pub fn run(args: &ViewArgs) -> u8 {
    let budget = super::budget(args.check.limits);
    match show(args, &budget) {
        Ok(()) => exit::ALL_HOLD,
        Err(failure) => super::fail(&failure, args.check.look.color),
    }
}

fn show(args: &ViewArgs, budget: &Budget) -> Result<(), Failure> {
    if args.check.format != Format::Text {
        return Err(Diagnostic::error("E0370", "`--format` is for `check`; `view` makes a page")
            .help("leave it out, or use `tertium check`")
            .into());
    }
    let [file] = args.check.files.as_slice() else {
        return Err(Diagnostic::error("E0345", "`view` shows one model, and several are given")
            .help("name one; `tertium check --evidence DIR` makes a page for each of several")
            .into());
    };
    let stored = stored(file)?;
    if args.live {
        return if stored.is_none() { live(args, file, budget) } else { Err(not_live(file, "a report")) };
    }
    let document = match stored {
        Some(document) => document,
        None => checked(&args.check.for_model(super::source(file, &args.check.text)?), budget)?,
    };
    let page = page::html(&shown_path(file), &document);
    if let Some(out) = &args.out {
        let room = out.parent().filter(|room| !room.as_os_str().is_empty());
        room.map_or(Ok(()), files::make_directory)?;
        files::write(out, page.as_bytes())?;
        if !args.check.look.quiet {
            terminal::write(Stream::Out, &format!("page: {}\n", visible(&shown_path(out))));
        }
        return Ok(());
    }
    serve(args, Documents { page, data: tertium_report::json::document(&document) }, None, budget)
}

/// Checks a program, then lets a person walk through it on the page.
fn live(args: &ViewArgs, file: &Path, budget: &Budget) -> Result<(), Failure> {
    let args_of_check = args.check.for_model(super::source(file, &args.check.text)?);
    let model = args_of_check.model()?;
    if !model.is_program() {
        return Err(not_live(file, "a structure"));
    }
    let done = decide(&args_of_check, budget, &Wanted { runs: true, ..Wanted::page(true) })?;
    let mut page = done.page.ok_or_else(|| Failure::Internal("a check made no page".to_owned()))?;
    if let Some(mut folder) = done.folder {
        pages::write(&mut folder, &page)?;
    }
    page.live = Some(done.runs.iter().map(Option::is_some).collect());
    let (given, logic) = (&args_of_check.properties, args_of_check.logic.map(|logic| logic.0));
    let program = model.program(given, logic, &args_of_check.text.defines, &Extras::default())?;
    let mut walk = LiveWalk::begin(&program, done.runs)?;
    let html = page::live_html(&shown_path(file), &page);
    let documents = Documents { page: html, data: tertium_report::json::document(&page) };
    serve(args, documents, Some(&mut |question| walk.answer(question)), budget)
}

fn not_live(file: &Path, kind: &str) -> Failure {
    Diagnostic::error("E0373", format!("`--live` walks through a program, and `{}` is {kind}", file.display()))
        .help("leave it out: runs and graphs are on the page anyway")
        .into()
}

/// Checks the model, telling the results as `check` does.
fn checked(args: &CheckArgs, budget: &Budget) -> Result<Value, Failure> {
    let done = decide(args, budget, &Wanted::page(true))?;
    let page = done.page.ok_or_else(|| Failure::Internal("a check made no page".to_owned()))?;
    if let Some(mut folder) = done.folder {
        pages::write(&mut folder, &page)?;
    }
    serde_json::to_value(&page).map_err(|error| Failure::Internal(error.to_string()))
}

/// The document in a file, if it is a report rather than a model.
fn stored(path: &Path) -> Result<Option<Value>, Failure> {
    let file: PathBuf = if path.is_dir() { path.join("report.json") } else { path.to_owned() };
    if file.extension().is_none_or(|extension| extension != "json") {
        return Ok(None);
    }
    let text = tertium_driver::program::read_text(&file)?;
    // A structure may be JSON, too; what is no report is left to those who read models.
    let Ok(document) = serde_json::from_str::<Value>(&text) else { return Ok(None) };
    let is_page = document.get("page_version").is_some();
    let is_answer = document.get("schema_version").is_some() && document.get("results").is_some();
    if !is_page && !is_answer {
        return if path.is_dir() { Err(no_report(&file, "it has no results")) } else { Ok(None) };
    }
    understood(&document, is_page).map_err(|why| no_report(&file, &why))?;
    if is_page {
        return Ok(Some(document));
    }
    let model = document["input"]["file"].as_str().map(Path::new);
    let source = model.and_then(|model| pages::source(&ModelSource::of_file(model, None).ok()?));
    let sources = serde_json::to_value(source.into_iter().collect::<Vec<_>>()).unwrap_or_default();
    Ok(Some(serde_json::json!({"page_version": page::PAGE_VERSION, "report": document, "sources": sources})))
}

/// Whether the page would find what it needs in a report.
fn understood(document: &Value, is_page: bool) -> Result<(), String> {
    let report = if is_page { &document["report"] } else { document };
    let version = |value: &Value, known: u32| value.as_u64().is_some_and(|version| version <= u64::from(known));
    if !version(&report["schema_version"], SCHEMA_VERSION)
        || (is_page && !version(&document["page_version"], page::PAGE_VERSION))
    {
        return Err("its version is not one that this program knows".to_owned());
    }
    let named = report["input"]["file"].is_string() && report["tool"]["version"].is_string();
    let result = |result: &Value| {
        ["name", "formula", "value"].iter().all(|key| result[key].is_string())
            && ["evidence", "stats", "reading"].iter().all(|key| result[key].is_object())
    };
    match report["results"].as_array() {
        Some(results) if named && results.iter().all(result) => Ok(()),
        _ => Err("it lacks parts of a report".to_owned()),
    }
}

fn no_report(file: &Path, why: &str) -> Failure {
    Diagnostic::error("E0371", format!("`{}` is no report: {why}", file.display()))
        .help("`tertium check MODEL --evidence DIR` writes one, and so does `--format json`")
        .into()
}

fn serve(args: &ViewArgs, documents: Documents, live: Option<Answering<'_>>, budget: &Budget) -> Result<(), Failure> {
    let server = Server::bind(args.port).map_err(|error| {
        Diagnostic::error("E0372", format!("port {} cannot be had: {error}", args.port))
            .help("leave out `--port`: then any free one is taken; or write a file with `--out`")
    })?;
    terminal::write(Stream::Out, &format!("page: {}  (Ctrl-C ends)\n", server.address()));
    if !args.no_open && terminal::is_terminal(Stream::Out) {
        open(&format!("{}{}", server.address(), if live.is_some() { "#tab=live" } else { "" }));
    }
    // Limits are for checking; only the user ends this.
    watchdog::rest();
    server.run(documents, live, &|| matches!(budget.check(), Err(stopped) if stopped.0 == StopReason::Interrupted));
    Ok(())
}

/// Asks the desktop for a browser; where there is none, the address is printed anyway.
fn open(address: &str) {
    let opener = if cfg!(target_os = "macos") { "open" } else { "xdg-open" };
    let quiet = std::process::Stdio::null;
    let _ = std::process::Command::new(opener).arg(address).stdin(quiet()).stdout(quiet()).stderr(quiet()).spawn();
}
