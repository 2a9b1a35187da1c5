//! One module per command: arguments to the pipeline, its results to a report.

pub mod abstraction;
mod certify;
mod check;
mod compare;
mod explore;
mod export;
mod fmt;
mod formula;
pub mod known;
mod merge;
mod pages;
mod program;
pub mod program_views;
mod serve;
mod simulate;
mod view;
pub mod views;
pub mod wishes;

use clap::{CommandFactory, Parser};
use tertium_base::{Budget, Diagnostic, StopReason};
use tertium_driver::{Failure, Located, program as programs};
use tertium_report::failure::ErrorView;
use tertium_report::view::{Input, Tool};

use crate::args::{Cli, Colour, Command, Format};
use crate::failing::{self, RequestedOutput};
use crate::terminal::{self, Stream};
use crate::units::{Duration, Size};
use crate::{exit, faults, signals, watchdog};

/// Does what was typed and returns the exit code.
pub fn from_command_line() -> u8 {
    match Cli::try_parse() {
        Ok(cli) => {
            failing::remember(asked(&cli.command));
            run(cli)
        }
        Err(other) => usage(&other),
    }
}

/// Help and version, or what is wrong with the arguments.
fn usage(told: &clap::Error) -> u8 {
    let stream = if told.use_stderr() { Stream::Err } else { Stream::Out };
    let text = told.render();
    let coloured = terminal::coloured(Colour::Auto, stream);
    terminal::write(stream, &if coloured { text.ansi().to_string() } else { text.to_string() });
    if !told.use_stderr() {
        return exit::ALL_HOLD;
    }
    let arguments: Vec<String> = std::env::args_os().map(|word| word.to_string_lossy().into_owned()).collect();
    failing::remember(RequestedOutput { format: failing::format_in(&arguments), file: None });
    let text = told.render().to_string();
    let message = text.lines().next().unwrap_or_default().trim_start_matches("error: ").to_owned();
    failing::write_document(ErrorView { kind: "usage", message, exit_code: exit::BAD_INPUT, diagnostics: Vec::new() });
    exit::BAD_INPUT
}

/// How results are to be written, and about what.
fn asked(command: &Command) -> RequestedOutput {
    let (format, file) = match command {
        Command::Check(args) => (args.format, Some(&args.file)),
        Command::Compare(args) => (args.format.into(), Some(&args.left)),
        Command::Merge(args) => (args.format.into(), Some(&args.left)),
        Command::Explore(args) => (args.format.into(), Some(&args.file)),
        Command::Abstract(args) => (args.format.into(), Some(&args.file)),
        Command::Simulate(args) => (args.format.into(), Some(&args.file)),
        Command::Certify(args) => (args.format.into(), Some(&args.file)),
        Command::Formula(args) => (args.format.into(), None),
        Command::Fmt(_)
        | Command::Export(_)
        | Command::Lsp(_)
        | Command::View(_)
        | Command::Completions { .. }
        | Command::Man => (Format::Text, None),
    };
    let kind = |file: &std::path::Path| programs::Language::of(file).map_or("kmts", programs::Language::name);
    RequestedOutput { format, file: file.map(|file| Input { file: check::shown_path(file), kind: kind(file) }) }
}

fn run(cli: Cli) -> u8 {
    match cli.command {
        Command::Check(args) => check::run(&args),
        Command::Compare(args) => compare::run(&args),
        Command::Merge(args) => merge::run(&args),
        Command::Explore(args) => explore::run(&args),
        Command::Abstract(args) => abstraction::run(&args),
        Command::Simulate(args) => simulate::run(&args),
        Command::Fmt(args) => fmt::run(&args),
        Command::Certify(args) => certify::run(&args),
        Command::Formula(args) => formula::run(&args),
        Command::Export(args) => export::run(&args),
        Command::Lsp(_) => crate::lsp::run(),
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

/// Lets a Promela model include files from these folders.
fn allow_includes(file: &std::path::Path, folders: &[std::path::PathBuf]) -> Result<(), Failure> {
    if !folders.is_empty() && programs::Language::of(file) != Some(programs::Language::Promela) {
        let message = format!("`--include-dir` is for Promela models, and `{}` is not one of them", file.display());
        return Err(Diagnostic::error("E0308", message).help("leave it out").into());
    }
    for folder in folders {
        programs::promela::allow_includes(folder).map_err(|error| {
            Diagnostic::error("E0309", format!("cannot read the folder `{}`: {error}", folder.display()))
        })?;
    }
    Ok(())
}

/// Some commands are about programs only.
fn must_be_program(path: &std::path::Path) -> Result<(), Failure> {
    if tertium_driver::program::is_program(path) {
        return Ok(());
    }
    Err(Diagnostic::error("E0325", format!("`{}` is not a program", path.display()))
        .help("a program is a file that ends in `.gcl` or, in Promela, in `.pml`")
        .into())
}

/// This program, as documents name it.
fn tool() -> Tool {
    Tool::tertium(env!("CARGO_PKG_VERSION"))
}

/// The limits that the user set, or the share of the machine's memory that any run may have; and Ctrl-C. From now on a watchdog ends
/// what does not end by itself.
fn budget(timeout: Option<Duration>, memory: Option<Size>) -> Budget {
    let flag = signals::flag();
    let memory = memory.map(|limit| limit.0);
    let guard = if memory.is_none() { watchdog::guard() } else { None };
    let budget = Budget::unlimited()
        .with_time(timeout.map(|limit| limit.0))
        .with_memory(memory)
        .with_guard(guard)
        .with_cancel(flag.clone());
    watchdog::start(&budget, memory.or(guard), flag);
    budget
}

/// Tells the user why there is no result, and returns the exit code.
fn fail(failure: &Failure, colour: Colour) -> u8 {
    match failure {
        Failure::Input(messages) => {
            show(messages, colour);
            let first = messages.iter().find(|message| message.diagnostic.is_error());
            failing::write_document(ErrorView {
                kind: "input",
                message: first.map_or_else(String::new, |first| first.diagnostic.message.clone()),
                exit_code: exit::BAD_INPUT,
                diagnostics: failing::diagnostics(messages),
            });
            exit::BAD_INPUT
        }
        Failure::Stopped(stopped) => {
            terminal::write(Stream::Err, &format!("stopped: {stopped}\n"));
            let exit_code = if stopped.0 == StopReason::Interrupted { exit::INTERRUPTED } else { exit::SOME_OPEN };
            let message = format!("stopped: {stopped}");
            failing::write_document(ErrorView { kind: "stopped", message, exit_code, diagnostics: Vec::new() });
            exit_code
        }
        Failure::Internal(what) => {
            faults::report(what);
            faults::document(what);
            exit::INTERNAL
        }
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
