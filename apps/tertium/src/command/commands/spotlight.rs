//! `tertium abstract --spotlight`: the structure K of a spotlight abstraction, and with parameters K(x).

use std::time::Instant;

use tertium_base::narrow::millis;
use tertium_base::{Budget, Diagnostic};
use tertium_driver::export::{export, fits};
use tertium_driver::input::Loaded;
use tertium_driver::program::spotlight::view::{SpotlightView, view};
use tertium_driver::program::{Extras, spotlight};
use tertium_driver::{Failure, Observer};
use tertium_report::spotlight::{CertainSetView, SpotStateView, SpotStepView, SpotlightReport};
use tertium_report::view::{Input, SCHEMA_VERSION};
use tertium_report::{Style, json, text};

use super::abstraction::{extras, options, target};
use crate::command::args::{AbstractArgs, Parameters, PlainFormat};
use crate::command::files;
use crate::command::progress::{Phase, Progress};
use crate::command::terminal::{self, Stream};

/// Abstracts a program, and tells or writes the structure.
pub fn tell(args: &AbstractArgs, budget: &Budget) -> Result<(), Failure> {
    let model = super::source(&args.file, &args.text)?;
    if args.how.is_named() || !args.how.keep.is_empty() {
        return Err(Diagnostic::error("E0351", "`--spotlight` is an abstraction of its own")
            .note("it cannot be combined with `--abstraction` or `--keep`")
            .help("leave these out, or `--spotlight`")
            .into());
    }
    let start = Instant::now();
    let phase = Phase::default();
    phase.phase("reading the program");
    let progress = Progress::start(phase.clone(), args.look.quiet);
    let extras = Extras { spotlight: args.spotlight.clone(), ..extras(&args.how) };
    let file = model.program(&[], None, &args.text.defines, &extras)?;
    let parameters = match args.parameters {
        Some(Parameters::On) => spotlight::Parameters::On,
        Some(Parameters::Literal) => spotlight::Parameters::Literal,
        Some(Parameters::Off) | None => spotlight::Parameters::Off,
    };
    let viewed = view(&file, &options(&args.how, args.max_states), parameters, budget, &|text| phase.phase(text));
    drop(progress);
    let viewed = viewed?;
    if !args.look.quiet {
        super::show(&file.warnings, args.look.color);
    }
    if let Some(format) = args.to {
        let (loaded, target) = (Loaded::of_model("", viewed.model.clone()), target(args, format)?);
        fits(&loaded, target)?;
        let Some(path) = &args.output else {
            let mut text = Vec::new();
            export(&loaded, target, &mut text).map_err(|error| Failure::Internal(error.to_string()))?;
            terminal::write(Stream::Out, &String::from_utf8_lossy(&text));
            return Ok(());
        };
        files::write_with(path, |out| export(&loaded, target, &mut &mut *out))?;
    }
    let input = Input { file: file.file.clone(), kind: file.language.name() };
    print(args, &file.description(), &report(viewed, input, start));
    Ok(())
}

fn report(viewed: SpotlightView, input: Input, start: Instant) -> SpotlightReport {
    let states = viewed.states.into_iter().map(|state| SpotStateView {
        places: state.places,
        labels: state.labels,
        steps: (state.steps.into_iter())
            .map(|step| SpotStepView {
                by: step.by,
                shade: step.shade,
                statement: step.statement,
                value: step.value,
                target: step.target,
            })
            .collect(),
    });
    SpotlightReport {
        schema_version: SCHEMA_VERSION,
        tool: super::tool(),
        input,
        spotlight: viewed.processes,
        shade: viewed.shade,
        predicates: viewed.predicates,
        parameters: viewed.parameters,
        states: states.collect(),
        certain_sets: viewed.sets.into_iter().map(|(from, members)| CertainSetView { from, members }).collect(),
        solver_calls: viewed.calls,
        gave_up: viewed.gave_up,
        solver: viewed.solver,
        time_ms: millis(start.elapsed()),
    }
}

fn print(args: &AbstractArgs, description: &str, report: &SpotlightReport) {
    let style = Style { colour: terminal::coloured(args.look.color, Stream::Out), verbose: args.look.verbose };
    let written = match args.format {
        PlainFormat::Json => json::document(report),
        PlainFormat::Text => text::spotlight(report, (!args.look.quiet).then_some(description), style),
    };
    terminal::write(Stream::Out, &written);
}
