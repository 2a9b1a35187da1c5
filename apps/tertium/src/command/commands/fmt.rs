//! `tertium fmt`: the layout of programs.

use std::path::Path;

use tertium_base::Diagnostic;
use tertium_base::visible::visible;
use tertium_driver::program::{Language, format_text};
use tertium_driver::{Failure, Located, ModelLanguage};

use crate::command::args::{FmtArgs, LanguageName, Limits, STANDARD_INPUT, TextArgs};
use crate::command::terminal::{self, Stream};
use crate::command::{exit, files};

/// Runs the command.
pub fn run(args: &FmtArgs) -> u8 {
    // Texts are read within the memory that any run may have.
    super::budget(Limits::default());
    let mut changed = false;
    for file in &args.files {
        match lay_out(file, args) {
            Ok(differs) => changed |= differs,
            Err(failure) => return super::fail(&failure, args.color),
        }
    }
    if args.check && changed { exit::SOME_FALSE } else { exit::ALL_HOLD }
}

/// Standard input is in guarded commands: nothing else is laid out.
fn language_of(path: &Path) -> TextArgs {
    let is_input = path.as_os_str() == STANDARD_INPUT;
    TextArgs { language: is_input.then_some(LanguageName(ModelLanguage::Gcl)), ..TextArgs::default() }
}

/// Lays out one file; says whether it was not laid out before.
fn lay_out(path: &Path, args: &FmtArgs) -> Result<bool, Failure> {
    let model = super::source(path, &language_of(path))?;
    let language = model.must_be_program()?;
    if language != Language::Gcl {
        let kind = match language {
            Language::Promela => "a Promela",
            Language::Horn => "a Horn",
            Language::Smv | Language::Gcl => "an SMV",
        };
        let what = format!("`{}` is {kind} model, and `fmt` lays out guarded commands only", path.display());
        return Err(Diagnostic::error("E0594", what).help("name files that end in `.gcl`").into());
    }
    let text = model.text()?;
    let neat = format_text(&model.name(), &text).map_err(|found: Vec<Located>| Failure::Input(found))?;
    if args.stdout || (model.is_text() && !args.check) {
        terminal::write(Stream::Out, &neat);
        return Ok(neat != text);
    }
    if neat == text {
        return Ok(false);
    }
    if args.check {
        terminal::write(Stream::Out, &format!("{} is not laid out\n", visible(&model.name())));
    } else {
        files::write(path, neat.as_bytes())?;
    }
    Ok(true)
}
