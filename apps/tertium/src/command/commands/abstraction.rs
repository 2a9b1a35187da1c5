//! `tertium abstract`: what predicates make of a program.

use std::time::Instant;

use tertium_base::narrow::millis;
use tertium_base::{Budget, Diagnostic};
use tertium_driver::export::Target;
use tertium_driver::program::approximation::{Approximation, SourceLanguage, source};
use tertium_driver::program::error_trace::{ErrorTrace, TraceStep};
use tertium_driver::program::predicate_abstraction::{AbstractionKind, AbstractionOptions, Limit};
use tertium_driver::program::show::{AbstractionSummary, show};
use tertium_driver::program::{Extras, ProgramFile};
use tertium_driver::{Failure, Observer};
use tertium_report::abstraction::{AbstractReport, BooleanStepView, EdgesView, ErrorTraceView, TraceStepView};
use tertium_report::view::{Input, Ordered, SCHEMA_VERSION};
use tertium_report::{Style, json, text};

use crate::command::args::{
    AbstractArgs, AbstractTarget, Abstraction, AbstractionArgs, ApproximationSide, PlainFormat,
};
use crate::command::progress::{Phase, Progress};
use crate::command::terminal::{self, Stream};
use crate::command::{exit, files};

/// Runs the command.
pub fn run(args: &AbstractArgs) -> u8 {
    let budget = super::budget(args.limits);
    let told = match &args.by {
        Some(by) => super::structure_abstraction::tell(args, by, &budget),
        None if !args.spotlight.is_empty() => super::spotlight::tell(args, &budget).map(|()| exit::ALL_HOLD),
        None => tell(args, &budget).map(|()| exit::ALL_HOLD),
    };
    match told {
        Ok(code) => code,
        Err(failure) => super::fail(&failure, args.look.color),
    }
}

fn tell(args: &AbstractArgs, budget: &Budget) -> Result<(), Failure> {
    let model = super::source(&args.file, &args.text)?;
    super::allow_includes(&model, &args.text.include_dirs)?;
    let start = Instant::now();
    let phase = Phase::default();
    phase.phase("reading the program");
    let progress = Progress::start(phase.clone(), args.look.quiet);
    let file = model.program(&[], None, &args.text.defines, &extras(&args.how))?;
    if let Some(language) = source_language(args) {
        phase.phase("abstracting the program");
        let written = write_source(args, language, &file, budget);
        drop(progress);
        return written;
    }
    let target = args.to.map(|format| target(args, format)).transpose()?;
    let options = options(&args.how, args.max_states);
    let shown = show(&file, &options, (target, args.error_trace), budget, &phase);
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

/// The format to write a structure in.
///
/// # Errors
/// If it is one for programs.
pub fn target(args: &AbstractArgs, format: AbstractTarget) -> Result<Target, Failure> {
    let target = match format {
        AbstractTarget::Dot => Target::Dot,
        AbstractTarget::Aut => Target::Aut,
        AbstractTarget::Kmts => Target::Kmts,
        AbstractTarget::Json => Target::Json,
        AbstractTarget::Gcl | AbstractTarget::Pml => {
            return Err(Diagnostic::error(
                "E0363",
                "`gcl` and `pml` are for programs that are abstracted by predicates",
            )
            .help("write the structure: `--to kmts`, `json`, `dot` or `aut`")
            .into());
        }
    };
    if args.approximation.is_some() {
        return Err(Diagnostic::error("E0330", "`--approximation` is for `--to gcl` and `--to pml`")
            .help("a structure has what may happen and what surely can; leave it out")
            .into());
    }
    Ok(target)
}

/// The language of an abstract program; none for a structure.
fn source_language(args: &AbstractArgs) -> Option<SourceLanguage> {
    match args.to? {
        AbstractTarget::Gcl => Some(SourceLanguage::Gcl),
        AbstractTarget::Pml => Some(SourceLanguage::Promela),
        _ => None,
    }
}

/// Writes an approximation as a program.
fn write_source(
    args: &AbstractArgs,
    language: SourceLanguage,
    file: &ProgramFile,
    budget: &Budget,
) -> Result<(), Failure> {
    let side = match args.approximation {
        Some(ApproximationSide::Under) => Approximation::Under,
        Some(ApproximationSide::Over) | None => Approximation::Over,
    };
    let text = source(file, &options(&args.how, args.max_states), (side, language), budget)?;
    match &args.output {
        Some(path) => files::write(path, text.as_bytes()),
        None => {
            terminal::write(Stream::Out, &text);
            Ok(())
        }
    }
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
        input: Input { file: file.file.clone(), kind: file.language.name() },
        kind: options.kind.name(),
        predicates: shown.predicates,
        kept: Ordered(shown.kept),
        tainted: Ordered(shown.tainted),
        invariants: shown.invariants,
        initially: shown.initially,
        steps: shown
            .steps
            .into_iter()
            .map(|step| BooleanStepView {
                process: step.process,
                at: step.at,
                to: step.to,
                statement: step.statement,
                guard: step.guard,
                exact: step.exact,
                assignments: step.assignments,
            })
            .collect(),
        error_traces: shown.traces.iter().map(trace_view).collect(),
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

fn trace_view(trace: &ErrorTrace) -> ErrorTraceView {
    let step = |step: &TraceStep| TraceStepView {
        statement: step.statement.clone(),
        certain: step.certain,
        places: step.places.clone(),
        values: step.values.clone(),
        others: step.others.clone(),
        open: Ordered(step.open.clone()),
    };
    ErrorTraceView {
        property: trace.property.clone(),
        formula: trace.formula.clone(),
        deterministic: trace.is_deterministic(),
        steps: trace.steps.iter().map(step).collect(),
    }
}

/// What the options add to the program.
pub fn extras(args: &AbstractionArgs) -> Extras {
    Extras { predicates: args.predicates.clone(), keep: args.keep.clone(), ..Extras::default() }
}

/// How to abstract.
pub fn options(args: &AbstractionArgs, max_states: Option<usize>) -> AbstractionOptions {
    AbstractionOptions {
        kind: match args.abstraction {
            Some(Abstraction::Boolean) => AbstractionKind::Boolean,
            Some(Abstraction::Cartesian) => AbstractionKind::Cartesian,
            Some(Abstraction::Cubes) => AbstractionKind::Cubes,
            Some(Abstraction::Four) => AbstractionKind::Four,
            Some(Abstraction::Hyper | Abstraction::Auto | Abstraction::None) | None => AbstractionKind::Hyper,
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
