//! One module per command: arguments to the pipeline, its results to a report.

pub mod abstraction;
mod certify;
pub mod check;
pub mod checkpoints;
mod cluster;
mod compare;
mod complete;
mod dialogue;
mod expectations;
pub mod explain;
mod explore;
mod export;
mod fmt;
mod formula;
pub mod known;
pub mod listing;
mod live;
mod many;
mod merge;
mod pages;
mod program;
pub mod program_views;
mod questions;
mod reduce;
mod serve;
pub mod simulate;
mod spotlight;
mod strategy_certificate;
mod structure_abstraction;
mod structure_pages;
mod synthesise;
mod telling;
mod view;
pub mod views;
pub mod wishes;

use std::ffi::OsString;
use std::io::Read;
use std::path::Path;

use clap::{CommandFactory, Parser};
use tertium_base::files::LARGEST_TEXT;
use tertium_base::{Budget, Diagnostic, StopReason};
use tertium_driver::{Failure, Located, ModelLanguage, ModelSource, program as programs};
use tertium_report::failure::ErrorView;
use tertium_report::view::{Input, Tool};

use crate::command::args::{Cli, Colour, Command, Format, Limits, STANDARD_INPUT, TextArgs};
use crate::command::failing::{self, RequestedOutput};
use crate::command::terminal::{self, Stream};
use crate::command::{exit, faults, signals, watchdog};

/// Does what was typed and returns the exit code.
pub fn from_command_line(words: Vec<OsString>) -> u8 {
    faults::remember(&words);
    match Cli::try_parse_from(&words) {
        Ok(cli) => {
            failing::remember(asked(&cli.command));
            run(cli)
        }
        Err(other) => usage(&other, &words),
    }
}

/// Help and version, or what is wrong with the arguments.
fn usage(told: &clap::Error, words: &[OsString]) -> u8 {
    let stream = if told.use_stderr() { Stream::Err } else { Stream::Out };
    let text = told.render();
    let coloured = terminal::coloured(Colour::Auto, stream);
    terminal::write(stream, &if coloured { text.ansi().to_string() } else { text.to_string() });
    if !told.use_stderr() {
        return exit::ALL_HOLD;
    }
    let arguments: Vec<String> = words.iter().map(|word| word.to_string_lossy().into_owned()).collect();
    failing::remember(RequestedOutput { format: failing::format_in(&arguments), file: None });
    failing::write_document(misused(told));
    exit::BAD_INPUT
}

/// What is wrong with the arguments, for scripts.
pub fn misused(told: &clap::Error) -> ErrorView {
    let text = told.render().to_string();
    let message = text.lines().next().unwrap_or_default().trim_start_matches("error: ").to_owned();
    ErrorView { kind: "usage", message, exit_code: exit::BAD_INPUT, diagnostics: Vec::new() }
}

/// How results are to be written, and about what.
fn asked(command: &Command) -> RequestedOutput {
    let (format, file) = match command {
        Command::Check(args) => (args.format, args.files.first()),
        Command::Compare(args) => (args.format.into(), Some(&args.left)),
        Command::Merge(args) => (args.format.into(), Some(&args.left)),
        Command::Reduce(args) => (args.format.into(), Some(&args.file)),
        Command::Complete(args) => (args.format.into(), Some(&args.file)),
        Command::Synthesise(args) => (args.format.into(), Some(&args.file)),
        Command::Sat(args) => (args.format.into(), None),
        Command::Explore(args) => (args.format.into(), Some(&args.file)),
        Command::Cluster(args) => (args.format.into(), args.file.as_ref()),
        Command::Abstract(args) => (args.format.into(), Some(&args.file)),
        Command::Simulate(args) => (args.format.into(), Some(&args.file)),
        Command::Certify(args) => (args.format.into(), Some(&args.file)),
        Command::Formula(args) => (args.format.into(), None),
        Command::Fmt(_)
        | Command::Export(_)
        | Command::Lsp(_)
        | Command::Mcp
        | Command::Explain { .. }
        | Command::View(_)
        | Command::Completions { .. }
        | Command::Man => (Format::Text, None),
    };
    let language = match command {
        Command::Check(args) => args.text.language,
        Command::Explore(args) => args.text.language,
        Command::Abstract(args) => args.text.language,
        Command::Simulate(args) => args.text.language,
        Command::Synthesise(args) => args.text.language,
        _ => None,
    };
    RequestedOutput { format, file: file.map(|file| input(file, language.map(|language| language.0))) }
}

/// A file as reports name it, before it is read.
fn input(file: &Path, said: Option<ModelLanguage>) -> Input {
    let name = if file.as_os_str() == STANDARD_INPUT { INPUT_NAME.to_owned() } else { check::shown_path(file) };
    Input { file: name, kind: said.or_else(|| ModelLanguage::of(file)).map_or("kmts", ModelLanguage::kind) }
}

fn run(cli: Cli) -> u8 {
    match cli.command {
        Command::Check(args) => check::run(&args),
        Command::Compare(args) => compare::run(&args),
        Command::Merge(args) => merge::run(&args),
        Command::Reduce(args) => reduce::run(&args),
        Command::Complete(args) => complete::run(&args),
        Command::Synthesise(args) => synthesise::run(&args),
        Command::Sat(args) => reduce::run_sat(&args),
        Command::Explore(args) => explore::run(&args),
        Command::Cluster(args) => cluster::run(&args),
        Command::Abstract(args) => abstraction::run(&args),
        Command::Simulate(args) => simulate::run(&args),
        Command::Fmt(args) => fmt::run(&args),
        Command::Certify(args) => certify::run(&args),
        Command::Formula(args) => formula::run(&args),
        Command::Export(args) => export::run(&args),
        Command::Lsp(_) => crate::command::lsp::run(),
        Command::Mcp => crate::command::mcp::run(),
        Command::Explain { code } => explain::run(&code),
        Command::View(args) => view::run(&args),
        Command::Completions { shell } => completions(shell),
        Command::Man => manual(),
    }
}

fn completions(shell: clap_complete::Shell) -> u8 {
    let mut script = Vec::new();
    clap_complete::generate(shell, &mut Cli::command(), "tertium", &mut script);
    terminal::write(Stream::Out, &String::from_utf8_lossy(&script));
    exit::ALL_HOLD
}

/// One page for all commands: the overview, then each command's own sections.
fn manual() -> u8 {
    let mut command = Cli::command();
    command.build();
    let mut page = Vec::new();
    let mut written = clap_mangen::Man::new(command.clone()).render(&mut page);
    for sub in command.get_subcommands().filter(|sub| !sub.is_hide_set() && sub.get_name() != "help") {
        let man = clap_mangen::Man::new(sub.clone());
        let title = format!(".SH \"TERTIUM {}\"\n", sub.get_name().to_uppercase());
        page.extend_from_slice(title.as_bytes());
        written = written
            .and_then(|()| man.render_description_section(&mut page))
            .and_then(|()| man.render_synopsis_section(&mut page))
            .and_then(|()| man.render_options_section(&mut page))
            .and_then(|()| man.render_extra_section(&mut page));
    }
    match written {
        Ok(()) => {
            terminal::write(Stream::Out, &String::from_utf8_lossy(&page));
            exit::ALL_HOLD
        }
        Err(error) => {
            faults::report(&format!("the manual page could not be made: {error}"));
            exit::INTERNAL
        }
    }
}

/// What messages call standard input.
const INPUT_NAME: &str = "<stdin>";

/// The model that is named: a file, or standard input, which is read now.
pub fn source(file: &Path, text: &TextArgs) -> Result<ModelSource, Failure> {
    let said = text.language.map(|language| language.0);
    if file.as_os_str() != STANDARD_INPUT {
        return ModelSource::of_file(file, said);
    }
    let Some(language) = said else {
        return Err(Diagnostic::error("E0344", "standard input does not tell in which language it is")
            .help("say it, for example `--language gcl`; others are kmts, json, aut and promela")
            .into());
    };
    let cannot_read = |why: String| Diagnostic::error("E0348", format!("standard input cannot be read: {why}"));
    let mut read = String::new();
    std::io::stdin()
        .take(LARGEST_TEXT + 1)
        .read_to_string(&mut read)
        .map_err(|error| cannot_read(error.to_string()))?;
    if read.len() as u64 > LARGEST_TEXT {
        return Err(cannot_read(format!("it has more than {} MiB", LARGEST_TEXT >> 20)).into());
    }
    Ok(ModelSource::of_text(INPUT_NAME, language, read))
}

/// Lets a Promela model include files from these folders.
fn allow_includes(model: &ModelSource, folders: &[std::path::PathBuf]) -> Result<(), Failure> {
    if !folders.is_empty() && model.language != ModelLanguage::Promela {
        let message = format!("`--include-dir` is for Promela models, and `{}` is not one of them", model.name());
        return Err(Diagnostic::error("E0308", message).help("leave it out").into());
    }
    for folder in folders {
        programs::promela::allow_includes(folder).map_err(|error| {
            Diagnostic::error("E0309", format!("cannot read the folder `{}`: {error}", folder.display()))
        })?;
    }
    Ok(())
}

/// This program, as documents name it.
fn tool() -> Tool {
    Tool::tertium(env!("CARGO_PKG_VERSION"))
}

/// The limits that the user set, or the share of the machine's memory that any run may have; and Ctrl-C. From now on a watchdog ends
/// what does not end by itself.
fn budget(limits: Limits) -> Budget {
    let flag = signals::flag();
    let memory = limits.memory.map(|limit| limit.0);
    let guard = if memory.is_none() { watchdog::guard() } else { None };
    let budget = Budget::unlimited()
        .with_time(limits.timeout.map(|limit| limit.0))
        .with_memory(memory)
        .with_guard(guard)
        .with_cancel(flag.clone());
    watchdog::start(&budget, memory.or(guard), flag);
    budget
}

/// Tells the user why there is no result, and returns the exit code.
fn fail(failure: &Failure, colour: Colour) -> u8 {
    match failure {
        Failure::Input(messages) => show(messages, colour),
        Failure::Stopped(stopped) => terminal::write(Stream::Err, &format!("stopped: {stopped}\n")),
        Failure::Internal(what) => faults::report(what),
    }
    let told = error_view(failure);
    let code = told.exit_code;
    failing::write_document(told);
    code
}

/// Why there is no result, for scripts.
pub fn error_view(failure: &Failure) -> ErrorView {
    match failure {
        Failure::Input(messages) => {
            let first = messages.iter().find(|message| message.diagnostic.is_error());
            ErrorView {
                kind: "input",
                message: first.map_or_else(String::new, |first| first.diagnostic.message.clone()),
                exit_code: exit::BAD_INPUT,
                diagnostics: failing::diagnostics(messages),
            }
        }
        Failure::Stopped(stopped) => ErrorView {
            kind: "stopped",
            message: format!("stopped: {stopped}"),
            exit_code: if stopped.0 == StopReason::Interrupted { exit::INTERRUPTED } else { exit::SOME_OPEN },
            diagnostics: Vec::new(),
        },
        Failure::Internal(what) => faults::view(what),
    }
}

/// More messages than this are counted only: whoever has so many begins with the first.
const MOST_MESSAGES: usize = 200;

/// Shows messages on standard error.
fn show(messages: &[Located], colour: Colour) {
    let coloured = terminal::coloured(colour, Stream::Err);
    let mut texts: Vec<String> =
        messages.iter().take(MOST_MESSAGES).map(|message| message.render(coloured).trim_end().to_owned()).collect();
    if messages.len() > MOST_MESSAGES {
        texts.push(format!("... and {} more messages", messages.len() - MOST_MESSAGES));
    }
    if !texts.is_empty() {
        terminal::write(Stream::Err, &format!("{}\n", texts.join("\n\n")));
    }
}
