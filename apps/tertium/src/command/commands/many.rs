//! `tertium check` on several models: files, folders of them, or both.
//!
//! Each is checked as if it were alone; limits are those of the whole run. What is written is one text or one document with a summary, and the
//! exit code is the worst of all.

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use tertium_base::{Budget, Diagnostic, StopReason};
use tertium_driver::{Failure, Located, ModelLanguage, ModelSource};
use tertium_report::Style;
use tertium_report::several::{ModelOutcome, SeveralReport};
use tertium_report::view::Tally;

use super::check::{one, shown_path};
use crate::command::args::{CheckArgs, Format};
use crate::command::terminal::{self, Stream};
use crate::command::watchdog::{self, LastWords};
use crate::command::{evidence, exit, failing};

/// Whether several models are meant: the shape of what is written depends on the command line only, not on what a folder holds.
pub fn are_several(args: &CheckArgs) -> bool {
    args.files.len() > 1 || args.files.iter().any(|file| file.is_dir())
}

/// A model, or why it cannot be looked at.
type Found = (PathBuf, Result<ModelSource, Failure>);

/// Runs the command.
pub fn run(args: &CheckArgs, budget: &Budget) -> u8 {
    match models(args) {
        Ok(models) => check_all(args, models, budget),
        Err(failure) => super::fail(&failure, args.look.color),
    }
}

fn check_all(args: &CheckArgs, models: Vec<Found>, budget: &Budget) -> u8 {
    let progress = SharedProgress::new(args, models.iter().map(|(path, _)| shown_path(path)).collect());
    let closing = progress.clone();
    watchdog::closing(move |words| closing.closed(words));
    for (path, model) in models {
        let interrupted = matches!(budget.check(), Err(stopped) if stopped.0 == StopReason::Interrupted);
        if interrupted || (args.fail_fast && progress.code() == exit::SOME_FALSE) {
            break;
        }
        failing::about(super::input(&path, args.text.language.map(|language| language.0)));
        if args.format == Format::Text && args.look.quiet {
            terminal::write(Stream::Out, &format!("{}\n", tertium_base::visible::visible(&shown_path(&path))));
        }
        let work = || match model {
            Ok(model) => one(&alone(args, model), budget),
            Err(failure) => (super::fail(&failure, args.look.color), Tally::default()),
        };
        let ((code, tally), document) =
            if progress.is_collected() { terminal::capturing_results(work) } else { (work(), String::new()) };
        progress.add(ModelOutcome { file: shown_path(&path), exit_code: code, tally, document });
    }
    progress.finish()
}

/// The arguments for one of the models: evidence of each has a folder of its own.
fn alone(args: &CheckArgs, model: ModelSource) -> CheckArgs {
    let folder = args.evidence.as_ref().map(|dir| dir.join(evidence::stem(&model.name())));
    CheckArgs { evidence: folder, ..args.for_model(model) }
}

/// The models that are named, those of folders in the order of their names.
fn models(args: &CheckArgs) -> Result<Vec<Found>, Failure> {
    refuse_what_is_about_one(args)?;
    let mut found = Vec::new();
    for file in &args.files {
        if !file.is_dir() {
            found.push((file.clone(), super::source(file, &args.text)));
            continue;
        }
        let mut inside = Vec::new();
        models_in(file, &mut inside)?;
        if inside.is_empty() {
            let message = format!("the folder `{}` has no models", file.display());
            return Err(Diagnostic::error("E0346", message)
                .note(
                    "files of a folder are taken for models if they end in .kmts, .aut, .gcl, .pml, .prom or .promela",
                )
                .help("name the files themselves, with `--language` if their names do not tell it")
                .into());
        }
        inside.sort();
        found.extend(inside.into_iter().map(|path| {
            let source = ModelSource::of_file(&path, None);
            (path, source)
        }));
    }
    Ok(found)
}

/// The models in a folder and those below it; links to folders and hidden folders are left out.
fn models_in(folder: &Path, found: &mut Vec<PathBuf>) -> Result<(), Failure> {
    let cannot_read = |error: std::io::Error| {
        Failure::from(Diagnostic::error("E0309", format!("cannot read the folder `{}`: {error}", folder.display())))
    };
    let mut rooms = vec![folder.to_owned()];
    while let Some(room) = rooms.pop() {
        for entry in std::fs::read_dir(&room).map_err(cannot_read)? {
            let entry = entry.map_err(cannot_read)?;
            let is_hidden = entry.file_name().to_string_lossy().starts_with('.');
            let kind = entry.file_type().map_err(cannot_read)?;
            if kind.is_dir() && !is_hidden {
                rooms.push(entry.path());
            } else if !kind.is_dir()
                && !is_hidden
                && ModelLanguage::of(&entry.path()).is_some_and(ModelLanguage::is_told_by_its_ending)
            {
                found.push(entry.path());
            }
        }
    }
    Ok(())
}

/// Names of properties and states are those of one model.
fn refuse_what_is_about_one(args: &CheckArgs) -> Result<(), Failure> {
    let given = [
        ("--only", !args.only.is_empty()),
        ("--expect", !args.expect.is_empty()),
        ("--at", args.at.is_some()),
        ("--checkpoint", args.checkpoint.is_some()),
        ("--resume", args.resume.is_some()),
    ];
    let mistakes: Vec<Located> = (given.iter().filter(|(_, given)| *given))
        .map(|(option, _)| {
            let message = format!("`{option}` is about one model, and several are given");
            Located::nowhere(Diagnostic::error("E0345", message).help("check that model by itself"))
        })
        .collect();
    if mistakes.is_empty() { Ok(()) } else { Err(Failure::Input(mistakes)) }
}

/// How far the run has come; the watchdog may have to tell it.
#[derive(Clone)]
struct SharedProgress {
    report: Arc<Mutex<SeveralReport>>,
    format: Format,
    quiet: bool,
    style: Style,
}

impl SharedProgress {
    fn new(args: &CheckArgs, files: Vec<String>) -> Self {
        let style = Style { colour: terminal::coloured(args.look.color, Stream::Out), verbose: args.look.verbose };
        let report = SeveralReport { outcomes: Vec::new(), not_begun: files };
        Self { report: Arc::new(Mutex::new(report)), format: args.format, quiet: args.look.quiet, style }
    }

    /// Whether documents are kept until all are there, to become one.
    fn is_collected(&self) -> bool {
        matches!(self.format, Format::Json | Format::Sarif | Format::Junit)
    }

    fn add(&self, outcome: ModelOutcome) {
        let mut report = self.report.lock().unwrap_or_else(PoisonError::into_inner);
        if !report.not_begun.is_empty() {
            report.not_begun.remove(0);
        }
        report.outcomes.push(outcome);
    }

    /// The worst of all codes: a fault before a bad input before what is false before what is open.
    fn code(&self) -> u8 {
        let report = self.report.lock().unwrap_or_else(PoisonError::into_inner);
        let codes = report.outcomes.iter().map(|outcome| outcome.exit_code);
        let worst = codes.max_by_key(|&code| exit::severity(code)).unwrap_or(exit::ALL_HOLD);
        // What was not looked at is open.
        if report.not_begun.is_empty() || exit::severity(worst) > exit::severity(exit::SOME_OPEN) {
            worst
        } else {
            exit::SOME_OPEN
        }
    }

    /// What comes after all models, or holds all their documents.
    fn ending(&self, code: u8) -> String {
        let report = self.report.lock().unwrap_or_else(PoisonError::into_inner);
        match self.format {
            Format::Text if self.quiet => String::new(),
            Format::Text => report.text(code, self.style),
            Format::Ndjson => report.line(code),
            Format::Json => report.json(&super::tool(), code),
            Format::Sarif => report.sarif(),
            Format::Junit => report.junit(),
        }
    }

    fn finish(&self) -> u8 {
        let code = self.code();
        terminal::write(Stream::Out, &self.ending(code));
        code
    }

    /// The last words about one model become those about all.
    fn closed(&self, words: LastWords) -> LastWords {
        let next = {
            let report = self.report.lock().unwrap_or_else(PoisonError::into_inner);
            report.not_begun.first().cloned().unwrap_or_default()
        };
        let document = if self.is_collected() { words.out.clone() } else { String::new() };
        self.add(ModelOutcome { file: next, exit_code: words.code, tally: Tally::default(), document });
        let code = self.code();
        let before = if self.is_collected() { String::new() } else { words.out };
        LastWords { out: format!("{before}{}", self.ending(code)), err: words.err, code }
    }
}
