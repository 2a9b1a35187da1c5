//! `tertium check --list`: what can be asked of a model?

use tertium_base::{Budget, Diagnostic};
use tertium_driver::Failure;
use tertium_driver::check::Session;
use tertium_driver::program::{ProgramAnswer, questions};
use tertium_report::listing::{ListReport, PropertyView};
use tertium_report::view::{Input, SCHEMA_VERSION};
use tertium_report::{Style, json};

use super::{abstraction, check};
use crate::command::args::{CheckArgs, Format};
use crate::command::terminal::{self, Stream};

/// Lists the properties that would be decided.
pub fn list(args: &CheckArgs, budget: &Budget) -> Result<(), Failure> {
    if !matches!(args.format, Format::Text | Format::Json) {
        return Err(Diagnostic::error("E0349", "`--list` decides nothing, and this format is for answers")
            .help("use `--format json`, or leave `--format` out")
            .into());
    }
    let model = args.model()?;
    super::allow_includes(model, &args.text.include_dirs)?;
    let properties = if model.is_program() { of_program(args) } else { of_structure(args, budget) }?;
    let report = ListReport {
        schema_version: SCHEMA_VERSION,
        tool: super::tool(),
        input: Input { file: model.name(), kind: model.language.kind() },
        properties,
    };
    let style = Style { colour: terminal::coloured(args.look.color, Stream::Out), verbose: args.look.verbose };
    let text = if args.format == Format::Json { json::document(&report) } else { report.text(style) };
    terminal::write(Stream::Out, &text);
    Ok(())
}

fn of_program(args: &CheckArgs) -> Result<Vec<PropertyView>, Failure> {
    let mut extras = abstraction::extras(&args.how);
    extras.every = true;
    let logic = args.logic.map(|logic| logic.0);
    let file = args.model()?.program(&args.properties, logic, &args.text.defines, &extras)?;
    let asked = questions::questions(&file, &args.only, args.progress)?;
    let view = |answer: ProgramAnswer| PropertyView {
        name: answer.name,
        formula: answer.formula,
        logic: answer.logic.to_owned(),
    };
    Ok(asked.iter().map(|question| view(ProgramAnswer::about(question))).collect())
}

fn of_structure(args: &CheckArgs, budget: &Budget) -> Result<Vec<PropertyView>, Failure> {
    let loaded = args.model()?.structure(budget)?;
    if loaded.properties().is_empty() && args.properties.is_empty() && args.only.is_empty() {
        return Ok(Vec::new());
    }
    let session = Session::new(&loaded, check::options(args), budget)?;
    let asked = session.properties(&args.properties, &args.only)?;
    let views = asked.iter().map(|parsed| PropertyView {
        name: parsed.property.name.clone(),
        formula: parsed.formula.text(),
        logic: parsed.formula.logic().name().to_owned(),
    });
    Ok(views.collect())
}
