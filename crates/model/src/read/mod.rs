//! What does this file say? Reads `.json`, `.kmts` and `.aut` into a [`Model`].
//!
//! All formats are read as streams: nothing but the model itself is kept, so that a file of a gigabyte needs
//! no gigabyte. Mistakes are diagnostics with places, several a run; limits of the [`Budget`] end in
//! [`Stopped`].
//!
//! Not here: formulas of properties, which are handed on as text with their places.

mod aut;
mod bytes;
mod draft;
mod fields;
mod finish;
mod json;
mod report;
mod text;
mod valued;

use std::fs::File;
use std::io::Read;
use std::path::Path;

use tertium_base::{Budget, Diagnostic, SourceFile, Stopped, files};

use crate::kmts::Kmts;
use crate::lattice_model::LatticeModel;
use crate::param::ParamModel;
use bytes::{ByteSource, Flow, Halt};
use draft::Draft;

pub use draft::Property;
pub(crate) use text::{KEYWORDS, is_bare, is_bare_name, split_logic};

/// A structure of any kind.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Model {
    /// May, must and hyper edges.
    Kmts(Kmts),
    /// Values in a lattice.
    Lattice(LatticeModel),
    /// Values that depend on parameters.
    Param(ParamModel),
}

/// How a structure is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// A JSON object.
    Json,
    /// Lines for people.
    Kmts,
    /// A labelled transition system in Aldebaran's format.
    Aut,
}

impl Format {
    /// The format that a file's name promises.
    #[must_use]
    pub fn of(path: &Path) -> Option<Self> {
        let extension = path.extension()?.to_str()?;
        match extension.to_ascii_lowercase().as_str() {
            "json" => Some(Self::Json),
            "kmts" => Some(Self::Kmts),
            "aut" => Some(Self::Aut),
            _ => None,
        }
    }
}

/// What reading found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Loaded {
    /// The model; none if there are errors.
    pub model: Option<Model>,
    /// The properties that came with it.
    pub properties: Vec<Property>,
    /// Errors and warnings, by place.
    pub diagnostics: Vec<Diagnostic>,
    /// For each diagnostic the part of the input that it speaks of.
    pub sources: Vec<Option<SourceFile>>,
}

impl Loaded {
    /// The diagnostics, each with the text that its places point into.
    pub fn messages(&self) -> impl Iterator<Item = (&Diagnostic, Option<&SourceFile>)> {
        self.diagnostics.iter().zip(self.sources.iter().map(Option::as_ref))
    }
}

/// Reads a file. Whatever is wrong with it is among the diagnostics.
///
/// # Errors
/// `Stopped` if a limit of the budget is reached.
pub fn read_file(path: &Path, format: Format, budget: &Budget) -> Result<Loaded, Stopped> {
    let name = path.display().to_string();
    let file = match files::open(path, files::LARGEST_FILE) {
        Ok(file) => file,
        Err(failure) => return Ok(unreadable(&name, &failure)),
    };
    let mut loaded = read_stream(&name, format, file, budget)?;
    let located = loaded.diagnostics.iter().any(|diagnostic| diagnostic.primary.is_some());
    if located && let Ok(again) = File::open(path) {
        loaded.sources = report::excerpts(&name, again, &mut loaded.diagnostics);
    }
    Ok(loaded)
}

fn unreadable(name: &str, failure: &files::Refused) -> Loaded {
    let diagnostic = Diagnostic::error("E0200", format!("`{name}` cannot be read: {failure}"));
    Loaded { model: None, properties: Vec::new(), diagnostics: vec![diagnostic], sources: vec![None] }
}

/// Reads a structure from memory. `name` is used in messages.
///
/// # Errors
/// `Stopped` if a limit of the budget is reached.
pub fn read_bytes(name: &str, format: Format, bytes: &[u8], budget: &Budget) -> Result<Loaded, Stopped> {
    let mut loaded = read_stream(name, format, bytes, budget)?;
    loaded.sources = report::excerpts(name, bytes, &mut loaded.diagnostics);
    Ok(loaded)
}

/// Reads a structure from anywhere. The diagnostics come without excerpts, since nothing is read twice.
///
/// # Errors
/// `Stopped` if a limit of the budget is reached.
pub fn read_stream(name: &str, format: Format, input: impl Read, budget: &Budget) -> Result<Loaded, Stopped> {
    let mut draft = Draft::new(budget);
    let model = match run(name, format, input, budget, &mut draft) {
        Ok(model) => model,
        Err(Halt::Stopped(stopped)) => return Err(stopped),
        Err(Halt::Broken(diagnostic)) => {
            draft.report.add(*diagnostic);
            None
        }
    };
    let diagnostics = draft.report.finish();
    let sources = vec![None; diagnostics.len()];
    Ok(Loaded { model, properties: draft.properties, diagnostics, sources })
}

fn run(name: &str, format: Format, input: impl Read, budget: &Budget, draft: &mut Draft<'_>) -> Flow<Option<Model>> {
    let source = ByteSource::new(input, budget);
    match format {
        Format::Json => fields::read(name, source, draft)?,
        Format::Kmts => text::read(name, source, draft)?,
        Format::Aut => aut::read(source, draft)?,
    }
    finish::finish(draft)
}
