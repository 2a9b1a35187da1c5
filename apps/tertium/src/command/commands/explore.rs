//! `tertium explore`: the state space of a program, counted.

use std::path::Path;
use std::time::Instant;

use tertium_base::narrow::{millis, whole};
use tertium_base::{Budget, Diagnostic, StopReason};
use tertium_driver::program::check::report_to;
use tertium_driver::program::checkpoints::Checkpoints;
use tertium_driver::program::disk;
use tertium_driver::program::explore::{Counts, SearchOrder, explore_with, graph, graph_format};
use tertium_driver::program::questions::questions;
use tertium_driver::program::safety::{Effort, Keeping};
use tertium_driver::program::space::{Space, StepsBy};
use tertium_driver::program::{Extras, ProgramFile};
use tertium_driver::{Failure, Located, Observer};
use tertium_report::explore::ExploreReport;
use tertium_report::questions::AnswersReport;
use tertium_report::view::{Input, SCHEMA_VERSION};
use tertium_report::{Style, json, text};

use super::questions::any;
use super::wishes::{keeping, threads};
use super::{checkpoints, program_views};
use crate::command::args::{DeviceName, ExploreArgs, PlainFormat, SearchName, StepsName};
use crate::command::progress::{Phase, Progress};
use crate::command::terminal::{self, Stream};
use crate::command::watchdog::{self, LastWords};
use crate::command::{exit, files};

/// Runs the command.
pub fn run(args: &ExploreArgs) -> u8 {
    let budget = super::budget(args.limits);
    match count(args, &budget) {
        Ok(code) => code,
        Err(failure) => super::fail(&failure, args.look.color),
    }
}

fn count(args: &ExploreArgs, budget: &Budget) -> Result<u8, Failure> {
    let model = super::source(&args.file, &args.text)?;
    super::allow_includes(&model, &args.text.include_dirs)?;
    let language = model.must_be_program()?;
    let target = args.graph.as_deref().map(graph_format).transpose()?;
    let phase = Phase::default();
    say_when_stopped(args, Input { file: model.name(), kind: language.name() }, &phase);
    phase.phase("reading the program");
    let progress = Progress::start(phase.clone(), args.look.quiet);
    let file = model.program(&[], None, &args.text.defines, &Extras::default())?;
    let steps = match args.steps {
        StepsName::Native => StepsBy::NativeCode,
        StepsName::Interpreted => StepsBy::Interpreter,
    };
    let mut space = Space::new(&file.program, budget)?.with_steps(steps);
    let effort = Effort {
        threads: threads(args.threads),
        max_states: args.max_states,
        reduction: args.reduction && !args.no_reduction,
        store: keeping(args.store),
        budget,
    };
    if effort.store != Keeping::Exact && target.is_some() {
        return Err(Diagnostic::error("E0330", "`--graph` needs every state, and this store does not keep them")
            .help("leave out `--store`, or `--graph`")
            .into());
    }
    if let Some(folder) = &args.disk {
        let report = on_disk(args, folder, &file, (&space, &effort), &phase)?;
        drop(progress);
        return Ok(show_answers(args, &file, &report));
    }
    let mut checkpoints = wanted_checkpoints(args, &effort)?;
    if args.device == DeviceName::Gpu {
        let report = on_device(args, &file, (&space, &effort), &phase)?;
        drop(progress);
        return Ok(show_answers(args, &file, &report));
    }
    if effort.reduction {
        space.watch_promises(&effort, &mut report_to(&phase, "watching promises", effort.limit(&space)));
    }
    let order = match args.search {
        SearchName::Breadth => SearchOrder::Breadth,
        SearchName::Depth => SearchOrder::Depth,
    };
    let mut report = report_to(&phase, "exploring", effort.limit(&space));
    let (counts, collected) = explore_with(&space, order, &effort, checkpoints.as_mut(), &mut report)?;
    phase.phase("writing the graph");
    let written = target.map(|target| graph(&space, &counts, &collected, &effort, target));
    drop(progress);
    if !args.look.quiet {
        super::show(&file.warnings, args.look.color);
    }
    let not_written = match (&args.graph, written.transpose()) {
        (Some(path), Ok(Some(text))) => files::write(path, &text).map(|()| None)?,
        (_, Err(Failure::Stopped(stopped))) => Some(stopped.0),
        (_, written) => written.map(|_| None)?,
    };
    show(args, &file, &counts);
    if let Some(warning) = checkpoints.and_then(|checkpoints| checkpoints.warning()) {
        super::show(&[Located::nowhere(warning)], args.look.color);
    }
    if not_written.is_some() {
        super::show(&[Located::nowhere(no_graph())], args.look.color);
    }
    Ok(match counts.stopped.or(not_written) {
        Some(StopReason::Interrupted) => exit::INTERRUPTED,
        None if counts.complete => exit::ALL_HOLD,
        _ => exit::SOME_OPEN,
    })
}

/// Counts, and decides what single states break, on a graphics processor.
#[cfg(feature = "gpu")]
fn on_device(
    args: &ExploreArgs,
    file: &ProgramFile,
    (space, effort): (&Space<'_>, &Effort<'_>),
    phase: &Phase,
) -> Result<AnswersReport, Failure> {
    use tertium_driver::program::device;

    if args.graph.is_some() || args.search == SearchName::Depth {
        return Err(Diagnostic::error(
            "E0330",
            "a search on a graphics processor goes breadth first and writes no graph",
        )
        .help("leave out `--graph` and `--search`, or `--device`")
        .into());
    }
    if effort.store != Keeping::Exact || effort.reduction {
        return Err(Diagnostic::error("E0330", "a search on a graphics processor is exact and leaves out nothing")
            .help("leave out `--store` and `--reduction`, or `--device`")
            .into());
    }
    let asked = questions(file, &[], false)?;
    phase.phase("preparing the search on a device");
    let mut tell = report_to(phase, "exploring", effort.limit(space));
    let found = device::decide(space, (&asked, device::Linear::NotAsked), effort, &mut tell)?;
    Ok(AnswersReport {
        counts: report(file, &found.counts),
        results: found.answers.iter().map(|answer| super::questions::result(file, answer)).collect(),
        not_asked: found.not_asked,
        disk_bytes: None,
    })
}

/// Says that this build does not know how.
#[cfg(not(feature = "gpu"))]
fn on_device(
    _: &ExploreArgs,
    _: &ProgramFile,
    _: (&Space<'_>, &Effort<'_>),
    _: &Phase,
) -> Result<AnswersReport, Failure> {
    Err(tertium_driver::strategy::built_without_device())
}

/// What is written down of the search, or gone on with.
fn wanted_checkpoints(args: &ExploreArgs, effort: &Effort<'_>) -> Result<Option<Checkpoints>, Failure> {
    let Some(said) = args.checkpoint.as_ref().or(args.resume.as_ref()) else { return Ok(None) };
    let is_plain = effort.store == Keeping::Exact && args.search == SearchName::Breadth && !effort.reduction;
    if !is_plain || args.device == DeviceName::Gpu {
        return Err(Diagnostic::error(
            "E0385",
            "only plain searches level by level that keep every state are written down",
        )
        .help("leave out `--store`, `--search`, `--reduction` and `--device`, or the checkpoints")
        .into());
    }
    let (folder, every) = checkpoints::place(said);
    Ok(Some(Checkpoints::new(&folder, every, args.resume.is_some())))
}

/// Said where the graph was asked for and a limit was reached before all of it was there.
fn no_graph() -> Diagnostic {
    Diagnostic::warning("W0316", "the graph is not written, since not all of it was seen")
        .note("a part of it would be read as the graph of another program")
        .help("raise the limit, or bound what is unbounded")
}

/// What is said if the search does not end by itself.
fn say_when_stopped(args: &ExploreArgs, input: Input, phase: &Phase) {
    let (format, phase, start) = (args.format, phase.clone(), Instant::now());
    let style = Style { colour: terminal::coloured(args.look.color, Stream::Out), verbose: args.look.verbose };
    watchdog::last_words(move |stopped| {
        let counts = phase.progress();
        let report = ExploreReport {
            schema_version: SCHEMA_VERSION,
            tool: super::tool(),
            input: input.clone(),
            states: counts.states,
            transitions: 0,
            depth: counts.depth,
            deadlocks: 0,
            errors: 0,
            complete: false,
            stopped: Some(stopped.0.word()),
            reasons: Vec::new(),
            time_ms: millis(start.elapsed()),
            preparation_ms: None,
            states_per_second: counts.rate,
            memory_bytes: 0,
            state_bytes: 0,
        };
        let out = match format {
            PlainFormat::Json => json::document(&report),
            PlainFormat::Text => text::explore(&report, None, style),
        };
        LastWords { out, ..LastWords::of(stopped) }
    });
}

/// What was counted, as it is shown.
pub fn report(file: &ProgramFile, counts: &Counts) -> ExploreReport {
    let seconds = counts.elapsed.saturating_sub(counts.preparation).as_secs_f64().max(1e-6);
    ExploreReport {
        schema_version: SCHEMA_VERSION,
        tool: super::tool(),
        input: Input { file: file.file.clone(), kind: file.language.name() },
        states: counts.states,
        transitions: counts.transitions,
        depth: counts.depth,
        deadlocks: counts.deadlocks,
        errors: counts.errors,
        complete: counts.complete,
        stopped: counts.stopped.map(StopReason::word),
        reasons: counts.reasons.iter().map(|reason| program_views::limit(file, reason)).collect(),
        time_ms: millis(counts.elapsed),
        preparation_ms: (!counts.preparation.is_zero()).then(|| millis(counts.preparation)),
        states_per_second: whole(counts.states as f64 / seconds) as u64,
        memory_bytes: counts.bytes,
        state_bytes: counts.words * 4,
    }
}

/// Counts, and decides what single states break, with states on disk.
fn on_disk(
    args: &ExploreArgs,
    folder: &Path,
    file: &ProgramFile,
    (space, effort): (&Space<'_>, &Effort<'_>),
    phase: &Phase,
) -> Result<AnswersReport, Failure> {
    let is_plain = effort.store == Keeping::Exact && args.search == SearchName::Breadth && !effort.reduction;
    let other = args.graph.is_some() || args.checkpoint.is_some() || args.resume.is_some();
    if !is_plain || other || args.device == DeviceName::Gpu {
        return Err(Diagnostic::error("E0385", "only plain searches level by level keep their states on disk")
            .help("leave out `--reduction`, `--store`, `--search`, `--device`, `--graph`, `--checkpoint` and `--resume`, or `--disk`")
            .into());
    }
    let asked = questions(file, &[], false)?;
    let mut tell = report_to(phase, "exploring", effort.limit(space));
    let found = disk::decide(space, &asked, folder, effort, &mut tell)?;
    Ok(AnswersReport {
        counts: report(file, &found.counts),
        results: found.answers.iter().map(|answer| super::questions::result(file, answer)).collect(),
        not_asked: found.not_asked,
        disk_bytes: Some(found.bytes),
    })
}

fn show_answers(args: &ExploreArgs, file: &ProgramFile, report: &AnswersReport) -> u8 {
    let style = Style { colour: terminal::coloured(args.look.color, Stream::Out), verbose: args.look.verbose };
    let written = match args.format {
        PlainFormat::Json => json::document(report),
        PlainFormat::Text if args.look.quiet => text::answers(report, None, style),
        PlainFormat::Text => text::answers(report, Some(&file.description()), style),
    };
    terminal::write(Stream::Out, &written);
    match report.counts.stopped {
        Some(word) if word == StopReason::Interrupted.word() => exit::INTERRUPTED,
        _ if any(&report.results, "false") => exit::SOME_FALSE,
        _ if report.counts.complete && !any(&report.results, "unknown") => exit::ALL_HOLD,
        _ => exit::SOME_OPEN,
    }
}

fn show(args: &ExploreArgs, file: &ProgramFile, counts: &Counts) {
    let report = report(file, counts);
    let style = Style { colour: terminal::coloured(args.look.color, Stream::Out), verbose: args.look.verbose };
    let written = match args.format {
        PlainFormat::Json => json::document(&report),
        PlainFormat::Text if args.look.quiet => text::explore(&report, None, style),
        PlainFormat::Text => text::explore(&report, Some(&file.description()), style),
    };
    terminal::write(Stream::Out, &written);
}
