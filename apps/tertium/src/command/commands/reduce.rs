//! `tertium reduce` and `tertium sat`: the smallest structure with the same values, and one that satisfies a formula.

use std::path::Path;

use tertium_base::Budget;
use tertium_driver::export::{Target, export, structure_text};
use tertium_driver::input::{Loaded, load};
use tertium_driver::property::Property;
use tertium_driver::reduce::{Quotient, reduce};
use tertium_driver::satisfiability::satisfiable;
use tertium_driver::{Failure, Located};
use tertium_report::reduce::{ReduceReport, SatReport};
use tertium_report::view::{Input, SCHEMA_VERSION};
use tertium_report::{Style, json, text};

use super::check::shown_path;
use crate::command::args::{PlainFormat, QuotientName, ReduceArgs, SatArgs};
use crate::command::terminal::{self, Stream};
use crate::command::{exit, files};

/// Runs `reduce`.
pub fn run(args: &ReduceArgs) -> u8 {
    let budget = super::budget(args.limits);
    match write_reduced(args, &budget) {
        Ok(()) => exit::ALL_HOLD,
        Err(failure) => super::fail(&failure, args.look.color),
    }
}

fn write_reduced(args: &ReduceArgs, budget: &Budget) -> Result<(), Failure> {
    let loaded = load(&args.file, budget)?;
    let by = match args.by {
        QuotientName::Bisimulation => Quotient::Bisimulation,
        QuotientName::Refinement => Quotient::Refinement,
        QuotientName::Simulation => Quotient::Simulation,
    };
    let reduced = reduce(&loaded, by, budget)?;
    let Some(path) = &args.output else {
        let warnings: Vec<Located> = reduced.warnings.into_iter().map(Located::nowhere).collect();
        super::show(&warnings, args.look.color);
        let mut text = Vec::new();
        // Writing into memory does not fail.
        export(&reduced.loaded, Target::Kmts, &mut text).unwrap_or_default();
        terminal::write(Stream::Out, &String::from_utf8_lossy(&text));
        return Ok(());
    };
    write_structure(path, &reduced.loaded)?;
    let ((states, transitions), (fewer, less)) = (loaded.size(), reduced.loaded.size());
    let report = ReduceReport {
        schema_version: SCHEMA_VERSION,
        tool: super::tool(),
        input: Input { file: shown_path(&args.file), kind: loaded.kind() },
        by: by.name(),
        output: shown_path(path),
        before: [states, transitions],
        after: [fewer, less],
        classes: reduced.classes,
        warnings: reduced.warnings.iter().map(super::views::message).collect(),
    };
    let style = Style { colour: terminal::coloured(args.look.color, Stream::Out), verbose: args.look.verbose };
    let written = match args.format {
        PlainFormat::Text => text::reduce(&report, style),
        PlainFormat::Json => json::document(&report),
    };
    terminal::write(Stream::Out, &written);
    Ok(())
}

/// A structure as `.kmts`, or as `.json` if the name ends so.
pub fn write_structure(path: &Path, loaded: &Loaded) -> Result<(), Failure> {
    let json = path.extension().is_some_and(|ending| ending == "json");
    let target = if json { Target::Json } else { Target::Kmts };
    files::write_with(path, |out| export(loaded, target, &mut &mut *out))
}

/// Runs `sat`.
pub fn run_sat(args: &SatArgs) -> u8 {
    let budget = super::budget(args.limits);
    match decide(args, &budget) {
        Ok(code) => code,
        Err(failure) => super::fail(&failure, args.look.color),
    }
}

fn decide(args: &SatArgs, budget: &Budget) -> Result<u8, Failure> {
    let parsed = Property::from_text(&args.text).parse(args.logic.map(|logic| logic.0), &[]).map_err(Failure::Input)?;
    let formula = parsed.formula;
    let found = satisfiable(&formula, args.deadlock.map(|name| name.0), budget)?;
    let model = found.model.map(|model| Loaded::of_model("model", tertium_driver::input::Model::Kmts(model)));
    if let (Some(path), Some(model)) = (&args.output, &model) {
        let named = [("formula".to_owned(), formula.clone())];
        let kmts = model.kmts().cloned();
        let written = kmts
            .map(|kmts| Loaded::of_model("model", tertium_driver::input::Model::Kmts(kmts)).with_properties(&named));
        if let Some(written) = written {
            write_structure(path, &written)?;
        }
    }
    let report = SatReport {
        schema_version: SCHEMA_VERSION,
        tool: super::tool(),
        formula: formula.text(),
        logic: formula.logic().name(),
        deadlock: found.deadlock.name(),
        satisfiable: model.is_some(),
        checked: found.checked,
        size: model.as_ref().map(|model| [model.size().0, model.size().1]),
        model: model.as_ref().filter(|_| args.output.is_none()).and_then(Loaded::kmts).map(structure_text),
        output: args.output.as_deref().filter(|_| model.is_some()).map(shown_path),
    };
    let style = Style { colour: terminal::coloured(args.look.color, Stream::Out), verbose: args.look.verbose };
    let written = match args.format {
        PlainFormat::Text => text::sat(&report, style),
        PlainFormat::Json => json::document(&report),
    };
    terminal::write(Stream::Out, &written);
    Ok(if report.satisfiable { exit::ALL_HOLD } else { exit::SOME_FALSE })
}
