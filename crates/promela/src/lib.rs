//! Promela, the language of Spin: text to tree, names and types, diagnostics.
//!
//! The way of the data: text → tokens after preprocessing → tree ([`ast`]) → meaning of names ([`symbols`]).
//! Mistakes are values, several per run; places point into the user's text, through `#include` and macros
//! ([`sources`]). [`outline`] tells editors where names stand.
//!
//! ```
//! use tertium_promela::{Options, lower::lower, read};
//!
//! let text = "byte x; active [2] proctype P() { do :: x < 3 -> x++ od }";
//! let model = read("count.pml", text, &Options::default());
//! assert!(!model.is_broken());
//! let program = lower(&model.file, &model.symbols, &model.sources).program;
//! assert_eq!(program.instances.len(), 2);
//! ```

pub mod ast;
pub mod include;
mod lexer;
pub mod lower;
pub mod outline;
pub mod parser;
mod preprocess;
pub mod printer;
mod resolve;
pub mod sources;
pub mod symbols;

use tertium_base::Diagnostic;

pub use preprocess::{Loader, Options};
use sources::Sources;

/// What a text says, before names mean anything.
#[derive(Clone, Debug)]
pub struct Parsed {
    /// The tree, as far as it was understood.
    pub file: ast::File,
    /// The texts that spans point into.
    pub sources: Sources,
    /// What is wrong.
    pub diagnostics: Vec<Diagnostic>,
}

/// Preprocesses and parses a model. `name` is its path: what it includes is searched beside it.
#[must_use]
pub fn parse(name: &str, text: &str, options: &Options<'_>) -> Parsed {
    let preprocessed = preprocess::preprocess(name, text, options);
    let (file, diagnostics) = parser::parse(preprocessed.tokens);
    let mut all = preprocessed.diagnostics;
    all.extend(diagnostics);
    Parsed { file, sources: preprocessed.sources, diagnostics: all }
}

/// A model with the meaning of its names.
#[derive(Clone, Debug)]
pub struct Model {
    /// The tree, as far as it was understood.
    pub file: ast::File,
    /// What its names mean.
    pub symbols: symbols::Symbols,
    /// The texts that spans point into.
    pub sources: Sources,
    /// What is wrong, in the order it was found.
    pub diagnostics: Vec<Diagnostic>,
}

impl Model {
    /// Whether it must be refused. Otherwise every reference has a meaning.
    #[must_use]
    pub fn is_broken(&self) -> bool {
        self.diagnostics.iter().any(Diagnostic::is_error)
    }
}

/// Preprocesses and parses a model, looks up its names and checks it.
#[must_use]
pub fn read(name: &str, text: &str, options: &Options<'_>) -> Model {
    let Parsed { file, sources, mut diagnostics } = parse(name, text, options);
    let (symbols, found) = resolve::resolve(&file);
    // After a mistake in the grammar parts of the tree are missing, so that names seem to be missing too.
    if !diagnostics.iter().any(Diagnostic::is_error) {
        diagnostics.extend(found);
    }
    Model { file, symbols, sources, diagnostics }
}
