//! `tertium export`: the same structure, written differently.

use std::io::Write;

use tertium_base::{Budget, Diagnostic};
use tertium_driver::Failure;
use tertium_driver::export::{Target, export, fits};
use tertium_driver::input::Loaded;

use crate::args::{ExportArgs, ExportFormat};
use crate::exit;

/// Runs the command.
pub fn run(args: &ExportArgs) -> u8 {
    let budget = super::budget(None, None);
    match write(args, &budget) {
        Ok(()) => exit::ALL_HOLD,
        Err(failure) => super::fail(&failure, args.color),
    }
}

fn write(args: &ExportArgs, budget: &Budget) -> Result<(), Failure> {
    let loaded = tertium_driver::input::load(&args.file, budget)?;
    let target = match args.to {
        ExportFormat::Dot => Target::Dot,
        ExportFormat::Aut => Target::Aut,
        ExportFormat::Kmts => Target::Kmts,
        ExportFormat::Json => Target::Json,
    };
    fits(&loaded, target)?;
    let written = match &args.output {
        None => write_all(&loaded, target, std::io::BufWriter::new(std::io::stdout().lock())),
        Some(path) => {
            std::fs::File::create(path).and_then(|file| write_all(&loaded, target, std::io::BufWriter::new(file)))
        }
    };
    match (written, &args.output) {
        (Ok(()), _) => Ok(()),
        // Whoever read our output has gone; that is no mistake.
        (Err(error), None) if error.kind() == std::io::ErrorKind::BrokenPipe => Ok(()),
        (Err(error), target) => {
            let name = target.as_ref().map_or_else(|| "standard output".to_owned(), |path| path.display().to_string());
            Err(Diagnostic::error("E0302", format!("cannot write `{name}`: {error}")).into())
        }
    }
}

fn write_all(loaded: &Loaded, target: Target, mut out: impl Write) -> std::io::Result<()> {
    export(loaded, target, &mut out)?;
    out.flush()
}
