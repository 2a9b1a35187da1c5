//! `tertium fmt`: the layout of programs.

use std::path::Path;

use tertium_base::Diagnostic;
use tertium_base::visible::visible;
use tertium_driver::program::{Language, format_text, read_text};
use tertium_driver::{Failure, Located};

use crate::args::FmtArgs;
use crate::terminal::{self, Stream};
use crate::{exit, files};

/// Runs the command.
pub fn run(args: &FmtArgs) -> u8 {
    // Texts are read within the memory that any run may have.
    super::budget(None, None);
    let mut changed = false;
    for file in &args.files {
        match lay_out(file, args) {
            Ok(differs) => changed |= differs,
            Err(failure) => return super::fail(&failure, args.color),
        }
    }
    if args.check && changed { exit::SOME_FALSE } else { exit::ALL_HOLD }
}

/// Lays out one file; says whether it was not laid out before.
fn lay_out(path: &Path, args: &FmtArgs) -> Result<bool, Failure> {
    super::must_be_program(path)?;
    if Language::of(path) == Some(Language::Promela) {
        let what = format!("`{}` is a Promela model, and `fmt` lays out guarded commands only", path.display());
        return Err(Diagnostic::error("E0594", what).help("name files that end in `.gcl`").into());
    }
    let text = read_text(path)?;
    let neat = format_text(&path.to_string_lossy(), &text).map_err(|found: Vec<Located>| Failure::Input(found))?;
    if args.stdout {
        terminal::write(Stream::Out, &neat);
        return Ok(neat != text);
    }
    if neat == text {
        return Ok(false);
    }
    if args.check {
        terminal::write(Stream::Out, &format!("{} is not laid out\n", visible(&path.to_string_lossy())));
    } else {
        files::write(path, neat.as_bytes())?;
    }
    Ok(true)
}
