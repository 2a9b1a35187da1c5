//! `tertium abstract`: what predicates make of a program.

use std::time::Instant;

use tertium_base::Budget;
use tertium_base::narrow::millis;
use tertium_driver::export::Target;
use tertium_driver::program::predicate_abstraction::{AbstractionOptions, Kind, Limit};
use tertium_driver::program::show::{AbstractionSummary, show};
use tertium_driver::program::{self, Extras, ProgramFile};
use tertium_driver::{Failure, Observer};
use tertium_report::abstraction::{AbstractReport, BooleanStepView, EdgesView};
use tertium_report::view::{Input, Ordered, SCHEMA_VERSION};
use tertium_report::{Style, json, text};

use super::check::shown_path;
use crate::args::{AbstractArgs, Abstraction, AbstractionArgs, ExportFormat, PlainFormat};
use crate::progress::{Phase, Progress};
use crate::terminal::{self, Stream};
use crate::{exit, files};

/// Runs the command.
pub fn run(args: &AbstractArgs) -> u8 {
    let budget = super::budget(args.timeout, args.memory);
    match tell(args, &budget) {
        Ok(()) => exit::ALL_HOLD,
        Err(failure) => super::fail(&failure, args.look.color),
    }
}

fn tell(args: &AbstractArgs, budget: &Budget) -> Result<(), Failure> {
    super::must_be_program(&args.file)?;
    super::allow_includes(&args.file, &args.include_dirs)?;
    let start = Instant::now();
    let phase = Phase::default();
    phase.phase("reading the program");
    let progress = Progress::start(phase.clone(), args.look.quiet);
    let file = program::load_with(&args.file, &[], None, &args.defines, &extras(&args.how))?;
    let target = args.to.map(|format| match format {
        ExportFormat::Dot => Target::Dot,
        ExportFormat::Aut => Target::Aut,
        ExportFormat::Kmts => Target::Kmts,
        ExportFormat::Json => Target::Json,
    });
    let options = options(&args.how, args.max_states);
    let shown = show(&file, &options, target, budget, &phase);
    drop(progress);
    let (shown, structure) = shown?;
    if !args.look.quiet {
        super::show(&file.warnings, args.look.color);
    }
    match (structure, &args.output) {
        (Some(structure), None) => terminal::write(Stream::Out, &String::from_utf8_lossy(&structure)),
        (Some(structure), Some(path)) => {
            files::write(path, &structure)?;
            print(args, &file, &options, shown, start);
        }
        (None, _) => print(args, &file, &options, shown, start),
    }
    Ok(())
}

fn print(
    args: &AbstractArgs,
    file: &ProgramFile,
    options: &AbstractionOptions,
    shown: AbstractionSummary,
    start: Instant,
) {
    let mut calls: Vec<(String, u64)> = shown.calls.iter().map(|&(word, count)| (word.to_owned(), count)).collect();
    if shown.program_calls > 0 {
        calls.push(("program".to_owned(), shown.program_calls));
    }
    let report = AbstractReport {
        schema_version: SCHEMA_VERSION,
        tool: super::tool(),
        input: Input { file: shown_path(&args.file), kind: file.language.name() },
        kind: options.kind.name(),
        predicates: shown.predicates,
        kept: Ordered(shown.kept),
        invariants: shown.invariants,
        steps: shown
            .steps
            .into_iter()
            .map(|step| BooleanStepView {
                process: step.process,
                at: step.at,
                statement: step.statement,
                guard: step.guard,
                exact: step.exact,
                assignments: step.assignments,
            })
            .collect(),
        states: shown.states,
        initial: shown.initial,
        edges: EdgesView {
            must: shown.edges.both,
            may: shown.edges.may,
            merged: shown.edges.must,
            hyper: shown.edges.hyper,
        },
        solver_calls: calls.iter().map(|(_, count)| count).sum(),
        calls: Ordered(calls),
        gave_up: shown.gave_up,
        solver: shown.solver,
        time_ms: millis(start.elapsed()),
    };
    let style = Style { colour: terminal::coloured(args.look.color, Stream::Out), verbose: args.look.verbose };
    let written = match args.format {
        PlainFormat::Json => json::document(&report),
        PlainFormat::Text if args.look.quiet => text::abstraction(&report, None, style),
        PlainFormat::Text => text::abstraction(&report, Some(&file.description()), style),
    };
    terminal::write(Stream::Out, &written);
}

/// What the options add to the program.
pub fn extras(args: &AbstractionArgs) -> Extras {
    Extras { predicates: args.predicates.clone(), keep: args.keep.clone(), ..Extras::default() }
}

/// How to abstract.
pub fn options(args: &AbstractionArgs, max_states: Option<usize>) -> AbstractionOptions {
    AbstractionOptions {
        kind: match args.abstraction {
            Some(Abstraction::Boolean) => Kind::Boolean,
            Some(Abstraction::Cartesian) => Kind::Cartesian,
            Some(Abstraction::Cubes) => Kind::Cubes,
            Some(Abstraction::Four) => Kind::Four,
            Some(Abstraction::Hyper | Abstraction::Auto | Abstraction::None) | None => Kind::Hyper,
        },
        limit: match args.solver_timeout {
            Some(time) => Limit { work: Limit::default().work, time: Some(time.0) },
            None => Limit::default(),
        },
        cross_check: args.cross_check.as_ref().map(|command| command.split_whitespace().map(str::to_owned).collect()),
        max_states,
        // Who says how to abstract, or which predicates to begin with, gets that.
        zones: matches!(args.abstraction, None | Some(Abstraction::Auto)) && args.predicates.is_empty(),
        ..AbstractionOptions::default()
    }
}
