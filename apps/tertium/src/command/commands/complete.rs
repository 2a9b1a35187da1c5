//! `tertium complete`: what a partial model leaves open is decided so that its properties hold.

use std::path::{Path, PathBuf};

use tertium_base::{Budget, Diagnostic};
use tertium_driver::check::CheckOptions;
use tertium_driver::completion::{
    CompletedModel, CompletionAnswer, CompletionOptions, CompletionOutcome, Conflict, complete,
};
use tertium_driver::export::structure_text;
use tertium_driver::input::{Loaded, Model, load};
use tertium_driver::{Failure, Formula, Located};
use tertium_report::completion::{
    CompleteReport, CompletedView, CompletionProperty, ConflictView, CopyView, UndoneView,
};
use tertium_report::view::{Input, SCHEMA_VERSION};
use tertium_report::{Style, json, text};

use super::check::shown_path;
use super::reduce::write_structure;
use super::structure_pages::{self, MadeStructure};
use crate::command::args::{CompleteArgs, PlainFormat};
use crate::command::exit;
use crate::command::terminal::{self, Stream};

/// Runs the command.
pub fn run(args: &CompleteArgs) -> u8 {
    let budget = super::budget(args.limits);
    match answer(args, &budget) {
        Ok(code) => code,
        Err(failure) => super::fail(&failure, args.look.color),
    }
}

fn answer(args: &CompleteArgs, budget: &Budget) -> Result<u8, Failure> {
    let loaded = load(&args.file, budget)?;
    let check = CheckOptions {
        logic: args.logic.map(|name| name.0),
        deadlock: args.deadlock.map(|name| name.0),
        ..CheckOptions::default()
    };
    let options = CompletionOptions { pins: args.pins.clone(), wanted: usize::from(args.wanted), check };
    super::show(loaded.warnings(), args.look.color);
    let found = complete(&loaded, (&args.properties, &args.only), &options, budget, &())?;
    let report = report(args, &loaded, &found)?;
    let style = Style { colour: terminal::coloured(args.look.color, Stream::Out), verbose: args.look.verbose };
    let written = match args.format {
        PlainFormat::Text => text::complete(&report, style),
        PlainFormat::Json => json::document(&report),
    };
    terminal::write(Stream::Out, &written);
    if let Some(out) = &args.page {
        write_page(args, &loaded, &found, out, budget)?;
    }
    Ok(match found.outcome {
        CompletionOutcome::Completed { .. } => exit::ALL_HOLD,
        CompletionOutcome::Conflict(_) => exit::SOME_FALSE,
        CompletionOutcome::Undecided(_) => exit::SOME_OPEN,
    })
}

/// The page about the first completion; where there is none, there is nothing to draw, and that is said.
fn write_page(
    args: &CompleteArgs,
    loaded: &Loaded,
    found: &CompletionAnswer,
    out: &Path,
    budget: &Budget,
) -> Result<(), Failure> {
    let first = match &found.outcome {
        CompletionOutcome::Completed { completions, .. } => completions.first(),
        CompletionOutcome::Conflict(_) | CompletionOutcome::Undecided(_) => None,
    };
    let (Some(first), Some(before)) = (first, loaded.kmts()) else {
        let warning = Diagnostic::warning("W0321", "no page is written: there is no completion to show")
            .help("`tertium view` shows the partial model itself");
        super::show(&[Located::nowhere(warning)], args.look.color);
        return Ok(());
    };
    let made = MadeStructure {
        file: &args.file,
        before: Some((before, "the partial model")),
        after: (&first.structure, "the completion"),
        properties: &found.properties,
        headline: decisions(first),
        options: CheckOptions { deadlock: args.deadlock.map(|name| name.0), ..CheckOptions::default() },
    };
    structure_pages::write(&made, out, args.look.quiet || args.format == PlainFormat::Json, budget)
}

/// What was decided, in sentences.
fn decisions(completed: &CompletedModel) -> Vec<String> {
    let listed = |decisions: &[String]| decisions.join(", ");
    let mut lines = Vec::new();
    if completed.needed.is_empty() {
        lines.push("Nothing has to be decided: the properties hold whatever is chosen.".to_owned());
    } else {
        lines.push(format!("Decided: {}.", listed(&completed.needed)));
    }
    if !completed.free.is_empty() {
        lines.push(format!("Free, and chosen here: {}.", listed(&completed.free)));
    }
    lines
}

fn report(args: &CompleteArgs, loaded: &Loaded, found: &CompletionAnswer) -> Result<CompleteReport, Failure> {
    let (mut completions, mut conflict, mut undecided) = (Vec::new(), None, None);
    let (mut smallest, mut all) = (None, None);
    match &found.outcome {
        CompletionOutcome::Completed { completions: structures, smallest: least, all: every } => {
            (smallest, all) = (Some(*least), Some(*every));
            for (at, one) in structures.iter().enumerate() {
                completions.push(completed(args, found, one, at)?);
            }
        }
        CompletionOutcome::Conflict(found_conflict) => conflict = Some(conflict_view(found, found_conflict)),
        CompletionOutcome::Undecided(why) => undecided = Some(why.clone()),
    }
    let (states, transitions) = loaded.size();
    Ok(CompleteReport {
        schema_version: SCHEMA_VERSION,
        tool: super::tool(),
        input: Input { file: shown_path(&args.file), kind: loaded.kind() },
        size: [states, transitions],
        open: found.open,
        properties: found.properties.iter().map(property_view).collect(),
        pinned: found.pinned.clone(),
        completions,
        smallest,
        all,
        conflict,
        undecided,
    })
}

fn property_view((name, formula): &(String, Formula)) -> CompletionProperty {
    CompletionProperty { name: name.clone(), formula: formula.text(), logic: formula.logic().name() }
}

/// Writes one completion, and tells what it is.
fn completed(
    args: &CompleteArgs,
    found: &CompletionAnswer,
    one: &CompletedModel,
    at: usize,
) -> Result<CompletedView, Failure> {
    let output = args.output.as_deref().map(|path| numbered(path, at));
    if let Some(path) = &output {
        let loaded = Loaded::of_model("completion", Model::Kmts(one.structure.clone()));
        write_structure(path, &loaded.with_properties(&found.properties))?;
    }
    let copies = one.copies.iter().map(|(name, of)| CopyView { name: name.clone(), of: of.clone() });
    Ok(CompletedView {
        needed: one.needed.clone(),
        free: one.free.clone(),
        copies: copies.collect(),
        size: [one.structure.state_count(), one.structure.edge_count()],
        structure: output.is_none().then(|| structure_text(&one.structure)),
        output: output.as_deref().map(shown_path),
    })
}

/// The first file has the name that was given, the others a number before its ending.
fn numbered(path: &Path, at: usize) -> PathBuf {
    if at == 0 {
        return path.to_owned();
    }
    let stem = path.file_stem().unwrap_or_default().to_string_lossy();
    let ending = path.extension().map(|ending| format!(".{}", ending.to_string_lossy())).unwrap_or_default();
    path.with_file_name(format!("{stem}-{}{ending}", at + 1))
}

fn conflict_view(found: &CompletionAnswer, conflict: &Conflict) -> ConflictView {
    let undone = conflict.undone.iter().map(|undo| UndoneView { decision: undo.decision.clone(), helps: undo.helps });
    ConflictView {
        properties: conflict.properties.iter().map(|&at| found.properties[at].0.clone()).collect(),
        smallest: conflict.smallest,
        undone: undone.collect(),
        complete: conflict.complete,
    }
}
