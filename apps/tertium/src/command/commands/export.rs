//! `tertium export`: the same structure or program, written differently.

use std::io::Write;

use tertium_base::{Budget, Diagnostic};
use tertium_driver::export::{Target, export, fits, smv};
use tertium_driver::input::{Loaded, load};
use tertium_driver::program;
use tertium_driver::translate::{StructureKind, TranslatedStructure, classical_runs, translate};
use tertium_driver::{Failure, Located};

use super::check::shown_path;
use crate::command::args::{ExportArgs, ExportTarget};
use crate::command::terminal::{self, Stream};
use crate::command::{evidence, exit, files};

/// Runs the command.
pub fn run(args: &ExportArgs) -> u8 {
    let budget = super::budget(args.limits);
    match write(args, &budget) {
        Ok(()) => exit::ALL_HOLD,
        Err(failure) => super::fail(&failure, args.color),
    }
}

fn write(args: &ExportArgs, budget: &Budget) -> Result<(), Failure> {
    let target = match args.to {
        ExportTarget::Dot => Target::Dot,
        ExportTarget::Aut => Target::Aut,
        ExportTarget::Kmts => Target::Kmts,
        ExportTarget::Json => Target::Json,
        ExportTarget::Pks => return write_translated(args, StructureKind::PartialKripke, budget),
        ExportTarget::Mts => return write_translated(args, StructureKind::ModalTransition, budget),
        ExportTarget::Mixed => return write_translated(args, StructureKind::Mixed, budget),
        ExportTarget::Completions => return write_completions(args, budget),
        ExportTarget::Smv if program::is_program(&args.file) => {
            return write_text(args, &program_text(args, program::export::smv::text)?);
        }
        ExportTarget::Smv => return write_text(args, &smv::structure_text(&load(&args.file, budget)?)?),
        ExportTarget::Vmt => return write_text(args, &program_text(args, program::export::vmt::text)?),
    };
    let loaded = load(&args.file, budget)?;
    fits(&loaded, target)?;
    write_structure(args, &loaded, target)
}

fn write_structure(args: &ExportArgs, loaded: &Loaded, target: Target) -> Result<(), Failure> {
    match &args.output {
        None => terminal::note_loss(write_all(loaded, target, std::io::BufWriter::new(std::io::stdout().lock()))),
        Some(path) => files::write_with(path, |out| export(loaded, target, &mut &mut *out))?,
    }
    Ok(())
}

/// A structure as another kind, with its properties.
fn write_translated(args: &ExportArgs, kind: StructureKind, budget: &Budget) -> Result<(), Failure> {
    let translated = translate(&load(&args.file, budget)?, kind)?;
    warn(&translated, args);
    let json = args.output.as_ref().and_then(|path| path.extension()).is_some_and(|ending| ending == "json");
    write_structure(args, &translated.loaded, if json { Target::Json } else { Target::Kmts })
}

/// The classical structures that decide the properties, a file each.
fn write_completions(args: &ExportArgs, budget: &Budget) -> Result<(), Failure> {
    let Some(folder) = &args.output else { return Ok(()) };
    let runs = classical_runs(&load(&args.file, budget)?)?;
    files::make_directory(folder)?;
    for (at, run) in runs.iter().enumerate() {
        if at == 0 {
            warn(run, args);
        }
        let path = folder.join(format!("{}.kmts", evidence::stem(&run.name)));
        files::write_with(&path, |out| export(&run.loaded, Target::Kmts, &mut &mut *out))?;
        let line = format!("{}  {}: {}\n", shown_path(&path), run.loaded.description(), run.says);
        terminal::write(Stream::Out, &line);
    }
    Ok(())
}

fn warn(translated: &TranslatedStructure, args: &ExportArgs) {
    let warnings: Vec<Located> = translated.warnings.iter().cloned().map(Located::nowhere).collect();
    super::show(&warnings, args.color);
}

/// A program in another language.
fn program_text(
    args: &ExportArgs,
    text: impl Fn(&program::ProgramFile) -> Result<String, Failure>,
) -> Result<String, Failure> {
    if !program::is_program(&args.file) {
        let message = format!("`--to vmt` is for programs, and `{}` is not one", args.file.display());
        let help = "`--to json`, `kmts`, `dot` and, if nothing is open, `smv` write structures";
        return Err(Diagnostic::error("E0363", message).help(help).into());
    }
    text(&program::load(&args.file, &[], None, &[])?)
}

fn write_text(args: &ExportArgs, text: &str) -> Result<(), Failure> {
    match &args.output {
        None => terminal::write(Stream::Out, text),
        Some(path) => files::write(path, text.as_bytes())?,
    }
    Ok(())
}

fn write_all(loaded: &Loaded, target: Target, mut out: impl Write) -> std::io::Result<()> {
    export(loaded, target, &mut out)?;
    out.flush()
}
