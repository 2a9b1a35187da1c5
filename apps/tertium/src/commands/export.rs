//! `tertium export`: the same structure or program, written differently.

use std::io::Write;

use tertium_base::{Budget, Diagnostic};
use tertium_driver::Failure;
use tertium_driver::export::{Target, export, fits};
use tertium_driver::input::Loaded;
use tertium_driver::program;

use crate::args::{ExportArgs, ExportTarget};
use crate::terminal::{self, Stream};
use crate::{exit, files};

/// Runs the command.
pub fn run(args: &ExportArgs) -> u8 {
    let budget = super::budget(args.timeout, args.memory);
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
        ExportTarget::Smv => return write_text(args, &program_text(args, program::export::smv::text)?),
        ExportTarget::Vmt => return write_text(args, &program_text(args, program::export::vmt::text)?),
    };
    let loaded = tertium_driver::input::load(&args.file, budget)?;
    fits(&loaded, target)?;
    match &args.output {
        None => terminal::note_loss(write_all(&loaded, target, std::io::BufWriter::new(std::io::stdout().lock()))),
        Some(path) => files::write_with(path, |out| export(&loaded, target, &mut &mut *out))?,
    }
    Ok(())
}

/// A program in another language.
fn program_text(
    args: &ExportArgs,
    text: impl Fn(&program::ProgramFile) -> Result<String, Failure>,
) -> Result<String, Failure> {
    if !program::is_program(&args.file) {
        let message = format!("`--to smv` and `--to vmt` are for programs, and `{}` is not one", args.file.display());
        return Err(Diagnostic::error("E0363", message).help("`--to json`, `kmts` and `dot` write structures").into());
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
