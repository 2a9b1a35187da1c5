//! How is a model written in another format?

pub mod guarded_commands;
pub mod smv;

use std::io::{self, Write};

use tertium_base::Diagnostic;
use tertium_load::failure::Failure;
use tertium_load::structure::Loaded;
use tertium_model::{Kmts, Model, write_aut, write_dot, write_json, write_kmts};

/// A format to write.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Target {
    /// Graphviz.
    Dot,
    /// Aldebaran.
    Aut,
    /// Structures for people.
    Kmts,
    /// Structures for scripts.
    Json,
}

/// Whether a model can be written in a format at all; to be asked before a file is made.
///
/// # Errors
/// If the format cannot express the model.
pub fn fits(loaded: &Loaded, target: Target) -> Result<(), Failure> {
    if target == Target::Aut && loaded.kmts().is_none() {
        return Err(Diagnostic::error("E0313", "the format `aut` cannot express this model")
            .note("it holds structures with may and must only")
            .help("`--to json`, `--to kmts` and `--to dot` express every model")
            .into());
    }
    Ok(())
}

/// Writes a model with its properties.
///
/// # Errors
/// Whatever the output reports.
pub fn export(loaded: &Loaded, target: Target, out: &mut dyn Write) -> io::Result<()> {
    match (target, &loaded.model) {
        (Target::Dot, model) => write_dot(out, model),
        (Target::Json, model) => write_json(out, model, loaded.written_properties()),
        (Target::Kmts, model) => write_kmts(out, model, loaded.written_properties()),
        (Target::Aut, Model::Kmts(model)) => write_aut(out, model),
        (Target::Aut, _) => Err(io::Error::other("the format `aut` cannot express this model")),
    }
}

/// A structure as `.kmts`.
#[must_use]
pub fn structure_text(structure: &Kmts) -> String {
    let mut text = Vec::new();
    // Writing into memory does not fail.
    write_kmts(&mut text, &Model::Kmts(structure.clone()), &[]).unwrap_or_default();
    String::from_utf8(text).unwrap_or_default()
}
