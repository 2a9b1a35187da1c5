//! What does the command answer, for programs that have no command line?
//!
//! The same code answers as in the command, with the same options; documents are those of `--format json`. Nothing is written to the streams of the
//! process, no signal is caught, and nobody ends the process: limits and cancellation are the caller's [`Budget`].

use std::sync::Arc;

use clap::Parser;
use tertium_base::Budget;
use tertium_driver::program::format_text;
use tertium_driver::{Failure, ModelSource, Observer};
use tertium_report::failure::{ErrorView, FailureReport};
use tertium_report::{json, page};

use super::args::{Cli, Command};
use super::commands::{self, check, explain, listing, simulate};
use super::progress::Listener;
use super::terminal;

/// A finished check.
#[derive(Clone, Debug)]
pub struct CheckDocument {
    /// The document of `check --format json`.
    pub report: String,
    /// The exit code that the command would have.
    pub exit_code: u8,
    /// The page about it, as HTML, if it was wanted.
    pub page: Option<String>,
}

/// Checks a model as `tertium check` does with these words behind it; what the words call `-` is `model`. `with_page` makes the page, too.
///
/// # Errors
/// The document that `--format json` has for a command without a result.
pub fn check(
    words: &[String],
    model: Option<ModelSource>,
    with_page: bool,
    observer: Arc<dyn Observer + Send + Sync>,
    budget: &Budget,
) -> Result<CheckDocument, String> {
    let Command::Check(args) = parsed("check", words)? else { return Err(not_understood()) };
    let [file] = args.files.as_slice() else { return Err(refused("one model is checked at a time")) };
    let wanted =
        check::Wanted { page: with_page || args.evidence.is_some(), runs: false, listener: Some(Listener(observer)) };
    let model = model.map_or_else(|| commands::source(file, &args.text), Ok).map_err(|failure| told(&failure))?;
    let args = args.for_model(model);
    let (outcome, captured) = terminal::capturing_all(|| {
        let done = match check::decide(&args, budget, &wanted) {
            Err(Failure::Stopped(stopped)) => return Ok((check::stopped_early(&args, stopped).0, None)),
            done => done?,
        };
        let html = done.page.as_ref().filter(|_| with_page).map(|page| page::html(&page.report.input.file, page));
        Ok((check::keep(&args, done)?.0, html))
    });
    let (exit_code, page) = outcome.map_err(|failure: Failure| told(&failure))?;
    Ok(CheckDocument { report: captured.out, exit_code, page })
}

/// Lists what can be asked of a model: the document of `check --list --format json`.
///
/// # Errors
/// As [`check`].
pub fn properties(words: &[String], model: Option<ModelSource>, budget: &Budget) -> Result<String, String> {
    let Command::Check(args) = parsed("check", words)? else { return Err(not_understood()) };
    let [file] = args.files.as_slice() else { return Err(refused("one model is looked at at a time")) };
    let model = model.map_or_else(|| commands::source(file, &args.text), Ok).map_err(|failure| told(&failure))?;
    let args = args.for_model(model);
    let (outcome, captured) = terminal::capturing_all(|| listing::list(&args, budget));
    outcome.map(|()| captured.out).map_err(|failure| told(&failure))
}

/// Runs a program by chance: the document of `simulate --format json`.
///
/// # Errors
/// As [`check`].
pub fn simulated(words: &[String], model: Option<ModelSource>, budget: &Budget) -> Result<String, String> {
    let Command::Simulate(args) = parsed("simulate", words)? else { return Err(not_understood()) };
    let model = model.map_or_else(|| commands::source(&args.file, &args.text), Ok).map_err(|failure| told(&failure))?;
    let (outcome, captured) = terminal::capturing_all(|| simulate::simulate(&args, &model, budget));
    outcome.map(|_| captured.out).map_err(|failure| told(&failure))
}

/// Guarded commands, laid out.
///
/// # Errors
/// As [`check`].
pub fn formatted(name: &str, text: &str) -> Result<String, String> {
    format_text(name, text).map_err(|found| told(&Failure::Input(found)))
}

/// What a message means; none if there is no such code.
#[must_use]
pub fn explained(code: &str) -> Option<String> {
    explain::entry(code)
}

fn parsed(command: &str, words: &[String]) -> Result<Command, String> {
    let first = ["tertium", command, "--format=json"].map(str::to_owned);
    let cli = Cli::try_parse_from(first.iter().chain(words)).map_err(|error| document(commands::misused(&error)))?;
    Ok(cli.command)
}

fn told(failure: &Failure) -> String {
    document(commands::error_view(failure))
}

fn refused(what: &str) -> String {
    let exit_code = super::exit::BAD_INPUT;
    document(ErrorView { kind: "usage", message: what.to_owned(), exit_code, diagnostics: Vec::new() })
}

fn not_understood() -> String {
    told(&Failure::Internal("another command was understood".to_owned()))
}

fn document(error: ErrorView) -> String {
    json::document(&FailureReport::new(env!("CARGO_PKG_VERSION"), None, error))
}
